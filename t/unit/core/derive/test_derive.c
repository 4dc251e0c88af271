
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Rules of conversion: how they are written, and which one is chosen.
 */


#include "core/api/art_api_format.h"
#include "core/capability/art_capability.h"
#include "core/derive/art_derive.h"
#include "tap.h"


static void *
take(void *data, size_t size)
{
    (void) data;

    return malloc(size);
}


static const art_pool_t  pool = { take, NULL };


static art_derive_rule_t
rule(const char *from, const char *to, unsigned body)
{
    art_str_t          bad;
    art_derive_rule_t  rule;

    memset(&rule, 0, sizeof(rule));

    if (art_derive_parse(&rule, art_cstr(from), art_cstr(to), &pool, &bad)
        != ART_DERIVE_OK)
    {
        ok(0, "\"%s\" to \"%s\"", from, to);
    }

    rule.body = body & 1;

    return rule;
}


static void
check_parse(void)
{
    size_t             i;
    art_str_t          bad;
    art_derive_rule_t  r;

    static const struct {
        const char          *from;
        const char          *to;
        art_derive_error_t   error;
        const char          *bad;
    } rows[] = {
        { "image/png", "image", ART_DERIVE_TO, "" },
        { "image/png", "image/*", ART_DERIVE_TO, "" },
        { "image/png", "", ART_DERIVE_TO, "" },
        { "image/png", "application/octet-stream", ART_DERIVE_TO, "" },
        { "", "image/png", ART_DERIVE_FROM, "" },
        { "image,", "image/png", ART_DERIVE_FROM, "" },
        { "image,,audio", "image/png", ART_DERIVE_FROM, "" },
        { "text", "image/png", ART_DERIVE_FROM, "text" },
        { "image, pictures", "image/png", ART_DERIVE_FROM, "pictures" },
        { "image/", "image/png", ART_DERIVE_FROM, "image/" },
    };

    r = rule("IMAGE/Heic, image,image/JPG,Video/* ,other", "Image/JPG", 0);

    ok(art_str_eq(r.from, art_cstr("image/heic,image/jpeg,video/*")),
       "types and ranges in lower case, aliases replaced: \"%.*s\"",
       (int) r.from.len, (const char *) r.from.data);
    ok(r.kinds == (1u << ART_KIND_IMAGE | 1u << ART_KIND_OTHER),
       "binary types");
    ok(art_str_eq(r.to, art_cstr("image/jpeg")) && r.kind == ART_KIND_IMAGE,
       "what it becomes");

    free((void *) r.to.data);

    for (i = 0; i < nitems(rows); i++) {
        bad = art_str(NULL, 0);
        memset(&r, 0, sizeof(r));

        ok(art_derive_parse(&r, art_cstr(rows[i].from), art_cstr(rows[i].to),
                            &pool, &bad)
           == rows[i].error && art_str_eq(bad, art_cstr(rows[i].bad)),
           "\"%s\" to \"%s\"", rows[i].from, rows[i].to);

        if (rows[i].error == ART_DERIVE_FROM) {
            free((void *) r.to.data);
        }
    }
}


/* What is derived for a reader of OpenAI's; the rules' numbers, "" for none. */

