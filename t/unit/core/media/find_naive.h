
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The finder of markers and runs once more, on a whole string: it is unescaped
 * first, and then searched as the documentation says it.
 */


#ifndef ART_FIND_NAIVE_H_INCLUDED_
#define ART_FIND_NAIVE_H_INCLUDED_


#include <stdlib.h>
#include <string.h>

#include "core/base/art_bytes.h"
#include "core/media/art_find.h"
#include "core/media/art_find_int.h"
#include "core/media/art_signature.h"
#include "core/media/art_sniff.h"


#define NAIVE_FOUND_MAX  512


/* A character, and where it stands; 0: of no interest. */

typedef struct {
    int     c;
    size_t  pos;
    size_t  end;
} naive_char_t;

typedef struct {
    art_find_event_t  event;     /* ART_FIND_MARKER or ART_FIND_RUN */
    size_t            pos;
    size_t            end;
    size_t            size;
    const char       *mime;
    unsigned          whole;
    uint8_t          *bytes;     /* of a run; or the UUID */
} naive_found_t;

typedef struct {
    const uint8_t    *p;
    size_t            len;
    size_t            min;
    naive_char_t     *chars;
    size_t            nchars;
    uint8_t          *text;      /* of one run */
    naive_found_t     found[NAIVE_FOUND_MAX];
    size_t            nfound;
    size_t            last;      /* the end of the last run */
} naive_t;


static int
naive_of(int c, unsigned alphabets)
{
    return c > 0 && (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                            "qrstuvwxyz0123456789", c) != NULL
                     || ((alphabets & 1) && (c == '+' || c == '/'))
                     || ((alphabets & 2) && (c == '-' || c == '_')));
}


static unsigned
naive_alphabets(int c)
{
    return (naive_of(c, 1) ? 1u : 0) | (naive_of(c, 2) ? 2u : 0);
}


static size_t
naive_hex(const uint8_t *p, size_t len, size_t max)
{
    size_t  n;

    for (n = 0; n < max && n < len && p[n] != '\0'
                && strchr("0123456789abcdefABCDEF", p[n]) != NULL; n++)
    {
        /* void */
    }

    return n;
}


static void
naive_unescape(naive_t *naive)
{
    int             c;
    char            digits[5];
    size_t          i, k, n, len;
    const uint8_t  *p;

    p = naive->p;
    len = naive->len;

    for (i = 0; i < len; i = k) {
        for (k = i; k < len && p[k] == '\\'; k++) { /* void */ }

        if (k == i) {
            c = p[k++];
            c = naive_of(c, 3) || c == '=' || c == '\n' || c == '\r' ? c : 0;

        } else if (k == len) {
            c = 0;

        } else if (p[k] == 'u') {
            n = naive_hex(p + k + 1, len - k - 1, 4);
            memcpy(digits, p + k + 1, n);
            digits[n] = '\0';
            c = (int) strtol(digits, NULL, 16);
            c = n == 4 && (c == '+' || c == '/' || c == '=' || c == '\n'
                           || c == '\r') ? c : 0;
            k += 1 + n;

        } else {
            c = p[k] == '/' ? '/' : p[k] == 'n' ? '\n'
                : p[k] == 'r' ? '\r' : 0;
            k += p[k] != '\0' && strchr("/nrbft", p[k]) != NULL;
        }

        naive->chars[naive->nchars].c = c;
        naive->chars[naive->nchars].pos = i;
        naive->chars[naive->nchars].end = k;
        naive->nchars++;
    }
}


static naive_found_t *
naive_add(naive_t *naive, art_find_event_t event, size_t pos, size_t end)
{
    naive_found_t  *found;

    if (naive->nfound == NAIVE_FOUND_MAX) {
        abort();
    }

    found = &naive->found[naive->nfound++];
    memset(found, 0, sizeof(*found));

    found->event = event;
    found->pos = pos;
    found->end = end;

    return found;
}


/* The length of a marker at "p", 0 if there is none. */

static size_t
naive_marker(const uint8_t *p, size_t len, size_t *id)
{
    size_t  i, n, slashes;

    static const size_t  groups[] = { 8, 4, 4, 4, 12 };

    n = art_bytes_at(p, len, 0, "[", 1) ? 1
        : art_bytes_at(p, len, 0, "\\u005b", 6)
          || art_bytes_at(p, len, 0, "\\u005B", 6) ? 6 : 0;

    if (n == 0 || !art_bytes_at(p, len, n, "artifact:", 9)) {
        return 0;
    }

    n += 9;
    *id = n;

    for (i = 0; i < 5; i++) {

        if ((i > 0 && !art_bytes_at(p, len, n++, "-", 1))
            || naive_hex(p + n, len - n, groups[i]) < groups[i])
        {
            return 0;
        }

        n += groups[i];
    }

    for (slashes = 0; n < len && p[n] == '\\'; slashes++) { n++; }

    if (art_bytes_at(p, len, n, "]", 1)) {
        return n + 1;
    }

    return slashes > 0 && (art_bytes_at(p, len, n, "u005d", 5)
                           || art_bytes_at(p, len, n, "u005D", 5))
           ? n + 5 : 0;
}


