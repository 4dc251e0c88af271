
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Random messages and headers: the reader agrees with a naive one that has the
 * whole message as a tree, whatever the pieces are.
 */


#include <jansson.h>

#include "tap.h"
#include "mcp_read.h"


#define ROUNDS  20000
#define MAX     4000

#define META_VERSION  "io.modelcontextprotocol/protocolVersion"
#define META_CLIENT   "io.modelcontextprotocol/clientCapabilities"

#define pick(list)  ((list)[tap_below(nitems(list))])


typedef struct {
    int       code;              /* 0: no error */
    int       status;
    unsigned  id;                /* the answer has one; 2: not known here */
} verdict_t;


static char    message[MAX];
static size_t  length;


static size_t
below(size_t n)
{
    return tap_below(n);
}


static void
put(const char *text)
{
    size_t  len;

    len = strlen(text);

    if (len < MAX - length) {
        memcpy(message + length, text, len + 1);
        length += len;
    }
}


static const char *
random_version(void)
{
    static const char *const  versions[] = {
        "2026-07-28", "2026-07-28", "2026-07-28", "2025-11-25", "2025-03-26",
        "1900-01-01", ""
    };

    return pick(versions);
}


static const char *
random_value(void)
{
    static const char *const  values[] = {
        "5", "-1", "0.5", "3.0", "1e2", "null", "true", "\"text\"", "\"\"",
        "\"\\u0061\\n\"", "[]", "[{\"id\":1}]", "{}", "{\"name\":\"x\"}"
    };

    return pick(values);
}


static void
begin(unsigned *n, const char *key)
{
    put((*n)++ ? "," : "{");
    put(tap_below(9) ? "" : " \n");
    put("\"");
    put(key);
    put(tap_below(9) ? "\":" : "\" : ");
}


static void
end(unsigned n)
{
    put(n ? "}" : "{}");
}


static void
put_string(const char *text)
{
    put("\"");
    put(text);
    put("\"");
}


static void
put_arguments(void)
{
    char         strange[16];
    unsigned     n, i, count;
    const char  *key;

    static const char *const  keys[] = {
        "ref", "ref", "workspace", "path", "content", "base64", "context",
        "limit", "cursor", "lines", ""
    };

    n = 0;
    count = (unsigned) tap_below(4);

    for (i = 0; i < count; i++) {
        key = pick(keys);

        if (key[0] == '\0') {

            /* of those that are not known, two may be the same */

            snprintf(strange, sizeof(strange), "ref%u", i);
            key = strange;
        }

        begin(&n, key);

        if (tap_below(6) == 0) {
            put(random_value());

        } else {
            put(strcmp(key, "context") == 0 || strcmp(key, "limit") == 0
                ? "7" : "\"value\"");
        }
    }

    end(n);
}


static void
put_meta(void)
{
    unsigned  n;

    n = 0;

    if (tap_below(8)) {
        begin(&n, META_CLIENT);
        put(tap_below(20) ? "{\"roots\":{}}" : random_value());
    }

    if (tap_below(8)) {
        begin(&n, META_VERSION);

        if (tap_below(20)) {
            put_string(random_version());

        } else {
            put(random_value());
        }
    }

    if (tap_below(3) == 0) {
        begin(&n, "progressToken");
        put(random_value());
    }

    end(n);
}


static void
put_params(void)
{
    unsigned  n, i, count, seen, which;

    static const char *const  tools[] = {
        "read_artifact", "list_artifacts", "write_file", "find_service",
        "read", ""
    };

    n = 0;
    seen = 0;
    count = 1 + (unsigned) tap_below(12);

    for (i = 0; i < count; i++) {
        which = (unsigned) tap_below(6);

        if (seen & 1u << which && tap_below(100)) {
            continue;
        }

        seen |= 1u << which;

        switch (which) {

        case 0:
            begin(&n, "name");
            put_string(pick(tools));
            break;

        case 1:
            begin(&n, "uri");
            put_string("artifact:a");
            break;

        case 2:
            begin(&n, "arguments");
            put_arguments();
            break;

        case 3:
            begin(&n, "protocolVersion");
            put_string(random_version());
            break;

        case 4:

            if (tap_below(6) == 0) {
                begin(&n, tap_below(2) ? "cursor" : "name");
                put(random_value());
            }

            break;

        default:
            begin(&n, "_meta");
            put_meta();
        }
    }

    end(n);
}


