
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  Up to the first line feed the input is the headers, each
 * ended by a bar: revision, method, name; the rest is a message.  What becomes
 * of it does not depend on pieces, and answers are JSON.  What is no message is
 * also tried as a URI and as a cursor.
 */


#include <stdlib.h>
#include <string.h>

#include "core/json/art_json_scan.h"
#include "core/mcp/art_mcp_answer.h"
#include "core/mcp/art_mcp_cursor.h"
#include "core/mcp/art_mcp_uri.h"
#include "core/text/art_utf8.h"


#define FUZZ_HAS  (ART_MCP_WRITES|ART_MCP_SIGNS)

#define check(cond)  do { if (!(cond)) { abort(); } } while (0)

#define FUZZ_MAX   60000
#define FUZZ_ROOM  65536


typedef struct {
    size_t             used;
    uint8_t            room[FUZZ_ROOM];
    size_t             content[ART_MCP_ARGS];
    unsigned           ends;
    int                rc;
    art_mcp_request_t  m;
    art_mcp_error_t    error;
} fuzz_run_t;


static fuzz_run_t  fuzz_whole, fuzz_pieces;


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void *
fuzz_alloc(void *data, size_t size)
{
    fuzz_run_t  *run;

    run = data;
    check(size > 0 && size <= sizeof(run->room) - run->used);

    run->used += size;

    return run->room + run->used - size;
}


static int
fuzz_sink(void *data, unsigned argument, const uint8_t *p, size_t n,
    unsigned last)
{
    fuzz_run_t  *run;

    run = data;

    check(argument < ART_MCP_ARGS
          && art_mcp_args[argument].type == ART_MCP_STREAM
          && last == (p == NULL));

    run->content[argument] += n;
    run->ends += last;

    return ART_OK;
}


static void
fuzz_feed(fuzz_run_t *run, const uint8_t *p, size_t len, size_t piece,
    const art_mcp_headers_t *headers)
{
    int          rc;
    size_t       n;
    uint8_t     *copy;
    art_pool_t   pool;

    memset(run, 0, sizeof(*run));

    pool.alloc = fuzz_alloc;
    pool.data = run;

    art_mcp_init(&run->m, &pool, fuzz_sink, run);

    for (rc = ART_OK; rc == ART_OK && len > 0; p += n, len -= n) {
        n = piece < len ? piece : len;

        copy = malloc(n);
        check(copy != NULL);
        memcpy(copy, p, n);

        rc = art_mcp_feed(&run->m, copy, n);
        free(copy);
    }

    (void) art_mcp_end(&run->m);

    check(!art_mcp_failed(&run->m));

    run->rc = art_mcp_check(&run->m, headers, FUZZ_HAS, &run->error);
}


static void
fuzz_same(void)
{
    unsigned                i;
    const art_mcp_value_t  *a, *b;

    check(fuzz_whole.rc == fuzz_pieces.rc
          && art_str_eq(fuzz_whole.m.id, fuzz_pieces.m.id));

    if (fuzz_whole.rc != ART_OK) {
        check(fuzz_whole.error.code == fuzz_pieces.error.code
              && fuzz_whole.error.status == fuzz_pieces.error.status
              && art_str_eq(fuzz_whole.error.detail,
                            fuzz_pieces.error.detail));
        return;
    }

    check(fuzz_whole.m.method == fuzz_pieces.m.method
          && fuzz_whole.m.tool == fuzz_pieces.m.tool
          && fuzz_whole.ends == fuzz_pieces.ends
          && art_str_eq(fuzz_whole.m.uri, fuzz_pieces.m.uri));

    for (i = 0; i < ART_MCP_ARGS; i++) {
        a = &fuzz_whole.m.args[i];
        b = &fuzz_pieces.m.args[i];

        check(a->given == b->given && a->cut == b->cut && a->len == b->len
              && a->number == b->number && art_str_eq(a->text, b->text)
              && fuzz_whole.content[i] == fuzz_pieces.content[i]);
    }
}


