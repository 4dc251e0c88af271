
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A scan from within: art_expand_scan.c walks through the body,
 * art_expand_turn.c has its messages, art_expand_part.c their parts,
 * art_expand_search.c the texts of tools, art_expand_standin.c strings that are
 * stand-ins, art_expand_argument.c the arguments of a tool, and
 * art_expand_list.c the lists of what is found.
 */


#ifndef ART_EXPAND_SCAN_INT_H_INCLUDED_
#define ART_EXPAND_SCAN_INT_H_INCLUDED_


#include "core/json/art_json_walk.h"
#include "core/media/art_find.h"
#include "core/expand/art_expand_scan.h"


#define ART_SCAN_FRAMES     24
#define ART_SCAN_PARTS      4
#define ART_SCAN_MODEL_MAX  256      /* bytes of a model's name */
#define ART_SCAN_BLOCKS     ((ART_MESSAGE_MEDIA_MAX + ART_MESSAGE_FINDS_MAX)  \
                             / ART_MESSAGE_SLOTS_BLOCK)


/*
 * Strings, the last of which can be taken back: a value that turns out not to
 * be a slot shall not cost memory.
 */

#define ART_ARENA_BLOCK  8192    /* bytes; the longest string */


typedef struct art_arena_block_s  art_arena_block_t;

struct art_arena_block_s {
    art_arena_block_t   *next;
    uint8_t              data[ART_ARENA_BLOCK];
};


/* How much is in use: going back to a mark frees all that was taken since. */

typedef struct {
    art_arena_block_t   *last;       /* those after it are free */
    size_t               used;       /* of it */
} art_arena_mark_t;


typedef struct {
    art_pool_t           pool;
    art_arena_block_t   *first;
    art_arena_mark_t     at;
} art_arena_t;


/*
 * Copies a string of at most ART_ARENA_BLOCK bytes; ART_ERROR when out of
 * memory.
 */

int art_arena_copy(art_arena_t *arena, art_str_t text, art_str_t *copy);


typedef struct {
    uint64_t             key;
    art_span_t           span;
} art_scan_field_t;

#define ART_SCAN_FIELDS  (ART_FIELD_MAX - ART_FIELD_TYPE)
#define ART_SCAN_HELD    (ART_FIELD_RESULT - ART_FIELD_ARTIFACT + 1)


/*
 * The texts of one tool's result, and what was found in them.  "found" holds
 * the first ones only; once it is full, the search is over.  Of stand-ins there
 * are more, of whom only the names stay.
 */

#define ART_SEARCH_FINDS  16
#define ART_SEARCH_MOST   64

typedef struct {
    art_span_t           string;
    uint64_t             after;      /* the end of the part it is in; or 0 */
    uint32_t             group;
} art_search_text_t;

typedef struct {
    art_span_t           span;
    unsigned             text;       /* its number */
    uint8_t              id[ART_FIND_ID];    /* of a marker or stand-in */
    const char          *mime;       /* of a run, else NULL */
    art_standin_t        standin;
    uint64_t             data;       /* where its base64 begins */
    unsigned             old;        /* only its name stays */
    uint64_t             size;
    uint32_t             pixels[2];
    unsigned             whole;
} art_search_find_t;

typedef struct {
    unsigned             on:1;       /* in a string */
    unsigned             over:1;
    unsigned             any:1;      /* which is no text of a tool */
    uint32_t             since;      /* stand-ins before the string */
    unsigned             ntexts;
    unsigned             nfound;
    unsigned             nlinks;     /* slots, which count as well */
    unsigned             nold;       /* found, which do not */
    uint64_t             begin;      /* of the string, in the body */
    uint64_t             pos;        /* as far as it was read */
    uint64_t             piece_pos;  /* the piece of the body being read */
    const uint8_t       *piece;
    art_search_text_t    texts[ART_SEARCH_MOST];
    art_search_find_t    found[ART_SEARCH_MOST];
    art_find_t           find;
} art_search_t;


