// What a provider looks at in a request: roles in order, each call with its
// result, part types that it knows.  And what a reader of its bytes finds
// there: media, and base64 in texts.

import { createHash } from 'node:crypto';


export function sha256(bytes) {
    return createHash('sha256').update(bytes).digest('hex');
}


const signatures = {
    'image/png': Buffer.from('\x89PNG\r\n', 'latin1'),
    'image/jpeg': Buffer.from('\xff\xd8\xff', 'latin1'),
};


// Media are what stands where the API takes bytes; all other strings are text,
// save for members that only the provider reads.

const opaque = new Set(['encrypted_content', 'signature', 'thoughtSignature']);

function slotOf(key, name) {
    switch (key) {
    case 'url': return name === 'image_url';
    case 'image_url': case 'file_data': return true;
    case 'data': return name === 'source' || name === 'inlineData'
        || name === 'input_audio';
    default: return false;
    }
}


function mediumOf(value, parent) {
    const url = /^data:([^;,]*);base64,(.*)$/s.exec(value);
    const mime = url ? url[1] : parent.media_type ?? parent.mimeType;
    const bytes = Buffer.from(url ? url[2] : value, 'base64');
    const start = signatures[mime];

    return { mime, sha: sha256(bytes),
             fits: !!start && bytes.subarray(0, start.length).equals(start) };
}


export function contentOf(value, name, found = { media: [], texts: [] }) {
    for (const [key, member] of Object.entries(value)) {
        if (opaque.has(key) || member === null) {
            continue;
        }

        if (typeof member === 'object') {
            contentOf(member, Array.isArray(value) ? name : key, found);

        } else if (typeof member !== 'string') {
            continue;

        } else if (slotOf(key, name)) {
            found.media.push(mediumOf(member, value));

        } else {
            found.texts.push(member);
        }
    }

    return found;
}


// The pictures in an answer of a server, in blocks and in JSON.

export function picturesIn(text) {
    const runs = text.matchAll(
        /"((?:iVBORw0K|\/9j\/)[A-Za-z0-9+/]+=*)\\?"/g);

    return [...runs].map(([, run]) => {
        const bytes = Buffer.from(run, 'base64');

        return { sha: sha256(bytes), size: bytes.length };
    });
}


// More than a kilobyte of it, however it is escaped and wrapped.

export function hasBase64(text) {
    const plain = text.replace(/\\+(?=\/)/g, '').replace(/\\+[nr]|[\r\n]/g, '');

    return /[A-Za-z0-9+/_-]{1024}/.test(plain);
}


// --- as the providers do -----------------------------------------------------

// types: members of each type of part besides "type".

function partsOf(wrong, where, content, types) {
    if (typeof content === 'string') {
        if (content === '') {
            wrong.push(`${where}: empty text`);
        }

        return;
    }

    if (!Array.isArray(content) || content.length === 0) {
        wrong.push(`${where}: no content`);
        return;
    }

    for (const part of content) {
        const known = types[part.type];

        if (!known) {
            wrong.push(`${where}: a part of type ${part.type}`);
            continue;
        }

        for (const key of Object.keys(part)) {
            if (key !== 'type' && !known.includes(key)) {
                wrong.push(`${where}: ${part.type} with ${key}`);
            }
        }

        if (known.includes('text') && !part.text) {
            wrong.push(`${where}: empty text`);
        }
    }
}


// "role" in a text is what @openai/agents writes, which OpenAI passes over.

const chatParts = {
    text: ['text', 'role'],
    image_url: ['image_url'],
    file: ['file'],
    input_audio: ['input_audio'],
};

const chatContent = {
    system: { text: ['text'] },
    developer: { text: ['text'] },
    user: chatParts,
    assistant: { text: chatParts.text, refusal: ['refusal'] },
    tool: { text: ['text'] },
};


function checkChat({ messages }, wrong) {
    let open = [];

    messages.forEach((message, i) => {
        const { role, content, tool_call_id: id, tool_calls: calls } = message;
        const where = `messages[${i}], ${role}`;

        if (role === 'tool') {
            if (!open.includes(id)) {
                wrong.push(`${where}: ${id} was not called`);
            }

            open = open.filter((other) => other !== id);

        } else if (open.length) {
            wrong.push(`${where}: no result of ${open}`);
            open = [];
        }

        if (!chatContent[role]) {
            wrong.push(`${where}: unknown role`);

        } else if (!calls) {
            partsOf(wrong, where, content, chatContent[role]);
        }

        if (calls) {
            open = calls.map((call) => call.id);
        }
    });

    if (open.length) {
        wrong.push(`no result of ${open}`);
    }
}


const inputParts = {
    input_text: ['text'],
    input_image: ['image_url', 'file_id', 'detail'],
    input_file: ['file_data', 'file_id', 'file_url', 'filename', 'detail'],
};


function checkResponses({ input }, wrong) {
    const open = new Set();

    input.forEach((item, i) => {
        const type = item.type ?? 'message';
        const where = `input[${i}], ${type}`;

        switch (type) {
        case 'message':
            partsOf(wrong, where, item.content, item.role === 'assistant'
                ? { output_text: ['text', 'annotations', 'logprobs'] }
                : inputParts);
            break;

        case 'function_call':
            open.add(item.call_id);
            break;

        case 'function_call_output':
            if (!open.delete(item.call_id)) {
                wrong.push(`${where}: ${item.call_id} was not called`);
            }

            partsOf(wrong, where, item.output, inputParts);
            break;

        case 'item_reference':
            break;

        default:
            wrong.push(`${where}: unknown type`);
        }
    });

    if (open.size) {
        wrong.push(`no result of ${[...open]}`);
    }
}


