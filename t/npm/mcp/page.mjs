// page.mjs PROGRAM...
//
// Runs the programs of docs/mcp.md, each with a model that calls one tool: what
// the tool returns arrives at the model, what the model says is printed.

import { spawn } from 'node:child_process';
import { basename } from 'node:path';

import { modelAt, said } from './model.mjs';
import { done, ok } from './tap.mjs';


const model = await modelAt(0, () => []);
const env = {
    ...process.env, OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: `http://127.0.0.1:${model.port}/v1`,
    OPENAI_AGENTS_DISABLE_TRACING: '1',
};


function run(program) {
    return new Promise((end) => {
        const child = spawn(process.execPath, [program], {
            env, stdio: ['ignore', 'pipe', 'pipe'],
        });
        const out = { stdout: '', stderr: '' };

        for (const name of Object.keys(out)) {
            child[name].on('data', (data) => { out[name] += data; });
        }

        const timer = setTimeout(() => child.kill(), 60_000);

        child.on('close', (code) => {
            clearTimeout(timer);
            end({ code, ...out });
        });
    });
}


for (const program of process.argv.slice(2)) {
    const label = basename(program);

    model.start([[{ tool: 'read_artifact',
                    args: { ref: 'artifact:log', grep: 'needle' } }]]);

    const { code, stdout, stderr } = await run(program);

    ok(code === 0 && stdout.trim() === said, `${label}: what the model says`,
       code, stdout, stderr, ...model.errors);
    ok(model.seen.length === 2 && /a needle/.test(model.seen[1].text),
       `${label}: what the tool returns`, model.seen.at(-1)?.text);
}

model.close();
done();
process.exit();
