// What each provider's own SDK makes of a part: a row for each format.
//
//   format   the name of the format
//   type     TypeScript that names the SDK's type of a part "Part"
//   wrong    a part that this type does not allow
//   source   the part as TypeScript, where that is not its JSON
//   send     sends the part through the SDK's client to "url"; what arrives
//            there is looked at, the answer only has to satisfy the client
//   arrived  the part in the JSON of the request that arrived
//   answer   what the stub answers
//   message  the same (but for format and answer) of a whole message

import Anthropic from '@anthropic-ai/sdk';
import {
    BedrockRuntimeClient, ConverseCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenAI } from '@google/genai';
import { Mistral } from '@mistralai/mistralai';
import {
    contentChunkFromJSON,
} from '@mistralai/mistralai/models/components/contentchunk.js';
import { OpenRouter } from '@openrouter/sdk';
import { chatContentItemsFromJSON } from '@openrouter/sdk/models';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import OpenAI from 'openai';

import { callTool } from './mcp.mjs';


const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const chat = {
    id: 'x', object: 'chat.completion', created: 1, model: 'm', usage,
    choices: [{
        index: 0, finish_reason: 'stop', logprobs: null,
        message: { role: 'assistant', content: 'ok', refusal: null },
    }],
    system_fingerprint: null,
};


function openai(url) {
    return new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 0 });
}


// The SDK's own reader of wire JSON; it tells what it does not know.

function read(result) {
    if (!result.ok) {
        throw result.error;
    }

    return result.value;
}


// The wire has base64 where this SDK has bytes.

function withBytes(part) {
    const [key] = Object.keys(part);

    if (key === 'text') {
        return part;
    }

    const bytes = Buffer.from(part[key].source.bytes, 'base64');

    return { [key]: { ...part[key], source: { bytes } } };
}


// A message of Chat Completions.

function chatMessage(type, wrong, create) {
    return {
        type, wrong,
        send: (url, message) => create(url, message),
        arrived: (body) => body.messages[0],
    };
}


const openaiMessage = chatMessage(
    `import type { ChatCompletionUserMessageParam as Part }
        from 'openai/resources/chat/completions';`,
    { role: 'user', content: { type: 'text', text: 'x' } },
    (url, message) => openai(url).chat.completions.create({
        model: 'm', messages: [message],
    }));


const anthropic = {
    type: `import type { ContentBlockParam as Part }
        from '@anthropic-ai/sdk/resources/messages';`,
    wrong: { type: 'image', source: {
        type: 'base64', media_type: 'image/svg+xml', data: 'AA==',
    } },
    send: (url, part) => new Anthropic({
        apiKey: 'none', baseURL: url, maxRetries: 0,
    }).messages.create({
        model: 'm', max_tokens: 9,
        messages: [{ role: 'user', content: [part] }],
    }),
    arrived: (body) => body.messages[0].content[0],
    message: chatMessage(
        `import type { MessageParam as Part }
            from '@anthropic-ai/sdk/resources/messages';`,
        { role: 'user', content: [{ text: 'x' }] },
        (url, message) => new Anthropic({
            apiKey: 'none', baseURL: url, maxRetries: 0,
        }).messages.create({
            model: 'm', max_tokens: 9, messages: [message],
        })),
    answer: {
        id: 'x', type: 'message', role: 'assistant', model: 'm',
        content: [], stop_reason: 'end_turn', stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
    },
};


