// What an artifact is, at a glance: a picture of an image, a sign of all else.

import { h, svg } from './dom.js';
import { url } from './api.js';

// A larger image has a sign, too: what is shown is the artifact itself.

const LARGE = 1 << 20;

const SHEET = 'M3 1h6l4 4v10H3zM9 1v4h4';

const SIGNS = {
    text: `${SHEET}M5 8h6M5 10.5h6M5 13h4`,
    image: 'M1 2.5h14v11H1zM1 12l4-5 4 4 2-2 4 4M10.5 6h1',
    audio: 'M6 12.5V3l7-1.5v9.5M6 12.5a2 2 0 1 1-.1-1M13 11a2 2 0 1 1-.1-1',
    video: 'M1 3h10v10H1zM11 7l4-3v8l-4-3',
    document: `${SHEET}M5 12l2-5 2 5 2-5`,
    archive: 'M2 2h12v4H2zM3 6v8h10V6M6.5 9h3',
    other: SHEET,
};

const KINDS = [[/^(image|audio|video)\//, (found) => found[1]],
    [/^text\/|[/+](json|xml|yaml|toml|javascript|x-sh|sql|jsonl)$/,
        () => 'text'],
    [/pdf|msword|officedocument|opendocument|ms-excel|powerpoint|epub|rtf/,
        () => 'document'],
    [/zip|tar$|gzip|compressed|rar|archive|zstd|xz$/, () => 'archive']];

function kind(type) {
    for (const [pattern, of] of KINDS) {
        const found = pattern.exec(type);

        if (found) {
            return of(found);
        }
    }

    return 'other';
}

const sign = (type) => svg('svg', { class: 'icon', viewBox: '0 0 16 16',
    'aria-hidden': 'true' }, svg('path', { d: SIGNS[kind(type)] }));

// A name is beside it, so it says nothing itself.

export function icon({ mimeType: type = '', size = 0 }, id) {
    if (!id || kind(type) !== 'image' || size > LARGE) {
        return sign(type);
    }

    const image = h('img', { class: 'icon', alt: '', loading: 'lazy',
        width: '32', height: '32', error: () => image.replaceWith(sign(type)) });

    image.src = url('artifacts', [id]);
    return image;
}

export const folder = () => svg('svg', { class: 'icon', viewBox: '0 0 16 16',
    'aria-hidden': 'true' }, svg('path', { d: 'M1 13V3h5l2 2h7v8z' }));
