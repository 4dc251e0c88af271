
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What is counted for operators (docs/status.md), and its two forms: the text
 * of Prometheus and JSON.
 */


#ifndef ART_COUNTERS_H_INCLUDED_
#define ART_COUNTERS_H_INCLUDED_


#include "core/base/art_core.h"


/* Each is a family, a row of the table in art_counters.c. */

typedef enum {
    ART_COUNT_REQUESTS = 0,      /* handler, status */
    ART_COUNT_SENT,              /* handler */
    ART_COUNT_READ,
    ART_COUNT_ROUTED,            /* format, kind, routing, reason */
    ART_COUNT_TYPES,             /* art_from_t */
    ART_COUNT_CONTRADICTIONS,
    ART_COUNT_WRITES,            /* operation, outcome */
    ART_COUNT_WRITTEN,
    ART_COUNT_FOLDS,             /* outcome */
    ART_COUNT_EXPIRED,
    ART_COUNT_EXPIRED_FAILED,
    ART_COUNT_OPEN,
    ART_COUNT_LOOKUPS,           /* result */
    ART_COUNT_ZONE_SIZE,
    ART_COUNT_ZONE_USED,
    ART_COUNT_ZONE_EVICTIONS,
    ART_COUNT_PARTS,             /* API, kind, outcome */
    ART_COUNT_SAVED,
    ART_COUNT_ATTACHMENTS,       /* art_attached_t */
    ART_COUNT_SOURCES_FAILED,
    ART_COUNT_DERIVED,           /* kind of the original, outcome */
    ART_COUNT_DECLARED,
    ART_COUNT_OFFLOADED,         /* kind, outcome */
    ART_COUNT_STANDINS,          /* side, art_standin_t, outcome */
    ART_COUNT_UNKNOWN,           /* handler */
    ART_COUNT_MCP,               /* art_mcp_method_t, outcome */
    ART_COUNT_FILES,             /* operation, outcome */
    ART_COUNT_FIRST_BYTE,        /* handler, art_count_bound() */
    ART_COUNT_SOURCE_WAIT,       /* the same */
    ART_COUNT_MAX
} art_count_t;


/* The values of labels; the others are rows and enums of the core. */

typedef enum {
    ART_COUNT_BY_ARTIFACT = 0,
    ART_COUNT_BY_WORKSPACE,
    ART_COUNT_BY_DECODE,
    ART_COUNT_BY_SERVICES,
    ART_COUNT_BY_MESSAGE,
    ART_COUNT_BY_API,            /* before one of models, in any way */
    ART_COUNT_BY_ROUTE,
    ART_COUNT_BY_MCP,
    ART_COUNT_BY_FILES
} art_count_handler_t;

typedef enum {
    ART_COUNT_PUT = 0,
    ART_COUNT_DELETE,
    ART_COUNT_POST
} art_count_operation_t;

typedef enum {
    ART_COUNT_CREATED = 0,
    ART_COUNT_CHANGED,           /* replaced or deleted */
    ART_COUNT_INCOMPLETE,        /* done, but the metadata were not written */
    ART_COUNT_REFUSED,
    ART_COUNT_FAILED
} art_count_write_t;

typedef enum {
    ART_COUNT_FOLDED = 0,
    ART_COUNT_NOT_FOLDED
} art_count_fold_t;

typedef enum {
    ART_COUNT_HIT = 0,
    ART_COUNT_MISS
} art_count_lookup_t;

typedef enum {
    ART_COUNT_KEPT = 0,
    ART_COUNT_AS_PART,
    ART_COUNT_AS_TEXT,
    ART_COUNT_DESCRIBED,
    ART_COUNT_NAMED,
    ART_COUNT_DROPPED,           /* described: no room in the request */
    ART_COUNT_MISSING,           /* described: absent, or not readable */
    ART_COUNT_AS_URL,            /* a part with its URL */
    ART_COUNT_PART_EXPIRED       /* described: absent since then */
} art_count_part_t;


