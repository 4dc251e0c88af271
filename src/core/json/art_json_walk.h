
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A walk through a JSON text along a table of rules: which of its objects and
 * arrays are entered, and what their members and elements are.  All else is
 * skipped.  Several observers, each with a table of its own, may walk through
 * the same text.
 */


#ifndef ART_JSON_WALK_H_INCLUDED_
#define ART_JSON_WALK_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_lex.h"


#define ART_WALK_NODES  32       /* of a table, ART_WALK_NONE included */

#define ART_WALK_NONE   0        /* a node: it is skipped */
#define ART_WALK_ROOT   1        /* a node: the text itself */
#define ART_WALK_TREE   255      /* a node: all within has the same rule */


/*
 * A rule: the value of member "key" (NULL: each element) of nodes "in" is node
 * "object" if it is an object, "array" if it is an array, and "act" is its
 * meaning to the observer.  It is the first column of the observer's own rule.
 * All rules of a node are adjacent, those of an array are one; "in" of
 * ART_WALK_NONE ends the table.  If a key has several rules, the walk finds the
 * first of them; ART_WALK_ANY, the last of its node, is for all other keys.
 *
 * In an object or array that is ART_WALK_TREE, the values at any depth have
 * its rule.  What is nested in it has no frames and no calls of its own, except
 * for "wants", "goes_on", "value" and "text".
 */

#define ART_WALK_ANY  "*"

typedef struct {
    const char             *key;
    uint8_t                 in;
    uint8_t                 object;
    uint8_t                 array;
    uint8_t                 act;
} art_walk_rule_t;


/*
 * An object or array that the walk is in.  "count" is the number of members or
 * elements that have begun in it, "key" the position of the last member's key.
 * It is the first column of the observer's own frame, which has to set its
 * other columns itself.
 */

typedef struct {
    const art_walk_rule_t  *rule;
    uint64_t                pos;
    uint64_t                key;
    uint32_t                count;
    uint8_t                 node;
    uint8_t                 array;   /* it is one, not an object */
} art_walk_frame_t;


/*
 * An observer: the sizes of its rules and frames, the rule of the text itself,
 * how many frames deep it enters, and its callbacks (NULL: none), which are
 * called for values that have a rule and are not skipped.
 *
 * enter    an object or array begins; its frame is the top.  It is skipped if
 *          its node is ART_WALK_NONE, by the rule or for the depth, or because
 *          the observer sets it
 * leave    one ends, skipped or not; "end" is after its bracket, and its frame
 *          is the top for the last time
 * key      of an object that is not skipped; walk->rule is the rule, which the
 *          observer may change, or NULL; "key" has data NULL if it is too long
 * wants    before a string at "pos": how much of it (art_lex_handler_t)
 * goes_on  the same, if "wants" requested bytes to be kept
 * value    a value that is not an object or array
 * text     of a string for which "wants" requested it
 *
 * enter, leave, key and value may end the reading with ART_ERROR.
 */

typedef struct {
    size_t                  rule_size;
    size_t                  frame_size;
    unsigned                depth;
    const art_walk_rule_t  *root;

    int       (*enter)(void *data, art_walk_frame_t *frame);
    int       (*leave)(void *data, art_walk_frame_t *frame, uint64_t end);
    int       (*key)(void *data, uint64_t pos, uint64_t end, art_str_t key);
    size_t    (*wants)(void *data, const art_walk_rule_t *rule, uint64_t pos);
    int       (*goes_on)(void *data, const art_walk_rule_t *rule,
                    art_str_t text);
    int       (*value)(void *data, const art_walk_rule_t *rule,
                    const art_lex_value_t *value);
    void      (*text)(void *data, const uint8_t *p, size_t n, uint64_t end);
} art_walk_observer_t;


/*
 * An observer's walk.  It may read "rule", that of the next value or the one
 * just read (NULL: none), and "depth", the number of its frames.
 */

typedef struct art_walk_s  art_walk_t;

struct art_walk_s {
    const art_walk_rule_t  *rule;
    unsigned                depth;

    const art_walk_rule_t  *every;   /* of what has no other; NULL: none */
    unsigned                skipped; /* depth of the skipped one */
    unsigned                tree;    /* ... within an ART_WALK_TREE */
    uint8_t                *top;
    uint8_t                *frames;
    size_t                  wanted;  /* of the next string */
    void                   *data;
    art_walk_t             *next;
    const art_walk_observer_t  *observer;
    const art_walk_rule_t  *first[ART_WALK_NODES];
};


/*
 * Begins.  Without "rules" (NULL) only the text itself is entered.  "frames"
 * has room for observer->depth + ART_WALK_SPARE frames: one more for the text
 * itself, and one for what is skipped.  All arguments must outlive the walk.
 * art_walk_reset() begins again with the next text.
 */

#define ART_WALK_SPARE  2

void art_walk_init(art_walk_t *walk, const art_walk_observer_t *observer,
    const void *rules, void *frames, void *data);
void art_walk_reset(art_walk_t *walk);


/*
 * After art_walk_init(): nothing is skipped.  What has no rule has this one,
 * "every", and an object or array that would be skipped is one of
 * ART_WALK_TREE with it.
 */

static inline void
art_walk_all(art_walk_t *walk, const art_walk_rule_t *every)
{
    walk->every = every;
}


/* Adds another observer of the same tokens, which it gets after "walk". */

static inline void
art_walk_join(art_walk_t *walk, art_walk_t *next)
{
    walk->next = next;
}


/* The callbacks of the lexer that feeds a walk, which is their "data". */

extern const art_lex_handler_t  art_walk_tokens;


/*
 * The innermost frame and the one around it.  The text itself, at depth 0, has
 * a frame of node ART_WALK_NONE.
 */

static inline void *
art_walk_top(const art_walk_t *walk)
{
    return walk->top;
}


static inline void *
art_walk_parent(const art_walk_t *walk)
{
    return walk->top - walk->observer->frame_size;
}


/* Whether the walk is within an ART_WALK_TREE. */

static inline int
art_walk_is_in_tree(const art_walk_t *walk)
{
    return walk->tree > 0;
}


/* Whether it is in an object or array whose keys are passed over. */

static inline int
art_walk_is_skipping(const art_walk_t *walk)
{
    return walk->skipped > 0 || walk->tree > 0;
}


/* The first rule of a node, or NULL; the others follow it. */

static inline const void *
art_walk_rules(const art_walk_t *walk, unsigned node)
{
    return walk->first[node];
}


#endif /* ART_JSON_WALK_H_INCLUDED_ */
