
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/derive/art_derive.h"
#include "core/capability/art_capability.h"


static art_str_t art_derive_item(art_str_t *list);
static art_str_t art_derive_trim(art_str_t s);
static int art_derive_kind(art_str_t name, art_kind_t *kind);
static int art_derive_is_page(art_str_t mime);
static int art_derive_matches(const art_derive_rule_t *rule,
    const art_derive_source_t *source);


/* Read as text, but made to be seen. */

static const char  *art_derive_pages[] = { "image/svg+xml", "text/html" };


art_derive_error_t
art_derive_parse(art_derive_rule_t *rule, art_str_t from, art_str_t to,
    const art_pool_t *pool, art_str_t *bad)
{
    size_t            i, room;
    art_str_t         item;
    art_out_t         out;
    art_kind_t        kind;
    art_media_type_t  type;

    art_media_parse(art_derive_trim(to), &type);

    if (type.len == 0) {
        return ART_DERIVE_TO;
    }

    room = type.len + ART_MEDIA_TYPE_MAX;

    for (i = 0; i < from.len; i++) {
        room += from.data[i] == ',' ? ART_MEDIA_TYPE_MAX + 1 : 0;
    }

    out = art_out(pool->alloc(pool->data, room), room);

    if (out.data == NULL) {
        return ART_DERIVE_MEMORY;
    }

    art_out_mem(&out, type.buf, type.len);

    rule->to = art_str(out.data, out.len);
    rule->kind = art_media_traits(rule->to).kind;
    rule->from = art_str(out.data + out.len, 0);
    rule->kinds = 0;

    do {
        item = art_derive_item(&from);

        if (art_derive_kind(item, &kind)) {
            rule->kinds |= 1u << kind;
            continue;
        }

        art_media_range(item, &type);

        if (type.len == 0) {
            *bad = item;
            return ART_DERIVE_FROM;
        }

        if (rule->from.len > 0) {
            art_out_char(&out, ',');
        }

        art_out_mem(&out, type.buf, type.len);
        rule->from.len = (size_t) (out.data + out.len - rule->from.data);

    } while (from.data != NULL);

    return ART_DERIVE_OK;
}


/* Takes the first item off a list, whose data is NULL after the last one. */

static art_str_t
art_derive_item(art_str_t *list)
{
    art_str_t       item;
    const uint8_t  *comma;

    item = *list;
    comma = list->len > 0 ? memchr(list->data, ',', list->len) : NULL;

    if (comma == NULL) {
        *list = art_str(NULL, 0);

    } else {
        item.len = (size_t) (comma - item.data);
        *list = art_str(comma + 1, list->len - item.len - 1);
    }

    return art_derive_trim(item);
}


static art_str_t
art_derive_trim(art_str_t s)
{
    while (s.len > 0 && s.data[0] == ' ') {
        s.data++;
        s.len--;
    }

    while (s.len > 0 && s.data[s.len - 1] == ' ') {
        s.len--;
    }

    return s;
}


/* Text is no binary type. */

static int
art_derive_kind(art_str_t name, art_kind_t *kind)
{
    for (*kind = ART_KIND_IMAGE; *kind < ART_KIND_MAX; (*kind)++) {
        if (art_str_is(name, art_kind_name(*kind))) {
            return 1;
        }
    }

    return 0;
}


int
art_derive_wanted(const art_question_t *question,
    const art_decision_t *decision, art_derive_source_t *source)
{
    source->mime = question->mime;
    source->kind = question->kind;
    source->literal = decision->kind == ART_KIND_TEXT;

    if (question->empty || question->failed) {
        return 0;
    }

    if (source->literal) {
        return (question->caps & ART_CAP_VISION)
               && art_derive_is_page(question->mime);
    }

    return decision->reason == ART_REASON_CAPABILITY
           || decision->reason == ART_REASON_TYPE
           || decision->reason == ART_REASON_SIZE
           || decision->reason == ART_REASON_PIXELS;
}


static int
art_derive_is_page(art_str_t mime)
{
    size_t  i;

    for (i = 0; i < art_nitems(art_derive_pages); i++) {
        if (art_str_eq(mime, art_cstr(art_derive_pages[i]))) {
            return 1;
        }
    }

    return 0;
}


unsigned
art_derive_next(const art_derive_rule_t *rules, unsigned n, unsigned i,
    const art_derive_source_t *source, art_derive_takes_pt takes, void *data)
{
    for ( /* void */ ; i < n; i++) {

        if ((rules[i].body ? source->bytes : source->named)
            && art_derive_matches(&rules[i], source)
            && takes(data, &rules[i]))
        {
            return i;
        }
    }

    return n;
}


int
art_derive_fits(const art_derive_rule_t *rules, unsigned n, art_str_t mime)
{
    unsigned             i;
    art_derive_source_t  source;

    memset(&source, 0, sizeof(source));

    source.mime = mime;
    source.kind = ART_KIND_IMAGE;

    for (i = 0; i < n; i++) {

        if (rules[i].body && rules[i].kind == ART_KIND_IMAGE
            && art_derive_matches(&rules[i], &source))
        {
            return 1;
        }
    }

    return 0;
}


static int
art_derive_matches(const art_derive_rule_t *rule,
    const art_derive_source_t *source)
{
    art_str_t  from, range;

    if (!source->literal && (rule->kinds & 1u << source->kind)) {
        return 1;
    }

    for (from = rule->from; from.len > 0; /* void */ ) {
        range = art_derive_item(&from);

        if (source->literal ? art_str_eq(range, source->mime)
                            : art_media_in(range, source->mime))
        {
            return 1;
        }
    }

    return 0;
}


int
art_derive_takes(void *data, const art_derive_rule_t *rule)
{
    art_decision_t         decision;
    art_question_t         question;
    const art_question_t  *original = data;

    memset(&question, 0, sizeof(question));

    question.format = original->format;
    question.kind = rule->kind;
    question.mime = rule->to;
    question.caps = original->caps;
    question.accepts = original->accepts;
    question.naccepts = original->naccepts;
    question.unknown = original->unknown;

    art_route_decide(&question, &decision);

    return decision.reason == ART_REASON_NONE;
}
