
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/capability/art_capability.h"
#include "core/format/art_route.h"


/* One row per kind: what its reader needs, and how it is then sent. */

static const struct {
    unsigned        needs;       /* one of these */
    const char     *requires;
    art_routing_t   routing;
    const char     *content_type;
} art_route_table[ART_KIND_MAX] = {
    { 0, NULL, ART_ROUTING_TEXT, "text" },
    { ART_CAP_VISION, "vision", ART_ROUTING_IMAGE_URL, "image" },
    { ART_CAP_AUDIO | ART_CAP_FILE, "audio", ART_ROUTING_FILE, "binary" },
    { ART_CAP_VIDEO | ART_CAP_FILE, "video", ART_ROUTING_FILE, "binary" },
    { ART_CAP_FILE, "file", ART_ROUTING_FILE, "binary" },
    { ART_CAP_FILE, "file", ART_ROUTING_FILE, "binary" }
};


/* Media types for which another capability suffices as well. */

static const struct {
    const char  *mime;
    unsigned     needs;
} art_route_extras[] = {
    { "application/pdf", ART_CAP_PDF }
};


static const char  *art_routing_names[] = {
    "raw", "text", "image_url", "file"
};

static const char  *art_reason_names[] = {
    NULL, "capability", "type", "size", "unknown_service", "pixels",
    "read", "conversion"
};


static void art_route_choose(const art_question_t *question,
    art_decision_t *out);
static void art_route_choose_text(const art_question_t *question,
    art_decision_t *out, int takes);
static unsigned art_route_needs(const art_question_t *question, int takes);
static int art_route_takes(const art_question_t *question);
static unsigned art_route_by_url(const art_question_t *question);
static uint64_t art_route_max(const art_question_t *question);
static uint64_t art_route_least(const uint64_t *limits, size_t n);
static int art_route_has_room(const art_question_t *question);
static int art_route_has_end(const art_question_t *question);
static void art_route_refuse(const art_question_t *question,
    art_decision_t *out, art_reason_t reason);
static int art_route_is_relayed(const art_question_t *question);
static int art_route_is_textual(const art_question_t *question);
static int art_route_is_program(const art_question_t *question);
static uint64_t art_part_max(const art_part_t *part);
static const char *art_part_find(const art_part_t *part, art_str_t mime,
    art_str_t *type);


void
art_route_decide(const art_question_t *question, art_decision_t *out)
{
    art_route_choose(question, out);

    if (out->kind == ART_KIND_TEXT && (question->empty || question->blank)
        && (question->format->flags & ART_FORMAT_FILLED))
    {
        out->described = 1;
    }
}


static void
art_route_choose(const art_question_t *question, art_decision_t *out)
{
    int       takes;
    unsigned  needs;

    memset(out, 0, sizeof(*out));

    out->kind = question->kind;
    out->routing = ART_ROUTING_TEXT;

    if (question->failed) {
        out->described = 1;
        out->reason = ART_REASON_READ;
        return;
    }

    takes = art_route_takes(question);

    if (question->kind == ART_KIND_TEXT) {
        art_route_choose_text(question, out, takes);
        return;
    }

    if (!takes && art_route_is_textual(question)) {
        art_route_refuse(question, out, ART_REASON_TYPE);
        return;
    }

    needs = art_route_needs(question, takes);

    if (needs != 0 && !(question->caps & needs)
        && !art_route_is_program(question))
    {
        out->described = 1;
        out->reason = question->unknown ? ART_REASON_SERVICE
                                        : ART_REASON_CAPABILITY;
        out->needs = needs;
        out->requires = art_route_table[question->kind].requires;
        return;
    }

    if (!takes) {
        art_route_refuse(question, out, ART_REASON_TYPE);
        return;
    }

    out->by_url = art_route_by_url(question);
    out->max = out->by_url ? 0 : art_route_max(question);

    if (out->max != 0 && question->size_known && question->size > out->max) {
        art_route_refuse(question, out, ART_REASON_SIZE);
        return;
    }

    if (!art_route_has_room(question)) {
        art_route_refuse(question, out, ART_REASON_PIXELS);
        return;
    }

    if (!art_route_has_end(question)) {
        out->described = 1;
        out->reason = ART_REASON_READ;
        return;
    }

    out->routing = art_route_table[question->kind].routing;
}


/* A document if the service asks for one and the text fits; else text. */

static void
art_route_choose_text(const art_question_t *question, art_decision_t *out,
    int takes)
{
    uint64_t  max;

    max = art_route_max(question);

    if (takes && question->size_known && (max == 0 || question->size <= max)) {
        out->routing = ART_ROUTING_FILE;
        out->max = max;
    }
}


/*
 * The capabilities one of which suffices; 0: none is needed.  If the provider
 * extracts the text of documents, a reader of PDFs can read all of them.
 */

static unsigned
art_route_needs(const art_question_t *question, int takes)
{
    size_t    i;
    unsigned  needs, flags;

    needs = art_route_table[question->kind].needs;
    flags = takes ? question->format->parts[question->kind].flags : 0;

    if (flags & ART_PART_ANYONE) {
        return 0;
    }

    if (flags & ART_PART_EXTRACTED) {
        needs |= ART_CAP_PDF;
    }

    for (i = 0; i < art_nitems(art_route_extras); i++) {
        if (art_str_eq(question->mime, art_cstr(art_route_extras[i].mime))) {
            needs |= art_route_extras[i].needs;
        }
    }

    return needs;
}


/* Both the format and the service have to take the media type. */

