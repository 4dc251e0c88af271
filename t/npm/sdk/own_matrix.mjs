// own_matrix.mjs FOLDER PORT SOCKET DOCS
//
// The client's own media: every cell of own_cells.mjs goes through nginx on
// PORT to SOCKET, which is ours; what arrives must be what no provider would
// refuse.  FOLDER/files/{kind} are the contents, DOCS is docs/expand.md.
// Prints TAP.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
    cellsOf, kinds, problem, requestOf, wrongSample,
} from './own_cells.mjs';
import { limits } from './own_limits.mjs';
import { checkRefusals } from './own_refusals.mjs';
import { ownSlots } from './own_slots.mjs';
import { sender } from './send.mjs';
import { stub } from './stub.mjs';
import { done, ok } from './tap.mjs';


const [, , folder, port, socket, docs] = process.argv;

const files = new Map(Object.keys(kinds).map((kind) =>
    [kind, readFileSync(join(folder, 'files', kind))]));

const counts = { cells: 0, limits: new Map(limits.map((one) => [one, 0])) };


// What arrived is right: if a client sends it, as histories come back, nothing
// is left to change.  Of cells that are whole, for the time that it takes.

async function changed(send, path, { state }, json, { body }) {
    if (state !== 'whole' || body.toString() === json) {
        return undefined;
    }

    const again = await send(path, body);

    return again.body.equals(body) ? undefined : 'it changes again';
}


// The cells of a slot that are wrong and not known to be.

async function wrongOf(slot, send) {
    const wrong = [];

    for (const cell of cellsOf(slot, files)) {
        const { path, json } = requestOf(cell);
        const answer = await send(`/${slot.api}/${path}`, json).catch(
            ({ message }) => ({ status: message, body: '' }));
        const what = problem(cell, json, answer)
            ?? await changed(send, `/${slot.api}/${path}`, cell, json, answer);

        counts.cells++;

        if (what === undefined) {
            continue;
        }

        const limit = limits.find((one) => one.is(cell, what));

        if (limit !== undefined) {
            counts.limits.set(limit, counts.limits.get(limit) + 1);
            continue;
        }

        wrong.push(`${cell.label}: ${what}\n${json.slice(0, 300)}\n${
            answer.body.toString().slice(0, 600)}`);
    }

    return wrong;
}


async function runSlots() {
    const api = await stub(socket, { echo: true });
    const queue = [...ownSlots];
    const results = new Map();

    const work = async () => {
        const send = sender(port);

        for (let slot = queue.shift(); slot; slot = queue.shift()) {
            results.set(slot, await wrongOf(slot, send));
        }
    };

    await Promise.all(Array.from({ length: 4 }, work));

    for (const slot of ownSlots) {
        const wrong = results.get(slot);

        ok(wrong.length === 0, `${slot.api}, ${slot.name}`,
           `${wrong.length} cells are wrong`, ...wrong.slice(0, 4));
    }

    api.close();
}


// A limit is one that the documentation tells, and is still one.

function checkLimits() {
    const text = readFileSync(docs, 'utf8').replace(/\s+/g, ' ');

    for (const [{ sentence }, count] of counts.limits) {
        ok(text.includes(sentence), `docs: ${sentence}`);
        ok(count > 0, `${count} cells are so`);
    }
}


checkRefusals(files);

for (const [kind, bytes] of files) {
    const what = wrongSample(kind, bytes);

    ok(what === undefined, `the sample of ${kind} is one`, what);
}

await runSlots();

checkLimits();

ok(counts.cells > 50000, `${counts.cells} cells`);

done();
