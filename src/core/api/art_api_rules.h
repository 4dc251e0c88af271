
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Rules, along which requests and answers are read (art_walk_rule_t): to values
 * that may be references or media, and what replaces these; to the system text;
 * to the text of an answer; to base64 in it, and what replaces that.
 */


#ifndef ART_API_RULES_H_INCLUDED_
#define ART_API_RULES_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_walk.h"
#include "core/media/art_media.h"


/* The objects and arrays of a request that are entered. */

typedef enum {
    ART_NODE_NONE = ART_WALK_NONE,
    ART_NODE_ROOT = ART_WALK_ROOT,
    ART_NODE_MODELS,             /* an array, as the next six */
    ART_NODE_MESSAGES,
    ART_NODE_CONTENT,
    ART_NODE_TOOLS,
    ART_NODE_EDITED,
    ART_NODE_REQUESTS,
    ART_NODE_IMAGES,
    ART_NODE_MESSAGE,
    ART_NODE_PART,
    ART_NODE_PICTURE,            /* a part outside of messages */
    ART_NODE_TOOL,
    ART_NODE_REQUEST,            /* of a batch, as the next two */
    ART_NODE_BATCH,
    ART_NODE_INPUT,
    ART_NODE_URL,                /* {"url"} */
    ART_NODE_AUDIO,
    ART_NODE_FILE,
    ART_NODE_SOURCE,
    ART_NODE_S3,
    ART_NODE_MEDIA,              /* of Bedrock */
    ART_NODE_BLOB,               /* inlineData and fileData of Gemini */
    ART_NODE_CALL,               /* functionResponse */
    ART_NODE_RESPONSE,
    ART_NODE_TOOL_RESULT,
    ART_NODE_RESOURCE,           /* of MCP */
    ART_NODE_PARAMS,             /* of a call */
    ART_NODE_MAX
} art_message_node_t;

#define art_node_is_array(node)                                               \
    ((node) >= ART_NODE_MODELS && (node) <= ART_NODE_IMAGES)

#define art_node_is_part(node)                                                \
    ((node) == ART_NODE_PART || (node) == ART_NODE_PICTURE)


/* What a value is in the request, its message or its part. */

typedef enum {
    ART_FIELD_NONE = 0,

    ART_FIELD_MODEL,
    ART_FIELD_VERSION,           /* anthropic_version */
    ART_FIELD_SYSTEM,
    ART_FIELD_ROLE,
    ART_FIELD_ITEM,              /* a message's type */
    ART_FIELD_CONTENT,
    ART_FIELD_OUTPUT,
    ART_FIELD_METHOD,            /* of a call, as the next two */
    ART_FIELD_CALL_ID,
    ART_FIELD_ARGUMENT,          /* a value that may be a reference */
    ART_FIELD_SOLE,              /* the same: to a picture */

    ART_FIELD_TYPE,              /* of a part, from here on */
    ART_FIELD_ARTIFACT,
    ART_FIELD_URL,
    ART_FIELD_DATA,
    ART_FIELD_FILE,
    ART_FIELD_LINK,              /* of MCP's blocks: a URI, */
    ART_FIELD_BYTES,             /* base64, */
    ART_FIELD_WORDS,             /* and text */
    ART_FIELD_TEXT,
    ART_FIELD_RESULT,            /* of a tool */
    ART_FIELD_MIME,
    ART_FIELD_NAME,
    ART_FIELD_BLOCK_TYPE,        /* the same of MCP's blocks */
    ART_FIELD_BLOCK_MIME,
    ART_FIELD_BLOCK_NAME,
    ART_FIELD_ERROR,             /* is_error */
    ART_FIELD_JSON,              /* any value, in a result of a tool */
    ART_FIELD_SOURCE_TYPE,
    ART_FIELD_SOURCE,
    ART_FIELD_CACHE,             /* cache_control */
    ART_FIELD_BREAKPOINT,        /* prompt_cache_breakpoint */
    ART_FIELD_TAKEN,             /* names of a response's members that */
    ART_FIELD_TAKEN_TOO,         /* would be given to another */
    ART_FIELD_RESPONSE,
    ART_FIELD_PARTS,
    ART_FIELD_MAX
} art_message_field_t;


/* The types of parts, by the value of "type" or the key that makes them one. */

