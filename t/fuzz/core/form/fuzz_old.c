
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target: core/form against the readers that it replaces.  The first
 * byte chooses what the rest is: a header's value, a query, or a form after a
 * line with its Content-Type.  Both must give the same, except where what came
 * is against the grammar ("odd").
 */


#include <stdio.h>
#include <stdlib.h>

#include "core/answer/art_headers.h"
#include "core/expand/art_expand_name.h"
#include "core/files/art_file_query.h"
#include "core/form/art_pair.h"
#include "core/media/art_media.h"
#include "old_form.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


/* Against RFC 9110, section 5.6.6; what the readers did differently. */

#define ODD_JUNK    1
#define ODD_SPACE   2        /* white space around "=" */
#define ODD_ESCAPE  4        /* a backslash in quotes */
#define ODD_TWICE   8        /* a name of which the readers take another one */


typedef struct {
    uint8_t  data[1 << 16];
    size_t   len;
} fuzz_log_t;


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static struct {
    size_t  files;
    size_t  named;
    size_t  charsets;
    size_t  queries;
    size_t  forms;
    size_t  parts;
    size_t  models;
    size_t  found;
    size_t  odd;
} fuzz_counts;


static void
fuzz_print(void)
{
    fprintf(stderr, "compared %zu dispositions (%zu with a name), %zu types, "
            "%zu queries, %zu forms (%zu of parts), %zu for a model (%zu "
            "found); odd %zu\n", fuzz_counts.files, fuzz_counts.named,
            fuzz_counts.charsets, fuzz_counts.queries, fuzz_counts.forms,
            fuzz_counts.parts, fuzz_counts.models, fuzz_counts.found,
            fuzz_counts.odd);
}


static uint8_t *
fuzz_copy(const uint8_t *p, size_t len)
{
    uint8_t  *copy;

    copy = malloc(len + (len == 0));
    check(copy != NULL);

    if (len > 0) {
        memcpy(copy, p, len);
    }

    return copy;
}


static int
fuzz_white(int c)
{
    return c == ' ' || c == '\t';
}


/* Written without the readers: a machine for the grammar. */

static unsigned
fuzz_odd(art_str_t v)
{
    size_t    i, k, start, n, names;
    unsigned  odd;
    art_str_t name, seen[64];

    odd = 0;
    names = 0;

    for (i = 0; i < v.len && v.data[i] != ';'; i++) {
        odd |= v.data[i] == '"' || v.data[i] == '=' ? ODD_JUNK : 0;
    }

    while (i < v.len) {

        for (i++; i < v.len && fuzz_white(v.data[i]); i++) { }

        if (i == v.len || v.data[i] == ';') {
            continue;
        }

        for (start = i; i < v.len && v.data[i] != '=' && v.data[i] != ';'; i++)
        {
            odd |= v.data[i] == '"' || v.data[i] == '\t' ? ODD_JUNK : 0;
        }

        n = i - start;

        if (i == v.len || v.data[i] == ';') {
            odd |= ODD_JUNK * (n > 0);
            continue;
        }

        if (n > 0 && v.data[i - 1] == ' ') {
            odd |= ODD_SPACE;
        }

        while (n > 0 && v.data[start + n - 1] == ' ') {
            n--;
        }

        name = art_str(v.data + start, n);

        for (k = 0; k < names; k++) {
            odd |= seen[k].len == n
                   && strncasecmp((const char *) seen[k].data,
                                  (const char *) name.data, n) == 0
                   ? ODD_TWICE : 0;
        }

        if (names == 64) {
            return ODD_JUNK;
        }

        seen[names++] = name;

        for (i++; i < v.len && fuzz_white(v.data[i]); i++) {
            odd |= v.data[i] == '\t' ? ODD_JUNK : ODD_SPACE;
        }

        if (i < v.len && v.data[i] == '"') {

            for (i++; i < v.len && v.data[i] != '"'; i++) {
                if (v.data[i] == '\\') {
                    odd |= ODD_ESCAPE;
                    i++;
                }
            }

            if (i >= v.len) {
                return odd | ODD_JUNK;
            }

            i++;

        } else {
            while (i < v.len && v.data[i] != ';' && !fuzz_white(v.data[i])) {
                odd |= v.data[i] == '"' ? ODD_JUNK : 0;
                i++;
            }
        }

        while (i < v.len && v.data[i] == ' ') {
            i++;
        }

        if (i < v.len && v.data[i] != ';') {
            return odd | ODD_JUNK;
        }
    }

    return odd;
}


