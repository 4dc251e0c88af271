
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The routing decision: the contract's table for every kind and every set of
 * capabilities, and the limits.
 */


#include "route_rows.h"
#include "tap.h"


static art_decision_t
decide(size_t row, unsigned caps, uint64_t size, uint64_t inline_max,
    unsigned size_known, unsigned failed)
{
    art_decision_t  decision;
    art_question_t  question;

    memset(&question, 0, sizeof(question));
    memset(&decision, '#', sizeof(decision));

    question.format = art_format_row(0);
    question.kind = rows[row].kind;
    question.mime = art_cstr(rows[row].mime);
    question.caps = caps;
    question.size = size;
    question.inline_max = inline_max;
    question.size_known = size_known & 1;
    question.failed = failed & 1;

    art_route_decide(&question, &decision);

    return decision;
}


static int
is_sent(const art_decision_t *d, size_t row)
{
    return consistent(d) && !d->described
           && d->routing == rows[row].routing;
}


static void
check_table(void)
{
    size_t           i;
    unsigned         caps, bad;
    art_decision_t   d;

    for (i = 0; i < nitems(rows); i++) {
        bad = 0;

        for (caps = 0; caps <= ALL_CAPS; caps++) {
            d = decide(i, caps, 1000, 0, 1, 0);

            if (rows[i].needs == 0 || (caps & rows[i].needs)) {
                bad += !is_sent(&d, i);
                continue;
            }

            if (!is_described(&d, ART_REASON_CAPABILITY)
                || d.needs != rows[i].needs || d.requires == NULL
                || strcmp(d.requires, rows[i].requires) != 0)
            {
                diag("capabilities 0x%x", caps);
                bad++;
            }
        }

        is_int(bad, 0, rows[i].name);
    }
}


/* A size above the limit is described, text and what is unknown never. */

static void
check_limits(void)
{
    size_t           i, k;
    unsigned         bad;
    uint64_t         max;
    art_decision_t   d;

    static const uint64_t  limits[] = {
        1, 2, 1024, 20971520, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
        0xfffffffffffffffe
    };

    for (i = 0; i < nitems(rows); i++) {
        bad = 0;

        for (k = 0; k < nitems(limits); k++) {
            max = limits[k];

            d = decide(i, ALL_CAPS, max - 1, max, 1, 0);
            bad += !is_sent(&d, i);

            d = decide(i, ALL_CAPS, max, max, 1, 0);
            bad += !is_sent(&d, i);

            d = decide(i, ALL_CAPS, max + 1, max, 1, 0);
            bad += rows[i].kind == ART_KIND_TEXT
                   ? !is_sent(&d, i) : !is_described(&d, ART_REASON_SIZE);

            /* a capability that lacks is what counts */

            d = decide(i, 0, max + 1, max, 1, 0);
            bad += rows[i].kind == ART_KIND_TEXT
                   ? !is_sent(&d, i)
                   : !is_described(&d, ART_REASON_CAPABILITY);

            d = decide(i, ALL_CAPS, max + 1, max, 0, 0);
            bad += !is_sent(&d, i);

            d = decide(i, ALL_CAPS, UINT64_MAX, 0, 1, 0);
            bad += !is_sent(&d, i);

            d = decide(i, ALL_CAPS, 0, max, 1, 0);
            bad += !is_sent(&d, i);
        }

        ok(bad == 0, "limits: %s", rows[i].name);
    }
}


/* Content that could not be read, whatever else may be said of it. */

static void
check_failed(void)
{
    size_t           i;
    unsigned         caps, bad;
    art_decision_t   d;

    bad = 0;

    for (i = 0; i < nitems(rows); i++) {
        for (caps = 0; caps <= ALL_CAPS; caps++) {
            d = decide(i, caps, 1000, caps % 3 ? 1 : 0, caps % 2, 1);
            bad += !is_described(&d, ART_REASON_READ);
        }
    }

    is_int(bad, 0, "a failed reading");
}


