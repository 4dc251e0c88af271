// Requests of each API with parts in one of four positions, as its SDK has them
// on the wire.  A row for each API:
//
//   api       its name
//   type      TypeScript that names the SDK's type of a request "Request"
//   wrong     a request that this type does not allow
//   source    the request as TypeScript, where that is not its JSON
//   media     kinds of content that the API takes from a user
//   inTool    those of them that may stand in a tool's result
//   parts     the slots: functions of a reference, the neutral part first
//   answer    a tool's result that is nothing but a reference
//   body      (position, parts, model) => a request; of a tool both results have
//             the parts
//   path      (model) => where it is sent
//   results   the ids of the tools' results in a request, in order, with "-"
//             for whatever stands between


const all = ['image', 'pdf', 'audio'];

const call = (id) => ({
    id, type: 'function', function: { name: 'get', arguments: '{}' },
});


function chatBody(position, parts, model) {
    const user = { role: 'user', content: 'q' };

    const messages = {
        user: [{ role: 'user', content: parts }],
        system: [{ role: 'system', content: parts }, user],
        assistant: [user, { role: 'assistant', content: parts }, user],
        tool: [
            user,
            { role: 'assistant', content: null,
              tool_calls: [call('c1'), call('c2')] },
            { role: 'tool', tool_call_id: 'c1', content: parts },
            { role: 'tool', content: parts, tool_call_id: 'c2' },
            user,
        ],
    };

    return { model, stream: false, messages: messages[position] };
}


function chatResults({ messages }) {
    const first = messages.findIndex(({ tool_calls: calls }) => calls);

    return messages.slice(first + 1).map(({ tool_call_id: id }) => id ?? '-');
}


const chatParts = [
    (ref) => ({ type: 'artifact', artifact: ref }),
    (ref) => ({ type: 'image_url', image_url: { url: ref, detail: 'low' } }),
    (ref) => ({ type: 'file', file: { file_id: ref } }),
    (ref) => ({ type: 'file', file: { file_data: ref, filename: 'f' } }),
    (ref) => ({ type: 'input_audio',
                input_audio: { data: ref, format: 'wav' } }),
];

const chatPath = () => 'chat/completions';


function responsesBody(position, parts, model) {
    const user = { role: 'user', content: 'q' };

    const input = {
        user: [{ role: 'user', content: parts }],
        system: [{ type: 'message', role: 'system', content: parts }, user],
        assistant: [user, { type: 'message', role: 'assistant', id: 'msg_1',
                            status: 'completed', content: parts }, user],
        tool: [
            user,
            ...['c1', 'c2'].map((id) => ({
                type: 'function_call', call_id: id, name: 'get',
                arguments: '{}',
            })),
            { type: 'function_call_output', call_id: 'c1', output: parts },
            { output: parts, type: 'function_call_output', call_id: 'c2' },
            user,
        ],
    };

    return { model, input: input[position] };
}


function anthropicBody(position, parts, model) {
    const user = { role: 'user', content: 'q' };

    return {
        model, max_tokens: 9,
        ...(position === 'system' ? { system: parts } : {}),
        messages: {
            user: [{ role: 'user', content: parts }],
            system: [user],
            assistant: [user, { role: 'assistant', content: parts }, user],
            tool: [
                user,
                { role: 'assistant', content: ['c1', 'c2'].map((id) => ({
                    type: 'tool_use', id, name: 'get', input: {},
                })) },
                { role: 'user', content: ['c1', 'c2'].map((id) => ({
                    type: 'tool_result', tool_use_id: id, content: parts,
                })) },
            ],
        }[position],
    };
}


function geminiBody(position, parts) {
    const user = { role: 'user', parts: [{ text: 'q' }] };

    return {
        ...(position === 'system' ? { systemInstruction: { parts } } : {}),
        contents: {
            user: [{ role: 'user', parts }],
            system: [user],
            assistant: [user, { role: 'model', parts }, user],
            tool: [
                user,
                { role: 'model', parts: ['c1', 'c2'].map((id) => ({
                    functionCall: { id, name: 'get', args: {} },
                })) },
                { role: 'user', parts: ['c1', 'c2'].map((id) => ({
                    functionResponse: { id, name: 'get',
                        ...(Array.isArray(parts)
                            ? { response: { a: 1 }, parts }
                            : { response: parts }),
                    },
                })) },
            ],
        }[position],
    };
}


function bedrockBody(position, parts) {
    const user = { role: 'user', content: [{ text: 'q' }] };

    return {
        ...(position === 'system' ? { system: parts } : {}),
        messages: {
            user: [{ role: 'user', content: parts }],
            system: [user],
            assistant: [user, { role: 'assistant', content: parts }, user],
            tool: [
                user,
                { role: 'assistant', content: ['c1', 'c2'].map((id) => ({
                    toolUse: { toolUseId: id, name: 'get', input: {} },
                })) },
                { role: 'user', content: ['c1', 'c2'].map((id) => ({
                    toolResult: { toolUseId: id, content: parts },
                })) },
            ],
        }[position],
    };
}


