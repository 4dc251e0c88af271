
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/format/art_delivery.h"


/* Versions are less than that; a date is not one. */

#define ART_VERSION_MAX  1000


static size_t art_delivery_word(art_str_t model, const char *word, size_t i);
static unsigned art_delivery_number(art_str_t model, size_t *i);


const char *const  art_delivery_names[ART_DELIVERY_MAX] = {
    "inline", "url"
};


art_delivery_t
art_delivery_find(art_str_t name)
{
    art_delivery_t  delivery;

    if (name.len == 0) {
        return ART_DELIVERY_INLINE;
    }

    for (delivery = ART_DELIVERY_INLINE; delivery < ART_DELIVERY_MAX;
         delivery++)
    {
        if (art_str_is(name, art_delivery_names[delivery])) {
            break;
        }
    }

    return delivery;
}


int
art_delivery_fetches(const art_format_t *format, const art_str_t *names,
    unsigned n)
{
    unsigned  i, fetches;

    fetches = format->url_since.family == NULL;

    for (i = 0; i < n; i++) {

        if (art_delivery_word(names[i], "anthropic.", 0) > 0) {
            return 0;
        }

        fetches |= !fetches
                   && art_model_is_since(names[i], &format->url_since);
    }

    return fetches != 0;
}


int
art_model_is_since(art_str_t model, const art_since_t *since)
{
    size_t    i;
    unsigned  major, minor;

    for (i = art_delivery_word(model, since->family, 0); i > 0;
         i = art_delivery_word(model, since->family, i))
    {
        if (i == model.len || model.data[i] < '0' || model.data[i] > '9') {
            continue;
        }

        major = art_delivery_number(model, &i);
        minor = 0;

        if (i < model.len && model.data[i] == '.') {
            i++;
            minor = art_delivery_number(model, &i);
        }

        return major > since->major
               || (major == since->major && minor >= since->minor);
    }

    return 0;
}


/*
 * The position after the first occurrence of a word, in any case, from "i" on;
 * 0 if there is none.
 */

static size_t
art_delivery_word(art_str_t model, const char *word, size_t i)
{
    size_t  len;

    len = strlen(word);

    for ( /* void */ ; i + len <= model.len; i++) {
        if (art_str_is(art_str(model.data + i, len), word)) {
            return i + len;
        }
    }

    return 0;
}


static unsigned
art_delivery_number(art_str_t model, size_t *i)
{
    unsigned  n;

    for (n = 0;
         *i < model.len && model.data[*i] >= '0' && model.data[*i] <= '9'
         && n < ART_VERSION_MAX; (*i)++)
    {
        n = n * 10 + model.data[*i] - '0';
    }

    return n;
}
