
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A cursor has these bytes: the hash (8), a version, the part, the length of
 * the workspace's id (2), that id, the name.
 */


#include "core/base/art_bytes.h"
#include "core/base/art_hash.h"
#include "core/text/art_base64.h"
#include "core/mcp/art_mcp_cursor.h"


#define ART_MCP_CURSOR_VERSION  1

#define ART_MCP_CURSOR_HASH     8
#define ART_MCP_CURSOR_HEAD     4        /* what follows it, up to the id */

/* A multiple of 3: only the last piece may have an incomplete group. */

#define ART_MCP_CURSOR_PIECE    96


typedef struct {
    art_out_t  *out;
    size_t      n;
    uint8_t     piece[ART_MCP_CURSOR_PIECE];
} art_mcp_encoder_t;


static uint64_t art_mcp_cursor_hash(const art_mcp_listing_t *listing,
    const uint8_t *head, art_str_t workspace, art_str_t after);
static void art_mcp_encode(art_mcp_encoder_t *encoder, const void *data,
    size_t len);
static void art_mcp_encode_end(art_mcp_encoder_t *encoder);


void
art_mcp_cursor_print(art_out_t *out, const art_mcp_listing_t *listing,
    const art_mcp_position_t *position)
{
    uint8_t            head[ART_MCP_CURSOR_HEAD], hash[ART_MCP_CURSOR_HASH];
    art_mcp_encoder_t  encoder;

    head[0] = ART_MCP_CURSOR_VERSION;
    head[1] = (uint8_t) position->part;
    (void) art_bytes_put(head + 2, position->workspace.len, 2);

    (void) art_bytes_put(hash, art_mcp_cursor_hash(listing, head,
                                                   position->workspace,
                                                   position->after),
                         ART_MCP_CURSOR_HASH);

    encoder.out = out;
    encoder.n = 0;

    art_mcp_encode(&encoder, hash, sizeof(hash));
    art_mcp_encode(&encoder, head, sizeof(head));
    art_mcp_encode(&encoder, position->workspace.data,
                   position->workspace.len);
    art_mcp_encode(&encoder, position->after.data, position->after.len);
    art_mcp_encode_end(&encoder);
}


int
art_mcp_cursor_parse(art_str_t cursor, uint8_t *buf,
    const art_mcp_listing_t *listing, art_mcp_position_t *position)
{
    size_t    len, n;
    uint8_t  *head, *p;

    if (art_base64url_decode(buf, &len, cursor.data, cursor.len) != ART_OK
        || len < ART_MCP_CURSOR_HASH + ART_MCP_CURSOR_HEAD)
    {
        return ART_ERROR;
    }

    head = buf + ART_MCP_CURSOR_HASH;
    p = head + ART_MCP_CURSOR_HEAD;
    len -= ART_MCP_CURSOR_HASH + ART_MCP_CURSOR_HEAD;
    n = (size_t) art_bytes_get(head + 2, 2);

    if (head[0] != ART_MCP_CURSOR_VERSION || n > len) {
        return ART_ERROR;
    }

    position->part = head[1];
    position->workspace = art_str(p, n);
    position->after = art_str(p + n, len - n);

    return art_bytes_get(buf, ART_MCP_CURSOR_HASH)
           == art_mcp_cursor_hash(listing, head, position->workspace,
                                  position->after)
           ? ART_OK : ART_ERROR;
}


/* The lengths keep neighbours apart. */

static uint64_t
art_mcp_cursor_hash(const art_mcp_listing_t *listing, const uint8_t *head,
    art_str_t workspace, art_str_t after)
{
    size_t    i;
    uint8_t   number[8];
    uint64_t  hash;

    (void) art_bytes_put(number, listing->kind, sizeof(number));
    hash = art_hash(ART_HASH_INIT, number, sizeof(number));

    for (i = 0; i < ART_MCP_SCOPE; i++) {
        (void) art_bytes_put(number, listing->scope[i].len, sizeof(number));

        hash = art_hash(hash, number, sizeof(number));
        hash = art_hash(hash, listing->scope[i].data, listing->scope[i].len);
    }

    hash = art_hash(hash, head, ART_MCP_CURSOR_HEAD);
    hash = art_hash(hash, workspace.data, workspace.len);

    return art_hash(hash, after.data, after.len);
}


static void
art_mcp_encode(art_mcp_encoder_t *encoder, const void *data, size_t len)
{
    size_t          n;
    const uint8_t  *p;

    for (p = data; len > 0; p += n, len -= n) {
        n = ART_MCP_CURSOR_PIECE - encoder->n;
        n = n < len ? n : len;

        memcpy(encoder->piece + encoder->n, p, n);
        encoder->n += n;

        if (encoder->n == ART_MCP_CURSOR_PIECE) {
            art_mcp_encode_end(encoder);
        }
    }
}


static void
art_mcp_encode_end(art_mcp_encoder_t *encoder)
{
    size_t   n;
    uint8_t  text[ART_BASE64_LEN(ART_MCP_CURSOR_PIECE)];

    n = art_base64url_encode(text, encoder->piece, encoder->n);
    art_out_mem(encoder->out, text, n);

    encoder->n = 0;
}