export const providers = [
    {
        format: 'openai',
        type: `import type { ChatCompletionContentPart as Part }
            from 'openai/resources/chat/completions';`,
        wrong: { type: 'image_url', image_url: 'data:image/png;base64,AA==' },
        send: (url, part) => openai(url).chat.completions.create({
            model: 'm', messages: [{ role: 'user', content: [part] }],
        }),
        arrived: (body) => body.messages[0].content[0],
        message: openaiMessage,
        answer: chat,
    },

    {
        format: 'openai_responses',
        type: `import type { ResponseInputContent as Part }
            from 'openai/resources/responses/responses';`,
        wrong: { type: 'text', text: 'x' },
        send: (url, part) => openai(url).responses.create({
            model: 'm', input: [{ role: 'user', content: [part] }],
        }),
        arrived: (body) => body.input[0].content[0],
        message: {
            type: `import type { ResponseInputItem }
                from 'openai/resources/responses/responses';
                type Part = ResponseInputItem.Message;`,
            wrong: { type: 'message', role: 'user', content: [
                { type: 'text', text: 'x' }] },
            send: (url, message) => openai(url).responses.create({
                model: 'm', input: [message],
            }),
            arrived: (body) => body.input[0],
        },
        answer: { id: 'x', object: 'response', output: [] },
    },

    {
        // no SDK has the parts that vLLM adds to OpenAI's

        format: 'openai_compatible',
        type: `import type { ChatCompletionContentPart }
                from 'openai/resources/chat/completions';
            type Url<K extends string> = { type: K } & { [key in K]:
                { url: string } };
            type Part = ChatCompletionContentPart | Url<'audio_url'>
                | Url<'video_url'>;`,
        wrong: { type: 'video_url', video_url: 'data:video/mp4;base64,AA==' },
        send: (url, part) => openai(url).chat.completions.create({
            model: 'm', messages: [{ role: 'user', content: [part] }],
        }),
        arrived: (body) => body.messages[0].content[0],
        message: {
            ...openaiMessage,
            type: `import type { ChatCompletionContentPart }
                    from 'openai/resources/chat/completions';
                type Url<K extends string> = { type: K } & { [key in K]:
                    { url: string } };
                type Part = { role: 'user', content: (Url<'audio_url'>
                    | Url<'video_url'> | ChatCompletionContentPart)[] };`,
        },
        answer: chat,
    },

    {
        format: 'anthropic',
        ...anthropic,
    },

    {
        format: 'anthropic_citations',
        ...anthropic,
    },

    {
        format: 'gemini',
        type: `import type { Part } from '@google/genai';`,
        wrong: { inlineData: { mime_type: 'image/png', data: 'AA==' } },
        send: (url, part) => new GoogleGenAI({
            apiKey: 'none', httpOptions: { baseUrl: url },
        }).models.generateContent({
            model: 'm', contents: [{ role: 'user', parts: [part] }],
        }),
        arrived: (body) => body.contents[0].parts[0],
        message: {
            type: `import type { Content as Part } from '@google/genai';`,
            wrong: { role: 'user', parts: ['x'] },
            send: (url, message) => new GoogleGenAI({
                apiKey: 'none', httpOptions: { baseUrl: url },
            }).models.generateContent({ model: 'm', contents: [message] }),
            arrived: (body) => body.contents[0],
        },
        answer: { candidates: [] },
    },

    {
        format: 'gemini_interactions',
        type: `import type { Interactions } from '@google/genai';
            type Part = Interactions.Content;`,
        wrong: { type: 'image', mimeType: 'image/png', data: 'AA==' },
        send: (url, part) => new GoogleGenAI({
            apiKey: 'none', httpOptions: { baseUrl: url },
        }).interactions.create({ model: 'm', input: [part] }),
        arrived: (body) => body.input[0],
        message: {
            type: `import type { Interactions } from '@google/genai';
                type Part = Interactions.UserInputStep;`,
            wrong: { type: 'user', content: [] },
            send: (url, message) => new GoogleGenAI({
                apiKey: 'none', httpOptions: { baseUrl: url },
            }).interactions.create({ model: 'm', input: [message] }),
            arrived: (body) => body.input[0],
        },
        answer: { id: 'x', status: 'completed', outputs: [] },
    },

    {
        format: 'bedrock',
        type: `import type { ContentBlock as Part }
            from '@aws-sdk/client-bedrock-runtime';`,
        wrong: { image: { format: 'svg', source: { bytes: '' } } },
        source: (part) => JSON.stringify(part).replace(
            /"bytes":"[^"]*"/, '"bytes":new Uint8Array()'),
        send: (url, part) => new BedrockRuntimeClient({
            region: 'us-east-1', endpoint: url, maxAttempts: 1,
            credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
            requestHandler: new NodeHttpHandler(),
        }).send(new ConverseCommand({
            modelId: 'm',
            messages: [{ role: 'user', content: [withBytes(part)] }],
        })),
        arrived: (body) => body.messages[0].content[0],
        message: {
            type: `import type { Message as Part }
                from '@aws-sdk/client-bedrock-runtime';`,
            wrong: { role: 'user', content: [{ text: 1 }] },
            source: (message) => JSON.stringify(message).replace(
                /"bytes":"[^"]*"/g, '"bytes":new Uint8Array()'),
            send: (url, message) => new BedrockRuntimeClient({
                region: 'us-east-1', endpoint: url, maxAttempts: 1,
                credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
                requestHandler: new NodeHttpHandler(),
            }).send(new ConverseCommand({
                modelId: 'm',
                messages: [{ ...message,
                             content: message.content.map(withBytes) }],
            })),
            arrived: (body) => body.messages[0],
        },
        answer: {
            output: { message: { role: 'assistant', content: [] } },
            stopReason: 'end_turn', metrics: { latencyMs: 1 },
            usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        },
    },

    {
        format: 'mistral',
        type: `import type { ContentChunk$Outbound as Part }
            from '@mistralai/mistralai/models/components/contentchunk.js';`,
        wrong: { type: 'input_audio', input_audio: { data: 'AA==' } },
        send: (url, part) => new Mistral({
            apiKey: 'none', serverURL: url,
        }).chat.complete({
            model: 'm',
            messages: [{
                role: 'user',
                content: [read(contentChunkFromJSON(JSON.stringify(part)))],
            }],
        }),
        arrived: (body) => body.messages[0].content[0],
        message: chatMessage(
            `import type { UserMessage$Outbound as Part }
                from '@mistralai/mistralai/models/components/usermessage.js';`,
            { role: 'user', content: { type: 'text', text: 'x' } },
            (url, message) => new Mistral({
                apiKey: 'none', serverURL: url,
            }).chat.complete({
                model: 'm',
                messages: [{
                    role: message.role,
                    content: message.content.map((part) =>
                        read(contentChunkFromJSON(JSON.stringify(part)))),
                }],
            })),
        answer: chat,
    },

    {
        format: 'openrouter',
        type: `import type { ChatContentItems$Outbound as Part }
            from '@openrouter/sdk/models';`,
        wrong: { type: 'video_url', video_url: 'data:video/mp4;base64,AA==' },
        send: (url, part) => new OpenRouter({
            apiKey: 'none', serverURL: url,
        }).chat.send({
            chatRequest: {
                model: 'm',
                messages: [{
                    role: 'user',
                    content: [
                        read(chatContentItemsFromJSON(JSON.stringify(part))),
                    ],
                }],
            },
        }),
        arrived: (body) => body.messages[0].content[0],
        message: chatMessage(
            `import type { ChatUserMessage$Outbound as Part }
                from '@openrouter/sdk/models';`,
            { role: 'user', content: { type: 'text', text: 'x' } },
            (url, message) => new OpenRouter({
                apiKey: 'none', serverURL: url,
            }).chat.send({
                chatRequest: {
                    model: 'm',
                    messages: [{
                        role: message.role,
                        content: message.content.map((part) =>
                            read(chatContentItemsFromJSON(
                                JSON.stringify(part)))),
                    }],
                },
            })),
        answer: chat,
    },

    {
        // a tool's result goes the other way: from a server to its client

        format: 'mcp',
        type: `import type { ContentBlock as Part }
            from '@modelcontextprotocol/sdk/types.js';`,
        wrong: { type: 'resource', resource: { blob: 'AA==' } },
        send: callTool,
        arrived: (body) => body.result.content[0],
        message: {
            type: `import type { ContentBlock }
                    from '@modelcontextprotocol/sdk/types.js';
                type Part = { role: 'user', content: ContentBlock[] };`,
            wrong: { role: 'user', content: [{ text: 'x' }] },
            send: async (url, message) => {
                const content = [];

                for (const part of message.content) {
                    content.push((await callTool(url, part))
                        .result.content[0]);
                }

                return { role: message.role, content };
            },
            arrived: (message) => message,
        },
    },
];