static void
check_next(void)
{
    size_t               i, n;
    unsigned             k, next;
    char                 list[64];
    art_question_t       question;
    art_decision_t       decision;
    art_derive_rule_t    rules[6];
    art_derive_source_t  source;

    static const struct {
        const char  *mime;
        unsigned     caps;
        uint64_t     size;
        unsigned     named;
        unsigned     bytes;
        const char  *list;
    } rows[] = {
        /* what the reader takes */
        { "image/png", ART_CAP_VISION, 9, 1, 1, "-" },
        { "text/plain", ART_CAP_VISION, 9, 1, 1, "-" },
        /* a type, a size, a capability that is missing */
        { "image/heic", ART_CAP_VISION, 9, 1, 1, "023" },
        { "image/heic", 0, 9, 1, 1, "3" },
        { "image/png", ART_CAP_VISION, 1 << 30, 1, 1, "23" },
        { "image/png", 0, 9, 1, 1, "3" },
        { "application/pdf", 0, 9, 1, 1, "3" },
        { "application/zip", ART_CAP_VISION, 9, 1, 1, "" },
        { "audio/x-unheard-of", 0, 9, 1, 1, "4" },
        /* pages: only what names them, only for who sees */
        { "image/svg+xml", ART_CAP_VISION, 9, 1, 1, "15" },
        { "image/svg+xml", 0, 9, 1, 1, "-" },
        { "text/html", ART_CAP_VISION, 9, 1, 1, "5" },
        { "text/html", 0, 9, 1, 1, "-" },
        /* the client's own have no id, others cannot be sent */
        { "image/heic", ART_CAP_VISION, 9, 0, 1, "03" },
        { "image/heic", ART_CAP_VISION, 9, 1, 0, "2" },
    };

    rules[0] = rule("image/heic", "image/jpeg", 1);
    rules[1] = rule("image/svg+xml", "image/png", 1);
    rules[2] = rule("image/*", "image/jpeg", 0);
    rules[3] = rule("application/pdf,image", "text/plain", 1);
    rules[4] = rule("audio", "text/markdown", 1);
    rules[5] = rule("text/html,image/svg+xml", "image/webp", 1);

    for (i = 0; i < nitems(rows); i++) {
        memset(&question, 0, sizeof(question));

        question.format = art_format_find(art_cstr("openai"));
        question.mime = art_cstr(rows[i].mime);
        question.kind = art_media_traits(question.mime).kind;
        question.caps = ART_CAP_TEXT | rows[i].caps;
        question.size = rows[i].size;
        question.size_known = 1;

        art_route_decide(&question, &decision);

        memset(&source, 0, sizeof(source));

        source.named = rows[i].named & 1;
        source.bytes = rows[i].bytes & 1;

        n = 0;

        if (!art_derive_wanted(&question, &decision, &source)) {
            list[n++] = '-';

        } else {
            for (k = 0; /* void */ ; k = next + 1) {
                next = art_derive_next(rules, nitems(rules), k, &source,
                                       art_derive_takes, &question);

                if (next == nitems(rules)) {
                    break;
                }

                list[n++] = (char) ('0' + next);
            }
        }

        list[n] = '\0';

        ok(strcmp(list, rows[i].list) == 0,
           "%s, capabilities %x, %llu bytes: \"%s\"", rows[i].mime,
           rows[i].caps, (unsigned long long) rows[i].size, list);
    }

    for (i = 0; i < nitems(rules); i++) {
        free((void *) rules[i].to.data);
    }
}


/* Nothing is made of nothing, of what cannot be read, of what is not known. */

static void
check_wanted(void)
{
    art_question_t       question;
    art_decision_t       decision;
    art_derive_source_t  source;

    memset(&question, 0, sizeof(question));

    question.format = art_format_find(art_cstr("openai"));
    question.mime = art_cstr("image/heic");
    question.kind = ART_KIND_IMAGE;
    question.caps = ART_CAP_TEXT | ART_CAP_VISION;

    art_route_decide(&question, &decision);
    ok(art_derive_wanted(&question, &decision, &source), "a type");

    question.empty = 1;
    art_route_decide(&question, &decision);
    ok(!art_derive_wanted(&question, &decision, &source), "empty");

    question.empty = 0;
    question.failed = 1;
    art_route_decide(&question, &decision);
    ok(!art_derive_wanted(&question, &decision, &source), "unreadable");

    question.failed = 0;
    question.caps = ART_CAP_TEXT;
    question.unknown = 1;
    question.mime = art_cstr("image/png");
    art_route_decide(&question, &decision);
    ok(!art_derive_wanted(&question, &decision, &source),
       "an unknown service");

    question.caps = ART_CAP_TEXT | ART_CAP_VISION;
    art_route_decide(&question, &decision);
    decision.reason = ART_REASON_PIXELS;
    decision.described = 1;
    ok(art_derive_wanted(&question, &decision, &source), "pixels");
}


int
main(void)
{
    check_parse();
    check_next();
    check_wanted();

    return done();
}
