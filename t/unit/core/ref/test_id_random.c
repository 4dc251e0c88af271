
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * References, ids and paths: the properties of the workspace id design, for
 * random workspaces, paths and damaged ids.
 */


#include "core/text/art_base64.h"
#include "core/ref/art_id.h"
#include "core/text/art_utf8.h"
#include "tap.h"


#define CASES  600
#define BYTES  2048


static uint8_t  heap[ART_ID_ROOM(BYTES)];


static int
same(art_str_t got, const char *want)
{
    return art_str_eq(got, art_cstr(want));
}


static size_t
put_char(uint8_t *p, uint32_t c)
{
    if (c < 0x80) {
        p[0] = (uint8_t) c;
        return 1;
    }

    if (c < 0x800) {
        p[0] = (uint8_t) (0xc0 | c >> 6);
        p[1] = (uint8_t) (0x80 | (c & 0x3f));
        return 2;
    }

    if (c < 0x10000) {
        p[0] = (uint8_t) (0xe0 | c >> 12);
        p[1] = (uint8_t) (0x80 | (c >> 6 & 0x3f));
        p[2] = (uint8_t) (0x80 | (c & 0x3f));
        return 3;
    }

    p[0] = (uint8_t) (0xf0 | c >> 18);
    p[1] = (uint8_t) (0x80 | (c >> 12 & 0x3f));
    p[2] = (uint8_t) (0x80 | (c >> 6 & 0x3f));
    p[3] = (uint8_t) (0x80 | (c & 0x3f));

    return 4;
}


/* Any character: ASCII controls, a path's own, Chinese, emoji; no NUL. */

static size_t
put_random(uint8_t *p)
{
    uint32_t  c;

    switch (tap_below(8)) {
    case 0:
        return put_char(p, (uint32_t) ("/\\ .-_:~%+=\"'" [tap_below(13)]));
    case 1:
        return put_char(p, 0x4e00 + (uint32_t) tap_below(0x5000));
    case 2:
        return put_char(p, 0x1f300 + (uint32_t) tap_below(0x300));
    case 3:
        c = 1 + (uint32_t) tap_below(0x10ffff);
        return put_char(p, c >= 0xd800 && c < 0xe000 ? '.' : c);
    case 4:
        return put_char(p, 1 + (uint32_t) tap_below(0x9f));
    default:
        return put_char(p, 'a' + (uint32_t) tap_below(26));
    }
}


/* A workspace id that is one: no slash, no control character, no dots. */

static size_t
random_workspace(uint8_t *p)
{
    size_t   i, n, len;
    uint8_t  c[4];

    do {
        len = 0;

        for (i = 1 + tap_below(50); i > 0; i--) {
            n = put_random(c);

            if (c[0] != '/' && c[0] >= 0x20 && c[0] != 0x7f
                && !(c[0] == 0xc2 && c[1] < 0xa0))
            {
                memcpy(p + len, c, n);
                len += n;
            }
        }

    } while (len == 0 || (len == 1 && p[0] == '.')
             || (len == 2 && p[0] == '.' && p[1] == '.'));

    return len;
}


/* A path in resolved form: names that are not ".", ".." or empty. */

static size_t
random_resolved(uint8_t *p)
{
    size_t  i, j, len;

    len = 0;

    for (i = 1 + tap_below(5); i > 0; i--) {
        for (j = tap_below(12); j > 0; j--) {
            len += put_random(p + len);

            if (p[len - 1] == '/') {
                len--;
            }
        }

        p[len++] = (uint8_t) ('a' + tap_below(26));
        p[len++] = '/';
    }

    return len - 1;
}


static int
safe_alphabet(art_str_t s)
{
    size_t  i;

    for (i = 0; i < s.len; i++) {
        if (memchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                   "0123456789-_", s.data[i], 64) == NULL)
        {
            return 0;
        }
    }

    return 1;
}


/* Properties 1 to 4 and 6 of the design, and the padded form. */

