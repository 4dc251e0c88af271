// translators.mjs FOLDER PORT PREFIX
//
// SDKs as gateways: a client of one API sends a medium to a location of nginx on
// PORT, a translator behind it reads the request and sends what it has read with
// another SDK to the location behind, and the API of a provider gets that.  Where
// the medium itself arrives, its stand-in has to make it arrive as well.  Prints
// TAP.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { ChatAnthropic } from '@langchain/anthropic';
import { HumanMessage } from '@langchain/core/messages';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { ChatOpenAI } from '@langchain/openai';
import { generateText } from 'ai';
import OpenAI from 'openai';

import { stub } from './stub.mjs';
import { done, ok } from './tap.mjs';


const [, , folder, port, prefix] = process.argv;

const apiKey = 'k';

const types = {
    png: 'image/png', jpeg: 'image/jpeg', gif: 'image/gif',
    webp: 'image/webp', pdf: 'application/pdf', wav: 'audio/wav',
    mp3: 'audio/mpeg', mp4: 'video/mp4',
};

const kinds = Object.keys(types);

const media = Object.fromEntries(kinds.map((kind) =>
    [kind, readFileSync(join(folder, 'files', kind)).toString('base64')]));

const isImage = (type) => type.startsWith('image/');
const url = (type, data) => `data:${type};base64,${data}`;


// --- clients: they send a medium to a base URL ------------------------------------

function chatPart(type, data) {
    return isImage(type)
        ? { type: 'image_url', image_url: { url: url(type, data) } }
        : type === 'application/pdf'
        ? { type: 'file', file: { filename: 'a.pdf',
                                  file_data: url(type, data) } }
        : type === 'video/mp4'
        ? { type: 'video_url', video_url: { url: url(type, data) } }
        : { type: 'input_audio', input_audio: {
            data, format: type === 'audio/wav' ? 'wav' : 'mp3' } };
}

function responsesPart(type, data) {
    return isImage(type)
        ? { type: 'input_image', detail: 'auto', image_url: url(type, data) }
        : { type: 'input_file', filename: 'a', file_data: url(type, data) };
}

const block = (type, data) => ({
    type: isImage(type) ? 'image' : 'document',
    source: { type: 'base64', media_type: type, data },
});

const clients = {
    openai: {
        send: (base, type, data) =>
            new OpenAI({ apiKey, baseURL: `${base}/v1`, maxRetries: 0 })
                .chat.completions.create({ model: 'sees', messages: [
                    { role: 'user', content: [chatPart(type, data)] }] }),
        read: ({ messages: [{ content: [part] }] }) => fromURL(
            part.image_url?.url ?? part.file?.file_data ?? part.video_url?.url
            ?? url(`audio/${{ wav: 'wav', mp3: 'mpeg' }[
                part.input_audio.format]}`, part.input_audio.data)),
    },
    responses: {
        send: (base, type, data) =>
            new OpenAI({ apiKey, baseURL: `${base}/v1`, maxRetries: 0 })
                .responses.create({ model: 'sees', input: [
                    { role: 'user', content: [responsesPart(type, data)] }] }),
        read: ({ input: [{ content: [part] }] }) =>
            fromURL(part.image_url ?? part.file_data),
    },
    anthropic: {
        send: (baseURL, type, data) =>
            new Anthropic({ apiKey, baseURL, maxRetries: 0 })
                .messages.create({ model: 'sees', max_tokens: 9, messages: [
                    { role: 'user', content: [block(type, data)] }] }),
        read: ({ messages: [{ content: [{ source }] }] }) =>
            ({ type: source.media_type, data: source.data }),
    },
    gemini: {
        send: (baseUrl, type, data) =>
            new GoogleGenAI({ apiKey, httpOptions: { baseUrl } })
                .models.generateContent({ model: 'sees', contents: [
                    { role: 'user', parts: [
                        { inlineData: { mimeType: type, data } }] }] }),
        read: ({ contents: [{ parts: [{ inlineData }] }] }) =>
            ({ type: inlineData.mimeType, data: inlineData.data }),
    },
};

function fromURL(text) {
    const [, type, data] = /^data:([^;]*);base64,(.*)$/s.exec(text);

    return { type, data };
}


// --- translators: they send what was read to a base URL ---------------------------

const models = {
    openai: (baseURL) => createOpenAI({ apiKey, baseURL }).chat('sees'),
    responses: (baseURL) => createOpenAI({ apiKey, baseURL })
        .responses('sees'),
    anthropic: (baseURL) => createAnthropic({ apiKey, baseURL })('sees'),
    gemini: (base) => createGoogleGenerativeAI({
        apiKey, baseURL: `${base}beta` })('sees'),
};

