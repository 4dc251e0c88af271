// The slots in which clients send their own media: every one of every API.  A
// row for each:
//
//   api      whose rules decide (refusals.mjs)
//   path     (model) => where it is sent
//   name     of the slot
//   part     (type, data, url) => the parts; of a type that is undefined the
//            member is left out, or the data URL has none
//   body     (parts, model) => the request
//   types    how the slot spells a type: a function, or null if it keeps none
//   aliases  what else clients write: functions of a type
//   place    "media" or "file": what the slot is for
//   position "user"; else the slot is in the results of two tools
//   results  the ids of the results in a request, as shapes.mjs has them
//   sole     whether no words can be there instead

import { apis } from './shapes.mjs';


const bedrockFormats = {
    'image/svg+xml': 'svg', 'audio/mpeg': 'mp3', 'text/plain': 'txt',
};

const subtype = (type) => bedrockFormats[type] ?? type.replace(/.*\//, '');

const gemini = (type) => ({ 'audio/mpeg': 'audio/mp3' }[type] ?? type);

const format = (type) => ({ 'audio/mpeg': 'mp3' }[type]
    ?? type.replace(/.*\//, ''));

const dataUrl = (type = '', data = '') => `data:${type};base64,${data}`;

const withType = (name, type) => (type === undefined ? {} : { [name]: type });


// What is written instead of the right type, by people and by libraries.

const upper = (type) => type.toUpperCase();

const common = (type) => ({
    'image/jpeg': 'image/jpg', 'image/png': 'image/x-png',
    'audio/mpeg': 'audio/mp3', 'audio/wav': 'audio/x-wav',
    'application/pdf': 'application/x-pdf', 'text/plain': 'text/x-plain',
    'text/csv': 'application/csv', 'video/mp4': 'video/x-mp4',
}[type] ?? `${type}; charset=utf-8`);

const short = (type) => ({ 'image/jpeg': 'jpg' }[type] ?? type);

const aliases = [upper, common];


// Slots of the parts of an API.

const chatSlots = {
    image_url: ['media', (type, data) => ({
        type: 'image_url', image_url: { url: dataUrl(type, data),
                                        detail: 'low' },
    })],
    input_audio: ['media', (type, data) => ({
        type: 'input_audio',
        input_audio: { ...withType('format', type), data },
    }), format],
    'file.file_data': ['file', (type, data) => ({
        type: 'file', file: { filename: 'a', file_data: dataUrl(type, data) },
    })],
};

const blob = (outer, mime) => ['file', (type, data) => ({
    [outer]: { ...withType(mime, type), data },
}), gemini];

const block = (kind, place, more = {}) => [place, (type, data) => ({
    [kind]: { ...more, ...withType('format', type), source: { bytes: data } },
}), subtype];

const slots = {
    openai: chatSlots,
    openrouter: {
        ...chatSlots,
        video_url: ['media', (type, data) => ({
            type: 'video_url', video_url: { url: dataUrl(type, data) },
        })],
    },
    mistral: {
        'image_url, a string': ['media', (type, data) => ({
            type: 'image_url', image_url: dataUrl(type, data),
        })],
        'image_url, an object': chatSlots.image_url,
        document_url: ['file', (type, data) => ({
            type: 'document_url', document_url: dataUrl(type, data),
            document_name: 'a',
        })],
        input_audio: ['media', (type, data) => ({
            type: 'input_audio', input_audio: data,
        }), null],
    },
    openai_responses: {
        input_image: ['media', (type, data) => ({
            type: 'input_image', detail: 'low',
            image_url: dataUrl(type, data),
        })],
        'input_file.file_data': ['file', (type, data) => ({
            type: 'input_file', filename: 'a', file_data: dataUrl(type, data),
        })],
        'input_file.file_url': ['file', (type, data) => ({
            type: 'input_file', file_url: dataUrl(type, data),
        })],
    },
    anthropic: {
        image: ['media', (type, data) => ({
            type: 'image', cache_control: { type: 'ephemeral' },
            source: { type: 'base64', ...withType('media_type', type), data },
        })],
        document: ['file', (type, data) => ({
            type: 'document', title: 'a',
            source: { type: 'base64', ...withType('media_type', type), data },
        })],
        'image, a URL': ['media', (type, data) => ({
            type: 'image', source: { type: 'url', url: dataUrl(type, data) },
        })],
        'document, a URL': ['file', (type, data) => ({
            type: 'document', title: 'a',
            source: { type: 'url', url: dataUrl(type, data) },
        })],
    },
    gemini: {
        inlineData: blob('inlineData', 'mimeType'),
        inline_data: blob('inline_data', 'mime_type'),
        'inlineData, mime_type': blob('inlineData', 'mime_type'),
        'inline_data, mimeType': blob('inline_data', 'mimeType'),
        fileData: ['file', (type, data) => ({
            fileData: { ...withType('mimeType', type),
                        fileUri: dataUrl(type, data) },
        })],
    },
    bedrock: {
        image: block('image', 'media'),
        document: block('document', 'file', { name: 'a' }),
        video: block('video', 'media'),
        audio: block('audio', 'media'),
    },
};


// Results of tools that are not as shapes.mjs has them: those of errors, and
// Bedrock's, where the names of documents have to differ.

const results = (change) => ({ messages: [question, call, answer] }) => ({
    messages: [question, call, {
        ...answer, content: answer.content.map(change),
    }],
});

const adapt = {
    'error': results((result) => ({ ...result, is_error: true })),
    'tool of Bedrock': results((result, n) => JSON.parse(
        JSON.stringify(result).replace('"name":"a"', `"name":"${n}"`))),
};


const geminiPath = (version) => (model) =>
    `v1beta/models/gemini-${version}-${model}:generateContent`;


function* slotsOf(api, position) {
    const row = apis.find((item) => item.api === api);

    for (const [name, [place, part, types = String]] of
        Object.entries(slots[api]))
    {
        const slot = {
            api, name: `${position}, ${name}`, place, types, position,
            path: row.path, results: row.results,
            aliases: types === null ? []
                : types === String || types === gemini ? aliases
                    : [(type) => upper(types(type)), String, short],
            part: (type, data) => [part(type, data)],
            body: (parts, model) => adapt[position]?.(
                row.body('tool', parts, model))
                ?? row.body(position, parts, model),
        };

        if (api !== 'gemini') {
            yield slot;

            // a document without a text is refused for another reason

            if (api === 'bedrock' && name === 'document') {
                yield { ...slot, name: `${slot.name} beside a text`,
                        part: (...args) => [{ text: 'q' },
                                            ...slot.part(...args)] };
            }

            continue;
        }

        yield { ...slot, path: geminiPath('3') };
        yield { ...slot, api: 'gemini2', path: geminiPath('2.5') };
    }
}


const positions = {
    anthropic: ['user', 'tool', 'error'], bedrock: ['user', 'tool of Bedrock'],
};


const question = { role: 'user', content: [{ type: 'input_text', text: 'q' }] };

const edited = [
    ['images/edits, images[].image_url', 'images', 'v1/images/edits',
     (url) => [{ image_url: url }],
     (parts, model) => ({ model, prompt: 'q', images: parts })],
    ['images/edits, mask.image_url', 'images', 'v1/images/edits',
     (url) => [{ image_url: url }],
     ([mask], model) => ({
         model, prompt: 'q', mask,
         images: [{ image_url: 'https://h/a.png' }],
     })],
    ['input_image_mask', 'openai_responses', 'responses',
     (url) => [{ type: 'image_generation', input_image_mask: {
         image_url: url } }],
     (tools, model) => ({ model, input: [question], tools })],
];


export const ownSlots = [
    ...Object.keys(slots).flatMap((api) => (positions[api]
        ?? ['user', 'tool']).flatMap((position) =>
        [...slotsOf(api, position)])),
    ...edited.map(([name, api, path, part, body]) => ({
        api, name, body, place: 'media', types: String, aliases,
        position: 'user', sole: true, path: () => path,
        part: (type, data) => part(dataUrl(type, data)),
    })),
];
