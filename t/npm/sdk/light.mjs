// light.mjs FOLDER PORT PREFIX GATEWAY [ROUTER]
//
// A client, a real gateway between two locations of nginx on PORT, and the API of a
// provider behind them: what arrives there of media in requests, when they pass the
// gateway whole and when stand-ins pass it.  GATEWAY and ROUTER are the folders in
// which Portkey's and claude-code-router are installed.  Prints TAP.

import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

import { stub } from './stub.mjs';
import { done, ok } from './tap.mjs';


const [, , folder, port, prefix, installed, router] = process.argv;

const types = {
    png: 'image/png', jpeg: 'image/jpeg', gif: 'image/gif',
    webp: 'image/webp', pdf: 'application/pdf', wav: 'audio/wav',
    mp3: 'audio/mpeg', mp4: 'video/mp4',
};

const kinds = Object.keys(types);

const media = Object.fromEntries(kinds.map((kind) =>
    [kind, readFileSync(join(folder, 'files', kind)).toString('base64')]));

const isImage = (kind) => types[kind].startsWith('image/');
const url = (kind, data) => `data:${types[kind]};base64,${data}`;


// A part of each API.

const part = {
    chat(kind, data) {
        if (isImage(kind)) {
            return { type: 'image_url', image_url: { url: url(kind, data) } };
        }

        if (kind === 'pdf') {
            return { type: 'file', file: { filename: 'a.pdf',
                                           file_data: url(kind, data) } };
        }

        return kind === 'mp4'
            ? { type: 'video_url', video_url: { url: url(kind, data) } }
            : { type: 'input_audio', input_audio: { data, format: kind } };
    },

    messages: (kind, data) => ({
        type: isImage(kind) ? 'image' : 'document',
        source: { type: 'base64', media_type: types[kind], data },
    }),

    responses: (kind, data) => isImage(kind)
        ? { type: 'input_image', image_url: url(kind, data) }
        : { type: 'input_file', filename: `a.${kind}`,
            file_data: url(kind, data) },
};


// Requests with a part of a user, with one in a tool's result, and with a text of
// a tool that has the base64 in it.

const call = { id: 'c1', type: 'function',
               function: { name: 'get', arguments: '{}' } };
const question = { role: 'user', content: 'q' };

function chatTool(model, content) {
    return { model, max_tokens: 9, messages: [
        question, { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content },
    ] };
}

function messagesTool(model, content) {
    return { model, max_tokens: 9, messages: [
        question,
        { role: 'assistant', content: [
            { type: 'tool_use', id: 'c1', name: 'get', input: {} }] },
        { role: 'user', content: [
            { type: 'tool_result', tool_use_id: 'c1', content }] },
    ] };
}

const shapes = {
    chat: {
        path: '/v1/chat/completions',
        user: (model, one) => ({ model, max_tokens: 9, messages: [
            { role: 'user', content: [{ type: 'text', text: 'q' }, one] }] }),
        tool: (model, one) => chatTool(model, [one]),
        text: chatTool,
    },
    messages: {
        path: '/v1/messages',
        user: (model, one) => ({ model, max_tokens: 9, messages: [
            { role: 'user', content: [{ type: 'text', text: 'q' }, one] }] }),
        tool: (model, one) => messagesTool(model, [
            { type: 'text', text: 'r' }, one]),
        text: messagesTool,
    },
    responses: {
        path: '/v1/responses',
        user: (model, one) => ({ model, input: [{ role: 'user', content: [
            { type: 'input_text', text: 'q' }, one] }] }),
        tool: (model, one) => ({ model, input: [
            question,
            { type: 'function_call', call_id: 'c1', name: 'get',
              arguments: '{}' },
            { type: 'function_call_output', call_id: 'c1', output: [one] },
        ] }),
    },
};


// --- processes ---------------------------------------------------------------

