// MCP servers to choose from: this folder's own and public ones.  Of each: what
// is asked of it in three turns, start(folder, images, host), which returns how
// it is reached and how it ends, and the Node.js that it needs, if a later one.

import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { serveTools } from './server.mjs';


const modules = join(dirname(dirname(fileURLToPath(import.meta.url))),
                     'node_modules');


async function freePort() {
    const server = createServer();

    await new Promise((done) => server.listen(0, '127.0.0.1', done));

    const { port } = server.address();

    await new Promise((done) => server.close(done));

    return port;
}


function answers(port) {
    return new Promise((done) => {
        const socket = connect({ host: '127.0.0.1', port });

        socket.on('connect', () => { socket.destroy(); done(true); });
        socket.on('error', () => done(false));
    });
}


// A program of a package, with the port that it is told to listen at.

async function program(folder, script, argsOf, env = {}) {
    const port = await freePort();
    const child = spawn(process.execPath,
        [join(modules, script), ...argsOf(port)], {
            cwd: folder, stdio: ['ignore', 'ignore', 'inherit'],
            env: { ...process.env, HOME: folder, PORT: `${port}`, ...env },
        });
    let ended = false;

    child.on('exit', () => { ended = true; });

    while (!ended && !await answers(port)) {
        await new Promise((done) => setTimeout(done, 50));
    }

    if (ended) {
        throw new Error(`${script} does not start`);
    }

    return {
        target: { port },
        close: () => new Promise((done) => {
            child.on('exit', done);
            child.kill();
        }),
    };
}


export const servers = {
    own: {
        plan: [
            [{ tool: 'photo' }],
            [{ tool: 'look' }, { tool: 'measure' }],
            [{ tool: 'photo' }],
        ],

        start: async (folder, images) => {
            const { port, close } = await serveTools(0, images);

            return { target: { port }, close };
        },
    },

    everything: {
        plan: [
            [{ tool: 'get-tiny-image' }],
            [{ tool: 'get-annotated-message',
               args: { messageType: 'error', includeImage: true } },
             { tool: 'get-structured-content',
               args: { location: 'New York' } }],
            [{ tool: 'get-tiny-image' }],
        ],

        start: (folder) => program(folder,
            '@modelcontextprotocol/server-everything/dist/index.js',
            () => ['streamableHttp']),
    },

    filesystem: {
        node: 20,
        plan: [
            [{ tool: 'read_media_file', args: { path: 'a.png' } }],
            [{ tool: 'read_media_file', args: { path: 'b.png' } },
             { tool: 'list_allowed_directories' }],
            [{ tool: 'read_media_file', args: { path: 'a.png' } }],
        ],

        start: (folder) => program(folder, 'mcp-proxy/dist/bin/mcp-proxy.mjs',
            (port) => ['--host', '127.0.0.1', '--port', `${port}`, '--server',
                       'stream', '--', process.execPath, join(modules,
                '@modelcontextprotocol/server-filesystem/dist/index.js'),
                       folder]),
    },

    playwright: {
        node: 20,
        plan: [
            [{ tool: 'browser_navigate', args: {
                url: 'data:text/html,<h1>Figures</h1><hr><p>words',
            } }],
            [{ tool: 'browser_take_screenshot', args: { scale: 'css' } }],
            [{ tool: 'browser_take_screenshot',
               args: { scale: 'css', fullPage: true } }],
        ],

        start: (folder, images, host) => {
            mkdirSync(join(folder, 'shots'), { recursive: true });

            return program(folder, '@playwright/mcp/cli.js', (port) => [
                '--headless', '--isolated', '--no-sandbox',
                '--executable-path', '/usr/bin/chromium',
                '--host', '127.0.0.1', '--port', `${port}`,
                '--allowed-hosts', host, '--output-dir',
                join(folder, 'shots'),
            ]);
        },
    },
};
