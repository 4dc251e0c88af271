// The rules of refusals.mjs and contents.mjs are no rules if they refuse
// nothing: each has an example that it refuses, beside one that it does not.

import { contentOf } from './contents.mjs';
import { refusal } from './refusals.mjs';
import { ok } from './tap.mjs';


// Requests with one part, of a user or in a tool's result.

const messages = (role) => (part) => ({
    messages: [{ role, content: [part] }],
});

const user = messages('user');
const tool = messages('tool');
const input = (part) => ({ input: [{ role: 'user', content: [part] }] });
const output = (part) => ({
    input: [{ type: 'function_call_output', call_id: 'c', output: [part] }],
});
const result = (part, more = {}) => user({
    type: 'tool_result', tool_use_id: 'c', content: [part], ...more,
});
const parts = (part) => ({ contents: [{ role: 'user', parts: [part] }] });
const call = (part) => parts({ functionResponse: {
    name: 'f', response: {}, parts: [part],
} });
const toolResult = (part) => user({ toolResult: {
    toolUseId: 'c', content: [part],
} });
const beside = (part) => ({
    messages: [{ role: 'user', content: [{ text: 'q' }, part] }],
});


function* examples(base64) {
    const png = base64('png');
    const pdf = base64('pdf');
    const csv = base64('csv');
    const url = (type, data) => `data:${type};base64,${data}`;
    const cut = (data) => Buffer.from(data, 'base64').subarray(0, 90)
        .toString('base64');

    // Chat Completions

    const picture = (value) => ({ type: 'image_url',
                                  image_url: { url: value } });
    const file = (value) => ({ type: 'file', file: { file_data: value } });
    const sound = (format, data) => ({ type: 'input_audio',
                                       input_audio: { format, data } });
    const film = (value) => ({ type: 'video_url',
                               video_url: { url: value } });
    const right = picture(url('image/png', png));

    for (const api of ['openai', 'openrouter', 'mistral']) {
        yield [api, user(right)];
        yield [api, user(picture(url('IMAGE/PNG;a=b', png)))];
        yield [api, user(picture('https://h/a.png'))];
        yield [api, user(picture(url('image/jpeg', png))), /appears to be/];
        yield [api, user(picture(url('image/jpg', base64('jpeg')))), /type "/];
        yield [api, user(picture(url('application/octet-stream', png))),
               /type "/];
        yield [api, user(picture(url('', png))), /type ""/];
        yield [api, user(picture(url('image/svg+xml', base64('svg')))),
               /type "/];
        yield [api, user(picture(url('image/png', cut(png)))), /is cut/];
        yield [api, user(picture(url('image/png', ''))), /nothing/];
        yield [api, user(picture(url('image/png', '*'))), /no base64/];
        yield [api, user(picture(png)), /no URL/];
        yield [api, user({ type: 'text', text: ' \n' }), /blank/];
        yield [api, user({ type: 'artifact' }), /no part of type/];
        yield [api, { messages: [{ role: 'user', content: [] }] }, /empty/];
        yield [api, { messages: [] }, /empty/];
        yield [api, { messages: [{ role: 'user', content: '' }] }, /blank/];
    }

    for (const api of ['openai', 'openrouter']) {
        yield [api, user(file(url('application/pdf', pdf)))];
        yield [api, user(file(url('text/csv', csv))), /type "text/];
        yield [api, user(file(url('application/pdf', csv))), /appears to be/];
        yield [api, user(file(url('application/pdf', cut(pdf)))), /%%EOF/];
        yield [api, user(sound('wav', base64('wav')))];
        yield [api, user(sound('mp3', base64('mp3')))];
        yield [api, user(sound('WAV', base64('wav'))), /format/];
        yield [api, user(sound('mp3', base64('wav'))), /appears to be/];
        yield [api, user(sound(undefined, base64('wav'))), /format/];
        yield [api, user(sound('wav', cut(base64('wav')))), /shorter/];
        yield [api, user({ type: 'image_url', image_url: 'https://h/a' }),
               /no object/];
        yield [api, tool({ type: 'text', text: 'x' })];
        yield [api, tool(right), /no part of type/];
    }

    yield ['openai', user(file('https://h/a.pdf')), /no data URL/];
    yield ['openai', user(file(pdf)), /no data URL/];
    yield ['openai', user(film(url('video/mp4', base64('mp4')))),
           /no part of type/];
    yield ['openrouter', user(film(url('video/mp4', base64('mp4'))))];
    yield ['openrouter', user(film(url('video/mp4', png))), /appears to be/];
    yield ['openrouter', user(film(url('video/mp4', cut(base64('mp4'))))),
           /box is cut/];

    // Mistral

    const document = (value) => ({ type: 'document_url', document_url: value });
    const audio = (value) => ({ type: 'input_audio', input_audio: value });

    yield ['mistral', tool(right)];
    yield ['mistral', user({ type: 'image_url',
                             image_url: url('image/png', png) })];
    yield ['mistral', user(document(url('application/pdf', pdf)))];
    yield ['mistral', user(document(url('image/png', png))), /type "/];
    yield ['mistral', user(document(url('text/plain', csv))), /type "/];
    yield ['mistral', user(audio(base64('mp3')))];
    yield ['mistral', user(audio(png)), /type "image/];
    yield ['mistral', user(audio(url('audio/mpeg', base64('mp3')))),
           /no base64/];
    yield ['mistral', user(audio({ data: base64('mp3') })), /no base64/];

    // Responses

    const image = (value) => ({ type: 'input_image', image_url: value });
    const sent = (value) => ({ type: 'input_file', file_data: value });
    const fetched = (value, more) => ({ type: 'input_file', file_url: value,
                                        ...more });

    for (const at of [input, output]) {
        yield ['openai_responses', at(image(url('image/png', png)))];
        yield ['openai_responses', at(image(url('image/gif', png))),
               /appears to be/];
        yield ['openai_responses', at(image({ url: url('image/png', png) })),
               /no string/];
        yield ['openai_responses', at(sent(url('application/pdf', pdf)))];
        yield ['openai_responses', at(sent(url('text/csv', csv)))];
        yield ['openai_responses', at(sent(url('application/pdf', csv))),
               /appears to be/];
        yield ['openai_responses', at(sent(url('image/png', png))), /type "/];
        yield ['openai_responses', at(sent(pdf)), /no data URL/];
        yield ['openai_responses', at(fetched('https://h/a.pdf'))];
        yield ['openai_responses', at(fetched(url('application/pdf', pdf))),
               /downloaded/];
        yield ['openai_responses',
               at(fetched('https://h/a', { filename: 'a' })), /exclusive/];
        yield ['openai_responses', at({ type: 'input_text', text: '' }),
               /blank/];
        yield ['openai_responses', at({ type: 'text', text: 'x' }),
               /no part of type/];
    }

    // pictures that are edited

    const mask = (value) => ({
        ...input({ type: 'input_text', text: 'x' }),
        tools: [{ type: 'image_generation',
                  input_image_mask: { image_url: value } }],
    });
    const edit = (value, more) => ({ images: [{ image_url: value }], ...more });

    yield ['openai_responses', mask(url('image/png', png))];
    yield ['openai_responses', mask(url('image/jpeg', base64('jpeg'))),
           /type "/];
    yield ['images', edit(url('image/jpeg', base64('jpeg')))];
    yield ['images', edit(url('image/gif', base64('gif'))), /type "/];
    yield ['images', edit('https://h/a', { mask: {
        image_url: url('image/png', png) } })];
    yield ['images', edit('https://h/a', { mask: {
        image_url: url('image/webp', base64('webp')) } }), /type "/];

    // Anthropic

    const block = (type, media, data, more) => ({ type, source: {
        type: 'base64', ...(media === null ? {} : { media_type: media }), data,
        ...more,
    } });

    for (const at of [user, result]) {
        yield ['anthropic', at(block('image', 'image/png', png))];
        yield ['anthropic', at(block('image', 'image/jpeg', png)),
               /appears to be/];
        yield ['anthropic', at(block('image', 'image/jpg', base64('jpeg'))),
               /type "/];
        yield ['anthropic', at(block('image', 'IMAGE/PNG', png)), /type "/];
        yield ['anthropic', at(block('image', null, png)), /type "undefined/];
        yield ['anthropic', at(block('image', 'image/png', '')), /nothing/];
        yield ['anthropic', at(block('image', 'image/png', cut(png))),
               /is cut/];
        yield ['anthropic', at(block('image', 'image/png',
                                     url('image/png', png))), /no base64/];
        yield ['anthropic', at(block('image', 'image/png', png, { a: 1 })),
               /no member/];
        yield ['anthropic', at(block('document', 'application/pdf', pdf))];
        yield ['anthropic', at(block('document', 'text/csv', csv)), /type "/];
        yield ['anthropic', at({ type: 'document', source: {
            type: 'text', media_type: 'text/plain', data: 'x' } })];
        yield ['anthropic', at({ type: 'document', source: {
            type: 'text', media_type: 'text/csv', data: 'x' } }), /type "/];
        yield ['anthropic', at({ type: 'image', source: {
            type: 'url', url: 'https://h/a' } })];
        yield ['anthropic', at({ type: 'image', source: {
            type: 'url', url: url('image/png', png) } }), /https URL/];
        yield ['anthropic', at({ type: 'text', text: '' }), /blank/];
    }

    yield ['anthropic', result({ type: 'text', text: 'x' },
                               { is_error: true })];
    yield ['anthropic', result(block('image', 'image/png', png),
                               { is_error: true }), /no part of type/];

    // Gemini

    const blob = (mimeType, data, more) => ({ inlineData: {
        ...(mimeType === null ? {} : { mimeType }), data, ...more,
    } });

    for (const api of ['gemini', 'gemini2']) {
        yield [api, parts(blob('image/png', png))];
        yield [api, parts({ inline_data: { mime_type: 'image/png',
                                           data: png } })];
        yield [api, parts(blob('audio/mp3', base64('mp3')))];
        yield [api, parts(blob('text/csv', csv))];
        yield [api, parts(blob('image/gif', base64('gif'))), /type "/];
        yield [api, parts(blob('image/svg+xml', base64('svg'))), /type "/];
        yield [api, parts(blob('application/octet-stream', png)), /type "/];
        yield [api, parts(blob(null, png)), /type "undefined/];
        yield [api, parts(blob('image/webp', png)), /appears to be/];
        yield [api, parts(blob('application/pdf', csv)), /appears to be/];
        yield [api, parts(blob('image/png', '')), /nothing/];
        yield [api, parts(blob('image/png', '*')), /no base64/];
        yield [api, parts(blob('image/png', png, { displayName: 'a' })),
               /displayName/];
        yield [api, parts({ fileData: { fileUri: 'https://h/a' } })];
        yield [api, parts({ fileData: { fileUri: url('image/png', png) } }),
               /no URI/];
        yield [api, parts({ text: '' }), /blank/];
    }

    yield ['gemini', call(blob('image/png', png, { displayName: 'a' }))];
    yield ['gemini', call(blob('text/csv', csv)), /type "/];
    yield ['gemini', call({ fileData: { fileUri: 'https://h/a' } }),
           /nothing/];
    yield ['gemini2', call(blob('image/png', png)), /no parts/];

    // Bedrock

    const medium = (kind, format, data, more) => ({ [kind]: {
        ...(format === null ? {} : { format }), source: { bytes: data },
        ...more,
    } });
    const named = (name, format = 'pdf', data = pdf) =>
        medium('document', format, data, { name });

    for (const at of [beside, toolResult]) {
        yield ['bedrock', at(medium('image', 'png', png))];
        yield ['bedrock', at(medium('image', 'jpg', base64('jpeg'))),
               /format "/];
        yield ['bedrock', at(medium('image', 'jpeg', png)), /appears to be/];
        yield ['bedrock', at(medium('image', null, png)), /format "undefined/];
        yield ['bedrock', at(medium('video', 'mp4', base64('mp4')))];
        yield ['bedrock', at(named('a (1) [b]'))];
        yield ['bedrock', at(named('a', 'csv', csv))];
        yield ['bedrock', at(named('a', 'json', base64('json'))), /format "/];
        yield ['bedrock', at(named('a', 'pdf', csv)), /appears to be/];
        yield ['bedrock', at(named('a.pdf')), /name "/];
        yield ['bedrock', at(named('a  b')), /name "/];
        yield ['bedrock', at(named(undefined)), /name "undefined/];
        yield ['bedrock', at({ ...named('a'), text: 'x' }), /one of the keys/];
        yield ['bedrock', at({ text: '' }), /blank/];
    }

    yield ['bedrock', beside(medium('audio', 'mp3', base64('mp3')))];
    yield ['bedrock', toolResult(medium('audio', 'mp3', base64('mp3'))),
           /no block "audio/];
    yield ['bedrock', user(named('a')), /without a text/];
    yield ['bedrock', { messages: [{ role: 'user', content: [
        { text: 'x' }, named('a'), named('a')] }] }, /duplicate/];
}


// What is cut is seen to be, wherever that is; and a bit that is wrong.

function checkContents(files) {
    for (const kind of ['png', 'jpeg', 'gif', 'webp', 'pdf', 'wav', 'mp4']) {
        const bytes = files.get(kind);
        const { type } = contentOf(bytes);

        ok([0.1, 0.3, 0.5, 0.9].every((part) => {
            const cut = contentOf(bytes.subarray(0, bytes.length * part));

            return cut.type !== type || cut.flaw !== undefined;
        }), `${kind}: what is cut is seen`);
    }

    const png = Buffer.from(files.get('png'));

    png[50] ^= 1;

    ok(contentOf(png).flaw !== undefined, 'png: a bit that is wrong is seen');
    ok(contentOf(Buffer.from([0xff, 0, 1])).type === undefined,
       'bytes are no text');
}


export function checkRefusals(files) {
    const base64 = (kind) => files.get(kind).toString('base64');
    const counts = { right: 0, refused: 0 };
    const wrong = [];

    for (const [api, body, pattern] of examples(base64)) {
        const json = JSON.stringify(body);
        const what = refusal(api, json);

        counts[pattern === undefined ? 'right' : 'refused']++;

        if (pattern === undefined ? what !== undefined
            : what === undefined || !pattern.test(what))
        {
            wrong.push(`${api}, ${pattern}: ${what}\n${json}`);
        }
    }

    ok(wrong.length === 0, `the rules refuse ${counts.refused} of these, and `
       + `take ${counts.right}`, `${wrong.length} are wrong`,
       ...wrong.slice(0, 5));
    ok(counts.refused > 150 && counts.right > 60, 'there are many');
    ok(refusal('openai', '{"messages":[') === 'no JSON', 'and no JSON is none');

    checkContents(files);
}
