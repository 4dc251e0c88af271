// A model's API that asks for tools: after a user's message it calls the next
// tools of a plan, after their results it says a few words.  Answers have the
// provider's shape, streams, too; requests are kept.

import { createServer } from 'node:http';


export const said = 'A picture.';


// An API: the list of its turns; whether the last of them is a tool's result;
// the names of the tools that it offers; an answer of calls or words, as a
// document and as the events of a stream.

const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };


function chatChoice(calls) {
    return calls ? {
        role: 'assistant', content: null,
        tool_calls: calls.map(({ id, name, args }) => ({
            id, type: 'function',
            function: { name, arguments: JSON.stringify(args) },
        })),
    } : { role: 'assistant', content: said };
}


function chatEvents(whole) {
    const { id, created, model, choices: [{ message, finish_reason: why }] }
        = whole;
    const chunk = (delta, reason, more) => ({
        id, object: 'chat.completion.chunk', created, model,
        choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
        ...more,
    });

    return [
        chunk({ ...message, ...(message.tool_calls ? {
            tool_calls: message.tool_calls.map((call, index) => (
                { index, ...call })),
        } : {}) }, null),
        chunk({}, why, {}),
        { ...chunk({}, null), choices: [], usage },
        '[DONE]',
    ].map((data) => ({ data }));
}


function responsesOutput(calls, unique) {
    return calls ? calls.map(({ id, name, args }) => ({
        type: 'function_call', id: `fc_${id}`, call_id: id, name,
        arguments: JSON.stringify(args), status: 'completed',
    })) : [{
        type: 'message', id: `msg_${unique}`, role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: said, annotations: [],
                    logprobs: [] }],
    }];
}


function responsesEvents(whole) {
    const events = [];
    const add = (type, more) => events.push({ event: type, data: {
        type, sequence_number: events.length, ...more,
    } });

    add('response.created', { response: {
        ...whole, status: 'in_progress', output: [], usage: null,
    } });

    whole.output.forEach((item, index) => {
        const at = { output_index: index, item_id: item.id };

        if (item.type === 'function_call') {
            add('response.output_item.added', { output_index: index, item: {
                ...item, arguments: '', status: 'in_progress',
            } });
            add('response.function_call_arguments.delta',
                { ...at, delta: item.arguments });
            add('response.function_call_arguments.done',
                { ...at, name: item.name, arguments: item.arguments });

        } else {
            const [part] = item.content;

            add('response.output_item.added', { output_index: index, item: {
                ...item, content: [], status: 'in_progress',
            } });
            add('response.content_part.added', { ...at, content_index: 0,
                part: { ...part, text: '' } });
            add('response.output_text.delta', { ...at, content_index: 0,
                delta: part.text, logprobs: [] });
            add('response.output_text.done', { ...at, content_index: 0,
                text: part.text, logprobs: [] });
            add('response.content_part.done', { ...at, content_index: 0,
                part });
        }

        add('response.output_item.done', { output_index: index, item });
    });

    add('response.completed', { response: whole });

    return events;
}


function anthropicEvents(whole) {
    const add = (type, more) => ({ event: type, data: { type, ...more } });

    return [
        add('message_start', { message: {
            ...whole, content: [], stop_reason: null,
        } }),
        ...whole.content.flatMap((block, index) => [
            add('content_block_start', { index, content_block:
                block.type === 'text' ? { ...block, text: '' }
                                      : { ...block, input: {} } }),
            add('content_block_delta', { index, delta: block.type === 'text'
                ? { type: 'text_delta', text: block.text }
                : { type: 'input_json_delta',
                    partial_json: JSON.stringify(block.input) } }),
            add('content_block_stop', { index }),
        ]),
        add('message_delta', {
            delta: { stop_reason: whole.stop_reason, stop_sequence: null },
            usage: whole.usage,
        }),
        add('message_stop', {}),
    ];
}


