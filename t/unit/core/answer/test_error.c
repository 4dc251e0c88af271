
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Errors as they are answered: codes, statuses and their JSON.
 */


#include <jansson.h>

#include "core/answer/art_error.h"
#include "out_buf.h"
#include "tap.h"


/* Codes and statuses of the contract. */

static const struct {
    art_error_t   error;
    unsigned      status;
    const char   *code;
} errors[] = {
    { ART_ERR_INVALID_ID, 400, "invalid_artifact_id" },
    { ART_ERR_TRAVERSAL, 403, "path_traversal_blocked" },
    { ART_ERR_PERMISSION, 403, "permission_denied" },
    { ART_ERR_NOT_FOUND, 404, "artifact_not_found" },
    { ART_ERR_NOT_BOUND, 404, "workspace_not_bound" },
    { ART_ERR_METHOD, 405, "method_not_allowed" },
    { ART_ERR_READ, 500, "read_failed" },
    { ART_ERR_ENCODED, 502, "upstream_encoded" },
    { ART_ERR_PARTIAL, 502, "upstream_partial" },
    { ART_ERR_TIMEOUT, 504, "upstream_timeout" }
};


static json_t *
error_json(art_error_t error, const void *ref, size_t len, art_lang_t lang)
{
    art_out_t  out;

    out = new_out();
    art_error_print(&out, error, art_str(ref, len), lang);

    return json_loadb((char *) buf, out.len, JSON_ALLOW_NUL, NULL);
}


static const char *
member(json_t *json, const char *key)
{
    const char  *value;

    value = json_string_value(json_object_get(json, key));

    return value ? value : "";
}


static void
check_errors(void)
{
    size_t    i;
    json_t   *zh, *en;

    for (i = 0; i < nitems(errors); i++) {
        zh = error_json(errors[i].error, "a\"b", 3, ART_LANG_ZH);
        en = error_json(errors[i].error, "a\"b", 3, ART_LANG_EN);

        ok(art_error_status(errors[i].error) == errors[i].status
           && json_object_size(zh) == 3 && json_object_size(en) == 3
           && strcmp(member(zh, "error"), errors[i].code) == 0
           && strcmp(member(en, "error"), errors[i].code) == 0
           && strcmp(member(zh, "ref"), "a\"b") == 0
           && strcmp(member(en, "ref"), "a\"b") == 0
           && (member(zh, "message")[0] & 0x80)
           && member(en, "message")[0] >= 'a',
           "error: %s", errors[i].code);

        json_decref(zh);
        json_decref(en);
    }

    zh = error_json(ART_ERR_NOT_FOUND, "artifact:xxx", 12, ART_LANG_ZH);
    is_mem(buf, strcspn((char *) buf, "#"),
           IN("{\"error\":\"artifact_not_found\",\"ref\":\"artifact:xxx\","
              "\"message\":\"工件不存在或已被删除\"}"),
           "error: byte for byte");
    json_decref(zh);

    zh = error_json(ART_ERR_INVALID_ID, "\0\n\"\\\xff\xe5\xb7", 7,
                    ART_LANG_EN);
    is_mem(json_string_value(json_object_get(zh, "ref")),
           json_string_length(json_object_get(zh, "ref")),
           IN("\0\n\"\\\xef\xbf\xbd\xef\xbf\xbd"), "error: any bytes as ref");
    json_decref(zh);
}


/* The errors that HTTP itself defines: the same JSON. */

static void
check_http_errors(void)
{
    size_t         n;
    json_t        *json;
    unsigned       status, bad;
    art_error_t    error;

    n = 0;
    bad = 0;

    for (status = 0; status < 700; status++) {
        error = art_error_of_http(status);

        if (error == ART_ERR_MAX) {
            bad += status == 411 || status == 412 || status == 413
                   || status == 415;
            continue;
        }

        json = error_json(error, "r", 1, ART_LANG_ZH);
        bad += art_error_status(error) != status || json == NULL
               || strlen(member(json, "error")) == 0
               || status < 400 || status == 404;
        json_decref(json);
        n++;
    }

    ok(bad == 0 && n >= 4, "error: the statuses that HTTP defines");
}


int
main(void)
{
    check_errors();
    check_http_errors();

    return done();
}
