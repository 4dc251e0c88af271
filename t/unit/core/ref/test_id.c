
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * References, ids and paths, case by case.
 */


#include "core/ref/art_id.h"
#include "tap.h"


#define BYTES  8192


typedef struct {
    const char       *ref;
    size_t            len;
    art_id_status_t   status;
    const char       *id;
    const char       *workspace;
    const char       *path;
    unsigned          folder;
    const char       *name;
} case_t;


#define REF(text)  text, sizeof(text) - 1
#define BAD        NULL, NULL, NULL, 0


static const case_t  parse_cases[] = {
    { REF("abc123"), ART_ID_OK, "abc123", "", "", 0, "a regular id" },
    { REF("artifact:abc123"), ART_ID_OK, "abc123", "", "", 0,
      "\"artifact:\" is stripped" },
    { REF("artifact:artifact:x"), ART_ID_OK, "artifact:x", "", "", 0,
      "\"artifact:\" is stripped once" },
    { REF("Artifact:x"), ART_ID_OK, "Artifact:x", "", "", 0,
      "in lower case only" },
    { REF("WS:a:YQ"), ART_ID_OK, "WS:a:YQ", "", "", 0,
      "\"WS:\" is no workspace prefix" },
    { REF("ws"), ART_ID_OK, "ws", "", "", 0, "nor is \"ws\"" },
    { REF("a b\\c.txt"), ART_ID_OK, "a b\\c.txt", "", "", 0,
      "spaces and backslashes in a regular id" },
    { REF("\xe5\xb7\xa5\xe4\xbb\xb6"), ART_ID_OK,
      "\xe5\xb7\xa5\xe4\xbb\xb6", "", "", 0, "a Chinese regular id" },
    { REF("a..b"), ART_ID_OK, "a..b", "", "", 0, "inner dots" },
    { REF(""), ART_ID_INVALID, BAD, "nothing" },
    { REF("artifact:"), ART_ID_INVALID, BAD, "\"artifact:\" alone" },
    { REF("."), ART_ID_INVALID, BAD, "a dot" },
    { REF(".."), ART_ID_INVALID, BAD, "two dots" },
    { REF(".hidden"), ART_ID_INVALID, BAD, "a leading dot" },
    { REF("a/b"), ART_ID_INVALID, BAD, "a slash" },
    { REF("../a"), ART_ID_INVALID, BAD, "a climb in a regular id" },
    { REF("a\0b"), ART_ID_INVALID, BAD, "a NUL" },
    { REF("a\nb"), ART_ID_INVALID, BAD, "a line feed" },
    { REF("a\x7f"), ART_ID_INVALID, BAD, "a DEL" },
    { REF("a\xc2\x85"), ART_ID_INVALID, BAD, "a C1 control character" },
    { REF("a\xc2\xa0"), ART_ID_OK, "a\xc2\xa0", "", "", 0,
      "but U+00A0 is none" },
    { REF("a\xff"), ART_ID_INVALID, BAD, "no UTF-8" },
    { REF("\xc0\xaf"), ART_ID_INVALID, BAD, "overlong UTF-8" },
    { REF("\xed\xa0\x80"), ART_ID_INVALID, BAD, "a surrogate" },

    { REF("ws:agent-abc123:c3JjL21haW4uanM"), ART_ID_OK,
      "ws:agent-abc123:c3JjL21haW4uanM", "agent-abc123", "src/main.js", 0,
      "the workspace id of the design" },
    { REF("artifact:ws:agent-abc123:c3JjL21haW4uanM="), ART_ID_OK,
      "ws:agent-abc123:c3JjL21haW4uanM", "agent-abc123", "src/main.js", 0,
      "with prefix and padding" },
    { REF("ws:a:b:YQ"), ART_ID_OK, "ws:a:b:YQ", "a:b", "a", 0,
      "split at the last colon" },
    { REF("ws:::YQ"), ART_ID_OK, "ws:::YQ", ":", "a", 0,
      "a workspace called \":\"" },
    { REF("ws:..x:YQ"), ART_ID_OK, "ws:..x:YQ", "..x", "a", 0,
      "a workspace called \"..x\"" },
    { REF("ws:w:c3JjLy4vYS5qcw"), ART_ID_OK, "ws:w:c3JjL2EuanM", "w",
      "src/a.js", 0, "\"src/./a.js\" has the id of \"src/a.js\"" },
    { REF("ws:w:c3JjLw"), ART_ID_OK, "ws:w:c3Jj", "w", "src", 1,
      "\"src/\" is a folder" },
    { REF("ws:w:Lg"), ART_ID_OK, "ws:w:", "w", "", 1,
      "\".\" is the workspace's folder" },
    { REF("ws:only-one-part"), ART_ID_INVALID, BAD, "one part only" },
    { REF("ws:"), ART_ID_INVALID, BAD, "no part" },
    { REF("ws::"), ART_ID_INVALID, BAD, "two empty parts" },
    { REF("ws:::"), ART_ID_INVALID, BAD, "colons only" },
    { REF("ws:a:"), ART_ID_INVALID, BAD, "an empty path" },
    { REF("ws::YQ"), ART_ID_INVALID, BAD, "an empty workspace" },
    { REF("ws:.:YQ"), ART_ID_INVALID, BAD, "workspace \".\"" },
    { REF("ws:..:YQ"), ART_ID_INVALID, BAD, "workspace \"..\"" },
    { REF("ws:a/b:YQ"), ART_ID_INVALID, BAD, "a slash in a workspace" },
    { REF("ws:a\0b:YQ"), ART_ID_INVALID, BAD, "a NUL in a workspace" },
    { REF("ws:a\tb:YQ"), ART_ID_INVALID, BAD, "a tab in a workspace" },
    { REF("ws:\xff:YQ"), ART_ID_INVALID, BAD, "a workspace of no UTF-8" },
    { REF("ws:w:YQ=="), ART_ID_OK, "ws:w:YQ", "w", "a", 0,
      "two bytes of padding" },
    { REF("ws:w:YQ="), ART_ID_INVALID, BAD, "half of its padding" },
    { REF("ws:w:YQ==="), ART_ID_INVALID, BAD, "too much padding" },
    { REF("ws:w:=YQ="), ART_ID_INVALID, BAD, "padding in front" },
    { REF("ws:w:Y=Q="), ART_ID_INVALID, BAD, "padding inside" },
    { REF("ws:w:YWJj===="), ART_ID_INVALID, BAD, "a group of padding" },
    { REF("ws:w:="), ART_ID_INVALID, BAD, "padding alone" },
    { REF("ws:w:YWJjZ"), ART_ID_INVALID, BAD, "a length of 1 mod 4" },
    { REF("ws:w:YR"), ART_ID_INVALID, BAD, "non-zero trailing bits, 4" },
    { REF("ws:w:YWF"), ART_ID_INVALID, BAD, "non-zero trailing bits, 2" },
    { REF("ws:w:YW+j"), ART_ID_INVALID, BAD, "\"+\"" },
    { REF("ws:w:YW/j"), ART_ID_INVALID, BAD, "\"/\"" },
    { REF("ws:w:YQ\n"), ART_ID_INVALID, BAD, "white space" },
    { REF("ws:w:YQBi"), ART_ID_INVALID, BAD, "a NUL in the path" },
    { REF("ws:w:_w"), ART_ID_INVALID, BAD, "a path of no UTF-8" },
    { REF("ws:w:Li7ArmE"), ART_ID_INVALID, BAD, "overlong UTF-8 in a path" },
    { REF("ws:w:L2V0Yy9wYXNzd2Q"), ART_ID_TRAVERSAL, BAD,
      "an absolute path" },
    { REF("ws:w:Li4"), ART_ID_TRAVERSAL, BAD, "\"..\"" },
    { REF("ws:w:Li4vdy9h"), ART_ID_TRAVERSAL, BAD,
      "\"../w/a\", which would come back" },
    { REF("ws:w:YS8uLi8uLi9i"), ART_ID_TRAVERSAL, BAD, "\"a/../../b\"" }
};


