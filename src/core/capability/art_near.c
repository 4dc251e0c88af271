
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Names that look like others.
 */


#include "core/capability/art_capability.h"
#include "core/capability/art_near.h"


/* No longer name is like a known one. */

#define ART_NEAR_MAX  32


/* A name in lower case, without what separates words. */

typedef struct {
    uint8_t         buf[ART_NEAR_MAX];
    size_t          len;
} art_near_name_t;


/* Other words for a capability, written like art_near_name_t. */

static const struct {
    art_str_t       word;
    unsigned        bit;
} art_near_words[] = {
    { art_string("image"), ART_CAP_VISION },
    { art_string("imageurl"), ART_CAP_VISION },
    { art_string("inputimage"), ART_CAP_VISION },
    { art_string("img"), ART_CAP_VISION },
    { art_string("photo"), ART_CAP_VISION },
    { art_string("picture"), ART_CAP_VISION },
    { art_string("visual"), ART_CAP_VISION },
    { art_string("视觉"), ART_CAP_VISION },
    { art_string("图像"), ART_CAP_VISION },
    { art_string("图片"), ART_CAP_VISION },
    { art_string("inputaudio"), ART_CAP_AUDIO },
    { art_string("sound"), ART_CAP_AUDIO },
    { art_string("音频"), ART_CAP_AUDIO },
    { art_string("inputvideo"), ART_CAP_VIDEO },
    { art_string("movie"), ART_CAP_VIDEO },
    { art_string("videourl"), ART_CAP_VIDEO },
    { art_string("视频"), ART_CAP_VIDEO },
    { art_string("attachment"), ART_CAP_FILE },
    { art_string("doc"), ART_CAP_FILE },
    { art_string("docs"), ART_CAP_FILE },
    { art_string("document"), ART_CAP_FILE },
    { art_string("inputfile"), ART_CAP_FILE },
    { art_string("文件"), ART_CAP_FILE },
    { art_string("inputtext"), ART_CAP_TEXT },
    { art_string("文本"), ART_CAP_TEXT }
};


/* What stands before the subtype of a media type; the first that fits. */

static const struct {
    art_str_t       prefix;
    unsigned        bit;
} art_near_types[] = {
    { art_string("image/"), ART_CAP_VISION },
    { art_string("audio/"), ART_CAP_AUDIO },
    { art_string("video/"), ART_CAP_VIDEO },
    { art_string("text/"), ART_CAP_TEXT },
    { art_string("application/pdf"), ART_CAP_PDF },
    { art_string("application/"), ART_CAP_FILE }
};


/* Names that are a letter or two away from a member, and mean something. */

static const art_str_t  art_near_others[] = {
    art_string("mode"), art_string("minBytes")
};


static int art_near_fold(art_near_name_t *folded, art_str_t name);
static unsigned art_near_bit(const art_near_name_t *name);
static unsigned art_near_edits_of(const art_near_name_t *name,
    art_str_t known);
static unsigned art_near_edits(art_str_t a, art_str_t b);


art_str_t
art_near_capability(art_str_t name)
{
    size_t           i;
    unsigned         bit, edits, least;
    art_str_t        known, nearest;
    art_near_name_t  folded;

    if (art_capability_bit(name) != 0) {
        return art_str(NULL, 0);
    }

    for (i = 0; i < art_nitems(art_near_types); i++) {
        if (name.len >= art_near_types[i].prefix.len
            && art_str_is(art_str(name.data, art_near_types[i].prefix.len),
                          (const char *) art_near_types[i].prefix.data))
        {
            return art_capability_name(art_near_types[i].bit);
        }
    }

    if (!art_near_fold(&folded, name)) {
        return art_str(NULL, 0);
    }

    least = ART_NEAR_MAX;
    nearest = art_capability_name(art_near_bit(&folded));

    for (bit = ART_CAP_TEXT; bit <= ART_CAP_PDF; bit <<= 1) {
        known = art_capability_name(bit);
        edits = art_near_edits_of(&folded, known);

        if (edits < least) {
            least = edits;
            nearest = known;
        }
    }

    return nearest;
}