typedef enum {
    ART_TYPE_NONE = 0,
    ART_TYPE_OTHER,              /* an unknown type */
    ART_TYPE_TEXT,
    ART_TYPE_ARTIFACT,
    ART_TYPE_IMAGE_URL,
    ART_TYPE_INPUT_AUDIO,
    ART_TYPE_VIDEO_URL,
    ART_TYPE_FILE,
    ART_TYPE_INPUT_IMAGE,
    ART_TYPE_INPUT_FILE,
    ART_TYPE_IMAGE,
    ART_TYPE_DOCUMENT,
    ART_TYPE_VIDEO,
    ART_TYPE_AUDIO,
    ART_TYPE_DOCUMENT_URL,
    ART_TYPE_CONTAINER,          /* a file for the tool that runs code */
    ART_TYPE_PICTURE,            /* for a tool or an API that edits it */
    ART_TYPE_SHOT,               /* of a screen, which a tool has made */
    ART_TYPE_INLINE,
    ART_TYPE_FILE_DATA,
    ART_TYPE_CALL,
    ART_TYPE_TOOL_RESULT,
    ART_TYPE_JSON,
    ART_TYPE_RESOURCE_LINK,      /* of MCP, as the next one */
    ART_TYPE_RESOURCE,

    ART_TYPE_MESSAGE,            /* of a message */
    ART_TYPE_OUTPUT,             /* the output of a tool (Responses) */
    ART_TYPE_SCREEN,             /* the same of one that uses a computer */

    ART_TYPE_URL,                /* of a source */
    ART_TYPE_BASE64
} art_message_type_t;


typedef enum {
    ART_ROLE_USER = 0,
    ART_ROLE_SYSTEM,             /* also developer */
    ART_ROLE_ASSISTANT,
    ART_ROLE_TOOL,
    ART_ROLE_MAX
} art_message_role_t;


/*
 * Strings in which markers and pasted base64 are looked for: one in a tool's
 * result itself, or in a part of it.  In others that are JSON, stand-ins are.
 */

typedef enum {
    ART_SEARCH_NONE = 0,
    ART_SEARCH_RESULT,
    ART_SEARCH_PART,
    ART_SEARCH_STANDINS
} art_message_search_t;


/*
 * What a value in a request is: "walk.act" is its field, and "type" that of the
 * part if the value defines it; if it is a string or has strings, "search"
 * tells whether they are texts of tools.
 */

typedef struct {
    art_walk_rule_t          walk;
    art_message_type_t       type;
    art_message_search_t     search;
} art_message_rule_t;


/* What the content replaces in a part that it fits. */

typedef enum {
    ART_TARGET_VALUE = 0,        /* the value alone */
    ART_TARGET_MEMBER,           /* with its key */
    ART_TARGET_SOURCE,           /* the value of ART_FIELD_SOURCE */
    ART_TARGET_SOURCE_MEMBER     /* with its key */
} art_message_target_t;


#define ART_KIND_BIT(kind)  (1u << (art_kind_t) (kind))


#define ART_FORM_RESULT    0x01    /* a slot in results of tools only */
#define ART_FORM_BLOCK     0x02    /* no API takes the part as it is */
#define ART_FORM_NAMELESS  0x04    /* a part with a URL must have no name */
#define ART_FORM_FOREIGN   0x08    /* the provider itself needs the file */
#define ART_FORM_SOLE      0x10    /* no words replace it */
#define ART_FORM_MEDIA     0x20    /* only media that may leave the body */


/*
 * The same slot with the content's URL: "value" is its template, which replaces
 * "target"; NULL: the part is made anew.  "rival" is as in the next one.
 */

typedef struct {
    art_message_target_t     target;
    const char              *value;
    art_message_field_t      rival;
} art_message_url_t;


/*
 * A slot: a value that may be a reference or media, in a part of "type" whose
 * source is of type "source" (ART_TYPE_NONE: of any).
 *
 * Content of one of "kinds" (ART_KIND_BIT) replaces "target".  "value" is its
 * template (art_api_format.h) with the quotes; NULL: the slot has no form for
 * data.  "mime" is the member beside the data for the media type, "name" the
 * one that must have a file name; NULL: none.  If the part has "rival" as well,
 * the value cannot be replaced alone.
 */

typedef struct {
    art_message_type_t       type;
    art_message_type_t       source;
    art_message_field_t      field;
    art_message_target_t     target;
    unsigned                 kinds;
    const char              *value;
    const char              *mime;
    const char              *name;
    art_message_field_t      rival;
    unsigned                 flags;      /* ART_FORM_* */
    art_message_url_t        url;
} art_message_form_t;


