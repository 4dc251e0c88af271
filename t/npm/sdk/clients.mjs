// Each provider's SDK sends references through nginx; looked at are what arrives
// at the API, what the SDK makes of the answer, and of nginx's errors.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import Anthropic from '@anthropic-ai/sdk';
import {
    BedrockRuntimeClient, BedrockRuntimeServiceException, ConverseCommand,
    ConverseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { ApiError, GoogleGenAI } from '@google/genai';
import { Mistral } from '@mistralai/mistralai';
import { MistralError } from '@mistralai/mistralai/models/errors';
import { OpenRouter } from '@openrouter/sdk';
import { OpenRouterError } from '@openrouter/sdk/models/errors';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import OpenAI from 'openai';

import { said, stub } from './stub.mjs';
import { ok } from './tap.mjs';


const shot = 'artifact:shot';
const question = 'What is this?';

const encoded = { 'Content-Encoding': 'gzip' };


// All text of a stream, or of an answer.

async function textOf(result, stream, delta, whole) {
    if (!stream) {
        return whole(result);
    }

    let text = '';

    for await (const event of result) {
        text += delta(event) ?? '';
    }

    return text;
}


function openai(url, headers) {
    return new OpenAI({
        apiKey: 'k', baseURL: url, maxRetries: 0, defaultHeaders: headers,
    });
}


export function bedrock(endpoint, auth) {
    return new BedrockRuntimeClient({
        region: 'us-east-1', endpoint, maxAttempts: 1, ...auth,
        requestHandler: new NodeHttpHandler(),
    });
}


export const bearer = {
    token: { token: 't' }, authSchemePreference: ['httpBearerAuth'],
};

export const signed = {
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    authSchemePreference: ['sigv4'],
};


export function converse(modelId, ...content) {
    return { modelId, messages: [{ role: 'user', content }] };
}


export const bedrockImage = {
    image: { format: 'png', source: { s3Location: { uri: shot } } },
};


// send(url, model, { stream, headers, times }) sends that many references, and
// returns what the model said; "error" is the class of the SDK's errors, and
// "status" where they have it.

export const clients = [
    {
        api: 'openai',
        error: OpenAI.APIError,
        status: (error) => error.status,
        code: (error) => error.code,
        send: async (url, model, { stream = false, headers, times }) =>
            textOf(await openai(url, headers).chat.completions.create({
                model, stream,
                messages: [{ role: 'user', content: [
                    { type: 'text', text: question },
                    ...Array(times).fill({
                        type: 'image_url',
                        image_url: { url: shot, detail: 'low' },
                    }),
                ] }],
            }), stream, (event) => event.choices[0].delta.content,
                (result) => result.choices[0].message.content),
    },

    {
        api: 'openai_responses',
        error: OpenAI.APIError,
        status: (error) => error.status,
        code: (error) => error.code,
        send: async (url, model, { stream = false, headers, times }) =>
            textOf(await openai(url, headers).responses.create({
                model, stream,
                input: [{ role: 'user', content: [
                    { type: 'input_text', text: question },
                    ...Array(times).fill({
                        type: 'input_image', detail: 'low', image_url: shot,
                    }),
                ] }],
            }), stream, (event) => event.delta,
                (result) => result.output_text),
    },

    {
        api: 'anthropic',
        error: Anthropic.APIError,
        status: (error) => error.status,
        code: (error) => error.error.error.code,
        send: async (url, model, { stream = false, headers, times }) =>
            textOf(await new Anthropic({
                apiKey: 'k', baseURL: url, maxRetries: 0,
                defaultHeaders: headers,
            }).messages.create({
                model, stream, max_tokens: 9,
                messages: [{ role: 'user', content: [
                    { type: 'text', text: question },
                    ...Array(times).fill({
                        type: 'image', source: { type: 'url', url: shot },
                    }),
                ] }],
            }), stream, (event) => event.delta?.text,
                (result) => result.content[0].text),
    },

    {
        api: 'gemini',
        error: ApiError,
        status: (error) => error.status,
        send: async (url, model, { stream = false, headers, times }) => {
            const { models } = new GoogleGenAI({
                apiKey: 'k', httpOptions: { baseUrl: url, headers },
            });
            const request = {
                model,
                contents: [{ role: 'user', parts: [
                    { text: question },
                    ...Array(times).fill({
                        fileData: { fileUri: shot, mimeType: 'image/png' },
                    }),
                ] }],
            };

            return textOf(stream ? await models.generateContentStream(request)
                                 : await models.generateContent(request),
                          stream, (event) => event.text,
                          (result) => result.text);
        },
    },

    {
        api: 'bedrock',
        error: BedrockRuntimeServiceException,
        status: (error) => error.$metadata.httpStatusCode,
        code: (error) => error.name,
        send: async (url, model, { stream = false, headers, times }) => {
            const client = bedrock(url, bearer);
            const input = converse(model, { text: question },
                                   ...Array(times).fill(bedrockImage));

            client.middlewareStack.add((next) => (args) => {
                Object.assign(args.request.headers, headers);
                return next(args);
            }, { step: 'finalizeRequest' });

            const result = await client.send(
                stream ? new ConverseStreamCommand(input)
                       : new ConverseCommand(input));

            return textOf(stream ? result.stream : result, stream,
                          (event) => event.contentBlockDelta?.delta.text,
                          (whole) => whole.output.message.content[0].text);
        },
    },

    {
        api: 'mistral',
        error: MistralError,
        status: (error) => error.statusCode,
        send: async (url, model, { stream = false, headers, times }) => {
            const { chat } = new Mistral({
                apiKey: 'k', serverURL: url, retryConfig: { strategy: 'none' },
            });
            const request = {
                model,
                messages: [{ role: 'user', content: [
                    { type: 'text', text: question },
                    ...Array(times).fill({ type: 'image_url', imageUrl: shot }),
                ] }],
            };

            return textOf(stream ? await chat.stream(request, { headers })
                                 : await chat.complete(request, { headers }),
                          stream,
                          (event) => event.data.choices[0].delta.content,
                          (result) => result.choices[0].message.content);
        },
    },

    {
        api: 'openrouter',
        error: OpenRouterError,
        status: (error) => error.statusCode,
        send: async (url, model, { stream = false, headers, times }) =>
            textOf(await new OpenRouter({
                apiKey: 'k', serverURL: url, retryConfig: { strategy: 'none' },
            }).chat.send({
                chatRequest: {
                    model, stream,
                    messages: [{ role: 'user', content: [
                        { type: 'text', text: question },
                        ...Array(times).fill({
                            type: 'image_url',
                            imageUrl: { url: shot, detail: 'low' },
                        }),
                    ] }],
                },
            }, { headers }), stream,
                (event) => event.choices[0].delta.content,
                (result) => result.choices[0].message.content),
    },
];


// Of each client: a model that sees and one that does not, whole and streamed.
// Returns the bodies that arrived.

async function answered(client, url, api, bytes) {
    const bodies = [];

    for (const model of ['sees', 'reads']) {
        for (const stream of [false, true]) {
            const label = `${client.api}, ${model}${stream ? ', stream' : ''}`;
            let text = null;

            api.seen = null;

            try {
                text = await client.send(`${url}/ok/${client.api}`, model,
                                         { stream, times: 2 });

            } catch (error) {
                ok(false, label, error.stack);
                continue;
            }

            ok(text === said, `${label}: what the model said`, text);

            const body = api.seen.body.toString();

            ok(body.split(bytes).length === (model === 'sees' ? 3 : 1),
               `${label}: the image's own bytes`, body);
            ok(body.includes('shot.png') === (model === 'reads'),
               `${label}: words`, body);
            ok(body.includes(question) && !body.includes(`"${shot}"`),
               `${label}: the rest`, body);

            bodies.push({ api: client.api, label, body });
        }
    }

    return bodies;
}


const refusals = [
    { at: 'ok', status: 400, code: 'invalid_encoding', headers: encoded,
      message: 'the encoded request body is not valid' },
    { at: 'few', status: 413, code: 'too_many_artifacts',
      message: 'the request has too many artifact references' },
    { at: 'large', status: 413, code: 'request_too_large',
      message: 'the request is too large' },
    { at: 'fails', status: 502, code: 'source_failed',
      message: 'the artifact could not be read, try again later' },
];


function isRefused(label, client, error, refusal) {
    const text = [error?.message, error?.body].join('\n');

    ok(error instanceof client.error, `${label}: the SDK's own error`,
       error?.stack);
    ok(error && client.status(error) === refusal.status, `${label}: status`,
       error?.stack);
    ok(text.includes(refusal.message), `${label}: our message`, text);
    ok(!client.code || client.code(error) === refusal.code, `${label}: code`,
       JSON.stringify(error));
}


async function refused(client, url, api) {
    for (const refusal of refusals) {
        const label = `${client.api}, ${refusal.code}`;
        const { count } = api;
        let error = null;

        try {
            await client.send(`${url}/${refusal.at}/${client.api}`, 'sees',
                              { headers: refusal.headers, times: 2 });

        } catch (thrown) {
            error = thrown;
        }

        isRefused(label, client, error, refusal);
        ok(api.count === count, `${label}: nothing was sent on`);
    }
}


// What the SDK has signed, and what went out.

async function sendSigned(endpoint, input) {
    const client = bedrock(endpoint, signed);
    const sent = {};

    client.middlewareStack.add((next) => (args) => {
        sent.body = Buffer.from(args.request.body);
        sent.authorization = args.request.headers.authorization;
        return next(args);
    }, { step: 'finalizeRequest', priority: 'low' });

    try {
        sent.result = await client.send(new ConverseCommand(input));

    } catch (error) {
        sent.error = error;
    }

    return sent;
}


async function signatures(url, api) {
    const client = clients.find(({ api: name }) => name === 'bedrock');
    const endpoint = `${url}/ok/bedrock`;

    let sent = await sendSigned(endpoint, converse('sees', bedrockImage));

    ok(/^AWS4-HMAC-SHA256 /.test(sent.authorization), 'bedrock: is signed',
       sent.authorization);
    isRefused('bedrock, signed_request', client, sent.error, {
        status: 400, code: 'signed_request',
        message: 'the request is signed: its references cannot be expanded',
    });

    api.seen = null;
    sent = await sendSigned(endpoint, converse('sees', { text: question }, {
        image: { format: 'png', source: { bytes: Buffer.from('PNG') } },
    }));

    ok(sent.result?.output.message.content[0].text === said,
       'bedrock, signed without references: answered', sent.error?.stack);
    ok(api.seen?.body.equals(sent.body),
       'bedrock, signed without references: the bytes that were signed');
    ok(api.seen?.headers.authorization === sent.authorization,
       'bedrock, signed without references: the signature');
}


// The bodies that arrived, to be compiled.

export async function runClients(url, socket, folder) {
    const bytes = readFileSync(join(folder, 'files', 'shot'))
        .toString('base64');
    const api = await stub(socket);
    const bodies = [];

    for (const client of clients) {
        bodies.push(...await answered(client, url, api, bytes));
        await refused(client, url, api);
    }

    await signatures(url, api);

    api.close();

    return bodies;
}
