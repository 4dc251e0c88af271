// A tool's result, from the SDK's server over HTTP to the SDK's client.

import { webcrypto } from 'node:crypto';
import { createServer } from 'node:http';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
    StreamableHTTPClientTransport,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
    StreamableHTTPServerTransport,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
    CallToolRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';


// the SDK takes it for granted, Node.js 18 has it elsewhere

globalThis.crypto ??= webcrypto;


function toolServer(part) {
    return createServer(async (req, res) => {
        const server = new Server({ name: 's', version: '1' },
                                  { capabilities: { tools: {} } });
        const transport = new StreamableHTTPServerTransport({
            sessionIdGenerator: undefined, enableJsonResponse: true,
        });

        server.setRequestHandler(CallToolRequestSchema,
                                 async () => ({ content: [part] }));

        await server.connect(transport);
        await transport.handleRequest(req, res);
    });
}


// Returns the result as the client has it, checked against its schema.

export async function callTool(url, part) {
    const http = toolServer(part);

    await new Promise((done) => http.listen(0, '127.0.0.1', done));

    const client = new Client({ name: 'c', version: '1' });

    try {
        await client.connect(new StreamableHTTPClientTransport(
            new URL(`http://127.0.0.1:${http.address().port}/mcp`)));

        const result = await client.callTool({ name: 't', arguments: {} });

        return { result };

    } finally {
        await client.close();
        http.closeAllConnections();
        await new Promise((done) => http.close(done));
    }
}
