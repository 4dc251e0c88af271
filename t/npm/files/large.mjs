// large.mjs URL API BYTES
//
// A file of so many bytes goes up as a stream and comes down again.

import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync, writeSync, openSync, closeSync }
    from 'node:fs';
import { join } from 'node:path';

import { filesOf } from './api.mjs';
import { done, ok } from './tap.mjs';


const [base, api, bytes] = process.argv.slice(2);
const { files, upload } = await filesOf(api, base);
const folder = mkdtempSync(join(process.env.TMPDIR ?? '/tmp', 'large-'));
const path = join(folder, 'large.bin');
const sent = createHash('sha256');
const fd = openSync(path, 'w');

for (let done = 0; done < bytes; done += 1 << 20) {
    const block = Buffer.alloc(1 << 20, `${done}\r\n--\r\n`);

    sent.update(block);
    writeSync(fd, block);
}

closeSync(fd);

const made = await upload(createReadStream(path));

ok(made.size === Number(bytes), `${api}: the size of a large file`, made.size);

const got = createHash('sha256');
let size = 0;

for await (const piece of (await files.content(made.id)).body) {
    got.update(piece);
    size += piece.length;
}

ok(size === Number(bytes) && got.digest('hex') === sent.digest('hex'),
   `${api}: its content`, size);

await files.delete(made.id);
rmSync(folder, { recursive: true });

done();
