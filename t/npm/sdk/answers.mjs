// answers.mjs URL
//
// Reads the answers at URL through the providers' own clients, streams to their
// end and documents, and prints for each a line of JSON: its name, its text, and
// the artifacts that arrived with it.

import Anthropic from '@anthropic-ai/sdk';
import {
    BedrockRuntimeClient, ConverseCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenAI } from '@google/genai';
import { HTTPClient as MistralHTTP, Mistral } from '@mistralai/mistralai';
import { HTTPClient as OpenRouterHTTP, OpenRouter } from '@openrouter/sdk';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import OpenAI from 'openai';

import { aiAnswers } from './answers_ai.mjs';


const url = process.argv[2];
const messages = [{ role: 'user', content: 'x' }];


// Four clients make objects of their own, without what they do not know: the
// artifacts come from a second look at the response.

let looked;

function look(response) {
    looked = itemsOf(response);
    looked.catch(() => {});  // the client tells
}

async function itemsOf(response) {
    const text = await response.text();
    const events = text.startsWith('{') ? [text]
        : Array.from(text.matchAll(/^data: ?(\{.*)$/gm), (match) => match[1]);

    return events.flatMap((event) => JSON.parse(event).artifacts ?? []);
}

async function fetchAndLook(...args) {
    const response = await fetch(...args);

    look(response.clone());

    return response;
}

const lookAtBody = (next) => async (args) => {
    const result = await next(args);
    const body = await result.response.body.toArray();

    result.response.body = new Uint8Array(Buffer.concat(body));
    look(new Response(result.response.body));

    return result;
};


const openai = new OpenAI({
    apiKey: 'none', baseURL: `${url}/openai/v1`, maxRetries: 0,
});
const anthropic = new Anthropic({
    apiKey: 'none', baseURL: `${url}/anthropic`, maxRetries: 0,
});
const gemini = new GoogleGenAI({
    apiKey: 'none',
    httpOptions: { baseUrl: `${url}/gemini`, fetch: fetchAndLook },
});
const mistral = new Mistral({
    apiKey: 'none', serverURL: `${url}/mistral`,
    httpClient: new MistralHTTP({ fetcher: fetchAndLook }),
});
const openrouter = new OpenRouter({
    apiKey: 'none', serverURL: `${url}/openrouter/api/v1`,
    httpClient: new OpenRouterHTTP({ fetcher: fetchAndLook }),
});
const bedrock = new BedrockRuntimeClient({
    region: 'us-east-1', endpoint: `${url}/bedrock`, maxAttempts: 1,
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    requestHandler: new NodeHttpHandler(),
});

bedrock.middlewareStack.add(lookAtBody, {
    step: 'deserialize', priority: 'low',
});


// Of a stream all text, and the artifacts of any event.

async function collect(stream, textOf) {
    const got = { text: '', items: [] };

    for await (const event of stream) {
        got.text += textOf(event) ?? '';
        got.items.push(...(event.artifacts ?? []));
    }

    return got;
}


const answers = {
    'openai stream': async () => collect(
        await openai.chat.completions.create({
            model: 'm', messages, stream: true,
        }), (chunk) => chunk.choices[0]?.delta.content),

    'openai runner': async () => {
        const runner = openai.chat.completions.stream({
            model: 'm', messages,
        });
        const got = await collect(runner,
            (chunk) => chunk.choices[0]?.delta.content);
        const final = await runner.finalChatCompletion();

        return { ...got, text: final.choices[0].message.content };
    },

    'openai json': async () => {
        const got = await openai.chat.completions.create({
            model: 'm', messages,
        });

        return { text: got.choices[0].message.content, items: got.artifacts };
    },

    'openai_responses stream': async () => collect(
        await openai.responses.create({
            model: 'm', input: 'x', stream: true,
        }), (event) => (event.type === 'response.output_text.delta'
            ? event.delta : '')),

    'openai_responses runner': async () => {
        const runner = openai.responses.stream({ model: 'm', input: 'x' });
        const got = await collect(runner, () => '');
        const final = await runner.finalResponse();

        return { ...got, text: final.output_text };
    },

    'openai_responses final': async () => {
        const runner = openai.responses.stream({ model: 'm', input: 'x' });
        const final = await runner.finalResponse();

        return { text: final.output_text, items: final.artifacts };
    },

    'openai_responses json': async () => {
        const got = await openai.responses.create({ model: 'm', input: 'x' });

        return { text: got.output_text, items: got.artifacts };
    },

    'anthropic stream': async () => collect(
        await anthropic.messages.create({
            model: 'm', max_tokens: 9, messages, stream: true,
        }), (event) => (event.delta?.type === 'text_delta'
            ? event.delta.text : '')),

    'anthropic runner': async () => {
        const runner = anthropic.messages.stream({
            model: 'm', max_tokens: 9, messages,
        });
        const got = await collect(runner, () => '');

        return { ...got, text: await runner.finalText() };
    },

    'anthropic json': async () => {
        const got = await anthropic.messages.create({
            model: 'm', max_tokens: 9, messages,
        });

        return { text: got.content[0].text, items: got.artifacts };
    },

    'gemini stream': async () => ({ ...await collect(
        await gemini.models.generateContentStream({
            model: 'g-9', contents: 'x',
        }), (chunk) => chunk.text), items: await looked }),

    'gemini json': async () => {
        const got = await gemini.models.generateContent({
            model: 'g-9', contents: 'x',
        });

        return { text: got.text, items: await looked };
    },

    'mistral stream': async () => ({ ...await collect(
        await mistral.chat.stream({ model: 'm', messages }),
        (event) => event.data.choices[0]?.delta.content),
        items: await looked }),

    'mistral json': async () => {
        const got = await mistral.chat.complete({ model: 'm', messages });

        return { text: got.choices[0].message.content, items: await looked };
    },

    'openrouter stream': async () => ({ ...await collect(
        await openrouter.chat.send({
            chatRequest: { model: 'm', messages, stream: true },
        }), (chunk) => chunk.choices[0]?.delta.content),
        items: await looked }),

    'openrouter json': async () => {
        const got = await openrouter.chat.send({
            chatRequest: { model: 'm', messages },
        });

        return { text: got.choices[0].message.content, items: await looked };
    },

    'bedrock json': async () => {
        const got = await bedrock.send(new ConverseCommand({
            modelId: 'm', messages: [{ role: 'user', content: [{ text: 'x' }] }],
        }));

        return {
            text: got.output.message.content[0].text, items: await looked,
        };
    },

    ...aiAnswers(url),
};


for (const [name, read] of Object.entries(answers)) {
    try {
        console.log(JSON.stringify({ name, ...await read() }));

    } catch (error) {
        console.log(JSON.stringify({ name, error: String(error.stack) }));
    }
}
