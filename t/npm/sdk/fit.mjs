// fit.mjs FOLDER PORT SOCKET
//
// The providers' SDKs send what models do not take through nginx on PORT, which
// has it converted and sends it on to SOCKET.  What arrives is kept in
// FOLDER/arrived.  Prints TAP.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import Anthropic from '@anthropic-ai/sdk';

import { clients } from './clients.mjs';
import { said, stub } from './stub.mjs';
import { done, ok } from './tap.mjs';


const [, , folder, port, socket] = process.argv;

const url = `http://127.0.0.1:${port}/ok`;
const api = await stub(socket);

const base64 = (name) => readFileSync(join(folder, 'files', name))
    .toString('base64');


async function arrives(name, send) {
    api.seen = null;

    try {
        const result = await send();

        ok(result === said, name, result);

    } catch (error) {
        ok(false, name, error.stack);
    }

    writeFileSync(join(folder, 'arrived', name), api.seen?.body ?? '');
}


// An agent that has taken screenshots, one in each turn, some of them stored,
// and a user's two photos.

function agent() {
    const messages = [];
    const shots = readdirSync(join(folder, 'files'))
        .filter((name) => name.startsWith('screen')).sort();

    for (const [n, name] of shots.entries()) {
        const source = n % 2 ? { type: 'url', url: `artifact:${name}` } : {
            type: 'base64', media_type: 'image/png', data: base64(name),
        };

        messages.push(
            { role: 'user', content: [
                { type: 'text', text: `step ${n}` }, { type: 'image', source },
            ] },
            { role: 'assistant', content: `next ${n}` });
    }

    return [...messages, { role: 'user', content: [
        { type: 'image', source: { type: 'url', url: 'artifact:avif' } },
        { type: 'image', source: {
            type: 'base64', media_type: 'image/heic', data: base64('shot'),
        } },
    ] }];
}


async function create(model, messages) {
    const client = new Anthropic({
        apiKey: 'k', baseURL: `${url}/anthropic`, maxRetries: 0,
        timeout: 500000,
    });
    const { content } = await client.messages.create({
        model, max_tokens: 9, messages,
    });

    return content[0].text;
}


mkdirSync(join(folder, 'arrived'));

const messages = agent();

ok(messages.length === 51, '25 screenshots');

await arrives('agent-1', () => create('sees', messages));
await arrives('agent-2', () => create('sees', messages));

for (const id of ['scan', 'docx', 'report']) {
    await arrives(`document-${id}`, () => create('reads', [{
        role: 'user', content: [{
            type: 'document', source: { type: 'url', url: `artifact:${id}` },
        }],
    }]));
}

// an image of another kind, in each of the APIs

for (const model of ['sees', 'reads']) {
    for (const client of clients) {
        await arrives(`${model}-${client.api}`, () => client.send(
            `${url}/${client.api}`, model, { times: 1 }));
    }
}

api.close();

done();
