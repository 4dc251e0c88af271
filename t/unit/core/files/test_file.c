
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/files/art_file.h"
#include "exact.h"
#include "tap.h"


#define UUID   "0198a2b3-c4d5-7e6f-8a9b-0c1d2e3f4a5b"
#define HEX    "0198a2b3c4d57e6f8a9b0c1d2e3f4a5b"
#define OTHER  "0198a2b3-0000-7e6f-8a9b-0c1d2e3f4a5b"


static uint8_t  buf[8192];


static art_file_t
a_file(const char *id)
{
    art_file_t  file;

    memset(&file, 0, sizeof(art_file_t));
    file.id = art_cstr(id);
    file.name = art_cstr("a \"b\".pdf");
    file.type = art_cstr("application/pdf");
    file.size = 5000000000ULL;
    file.created = 1767225600123ULL;

    return file;
}


static void
check_objects(void)
{
    art_out_t   out;
    art_file_t  file;

    file = a_file(UUID);
    out = art_out(buf, sizeof(buf));
    art_file_print(&out, ART_FILE_OPENAI, &file);
    buf[out.len] = '\0';

    is_str((char *) buf,
           "{\"id\":\"file-art-" HEX "\",\"object\":\"file\","
           "\"bytes\":5000000000,\"created_at\":1767225600,"
           "\"expires_at\":null,\"filename\":\"a \\\"b\\\".pdf\","
           "\"purpose\":\"user_data\",\"status\":\"processed\","
           "\"status_details\":null}", "a file as OpenAI has it");

    file.purpose = art_cstr("vision");
    file.name = art_cstr("");
    file.expires = file.created + 3600000;
    out = art_out(buf, sizeof(buf));
    art_file_print(&out, ART_FILE_OPENAI, &file);
    buf[out.len] = '\0';

    ok(strstr((char *) buf, "\"expires_at\":1767229200,\"filename\":"
              "\"unnamed.pdf\",\"purpose\":\"vision\"") != NULL,
       "its purpose, its end, no name");

    out = art_out(buf, sizeof(buf));
    art_file_print(&out, ART_FILE_ANTHROPIC, &file);
    buf[out.len] = '\0';

    is_str((char *) buf,
           "{\"id\":\"file_art_" HEX "\",\"type\":\"file\","
           "\"filename\":\"unnamed.pdf\",\"mime_type\":\"application/pdf\","
           "\"size_bytes\":5000000000,"
           "\"created_at\":\"2026-01-01T00:00:00.123Z\","
           "\"expires_at\":\"2026-01-01T01:00:00.123Z\","
           "\"downloadable\":true}", "a file as Anthropic has it");

    file.type = art_cstr("");
    file.expires = 0;
    out = art_out(buf, sizeof(buf));
    art_file_print(&out, ART_FILE_ANTHROPIC, &file);
    buf[out.len] = '\0';

    ok(strstr((char *) buf, "\"filename\":\"unnamed\",\"mime_type\":"
              "\"application/octet-stream\"") != NULL
       && strstr((char *) buf, "\"expires_at\":null") != NULL,
       "without name, type and end");
}


static void
check_lists(void)
{
    art_out_t   out;
    art_file_t  files[2];

    files[0] = a_file(UUID);
    files[1] = a_file(OTHER);

    out = art_out(buf, sizeof(buf));
    art_file_print_list(&out, ART_FILE_OPENAI, files, 0, 0);

    buf[out.len] = '\0';

    is_str((char *) buf, "{\"object\":\"list\",\"data\":[],\"first_id\":null,"
           "\"last_id\":null,\"has_more\":false}", "no files, OpenAI");

    out = art_out(buf, sizeof(buf));
    art_file_print_list(&out, ART_FILE_ANTHROPIC, files, 0, 0);

    buf[out.len] = '\0';

    is_str((char *) buf, "{\"data\":[],\"first_id\":null,\"last_id\":null,"
           "\"has_more\":false,\"next_page\":null}", "no files, Anthropic");

    out = art_out(buf, sizeof(buf));
    art_file_print_list(&out, ART_FILE_ANTHROPIC, files, 2, 1);
    buf[out.len] = '\0';

    ok(strstr((char *) buf, "}],\"first_id\":\"file_art_" HEX "\",\"last_id\":"
              "\"file_art_0198a2b300007e6f8a9b0c1d2e3f4a5b\",\"has_more\":true,"
              "\"next_page\":\"file_art_0198a2b300007e6f8a9b0c1d2e3f4a5b\"}")
       != NULL, "cursors");

    out = art_out(buf, sizeof(buf));
    art_file_print_list(&out, ART_FILE_ANTHROPIC, files, 2, 0);
    buf[out.len] = '\0';

    ok(strstr((char *) buf, "\"has_more\":false,\"next_page\":null}") != NULL,
       "the last page has no next one");

    out = art_out(buf, sizeof(buf));
    art_file_print_deleted(&out, ART_FILE_OPENAI, art_cstr(UUID));
    buf[out.len] = '\0';

    is_str((char *) buf, "{\"id\":\"file-art-" HEX "\",\"object\":\"file\","
           "\"deleted\":true}", "deleted, OpenAI");

    out = art_out(buf, sizeof(buf));
    art_file_print_deleted(&out, ART_FILE_ANTHROPIC, art_cstr(UUID));
    buf[out.len] = '\0';

    is_str((char *) buf, "{\"id\":\"file_art_" HEX "\",\"type\":"
           "\"file_deleted\"}", "deleted, Anthropic");
}


