
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Text with faults, sniffed with each set of vector instructions: counted as
 * one would count byte by byte.
 */


#include "core/media/art_sniff.h"
#include "core/text/naive_utf8.h"
#include "simd_each.h"
#include "tap.h"
#include "core/text/utf8_random.h"
#include "exact.h"


#define TEXT_MAX  1000


/* What art_sniff() says of bytes without NULs and without a mark. */

static unsigned
naive_text(const uint8_t *p, size_t len, unsigned whole)
{
    int     n;
    size_t  i, control, invalid;

    control = 0;
    invalid = 0;

    for (i = 0; i < len; i += (size_t) n) {
        n = naive_char(p + i, len - i);

        if (n == 0) {
            invalid += whole;
            break;
        }

        if (n < 0) {
            n = -1 - n;
            invalid++;
            continue;
        }

        switch (p[i]) {

        case '\b':
        case '\t':
        case '\n':
        case '\v':
        case '\f':
        case '\r':
        case 0x1b:
            break;

        default:
            control += p[i] < 0x20 || p[i] == 0x7f;
        }
    }

    if (control > 0 && invalid > 0) {
        return ART_TEXT_MIXED;
    }

    if (control == 0 && invalid == 0) {
        return ART_TEXT_CLEAN;
    }

    if ((control + invalid) * 32 <= len) {
        return ART_TEXT_STRAY;
    }

    return control > 0 || invalid <= 4 ? ART_TEXT_LOOSE : ART_TEXT_FOREIGN;
}


/* Whether a line has control characters, or more bad bytes than damage. */

static unsigned
naive_bad_line(const uint8_t *p, size_t len)
{
    int     n;
    size_t  i, bad, good;

    bad = 0;
    good = 0;

    for (i = 0; i < len; i += (size_t) n) {

        if ((p[i] < 0x20 && strchr("\b\t\n\v\f\r\x1b", p[i]) == NULL)
            || p[i] == 0x7f)
        {
            return 1;
        }

        n = naive_char(p + i, len - i);

        if (n == 0) {
            break;
        }

        good += n > 2 ? 2 : n == 2;
        bad += n < 0;
        n = n < 0 ? -1 - n : n;
    }

    return bad > 0 && good <= 4 * bad;
}


/* Whether nine of ten lines can be read, which have most of the bytes. */

static unsigned
naive_lines(const uint8_t *p, size_t len)
{
    size_t  i, n, lines, bad, bytes;

    lines = 0;
    bad = 0;
    bytes = 0;

    for (i = 0; i < len; i += n) {
        for (n = 0; i + n < len && p[i + n] != '\n'; n++) {
            /* void */
        }

        n += i + n < len;
        lines++;

        if (naive_bad_line(p + i, n)) {
            bad++;
            bytes += n;
        }
    }

    return lines >= 10 && 10 * bad <= lines && 4 * bytes <= len;
}


/* Random lines, and in them some random control characters and bytes. */

static size_t
random_lines(uint8_t *text, size_t controls, size_t bytes)
{
    size_t  i, len;

    len = 4 + random_text(text + 4, tap_below(TEXT_MAX - 4));
    memcpy(text, "text", 4);

    for (i = 4; i < len; i++) {
        if (text[i] < 0x20 || text[i] == 0x7f) {
            text[i] = '\n';
        }
    }

    while (controls-- > 0 && len > 4) {
        i = 4 + tap_below(len - 4);

        if (text[i] < 0x80) {
            text[i] = tap_below(5) ? (uint8_t) (1 + tap_below(0x1f)) : 0x7f;
        }
    }

    while (bytes-- > 0 && len > 4) {
        text[4 + tap_below(len - 4)] = (uint8_t) (0x80 + tap_below(0x80));
    }

    return len;
}


static void
test_text(const char *what, size_t controls, size_t bytes)
{
    size_t          i, len;
    uint8_t        *p, text[TEXT_MAX];
    unsigned        failed, want, whole;
    art_evidence_t  evidence;

    failed = 0;

    for (i = 0; i < 1000 && failed < 5; i++) {
        len = random_lines(text, tap_below(controls + 1),
                           tap_below(bytes + 1));
        whole = tap_below(2) == 0;
        p = exact(text, len);

        art_sniff(p, len, whole, &evidence);
        want = naive_text(p, len, whole);

        if ((want == ART_TEXT_MIXED || want == ART_TEXT_FOREIGN)
            && naive_lines(p, len))
        {
            want = ART_TEXT_STRAY;
        }

        /* bad bytes alone may by chance be those of some charset */

        if (evidence.text == ART_TEXT_CODED) {
            evidence.text = (uint8_t) (want == ART_TEXT_STRAY
                                       || want == ART_TEXT_FOREIGN
                                       || want == ART_TEXT_LOOSE
                                       || want == ART_TEXT_MIXED
                                       ? want : ART_TEXT_CODED);
        }

        if (evidence.text != want) {
            diag("got %u, expected %u", (unsigned) evidence.text, want);
            diag_mem("for", p, len);
            failed++;
        }

        free(p);
    }

    ok(failed == 0, "%s", what);
}


static void
test_impl(const char *impl)
{
    (void) impl;

    test_text("clean text", 0, 0);
    test_text("control characters", 3, 0);
    test_text("ill-formed bytes", 0, 3);
    test_text("both", 2, 2);
    test_text("many of both", 60, 60);
}


int
main(void)
{
    simd_each(test_impl);

    return done();
}