const rows = [
    {
        api: 'openai',
        type: `import type {
                ChatCompletionCreateParams as Request,
            } from 'openai/resources/chat/completions';`,
        wrong: { model: 'm', messages: [{ role: 'tool', tool_call_id: 'c',
            content: [chatParts[1]('data:image/png;base64,AA==')] }] },
        media: all,
        inTool: all,
        parts: chatParts,
        body: chatBody,
        path: chatPath,
        results: chatResults,
    },

    {
        api: 'openai_responses',
        type: `import type { ResponseCreateParams as Request }
            from 'openai/resources/responses/responses';`,
        wrong: { model: 'm', input: [{ role: 'user', content: [
            { type: 'text', text: 'x' },
        ] }] },
        media: ['image', 'pdf'],
        inTool: ['image', 'pdf'],
        parts: [
            chatParts[0],
            (ref) => ({ type: 'input_image', image_url: ref, detail: 'low' }),
            (ref) => ({ type: 'input_image', file_id: ref, detail: 'low' }),
            (ref) => ({ type: 'input_file', file_id: ref }),
            (ref) => ({ type: 'input_file', file_url: ref }),
            (ref) => ({ type: 'input_file', file_data: ref, filename: 'f' }),
        ],
        body: responsesBody,
        path: () => 'responses',
        results: ({ input }) => {
            const first = input.findIndex(({ type }) =>
                type === 'function_call');

            return input.slice(first + 2).map(({ type, call_id: id }) =>
                type === 'function_call_output' ? id : '-');
        },
    },

    {
        api: 'anthropic',
        type: `import type { MessageCreateParams as Request }
            from '@anthropic-ai/sdk/resources/messages';`,
        wrong: anthropicBody('assistant', [{ type: 'document', source: {
            type: 'base64', media_type: 'image/png', data: 'AA==',
        } }], 'm'),
        media: ['image', 'pdf'],
        inTool: ['image', 'pdf'],
        parts: [
            chatParts[0],
            (ref) => ({ type: 'image', source: { type: 'url', url: ref } }),
            (ref) => ({ type: 'document', title: 't', source: {
                type: 'file', file_id: ref,
            } }),
            (ref) => ({ type: 'image', source: {
                type: 'base64', media_type: 'image/gif', data: ref,
            }, cache_control: { type: 'ephemeral' } }),
        ],
        body: anthropicBody,
        path: () => 'messages',
        results: ({ messages }) => messages[2].content.map(
            ({ tool_use_id: id }) => id ?? '-'),
    },

    {
        // the SDK's own requests are turned into those of the wire, which have
        // these members

        api: 'gemini',
        type: `import type { Content } from '@google/genai';
            type Request = {
                contents: Content[]; systemInstruction?: Content;
            };`,
        wrong: { contents: [{ parts: [{ inline_data: {} }] }] },
        media: all,
        inTool: all,
        parts: [
            (ref) => ({ artifact: ref }),
            (ref) => ({ fileData: { fileUri: ref, mimeType: 'image/gif' } }),
            (ref) => ({ inlineData: { data: ref, mimeType: 'image/gif' } }),
        ],
        answer: (ref) => ({ output: ref }),
        body: geminiBody,
        path: (model) => `models/gemini-3-${model}:generateContent`,
        results: ({ contents }) => contents.slice(2)
            .flatMap(({ parts }) => parts)
            .map(({ functionResponse: response }) => response?.id ?? '-'),
    },

    {
        api: 'bedrock',
        type: `import type { ConverseCommandInput }
                from '@aws-sdk/client-bedrock-runtime';
            type Request = Omit<ConverseCommandInput, 'modelId'>;`,
        wrong: { messages: [{ role: 'user', content: [
            { image: { format: 'svg', source: { bytes: '' } } },
        ] }] },
        source: (json) => json.replace(/"bytes":"[^"]*"/g,
                                       '"bytes":new Uint8Array()'),
        media: all,
        inTool: ['image', 'pdf'],
        parts: [
            (ref) => ({ artifact: ref }),
            (ref) => ({ image: { format: 'gif', source: {
                s3Location: { uri: ref },
            } } }),
            (ref) => ({ document: { format: 'csv', source: {
                s3Location: { uri: ref },
            } } }),
            (ref) => ({ audio: { format: 'wav', source: {
                s3Location: { uri: ref },
            } } }),
        ],
        answer: (ref) => [{ text: ref }],
        body: bedrockBody,
        path: (model) => `model/${model}/converse`,
        results: ({ messages }) => messages[2].content.map(
            ({ toolResult: result }) => result?.toolUseId ?? '-'),
    },

    {
        // on the wire the SDK tells its defaults, which may be left out

        api: 'mistral',
        type: `import type { ChatCompletionRequest$Outbound as Request }
            from '@mistralai/mistralai/models/components/${''
            }chatcompletionrequest.js';`,
        wrong: { model: 'm', stream: false, messages: [{ role: 'user',
            content: [{ type: 'artifact', artifact: 'x' }] }] },
        source: (json) => json
            .replaceAll('"role":"assistant"', '"role":"assistant","prefix":false')
            .replaceAll('"arguments":"{}"}', '"arguments":"{}"},"index":0'),
        media: all,
        inTool: all,
        parts: [
            chatParts[0],
            (ref) => ({ type: 'image_url', image_url: ref }),
            (ref) => ({ type: 'image_url', image_url: { url: ref } }),
            (ref) => ({ type: 'document_url', document_url: ref }),
            (ref) => ({ type: 'input_audio', input_audio: ref }),
            (ref) => ({ type: 'file', file_id: ref }),
        ],
        body: chatBody,
        path: chatPath,
        results: chatResults,
    },

    {
        api: 'openrouter',
        type: `import type { ChatRequest$Outbound as Request }
            from '@openrouter/sdk/models';`,
        wrong: { stream: false, messages: [{ role: 'user',
            content: [{ type: 'artifact', artifact: 'x' }] }] },
        media: all,
        inTool: all,
        parts: [...chatParts, (ref) => ({
            type: 'video_url', video_url: { url: ref },
        })],
        body: chatBody,
        path: chatPath,
        results: chatResults,
    },
];


// Before Gemini 3 media follow a tool's result in a content of their own.

const gemini = rows.find(({ api }) => api === 'gemini');

export const apis = rows;

export const variants = [...rows, {
    ...gemini,
    path: (model) => `models/gemini-2.5-${model}:generateContent`,
}];
