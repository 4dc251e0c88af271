// @openai/agents

import {
    Agent, MCPServerStreamableHttp, OpenAIProvider, Runner,
    setTracingDisabled, user,
} from '@openai/agents';


setTracingDisabled(true);


async function session({ api, model, base, servers, turns, structured }) {
    const mcpServers = Object.entries(servers).map(
        ([name, url]) => new MCPServerStreamableHttp({
            url, name, cacheToolsList: true,
            useStructuredContent: structured,
        }));
    const runner = new Runner({ modelProvider: new OpenAIProvider({
        apiKey: 'k', baseURL: `${base}/v1`,
        useResponses: api === 'openai_responses',
    }) });

    await Promise.all(mcpServers.map((server) => server.connect()));

    try {
        const agent = new Agent({
            name: 'a', instructions: 'Look.', model, mcpServers,
        });
        let history = [];
        const said = [];

        for (const turn of turns) {
            const result = await runner.run(agent, [...history, user(turn)]);

            history = result.history;
            said.push(result.finalOutput);
        }

        return said;

    } finally {
        await Promise.all(mcpServers.map((server) => server.close()));
    }
}


// For Chat it drops pictures and leaves texts.

const chat = {
    api: 'openai',
    bytes: {
        sees: { loses: ['photo', 'look'] }, reads: { loses: ['photo', 'look'] },
    },
};


export const client = {
    name: 'agents',
    variants: [
        { api: 'openai_responses' }, chat,
        { api: 'openai_responses', option: 'structured', structured: true },
        { ...chat, option: 'structured', structured: true },
    ],
    session,
};
