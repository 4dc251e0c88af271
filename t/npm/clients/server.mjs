// An MCP server whose tools return pictures in the ways that servers have: as a
// block, beside text, and in structuredContent with the text that repeats it.

import { webcrypto } from 'node:crypto';
import { createServer } from 'node:http';

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
    StreamableHTTPServerTransport,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';


// the SDK takes it for granted, Node.js 18 has it elsewhere

globalThis.crypto ??= webcrypto;

const mimeType = 'image/png';


// tools: name => (base64 of each picture) => [result, outputSchema]

const tools = {
    photo: (data) => [{ content: [{ type: 'image', data, mimeType }] }],

    look: (a, data) => [{ content: [
        { type: 'text', text: 'the whole page' },
        { type: 'image', data, mimeType },
    ] }],

    measure: (a, b, data) => {
        const structuredContent = { width: 200, height: 200, mimeType, data };

        return [{ structuredContent, content: [
            { type: 'text', text: JSON.stringify(structuredContent) },
        ] }, {
            width: z.number(), height: z.number(), mimeType: z.string(),
            data: z.string(),
        }];
    },
};


function serverOf(images) {
    const server = new McpServer({ name: 'pictures', version: '1' });
    const encoded = images.map((image) => image.toString('base64'));

    for (const [name, tool] of Object.entries(tools)) {
        const [result, outputSchema] = tool(...encoded);

        server.registerTool(name, {
            description: `${name} at the page`, inputSchema: {},
            ...(outputSchema ? { outputSchema } : {}),
        }, async () => result);
    }

    return server;
}


// Listens at a path or a port of 127.0.0.1, without sessions; make() makes the
// server of a request.

export async function listen(where, make) {
    const http = createServer(async (req, res) => {
        if (req.method !== 'POST') {
            res.writeHead(405).end();
            return;
        }

        const transport = new StreamableHTTPServerTransport({
            sessionIdGenerator: undefined,
        });

        await make().connect(transport);
        await transport.handleRequest(req, res);
    });

    await new Promise((done) => {
        http.listen(typeof where === 'number'
            ? { host: '127.0.0.1', port: where } : { path: where }, done);
    });

    return {
        port: http.address().port,
        close: () => {
            http.closeAllConnections();
            http.close();
        },
    };
}


export function serveTools(where, images) {
    return listen(where, () => serverOf(images));
}
