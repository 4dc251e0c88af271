// Values against the types of SDKs, by one run of the compiler.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { ok } from './tap.mjs';


const tsc = join(dirname(createRequire(import.meta.url)
    .resolve('typescript/package.json')), 'bin', 'tsc');


// A value that the type does not allow must be an error, else the type is
// none, and everything would be right.

function sourceOf({ type, of, wrong, values }) {
    const lines = values.map(({ label, source }) =>
        `values.push(${source});  // ${label}`);

    return `${type}

const values: ${of}[] = [];

${lines.join('\n')}

// @ts-expect-error
values.push(${JSON.stringify(wrong)});

export { values };
`;
}


// The value that an error's line has, since the message does not tell it.

function where(source, line) {
    const number = line.match(/\((\d+),/)?.[1];

    return `${line}\n${source.split('\n')[number - 1] ?? ''}`;
}


// sets: lists of
//
//   name     of the file
//   type     TypeScript that imports the type
//   of       its name
//   wrong    a value that it does not allow
//   values   what shall be of it: { label, source }, as TypeScript

export function compile(folder, sets) {
    const sources = new Map(sets.map((set) => [set.name, sourceOf(set)]));

    for (const [name, source] of sources) {
        writeFileSync(join(folder, `${name}.mts`), source);
    }

    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({
        compilerOptions: {
            noEmit: true, strict: true, skipLibCheck: true,
            module: 'nodenext', target: 'es2022',
            lib: ['es2022', 'dom', 'dom.asynciterable'], types: [],
        },
        files: [...sources.keys()].map((name) => join(folder, `${name}.mts`)),
    }));

    const run = spawnSync(process.execPath, [tsc, '-p', folder],
                          { encoding: 'utf8' });

    for (const [name, source] of sources) {
        const errors = run.stdout.split('\n').filter((line) =>
            line.includes(`/${name}.mts(`) || line.startsWith(`${name}.mts(`));

        ok(errors.length === 0, `${name}: its SDK has these types`,
           `${errors.length} errors`,
           ...errors.slice(0, 8).map((line) => where(source, line)));
    }

    ok(run.status === 0, 'all of it compiles', run.stdout, run.stderr);
}
