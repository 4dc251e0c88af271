
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The APIs of models: all that is one API's own is one row, in a file of its
 * own (art_api_*.c).
 */


#ifndef ART_API_H_INCLUDED_
#define ART_API_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/api/art_api_format.h"
#include "core/api/art_api_rules.h"


#define ART_API_FORMATS  4       /* maximum, as the next two */
#define ART_API_PATHS    8
#define ART_API_MODELS   4
#define ART_API_COUNTS   2

#define ART_API_HOIST    0x01    /* requests: media of tools go after them,
                                    unless the results of calls take them */
#define ART_API_ITEMS    0x02    /* ... messages have types (Responses) */
#define ART_API_TEXTS    0x04    /* ... files may be texts of any type */
#define ART_API_AWS      0x08    /* errors have the form of those of AWS */
#define ART_API_AGENT    0x10    /* an agent's own stream: artifacts are
                                    declared by an event of their own */
#define ART_API_BY_PATH  0x20    /* chosen by its path, whatever the format */
#define ART_API_NAMES    0x40    /* other requests are read for their model */
#define ART_API_RESULTS  0x80    /* requests: the results of tools are parts of
                                    messages, not messages */


#define ART_PATH_VERSIONED  0x01u   /* the API's only if the body has
                                        anthropic_version */
#define ART_PATH_SILENT     0x02u   /* no model's words are the answer: no
                                        instruction is added */
#define ART_PATH_NAME       0x04u   /* read for the model only */


/*
 * How a path ends, as in the request line.  Unless NULL, "around" has to come
 * before the id, of a model mostly, that precedes the ending.
 */

typedef struct {
    const char                  *ending;
    const char                  *around;
    unsigned                     flags;      /* ART_PATH_* */
} art_api_path_t;


/*
 * What precedes a model in a path, and the characters that end it; NULL: the
 * last slash ends it, since an ARN may have slashes itself.
 */

typedef struct {
    const char                  *before;
    const char                  *ends;
} art_api_model_t;


/*
 * How many contents of the kinds (ART_KIND_BIT), counted together, a request
 * may have, or each of its messages.
 */

typedef struct {
    unsigned                     kinds;      /* 0 ends a list */
    uint32_t                     max;
    unsigned                     message;    /* not the request */
} art_api_count_t;


/*
 * A request: "text" is how a text part of a role begins, up to its string;
 * "media" the kinds of content (ART_KIND_BIT) that parts of a role take; "max"
 * is in bytes, 0 if the API states no limit.  With more than "many" images none
 * of them may have a side of more than "many_side" pixels (0: no such limit).
 * The result of a call takes parts of the types of "call", inline, from models
 * of "call_since".  In base64, files may be texts of the types of "texts" only,
 * if it has any.
 *
 * "sole" is the form of a string outside of parts (ART_FIELD_SOLE; NULL if the
 * API has none), "format" what parts are rendered with (NULL: the first
 * format).
 */

typedef struct {
    const art_message_rule_t    *rules;
    const art_message_form_t    *forms;      /* ART_TYPE_NONE ends them */
    const char                  *text[ART_ROLE_MAX];
    unsigned                     media[ART_ROLE_MAX];
    uint64_t                     max;
    uint32_t                     many;
    uint32_t                     many_side;
    art_api_count_t              counts[ART_API_COUNTS];
    art_since_t                  call_since;
    art_part_t                   call;
    art_part_t                   texts;
    const art_message_form_t    *sole;
    const art_format_t          *format;
} art_api_request_t;


/*
 * A call of a tool, with references in its arguments: the rules, and the
 * formats of a string that takes their place; NULL: no content is needed.
 */

typedef struct {
    const art_message_rule_t    *rules;
    const art_format_t          *formats[ART_ARGUMENT_MAX];
} art_api_call_t;


/*
 * The system text: "root" is the form of a new one as a member of the request
 * (key NULL: it is a message), "held" that of one in a message.
 */

typedef struct {
    const art_walk_rule_t       *rules;
    art_prompt_form_t            root;
    art_prompt_form_t            held;
} art_api_system_t;


