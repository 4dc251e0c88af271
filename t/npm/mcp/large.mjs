// large.mjs URL SIZE PID...
//
// Both official clients read artifact:large, of so many bytes, while the memory
// of nginx's workers is looked at.

import { readFileSync } from 'node:fs';

import {
    Client as Modern, StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client as Older } from '@modelcontextprotocol/sdk/client/index.js';
import {
    StreamableHTTPClientTransport as OlderTransport,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { done, ok } from './tap.mjs';


const [url, size, ...pids] = process.argv.slice(2);
const info = { name: 'tests', version: '1' };
const uri = 'artifact:large';


// what the workers hold themselves, in KB

function memory() {
    return pids.reduce((sum, pid) => sum + Number(/^RssAnon:\s+(\d+)/m.exec(
        readFileSync(`/proc/${pid}/status`, 'utf8'))[1]), 0);
}


let most = 0;

// the pieces of an answer, and a look at the workers with some of them

function watched(input, init) {
    return fetch(input, init).then((response) => {
        if (!response.body) {
            return response;
        }

        let count = 0;

        const watch = new TransformStream({ transform(piece, to) {
            if (++count % 50 === 0) {
                most = Math.max(most, memory());
            }

            to.enqueue(piece);
        } });

        return new Response(response.body.pipeThrough(watch), response);
    });
}


for (const [label, client, Transport] of [
    ['modern', new Modern(info, { versionNegotiation: { mode: 'auto' } }),
     ModernTransport],
    ['older', new Older(info), OlderTransport],
]) {
    await client.connect(new Transport(new URL(url), { fetch: watched }));
    await client.listTools();

    const before = memory();

    most = 0;

    const { contents: [{ blob }] } = await client.readResource(
        { uri }, { timeout: 120_000 });

    ok(Buffer.byteLength(blob, 'base64') === Number(size)
       && blob.startsWith('AAAA'), `${label}: all of it`, blob?.length);
    ok(most > 0 && most - before < 1024, `${label}: less than 1 MB more`,
       before, most);

    await client.close();
}

done();
process.exit();
