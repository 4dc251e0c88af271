// @google/genai: mcpToTool, with its automatic function calling in a chat

import { GoogleGenAI, mcpToTool } from '@google/genai';

import { withMcp } from './mcp.mjs';


async function run({ model, base, turns }, servers) {
    const ai = new GoogleGenAI({
        apiKey: 'k', httpOptions: { baseUrl: base },
    });
    const chat = ai.chats.create({
        model, config: { tools: [mcpToTool(...servers)] },
    });
    const said = [];

    for (const turn of turns) {
        said.push((await chat.sendMessage({ message: turn })).text);
    }

    return said;
}


export const client = {
    name: 'genai',
    variants: [
        { api: 'gemini' },
        { api: 'gemini', option: 'before 3', models: 'gemini_before_3' },
    ],
    session: withMcp(run),
};
