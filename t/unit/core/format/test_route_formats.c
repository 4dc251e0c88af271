
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The routing decision for each format and service: the media types that they
 * take, up to which size, and whether with no byte in them.
 */


#include "core/media/art_media.h"
#include "route_rows.h"
#include "tap.h"


/*
 * What a format takes of a media type, and up to how many bytes, by the
 * providers' documents; 0: no limit, NOT: nothing of it.
 */

#define NOT  UINT64_MAX
#define DOCX "application/vnd.openxmlformats-officedocument."                 \
             "wordprocessingml.document"

static const struct {
    const char  *format;
    const char  *mime;
    uint64_t     max;
} takes[] = {
    { "route", "image/svg+xml", 0 },
    { "route", "application/zip", 0 },
    { "object", "image/svg+xml", 0 },
    { "tool_message", "video/mp4", 0 },
    { "openai", "image/png", 402653184 },
    { "openai", "image/jpeg", 402653184 },
    { "openai", "image/bmp", NOT },
    { "openai", "audio/wav", 0 },
    { "openai", "audio/mpeg", 0 },
    { "openai", "audio/ogg", NOT },
    { "openai", "application/pdf", 52428800 },
    { "openai", DOCX, NOT },
    { "openai", "video/mp4", NOT },
    { "openai", "application/zip", NOT },
    { "openai_responses", DOCX, 52428800 },
    { "openai_responses", "application/vnd.ms-excel", 52428800 },
    { "openai_responses", "application/msword", 52428800 },
    { "openai_responses", "application/vnd.ms-powerpoint", 52428800 },
    { "openai_responses", "application/rtf", 52428800 },
    { "openai_responses", "application/vnd.oasis.opendocument.text",
      52428800 },
    { "openai_responses", "application/vnd.oasis.opendocument.presentation",
      NOT },
    { "openai_responses", "image/png", 15728592 },
    { "openai_compatible", "image/png", 0 },
    { "openai_compatible", "audio/ogg", 0 },
    { "openai_compatible", "audio/aac", NOT },
    { "openai_compatible", "video/x-matroska", 0 },
    { "openai_compatible", "application/pdf", NOT },
    { "anthropic_citations", "image/webp", 7864320 },
    { "anthropic_citations", "application/pdf", 25165824 },
    { "gemini_interactions", "image/tiff", 78643200 },
    { "gemini_interactions", "audio/mp4", 78643200 },
    { "gemini_interactions", "video/quicktime", 78643200 },
    { "gemini_interactions", "application/vnd.oasis.opendocument.spreadsheet",
      52428800 },
    { "gemini_interactions", "application/zip", NOT },
    { "openai_responses", "audio/wav", NOT },
    { "anthropic", "image/webp", 7864320 },
    { "anthropic", "image/heic", NOT },
    { "anthropic", "application/pdf", 25165824 },
    { "anthropic", "audio/mpeg", NOT },
    { "gemini", "image/heic", 78643200 },
    { "gemini", "image/gif", NOT },
    { "gemini", "audio/mpeg", 78643200 },
    { "gemini", "video/quicktime", 78643200 },
    { "gemini", "video/x-matroska", NOT },
    { "gemini", "application/pdf", 52428800 },
    { "bedrock", "image/gif", 3932160 },
    { "bedrock", "application/msword", 4718592 },
    { "bedrock", "video/3gpp", 19660800 },
    { "bedrock", "audio/webm", 0 },
    { "bedrock", "application/zip", NOT },
    { "mistral", "image/gif", 10485760 },
    { "mistral", "video/mp4", NOT },
    { "openrouter", "video/webm", 0 },
    { "openrouter", "audio/aac", 0 },
    { "openrouter", "video/x-flv", NOT },
    { "mcp", "image/webp", 0 },
    { "mcp", "image/x-icon", NOT },
    { "mcp", "image/tiff", NOT },
    { "mcp", "audio/amr", 0 },
    { "mcp", "application/zip", 0 }
};


static art_question_t
question_of(const char *format, const char *mime)
{
    art_question_t  question;

    memset(&question, 0, sizeof(question));

    question.format = art_format_find(art_cstr(format));
    question.mime = art_cstr(mime);
    question.kind = art_media_traits(question.mime).kind;
    question.caps = ALL_CAPS;
    question.size_known = 1;

    return question;
}