static const char *
put_message(void)
{
    unsigned     n, i, seen, which;
    const char  *method;

    static const char *const  methods[] = {
        "initialize", "server/discover", "ping", "tools/list", "tools/call",
        "tools/call", "tools/call", "resources/list",
        "resources/templates/list", "resources/read", "resources/read",
        "notifications/initialized", "prompts/get"
    };

    static const char *const  ids[] = { "1", "\"a\\\"\"", "-5", "0" };

    n = 0;
    seen = 0;
    length = 0;
    method = pick(methods);

    for (i = 0; i < 16; i++) {
        which = (unsigned) tap_below(4);

        if (seen & 1u << which && tap_below(100)) {
            continue;
        }

        seen |= 1u << which;

        if (which == 0) {
            begin(&n, "jsonrpc");
            put(tap_below(40) ? "\"2.0\"" : random_value());

        } else if (which == 1) {
            begin(&n, "id");
            put(tap_below(20) ? pick(ids) : random_value());

        } else if (which == 2) {
            begin(&n, "method");

            if (tap_below(40)) {
                put_string(method);

            } else {
                put(random_value());
            }

        } else {
            begin(&n, "params");

            if (tap_below(40)) {
                put_params();

            } else {
                put(random_value());
            }
        }
    }

    end(n);

    if (tap_below(20) == 0) {
        memmove(message, message + 1, length--);

    } else if (tap_below(20) == 0) {
        length -= tap_below(length);
    }

    return method;
}


/* The naive reader. */

static verdict_t
fail(int code, int status, const json_t *root)
{
    verdict_t  verdict;
    json_t    *id;

    id = json_object_get(root, "id");

    verdict.code = code;
    verdict.status = status;
    verdict.id = json_is_string(id) || json_is_integer(id);

    return verdict;
}


