
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "form_feed.h"
#include "tap.h"


#define TYPE  "multipart/form-data; boundary=b"
#define FILE_HEAD                                                             \
    "Content-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"

#define ROUNDS  300


/* What is read of bodies, and why others are not: "[name|file name:bytes]". */

static const struct {
    const char             *name;
    const char             *body;
    art_multipart_error_t   error;
    const char             *log;
} bodies[] = {
    { "a file",
      "--b\r\n" FILE_HEAD "text\r\n--b--\r\n", 0, "[file|a:text]" },
    { "no CRLF at the end",
      "--b\r\n" FILE_HEAD "text\r\n--b--", 0, "[file|a:text]" },
    { "preamble and epilogue",
      "pre--b\r\n--bx\r\n--b\r\n" FILE_HEAD "\r\n\r\n--b--x\r\n--b\r\n", 0,
      "[file|a:\r\n]" },
    { "white space after delimiters",
      "--b \t \r\n" FILE_HEAD "text\r\n--b\t\r\n" FILE_HEAD "\r\n--b-- \t\r\n",
      0, "[file|a:text][file|a:]" },
    { "an empty part that shares its empty line",
      "--b\r\n" FILE_HEAD "--b\r\n" FILE_HEAD "--b--", 0,
      "[file|a:][file|a:]" },
    { "no parts", "--b--\r\n", 0, "" },
    { "lines that begin like a delimiter",
      "--b\r\n" FILE_HEAD "\r\n--bc\r\n--b-\r\n--b-x\r\r\n\n--b\r\n-\r\n--b--",
      0, "[file|a:\r\n--bc\r\n--b-\r\n--b-x\r\r\n\n--b\r\n-]" },
    { "fields besides a file",
      "--b\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nvision"
      "\r\n--b\r\ncontent-type:image/png\r\nCONTENT-DISPOSITION: form-data; "
      "filename=x.png;name=file\r\n\r\n\x89PNG\r\n--b--\r\n", 0,
      "[purpose:vision][file|x.png|image/png:\x89PNG]" },
    { "a header in several lines",
      "--b\r\nContent-Disposition: form-data;\r\n name=\"file\";\r\n\tfilename="
      "\"a b\"\r\n\r\nx\r\n--b--", 0, "[file|a b:x]" },
    { "%22 and raw UTF-8",
      "--b\r\nContent-Disposition: form-data; name=\"f%22\"; filename="
      "\"\xe5\x90\x8d%22;%0D%0a 100%25 %5c.txt\"\r\n\r\n\r\n--b--", 0,
      "[f\"|\xe5\x90\x8d\";\r\n 100%25 \\.txt:]" },
    { "backslashes",
      "--b\r\nContent-Disposition: form-data; name=\"file\"; filename="
      "\"C:\\dir\\a \\\"q\\\" \\\\\"\r\n\r\n\r\n--b--", 0,
      "[file|C:\\dir\\a \"q\" \\:]" },
    { "filename* before filename",
      "--b\r\nContent-Disposition: form-data; name=file; filename*=UTF-8''%e5"
      "%90%8d%22; filename=\"x\"\r\n\r\n\r\n--b--", 0,
      "[file|\xe5\x90\x8d\":]" },
    { "filename* after filename",
      "--b\r\nContent-Disposition: form-data; name=file; filename=x; filename*="
      "utf-8'en'y%20z\r\n\r\n\r\n--b--", 0, "[file|y z:]" },
    { "filename* in an unknown charset",
      "--b\r\nContent-Disposition: form-data; name=file; filename*=latin1''y; "
      "filename=\"x\"\r\n\r\n\r\n--b--", 0, "[file|x:]" },
    { "an empty file name",
      "--b\r\nContent-Disposition: form-data; name=file; filename=\"\"\r\n\r\n"
      "\r\n--b--", 0, "[file|:]" },
    { "an identity encoding",
      "--b\r\nContent-Transfer-Encoding: Binary\r\n" FILE_HEAD "x\r\n--b--", 0,
      "[file|a:x]" },

    { "nothing", "", ART_MULTIPART_UNFINISHED, "" },
    { "a missing end",
      "--b\r\n" FILE_HEAD "text\r\n--b\r\n", ART_MULTIPART_UNFINISHED,
      "[file|a:text]" },
    { "half an end",
      "--b\r\n" FILE_HEAD "text\r\n--b-", ART_MULTIPART_UNFINISHED,
      "[file|a:text" },
    { "line feeds only",
      "--b\n" FILE_HEAD "text\n--b--\n", ART_MULTIPART_UNFINISHED, "" },
    { "another boundary",
      "--c\r\n" FILE_HEAD "text\r\n--c--\r\n", ART_MULTIPART_UNFINISHED, "" },
    { "a delimiter with more on its line",
      "--b x\r\n" FILE_HEAD "\r\n--b--", ART_MULTIPART_MALFORMED, "" },
    { "a CR without an LF",
      "--b\r\r\n" FILE_HEAD "\r\n--b--", ART_MULTIPART_MALFORMED, "" },
    { "no header", "--b\r\n\r\nx\r\n--b--", ART_MULTIPART_MALFORMED, "" },
    { "a line without a colon",
      "--b\r\nfoo\r\n" FILE_HEAD "x\r\n--b--", ART_MULTIPART_MALFORMED, "" },
    { "no name",
      "--b\r\nContent-Disposition: form-data; filename=a\r\n\r\nx\r\n--b--",
      ART_MULTIPART_MALFORMED, "" },
    { "no form-data",
      "--b\r\nContent-Disposition: attachment; name=file\r\n\r\nx\r\n--b--",
      ART_MULTIPART_MALFORMED, "" },
    { "base64",
      "--b\r\nContent-Transfer-Encoding: base64\r\n" FILE_HEAD "eA==\r\n--b--",
      ART_MULTIPART_ENCODED, "" }
};


