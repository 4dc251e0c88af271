
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Classifies and reads texts in other charsets as the module does with files,
 * for bench/charsets.pl.  A text on standard input is a line with its charset,
 * its file name and its length, and its bytes in UTF-8, which are converted
 * here.  The answer is a line: "ok", "wrong" (read as other characters),
 * "damaged" (with U+FFFD), "binary", or "skip" for a text that its charset does
 * not have; and the charset that was taken.
 */


#include <stdio.h>

#include "core/media/art_classify.h"
#include "core/text/art_charset.h"
#include "core/json/art_json_text.h"


#define CHARSETS_MAX  (1 << 20)


static uint8_t  charsets_text[CHARSETS_MAX];     /* UTF-8 */
static uint8_t  charsets_bytes[CHARSETS_MAX];    /* in the charset */
static uint8_t  charsets_read[3 * CHARSETS_MAX];


/* Returns how many bytes the text has in its charset; 0 if it has none. */

static size_t
charsets_encode(const char *charset, size_t len)
{
    char     *in, *out;
    size_t    left, room;
    iconv_t   cd;

    cd = iconv_open(charset, "UTF-8");

    if (cd == (iconv_t) -1) {
        return 0;
    }

    in = (char *) charsets_text;
    left = len;
    out = (char *) charsets_bytes;
    room = sizeof(charsets_bytes);

    if (iconv(cd, &in, &left, &out, &room) != 0 || left > 0
        || iconv(cd, NULL, NULL, &out, &room) != 0)
    {
        room = sizeof(charsets_bytes);
    }

    (void) iconv_close(cd);

    return sizeof(charsets_bytes) - room;
}


/* The verdict on a file of these bytes. */

static void
charsets_classify(const char *name, size_t len, art_verdict_t *verdict)
{
    size_t          head;
    unsigned        i, n;
    art_claims_t    claims;
    art_sample_t    samples[ART_SNIFF_SAMPLES];
    art_evidence_t  evidence;

    head = len < ART_SNIFF_MAX ? len : ART_SNIFF_MAX;

    art_sniff(charsets_bytes, head, head == len, &evidence);

    n = art_sniff_samples(charsets_bytes, head, len, &evidence, samples);

    for (i = 0; i < n; i++) {
        art_sniff_sample(charsets_bytes + samples[i].offset, samples[i].len,
                         samples[i].offset + samples[i].len == len,
                         &evidence);
    }

    memset(&claims, 0, sizeof(claims));
    claims.names[0] = art_cstr(name);

    (void) art_classify(&claims, &evidence, verdict);
}


static size_t
charsets_convert(const art_verdict_t *verdict, size_t len)
{
    size_t           n, total;
    const uint8_t   *p;
    art_json_text_t  text;

    art_json_text_init(&text, verdict->charset, 0, 0);

    if (verdict->lines) {
        art_json_text_lines(&text);
    }

    p = charsets_bytes;
    total = 0;

    do {
        n = art_json_text_update(&text, charsets_read + total,
                                 sizeof(charsets_read) - total, &p, &len, 1);
        if (n == ART_JSON_TEXT_ERROR) {
            break;
        }

        total += n;

    } while (n > 0);

    art_json_text_done(&text);

    return total;
}


static const char *
charsets_outcome(const art_verdict_t *verdict, size_t len, size_t bytes)
{
    size_t  n, i;

    if (verdict->kind != ART_KIND_TEXT) {
        return "binary";
    }

    n = charsets_convert(verdict, bytes);

    if (n == len && memcmp(charsets_read, charsets_text, n) == 0) {
        return "ok";
    }

    for (i = 0; i + 3 <= n; i++) {
        if (memcmp(charsets_read + i, "\xef\xbf\xbd", 3) == 0) {
            return "damaged";
        }
    }

    return "wrong";
}


int
main(void)
{
    char           charset[64], name[64];
    size_t         len, bytes;
    art_verdict_t  verdict;

    while (scanf("%63s %63s %zu", charset, name, &len) == 3
           && getchar() == '\n' && len <= CHARSETS_MAX
           && fread(charsets_text, 1, len, stdin) == len)
    {
        bytes = charsets_encode(charset, len);

        if (bytes == 0) {
            printf("skip -\n");
            continue;
        }

        charsets_classify(name, bytes, &verdict);

        printf("%s %s\n", charsets_outcome(&verdict, len, bytes),
               verdict.charset != NULL ? verdict.charset : "UTF-8");
    }

    return 0;
}
