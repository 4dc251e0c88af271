// Sessions of those that bring no MCP client of their own: with the MCP SDK's,
// connected.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
    StreamableHTTPClientTransport,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';


export function withMcp(run) {
    return async (options) => {
        const client = new Client({ name: 'c', version: '1' });

        await client.connect(
            new StreamableHTTPClientTransport(new URL(options.mcp)));

        try {
            return await run(options, client);

        } finally {
            await client.close();
        }
    };
}