/* A string that is a stand-in, with its quotes, or one within a string. */

typedef struct {
    art_span_t           string;
    unsigned             inside:1;
    art_str_t            head;       /* of a data URL */
    art_standin_t        kind;
    uint8_t              id[ART_STANDIN_ID];
} art_scan_standin_t;


/* A part being read. */

typedef struct {
    art_arena_mark_t     mark;
    uint64_t             pos;
    uint64_t             before;
    uint64_t             inner;      /* the end of the call in it */
    uint32_t             index;
    uint32_t             slots;      /* slots before it */
    uint32_t             set;        /* a bit for each field present, */
    uint32_t             twice;      /* and for those that were before */
    uint32_t             elements;   /* of the array in it */
    uint32_t             members;    /* of the response in it */
    art_message_shape_t  shape;      /* of that */
    art_span_t           blank;      /* the call's parts, if no array */
    unsigned             copies;
    unsigned             texts;      /* searched before it */
    unsigned             found;      /* in these */
    unsigned             image:1;    /* is an element of images */
    unsigned             error:1;    /* is_error is true */
    art_message_type_t   type;
    art_message_type_t   source;
    art_str_t            name;
    art_str_t            mime;
    art_str_t            declared;   /* the same as it stands */
    unsigned             nmimes;     /* members that declare one, */
    unsigned             differ:1;   /* not all the same */
    art_span_t           mimes[ART_SLOT_MIMES];
    art_scan_field_t     fields[ART_SCAN_FIELDS];
    art_message_held_value_t  held[ART_SCAN_HELD];
} art_scan_part_t;


/* A message being read. */

typedef struct {
    art_arena_mark_t     mark;
    uint32_t             slots;
    uint32_t             groups;
    uint32_t             finds;      /* in texts before it */
    art_message_role_t   role;
    art_message_type_t   item;
    unsigned             output:1;   /* present */
    unsigned             content:1;  /* present */
    unsigned             system:1;   /* a system text of its own */
    unsigned             nothing:1;  /* the content is empty, or null */
    unsigned             calls:1;    /* has results of calls */
    unsigned             text:1;     /* has a text among its parts */
    unsigned             told:1;     /* its role has come */
    uint32_t             members;
    uint32_t             elements;
    art_span_t           string;
    art_span_t           array;
} art_scan_message_t;


/* An object or array; "last" is the end of an array's last element. */

typedef struct {
    art_walk_frame_t     walk;
    uint64_t             last;
    uint32_t             slot;       /* of that element, plus 1; 0: none */
} art_scan_frame_t;


/* Items, which stay where they are: blocks of ART_MESSAGE_SLOTS_BLOCK. */

typedef struct {
    void               **blocks;
    uint32_t             nblocks;
} art_scan_list_t;


typedef struct {
    art_scan_t           found;          /* the public part */

    unsigned             listed:1;       /* the messages have come */
    unsigned             excess:1;       /* more references than may be */
    uint32_t             tools;          /* the group being continued */

    /* the request being read */

    art_scan_request_t   request;
    unsigned             root;           /* the depth of its members */
    uint32_t             occurrences;
    uint32_t             finds;          /* before it */

    art_scan_list_t      slots;
    art_scan_list_t      groups;
    art_scan_list_t      requests;
    art_scan_list_t      standins;
    uint32_t             nstandins;      /* of the request being read */
    art_standin_t        standin;        /* the string being read is one */
    size_t               needs;          /* bytes of it, but for that */

    art_arena_t          arena;
    art_scan_message_t   message;
    art_search_t         search;
    art_message_look_t   look;           /* at what is being read, */
    art_message_pixels_t  pixels;        /* and its pixels */
    unsigned             nparts;
    art_walk_t           walk;
    art_scan_frame_t     frames[ART_SCAN_FRAMES + ART_WALK_SPARE];
    art_scan_part_t      parts[ART_SCAN_PARTS];

    /* a slot may be the only one of two groups, one of them of tools */

    void                *slot_blocks[ART_SCAN_BLOCKS];
    void                *group_blocks[2 * ART_SCAN_BLOCKS];
    void                *request_blocks[ART_SCAN_BLOCKS];
    void                *standin_blocks[ART_SCAN_BLOCKS];

    uint8_t              names[ART_MESSAGE_MODELS_MAX][ART_SCAN_MODEL_MAX];
    uint8_t              buf[ART_LEX_KEEP];
    uint8_t              text[ART_LEX_KEEP];
    art_lex_t            lex;
} art_scanner_t;


