// texts.mjs BASE SOCKET
//
// Histories in which a tool has returned 500 KB, as the SDKs and frameworks write
// them, to BASE, which is nginx, before the API of a provider at SOCKET: what
// arrives has an excerpt, the next turn begins with the same bytes, and what the
// reader has returned is whole.  Prints TAP.

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import {
    BedrockRuntimeClient, ConverseCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { GoogleGenAI } from '@google/genai';
import { ChatAnthropic } from '@langchain/anthropic';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { ChatOpenAI } from '@langchain/openai';
import { Mistral } from '@mistralai/mistralai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { generateText, jsonSchema, tool } from 'ai';
import OpenAI from 'openai';

import { stub } from './stub.mjs';
import { done, ok } from './tap.mjs';


const [, , base, socket] = process.argv;

const apiKey = 'k';
const model = 'm';
const log = Array.from({ length: 20_000 }, (_, n) =>
    `line ${n} of a "log"\n`).join('');
const schema = { type: 'object', properties: { ref: { type: 'string' } } };
const description = 'of a tool';
const names = ['get_log', 'mcp__store__read_artifact'];


// A turn: the name of a tool, and what it has returned.

const anthropic = (turns) => turns.flatMap(([name, text], n) => [
    { role: 'assistant', content: [
        { type: 'tool_use', id: `c${n}`, name, input: {} }] },
    { role: 'user', content: [
        { type: 'tool_result', tool_use_id: `c${n}`,
          content: [{ type: 'text', text }] }] },
]);

const chat = (turns) => turns.flatMap(([name, content], n) => [
    { role: 'assistant', tool_calls: [
        { id: `c${n}`, type: 'function',
          function: { name, arguments: '{}' } }] },
    { role: 'tool', tool_call_id: `c${n}`, content },
]);

const functions = names.map((name) => ({
    type: 'function', function: { name, description, parameters: schema },
}));

const first = { role: 'user', content: 'What is in the log?' };


// What "ai" and LangChain have for all providers.

const ai = (provider) => (turns) => generateText({
    model: provider, maxRetries: 0,
    tools: Object.fromEntries(names.map((name) =>
        [name, tool({ description, inputSchema: jsonSchema(schema) })])),
    messages: [first, ...turns.flatMap(([toolName, value], n) => [
        { role: 'assistant', content: [
            { type: 'tool-call', toolCallId: `c${n}`, toolName, input: {} }] },
        { role: 'tool', content: [
            { type: 'tool-result', toolCallId: `c${n}`, toolName,
              output: { type: 'text', value } }] },
    ])],
});

const langchain = (client) => (turns) => client.bindTools(functions).invoke([
    new HumanMessage(first.content),
    ...turns.flatMap(([name, content], n) => [
        new AIMessage({ content: '',
                        tool_calls: [{ id: `c${n}`, name, args: {} }] }),
        new ToolMessage({ content, name, tool_call_id: `c${n}` }),
    ]),
]);


const senders = {
    'openai, chat': (turns) =>
        new OpenAI({ apiKey, baseURL: `${base}/v1`, maxRetries: 0 })
            .chat.completions.create({
                model, tools: functions, messages: [first, ...chat(turns)] }),

    'openai, responses': (turns) =>
        new OpenAI({ apiKey, baseURL: `${base}/v1`, maxRetries: 0 })
            .responses.create({
                model,
                tools: names.map((name) => ({
                    type: 'function', name, description, strict: false,
                    parameters: schema })),
                input: [first, ...turns.flatMap(([name, output], n) => [
                    { type: 'function_call', call_id: `c${n}`, name,
                      arguments: '{}' },
                    { type: 'function_call_output', call_id: `c${n}`, output },
                ])] }),

    '@anthropic-ai/sdk': (turns) =>
        new Anthropic({ apiKey, baseURL: base, maxRetries: 0 })
            .messages.create({
                model, max_tokens: 9,
                tools: names.map((name) => ({
                    name, description, input_schema: schema })),
                messages: [first, ...anthropic(turns)] }),

    '@google/genai': (turns) =>
        new GoogleGenAI({ apiKey, httpOptions: { baseUrl: base } })
            .models.generateContent({
                model,
                config: { tools: [{ functionDeclarations: names.map((name) => ({
                    name, description, parametersJsonSchema: schema })) }] },
                contents: [
                    { role: 'user', parts: [{ text: first.content }] },
                    ...turns.flatMap(([name, output]) => [
                        { role: 'model', parts: [
                            { functionCall: { name, args: {} } }] },
                        { role: 'user', parts: [
                            { functionResponse: { name,
                                                  response: { output } } }] },
                    ])] }),

    '@aws-sdk, with a bearer token': (turns) =>
        new BedrockRuntimeClient({
            region: 'us-east-1', endpoint: base, maxAttempts: 1,
            token: { token: 't' }, authSchemePreference: ['httpBearerAuth'],
            requestHandler: new NodeHttpHandler(),
        }).send(new ConverseCommand({
            modelId: model,
            toolConfig: { tools: names.map((name) => ({
                toolSpec: { name, description, inputSchema: { json: schema } },
            })) },
            messages: [
                { role: 'user', content: [{ text: first.content }] },
                ...turns.flatMap(([name, text], n) => [
                    { role: 'assistant', content: [
                        { toolUse: { toolUseId: `c${n}`, name, input: {} } }] },
                    { role: 'user', content: [
                        { toolResult: { toolUseId: `c${n}`,
                                        content: [{ text }] } }] },
                ])],
        })),

    '@mistralai/mistralai': (turns) =>
        new Mistral({ apiKey, serverURL: `${base}/mistral` }).chat.complete({
            model, tools: functions,
            messages: [first, ...turns.flatMap(([name, content], n) => [
                { role: 'assistant', toolCalls: [
                    { id: `c${n}`, function: { name, arguments: '{}' } }] },
                { role: 'tool', toolCallId: `c${n}`, name, content },
            ])] }),

    'ai, chat': ai(createOpenAI({ apiKey, baseURL: `${base}/v1` })
        .chat(model)),
    'ai, responses': ai(createOpenAI({ apiKey, baseURL: `${base}/v1` })
        .responses(model)),
    'ai, anthropic': ai(createAnthropic({ apiKey, baseURL: `${base}/v1` })(
        model)),
    'ai, google': ai(createGoogleGenerativeAI({
        apiKey, baseURL: `${base}/v1beta` })(model)),

    'langchain, chat': langchain(new ChatOpenAI({
        apiKey, model, maxRetries: 0,
        configuration: { baseURL: `${base}/v1` } })),
    'langchain, responses': langchain(new ChatOpenAI({
        apiKey, model, maxRetries: 0, useResponsesApi: true,
        configuration: { baseURL: `${base}/v1` } })),
    'langchain, anthropic': langchain(new ChatAnthropic({
        apiKey, model, maxRetries: 0, maxTokens: 9, anthropicApiUrl: base })),
    'langchain, google': langchain(new ChatGoogleGenerativeAI({
        apiKey, model, maxRetries: 0, baseUrl: base })),
};


const provider = await stub(socket);
const sentence = /The whole text is artifact:([0-9a-f-]{36}); read_artifact/g;


// What arrives of a history; an answer that the client does not like is not
// looked at.

async function arrives(send, turns) {
    provider.seen = null;

    try {
        await send(turns);
    } catch (error) {
        if (provider.seen === null) {
            return `not sent: ${error.stack ?? error}`;
        }
    }

    return provider.seen.body.toString();
}

const ids = new Set();

for (const [name, send] of Object.entries(senders)) {
    const one = await arrives(send, [['get_log', log]]);
    const found = [...one.matchAll(sentence)];

    found.forEach(([, id]) => ids.add(id));

    ok(found.length === 1 && one.length < 10_000, `${name}: an excerpt`,
       one.slice(0, 500));

    const again = await arrives(send, [['get_log', log], ['get_log', '42']]);
    const result = one.slice(0, one.search(sentence) + 60);

    ok(again.length < 12_000 && again.startsWith(result),
       `${name}: the next turn begins with the same bytes`,
       again.slice(0, 500));

    const read = await arrives(send, [['get_log', '42'], [names[1], log]]);

    ok(read.length > log.length && !read.match(sentence),
       `${name}: what was read is whole`, read.slice(0, 500));
}

ok(ids.size === 1, 'one artifact for all of them', [...ids]);

provider.close();

done();
