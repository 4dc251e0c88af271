// Every API, in every position, with every slot, for contents of all kinds and
// readers that see, only read, or are not known.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { sender } from './send.mjs';
import { variants } from './shapes.mjs';
import { stub } from './stub.mjs';
import { ok } from './tap.mjs';


const contents = {
    shot: 'image', report: 'pdf', song: 'audio', note: 'text', none: null,
};


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


// Whether the position is one for this kind of media, and the reader takes it;
// undefined where the slot decides.

function isInline(row, { position, kind, reader }) {
    const place = {
        user: row.media, system: [], tool: row.inTool,
        assistant: row.api === 'gemini' ? row.media : [],
    }[position];

    if (!place.includes(kind) || !row.media.includes(kind)) {
        return false;
    }

    // OpenRouter reads PDFs for any model

    if (reader === 'reads') {
        return row.api === 'openrouter' && kind === 'pdf';
    }

    return reader === 'sees' ? true : undefined;
}


// What is wrong with a request that arrived; undefined: nothing.

function problem(row, item, files) {
    const { position, id, kind } = item;
    const body = JSON.parse(item.body);
    const strings = stringsOf(body);
    const copies = position === 'tool' ? 2 : 1;
    const count = (test) => strings.filter(test).length;

    if (strings.includes(`artifact:${id}`)
        || item.body.includes('"type":"artifact"'))
    {
        return 'the reference is still there';
    }

    if (strings.some((string) => string === '')) {
        return 'an empty string';
    }

    if (position === 'tool'
        && !/^c1,c2(,-)*$/.test(row.results(body).join()))
    {
        return `results: ${row.results(body)}`;
    }

    if (kind === null) {
        const words = '[Unreadable] artifact:none\n';

        return count((string) => string.includes(words)) === copies
            ? undefined : 'it is not told that it is missing';
    }

    if (kind === 'text') {
        const text = files.get(id).toString();

        return count((string) => string === text) === copies
            ? undefined : 'the text is not there';
    }

    const bytes = files.get(id).toString('base64');
    const inline = count((string) => string.endsWith(bytes));
    const named = count((string) => string.includes(`(artifact:${id})`)
                        || string.includes(`: artifact:${id}`));
    const expected = isInline(row, item);

    if (expected !== undefined && inline !== (expected ? copies : 0)) {
        return `${inline} times inline`;
    }

    return inline === copies || (inline === 0 && named === copies)
        ? undefined : `${inline} times inline, ${named} times named`;
}


// Bedrock wants the names of documents to differ.

function sameNames(body) {
    const names = [];

    JSON.stringify(body, (key, value) => {
        if (key === 'document') {
            names.push(value.name);
        }

        return value;
    });

    return new Set(names).size < names.length;
}


// The slots of a position: functions of a reference.

function slotsOf(row, position) {
    const slots = row.parts.map((part) => (ref) => [part(ref)]);

    return position === 'tool' ? [...slots, row.answer ?? String] : slots;
}


function* cases(row) {
    for (const position of ['user', 'system', 'assistant', 'tool']) {
        for (const [slot, parts] of slotsOf(row, position).entries()) {
            for (const [id, kind] of Object.entries(contents)) {
                for (const reader of ['sees', 'reads', 'unknown']) {
                    yield {
                        api: row.api, position, parts, id, kind, reader,
                        label: [row.path(reader), position, slot, id].join(),
                    };
                }
            }
        }
    }
}


// MCP's blocks as parts of a tool's result, and what is wrong with what arrived.

function blocksOf(files) {
    const base64 = (id) => files.get(id).toString('base64');
    const link = 'artifact:0198a7b2-0000-7000-8000-000000000000';

    return [
        { type: 'image', data: base64('shot'), mimeType: 'image/png' },
        { type: 'audio', data: base64('song'), mimeType: 'audio/mpeg' },
        { type: 'resource', resource: {
            uri: 'file:///r.pdf', mimeType: 'application/pdf',
            blob: base64('report'),
        } },
        { type: 'resource', resource: { uri: 'file:///a', text: 'words' } },
        { type: 'resource_link', uri: 'https://h/x', name: 'x' },
        { type: 'resource_link', uri: link, name: 'gone' },
    ];
}


function problemOfBlocks(row, { reader, body: json }, files) {
    const body = JSON.parse(json);
    const strings = stringsOf(body);
    const has = (id) => strings.some((string) =>
        string.endsWith(files.get(id).toString('base64')));
    const takes = (kind) => row.inTool.includes(kind)
        && row.media.includes(kind);

    if (!/^c1,c2(,-)*$/.test(row.results(body).join())) {
        return `results: ${row.results(body)}`;
    }

    if (/"resource(_link)?"/.test(json) || !strings.includes('words')
        || !strings.includes('x (https://h/x)'))
    {
        return 'blocks are still there, or their texts are not';
    }

    return reader === 'reads'
        || (takes('image') === has('shot') && takes('audio') === has('song')
            && takes('pdf') === has('report'))
        ? undefined : 'bytes are not there';
}


// The bodies that arrived, to be compiled.

export async function runMatrix(port, socket, folder) {
    const files = new Map(Object.keys(contents).filter((id) => contents[id])
        .map((id) => [id, readFileSync(join(folder, 'files', id))]));
    const api = await stub(socket, { echo: true });
    const send = sender(port);
    const bodies = [];

    for (const row of variants) {
        const wrong = [];

        for (const item of cases(row)) {
            const sent = JSON.stringify(row.body(
                item.position, item.parts(`artifact:${item.id}`),
                item.reader));
            const { status, body: bytes } = await send(
                `/ok/${row.api}/${row.path(item.reader)}`, sent);
            const body = bytes.toString();
            let what = `status ${status}`;

            if (status === 200) {
                item.body = body;
                what = problem(row, item, files)
                    ?? (row.api === 'bedrock' && sameNames(JSON.parse(body))
                        ? 'documents of one name' : undefined);
                bodies.push(item);
            }

            if (what !== undefined) {
                wrong.push(`${item.label}: ${what}\n${sent}\n${body}`);
            }
        }

        for (const reader of ['sees', 'reads', 'unknown']) {
            const item = {
                api: row.api, reader, label: `${row.path(reader)}, blocks`,
            };
            const { body: bytes } = await send(
                `/ok/${row.api}/${row.path(reader)}`,
                JSON.stringify(row.body('tool', blocksOf(files), reader)));

            item.body = bytes.toString();
            bodies.push(item);

            const what = problemOfBlocks(row, item, files);

            if (what !== undefined) {
                wrong.push(`${item.label}: ${what}\n${item.body}`);
            }
        }

        ok(wrong.length === 0,
           `${row.api}, ${row.path('x')}: what becomes of references`,
           `${wrong.length} are wrong`, ...wrong.slice(0, 3));
    }

    api.close();

    return bodies;
}
