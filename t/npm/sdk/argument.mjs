// The official client calls tools through nginx with references in their
// arguments; the tools answer with what they got.  Arguments: nginx's port, the
// socket of the server, the folder with the contents; and the port of
// server-everything, if it runs.

import { createHash, webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
    StreamableHTTPClientTransport,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
    StreamableHTTPServerTransport,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
    CallToolRequestSchema, ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

import { done, ok } from './tap.mjs';


// the SDK takes it for granted, Node.js 18 has it elsewhere

globalThis.crypto ??= webcrypto;

const [port, socket, folder, everything] = process.argv.slice(2);
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');


// What an argument holds: base64, a data URL, or a URL.

function held(value) {
    const data = /^data:([^;,]*);base64,(.*)$/s.exec(value);

    if (data) {
        return `${data[1]} ${sha256(Buffer.from(data[2], 'base64'))}`;
    }

    return /^\w+:/.test(value) ? value
        : sha256(Buffer.from(value, 'base64'));
}


// With "json" it answers with JSON, else with a stream of events.

let called = 0;

const http = createServer(async (req, res) => {
    const server = new Server({ name: 's', version: '1' },
                              { capabilities: { tools: {} } });
    const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: undefined,
        enableJsonResponse: req.url.endsWith('json'),
    });

    server.setRequestHandler(ListToolsRequestSchema, async () => ({
        tools: [{ name: 'hash', inputSchema: { type: 'object' } }],
    }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
        const { file, files = [], note } = params.arguments;

        called++;

        return { content: [file, ...files].map((value) => ({
            type: 'text', text: held(value),
        })).concat({ type: 'text', text: `${note}` }) };
    });

    await server.connect(transport);
    await transport.handleRequest(req, res);
});


// Calls a tool; *said is all that an agent has of it.

async function withClient(uri, run) {
    const client = new Client({ name: 'c', version: '1' });

    await client.connect(new StreamableHTTPClientTransport(
        new URL(`http://127.0.0.1:${port}${uri}`)));

    try {
        await run(client);

    } finally {
        await client.close();
    }
}


async function callOwn(how, kind) {
    await withClient(`/${how}/${kind}`, async (client) => {
        const names = ['shot.png', 'notes.txt', 'noise.bin'];
        const transcript = [];

        ok((await client.listTools()).tools[0].name === 'hash',
           `${how}, ${kind}: tools are listed`);

        for (const name of names) {
            const bytes = readFileSync(`${folder}/${name}`);
            const id = name.replace(/\..*/, '');
            const type = { shot: 'image/png', notes: 'text/plain',
                           noise: 'application/octet-stream' }[id];
            const want = how === 'url' ? `https://h/a/${id}`
                : how === 'data' ? `${type} ${sha256(bytes)}`
                : sha256(bytes);
            const args = {
                file: `artifact:${id}`,
                files: [`[artifact:${id}]`, `https://h/a/${id}`],
                note: `see artifact:${id}`,
            };
            const { content } = await client.callTool({
                name: 'hash', arguments: args });

            transcript.push(args, content);

            ok(content.slice(0, 3).every(({ text }) => text === want),
               `${how}, ${kind}: the tool has ${name}`, want,
               JSON.stringify(content));
            ok(content[3].text === `see artifact:${id}`,
               `${how}, ${kind}: prose stays`);
        }

        ok(JSON.stringify(transcript).length < 5000,
           `${how}, ${kind}: the transcript has no bytes`);

        const before = called;
        const error = await client.callTool({
            name: 'hash', arguments: { file: 'artifact:gone' },
        }).catch((e) => e);

        ok(error.code === -32602 && /artifact:gone/.test(error.message)
           && error.data?.uri === 'artifact:gone',
           `${how}, ${kind}: a missing one is an error of the call`, error);
        ok(called === before, `${how}, ${kind}: no tool was called`);
    });
}


// A published server, whose tool takes a data URL and compresses the content.

async function callEverything() {
    await withClient(`/everything/${everything}/mcp`, async (client) => {
        for (const name of ['shot.png', 'notes.txt', 'noise.bin']) {
            const id = name.replace(/\..*/, '');
            const { content } = await client.callTool({
                name: 'gzip-file-as-resource', arguments: {
                    name: `${name}.gz`, data: `artifact:${id}`,
                    outputType: 'resource',
                } });
            const blob = content[0]?.resource?.blob ?? '';

            ok(gunzipSync(Buffer.from(blob, 'base64'))
                .equals(readFileSync(`${folder}/${name}`)),
               `server-everything has ${name}`, JSON.stringify(content));
        }
    });
}


await new Promise((listening) => http.listen(socket, listening));

for (const how of ['data', 'base64', 'url']) {
    for (const kind of ['json', 'events']) {
        await callOwn(how, kind);
    }
}

if (everything) {
    await callEverything();
}

http.closeAllConnections();
http.close();
done();