static void
check_formats(void)
{
    int                good;
    size_t             i;
    uint64_t           max;
    art_decision_t     at, above, poor;
    art_question_t     question;
    const art_part_t  *part;

    for (i = 0; i < nitems(takes); i++) {
        question = question_of(takes[i].format, takes[i].mime);
        max = takes[i].max;

        question.size = max == 0 || max == NOT ? 1000 : max;
        art_route_decide(&question, &at);

        question.size++;
        art_route_decide(&question, &above);

        question.caps = ART_CAP_TEXT;
        art_route_decide(&question, &poor);

        good = max == NOT
               ? is_described(&at, ART_REASON_TYPE)
                 && is_described(&above, ART_REASON_TYPE)
               : !at.described && at.reason == ART_REASON_NONE
                 && at.max == max && at.kind == question.kind
                 && (max == 0 ? !above.described
                              : is_described(&above, ART_REASON_SIZE));

        /* a capability that lacks comes first; programs need none */

        part = &question.format->parts[question.kind];

        good = good && ((question.format->flags & ART_FORMAT_PROGRAM)
                        || (part->flags & ART_PART_ANYONE)
                        ? !poor.described
                        : is_described(&poor, ART_REASON_CAPABILITY));

        ok(good, "%s: %s", takes[i].format, takes[i].mime);
    }
}


/* What has to be had of "pdf" and "file", by the format. */

static const struct {
    const char      *format;
    const char      *mime;
    unsigned         caps;
    art_reason_t     reason;
} documents[] = {
    { "openai_responses", DOCX, ART_CAP_PDF, ART_REASON_NONE },
    { "openai_responses", DOCX, ART_CAP_FILE, ART_REASON_NONE },
    { "openai_responses", DOCX, ART_CAP_VISION, ART_REASON_CAPABILITY },
    { "openai_responses", "application/pdf", ART_CAP_PDF, ART_REASON_NONE },
    { "openai_responses", "application/epub+zip", ART_CAP_PDF,
      ART_REASON_CAPABILITY },
    { "openai_responses", "application/epub+zip", ART_CAP_FILE,
      ART_REASON_TYPE },
    { "bedrock", "application/msword", ART_CAP_PDF, ART_REASON_NONE },
    { "bedrock", "application/msword", ART_CAP_TEXT, ART_REASON_CAPABILITY },
    { "bedrock", "application/vnd.ms-powerpoint", ART_CAP_PDF,
      ART_REASON_CAPABILITY },
    { "route", DOCX, ART_CAP_PDF, ART_REASON_CAPABILITY },
    { "mcp", DOCX, ART_CAP_PDF, ART_REASON_CAPABILITY },
    { "openai", DOCX, ART_CAP_PDF, ART_REASON_CAPABILITY },
    { "openai", "application/pdf", ART_CAP_TEXT, ART_REASON_CAPABILITY },
    { "openrouter", "application/pdf", ART_CAP_TEXT, ART_REASON_NONE },
    { "openrouter", "application/pdf", 0, ART_REASON_NONE },
    { "openrouter", DOCX, ART_CAP_PDF, ART_REASON_CAPABILITY },
    { "openrouter", "audio/wav", ART_CAP_TEXT, ART_REASON_CAPABILITY }
};


static void
check_documents(void)
{
    size_t           i;
    art_decision_t   d;
    art_question_t   question;

    for (i = 0; i < nitems(documents); i++) {
        question = question_of(documents[i].format, documents[i].mime);
        question.caps = documents[i].caps;
        question.size = 1000;

        art_route_decide(&question, &d);

        ok(d.reason == documents[i].reason
           && d.described == (d.reason != ART_REASON_NONE),
           "%s: %s for %#x", documents[i].format, documents[i].mime,
           documents[i].caps);
    }
}


/* What a service takes narrows what the format takes. */

