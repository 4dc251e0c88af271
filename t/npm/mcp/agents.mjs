// agents.mjs URL
//
// Agents of three frameworks, each with a model that sees and one that reads:
// by "grep" they find one line of a log of 50,000, then they look at a
// screenshot.  Looked at is what arrives at the model.

import { done, ok } from './tap.mjs';
import { modelAt, said } from './model.mjs';


const [base] = process.argv.slice(2);
const model = await modelAt(0, () => []);

const plan = [
    [{ tool: 'read_artifact', args: { ref: 'artifact:log', grep: 'needle',
                                      context: 1 } }],
    [{ tool: 'read_artifact', args: { ref: 'artifact:shot' } }],
];

const agents = {
    ai: ['openai_responses', 'anthropic'],
    agents: ['openai_responses'],
    langchain: ['openai_responses', 'anthropic'],
};

// whether the last request has the picture as a part of its own, in the forms
// of these APIs

const image = /"data:image\/png;base64,iVBOR|"media_type":"image\/png"/;


for (const [name, apis] of Object.entries(agents)) {
    const { client } = await import(`./client_${name}.mjs`);

    for (const api of apis) {
        for (const reader of ['sees', 'reads']) {
            const label = `${name}, ${api}, ${reader}`;
            const found = () => model.seen.at(-1)?.text ?? '';

            model.start(plan);

            try {
                const answers = await client.session({
                    api, model: 'gpt-4o',
                    servers: { files: `${base}/${reader}/mcp` },
                    base: `http://127.0.0.1:${model.port}`,
                    turns: ['Where is it?', 'What does it look like?'],
                });

                ok(`${answers}` === `${[said, said]}`, `${label}: both turns`,
                   answers, ...model.errors);

            } catch (error) {
                ok(false, `${label}: it runs`, error.stack, ...model.errors);
            }

            ok(model.seen.length === 4, `${label}: to the end`);
            ok(/a needle/.test(found()) && /31415/.test(found()),
               `${label}: the line is found`, found());
            ok(!/line 2000\b/.test(found()) && found().length < 200_000,
               `${label}: only that`);
            ok(image.test(found()) === (reader === 'sees'),
               `${label}: the picture`, found());
            ok(reader === 'sees' || /\[Unreadable\] shot\.png/.test(found()),
               `${label}: its words`, found());
        }
    }
}

model.close();
done();
process.exit();
