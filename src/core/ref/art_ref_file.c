
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/media/art_media.h"
#include "core/ref/art_ref_file.h"
#include "core/ref/art_ref_name.h"


size_t
art_ref_file_name(uint8_t *buf, art_str_t id, art_str_t extension)
{
    size_t  len;

    memcpy(buf, id.data, id.len);
    len = id.len;

    if (extension.len > 0) {

        if (extension.data[0] != '.') {
            buf[len++] = '.';
        }

        memcpy(buf + len, extension.data, extension.len);
        len += extension.len;
    }

    buf[len] = '\0';

    return art_ref_name_reserved(art_str(buf, len)) ? 0 : len;
}


int
art_ref_file_guess(art_ref_file_guess_t *guess, art_str_t *extension)
{
    size_t              n;
    const art_media_t  *media;

    if (guess->next == NULL) {
        media = art_media_row(0);
        guess->next = media->extensions;
        *extension = art_str("", 0);

        return 1;
    }

    while (*guess->next == '\0') {
        media = art_media_row(++guess->row);

        if (media == NULL) {
            return 0;
        }

        guess->next = media->extensions;
    }

    n = strcspn(guess->next, " ");
    *extension = art_str(guess->next, n);
    guess->next += n + (guess->next[n] == ' ');

    return 1;
}


int
art_ref_file_rank(art_str_t extension)
{
    int                   rank;
    art_str_t             known;
    art_ref_file_guess_t  guess;

    memset(&guess, 0, sizeof(guess));

    for (rank = 0; art_ref_file_guess(&guess, &known); rank++) {
        if (art_str_eq(known, extension)) {
            return rank;
        }
    }

    return -1;
}


art_str_t
art_ref_file_id(art_str_t name)
{
    size_t     i;
    art_str_t  extension;

    for (i = name.len; i > 1; i--) {

        if (name.data[i - 1] != '.') {
            continue;
        }

        extension = art_str(name.data + i, name.len - i);

        return art_media_by_extension(extension) ? art_str(name.data, i - 1)
                                                 : name;
    }

    return name;
}