/*
 * The rules for the text of an answer: of a stream of events (NULL: its events
 * have no text) and of JSON.
 */

typedef struct {
    const art_extract_rule_t    *stream;
    const art_extract_rule_t    *json;
} art_api_text_t;


/*
 * The rules for base64 in an answer: the new value of a kind, and the members
 * that a unit needs, the URI and the media type, each with its comma, which are
 * added at its end if missing.  NULL: not used.
 *
 * With "block", a unit becomes this text, which begins an object, and the
 * members to be kept follow.  With "messages", each event is an answer of its
 * own.
 */

typedef struct {
    const art_offload_rule_t    *stream;
    const art_offload_rule_t    *json;
    const char                  *kind;
    const char                  *uri_member;
    const char                  *mime_member;
    const char                  *block;
    unsigned                     messages;
} art_api_base64_t;


/*
 * The first format has the API's name, if the API has requests: it renders
 * their parts.  Zero: the API does not have it.  Its requests are read if it
 * has request.rules, its calls of tools if it has call.rules, its answers if it
 * has text.json, and offloaded if it has base64.json, or by "links" where links
 * are asked for and it has them; long texts of answers are found by
 * "long_texts" (art_shorten.h), those of requests by "results"
 * (art_expand_long.h).
 */

typedef struct {
    const char                  *name;
    unsigned                     flags;      /* ART_API_* */
    const art_format_t          *formats[ART_API_FORMATS];
    art_api_path_t               paths[ART_API_PATHS];
    art_api_model_t              models[ART_API_MODELS];
    art_api_request_t            request;
    art_api_call_t               call;
    art_api_system_t             system;
    art_api_text_t               text;
    art_api_base64_t             base64;
    art_api_base64_t             links;
    const art_walk_rule_t       *long_texts;
    const art_walk_rule_t       *results;
} art_api_t;


/* The API of that name, or NULL. */

const art_api_t *art_api_find(art_str_t name);


/*
 * The API of a request, named by "format" if that is not empty, else found by
 * the path, as in the request line without its query; NULL: the requests are
 * not read.  Slashes at the end of the path do not matter, and those of APIs
 * with ART_API_BY_PATH take precedence over "format".  *flags are those of its
 * art_api_path_t, without ART_PATH_VERSIONED if "format" has named it.
 */

const art_api_t *art_api_of_request(art_str_t path, art_str_t format,
    unsigned *flags);


/* The same for an answer that may have base64. */

const art_api_t *art_api_of_base64(art_str_t path, art_str_t format);


/* The API with ART_API_NAMES of a path, for bodies of any form; or NULL. */

const art_api_t *art_api_of_name(art_str_t path);


/* The API of answers to requests of no other API. */

extern const art_api_t  art_api_agent;


/* That of requests to no API: only their stand-ins matter. */

extern const art_api_t  art_api_any;


/* The API of calls of tools. */

extern const art_api_t  art_api_mcp;


/*
 * The names of art_argument_t, and what a name stands for: ART_ARGUMENT_OFF if
 * it is empty, ART_ARGUMENT_MAX for an unknown one.
 */

extern const char *const  art_argument_names[ART_ARGUMENT_MAX];

art_argument_t art_argument_find(art_str_t name);


/*
 * The first function returns API "i" of those whose requests or calls are read,
 * NULL past the end; the second one the number of an API among them, for any
 * other API how many they are.
 */

const art_api_t *art_api_request_row(unsigned i);
unsigned art_api_request_number(const art_api_t *api);


/* What parts of requests are rendered with; NULL: there are no parts. */

static inline const art_format_t *
art_api_request_format(const art_api_t *api)
{
    return api->request.format != NULL ? api->request.format
                                       : api->formats[0];
}


/*
 * The model that a path names, percent-decoded into "buf", which has room for
 * path.len bytes: by the API's own "models", else by those of any other, since
 * gateways serve one API at the paths of another.  For an ARN, its resource.
 * Empty if there is none.
 */

art_str_t art_api_path_model(const art_api_t *api, art_str_t path,
    uint8_t *buf);


#endif /* ART_API_H_INCLUDED_ */
