// Answers read by the "ai" package: its streams as a server reads them and as
// what it hands on to a browser, and its documents.

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, readUIMessageStream, streamText } from 'ai';


const apiKey = 'none';
const request = { prompt: 'x', maxOutputTokens: 9, maxRetries: 0 };


// What this provider passes on of members it does not know: of documents and
// of streams.

const metadataExtractor = {
    extractMetadata: async ({ parsedBody }) => (
        { own: { artifacts: parsedBody.artifacts } }),

    createStreamExtractor() {
        let artifacts;

        return {
            processChunk: (chunk) => { artifacts ??= chunk.artifacts; },
            buildMetadata: () => ({ own: { artifacts } }),
        };
    },
};


function modelsAt(url) {
    const openai = createOpenAI({ apiKey, baseURL: `${url}/openai/v1` });

    return {
        openai: openai.chat('m'),
        openai_responses: openai.responses('m'),
        anthropic: createAnthropic({
            apiKey, baseURL: `${url}/anthropic/v1`,
        })('m'),
        gemini: createGoogleGenerativeAI({
            apiKey, baseURL: `${url}/gemini/v1beta`,
        })('g-9'),
    };
}


function ended(reason) {
    if (reason !== 'stop') {
        throw new Error(`finish reason "${reason}"`);
    }
}


async function stream(model) {
    const result = streamText({ ...request, model, includeRawChunks: true });
    const got = { text: '', items: [] };

    for await (const part of result.fullStream) {
        if (part.type === 'error') {
            throw part.error;
        }

        if (part.type === 'text-delta') {
            got.text += part.text;
        }

        if (part.type === 'raw') {
            got.items.push(...(part.rawValue.artifacts ?? []));
        }
    }

    ended(await result.finishReason);

    return got;
}


async function browser(model) {
    const result = streamText({ ...request, model, includeRawChunks: true });
    const messages = readUIMessageStream({
        stream: result.toUIMessageStream({
            messageMetadata: ({ part }) => (part.type === 'raw'
                && part.rawValue.artifacts
                ? { artifacts: part.rawValue.artifacts } : undefined),
        }),
        terminateOnError: true,
    });
    let last;

    for await (const message of messages) {
        last = message;
    }

    return {
        text: last.parts.map((part) => part.text ?? '').join(''),
        items: last.metadata?.artifacts,
    };
}


async function json(model) {
    const got = await generateText({
        ...request, model, include: { responseBody: true },
    });

    ended(got.finishReason);

    return { text: got.text, items: got.response.body.artifacts };
}


async function hookedStream(model) {
    const result = streamText({ ...request, model });
    const text = await result.text;

    ended(await result.finishReason);

    return { text, items: (await result.providerMetadata).own.artifacts };
}


async function hookedJson(model) {
    const got = await generateText({ ...request, model });

    ended(got.finishReason);

    return { text: got.text, items: got.providerMetadata.own.artifacts };
}


export function aiAnswers(url) {
    const answers = {};

    for (const [api, model] of Object.entries(modelsAt(url))) {
        for (const read of [stream, browser, json]) {
            answers[`${api} ai ${read.name}`] = () => read(model);
        }
    }

    for (const api of ['openai', 'mistral', 'openrouter']) {
        const model = createOpenAICompatible({
            name: 'own', apiKey, baseURL: `${url}/${api}/v1`,
            metadataExtractor,
        })('m');

        for (const read of [hookedStream, hookedJson]) {
            answers[`${api} ai ${read.name}`] = () => read(model);
        }
    }

    return answers;
}
