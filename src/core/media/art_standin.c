
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/media/art_standin.h"
#include "core/text/art_base64.h"

#include <zlib.h>


#define ART_STANDIN_PLACE  ART_BASE64_LEN(ART_STANDIN_ID)

/* A PNG's chunk with the id, from its type on, and its CRC behind it. */

#define ART_STANDIN_CHUNK  37
#define ART_STANDIN_CRC    96
#define ART_STANDIN_WORD   4     /* bytes of a CRC */


/* The base64 before the id and behind it. */

typedef struct {
    art_str_t    name;
    art_str_t    mime;
    size_t       len;            /* of all, with the id */
    const char  *head;
    const char  *tail;
} art_standin_row_t;


#define art_standin_space(c)                                                  \
    ((c) == ' ' || (c) == '\t' || (c) == '\r' || (c) == '\n')


/* Those of a zeroed id, version 8. */

static const art_standin_row_t  art_standin_rows[ART_STANDIN_KINDS] = {

    { art_string(""), art_string(""), 0, "", "" },

    { art_string("png"), art_string("image/png"), 416,
      "iVBORw0KGgoAAAANSUhEUgAAAKAAAABAAQAAAAC18EECAAAAN3RFWHRSZWZlcmVu"
      "Y2UAYXJ0aWZhY3Q6",
      "gG6kPQAAALxJREFUeNrF1DsKBDEIBmDBNpCrDEwb8OrCtAGvItgKLpkpln3kUSyz"
      "qcIHon9CAvFlwX3oKIFaQATFkRP20cVdakg9N+4T9BVEcThbNOGCfYzXcpngcyQb"
      "ICe/YnJq7bp44x1pcSXkHG2APEL3rcWJOGo7zSHWlj2iLiAnZgpJU/SrkdSfoRYX"
      "gSvmGO97MmzGG4IibHmMpkYWRERmE7R9GQ/WDEEwR4s99ngr72JZQDYDRSJ6y/6J"
      "f/vBHvMjVJlUTlcmAAAAAElFTkSuQmCC" },

    { art_string("jpeg"), art_string("image/jpeg"), 1388,
      "/9j/4AAQSkZJRgABAQAAAQABAAD//gAxYXJ0aWZhY3Q6",
      "ICD/2wBDAKBueIx4ZKCMgoy0qqC+8P//8Nzc8P//////////////////////////"
      "////////////////////////////////wAALCABAAKABAREA/8QAFwABAQEBAAAA"
      "AAAAAAAAAAAAAAIBA//EACoQAAICAQMEAQQCAwEAAAAAAAECABEDEiExQVGBsTMT"
      "YXGhIlJTkcGi/9oACAEBAAA/AO0EhRZ4kjIjGgd/MoEEkdRzEkZEY0Dv5ms6rWo1"
      "ca106r2k/VT+36MsEEkdRzAIJI6jmSMiMaB38ygQSR1HMEhRZ4kjIjGgd/MHIimi"
      "d/MDIhBN7DnmBkRjQO/mVESM3xHx7mHW40ldIPWwf1NX5X8eozfEfHuTkZzjNpQ7"
      "2O8pflfx6mZQBjY9TV/7lBnJ3Sh3sSbYZX0rfHWukhiSMtij/HadM3xHx7hflfx6"
      "jN8R8e4zfEfHuZbDK+lb4610jIScJsUe3mCWyWhWuLN3XWdIiY66lK3VzZBRtRZX"
      "q66XxBRipVnu66SnXUpW6uYVN2raSedrvtMOO1IJ3NWfx9o0v/k/8iUFpma+a/Uz"
      "QCWvcNW34maGOzPY7VUFG1FlerrpfEFGKlWe7rpGhjsz2O1VBRtRZXq66XxBRipV"
      "nu66SmW6INEcGbEREjNeiwSK7GMlriNE7db35ku7aSNgRV1fXiv+3NYguQzaaqqN"
      "XczWVV6OrTVE73c0gKdsm46M23mYaORgzlaqt66S0AAsMWvublTnqYZH6gVt146f"
      "9mFyDkIN1prtNYHGpYMxroTt2jKCFLBmHG17dparpv8AkT+Tc2IiIkZr0UATfYRk"
      "tsRoHfpW/MZReNqG5rj8wFByOWW+KsfaSUJOQAVemu0zIQymsbWeumaaGRiyFrqt"
      "r6S0IIoKVruKlSVB+o5rmvUgoScgAq9NdprE5FKhWF9SNu8rKCcZAF8e5URERESG"
      "dgwUJd8bzXcIRfBveaWplWub/UnWx3VLHe6guw0jRub2vtNDOTulDvYkjI7Cxj2/"
      "IlFiQCi6gfvXuYjs1HRQPW5gyOwsY9vyJpdhpGjc3tfaaGN0y6SeN7vvKiIiIiQ3"
      "yp59Q3yp59TNOnKgB23odtpuhhsr0O1XJJLnGR/EnV950UML1NfipxXWManVS73s"
      "Nt/9mzO4AUUOJGH4h59ycaucYp6Hah3lN8qefUN8qefUuIiIiJJxoxsjfzKIBIPU"
      "cQQCQeo4kfST+v7MpkVq1C6mDGimwN/MoAKKHEABRQ4gAKKHEj6Sf1/ZmnGhAFbD"
      "jmaqKt6RVzYiJ//Z" },

    { art_string("gif"), art_string("image/gif"), 960,
      "R0lGODlhoABAAPABAAAAAP///yH5BAAAAAAAIf4vYXJ0aWZhY3Q6",
      "ICAAIfkEAAAAAAAh/wtJbWFnZU1hZ2ljaw5nYW1tYT0wLjQ1NDU0NQAsAAAAAKAA"
      "QAAAAv6Mj6nL7Q+jnLTai7PevPsPhuJIluaJpurKtu4LAvIsI/VD33a+57OhOwR9"
      "O4dveLwlSUshAEJMRIHJZyBI7f2cxqM22hRhr9ZxUVq2ns1cdNZN7iqU6sWYrbmn"
      "5XD9m+EX11c3RyiIJ3gWY0jHt2aoaMe4N+jYhhi4WPgnuZnY2RAoCtn2aMnpEfZZ"
      "2ITp5dQ6iQr3OEVmu2jrGtulWzXbGCp7ywNbLEY6G/nmeno43FwprPwRDQidvEp7"
      "ie0cfE2dmm3N7UnO3D0tDV4acr6Nbj6ebqpezx6+sfuaSYzEu81XLIH8hmkSBjAS"
      "QTAG/dWpkmZhsX4wKlq8iDGjxv6NHDt6/AgypMiRFHx5okKD1RaUr6A0lJjyo8mA"
      "x4z9a4njZU2IIvXQ+VZu3YWY8eBpA+kzIqV7QTEQfXayXc90QIviG0qpqjZEHEdZ"
      "bQrKadalUo/KpKqUIcufNV1qAdZwqjx0ABniyvl2a9yQFKEK/WrBq1GuG/tqPUw2"
      "ML2yhDUaTuyXqeK5g7N13YsYbj63f/WSnCn500Cc3h62LesRNFhOo+9eZX16M8nZ"
      "tGvbvo07t+7dvHvvVg3bbkGYW3g6bMx3p07hzFceL/7rue+koZdVjpqvr23qq41a"
      "f1yat2Ct1r9jnof99njI5RmfD/97uemnqlSZB26Wdj/6ylCJv5bunnjvqRPNOwZa"
      "NhJ4BKKXn2f2oFabguyQw4Z2AcaXXoEMUmOhZrnhxxZ/CV34xUSkqaecPMRlVllr"
      "zvkGY4wyzkhjjTbeiGOOOtJWAAA7" },

    { art_string("webp"), art_string("image/webp"), 360,
      "UklGRgYBAABXRUJQVlA4WAoAAAAAAAAAnwAAPwAAVlA4TLAAAAAvn8APAA8w//M/"
      "//MfeICjgG4dSaA24KsY1Bre1QXTBnQVw2sF2v+uzKaP6P8E1HPDWT6WkE64Tv87"
      "EKAVDQQINOEEJ4RwnZ90+d8VAaJonwg22Q+iQSfGEtJ1uk782VOOhZGuu0jX3QFc"
      "NLDqZUD1GK1YZQfoVM3ibAMNrKL9E2OBFN1Fes9DaoReLsPl2j0xIqMyMyOa4j7m"
      "pWNLpfRF3XVX5hnrAI2Q4Zkp1+55ZmFSdEYvAAAAYXJ0aWZhY3Q6",
      "ICAA" },

    { art_string("pdf"), art_string("application/pdf"), 868,
      "JVBERi0xLjQKJSAgYXJ0aWZhY3Q6",
      "ICAKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+CmVuZG9iagoy"
      "IDAgb2JqPDwvVHlwZS9QYWdlcy9LaWRzWzMgMCBSXS9Db3VudCAxPj4KZW5kb2Jq"
      "CjMgMCBvYmo8PC9UeXBlL1BhZ2UvUGFyZW50IDIgMCBSL01lZGlhQm94WzAgMCAy"
      "NjAgOTBdL0NvbnRlbnRzIDQgMCBSL1Jlc291cmNlczw8L0ZvbnQ8PC9GIDUgMCBS"
      "Pj4+Pj4+CmVuZG9iago0IDAgb2JqPDwvTGVuZ3RoIDEwMD4+c3RyZWFtCkJUIC9G"
      "IDEyIFRmIDIwIDYwIFRkIChUaGlzIGZpbGUgaXMgYSBwbGFjZWhvbGRlci4pIFRq"
      "IDAgLTE2IFRkIChJdHMgY29udGVudCB3YXMgbm90IGluc2VydGVkLikgVGogRVQK"
      "ZW5kc3RyZWFtCmVuZG9iago1IDAgb2JqPDwvVHlwZS9Gb250L1N1YnR5cGUvVHlw"
      "ZTEvQmFzZUZvbnQvSGVsdmV0aWNhPj4KZW5kb2JqCnhyZWYKMCA2CjAwMDAwMDAw"
      "MDAgNjU1MzUgZiAKMDAwMDAwMDA2MCAwMDAwMCBuIAowMDAwMDAwMTA0IDAwMDAw"
      "IG4gCjAwMDAwMDAxNTQgMDAwMDAgbiAKMDAwMDAwMDI2MyAwMDAwMCBuIAowMDAw"
      "MDAwNDEwIDAwMDAwIG4gCnRyYWlsZXI8PC9TaXplIDYvUm9vdCAxIDAgUj4+CnN0"
      "YXJ0eHJlZgo0NzIKJSVFT0YK" },

    { art_string("wav"), art_string("audio/wav"), 1216,
      "UklGRogDAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YSADAACAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICA"
      "gICAgICAgICAgICAgICAgICAgICAgICAgICAgExJU1Q8AAAASU5GT0lDTVQvAAAA"
      "YXJ0aWZhY3Q6",
      "IAAA" },

    { art_string("mp3"), art_string("audio/mpeg"), 412,
      "SUQzAwAAAAAAO1RYWFgAAAAxAAAAaWQAYXJ0aWZhY3Q6",
      "//MUxAAAAAAAAAAAAAAAAAAAAAAAAAAA//MUxAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      "//MUxAAAAAAAAAAAAAAAAAAAAAAAAAAA//MUxAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      "//MUxAAAAAAAAAAAAAAAAAAAAAAAAAAA//MUxAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      "//MUxAAAAAAAAAAAAAAAAAAAAAAAAAAA//MUxAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      "//MUxAAAAAAAAAAAAAAAAAAAAAAAAAAA//MUxAAAAAAAAAAAAAAAAAAAAAAAAAAA" },

    { art_string("mp4"), art_string("video/mp4"), 1248,
      "AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDEAAAAIZnJlZQAAADxtZGF0"
      "AAAAImWIhAAU//73x0/Apuj5ZsudRT0hIa7A/1JtCiTED8nfSMEAAAAKQZohbEEv"
      "/rUr7wAAAw1tb292AAAAbG12aGQAAAAAAAAAAAAAAAAAAAPoAAAD6AABAAABAAAA"
      "AAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAEAAAAAAAAAA"
      "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAACXHRyYWsAAABcdGtoZAAAAAMAAAAA"
      "AAAAAAAAAAEAAAAAAAAD6AAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAA"
      "AAEAAAAAAAAAAAAAAAAAAEAAAAAAQAAAAEAAAAAAACRlZHRzAAAAHGVsc3QAAAAA"
      "AAAAAQAAA+gAAAAAAAEAAAAAAdRtZGlhAAAAIG1kaGQAAAAAAAAAAAAAAAAAAEAA"
      "AABAAFXEAAAAAAAtaGRscgAAAAAAAAAAdmlkZQAAAAAAAAAAAAAAAFZpZGVvSGFu"
      "ZGxlcgAAAAF/bWluZgAAABR2bWhkAAAAAQAAAAAAAAAAAAAAJGRpbmYAAAAcZHJl"
      "ZgAAAAAAAAABAAAADHVybCAAAAABAAABP3N0YmwAAAC/c3RzZAAAAAAAAAABAAAA"
      "r2F2YzEAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAQABAAEgAAABIAAAAAAAAAAEM"
      "TGF2YyBsaWJ4MjY0AAAAAAAAAAAAAAAAAAAAAAAAAAAY//8AAAA1YXZjQwFkAAr/"
      "4QAYZ2QACqzZRCbARAAAAwAEAAADABA8SJZYAQAGaOvjyyLA/fj4AAAAABBwYXNw"
      "AAAAAQAAAAEAAAAUYnRydAAAAAAAAAGgAAABoAAAABhzdHRzAAAAAAAAAAEAAAAC"
      "AAAgAAAAABRzdHNzAAAAAAAAAAEAAAABAAAAHHN0c2MAAAAAAAAAAQAAAAEAAAAC"
      "AAAAAQAAABxzdHN6AAAAAAAAAAAAAAACAAAAJgAAAA4AAAAUc3RjbwAAAAAAAAAB"
      "AAAAMAAAAD11ZHRhAAAANW1ldGEAAAAAAAAAIWhkbHIAAAAAAAAAAG1kaXJhcHBs"
      "AAAAAAAAAAAAAAAACGlsc3QAAAA3ZnJlZSAgYXJ0aWZhY3Q6",
      "" }
};


static void art_standin_crc(uint8_t *dst);
static int art_standin_begins(art_str_t text);
static art_str_t art_standin_data(art_str_t text);
static size_t art_standin_pack(art_str_t text, uint8_t *dst);
static int art_standin_is_id(const uint8_t *id);


art_standin_t
art_standin_of(art_str_t mime)
{
    art_standin_t  kind;

    for (kind = ART_STANDIN_PNG; kind < ART_STANDIN_KINDS; kind++) {
        if (art_str_eq(art_standin_rows[kind].mime, mime)) {
            return kind;
        }
    }

    return ART_STANDIN_NONE;
}


art_str_t
art_standin_name(art_standin_t kind)
{
    return art_standin_rows[kind].name;
}


art_str_t
art_standin_mime(art_standin_t kind)
{
    return art_standin_rows[kind].mime;
}


size_t
art_standin_len(art_standin_t kind)
{
    return art_standin_rows[kind].len;
}


void
art_standin_print(art_standin_t kind, const uint8_t id[ART_STANDIN_ID],
    uint8_t *dst)
{
    size_t                    left, head;
    art_base64_t              st;
    const uint8_t            *p;
    const art_standin_row_t  *row;

    row = &art_standin_rows[kind];
    head = strlen(row->head);

    memset(&st, 0, sizeof(st));

    p = id;
    left = ART_STANDIN_ID;

    memcpy(dst, row->head, head);
    (void) art_base64_update(&st, dst + head, ART_STANDIN_PLACE, &p, &left);
    memcpy(dst + head + ART_STANDIN_PLACE, row->tail, strlen(row->tail));

    if (kind == ART_STANDIN_PNG) {
        art_standin_crc(dst);
    }
}


/* The CRC of the chunk (PNG, section 5.3), among the base64 of what it ends. */

static void
art_standin_crc(uint8_t *dst)
{
    size_t               n, left;
    uint8_t              png[ART_STANDIN_CRC + 3 * ART_STANDIN_WORD];
    uint32_t             crc;
    art_base64_t         out;
    const uint8_t       *p;
    art_base64_decode_t  in;

    memset(&in, 0, sizeof(in));
    memset(&out, 0, sizeof(out));

    n = art_base64_decode(&in, png, dst,
                          ART_BASE64_LEN(ART_STANDIN_CRC + ART_STANDIN_WORD));

    crc = (uint32_t) crc32(0, png + ART_STANDIN_CHUNK,
                           ART_STANDIN_CRC - ART_STANDIN_CHUNK);

    png[ART_STANDIN_CRC] = (uint8_t) (crc >> 24);
    png[ART_STANDIN_CRC + 1] = (uint8_t) (crc >> 16);
    png[ART_STANDIN_CRC + 2] = (uint8_t) (crc >> 8);
    png[ART_STANDIN_CRC + 3] = (uint8_t) crc;

    p = png;
    left = n;
    (void) art_base64_update(&out, dst, ART_BASE64_LEN(n), &p, &left);
}


/* A data URL tells nothing; white space may come before the first character. */

int
art_standin_may_be(art_str_t text)
{
    size_t               n, len;
    uint8_t              packed[ART_STANDIN_MAX];
    art_standin_t        kind;

    if (text.len >= 5 && art_str_is(art_str(text.data, 5), "data:")) {
        return 1;
    }

    if (!art_standin_begins(text)) {
        return 0;
    }

    n = art_standin_pack(art_str(text.data, text.len < ART_STANDIN_MIN
                                            ? text.len : ART_STANDIN_MIN),
                         packed);

    for (kind = ART_STANDIN_PNG; n > 0 && kind < ART_STANDIN_KINDS; kind++) {
        len = strnlen(art_standin_rows[kind].head, n);

        if (memcmp(packed, art_standin_rows[kind].head, len) == 0) {
            return 1;
        }
    }

    return 0;
}


/* Most texts differ in their first character. */

static int
art_standin_begins(art_str_t text)
{
    size_t         i;
    uint8_t        c;
    art_standin_t  kind;

    for (i = 0; i < text.len && art_standin_space(text.data[i]); i++) {
        /* void */
    }

    if (i == text.len) {
        return 0;
    }

    c = text.data[i] == '_' ? '/' : text.data[i];

    for (kind = ART_STANDIN_PNG; kind < ART_STANDIN_KINDS; kind++) {
        if ((uint8_t) art_standin_rows[kind].head[0] == c) {
            return 1;
        }
    }

    return 0;
}


art_standin_t
art_standin_read(art_str_t text, uint8_t id[ART_STANDIN_ID], size_t *at)
{
    size_t               n;
    uint8_t              packed[ART_STANDIN_MAX], whole[ART_STANDIN_MAX];
    uint8_t              place[ART_STANDIN_PLACE / 4 * 3 + 3];
    art_str_t            data;
    art_standin_t        kind;
    art_base64_decode_t  in;

    data = art_standin_data(text);
    n = art_standin_pack(data, packed);

    for (kind = ART_STANDIN_PNG; kind < ART_STANDIN_KINDS; kind++) {
        if (n == art_standin_len(kind)) {
            break;
        }
    }

    if (kind == ART_STANDIN_KINDS) {
        return ART_STANDIN_NONE;
    }

    memset(&in, 0, sizeof(in));

    (void) art_base64_decode(&in, place,
                             packed + strlen(art_standin_rows[kind].head),
                             ART_STANDIN_PLACE);

    if (!art_standin_is_id(place)) {
        return ART_STANDIN_NONE;
    }

    art_standin_print(kind, place, whole);

    if (memcmp(packed, whole, n) != 0) {
        return ART_STANDIN_NONE;
    }

    memcpy(id, place, ART_STANDIN_ID);
    *at = (size_t) (data.data - text.data);

    return kind;
}


/* What follows the comma of a data URL (RFC 2397); else all of the string. */

static art_str_t
art_standin_data(art_str_t text)
{
    size_t          head;
    const uint8_t  *comma;

    if (text.len < ART_STANDIN_MIN
        || !art_str_is(art_str(text.data, sizeof("data:") - 1), "data:"))
    {
        return text;
    }

    comma = memchr(text.data, ',', text.len - ART_STANDIN_MIN + 1);

    if (comma == NULL) {
        return text;
    }

    head = (size_t) (comma + 1 - text.data);

    return art_str(text.data + head, text.len - head);
}


/*
 * The characters in the standard alphabet, without white space; returns their
 * number, 0 if this can be no stand-in.
 */

static size_t
art_standin_pack(art_str_t text, uint8_t *dst)
{
    size_t   i, n;
    uint8_t  c;

    n = 0;

    for (i = 0; i < text.len; i++) {
        c = text.data[i];

        if (art_standin_space(c)) {
            continue;
        }

        if (n == ART_STANDIN_MAX || art_base64_value(c) == -1) {
            return 0;
        }

        switch (c) {

        case '-':
            c = '+';
            break;

        case '_':
            c = '/';
            break;

        default:
            break;
        }

        dst[n++] = c;
    }

    return n;
}


/* A UUID of version 8 (RFC 9562) in lower case. */

static int
art_standin_is_id(const uint8_t *id)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < ART_STANDIN_ID; i++) {
        c = id[i];

        switch (i) {

        case 8:
        case 13:
        case 18:
        case 23:
            if (c != '-') {
                return 0;
            }

            break;

        default:
            if (c != art_char_lower(c) || art_char_hex(c) == -1) {
                return 0;
            }

            break;
        }
    }

    return id[14] == '8' && (art_char_hex(id[19]) & 0x0c) == 0x08;
}
