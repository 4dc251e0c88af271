
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The file that holds an artifact's content, "{id}{extension}", and back: the
 * layout of a folder of artifacts (docs/ids.md).
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
 * Writes the name of the file of an id (at most ART_ID_NAME_MAX bytes) with an
 * extension (at most ART_REF_FILE_EXTENSION_MAX), zero-terminated, to "buf" of
 * ART_REF_FILE_NAME bytes.  Some writers leave the dot out of the extension,
 * but not of the name; without it both could spell another artifact's file.
 * Returns its length without the zero, or 0 for what would be a sidecar
 * (art_ref_name_reserved()).
 */

size_t art_ref_file_name(uint8_t *buf, art_str_t id, art_str_t extension);


/*
 * The extensions to try for an id whose sidecar tells none: an empty one, then
 * every known one (art_media.h).  The state begins as zeros; 0 at the end.
 */

typedef struct {
    unsigned     row;
    const char  *next;           /* in the row's list; NULL: nothing yet */
} art_ref_file_guess_t;

int art_ref_file_guess(art_ref_file_guess_t *guess, art_str_t *extension);


/*
 * When an extension (without its dot, compared exactly) is tried: 0 for an
 * empty one, and so on below ART_REF_FILE_GUESSES; -1 if it is not known.
 */

#define ART_REF_FILE_GUESSES  256

int art_ref_file_rank(art_str_t extension);


/*
 * The id of a content without a sidecar: its name, as far as that is not a
 * known extension in lower case.  "report" of "report.pdf", all of
 * "report.v2".
 */

art_str_t art_ref_file_id(art_str_t name);


#endif /* ART_REF_FILE_H_INCLUDED_ */
