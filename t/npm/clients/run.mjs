// run.mjs FOLDER PORT CLIENT[@SERVER]...
//
// Runs agents of real frameworks, three turns each: their tools are those of an
// MCP server behind nginx, with artifact_offload (/tools/mcp) and without
// (/plain/mcp), and so is their model, with artifact_expand.  FOLDER has
// the sockets that nginx passes requests to, "tools" and "model", and the
// pictures a.png to c.png.  Looked at is what arrives at the model.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
    commonStart, contentOf, elementsOf, hasBase64, picturesIn, refusals, sha256,
} from './checks.mjs';
import { apis, modelAt, said } from './model.mjs';
import { relay } from './relay.mjs';
import { servers } from './servers.mjs';
import { done, ok } from './tap.mjs';


const [folder, port, ...names] = process.argv.slice(2);

// Real names: some clients look at them.  The map says that the first of each
// sees and the second does not.

const models = {
    openai: ['gpt-4o', 'gpt-3.5-turbo'],
    openai_responses: ['gpt-4o', 'gpt-3.5-turbo'],
    anthropic: ['claude-opus-4-8', 'claude-2.1'],
    gemini: ['gemini-3-pro', 'gemini-3-nano'],
    gemini_before_3: ['gemini-2.5-pro', 'gemini-2.5-nano'],
};

const providers = { openai_responses: 'openai' };

const images = ['a.png', 'b.png', 'c.png'].map((name) =>
    readFileSync(join(folder, name)));

// what the tools of the own server show

const pictures = {
    photo: sha256(images[0]), look: sha256(images[1]),
    measure: sha256(images[2]),
};


// The server of a session, what it has returned, and what the client has sent.

let server;
const shown = [];
const sent = [];

const model = await modelAt(join(folder, 'model'), () => [...shown]);

const back = await relay(join(folder, 'tools'), () => server.target, {
    answered: (text, state) => {
        for (const picture of picturesIn(text)) {
            if (!state.has(picture.sha)) {
                state.add(picture.sha);
                shown.push(picture);
            }
        }
    },
});

const front = await relay(0, () => ({ port }), {
    asked: (url, text) => sent.push({ url, text }),
});


// --- one session -------------------------------------------------------------

// Fails with what is wrong of it, in any of the session's requests.

function none(label, wrong) {
    ok(wrong.length === 0, label, ...wrong.slice(0, 1));
}


// How far a request begins as the one before: elements, and whether it has all.

function startOf(list, i, name) {
    const [old, now] = [list[i - 1], list[i]].map(({ text }) =>
        elementsOf(text, name));
    const same = commonStart(old, now);

    return { same, all: same === old.length,
             what: `${old[same]}\n${now[same]}`.slice(0, 1000) };
}


// What arrives begins as the last time if what the client sends does.

function checkHistory(label, seen, keeps) {
    const asked = sent.filter(({ url }) =>
        Object.values(apis).some(({ path }) =>
            path.test(new URL(url, 'http://h').pathname)));

    // a thread that goes on is sent without its history

    const whole = seen.map(({ body }) => body.thread?.type !== 'continue');
    const [requests, arrived] = [asked, seen].map((list) =>
        list.filter((request, i) => whole[i]));
    const wrong = [];
    let kept = true;

    ok(asked.length === seen.length, `${label}: each request arrives`,
       asked.length, seen.length);

    for (let i = 1; i < arrived.length; i++) {
        const { list } = apis[arrived[i].api];
        const own = startOf(requests, i, list);
        const out = startOf(arrived, i, list);

        kept &&= own.all;

        if (own.all ? !out.all : out.same < own.same) {
            wrong.push(`request ${i}, element ${out.same}\n${out.what}`);
        }
    }

    none(`${label}: a request begins as the one before`, wrong);
    ok(kept === keeps, `${label}: the client ${keeps ? 'keeps' : 'changes'
       } its own history`);
}


// The hashes of what the tools have shown that has to be in a request.

function wanted({ seen }, i, loses) {
    const { body, shown: all } = seen[i];
    const from = body.thread?.type === 'continue' ? seen[i - 1].shown.length
                                                  : 0;
    const lost = loses.map((tool) => pictures[tool]);

    return all.slice(from).filter(({ sha }) => !lost.includes(sha));
}


const hashes = (list) => `${[...new Set(list.map(({ sha }) => sha))].sort()}`;


// What is wrong of a request.  loses: tools whose pictures the client drops
// itself where it gets bytes.