static int
art_route_takes(const art_question_t *question)
{
    unsigned           i, accepted, named;
    const art_part_t  *part;

    part = &question->format->parts[question->kind];

    if ((question->empty || question->unproved)
        && !(question->format->flags & ART_FORMAT_TRUST))
    {
        return 0;
    }

    named = 0;
    accepted = question->naccepts == 0 || art_route_is_program(question);

    for (i = 0; i < question->naccepts; i++) {
        accepted |= (unsigned) art_media_in(question->accepts[i],
                                            question->mime);
        named |= (unsigned) art_str_eq(question->accepts[i], question->mime);
    }

    if (art_route_is_relayed(question) && part->template != NULL) {
        part = &question->model->parts[question->kind];
    }

    return accepted && art_part_takes(part, question->mime, named);
}


/* Whether the API of a model decides about what a client will pass on. */

static int
art_route_is_relayed(const art_question_t *question)
{
    return question->model != NULL
           && (question->kind == ART_KIND_IMAGE
               || question->kind == ART_KIND_AUDIO);
}


static unsigned
art_route_by_url(const art_question_t *question)
{
    uint64_t           max, limits[2];
    const art_part_t  *part;

    part = &question->format->urls[question->kind];

    if (!question->has_url || !art_part_takes(part, question->mime, 0)) {
        return 0;
    }

    limits[0] = art_part_max(part);
    limits[1] = question->service_max;

    max = art_route_least(limits, art_nitems(limits));

    return max == 0 || !question->size_known || question->size <= max;
}


/* The smallest limit of what is sent inline; 0: no limit. */

static uint64_t
art_route_max(const art_question_t *question)
{
    uint64_t  limits[4];

    limits[3] = 0;

    if (art_route_is_relayed(question)) {
        limits[3] = art_part_max(&question->model->parts[question->kind]);
    }

    limits[0] = question->inline_max;
    limits[1] = art_part_max(&question->format->parts[question->kind]);
    limits[2] = art_route_is_program(question) ? 0 : question->service_max;

    return art_route_least(limits, art_nitems(limits));
}


static uint64_t
art_route_least(const uint64_t *limits, size_t n)
{
    size_t    i;
    uint64_t  max;

    max = 0;

    for (i = 0; i < n; i++) {
        if (limits[i] != 0 && (max == 0 || limits[i] < max)) {
            max = limits[i];
        }
    }

    return max;
}


/* Whether an image fits the limits of its sides; unknown ones do. */

static int
art_route_has_room(const art_question_t *question)
{
    uint32_t  side, max;

    if (question->kind != ART_KIND_IMAGE || art_route_is_program(question)) {
        return 1;
    }

    max = art_route_is_relayed(question) ? question->model->max_side
                                         : question->format->max_side;
    side = question->width > question->height ? question->width
                                              : question->height;

    return (max == 0 || side <= max)
           && (question->max_side == 0 || side <= question->max_side);
}


/* Whether the provider can read the content, as far as its end tells. */

static int
art_route_has_end(const art_question_t *question)
{
    unsigned  flags;

    flags = question->format->flags;

    return (flags & ART_FORMAT_TRUST) || question->end < ART_END_CUT
           || (question->end == ART_END_LOCKED
               && !(flags & ART_FORMAT_UNLOCKED));
}


static void
art_route_refuse(const art_question_t *question, art_decision_t *out,
    art_reason_t reason)
{
    out->reason = reason;

    if (art_route_is_textual(question)) {
        out->kind = ART_KIND_TEXT;

    } else {
        out->described = 1;
    }
}


/* Programs always get the bytes, never a text made from them. */

static int
art_route_is_textual(const art_question_t *question)
{
    return (art_media_traits(question->mime).flags & ART_MEDIA_TEXTUAL)
           && !art_route_is_program(question);
}


static int
art_route_is_program(const art_question_t *question)
{
    return (question->format->flags & ART_FORMAT_PROGRAM) != 0;
}


const char *
art_routing_name(art_routing_t routing)
{
    return art_routing_names[routing];
}


const char *
art_reason_name(art_reason_t reason)
{
    return art_reason_names[reason];
}


const char *
art_content_type_name(art_kind_t kind)
{
    return art_route_table[kind].content_type;
}


int
art_part_takes(const art_part_t *part, art_str_t mime, unsigned named)
{
    art_str_t    type;
    const char  *entry;

    if (part->template == NULL) {
        return 0;
    }

    entry = art_part_find(part, mime, &type);

    return entry != NULL && (*entry != '?' || named);
}


art_str_t
art_part_type_name(const art_part_t *part, art_str_t mime)
{
    art_str_t  type;

    if (part->template == NULL || art_part_find(part, mime, &type) == NULL
        || type.data[type.len] != '=')
    {
        return mime;
    }

    type.data += type.len + 1;
    type.len = strcspn((const char *) type.data, " ");

    return type;
}


/* The longest content that a part takes, in bytes; 0: no limit. */

static uint64_t
art_part_max(const art_part_t *part)
{
    return (part->flags & ART_PART_ENCODED) ? part->max / 4 * 3 : part->max;
}


/* The first entry that matches a media type, or NULL; *type is its type. */

static const char *
art_part_find(const art_part_t *part, art_str_t mime, art_str_t *type)
{
    size_t       n;
    const char  *p;

    for (p = part->types; *p != '\0'; p += n + (p[n] == ' ')) {
        n = strcspn(p, " ");

        *type = art_str(p + (*p == '?'), strcspn(p, " =") - (*p == '?'));

        if (art_media_in(*type, mime)) {
            return p;
        }
    }

    return NULL;
}
