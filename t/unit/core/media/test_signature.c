
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Signatures that are more than fixed bytes: frames of MPEG audio, of every
 * rate, the header of a PDF, and where an OLE file has its directory.
 */


#include "core/media/art_signature.h"
#include "exact.h"
#include "tap.h"


#define ROOM  10000


/* What is found in bytes that are no text, "none" or a media type. */

static const char *
found(const uint8_t *p, size_t len)
{
    uint8_t          *copy;
    art_signature_t   signature;

    copy = exact(p, len);
    signature = art_signature_find(copy, len, 0);
    free(copy);

    return signature.mime != NULL ? signature.mime : "none";
}


/* ISO/IEC 11172-3, 2.4.2.3; 13818-3, 2.4.2.3: kbit/s, and 1/s */

static const unsigned  rates[3][14] = {
    { 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384 },
    { 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320 },
    { 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160 }
};

static const unsigned  hertz[3][3] = {
    { 44100, 48000, 32000 }, { 22050, 24000, 16000 }, { 11025, 12000, 8000 }
};


/* Four frames of one rate behind junk, the last of them "off" bytes away. */

static const char *
frames(unsigned version, unsigned layer, unsigned rate, unsigned speed,
    unsigned padding, size_t off)
{
    size_t          n, at;
    unsigned        i, kbits;
    static uint8_t  buf[ROOM];

    static const uint8_t  versions[] = { 0x18, 0x10, 0x00 };

    kbits = rates[version > 0 ? 2 : layer - 2][rate];
    n = (layer == 3 && version > 0 ? 72 : 144) * kbits * 1000
        / hertz[version][speed] + padding;

    memset(buf, 0, sizeof(buf));
    buf[2] = 0xff;

    for (i = 0; i < 4; i++) {
        at = 3 + i * n + (i == 3 ? off : 0);

        buf[at] = 0xff;
        buf[at + 1] = (uint8_t) (0xe1 | versions[version] | (4 - layer) << 1);
        buf[at + 2] = (uint8_t) ((rate + 1) << 4 | speed << 2 | padding << 1);
        buf[at + 3] = 0x04;
    }

    return found(buf, sizeof(buf));
}


static void
check_frames(void)
{
    unsigned  v, l, r, s, bad;

    bad = 0;

    for (v = 0; v < 3; v++) {
        for (l = 2; l <= 3; l++) {
            for (r = 0; r < 14; r++) {
                for (s = 0; s < 3; s++) {
                    bad += strcmp(frames(v, l, r, s, 0, 0), "audio/mpeg") != 0
                           || strcmp(frames(v, l, r, s, 1, 0), "audio/mpeg")
                              != 0
                           || strcmp(frames(v, l, r, s, 0, 1), "none") != 0;
                }
            }
        }
    }

    is_int(bad, 0, "frames of every rate, where they should be");
}


/* However few bytes are there: a header alone shows no frames. */

static void
check_header(void)
{
    size_t    i, len;
    uint8_t   buf[4096];
    unsigned  bad;

    static const char  *heads[] = {
        "\xff\xfb\x90\x01\x01\x01", "\xff\xf3\x40\xc4\x01\x01",
        "\xff\xf1\x50\x80\x02\x1f", "\xff\xf9\x53\xff\xff\xff",
        "\xff\xfb\x01\x01\x01\x01"
    };

    bad = 0;

    for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        memset(buf, 0, sizeof(buf));
        memcpy(buf, heads[i], 6);

        for (len = 0; len <= sizeof(buf); len += len < 64 ? 1 : 64) {
            bad += strcmp(found(buf, len), "none") != 0;
        }
    }

    is_int(bad, 0, "no frame follows a header, wherever its bytes end");
}


static void
check_pdf(void)
{
    size_t  i;

    static const struct {
        const char  *text;
        const char  *want;
    } cases[] = {
        { "%PDF-1.7\n\xff", "application/pdf" },
        { "%PDF-2.0", "application/pdf" },
        { "%PDF-9.9 \t\n", "application/pdf" },
        { "%PDF-0.9\n\xff", "none" },
        { "%PDF-:.0\n\xff", "none" },
        { "%PDF-1,7\n\xff", "none" },
        { "%PDF-1./\n\xff", "none" },
        { "%PDF-1.:\n\xff", "none" },
        { "%PDF-1.", "none" },
        { "%PDF-1.4 is", "none" },
        { "%PDF-1.4x", "none" }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        is_str(found((const uint8_t *) cases[i].text, strlen(cases[i].text)),
               cases[i].want, "a PDF, or none");
    }
}


/* [MS-CFB] 2.2: the size of a sector, and the directory's first one. */

static void
check_ole(void)
{
    size_t    i, n;
    uint8_t   head[512];
    uint64_t  offset;
    unsigned  is;

    static const struct {
        uint8_t   shift;
        uint8_t   sector;
        uint64_t  size;
        unsigned  want;
        uint64_t  offset;
        size_t    n;
    } cases[] = {
        { 9, 2, 9000, 1, 1536, 2048 },
        { 9, 0, 9000, 1, 512, 2048 },
        { 12, 0, 9000, 1, 4096, 2048 },
        { 12, 1, 9000, 1, 8192, 808 },
        { 12, 1, 8192, 0, 0, 0 },
        { 10, 2, 9000, 0, 0, 0 },
        { 0, 2, 9000, 0, 0, 0 }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memset(head, 0, sizeof(head));
        head[30] = cases[i].shift;
        head[48] = cases[i].sector;

        offset = 0;
        n = 2048;
        is = art_signature_locate(head, sizeof(head), cases[i].size,
                                  ART_FAMILY_OLE, &offset, &n);

        ok(is == cases[i].want
           && (!is || (offset == cases[i].offset && n == cases[i].n)),
           "a directory at %llu", (unsigned long long) cases[i].offset);
    }

    n = 2048;
    is_int(art_signature_locate(head, 51, 9000, ART_FAMILY_OLE, &offset, &n), 0,
           "a header that is cut off");
}


int
main(void)
{
    check_frames();
    check_header();
    check_pdf();
    check_ole();

    return done();
}
