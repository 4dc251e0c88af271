// clients.mjs URL API
//
// One client of the Files APIs, unmodified: uploads of all kinds, a list page by
// page, a file, its content, its deletion, and the errors with their classes.
// API is "openai", or one of the generations of Anthropic's client.

import { createReadStream, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { filesOf } from './api.mjs';
import { done, ok } from './tap.mjs';


const [base, api] = process.argv.slice(2);
const { files, upload, toFile, errors } = await filesOf(api, base);
const folder = dirname(fileURLToPath(import.meta.url));
const missing = `file_art_${'0'.repeat(32)}`;
const text = Buffer.from('words in a file, ä\r\n--b\r\n');


async function failure(promise) {
    try {
        return await promise;

    } catch (error) {
        return error;
    }
}


async function content(id) {
    const response = await files.content(id);

    return Buffer.from(await response.arrayBuffer());
}


async function all(query) {
    const ids = [];

    for await (const file of files.list(query)) {
        ids.push(file.id);
    }

    return ids;
}


// --- uploads -----------------------------------------------------------------

const path = join(folder, `${api}.txt`);
writeFileSync(path, text);

async function* pieces() {
    for (const byte of text) {
        yield Buffer.of(byte);
    }
}

const ways = {
    'a buffer': await toFile(text, `${api}.txt`, { type: 'text/plain' }),
    'a stream of a file': createReadStream(path),
    'a File': new File([text], `${api}.txt`, { type: 'text/plain' }),
    'a generator': await toFile(pieces(), `${api}.txt`),
    'a Response': await toFile(new Response(text), `${api}.txt`),
};
const ids = [];

for (const [way, file] of Object.entries(ways)) {
    const made = await upload(file);

    ids.unshift(made.id);
    ok(made.filename === `${api}.txt` && made.size === text.length
       && Math.abs(Date.now() - made.created) < 600_000
       && made.expires === null,
       `${api}: ${way} is uploaded`, JSON.stringify(made.raw));
    ok(text.equals(await content(made.id)), `${api}: ${way}: its content`);
}

const name = 'a "quoted" Ünïcode 工件 100%.txt';
const named = await upload(new File([text], name));

ok(named.filename === name, `${api}: a name of many characters`,
   named.filename);

const empty = await upload(new File([], 'empty.bin'));

ok(empty.size === 0 && (await content(empty.id)).length === 0,
   `${api}: an empty file`);

const typed = await upload(new File([Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9'
    + 'awAAAABJRU5ErkJggg==', 'base64')], 'a.png'));

ok(api === 'openai' || typed.raw.mime_type === 'image/png',
   `${api}: without a type, the content is looked at`,
   JSON.stringify(typed.raw));

ids.unshift(typed.id, empty.id, named.id);


// --- lists -------------------------------------------------------------------

ok(JSON.stringify(await all()) === JSON.stringify(ids),
   `${api}: a list, the newest first`);
ok(JSON.stringify(await all({ limit: 3 })) === JSON.stringify(ids),
   `${api}: page by page`);

const page = await files.list({ limit: ids.length });

ok(page.data.length === ids.length && !page.hasNextPage(),
   `${api}: a page that is just full is the last one`);

if (api === 'openai') {
    ok(JSON.stringify(await all({ limit: 2, order: 'asc' }))
       === JSON.stringify([...ids].reverse()), 'openai: the oldest first');
    ok((await all({ purpose: 'vision' })).length === 0,
       'openai: none of another purpose');

    const vision = await upload(new File([text], 'v.txt'),
                                { purpose: 'vision' });

    ok(vision.raw.purpose === 'vision'
       && (await all({ purpose: 'vision' })).join() === vision.id,
       'openai: one of a purpose');
    await files.delete(vision.id);

} else if (api !== 'anthropic-1') {
    const back = [];

    for await (const file of files.list({ limit: 2, before_id: ids.at(-1) })) {
        back.push(file.id);
    }

    ok(JSON.stringify([...back].sort()) === JSON.stringify(
        ids.slice(0, -1).sort()), `${api}: all pages before the last file`,
       back.join());

} else {
    const some = await files.list({ ids: [ids[1], missing, ids[3]] });

    ok(JSON.stringify(some.data.map((file) => file.id).sort())
       === JSON.stringify([ids[1], ids[3]].sort()) && !some.hasNextPage(),
       `${api}: files by their ids`, JSON.stringify(some.data));
}


// --- a file ------------------------------------------------------------------

const one = await files.retrieve(ids[0]);
const listed = page.data[0];

ok(one.id === ids[0] && JSON.stringify(one) === JSON.stringify(listed),
   `${api}: a file is as it is listed`, JSON.stringify(one));

const expiring = await upload(new File([text], 'e.txt'), api === 'openai'
    ? { expires_after: { anchor: 'created_at', seconds: 3600 } }
    : { expires_in_seconds: 3600 });

ok(Math.abs(expiring.expires - expiring.created - 3600_000) < 2000,
   `${api}: one that expires`, JSON.stringify(expiring.raw));
ids.unshift(expiring.id);

if (api === 'openai') {
    const ready = await files.wait(ids[0]);

    ok(ready.status === 'processed', 'openai: it need not be waited for');
}


// --- errors ------------------------------------------------------------------

for (const [what, request] of Object.entries({
    'a file': () => files.retrieve(missing),
    'a content': () => files.content(missing),
    'a deletion': () => files.delete(missing),
    'an id of the provider': () => files.retrieve('file-abc123'),
})) {
    const error = await failure(request());

    ok(error instanceof errors.NotFoundError && error.status === 404,
       `${api}: ${what} that is not there`, error);
}

const bad = await failure(files.list({ limit: 'many' }));

ok(bad instanceof errors.BadRequestError, `${api}: a limit that is none`, bad);

const short = await failure(upload(new File([text], 'x'), api === 'openai'
    ? { expires_after: { anchor: 'last_active_at', seconds: 3600 } }
    : { expires_in_seconds: 'soon' }));

ok(short instanceof errors.BadRequestError, `${api}: a bad field`, short);

const cursor = await failure(files.list(api === 'openai'
    ? { after: 'file-x' } : { page: 'file-x', after_id: 'file-x' }));

ok(cursor instanceof errors.BadRequestError, `${api}: a cursor of none`,
   cursor);


// --- deletion ----------------------------------------------------------------

// a list goes on after a file that was deleted meanwhile

const first = await files.list({ limit: 2 });

await files.delete(ids[1]);

const next = await first.getNextPage();

ok(next.data[0].id === ids[2], `${api}: after a file that is gone`);
ids.splice(1, 1);

for (const id of ids) {
    const gone = await files.delete(id);

    ok(gone.id === id && (gone.deleted ?? gone.type === 'file_deleted'),
       `${api}: deleted`, JSON.stringify(gone));
}

ok((await all()).length === 0, `${api}: none is left`);
ok((await failure(files.retrieve(ids[0]))) instanceof errors.NotFoundError,
   `${api}: a deleted file is missing`);

done();
