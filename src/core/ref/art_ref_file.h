
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The name of the file that has an artifact's content, "{id}{extension}", and
 * the id of such a file (docs/ids.md).
 */


#ifndef ART_REF_FILE_H_INCLUDED_
#define ART_REF_FILE_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/ref/art_id.h"


#define ART_REF_FILE_EXTENSION_MAX  64       /* bytes, with or without a dot */

/* Room for any such name: id, dot, extension, zero. */

#define ART_REF_FILE_NAME                                                    \
    (ART_ID_NAME_MAX + 1 + ART_REF_FILE_EXTENSION_MAX + 1)


/*
 * Writes the file name of an id (at most ART_ID_NAME_MAX bytes) with an
 * extension (at most ART_REF_FILE_EXTENSION_MAX), zero-terminated, to "buf" of
 * ART_REF_FILE_NAME bytes.  Some writers omit the dot of the extension in the
 * sidecar, but not in the file's name, so it is added: without it, the result
 * could be another artifact's file.  Returns the length without the zero, or 0
 * if the name would be that of a sidecar (art_ref_name_reserved()).
 */

size_t art_ref_file_name(uint8_t *buf, art_str_t id, art_str_t extension);


/*
 * Iterates over the extensions to try for an id whose sidecar has none: first
 * an empty one, then every known one (art_media.h).  The state starts zeroed;
 * art_ref_file_guess() returns 0 at the end.
 */

typedef struct {
    unsigned     row;
    const char  *next;           /* in the row's list; NULL at the start */
} art_ref_file_guess_t;

int art_ref_file_guess(art_ref_file_guess_t *guess, art_str_t *extension);


/*
 * The rank of an extension (without its dot, compared exactly) in that order,
 * below ART_REF_FILE_GUESSES: 0 for an empty one; -1 if it is not known.
 */

#define ART_REF_FILE_GUESSES  256

int art_ref_file_rank(art_str_t extension);


/*
 * The id of a content without a sidecar: its name without an extension that is
 * known and in lower case.  It is "report" for "report.pdf", but "report.v2"
 * for "report.v2".
 */

art_str_t art_ref_file_id(art_str_t name);


#endif /* ART_REF_FILE_H_INCLUDED_ */
