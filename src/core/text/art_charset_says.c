
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_char.h"
#include "core/text/art_charset.h"
#include "core/text/art_charset_detect.h"


/*
 * Where a text declares its charset: after "word" and an "=" or ":", if "start"
 * comes first and there is no "end" between the two.
 */

typedef struct {
    const char  *start;
    const char  *word;
    uint8_t      end;
    unsigned     first:1;        /* "start" must begin the text */
} art_charset_place_t;


static art_str_t art_charset_find_text(art_str_t text, const char *lower);
static art_str_t art_charset_label(art_str_t text);
static const char *art_charset_comment(art_str_t text);


static const art_charset_place_t  art_charset_places[] = {
    { "<?xml", "encoding", '>', 1 },
    { "@charset", "@charset", ';', 1 },
    { "<meta", "charset", '>', 0 }
};


const char *
art_charset_says(const uint8_t *p, size_t len)
{
    size_t                      i, n;
    art_str_t                   text, found;
    const char                 *charset;
    const art_charset_place_t  *place;

    len = len < ART_CHARSET_SAYS_MAX ? len : ART_CHARSET_SAYS_MAX;

    for (i = 0; i < art_nitems(art_charset_places); i++) {
        place = &art_charset_places[i];
        text = art_str(p, len);

        for ( ;; ) {
            found = art_charset_find_text(text, place->start);

            if (found.len == 0 || (place->first && found.data != p)) {
                break;
            }

            text = art_str(found.data + 1, found.len - 1);

            for (n = 0; n < found.len && found.data[n] != place->end; n++) {
                /* void */
            }

            found = art_charset_find_text(art_str(found.data, n),
                                          place->word);

            if (found.len > 0) {
                n = strlen(place->word);
                charset = art_charset_find(art_charset_label(
                                           art_str(found.data + n,
                                                   found.len - n)));
                if (charset != NULL) {
                    return charset;
                }
            }
        }
    }

    return art_charset_comment(art_str(p, len));
}


/* A declaration in a comment of the first two lines. */

static const char *
art_charset_comment(art_str_t text)
{
    size_t       n;
    unsigned     line;
    art_str_t    found;
    const char  *charset;

    for (line = 0; line < 2 && text.len > 0; line++) {

        for (n = 0; n < text.len && text.data[n] != '\n'; n++) {
            /* void */
        }

        found = art_charset_find_text(art_str(text.data, n), "coding");

        if (found.len > 7 && strchr("#/;%*-\"", text.data[0]) != NULL
            && text.data[0] != '\0')
        {
            charset = art_charset_find(art_charset_label(
                                       art_str(found.data + 6,
                                               found.len - 6)));
            if (charset != NULL) {
                return charset;
            }
        }

        n += n < text.len;
        text = art_str(text.data + n, text.len - n);
    }

    return NULL;
}


/* The rest of the text from the first "lower" on; empty if it is not found. */

static art_str_t
art_charset_find_text(art_str_t text, const char *lower)
{
    size_t  i, k, n;

    n = strlen(lower);

    for (i = 0; i + n <= text.len; i++) {

        for (k = 0; k < n; k++) {
            if (art_char_lower(text.data[i + k]) != (uint8_t) lower[k]) {
                break;
            }
        }

        if (k == n) {
            return art_str(text.data + i, text.len - i);
        }
    }

    return art_str(NULL, 0);
}


/* The label after white space, an "=" or ":", and a quote. */

static art_str_t
art_charset_label(art_str_t text)
{
    size_t  i, start;

    for (i = 0; i < text.len && text.data[i] != '\0'
                && strchr(" \t=:\"'", text.data[i]) != NULL; i++)
    {
        /* void */
    }

    start = i;

    while (i < text.len
           && (art_char_alnum(text.data[i]) || text.data[i] == '-'
               || text.data[i] == '_' || text.data[i] == '.'
               || text.data[i] == ':'))
    {
        i++;
    }

    return art_str(text.data + start, i - start);
}
