// A part as the model gets it: words, pictures, files; not how it is written.

import { h, name, pre, quiet } from './dom.js';
import { url } from './api.js';
import { size, t } from './words.js';

// What is larger is loaded only when somebody wants it.

export const LARGE = 20 << 20;

const LONG = 300;

// Members with words, and with base64, in the formats (docs/formats.md).

const WORDS = ['text', 'content'];
const BASE64 = ['data', 'blob', 'bytes', 'input_audio', 'content', 'file_data'];
const TYPE = ['mimeType', 'mime_type', 'media_type', 'format'];

// The pieces of a value, in its order: { words } or { type, bytes }.

export function pieces(value) {
    const found = [];

    function look(item, key, above) {
        if (typeof item === 'string') {
            const [head, type] = /^data:([^;,]*)[^,]*,/.exec(item) ?? [];

            if (WORDS.includes(key) && !above.isBinary
                || key === 'data' && above.type === 'text')
            {
                found.push({ words: item });

            } else if (head) {
                found.push({ type, bytes: length(item.slice(head.length)) });

            } else if (BASE64.includes(key)) {
                found.push({ type: above[TYPE.find((name) => above[name])],
                             bytes: length(item) });

            } else if (/^https?:/.test(item)) {
                found.push({ words: item });
            }

        } else if (key === 'content' && 'isBinary' in above) {
            found.push({ words: JSON.stringify(item, null, 2) });

        } else if (item && typeof item === 'object') {
            for (const [name, inner] of Object.entries(item)) {
                if (!['metadata', 'meta'].includes(name)) {
                    look(inner, name, { ...above, ...item });
                }
            }
        }
    }

    look(value, '', {});
    return found;
}

const length = (base64) => Math.floor(base64.length * 3 / 4)
    - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);

// What is the artifact itself can be shown by the browser: nothing else has its
// type and length, and was not converted.  Of what was cut,
// the length of the answer tells: there is little around the base64.

function piece({ words, type, bytes }, { whole, ...answer }, ref, metadata) {
    if (words !== undefined) {
        return pre(t('words'), words);
    }

    const { size: stored, mimeType, derivedType } = metadata;
    const around = answer.bytes - 4 * Math.ceil(stored / 3);
    const same = !derivedType && (!type?.includes('/') || type === mimeType)
        && (whole ? bytes === stored : around > 0 && around < 4096);

    const image = h('img', { alt: metadata.name ?? ref,
        error: () => image.remove() });

    if (same && stored <= LARGE && /^image\//.test(mimeType)) {
        image.src = url('artifacts', [ref]);
    }

    return h('figure', null, image.src ? image : null,
        h('figcaption', null, name([same ? mimeType : type,
            same ? size(stored) : whole ? size(bytes) : null]
            .filter(Boolean).join(', '))));
}

// Long strings are folded: what is kept of them is the beginning.

const folded = (value) => JSON.stringify(value, (key, text) =>
    typeof text === 'string' && text.length > LONG
        ? `${text.slice(0, LONG)} …(+${text.length - LONG})` : text, 2);

export function part(answer, ref, metadata) {
    const { value, text, whole } = answer;
    const found = value === undefined ? [{ words: text }] : pieces(value);
    const details = h('details', { toggle: () => {
        details.lastChild.textContent = value === undefined ? text
            : folded(value);
    } }, h('summary', null, 'JSON'), pre('JSON', ''));

    return [...found.map((one) => piece(one, answer, ref, metadata)),
        whole ? '' : quiet(t('cut')), details];
}