art_str_t
art_near_member(art_str_t name, const art_str_t *known, size_t n)
{
    size_t           i;
    unsigned         edits, least;
    art_str_t        nearest;
    art_near_name_t  folded, other;

    for (i = 0; i < art_nitems(art_near_others); i++) {
        if (art_str_eq(name, art_near_others[i])) {
            return art_str(NULL, 0);
        }
    }

    if (!art_near_fold(&folded, name)) {
        return art_str(NULL, 0);
    }

    for (i = 0; i < n; i++) {
        if (art_str_eq(name, known[i])) {
            return art_str(NULL, 0);
        }
    }

    least = ART_NEAR_MAX;
    nearest = art_str(NULL, 0);

    for (i = 0; i < n; i++) {
        (void) art_near_fold(&other, known[i]);

        edits = art_near_edits(art_str(folded.buf, folded.len),
                               art_str(other.buf, other.len));

        if (edits <= (unsigned) (other.len > 5) + (other.len > 2)
            && edits < least)
        {
            least = edits;
            nearest = known[i];
        }
    }

    return nearest;
}


/* 0 if the name is empty or too long. */

static int
art_near_fold(art_near_name_t *folded, art_str_t name)
{
    size_t   i;
    uint8_t  c;

    folded->len = 0;

    if (name.len > ART_NEAR_MAX) {
        return 0;
    }

    for (i = 0; i < name.len; i++) {
        c = art_char_lower(name.data[i]);

        if (c != '_' && c != '-' && c != '.' && c != ' ') {
            folded->buf[folded->len++] = c;
        }
    }

    return folded->len > 0;
}


/* A letter may be wrong in other words, too, if they are not short. */

static unsigned
art_near_bit(const art_near_name_t *name)
{
    size_t     i;
    art_str_t  word, folded;

    folded = art_str(name->buf, name->len);

    for (i = 0; i < art_nitems(art_near_words); i++) {
        word = art_near_words[i].word;

        if (art_str_eq(word, folded)
            || (word.len > 4 && word.data[0] < 0x80
                && art_near_edits(word, folded) == 1))
        {
            return art_near_words[i].bit;
        }
    }

    return 0;
}


/*
 * ART_NEAR_MAX for a name that is not like the known one.  Of short names, two
 * changes leave little: "live" is no "file", and "rdf" is no "pdf".
 */

static unsigned
art_near_edits_of(const art_near_name_t *name, art_str_t known)
{
    int       first, last, like;
    unsigned  edits;

    edits = art_near_edits(art_str(name->buf, name->len), known);
    first = name->buf[0] == known.data[0];
    last = name->buf[name->len - 1] == known.data[known.len - 1];

    if (known.len <= 3) {
        like = edits == 0 || (edits == 1 && first);

    } else if (known.len == 4) {
        like = edits <= 1 || (edits == 2 && first && last);

    } else {
        like = edits <= 2;
    }

    return like ? edits : ART_NEAR_MAX;
}


/*
 * How many letters have to be added, removed, replaced, or swapped with the
 * next one, to make one name of the other (the distance of optimal string
 * alignment); ART_NEAR_MAX if their lengths differ by more than two.
 */

static unsigned
art_near_edits(art_str_t a, art_str_t b)
{
    size_t    i, j;
    unsigned  rows[3][ART_NEAR_MAX + 1], *row, *last, *before, best;

    if (a.len > b.len + 2 || b.len > a.len + 2) {
        return ART_NEAR_MAX;
    }

    for (i = 0; i <= a.len; i++) {
        row = rows[i % 3];
        last = rows[(i + 2) % 3];
        before = rows[(i + 1) % 3];
        row[0] = (unsigned) i;

        for (j = 1; j <= b.len; j++) {
            best = row[j - 1] + 1;

            if (i == 0) {
                row[j] = best;
                continue;
            }

            if (last[j] + 1 < best) {
                best = last[j] + 1;
            }

            if (last[j - 1] + (a.data[i - 1] != b.data[j - 1]) < best) {
                best = last[j - 1] + (a.data[i - 1] != b.data[j - 1]);
            }

            if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2]
                && a.data[i - 2] == b.data[j - 1] && before[j - 2] + 1 < best)
            {
                best = before[j - 2] + 1;
            }

            row[j] = best;
        }
    }

    return rows[a.len % 3][b.len];
}
