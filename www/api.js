// What the other locations answer to this visitor.  Only GET and HEAD are ever
// sent, and no more is read than is shown.

export let paths = {};

// Which of the places that answer operators do so.

export const answered = {};

// An answer of at most WHOLE bytes is read to its end, of others the beginning.

const WHOLE = 1 << 20;
const START = 1 << 16;

const slash = (path) => path && !path.endsWith('/') ? `${path}/` : path;

export async function load() {
    paths = await (await fetch('paths.json')).json();

    for (const place of ['artifacts', 'workspaces', 'services']) {
        paths[place] = slash(paths[place]);
    }
}

// A refusal, as the module or nginx words it; what is not JSON is one, too.

export class Refused extends Error {
    constructor(place, response, answer) {
        super(answer?.message ?? response.statusText);
        this.place = place;
        this.status = response.status;
        this.code = answer?.error;
        this.ref = answer?.ref;
    }
}

async function ask(place, parts, query, options) {
    const response = await fetch(url(place, parts, query), options);

    if (!response.ok) {
        const answer = await response.json().catch(() => null);
        throw new Refused(place, response, answer);
    }

    return response;
}

export async function json(place, parts, query, signal) {
    const response = await ask(place, parts, query, { signal });

    return response.json().catch((error) => {
        throw error instanceof SyntaxError ? new Refused(place, response)
            : error;
    });
}

export function url(place, parts, query) {
    const text = paths[place] + parts.map(encodeURIComponent).join('/');
    const args = new URLSearchParams();

    for (const [name, value] of Object.entries(query ?? {})) {
        if (value) {
            args.set(name, value);
        }
    }

    // the module takes a plus for a plus

    const tail = args.toString().replaceAll('+', '%20');
    return tail ? `${text}?${tail}` : text;
}

// The text of an answer in its charset, at most "max" bytes of it.

async function read(response, max) {
    const type = response.headers.get('Content-Type') ?? '';
    const label = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8';
    let decoder, text = '', size = 0;

    try {
        decoder = new TextDecoder(label);

    } catch {
        decoder = new TextDecoder();
    }

    for (const reader = response.body?.getReader(); reader;) {
        const { done, value } = await reader.read();

        if (done) {
            break;
        }

        text += decoder.decode(value.subarray(0, max - size),
            { stream: true });
        size += value.length;

        if (size > max) {
            await reader.cancel();
            break;
        }
    }

    return { text, size, whole: size <= max };
}

// A header's bytes are what UTF-8 has for the id.

const bytes = (text) =>
    String.fromCharCode(...new TextEncoder().encode(text));

// What a model gets of an artifact.  "bytes" is null if nobody says how many.
// With "head", an answer that is long or may be is not asked for.

export async function routed(ref, service, format, signal, head) {
    const options = { signal, cache: 'no-store',
        headers: { 'X-LLM-Service': bytes(service) } };
    const start = (method) => ask('artifacts', [ref], { format },
        { ...options, method });

    const response = await start(head ? 'HEAD' : 'GET');

    // a raw answer names its file

    if (response.headers.has('Content-Disposition')) {
        await response.body?.cancel();
        return { raw: true };
    }

    const length = response.headers.get('Content-Length');
    const most = length !== null && length <= WHOLE ? WHOLE : START;
    const stated = length === null ? null : Number(length);

    if (head && most === START) {
        return { unread: true, bytes: stated };
    }

    const { text, size, whole } = await read(head ? await start('GET')
        : response, most);

    return { text, whole, value: parse(text, whole),
             bytes: whole ? size : stated };
}

// A value that was cut is closed where it ends, most likely in a long string.

function parse(text, whole) {
    let tail = '';

    if (!whole) {
        text = text.replace(/(^|[^\\])((\\\\)*)\\(u[\da-f]{0,3})?$/i, '$1$2');
        const parts = /"(?:[^"\\]+|\\.)*("?)|[[\]{}]/gs;

        for (const [part, quote] of text.matchAll(parts)) {
            tail = part[0] === '"' ? quote ? tail : `"${tail}`
                : part === '{' ? `}${tail}` : part === '[' ? `]${tail}`
                    : tail.slice(1);
        }
    }

    try {
        return JSON.parse(text + tail);

    } catch {
        return undefined;
    }
}

// The type that an artifact is declared to have, and its raw answer has.

export async function declared(ref, signal) {
    const { headers } = await ask('artifacts', [ref], null,
        { signal, method: 'HEAD' });

    return headers.has('Content-Disposition')
        ? headers.get('Content-Type')?.split(';')[0] : null;
}

// The beginning of a text.

export async function beginning(ref, signal) {
    const response = await ask('artifacts', [ref], null, {
        signal, headers: { Range: `bytes=0-${START}` },
    }).catch((error) => {
        if (error.status === 416) {
            return new Response('');
        }
        throw error;
    });

    return read(response, START);
}
