
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A content with any name as the formats of the providers have it, for their
 * tests.
 */


#ifndef ART_PROVIDER_PART_H_INCLUDED_
#define ART_PROVIDER_PART_H_INCLUDED_


#include <string.h>

#include "core/render/art_format.h"
#include "core/format/art_route.h"
#include "core/text/art_utf8.h"
#include "tap.h"


/* The room for a name and for a part with its content. */

#define BYTES  20000


/* The view of a content as the decision leaves it, for a reader of all. */

static inline void
set_view(art_view_t *view, const art_format_t *format, const char *mime,
    art_str_t name)
{
    art_question_t     question;
    static art_meta_t  meta;

    memset(view, 0, sizeof(*view));

    view->meta = &meta;
    view->id = art_cstr("ws:w 1:YQ");
    view->name = name;
    view->mime = art_cstr(mime);

    memset(&question, 0, sizeof(question));

    question.format = format;
    question.mime = view->mime;
    question.kind = art_media_traits(view->mime).kind;
    question.caps = (unsigned) -1;

    art_route_decide(&question, &view->decision);

    view->kind = view->decision.kind;
}


/* A part with "body" as its content; returns the length, 0 if over BYTES. */

static inline size_t
assemble(uint8_t *dst, const art_format_t *format, const art_view_t *view,
    const char *body)
{
    art_out_t   out;
    art_form_t  form;

    form = art_format_form(format, view, 0);
    out = (art_out_t) { dst, 0, BYTES };

    (void) art_format_print(&out, format, form, view, 0);
    art_out_cstr(&out, body);
    (void) art_format_print(&out, format, form, view, 1);

    return out.len <= BYTES ? out.len : 0;
}


/* A name as a view may have it; returns the length. */

static inline size_t
random_name(uint8_t *name)
{
    size_t       i, n, len;
    uint8_t      raw[4000];
    art_out_t    out;
    const char  *piece;

    static const char  *pieces[] = {
        "a", "Z9", ".pdf", ".", " ", "  ", "-", "--", "(1)", "[x]", "\"", "\\",
        "/", "工件", "\xf0\x9f\x98\x80", "\xff", "\n", "\t", "%B", "%n", "'",
        "\xe2\x80\xae", "\xc2\xa0", "{\"a\":1}", "<script>", "_", "e\xcc\x81"
    };

    len = 0;

    for (i = tap_below(8) ? tap_below(12) : tap_below(900); i > 0; i--) {
        piece = pieces[tap_below(nitems(pieces))];
        n = strlen(piece);

        if (len + n > sizeof(raw)) {
            break;
        }

        memcpy(raw + len, piece, n);
        len += n;
    }

    out = (art_out_t) { name, 0, BYTES };
    art_utf8_name(&out, art_str(raw, len));

    return out.len;
}


static inline int
ends_with(const char *s, const char *end)
{
    return strlen(s) >= strlen(end)
           && strcmp(s + strlen(s) - strlen(end), end) == 0;
}


#endif /* ART_PROVIDER_PART_H_INCLUDED_ */