static void
naive_markers(naive_t *naive)
{
    size_t          i, n, id;
    naive_found_t  *found;

    for (i = 0; i < naive->len; i++) {
        n = naive_marker(naive->p + i, naive->len - i, &id);

        if (n > 0) {
            found = naive_add(naive, ART_FIND_MARKER, i, i + n);
            found->bytes = malloc(36);

            if (found->bytes == NULL) {
                abort();
            }

            memcpy(found->bytes, naive->p + i + id, 36);
        }
    }
}


static size_t
naive_prefix(const uint8_t *p, size_t pos, size_t last)
{
    size_t  i, n;

    if (pos < 13 || !art_str_is(art_str(p + pos - 8, 8), ";base64,")) {
        return 0;
    }

    for (n = 13; n <= 128 && n <= pos - last; n++) {

        if (!art_str_is(art_str(p + pos - n, 5), "data:")) {
            continue;
        }

        /* its first letter may be the digit of an escape */

        for (i = 2; i <= 5 && i <= pos - n; i++) {

            if (memcmp(p + pos - n - i, "\\u", 2) == 0) {
                return 0;
            }

            if (art_char_hex(p[pos - n - i + 1]) < 0) {
                break;
            }
        }

        for (i = pos - n; i < pos - 8; i++) {
            if (p[i] <= ' ' || p[i] > '~' || p[i] == '"' || p[i] == '\''
                || p[i] == ',' || p[i] == '<' || p[i] == '>'
                || (p[i] == '\\' && p[i + 1] != '\\' && p[i + 1] != '/'
                    && p[i + 1] != 'u'))
            {
                return 0;
            }
        }

        return n;
    }

    return 0;
}


/* Decodes the first "n" characters of the run. */

static size_t
naive_decode(const naive_t *naive, size_t n, uint8_t *bytes)
{
    size_t    i, k;
    uint32_t  bits;

    static const char  digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                                  "qrstuvwxyz0123456789+/";

    k = 0;
    bits = 0;

    for (i = 0; i < n; i++) {
        bits = bits << 6
               | (naive->text[i] == '-' ? 62 : naive->text[i] == '_' ? 63
                  : (uint32_t) (strchr(digits, naive->text[i]) - digits));

        if (i % 4 > 0) {
            bytes[k++] = (uint8_t) (bits >> (6 - 2 * (i % 4)));
        }
    }

    return k;
}


/* The type of a content that begins so, by a strong signature, or NULL. */

static const char *
naive_mime(const uint8_t *p, size_t len, unsigned whole)
{
    art_evidence_t      evidence;
    const art_media_t  *media;

    art_sniff(p, len, whole, &evidence);

    if (evidence.media == 0 || !(evidence.sign & 1)) {
        return NULL;
    }

    media = art_media_row(evidence.media - 1u);

    return media->kind == ART_KIND_IMAGE || media->kind == ART_KIND_AUDIO
           || media->kind == ART_KIND_VIDEO
           || strcmp(media->mime, "application/pdf") == 0 ? media->mime : NULL;
}


static int
naive_mark(const uint8_t *p, size_t len, const char *mark, int last)
{
    size_t  i, n, from;

    n = strlen(mark);
    from = len > 1024 ? len - 1024 : 0;

    while (len > from && p[len - 1] <= ' '
           && strchr(" \t\n\v\f\r", p[len - 1]) != NULL)
    {
        len--;
    }

    if (len < from + n) {
        return 0;
    }

    for (i = last ? len - n : from; i + n <= len; i++) {
        if (memcmp(p + i, mark, n) == 0) {
            return 1;
        }
    }

    return 0;
}


/* "exact" is NULL, or set to whether nothing follows the end. */

static int
naive_whole(const uint8_t *p, size_t len, const char *mime, int canonical,
    int *exact)
{
    int       last;
    uint64_t  size;

    last = exact != NULL;

    if (strcmp(mime, "image/png") == 0) {
        return naive_mark(p, len, "IEND\xae" "B`\x82", last);
    }

    if (strcmp(mime, "image/jpeg") == 0) {
        return naive_mark(p, len, "\xff\xd9", 1);
    }

    if (strcmp(mime, "image/gif") == 0) {
        return naive_mark(p, len, ";", 1);
    }

    if (strcmp(mime, "application/pdf") == 0) {
        return naive_mark(p, len, "%%EOF", last);
    }

    if (len > 8 && memcmp(p, "RIFF", 4) == 0) {
        size = art_bytes_get(p + 4, 4);

        if (size != 0 && size != 0xffffffff) {
            size += 8;
            return last ? len == size || len == size + size % 2 : len >= size;
        }
    }

    return last ? 0 : canonical;
}


/*
 * What begins at the character "t", if anything; returns where the search goes
 * on.
 */

