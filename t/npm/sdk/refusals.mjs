// Why a provider would answer a request with an error because of the media in
// it.  All of this is from the providers' own documents, types and answers, and
// nothing of it from the module.

import { bytesOf, contentOf, dataUrl } from './contents.mjs';


const webImages = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

const texts = (type) => type.startsWith('text/');


// What is wrong with bytes that are declared as "type", one of "types".  Where
// a text is taken, its type does not have to be more precise.

function wrongBytes(bytes, type, types) {
    if (bytes === null || bytes === undefined) {
        return 'no base64';
    }

    if (bytes.length === 0) {
        return 'nothing';
    }

    if (!types.includes(type)) {
        return `type "${type}"`;
    }

    const { type: real, flaw } = contentOf(bytes);

    if (real === 'text/plain' && (texts(type) || type === 'application/json')) {
        return undefined;
    }

    return real !== type ? `"${type}" appears to be "${real}"` : flaw;
}


function wrongUrl(url, types) {
    if (/^https?:/.test(url)) {
        return undefined;
    }

    const data = dataUrl(url);

    return data === null ? 'no URL'
        : wrongBytes(data.bytes, data.type, types);
}


// "The text field in the ContentBlock object is blank", "text content blocks
// must be non-empty".

function wrongText(text) {
    return typeof text === 'string' && text.trim() !== ''
        ? undefined : 'a blank text';
}


// The first that is wrong of a list, and where.

function first(list, wrong, path) {
    if (!Array.isArray(list)) {
        return `${path}: no array`;
    }

    if (list.length === 0) {
        return `${path}: empty`;
    }

    for (const [n, item] of list.entries()) {
        const problem = wrong(item, `${path}[${n}]`);

        if (problem !== undefined) {
            return problem.startsWith(path) ? problem
                : `${path}[${n}]: ${problem}`;
        }
    }

    return undefined;
}


function byType(rules) {
    return (part) => (Object.hasOwn(rules, part.type)
        ? rules[part.type](part) : `no part of type "${part.type}"`);
}


function only(object, names) {
    const other = Object.keys(object).find((name) => !names.includes(name));

    return other === undefined ? undefined : `no member "${other}"`;
}


// Chat Completions: "inTool" are the parts that a tool's message takes.

function chat(user, inTool) {
    return ({ messages }) => first(messages, (message, path) => {
        const { role, content } = message;

        if (content === null && role === 'assistant') {
            return undefined;
        }

        return typeof content === 'string' ? wrongText(content)
            : first(content, byType(role === 'tool' ? inTool : user),
                    `${path}.content`);
    }, 'messages');
}


const chatText = { text: ({ text }) => wrongText(text) };


function audioOf(formats) {
    return ({ input_audio: { data, format } }) => (
        Object.hasOwn(formats, format)
            ? wrongBytes(bytesOf(data), formats[format],
                         Object.values(formats))
            : `format "${format}"`);
}


// developers.openai.com, "File inputs": Chat Completions accepts only PDF
// files.  "Invalid file data: .. Expected a base64-encoded data URL with an
// application/pdf MIME type"; in role "tool": "Image URLs are only allowed for
// messages with role 'user'", and its type has texts only.

const openai = {
    ...chatText,
    image_url: ({ image_url: image }) => (typeof image === 'object'
        ? wrongUrl(image.url, webImages) : 'no object'),
    input_audio: audioOf({ wav: 'audio/wav', mp3: 'audio/mpeg' }),
    file: ({ file: { file_data: data, file_id: id } }) => (
        id !== undefined ? undefined
            : /^data:/i.test(data) ? wrongUrl(data, ['application/pdf'])
                : 'no data URL'),
};


// openrouter.ai/docs, "Multimodal": PNG, JPEG, WebP and GIF; PDF ("Invalid file
// type: text/csv"); MP4, MPEG, MOV and WebM as a data URL.

const openrouter = {
    ...openai,
    input_audio: audioOf({
        wav: 'audio/wav', mp3: 'audio/mpeg', flac: 'audio/flac',
        m4a: 'audio/mp4', ogg: 'audio/ogg', aiff: 'audio/aiff',
        aac: 'audio/aac', pcm16: 'audio/l16', pcm24: 'audio/l24',
    }),
    video_url: ({ video_url: video }) => (typeof video === 'object'
        ? wrongUrl(video.url, ['video/mp4', 'video/mpeg', 'video/quicktime',
                               'video/mov', 'video/webm'])
        : 'no object'),
};


// docs.mistral.ai: images as URL or object, "document_url" is for PDFs
// ("Invalid document type. image/png is not supported."), audio is plain base64
// without a type; a tool's message takes the same.

