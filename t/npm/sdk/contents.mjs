// What bytes are, and whether they are whole: by signature and structure, as
// RFC 2083 (PNG), GIF89a, ITU T.81 (JPEG), RIFF, ISO 32000 (PDF), ISO 14496-12
// (MP4) and ISO 11172-3 (MP3) have it.

import { crc32 } from 'node:zlib';


const ascii = (bytes, from, to) => bytes.toString('latin1', from, to);


// Each returns what is wrong; undefined: nothing.

function png(bytes) {
    for (let at = 8; at + 12 <= bytes.length;) {
        const end = at + 12 + bytes.readUInt32BE(at);

        if (end > bytes.length) {
            return 'a chunk is cut';
        }

        if (crc32(bytes.subarray(at + 4, end - 4))
            !== bytes.readUInt32BE(end - 4))
        {
            return 'the sum of a chunk is wrong';
        }

        if (ascii(bytes, at + 4, at + 8) === 'IEND') {
            return undefined;
        }

        at = end;
    }

    return 'no IEND';
}


function gif(bytes) {
    const colors = (flags) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);

    const blocks = (at) => {
        while (bytes[at] > 0) {
            at += bytes[at] + 1;
        }

        return at + 1;
    };

    for (let at = 13 + colors(bytes[10]); at < bytes.length;) {
        if (bytes[at] === 0x3b) {
            return undefined;
        }

        if (bytes[at] !== 0x21 && bytes[at] !== 0x2c) {
            return 'an unknown block';
        }

        at = bytes[at] === 0x21 ? blocks(at + 2)
            : blocks(at + 11 + colors(bytes[at + 9]));
    }

    return 'no trailer';
}


function jpeg(bytes) {
    return bytes.lastIndexOf('\xff\xd9', undefined, 'latin1') > 0
        ? undefined : 'no end of image';
}


function riff(bytes) {
    return bytes.readUInt32LE(4) + 8 <= bytes.length
        ? undefined : 'shorter than it says';
}


function pdf(bytes) {
    return ascii(bytes, Math.max(0, bytes.length - 1024)).includes('%%EOF')
        ? undefined : 'no %%EOF';
}


function mp4(bytes) {
    let at = 0;

    while (at + 8 <= bytes.length && bytes.readUInt32BE(at) >= 8) {
        at += bytes.readUInt32BE(at);
    }

    return at === bytes.length ? undefined : 'a box is cut';
}


// Frames, after a tag that may be there; what is cut off plays to there.

function mp3(bytes) {
    const tag = ascii(bytes, 0, 3) === 'ID3'
        ? 10 + bytes.subarray(6, 10).reduce((size, c) => size << 7 | c, 0) : 0;

    return bytes.length > tag + 4 ? undefined : 'no frame';
}


const signatures = [
    ['image/png', /^\x89PNG\r\n\x1a\n/, png],
    ['image/gif', /^GIF8[79]a/, gif],
    ['image/jpeg', /^\xff\xd8\xff/, jpeg],
    ['image/webp', /^RIFF[^]{4}WEBP/, riff],
    ['audio/wav', /^RIFF[^]{4}WAVE/, riff],
    ['application/pdf', /^%PDF-/, pdf],
    ['video/mp4', /^[^]{4}ftyp/, mp4],
    ['audio/mpeg', /^(ID3|\xff[\xe2-\xff])/, mp3],
];


// { type, flaw }: the media type of bytes; "text/plain" for any text, undefined
// for what nobody knows.

export function contentOf(bytes) {
    const head = ascii(bytes, 0, 16);
    const found = signatures.find(([, pattern]) => pattern.test(head));

    if (found !== undefined) {
        return { type: found[0], flaw: found[2](bytes) };
    }

    const isText = bytes.length > 0
        && Buffer.from(bytes.toString(), 'utf8').equals(bytes)
        && !/[\0-\x08\x0e-\x1a]/.test(bytes.toString());

    return { type: isText ? 'text/plain' : undefined };
}


// Standard base64 with its padding; null if it is something else.

export function bytesOf(base64) {
    return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
        .test(base64) ? Buffer.from(base64, 'base64') : null;
}


// { type, bytes } of a data URL (RFC 2397), its type in lower case and without
// parameters; null if it is none in base64.

export function dataUrl(url) {
    const [, type, , data] = String(url)
        .match(/^data:([^;,]*)((?:;[^;,]*)*);base64,([^]*)$/i) ?? [];

    return type === undefined ? null
        : { type: type.toLowerCase(), bytes: bytesOf(data) };
}