static void
check_random(void)
{
    size_t           i, row;
    unsigned         caps, failed;
    uint64_t         size, max;
    art_decision_t   a, b;

    failed = 0;

    for (i = 0; i < 2000 && failed == 0; i++) {
        row = tap_below(nitems(rows));
        caps = (unsigned) tap_below(ALL_CAPS + 1);
        size = tap_rand() >> tap_below(48);
        max = tap_below(2) ? 0 : tap_rand() >> tap_below(48);

        a = decide(row, caps, size, max, i & 1, i % 16 == 0);
        b = decide(row, caps, size, max, i & 1, i % 16 == 0);

        failed += !consistent(&a) || a.routing != b.routing
                  || a.reason != b.reason || a.described != b.described
                  || a.needs != b.needs || a.requires != b.requires;

        /* more capabilities never take anything away */

        b = decide(row, caps | (1u << tap_below(6)), size, max, i & 1,
                   i % 16 == 0);

        failed += !a.described && b.described;
    }

    ok(failed == 0, "any question: consistent, the same twice, monotonous");
}


static void
check_names(void)
{
    size_t  i;

    is_str(art_routing_name(ART_ROUTING_RAW), "raw", "raw");
    is_str(art_routing_name(ART_ROUTING_TEXT), "text", "text");
    is_str(art_routing_name(ART_ROUTING_IMAGE_URL), "image_url",
           "image_url");
    is_str(art_routing_name(ART_ROUTING_FILE), "file", "file");

    ok(art_reason_name(ART_REASON_NONE) == NULL, "no reason");
    is_str(art_reason_name(ART_REASON_CAPABILITY), "capability",
           "capability");
    is_str(art_reason_name(ART_REASON_TYPE), "type", "type");
    is_str(art_reason_name(ART_REASON_SIZE), "size", "size");
    is_str(art_reason_name(ART_REASON_PIXELS), "pixels", "pixels");
    is_str(art_reason_name(ART_REASON_READ), "read", "read");

    for (i = 0; i < nitems(rows); i++) {
        is_str(art_content_type_name(rows[i].kind), rows[i].content_type,
               rows[i].name);
    }
}


/* Content without its type's signature: providers look at it. */

static void
check_unproved(void)
{
    unsigned         i;
    art_decision_t   d;
    art_question_t   question;

    static const char  *trusting[] = { "route", "object", "tool_message" };

    for (i = 0; (question.format = art_format_row(i)) != NULL; i++) {
        memset((char *) &question + sizeof(question.format), 0,
               sizeof(question) - sizeof(question.format));

        question.kind = ART_KIND_IMAGE;
        question.mime = art_cstr("image/png");
        question.caps = ALL_CAPS;
        question.unproved = 1;

        art_route_decide(&question, &d);

        ok(i < nitems(trusting)
           ? strcmp(question.format->name, trusting[i]) == 0 && !d.described
           : d.described && d.reason == ART_REASON_TYPE,
           "%s: an image without its signature", question.format->name);
    }
}


/*
 * Sides of images: the stricter of the format's limit and the reader's counts,
 * an unknown side is no reason, and programs take any.
 */

