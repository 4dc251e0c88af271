// The capability maps: what a name finds in them, and which of their models
// are looked at.

import { form, h, name, quiet, table } from './dom.js';
import { json } from './api.js';
import { t } from './words.js';
import { choose, models, resolve, source } from './models.js';

const hash = (query) => `#/services?${new URLSearchParams(query)}`;

const words = (from) => ['own', 'bare'].includes(from) ? t(from) : from;

function chips(ids, changed) {
    return h('ul', { class: 'chips' }, ids.map((id) => h('li', null, name(id),
        h('button', { type: 'button', 'aria-label': t('remove', id),
            click: () => { choose(id, false); changed(); } }, '×'))));
}

async function found(typed, signal, box) {
    const { row, how, same } = await resolve(typed, signal);
    const all = (list) => name(list.join(', '));

    return h('section', { class: 'card' },
        h('h3', null, h('label', { class: 'row' }, box(typed),
            name(typed))),
        h('dl', null,
            h('dt', null, t('row')), h('dd', null, name(row.id)),
            h('dt', null, t('map')), h('dd', null, words(source(row))),
            h('dt', null, t('how')), h('dd', null, t(how)),
            h('dt', null, t('input')),
            h('dd', null, all(row.capabilities.input)),
            h('dt', null, t('output')),
            h('dd', null, all(row.capabilities.output))),
        same ? null : quiet(t('most')));
}

export async function services({ query, signal, complaint }) {
    const capability = query.get('capability') ?? '';
    const typed = query.get('name') ?? '';
    const chosen = h('div');
    const boxes = [];

    const box = (id) => {
        boxes.push(h('input', { type: 'checkbox', value: id,
            'aria-label': t('choose', id),
            change: ({ target }) => {
                choose(id, target.checked);
                refresh();
            } }));
        return boxes.at(-1);
    };

    const refresh = async () => {
        const ids = await models(signal);

        chosen.replaceChildren(h('h3', null, t('chosen')),
            ids.length ? chips(ids, refresh) : quiet(t('empty')));
        boxes.forEach((one) => { one.checked = ids.includes(one.value); });
    };

    const [answer, one] = await Promise.all([
        json('services', [], { capability, after: query.get('after') },
            signal),
        typed && found(typed, signal, box).catch((error) =>
            error.code === 'service_not_found'
                ? h('p', { class: 'error' }, t('unknown', typed))
                : complaint(error)),
        models(signal),
    ]);

    // what stands before an own one is own, too

    const own = answer.services.findLastIndex((one) => source(one) === 'own');

    const rows = answer.services.map((service, n) => [
        [h('span', { class: 'row' }, box(service.id),
            name(service.id)),
        h('div', { class: 'quiet' }, name([service.name, service.model]
            .filter(Boolean).join(' · ')))],
        words(n < own ? 'own' : source(service)),
        name(service.capabilities.input.join(', ')),
        name(service.capabilities.output.join(', ')),
        service.format ? name(service.format) : []]);

    await refresh();

    return [
        form(t('modelname'), t('find'), (value) => {
            location.hash = hash({ name: value });
        }, { value: typed }),
        one || null, chosen,
        form(t('capability'), t('filter'), (value) => {
            location.hash = hash({ capability: value });
        }, { value: capability }),
        rows.length ? table(t('services'), [
            { title: t('model') }, { title: t('map'), label: true },
            { title: t('input'), label: true },
            { title: t('output'), label: true },
            { title: t('format'), label: true }], rows) : quiet(t('empty')),
        h('p', { class: 'row' },
            query.get('after')
                ? h('a', { href: hash({ capability }) }, t('first')) : null,
            answer.next ? h('a', { href: hash({ capability,
                after: answer.next }) }, t('next')) : null)];
}