typedef enum {
    ART_COUNT_TAKEN = 0,
    ART_COUNT_CANNOT,            /* the converter */
    ART_COUNT_NOT_TAKEN,         /* by the reader, what was made */
    ART_COUNT_NOT_DERIVED        /* the converter has failed */
} art_count_derive_t;

typedef enum {
    ART_COUNT_OFFLOADED_MEDIA = 0,
    ART_COUNT_OFFLOADED_TEXT
} art_count_offloaded_t;

typedef enum {
    ART_COUNT_STORED = 0,
    ART_COUNT_NOT_STORED
} art_count_offload_t;

typedef enum {
    ART_COUNT_FRONT = 0,
    ART_COUNT_BEHIND
} art_count_side_t;

typedef enum {
    ART_COUNT_STANDIN_STORED = 0,
    ART_COUNT_STANDIN_KNOWN,
    ART_COUNT_LEFT_TYPE,         /* something else is declared */
    ART_COUNT_LEFT_KIND,         /* there is no stand-in for it */
    ART_COUNT_LEFT_MAXIMUM,
    ART_COUNT_STANDIN_FAILED,
    ART_COUNT_STANDIN_EXPANDED,
    ART_COUNT_STANDIN_DESCRIBED,
    ART_COUNT_STANDIN_MISSING,   /* or it cannot be read */
    ART_COUNT_STANDIN_MISMATCH,
    ART_COUNT_STANDIN_UNTOUCHED
} art_count_standin_t;


typedef enum {
    ART_COUNT_MCP_REFUSED = 0,   /* an error of HTTP's */
    ART_COUNT_MCP_RESULT,
    ART_COUNT_MCP_WORDS,         /* a tool's own error, for a model */
    ART_COUNT_MCP_ERROR
} art_count_mcp_t;


typedef enum {
    ART_COUNT_FILES_UPLOAD = 0,
    ART_COUNT_FILES_LIST,
    ART_COUNT_FILES_RETRIEVE,
    ART_COUNT_FILES_CONTENT,
    ART_COUNT_FILES_DELETE,
    ART_COUNT_FILES_OTHER        /* no operation of the API */
} art_count_files_t;

typedef enum {
    ART_COUNT_FILES_DONE = 0,
    ART_COUNT_FILES_REFUSED,
    ART_COUNT_FILES_FAILED
} art_count_filed_t;


/* The value of the label "handler". */

const char *art_count_handler_name(art_count_handler_t handler);


/* The value of the label "status" for an HTTP status. */

unsigned art_count_status(unsigned status);


/*
 * Histograms count times.  Their last label is the first upper bound that a
 * time in milliseconds does not exceed; behind the bounds, ART_COUNT_SUM has
 * the sum of all times.
 */

#define ART_COUNT_SUM  15

unsigned art_count_bound(uint64_t time);


#define ART_COUNT_LABELS  4


/* The positions of each family's counters in an array of "n" counters. */

typedef struct {
    unsigned    first[ART_COUNT_MAX];
    unsigned    values[ART_COUNT_MAX][ART_COUNT_LABELS];   /* of each label */
    unsigned    n;
} art_counters_t;

void art_counters_init(art_counters_t *counters);


/*
 * The index of a counter: "at" has the values of the family's labels, in order,
 * and is not read if there are no labels.  counters->n for values past the last
 * one, which have no counter.
 */

unsigned art_counters_index(const art_counters_t *counters, art_count_t family,
    const unsigned *at);


/*
 * Write counters->n values, at most about 150 bytes each, in version 0.0.4 of
 * Prometheus' text format and as JSON.  Families with many counters omit zeros,
 * histograms those of which nothing was counted.
 */

void art_counters_text(art_out_t *out, const art_counters_t *counters,
    const uint64_t *values);
void art_counters_json(art_out_t *out, const art_counters_t *counters,
    const uint64_t *values);


#endif /* ART_COUNTERS_H_INCLUDED_ */
