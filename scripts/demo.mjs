// demo.mjs NGINX MODULE GATEWAY
//
// An LLM gateway, Portkey's, which is installed in the folder GATEWAY, between two
// locations of nginx: twenty screenshots of 1.5 MB pass it, first as they are, then
// as stand-ins.  Prints what that costs the gateway, and what arrives at the
// provider, which is a server of this program, as everything is on 127.0.0.1 and
// in a temporary folder that is gone at the end.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, statSync,
         writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect, createServer as listener } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 as zlibCrc, deflateSync } from 'node:zlib';


const [, , nginx, module, gateway] = process.argv;

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const shots = 20;
const turns = 3;
const children = [];


// --- screenshots ---------------------------------------------------------------

const table = Int32Array.from({ length: 256 }, (_, n) => {
    let value = n;

    for (let bit = 0; bit < 8; bit++) {
        value = value & 1 ? value >>> 1 ^ 0xedb88320 : value >>> 1;
    }

    return value;
});

function crc(bytes) {
    if (zlibCrc) {
        return zlibCrc(bytes);
    }

    let value = -1;

    for (const byte of bytes) {
        value = value >>> 8 ^ table[(value ^ byte) & 255];
    }

    return ~value >>> 0;
}


function chunk(name, data) {
    const out = Buffer.alloc(12 + data.length);

    out.writeUInt32BE(data.length, 0);
    out.write(name, 4, 'latin1');
    data.copy(out, 8);
    out.writeUInt32BE(crc(out.subarray(4, 8 + data.length)), 8 + data.length);

    return out;
}


// A page of text-like noise: 1.5 MB as a PNG.

function screenshot(seed) {
    const width = 1440, height = 900;
    const rows = Buffer.alloc(height * (1 + width * 3), 250);
    let state = seed * 2654435761 >>> 0;

    for (let y = 0; y < height; y++) {
        const from = y * (1 + width * 3);

        rows[from] = 0;

        for (let x = 1; x <= width * 3 * 0.38; x++) {
            state ^= state << 13;
            state ^= state >>> 17;
            state ^= state << 5;
            rows[from + x] = state;
        }
    }

    const header = Buffer.alloc(13);

    header.writeUInt32BE(width, 0);
    header.writeUInt32BE(height, 4);
    header.set([8, 2, 0, 0, 0], 8);

    return Buffer.concat([
        Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', header),
        chunk('IDAT', deflateSync(rows, { level: 1 })),
        chunk('IEND', Buffer.alloc(0)),
    ]);
}


const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');


// --- servers -------------------------------------------------------------------

function freePort() {
    return new Promise((tell) => {
        const server = listener().listen(0, '127.0.0.1', () => {
            const { port } = server.address();

            server.close(() => tell(port));
        });
    });
}


async function answers(where, child) {
    for (let tries = 0; tries < 400; tries++) {
        const there = await new Promise((tell) => {
            const sock = connect(where);

            sock.once('connect', () => { sock.destroy(); tell(true); });
            sock.once('error', () => tell(false));
        });

        if (there) {
            return;
        }

        if (child.exitCode !== null) {
            break;
        }

        await new Promise((again) => { setTimeout(again, 50); });
    }

    throw new Error(`${child.spawnargs[0]} does not start`);
}


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


function run(dir, name, command, args, env = {}) {
    const log = openSync(join(dir, `${name}.log`), 'w');
    const child = spawn(command, args, {
        env: { ...process.env, ...env }, stdio: ['ignore', log, log] });

    children.push(child);

    return child;
}


async function startNginx(dir, port) {
    mkdirSync(join(dir, 'media', 'artifacts'), { recursive: true });

    writeFileSync(join(dir, 'nginx.conf'), `
daemon off;
pid ${dir}/nginx.pid;
error_log ${dir}/error.log warn;
${process.getuid() ? '' : 'user root;'}
load_module ${resolve(module)};
events { }
http {
    access_log off;
    client_body_temp_path ${dir}/body;
    proxy_temp_path ${dir}/proxy;
    fastcgi_temp_path ${dir}/fastcgi;
    uwsgi_temp_path ${dir}/uwsgi;
    scgi_temp_path ${dir}/scgi;
    client_max_body_size 64m;
    artifact_accept "text, vision";
    artifact_root ${dir}/media;

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
    }
}
`);

    const child = run(dir, 'nginx', nginx, [
        '-p', dir, '-c', join(dir, 'nginx.conf'), '-e', join(dir, 'error.log')]);

    await answers({ port, host: '127.0.0.1' }, child);
}


// A gateway of its own for each way, so that its memory tells of that way alone.
// What nginx sends it is counted on the way.

async function startGateway(dir, way) {
    const inside = join(dir, `inside-${way}`);
    const child = run(dir, `gateway-${way}`, process.execPath, [
        '--require', join(root, 't/npm/gateway/listen.cjs'),
        join(gateway, 'node_modules/@portkey-ai/gateway/build/start-server.js'),
        '--headless',
    ], { LISTEN_PATH: inside });

    await answers(inside, child);

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

    kept.memory = () => 1024 * /^VmHWM:\s+(\d+)/m.exec(
        readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1];
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


function size(bytes) {
    return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB`
        : bytes >= 1e3 ? `${(bytes / 1e3).toFixed(1)} KB` : `${bytes} bytes`;
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

    await startNginx(dir, port);

    const whole = await measure(dir, port, api, 'whole', body, sums);
    const light = await measure(dir, port, api, 'light', body, sums);

    print(whole, light);
    api.close();

    if (light.arrived !== shots || whole.arrived !== shots) {
        process.exitCode = 1;
    }

} finally {
    for (const child of children) {
        child.kill();
    }

    await Promise.all(children.map((child) => child.exitCode === null
        && child.signalCode === null
        && new Promise((ended) => { child.once('exit', ended); })));

    rmSync(dir, { recursive: true, force: true });
}
