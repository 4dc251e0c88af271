
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Random texts with markers and media, escaped and wrapped in any way, whole
 * and cut anywhere, must give what the naive finder finds.
 */


#include "core/media/find_run.h"
#include "simd_each.h"
#include "tap.h"


#define ROUNDS    1500
#define TEXT_MAX  65536


static uint8_t  text[TEXT_MAX];
static uint8_t  escaped[TEXT_MAX * 4];
static size_t   len;


static void
put(const void *p, size_t n)
{
    if (n <= TEXT_MAX - len) {
        memcpy(text + len, p, n);
        len += n;
    }
}


static void
put_str(const char *s)
{
    put(s, strlen(s));
}


#define any(list)  list[tap_below(nitems(list))]


static void
put_words(void)
{
    size_t  n;

    static const char  *words[] = {
        "a", "the ", "API", "AB-", "R0A", "/9j", "iV", "\\", "\"", "\n", "\t",
        "\r\n", " ", "/", "+", "-", "_", "=", "==", "data:", ";base64,", "[",
        "]", "[artifact:", "[artifact", "artifact:", "t:1", "\\u00",
        "\\u002f", "\\u0041", "\\n", "\xe4\xb8\xad", "Qk", "0A", ",", ";",
        "{\"image\":", "JVBERi0xLjQK", "iVBORw0KGgo", "AAAA", "u002f9j", "f9j"
    };

    for (n = tap_below(6); n > 0; n--) {
        put_str(any(words));
    }
}


static void
put_marker(void)
{
    size_t  i, n;
    char    id[64];

    static const char  *opens[] = { "[", "[", "[", "\\u005b", "\\u005B",
                                    "u005b", "\\[", "" };
    static const char  *closes[] = { "]", "]", "]", "\\u005d", "\\u005D",
                                     "u005d", "\\]", "\\\\\\]", "", "}" };

    n = tap_below(8) ? 36 : 30 + tap_below(8);

    for (i = 0; i < n; i++) {
        id[i] = i == 8 || i == 13 || i == 18 || i == 23
                ? '-' : "0123456789abcdefABCDEF"[tap_below(22)];
    }

    if (tap_below(8) == 0) {
        id[tap_below(n)] = "g-AiV/"[tap_below(6)];
    }

    put_str(any(opens));
    put_str("artifact:");
    put(id, n);
    put_str(any(closes));
}


/* The content of a run; returns its length. */

static size_t
content(uint8_t *p, size_t room)
{
    size_t  i, n, size, mark;

    static const struct {
        const char  *first;
        size_t       len;
        const char  *last;
    } kinds[] = {
        { "\x89PNG\r\n\x1a\n", 8, "IEND\xae" "B`\x82" },
        { "\xff\xd8\xff\xe0", 4, "\xff\xd9" },
        { "GIF89a\1", 7, "\0;" },
        { "RIFF....WEBPVP8 ", 16, "" },
        { "RIFF....WAVEfmt ", 16, "" },
        { "%PDF-1.4\n%\xe2\xe3\n", 12, "\n%%EOF" },
        { "\0\0\0\x20" "ftypisom", 12, "" },
        { "\0\0\0\x0cjP  \r\n\x87\n", 12, "" },
        { "\xff\x4f\xff\x51", 4, "" },
        { "OggS\0\2", 6, "" },
        { "PK\3\4", 4, "" },
        { "ID3\3", 4, "" },
        { "", 0, "" }
    };

    i = tap_below(3) ? tap_below(3) : tap_below(nitems(kinds));

    n = tap_below(8) ? 20 + tap_below(120) : tap_below(5) ? tap_below(900)
                                                          : tap_below(room);
    n = n < room - 64 ? n : room - 64;

    memcpy(p, kinds[i].first, kinds[i].len);
    size = kinds[i].len + n;

    for (n = kinds[i].len; n < size; n++) {
        p[n] = (uint8_t) (tap_below(4) ? tap_rand() : 0xff);
    }

    if (memcmp(p, "RIFF", 4) == 0 && size > 16) {
        (void) art_bytes_put(p + 4, tap_below(4) ? size - 8 + tap_below(3) - 1
                                    : tap_below(2) ? 0 : 0xffffffff, 4);
    }

    mark = i == 2 ? 2 : strlen(kinds[i].last);

    if (tap_below(6)) {
        memcpy(p + size, kinds[i].last, mark);
        size += mark;
    }

    for (n = tap_below(3) ? 0 : tap_below(5); n > 0; n--) {
        p[size++] = (uint8_t) "\n\0\r x"[tap_below(5)];
    }

    return size;
}