static const struct {
    art_file_reason_t   reason;
    const char         *param;
    const char         *detail;
    unsigned            status;
    const char         *openai;
    const char         *anthropic;
} errors[] = {
    { ART_FILE_MISSING, NULL, "file-x\n\xff", 404,
      "{\"error\":{\"message\":\"No such File object: file-x_\xef\xbf\xbd\","
      "\"type\":\"invalid_request_error\",\"param\":\"id\",\"code\":null}}",
      "{\"type\":\"error\",\"error\":{\"type\":\"not_found_error\",\"message\":"
      "\"File not found: file-x_\xef\xbf\xbd\"},\"request_id\":null}" },
    { ART_FILE_EXPIRED, NULL, "file-x", 404,
      "{\"error\":{\"message\":\"No such File object: file-x\","
      "\"type\":\"invalid_request_error\",\"param\":\"id\",\"code\":null}}",
      "{\"type\":\"error\",\"error\":{\"type\":\"not_found_error\",\"message\":"
      "\"File has expired: file-x\",\"details\":{\"error_code\":"
      "\"file_expired\"}},\"request_id\":null}" },
    { ART_FILE_REQUIRED, "file", NULL, 400,
      "{\"error\":{\"message\":\"'file' is a required property\","
      "\"type\":\"invalid_request_error\",\"param\":\"file\",\"code\":null}}",
      "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
      "\"message\":\"file: Field required\"},\"request_id\":null}" },
    { ART_FILE_TOO_LARGE, NULL, NULL, 413,
      "{\"error\":{\"message\":\"The file is too large\","
      "\"type\":\"invalid_request_error\",\"param\":null,\"code\":null}}",
      "{\"type\":\"error\",\"error\":{\"type\":\"request_too_large\","
      "\"message\":\"Request exceeds the maximum size\"},\"request_id\":null}"
    },
    { ART_FILE_SERVER, NULL, NULL, 500,
      "{\"error\":{\"message\":\"The server had an error while processing your "
      "request\",\"type\":\"server_error\",\"param\":null,\"code\":null}}",
      "{\"type\":\"error\",\"error\":{\"type\":\"api_error\","
      "\"message\":\"Internal server error\"},\"request_id\":null}" }
};


static void
check_errors(void)
{
    size_t            i;
    char             *text;
    art_out_t         out;
    art_file_error_t  error;

    for (i = 0; i < nitems(errors); i++) {
        error.reason = errors[i].reason;
        error.param = errors[i].param;
        error.detail = errors[i].detail != NULL ? art_cstr(errors[i].detail)
                                                : art_str(NULL, 0);

        is_int(art_file_error_status(error.reason), errors[i].status, "status");

        out = art_out(buf, sizeof(buf));
        art_file_error_print(&out, ART_FILE_OPENAI, &error);
        buf[out.len] = '\0';
        is_str((char *) buf, errors[i].openai, "an error of OpenAI's");

        out = art_out(buf, sizeof(buf));
        art_file_error_print(&out, ART_FILE_ANTHROPIC, &error);
        buf[out.len] = '\0';
        is_str((char *) buf, errors[i].anthropic, "an error of Anthropic's");
    }

    /* of each reason something is printed, whatever its detail is */

    text = must(malloc(100000));
    memset(text, 0xe5, 100000);

    for (i = ART_FILE_MISSING; i < ART_FILE_REASONS; i++) {
        error.reason = (art_file_reason_t) i;
        error.param = "p";
        error.detail = art_str(text, 100000);

        out = art_out(buf, sizeof(buf));
        art_file_error_print(&out, ART_FILE_OPENAI, &error);

        ok(out.len < 2000 && art_file_error_status(error.reason) >= 400,
           "reason %zu", i);
    }

    free(text);

    is_int(art_file_error_of(ART_ERR_NOT_FOUND), ART_FILE_MISSING, "not found");
    is_int(art_file_error_of(ART_ERR_WRITE), ART_FILE_SERVER, "not written");
}


