// gateway.mjs FOLDER PORT SOCKET GATEWAY SCOPE
//
// A client, nginx on PORT, the LLM gateway that is installed in GATEWAY, and the
// APIs of providers behind it.  nginx sends to SOCKET, where what it sends is
// kept on its way to the gateway: that counts, since a gateway prints bodies
// anew.  SCOPE "full": more than a look.  Prints TAP.

import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';

import OpenAI from 'openai';

import { said, stub } from './stub.mjs';
import { done, ok } from './tap.mjs';


const [, , folder, port, socket, installed, scope] = process.argv;

const inside = join(dirname(socket), 'gateway');
const shot = readFileSync(join(folder, 'files', 'shot')).toString('base64');
const large = readFileSync(join(folder, 'files', 'large')).toString('base64');


// The gateway's own process.

function startGateway() {
    const log = openSync(join(folder, 'gateway.log'), 'w');

    return spawn(process.execPath, [
        '--require', join(folder, 'listen.cjs'),
        join(installed, 'node_modules/@portkey-ai/gateway/build',
             'start-server.js'), '--headless',
    ], {
        env: { ...process.env, LISTEN_PATH: inside },
        stdio: ['ignore', log, log],
    });
}


async function started(child) {
    while (child.exitCode === null) {
        const sock = connect(inside);

        const there = await new Promise((tell) => {
            sock.once('connect', () => tell(true));
            sock.once('error', () => tell(false));
        });

        sock.destroy();

        if (there) {
            return true;
        }

        await new Promise((again) => { setTimeout(again, 50); });
    }

    return false;
}


// From nginx to the gateway, the bodies are kept.

async function relay() {
    const sent = [];

    const server = createServer(async (req, res) => {
        const parts = [];

        for await (const part of req) {
            parts.push(part);
        }

        const body = Buffer.concat(parts);

        sent.push(body.toString());

        // one connection a request on this side, as on nginx's

        const onward = request({
            socketPath: inside, path: req.url, method: req.method,
            headers: req.headers, agent: false,
        }, (answer) => {
            delete answer.headers['transfer-encoding'];
            res.writeHead(answer.statusCode, answer.headers);
            answer.pipe(res);
        });

        onward.on('error', () => res.destroy());
        onward.end(body);
    });

    await new Promise((ready) => { server.listen(socket, ready); });

    return { sent, close: () => {
        server.closeAllConnections();
        server.close();
    } };
}


function chat(model, id = 'shot') {
    return { model, messages: [{ role: 'user', content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: `artifact:${id}`,
                                          detail: 'low' } },
    ] }] };
}


// What nginx has to make of it.

function expanded(body, bytes = shot) {
    return JSON.stringify(body)
        .replaceAll(/"artifact:\w+"/g, `"data:image/png;base64,${bytes}"`);
}


function clientOf(api, provider, headers = {}) {
    return new OpenAI({
        apiKey: 'k', maxRetries: 0, baseURL: `http://127.0.0.1:${port}/v1`,
        defaultHeaders: {
            'x-portkey-provider': provider,
            'x-portkey-custom-host': `http://127.0.0.1:${api.port}/v1`,
            ...headers,
        },
    });
}


async function whole({ api, sent }) {
    const client = clientOf(api, 'openai');
    const body = chat('sees');

    sent.length = 0;
    api.seen = null;

    const result = await client.chat.completions.create(body);

    ok(result.choices[0].message.content === said, 'the answer comes back');
    ok(sent.length === 1 && sent[0] === expanded(body),
       'nginx sends the image', sent);
    ok(isDeepStrictEqual(JSON.parse(api.seen.body).messages,
                         JSON.parse(sent[0]).messages),
       'and the gateway passes it on', api.seen.body);

    await client.chat.completions.create(chat('reads'));

    ok(!sent[1].includes('base64') && sent[1].includes('artifact:shot'),
       'a model that reads gets words', sent[1]);
    ok(isDeepStrictEqual(JSON.parse(api.seen.body).messages,
                         JSON.parse(sent[1]).messages),
       'through the gateway, too', api.seen.body);
}


// The API says nothing more until the client has what it said.

async function streamed({ api, sent }) {
    const body = { ...chat('sees'), stream: true };
    let arrived = () => {};
    let text = '';

    sent.length = 0;
    api.between = () => new Promise((next) => { arrived = next; });

    const stream = await clientOf(api, 'openai').chat.completions.create(body);

    for await (const event of stream) {
        text += event.choices[0].delta.content ?? '';

        // behind the last event nothing is waited for

        if (event.choices[0].finish_reason) {
            api.between = null;
        }

        arrived();
    }

    ok(text === said, 'a stream, event by event', text);
    ok(sent[0] === expanded(body), 'nginx sends the image', sent[0]);
}


