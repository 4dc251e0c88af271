// @anthropic-ai/claude-agent-sdk, with the program that it brings

import { query } from '@anthropic-ai/claude-agent-sdk';


// The messages of a session as the program wants them: the next one when it has
// answered the last.

async function* prompts(turns, answered) {
    for (const turn of turns) {
        yield {
            type: 'user', session_id: '', parent_tool_use_id: null,
            message: { role: 'user', content: turn },
        };

        await answered.next();
    }
}


// "servers" are those of tools, "tools" the program's own.

export async function session({ model, base, servers = {}, turns, home,
                                tools = [] })
{
    const said = [];
    const answered = {
        next: () => new Promise((done) => { answered.tell = done; }),
    };

    const messages = query({
        prompt: prompts(turns, answered),
        options: {
            model, cwd: home, settingSources: [], tools,
            systemPrompt: 'Look.', permissionMode: 'bypassPermissions',
            allowDangerouslySkipPermissions: true,
            mcpServers: Object.fromEntries(Object.entries(servers).map(
                ([name, url]) => [name, { type: 'http', url }])),
            strictMcpConfig: true,
            env: {
                PATH: process.env.PATH, HOME: home, IS_SANDBOX: '1',
                ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: 'k',
                CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
                DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1',
            },
        },
    });

    for await (const message of messages) {
        if (message.type === 'result') {
            said.push(message.result);
            answered.tell();
        }
    }

    return said;
}


export const client = {
    name: 'claude',
    variants: [{ api: 'anthropic' }],
    keeps: false,
    cuts: true,       // it keeps long results in files itself
    shell: 'Bash',
    session,
};
