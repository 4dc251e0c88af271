// @mastra/core with @mastra/mcp, and @mastra/memory for the history

import { createAnthropic } from '@ai-sdk/anthropic';
import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import { MCPClient } from '@mastra/mcp';
import { Memory } from '@mastra/memory';


// OpenAI by its own router of models, which has Anthropic's own API at no other
// address.

function modelOf({ api, model, base }) {
    const url = `${base}/v1`;

    return api === 'anthropic'
        ? createAnthropic({ apiKey: 'k', baseURL: url })(model)
        : { id: `openai/${model}`, url, apiKey: 'k',
            api: api === 'openai' ? 'chat' : 'responses' };
}


async function session(options) {
    const mcp = new MCPClient({
        id: options.id,
        servers: Object.fromEntries(Object.entries(options.servers).map(
            ([name, url]) => [name, { url: new URL(url) }])),
    });

    try {
        const agent = new Agent({
            id: 'a', name: 'a', instructions: 'Look.',
            model: modelOf(options), tools: await mcp.listTools(),
            memory: new Memory({ storage: new InMemoryStore() }),
        });
        const memory = { thread: 't', resource: 'r' };
        const said = [];

        for (const turn of options.turns) {
            said.push((await agent.generate(turn, { memory })).text);
        }

        return said;

    } finally {
        await mcp.disconnect();
    }
}


export const client = {
    name: 'mastra',
    variants: [
        { api: 'openai_responses' },
        { api: 'openai' },
        { api: 'anthropic' },
    ],
    session,
};