async function refused({ api, sent }) {
    const { count } = api;

    sent.length = 0;

    const error = await clientOf(api, 'openai').chat.completions
        .create(chat('sees', 'broken')).catch((thrown) => thrown);

    ok(error.status === 502 && error.code === 'source_failed',
       'an error of nginx', error);
    ok(sent.length === 0 && api.count === count, 'of which nobody hears');
}


// The gateway tries again: it has the body as nginx has sent it once.

async function retried({ api, sent }) {
    const { count } = api;

    sent.length = 0;
    api.failures = 1;

    const result = await clientOf(api, 'openai', {
        'x-portkey-config': JSON.stringify({
            provider: 'openai', api_key: 'k',
            custom_host: `http://127.0.0.1:${api.port}/v1`,
            retry: { attempts: 2, on_status_codes: [503] },
        }),
    }).chat.completions.create(chat('sees'));

    ok(result.choices[0].message.content === said, 'a retry of the gateway');
    ok(sent.length === 1 && api.count === count + 2, 'nginx has sent it once',
       sent.length, api.count - count);
    ok(api.seen.body.includes(shot), 'with the image in it');

    // and where it does not, nginx passes the API's error on

    api.failures = 1;

    const error = await clientOf(api, 'openai').chat.completions
        .create(chat('sees')).catch((thrown) => thrown);

    ok(error.status === 503, "an error of the API's", error);
}


// What the gateway makes of it for other providers.

async function others({ api, sent }) {
    for (const [provider, stream] of [
        ['anthropic', false], ['anthropic', true], ['mistral-ai', false],
        ['google', false],
    ]) {
        const body = { ...chat('sees'), max_tokens: 9, stream };

        sent.length = 0;

        const result = await clientOf(api, provider).chat.completions
            .create(body);
        let text = stream ? '' : result.choices[0].message.content;

        if (stream) {
            for await (const event of result) {
                text += event.choices[0]?.delta.content ?? '';
            }
        }

        ok(text === said, `${provider}, stream ${stream}: answered`, text);
        ok(sent[0] === expanded(body), `${provider}: nginx sends the image`);
        ok(api.seen.body.includes(`"${shot}"`)
           || api.seen.body.includes(`base64,${shot}"`),
           `${provider}: its API has it`, api.seen.body);
    }
}


async function tools({ api, sent }) {
    const call = (id) => ({ id, type: 'function',
                            function: { name: 'get', arguments: '{}' } });

    sent.length = 0;

    await clientOf(api, 'openai').chat.completions.create({
        model: 'sees', messages: [
            { role: 'user', content: 'q' },
            { role: 'assistant', content: null,
              tool_calls: [call('c1'), call('c2')] },
            { role: 'tool', tool_call_id: 'c1', content: 'artifact:shot' },
            { role: 'tool', tool_call_id: 'c2', content: 'artifact:shot' },
        ],
    });

    for (const [who, body] of [['nginx', sent[0]], ['API', api.seen.body]]) {
        const { messages } = JSON.parse(body);

        ok(messages.map(({ role }) => role).join()
           === 'user,assistant,tool,tool,user', `${who}: results together`);
        ok(JSON.stringify(messages[4]).split(shot).length === 3,
           `${who}: two images behind them`);
    }
}


// Megabytes, compressed requests, and many at once.

async function much({ api, sent }) {
    const client = clientOf(api, 'openai');

    sent.length = 0;
    await client.chat.completions.create(chat('sees', 'large'));
    ok(sent[0] === expanded(chat('sees', 'large'), large), 'megabytes');
    ok(api.seen.body.includes(large), 'arrive');

    sent.length = 0;

    const res = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: 'POST', body: gzipSync(JSON.stringify(chat('sees'))),
        headers: {
            'Content-Type': 'application/json', 'Content-Encoding': 'gzip',
            'Authorization': 'Bearer k', 'x-portkey-provider': 'openai',
            'x-portkey-custom-host': `http://127.0.0.1:${api.port}/v1`,
        },
    });

    ok(res.ok && sent[0] === expanded(chat('sees')), 'from gzip');

    sent.length = 0;

    const results = await Promise.all(Array.from({ length: 40 }, (_, n) =>
        client.chat.completions.create(chat(n % 2 ? 'sees' : 'reads'))));

    ok(results.every(({ choices: [first] }) => first.message.content === said),
       'forty at once');
    ok(sent.filter((body) => body === expanded(chat('sees'))).length === 20,
       'each its own');
}


const child = startGateway();

if (await started(child)) {
    const { sent, close } = await relay();
    const api = await stub(0);
    const steps = [whole, streamed, refused,
                   ...(scope === 'full' ? [retried, others, tools, much] : [])];

    for (const step of steps) {
        try {
            await step({ api, sent });

        } catch (error) {
            ok(false, step.name, error.stack,
               readFileSync(join(folder, 'gateway.log'), 'utf8').slice(-1500));
        }
    }

    close();
    api.close();

} else {
    ok(false, 'the gateway starts', readFileSync(join(folder, 'gateway.log')));
}

child.kill();

done();
