
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_put.h"
#include "core/capability/art_capability.h"
#include "core/render/art_describe.h"
#include "core/attachment/art_attachment_reply.h"


static void art_reply_open(const art_reply_t *reply, art_out_t *out);
static void art_reply_words(const art_reply_t *reply, art_out_t *out);
static void art_reply_close(const art_reply_t *reply, art_out_t *out);
static void art_reply_unsupported(const art_reply_t *reply, art_out_t *out);
static void art_reply_tail(const art_reply_t *reply, art_out_t *out);
static art_reply_step_t art_reply_go(art_reply_t *reply,
    art_reply_place_t place);
static art_reply_step_t art_reply_attachment(art_reply_t *reply);
static art_reply_step_t art_reply_listed(art_reply_t *reply, uint32_t from,
    art_reply_place_t place, art_reply_place_t then);
static art_reply_step_t art_reply_content_end(art_reply_t *reply);
static unsigned art_reply_has_text(const art_reply_t *reply);
static void art_reply_suggest(const art_reply_t *reply,
    const art_attachment_t *attachment, art_suggestions_t *suggestions);
static int art_reply_rename(const art_reply_t *reply, art_view_t *view,
    const art_pool_t *pool);


void
art_reply_init(art_reply_t *reply, const art_reply_conf_t *conf)
{
    memset(reply, 0, sizeof(*reply));

    reply->conf = *conf;
    reply->shape = &conf->format->message;
}


art_reply_step_t
art_reply_next(art_reply_t *reply)
{
    switch (reply->place) {

    case ART_REPLY_AT_START:
        return art_reply_go(reply, ART_REPLY_AT_OPEN);

    case ART_REPLY_AT_OPEN:

        if (!art_reply_has_text(reply)) {
            return art_reply_attachment(reply);
        }

        reply->place = ART_REPLY_AT_TEXT;
        return ART_REPLY_TEXT;

    case ART_REPLY_AT_TEXT:
        reply->parts++;
        reply->told = 1;
        return art_reply_go(reply, ART_REPLY_AT_TEXT_END);

    case ART_REPLY_AT_TEXT_END:
        return art_reply_attachment(reply);

    case ART_REPLY_AT_COMMA:

        if (reply->conf.message->items[reply->at].outcome
            != ART_ATTACHED_PENDING)
        {
            return art_reply_content_end(reply);
        }

        reply->place = ART_REPLY_AT_CONTENT;
        return ART_REPLY_CONTENT;

    case ART_REPLY_AT_CONTENT:
        return art_reply_content_end(reply);

    case ART_REPLY_AT_WORDS:
        reply->at++;
        return art_reply_attachment(reply);

    case ART_REPLY_AT_CLOSE:
        reply->listed = 0;
        return art_reply_listed(reply, 0, ART_REPLY_AT_UNSUPPORTED,
                                ART_REPLY_AT_DESCRIBED);

    case ART_REPLY_AT_UNSUPPORTED:
        reply->listed++;
        return art_reply_listed(reply, reply->at + 1,
                                ART_REPLY_AT_UNSUPPORTED,
                                ART_REPLY_AT_DESCRIBED);

    case ART_REPLY_AT_DESCRIBED:
        reply->listed = 0;
        return art_reply_listed(reply, 0, ART_REPLY_AT_DESCRIPTION,
                                ART_REPLY_AT_TAIL);

    case ART_REPLY_AT_DESCRIPTION:
        reply->listed++;
        return art_reply_listed(reply, reply->at + 1,
                                ART_REPLY_AT_DESCRIPTION,
                                ART_REPLY_AT_TAIL);

    default:
        reply->place = ART_REPLY_AT_END;
        return ART_REPLY_END;
    }
}


static art_reply_step_t
art_reply_go(art_reply_t *reply, art_reply_place_t place)
{
    reply->place = place;

    return ART_REPLY_PIECE;
}


/* The attachment reply->at, or what comes behind the last one. */

static art_reply_step_t
art_reply_attachment(art_reply_t *reply)
{
    return art_reply_go(reply, reply->at < reply->conf.message->n
                               ? ART_REPLY_AT_COMMA : ART_REPLY_AT_CLOSE);
}