static const case_t  path_cases[] = {
    { REF("w/src/main.js"), ART_ID_OK, "ws:w:c3JjL21haW4uanM", "w",
      "src/main.js", 0, "a workspace path" },
    { REF("a:b/x"), ART_ID_OK, "ws:a:b:eA", "a:b", "x", 0,
      "a workspace with a colon" },
    { REF("w"), ART_ID_OK, "ws:w:", "w", "", 1, "no path" },
    { REF("w/"), ART_ID_OK, "ws:w:", "w", "", 1, "an empty path" },
    { REF("w/a/"), ART_ID_OK, "ws:w:YQ", "w", "a", 1, "a trailing slash" },
    { REF("w/a/.."), ART_ID_OK, "ws:w:", "w", "", 1, "back to the start" },
    { REF(""), ART_ID_INVALID, BAD, "nothing" },
    { REF("/a"), ART_ID_INVALID, BAD, "no workspace" },
    { REF("./a"), ART_ID_INVALID, BAD, "workspace \".\"" },
    { REF("../a"), ART_ID_INVALID, BAD, "workspace \"..\"" },
    { REF("w/a\0"), ART_ID_INVALID, BAD, "a NUL" },
    { REF("w/\xf0\x80\x80\xaf"), ART_ID_INVALID, BAD, "overlong UTF-8" },
    { REF("w//a"), ART_ID_TRAVERSAL, BAD, "an absolute path" },
    { REF("w/.."), ART_ID_TRAVERSAL, BAD, "a climb" },
    { REF("w/../w/a"), ART_ID_TRAVERSAL, BAD, "a climb that comes back" }
};