static void
fuzz_header(art_str_t value)
{
    uint8_t          *copy, *a, *b;
    unsigned          odd;
    art_str_t         x, y;
    const uint8_t    *semicolon;
    art_media_type_t  type;

    copy = fuzz_copy(value.data, value.len);
    a = fuzz_copy(NULL, 0);
    free(a);
    a = malloc(value.len + (value.len == 0));
    b = malloc(value.len + (value.len == 0));
    check(a != NULL && b != NULL);

    value.data = copy;
    odd = fuzz_odd(value);
    fuzz_counts.odd += odd != 0;

    x = old_disposition_name(value, a);
    y = art_disposition_name(value, b);

    if (!(odd & ODD_JUNK)) {
        fuzz_counts.files++;
        fuzz_counts.named += x.len > 0;
        check(art_str_eq(x, y));
    }

    art_media_parse(value, &type);

    if (type.len > 0 && !(odd & (ODD_JUNK | ODD_SPACE))) {
        semicolon = memchr(value.data, ';', value.len);
        x = semicolon == NULL ? art_str(NULL, 0)
            : old_media_charset(art_str(semicolon, (size_t)
                                (value.data + value.len - semicolon)));
        fuzz_counts.charsets += x.len > 0;
        check(art_str_eq(x, type.charset));
    }

    free(copy);
    free(a);
    free(b);
}


static unsigned
old_download(art_str_t args)
{
    const uint8_t  *p, *last, *end;

    last = args.data + args.len;

    for (p = args.data; p < last; p = end + 1) {
        end = memchr(p, '&', (size_t) (last - p));
        end = end ? end : last;

        if (end - p >= 8 && memcmp(p, "download", 8) == 0
            && (p + 8 == end || p[8] == '='))
        {
            return 1;
        }
    }

    return 0;
}


static void
fuzz_query(art_str_t args)
{
    int                       rc;
    uint8_t                  *copy;
    art_str_t                 x, y;
    unsigned                  api;
    art_file_error_t          e, f;

    static art_file_query_t  a, b;

    copy = fuzz_copy(args.data, args.len);
    args.data = copy;
    fuzz_counts.queries++;

    x = old_url_argument(args, "exp");
    y = art_query_find(args, "exp");
    check(x.len == y.len && (x.data == NULL) == (y.data == NULL));
    check(x.data == y.data);

    check(old_download(args)
          == (art_query_find(args, "download").data != NULL));

    for (api = 0; api < 2; api++) {
        memset(&a, 0, sizeof(a));
        memset(&b, 0, sizeof(b));
        rc = old_file_query_parse(&a, (art_file_api_t) api, args, &e);
        check(art_file_query_parse(&b, (art_file_api_t) api, args, &f) == rc);

        check(e.reason == f.reason && art_str_eq(e.detail, f.detail));
        check((e.param == NULL) == (f.param == NULL)
              && (e.param == NULL || strcmp(e.param, f.param) == 0));

        if (rc == ART_OK) {
            check(art_str_eq(a.purpose, b.purpose)
                  && (a.purpose.data == NULL) == (b.purpose.data == NULL));
            a.purpose = b.purpose;
            check(memcmp(&a, &b, sizeof(a)) == 0);
        }
    }

    free(copy);
}


static int
fuzz_put(fuzz_log_t *log, art_str_t s, int c)
{
    if (log->len + s.len + 1 > sizeof(log->data)) {
        return ART_ERROR;
    }

    if (s.len > 0) {
        memcpy(log->data + log->len, s.data, s.len);
    }

    log->len += s.len;

    if (c) {
        log->data[log->len++] = (uint8_t) c;
    }

    return ART_OK;
}


