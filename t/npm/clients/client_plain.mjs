// openai, and JSON.stringify of what the tool returned

import OpenAI from 'openai';

import { withMcp } from './mcp.mjs';


async function chat(openai, model, tools, messages, call) {
    for (;;) {
        const { choices: [{ message }] }
            = await openai.chat.completions.create({
                model, messages, tools: tools.map((tool) => ({
                    type: 'function', function: {
                        name: tool.name, parameters: tool.inputSchema,
                    },
                })),
            });

        messages.push(message);

        if (!message.tool_calls) {
            return message.content;
        }

        for (const { id, function: called } of message.tool_calls) {
            messages.push({
                role: 'tool', tool_call_id: id, content: await call(called),
            });
        }
    }
}


async function responses(openai, model, tools, input, call) {
    for (;;) {
        const response = await openai.responses.create({
            model, input, tools: tools.map((tool) => ({
                type: 'function', name: tool.name, strict: false,
                parameters: tool.inputSchema,
            })),
        });
        const calls = response.output.filter(
            ({ type }) => type === 'function_call');

        input.push(...response.output);

        if (calls.length === 0) {
            return response.output_text;
        }

        for (const called of calls) {
            input.push({
                type: 'function_call_output', call_id: called.call_id,
                output: await call(called),
            });
        }
    }
}


async function run({ api, model, base, turns }, servers) {
    const openai = new OpenAI({
        apiKey: 'k', baseURL: `${base}/v1`, maxRetries: 0,
    });
    const tools = [];
    const owner = {};

    for (const server of servers) {
        for (const tool of (await server.listTools()).tools) {
            tools.push(tool);
            owner[tool.name] = server;
        }
    }

    const ask = api === 'openai' ? chat : responses;
    const history = [];
    const said = [];

    const call = async ({ name, arguments: args }) => JSON.stringify(
        await owner[name].callTool({ name, arguments: JSON.parse(args) }));

    for (const turn of turns) {
        history.push({ role: 'user', content: turn });
        said.push(await ask(openai, model, tools, history, call));
    }

    return said;
}


export const client = {
    name: 'plain',
    variants: [{ api: 'openai_responses' }, { api: 'openai' }],
    session: withMcp(run),
};
