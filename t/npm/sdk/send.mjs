// Requests to nginx, one after the other on one connection.

import { Agent, request } from 'node:http';


// Returns a function of a path and a body, which gives what came back: status
// and body, a buffer.

export function sender(port) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });

    return (path, body) => new Promise((done, failed) => {
        const req = request({
            agent, port, path, host: '127.0.0.1', method: 'POST',
            headers: { 'Content-Type': 'application/json' },
        }, async (res) => {
            const parts = [];

            for await (const part of res) {
                parts.push(part);
            }

            done({ status: res.statusCode, body: Buffer.concat(parts) });
        });

        req.on('error', failed);
        req.end(body);
    });
}