export const apis = {
    openai: {
        path: /\/chat\/completions$/,
        list: 'messages',
        returned: ({ role }) => role === 'tool',
        tools: (body) => body.tools?.map((tool) => tool.function.name),
        whole: (calls, unique, model) => ({
            id: `chatcmpl-${unique}`, object: 'chat.completion', created: 1,
            model, choices: [{
                index: 0, message: chatChoice(calls), logprobs: null,
                finish_reason: calls ? 'tool_calls' : 'stop',
            }], usage,
        }),
        events: chatEvents,
    },

    openai_responses: {
        path: /\/responses$/,
        list: 'input',
        returned: ({ type }) => type === 'function_call_output',
        tools: (body) => body.tools?.map(({ name }) => name),
        whole: (calls, unique, model) => ({
            id: `resp_${unique}`, object: 'response', created_at: 1,
            status: 'completed', error: null, incomplete_details: null,
            instructions: null, metadata: {}, model,
            output: responsesOutput(calls, unique), parallel_tool_calls: true,
            temperature: 1, tool_choice: 'auto', tools: [], top_p: 1,
            usage: {
                input_tokens: 9, input_tokens_details: { cached_tokens: 0 },
                output_tokens: 9,
                output_tokens_details: { reasoning_tokens: 0 },
                total_tokens: 18,
            },
        }),
        events: responsesEvents,
    },

    anthropic: {
        path: /\/messages$/,
        list: 'messages',
        returned: ({ content }) => Array.isArray(content)
            && content.some(({ type }) => type === 'tool_result'),
        tools: (body) => body.tools?.map(({ name }) => name),
        whole: (calls, unique, model) => ({
            id: `msg_${unique}`, type: 'message', role: 'assistant', model,
            content: calls ? calls.map(({ id, name, args }) => ({
                type: 'tool_use', id, name, input: args,
            })) : [{ type: 'text', text: said }],
            stop_reason: calls ? 'tool_use' : 'end_turn', stop_sequence: null,
            usage: { input_tokens: 9, output_tokens: 9 },
        }),
        events: anthropicEvents,
    },

    gemini: {
        path: /:(?:generate|streamGenerate)Content$/,
        list: 'contents',
        returned: ({ parts }) => parts.some((part) => part.functionResponse),
        tools: (body) => body.tools?.flatMap(
            ({ functionDeclarations: list }) => list.map(({ name }) => name)),
        whole: (calls, unique) => ({
            candidates: [{
                index: 0, finishReason: 'STOP',
                content: { role: 'model', parts: calls
                    ? calls.map(({ name, args }) => (
                        { functionCall: { name, args } }))
                    : [{ text: said }] },
            }],
            usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 9,
                             totalTokenCount: 18 },
            modelVersion: 'm', responseId: unique,
        }),
        events: (whole) => [{ data: whole }],
    },
};


// plan: a list of turns, each a list of { tool, args }; the client's name of a
// tool may begin with its server's.  Arguments may be a function of the request.

function callsOf(kept, api, body) {
    const last = body[api.list].filter(({ role }) => role !== 'system').at(-1);
    const names = api.tools(body) ?? [];

    if (names.length === 0 || api.returned(last)) {
        return null;
    }

    const turn = kept.plan[kept.turn];

    if (!turn) {
        return null;
    }

    kept.turn++;

    return turn.map(({ tool, args = {} }, i) => {
        const name = names.find((known) => known.endsWith(tool));

        if (name === undefined) {
            throw new Error(`no tool ${tool} among ${names}`);
        }

        return { id: `call_${kept.turn}_${i}`, name,
                 args: typeof args === 'function' ? args(body) : args };
    });
}


function send(res, api, whole, stream) {
    if (!stream) {
        res.setHeader('Content-Type', 'application/json');
        res.end(JSON.stringify(whole));
        return;
    }

    res.setHeader('Content-Type', 'text/event-stream');

    for (const { event, data } of api.events(whole)) {
        res.write((event ? `event: ${event}\n` : '') + `data: ${
            typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
    }

    res.end();
}


function answer(kept, { url }, text, res) {
    const { pathname, searchParams } = new URL(url, 'http://h');
    const found = Object.entries(apis).find(
        ([, { path }]) => path.test(pathname));

    if (!found) {
        kept.other.push(url);
        res.writeHead(404, { 'Content-Type': 'application/json' });
        res.end('{"error":{"type":"not_found_error","message":"none"}}');
        return;
    }

    const [name, api] = found;
    const body = JSON.parse(text);
    const why = kept.refuses?.(text);

    if (why !== undefined) {
        throw new Error(why);
    }

    const stream = body.stream || searchParams.get('alt') === 'sse';
    const calls = callsOf(kept, api, body);

    kept.seen.push({ api: name, url, text, body, shown: kept.shown() });
    kept.count++;

    send(res, api, api.whole(calls, `${kept.count}`, body.model), stream);
}


// Listens at a path or a port of 127.0.0.1.  "start" begins a session with a
// plan; "seen" are its requests, each with what shown() returned at its time.
// Those for whose body refuses() has a reason are answered with 400.

export async function modelAt(where, shown) {
    const kept = { shown, plan: [], turn: 0, seen: [], other: [], errors: [],
                   count: 0, refuses: null };

    const server = createServer(async (req, res) => {
        const parts = [];

        try {
            for await (const part of req) {
                parts.push(part);
            }

            answer(kept, req, Buffer.concat(parts).toString(), res);

        } catch (error) {
            kept.errors.push(error);
            res.writeHead(400, { 'Content-Type': 'application/json' });
            res.end(JSON.stringify({ error: {
                type: 'invalid_request_error', message: String(error),
            } }));
        }
    });

    await new Promise((done) => {
        server.listen(typeof where === 'number'
            ? { host: '127.0.0.1', port: where } : { path: where }, done);
    });

    kept.port = server.address().port;

    kept.start = (plan) => {
        Object.assign(kept, { plan, turn: 0, seen: [], other: [], errors: [],
                              count: 0 });
    };

    kept.close = () => {
        server.closeAllConnections();
        server.close();
    };

    return kept;
}