/*
 * What a reference in the arguments of a tool becomes (docs/expand.md).
 */

typedef enum {
    ART_ARGUMENT_OFF = 0,
    ART_ARGUMENT_DATA,           /* a data URL */
    ART_ARGUMENT_BASE64,
    ART_ARGUMENT_URL,
    ART_ARGUMENT_MAX
} art_argument_t;


/* The objects and arrays that lead to a system text. */

enum {
    ART_PROMPT_NO_NODE = ART_WALK_NONE,
    ART_PROMPT_ROOT = ART_WALK_ROOT,
    ART_PROMPT_LIST,             /* an array of messages */
    ART_PROMPT_PARTS,            /* an array */
    ART_PROMPT_PART,
    ART_PROMPT_MESSAGE,
    ART_PROMPT_SYSTEM,           /* a message of its own */
    ART_PROMPT_OPTIONS,
    ART_PROMPT_FORMAT
};


/* What a value is, the "act" of its rule (art_walk_rule_t). */

typedef enum {
    ART_PROMPT_PASS = 0,
    ART_PROMPT_TEXT,             /* a system text, or what may become one */
    ART_PROMPT_WORDS,            /* the text of a part of it */
    ART_PROMPT_ROLE,
    ART_PROMPT_ASKED,            /* its presence asks for a structure */
    ART_PROMPT_TYPE,             /* a type of JSON does */
    ART_PROMPT_MIME,             /* a media type of JSON does */
    ART_PROMPT_VERSION
} art_prompt_act_t;


/*
 * The objects and arrays that lead to results of tools, to calls, and to the
 * names of tools.
 */

enum {
    ART_RESULT_NO_NODE = ART_WALK_NONE,
    ART_RESULT_ROOT = ART_WALK_ROOT,
    ART_RESULT_REQUESTS,         /* an array, as the next five */
    ART_RESULT_MESSAGES,
    ART_RESULT_UNITS,
    ART_RESULT_CALLS,
    ART_RESULT_BLOCKS,
    ART_RESULT_TOOLS,
    ART_RESULT_REQUEST,          /* of a batch, as the next two */
    ART_RESULT_BATCH,
    ART_RESULT_INPUT,
    ART_RESULT_MESSAGE,
    ART_RESULT_UNIT,             /* what may be a call or a result */
    ART_RESULT_BODY,             /* the object in it that has its members */
    ART_RESULT_BY,               /* the caller */
    ART_RESULT_BLOCK,
    ART_RESULT_OFFERED,          /* a tool, or what has tools */
    ART_RESULT_NAMES,            /* an array of names of tools */
    ART_RESULT_NAMED             /* an object with such keys */
};


/* What a value is, the "act" of its rule. */

typedef enum {
    ART_RESULT_PASS = 0,
    ART_RESULT_TYPE,             /* tells whether it is a call or a result */
    ART_RESULT_IS_CALL,          /* its presence tells it */
    ART_RESULT_IS_RESULT,
    ART_RESULT_ID,               /* of the call */
    ART_RESULT_ID_TOO,           /* ... without the other one */
    ART_RESULT_NAME,             /* of its tool */
    ART_RESULT_CALLER,
    ART_RESULT_TEXT,
    ART_RESULT_BLOCK_TYPE,
    ART_RESULT_TOOL              /* a name of one that is offered */
} art_result_act_t;


/* A new system text: its key, and what is written around its string. */

typedef struct {
    const char                *key;
    const char                *open;
    const char                *close;
} art_prompt_form_t;


/*
 * The meaning of a word in "type" or "role"; unknown words are ART_TYPE_OTHER
 * and ART_ROLE_USER.
 */

art_message_type_t art_message_type(art_str_t word);
art_message_role_t art_message_role(art_str_t word);


/* The objects and arrays that lead to text. */

enum {
    ART_EXTRACT_NO_NODE = ART_WALK_NONE,
    ART_EXTRACT_ROOT = ART_WALK_ROOT,
    ART_EXTRACT_ROOTS,           /* an array of answers, in JSON only */
    ART_EXTRACT_LIST,            /* an array, as the next one */
    ART_EXTRACT_PARTS,
    ART_EXTRACT_ITEM,
    ART_EXTRACT_BODY,
    ART_EXTRACT_PART
};


/* What a value is, the "act" of its rule. */

