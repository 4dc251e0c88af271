
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first byte chooses the API, the rest is the body.
 * Where the instruction goes must not depend on pieces, nor on whether slots
 * are looked for, too; JSON must stay JSON, and does not get it twice.
 */


#include "core/json/art_json_scan.h"
#include "core/expand/expand_run.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


static art_prompt_t  prompt;


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


/* The instruction's operations, at once or in small pieces. */

static size_t
fuzz_ops(const art_api_t *api, const uint8_t *body, size_t len,
    size_t piece, unsigned prompt_only, art_splice_op_t *ops)
{
    size_t              n, nops;
    art_scan_conf_t     conf;
    art_pool_t  memory = { pool_alloc, NULL };

    memset(&conf, 0, sizeof(conf));

    conf.api = api;
    conf.pool = memory;
    conf.refs_max = 64;
    conf.prompt = &prompt;
    conf.prompt_only = prompt_only;

    art_prompt_init(&prompt, api);
    art_scan_init(&scan, &conf);

    for (/* void */; len > 0; body += n, len -= n) {
        n = piece < len ? piece : len;

        if (art_scan_feed(&scan, body, n) != ART_OK) {
            break;
        }
    }

    if (art_scan_end(&scan) != ART_SCAN_OK) {
        return 0;
    }

    check(art_prompt_ops(&prompt, ART_LANG_ZH, &memory, ops, &nops) == ART_OK);

    return nops;
}


static size_t
fuzz_splice(const uint8_t *body, art_splice_op_t *ops, size_t nops,
    uint64_t len, uint8_t *dst)
{
    uint8_t             *p;
    uint64_t             total;
    art_splice_t         splice;
    art_splice_piece_t   piece;

    check(art_splice_init(&splice, ops, nops, len, &total) == ART_OK);

    for (p = dst; art_splice_next(&splice, &piece); /* void */) {

        if (piece.kind == ART_SPLICE_COPY) {
            memcpy(p, body + piece.pos, (size_t) (piece.end - piece.pos));
            p += piece.end - piece.pos;

        } else {
            memcpy(p, piece.text.data, piece.text.len);
            p += piece.text.len;
        }
    }

    check((uint64_t) (p - dst) == total);

    return (size_t) total;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t            i, nops, len;
    art_splice_op_t   one[ART_PROMPT_OPS], two[ART_PROMPT_OPS];
    const art_api_t  *api;
    static uint8_t    out[OUT_MAX];

    if (size < 1 || size > 60000) {
        return 0;
    }

    api = art_api_request_row(data[0] % 7u);
    data++;
    size--;

    nops = fuzz_ops(api, data, size, size, 1, one);

    check(fuzz_ops(api, data, size, 1, 1, two) == nops);

    for (i = 0; i < nops; i++) {
        check(one[i].pos == two[i].pos && one[i].skip == two[i].skip
              && art_str_eq(one[i].text, two[i].text));
    }

    /* too many references, or messages that stand twice: it is left alone */

    i = fuzz_ops(api, data, size, 7, 0, two);

    if (i == 0) {
        check(nops == 0 || scan.status != ART_SCAN_OK);

    } else {
        check(i == nops && one[0].pos == two[0].pos
              && art_str_eq(one[i - 1].text, two[i - 1].text));
    }

    if (nops > 0) {
        len = fuzz_splice(data, one, nops, size, out);

        check(!art_json_valid(data, size) || art_json_valid(out, len));
        check(fuzz_ops(api, out, len, len, 0, two) == 0);
    }

    pool_free();

    return 0;
}