const chains = {
    openai: (baseURL) => new ChatOpenAI({
        apiKey, model: 'sees', maxRetries: 0, useResponsesApi: false,
        configuration: { baseURL } }),
    responses: (baseURL) => new ChatOpenAI({
        apiKey, model: 'sees', maxRetries: 0, useResponsesApi: true,
        configuration: { baseURL } }),
    anthropic: (base) => new ChatAnthropic({
        apiKey, model: 'sees', maxRetries: 0, maxTokens: 9,
        anthropicApiUrl: base.replace(/\/v1$/, '') }),
    gemini: (base) => new ChatGoogleGenerativeAI({
        apiKey, model: 'sees', maxRetries: 0,
        baseUrl: base.replace(/\/v1$/, '') }),
};

const translators = {
    'its own, openai': (base, { type, data }) =>
        clients.openai.send(base, type, data),
    'its own, responses': (base, { type, data }) =>
        clients.responses.send(base, type, data),
    'its own, anthropic': (base, { type, data }) =>
        clients.anthropic.send(base, type, data),
    'its own, gemini': (base, { type, data }) =>
        clients.gemini.send(base, type, data),
};

for (const api of Object.keys(models)) {
    translators[`ai, ${api}`] = (base, { type, data }) => generateText({
        model: models[api](`${base}/v1`), maxRetries: 0, maxOutputTokens: 9,
        messages: [{ role: 'user', content: [
            { type: 'text', text: 'q' },
            { type: 'file', mediaType: type, data, filename: 'a' },
        ] }],
    });

    translators[`langchain, ${api}`] = (base, { type, data }) =>
        chains[api](`${base}/v1`).invoke([new HumanMessage({ contentBlocks: [
            { type: 'text', text: 'q' },
            { type: isImage(type) ? 'image' : type === 'application/pdf'
                ? 'file' : type.startsWith('audio/') ? 'audio' : 'video',
              mimeType: type, data, metadata: { filename: 'a' } },
        ] })]);
}


// The server of all of them: the path tells which, and where it sends to.

function serve() {
    const server = createServer(async (req, res) => {
        const parts = [];

        for await (const part of req) {
            parts.push(part);
        }

        const [, name, client, place] = req.url.split('/')
            .map(decodeURIComponent);
        let status = 200;
        let text = '';

        try {
            const read = clients[client].read(JSON.parse(
                Buffer.concat(parts).toString()));

            await translators[name](`http://127.0.0.1:${port}/${place}`, read);

        } catch (error) {
            status = 400;
            text = String(error.message).slice(0, 200);
        }

        res.writeHead(status, { 'Content-Type': 'application/json' });
        res.end(JSON.stringify({
            error: { message: text }, choices: [{ message: { content: '' } }],
            content: [], output: [], candidates: [],
        }));
    });

    return new Promise((ready) => {
        server.listen(join(prefix, 'translator'), () => ready(server));
    });
}


const provider = await stub(join(prefix, 'provider'));
const server = await serve();

async function arrives(location, place, client, name, kind) {
    provider.seen = null;

    let said = '';

    await clients[client].send(
        `http://127.0.0.1:${port}/${location}/${encodeURIComponent(name)}`
        + `/${client}/${place}`, types[kind], media[kind],
    ).catch((error) => { said = error.message; });

    if (provider.seen === null) {
        return `nothing: ${said.slice(0, 120)}`;
    }

    const seen = provider.seen.body.toString().replaceAll('\\/', '/');

    return seen.includes(media[kind]) ? 'yes'
        : /\[Unreadable\]|File processing failed/.test(seen) ? 'words'
        : 'lost';
}

for (const client of Object.keys(clients)) {
    for (const name of Object.keys(translators)) {
        let count = 0;
        const wrong = [];

        for (const kind of kinds) {
            const whole = await arrives('plain', 'direct', client, name, kind);
            const light = await arrives('front', 'behind', client, name, kind);

            count += whole === 'yes' ? 1 : 0;

            if (light !== 'yes' && light !== whole) {
                wrong.push(`${kind}: whole: ${whole}\nlight: ${light}`);
            }
        }

        ok(wrong.length === 0 && count > 0,
           `${client}, ${name}: ${count} media arrive`, ...wrong);
    }
}

provider.close();
server.closeAllConnections();
server.close();

done();