static art_reply_step_t
art_reply_content_end(art_reply_t *reply)
{
    art_attachment_t  *attachment;

    attachment = &reply->conf.message->items[reply->at];

    reply->parts++;

    if (art_attachment_is_unsupported(attachment)) {
        attachment->filed = 0;
        reply->unsupported++;
        reply->told = 1;

        return art_reply_go(reply, ART_REPLY_AT_WORDS);
    }

    if (attachment->filed) {
        reply->filed = 1;

    } else if (attachment->kind == ART_KIND_TEXT) {
        reply->told = 1;
    }

    reply->at++;

    return art_reply_attachment(reply);
}


/* "place" for the next one that is unsupported; behind the last, "then". */

static art_reply_step_t
art_reply_listed(art_reply_t *reply, uint32_t from, art_reply_place_t place,
    art_reply_place_t then)
{
    const art_attachments_t  *message;

    message = reply->conf.message;
    reply->at = from;

    while (reply->at < message->n
           && !art_attachment_is_unsupported(&message->items[reply->at]))
    {
        reply->at++;
    }

    return art_reply_go(reply, reply->at < message->n ? place : then);
}


void
art_reply_print(const art_reply_t *reply, art_out_t *out)
{
    switch (reply->place) {

    case ART_REPLY_AT_OPEN:
        art_reply_open(reply, out);
        break;

    case ART_REPLY_AT_TEXT_END:
        art_out_char(out, '}');
        break;

    case ART_REPLY_AT_COMMA:
        art_out_cstr(out, reply->parts > 0 ? "," : "");
        break;

    case ART_REPLY_AT_WORDS:
        art_out_cstr(out, reply->shape->text);
        art_out_char(out, '"');
        art_reply_words(reply, out);
        art_out_cstr(out, "\"}");
        break;

    case ART_REPLY_AT_CLOSE:
        art_reply_close(reply, out);
        break;

    case ART_REPLY_AT_UNSUPPORTED:
        art_reply_unsupported(reply, out);
        break;

    case ART_REPLY_AT_DESCRIBED:
        art_out_cstr(out, reply->unsupported > 0 ? "],\"textDescription\":\""
                                                 : "]");
        break;

    case ART_REPLY_AT_DESCRIPTION:
        art_reply_words(reply, out);
        break;

    default:  /* ART_REPLY_AT_TAIL */
        art_reply_tail(reply, out);
    }
}


static void
art_reply_open(const art_reply_t *reply, art_out_t *out)
{
    art_out_cstr(out, "{\"processedContent\":");
    art_out_cstr(out, reply->shape->open);

    if (art_reply_has_text(reply)) {
        art_out_cstr(out, reply->shape->text);
    }
}


/* An empty text is no part anywhere, a blank one not everywhere. */

static unsigned
art_reply_has_text(const art_reply_t *reply)
{
    const art_attachments_t  *message;

    message = reply->conf.message;

    return message->text.end - message->text.pos > sizeof("\"\"") - 1
           && (!message->blank
               || !(reply->conf.format->flags & ART_FORMAT_FILLED));
}


/* Of the words of several, an empty line is between two. */

static void
art_reply_words(const art_reply_t *reply, art_out_t *out)
{
    art_suggestions_t        suggestions;
    const art_attachment_t  *attachment;

    attachment = &reply->conf.message->items[reply->at];

    if (reply->listed > 0) {
        art_out_cstr(out, "\\n\\n");
    }

    art_reply_suggest(reply, attachment, &suggestions);
    art_attachment_words(out, attachment, &suggestions, reply->conf.lang, 1);
}


static void
art_reply_close(const art_reply_t *reply, art_out_t *out)
{
    uint32_t            i;
    art_view_t          view;
    art_attachments_t  *message;

    message = reply->conf.message;

    if (reply->shape->needs_text && reply->filed && !reply->told) {

        memset(&view, 0, sizeof(view));
        view.lang = reply->conf.lang;

        for (i = 0; !message->items[i].filed; i++) {
            /* void */
        }

        view.name = message->items[i].name;

        art_out_char(out, ',');
        art_out_cstr(out, reply->shape->text);
        art_out_char(out, '"');
        art_describe_lead(out, &view, 1);
        art_out_cstr(out, "\"}");
    }

    art_out_cstr(out, reply->shape->close);
    art_out_cstr(out, ",\"unsupportedAttachments\":[");
}


static void
art_reply_unsupported(const art_reply_t *reply, art_out_t *out)
{
    art_suggestions_t        suggestions;
    const art_attachment_t  *attachment;

    attachment = &reply->conf.message->items[reply->at];

    if (reply->listed > 0) {
        art_out_char(out, ',');
    }

    art_reply_suggest(reply, attachment, &suggestions);
    art_attachment_print(out, attachment, &suggestions);
}