async function listening(child, path) {
    for (let tries = 0; child.exitCode === null && tries < 400; tries++) {
        const sock = connect(path);

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


async function start(name, args, env = {}) {
    const path = join(prefix, name);
    const log = openSync(join(folder, `${name}.log`), 'w');

    const child = spawn(process.execPath, [
        '--require', join(folder, 'listen.cjs'), ...args,
    ], { env: { ...process.env, ...env, LISTEN_PATH: path },
         stdio: ['ignore', log, log] });

    return { child, there: await listening(child, path) };
}


const startPortkey = () => start('portkey', [
    join(installed, 'node_modules/@portkey-ai/gateway/build',
         'start-server.js'), '--headless']);


// Its providers are behind nginx: with media put back, or as they come.

const transformers = {
    openai: undefined, anthropic: 'Anthropic', gemini: 'gemini',
    responses: 'openai-responses', openrouter: 'openrouter',
};

const ends = {
    openai: 'v1/chat/completions', anthropic: 'v1/messages',
    gemini: 'v1beta/models/', responses: 'v1/responses',
    openrouter: 'openrouter/v1/chat/completions',
};

function startRouter() {
    const home = join(folder, 'home');

    mkdirSync(join(home, '.claude-code-router'), { recursive: true });
    writeFileSync(join(home, '.claude-code-router', 'config.json'),
                  JSON.stringify({
        LOG: false, NON_INTERACTIVE_MODE: true, HOST: '127.0.0.1', PORT: 1,
        Providers: ['behind', 'direct'].flatMap((place) =>
            Object.keys(ends).map((name) => ({
                name: `${place}-${name}`, api_key: 'k', models: ['sees'],
                api_base_url: `http://127.0.0.1:${port}/${place}/${ends[name]}`,
                ...transformers[name] && {
                    transformer: { use: [transformers[name]] },
                },
            }))),
        Router: { default: 'behind-openai,sees' },
    }));

    return start('router', [
        join(router, 'node_modules/@musistudio/claude-code-router/dist/cli.js'),
        'start',
    ], { HOME: home });
}


// --- what arrives --------------------------------------------------------------

let provider = null;


// "yes" if the bytes of a medium are at the provider, "words" if a description is,
// else what the client was told.

async function arrives(location, gateway, body, kind, headers) {
    provider.seen = null;

    const res = await fetch(`http://127.0.0.1:${port}/${location}/${gateway}`
                            + shapes[body.shape].path, {
        method: 'POST', body: JSON.stringify(body.json),
        headers: {
            'Content-Type': 'application/json', 'Authorization': 'Bearer k',
            'x-api-key': 'k', 'anthropic-version': '2023-06-01', ...headers,
        },
    });
    const told = await res.text();

    if (provider.seen === null) {
        return `${res.status} ${told.slice(0, 200)}`;
    }

    const seen = provider.seen.body.toString().replaceAll('\\/', '/');

    return seen.includes(media[kind]) ? 'yes'
        : /\[Unreadable\]|File processing failed/.test(seen) ? 'words' : 'lost';
}


// Each kind of a shape and position: where the original arrives, its stand-in does.

async function walk(name, gateway, shape, model, headers) {
    let count = 0;

    for (const position of ['user', 'tool', 'text']) {
        const make = shapes[shape][position];

        if (!make) {
            continue;
        }

        for (const kind of kinds) {
            const content = position === 'text'
                ? `see ${media[kind]} there` : part[shape](kind, media[kind]);
            const whole = await arrives('plain', gateway, {
                shape, json: make(model('direct'), content) }, kind,
                                        headers('direct'));
            const light = await arrives('front', gateway, {
                shape, json: make(model('behind'), content) }, kind,
                                        headers('behind'));

            ok(light === whole || light === 'yes',
               `${name}, ${shape}, ${position}, ${kind}: ${whole.slice(0, 40)}`,
               `whole: ${whole}\nlight: ${light}`,
               provider.seen?.body.toString()
                   .replaceAll(/[A-Za-z0-9+/]{200,}/g, '...'));
            count += light === 'yes' ? 1 : 0;
        }
    }

    return count;
}


// A session sends all its screenshots again with each turn.

async function session(gateway, headers) {
    const shots = [0, 1, 2].map((n) =>
        readFileSync(join(folder, 'files', `large-${n}`)).toString('base64'));

    for (let turn = 1; turn <= 4; turn++) {
        const sent = shots.slice(0, turn);
        provider.seen = null;

        const res = await fetch(`http://127.0.0.1:${port}/front/${gateway}`
                                + shapes.chat.path, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json',
                       'Authorization': 'Bearer k', ...headers },
            body: JSON.stringify({ model: 'sees', messages: sent.map((shot) => ({
                role: 'user', content: [part.chat('png', shot)] })) }),
        });
        await res.text();

        const seen = provider.seen?.body.toString() ?? '';

        ok(sent.every((shot) => seen.includes(`;base64,${shot}"`))
           && seen.length < sent.join('').length + 2000,
           `turn ${turn} of a session: its screenshots arrive`, seen.length);
    }
}


async function walkPortkey() {
    const { child, there } = await startPortkey();

    ok(there, 'Portkey starts');

    await session('portkey', {
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `http://127.0.0.1:${port}/behind/v1`,
    });

    for (const [name, list, least] of [
        ['openai', ['chat', 'responses'], 24],
        ['anthropic', ['chat', 'messages'], 20],
        ['google', ['chat'], 12],
        ['mistral-ai', ['chat'], 12],
    ].slice(0, router ? 4 : 1)) {
        let count = 0;

        for (const shape of list) {
            count += await walk(`Portkey to ${name}`, 'portkey', shape,
                                () => 'sees', (place) => ({
                'x-portkey-provider': name,
                'x-portkey-custom-host': `http://127.0.0.1:${port}/${place}/v1`,
            }));
        }

        ok(count >= least, `Portkey to ${name}: ${count} media arrive`, count);
    }

    child.kill();
}


async function walkRouter() {
    const { child, there } = await startRouter();

    ok(there, 'claude-code-router starts',
       readFileSync(join(folder, 'router.log')));

    for (const name of Object.keys(ends)) {
        const count = await walk(`router to ${name}`, 'router', 'messages',
                                 (place) => `${place}-${name},sees`,
                                 () => ({}));

        ok(count >= 6, `router to ${name}: ${count} media arrive`, count);
    }

    child.kill();
}


provider = await stub(join(prefix, 'provider'));

await walkPortkey();

if (router) {
    await walkRouter();
}

provider.close();

done();
