// texts.mjs FOLDER PORT CLIENT...
//
// Agents of real frameworks, three turns each: a tool returns 3 MB of log, and
// what they do not see of it they read on demand, by the tool of the store.  The
// log is shortened on its way to the client (/tools/mcp), or, if that has got
// all of it (/plain/mcp), on its way to the model.  Then a file goes from a
// sandbox into the store by a ticket, with curl.  FOLDER has the sockets that
// nginx passes requests to, "tools" and "model".

import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

import { commonStart, contentOf, elementsOf, hasBase64, refusals, sha256 }
    from './checks.mjs';
import { apis, modelAt, said } from './model.mjs';
import { relay } from './relay.mjs';
import { listen } from './server.mjs';
import { done, ok } from './tap.mjs';


const [folder, port, ...names] = process.argv.slice(2);

const models = {
    openai: 'gpt-4o', openai_responses: 'gpt-4o', anthropic: 'claude-opus-4-8',
    gemini: 'gemini-3-pro',
};
const providers = { openai_responses: 'openai' };
const most = 100_000;       // bytes of a request that holds no log


// --- the tools ---------------------------------------------------------------

const cause = 'FAILED: certificate of db.internal has expired';
const lines = Array.from({ length: 48_000 }, (_, i) =>
    `12:00:00 step ${i + 1} took ${i % 977} ms, "ok", 行, nothing to do\t.`);

// the failure is in the middle of a line that is too long to be shown

lines[30_000] = JSON.stringify({
    env: 'a='.padEnd(3000, 'b'), error: cause, stack: 'at step 30001',
});

const log = lines.join('\n') + '\n';


function shell(command) {
    return new Promise((resolve) => {
        execFile('/bin/sh', ['-c', command], { cwd: folder },
            (error, out, err) => resolve(`${out}${err}`));
    });
}


function work() {
    const server = new McpServer({ name: 'work', version: '1' });

    const add = (name, inputSchema, run) => server.registerTool(name,
        { description: name, inputSchema },
        async (args) => ({ content: [{ type: 'text', text: await run(args) }] }));

    add('build_log', {}, () => log);
    add('shell', { command: z.string() }, ({ command }) => shell(command));

    return server;
}


// --- what the model asks for -------------------------------------------------

const reader = 'read_artifact';

function contents(body) {
    const list = body.messages ?? body.input ?? body.contents ?? [];

    return contentOf(list);
}

const wordsOf = (body) => contents(body).texts.join('\n');

// some clients put JSON of the result into a text

const has = (words, text) => words.includes(text)
    || words.includes(JSON.stringify(text).slice(1, -1));

function refOf(body) {
    return / The whole text is (artifact:[0-9a-f-]{36});/.exec(
        wordsOf(body))?.[1];
}

const reading = [
    [{ tool: 'build_log' }],
    [{ tool: reader, args: (body) => ({ ref: refOf(body), grep: 'FAILED' }) }],
    [{ tool: reader, args: (body) => {
        const [, at] = /\d+@(\d+):/.exec(wordsOf(body)) ?? [];

        return { ref: refOf(body), bytes: `${at - 20}-${+at + 79}` };
    } }],
];

// A client shows the words of a result, or its structuredContent.

function ticketOf(body) {
    const words = wordsOf(body).replaceAll('\\"', '"');
    const [, ref] = /(artifact:[0-9a-f-]{36}): upload it/.exec(words)
        ?? /"ref":"(artifact:[^"]+)"/.exec(words) ?? [];
    const [, url] = /curl -T FILE '([^']+)'/.exec(words)
        ?? /"url":"([^"]+)"/.exec(words) ?? [];

    return { ref, url };
}

const uploading = (tool) => [
    [{ tool: 'request_upload',
       args: { mime_type: 'image/png', name: 'plot.png' } }],
    [{ tool, args: (body) => ({
        command: `curl -sS -T ${join(folder, 'a.png')} '${
            ticketOf(body).url}'`,
    }) }],
    [{ tool, args: (body) => ({
        command: `echo "The plot: [${ticketOf(body).ref}]"`,
    }) }],
];


// --- one session -------------------------------------------------------------

const model = await modelAt(join(folder, 'model'), () => []);
const sent = [];

const back = await listen(join(folder, 'tools'), work);
const front = await relay(0, () => ({ port }), {
    asked: (url, text) => sent.push({ url, text }),
});