/* A field of a part, by its number. */

#define art_part_field(part, name)                                            \
    (&(part)->fields[(name) - ART_FIELD_TYPE])
#define art_part_held(part, name)                                             \
    (&(part)->held[(name) - ART_FIELD_ARTIFACT])
#define art_part_has(part, name)                                              \
    (((part)->set >> ((name) - ART_FIELD_TYPE) & 1) != 0)


/* The type that a value gives its part. */

#define art_message_rule_type(rule)                                           \
    (((const art_message_rule_t *) (const void *) (rule))->type)


/* Sets the status, for lack of memory or too many: ART_ERROR. */

static inline int
art_list_fail(art_scanner_t *scan, art_scan_status_t status)
{
    scan->found.status = status;

    return ART_ERROR;
}


/*
 * An item of "size" bytes: the one of number "i", and one more, zeroed, behind
 * the *n that there are: NULL with the status set if there is no memory.
 */

static inline void *
art_list_at(const art_scan_list_t *list, uint32_t i, size_t size)
{
    uint8_t *block = list->blocks[i / ART_MESSAGE_SLOTS_BLOCK];

    return block + i % ART_MESSAGE_SLOTS_BLOCK * size;
}

void *art_list_add(art_scanner_t *scan, art_scan_list_t *list, uint32_t *n,
    size_t size);


/*
 * Add a slot or a group in the same way, but for a slot there may be no room:
 * NULL, and found.full is set.  art_list_remove() removes slot "n".
 */

art_message_slot_t *art_list_slot(art_scanner_t *scan);
art_message_group_t *art_list_group(art_scanner_t *scan);
void art_list_remove(art_scanner_t *scan, uint32_t n);


/*
 * The same for what was found in a text: found.finds is for the caller to
 * count.  art_list_refs() numbers the references of all slots.
 */

art_message_slot_t *art_list_find(art_scanner_t *scan);
int art_list_refs(art_scanner_t *scan);


/*
 * The search of texts.  A result begins; a string begins at "pos", whose first
 * byte that is; the next piece of the body begins and has been read; the string
 * ends; a part of the result ends: what was found there counts only if it is
 * "text".  Nothing is found in strings that are no texts of tools.
 */

void art_search_result(art_scanner_t *scan);
void art_search_string(art_scanner_t *scan, const art_walk_rule_t *rule,
    uint64_t pos);
void art_search_piece(art_scanner_t *scan, const uint8_t *p);
void art_search_read(art_scanner_t *scan, uint64_t end);
void art_search_string_end(art_scanner_t *scan, uint64_t end);
void art_search_part(art_scanner_t *scan, const art_scan_part_t *part,
    unsigned text, uint64_t end);


/*
 * The result has ended: what was found becomes slots in "place" among those
 * from "first" on, unless it is in one of these.  ART_ERROR with the status
 * set.
 */

int art_search_result_end(art_scanner_t *scan, uint32_t first,
    art_message_place_t place);


/*
 * Stand-ins.  The first one looks at a string: sets scan->standin, and notes
 * where it is; ART_ERROR with the status set.  The second returns the id that
 * the last one carries, the third drops what was noted: it belongs to no
 * request.  The last one ends a request: what is no slot becomes one; ART_ERROR
 * with the status set.
 */

