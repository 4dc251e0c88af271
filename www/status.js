// The counters, as numbers, rates and charts: what went wrong first, a bar where
// there is a limit, and a line of what the page has seen a family do.

import { h, name, put, quiet, svg } from './dom.js';
import { answered, json } from './api.js';
import { number, percent, t } from './words.js';

const POINTS = 60;
const PERIOD = 5000;

// Rates are those of the last minute.

const SEEN = 13;

const LIMITS = { artifact_zone_used_bytes: 'artifact_zone_size_bytes' };

function families(answer) {
    return Object.entries(answer)
        .filter(([, family]) => Array.isArray(family?.samples))
        .map(([title, { type, help, samples }]) => ({ title, type, help,
            samples: samples.map(({ labels, value }) => ({ value,
                labels: labels ?? {}, key: `${title}${JSON.stringify(labels)}`,
                label: Object.values(labels ?? {}).join(' · ') })),
            sum: samples.reduce((sum, { value }) => sum + value, 0) }));
}

// What went wrong, of a sample of these families, and what the requests with it
// are looked for by; the labels are those of docs/status.md.

const wrong = (values, key = 'outcome') => (labels) =>
    values.includes(labels[key]) ? labels[key] : null;

const WRONG = {
    artifact_requests_total: ({ status }) => status >= '400' ? status : null,
    artifact_routed_total: ({ reason }) => reason === 'none' ? null : reason,
    artifact_parts_total: wrong(['described', 'named', 'dropped', 'missing']),
    artifact_attachments_total: wrong(['described', 'unread', 'missing']),
    artifact_derived_total: wrong(['cannot', 'unfit', 'failed']),
    artifact_offloaded_total: wrong(['failed']),
    artifact_writes_total: wrong(['incomplete', 'refused', 'failed']),
    artifact_folds_total: wrong(['failed']),
    artifact_mcp_messages_total: wrong(['tool_error', 'error', 'refused']),
    artifact_files_total: wrong(['refused', 'failed']),
    artifact_unknown_services_total: () => 'unknown_service',
    artifact_sources_failed_total: () => 'source_failed',
    artifact_expired_failed_total: () => 'failed',
};

const FOUND = { described: 'degraded', unread: 'read' };

const found = (why) => /^\d+$/.test(why) ? { status: why }
    : { reason: FOUND[why] ?? why };

const rated = (rate) => rate === undefined ? ''
    : rate >= 1 || rate === 0 ? t('persecond', number(Number(rate.toFixed(1))))
        : t('perminute', number(Number((60 * rate).toFixed(1))));

// The same reason of one family is one row, the most frequent first.

function reasons(all, rate) {
    const rows = new Map();

    for (const { title, samples } of all) {
        for (const sample of samples) {
            const why = sample.value && WRONG[title]?.(sample.labels);
            const key = `${title} ${why}`;

            if (why) {
                const row = rows.get(key) ?? { title, why, value: 0, rate: 0 };

                row.value += sample.value;
                row.rate += rate(sample) ?? 0;
                rows.set(key, row);
            }
        }
    }

    return [...rows.values()].sort((a, b) => b.rate - a.rate
        || b.value - a.value).slice(0, 12);
}

const top = (rows, known) => h('section', { class: 'why' },
    h('h3', null, t('why')), rows.length ? h('table', null, h('tbody', null,
        rows.map(({ title, why, value, rate }) => h('tr', null,
            h('th', { scope: 'row' }, answered.requests ? h('a', { href:
                `#/requests?${new URLSearchParams(found(why))}` }, name(why))
                : name(why), ' ', h('span', { class: 'quiet' }, name(title))),
            h('td', { class: 'number' }, known ? rated(rate) : ''),
            h('td', { class: 'number' }, number(value))))))
        : quiet(t('noreasons')));

const bar = (part) => svg('svg', { class: 'bar', viewBox: '0 0 100 10',
    preserveAspectRatio: 'none', 'aria-hidden': 'true' },
svg('rect', { width: String(100 * part), height: '10' }));

function line(points) {
    const most = Math.max(1, ...points);

    return svg('svg', { class: 'chart', viewBox: '0 0 100 20',
        preserveAspectRatio: 'none', role: 'img', 'aria-label': t('history') },
    svg('polyline', { points: points.map((value, n) =>
        `${100 * n / (POINTS - 1)},${19 - 18 * value / most}`).join(' ') }));
}

// Samples that never counted say nothing, where others do; of many, the most.

function draw({ title, type, help, samples, sum }, points, limit, rate) {
    const shown = sum === 0 ? [{ value: 0 }]
        : samples.filter(({ value }) => value > 0)
            .sort((a, b) => (rate(b) ?? 0) - (rate(a) ?? 0)
                || b.value - a.value).slice(0, 30);

    return h('section', { class: 'family' }, h('h3', null, name(title)),
        quiet(name(help ?? '')),
        points.length > 1 ? line(points) : null,
        h('table', null, h('tbody', null, shown.map((sample) => h('tr', null,
            h('th', { scope: 'row' }, name(sample.label || t('total'))),
            h('td', { class: 'number' }, number(sample.value)),
            type === 'gauge' ? null : h('td', { class: 'number quiet' },
                rated(rate(sample))))))),
        limit ? [bar(Math.min(1, sum / limit)),
            quiet(t('of', number(limit), percent(sum / limit)))] : null);
}

export async function status({ query, signal, complaint }) {
    const trouble = h('div', { 'aria-live': 'polite' });
    const summary = h('div');
    const shown = h('div', { class: 'families' });
    const last = new Map();
    const points = new Map();
    const counted = [];

    // by the second, since the oldest answer that is remembered; a sample that
    // was not in it was 0, and one that is less now has begun again

    function rate({ key, value }) {
        const [first] = counted;
        const past = (performance.now() - first.at) / 1000;

        return counted.length > 1 && key
            ? Math.max(0, value - (first.values.get(key) ?? 0)) / past
            : undefined;
    }

    async function refresh() {
        const answer = await json('status', [], { format: 'json' }, signal);

        const all = families(answer);

        counted.push({ at: performance.now(), values: new Map(all.flatMap(
            ({ samples }) => samples.map(({ key, value }) => [key, value]))) });
        counted.splice(0, counted.length - SEEN);

        put(summary, top(reasons(all, rate), counted.length > 1));
        put(shown, all.map((family) => {
            const { title, type, sum } = family;
            const limit = all.find((one) => one.title === LIMITS[title]);
            const seen = points.get(title) ?? [];

            // what a counter has grown by, what a gauge is

            if (type === 'gauge') {
                seen.push(sum);

            } else if (last.has(title)) {
                seen.push(Math.max(0, sum - last.get(title)));
            }

            last.set(title, sum);
            points.set(title, seen.slice(-POINTS));

            return draw(family, points.get(title), limit?.sum, rate);
        }));
        put(trouble);
    }

    // what was seen last stays

    const box = h('input', { type: 'checkbox',
        checked: query.get('again') !== '0' });
    const timer = setInterval(() => {
        if (box.checked) {
            refresh().catch((error) => {
                box.checked = false;
                put(trouble, complaint(error));
            });
        }
    }, PERIOD);

    signal.addEventListener('abort', () => clearInterval(timer));

    await refresh();

    return [h('p', null, h('label', { class: 'row' }, box, t('again'))),
            trouble, summary, shown];
}
