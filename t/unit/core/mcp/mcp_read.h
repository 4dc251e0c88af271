
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Reading a message in pieces, and what became of it as a text to compare.
 */


#ifndef ART_MCP_READ_H_INCLUDED_
#define ART_MCP_READ_H_INCLUDED_


#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mcp/art_mcp_answer.h"
#include "core/mcp/art_mcp_request.h"


#define MCP_ROOM     65536       /* what a message may keep */
#define MCP_CONTENT  20000000


typedef struct {
    uint8_t  *room;
    size_t    used;
    size_t    most;
} mcp_memory_t;

typedef struct {
    uint8_t   *data;
    size_t     len;
    unsigned   ends;
    size_t     most;             /* of one call */
    unsigned   fails;
} mcp_sink_t;


static mcp_memory_t  mcp_memory;
static mcp_sink_t    mcp_streams[ART_MCP_ARGS];


static inline void *
mcp_alloc(void *data, size_t size)
{
    void          *p;
    mcp_memory_t  *memory;

    memory = data;

    if (size > memory->most - memory->used) {
        return NULL;
    }

    p = memory->room + memory->used;
    memory->used += size;

    return p;
}


static inline int
mcp_take(void *data, unsigned argument, const uint8_t *p, size_t n,
    unsigned last)
{
    mcp_sink_t  *stream;

    (void) data;

    stream = &mcp_streams[argument];
    stream->ends += last;

    if (stream->fails || n > MCP_CONTENT - stream->len) {
        return ART_ERROR;
    }

    if (n > 0) {
        memcpy(stream->data + stream->len, p, n);
    }

    stream->len += n;

    return ART_OK;
}


/* Pieces of "piece" bytes, each in memory of its size; 0: of any size. */

static inline int
mcp_read(art_mcp_request_t *m, const void *message, size_t len, size_t piece,
    size_t (*below)(size_t n))
{
    int             rc;
    size_t          i, n;
    uint8_t        *copy;
    art_pool_t      pool;
    const uint8_t  *p;

    static const unsigned  streams[] = {
        ART_MCP_ARG_CONTENT, ART_MCP_ARG_BASE64
    };

    if (mcp_memory.room == NULL) {
        mcp_memory.room = malloc(MCP_ROOM);
        mcp_memory.most = MCP_ROOM;

        for (i = 0; i < 2; i++) {
            mcp_streams[streams[i]].data = malloc(MCP_CONTENT);
        }
    }

    mcp_memory.used = 0;

    for (i = 0; i < 2; i++) {
        mcp_streams[streams[i]].len = 0;
        mcp_streams[streams[i]].ends = 0;
    }

    pool.alloc = mcp_alloc;
    pool.data = &mcp_memory;

    art_mcp_init(m, &pool, mcp_take, NULL);

    rc = ART_OK;

    for (p = message; len > 0 && rc == ART_OK; p += n, len -= n) {

        n = piece > 0 ? piece : 1 + below(len < 40 ? len : 40);
        n = n < len ? n : len;

        copy = malloc(n);
        memcpy(copy, p, n);
        rc = art_mcp_feed(m, copy, n);
        free(copy);
    }

    return art_mcp_end(m);
}


static inline void
mcp_describe_str(art_out_t *out, const char *label, art_str_t s)
{
    if (s.len > 0) {
        art_out_cstr(out, label);
        art_out_str(out, s);
    }
}


/* Checks a message that was read, and writes what it is, or its error. */

static inline void
mcp_describe(art_out_t *out, art_mcp_request_t *m,
    const art_mcp_headers_t *headers, unsigned writes)
{
    unsigned         i;
    char             number[32];
    art_mcp_error_t  error;

    if (art_mcp_check(m, headers, writes, &error) != ART_OK) {
        art_out_uint(out, error.status);
        art_out_char(out, ' ');
        art_mcp_print_error(out, m, &error);
        return;
    }

    art_out_cstr(out, m->notification ? "notification" : "request");
    art_out_cstr(out, m->modern ? " modern " : " ");
    art_out_str(out, m->version);
    mcp_describe_str(out, " id=", m->id);
    mcp_describe_str(out, " method=", m->method_name);
    mcp_describe_str(out, " name=", m->name);
    mcp_describe_str(out, " uri=", m->uri);
    mcp_describe_str(out, " cursor=", m->cursor);

    for (i = 0; i < ART_MCP_ARGS; i++) {

        if (!m->args[i].given) {
            continue;
        }

        art_out_char(out, ' ');
        art_out_cstr(out, art_mcp_args[i].name);
        art_out_char(out, '=');

        if (art_mcp_args[i].type == ART_MCP_INTEGER) {
            snprintf(number, sizeof(number), "%lld",
                     (long long) m->args[i].number);
            art_out_cstr(out, number);

        } else if (art_mcp_args[i].type == ART_MCP_STREAM) {
            art_out_uint(out, mcp_streams[i].len);
            art_out_char(out, ':');
            art_out_mem(out, mcp_streams[i].data,
                        mcp_streams[i].len < 64 ? mcp_streams[i].len : 64);
            art_out_cstr(out, mcp_streams[i].ends == 1 ? "" : "!");

        } else {
            art_out_str(out, m->args[i].text);
            art_out_cstr(out, m->args[i].cut ? "(cut)" : "");
        }
    }
}


#endif /* ART_MCP_READ_H_INCLUDED_ */
