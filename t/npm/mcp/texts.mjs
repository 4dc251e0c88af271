// texts.mjs SOCKET URL
//
// A server of the official SDK at SOCKET, whose tool answers with 3 MB of log:
// as JSON, as events, and as events of the older transport.  Both official
// clients call it through nginx at URL/json/mcp and so on, and read on demand
// what was left out, by the tool of URL/mcp.

import { createServer } from 'node:http';

import {
    Client as Modern, StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client as Older } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import {
    StreamableHTTPClientTransport as OlderTransport,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import {
    StreamableHTTPServerTransport,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

import { done, ok } from './tap.mjs';


const [socket, url] = process.argv.slice(2);
const info = { name: 'tests', version: '1' };
const lines = Array.from({ length: 60_000 },
                         (_, i) => `line ${i + 1} of 行 "log" ${'x'.repeat(30)}`);
const log = lines.join('\n') + '\n';


// --- the server --------------------------------------------------------------

function serverOf() {
    const server = new McpServer(info);

    server.registerTool('log', {
        description: 'A log', inputSchema: { fail: z.boolean().optional() },
        outputSchema: { rows: z.array(z.string()), log: z.string() },
    }, async ({ fail }) => ({
        content: [{ type: 'text', text: log }],
        ...(fail ? { isError: true }
                 : { structuredContent: { rows: ['a', 'b'], log } }),
    }));

    return server;
}

const sessions = new Map();

const http = createServer(async (req, res) => {
    const path = new URL(req.url, 'http://x');

    if (path.pathname === '/sse') {
        const transport = new SSEServerTransport('/old/messages', res);
        sessions.set(transport.sessionId, transport);
        await serverOf().connect(transport);
        return;
    }

    if (path.pathname === '/messages') {
        await sessions.get(path.searchParams.get('sessionId'))
            .handlePostMessage(req, res);
        return;
    }

    const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: undefined,
        enableJsonResponse: path.pathname.startsWith('/json'),
    });
    await serverOf().connect(transport);
    await transport.handleRequest(req, res);
});

await new Promise((resolve) => { http.listen(socket, resolve); });


// --- the clients -------------------------------------------------------------

function refOf(text) {
    return / The whole text is (artifact:[0-9a-f-]{36});/.exec(text)?.[1];
}

async function reads(label, ref) {
    const client = new Older(info);
    await client.connect(new OlderTransport(new URL(`${url}/mcp`)));

    const ask = async (args) => (await client.callTool({
        name: 'read_artifact', arguments: { ref, ...args } })).content
        .map(({ text }) => text).join('\n');

    const some = await ask({ lines: '30000-30001' });
    ok(some.includes(lines[29_999]) && some.includes(lines[30_000]),
       `${label}: lines that were left out`);

    const found = await ask({ grep: 'line 45678 ' });
    ok(found.includes(lines[45_677]), `${label}: grep`);

    const { contents } = await client.readResource({ uri: ref });
    ok(contents[0].text === log, `${label}: all of it`);

    await client.close();
}

const refs = new Set();

for (const [label, client, transport] of [
    ['modern, JSON', new Modern(info, { versionNegotiation: { mode: 'auto' } }),
     new ModernTransport(new URL(`${url}/json/mcp`))],
    ['older, JSON', new Older(info),
     new OlderTransport(new URL(`${url}/json/mcp`))],
    ['modern, events', new Modern(info, { versionNegotiation: { mode: 'auto' } }),
     new ModernTransport(new URL(`${url}/events/mcp`))],
    ['older, events', new Older(info),
     new OlderTransport(new URL(`${url}/events/mcp`))],
    ['HTTP with SSE', new Older(info),
     new SSEClientTransport(new URL(`${url}/old/sse`))],
]) {
    await client.connect(transport);

    // clients check structuredContent with the schema

    await client.listTools();

    for (const fail of [false, true]) {
        const result = await client.callTool({ name: 'log',
                                               arguments: { fail } });
        const [{ text }] = result.content;
        const ref = refOf(text);

        ok(ref && text.length < 8000 && text.startsWith(lines[0])
           && text.endsWith(lines.at(-1) + '\n'), `${label}: an excerpt`);
        ok(fail ? result.isError
                : refOf(result.structuredContent.log) === ref
                  && result.structuredContent.rows.length === 2,
           `${label}: ${fail ? 'an error' : 'the same where it is repeated'}`);
        refs.add(ref);
    }

    await client.close();
}

ok(refs.size === 1, 'one text, one artifact');

for (const ref of refs) {
    await reads('the older client', ref);
}

http.closeAllConnections();
http.close();
done();