static void
art_reply_suggest(const art_reply_t *reply, const art_attachment_t *attachment,
    art_suggestions_t *suggestions)
{
    memset(suggestions, 0, sizeof(*suggestions));

    if (reply->conf.map != NULL && attachment->needs != 0) {
        art_capmap_suggest(reply->conf.map, attachment->needs,
                           reply->conf.except, suggestions);
    }
}


/* What all of it needs, each once, in the order in which it comes. */

static void
art_reply_tail(const art_reply_t *reply, art_out_t *out)
{
    uint32_t                  i;
    unsigned                  bit, seen;
    art_json_put_t            put;
    const art_attachments_t  *message;

    message = reply->conf.message;

    if (reply->unsupported > 0) {
        art_out_char(out, '"');
    }

    art_json_put_init(&put, out, 0);

    /* goes on with the object */

    put.depth = 1;
    put.more = 1;

    art_json_put_array(&put, "requiredCapabilities");
    art_json_put_string(&put, NULL, art_cstr("text"));

    seen = 0;

    for (i = 0; i < message->n; i++) {
        bit = art_attachment_requires(&message->items[i]);

        if (bit != 0 && !(seen & bit)) {
            art_json_put_string(&put, NULL, art_capability_name(bit));
        }

        seen |= bit;
    }

    art_json_put_end(&put);
    art_json_put_bool(&put, "canProcess", reply->unsupported == 0);
    art_json_put_end(&put);
}


int
art_reply_decide(art_reply_t *reply, art_view_t *view, unsigned empty,
    const art_pool_t *pool)
{
    art_decision_t      *decision;
    const art_format_t  *format;
    art_attachment_t    *attachment;

    attachment = &reply->conf.message->items[reply->at];
    format = reply->conf.format;
    decision = &view->decision;

    /* a name that was made of the id, or of a URL, is none */

    if (view->meta->name.data == NULL && view->workspace.len == 0
        && attachment->name.data != NULL)
    {
        view->name = attachment->name;
    }

    view->id = attachment->id;
    view->lang = reply->conf.lang;

    attachment->name = view->name;
    attachment->mime = view->mime.len > 0 ? view->mime : art_str(NULL, 0);
    attachment->kind = decision->kind;
    attachment->size = view->size;
    attachment->size_known = view->size_known;
    attachment->reason = decision->reason;
    attachment->needs = decision->needs;
    attachment->filed = decision->routing == ART_ROUTING_FILE
                        && (decision->kind == ART_KIND_DOCUMENT
                            || decision->kind == ART_KIND_TEXT);

    view->kind = decision->kind;

    if (decision->described && decision->reason != ART_REASON_NONE) {
        attachment->outcome = decision->reason == ART_REASON_READ
                              ? ART_ATTACHED_UNREAD : ART_ATTACHED_DESCRIBED;
        return ART_OK;
    }

    attachment->outcome = ART_ATTACHED_PART;

    /* a text is never nothing: the line that names it stands for it */

    if (decision->kind == ART_KIND_TEXT && empty
        && !(format->flags & ART_FORMAT_PROGRAM))
    {
        decision->described = 1;
    }

    return attachment->filed && (format->name_rule.flags & ART_FILENAME_PLAIN)
           ? art_reply_rename(reply, view, pool) : ART_OK;
}


/*
 * A name that has to be unique in a message is made of the id: when the same
 * document comes again, of the id and a number.
 */

static int
art_reply_rename(const art_reply_t *reply, art_view_t *view,
    const art_pool_t *pool)
{
    uint32_t                 i, nth;
    art_out_t                out;
    const art_attachment_t  *items;

    items = reply->conf.message->items;
    nth = 0;

    for (i = 0; i < reply->at; i++) {
        nth += !items[i].malformed && art_str_eq(items[i].id, view->id);
    }

    if (nth == 0) {
        return ART_OK;
    }

    out = art_out(NULL, 0);

    do {
        art_out_str(&out, view->id);
        art_out_char(&out, '#');
        art_out_uint(&out, nth);
    } while (art_out_again(&out, pool));

    if (out.data == NULL) {
        return ART_ERROR;
    }

    view->id = art_str(out.data, out.len);

    return ART_OK;
}
