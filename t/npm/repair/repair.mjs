// repair.mjs SOCKET PORT
//
// A gateway that parses what comes to SOCKET, whatever its type, makes proper
// base64 of each string as Node reads it, and sends that on to PORT.

import { createServer, request } from 'node:http';


function repaired(text) {
    const [, head, rest] = /^(data:[^,]*,)?(.*)$/s.exec(text);

    if (rest.length < 300) {
        return text;
    }

    let data = rest;

    try {
        data = decodeURIComponent(rest);
    } catch {
        // it has a "%" of its own
    }

    return (head ? 'data:image/png;base64,' : '')
        + Buffer.from(data, 'base64').toString('base64');
}


function walk(value) {
    if (typeof value === 'string') {
        return repaired(value);
    }

    if (Array.isArray(value)) {
        return value.map(walk);
    }

    return value && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value)
            .map(([name, inner]) => [name, walk(inner)]))
        : value;
}


const [, , socket, port] = process.argv;

createServer(async (req, res) => {
    const parts = [];

    for await (const part of req) {
        parts.push(part);
    }

    let body = Buffer.concat(parts);

    try {
        body = JSON.stringify(walk(JSON.parse(body.toString())));
    } catch {
        // what is no JSON goes on as it is
    }

    const onward = request({
        host: '127.0.0.1', port, path: req.url, method: req.method,
        headers: { 'Content-Type': 'application/json',
                   'Content-Length': Buffer.byteLength(body) },
    }, (answer) => {
        res.writeHead(answer.statusCode);
        answer.pipe(res);
    });

    onward.on('error', () => res.destroy());
    onward.end(body);
}).listen(socket);
