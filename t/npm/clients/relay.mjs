// A server that passes all on and looks at what goes by.

import { createServer, request } from 'node:http';


// where: a path or a port (0: a free one) to listen at; target(): { port }.
// asked(url, text) is told of a request, answered(text, state) of what has come
// of its answer, before it goes on; each answer has a state of its own.

export async function relay(where, target, { asked, answered } = {}) {
    const server = createServer(async (req, res) => {
        const parts = [];

        for await (const part of req) {
            parts.push(part);
        }

        const body = Buffer.concat(parts);

        asked?.(req.url, body.toString());

        const out = request({
            ...target(), host: '127.0.0.1', method: req.method, path: req.url,
            headers: { ...req.headers, 'content-length': body.length },
            agent: false,
        }, (answer) => {
            const state = new Set();
            let text = '';

            res.writeHead(answer.statusCode, answer.headers);
            res.flushHeaders();
            answer.setEncoding('utf8');
            answer.on('data', (piece) => {
                text += piece;
                answered?.(text, state);
                res.write(piece);
            });
            answer.on('end', () => res.end());
            answer.on('error', () => res.destroy());
        });

        out.on('error', () => res.destroy());
        res.on('close', () => out.destroy());
        out.end(body);
    });

    await new Promise((done) => {
        server.listen(typeof where === 'number'
            ? { host: '127.0.0.1', port: where } : { path: where }, done);
    });

    return {
        port: server.address().port,
        close: () => {
            server.closeAllConnections();
            server.close();
        },
    };
}
