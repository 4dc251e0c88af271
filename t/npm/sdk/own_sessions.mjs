// own_sessions.mjs FOLDER PORT SOCKET
//
// Sessions in which a client puts media of its own: the SDKs send them to an API
// that refuses what providers refuse, once straight, where the session ends, and
// once through nginx on PORT, which sends to SOCKET, where it goes on.
// FOLDER/files/{kind} are the contents.  Prints TAP.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import Anthropic from '@anthropic-ai/sdk';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { GoogleGenAI } from '@google/genai';
import { ChatAnthropic } from '@langchain/anthropic';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { ChatOpenAI } from '@langchain/openai';
import { generateText } from 'ai';
import OpenAI from 'openai';

import { refusal } from './refusals.mjs';
import { said, stub } from './stub.mjs';
import { done, ok } from './tap.mjs';


const [, , folder, port, socket] = process.argv;

const file = (kind) => readFileSync(join(folder, 'files', kind));

const apiKey = 'k';
const url = ({ type, data }) => `data:${type};base64,${data}`;


// What a user attaches: the kind of part that the client thinks it is, the type
// that it declares, and its bytes.  "refused": by providers; "seen": but by its
// first bytes a client can tell what it is.

const media = [
    { name: 'a PNG', as: 'image', type: 'image/png', bytes: file('png') },
    { name: 'a JPEG', as: 'image', type: 'image/jpeg', bytes: file('jpeg') },
    { name: 'a PDF', as: 'file', type: 'application/pdf', bytes: file('pdf') },
    { name: 'a PNG called a JPEG', as: 'image', type: 'image/jpeg',
      bytes: file('png'), refused: true, seen: true },
    { name: 'a WebP called a PNG', as: 'image', type: 'image/png',
      bytes: file('webp'), refused: true, seen: true },
    { name: 'a JPEG called image/jpg', as: 'image', type: 'image/jpg',
      bytes: file('jpeg'), refused: true, seen: true },
    { name: 'a PNG that was cut', as: 'image', type: 'image/png',
      bytes: file('png').subarray(0, -20), refused: true },
    { name: 'the HTML of an error', as: 'image', type: 'image/png',
      bytes: file('html'), refused: true },
    { name: 'a PDF that was cut', as: 'file', type: 'application/pdf',
      bytes: file('pdf').subarray(0, -60), refused: true },
    { name: 'a CSV called a PDF', as: 'file', type: 'application/pdf',
      bytes: file('csv'), refused: true },
    { name: 'a PNG called a PDF', as: 'file', type: 'application/pdf',
      bytes: file('png'), refused: true, seen: true },
].map((medium) => ({ ...medium, data: medium.bytes.toString('base64') }));


// The SDKs: "user" is the message of a user with a medium, "answer" that of the
// model, and ask() sends messages and returns the text of the answer.

const plain = [
    {
        name: 'openai, chat', api: 'openai',
        user: (medium) => ({ role: 'user', content: [
            { type: 'text', text: 'What is this?' },
            medium.as === 'image'
                ? { type: 'image_url', image_url: { url: url(medium) } }
                : { type: 'file', file: {
                    filename: 'a.pdf', file_data: url(medium),
                } },
        ] }),
        answer: (content) => ({ role: 'assistant', content }),
        ask: async (baseURL, model, messages) =>
            (await new OpenAI({ apiKey, baseURL, maxRetries: 0 })
                .chat.completions.create({ model, messages }))
                .choices[0].message.content,
    },

    {
        name: 'openai, responses', api: 'openai_responses',
        user: (medium) => ({ role: 'user', content: [
            { type: 'input_text', text: 'What is this?' },
            medium.as === 'image'
                ? { type: 'input_image', detail: 'auto', image_url: url(medium) }
                : { type: 'input_file', filename: 'a.pdf',
                    file_data: url(medium) },
        ] }),
        answer: (content) => ({ role: 'assistant', content }),
        ask: async (baseURL, model, input) =>
            (await new OpenAI({ apiKey, baseURL, maxRetries: 0 })
                .responses.create({ model, input })).output_text,
    },

    {
        name: '@anthropic-ai/sdk', api: 'anthropic',
        user: ({ as, type, data }) => ({ role: 'user', content: [
            { type: 'text', text: 'What is this?' },
            { type: as === 'image' ? 'image' : 'document',
              source: { type: 'base64', media_type: type, data } },
        ] }),
        answer: (content) => ({ role: 'assistant', content }),
        ask: async (baseURL, model, messages) =>
            (await new Anthropic({ apiKey, baseURL, maxRetries: 0 })
                .messages.create({ model, max_tokens: 9, messages }))
                .content[0].text,
    },

    {
        name: '@anthropic-ai/sdk, a result', api: 'anthropic',
        user: ({ as, type, data }) => ({ role: 'user', content: [
            { type: 'tool_result', tool_use_id: 't', content: [
                { type: as === 'image' ? 'image' : 'document',
                  source: { type: 'base64', media_type: type, data } },
            ] },
        ] }),
        answer: () => ({ role: 'assistant', content: [
            { type: 'tool_use', id: 't', name: 'shot', input: {} },
        ] }),
        ask: async (baseURL, model, messages) =>
            (await new Anthropic({ apiKey, baseURL, maxRetries: 0 })
                .messages.create({ model, max_tokens: 9, messages }))
                .content[0].text,
    },

    {
        name: '@google/genai', api: 'gemini',
        user: ({ type, data }) => ({ role: 'user', parts: [
            { text: 'What is this?' },
            { inlineData: { mimeType: type, data } },
        ] }),
        answer: (text) => ({ role: 'model', parts: [{ text }] }),
        ask: async (baseUrl, model, contents) =>
            (await new GoogleGenAI({ apiKey, httpOptions: {
                baseUrl, apiVersion: '',
            } }).models.generateContent({ model, contents })).text,
    },
];


