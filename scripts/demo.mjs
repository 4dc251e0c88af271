// demo.mjs NGINX MODULE GATEWAY
//
// An LLM gateway, Portkey's, which is installed in the folder GATEWAY, between two
// locations of nginx: twenty screenshots of 1.5 MB pass it, first as they are, then
// as stand-ins.  Prints what that costs the gateway, and what arrives at the
// provider, which is a server of this program, as everything is on 127.0.0.1 and
// in a temporary folder that is gone at the end.

import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect, createServer as listener } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { endAll, freePort, peak, portkey, screenshot, sha256, size, startNginx }
    from './lib/gateways.mjs';


const [, , nginx, module, gateway] = process.argv;

const shots = 20;
const turns = 3;


// --- servers -------------------------------------------------------------------

// The provider: what it gets is kept.

async function provider(path) {
    const kept = { bodies: [] };

    const server = createServer(async (req, res) => {
        const parts = [];

        for await (const part of req) {
            parts.push(part);
        }

        kept.bodies.push(Buffer.concat(parts));
        res.setHeader('Content-Type', 'application/json');
        res.end(JSON.stringify({
            id: 'x', object: 'chat.completion', created: 1, model: 'm',
            choices: [{ index: 0, finish_reason: 'stop',
                        message: { role: 'assistant', content: 'seen' } }],
            usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        }));
    });

    await new Promise((ready) => { server.listen(path, ready); });
    kept.close = () => { server.closeAllConnections(); server.close(); };

    return kept;
}


function conf(dir, port) {
    const media = join(dir, 'media');

    mkdirSync(join(media, 'artifacts'), { recursive: true });

    return `
    artifact_accept "text, vision";
    artifact_root ${media};

    server {
        listen 127.0.0.1:${port};

        location /artifacts/ {
            internal;
            artifact;
        }
        location /whole/ {
            proxy_pass http://unix:${dir}/gateway:/;
        }
        location /light/ {
            artifact_offload_request on;
            proxy_pass http://unix:${dir}/gateway:/;
        }
        location /behind/ {
            artifact_expand standins;
            proxy_pass http://unix:${dir}/provider:/;
        }
    }`;
}


// A gateway of its own for each way, so that its memory tells of that way alone.
// What nginx sends it is counted on the way.

async function startGateway(dir, way) {
    const inside = join(dir, `inside-${way}`);
    const child = await portkey(dir, `gateway-${way}`, inside, gateway);
    const kept = { bytes: 0 };
    const path = join(dir, 'gateway');

    rmSync(path, { force: true });

    const relay = listener((sock) => {
        const onward = connect(inside);

        sock.on('data', (bytes) => { kept.bytes += bytes.length; });
        sock.pipe(onward);
        onward.pipe(sock);
        sock.on('error', () => onward.destroy());
        onward.on('error', () => sock.destroy());
    });

    await new Promise((ready) => { relay.listen(path, ready); });

    kept.memory = () => peak(child);
    kept.log = () => statSync(join(dir, `gateway-${way}.log`)).size;
    kept.close = () => { relay.close(); child.kill(); };

    return kept;
}


// --- the two ways ----------------------------------------------------------------

function send(port, way, body) {
    return new Promise((done, failed) => {
        const req = request({
            host: '127.0.0.1', port, method: 'POST', agent: false,
            path: `/${way}/v1/chat/completions`,
            headers: {
                'Content-Type': 'application/json',
                'Content-Length': body.length, 'Authorization': 'Bearer k',
                'x-portkey-provider': 'openai',
                'x-portkey-custom-host': `http://127.0.0.1:${port}/behind/v1`,
            },
        }, async (res) => {
            const parts = [];

            for await (const part of res) {
                parts.push(part);
            }

            done({ status: res.statusCode,
                   text: Buffer.concat(parts).toString() });
        });

        req.once('error', failed);
        req.end(body);
    });
}


async function measure(dir, port, api, way, body, sums) {
    const kept = await startGateway(dir, way);
    const times = [];

    for (let turn = 0; turn < turns; turn++) {
        api.bodies.length = 0;

        const from = performance.now();
        const { status, text } = await send(port, way, body);

        times.push(performance.now() - from);

        if (status !== 200) {
            throw new Error(`${way}: ${status} ${text.slice(0, 300)}`);
        }
    }

    const got = JSON.parse(api.bodies.at(-1)).messages[0].content
        .filter(({ type }) => type === 'image_url')
        .map(({ image_url: { url } }) => sha256(
            Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')));

    const result = {
        bytes: kept.bytes / turns, time: times.sort((a, b) => a - b)[1],
        memory: kept.memory(), log: kept.log(),
        arrived: got.filter((sum, n) => sum === sums[n]).length,
    };

    kept.close();

    return result;
}


function print(whole, light) {
    const rows = [
        ['', 'as they are', 'as stand-ins'],
        ['a request, in the gateway', ...[whole, light].map((way) =>
            size(way.bytes))],
        ['time of a request', ...[whole, light].map((way) =>
            `${way.time.toFixed(0)} ms`)],
        ['memory of the gateway', ...[whole, light].map((way) =>
            size(way.memory))],
        ['its log', ...[whole, light].map((way) => size(way.log))],
        ['arrived, by SHA-256', ...[whole, light].map((way) =>
            `${way.arrived} of ${shots}`)],
    ];

    for (const [name, ...values] of rows) {
        console.log(name.padEnd(28)
                    + values.map((value) => value.padStart(14)).join(''));
    }
}


const dir = mkdtempSync(join(tmpdir(), 'artifact-demo-'));

try {
    const images = Array.from({ length: shots }, (_, n) => screenshot(n + 1));
    const sums = images.map(sha256);
    const port = await freePort();
    const api = await provider(join(dir, 'provider'));

    const body = Buffer.from(JSON.stringify({
        model: 'a-model', messages: [{ role: 'user', content: [
            { type: 'text', text: 'What has changed?' },
            ...images.map((image) => ({ type: 'image_url', image_url: {
                url: `data:image/png;base64,${image.toString('base64')}`,
            } })),
        ] }],
    }));

    console.log(`${shots} screenshots of ${size(images[0].length)}, `
                + `${turns} requests of ${size(body.length)} each way\n`);

    await startNginx(dir, 'nginx', nginx, module,
                     { port, host: '127.0.0.1' }, conf(dir, port));

    const whole = await measure(dir, port, api, 'whole', body, sums);
    const light = await measure(dir, port, api, 'light', body, sums);

    print(whole, light);
    api.close();

    if (light.arrived !== shots || whole.arrived !== shots) {
        process.exitCode = 1;
    }

} finally {
    await endAll();
    rmSync(dir, { recursive: true, force: true });
}
