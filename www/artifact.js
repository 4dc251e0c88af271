// One artifact: its metadata, a preview, and what each chosen model gets.

import { h, name, pre, table } from './dom.js';
import { beginning, declared, json, paths, routed, url } from './api.js';
import { number, size, t, time } from './words.js';
import { models } from './models.js';
import { back, link } from './store.js';

const PREVIEW = 65536;

const TEXT = /^text\/|[/+](json|xml|yaml|toml|javascript|x-sh|sql|x-ndjson)$/;

export async function artifact({ parts, signal, title, complaint }) {
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
        await comparison(ref, signal, complaint),
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

    return [
        wrong ? h('p', { class: 'error' }, t('contradiction', type,
            metadata.mimeType)) : null,
        h('dl', null, shown.map(([key, value]) => [
            h('dt', null, name(key)),
            h('dd', null, key === 'size' ? `${size(value)} (${number(value)})`
                : key.endsWith('At') ? time(value) : name(value)),
        ])),
        metadata.meta && Object.keys(metadata.meta).length
            ? pre('meta', JSON.stringify(metadata.meta, null, 2)) : null];
}

const links = (ref) => h('p', { class: 'row' },
    h('a', { href: url('artifacts', [ref]), target: '_blank',
             rel: 'noopener noreferrer' }, t('raw')),
    h('a', { href: url('artifacts', [ref], { download: '1' }),
             download: true }, t('download')));

// No document is ever loaded: an image runs no script, and all else that could
// is shown as the text that it is.

async function preview(ref, metadata, signal) {
    const type = metadata.mimeType ?? '';
    const source = url('artifacts', [ref]);

    if (type.startsWith('image/')) {
        const image = h('img', { src: source, alt: metadata.name ?? ref,
            error: () => image.replaceWith(h('p', { class: 'quiet' },
                t('badimage'))) });
        return image;
    }

    if (/^(audio|video)\//.test(type)) {
        return h(type.slice(0, 5), { src: source, controls: true,
            preload: 'metadata', 'aria-label': metadata.name ?? ref });
    }

    if (!TEXT.test(type)) {
        return h('p', { class: 'quiet' }, t('nopreview'));
    }

    const { text, whole } = await beginning(ref, PREVIEW, signal);

    return [pre(t('preview'), text),
        whole ? null : h('p', { class: 'quiet' }, t('cut'))];
}

async function comparison(ref, signal, complaint) {
    const ids = await models(signal);
    const answers = h('div', { 'aria-live': 'polite' });

    const select = h('select', {
        change: () => fill().catch((error) => {
            answers.replaceChildren(complaint(error));
        }),
    }, paths.formats.map((format) => h('option', null, format)));

    let latest = null;

    async function fill() {
        const turn = latest = {};
        const format = select.value;
        const rows = [];

        answers.setAttribute('aria-busy', 'true');

        // one after the other: an answer may be large

        for (const id of ids) {
            rows.push(await row(ref, id, format, signal, complaint));

            if (turn !== latest || signal.aborted) {
                return;
            }
        }

        answers.removeAttribute('aria-busy');
        answers.replaceChildren(ids.length ? table(t('gets'), [
            { title: t('model') }, { title: t('routing') },
            { title: t('reason') }, { title: t('bytes'), number: true },
            { title: t('part') }], rows)
            : h('p', { class: 'quiet' }, t('nomodels')),
        format === 'route' ? '' : h('p', { class: 'quiet' }, t('hint')));
    }

    answers.append(h('p', { class: 'quiet' }, t('loading')));
    fill().catch((error) => {
        if (!signal.aborted) {
            answers.replaceChildren(complaint(error));
        }
    });

    return h('section', null, h('h3', null, t('gets')),
        h('p', null, h('label', null, `${t('format')} `, select)), answers);
}

async function row(ref, id, format, signal, complaint) {
    let result, terms;

    try {
        result = await routed(ref, id, 'route', signal);
        terms = result.value ?? {};

        if (format !== 'route' && !result.raw) {
            result = await routed(ref, id, format, signal);
        }

    } catch (error) {
        return h('tr', null, h('td', null, name(id)),
            h('td', { colspan: '4' }, complaint(error)));
    }

    const { routing, metadata } = terms;
    const part = result.raw ? h('span', { class: 'quiet' }, t('unrouted'))
        : h('details', null, h('summary', null, name(summary(result))),
            pre(`${t('part')} ${id}`, result.value === undefined
                ? result.text : JSON.stringify(result.value, null, 2)));

    return h('tr', null, h('td', null, name(id)),
        h('td', { class: metadata?.reason ? 'refused' : 'taken' },
            result.raw ? 'raw' : routing ?? h('span', { class: 'quiet' },
                t('other'))),
        h('td', null, [metadata?.reason, metadata?.requires]
            .filter(Boolean).join(' · ')),
        h('td', { class: 'number' },
            result.bytes === null ? '' : number(result.bytes)),
        h('td', null, part));
}

// The keys tell what kind of part it is.

function summary({ value, text }) {
    return value && typeof value === 'object' ? Object.keys(value).join(', ')
        : text.slice(0, 40);
}