static const struct {
    const char      *format;
    const char      *mime;
    const char      *accepts[3];
    art_reason_t     reason;
    art_kind_t       kind;
} services[] = {
    { "route", "image/png", { "image/png" }, ART_REASON_NONE,
      ART_KIND_IMAGE },
    { "route", "image/png", { "image/jpeg", "image/*" }, ART_REASON_NONE,
      ART_KIND_IMAGE },
    { "route", "image/png", { "*/*" }, ART_REASON_NONE, ART_KIND_IMAGE },
    { "route", "image/png", { "*" }, ART_REASON_NONE, ART_KIND_IMAGE },
    { "route", "application/octet-stream", { "application/octet-stream" },
      ART_REASON_NONE, ART_KIND_OTHER },
    { "route", "image/png", { "image/p*", "imag*", "/*" }, ART_REASON_TYPE,
      ART_KIND_IMAGE },
    { "route", "image/png", { "", "image", "image/" }, ART_REASON_TYPE,
      ART_KIND_IMAGE },
    { "route", "text/html", { "image/png" }, ART_REASON_NONE, ART_KIND_TEXT },
    { "route", "image/svg+xml", { "image/*" }, ART_REASON_NONE,
      ART_KIND_IMAGE },
    { "route", "image/svg+xml", { "image/png" }, ART_REASON_TYPE,
      ART_KIND_TEXT },
    { "object", "image/png", { "image/jpeg" }, ART_REASON_NONE,
      ART_KIND_IMAGE },
    { "object", "image/svg+xml", { "image/jpeg" }, ART_REASON_NONE,
      ART_KIND_IMAGE },
    { "openai", "image/bmp", { "image/*" }, ART_REASON_TYPE,
      ART_KIND_IMAGE },
    { "openai", "image/bmp", { "image/bmp" }, ART_REASON_TYPE,
      ART_KIND_IMAGE },
    { "openai", "image/svg+xml", { NULL }, ART_REASON_TYPE, ART_KIND_TEXT },
    { "openai", "image/svg+xml", { "image/*" }, ART_REASON_TYPE,
      ART_KIND_TEXT },
    { "openai", "image/svg+xml", { "image/svg+xml" }, ART_REASON_NONE,
      ART_KIND_IMAGE },
    { "anthropic", "image/svg+xml", { "image/svg+xml" }, ART_REASON_TYPE,
      ART_KIND_TEXT },
    { "openai_compatible", "application/pdf", { "application/pdf" },
      ART_REASON_NONE, ART_KIND_DOCUMENT },
    { "openai_compatible", "audio/aac", { "audio/*" }, ART_REASON_TYPE,
      ART_KIND_AUDIO },
    { "mcp", "image/svg+xml", { "*" }, ART_REASON_TYPE, ART_KIND_TEXT }
};


/* Text that is a document, where the service names its type. */

static void
check_texts(void)
{
    size_t           i;
    art_str_t        accepts[1];
    art_decision_t   d;
    art_question_t   question;

    static const struct {
        const char     *format;
        const char     *mime;
        const char     *accepts;
        uint64_t        size;
        art_routing_t   routing;
    } cases[] = {
        { "bedrock", "text/csv", "text/csv", 9, ART_ROUTING_FILE },
        { "bedrock", "text/csv", "text/csv", 4718592, ART_ROUTING_FILE },
        { "bedrock", "text/csv", "text/csv", 4718593, ART_ROUTING_TEXT },
        { "bedrock", "text/csv", "text/csv", 0, ART_ROUTING_TEXT },
        { "bedrock", "text/csv", "text/*", 9, ART_ROUTING_TEXT },
        { "bedrock", "text/csv", "text/html", 9, ART_ROUTING_TEXT },
        { "bedrock", "text/x-c", "text/x-c", 9, ART_ROUTING_TEXT },
        { "route", "text/csv", "text/csv", 9, ART_ROUTING_TEXT },
        { "object", "text/csv", "text/csv", 9, ART_ROUTING_TEXT },
        { "openai", "text/plain", "text/plain", 9, ART_ROUTING_TEXT }
    };

    for (i = 0; i < nitems(cases); i++) {
        question = question_of(cases[i].format, cases[i].mime);
        question.accepts = accepts;
        question.naccepts = 1;
        question.caps = ART_CAP_TEXT;
        question.size = cases[i].size;
        question.empty = cases[i].size == 0;
        accepts[0] = art_cstr(cases[i].accepts);

        art_route_decide(&question, &d);

        ok(d.routing == cases[i].routing && d.reason == ART_REASON_NONE
           && d.kind == ART_KIND_TEXT && d.described == question.empty,
           "%s: %s, service with \"%s\", %d bytes", cases[i].format,
           cases[i].mime, cases[i].accepts, (int) cases[i].size);

        question.size_known = 0;
        art_route_decide(&question, &d);

        ok(d.routing == ART_ROUTING_TEXT, "  of unknown size it is text");
    }
}