/* How odd the headers of parts are, as the old reader meets them. */

static unsigned  fuzz_fields, fuzz_dispositions;

#define art_seen()
#define old_seen()  (fuzz_dispositions = 0)

#define sinks(who)                                                            \
                                                                              \
static int                                                                    \
who##_begin(void *data, const who##_multipart_part_t *part)                   \
{                                                                             \
    who##_seen();                                                             \
    (void) fuzz_put(data, part->name, part->filename.data ? '|' : '/');       \
    (void) fuzz_put(data, part->filename, '|');                               \
    return fuzz_put(data, part->type, ':');                                   \
}                                                                             \
                                                                              \
static int                                                                    \
who##_bytes(void *data, const uint8_t *p, size_t len)                         \
{                                                                             \
    return fuzz_put(data, art_str(p, len), 0);                                \
}                                                                             \
                                                                              \
static int                                                                    \
who##_end(void *data)                                                         \
{                                                                             \
    return fuzz_put(data, art_str(NULL, 0), ';');                             \
}                                                                             \
                                                                              \
static const who##_multipart_sink_t  who##_sink = {                           \
    who##_begin, who##_bytes, who##_end                                       \
};                                                                            \
                                                                              \
static int                                                                    \
who##_form(fuzz_log_t *log, art_str_t type, art_str_t body, size_t cut,       \
    size_t step)                                                              \
{                                                                             \
    int                       error;                                          \
    size_t                    n;                                              \
    uint8_t                  *copy;                                           \
    who##_multipart_t        *m;                                              \
                                                                              \
    m = malloc(sizeof(*m));                                                   \
    check(m != NULL);                                                         \
    log->len = 0;                                                             \
                                                                              \
    if (who##_multipart_init(m, type, &who##_sink, log) == ART_OK) {          \
        while (body.len > 0) {                                                \
            n = cut > 0 && cut < body.len ? cut : body.len;                   \
            cut = step;                                                       \
            copy = fuzz_copy(body.data, n);                                   \
            (void) who##_multipart_feed(m, copy, n);                          \
            free(copy);                                                       \
            body.data += n;                                                   \
            body.len -= n;                                                    \
        }                                                                     \
        (void) who##_multipart_end(m);                                        \
    }                                                                         \
                                                                              \
    error = (int) m->error;                                                   \
    free(m);                                                                  \
    return error;                                                             \
}                                                                             \
                                                                              \