int art_standins_value(art_scanner_t *scan, const art_lex_value_t *value);
int art_standins_found(art_scanner_t *scan, const art_find_t *find);
art_str_t art_standins_id(const art_scanner_t *scan);
void art_standins_drop(art_scanner_t *scan);
int art_standins_end(art_scanner_t *scan);


/* What a string may be: with ART_SCAN_ONLY, no other reference. */

static inline art_value_what_t
art_scan_what(const art_scanner_t *scan, unsigned refs)
{
    if (scan->found.conf.standins & ART_SCAN_ONLY) {
        return ART_VALUE_MEDIA;
    }

    return refs ? ART_VALUE_REFS : ART_VALUE_ALL;
}


/* Whether stand-ins are references. */

static inline unsigned
art_scan_has_refs(const art_scanner_t *scan)
{
    return (scan->found.conf.standins & ART_SCAN_STANDINS) != 0;
}


/* One more link in a result; returns whether it still counts. */

unsigned art_search_link(art_scanner_t *scan);


/*
 * Leaves out the oldest finds of the request, if there are more than references
 * may be.
 */

void art_search_cut(art_scanner_t *scan);


/*
 * A request of a batch begins, whose object is the walk's top, and has ended,
 * of "len" bytes; and the body has ended.  ART_ERROR with the status set.
 */

void art_batch_begin(art_scanner_t *scan);
int art_batch_end(art_scanner_t *scan, uint64_t len);
int art_batch_close(art_scanner_t *scan);


/* One more reference; ART_ERROR with the status set if it is one too many. */

static inline int
art_scan_occurs(art_scanner_t *scan)
{
    scan->found.occurrences++;

    return ++scan->occurrences > scan->found.conf.refs_max
           ? art_list_fail(scan, ART_SCAN_TOO_MANY) : ART_OK;
}


/*
 * Begin a message, or a system text of its own; its content, of which the last
 * one counts, or one that is a string; and end the message: then it is known
 * which of its slots count.  ART_ERROR with the status set.
 */

void art_turn_begin(art_scanner_t *scan, unsigned system);
void art_turn_content(art_scanner_t *scan, const art_walk_rule_t *rule);
int art_turn_string(art_scanner_t *scan, const art_walk_rule_t *rule,
    const art_lex_value_t *value);
int art_turn_end(art_scanner_t *scan, uint64_t end);


/*
 * Takes a string outside of messages, where only a picture can be.  ART_ERROR
 * with the status set.
 */

int art_turn_sole_string(art_scanner_t *scan, const art_lex_value_t *value);


/*
 * Take a field of the part, and end the part: then its slots are made.
 * ART_ERROR with the status set.
 */

int art_part_value(art_scanner_t *scan, art_scan_part_t *part,
    const art_walk_rule_t *rule, const art_lex_value_t *value);
int art_part_end(art_scanner_t *scan, art_scan_part_t *part, uint64_t end);


/* The same for a slot, already made, where only a picture can be. */

int art_part_sole(art_scanner_t *scan, art_message_slot_t *slot);


/*
 * What is known of the content of a slot that was looked at.  ART_ERROR with
 * the status set.
 */

int art_content_slot(art_scanner_t *scan, const art_scan_part_t *part,
    const art_message_held_value_t *held, art_message_slot_t *slot);


/*
 * The arguments of a call.  The first function takes a string in them:
 * ART_ERROR with the status set.  The second one ends the call: if it calls no
 * tool, it has no slots; with too many references the status is set.
 */

int art_argument_value(art_scanner_t *scan, const art_lex_value_t *value);
void art_argument_end(art_scanner_t *scan);


/*
 * Adds the slot of a string that is a reference; NULL with the status set.
 */

art_message_slot_t *art_part_string(art_scanner_t *scan,
    art_message_place_t place, art_span_t string,
    const art_message_held_value_t *held);


#endif /* ART_EXPAND_SCAN_INT_H_INCLUDED_ */
