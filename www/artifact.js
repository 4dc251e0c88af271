// One artifact: its metadata, a preview, and what each chosen model gets.

import { form, h, name, pre, quiet } from './dom.js';
import { beginning, declared, json, paths, routed, url } from './api.js';
import { number, size, t, time } from './words.js';
import { choose, models } from './models.js';
import { LARGE, part } from './part.js';
import { back, link } from './store.js';

const TEXT = /^text\/|[/+](json|xml|yaml|toml|javascript|x-sh|sql|x-ndjson)$/;

const CHANGES = 100;

export async function artifact({ parts, query, signal, title, complaint }) {
    const ref = parts.join('/').replace(/^artifact:/, '');

    title.replaceChildren(name(ref));

    const [metadata, type] = await Promise.all([
        json('artifacts', [ref, 'metadata'], null, signal),
        declared(ref, signal).catch(() => null),
    ]);

    title.replaceChildren(name(metadata.name ?? ref));

    return [
        way(metadata.meta ?? {}, ref),
        h('div', { class: 'columns' },
            h('section', null, h('h3', null, t('metadata')),
                description(metadata, type), links(ref)),
            h('section', { class: 'preview' }, h('h3', null, t('preview')),
                await preview(ref, metadata, signal).catch(complaint))),
        await comparison(ref, metadata, query, signal, complaint),
    ];
}

// Back to the list that it was found in, or could be.

function way({ workspaceId, relativePath }, ref) {
    if (!ref.startsWith('ws:') || !paths.workspaces) {
        return h('p', null, h('a', { href: back('artifacts') },
            `← ${t('artifacts')}`));
    }

    const folder = workspaceId && link(['workspaces', workspaceId,
        ...(relativePath ?? '').split('/').slice(0, -1), '']);

    return h('p', null, h('a', { href: back('workspaces', folder) },
        `← ${t('workspaces')}`));
}

function description(metadata, type) {
    const shown = Object.entries(metadata)
        .filter(([key, value]) => typeof value !== 'object');
    const wrong = type && type !== metadata.mimeType;

    const { modifiedBy, ...meta } = metadata.meta ?? {};
    const writes = Array.isArray(modifiedBy) ? modifiedBy : [];

    return [
        wrong ? h('p', { class: 'error' }, t('contradiction', type,
            metadata.mimeType)) : null,
        h('dl', null, shown.map(([key, value]) => [
            h('dt', null, name(key)),
            h('dd', null, key === 'size' ? `${size(value)} (${number(value)})`
                : key.endsWith('At') ? time(value) : name(value)),
        ])),
        Object.keys(meta).length
            ? pre('meta', JSON.stringify(meta, null, 2)) : null,
        writes.length ? [h('h4', null, t('writes')), changes(writes)] : null];
}

// Who has changed it, the last one first.

const changes = (writes) => h('ol', { class: 'changes', reversed: true,
    start: String(writes.length) }, writes.slice(-CHANGES).reverse().map(
    ({ timestamp, agentId, messageId }) => h('li', null, time(timestamp),
        h('span', { class: 'quiet' }, ' ', name([agentId, messageId]
            .filter(Boolean).join(' · '))))));

const links = (ref) => h('p', { class: 'row' },
    h('a', { href: url('artifacts', [ref]), target: '_blank',
             rel: 'noopener noreferrer' }, t('raw')),
    h('a', { href: url('artifacts', [ref], { download: '1' }),
             download: true }, t('download')));

// No document is ever loaded: an image runs no script, and all else that could
// is shown as the text that it is.

async function preview(ref, metadata, signal) {
    const type = metadata.mimeType ?? '';
    const src = url('artifacts', [ref]);
    const large = metadata.size > LARGE;

    if (type.startsWith('image/')) {
        const image = h('img', { alt: metadata.name ?? ref,
            error: () => image.replaceWith(quiet(t('badimage'))) });

        if (!large) {
            image.src = src;
            return image;
        }

        const button = h('button', { type: 'button', click: () => {
            image.src = src;
            button.replaceWith(image);
        } }, t('load', size(metadata.size)));

        return button;
    }

    if (/^(audio|video)\//.test(type)) {
        return h(type.slice(0, 5), { src, controls: true,
            preload: large ? 'none' : 'metadata',
            'aria-label': metadata.name ?? ref });
    }

    if (!TEXT.test(type)) {
        return quiet(t('nopreview'));
    }

    const { text, whole } = await beginning(ref, signal);

    return [pre(t('preview'), text), whole ? null : quiet(t('cut'))];
}

async function comparison(ref, metadata, query, signal, complaint) {
    const answers = h('div', { 'aria-live': 'polite' });
    const wanted = query.get('format');

    const select = h('select', { change: () => {
        history.replaceState(history.state, '',
            link(['artifact', ref], { format: select.value }));
        answers.closest('main').dataset.view = location.hash;
        fill();
    } }, paths.formats.map((format) => h('option',
        { selected: format === wanted }, format)));

    let latest = null;

    async function fill() {
        const turn = latest = {};
        const cards = [];

        answers.setAttribute('aria-busy', 'true');

        try {
            // one after the other: an answer may be large

            for (const id of await models(signal)) {
                if (turn === latest && !signal.aborted) {
                    cards.push(await card(ref, metadata, id, select.value,
                        signal, complaint));
                }
            }

        } catch (error) {
            cards.push(complaint(error));
        }

        if (turn !== latest || signal.aborted) {
            return;
        }

        answers.removeAttribute('aria-busy');
        answers.replaceChildren(cards.length
            ? h('div', { class: 'cards' }, cards) : quiet(t('nomodels')),
        select.value === 'route' ? '' : quiet(t('hint')));
    }

    answers.append(quiet(t('loading')));
    fill();

    return h('section', null, h('h3', null, t('gets')),
        h('div', { class: 'row' },
            h('label', null, `${t('format')} `, select),
            form(t('modelname'), t('add'), (id) => {
                choose(id, true);
                fill();
            }, { required: true })), answers);
}

// Of what is large, the beginning is read when somebody wants it.

async function card(ref, metadata, id, format, signal, complaint, wanted) {
    const head = !wanted && metadata.size > LARGE;
    const shown = h('article', { class: 'card' }, h('h4', null, name(id)));
    let result, terms;

    try {
        result = await routed(ref, id, 'route', signal, head);
        terms = result.value ?? {};

        if (format !== 'route' && !result.raw) {
            result = await routed(ref, id, format, signal, head);
        }

    } catch (error) {
        shown.append(complaint(error));
        return shown;
    }

    if (result.raw) {
        shown.append(quiet(t('unrouted')));
        return shown;
    }

    const { reason, requires, mimeType, derivedType } = terms.metadata ?? {};
    const length = h('span', { class: 'quiet' }, result.bytes === null
        ? t('long') : `${number(result.bytes)} ${t('bytes')}`);

    if (result.unread) {
        shown.append(h('p', { class: 'row' }, length,
            h('button', { type: 'button', click: async () => {
                shown.replaceWith(await card(ref, metadata, id, format, signal,
                    complaint, true));
            } }, t('read'))));
        return shown;
    }

    shown.append(h('p', { class: 'row' },
        terms.routing ? h('strong', { class: reason ? 'refused' : 'taken' },
            terms.routing) : h('span', { class: 'quiet' }, t('other')),
        h('span', null, derivedType ? t('converted', mimeType, derivedType)
            : [reason, requires].filter(Boolean).join(' · ')),
        length), ...part(result, ref, { ...metadata, derivedType }));

    return shown;
}
