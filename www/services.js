// The capability maps, and which of their models are looked at.

import { h, name, table } from './dom.js';
import { json } from './api.js';
import { t } from './words.js';
import { choose, models } from './models.js';

const hash = (query) => `#/services?${new URLSearchParams(query)}`;

function chips(ids, changed) {
    return h('ul', { class: 'chips' }, ids.map((id) => h('li', null, name(id),
        h('button', { type: 'button', 'aria-label': t('remove', id),
            click: () => { choose(id, false); changed(); } }, '×'))));
}

export async function services({ query, signal }) {
    const capability = query.get('capability') ?? '';
    const chosen = h('div');
    const boxes = new Map();

    const [answer] = await Promise.all([
        json('services', [], { capability, after: query.get('after') },
            signal),
        models(signal),
    ]);

    const refresh = async () => {
        const ids = await models(signal);

        chosen.replaceChildren(h('h3', null, t('chosen')),
            ids.length ? chips(ids, refresh)
                : h('p', { class: 'quiet' }, t('empty')));
        boxes.forEach((box, id) => { box.checked = ids.includes(id); });
    };

    const rows = answer.services.map((service) => {
        const box = h('input', { type: 'checkbox',
            'aria-label': t('choose', service.id),
            change: () => { choose(service.id, box.checked); refresh(); } });

        boxes.set(service.id, box);

        return h('tr', null,
            h('td', null, h('span', { class: 'row' }, box, name(service.id)),
                h('div', { class: 'quiet' }, name(
                    [service.name, service.model].filter(Boolean)
                        .join(' · ')))),
            h('td', null, name(service.capabilities.input.join(', '))),
            h('td', null, name(service.capabilities.output.join(', '))),
            h('td', null, name(service.format ?? '')));
    });

    await refresh();

    const input = h('input', { type: 'text', value: capability });

    return [chosen,
        h('form', { submit: (event) => {
            event.preventDefault();
            location.hash = hash({ capability: input.value });
        } }, h('label', null, `${t('capability')} `, input),
        h('button', null, t('filter'))),
        rows.length ? table(t('services'), [
            { title: t('model') }, { title: t('input') },
            { title: t('output') }, { title: t('format') }], rows)
            : h('p', { class: 'quiet' }, t('empty')),
        h('p', { class: 'row' },
            query.get('after')
                ? h('a', { href: hash({ capability }) }, t('first')) : null,
            answer.next ? h('a', { href: hash({ capability,
                after: answer.next }) }, t('next')) : null)];
}
