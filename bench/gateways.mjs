// gateways.mjs NGINX MODULE BUILD [SECONDS] [NAME=URL[,PID]]...
//
// What LLM gateways make of media: bodies of 1 KB of text, and of screenshots, 1,
// 10 and 28 MB, and 200 streams at once, through each of them and past them.  The
// provider is an nginx of its own that reads a body and answers with a completion;
// the streams come from this program.  All of it is at 127.0.0.1.
//
//     nginx       passes requests on
//     references  artifact_expand: requests have references, the provider media
//     Portkey     the gateway alone, from BUILD/gateway
//     .. between  the same between artifact_offload_request and artifact_expand
//     router      claude-code-router, if it is in BUILD/router ("make
//                 test-gateway" installs it), with Anthropic's API
//
// Another gateway is measured by its URL, to which /v1/chat/completions is
// appended; it sends on to http://127.0.0.1:PORT/v1, which is printed (the port
// is that of PROVIDER_PORT, if that is set), and PID is the process whose memory
// counts.  MODEL is the model that is asked for, "gpt-4o" if it is not set.
// docs/performance.md has configurations of some.
//
// Systems are asked in turns, by one connection each; of the times, the median and
// the 99th percentile are told, less the median of what goes to the provider
// straight.  Memory is the most that a process had.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { end, endAll, freePort, peak, portkey, program, screenshot, startNginx }
    from '../scripts/lib/gateways.mjs';


const [, , nginx, module, build, seconds = '8', ...others] = process.argv;

const host = '127.0.0.1';
const dir = mkdtempSync(join(tmpdir(), 'artifact-gateways-'));
const providerPort = Number(process.env.PROVIDER_PORT || await freePort());
const streamPort = await freePort();
const shots = Array.from({ length: 40 }, (_, n) => screenshot(n + 1, 315));


// --- bodies ----------------------------------------------------------------------

const text = 'What has changed since yesterday? '.repeat(28);
const question = { role: 'user', content: text };
const url = (n) => `data:image/png;base64,${shots[n].toString('base64')}`;

function chat(count, of) {
    return JSON.stringify({ model: process.env.MODEL || 'gpt-4o', messages: [
        question, ...Array.from({ length: count }, (_, n) => ({
            role: 'user', content: [{
                type: 'image_url', image_url: { url: of(n % shots.length) },
            }],
        })),
    ] });
}

function messages(count) {
    return JSON.stringify({ model: 'gpt-4o', max_tokens: 9, messages: [
        question, ...Array.from({ length: count }, (_, n) => ({
            role: 'user', content: [{ type: 'image', source: {
                type: 'base64', media_type: 'image/png',
                data: shots[n % shots.length].toString('base64'),
            } }],
        })),
    ] });
}

const bodies = [0, 1, 14, 40].map((count) => ({
    count, chat: chat(count, url), messages: messages(count),
    references: chat(count, (n) => `artifact:shot${n}`),
}));

for (const body of bodies) {
    const mb = body.chat.length / 1e6;

    body.name = body.count === 0 ? '1 KB of text'
        : `${body.count} screenshot${body.count > 1 ? 's' : ''}, ${
            mb.toFixed(mb < 10 ? 1 : 0)} MB`;
}


// --- servers ---------------------------------------------------------------------

