// ai, with @ai-sdk/mcp

import { createAnthropic } from '@ai-sdk/anthropic';
import { createMCPClient } from '@ai-sdk/mcp';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, isStepCount } from 'ai';


function modelOf({ api, model, base }) {
    const settings = { apiKey: 'k', baseURL: `${base}/v1` };

    return {
        openai: () => createOpenAI(settings).chat(model),
        openai_responses: () => createOpenAI(settings).responses(model),
        anthropic: () => createAnthropic(settings)(model),
    }[api]();
}


async function session(options) {
    const clients = await Promise.all(Object.values(options.servers).map(
        (url) => createMCPClient({ transport: { type: 'http', url } })));

    try {
        const tools = Object.assign({}, ...await Promise.all(
            clients.map((mcp) => mcp.tools())));
        const messages = [];
        const said = [];

        for (const turn of options.turns) {
            messages.push({ role: 'user', content: turn });

            const result = await generateText({
                model: modelOf(options), tools, messages, maxRetries: 0,
                stopWhen: isStepCount(5), system: 'Look.',
            });

            messages.push(...result.responseMessages);
            said.push(result.text);
        }

        return said;

    } finally {
        await Promise.all(clients.map((mcp) => mcp.close()));
    }
}


export const client = {
    name: 'ai',
    variants: [
        { api: 'openai_responses' }, { api: 'openai' }, { api: 'anthropic' },
    ],
    session,
};