static const struct {
    const char  *type;
    const char  *delimiter;      /* NULL: refused */
} types[] = {
    { "multipart/form-data; boundary=abc", "\r\n--abc" },
    { "Multipart/Form-Data;Boundary=\"a b:c\"", "\r\n--a b:c" },
    { "multipart/form-data; charset=utf-8; boundary=----WebKitFormBoundaryX",
      "\r\n------WebKitFormBoundaryX" },
    { "multipart/form-data; boundary=\"a\\\"b\"", "\r\n--a\"b" },
    { "multipart/form-data; boundary=a%22; boundary=b", "\r\n--a%22" },
    { "multipart/form-data; boundary=123456789012345678901234567890123456789012"
      "3456789012345678901234567890", "\r\n--1234567890123456789012345678901234"
      "567890123456789012345678901234567890" },
    { "multipart/form-data; boundary=123456789012345678901234567890123456789012"
      "34567890123456789012345678901", NULL },
    { "multipart/form-data", NULL },
    { "multipart/form-data; boundary=", NULL },
    { "multipart/form-data; boundary=\"\"", NULL },
    { "multipart/form-data; boundary=\"a \"", NULL },
    { "multipart/form-data; boundary=\"a\tb\"", NULL },
    { "multipart/form-data; boundary=\xc3\xa4", NULL },
    { "multipart/mixed; boundary=b", NULL },
    { "application/json", NULL },
    { "", NULL }
};


static void
check_types(void)
{
    size_t   i;
    form_t  *f;

    f = must(malloc(sizeof(form_t)));

    for (i = 0; i < nitems(types); i++) {
        (void) form_feed(f, types[i].type, NULL, 0, 0, 0, NULL);

        if (types[i].delimiter == NULL) {
            is_int(f->m.error, ART_MULTIPART_NO_BOUNDARY, types[i].type);

        } else {
            is_mem(f->m.delimiter, f->m.ndelimiter, types[i].delimiter,
                   strlen(types[i].delimiter), types[i].type);
        }
    }

    free(f);
}


/* Reads it as a whole, byte by byte, and cut at each byte. */

static void
check_bodies(void)
{
    size_t                 i, cut, len, wrong;
    form_t                *f;
    const char            *body, *log;
    art_multipart_error_t  error;

    f = must(malloc(sizeof(form_t)));

    for (i = 0; i < nitems(bodies); i++) {
        wrong = 0;
        body = bodies[i].body;
        log = bodies[i].log;
        len = strlen(body);

        for (cut = 0; cut <= len; cut++) {
            error = form_feed(f, TYPE, (const uint8_t *) body, len,
                              cut == len, cut, tap_below);

            wrong += error != bodies[i].error || f->bad > 0
                     || f->len != strlen(log)
                     || (f->len > 0 && memcmp(f->log, log, f->len) != 0);

            if (wrong == 1) {
                diag("error %d, cut at %zu", (int) error, cut);
                diag_mem("got", f->log, f->len);
                wrong++;
            }

            free(f->log);
        }

        is_int((long long) wrong, 0, bodies[i].name);
    }

    free(f);
}


/*
 * A content of pieces of delimiters, which must not have a whole one, and the
 * CRLF before it.
 */

static size_t
random_content(uint8_t *p)
{
    size_t       n, i;
    const char  *s;

    static const char *const  pieces[] = {
        "\r", "\n", "\r\n", "-", "\r\n-", "\r\n--", "\r\n--b", "\r\n--bb",
        "b", "\r\n--bbx", "\r\n--bb-", "\r\n--bb\n", "--bb", "text", "\t"
    };

    memcpy(p, "\r\n", 2);
    n = 2;

    for (i = tap_below(12); i > 0; i--) {
        s = pieces[tap_below(nitems(pieces))];
        memcpy(p + n, s, strlen(s));
        n += strlen(s);
    }

    p[n] = 'x';    /* what would make a delimiter of a piece's end */

    return n + 1;
}


