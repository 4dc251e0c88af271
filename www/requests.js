// What happened to a request: the last ones, by what is known of them.

import { h, name, put, quiet, table } from './dom.js';
import { json, paths } from './api.js';
import { current, t } from './words.js';
import { toArtifact } from './store.js';

const PERIOD = 5000;

// What is typed, and what is chosen from (docs/status.md).

const TYPED = { ref: 'byref', model: 'bymodelname', service: 'byservice',
    tenant: 'bytenant', id: 'byrequest' };

const REASONS = ['refused', 'missing', 'expired', 'degraded', 'capability',
    'type', 'size', 'pixels', 'read', 'conversion', 'named', 'dropped', 'empty',
    'unknown_service', 'derived', 'expanded', 'url', 'kept', 'sent', 'stored',
    'removed', 'pending'];
const HANDLERS = ['api', 'message', 'mcp', 'route', 'artifact', 'workspace',
    'decode', 'files'];
const STATUSES = ['2', '4', '5'];
const AGES = [10, 60, 720];                      // minutes

const BAD = ['degraded', 'missing', 'expired', 'refused', 'pending'];

const hash = (query) => {
    const given = Object.entries(query).filter(([, value]) => value);
    return given.length ? `#/requests?${new URLSearchParams(given)}`
        : '#/requests';
};

const clock = (value) => new Intl.DateTimeFormat(current(),
    { month: 'numeric', day: 'numeric', hour: '2-digit', minute: '2-digit',
      second: '2-digit', hourCycle: 'h23' }).format(new Date(value));

function entry({ ref, kind, became, reason }) {
    const id = ref?.replace('artifact:', '');
    const whole = id && !id.endsWith('...') && paths.artifacts;

    return h('li', null,
        h('strong', { class: BAD.includes(became) ? 'refused' : 'taken' },
            [became, reason].filter(Boolean).join(' · ')), ' ',
        whole ? h('a', { href: toArtifact(id) }, name(id))
            : name(id ?? kind ?? t('wholly')));
}

const lines = (...texts) => [texts[0],
    h('div', { class: 'quiet beside' }, name(texts.slice(1).filter(Boolean)
        .join(' · ')))];

function row(one) {
    const what = [one.api ?? one.handler, one.call].filter(Boolean).join(' · ');
    const who = one.model ?? one.service;

    return [
        lines(clock(one.time), one.id, `*${one.connection}`),
        lines(h('span', { class: one.status < 400 ? 'taken' : 'refused' },
            String(one.status)), `${one.seconds.toFixed(3)} s`),
        lines(name(what), `${one.method} ${one.location}`),
        lines(name(who ?? ''), one.service !== who && one.service,
            one.unknown && t('nomap'), one.tenant),
        h('ul', { class: 'became' }, one.refs.map(entry),
            one.more ? h('li', { class: 'quiet' }, t('more', one.more))
                : null),
    ];
}

function select(key, label, values, query) {
    return h('label', null, `${label} `, h('select', { name: key },
        h('option', { value: '' }, t('any')),
        values.map(([value, text]) => h('option',
            { value, selected: query.get(key) === value }, text))));
}

function filters(query) {
    const boxes = h('form', { class: 'filters', submit: (event) => {
        event.preventDefault();
        location.hash = hash(Object.fromEntries(
            [...new FormData(event.target)].map(([key, value]) =>
                [key, value.trim()])));
    } },
    Object.entries(TYPED).map(([key, label]) => h('label', null,
        `${t(label)} `,
        h('input', { type: 'text', name: key, autocomplete: 'off',
            spellcheck: 'false', value: query.get(key) ?? '' }))),
    select('handler', t('what'), HANDLERS.map((one) => [one, one]), query),
    select('reason', t('reason'), REASONS.map((one) => [one, one]), query),
    select('status', t('httpstatus'), STATUSES.map((one) => [one, `${one}xx`]),
        query),
    select('age', t('age'), AGES.map((one) => [String(one), t('minutes', one)]),
        query),
    h('button', null, t('filter')),
    h('a', { href: '#/requests' }, t('all')));

    return boxes;
}

export async function requests({ query, signal, complaint }) {
    const before = query.get('before');
    const asked = Object.fromEntries([...Object.keys(TYPED), 'handler',
        'reason', 'status', 'age']
        .map((key) => [key, query.get(key)]));
    const { age, ...args } = asked;
    const shown = h('div');
    const trouble = h('div', { 'aria-live': 'polite' });

    async function refresh() {
        const since = age ? Math.floor(Date.now() / 1000 - 60 * age) : null;
        const { requests: list, next } = await json('requests', [],
            { ...args, since, before }, signal);

        put(shown, list.length ? table(t('requests'), [
            { title: t('time') }, { title: t('httpstatus') },
            { title: t('what') }, { title: t('who') },
            { title: t('became') }], list.map(row)) : quiet(t('norequests')),
        h('p', { class: 'row' },
            before ? h('a', { href: hash(asked) }, t('newest')) : null,
            next ? h('a', { href: hash({ ...asked, before: next }) },
                t('older')) : null));
        put(trouble);
    }

    const box = h('input', { type: 'checkbox' });
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

    return [filters(query),
        before ? null : h('p', null, h('label', { class: 'row' }, box,
            t('again'))), trouble, shown];
}