static const struct {
    const char       *path;
    art_id_status_t   status;
    const char       *want;
    unsigned          folder;
} resolve_cases[] = {
    { "", ART_ID_OK, "", 1 },
    { "a", ART_ID_OK, "a", 0 },
    { "a/b/c", ART_ID_OK, "a/b/c", 0 },
    { "./a", ART_ID_OK, "a", 0 },
    { "a/.", ART_ID_OK, "a", 1 },
    { "a/./b", ART_ID_OK, "a/b", 0 },
    { "a//b", ART_ID_OK, "a/b", 0 },
    { "a/b/..", ART_ID_OK, "a", 1 },
    { "a/b/../c", ART_ID_OK, "a/c", 0 },
    { "aa/bb/../../cc", ART_ID_OK, "cc", 0 },
    { "a/../b", ART_ID_OK, "b", 0 },
    { "a/..", ART_ID_OK, "", 1 },
    { "..hidden", ART_ID_OK, "..hidden", 0 },
    { "a/..b", ART_ID_OK, "a/..b", 0 },
    { "a/b..", ART_ID_OK, "a/b..", 0 },
    { "...", ART_ID_OK, "...", 0 },
    { "..\\a", ART_ID_OK, "..\\a", 0 },
    { "a\\..\\b", ART_ID_OK, "a\\..\\b", 0 },
    { "/", ART_ID_TRAVERSAL, NULL, 0 },
    { "/a", ART_ID_TRAVERSAL, NULL, 0 },
    { "..", ART_ID_TRAVERSAL, NULL, 0 },
    { "../", ART_ID_TRAVERSAL, NULL, 0 },
    { "./..", ART_ID_TRAVERSAL, NULL, 0 },
    { "a/../..", ART_ID_TRAVERSAL, NULL, 0 },
    { "a/../../a/b", ART_ID_TRAVERSAL, NULL, 0 },
    { "a//../..", ART_ID_TRAVERSAL, NULL, 0 }
};


static uint8_t  heap[ART_ID_ROOM(BYTES)];


static int
same(art_str_t got, const char *want)
{
    return art_str_eq(got, art_cstr(want));
}


