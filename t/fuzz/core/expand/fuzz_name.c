
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first byte chooses JSON or a form, and the pieces; of
 * a form, the first line is the Content-Type.  The model must not depend on
 * pieces.  The same bytes are searched for an error of JSON, which is where no
 * shorter text has one, and their lines are misspelt names.
 */


#include <stdlib.h>

#include "core/capability/art_capability.h"
#include "core/capability/art_near.h"
#include "core/expand/art_expand_name.h"
#include "core/json/art_json_scan.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


static const art_str_t  fuzz_known[] = {
    art_string("id"), art_string("model"), art_string("capabilities"),
    art_string("maxBytes")
};


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


/* Memory of its own for each piece: nobody may look behind it. */

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
fuzz_name(art_name_t *name, art_str_t type, unsigned json, art_str_t body,
    size_t piece)
{
    size_t    n;
    uint8_t  *copy;

    if (art_name_init(name, type, json) != ART_OK) {
        check(art_name_model(name).len == 0);
        return ART_ERROR;
    }

    for ( /* void */ ; body.len > 0; body.data += n, body.len -= n) {
        n = piece < body.len ? piece : body.len;

        copy = fuzz_copy(body.data, n);
        art_name_feed(name, copy, n);
        free(copy);
    }

    check(art_name_model(name).len <= ART_NAME_MAX);

    return ART_OK;
}


static void
fuzz_names(unsigned how, art_str_t body)
{
    int             rc;
    uint8_t        *copy;
    art_str_t       type;
    art_name_t      once, pieces;
    const uint8_t  *line;

    type = art_str(NULL, 0);

    if (how & 1) {
        line = body.len > 0 ? memchr(body.data, '\n', body.len) : NULL;
        type = art_str(body.data,
                       line ? (size_t) (line - body.data) : body.len);
        body.data += type.len + (line != NULL);
        body.len -= type.len + (line != NULL);
    }

    copy = fuzz_copy(type.data, type.len);
    type.data = copy;

    rc = fuzz_name(&once, type, !(how & 1), body, body.len);

    check(fuzz_name(&pieces, type, !(how & 1), body, 1 + how / 2 % 8) == rc);
    check(rc != ART_OK
          || art_str_eq(art_name_model(&once), art_name_model(&pieces)));

    free(copy);
}


/* What precedes the first byte that cannot follow could have gone on. */

static void
fuzz_fault(art_str_t text)
{
    size_t            i, line, column;
    uint8_t          *copy;
    const uint8_t    *p;
    art_json_fault_t  place;

    copy = fuzz_copy(text.data, text.len);
    text.data = copy;

    if (art_json_fault(text, &place) == ART_OK) {
        check(art_json_valid(text.data, text.len));
        free(copy);
        return;
    }

    check(!art_json_valid(text.data, text.len));
    check(place.byte <= text.len);

    line = 1;
    column = 1;

    for (i = 0; i < place.byte; i++) {
        column = text.data[i] == '\n' ? 1 : column + 1;
        line += text.data[i] == '\n';
    }

    check(place.line == line && place.column == column);

    p = text.data;
    check(art_json_scan(&p, text.data + place.byte, 0) != ART_ERROR);

    free(copy);
}


static void
fuzz_near(art_str_t name)
{
    size_t     n;
    uint8_t   *copy;
    art_str_t  meant;

    n = sizeof(fuzz_known) / sizeof(fuzz_known[0]);

    copy = fuzz_copy(name.data, name.len);
    name.data = copy;

    meant = art_near_capability(name);
    check(meant.data == NULL || art_capability_bit(meant) != 0);
    check(meant.data == NULL || art_capability_bit(name) == 0);

    meant = art_near_member(name, fuzz_known, n);
    check(meant.data == NULL || !art_str_eq(meant, name));

    free(copy);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t          len;
    const uint8_t  *line;

    if (size < 1 || size > 20000) {
        return 0;
    }

    fuzz_names(data[0], art_str(data + 1, size - 1));
    fuzz_fault(art_str(data + 1, size - 1));

    for (data++, size--; size > 0; data += len, size -= len) {
        line = memchr(data, '\n', size);
        len = line ? (size_t) (line - data) : size;

        fuzz_near(art_str(data, len));
        len += line != NULL;
    }

    return 0;
}
