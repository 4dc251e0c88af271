
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_lex.h"
#include "core/json/art_json_scan.h"
#include "core/text/art_utf8.h"


static int art_json_scan_open(void *data, uint64_t pos, unsigned object);
static int art_json_scan_close(void *data, uint64_t end);
static int art_json_scan_value(void *data, const art_lex_value_t *value);


static const art_lex_handler_t  art_json_scan_tokens = {
    .open = art_json_scan_open,
    .close = art_json_scan_close,
    .value = art_json_scan_value
};


int
art_json_scan(const uint8_t **p, const uint8_t *end, unsigned outside)
{
    int             rc;
    size_t          n, valid;
    art_lex_t       lex;
    const uint8_t  *start;

    start = *p;

    art_lex_init(&lex, &art_json_scan_tokens, &lex, NULL, 0);
    art_lex_restrict(&lex, ART_JSON_SCAN_DEPTH - outside);

    rc = art_lex_feed(&lex, start, (size_t) (end - start));
    n = (size_t) (rc == ART_OK ? art_lex_pos(&lex) : art_lex_fault(&lex));

    /* the lexer does not check UTF-8 */

    valid = art_utf8_valid_len(start, n);

    if (valid < n) {
        rc = art_utf8_char(start + valid, (size_t) (end - start) - valid);

        if (rc == 0) {
            return ART_JSON_MORE;
        }

        *p = start + valid;
        return ART_ERROR;
    }

    if (rc == ART_OK && art_lex_end(&lex) != ART_OK) {
        return ART_JSON_MORE;
    }

    *p = start + n;

    return rc;
}


/* Nothing is called within the value, and the lexer stops after it. */

static int
art_json_scan_open(void *data, uint64_t pos, unsigned object)
{
    (void) data;
    (void) pos;
    (void) object;

    return ART_LEX_SKIP;
}


static int
art_json_scan_close(void *data, uint64_t end)
{
    (void) end;

    art_lex_stop(data);

    return ART_OK;
}


static int
art_json_scan_value(void *data, const art_lex_value_t *value)
{
    return art_json_scan_close(data, value->end);
}


int
art_json_valid(const uint8_t *p, size_t len)
{
    const uint8_t  *end;

    end = p + len;

    return art_json_scan(&p, end, 0) == ART_OK && art_json_space(p, end) == end;
}


int
art_json_fault(art_str_t text, art_json_fault_t *place)
{
    int             rc;
    size_t          i, line;
    const uint8_t  *p, *end;

    p = text.data;
    end = text.data + text.len;

    rc = art_json_scan(&p, end, 0);

    if (rc == ART_JSON_MORE) {
        p = end;

    } else if (rc == ART_OK) {
        p = art_json_space(p, end);

        if (p == end) {
            return ART_OK;
        }
    }

    place->line = 1;
    place->byte = (size_t) (p - text.data);

    for (i = 0, line = 0; i < place->byte; i++) {
        if (text.data[i] == '\n') {
            line = i + 1;
            place->line++;
        }
    }

    place->column = place->byte - line + 1;

    return ART_ERROR;
}


const uint8_t *
art_json_space(const uint8_t *p, const uint8_t *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')) {
        p++;
    }

    return p;
}
