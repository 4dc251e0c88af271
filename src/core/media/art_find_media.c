
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the characters of a run are: media by their signature, and whole by
 * their end.
 */


#include "core/base/art_bytes.h"
#include "core/media/art_find.h"
#include "core/media/art_find_int.h"
#include "core/media/art_media.h"
#include "core/media/art_signature.h"
#include "core/media/art_sniff.h"


/* The last bytes, in which the mark of a content's end has to be. */

#define ART_FIND_END  1024


typedef enum {
    ART_FIND_BY_LENGTH = 0,
    ART_FIND_BY_RIFF,
    ART_FIND_BY_PNG,
    ART_FIND_BY_JPEG,
    ART_FIND_BY_GIF,
    ART_FIND_BY_PDF
} art_find_ending_t;


static unsigned art_find_ends_in(const uint8_t *p, size_t len, unsigned last,
    const char *mark);
static unsigned art_find_is_canonical(const art_find_t *find, size_t drop);
static size_t art_find_bytes(const art_find_t *find, size_t drop,
    uint8_t *bytes);


unsigned
art_find_may_be(const uint8_t *p, size_t n)
{
    uint8_t              bytes[ART_FIND_SIGN / 4 * 3 + 3];
    art_base64_decode_t  st;

    if (p[0] == 'f' || p[0] == 'F' || p[0] == 't'
        || art_find_hint(p, 0, n < ART_FIND_HINT ? n : ART_FIND_HINT) != 0)
    {
        return 0;
    }

    if (n < ART_FIND_SIGN) {
        return 1;
    }

    memset(&st, 0, sizeof(st));
    n = art_base64_decode(&st, bytes, p, ART_FIND_SIGN);

    /* transport streams are only known by their second packet */

    return bytes[0] == 'G'
           || (art_signature_find(bytes, n, 0).sign & ART_SIGN_STRONG);
}


unsigned
art_find_sign(art_find_t *find, uint64_t count)
{
    size_t               i, n;
    uint8_t              bytes[ART_FIND_HEAD / 4 * 3 + 3];
    art_evidence_t       evidence;
    const art_media_t   *media;
    art_base64_decode_t  st;

    static const struct {
        const char         *mime;
        art_find_ending_t   ending;
    } endings[] = {
        { "image/png", ART_FIND_BY_PNG },
        { "image/jpeg", ART_FIND_BY_JPEG },
        { "image/gif", ART_FIND_BY_GIF },
        { "application/pdf", ART_FIND_BY_PDF }
    };

    n = count < ART_FIND_HEAD ? (size_t) count : ART_FIND_HEAD;

    memset(&st, 0, sizeof(st));
    n = art_base64_decode(&st, bytes, find->tail, n);
    n += art_base64_decode_end(&st, bytes + n);

    art_sniff(bytes, n, count < ART_FIND_HEAD, &evidence);

    if (evidence.media == 0 || !(evidence.sign & ART_SIGN_STRONG)) {
        return 0;
    }

    media = art_media_row(evidence.media - 1u);

    if (media->kind != ART_KIND_IMAGE && media->kind != ART_KIND_AUDIO
        && media->kind != ART_KIND_VIDEO
        && strcmp(media->mime, "application/pdf") != 0)
    {
        return 0;
    }

    find->mime = media->mime;
    find->pixels[0] = evidence.width;
    find->pixels[1] = evidence.height;
    find->ending = ART_FIND_BY_LENGTH;

    if (art_bytes_at(bytes, n, 0, "RIFF", 4)) {
        find->ending = ART_FIND_BY_RIFF;
        find->riff = art_bytes_get(bytes + 4, 4) + 8;
    }

    for (i = 0; i < art_nitems(endings); i++) {
        if (strcmp(media->mime, endings[i].mime) == 0) {
            find->ending = endings[i].ending;
        }
    }

    return 1;
}


unsigned
art_find_ends(const art_find_t *find, size_t drop, unsigned exactly)
{
    size_t          n, last;
    uint8_t         bytes[ART_FIND_TAIL * 2 / 4 * 3 + 3];
    uint64_t        size;
    const uint8_t  *p;

    n = art_find_bytes(find, drop, bytes);
    size = art_find_size(find->count - drop);

    p = n > ART_FIND_END ? bytes + n - ART_FIND_END : bytes;
    n -= (size_t) (p - bytes);

    for (last = n; last > 0 && (p[last - 1] == 0 || p[last - 1] == ' '
                                || (p[last - 1] >= '\t'
                                    && p[last - 1] <= '\r')); last--)
    {
        /* void */
    }

    switch (find->ending) {

    case ART_FIND_BY_PNG:
        return art_find_ends_in(p, last, exactly, "IEND\xae\x42\x60\x82");

    case ART_FIND_BY_JPEG:
        return art_find_ends_in(p, last, 1, "\xff\xd9");

    case ART_FIND_BY_GIF:
        return art_find_ends_in(p, last, 1, ";");

    case ART_FIND_BY_PDF:
        return art_find_ends_in(p, last, exactly, "%%EOF");

    case ART_FIND_BY_RIFF:

        if (find->riff > 8 && find->riff < (uint64_t) UINT32_MAX + 8) {
            return exactly ? size - find->riff <= (find->riff & 1)
                           : size >= find->riff;
        }

        /* its writer did not know the size */

        return !exactly && art_find_is_canonical(find, drop);

    default:
        return !exactly && art_find_is_canonical(find, drop);
    }
}


/* Whether the mark is the last of the bytes, or just among them. */

static unsigned
art_find_ends_in(const uint8_t *p, size_t len, unsigned last, const char *mark)
{
    size_t  n;

    n = strlen(mark);

    return last ? len >= n && memcmp(p + len - n, mark, n) == 0
                : art_bytes_find(p, len, mark) != NULL;
}


/* Whether the last group is whole, or without padding has no spare bits. */

static unsigned
art_find_is_canonical(const art_find_t *find, size_t drop)
{
    int       value;
    unsigned  rest;

    rest = (unsigned) (find->count - drop) & 3;

    if (rest == 0 || (drop == 0 && find->pads > 0)) {
        return rest == 0 || rest + find->pads == 4;
    }

    value = art_base64_value(find->tail[find->ntail - drop - 1]);

    return (value & (rest == 2 ? 0x0f : 0x03)) == 0;
}


/* Decodes the last characters that are kept. */

static size_t
art_find_bytes(const art_find_t *find, size_t drop, uint8_t *bytes)
{
    size_t               n, skip;
    art_base64_decode_t  st;

    /* a group begins where the characters before it are a multiple of four */

    skip = (size_t) (find->ntail - find->count) & 3;
    n = find->ntail - drop;

    if (n <= skip) {
        return 0;
    }

    memset(&st, 0, sizeof(st));
    n = art_base64_decode(&st, bytes, find->tail + skip, n - skip);

    return n + art_base64_decode_end(&st, bytes + n);
}


uint64_t
art_find_size(uint64_t count)
{
    return count / 4 * 3 + count % 4 * 3 / 4;
}