const mistral = {
    ...chatText,
    image_url: ({ image_url: image }) => wrongUrl(
        typeof image === 'object' ? image.url : image, webImages),
    document_url: ({ document_url: url }) =>
        wrongUrl(url, ['application/pdf']),
    input_audio: ({ input_audio: audio }) => {
        const bytes = typeof audio === 'string' ? bytesOf(audio) : null;

        return wrongBytes(bytes, bytes === null ? '' : contentOf(bytes).type,
                          ['audio/mpeg', 'audio/wav']);
    },
};


// developers.openai.com, "File inputs", its table of types; a data URL in
// "file_url" is a 400 "Failed to download file.", plain base64 in "file_data"
// an "invalid_value", and "filename" beside "file_url" is exclusive.

const responsesFiles = [
    'application/pdf', 'application/json', 'text/csv', 'text/plain',
    'text/tsv', 'text/markdown', 'text/html', 'text/xml',
];

const responses = {
    input_text: ({ text }) => wrongText(text),
    input_image: ({ image_url: url, file_id: id }) => (
        id !== undefined ? undefined
            : typeof url === 'string' ? wrongUrl(url, webImages)
                : 'no string'),
    input_file: (part) => {
        if (part.file_id !== undefined) {
            return undefined;
        }

        if (part.file_url !== undefined) {
            return part.filename !== undefined || part.file_data !== undefined
                ? 'mutually exclusive'
                : /^https?:/.test(part.file_url) ? undefined
                    : 'cannot be downloaded';
        }

        return /^data:/i.test(part.file_data)
            ? wrongUrl(part.file_data, responsesFiles) : 'no data URL';
    },
};


// images.edit: "a png, webp, or jpg file", the mask "a valid PNG file";
// "Supported file formats are 'image/jpeg', 'image/png', and 'image/webp'."

const wrongEdited = (image, types) => {
    const url = typeof image === 'string' ? image : image.image_url;

    return image.file_id !== undefined ? undefined : wrongUrl(url, types);
};

const editedTypes = ['image/png', 'image/webp', 'image/jpeg'];


function responsesBody({ input, tools }) {
    const parts = byType(responses);

    return first(input, ({ type = 'message', content, output }, path) => {
        const list = { message: content, function_call_output: output }[type];

        return list === undefined ? undefined
            : typeof list === 'string' ? wrongText(list)
                : first(list, parts, `${path}.${
                    type === 'message' ? 'content' : 'output'}`);
    }, 'input') ?? (tools === undefined ? undefined
        : first(tools, ({ input_image_mask: mask }) => (mask === undefined
            ? undefined : wrongEdited(mask, ['image/png'])), 'tools'));
}


function images({ images: list, mask }) {
    return first(list, (image) => wrongEdited(image, editedTypes), 'images')
        ?? (mask === undefined ? undefined : wrongEdited(mask, ['image/png']));
}


// docs.anthropic.com, and its types: four images ("Input should be
// 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'", "The image was
// specified using the image/png media type, but the image appears to be a
// image/jpeg image"), PDF in base64, texts as "text"; a result that "is_error"
// has blocks of the type "text" only.

const base64Source = (types) => ({ source }) => {
    if (source.type === 'text') {
        return source.media_type === 'text/plain' ? wrongText(source.data)
            : `type "${source.media_type}"`;
    }

    if (source.type === 'url') {
        return /^https?:/.test(source.url) ? undefined : 'no https URL';
    }

    return source.type === 'base64'
        ? only(source, ['type', 'media_type', 'data'])
            ?? wrongBytes(bytesOf(source.data), source.media_type, types)
        : undefined;
};

const anthropic = {
    text: ({ text }) => wrongText(text),
    image: base64Source(webImages),
    document: base64Source(['application/pdf']),
};

const anthropicBlocks = byType({
    ...anthropic,
    tool_use: () => undefined,
    tool_result: ({ content, is_error: failed }) => (
        typeof content === 'string' ? undefined
            : first(content, byType(failed ? { text: anthropic.text }
                : anthropic), 'tool_result')),
});


// ai.google.dev, its guides to images, audio, video and documents: one MIME
// type of these, which is required ("Unsupported MIME type: image/svg+xml", and
// "image/gif" is not one); texts by their own types.  "audio/mp3" is its word.

const geminiTypes = {
    'image/png': ['image/png'],
    'image/jpeg': ['image/jpeg'],
    'image/webp': ['image/webp'],
    'audio/wav': ['audio/wav'],
    'audio/mpeg': ['audio/mp3'],
    'video/mp4': ['video/mp4'],
    'application/pdf': ['application/pdf'],
    'text/plain': [
        'text/plain', 'text/html', 'text/css', 'text/csv', 'text/md',
        'text/markdown', 'text/xml', 'text/rtf', 'text/javascript',
        'text/x-python',
    ],
};


function wrongBlob(blob, types) {
    const bytes = bytesOf(blob.data ?? '');
    const type = blob.mimeType ?? blob.mime_type;

    if (bytes === null || bytes.length === 0) {
        return bytes === null ? 'no base64' : 'nothing';
    }

    if (!types.some((real) => geminiTypes[real].includes(type))) {
        return `type "${type}"`;
    }

    const { type: real, flaw } = contentOf(bytes);

    return geminiTypes[real]?.includes(type) ? flaw
        : `"${type}" appears to be "${real}"`;
}