static int
has_delimiter(const uint8_t *p, size_t len)
{
    size_t  i;

    for (i = 0; i + 7 <= len; i++) {
        if (memcmp(p + i, "\r\n--bb", 6) == 0
            && (memchr(" \t\r", p[i + 6], 3) != NULL
                || (i + 8 <= len && memcmp(p + i + 6, "--", 2) == 0)))
        {
            return 1;
        }
    }

    return 0;
}


/* The parts that are written are read, however the body is cut. */

static void
check_random(void)
{
    size_t    n, len, want, round, part, cut, wrong, early;
    form_t   *f;
    uint8_t   body[4096], log[4096], content[256];

    wrong = 0;
    early = 0;
    f = must(malloc(sizeof(form_t)));

    for (round = 0; round < ROUNDS; round++) {
        len = 0;
        want = 0;

        for (part = tap_below(4); part > 0; part--) {

            do {
                n = random_content(content);
            } while (has_delimiter(content, n));

            len += (size_t) sprintf((char *) body + len, "\r\n--bb%s\r\n%s",
                                    tap_below(2) ? " " : "", FILE_HEAD);
            memcpy(body + len, content + 2, n - 2);
            len += n - 2;

            want += (size_t) sprintf((char *) log + want, "[file|a:");
            memcpy(log + want, content + 2, n - 2);
            want += n - 2;
            log[want++] = ']';
        }

        len += (size_t) sprintf((char *) body + len, "\r\n--bb--");

        for (cut = 0; cut < len; cut++) {
            wrong += form_feed(f, TYPE "b", body, len,
                               tap_below(3) ? 0 : 1 + tap_below(9), cut,
                               tap_below) != ART_MULTIPART_SOUND
                     || f->bad > 0 || f->len != want
                     || (want > 0 && memcmp(f->log, log, want) != 0);
            free(f->log);

            early += form_feed(f, TYPE "b", body, cut, 0, cut / 2, tap_below)
                     != ART_MULTIPART_UNFINISHED;
            free(f->log);
        }
    }

    is_int((long long) wrong, 0, "random forms, cut at each byte");
    is_int((long long) early, 0, "none is whole before its end");

    free(f);
}


/* The limits: just within them and one beyond. */

static void
check_limits(void)
{
    size_t    i, n, len;
    form_t   *f;
    uint8_t  *body;

    f = must(malloc(sizeof(form_t)));
    body = must(malloc(3 * ART_MULTIPART_HEADER));

    for (n = ART_MULTIPART_PARTS; n <= ART_MULTIPART_PARTS + 1; n++) {
        len = 0;

        for (i = 0; i < n; i++) {
            len += (size_t) sprintf((char *) body + len, "--b\r\n%s\r\n",
                                    FILE_HEAD);
        }

        len += (size_t) sprintf((char *) body + len, "--b--");

        is_int(form_feed(f, TYPE, body, len, 0, 0, tap_below),
               n > ART_MULTIPART_PARTS ? ART_MULTIPART_MANY
                                       : ART_MULTIPART_SOUND,
               "number of parts");
        free(f->log);
    }

    for (n = 0; n <= 1; n++) {
        len = (size_t) sprintf((char *) body, "--b\r\nX: ");
        i = ART_MULTIPART_HEADER - 5 - strlen(FILE_HEAD) + n;
        memset(body + len, 'x', i);
        len += i;
        len += (size_t) sprintf((char *) body + len, "\r\n%s\r\n--b--",
                                FILE_HEAD);

        is_int(form_feed(f, TYPE, body, len, 7, 0, tap_below),
               n > 0 ? ART_MULTIPART_LONG : ART_MULTIPART_SOUND,
               "length of a header");
        free(f->log);
    }

    free(body);
    free(f);
}


static int
fail_bytes(void *data, const uint8_t *p, size_t len)
{
    (void) data;
    (void) p;
    (void) len;

    return ART_ERROR;
}


static void
check_sink(void)
{
    form_t                *f;
    art_multipart_sink_t   sink;

    static const uint8_t  body[] = "--b\r\n" FILE_HEAD "x\r\n--b--";

    f = must(calloc(1, sizeof(form_t)));
    sink = form_sink;
    sink.bytes = fail_bytes;

    ok(art_multipart_init(&f->m, art_cstr(TYPE), &sink, f) == ART_OK
       && art_multipart_feed(&f->m, body, sizeof(body) - 1) == ART_ERROR
       && f->m.error == ART_MULTIPART_SINK
       && art_multipart_feed(&f->m, body, 1) == ART_ERROR
       && art_multipart_end(&f->m) == ART_ERROR
       && f->m.error == ART_MULTIPART_SINK, "a sink that fails");

    free(f->log);
    free(f);
}


int
main(void)
{
    check_types();
    check_bodies();
    check_random();
    check_limits();
    check_sink();

    return done();
}