static void
check_round_trip(void)
{
    int         prefix, safe, trip, padded, place;
    size_t      i, wlen, plen;
    uint8_t     w[256], p[1024], id[BYTES], key[BYTES];
    art_out_t   out;
    art_str_t   workspace, path;
    art_ref_t   ref;

    prefix = safe = trip = padded = place = 1;

    for (i = 0; i < CASES; i++) {
        wlen = random_workspace(w);
        plen = random_resolved(p);
        workspace = art_str(w, wlen);
        path = art_str(p, plen);

        out = (art_out_t) { id, 0, sizeof(id) };

        if (art_id_encode(&out, workspace, path) != ART_OK
            || out.len != 3 + wlen + 1 + ART_BASE64URL_LEN(plen))
        {
            diag("encode failed");
            trip = 0;
            break;
        }

        prefix &= memcmp(id, "ws:", 3) == 0;
        safe &= safe_alphabet(art_str(id + 4 + wlen, out.len - 4 - wlen));

        if (art_id_parse(art_str(id, out.len), heap, &ref) != ART_ID_OK
            || ref.kind != ART_ID_WORKSPACE || ref.folder
            || !art_str_eq(ref.workspace, workspace)
            || !art_str_eq(ref.path, path)
            || !art_str_eq(ref.id, art_str(id, out.len))
            || ref.colon != (memchr(w, ':', wlen) != NULL))
        {
            diag_mem("workspace", w, wlen);
            diag_mem("path", p, plen);
            trip = 0;
        }

        memcpy(key, id, out.len);
        memcpy(key + out.len, "==", 2);

        padded &= art_id_parse(art_str(key, out.len + (3 - plen % 3) % 3),
                               heap, &ref) == ART_ID_OK
                  && art_str_eq(ref.id, art_str(id, out.len));

        memcpy(key, w, wlen);
        key[wlen] = '/';
        memcpy(key + wlen + 1, p, plen);

        place &= art_id_from_path(art_str(key, wlen + 1 + plen), heap, &ref)
                 == ART_ID_OK
                 && art_str_eq(ref.id, art_str(id, out.len))
                 && art_str_eq(ref.path, path);
    }

    ok(prefix, "property 1: a workspace id starts with \"ws:\"");
    ok(trip, "property 2: encoding and decoding give the same again");
    ok(safe, "property 3: an encoded path has only safe characters");
    ok(padded, "with all of its padding it is the same id");
    ok(place, "property 6: the path of a workspace file has the same id");
}


/* Splits into names first and walks them with a stack of pointers. */

static int
naive_resolve(art_str_t path, uint8_t *dst, size_t *len)
{
    size_t     i, start, depth;
    art_str_t  name, names[512];

    depth = 0;

    if (path.len > 0 && path.data[0] == '/') {
        return 0;
    }

    for (start = 0, i = 0; i <= path.len; i++) {
        if (i < path.len && path.data[i] != '/') {
            continue;
        }

        name = art_str(path.data + start, i - start);
        start = i + 1;

        if (same(name, "..")) {
            if (depth == 0) {
                return 0;
            }

            depth--;

        } else if (!same(name, "") && !same(name, ".")) {
            names[depth++] = name;
        }
    }

    for (*len = 0, i = 0; i < depth; i++) {
        if (i > 0) {
            dst[(*len)++] = '/';
        }

        memcpy(dst + *len, names[i].data, names[i].len);
        *len += names[i].len;
    }

    return 1;
}