static size_t
naive_run(naive_t *naive, size_t t)
{
    int                  exact, canonical, spare;
    size_t               k, n, line, count, width, first, pads, end, resume,
                         head, last_end, last_count;
    uint8_t             *bytes;
    unsigned             alphabets;
    const char          *mime;
    naive_found_t       *found;
    const naive_char_t  *chars;

    chars = naive->chars;
    alphabets = t > 0 ? 3 & ~naive_alphabets(chars[t - 1].c) : 3;

    if ((alphabets & naive_alphabets(chars[t].c)) == 0
        || chars[t].end - chars[t].pos > ART_FIND_FIRST)
    {
        return t + 1;
    }

    k = t;
    n = naive->nchars;
    count = 0;
    width = 0;
    first = t;
    last_end = 0;
    last_count = 0;
    end = 0;
    pads = 0;
    resume = 0;

    for ( ;; ) {

        for (line = 0; k < n && (alphabets & naive_alphabets(chars[k].c)) != 0
                       && (width == 0 || line < width); line++)
        {
            alphabets &= naive_alphabets(chars[k].c);
            naive->text[count++] = (uint8_t) chars[k].c;
            end = chars[k++].end;
        }

        if (line < width || line < 60 || line > 100) {
            break;
        }

        if (width > 0 && k < n
            && (alphabets & naive_alphabets(chars[k].c)) != 0)
        {
            resume = first;              /* too long */
            break;
        }

        if (k == n || (chars[k].c != '\n' && chars[k].c != '\r')) {
            break;
        }

        last_end = end;
        last_count = count;
        width = line;
        k += chars[k].c == '\r' && k + 1 < n && chars[k + 1].c == '\n' ? 2 : 1;
        first = k;
    }

    head = count;

    if (k < n && chars[k].c == '=' && count % 4 >= 2 && resume == 0) {
        end = chars[k++].end;
        pads = 1;

        if (k < n && chars[k].c == '=' && count % 4 == 2) {
            end = chars[k++].end;
            pads = 2;
        }
    }

    if (art_find_hint(naive->text, 0, count < 3 ? count : 3, 0) != 0
        || naive->text[0] == 't' || naive->text[0] == 'f'
        || naive->text[0] == 'F' || count < 24)
    {
        return t + 1;
    }

    bytes = malloc(count);

    if (bytes == NULL) {
        abort();
    }

    naive_decode(naive, 24, bytes);

    if (bytes[0] != 'G'
        && !(art_signature_find(bytes, 18, 0).sign & ART_SIGN_STRONG))
    {
        free(bytes);
        return t + 1;
    }

    if (resume > 0) {
        count = last_count;
        end = last_end;
    }

    head = head >= 520 ? 520 : count;
    mime = naive_mime(bytes, naive_decode(naive, head, bytes), head < 520);

    if (head == 520 && mime == NULL) {

        /* so far it was read */

        free(bytes);

        for (head = 0; head < 520; t++) {
            head += naive_alphabets(chars[t].c) != 0;
        }

        return t;
    }

    k = resume > 0 ? resume : k;

    if (mime == NULL || count < naive->min) {
        free(bytes);
        return k;
    }

    exact = 1;

    if (resume == 0 && width > 0 && line > 0 && line < width && pads == 0
        && !naive_whole(bytes, naive_decode(naive, count, bytes), mime, 0,
                        &exact)
        && naive_whole(bytes, naive_decode(naive, last_count, bytes), mime, 0,
                       &exact))
    {
        count = last_count;
        end = last_end;
        k = first;
    }

    if (count < naive->min || count % 4 == 1) {
        free(bytes);
        return k;
    }

    spare = (int) (strchr("AQgw", naive->text[count - 1]) != NULL);
    canonical = count % 4 == 0 || count % 4 + pads == 4
                || (pads == 0 && (count % 4 == 2 ? spare
                    : strchr("AEIMQUYcgkosw048", naive->text[count - 1])
                      != NULL));

    found = naive_add(naive, ART_FIND_RUN, chars[t].pos
                      - naive_prefix(naive->p, chars[t].pos, naive->last),
                      end);
    naive->last = end;
    found->size = naive_decode(naive, count, bytes);
    found->mime = mime;
    found->whole = naive_whole(bytes, found->size, mime, canonical, NULL) != 0;
    found->bytes = bytes;

    return k;
}


static int
naive_order(const void *one, const void *two)
{
    const naive_found_t  *a = one, *b = two;

    return a->end < b->end ? -1 : a->end > b->end;
}


static void
naive_find(naive_t *naive, const uint8_t *p, size_t len, size_t min)
{
    size_t  t;

    memset(naive, 0, sizeof(*naive));

    naive->p = p;
    naive->len = len;
    naive->min = min;
    naive->chars = malloc((len + 1) * sizeof(naive_char_t));
    naive->text = malloc(len + 1);

    if (naive->chars == NULL || naive->text == NULL) {
        abort();
    }

    naive_unescape(naive);
    naive_markers(naive);

    for (t = 0; t < naive->nchars; ) {
        t = naive_run(naive, t);
    }

    qsort(naive->found, naive->nfound, sizeof(naive_found_t), naive_order);
}


static void
naive_free(naive_t *naive)
{
    size_t  i;

    for (i = 0; i < naive->nfound; i++) {
        free(naive->found[i].bytes);
    }

    free(naive->chars);
    free(naive->text);
}


#endif /* ART_FIND_NAIVE_H_INCLUDED_ */