static void
put_run(void)
{
    int             safe, pads;
    size_t          i, n, size, width, line;
    const char     *eol;
    const uint8_t  *p;
    art_base64_t    base64;
    static uint8_t  bytes[8192], coded[ART_BASE64_LEN(8192)];

    static const char  *prefixes[] = {
        "", "", "", " ", "\"", "data:image/png;base64,", "data:;base64,",
        "DATA:image/svg+xml;x=%20;BASE64,", "data:a b;base64,", "AB-", "x/",
        "-", "_", "+", "/", "R0-", "A-iVB-", "iVBO_", "Akk/", "\\t", "\\u0022",
        "data:image\\/png;base64,", "=", "\xc3\xa9",
        "\\u00data:;base64,", "\\u000data:;base64,"
    };
    static const char  *ends[] = { "", "", " ", "\"", "=", "A", "-", "/", "\n",
                                   "\nThe end", "\r\n\r\n", "\\n", "..." };
    static const char  *eols[] = { "\n", "\r\n", "\n", "\r", "\\n", "\n\n" };

    size = content(bytes, sizeof(bytes));
    p = bytes;
    n = size;

    memset(&base64, 0, sizeof(base64));
    n = art_base64_update(&base64, coded, sizeof(coded), &p, &size);
    n += art_base64_final(&base64, coded + n, sizeof(coded) - n);

    safe = tap_below(3) == 0;
    pads = tap_below(4) > 0;

    while (n > 0 && !pads && coded[n - 1] == '=') {
        n--;
    }

    if (tap_below(6) == 0 && n > 0) {
        n -= tap_below(n < 9 ? n : 9);
    }

    for (i = 0; safe && i < n; i++) {
        coded[i] = coded[i] == '+' ? '-' : coded[i] == '/' ? '_' : coded[i];
    }

    if (tap_below(20) == 0 && n > 0) {
        coded[tap_below(n)] = (uint8_t) "-_+/=\n A"[tap_below(8)];
    }

    if (tap_below(20) == 0) {
        put_str("data:");

        for (i = 105 + tap_below(20); i > 0; i--) {
            put_str("x");
        }

        put_str(";base64,");

    } else {
        put_str(any(prefixes));
    }

    width = tap_below(2) ? n : 58 + tap_below(45);
    width = width > 0 ? width : 1;
    eol = any(eols);

    for (i = 0; i < n; i += line) {
        line = tap_below(40) ? width : width + tap_below(3) - 1;
        line = line < 1 ? 1 : line;
        line = line < n - i ? line : n - i;

        put(coded + i, line);

        if (i + line < n || (width < n && tap_below(2))) {
            put_str(eol);
        }
    }

    put_str(any(ends));
}


/* The text as a JSON string, in "escaped"; slashes are escaped at random. */

static void
escape(void)
{
    size_t    i, k, size;
    unsigned  slash, plus;

    slash = (unsigned) tap_below(4);
    plus = (unsigned) tap_below(6);
    size = 0;

    for (i = 0; i < len; i++) {
        const char  *unit = NULL;

        switch (text[i]) {
        case '\n': unit = plus == 1 ? "\\u000A" : "\\n"; break;
        case '\r': unit = plus == 1 ? "\\u000d" : "\\r"; break;
        case '\t': unit = "\\t"; break;
        case '"': unit = "\\\""; break;
        case '\\': unit = "\\\\"; break;
        case '/': unit = slash == 1 ? "\\/" : slash == 2 ? "\\u002F" : NULL;
                  break;
        case '+': unit = plus == 1 ? "\\u002b" : NULL; break;
        case '=': unit = plus == 1 ? "\\u003D" : NULL; break;
        case '[': unit = plus == 2 ? "\\u005b" : NULL; break;
        case ']': unit = plus == 2 ? "\\u005D" : NULL; break;
        default: break;
        }

        k = unit != NULL ? strlen(unit) : 1;
        memcpy(escaped + size, unit != NULL ? (const void *) unit : text + i,
               k);
        size += k;
    }

    if (size <= TEXT_MAX) {
        memcpy(text, escaped, size);
        len = size;
    }
}


static void
make(void)
{
    size_t  n;

    len = 0;

    for (n = 1 + tap_below(6); n > 0; n--) {
        put_words();

        if (tap_below(3)) {
            put_run();

        } else {
            put_marker();
        }
    }

    put_words();

    for (n = tap_below(4); n > 0; n--) {
        escape();
    }
}


static void
check(const char *impl)
{
    size_t       i, k, min, runs, markers, failed;
    naive_t      naive;
    const char  *fault;
    find_cuts_t  cuts;

    static const unsigned  flags[] = {
        ART_FIND_MARKERS | ART_FIND_RUNS,
        ART_FIND_MARKERS | ART_FIND_RUNS | ART_FIND_BEGINS,
        ART_FIND_MARKERS,
        ART_FIND_RUNS | ART_FIND_BEGINS
    };
    static const size_t  most[] = { 0, 1, 2, 7, 40, 300, 5000 };

    runs = 0;
    markers = 0;
    failed = 0;

    for (i = 0; i < ROUNDS && failed < 3; i++) {
        make();

        min = 24 + (tap_below(3) ? tap_below(40) : tap_below(700));
        naive_find(&naive, text, len, min);

        for (k = 0; k < naive.nfound; k++) {
            runs += naive.found[k].event == ART_FIND_RUN;
            markers += naive.found[k].event == ART_FIND_MARKER;
        }

        for (k = 0; k < nitems(most); k++) {
            cuts.seed = tap_rand();
            cuts.most = most[k];

            fault = find_run(&naive, any(flags), cuts);

            if (fault != NULL) {
                diag("round %zu, pieces of %zu, min %zu: %s", i, most[k], min,
                     fault);

                if (getenv("ART_SHOW") != NULL) {
                    diag("%.*s", (int) len, text);
                }

                failed++;
                break;
            }
        }

        naive_free(&naive);
    }

    ok(failed == 0, "%s: random texts, cut anywhere", impl);
    ok(runs > ROUNDS / 2 && markers > ROUNDS / 4,
       "%s: %zu runs and %zu markers were found", impl, runs, markers);
}


int
main(void)
{
    simd_each(check);

    return done();
}
