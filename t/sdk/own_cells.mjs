// Cells of the matrix of the client's own media: every slot with every content,
// declared in every way; and what has to become of it.

import { contentOf } from './contents.mjs';
import { ownSlots } from './own_slots.mjs';
import { refusal } from './refusals.mjs';


export const kinds = {
    png: 'image/png', jpeg: 'image/jpeg', gif: 'image/gif',
    webp: 'image/webp', pdf: 'application/pdf', mp3: 'audio/mpeg',
    wav: 'audio/wav', mp4: 'video/mp4', csv: 'text/csv', txt: 'text/plain',
    json: 'application/json', html: 'text/html', svg: 'image/svg+xml',
};

export const readers = ['sees', 'unknown'];

const generic = 'application/octet-stream';

const noise = Buffer.from(Array.from({ length: 300 },
                                     (_, n) => (n * n * 37 + 129) % 256));


// Bytes of a kind, and whether anything else than their type is wrong.  The end
// of these formats shows; a part of a text, or of a sound, is one.

const ends = ['png', 'jpeg', 'gif', 'webp', 'pdf', 'wav', 'mp4'];

const contents = {
    whole: (bytes) => bytes,
    cut: (bytes) => bytes.subarray(0, bytes.length * 0.6),
    empty: () => Buffer.alloc(0),
    garbage: () => noise,
};

const isText = (kind) => ['csv', 'txt', 'json', 'html', 'svg'].includes(kind);


// How a type can be declared in a slot: [name, what is written].

function* declared(slot, kind) {
    if (slot.types === null) {
        yield ['no type', undefined];
        return;
    }

    const type = kinds[kind];
    const sibling = type.startsWith('image/') && kind !== 'jpeg'
        ? 'image/jpeg' : kind === 'mp3' ? 'audio/wav' : 'audio/mpeg';
    const other = kind === 'pdf' ? 'image/png' : 'application/pdf';

    yield ['right', slot.types(type)];
    yield ['wrong', slot.types(sibling)];
    yield ['another kind', slot.types(other)];
    yield ['a picture', slot.types('image/png')];
    yield ['generic', slot.types(generic)];
    yield ['missing', undefined];

    for (const alias of slot.aliases) {
        yield ['alias', alias(type)];
    }
}


export function* cellsOf(slot, files) {
    for (const kind of Object.keys(kinds)) {
        for (const [state, make] of Object.entries(contents)) {
            const bytes = make(files.get(kind));

            for (const [name, type] of declared(slot, kind)) {
                for (const reader of readers) {
                    yield {
                        slot, kind, state, type, reader, bytes,
                        label: `${slot.api}, ${slot.name}: ${kind}, ${state}, `
                            + `${name} ("${type}"), ${reader}`,
                    };
                }
            }
        }
    }
}


export function requestOf({ slot, type, bytes, reader }) {
    const model = reader === 'sees' ? 'sees' : 'nobody';

    return {
        path: slot.path(model),
        json: JSON.stringify(slot.body(
            slot.part(type, bytes.toString('base64')), model)),
    };
}


function stringsOf(value) {
    const strings = [];

    JSON.stringify(value, (key, inner) => {
        if (typeof inner === 'string') {
            strings.push(inner);
        }

        return inner;
    });

    return strings;
}


// Whether the API takes the content at all, in this place of a request: in its
// own slot, declared right.

function isTaken({ slot, kind, bytes }) {
    return ownSlots.some((item) => item.api === slot.api
        && item.tool === slot.tool && !item.sole
        && refusal(item.api, JSON.stringify(item.body(item.part(
            item.types?.(kinds[kind]), bytes.toString('base64')),
                                                      'sees'))) === undefined)
        || (slot.tool && isTaken({ slot: { ...slot, tool: false }, kind,
                                   bytes }));
}


const failed = 'processing failed';


// What is wrong with what arrived; undefined: nothing.

export function problem(cell, sent, { status, body }) {
    const { slot, kind, state, bytes, reader } = cell;
    const copies = slot.tool ? 2 : 1;

    if (status !== 200) {
        return `status ${status}`;
    }

    const arrived = body.toString();
    const before = refusal(slot.api, sent);
    const after = refusal(slot.api, arrived);

    if (after !== undefined) {
        return `refused: ${after}`;
    }

    if (before === undefined) {
        return arrived === sent ? undefined : 'it was right, and is changed';
    }

    const strings = stringsOf(JSON.parse(arrived));
    const count = (test) => strings.filter(test).length;
    const base64 = bytes.toString('base64');
    const inline = bytes.length === 0 ? 0
        : count((string) => string.endsWith(base64));
    const words = count((string) => string.includes(failed));

    if (state === 'empty' || state === 'garbage'
        || (state === 'cut' && ends.includes(kind)))
    {
        return inline === 0 && words === copies ? undefined
            : `unreadable: ${inline} times inline, ${words} times in words`;
    }

    if (inline === copies) {
        return undefined;
    }

    if (isText(kind)) {
        const text = count((string) => string === bytes.toString());

        return text === copies
            || (slot.place === 'media' && words === copies)
            || (/^(image|audio|video)\//.test(cell.type) && words === copies)
            ? undefined : `a text: ${text} times, ${words} times in words`;
    }

    return isTaken(cell) || reader !== 'sees'
        ? `${inline} times inline, ${words} times in words` : undefined;
}


// The samples are what they are meant to be.

export function wrongSample(kind, bytes) {
    const { type, flaw } = contentOf(bytes);
    const expected = isText(kind) ? 'text/plain' : kinds[kind];

    return flaw ?? (type === expected ? undefined : `it is ${type}`);
}
