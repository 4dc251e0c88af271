
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Media by URL: the rows of all formats and slots, what is decided with them,
 * and the models for which a provider fetches.
 */


#include "core/api/art_api.h"
#include "core/format/art_delivery.h"
#include "core/format/art_route.h"
#include "tap.h"


/* A template with a URL and without bytes. */

static int
is_link(const char *template)
{
    return strstr(template, "%a") != NULL && strstr(template, "%B") == NULL
           && strstr(template, "%E") == NULL;
}


/* Whether the inline part takes all types of the one with a URL. */

static int
is_subset(const art_part_t *url, const art_part_t *part)
{
    size_t       n;
    const char  *p;

    for (p = url->types; *p != '\0'; p += n + strspn(p + n, " ")) {
        n = strcspn(p, " ");

        if (*p == '?' || memchr(p, '=', n) != NULL || memchr(p, '*', n) != NULL
            || !art_part_takes(part, art_str(p, n), 0))
        {
            return 0;
        }
    }

    return 1;
}


static void
check_rows(void)
{
    unsigned             i, links;
    art_kind_t           kind;
    const art_part_t    *url;
    const art_format_t  *format, *inside;

    links = 0;

    for (i = 0; (format = art_format_row(i)) != NULL; i++) {
        inside = format->in_message != NULL ? format->in_message : format;

        for (kind = ART_KIND_TEXT; kind < ART_KIND_MAX; kind++) {
            url = &inside->urls[kind];

            if (url->template == NULL) {
                continue;
            }

            links++;

            ok(is_link(url->template), "%s, %s: a URL and no bytes",
               format->name, art_kind_name(kind));
            ok(kind != ART_KIND_TEXT
               && is_subset(url, &inside->parts[kind]),
               "... of types that are sent inline, too");
        }
    }

    ok(links > 10, "%u rows", links);
    ok(art_format_find(art_cstr("bedrock"))->urls[ART_KIND_IMAGE].template
       == NULL, "none of Bedrock");
}


static void
check_forms(void)
{
    unsigned                   i, bad, n;
    const art_api_t           *api;
    const art_message_form_t  *form;

    for (i = 0; (api = art_api_request_row(i)) != NULL; i++) {
        n = 0;
        bad = 0;

        for (form = api->request.forms;
             form != NULL && form->type != ART_TYPE_NONE; form++)
        {
            if (form->url.value != NULL) {
                n++;
                bad += !is_link(form->url.value) || form->kinds == 0;
            }
        }

        ok(bad == 0, "%s: %u slots for URLs", api->name, n);
    }
}


static art_decision_t
decide(const char *format, uint64_t size, unsigned known, uint64_t service_max)
{
    art_decision_t  decision;
    art_question_t  question;

    memset(&question, 0, sizeof(question));

    question.format = art_format_find(art_cstr(format));
    question.kind = ART_KIND_IMAGE;
    question.mime = art_cstr("image/png");
    question.caps = ~0u;
    question.inline_max = 100;
    question.service_max = service_max;
    question.size = size;
    question.size_known = known & 1;
    question.has_url = 1;

    art_route_decide(&question, &decision);

    return decision;
}


static void
check_decisions(void)
{
    art_decision_t  d;

    d = decide("openai", 1000, 1, 0);
    ok(d.by_url == 1 && !d.described && d.max == 0,
       "inline_max does not apply to a URL");

    d = decide("mistral", 10 << 20, 1, 0);
    ok(d.by_url == 1, "as large as the row says");

    d = decide("mistral", (10 << 20) + 1, 1, 0);
    ok(d.by_url == 0 && d.described && d.reason == ART_REASON_SIZE,
       "larger: neither that nor inline");

    d = decide("openai", 1000, 1, 999);
    ok(!d.by_url && d.described, "the service's limit counts");

    d = decide("mistral", 0, 0, 999);
    ok(d.by_url && d.max == 0, "an unknown size exceeds no limit");

    d = decide("bedrock", 50, 1, 0);
    ok(!d.by_url && !d.described, "Bedrock: inline");

    d = decide("route", 50, 1, 0);
    ok(d.by_url == 0, "an answer of the platform: inline");
}


static void
check_models(void)
{
    size_t  i;

    static const struct {
        const char  *format;
        const char  *model;
        int          fetches;
    } cases[] = {
        { "gemini", "gemini-2.5-flash", 1 },
        { "gemini", "models/Gemini-2.5-pro", 1 },
        { "gemini", "gemini-2.10", 1 },
        { "gemini", "gemini-3-pro-preview", 1 },
        { "gemini", "my-gemini-x/gemini-3.5", 1 },
        { "gemini", "gemini-2.4", 0 },
        { "gemini", "gemini-2", 0 },
        { "gemini", "gemini-2.", 0 },
        { "gemini", "gemini-1.5-pro", 0 },
        { "gemini", "gemini-flash-latest", 0 },
        { "gemini", "gemini-", 0 },
        { "gemini", "", 0 },
        { "gemini_interactions", "gemini-2.0-flash", 0 },
        { "anthropic", "claude-sonnet-4-5", 1 },
        { "anthropic", "", 1 },
        { "anthropic", "anthropic/claude-3", 1 },
        { "anthropic", "anthropic.claude-3", 0 },
        { "anthropic", "us.anthropic.claude-3", 0 },
        { "openai", "arn:aws:bedrock:::model/Anthropic.claude", 0 },
        { "openai", "gpt-4o", 1 }
    };

    art_str_t  names[2];

    for (i = 0; i < nitems(cases); i++) {
        names[0] = art_str(NULL, 0);
        names[1] = art_cstr(cases[i].model);

        ok(art_delivery_fetches(art_format_find(art_cstr(cases[i].format)),
                                names, 2) == cases[i].fetches,
           "%s, \"%s\"", cases[i].format, cases[i].model);
    }

    names[0] = art_cstr("gemini-2.5-flash");
    names[1] = art_cstr("us.anthropic.claude");

    ok(!art_delivery_fetches(art_format_find(art_cstr("gemini")), names, 2),
       "any of Bedrock's names decides");

    ok(art_delivery_find(art_str(NULL, 0)) == ART_DELIVERY_INLINE
       && art_delivery_find(art_cstr("inline")) == ART_DELIVERY_INLINE
       && art_delivery_find(art_cstr("url")) == ART_DELIVERY_URL
       && art_delivery_find(art_cstr("urls")) == ART_DELIVERY_MAX,
       "names");
}


int
main(void)
{
    check_rows();
    check_forms();
    check_decisions();
    check_models();

    return done();
}
