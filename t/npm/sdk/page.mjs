// page.mjs FOLDER SOCKET (PROGRAM TITLE)..
//
// Runs programs that send a reference through nginx to SOCKET, which is ours;
// FOLDER/image is what the reference becomes.  Prints TAP.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { said, stub } from './stub.mjs';
import { done, ok } from './tap.mjs';


const [, , folder, socket, ...programs] = process.argv;

const image = readFileSync(join(folder, 'image'), 'utf8');
const run = promisify(execFile);
const api = await stub(socket);

for (let n = 0; n < programs.length; n += 2) {
    const label = `${programs[n + 1]}, ${n / 2 + 1}`;
    let printed = '';

    api.seen = null;

    try {
        ({ stdout: printed } = await run('node', [join(folder, programs[n])],
                                         { timeout: 60000 }));

    } catch (error) {
        printed = `${error.stdout}${error.stderr}`;
    }

    const body = api.seen?.body.toString() ?? 'nothing';

    ok(printed.trim() === said, `${label}: what the model said`, printed);
    ok(body.includes(image) && !body.includes('shot"'),
       `${label}: the image arrived`, body);
}

api.close();

done();