async function session(client, variant, label, on, plan, tools) {
    const { api } = variant;
    const home = join(folder, `home.${label.replace(/\W+/g, '-')}`);

    mkdirSync(home);
    model.start(plan);
    sent.length = 0;

    try {
        const answers = await client.session({
            ...variant, home, id: label, tools, model: models[api],
            base: `http://127.0.0.1:${front.port}/${providers[api] ?? api}`,
            servers: {
                work: `http://127.0.0.1:${front.port}/${on}/mcp`,
                store: `http://127.0.0.1:${front.port}/mcp`,
            },
            turns: ['What is it?', 'And now?', 'Once more?'],
        });

        ok(`${answers}` === `${Array(3).fill(said)}`, `${label}: what it says`,
           answers, ...model.errors);

    } catch (error) {
        ok(false, `${label}: it runs`, error.stack, ...model.errors);
    }

    const wrong = model.seen.flatMap(refusals);

    ok(model.seen.length === 6, `${label}: to the end`, model.seen.length);
    ok(wrong.length === 0, `${label}: all that the provider takes`, ...wrong);
}


// stays: the client does not send the call of a result with it, so that nothing
// is known of the tool.

function checkReading(label, on, stays) {
    const last = model.seen.map(({ body }) => wordsOf(body));
    const ref = refOf(model.seen[1]?.body ?? {});
    const excerpt = last[1] ?? '';

    if (stays) {
        ok(!ref && has(excerpt, lines[20_000]), `${label}: all of it`);
        return ref;
    }

    ok(ref && has(excerpt, lines[0]) && has(excerpt, lines.at(-1))
       && !has(excerpt, lines[20_000]), `${label}: an excerpt`,
       excerpt.length);
    ok(model.seen.every(({ text }) => text.length < most),
       `${label}: no request has the log`,
       ...model.seen.map(({ text }) => text.length));
    ok(last[3]?.includes(cause), `${label}: what grep has found`,
       last[3]?.slice(-600));
    ok(/\[bytes \d+ to \d+ of \d+\][^[]*expired[^[]*stack/.test(last[5]),
       `${label}: bytes around it`, last[5]?.slice(-600));

    const asked = sent.filter(({ url }) => Object.values(apis).some(
        ({ path }) => path.test(new URL(url, 'http://h').pathname)));
    const large = asked.filter(({ text }) => text.length > most);

    ok((large.length === 0) === (on === 'tools'),
       `${label}: the client has ${on === 'tools' ? 'no' : 'the'} log`);

    for (let i = 1; i < model.seen.length; i++) {
        const { list } = apis[model.seen[i].api];
        const [before, now] = [i - 1, i].map(
            (n) => elementsOf(model.seen[n].text, list));
        const [sentBefore, sentNow] = [i - 1, i].map(
            (n) => elementsOf(asked[n].text, list));
        const least = commonStart(sentBefore, sentNow);

        ok(commonStart(before, now) >= least,
           `${label}: request ${i} begins as the one before`,
           commonStart(before, now), least);
    }

    return ref;
}


function checkUpload(label) {
    const { media, texts } = contents(model.seen[5]?.body ?? {});
    const sha = sha256(readFileSync(join(folder, 'a.png')));

    ok(media.some((medium) => medium.sha === sha && medium.fits),
       `${label}: the model sees the file`, texts.join('\n').slice(-600));
    ok(!sent.some(({ text }) => hasBase64(text)),
       `${label}: no base64 in any request`);
}


const refs = new Set();

for (const name of names) {
    const { client } = await import(`./client_${name}.mjs`);

    for (const variant of client.variants) {
        const label = [name, variant.api, variant.option]
            .filter(Boolean).join(', ');

        for (const on of client.cuts ? ['tools'] : ['tools', 'plain']) {
            await session(client, variant, `${label}, /${on}`, on, reading);
            const ref = checkReading(`${label}, /${on}`, on,
                on === 'plain' && name === 'anthropic' && !variant.option);

            // JSON of the result is another text

            if (on === 'tools') {
                refs.add(ref);
            }
        }

        const { shell: own } = client;

        await session(client, variant, `${label}, upload`, 'tools',
                      uploading(own ?? 'shell'), own ? [own] : []);
        checkUpload(`${label}, upload`);
    }
}

ok(refs.size === 1, 'one text, one artifact', ...refs);

front.close();
back.close();
model.close();
done();
process.exit();