/* What is wrong with arguments, in words; none of it is a marker. */

static void
fuzz_refuse(fuzz_run_t *run, art_lang_t lang)
{
    int        rc;
    size_t     i;
    uint8_t   *text;
    art_out_t  out;

    if (run->rc != ART_OK || run->m.notification
        || run->m.method != ART_MCP_TOOLS_CALL)
    {
        return;
    }

    out = art_out(NULL, 0);
    rc = art_mcp_refusal(&run->m, &out, lang);
    check(rc == (out.len > 0));

    text = malloc(out.len + 1);
    check(text != NULL);

    out = art_out(text, out.len);
    (void) art_mcp_refusal(&run->m, &out, lang);
    check(art_utf8_valid(text, out.len));

    for (i = 0; i + 9 <= out.len; i++) {
        check(memcmp(text + i, "[artifact", 9) != 0);
    }

    free(text);
}


static void
fuzz_print(fuzz_run_t *run, art_lang_t lang)
{
    uint8_t    *text, members[16384];
    art_out_t   out, list;

    list = art_out(members, sizeof(members));
    art_mcp_print_members(&list, run->m.method, FUZZ_HAS, lang);

    out = art_out(NULL, 0);

    do {
        if (run->rc != ART_OK) {
            art_mcp_print_error(&out, &run->m, &run->error);

        } else if (run->m.notification
                   || art_mcp_print_answer(&out, &run->m,
                                           art_str(members, list.len), lang)
                      != ART_OK)
        {
            return;
        }
    } while (art_out_again(&out, NULL));

    text = out.data;
    check(text != NULL && art_json_valid(text, out.len));
    free(text);
}


static void
fuzz_refs(const uint8_t *data, size_t size)
{
    uint8_t             *buf;
    art_ref_t            ref;
    art_out_t            out;
    art_mcp_listing_t    listing;
    art_mcp_position_t   position;

    memset(&listing, 0, sizeof(listing));

    buf = malloc(ART_MCP_URI_ROOM(size));
    check(buf != NULL);

    (void) art_mcp_ref_parse(art_str(data, size), buf, &ref);

    if (art_mcp_uri_parse(art_str(data, size), buf, &ref) == ART_ID_OK) {
        out = art_out(NULL, 0);
        art_mcp_uri_print(&out, ref.id);
        check(out.len > 0);
    }

    free(buf);

    buf = malloc(ART_MCP_CURSOR_ROOM(size));
    check(buf != NULL);

    check(art_mcp_cursor_parse(art_str(data, size), buf, &listing, &position)
          != ART_OK || size >= 16);

    free(buf);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned            i;
    art_str_t          *header;
    const uint8_t      *p, *end, *bar;
    art_mcp_headers_t   headers;

    if (size > FUZZ_MAX) {
        return 0;
    }

    memset(&headers, 0, sizeof(headers));

    p = data;
    end = size > 0 ? memchr(data, '\n', size) : NULL;

    for (i = 0; end != NULL && i < 3; i++) {
        bar = memchr(p, '|', (size_t) (end - p));

        if (bar == NULL) {
            break;
        }

        header = i == 0 ? &headers.version : i == 1 ? &headers.method
                                                    : &headers.name;
        *header = art_str(p, (size_t) (bar - p));
        p = bar + 1;
    }

    p = end != NULL ? end + 1 : data;
    size -= (size_t) (p - data);

    fuzz_feed(&fuzz_whole, p, size, size + 1, &headers);
    fuzz_feed(&fuzz_pieces, p, size, 1, &headers);
    fuzz_same();
    fuzz_feed(&fuzz_pieces, p, size, 7, &headers);
    fuzz_same();

    fuzz_print(&fuzz_whole, size & 1 ? ART_LANG_EN : ART_LANG_ZH);
    fuzz_refuse(&fuzz_whole, size & 1 ? ART_LANG_EN : ART_LANG_ZH);
    fuzz_refs(p, size);

    return 0;
}
