
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Frames of MPEG audio (ISO/IEC 11172-3, 13818-3) and of AAC in ADTS (14496-3),
 * which have eleven bits for a signature: that they follow each other tells
 * more.
 */


#include "core/media/art_signature_refine.h"


#define ART_FRAMES_HEADER  4             /* bytes that tell a frame */
#define ART_FRAMES_LENGTH  6             /* and those of AAC its length */

/* How many there have to be at the very beginning, and behind other bytes. */

#define ART_FRAMES_FIRST   2
#define ART_FRAMES_LATER   4


static unsigned art_frames_follow(const uint8_t *p, size_t len,
    unsigned count, unsigned *aac);
static size_t art_frame_len(const uint8_t *p, size_t len, unsigned *aac);
static size_t art_frame_mpeg(const uint8_t *p);


art_signature_t
art_signature_frames(const uint8_t *p, size_t len)
{
    unsigned         aac, count;
    art_signature_t  found;
    const uint8_t   *end, *sync;

    found.mime = NULL;
    found.sign = 0;

    if (len >= ART_FRAMES_HEADER && art_frame_len(p, len, &aac) != 0) {
        found.mime = aac ? "audio/aac" : "audio/mpeg";
        found.sign = ART_SIGN_GUESS;
    }

    /* the next one may stand behind what was looked at */

    count = ART_FRAMES_FIRST;
    end = p + len;

    for (sync = p; end - sync >= ART_FRAMES_HEADER; sync++) {

        if (art_frames_follow(sync, (size_t) (end - sync), count, &aac)) {
            found.mime = aac ? "audio/aac" : "audio/mpeg";
            found.sign = 0;
            return found;
        }

        count = ART_FRAMES_LATER;
        sync = memchr(sync + 1, 0xff, (size_t) (end - sync - 1));

        if (sync == NULL) {
            break;
        }

        sync--;
    }

    return found;
}


/* Whether frames of one kind follow each other, as far as they can be seen. */

static unsigned
art_frames_follow(const uint8_t *p, size_t len, unsigned count, unsigned *aac)
{
    size_t    n;
    unsigned  i, other;

    n = art_frame_len(p, len, aac);

    for (i = 1; n > 0 && i < count; i++) {

        if (n > len - ART_FRAMES_HEADER) {
            return count == ART_FRAMES_FIRST;
        }

        p += n;
        len -= n;
        n = art_frame_len(p, len, &other);

        if (other != *aac) {
            return 0;
        }
    }

    return n > 0;
}


/* The length of the frame that begins there, 0 if none does. */

static size_t
art_frame_len(const uint8_t *p, size_t len, unsigned *aac)
{
    size_t  n;

    *aac = p[0] == 0xff && (p[1] & 0xf6) == 0xf0;

    if (!*aac) {
        return art_frame_mpeg(p);
    }

    if (len < ART_FRAMES_LENGTH) {
        return SIZE_MAX / 2;
    }

    n = ((size_t) p[3] & 0x03) << 11 | (size_t) p[4] << 3 | p[5] >> 5;

    return n < 7 ? 0 : n;
}


static size_t
art_frame_mpeg(const uint8_t *p)
{
    size_t    kbits, rate, samples;
    unsigned  version, layer;

    /* kbit/s: MPEG-1 layers II, III; MPEG-2 */

    static const uint16_t  rates[3][15] = {
        { 0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384 },
        { 0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320 },
        { 0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160 }
    };

    static const uint16_t  hertz[3] = { 44100, 48000, 32000 };

    layer = 4u - (p[1] >> 1 & 3);
    version = p[1] >> 3 & 3;             /* 3: MPEG-1, 2: MPEG-2, 0: 2.5 */

    /* layer I, which nobody writes, would be the mark of UTF-16 */

    if (p[0] != 0xff || (p[1] & 0xe0) != 0xe0 || version == 1
        || (layer != 2 && layer != 3) || (p[2] & 0xf0) == 0xf0
        || (p[2] & 0x0c) == 0x0c)
    {
        return 0;
    }

    rate = hertz[p[2] >> 2 & 3];
    rate = version == 3 ? rate : version == 2 ? rate / 2 : rate / 4;
    kbits = rates[version == 3 ? layer - 2 : 2][p[2] >> 4];

    if (kbits == 0) {

        /* "free": nothing tells the length */

        return SIZE_MAX / 2;
    }

    samples = layer == 3 && version != 3 ? 576 : 1152;

    return samples / 8 * kbits * 1000 / rate + (p[2] >> 1 & 1);
}