const anthropicMedia = {
    text: ['text', 'cache_control', 'citations'],
    image: ['source', 'cache_control'],
    document: ['source', 'title', 'context', 'citations', 'cache_control'],
};

const anthropicParts = {
    ...anthropicMedia,
    tool_result: ['tool_use_id', 'content', 'is_error', 'cache_control'],
};


// A thread that goes on begins with what the model has asked for last.

function checkAnthropic({ messages, thread }, wrong) {
    let open = [];

    messages.forEach(({ role, content }, i) => {
        const where = `messages[${i}], ${role}`;
        const blocks = Array.isArray(content) ? content : [];
        const results = blocks.filter(({ type }) => type === 'tool_result');
        const ids = results.map((result) => result.tool_use_id);
        const follows = i === 0 && thread?.type === 'continue';

        partsOf(wrong, where, content, role === 'assistant' ? {
            text: anthropicMedia.text,
            tool_use: ['id', 'name', 'input', 'cache_control'],
        } : anthropicParts);

        if (!follows && `${ids}` !== `${open}`) {
            wrong.push(`${where}: results of ${ids}, called were ${open}`);
        }

        if (blocks.slice(0, ids.length).some(({ type }) =>
            type !== 'tool_result'))
        {
            wrong.push(`${where}: results have to come first`);
        }

        for (const { content: result } of results) {
            partsOf(wrong, `${where}, result`, result, anthropicMedia);
        }

        open = blocks.filter(({ type }) => type === 'tool_use')
            .map(({ id }) => id);
    });

    if (open.length) {
        wrong.push(`no result of ${open}`);
    }
}


function checkGemini({ contents }, wrong, url) {
    const threes = /gemini-[3-9]/.test(url);
    let open = [];

    contents.forEach(({ role, parts }, i) => {
        const where = `contents[${i}], ${role}`;
        const keys = parts.map((part) => Object.keys(part)[0]);
        const responses = parts.flatMap((part) => part.functionResponse ?? []);
        const names = responses.map(({ name }) => name);

        if (role !== 'user' && role !== 'model') {
            wrong.push(`${where}: unknown role`);
        }

        if (parts.length === 0) {
            wrong.push(`${where}: no parts`);
        }

        parts.forEach((part, n) => {
            if (Object.keys(part).length !== 1 || ![
                'text', 'inlineData', 'functionCall', 'functionResponse',
            ].includes(keys[n])) {
                wrong.push(`${where}: a part of ${Object.keys(part)}`);
            }

            if (part.text === '') {
                wrong.push(`${where}: empty text`);
            }
        });

        if (`${names}` !== `${open}`) {
            wrong.push(`${where}: responses of ${names}, called were ${open}`);
        }

        if (names.length && names.length !== parts.length) {
            wrong.push(`${where}: other parts beside responses`);
        }

        for (const { response, parts: media = [] } of responses) {
            if (typeof response !== 'object' || Array.isArray(response)) {
                wrong.push(`${where}: a response that is no object`);
            }

            if (media.length && !threes) {
                wrong.push(`${where}: parts in a response`);
            }

            if (media.some((part) => `${Object.keys(part)}` !== 'inlineData')) {
                wrong.push(`${where}: a part in a response that is no medium`);
            }
        }

        open = parts.flatMap((part) => part.functionCall?.name ?? []);
    });

    if (open.length) {
        wrong.push(`no response of ${open}`);
    }
}


const checks = {
    openai: checkChat,
    openai_responses: checkResponses,
    anthropic: checkAnthropic,
    gemini: checkGemini,
};


// What the provider would refuse the request for.

export function refusals({ api, body, url }) {
    const wrong = [];

    checks[api](body, wrong, url);

    return wrong;
}


// --- the bytes of a history --------------------------------------------------

// The elements of an array that is a top-level member, as they stand.

export function elementsOf(text, name) {
    const elements = [];
    const token = /"(?:[^"\\]|\\.)*"|[{}[\],]/gs;
    const path = [];
    let key = null;
    let from = -1;

    for (let found; (found = token.exec(text)) !== null;) {
        const [piece] = found;
        const at = found.index;
        const inside = path.length === 2 && path[1] === '[' && key === name;

        if ('}]'.includes(piece) || piece === ',') {
            if (inside && from >= 0) {
                elements.push(text.slice(from, at).trim());
                from = piece === ',' ? token.lastIndex : -1;
            }

            if (piece !== ',') {
                path.pop();
            }

        } else if (piece === '{' || piece === '[') {
            path.push(piece);

            if (path.length === 2 && piece === '[' && key === name) {
                from = token.lastIndex;
            }

        } else if (path.length === 1 && /^\s*:/.test(text.slice(
            token.lastIndex, token.lastIndex + 9)))
        {
            key = JSON.parse(piece);
        }
    }

    return elements;
}


export function commonStart(one, other) {
    const at = one.findIndex((element, i) => element !== other[i]);

    return at < 0 ? one.length : at;
}