// Parts have one member of data.  A result of a tool has media since Gemini 3,
// and of these types (ai.google.dev, "Function calling", "Multimodal function
// responses"); "Text should not be sent as raw bytes" (FunctionResponseBlob).

const geminiInTool = [
    'image/png', 'image/jpeg', 'image/webp', 'application/pdf',
];

function gemini(since3) {
    const result = ({ parts = [] }) => (parts.length === 0 ? undefined
        : !since3 ? 'no parts in a functionResponse'
            : first(parts, (part) => wrongBlob(
                part.inlineData ?? part.inline_data ?? {}, geminiInTool),
                    'functionResponse.parts'));

    const part = (item) => {
        const blob = item.inlineData ?? item.inline_data;
        const call = item.functionResponse ?? item.function_response;
        const file = item.fileData ?? item.file_data;

        if (file !== undefined) {
            return /^(https?|gs):/.test(file.fileUri) ? undefined : 'no URI';
        }

        if (blob !== undefined) {
            return blob.displayName !== undefined ? 'displayName'
                : wrongBlob(blob, Object.keys(geminiTypes));
        }

        return call !== undefined ? result(call)
            : item.functionCall !== undefined ? undefined
                : wrongText(item.text);
    };

    return ({ contents }) => first(contents, ({ parts }, path) =>
        first(parts, part, `${path}.parts`), 'contents');
}


// docs.aws.amazon.com, ImageBlock, DocumentBlock, VideoBlock, AudioBlock and
// ToolResultContentBlock: "Member must satisfy enum value set"; a name of
// letters, digits, single white space and four brackets, unique; a message with
// a document has a text.  Claude compares format and bytes.

const bedrockFormats = {
    image: { png: 'image/png', jpeg: 'image/jpeg', gif: 'image/gif',
             webp: 'image/webp' },
    document: { pdf: 'application/pdf', csv: 'text/csv', html: 'text/html',
                txt: 'text/plain', md: 'text/markdown' },
    video: { mp4: 'video/mp4', mov: 'video/quicktime', webm: 'video/webm' },
    audio: { mp3: 'audio/mpeg', mpeg: 'audio/mpeg', wav: 'audio/wav',
             mp4: 'audio/mp4', ogg: 'audio/ogg', flac: 'audio/flac' },
};


function bedrockMedium(kind, block, names) {
    const formats = bedrockFormats[kind];

    if (!Object.hasOwn(formats, block.format)) {
        return `format "${block.format}"`;
    }

    if (kind === 'document') {
        if (typeof block.name !== 'string'
            || !/^(?!.*\s\s)[\p{L}\p{N}\s()[\]-]{1,200}$/u.test(block.name))
        {
            return `name "${block.name}"`;
        }

        if (names.has(block.name)) {
            return 'duplicate document names';
        }

        names.add(block.name);
    }

    return wrongBytes(bytesOf(block.source.bytes), formats[block.format],
                      Object.values(formats));
}


function bedrock({ messages }) {
    const names = new Set();

    const block = (kinds) => (item) => {
        const [kind, ...more] = Object.keys(item);

        if (more.length > 0) {
            return 'can only set one of the keys';
        }

        if (!kinds.includes(kind)) {
            return `no block "${kind}"`;
        }

        return kind === 'text' ? wrongText(item.text)
            : kind === 'toolResult'
                ? first(item.toolResult.content, block(
                    ['text', 'json', 'image', 'document', 'video']),
                        'toolResult.content')
                : kind in bedrockFormats
                    ? bedrockMedium(kind, item[kind], names) : undefined;
    };

    const all = ['text', 'image', 'document', 'video', 'audio', 'toolUse',
                 'toolResult'];

    return first(messages, ({ content }, path) =>
        first(content, block(all), `${path}.content`)
            ?? (content.some((item) => 'document' in item)
                && !content.some((item) => 'text' in item)
                ? 'a document without a text' : undefined), 'messages');
}


const rules = {
    openai: chat(openai, chatText),
    openrouter: chat(openrouter, chatText),
    mistral: chat(mistral, mistral),
    openai_responses: responsesBody,
    images,
    anthropic: ({ messages }) => first(messages, ({ content }, path) => (
        typeof content === 'string' ? wrongText(content)
            : first(content, anthropicBlocks, `${path}.content`)), 'messages'),
    gemini: gemini(true),
    gemini2: gemini(false),
    bedrock,
};


// Why a provider would refuse this body, a string; undefined: it would not.

export function refusal(api, json) {
    let body;

    try {
        body = JSON.parse(json);

    } catch {
        return 'no JSON';
    }

    return rules[api](body);
}
