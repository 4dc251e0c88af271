// What the other locations answer to this visitor.  Only GET and HEAD are ever
// sent.

import { Folder } from './fold.js';

export let paths = {};

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

// A header's bytes are what UTF-8 has for the id.

const bytes = (text) =>
    String.fromCharCode(...new TextEncoder().encode(text));

// What a model gets of an artifact: the answer's bytes are counted, not kept.

export async function routed(ref, service, format, signal) {
    const response = await ask('artifacts', [ref], { format }, {
        signal, cache: 'no-store',
        headers: { 'X-LLM-Service': bytes(service) },
    });

    // a raw answer names its file

    if (response.headers.has('Content-Disposition')) {
        await response.body.cancel();
        return { raw: true, bytes: null };
    }

    const folder = new Folder();
    const decoder = new TextDecoder();
    let size = 0;

    for (const reader = response.body.getReader();;) {
        const { done, value } = await reader.read();

        if (done) {
            break;
        }

        size += value.length;
        folder.push(decoder.decode(value, { stream: true }));
    }

    return { raw: false, bytes: size, value: folder.value(),
             text: folder.text() };
}

// The type that an artifact is declared to have, and its raw answer has.

export async function declared(ref, signal) {
    const { headers } = await ask('artifacts', [ref], null,
        { signal, method: 'HEAD' });

    return headers.has('Content-Disposition')
        ? headers.get('Content-Type')?.split(';')[0] : null;
}

// The beginning of a text, in its own charset.

export async function beginning(ref, max, signal) {
    const response = await ask('artifacts', [ref], null, {
        signal, headers: { Range: `bytes=0-${max - 1}` },
    }).catch((error) => {
        if (error.status === 416) {
            return new Response('');
        }
        throw error;
    });

    const type = response.headers.get('Content-Type') ?? '';
    const label = /charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8';
    let decoder;

    try {
        decoder = new TextDecoder(label);

    } catch {
        decoder = new TextDecoder();
    }

    let text = '';
    let left = max;

    for (const reader = response.body?.getReader(); reader && left > 0;) {
        const { done, value } = await reader.read();

        if (done) {
            break;
        }

        text += decoder.decode(value.subarray(0, left), { stream: true });
        left -= value.length;

        if (left <= 0) {
            await reader.cancel();
        }
    }

    return { text, whole: left > 0 };
}
