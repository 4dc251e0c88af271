// LangChain's agent with @langchain/mcp-adapters

import { ChatAnthropic } from '@langchain/anthropic';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';


function modelOf({ api, model, base }) {
    return api === 'anthropic'
        ? new ChatAnthropic({
            model, apiKey: 'k', anthropicApiUrl: base, maxRetries: 0,
        })
        : new ChatOpenAI({
            model, apiKey: 'k', maxRetries: 0,
            useResponsesApi: api === 'openai_responses',
            configuration: { baseURL: `${base}/v1` },
        });
}


async function session(options) {
    const mcp = new MultiServerMCPClient({
        mcpServers: Object.fromEntries(Object.entries(options.servers).map(
            ([name, url]) => [name, { transport: 'http', url }])),
        useStandardContentBlocks: options.standard,
    });

    try {
        const agent = createAgent({
            model: modelOf(options), tools: await mcp.getTools(),
            systemPrompt: 'Look.',
        });
        let messages = [];
        const said = [];

        for (const turn of options.turns) {
            ({ messages } = await agent.invoke({
                messages: [...messages, { role: 'user', content: turn }],
            }));
            said.push(messages.at(-1).text);
        }

        return said;

    } finally {
        await mcp.close();
    }
}


// What it makes of pictures itself: parts of Chat's tool messages, and with
// standard blocks each of Anthropic's twice, once as a JPEG.

const refused = { bytes: { sees: { refused: true } } };


export const client = {
    name: 'langchain',
    variants: [
        { api: 'openai_responses' },
        { api: 'openai', ...refused },
        { api: 'anthropic' },
        { api: 'openai_responses', option: 'standard', standard: true },
        { api: 'openai', option: 'standard', standard: true, ...refused },
        { api: 'anthropic', option: 'standard', standard: true, ...refused },
    ],
    session,
};