function lookAt(request, i, sees, loses, wrong) {
    const { media, texts } = contentOf(request.body);
    const want = wanted(model, i, loses);
    const words = texts.join('\n');
    const body = `request ${i}: ${JSON.stringify(
        request.body[apis[request.api].list]).replace(
        /[A-Za-z0-9+/=_-]{200,}/g, (run) => `<${run.length}>`)}`;

    wrong.shape.push(...refusals(request).map((why) => `${why}\n${body}`));

    if (hashes(media) !== (sees ? hashes(want) : '')
        || sees && media.length < want.length)
    {
        wrong.pictures.push(`has ${hashes(media)}\n${
            sees ? `not ${hashes(want)}` : ''}\n${body}`);
    }

    if (!media.every(({ fits }) => fits)) {
        wrong.types.push(`${JSON.stringify(media)}\n${body}`);
    }

    if (texts.some(hasBase64)) {
        wrong.base64.push(body);
    }

    if (!sees && (words.split('[Unreadable]').length <= want.length
        || !want.every(({ size }) =>
            words.includes(`Size: ${(size / 1024).toFixed(1)} KB`))))
    {
        wrong.words.push(body);
    }
}


// refused: what the client makes of bytes is nothing that the provider takes.

function checkRequests(label, sees, { loses = [], refused = false }) {
    const wrong = { shape: [], pictures: [], types: [], base64: [], words: [] };

    model.seen.forEach((request, i) =>
        lookAt(request, i, sees, loses, wrong));

    if (refused) {
        ok(wrong.shape.length + wrong.types.length > 0,
           `${label}: the client's own form, which the provider refuses`);

    } else {
        none(`${label}: all that the provider takes`, wrong.shape);
        none(`${label}: media types are those of the bytes`, wrong.types);
    }

    none(`${label}: ${sees ? 'the pictures, by their SHA-256' : 'no picture'}`,
         wrong.pictures);
    none(`${label}: no base64 in texts`, wrong.base64);

    if (!sees) {
        none(`${label}: descriptions`, wrong.words);
    }
}


async function session(client, variant, on, which, offload) {
    const { api, option } = variant;
    const sees = which === 0;
    const label = [client.name, api, option, on === 'own' ? '' : `@${on}`,
                   sees ? 'sees' : 'reads', offload ? 'offload' : 'bytes',
                   ].filter(Boolean).join(', ');
    const home = join(folder, `home.${label.replace(/\W+/g, '-')}`);
    const quirks = offload ? {} : variant.bytes ?? {};

    mkdirSync(home);
    model.start(servers[on].plan);
    sent.length = 0;
    shown.length = 0;

    let answers;

    try {
        answers = await client.session({
            ...variant, home, id: label,
            model: models[variant.models ?? api][which],
            base: `http://127.0.0.1:${front.port}/${providers[api] ?? api}`,
            servers: { pictures: `http://127.0.0.1:${port}/${
                offload ? 'tools' : 'plain'}/mcp` },
            turns: ['What is it?', 'And now?', 'Once more?'],
        });

    } catch (error) {
        ok(false, `${label}: it runs`, error.stack, ...model.errors);
        return;
    }

    keep(label);

    ok(`${answers}` === `${Array(3).fill(said)}`, `${label}: what it says`,
       answers, ...model.errors);
    ok(model.seen.length === 6 && shown.length >= 2, `${label}: to the end`,
       model.seen.length, JSON.stringify(shown));

    checkRequests(label, sees, quirks[sees ? 'sees' : 'reads'] ?? {});
    checkHistory(label, model.seen, client.keeps ?? true);

    if (offload) {
        ok(!sent.some(({ text }) => hasBase64(text)),
           `${label}: the client holds no base64`);
    }
}


// With CLIENTS_KEEP= what the client has sent and what has arrived.

function keep(label) {
    const to = process.env.CLIENTS_KEEP;

    if (!to) {
        return;
    }

    const name = label.replace(/\W+/g, '-');

    sent.forEach(({ text }, i) =>
        writeFileSync(join(to, `${name}.${i}.sent.json`), text));
    model.seen.forEach(({ text }, i) =>
        writeFileSync(join(to, `${name}.${i}.json`), text));
}


for (const name of names) {
    const [which, on = 'own'] = name.split('@');

    if (parseInt(process.versions.node, 10) < servers[on].node) {
        console.log(`${name} needs Node.js ${servers[on].node}`);
        continue;
    }

    const { client } = await import(`./client_${which}.mjs`);

    server = await servers[on].start(folder, images, `127.0.0.1:${port}`);

    for (const variant of client.variants) {
        for (const reader of [0, 1]) {
            for (const offload of [true, false]) {
                await session(client, variant, on, reader, offload);
            }
        }
    }

    await server.close();
}

front.close();
back.close();
model.close();
done();
process.exit();
