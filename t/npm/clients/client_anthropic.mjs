// @anthropic-ai/sdk: mcpTools of its helpers, run by its toolRunner

import Anthropic from '@anthropic-ai/sdk';
import { mcpTools } from '@anthropic-ai/sdk/helpers/beta/mcp';

import { withMcp } from './mcp.mjs';


async function run({ model, base, turns, thread }, servers) {
    const anthropic = new Anthropic({
        apiKey: 'k', baseURL: base, maxRetries: 0,
    });
    const tools = [];

    for (const server of servers) {
        tools.push(...mcpTools((await server.listTools()).tools, server));
    }

    let messages = [];
    const said = [];

    for (const turn of turns) {
        const runner = anthropic.beta.messages.toolRunner({
            model, max_tokens: 99, tools,
            ...(thread === undefined ? {} : { thread }),
            messages: [...messages, { role: 'user', content: turn }],
        });
        const last = await runner.runUntilDone();

        messages = [...runner.params.messages];

        if (messages.at(-1).role !== 'assistant') {
            messages.push({ role: 'assistant', content: last.content });
        }

        said.push(last.content[0].text);
    }

    return said;
}


export const client = {
    name: 'anthropic',
    variants: [
        { api: 'anthropic' },
        { api: 'anthropic', option: 'whole', thread: false },
    ],
    session: withMcp(run),
};
