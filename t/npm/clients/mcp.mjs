// Sessions of clients that have no MCP client of their own: they get the MCP SDK's,
// one for each server, which are connected.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
    StreamableHTTPClientTransport,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';


export function withMcp(run) {
    return async (options) => {
        const clients = [];

        try {
            for (const url of Object.values(options.servers)) {
                const client = new Client({ name: 'c', version: '1' });

                await client.connect(
                    new StreamableHTTPClientTransport(new URL(url)));
                clients.push(client);
            }

            return await run(options, clients);

        } finally {
            await Promise.all(clients.map((client) => client.close()));
        }
    };
}