const done = { id: 'x', object: 'chat.completion', created: 1, model: 'm',
    choices: [{ index: 0, finish_reason: 'stop',
                message: { role: 'assistant', content: 'seen' } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
const said = { id: 'x', type: 'message', role: 'assistant', model: 'm',
    content: [{ type: 'text', text: 'seen' }], stop_reason: 'end_turn',
    stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };


// "return" reads a body and drops it.

const providerConf = `
    client_body_buffer_size 64k;
    keepalive_requests 1000000;
    default_type application/json;
    server {
        listen ${host}:${providerPort};
        location / { return 200 '${JSON.stringify(done)}'; }
        location /v1/messages { return 200 '${JSON.stringify(said)}'; }
        location /streams/ {
            proxy_buffering off;
            proxy_pass http://${host}:${streamPort}/;
        }
    }`;

const ours = (port, locations) => `
    artifact_accept "text, vision";
    artifact_root ${dir}/media;
    keepalive_requests 1000000;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_buffering off;
    server {
        listen ${host}:${port};
        location /artifacts/ { internal; artifact; }
        ${locations}
    }`;


function store() {
    mkdirSync(join(dir, 'media', 'artifacts'), { recursive: true });

    shots.forEach((bytes, n) => {
        const path = join(dir, 'media', 'artifacts', `shot${n}`);

        writeFileSync(`${path}.png`, bytes);
        writeFileSync(`${path}.meta`, JSON.stringify({
            id: `shot${n}`, type: 'image/png', extension: '.png',
            size: bytes.length,
        }));
    });
}


// Events of a stream tell when they were sent.

const events = 50;

const streams = createServer((req, res) => {
    let left = events;

    req.resume();
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });

    const timer = setInterval(() => {
        const delta = { content: `${performance.now()}`, role: 'assistant' };

        res.write(`data: ${JSON.stringify({
            id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm',
            choices: [{ index: 0, delta, finish_reason: null }],
        })}\n\n`);

        if (--left === 0) {
            clearInterval(timer);
            res.end('data: [DONE]\n\n');
        }
    }, 100);
});


// --- systems ---------------------------------------------------------------------

// start(): { to, headers, body, processes }, "to" being where it listens.

const at = (port) => ({ host, port });
const straight = at(providerPort);
const origin = `http://${host}:${providerPort}`;
const toPortkey = (custom) => ({
    'x-portkey-provider': 'openai', 'x-portkey-custom-host': custom });

async function nginxWith(name, locations) {
    const port = await freePort();

    return [port, await startNginx(dir, `${name}-${port}`, nginx, module,
                                   at(port), ours(port, locations(port)))];
}

const passing = (what, to) => `location / { ${what} proxy_pass ${to}; }`;

async function around(start, api) {
    const inside = join(dir, `inside-${Math.random()}`);
    const [port, own] = await nginxWith('around', () => `
        location / {
            artifact_offload_request on;
            proxy_pass http://unix:${inside}:;
        }
        location /behind/ {
            artifact_expand standins;
            proxy_pass ${origin}/;
        }`);
    const child = await start(inside, `http://${host}:${port}/behind`);

    return { to: at(port), api, processes: [child, own],
             headers: toPortkey(`http://${host}:${port}/behind/v1`) };
}


async function router(inside, provider) {
    const home = join(dir, `home-${Math.random()}`);

    mkdirSync(join(home, '.claude-code-router'), { recursive: true });
    writeFileSync(join(home, '.claude-code-router', 'config.json'),
        JSON.stringify({
            LOG: false, NON_INTERACTIVE_MODE: true, HOST: host, PORT: 1,
            Providers: [{
                name: 'p', api_key: 'k', models: ['gpt-4o'],
                api_base_url: `${provider}/v1/messages`,
                transformer: { use: ['Anthropic'] },
            }],
            Router: { default: 'p,gpt-4o' },
        }));

    return program(dir, `router-${Math.random()}`, inside, join(build,
        'router/node_modules/@musistudio/claude-code-router/dist/cli.js'),
        ['start'], { HOME: home });
}

const systems = [
    ['straight', async () => ({ to: straight, processes: [] })],

    ['nginx', async () => {
        const [port, child] = await nginxWith('pass',
            () => passing('', origin));

        return { to: at(port), processes: [child] };
    }],

    ['references', async () => {
        const [port, child] = await nginxWith('expand',
            () => passing('artifact_expand on;', origin));

        return { to: at(port), processes: [child], body: 'references' };
    }],

    ['Portkey', async () => {
        const inside = join(dir, `inside-${Math.random()}`);
        const child = await portkey(dir, `alone-${Math.random()}`, inside,
                                    join(build, 'gateway'));

        return { to: { socketPath: inside }, processes: [child],
                 headers: toPortkey(`${origin}/v1`) };
    }],

    ['Portkey between', () => around(
        (inside) => portkey(dir, `between-${Math.random()}`, inside,
                            join(build, 'gateway')))],
];

if (existsSync(join(build, 'router', 'installed'))) {
    systems.push(['router', async () => {
        const inside = join(dir, `inside-${Math.random()}`);

        return { to: { socketPath: inside }, api: 'messages',
                 processes: [await router(inside, origin)] };
    }], ['router between', () => around(router, 'messages')]);
}

for (const other of others) {
    const [, name, to, pid] = /^(\w+)=([^,]+)(?:,(\d+))?$/.exec(other) ?? [];
    const { hostname, port, pathname } = new URL(to);

    systems.push([name, async () => ({
        to: { host: hostname, port }, prefix: pathname.replace(/\/$/, ''),
        processes: [], watched: pid ? [{ pid }] : [],
    })]);
}


// --- measuring -------------------------------------------------------------------

function ask(system, path, body, onEvent) {
    return new Promise((tell, failed) => {
        const req = request({
            ...system.to, method: 'POST', agent: system.agent,
            path: `${system.prefix ?? ''}${path}`,
            headers: {
                'Content-Type': 'application/json', 'Authorization': 'Bearer k',
                'x-api-key': 'k', 'anthropic-version': '2023-06-01',
                'Content-Length': Buffer.byteLength(body), ...system.headers,
            },
        }, (res) => {
            let got = '';

            res.setEncoding('utf8');
            res.on('data', (piece) => {
                got = onEvent ? onEvent(got + piece) : got + piece;
            });
            res.once('error', failed);
            res.once('end', () => res.statusCode === 200 ? tell(got)
                : failed(new Error(`${res.statusCode} ${got.slice(0, 200)}`)));
        });

        req.once('error', failed);
        req.end(body);
    });
}


function quantile(values, part) {
    const sorted = [...values].sort((a, b) => a - b);

    return sorted[Math.min(sorted.length - 1,
                           Math.floor(sorted.length * part))];
}


async function begin() {
    const running = [];

    for (const [name, start] of systems) {
        running.push({ name, times: [], ...await start(),
                       agent: new Agent({ keepAlive: true, maxSockets: 200 }) });
    }

    return running;
}


async function finish(running) {
    for (const { agent, processes } of running) {
        agent.destroy();
        await Promise.all(processes.map(end));
    }
}


const memory = ({ processes, watched = [] }) => [...processes, ...watched]
    .slice(0, 1).reduce((sum, child) => sum + peak(child), 0);


// Each of the systems once, and again, for a while; then several at once.

async function measure(body) {
    const running = await begin();
    const send = (system) => ask(system,
        system.api ? '/v1/messages' : '/v1/chat/completions',
        body[system.body ?? system.api ?? 'chat']);

    for (const system of running) {
        await send(system);
    }

    const until = performance.now() + seconds * 1000;

    while (performance.now() < until || running[0].times.length < 5) {
        for (const system of running) {
            const from = performance.now();

            await send(system);
            system.times.push(performance.now() - from);
        }
    }

    for (const system of running) {
        const from = performance.now();
        let count = 0;

        const one = async () => {
            do {
                await send(system);
                count++;
            } while (performance.now() - from < 2000);
        };

        await Promise.all(Array.from({ length: 8 }, one));
        system.rate = count / (performance.now() - from) * 1000;
        system.memory = memory(system);
    }

    await finish(running);

    return running;
}


async function measureStreams() {
    const running = await begin();
    const body = JSON.stringify({ model: 'gpt-4o', stream: true,
                                  messages: [question] });

    for (const system of running.filter(({ api }) => !api)) {
        const path = system.headers || system.prefix !== undefined
            ? '/v1/chat/completions' : '/streams/v1/chat/completions';

        // through a gateway to the streams of this program

        if (system.headers) {
            system.headers = toPortkey(
                system.headers['x-portkey-custom-host'].replace(
                    /\/v1$/, '/streams/v1'));
        }

        const look = (got) => {
            const end = got.lastIndexOf('\n\n');

            for (const [, sent] of got.slice(0, end + 2).matchAll(
                /"content":"([\d.]+)"/g))
            {
                system.times.push(performance.now() - sent);
            }

            return got.slice(end + 2);
        };

        const from = performance.now();

        await Promise.all(Array.from({ length: 200 },
                                     () => ask(system, path, body, look)));
        system.rate = 200 * events / (performance.now() - from) * 1000;
        system.memory = memory(system);
    }

    await finish(running);

    return running.filter(({ times }) => times.length > 0);
}


function print(name, running, unit) {
    const [{ times }] = running;
    const base = quantile(times, 0.5);

    console.log(`\n| ${name} | added ms | 99 % | ${unit} | MB |`);
    console.log('| --- | --- | --- | --- | --- |');

    for (const system of running) {
        const [p50, p99] = [0.5, 0.99].map((part) =>
            (quantile(system.times, part) - base).toFixed(1));
        const mb = system.memory ? (system.memory / 1e6).toFixed(0) : '-';

        console.log(system === running[0]
            ? `| straight | (${base.toFixed(1)}) | ${p99} | ${
                system.rate.toFixed(0)} | - |`
            : `| ${system.name} | ${p50} | ${p99} | ${
                system.rate.toFixed(0)} | ${mb} |`);
    }
}


try {
    store();
    await new Promise((ready) => { streams.listen(streamPort, host, ready); });
    await startNginx(dir, 'provider', nginx, module, straight, providerConf);
    console.log(`the provider is ${origin}`);

    for (const body of bodies) {
        print(body.name, await measure(body), 'requests/s');
    }

    print('200 streams of 50 events', await measureStreams(), 'events/s');

} finally {
    streams.closeAllConnections();
    streams.close();
    await endAll();
    rmSync(dir, { recursive: true, force: true });
}