// The same message for all providers of the "ai" package, which itself declares
// the types of images by their first bytes, and for LangChain's.

const providers = {
    openai: (baseURL, model) => createOpenAI({ apiKey, baseURL }).chat(model),
    openai_responses: (baseURL, model) =>
        createOpenAI({ apiKey, baseURL }).responses(model),
    anthropic: (baseURL, model) =>
        createAnthropic({ apiKey, baseURL })(model),
    gemini: (baseURL, model) =>
        createGoogleGenerativeAI({ apiKey, baseURL })(model),
};

const ai = Object.entries(providers).map(([api, model]) => ({
    name: `ai, ${api}`, api, looks: true,
    user: ({ type, bytes }) => ({ role: 'user', content: [
        { type: 'text', text: 'What is this?' },
        { type: 'file', mediaType: type, data: bytes, filename: 'a' },
    ] }),
    answer: (content) => ({ role: 'assistant', content }),
    ask: async (baseURL, name, messages) => (await generateText({
        model: model(baseURL, name), messages, maxOutputTokens: 9,
        maxRetries: 0,
    })).text,
}));

const chains = {
    openai: (baseURL, model) => new ChatOpenAI({
        apiKey, model, maxRetries: 0, useResponsesApi: false,
        configuration: { baseURL },
    }),
    openai_responses: (baseURL, model) => new ChatOpenAI({
        apiKey, model, maxRetries: 0, useResponsesApi: true,
        configuration: { baseURL },
    }),
    anthropic: (anthropicApiUrl, model) => new ChatAnthropic({
        apiKey, model, maxRetries: 0, anthropicApiUrl, maxTokens: 9,
    }),
    gemini: (baseUrl, model) => new ChatGoogleGenerativeAI({
        apiKey, model, maxRetries: 0, baseUrl, apiVersion: 'v1',
    }),
};

const langchain = Object.entries(chains).map(([api, model]) => ({
    name: `langchain, ${api}`, api,
    user: ({ as, type, data }) => new HumanMessage({ contentBlocks: [
        { type: 'text', text: 'What is this?' },
        { type: as, mimeType: type, data, metadata: { filename: 'a' } },
    ] }),
    answer: (text) => new AIMessage(text),
    ask: async (baseURL, name, messages) =>
        (await model(baseURL, name).invoke(messages)).text,
}));


const paths = {
    openai: 'v1', openai_responses: 'v1', anthropic: '', gemini: 'v1',
};

// a model that the map knows, and one that it does not; LangChain looks at names

const models = {
    gemini: ['gemini-2.5-sees', 'gemini-2.5-nobody-knows'],
};

const strict = (client) => ({ refuses: (body) => refusal(client.api, body) });


// A turn with the medium, and the next one, with the whole history.

async function session(client, base, model, medium) {
    const path = client.name === 'ai, anthropic' ? 'v1' : paths[client.api];
    const at = path === '' ? base : `${base}/${path}`;
    const turn = () => client.ask(at, model, messages);
    const messages = [
        ...client.name.endsWith('a result') ? [{ role: 'user', content: 'x' }]
            : [client.user(media[0])],
        client.answer(said), client.user(medium),
    ];

    const answers = [await turn()];

    messages.push(client.answer(said),
                  client.user(media.find(({ as }) => as === 'image')));

    answers.push(await turn());

    return answers.join(' ');
}


async function outcome(client, base, model, medium) {
    try {
        return await session(client, base, model, medium);

    } catch (error) {
        return `${error.status ?? error.statusCode ?? error.name}: ${
            error.message}`;
    }
}


async function runClient(client, api, straight) {
    Object.assign(api, strict(client));
    Object.assign(straight, strict(client));

    const names = models[client.api] ?? ['sees', 'nobody-knows'];
    let ends = 0;

    for (const medium of media) {
        const base = `http://127.0.0.1:${straight.port}`;
        const refused = medium.refused === true
            && !(medium.seen && client.looks);
        const direct = await outcome(client, base, names[0], medium);

        ok((direct === `${said} ${said}`) !== refused,
           `${client.name}: ${medium.name} ${refused ? 'ends' : 'does not end'}`
           + ' a session', direct);

        ends += refused;

        for (const model of names) {
            const text = await outcome(client, `http://127.0.0.1:${port}`,
                                       model, medium);

            ok(text === `${said} ${said}`,
               `${client.name}, ${model}: ${medium.name} goes on`, text);

            if (!medium.refused) {
                ok(api.seen.body.includes(JSON.stringify(medium.data)
                                              .slice(1, -1)),
                   'and arrives as it is');
            }
        }
    }

    ok(ends > 0, `${client.name}: some do end it`);
}


const api = await stub(socket);
const straight = await stub(0);

for (const client of [...plain, ...ai, ...langchain]) {
    await runClient(client, api, straight);
}

api.close();
straight.close();

done();
