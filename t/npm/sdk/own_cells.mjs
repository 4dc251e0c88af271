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

// What the readers take: everything, nobody knows, texts.

const models = { sees: 'sees', unknown: 'nobody', reads: 'reads' };

const generic = 'application/octet-stream';

const noise = Buffer.from(Array.from({ length: 300 },
                                     (_, n) => (n * n * 37 + 129) % 256));


// Bytes of a kind, and whether anything else than their type is wrong.  The end
// of these formats shows; a part of a text, or of a sound, is one.

const ends = ['png', 'jpeg', 'gif', 'webp', 'pdf', 'wav'];

const contents = {
    whole: (bytes) => bytes,
    cut: (bytes) => bytes.subarray(0, bytes.length * 0.6),
    empty: () => Buffer.alloc(0),
    garbage: () => noise,
};

const isText = (kind) => ['csv', 'txt', 'json', 'html', 'svg'].includes(kind);


// How a type can be declared in a slot: [name, what is written, what that is].

function* declared(slot, kind) {
    if (slot.types === null) {
        yield ['no type'];
        return;
    }

    const type = kinds[kind];
    const sibling = type.startsWith('image/') && kind !== 'jpeg'
        ? 'image/jpeg' : kind === 'mp3' ? 'audio/wav' : 'audio/mpeg';
    const other = kind === 'pdf' ? 'image/png' : 'application/pdf';

    yield ['right', slot.types(type), type];
    yield ['wrong', slot.types(sibling), sibling];
    yield ['another kind', slot.types(other), other];
    yield ['a picture', slot.types('image/png'), 'image/png'];
    yield ['generic', slot.types(generic)];
    yield ['missing'];

    for (const alias of slot.aliases) {
        yield ['alias', alias(type), type];
    }
}


// A model that only reads is told of all media; with what they are declared
// makes no difference.

function readersOf(state, name) {
    return state === 'whole' && ['right', 'wrong', 'no type'].includes(name)
        ? ['sees', 'unknown', 'reads'] : ['sees', 'unknown'];
}


export function* cellsOf(slot, files) {
    for (const kind of Object.keys(kinds)) {
        for (const [state, make] of Object.entries(contents)) {
            const bytes = make(files.get(kind));

            for (const [name, type, as] of declared(slot, kind)) {
                for (const reader of readersOf(state, name)) {
                    yield {
                        slot, kind, state, as, type, reader, bytes,
                        whole: files.get(kind),
                        label: `${slot.api}, ${slot.name}: ${kind}, ${state}, `
                            + `${name} ("${type}"), ${reader}`,
                    };
                }
            }
        }
    }
}


export function requestOf({ slot, type, bytes, reader }) {
    const model = models[reader];

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


// Whether the API takes the content at all in such a position: in a slot of its
// own, declared right.  Where tools have no media, they follow the results.

const follow = ['openai', 'openrouter', 'gemini', 'gemini2'];

const taken = new Map();

function isTakenAt(api, position, kind, base64) {
    const key = [api, position, kind].join();

    if (!taken.has(key)) {
        taken.set(key, ownSlots.some((slot) => slot.api === api && !slot.sole
            && slot.position === position
            && refusal(api, JSON.stringify(slot.body(slot.part(
                slot.types?.(kinds[kind]), base64), 'sees'))) === undefined));
    }

    return taken.get(key);
}


export function isTaken({ slot: { api, position }, kind, whole }) {
    const base64 = whole.toString('base64');

    return isTakenAt(api, position, kind, base64)
        || (follow.includes(api) && isTakenAt(api, 'user', kind, base64));
}


// How often the content has arrived: its bytes, its text, words that it cannot
// be read, and words that it is not sent.

function countsOf({ kind, bytes }, body) {
    const strings = stringsOf(body);
    const count = (test) => strings.filter(test).length;
    const base64 = bytes.toString('base64');

    return {
        inline: bytes.length === 0 ? 0
            : count((string) => string.endsWith(base64)),
        text: count((string) => string === bytes.toString()),
        failed: count((string) => string.includes('processing failed')),
        named: count((string) => string.startsWith('[Unreadable] ')
                     || string.startsWith(`[${kinds[kind]}, `)),
    };
}


// Which of them it has to be, by what it is.

function expected(cell) {
    const { slot: { api, place }, kind, state, as, reader } = cell;

    if (state === 'empty' || state === 'garbage'
        || (state === 'cut' && ends.includes(kind)))
    {
        return ['failed'];
    }

    if (isText(kind)) {
        return place === 'media' || /^(image|audio|video)\//.test(as)
            ? ['inline', 'text', 'failed', ...(reader === 'reads'
                ? ['named'] : [])] : ['inline', 'text'];
    }

    // OpenRouter reads PDFs for any model

    if (reader === 'reads' && !(api === 'openrouter' && kind === 'pdf')) {
        return ['named'];
    }

    return isTaken(cell) ? ['inline'] : ['named'];
}


// Where no words can be, the type of a picture that the API takes becomes right;
// anything else stays.

function soleProblem({ slot, kind, state, whole, bytes }, sent, body) {
    const { json } = requestOf({ slot, type: kinds[kind], bytes: whole,
                                 reader: 'sees' });

    if (refusal(slot.api, sent) === undefined || state !== 'whole') {
        return body === sent ? undefined : 'it is changed';
    }

    return refusal(slot.api, json) === undefined
            && refusal(slot.api, body) !== undefined
        ? `refused: ${refusal(slot.api, body)}`
        : countsOf({ kind, bytes }, JSON.parse(body)).inline === 1 ? undefined
            : 'other bytes';
}


// What is wrong with what arrived; undefined: nothing.

export function problem(cell, sent, { status, body }) {
    const { slot, kind, reader } = cell;
    const copies = slot.position === 'user' ? 1 : 2;

    if (status !== 200) {
        return `status ${status}`;
    }

    const json = body.toString();

    if (slot.sole) {
        return soleProblem(cell, sent, json);
    }

    const after = refusal(slot.api, json);

    if (after !== undefined) {
        return `refused: ${after}`;
    }

    if (refusal(slot.api, sent) === undefined
        && (reader !== 'reads' || isText(kind)))
    {
        return json === sent ? undefined : 'it was right, and is changed';
    }

    const arrived = JSON.parse(json);

    if (copies === 2 && !/^c1,c2(,-)*$/.test(slot.results(arrived).join())) {
        return `results: ${slot.results(arrived)}`;
    }

    const counts = countsOf(cell, arrived);
    const { inline, text, failed } = counts;

    // what follows a result is also named there

    return expected(cell).some((one) => counts[one] === copies
        && inline + text + failed === (one === 'named' ? 0 : copies))
        ? undefined : Object.entries(counts).join();
}


// The samples are what they are meant to be.

export function wrongSample(kind, bytes) {
    const { type, flaw } = contentOf(bytes);
    const expected = isText(kind) ? 'text/plain' : kinds[kind];

    return flaw ?? (type === expected ? undefined : `it is ${type}`);
}
