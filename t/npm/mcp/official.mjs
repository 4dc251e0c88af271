// official.mjs URL DATA
//
// The two official clients, at a server whose data root is DATA: each list,
// each tool, each error, and pages of a list while artifacts come and go.

import {
    existsSync, readFileSync, readdirSync, unlinkSync, writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import {
    Client as Modern, StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client as Older } from '@modelcontextprotocol/sdk/client/index.js';
import {
    StreamableHTTPClientTransport as OlderTransport,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { done, ok } from './tap.mjs';


const [base, data] = process.argv.slice(2);
const info = { name: 'tests', version: '1' };

const clients = {
    modern: {
        revision: '2026-07-28', missing: -32602,
        client: () => new Modern(info, {
            versionNegotiation: { mode: 'auto' } }),
        transport: ModernTransport,
    },

    'modern, by default': {
        revision: '2025-11-25', missing: -32602,
        client: () => new Modern(info), transport: ModernTransport,
    },

    older: {
        revision: '2025-11-25', missing: -32002,
        client: () => new Older(info), transport: OlderTransport,
    },
};


// A connected client; change: what becomes of a request's headers.

async function connected({ client, transport: Transport }, at = '/mcp',
                         change = (headers) => headers)
{
    const own = client();
    const errors = [];

    own.onerror = (error) => errors.push(error);

    await own.connect(new Transport(new URL(at, base), {
        fetch: (url, init) => fetch(url, {
            ...init, headers: change(new Headers(init.headers), init),
        }),
    }));

    return { own, errors };
}


async function fails(label, code, ask) {
    try {
        const result = await ask();
        ok(false, label, JSON.stringify(result).slice(0, 300));

    } catch (error) {
        ok(error.code === code || error.data?.status === code, label,
           error.code, error.message);
        return error;
    }
}


const words = ({ content }) => content.map(({ text }) => text ?? '').join('\n');

const call = (own, name, args) => own.callTool({ name, arguments: args });


// --- reading -----------------------------------------------------------------

async function resources(label, own) {
    const { resourceTemplates } = await own.listResourceTemplates();

    ok(resourceTemplates.length === 3, `${label}: three templates`);

    const { contents: [text] } = await own.readResource(
        { uri: 'artifact:notes' });

    ok(text.text === 'These are words.\n' && text.mimeType === 'text/plain',
       `${label}: a text`, JSON.stringify(text));

    const { contents: [image] } = await own.readResource(
        { uri: 'artifact:shot' });

    ok(Buffer.from(image.blob, 'base64').equals(
           readFileSync(join(data, 'artifacts', 'shot'))),
       `${label}: the bytes of an image`);

    const { contents: [file] } = await own.readResource(
        { uri: 'workspace:agent:1/new%0Aline%20%C3%A4.txt' });

    ok(file.text === 'n\n' && file.uri.startsWith('artifact:ws:agent:1:'),
       `${label}: a file by its path`, JSON.stringify(file));

    const { contents: [same] } = await own.readResource({ uri: file.uri });

    ok(same.uri === file.uri, `${label}: and by its canonical URI`);
}


// What frameworks send that demand all arguments, and a model's mistakes.

async function uploads(label, own) {
    const { structuredContent: ticket } = await call(own, 'request_upload', {
        mime_type: 'image/png', name: null, size: null });

    const sent = () => fetch(ticket.url, { method: ticket.method,
                                           body: 'bytes' });
    const first = await sent();
    const json = await first.text();

    ok(first.status === 201 && JSON.parse(json).artifactRef === ticket.ref,
       `${label}: an upload`, first.status, json);

    const again = await sent();

    ok(again.status === 200 && await again.text() === json,
       `${label}: twice`, again.status);

    const { structuredContent: shared } = await call(own, 'share_artifact', {
        ref: ticket.ref, workspace: null, path: null });

    ok(await (await fetch(shared.url)).text() === 'bytes',
       `${label}: share_artifact`, JSON.stringify(shared));

    const wrong = await call(own, 'request_upload', { type: 'image/png' });

    ok(wrong.isError && words(wrong).includes('type')
       && wrong.structuredContent === undefined,
       `${label}: a wrong argument`, JSON.stringify(wrong));

    const all = { ref: 'artifact:notes', workspace: null, path: null,
                  lines: null, bytes: null, grep: null, context: null,
                  max_bytes: null };
    const read = await call(own, 'read_artifact', all);

    ok(words(read) === 'These are words.\n'
       && read.content[0]._meta['artifact/ref'] === 'artifact:notes',
       `${label}: arguments that are null`, JSON.stringify(read));

    const part = await call(own, 'read_artifact', { ...all, bytes: '6-8' });

    ok(words(part) === '[bytes 6 to 8 of 17]\nare',
       `${label}: bytes`, words(part));
}


async function reading(label, own) {
    ok(words(await call(own, 'read_artifact', { ref: 'artifact:notes' }))
           .includes('These are words.'), `${label}: read_artifact`);

    const found = words(await call(own, 'read_artifact', {
        ref: 'artifact:log', grep: 'needle', context: 0 }));

    ok(/31415.*a needle/.test(found) && /50000/.test(found)
       && found.length < 500, `${label}: one line of 50,000`, found);

    const list = await call(own, 'list_artifacts', {
        type: 'image/*', limit: 5 });

    ok(words(list).includes('artifact:shot') && list.structuredContent,
       `${label}: list_artifacts`, words(list));

    const files = await call(own, 'list_workspace', { workspace: 'agent:1' });

    ok(/\S/.test(words(files)) && files.structuredContent,
       `${label}: list_workspace`, words(files));

    ok(/gpt-4o/.test(words(await call(own, 'find_service', {
        capability: 'vision' }))), `${label}: find_service`);
}


// --- writing -----------------------------------------------------------------

async function writing(label, own) {
    const workspace = `by-${label.replace(/\W+/g, '-')}`;
    const at = join(data, 'workspaces', workspace, 'a', 'b.txt');
    const file = { workspace, path: 'a/b.txt' };
    const bytes = Buffer.from(Array.from({ length: 70000 }, (_, i) => i % 251));

    await call(own, 'write_file', { ...file, content: 'first ä\n' });
    ok(readFileSync(at, 'utf8') === 'first ä\n', `${label}: write_file`);

    await call(own, 'write_file', { ...file,
                                    base64: bytes.toString('base64') });
    ok(readFileSync(at).equals(bytes), `${label}: with base64`);

    const refused = await call(own, 'write_file', {
        ...file, content: 'x', if_match: '"of-before"' });

    ok(refused.isError && readFileSync(at).equals(bytes),
       `${label}: another version stays`, words(refused));

    const saved = words(await call(own, 'save_artifact', {
        name: 'n.bin', mime_type: 'application/octet-stream',
        base64: bytes.toString('base64') }));
    const [uri] = /artifact:[0-9a-f-]{36}/.exec(saved) ?? ['artifact:none'];
    const { contents: [blob] } = await own.readResource({ uri });

    ok(Buffer.from(blob.blob, 'base64').equals(bytes),
       `${label}: save_artifact`, saved);

    await call(own, 'delete_file', file);
    ok(!existsSync(at), `${label}: delete_file`);
    ok((await call(own, 'delete_file', file)).isError,
       `${label}: what is gone cannot be deleted`);
}


// --- errors ------------------------------------------------------------------

async function errors(label, kind, own) {
    const read = (uri) => () => own.readResource({ uri });
    const tool = (name, args) => () => call(own, name, args);

    await fails(`${label}: a missing resource`, kind.missing,
                read('artifact:none'));
    await fails(`${label}: no URI of ours`, kind.missing,
                read('file:///etc/passwd'));
    await fails(`${label}: no tool`, -32602, tool('no_such', {}));

    for (const args of [{ ref: 'artifact:notes', more: 1 }, { ref: 7 }]) {
        const result = await call(own, 'read_artifact', args);

        ok(result.isError && /"ref" has|argument: more/.test(words(result)),
           `${label}: words about an argument`, words(result));
    }

    await fails(`${label}: a cursor of nobody`, -32602,
                () => own.listResources({ cursor: 'words' }));
    await fails(`${label}: no method`,
                kind.revision === '2026-07-28' ? 404 : -32601,
                () => own.request({ method: 'no/such', params: {} },
                                  { parse: (x) => x,
                                    safeParse: (x) => ({ success: true,
                                                         data: x }),
                                    '~standard': { version: 1, vendor: 'x',
                                        validate: (value) => ({ value }) } }));

    const large = await fails(`${label}: a large resource`, -32602,
        async () => (await connected(kind, '/limited')).own.readResource(
            { uri: 'artifact:log' }));

    ok(large?.data?.size > 100_000 && large.data.url
       && large.data.uri === 'artifact:log', `${label}: and where it is`,
       JSON.stringify(large?.data));

    ok((await call(own, 'read_artifact', { ref: 'artifact:none' })).isError,
       `${label}: a tool has words`);
    await fails(`${label}: a page of another site`, 403,
        async () => (await connected(kind, '/mcp', (headers) => {
            headers.set('Origin', 'https://evil.example.com');
            return headers;
        })).own.listTools());
    await fails(`${label}: a body that is too large`, 413,
                tool('read_artifact', { ref: 'x'.repeat(2_000_000) }));
}


// A header that is not the body's: only modern clients have them.

async function headers(label, kind) {
    for (const name of ['mcp-name', 'mcp-method']) {
        const { own } = await connected(kind, '/mcp', (sent) => {
            if (sent.get('mcp-method') === 'tools/call') {
                sent.set(name, 'another');
            }
            return sent;
        });

        await fails(`${label}: ${name} of another`, -32020,
                    () => call(own, 'read_artifact',
                               { ref: 'artifact:notes' }));
        await own.close();
    }
}


// --- pages -------------------------------------------------------------------

// All resources: the modern client goes through the pages by itself.

async function listAll(own) {
    const first = await own.listResources();
    const all = [...first.resources];

    for (let { nextCursor: cursor } = first; cursor !== undefined;) {
        const page = await own.listResources({ cursor });

        all.push(...page.resources);
        cursor = page.nextCursor;
    }

    return all.map(({ uri }) => uri);
}


const folder = join(data, 'artifacts');
let count = 0;

function write(id) {
    writeFileSync(join(folder, id), 'content');
    writeFileSync(join(folder, `${id}.meta`), JSON.stringify(
        { id, extension: '', type: 'text/plain', name: `${id}.txt` }));
}


async function pages(label, own) {
    let going = true;
    const stay = readdirSync(folder).filter((name) => /^p\d*[1-9]$/.test(name));

    // those with a zero at their end are others'

    const others = (async () => {
        while (going) {
            for (let i = 0; i < 20; i++) {
                const id = `p${String(++count % 2600).padStart(4, '0')}-w`;

                if (existsSync(join(folder, id))) {
                    unlinkSync(join(folder, id));
                    unlinkSync(join(folder, `${id}.meta`));

                } else {
                    write(id);
                }
            }

            await new Promise((next) => setTimeout(next, 1));
        }
    })();

    for (let round = 0; round < 3; round++) {
        const seen = new Map();

        for (const uri of await listAll(own)) {
            seen.set(uri, (seen.get(uri) ?? 0) + 1);
        }

        const wrong = stay.filter((id) => seen.get(`artifact:${id}`) !== 1);

        ok(stay.length >= 2000 && wrong.length === 0,
           `${label}: each that stays is seen once`, ...wrong.slice(0, 5));
        ok([...seen.values()].every((times) => times === 1),
           `${label}: none twice`);
    }

    going = false;
    await others;
}


for (const [label, kind] of Object.entries(clients)) {
    const { own, errors: seen } = await connected(kind);
    const { tools } = await own.listTools();

    ok(tools.length === 7, `${label}: the tools`,
       ...tools.map(({ name }) => name));
    ok(own.getServerVersion?.()?.name === undefined
       || own.getServerVersion().name.length > 0, `${label}: who it is`);

    for (const step of [
        () => resources(label, own), () => reading(label, own),
        async () => uploads(label,
                            (await connected(kind, '/tickets')).own),
        () => writing(label, own), () => pages(label, own),
    ]) {
        try {
            await step();
        } catch (error) {
            ok(false, `${label}: ${step}`, error.stack);
        }
    }

    ok(seen.length === 0, `${label}: no error in between`, ...seen);

    await errors(label, kind, own);

    if (kind.revision === '2026-07-28') {
        await headers(label, kind);
    }

    await own.close();
}

done();
process.exit();