static unsigned
is_one_of(const char *text, const char *list)
{
    size_t       len;
    const char  *p;

    len = strlen(text);

    for (p = list; len > 0 && (p = strstr(p, text)) != NULL; p++) {
        if ((p == list || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0')) {
            return 1;
        }
    }

    return 0;
}


static unsigned
is_text(const json_t *value, const char *text)
{
    return json_is_string(value) && text != NULL
           && strcmp(json_string_value(value), text) == 0;
}


static unsigned  refused;


static verdict_t
judge_call(const json_t *root, const json_t *params)
{
    json_t      *arguments, *value;
    const char  *key, *takes;

    value = json_object_get(params, "name");
    arguments = json_object_get(params, "arguments");

    takes = is_text(value, "read_artifact")
            ? "ref workspace path lines bytes grep context max_bytes"
            : is_text(value, "list_artifacts") ? "cursor limit type name"
            : is_text(value, "find_service") ? "capability direction"
            : is_text(value, "write_file")
              ? "workspace path content base64 mime_type if_match" : NULL;

    if (takes == NULL || (arguments && !json_is_object(arguments))) {
        return fail(-32602, 200, root);
    }

    /* words for a model tell what is wrong with them */

    json_object_foreach(arguments, key, value) {
        if (!is_one_of(key, takes)
            || (!json_is_null(value) && is_one_of(key, "context limit")
                ? !json_is_integer(value)
                  && !(json_is_real(value)
                       && (json_real_value(value) == 3.0))
                : !json_is_string(value) && !json_is_null(value)))
        {
            refused = 1;
        }
    }

    return fail(0, 200, root);
}


static verdict_t
judge_method(const json_t *root, const char *method, unsigned modern)
{
    json_t  *params;

    params = json_object_get(root, "params");

    if (!is_one_of(method, modern ? "server/discover tools/list tools/call "
                                    "resources/list resources/templates/list "
                                    "resources/read"
                                  : "initialize ping tools/list tools/call "
                                    "resources/list resources/templates/list "
                                    "resources/read"))
    {
        return fail(-32601, modern ? 404 : 200, root);
    }

    if (params && !json_is_object(params)) {
        return fail(-32602, 200, root);
    }

    if (strcmp(method, "tools/call") == 0) {
        return judge_call(root, params);
    }

    if ((strcmp(method, "resources/read") == 0
         && !json_is_string(json_object_get(params, "uri")))
        || (strcmp(method, "initialize") == 0
            && !json_is_string(json_object_get(params, "protocolVersion")))
        || (is_one_of(method, "tools/list resources/templates/list")
            && json_object_get(params, "cursor"))
        || (strcmp(method, "resources/list") == 0
            && json_object_get(params, "cursor")
            && !json_is_string(json_object_get(params, "cursor"))))
    {
        return fail(-32602, 200, root);
    }

    return fail(0, 200, root);
}


static unsigned
is_known(const char *version)
{
    return is_one_of(version, "2026-07-28 2025-11-25 2025-06-18 2025-03-26");
}


static verdict_t
judge_modern(const json_t *root, const char *method, const char **headers)
{
    json_t  *params, *name;

    params = json_object_get(root, "params");
    name = json_object_get(params, strcmp(method, "tools/call") == 0
                                   ? "name" : "uri");

    if (headers[1] ? strcmp(headers[1], method) != 0
                   : json_object_get(root, "id") != NULL)
    {
        return fail(-32020, 400, root);
    }

    if (json_object_get(root, "id") == NULL) {
        return fail(0, 202, root);
    }

    if (is_one_of(method, "tools/call resources/read")
        && (headers[2] ? !is_text(name, headers[2])
                         && (name || headers[2][0] != '\0')
                         && !(headers[2][0] == '\0' && !json_is_string(name))
                       : name != NULL))
    {
        return fail(-32020, 400, root);
    }

    return judge_method(root, method, 1);
}


static verdict_t
judge_object(const json_t *root, const char **headers)
{
    json_t      *id, *meta, *version;
    const char  *method, *name;

    id = json_object_get(root, "id");
    meta = json_object_get(json_object_get(root, "params"), "_meta");
    version = json_object_get(meta, META_VERSION);
    method = json_string_value(json_object_get(root, "method"));

    if ((id && !json_is_string(id) && !json_is_integer(id))
        || !is_text(json_object_get(root, "jsonrpc"), "2.0")
        || method == NULL)
    {
        return fail(-32600, 400, root);
    }

    name = version ? json_string_value(version)
           : headers[0] ? headers[0] : "2025-03-26";

    if (version == NULL && strcmp(method, "initialize") == 0
        && strcmp(name, "2026-07-28") != 0)
    {
        name = "2025-11-25";
    }

    if (version
        ? name == NULL
          || (id && !json_is_object(json_object_get(meta, META_CLIENT)))
        : id && strcmp(name, "2026-07-28") == 0)
    {
        return fail(-32602, 400, root);
    }

    if (version && headers[0] && strcmp(headers[0], name) != 0) {
        return fail(-32020, 400, root);
    }

    if (!is_known(name)) {
        return fail(-32022, 400, root);
    }

    if (strcmp(name, "2026-07-28") == 0) {
        return version && id && headers[0] == NULL
               ? fail(-32020, 400, root)
               : judge_modern(root, method, headers);
    }

    return id ? judge_method(root, method, 0) : fail(0, 202, root);
}


static verdict_t
judge(const char **headers)
{
    json_t     *root;
    verdict_t   verdict;

    root = json_loadb(message, length, JSON_REJECT_DUPLICATES
                                       | JSON_DECODE_ANY, NULL);

    if (root != NULL) {
        verdict = json_is_object(root) ? judge_object(root, headers)
                                       : fail(-32600, 400, NULL);
        json_decref(root);
        return verdict;
    }

    root = json_loadb(message, length, JSON_DECODE_ANY, NULL);

    verdict = fail(root ? -32600 : -32700, 400, NULL);
    verdict.id = root ? 2 : 0;
    json_decref(root);

    return verdict;
}


int
main(void)
{
    unsigned            i, round, wrong, sound;
    verdict_t           want;
    art_out_t           out;
    const char         *method, *headers[3];
    art_str_t          *header;
    art_mcp_error_t     error;
    art_mcp_request_t   m;
    art_mcp_headers_t   given;

    static const char *const  names[] = {
        "read_artifact", "list_artifacts", "write_file", "artifact:a", "read",
        ""
    };

    wrong = 0;
    sound = 0;

    for (round = 0; round < ROUNDS && wrong == 0; round++) {

        method = put_message();

        headers[0] = tap_below(3) ? random_version() : NULL;
        headers[1] = tap_below(8) ? method : tap_below(2) ? "ping" : NULL;
        headers[2] = tap_below(4) ? pick(names) : NULL;

        memset(&given, 0, sizeof(given));

        for (i = 0; i < 3; i++) {
            header = i == 0 ? &given.version : i == 1 ? &given.method
                                                      : &given.name;
            *header = headers[i] ? art_cstr(headers[i]) : art_str(NULL, 0);
        }

        refused = 0;
        want = judge(headers);
        memset(&error, 0, sizeof(error));

        (void) mcp_read(&m, message, length, 0, below);

        if (art_mcp_check(&m, &given, 1, &error) == ART_OK) {
            error.status = m.notification ? 202 : 200;
            sound++;

            out = art_out(NULL, 0);

            if (refused && !art_mcp_refusal(&m, &out, ART_LANG_EN)) {
                wrong++;
                diag_mem("arguments", message, length);
            }
        }

        if (error.code != want.code || (int) error.status != want.status
            || (want.id < 2 && (m.id.len > 0) != want.id))
        {
            wrong++;
            diag_mem("message", message, length);
            diag("headers %s %s %s", headers[0] ? headers[0] : "-",
                 headers[1] ? headers[1] : "-", headers[2] ? headers[2] : "-");
            diag("     got: %d %u, id %d", error.code, error.status,
                 m.id.len > 0);
            diag("expected: %d %d, id %u", want.code, want.status, want.id);
        }
    }

    is_int(wrong, 0, "random messages");
    ok(sound > ROUNDS / 20, "... %u of them sound", sound);

    return done();
}
