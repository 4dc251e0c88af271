// history.mjs FOLDER PORT SOCKET TURNS
//
// Sessions that grow by an image each turn, through nginx on PORT to SOCKET,
// which is ours; FOLDER/files/image{n} are the images.  Prints TAP.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { sender } from './send.mjs';
import { stub } from './stub.mjs';
import { done, ok } from './tap.mjs';


const [, , folder, port, socket, turns] = process.argv;

const MB = 1 << 20;


// APIs: where the messages stand in the bytes, and the part of an image.

const anthropic = {
    path: 'messages',
    head: (model) => `{"model":"${model}","max_tokens":9,"messages":[`,
    part: (ref) => ({ type: 'image', source: { type: 'url', url: ref } }),
    data: (part) => part.source?.data,
};

const openai = {
    path: 'chat/completions',
    head: (model) => `{"model":"${model}","messages":[`,
    part: (ref) => ({ type: 'image_url', image_url: { url: ref } }),
    data: (part) => part.image_url?.url.replace(/^.*,/, ''),
};


function userTurn(api, ...images) {
    return { role: 'user', content: [
        { type: 'text', text: `turn ${images[0]}` },
        ...images.map((n) => api.part(`artifact:image${n}`)),
    ] };
}


function bodyOf(api, model, turn) {
    const messages = [];

    for (let n = 1; n <= turn; n++) {
        messages.push(userTurn(api, n));

        if (n < turn) {
            messages.push({ role: 'assistant', content: `seen ${n}` });
        }
    }

    return api.head(model) + messages.map((message) =>
        JSON.stringify(message)).join() + ']}';
}


function sizeOf(part) {
    return Buffer.byteLength(JSON.stringify(part));
}


// What is wrong with a body that arrived, and its images: whether they are
// described, and how many bytes that took out.

function looked(api, body, turn) {
    const { messages } = JSON.parse(body.toString());
    const images = [];

    if (messages.length !== 2 * turn - 1
        || !messages.every(({ role }, n) =>
            role === (n % 2 ? 'assistant' : 'user')))
    {
        return { wrong: 'its messages' };
    }

    for (let n = 1; n <= turn; n++) {
        const part = messages[2 * n - 2].content[1];
        const data = files[n].toString('base64');
        const whole = sizeOf(part);

        if (part.type === 'text') {
            if (!part.text.includes(`artifact:image${n}`)) {
                return { wrong: `the words for image ${n}` };
            }

            // the part as it would be, by the one of the last turn

            const last = messages[2 * turn - 2].content[1];
            const shell = sizeOf(last)
                - (api.data(last)?.length ?? 0);

            images.push({ described: true,
                          saved: shell + data.length - whole });

        } else if (api.data(part) === data) {
            images.push({ described: false });

        } else {
            return { wrong: `the bytes of image ${n}` };
        }
    }

    const cut = images.filter(({ described }) => described).length;

    return images.slice(0, cut).every(({ described }) => described)
        ? { images, cut } : { wrong: 'it is not the oldest that went' };
}


// Whether the cut is where the rule has it: no fewer bytes than so many steps
// of half the limit, and the last image is needed for them.

function isRight(images, cut, length, limit) {
    const saved = images.slice(0, cut).reduce((sum, image) =>
        sum + image.saved, 0);
    const total = length + saved;

    if (total <= limit) {
        return cut === 0;
    }

    const least = Math.ceil((total - limit) / (limit / 2)) * (limit / 2);

    return saved >= least && saved - images[cut - 1].saved < least;
}


// Returns the sizes, how many images were described, and the last body.

async function session(label, { api, model, at, limit, until, text = false }) {
    const wrong = [];
    const sizes = [];
    const cuts = [];
    let before = null;

    for (let turn = 1; turn <= until; turn++) {
        const { status, body } = await send(`/${at}/${api.path}`,
                                            bodyOf(api, model, turn));

        if (status !== 200) {
            wrong.push(`turn ${turn}: ${status} ${body.toString()}`);
            break;
        }

        const { wrong: what, images, cut } = looked(api, body, turn);

        sizes.push(body.length);
        cuts.push(cut);

        if (what || body.length > limit) {
            wrong.push(`turn ${turn}: ${what ?? body.length}`);
            break;
        }

        if (text ? cut !== turn : !isRight(images, cut, body.length, limit)) {
            wrong.push(`turn ${turn}: ${cut} are described`);
        }

        // what a provider keeps: all but the end of the messages

        if (before && (text || cut === before.cut)) {
            const prefix = before.body.subarray(0, -2);

            if (!body.subarray(0, prefix.length).equals(prefix)) {
                wrong.push(`turn ${turn}: another prefix`);
            }
        }

        before = { body, cut };
    }

    ok(wrong.length === 0, `${label}: each turn is right`, ...wrong);

    return { sizes, cuts, last: before?.body };
}


const files = [null];

for (let n = 1; n <= turns; n++) {
    files.push(readFileSync(join(folder, 'files', `image${n}`)));
}

const echo = await stub(socket, { echo: true });
const send = sender(port);

const text = await session('a model that reads', {
    api: anthropic, model: 'reads', at: 'v1', limit: 32 * MB, until: turns,
    text: true,
});

ok(text.sizes.at(-1) < turns * 1024, 'words only', text.sizes);

const vision = await session('a model that sees', {
    api: anthropic, model: 'sees', at: 'v1', limit: 32 * MB, until: turns,
});

ok(Math.max(...vision.sizes) > 30 * MB, 'as much as goes in', vision.sizes);
ok(vision.cuts.join() === [...Array(23).fill(0), ...Array(12).fill(12),
                           ...Array(turns - 35).fill(24)].join(),
   'the cut moves as docs/gateway.md has it', vision.cuts);

const again = await send(`/v1/${anthropic.path}`,
                         bodyOf(anthropic, 'sees', turns));

ok(again.body.equals(vision.last), 'the same request, the same bytes');

const small = await session('a limit of our own', {
    api: openai, model: 'sees', at: 'small', limit: 8 * MB, until: 16,
});

ok(new Set(small.cuts).size === 5, 'its cut moves, too', small.cuts);

const { count } = echo;
const all = Array.from({ length: 25 }, (_, n) => n + 1);
const refused = await send(`/v1/${anthropic.path}`, anthropic.head('sees')
    + JSON.stringify(userTurn(anthropic, ...all)) + ']}');

ok(refused.status === 413
   && JSON.parse(refused.body).error.code === 'request_too_large',
   'a last message that is too large', refused.status);
ok(echo.count === count, 'does not go out');

echo.close();

done();
