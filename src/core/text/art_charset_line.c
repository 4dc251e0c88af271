
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_charset_line.h"
#include "core/text/art_utf8.h"


/*
 * So many pairs of bytes that are UTF-8 are that by no accident: one ideograph
 * in four looks like a letter of UTF-8.  Three or four bytes do not.
 */

#define ART_LINE_PAIRS    5

/* A line is damaged UTF-8 if so many of its characters are none of them bad. */

#define ART_LINE_DAMAGED  4

/* ASCII that is kept on both sides of other bytes. */

#define ART_LINE_AROUND   8


static size_t art_charset_clip(const uint8_t *p, size_t len, uint8_t *out);


art_line_t
art_charset_line(const uint8_t *p, size_t len)
{
    int     n;
    size_t  i, bad, pairs, longer;

    bad = 0;
    pairs = 0;
    longer = 0;

    for (i = art_utf8_ascii_len(p, len); i < len;
         i += art_utf8_ascii_len(p + i, len - i))
    {
        n = art_utf8_char(p + i, len - i);

        if (n == 0) {
            break;
        }

        if (n < 0) {
            bad++;
            i += (size_t) (-1 - n);

            /* not even if all that follows were UTF-8 */

            if (ART_LINE_DAMAGED * bad
                > pairs + 2 * longer + (len - i) * 2 / 3)
            {
                return ART_LINE_OTHER;
            }

            continue;
        }

        pairs += n == 2;
        longer += n > 2;
        i += (size_t) n;
    }

    if (bad > 0) {
        return pairs + 2 * longer > ART_LINE_DAMAGED * bad ? ART_LINE_UTF8
                                                           : ART_LINE_OTHER;
    }

    return pairs == 0 || longer > 0 || pairs >= ART_LINE_PAIRS
           ? ART_LINE_UTF8 : ART_LINE_UNSURE;
}


size_t
art_charset_foreign(const uint8_t *p, size_t len, uint8_t *out)
{
    size_t          n, total;
    const uint8_t  *lf;

    for (total = 0; len > 0; p += n, len -= n) {
        lf = memchr(p, '\n', len);
        n = lf != NULL ? (size_t) (lf - p) + 1 : len;

        if (art_charset_line(p, n) == ART_LINE_OTHER) {
            total += art_charset_clip(p, n, out + total);
        }
    }

    return total;
}


/* The pieces of a line that are not ASCII, with what is around them. */

static size_t
art_charset_clip(const uint8_t *p, size_t len, uint8_t *out)
{
    size_t  i, from, end, total;

    total = 0;
    end = 0;

    for (i = 0; i < len; i++) {

        if (p[i] < 0x80) {
            continue;
        }

        from = i > end + ART_LINE_AROUND ? i - ART_LINE_AROUND : end;
        end = i + 1 + ART_LINE_AROUND;
        end = end < len ? end : len;

        if (end > from) {
            memcpy(out + total, p + from, end - from);
            total += end - from;
        }
    }

    return total;
}
