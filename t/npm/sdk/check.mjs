// check.mjs FOLDER
//
// FOLDER/{format}/{name} is the answer of nginx for the file FOLDER/files/{name}
// in that format, and FOLDER/{format}.message/{name} a message with it.  Each is
// compiled against the types of the provider's SDK, and sent through its client to a server here; prints TAP.

import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { providers } from './providers.mjs';
import { done, ok } from './tap.mjs';
import { compile } from './types.mjs';


const folder = process.argv[2];

const rows = providers.flatMap((provider) => [provider, {
    answer: provider.answer, ...provider.message,
    format: `${provider.format}.message`,
}]);


function answersOf(format) {
    return readdirSync(join(folder, format)).sort().map((name) => ({
        name, part: JSON.parse(readFileSync(join(folder, format, name))),
    }));
}


// Stores the last request's JSON.  Connections stay open: a client, for which
// the time stands still as well while megabytes are compared, would use one that
// the server is about to close.

function stub() {
    const seen = { body: null, answer: null };

    seen.server = createServer({ keepAliveTimeout: 0 }, async (req, res) => {
        const chunks = [];

        for await (const chunk of req) {
            chunks.push(chunk);
        }

        seen.body = Buffer.concat(chunks).toString();

        res.setHeader('Content-Type', 'application/json');
        res.end(JSON.stringify(seen.answer));
    });

    return seen;
}


// All the base64 of a part, the longest string that is base64 or a data URL.

function bytesOf(part) {
    const strings = [];

    JSON.stringify(part, (key, value) => {
        if (typeof value === 'string') {
            strings.push(value.replace(/^data:[^,]*;base64,/, ''));
        }

        return value;
    });

    return strings.sort((a, b) => b.length - a.length)[0];
}


function isText(part) {
    const parts = part.parts ?? part.content;

    if (Array.isArray(parts)) {
        return parts.every(isText);
    }

    return typeof part.text === 'string' || part.source?.type === 'text'
        || part.type === 'resource_link';
}


async function send(provider, seen, url) {
    for (const { name, part } of answersOf(provider.format)) {
        const label = `${provider.format}: ${name}`;
        let result = null;

        seen.body = null;
        seen.answer = provider.answer;

        try {
            result = await provider.send(url, part);

        } catch (error) {
            ok(false, `${label} is sent`, error.stack, JSON.stringify(part));
            continue;
        }

        const arrived = provider.arrived(
            seen.body === null ? result : JSON.parse(seen.body));

        ok(isDeepStrictEqual(arrived, part), `${label} arrives as it is`,
           JSON.stringify(arrived), JSON.stringify(part));

        if (!isText(part)) {
            ok(Buffer.from(bytesOf(arrived), 'base64')
                   .equals(readFileSync(join(folder, 'files', name))),
               `${label} has its bytes`);
        }
    }
}


compile(folder, rows.map((provider) => ({
    name: provider.format,
    type: provider.type,
    of: 'Part',
    wrong: provider.wrong,
    values: answersOf(provider.format).map(({ name, part }) => ({
        label: name, source: (provider.source ?? JSON.stringify)(part),
    })),
})));

const seen = stub();

await new Promise((done) => seen.server.listen(0, '127.0.0.1', done));

for (const provider of rows) {
    await send(provider, seen,
               `http://127.0.0.1:${seen.server.address().port}`);
}

seen.server.closeAllConnections();
seen.server.close();

done();
