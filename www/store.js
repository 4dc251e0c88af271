// What is in the store, by the listings.

import { form, h, name, quiet, table } from './dom.js';
import { folder as folderSign, icon } from './icons.js';
import { json, paths } from './api.js';
import { current, number, size, t, time } from './words.js';

const ROWS = 100;

// What is sorted or filtered is read as a whole, in pages of PAGE, up to MOST.

const PAGE = 1000;
const MOST = 20000;

export const link = (parts, query) => {
    const hash = `#/${parts.map(encodeURIComponent).join('/')}`;
    const given = Object.entries(query ?? {}).filter(([, value]) => value);

    return given.length ? `${hash}?${new URLSearchParams(given)}` : hash;
};

export const toArtifact = (ref) => link(['artifact', ref]);

// Where the visitor was last, of each view; in a folder that must be the one.

const last = {};

export function back(view, folder) {
    const hash = last[view];
    return hash && (!folder || hash.split('?')[0] === folder) ? hash
        : folder ?? `#/${view}`;
}

const COLUMNS = {
    name: { text: (item) => item.name ?? item.id },
    type: { text: (item) => item.mimeType ?? '' },
    size: { number: true, text: (item) => item.size ?? -1 },
    changed: { text: (item) => item.updatedAt ?? '' },
};

// The entries after one, or all of them; "next" if there are more.

async function gather(parts, query, signal, all) {
    const items = [];
    let after = all ? null : query.get('after');

    do {
        const answer = await json(parts[0], parts.slice(1),
            { after, limit: after && !all ? ROWS + 1 : PAGE }, signal);

        items.push(...answer.artifacts ?? answer.workspaces ?? answer.entries);
        after = answer.next;
    } while (all && after && items.length < MOST);

    return { items, next: after };
}

function arrange(items, sort, type, part) {
    const key = sort.replace('-', '');
    const text = COLUMNS[key]?.text;
    const sign = sort[0] === '-' ? -1 : 1;
    const { compare } = new Intl.Collator(current(), { numeric: true });

    const shown = items.filter((item) =>
        (item.mimeType ?? '').includes(type.toLowerCase())
        && `${item.name ?? ''}\n${item.id ?? ''}`.toLowerCase()
            .includes(part.toLowerCase()));

    return text ? shown.sort((a, b) => sign * (key === 'size'
        ? text(a) - text(b) : compare(text(a), text(b)))) : shown;
}

// One listing: sorted and filtered as the address says, a page of it, its
// total.  The pages are links: the way back is the browser's.

async function list({ parts, names, label, query, signal, row, first }) {
    const type = query.get('type') ?? '';
    const part = query.get('q') ?? '';
    const page = Math.max(1, parseInt(query.get('page'), 10) || 1);
    const given = query.get('sort') ?? '';
    const all = Boolean(given || type || part || query.get('all'));
    const to = (more) => link(parts, { sort: given, type, q: part, ...more });

    const { items, next } = await gather(parts, query, signal, all);

    // an order of one's own needs no sorting by what is not known

    const sort = given || (next || query.get('after') || items.length > PAGE
        ? '' : first ?? '');
    const found = arrange(items, sort, type, part);
    const from = all ? (page - 1) * ROWS : 0;
    const shown = found.slice(from, from + ROWS);
    const rest = found.length > from + ROWS;

    const after = rest ? shown.at(-1)[parts.length > 2 ? 'name' : 'id'] : next;
    const ahead = all || sort ? rest && to({ all: 1, page: page + 1 })
        : after && to({ after });

    last[parts[0]] = location.hash;

    const sum = found.reduce((sum, item) => sum + (item.size ?? 0), 0);
    const total = next ? t('atleast', number(found.length))
        : t('count', number(found.length));
    const types = new Set(items.map((item) => item.mimeType ?? ''));

    types.delete('');

    return [
        types.size || type ? form(t('type'), t('filter'), (value) => {
            location.hash = link(parts, { sort: given, type: value, q: part });
        }, { value: type, list: 'types' }, h('datalist', { id: 'types' },
            [...types].sort().map((value) => h('option', { value })))) : '',
        query.get('after') && !all ? '' : h('p', { class: 'row quiet' },
            h('span', null, sum ? `${total} · ${size(sum)}` : total),
            next && !all ? h('a', { href: link(parts, { all: 1 }) },
                t('countall')) : null,
            next && !all && first ? h('a', { href: link(parts,
                { sort: first }) }, t('newest')) : null),
        shown.length ? table(label, names.map((key) => ({
            title: t(key), number: COLUMNS[key].number,
            sort: sort === key ? 'ascending'
                : sort === `-${key}` ? 'descending' : null,
            href: to({ sort: sort === key ? `-${key}` : key }) })),
        shown.map(row)) : quiet(t('empty')),
        h('p', { class: 'row' },
            from || query.get('after')
                ? h('a', { href: to({ all: all && 1 }) }, t('first')) : null,
            ahead ? h('a', { href: ahead }, t('next')) : null),
    ];
}