static void
check_cases(const case_t *c, size_t n,
    art_id_status_t (*parse)(art_str_t, uint8_t *, art_ref_t *),
    const char *what)
{
    int               pass;
    size_t            i;
    uint8_t          *buf;
    art_ref_t         ref;
    art_id_status_t   status;

    for (i = 0; i < n; i++, c++) {

        /* exactly the promised room, so that a sanitizer sees one byte more */

        buf = malloc(ART_ID_ROOM(c->len));
        status = parse(art_str(c->ref, c->len), buf, &ref);
        pass = status == c->status;

        if (pass && status == ART_ID_OK) {
            pass = same(ref.id, c->id) && same(ref.workspace, c->workspace)
                   && same(ref.path, c->path) && ref.folder == c->folder
                   && ref.kind == (c->workspace[0] ? ART_ID_WORKSPACE
                                                   : ART_ID_REGULAR)
                   && ref.colon == (strchr(c->workspace, ':') != NULL);
        }

        if (!ok(pass, "%s: %s", what, c->name)) {
            diag("status %d, expected %d", (int) status, (int) c->status);

            if (status == ART_ID_OK) {
                diag_mem("id", ref.id.data, ref.id.len);
                diag_mem("path", ref.path.data, ref.path.len);
            }
        }

        free(buf);
    }
}


static void
check_resolve(void)
{
    char              uri[64];
    size_t            i;
    art_ref_t         ref;
    art_id_status_t   status;

    for (i = 0; i < sizeof(resolve_cases) / sizeof(resolve_cases[0]); i++) {
        sprintf(uri, "w/%s", resolve_cases[i].path);
        status = art_id_from_path(art_cstr(uri), heap, &ref);

        if (resolve_cases[i].want == NULL) {
            ok(status == ART_ID_TRAVERSAL, "resolve \"%s\" is refused",
               resolve_cases[i].path);
            continue;
        }

        if (!ok(status == ART_ID_OK
                && same(ref.path, resolve_cases[i].want)
                && ref.folder == resolve_cases[i].folder,
                "resolve \"%s\"", resolve_cases[i].path))
        {
            diag_mem("got", ref.path.data, ref.path.len);
            diag("folder %u", ref.folder);
        }
    }
}


static void
check_limits(void)
{
    size_t      len;
    uint8_t     text[BYTES];
    art_out_t   out;
    art_str_t   path;
    art_ref_t   ref;
    uint8_t     id[BYTES];

    memset(text, 'a', sizeof(text));

    is_int(art_id_parse(art_str(text, 255), heap, &ref), ART_ID_OK,
           "a regular id of 255 bytes");
    is_int(art_id_parse(art_str(text, 256), heap, &ref), ART_ID_INVALID,
           "one of 256 bytes");

    for (len = ART_ID_PATH_MAX; len <= ART_ID_PATH_MAX + 1; len++) {
        path = art_str(text, len);
        out = (art_out_t) { id, 0, sizeof(id) };
        (void) art_id_encode(&out, art_cstr("w"), path);

        is_int(art_id_parse(art_str(id, out.len), heap, &ref),
               len > ART_ID_PATH_MAX ? ART_ID_INVALID : ART_ID_OK,
               len > ART_ID_PATH_MAX ? "an encoded path of 4096 bytes"
                                     : "an encoded path of 4095 bytes");

        text[1] = '/';
        is_int(art_id_from_path(art_str(text, 2 + len), heap, &ref),
               len > ART_ID_PATH_MAX ? ART_ID_INVALID : ART_ID_OK,
               len > ART_ID_PATH_MAX ? "a path of 4096 bytes"
                                     : "a path of 4095 bytes");
        text[1] = 'a';
    }

    text[255] = '/';
    is_int(art_id_from_path(art_str(text, 300), heap, &ref), ART_ID_OK,
           "a workspace id of 255 bytes");
    text[255] = 'a';
    text[256] = '/';
    is_int(art_id_from_path(art_str(text, 300), heap, &ref), ART_ID_INVALID,
           "one of 256 bytes");
}


