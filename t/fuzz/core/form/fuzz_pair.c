
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The input is the value of a header, and a query: what is
 * split off lies in the text, in its order, and nothing that is left is skipped
 * but what separates.  It is read in memory of just its length.
 */


#include <stdlib.h>

#include "core/answer/art_headers.h"
#include "core/files/art_file.h"
#include "core/form/art_pair.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


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


/* Names are the same in memory of their own and where they stand. */

static void
fuzz_names(art_str_t text, unsigned form)
{
    uint8_t    *dst, *copy;
    art_str_t   name, filename, name_there, filename_there;

    dst = fuzz_copy(text.data, text.len);
    copy = fuzz_copy(text.data, text.len);

    art_param_names(text, dst, form, &name, &filename);
    art_param_names(art_str(copy, text.len), copy, form, &name_there,
                    &filename_there);

    check(art_str_eq(name, name_there)
          && art_str_eq(filename, filename_there)
          && (filename.data == NULL) == (filename_there.data == NULL));

    filename = art_disposition_name(text, dst);

    check(filename.len == 0
          || (memchr(filename.data, '/', filename.len) == NULL
              && memchr(filename.data, '\\', filename.len) == NULL));

    free(dst);
    free(copy);
}


static void
fuzz_params(art_str_t text)
{
    size_t          n, header;
    uint8_t        *dst;
    art_str_t       rest;
    art_pair_t      param;
    const uint8_t  *end;

    rest = text;
    end = text.data;

    while (art_param_next(&rest, &param)) {
        check(param.name.data > end
              && memchr(end, ';', (size_t) (param.name.data - end)) != NULL);
        check(param.value.data >= param.name.data + param.name.len);
        check(!param.quoted || param.value.data[-1] == '"');

        end = param.value.data + param.value.len;
        check(end == rest.data
              && rest.data + rest.len == text.data + text.len);

        dst = malloc(param.value.len + 1);
        check(dst != NULL);

        header = art_param_text(dst, &param, 0);
        n = art_param_text(dst, &param, 1);

        check(header <= param.value.len && n <= param.value.len
              && (param.quoted || (header == param.value.len && n == header)));

        free(dst);
    }

    fuzz_names(text, 0);
    fuzz_names(text, 1);
}


static void
fuzz_query(art_str_t text)
{
    unsigned          api;
    art_str_t         rest;
    art_pair_t        arg;
    const uint8_t    *p;
    art_file_error_t  error;

    static art_file_query_t  query;

    rest = text;
    p = text.data;

    while (art_query_next(&rest, &arg)) {
        check(arg.name.data == p);
        p += arg.name.len;

        check(arg.value.data == p
              || (*p == '=' && arg.value.data == p + 1));
        p = arg.value.data + arg.value.len;

        check(rest.data == p || (*p == '&' && rest.data == p + 1));
        p = rest.data;
    }

    check(p == text.data + text.len);

    for (api = 0; api <= ART_FILE_ANTHROPIC; api++) {
        if (art_file_query_parse(&query, (art_file_api_t) api, text, &error)
            == ART_OK)
        {
            check(query.limit > 0 && query.limit <= ART_FILE_LIMIT_MAX);
            check(query.nids <= ART_FILE_IDS_MAX);
        }
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t  *copy;

    copy = fuzz_copy(data, size);

    fuzz_params(art_str(copy, size));
    fuzz_query(art_str(copy, size));

    free(copy);

    return 0;
}