static void
check_pixels(void)
{
    size_t           i;
    art_decision_t   d;
    art_question_t   question;

    static const struct {
        const char      *format;
        const char      *mime;
        art_kind_t       kind;
        uint32_t         width;
        uint32_t         height;
        uint64_t         max_side;
        art_reason_t     reason;
    } cases[] = {
        { "anthropic", "image/png", ART_KIND_IMAGE, 8000, 8000, 0, 0 },
        { "anthropic", "image/png", ART_KIND_IMAGE, 8001, 1, 0,
          ART_REASON_PIXELS },
        { "anthropic", "image/png", ART_KIND_IMAGE, 1, 8001, 9000,
          ART_REASON_PIXELS },
        { "anthropic", "image/png", ART_KIND_IMAGE, 2000, 2000, 2000, 0 },
        { "anthropic", "image/png", ART_KIND_IMAGE, 2000, 2001, 2000,
          ART_REASON_PIXELS },
        { "anthropic_citations", "image/png", ART_KIND_IMAGE, 8001, 1, 0,
          ART_REASON_PIXELS },
        { "bedrock", "image/png", ART_KIND_IMAGE, 8001, 1, 0,
          ART_REASON_PIXELS },
        { "openai", "image/png", ART_KIND_IMAGE, 70000, 70000, 0, 0 },
        { "openai", "image/png", ART_KIND_IMAGE, 70000, 70000,
          UINT64_C(1) << 53, 0 },
        { "route", "image/png", ART_KIND_IMAGE, UINT32_MAX, 1, 0, 0 },
        { "route", "image/png", ART_KIND_IMAGE, 1025, 1, 1024,
          ART_REASON_PIXELS },
        { "route", "image/png", ART_KIND_IMAGE, 0, 0, 1, 0 },
        { "object", "image/png", ART_KIND_IMAGE, 1025, 1, 1024, 0 },
        { "route", "application/pdf", ART_KIND_DOCUMENT, 1025, 1, 1024, 0 },
        { "anthropic", "image/tiff", ART_KIND_IMAGE, 8001, 1, 0,
          ART_REASON_TYPE }
    };

    for (i = 0; i < nitems(cases); i++) {
        memset(&question, 0, sizeof(question));

        question.format = art_format_find(art_cstr(cases[i].format));
        question.kind = cases[i].kind;
        question.mime = art_cstr(cases[i].mime);
        question.caps = ALL_CAPS;
        question.width = cases[i].width;
        question.height = cases[i].height;
        question.max_side = cases[i].max_side;

        art_route_decide(&question, &d);

        ok(d.reason == cases[i].reason
           && d.described == (cases[i].reason != ART_REASON_NONE),
           "%s: %s of %ux%u, %llu a side", cases[i].format, cases[i].mime,
           cases[i].width, cases[i].height,
           (unsigned long long) cases[i].max_side);
    }

    /* too many bytes come first */

    question.format = art_format_find(art_cstr("bedrock"));
    question.mime = art_cstr("image/png");
    question.size = 1 << 30;
    question.size_known = 1;

    art_route_decide(&question, &d);

    is_int(d.reason, ART_REASON_SIZE, "bytes come before pixels");

    question.caps = 0;

    art_route_decide(&question, &d);

    is_int(d.reason, ART_REASON_CAPABILITY, "a capability before both");
}


/*
 * What is cut, or needs a password: described where it would be a part for a
 * provider that looks at it; any other decision is the same.
 */

static void
check_ends(void)
{
    size_t               row;
    unsigned             i, end, bad, seen, sent;
    art_decision_t       d, was;
    art_question_t       question;
    const art_format_t  *format;

    bad = 0;
    seen = 0;

    memset(&question, 0, sizeof(question));

    for (i = 0; (format = art_format_row(i)) != NULL; i++) {
        for (row = 0; row < nitems(rows) * (ALL_CAPS + 1); row++) {
            question.format = format;
            question.kind = rows[row % nitems(rows)].kind;
            question.mime = art_cstr(rows[row % nitems(rows)].mime);
            question.caps = (unsigned) (row / nitems(rows));
            question.end = ART_END_WHOLE;

            art_route_decide(&question, &was);

            sent = !was.described && was.routing != ART_ROUTING_TEXT
                   && was.kind != ART_KIND_TEXT
                   && !(format->flags & ART_FORMAT_TRUST);

            for (end = ART_END_CUT; end <= ART_END_LOCKED; end++) {
                question.end = (art_end_t) end;

                art_route_decide(&question, &d);

                if (sent && (end == ART_END_CUT
                             || (format->flags & ART_FORMAT_UNLOCKED)))
                {
                    bad += !is_described(&d, ART_REASON_READ);
                    seen++;

                } else {
                    bad += d.described != was.described
                           || d.reason != was.reason
                           || d.routing != was.routing;
                }
            }
        }
    }

    is_int(bad, 0, "ends that are missing, passwords");
    ok(seen > 100, "%u of them matter", seen);
}


int
main(void)
{
    check_table();
    check_limits();
    check_failed();
    check_random();
    check_names();
    check_unproved();
    check_pixels();
    check_ends();

    return done();
}
