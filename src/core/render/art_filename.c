
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdio.h>

#include "core/base/art_char.h"
#include "core/base/art_hash.h"
#include "core/text/art_utf8.h"
#include "core/json/art_json_escape.h"
#include "core/render/art_filename.h"


#define ART_FILENAME_TAG_LEN  (sizeof(" [01234567]") - 1)


static void art_filename_plain(art_out_t *out, const art_filename_rule_t *rule,
    const art_view_t *view);
static void art_filename_tag(art_out_t *out, art_str_t id);
static int art_filename_plain_char(uint8_t c);
static art_str_t art_filename_cut(art_str_t name, size_t max);
static const char *art_filename_extension(const art_view_t *view);
static int art_filename_has(const char *list, art_str_t word);


void
art_filename_print(art_out_t *out, const art_filename_rule_t *rule,
    const art_view_t *view, unsigned level)
{
    const char  *extension;

    if (rule->flags & ART_FILENAME_PLAIN) {
        art_filename_plain(out, rule, view);
        return;
    }

    art_json_string(out, art_filename_cut(view->name, rule->max), level);

    if (!(rule->flags & ART_FILENAME_EXTENSION)) {
        return;
    }

    extension = art_filename_extension(view);

    if (extension != NULL) {
        art_out_char(out, '.');
        art_out_mem(out, extension, strcspn(extension, " "));
    }
}


/* Nothing that is written here needs JSON's escaping. */

static void
art_filename_plain(art_out_t *out, const art_filename_rule_t *rule,
    const art_view_t *view)
{
    int      gap;
    size_t   i, n;
    uint8_t  c;

    n = 0;
    gap = 0;

    for (i = 0; i < view->name.len; i++) {
        c = view->name.data[i];

        if (!art_filename_plain_char(c)) {

            if (c != ' ' || gap == 0) {
                gap = c == ' ' ? ' ' : '-';
            }

            continue;
        }

        /* both ends are letters, digits or brackets */

        if (n + 2 + ART_FILENAME_TAG_LEN > rule->max) {
            break;
        }

        if (gap != 0 && n > 0) {
            art_out_char(out, gap);
            n++;
        }

        art_out_char(out, c);
        n++;
        gap = 0;
    }

    if (n == 0) {
        art_out_cstr(out, "document");
    }

    art_filename_tag(out, view->id);
}


static void
art_filename_tag(art_out_t *out, art_str_t id)
{
    char      buf[ART_FILENAME_TAG_LEN + 1];
    uint64_t  hash;

    hash = art_hash(ART_HASH_INIT, id.data, id.len);

    (void) snprintf(buf, sizeof(buf), " [%08x]",
                    (unsigned) ((hash ^ hash >> 32) & 0xffffffff));
    art_out_cstr(out, buf);
}


static int
art_filename_plain_char(uint8_t c)
{
    return art_char_alnum(c) || c == '(' || c == ')' || c == '[' || c == ']';
}


/* At most "max" characters; ill-formed bytes count as one each, at most. */

static art_str_t
art_filename_cut(art_str_t name, size_t max)
{
    int     n;
    size_t  i, count;

    if (max == 0) {
        return name;
    }

    count = 0;

    for (i = 0; i < name.len && count < max; i += (size_t) n) {
        n = art_utf8_char(name.data + i, name.len - i);
        n = n > 0 ? n : n < 0 ? -1 - n : (int) (name.len - i);
        count++;
    }

    return art_str(name.data, i);
}


/* The extensions of a media type of which the name has none, or NULL. */

static const char *
art_filename_extension(const art_view_t *view)
{
    uint8_t             buf[ART_MEDIA_EXT_MAX];
    const art_media_t  *media;

    media = art_media_find(view->mime);

    if (media == NULL || *media->extensions == '\0'
        || art_filename_has(media->extensions,
                        art_media_extension(view->name, buf)))
    {
        return NULL;
    }

    return media->extensions;
}


static int
art_filename_has(const char *list, art_str_t word)
{
    size_t       n;
    const char  *p;

    for (p = list; *p != '\0'; p += n + strspn(p + n, " ")) {
        n = strcspn(p, " ");

        if (art_str_eq(art_str(p, n), word)) {
            return 1;
        }
    }

    return 0;
}
