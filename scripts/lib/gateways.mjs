// Screenshots to send, and the processes of a demonstration or a measurement with
// LLM gateways, all at 127.0.0.1 and in a folder of its own.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer as listener } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 as zlibCrc, deflateSync } from 'node:zlib';


const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
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


// A page of text-like noise: 1.5 MB as a PNG with 900 lines.

export function screenshot(seed, height = 900) {
    const width = 1440;
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


export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');


export const size = (bytes) => bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB`
    : bytes >= 1e3 ? `${(bytes / 1e3).toFixed(1)} KB` : `${bytes} bytes`;


// --- processes -----------------------------------------------------------------

export function freePort() {
    return new Promise((tell) => {
        const server = listener().listen(0, '127.0.0.1', () => {
            const { port } = server.address();

            server.close(() => tell(port));
        });
    });
}


// Until somebody listens; an error if the process ends before.

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

    throw new Error(`${child.spawnargs.join(' ')} does not start`);
}


// What it prints is in NAME.log of the folder.

function run(dir, name, command, args, env = {}) {
    const log = openSync(join(dir, `${name}.log`), 'w');
    const child = spawn(command, args, {
        env: { ...process.env, ...env }, stdio: ['ignore', log, log] });

    children.push(child);

    return child;
}


// A program of Node.js that listens at a path, whatever it was told.

export async function program(dir, name, path, script, args, env = {}) {
    const child = run(dir, name, process.execPath, [
        '--require', join(root, 't/npm/gateway/listen.cjs'), script, ...args,
    ], { ...env, LISTEN_PATH: path });

    await answers(path, child);

    return child;
}


// Portkey's gateway, as it is installed in a folder.

export const portkey = (dir, name, path, installed) => program(dir, name, path,
    join(installed, 'node_modules/@portkey-ai/gateway/build/start-server.js'),
    ['--headless']);


// nginx with a configuration in "http", and its folder below "dir".

export async function startNginx(dir, name, nginx, module, where, http) {
    const prefix = join(dir, name);

    mkdirSync(prefix);
    writeFileSync(join(prefix, 'nginx.conf'), `
daemon off;
pid ${prefix}/nginx.pid;
error_log ${prefix}/error.log warn;
${process.getuid() ? '' : 'user root;'}
load_module ${resolve(module)};
events { worker_connections 4096; }
http {
    access_log off;
    client_body_temp_path ${prefix}/body;
    proxy_temp_path ${prefix}/proxy;
    fastcgi_temp_path ${prefix}/fastcgi;
    uwsgi_temp_path ${prefix}/uwsgi;
    scgi_temp_path ${prefix}/scgi;
    client_max_body_size 64m;
    ${http}
}
`);

    const child = run(dir, name, nginx, [
        '-p', prefix, '-c', join(prefix, 'nginx.conf'),
        '-e', join(prefix, 'error.log')]);

    await answers(where, child);

    return child;
}


// The most memory that a process, and those that it has started, had so far.

export function peak({ pid }) {
    const hwm = (of) => 1024 * (/^VmHWM:\s+(\d+)/m.exec(
        readFileSync(`/proc/${of}/status`, 'utf8'))?.[1] ?? 0);
    const below = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');

    return [pid, ...below.split(' ').filter(Boolean)]
        .reduce((sum, of) => sum + hwm(of), 0);
}


export async function end(child) {
    child.kill();

    if (child.exitCode === null && child.signalCode === null) {
        await new Promise((ended) => { child.once('exit', ended); });
    }
}


export const endAll = () => Promise.all(children.map(end));