typedef enum {
    ART_SAYS_NOTHING = 0,
    ART_SAYS_TEXT,               /* the text, or its next piece */
    ART_SAYS_RESULT,             /* an agent's result: repeats all its text */
    ART_SAYS_REPEAT,             /* text that came before */
    ART_SAYS_KIND,               /* its object has text only if "word" */
    ART_SAYS_NOT,                /* the object has no text if this is true */
    ART_SAYS_INDEX,              /* of the object; only the first one counts */
    ART_SAYS_FINAL,              /* the event is the final one if this is
                                    "word" or, without a word, any string */
    ART_SAYS_TYPE,               /* of an agent's event (art_agent_event_t) */
    ART_SAYS_ANSWER              /* an object of the final event: the whole
                                    answer, which gets the items as well */
} art_extract_says_t;


typedef struct {
    art_walk_rule_t      walk;
    const char          *word;
} art_extract_rule_t;


/* The objects and arrays that lead to base64. */

enum {
    ART_OFFLOAD_NO_NODE = ART_WALK_NONE,
    ART_OFFLOAD_ROOT = ART_WALK_ROOT,
    ART_OFFLOAD_ROOTS,           /* an array of answers */
    ART_OFFLOAD_LIST,            /* an array, as the next one */
    ART_OFFLOAD_PARTS,
    ART_OFFLOAD_ITEM,
    ART_OFFLOAD_BODY,
    ART_OFFLOAD_PART,
    ART_OFFLOAD_INNER,           /* in a part */
    ART_OFFLOAD_SNAKE,           /* the same, with other names */
    ART_OFFLOAD_TREE = ART_WALK_TREE
};


/*
 * What a value is, the "act" of its rule.  A unit changes as a whole: an
 * object, an object with its key, data with their key, or the value of the data
 * alone.
 */

typedef enum {
    ART_OFFLOAD_PASS = 0,
    ART_OFFLOAD_UNIT,            /* an object that is a unit */
    ART_OFFLOAD_UNIT_KEY,        /* ... with its key */
    ART_OFFLOAD_FLAT,            /* an object whose members move up a level */
    ART_OFFLOAD_DATA,            /* base64, with its key */
    ART_OFFLOAD_DATA_URL,        /* a data URL, the value alone */
    ART_OFFLOAD_KIND,
    ART_OFFLOAD_MIME,
    ART_OFFLOAD_URI,
    ART_OFFLOAD_KEEP,            /* a member that a block keeps */
    ART_OFFLOAD_SEARCH           /* media in base64 may be anywhere in it */
} art_offload_act_t;


/*
 * "text" replaces the key of a unit, or data with their key: %u is the URI as a
 * string, %n the name, %m the media type, %s the size, %t a text with a marker.
 * A value is data only
 * beside one of "kinds", which NULL ends, unless that is NULL.
 */

typedef struct {
    art_walk_rule_t      walk;
    const char          *text;
    const char *const   *kinds;
} art_offload_rule_t;


/* The objects and arrays that lead to texts of results. */

enum {
    ART_SHORTEN_NO_NODE = ART_WALK_NONE,
    ART_SHORTEN_ROOT = ART_WALK_ROOT,
    ART_SHORTEN_ROOTS,           /* an array of answers */
    ART_SHORTEN_BODY,
    ART_SHORTEN_PARTS,
    ART_SHORTEN_PART,
    ART_SHORTEN_INNER,           /* in a part */
    ART_SHORTEN_NOTES,           /* about a part */
    ART_SHORTEN_READERS,
    ART_SHORTEN_META,
    ART_SHORTEN_TREE = ART_WALK_TREE
};


/*
 * What a value is, the "act" of its rule: the texts that count, and what in
 * their block decides about that.
 */

typedef enum {
    ART_SHORTEN_PASS = 0,
    ART_SHORTEN_STRING,          /* any string in it, whatever is around */
    ART_SHORTEN_TEXT,            /* in a block whose type is "text" */
    ART_SHORTEN_CONTENTS,        /* "resource" */
    ART_SHORTEN_BLOCK,
    ART_SHORTEN_KIND,
    ART_SHORTEN_FOR,             /* not if it is for "user" alone */
    ART_SHORTEN_REF,             /* not if it is an artifact's */
    ART_SHORTEN_URI,             /* not if it is "ui://" */
    ART_SHORTEN_MIME
} art_shorten_act_t;


#endif /* ART_API_RULES_H_INCLUDED_ */
