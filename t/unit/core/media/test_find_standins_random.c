
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Stand-ins in random surroundings, changed, cut off, escaped and wrapped: the
 * finder finds the same in a text however it is cut, and those that nothing but
 * other characters surround.
 */


#include "core/media/art_find.h"
#include "core/media/art_standin.h"
#include "exact.h"
#include "simd_each.h"
#include "tap.h"


#define ROUNDS    1500
#define TEXT_MAX  32768
#define FOUND     64


/* What was found. */

typedef struct {
    unsigned       n;
    unsigned       standins;
    struct {
        art_find_event_t  event;
        uint64_t          pos;
        uint64_t          end;
        art_standin_t     standin;
    } list[FOUND];
} found_t;


static const uint8_t  id[] = "0123abcd-4567-8fed-89ab-fedcba987654";
static uint8_t        text[TEXT_MAX];
static size_t         len;


static void
put(const char *p, size_t n)
{
    memcpy(text + len, p, n);
    len += n;
}


static void
put_junk(size_t most)
{
    size_t       n;
    const char  *one;

    static const char *const  junk[] = {
        "x", "9", "/", "-", "+", "_", " ", "\\n", "==", "=", "iVB", "/9j/",
        "iVBORw0KGgo", "\\/", "UklGR", "SUQz", "AAAAIGZ0", "QUJD", "R0lG",
        "data:image/png;base64,", "[artifact:", "\\u002b", "\"", "JVBERi0",
        "i", "A", "\\\\n"
    };

    for (n = tap_below(most); n > 0; n--) {
        one = junk[tap_below(nitems(junk))];
        put(one, strlen(one));
    }
}


/* One that may be none any more. */

static void
put_standin(void)
{
    size_t         i, n;
    uint8_t        c, base64[ART_STANDIN_MAX];
    unsigned       how, escaped, wrapped;
    art_standin_t  kind;

    kind = (art_standin_t) (1 + tap_below(ART_STANDIN_KINDS - 1));
    n = art_standin_len(kind);
    art_standin_print(kind, id, base64);

    how = (unsigned) tap_below(8);
    escaped = (unsigned) tap_below(3);
    wrapped = tap_below(8) == 0 ? 60 + (unsigned) tap_below(41) : 0;

    if (how == 0) {
        base64[tap_below(n)] ^= 1;

    } else if (how == 1) {
        n -= 1 + tap_below(20);
    }

    for (i = 0; i < n; i++) {
        c = base64[i];

        if (how > 5) {
            c = c == '+' ? '-' : c == '/' ? '_' : c;
        }

        if (wrapped > 0 && i > 0 && i % wrapped == 0) {
            put("\\n", 2);
        }

        if (escaped == 1 && c == '/') {
            put("\\", 1);
        }

        if (escaped == 2 && c == '+') {
            put("\\u002b", 6);

        } else {
            put((char *) &c, 1);
        }
    }
}


static void
note(found_t *found, const art_find_t *find, art_find_event_t event)
{
    if (event == ART_FIND_MORE || found->n == FOUND) {
        return;
    }

    found->list[found->n].event = event;
    found->list[found->n].pos = find->pos;
    found->list[found->n].end = find->end;
    found->list[found->n].standin = event == ART_FIND_RUN ? find->standin : 0;
    found->standins += found->list[found->n].standin != ART_STANDIN_NONE;
    found->n++;
}


/* Finds in pieces of up to "most" bytes; 0: in one. */

static void
find_in(found_t *found, size_t most, uint64_t min)
{
    size_t            i, n, used;
    uint8_t          *piece;
    art_find_t        find;
    const uint8_t    *p, *last;
    art_find_event_t  event;

    memset(found, 0, sizeof(*found));
    art_find_init(&find, min,
                  ART_FIND_MARKERS | ART_FIND_RUNS | ART_FIND_STANDINS);

    for (i = 0; i < len; i += n) {
        n = most > 0 ? 1 + tap_below(most) : len;
        n = n < len - i ? n : len - i;
        piece = exact(text + i, n);

        last = piece + n;

        for (p = piece; p < last; p += used) {
            event = art_find_feed(&find, p, (size_t) (last - p), &used);
            note(found, &find, event);
        }

        free(piece);
    }

    do {
        event = art_find_end(&find);
        note(found, &find, event);
    } while (event != ART_FIND_MORE);
}


static void
check_cuts(void)
{
    size_t    i, k, n, all;
    found_t   whole, cut;
    uint64_t  min;
    unsigned  bad;

    all = 0;
    bad = 0;

    for (i = 0; i < ROUNDS; i++) {
        len = 0;

        for (n = 1 + tap_below(6); n > 0; n--) {
            put_junk(4);
            put_standin();
            put_junk(3);
        }

        min = i % 2 ? 1024 : 100;
        find_in(&whole, 0, min);
        all += whole.standins;

        for (k = 0; k < 4; k++) {
            find_in(&cut, k < 2 ? k + 1 : 700, min);
            bad += memcmp(&whole, &cut, sizeof(whole)) != 0;
        }
    }

    is_int(bad, 0, "the same, however a text is cut");
    ok(all > ROUNDS, "and there were some");
}


/* Behind and before whatever is no media. */

static void
check_glued(void)
{
    size_t         i, k;
    found_t        found;
    uint8_t        base64[ART_STANDIN_MAX];
    unsigned       bad;
    art_standin_t  kind;

    static const char *const  sides[] = {
        "", "x", "9", "/", "+", "-", "_", "QUJD", "i", "=", " ", "abc/def+"
    };

    bad = 0;

    for (kind = ART_STANDIN_PNG; kind < ART_STANDIN_KINDS; kind++) {
        art_standin_print(kind, id, base64);

        for (i = 0; i < nitems(sides); i++) {

            for (k = 0; k < nitems(sides); k++) {
                len = 0;
                put(sides[i], strlen(sides[i]));
                put((char *) base64, art_standin_len(kind));
                put(sides[k], strlen(sides[k]));

                find_in(&found, 0, 1024);

                bad += found.standins != 1 || found.list[0].standin != kind
                       || found.list[0].pos != strlen(sides[i]);
            }
        }
    }

    is_int(bad, 0, "whatever stands before or behind");
}


static void
check_all(const char *impl)
{
    (void) impl;

    check_cuts();
    check_glued();
}


int
main(void)
{
    simd_each(check_all);

    return done();
}
