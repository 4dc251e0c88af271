
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Whom classification asks: the server's types for an extension, and libmagic
 * for what nothing else tells.
 */


#include "classify_contents.h"
#include "tap.h"


static void
check_lookup(void)
{
    size_t            i;
    unsigned          calls;
    art_claims_t      claims;
    art_verdict_t     verdict;
    art_evidence_t    evidence;

    static const struct {
        content_t    content;
        const char  *extension;
        const char  *name;
        const char  *mime;
        const char  *what;
    } cases[] = {
        { TEXT, ".cst", NULL, "text/x-custom", "a type only it knows" },
        { TEXT, ".MD", NULL, "text/x-other", "before the built-in table" },
        { TEXT, ".js", NULL, "text/javascript", "a generic type is none" },
        { TEXT, ".css", NULL, "text/css", "a malformed one neither" },
        { TEXT, ".py", NULL, "text/x-python", "else the built-in table" },
        { TEXT, ".unknown", "a.cst", "text/x-custom", "and then the name" },
        { TEXT, ".py", "a.cst", "text/x-python",
          "the extension comes first" },
        { GIF, "gif2", NULL, "image/gif", "an extension without a dot" },
        { PNG, ".cst", NULL, "image/png", "the content wins over it" },
        { TEXT, ".ts", NULL, "text/x-typescript",
          "text named like a video is what the built-in table says" },
        { UNREAD, ".cst", NULL, "text/x-custom", "content not looked at" }
    };

    for (i = 0; i < nitems(cases); i++) {
        memset(&claims, 0, sizeof(claims));
        calls = 0;

        claims.extension = maybe(cases[i].extension);
        claims.names[0] = maybe(cases[i].name);
        claims.lookup = lookup;
        claims.data = &calls;

        (void) art_classify(&claims, look(cases[i].content, &evidence),
                            &verdict);

        if (!ok(is_type(&verdict, cases[i].mime) && calls > 0,
                "server's types: %s", cases[i].what))
        {
            diag_mem("type", verdict.type.buf, verdict.type.len);
        }
    }

    (void) art_classify(&claims, NULL, &verdict);
    claims.extension = art_cstr(".md");
    (void) art_classify(&claims, NULL, &verdict);
    is_str(verdict.charset ? verdict.charset : "-", "GB18030",
           "server's types: with a charset");
}


static void
check_magic_wanted(void)
{
    size_t           i;
    art_claims_t     claims;
    art_evidence_t   evidence;

    static const struct {
        content_t    content;
        const char  *declared;
        const char  *name;
        int          wanted;
        const char  *what;
    } cases[] = {
        { BINARY, NULL, NULL, 1, "unknown bytes that nothing declares" },
        { BINARY, OCTETS, NULL, 1, "a generic type" },
        { BINARY, NULL, "a.unknown", 1, "an unknown extension" },
        { GBK_OLD, NULL, NULL, 1, "what is hardly text" },
        { GBK, NULL, NULL, 0, "text in a charset" },
        { NULTEXT, "text/plain", NULL, 1, "declared text that is none" },
        { NULTEXT, NULL, "a.txt", 1, "named text that is none" },
        { BINARY, "image/png", NULL, 0, "declared, not contradicted" },
        { BINARY, "application/x-new", NULL, 0, "a type without a row" },
        { BINARY, NULL, "a.png", 0, "named, not contradicted" },
        { GBK, "text/plain", NULL, 0, "declared text that may be text" },
        { PNG, NULL, NULL, 0, "a signature" },
        { PNG, "text/plain", NULL, 0, "a signature of another kind" },
        { TEXT, NULL, NULL, 0, "text" },
        { TEXT, "image/png", NULL, 0, "text, whatever it is declared" },
        { EMPTY, NULL, NULL, 0, "nothing to look at" }
    };

    for (i = 0; i < nitems(cases); i++) {
        memset(&claims, 0, sizeof(claims));

        claims.declared[0] = maybe(cases[i].declared);
        claims.names[0] = maybe(cases[i].name);
        (void) look(cases[i].content, &evidence);

        is_int(art_classify_wants_magic(&claims, &evidence), cases[i].wanted,
               cases[i].what);

        art_sniff_magic(&evidence, art_cstr(""));

        if (cases[i].wanted) {
            is_int(art_classify_wants_magic(&claims, &evidence), 0,
                   "libmagic is asked once");
        }
    }
}


static void
check_magic_used(void)
{
    size_t           i;
    art_claims_t     claims;
    art_verdict_t    verdict;
    art_evidence_t   evidence;

    static const struct {
        content_t     content;
        const char   *declared;
        const char   *magic;
        const char   *mime;
        art_kind_t    kind;
    } cases[] = {
        { BINARY, NULL, "image/x-new", "image/x-new", ART_KIND_IMAGE },
        { BINARY, NULL, "application/x-new", "application/x-new",
          ART_KIND_OTHER },
        { BINARY, NULL, "application/x-cdf", "application/x-ole-storage",
          ART_KIND_OTHER },
        { NULTEXT, "text/plain", "font/sfnt", "font/ttf", ART_KIND_OTHER },
        { BINARY, NULL, "text/plain", OCTETS, ART_KIND_OTHER },
        { BINARY, NULL, "text/x-c; charset=binary", OCTETS, ART_KIND_OTHER },
        { BINARY, NULL, "application/json", OCTETS, ART_KIND_OTHER },
        { BINARY, NULL, OCTETS, OCTETS, ART_KIND_OTHER },
        { BINARY, NULL, "", OCTETS, ART_KIND_OTHER },
        { GBK_OLD, NULL, "text/plain", OCTETS, ART_KIND_OTHER },
        { BINARY, NULL, "image/x-tga", OCTETS, ART_KIND_OTHER },
        { BINARY, NULL, "video/mpeg", OCTETS, ART_KIND_OTHER },
        { BINARY, "audio/mpeg", "image/x-new", "audio/mpeg",
          ART_KIND_AUDIO },
        { PNG, NULL, "video/x-new", "image/png", ART_KIND_IMAGE },
        { TEXT, NULL, "image/x-new", "text/plain", ART_KIND_TEXT }
    };

    for (i = 0; i < nitems(cases); i++) {
        memset(&claims, 0, sizeof(claims));

        claims.declared[0] = maybe(cases[i].declared);
        (void) look(cases[i].content, &evidence);
        art_sniff_magic(&evidence, art_cstr(cases[i].magic));

        ok(art_classify(&claims, &evidence, &verdict) == ART_OK
           && is_type(&verdict, cases[i].mime)
           && verdict.kind == cases[i].kind,
           "libmagic says \"%s\": %s", cases[i].magic, cases[i].mime);
    }
}


int
main(void)
{
    check_lookup();
    check_magic_wanted();
    check_magic_used();

    return done();
}
