// The counters, as numbers and as charts: a bar where there is a limit, and a
// line of what the page has seen a family do.

import { h, name, quiet, svg } from './dom.js';
import { json } from './api.js';
import { number, percent, t } from './words.js';

const POINTS = 60;
const PERIOD = 5000;

const LIMITS = { artifact_zone_used_bytes: 'artifact_zone_size_bytes' };

function families(answer) {
    return Object.entries(answer)
        .filter(([, family]) => Array.isArray(family?.samples))
        .map(([title, { type, help, samples }]) => ({ title, type, help,
            samples: samples.map(({ labels, value }) => ({ value,
                label: Object.values(labels ?? {}).join(' · ') })),
            sum: samples.reduce((sum, { value }) => sum + value, 0) }));
}

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

function draw({ title, help, samples, sum }, points, limit) {
    const shown = sum === 0 ? [{ value: 0 }]
        : samples.filter(({ value }) => value > 0)
            .sort((a, b) => b.value - a.value).slice(0, 30);

    return h('section', { class: 'family' }, h('h3', null, name(title)),
        quiet(name(help ?? '')),
        points.length > 1 ? line(points) : null,
        h('table', null, h('tbody', null, shown.map(({ label, value }) =>
            h('tr', null,
                h('th', { scope: 'row' },
                    name(label || t('total'))),
                h('td', { class: 'number' }, number(value)))))),
        limit ? [bar(Math.min(1, sum / limit)),
            quiet(t('of', number(limit), percent(sum / limit)))] : null);
}

export async function status({ signal, complaint }) {
    const trouble = h('div', { 'aria-live': 'polite' });
    const shown = h('div', { class: 'families' });
    const last = new Map();
    const points = new Map();

    async function refresh() {
        const answer = await json('status', [], { format: 'json' }, signal);

        shown.replaceChildren(...families(answer).map((family, n, all) => {
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

            return draw(family, points.get(title), limit?.sum);
        }));
        trouble.replaceChildren();
    }

    // what was seen last stays

    const box = h('input', { type: 'checkbox' });
    const timer = setInterval(() => {
        if (box.checked) {
            refresh().catch((error) => {
                box.checked = false;
                trouble.replaceChildren(complaint(error));
            });
        }
    }, PERIOD);

    signal.addEventListener('abort', () => clearInterval(timer));

    await refresh();

    return [h('p', null, h('label', { class: 'row' }, box, t('again'))),
            trouble, shown];
}
