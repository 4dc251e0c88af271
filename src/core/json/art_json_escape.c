
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_utf8.h"
#include "core/json/art_json_int.h"


#define art_json_special(c)  ((c) < 0x20 || (c) == '"' || (c) == '\\')


static void art_json_blocks(art_json_io_t *io, unsigned level);
static void art_json_run(art_json_io_t *io);
static size_t art_json_plain(uint8_t *dst, const uint8_t *src, size_t len);
static uint64_t art_json_specials(uint64_t v);
static size_t art_json_ascii_len(art_str_t s);
static void art_json_string_valid(art_out_t *out, const uint8_t *p,
    size_t len, unsigned level);


size_t
art_json_escape(uint8_t *dst, size_t room, const uint8_t **src, size_t *len,
    unsigned level)
{
    size_t         size;
    uint8_t        unit[ART_JSON_UNIT_MAX];
    art_json_io_t  io;

    io.dst = dst;
    io.room = room;
    io.src = *src;
    io.len = *len;

    while (io.len > 0) {
        art_json_blocks(&io, level);
        art_json_run(&io);

        if (io.len == 0 || !art_json_special(*io.src)) {
            break;
        }

        if (io.room >= sizeof(unit)) {
            size = art_json_unit(io.dst, *io.src, level);

        } else {
            size = art_json_unit(unit, *io.src, level);

            if (size > io.room) {
                break;
            }

            memcpy(io.dst, unit, size);
        }

        io.dst += size;
        io.room -= size;
        io.src++;
        io.len--;
    }

    *src = io.src;
    *len = io.len;

    return (size_t) (io.dst - dst);
}


/* Does most of the work where the processor has vectors. */

static void
art_json_blocks(art_json_io_t *io, unsigned level)
{
#ifdef ART_SIMD_X86

    art_simd_t      simd;
    const uint8_t  *start;

    simd = art_simd_level();

    if (simd == ART_SIMD_NONE || level > 2 || io->len < ART_JSON_BLOCK_LEN
        || io->room < ART_JSON_BLOCK_ROOM)
    {
        return;
    }

    start = io->src;

    if (simd >= ART_SIMD_AVX2 && level == 1) {
        art_json_blocks_avx2(io);

    } else {
        art_json_blocks_ssse3(io, level);
    }

    /* give back a part of a character: the rest might not fit */

    while (io->len > 0 && io->src > start && (*io->src & 0xc0) == 0x80) {
        io->dst--;
        io->room++;
        io->src--;
        io->len++;
    }

#else
    (void) io;
    (void) level;
#endif
}


/* Copies characters up to the first that needs an escape or does not fit. */

static void
art_json_run(art_json_io_t *io)
{
    size_t  i, max;

    max = io->len < io->room ? io->len : io->room;
    i = art_json_plain(io->dst, io->src, max);

    while (i < max && !art_json_special(io->src[i])) {
        io->dst[i] = io->src[i];
        i++;
    }

    if (i == max && i < io->len) {
        i = art_utf8_cut(io->src, io->len, i);
    }

    io->dst += i;
    io->room -= i;
    io->src += i;
    io->len -= i;
}


/*
 * Does most of art_json_run(): copies words without a special byte; returns the
 * bytes copied.  It stops at a word with a special byte or at less than a word.
 */

static size_t
art_json_plain(uint8_t *dst, const uint8_t *src, size_t len)
{
    size_t    i;
    uint64_t  v, special;

    for (i = 0; len - i >= 8; i += 8) {
        memcpy(&v, src + i, 8);

        special = art_json_specials(v);

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

        memcpy(dst + i, &v, 8);

        if (special) {
            return i + (size_t) __builtin_ctzll(special) / 8;
        }

#else

        if (special) {
            return i;
        }

        memcpy(dst + i, &v, 8);

#endif
    }

    return i;
}


/*
 * The high bits of those bytes of a word that need an escape.  Only the lowest
 * one is certain: a borrow may have set higher ones.
 */

static uint64_t
art_json_specials(uint64_t v)
{
    uint64_t        q, s;
    const uint64_t  ones = 0x0101010101010101;

    /* the high bit is set where v is below 0x20, or q or s is zero */

    q = v ^ ones * '"';
    s = v ^ ones * '\\';

    return (((v - ones * 0x20) & ~v) | ((q - ones) & ~q) | ((s - ones) & ~s))
           & ones * 0x80;
}


void
art_json_string(art_out_t *out, art_str_t s, unsigned level)
{
    int     n;
    size_t  valid;

    if (s.len == 0) {
        return;
    }

    /* most strings are short and need no escape */

    valid = art_json_ascii_len(s);
    art_out_mem(out, s.data, valid);

    s.data += valid;
    s.len -= valid;

    while (s.len > 0) {
        valid = art_utf8_valid_len(s.data, s.len);

        art_json_string_valid(out, s.data, valid, level);

        s.data += valid;
        s.len -= valid;

        if (s.len == 0) {
            break;
        }

        /* an unfinished character at the end is one ill-formed sequence */

        n = art_utf8_char(s.data, s.len);
        valid = n < 0 ? (size_t) (-1 - n) : s.len;

        art_out_cstr(out, ART_UTF8_REPLACEMENT);

        s.data += valid;
        s.len -= valid;
    }
}


void
art_json_literal(art_out_t *out, art_str_t s, unsigned level)
{
    art_json_string_valid(out, s.data, s.len, level);
}


/* The length of the ASCII prefix without special bytes. */

static size_t
art_json_ascii_len(art_str_t s)
{
    size_t    i;
    uint64_t  v;

    for (i = 0; s.len - i >= 8; i += 8) {
        memcpy(&v, s.data + i, 8);

        if ((v & 0x8080808080808080) || art_json_specials(v)) {
            break;
        }
    }

    while (i < s.len && s.data[i] < 0x80 && !art_json_special(s.data[i])) {
        i++;
    }

    return i;
}


/* Uses a small buffer, because the output also counts bytes that do not fit. */

static void
art_json_string_valid(art_out_t *out, const uint8_t *p, size_t len,
    unsigned level)
{
    size_t   n;
    uint8_t  buf[256];

    if (level == 0) {
        art_out_mem(out, p, len);
        return;
    }

    while (len > 0) {
        n = art_json_escape(buf, sizeof(buf), &p, &len, level);
        art_out_mem(out, buf, n);
    }
}