const cells = (href, title, id, item, sign) => [
    h('div', { class: 'named' }, sign, h('div', null,
        href ? h('a', { href }, name(title)) : name(title),
        id && id !== title ? h('div', { class: 'quiet' }, name(id)) : [])),
    item.mimeType ? name(item.mimeType) : '',
    item.size === undefined ? '' : size(item.size),
    [time(item.updatedAt), item.expiresAt ? h('div', { class:
        Date.parse(item.expiresAt) < Date.now() ? 'refused' : 'quiet' },
    t('expires', time(item.expiresAt))) : []],
];

export async function artifacts({ query, signal, complaint }) {
    let listed = true;

    // a reference is opened, all else is a part of a name, or of an id

    const top = h('div', { class: 'row' },
        form(t('reference'), t('find'), (value) => {
            location.hash = listed && !/^(artifact|ws):/.test(value)
                ? link(['artifacts'], { q: value })
                : toArtifact(value.replace(/^artifact:/, ''));
        }, { value: query.get('q') }),
        form(t('behind'), t('go'), (value) => {
            location.hash = link(['artifacts'], { after: value });
        }, { required: true }));

    // a reference can be opened where nothing is listed

    try {
        return [top, ...await list({ parts: ['artifacts'], query, signal,
            names: Object.keys(COLUMNS), label: t('artifacts'),
            first: '-changed',
            row: (item) => cells(toArtifact(item.id), item.name, item.id,
                item, icon(item, item.id)) })];

    } catch (error) {
        listed = false;
        return [top, complaint(error)];
    }
}

export async function workspaces({ parts, query, signal, title }) {
    const folder = parts.filter((part) => part !== '');

    if (folder.length === 0) {
        return list({ parts: ['workspaces', ''], query, signal,
            names: ['name', 'changed'], label: t('workspaces'),
            row: (item) => [h('a', { href: link(['workspaces', item.id, '']) },
                name(item.id)), time(item.updatedAt)] });
    }

    title.replaceChildren(name(folder.at(-1)));

    const crumbs = folder.slice(0, -1).map((part, n) => [' / ', h('a',
        { href: link(['workspaces', ...folder.slice(0, n + 1), '']) },
        name(part))]);

    return [h('p', null, h('a', { href: '#/workspaces' }, t('workspaces')),
        crumbs),
    ...await list({ parts: ['workspaces', ...folder, ''], query, signal,
        names: Object.keys(COLUMNS), label: folder.at(-1),
        row: (entry) => entry.kind === 'folder'
            ? cells(link(['workspaces', ...folder, entry.name, '']),
                `${entry.name}/`, null, entry, folderSign())
            : cells(paths.artifacts ? toArtifact(entry.id) : null, entry.name,
                null, entry, icon(entry, paths.artifacts && entry.id)) })];
}
