// What is in the store, by the listings.

import { h, name, table } from './dom.js';
import { json, paths } from './api.js';
import { size, t, time } from './words.js';

const link = (parts, query) => {
    const hash = `#/${parts.map(encodeURIComponent).join('/')}`;
    return query ? `${hash}?${new URLSearchParams(query)}` : hash;
};

export const toArtifact = (ref) => link(['artifact', ref]);

function form(label, button, submit) {
    const input = h('input', { type: 'text', autocomplete: 'off',
                               spellcheck: 'false' });

    return h('form', { submit: (event) => {
        event.preventDefault();

        if (input.value) {
            submit(input.value);
        }
    } }, h('label', null, `${label} `, input),
    h('button', null, button));
}

// Pages are links: the way back is the browser's.

function pager(parts, query, answer) {
    return h('p', { class: 'row' },
        query.get('after')
            ? h('a', { href: link(parts) }, t('first')) : null,
        answer.next
            ? h('a', { href: link(parts, { after: answer.next }) }, t('next'))
            : null);
}

const list = (label, rows, columns) => rows.length
    ? table(label, columns, rows) : h('p', { class: 'quiet' }, t('empty'));

const columns = () => [
    { title: t('name') }, { title: t('type') },
    { title: t('size'), number: true }, { title: t('changed') },
];

function row(href, title, id, item) {
    return h('tr', null,
        h('td', null, h('a', { href }, name(title)),
            id && id !== title
                ? h('div', { class: 'quiet' }, name(id)) : null),
        h('td', null, name(item.mimeType ?? '')),
        h('td', { class: 'number' },
            item.size === undefined ? '' : size(item.size)),
        h('td', null, time(item.updatedAt)));
}

export async function artifacts({ query, signal, complaint }) {
    const top = h('div', { class: 'row' },
        form(t('reference'), t('open'), (value) => {
            location.hash = toArtifact(value.replace(/^artifact:/, ''));
        }),
        form(t('behind'), t('go'), (value) => {
            location.hash = link(['artifacts'], { after: value });
        }));

    // a reference can be opened where nothing is listed

    try {
        const answer = await json('artifacts', [],
            { after: query.get('after') }, signal);

        return [top, list(t('artifacts'), answer.artifacts.map((item) =>
            row(toArtifact(item.id), item.name, item.id, item)), columns()),
        pager(['artifacts'], query, answer)];

    } catch (error) {
        return [top, complaint(error)];
    }
}

export async function workspaces({ parts, query, signal, title }) {
    const folder = parts.filter((part) => part !== '');

    if (folder.length === 0) {
        return allWorkspaces(query, signal);
    }

    const here = ['workspaces', ...folder, ''];
    const answer = await json('workspaces', [...folder, ''],
        { after: query.get('after') }, signal);

    title.replaceChildren(name(folder.at(-1)));

    const crumbs = folder.slice(0, -1).map((part, n) => [' / ', h('a',
        { href: link(['workspaces', ...folder.slice(0, n + 1), '']) },
        name(part))]);

    const rows = answer.entries.map((entry) => entry.kind === 'folder'
        ? row(link(['workspaces', ...folder, entry.name, '']),
            `${entry.name}/`, null, entry)
        : row(paths.artifacts ? toArtifact(entry.id) : null, entry.name, null,
            entry));

    return [h('p', null, h('a', { href: '#/workspaces' }, t('workspaces')),
        crumbs),
    list(folder.at(-1), rows, columns()), pager(here, query, answer)];
}

async function allWorkspaces(query, signal) {
    const answer = await json('workspaces', [],
        { after: query.get('after') }, signal);

    const rows = answer.workspaces.map((item) => h('tr', null,
        h('td', null, h('a', { href: link(['workspaces', item.id, '']) },
            name(item.id))),
        h('td', null, time(item.updatedAt))));

    return [list(t('workspaces'), rows,
        [{ title: t('id') }, { title: t('changed') }]),
    pager(['workspaces'], query, answer)];
}
