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
import { Mistral } from '@mistralai/mistralai';
import { OpenRouter } from '@openrouter/sdk';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import OpenAI from 'openai';


const url = process.argv[2];
const messages = [{ role: 'user', content: 'x' }];

const openai = new OpenAI({
    apiKey: 'none', baseURL: `${url}/openai/v1`, maxRetries: 0,
});
const anthropic = new Anthropic({
    apiKey: 'none', baseURL: `${url}/anthropic`, maxRetries: 0,
});
const gemini = new GoogleGenAI({
    apiKey: 'none', httpOptions: { baseUrl: `${url}/gemini` },
});
const mistral = new Mistral({ apiKey: 'none', serverURL: `${url}/mistral` });
const openrouter = new OpenRouter({
    apiKey: 'none', serverURL: `${url}/openrouter/api/v1`,
});
const bedrock = new BedrockRuntimeClient({
    region: 'us-east-1', endpoint: `${url}/bedrock`, maxAttempts: 1,
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    requestHandler: new NodeHttpHandler(),
});


// Of a stream all text, and the artifacts of any event.

async function collect(stream, textOf, artifactsOf = (event) => event.artifacts) {
    const got = { text: '', items: [] };

    for await (const event of stream) {
        got.text += textOf(event) ?? '';
        got.items.push(...(artifactsOf(event) ?? []));
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

    // these three make objects of their own: what they do not know is lost

    'gemini stream': async () => collect(
        await gemini.models.generateContentStream({
            model: 'g-9', contents: 'x',
        }), (chunk) => chunk.text, () => null),

    'mistral stream': async () => collect(
        await mistral.chat.stream({ model: 'm', messages }),
        (event) => event.data.choices[0]?.delta.content, () => null),

    'openrouter stream': async () => collect(
        await openrouter.chat.send({
            chatRequest: { model: 'm', messages, stream: true },
        }), (chunk) => chunk.choices[0]?.delta.content, () => null),

    'bedrock json': async () => {
        const got = await bedrock.send(new ConverseCommand({
            modelId: 'm', messages: [{ role: 'user', content: [{ text: 'x' }] }],
        }));

        return { text: got.output.message.content[0].text, items: null };
    },
};


for (const [name, read] of Object.entries(answers)) {
    try {
        console.log(JSON.stringify({ name, ...await read() }));

    } catch (error) {
        console.log(JSON.stringify({ name, error: String(error.stack) }));
    }
}