static void
check_resolver(void)
{
    int                       sound, right, again;
    size_t                    i, n, len, want;
    uint8_t                   uri[BYTES], naive[BYTES];
    uint8_t                   got[ART_ID_ROOM(BYTES)], last[ART_ID_ROOM(BYTES)];
    unsigned                  refused;
    art_ref_t                 ref, twice;
    art_str_t                 path;
    art_id_status_t           status;
    static const char *const  names[] = { "..", "..", ".", "", "a", "b.c",
                                          "..x", "x..", "...", "\xe4\xb8\xad",
                                          "a b", "\\", "..\\" };

    sound = right = again = 1;
    refused = 0;

    for (i = 0; i < CASES * 5; i++) {
        memcpy(uri, "w/", 2);
        len = 2;

        for (n = 1 + tap_below(12); n > 0; n--) {
            path = art_cstr(names[tap_below(sizeof(names)
                                            / sizeof(names[0]))]);
            memcpy(uri + len, path.data, path.len);
            len += path.len;

            if (n > 1 || tap_below(3) == 0) {
                uri[len++] = '/';
            }
        }

        path = art_str(uri + 2, len - 2);
        status = art_id_from_path(art_str(uri, len), got, &ref);

        if (naive_resolve(path, naive, &want) != (status == ART_ID_OK)) {
            diag_mem("path", uri, len);
            right = 0;
            continue;
        }

        if (status != ART_ID_OK) {
            refused++;
            continue;
        }

        if (!art_str_eq(ref.path, art_str(naive, want))) {
            diag_mem("path", uri, len);
            diag_mem("got", ref.path.data, ref.path.len);
            right = 0;
        }

        n = ref.path.len;
        sound &= n <= path.len
                 && (n == 0 || (ref.path.data[0] != '/'
                                && ref.path.data[n - 1] != '/'));

        memcpy(uri + 2, ref.path.data, n);

        again &= art_id_from_path(art_str(uri, n + 2), last, &twice)
                 == ART_ID_OK
                 && art_str_eq(ref.path, twice.path)
                 && twice.folder == (n == 0);
    }

    ok(right, "the resolver agrees with a naive one");
    ok(sound, "a resolved path is relative and never longer");
    ok(again, "resolving it again changes nothing");
    ok(refused > CASES / 4 && refused < CASES * 4,
       "refused and resolved paths were both met");
}


/* Any bytes: an id that is taken has a canonical form that is stable. */

static void
check_mutations(void)
{
    int          stable, inside, clean;
    size_t       i, len;
    uint8_t      id[BYTES], again[ART_ID_ROOM(BYTES)];
    unsigned     taken;
    art_out_t    out;
    art_str_t    w, p;
    art_ref_t    ref, second;
    uint8_t      wbuf[256], pbuf[1024];

    stable = inside = clean = 1;
    taken = 0;

    for (i = 0; i < CASES * 20; i++) {
        w = art_str(wbuf, random_workspace(wbuf));
        p = art_str(pbuf, random_resolved(pbuf));
        out = (art_out_t) { id, 0, sizeof(id) };
        (void) art_id_encode(&out, w, p);
        len = out.len;

        switch (tap_below(3)) {
        case 0:
            len = tap_below(len + 1);
            break;
        case 1:
            id[3 + tap_below(len - 3)] = (uint8_t) tap_rand();
            break;
        default:
            id[len - 1 - tap_below(4)] = (uint8_t) ("AQgw-_=9" [tap_below(8)]);
        }

        if (art_id_parse(art_str(id, len), heap, &ref) != ART_ID_OK
            || ref.kind != ART_ID_WORKSPACE)
        {
            continue;
        }

        taken++;

        clean &= art_utf8_valid(ref.path.data, ref.path.len)
                 && memchr(ref.path.data, 0, ref.path.len) == NULL
                 && art_id_component(ref.workspace);

        inside &= naive_resolve(ref.path, again, &len)
                  && art_str_eq(ref.path, art_str(again, len));

        if (ref.path.len == 0) {
            continue;
        }

        if (art_id_parse(ref.id, again, &second) != ART_ID_OK
            || !art_str_eq(ref.id, second.id)
            || !art_str_eq(ref.path, second.path)
            || !art_str_eq(ref.workspace, second.workspace))
        {
            diag_mem("id", ref.id.data, ref.id.len);
            stable = 0;
        }
    }

    ok(taken > CASES, "property 5: damaged ids: some are still ids");
    ok(stable, "the canonical id parses to itself");
    ok(inside, "its path stays inside");
    ok(clean, "its parts are clean");
}


int
main(void)
{
    check_round_trip();
    check_resolver();
    check_mutations();

    return done();
}
