// check.mjs FOLDER
//
// FOLDER/{format}/{name} is the answer of nginx for the file FOLDER/files/{name}
// in that format.  Each is compiled against the types of the provider's SDK,
// and sent through its client to a server here; prints TAP.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { providers } from './providers.mjs';


const folder = process.argv[2];
const tsc = join(dirname(createRequire(import.meta.url)
    .resolve('typescript/package.json')), 'bin', 'tsc');

let count = 0;
let failed = 0;


function ok(pass, name, ...notes) {
    count++;

    if (!pass) {
        failed++;
    }

    console.log(`${pass ? '' : 'not '}ok ${count} - ${name}`);

    if (!pass) {
        for (const note of notes) {
            console.log(String(note).slice(0, 2000).replace(/^/gm, '# '));
        }
    }
}


function answersOf(format) {
    return readdirSync(join(folder, format)).sort().map((name) => ({
        name, part: JSON.parse(readFileSync(join(folder, format, name))),
    }));
}


// One source for each format.  A wrong part in it must be an error, else the
// type is none, and everything would be right.

function compile() {
    const files = providers.map((provider) => {
        const file = join(folder, `${provider.format}.mts`);
        const source = provider.source ?? JSON.stringify;

        const parts = answersOf(provider.format).map(({ name, part }) =>
            `// ${name}\nparts.push(${source(part)});`);

        writeFileSync(file, `${provider.type}

const parts: Part[] = [];

${parts.join('\n')}

// @ts-expect-error
parts.push(${JSON.stringify(provider.wrong)});

export { parts };
`);
        return file;
    });

    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({
        compilerOptions: {
            noEmit: true, strict: true, skipLibCheck: true,
            module: 'nodenext', target: 'es2022',
            lib: ['es2022', 'dom', 'dom.asynciterable'], types: [],
        },
        files,
    }));

    const run = spawnSync(process.execPath, [tsc, '-p', folder],
                          { encoding: 'utf8' });

    for (const { format } of providers) {
        const errors = run.stdout.split('\n').filter((line) =>
            line.includes(`${format}.mts`));

        ok(errors.length === 0, `${format}: its SDK has these types`, ...errors);
    }

    ok(run.status === 0, 'all of it compiles', run.stdout, run.stderr);
}


// Stores the last request's JSON.

function stub() {
    const seen = { body: null, answer: null };

    seen.server = createServer(async (req, res) => {
        const chunks = [];

        for await (const chunk of req) {
            chunks.push(chunk);
        }

        seen.body = Buffer.concat(chunks).toString();

        res.setHeader('Content-Type', 'application/json');
        res.end(JSON.stringify(seen.answer));
    });

    return seen;
}


// All the base64 of a part, the longest string that is base64 or a data URL.

function bytesOf(part) {
    const strings = [];

    JSON.stringify(part, (key, value) => {
        if (typeof value === 'string') {
            strings.push(value.replace(/^data:[^,]*;base64,/, ''));
        }

        return value;
    });

    return strings.sort((a, b) => b.length - a.length)[0];
}


function isText(part) {
    return typeof part.text === 'string' || part.source?.type === 'text'
        || part.type === 'resource_link';
}


async function send(provider, seen, url) {
    for (const { name, part } of answersOf(provider.format)) {
        const label = `${provider.format}: ${name}`;
        let result = null;

        seen.body = null;
        seen.answer = provider.answer;

        try {
            result = await provider.send(url, part);

        } catch (error) {
            ok(false, `${label} is sent`, error.stack, JSON.stringify(part));
            continue;
        }

        const arrived = provider.arrived(
            seen.body === null ? result : JSON.parse(seen.body));

        ok(isDeepStrictEqual(arrived, part), `${label} arrives as it is`,
           JSON.stringify(arrived), JSON.stringify(part));

        if (!isText(part)) {
            ok(Buffer.from(bytesOf(arrived), 'base64')
                   .equals(readFileSync(join(folder, 'files', name))),
               `${label} has its bytes`);
        }
    }
}


compile();

const seen = stub();

await new Promise((done) => seen.server.listen(0, '127.0.0.1', done));

for (const provider of providers) {
    await send(provider, seen,
               `http://127.0.0.1:${seen.server.address().port}`);
}

seen.server.closeAllConnections();
seen.server.close();

console.log(`1..${count}`);
process.exitCode = failed ? 1 : 0;