static void
check_services(void)
{
    size_t           i;
    art_str_t        accepts[3];
    art_decision_t   d;
    art_question_t   question;

    for (i = 0; i < nitems(services); i++) {
        question = question_of(services[i].format, services[i].mime);
        question.accepts = accepts;

        while (question.naccepts < 3
               && services[i].accepts[question.naccepts] != NULL)
        {
            accepts[question.naccepts]
                = art_cstr(services[i].accepts[question.naccepts]);
            question.naccepts++;
        }

        art_route_decide(&question, &d);

        ok(d.reason == services[i].reason && d.kind == services[i].kind
           && d.described == (d.reason == ART_REASON_TYPE
                              && d.kind != ART_KIND_TEXT),
           "%s, %s, service with \"%s\"", services[i].format,
           services[i].mime,
           services[i].accepts[0] ? services[i].accepts[0] : "(none)");
    }
}


/* The smallest limit counts, and what can be read as text goes as text. */

static void
check_smallest(void)
{
    art_decision_t   d;
    art_question_t   question;

    question = question_of("bedrock", "image/png");
    question.inline_max = 20971520;
    question.service_max = 5000000;
    question.size = 3932160;
    art_route_decide(&question, &d);
    ok(!d.described && d.max == 3932160, "the format's limit is the smallest");

    question.service_max = 1000;
    art_route_decide(&question, &d);
    ok(is_described(&d, ART_REASON_SIZE) && d.max == 1000, "the service's");

    question.inline_max = 999;
    question.size_known = 0;
    art_route_decide(&question, &d);
    ok(!d.described && d.max == 999, "artifact_inline_max, and it is told");

    question = question_of("route", "image/svg+xml");
    question.service_max = 1000;
    question.size = 1001;
    art_route_decide(&question, &d);
    ok(!d.described && d.reason == ART_REASON_SIZE && d.kind == ART_KIND_TEXT
       && d.routing == ART_ROUTING_TEXT, "a large SVG is text");

    question.caps = ART_CAP_TEXT;
    art_route_decide(&question, &d);
    ok(is_described(&d, ART_REASON_CAPABILITY),
       "but not where images are not read at all");

    question = question_of("object", "image/svg+xml");
    question.service_max = 1000;
    question.size = 1001;
    art_route_decide(&question, &d);
    ok(!d.described && d.max == 0, "the service does not limit programs");

    question.inline_max = 1000;
    art_route_decide(&question, &d);
    ok(is_described(&d, ART_REASON_SIZE) && d.kind == ART_KIND_IMAGE,
       "artifact_inline_max does, for SVG as well");

    question = question_of("openai", "image/svg+xml");
    question.caps = ART_CAP_TEXT;
    art_route_decide(&question, &d);
    ok(!d.described && d.reason == ART_REASON_TYPE && d.kind == ART_KIND_TEXT,
       "where SVG is text no vision is needed");
}


/* No provider gets a part without a byte, and no reader loses the rest. */

static void
check_empty(void)
{
    int                  all, sent;
    size_t               i;
    unsigned             k, filled, bad;
    art_decision_t       d;
    art_question_t       question;
    const art_format_t  *format;

    for (k = 0; (format = art_format_row(k)) != NULL; k++) {
        filled = format->flags & ART_FORMAT_FILLED;
        bad = 0;

        for (i = 0; i < nitems(rows); i++) {
            memset(&question, 0, sizeof(question));

            question.format = format;
            question.kind = rows[i].kind;
            question.mime = art_cstr(rows[i].mime);
            question.caps = ALL_CAPS;
            question.size_known = i & 1;
            question.empty = 1;

            art_route_decide(&question, &d);

            if (rows[i].kind == ART_KIND_TEXT) {
                bad += d.reason != ART_REASON_NONE
                       || (d.described != 0) != (filled != 0);
                continue;
            }

            all = (format->flags & ART_FORMAT_TRUST) != 0;
            sent = consistent(&d) && d.routing == rows[i].routing;

            bad += all ? !sent : !is_described(&d, ART_REASON_TYPE);

            question.caps = 0;
            art_route_decide(&question, &d);

            bad += !(format->flags & ART_FORMAT_PROGRAM)
                   && !is_described(&d, ART_REASON_CAPABILITY);
        }

        is_int(bad, 0, format->name);
    }
}


int
main(void)
{
    check_formats();
    check_documents();
    check_services();
    check_texts();
    check_smallest();
    check_empty();

    return done();
}