static void
check_encode(void)
{
    uint8_t     id[64];
    art_out_t   out;

    out = (art_out_t) { id, 0, sizeof(id) };

    is_int(art_id_encode(&out, art_cstr(""), art_cstr("a")), ART_ERROR,
           "encoding without a workspace");
    is_int(art_id_encode(&out, art_cstr("w"), art_cstr("")), ART_ERROR,
           "encoding without a path");
    is_int((long long) out.len, 0, "nothing is written then");

    out = (art_out_t) { NULL, 0, 0 };
    (void) art_id_encode(&out, art_cstr("agent-abc123"),
                         art_cstr("src/main.js"));
    is_int((long long) out.len, 31, "a pass without room measures");

    memset(id, '#', sizeof(id));
    out = (art_out_t) { id, 0, 10 };
    (void) art_id_encode(&out, art_cstr("w"), art_cstr("src/main.js"));
    is_mem(id, 12, "ws:w:c3JjL##", 12, "a small room is not overrun");
    is_int((long long) out.len, 20, "and counted beyond");
}


static void
check_key(void)
{
    size_t              i;
    uint8_t             key[256], buf[256];
    art_out_t           out;
    art_ref_t           ref;
    static const char  *cases[][2] = {
        { "abc-1_2.~x", "artifacts/abc-1_2.~x" },
        { "a b:c%", "artifacts/a%20b%3Ac%25" },
        { "\xe4\xb8\xad", "artifacts/%E4%B8%AD" },
        { "ws:a:b:c3JjL21haW4uanM", "workspaces/a%3Ab/src/main.js" },
        { "ws:w:YSAmPyMrYg", "workspaces/w/a%20%26%3F%23%2Bb" }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        out = (art_out_t) { key, 0, sizeof(key) };

        if (art_id_parse(art_cstr(cases[i][0]), buf, &ref) == ART_ID_OK) {
            art_id_key(&out, &ref);
        }

        is_mem(key, out.len, cases[i][1], strlen(cases[i][1]), cases[i][1]);
    }
}


/* Ids of files (docs/writes.md): both forms, and what is near them. */

static void
check_files(void)
{
    size_t       i;
    uint8_t      id[ART_UUID_LEN], text[ART_ID_FILE];
    art_out_t    out;
    const char  *uuid = "019a0b1c-2d3e-7f40-8123-456789abcdef";

    static const char *const  files[] = {
        "file-art-019a0b1c2d3e7f408123456789abcdef",
        "file_art_019a0b1c2d3e7f408123456789abcdef"
    };
    static const char *const  foreign[] = {
        "", "file-art-", "file-abc123", "file_011CNha8iCJcU1wXNR6q4V8w",
        "file-art_019a0b1c2d3e7f408123456789abcdef",
        "file-art-019a0b1c2d3e7f408123456789abcde",
        "file-art-019a0b1c2d3e7f408123456789abcdef0",
        "file-art-019A0B1C2D3E7F408123456789ABCDEF",
        "file-art-019a0b1c-2d3e-7f40-8123-456789abc",
        "File-art-019a0b1c2d3e7f408123456789abcdef"
    };

    for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        memset(id, 0, sizeof(id));

        ok(art_id_from_file(art_cstr(files[i]), id), files[i]);
        is_mem(id, sizeof(id), uuid, strlen(uuid), "is an artifact's id");

        out = art_out(text, sizeof(text));

        is_int(art_id_file(&out, i == 0 ? ART_ID_FILE_OPENAI
                                        : ART_ID_FILE_ANTHROPIC,
                           art_cstr(uuid)),
               ART_OK, "and is made of it");
        is_mem(text, out.len, files[i], strlen(files[i]), "the same again");
    }

    for (i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
        ok(!art_id_from_file(art_cstr(foreign[i]), id), foreign[i]);
    }

    out = art_out(text, sizeof(text));

    is_int(art_id_file(&out, ART_ID_FILE_OPENAI,
                       art_cstr("019A0B1C-2D3E-7F40-8123-456789ABCDEF")),
           ART_ERROR, "no file id has letters in upper case");
    is_int(art_id_file(&out, ART_ID_FILE_OPENAI, art_cstr("abc")),
           ART_ERROR, "or is made of another id");
}


int
main(void)
{
    check_cases(parse_cases, sizeof(parse_cases) / sizeof(parse_cases[0]),
                art_id_parse, "parse");
    check_cases(path_cases, sizeof(path_cases) / sizeof(path_cases[0]),
                art_id_from_path, "path");
    check_resolve();
    check_limits();
    check_encode();
    check_key();
    check_files();

    return done();
}