static const struct {
    art_file_api_t  api;
    const char     *args;
    const char     *param;       /* that is refused, or NULL */
    size_t          limit;
    char            cursor;      /* "<" or ">" of UUID, or " " */
    unsigned        ascending;
    const char     *purpose;
} queries[] = {
    { ART_FILE_OPENAI, "", NULL, 1000, ' ', 0, NULL },
    { ART_FILE_ANTHROPIC, "", NULL, 20, ' ', 0, NULL },
    { ART_FILE_ANTHROPIC, "beta=true", NULL, 20, ' ', 0, NULL },
    { ART_FILE_OPENAI, "limit=7&after=file-art-" HEX "&order=asc&"
      "purpose=fine%2Dtune", NULL, 7, '>', 1, "fine-tune" },
    { ART_FILE_OPENAI, "limit=10000&order=desc&x&=&&after=", NULL, 1000, ' ', 0,
      NULL },
    { ART_FILE_OPENAI, "before_id=nonsense&page=nonsense", NULL, 1000, ' ', 0,
      NULL },
    { ART_FILE_ANTHROPIC, "beta=true&after_id=file_art_" HEX "&limit=1000",
      NULL, 1000, '>', 0, NULL },
    { ART_FILE_ANTHROPIC, "before_id=file_art_" HEX, NULL, 20, '<', 0, NULL },
    { ART_FILE_ANTHROPIC, "page=file%5Fart_" HEX "&limit=1", NULL, 1, '>', 0,
      NULL },
    { ART_FILE_ANTHROPIC, "order=asc&purpose=a&after=b", NULL, 20, ' ', 0,
      NULL },
    { ART_FILE_OPENAI, "limit=0", "limit", 0, ' ', 0, NULL },
    { ART_FILE_OPENAI, "limit=-1", "limit", 0, ' ', 0, NULL },
    { ART_FILE_OPENAI, "limit=x", "limit", 0, ' ', 0, NULL },
    { ART_FILE_OPENAI, "order=down", "order", 0, ' ', 0, NULL },
    { ART_FILE_OPENAI, "after=file-abc", "after", 0, ' ', 0, NULL },
    { ART_FILE_ANTHROPIC, "page=file_011CNha8iCJcU1wXNR6q4V8w", "page", 0, ' ',
      0, NULL },
    { ART_FILE_ANTHROPIC, "after_id=../x", "after_id", 0, ' ', 0, NULL },
    { ART_FILE_ANTHROPIC, "limit=1%", "query", 0, ' ', 0, NULL },
    { ART_FILE_ANTHROPIC, "limit%2=1", "query", 0, ' ', 0, NULL }
};


static void
check_queries(void)
{
    int                rc;
    char               cursor;
    size_t             i, len;
    uint8_t           *args;
    art_file_error_t   error;
    art_file_query_t  *q;

    q = must(malloc(sizeof(art_file_query_t)));

    for (i = 0; i < nitems(queries); i++) {
        len = strlen(queries[i].args);
        args = exact(queries[i].args, len);

        rc = art_file_query_parse(q, queries[i].api, art_str(args, len),
                                  &error);

        if (queries[i].param != NULL) {
            ok(rc == ART_ERROR && error.reason == ART_FILE_PARAM
               && strcmp(error.param, queries[i].param) == 0,
               "refused: %s", queries[i].args);
            free(args);
            continue;
        }

        cursor = !q->has_cursor ? ' ' : q->backwards ? '<' : '>';

        ok(rc == ART_OK && q->limit == queries[i].limit
           && q->ascending == queries[i].ascending
           && cursor == queries[i].cursor && !q->by_ids
           && (cursor == ' ' || memcmp(q->cursor, UUID, ART_UUID_LEN) == 0)
           && (queries[i].purpose == NULL
               ? q->purpose.data == NULL
               : art_str_eq(q->purpose, art_cstr(queries[i].purpose))),
           "\"%s\"", queries[i].args);

        free(args);
    }

    free(q);
}


static void
check_ids(void)
{
    int                rc;
    char              *args;
    size_t             i, len;
    art_file_error_t   error;
    art_file_query_t  *q;

    q = must(malloc(sizeof(art_file_query_t)));
    args = must(malloc(2 * ART_FILE_QUERY_MAX));

    rc = art_file_query_parse(q, ART_FILE_ANTHROPIC,
                              art_cstr("ids%5B%5D=file_art_" HEX "&ids[]=x&"
                                       "ids[]=file-art-" HEX), &error);

    ok(rc == ART_OK && q->by_ids && q->nids == 1
       && memcmp(q->ids[0], UUID, ART_UUID_LEN) == 0,
       "ids, one of them twice, one of another's");

    len = 0;

    for (i = 0; i <= ART_FILE_IDS_MAX; i++) {
        len += (size_t) sprintf(args + len, "&ids[]=file_art_%032zx", i);
    }

    ok(art_file_query_parse(q, ART_FILE_ANTHROPIC, art_str(args, len - 48),
                            &error) == ART_OK
       && q->nids == ART_FILE_IDS_MAX, "as many ids as can be");
    ok(art_file_query_parse(q, ART_FILE_ANTHROPIC, art_str(args, len), &error)
       == ART_ERROR, "one more");

    memset(args, 'a', ART_FILE_QUERY_MAX + 1);

    ok(art_file_query_parse(q, ART_FILE_OPENAI,
                            art_str(args, ART_FILE_QUERY_MAX), &error)
       == ART_OK, "the longest query");
    ok(art_file_query_parse(q, ART_FILE_OPENAI,
                            art_str(args, ART_FILE_QUERY_MAX + 1), &error)
       == ART_ERROR, "one byte more");

    free(args);
    free(q);
}


int
main(void)
{
    check_objects();
    check_lists();
    check_errors();
    check_queries();
    check_ids();

    return done();
}
