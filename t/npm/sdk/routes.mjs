// The routes that carry histories and pictures without a model's answer, as the
// providers' SDKs call them: references arrive as what the model takes.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';

import { stub } from './stub.mjs';
import { ok } from './tap.mjs';


const shot = 'artifact:shot';

const item = {
    type: 'message', role: 'user',
    content: [{ type: 'input_image', detail: 'low', image_url: shot }],
};

const turns = [{ role: 'user', content: [
    { type: 'image', source: { type: 'url', url: shot } },
] }];

const contents = [{ role: 'user', parts: [
    { fileData: { mimeType: 'image/png', fileUri: shot } },
] }];


// Of each: the end of the path, how many images and how many words arrive.

const routes = [
    ['/responses/compact', 1, 0, ({ openai }) =>
        openai.responses.compact({ model: 'sees', input: [item] })],
    ['/responses/compact', 0, 1, ({ openai }) =>
        openai.responses.compact({ model: 'reads', input: [item] })],
    ['/conversations', 1, 0, ({ openai }) =>
        openai.conversations.create({ items: [item] })],
    ['/conversations/c/items', 1, 0, ({ openai }) =>
        openai.conversations.items.create('c', { items: [item] })],
    ['/responses', 1, 0, ({ openai }) => openai.responses.create({
        model: 'reads', input: 'x', tools: [{
            type: 'image_generation', input_image_mask: { file_id: shot },
        }],
    })],
    ['/images/edits', 2, 0, ({ openai }) => openai.post('/images/edits', {
        body: { model: 'm', prompt: 'x', images: [{ image_url: shot }],
                mask: { file_id: shot } },
    })],
    ['/messages/batches', 1, 1, ({ anthropic }) =>
        anthropic.messages.batches.create({
            requests: ['sees', 'reads'].map((model) => ({
                custom_id: model,
                params: { model, max_tokens: 9, messages: turns },
            })),
        })],
    [':batchGenerateContent', 1, 0, ({ google }) => google.batches.create({
        model: 'gemini-3-sees', src: [{ contents }],
    })],
    [':batchGenerateContent', 0, 1, ({ google }) => google.batches.create({
        model: 'gemini-3-reads', src: [{ contents }],
    })],
];


export async function runRoutes(url, socket, folder) {
    const api = await stub(socket, { echo: true });
    const image = readFileSync(join(folder, 'files', 'shot'))
        .toString('base64');

    const clients = {
        openai: new OpenAI({ apiKey: 'k', baseURL: `${url}/ok/v1`,
                             maxRetries: 0 }),
        anthropic: new Anthropic({ apiKey: 'k', baseURL: `${url}/ok`,
                                   maxRetries: 0 }),
        google: new GoogleGenAI({ apiKey: 'k',
                                  httpOptions: { baseUrl: `${url}/ok` } }),
    };

    for (const [path, images, words, send] of routes) {
        api.seen = null;

        // what comes back is no answer of the API, but what was sent

        await send(clients).catch(() => {});

        const body = String(api.seen?.body ?? '');

        ok(new URL(api.seen?.url ?? '/', 'http://stub').pathname
            .endsWith(path), `${path}: the SDK's path`, api.seen?.url);
        ok(body.split(image).length - 1 === images,
           `${path}: ${images} images`, body);
        ok(body.split('[Unreadable] shot.png').length - 1 === words,
           `${path}: ${words} in words`, body);
        ok(!body.includes('"artifact:'), `${path}: no reference`, body);
    }

    api.close();
}
