// A model's API that answers any request in the provider's shape, streams, too,
// and keeps what it was sent.

import { createServer } from 'node:http';

import { EventStreamCodec } from '@smithy/core/event-streams';
import { fromUtf8, toUtf8 } from '@smithy/core/serde';


export const said = 'hello';


const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

const chat = {
    id: 'x', created: 1, model: 'm', usage, system_fingerprint: null,
    object: 'chat.completion',
    choices: [{
        index: 0, finish_reason: 'stop', logprobs: null,
        message: { role: 'assistant', content: said, refusal: null },
    }],
};

const chunks = ['hel', 'lo', null].map((content) => ({
    id: 'x', created: 1, model: 'm', object: 'chat.completion.chunk',
    choices: [{
        index: 0, delta: content === null ? {} : { content },
        finish_reason: content === null ? 'stop' : null,
    }],
}));

const message = {
    id: 'x', type: 'message', role: 'assistant', model: 'm',
    content: [{ type: 'text', text: said }], stop_reason: 'end_turn',
    stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 },
};

const messageEvents = [
    { type: 'message_start',
      message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0,
      content_block: { type: 'text', text: '' } },
    ...['hel', 'lo'].map((text) => ({
        type: 'content_block_delta', index: 0,
        delta: { type: 'text_delta', text },
    })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', usage: { output_tokens: 1 },
      delta: { stop_reason: 'end_turn', stop_sequence: null } },
    { type: 'message_stop' },
];

const response = {
    id: 'x', object: 'response', created_at: 1, model: 'm',
    status: 'completed', output: [{
        id: 'y', type: 'message', role: 'assistant', status: 'completed',
        content: [{ type: 'output_text', text: said, annotations: [] }],
    }],
};

const responseEvents = [
    ...['hel', 'lo'].map((delta, n) => ({
        type: 'response.output_text.delta', sequence_number: n, delta,
        item_id: 'y', output_index: 0, content_index: 0, logprobs: [],
    })),
    { type: 'response.completed', sequence_number: 2, response },
];

const candidates = ['hel', 'lo'].map((text) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] } }],
}));

const converse = {
    output: { message: { role: 'assistant', content: [{ text: said }] } },
    stopReason: 'end_turn', metrics: { latencyMs: 1 },
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
};

const converseEvents = [
    ['messageStart', { role: 'assistant' }],
    ...['hel', 'lo'].map((text) => ['contentBlockDelta', {
        contentBlockIndex: 0, delta: { text },
    }]),
    ['contentBlockStop', { contentBlockIndex: 0 }],
    ['messageStop', { stopReason: 'end_turn' }],
];


function events(list, named) {
    return list.map((event) => (named ? `event: ${event.type}\n` : '')
        + `data: ${JSON.stringify(event)}\n\n`);
}


function binaryEvents(list) {
    const codec = new EventStreamCodec(toUtf8, fromUtf8);
    const header = (value) => ({ type: 'string', value });

    return list.map(([name, value]) => codec.encode({
        headers: {
            ':message-type': header('event'),
            ':event-type': header(name),
            ':content-type': header('application/json'),
        },
        body: fromUtf8(JSON.stringify(value)),
    }));
}


// By the end of the path: an answer, and a stream as its pieces.

const answers = [
    [/\/chat\/completions$/, chat, [...events(chunks), 'data: [DONE]\n\n']],
    [/\/responses$/, response, events(responseEvents, true)],
    [/\/messages$/, message, events(messageEvents, true)],
    [/:generateContent$/, {
        candidates: [{ content: { role: 'model', parts: [{ text: said }] } }],
        usageMetadata: { promptTokenCount: 1, totalTokenCount: 2 },
    }],
    [/:streamGenerateContent$/, null, events(candidates)],
    [/\/converse$/, converse],
    [/\/converse-stream$/, null, binaryEvents(converseEvents)],
];


async function answer(req, body, res, kept) {
    const { pathname } = new URL(req.url, 'http://stub');
    const [, whole, pieces] = answers.find(([path]) => path.test(pathname));

    if (whole && !/"stream": ?true/.test(body)) {
        res.setHeader('Content-Type', 'application/json');
        res.end(JSON.stringify(whole));
        return;
    }

    res.setHeader('Content-Type', pathname.endsWith('/converse-stream')
        ? 'application/vnd.amazon.eventstream' : 'text/event-stream');

    for (const piece of pieces) {
        res.write(piece);
        await kept.between?.();
    }

    res.end();
}


// Listens at a path or a port of 127.0.0.1; "seen" is the last request: url,
// headers and body, or null.  So many requests as "failures" tells are answered
// with 503 first, and those for whose body refuses() has a reason with 400;
// "between" is waited for after each piece of a stream.  With "echo" the body is
// the answer.  Connections stay open, or a client of the same process might use
// one that is about to be closed.

export async function stub(where, { echo = false } = {}) {
    const kept = { seen: null, count: 0, failures: 0, between: null,
                   refuses: null };

    const server = createServer({ keepAliveTimeout: 0 }, async (req, res) => {
        const parts = [];

        for await (const part of req) {
            parts.push(part);
        }

        const body = Buffer.concat(parts);

        kept.seen = { url: req.url, headers: req.headers, body };
        kept.count++;

        if (echo) {
            res.end(body);

        } else if (kept.failures > 0) {
            kept.failures--;
            res.writeHead(503, { 'Content-Type': 'application/json' });
            res.end('{"error":{"message":"busy"}}');

        } else if (kept.refuses?.(body) !== undefined) {
            res.writeHead(400, { 'Content-Type': 'application/json' });
            res.end(JSON.stringify({ type: 'error', error: {
                type: 'invalid_request_error', message: kept.refuses(body),
            } }));

        } else {
            await answer(req, body.toString(), res, kept);
        }
    });

    await new Promise((done) => {
        server.listen(typeof where === 'number'
            ? { host: '127.0.0.1', port: where } : { path: where }, done);
    });

    kept.port = server.address().port;

    kept.close = () => {
        server.closeAllConnections();
        server.close();
    };

    return kept;
}