static art_str_t                                                              \
who##_model(who##_name_t *name, art_str_t type, unsigned json,                \
    art_str_t body, size_t cut, size_t step)                                  \
{                                                                             \
    size_t    n;                                                              \
    uint8_t  *copy;                                                           \
                                                                              \
    if (who##_name_init(name, type, json) != ART_OK) {                        \
        check(who##_name_model(name).len == 0);                               \
    }                                                                         \
                                                                              \
    while (body.len > 0) {                                                    \
        n = cut > 0 && cut < body.len ? cut : body.len;                       \
        cut = step;                                                           \
        copy = fuzz_copy(body.data, n);                                       \
        who##_name_feed(name, copy, n);                                       \
        free(copy);                                                           \
        body.data += n;                                                       \
        body.len -= n;                                                        \
    }                                                                         \
                                                                              \
    return who##_name_model(name);                                            \
}


sinks(old)
sinks(art)


static void
old_note(art_str_t name, art_str_t value)
{
    size_t  i;

    for (i = 0; i < name.len; i++) {
        old_odd |= fuzz_white(name.data[i]) || name.data[i] == '\n'
                   || name.data[i] == '\r' ? ODD_JUNK : 0;
    }

    for (i = 0; i < value.len; i++) {
        old_odd |= value.data[i] == '\n' || value.data[i] == '\r'
                   ? ODD_JUNK : 0;
    }

    old_odd |= name.len + value.len > 240 ? ODD_JUNK : 0;

    if (art_str_is(name, "content-disposition")) {
        fuzz_fields |= fuzz_odd(value);
        fuzz_fields |= fuzz_dispositions++ ? ODD_TWICE : 0;
        old_odd |= memchr(value.data, '%', value.len) ? ODD_JUNK : 0;
    }
}


/* Delimiters that are not ones to the reader of multipart, and empty parts. */

static unsigned
fuzz_lookalikes(art_str_t body, art_str_t type)
{
    size_t           i, n;
    old_multipart_t *m;
    unsigned         odd;

    m = malloc(sizeof(*m));
    check(m != NULL);
    odd = 0;

    if (old_multipart_init(m, type, &old_sink, NULL) == ART_OK) {
        n = m->ndelimiter;

        for (i = 0; i + n - 2 < body.len; i++) {
            if (memcmp(body.data + i, m->delimiter + 2, n - 2) != 0) {
                continue;
            }

            odd |= i >= 4 && memcmp(body.data + i - 4, "\r\n\r\n", 4) == 0;
            odd |= !(memchr(" \t\r", body.data[i + n - 2], 3)
                     || (i + n - 1 < body.len
                         && memcmp(body.data + i + n - 2, "--", 2) == 0));
        }
    }

    free(m);

    return odd;
}


static void
fuzz_bodies(unsigned how, art_str_t text)
{
    int             error;
    size_t          cut, step;
    uint8_t        *copy;
    unsigned        odd;
    art_str_t       type, body, model;
    const uint8_t  *line;

    static fuzz_log_t  a, b;
    static old_name_t  x;
    static art_name_t  y;

    line = text.len > 0 ? memchr(text.data, '\n', text.len) : NULL;

    if (line == NULL) {
        return;
    }

    type.len = (size_t) (line - text.data);
    copy = fuzz_copy(text.data, type.len);
    type.data = copy;
    body = art_str(line + 1, text.len - type.len - 1);

    odd = fuzz_odd(type);
    odd |= odd & ODD_ESCAPE ? ODD_JUNK : 0;

    old_odd = 0;
    fuzz_fields = 0;
    fuzz_dispositions = 0;
    error = old_form(&a, type, body, 0, 0);

    if (!((odd | fuzz_fields) & (ODD_JUNK | ODD_TWICE))) {
        fuzz_counts.forms++;
        fuzz_counts.parts += a.len > 4;

        for (cut = 0; cut < body.len && cut < 600; cut++) {
            step = cut == 0 ? 1 + how % 7 : 0;
            check(art_form(&b, type, body, cut, step) == error);
            check(a.len == b.len
                  && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0));
        }
    }

    odd |= old_odd | fuzz_fields;

    if (odd == 0 && error == 0 && !fuzz_lookalikes(body, type)) {
        model = old_model(&x, type, 0, body, 0, 0);
        fuzz_counts.models++;
        fuzz_counts.found += model.len > 0;

        for (cut = 0; cut < body.len && cut < 600; cut++) {
            step = cut == 0 ? 1 + how % 7 : 0;
            check(art_str_eq(art_model(&y, type, 0, body, cut, step), model));
        }
    }

    model = old_model(&x, type, 1, body, 0, 0);
    check(art_str_eq(art_model(&y, type, 1, body, 1 + how % 9, 5), model));

    free(copy);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t           n;
    static unsigned  runs;

    if (runs++ == 0) {
        (void) atexit(fuzz_print);
    }

    if (size < 1 || size > 20000) {
        return 0;
    }

    /* whole, and cut at each of the last bytes */

    n = size > 300 ? size - 300 : 1;

    switch (data[0] % 3) {

    case 0:

        for ( /* void */ ; n <= size; n++) {
            fuzz_header(art_str(data + 1, n - 1));
        }

        break;

    case 1:

        n = size > 40 ? size - 40 : 1;

        for ( /* void */ ; n <= size; n++) {
            fuzz_query(art_str(data + 1, n - 1));
        }

        break;

    default:
        fuzz_bodies(data[0], art_str(data + 1, size - 1));
    }

    return 0;
}
