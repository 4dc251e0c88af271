// own_claude.mjs FOLDER PORT
//
// Claude Code reads files that end a session at an API that refuses what the
// provider refuses; with nginx on PORT, which sends to the socket "model" of
// FOLDER, before that API it goes on.  Its own Read mends the types of pictures,
// and refuses texts and what is empty, but not what was cut.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { session } from './client_claude.mjs';
import { modelAt, said } from './model.mjs';
import { refusal } from './refusals.mjs';
import { done, ok } from './tap.mjs';


const [folder, port] = process.argv.slice(2);

const refuses = (body) => refusal('anthropic', body);

const behind = await modelAt(join(folder, 'model'), () => []);
const straight = await modelAt(0, () => []);

const whole = readFileSync(join(folder, 'a.png'));
const pdf = readFileSync(join(folder, 'a.pdf'));

const files = [
    ['whole.png', whole, false],
    ['called.jpg', whole, false],
    ['whole.pdf', pdf, false],
    ['cut.png', whole.subarray(0, -30), true],
    ['cut.pdf', pdf.subarray(0, -60), true],
];


async function run(model, base, name, bytes) {
    const home = join(folder, `home.${base.replace(/\W+/g, '-')}.${name}`);

    mkdirSync(home);
    writeFileSync(join(home, name), bytes);

    model.refuses = refuses;
    model.start([[{ tool: 'Read', args: { file_path: join(home, name) } }]]);

    try {
        return `${await session({
            model: 'claude-opus-4-8', base, home, tools: ['Read'],
            turns: ['Read it.', 'And now?'],
        })}`;

    } catch (error) {
        return error.stack;
    }
}


for (const [name, bytes, ends] of files) {
    const alone = await run(straight, `http://127.0.0.1:${straight.port}`,
                            name, bytes);

    ok((alone === `${said},${said}`) !== ends,
       `${name} ${ends ? 'ends' : 'does not end'} the session`, alone);

    const here = await run(behind, `http://127.0.0.1:${port}/anthropic`, name,
                           bytes);

    ok(here === `${said},${said}`, `${name}: the session goes on`, here,
       ...behind.errors);
    ok(behind.seen.length === 3, `${name}: to the end`, behind.seen.length);
}

behind.close();
straight.close();

done();
