
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The files of artifacts and workspaces (docs/ids.md): their names, the
 * extensions of artifacts, and the sub-folders of artifacts/.
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
 * Writes the name of the file with an artifact's content, zero-terminated, to
 * "buf" of ART_REF_FILE_NAME bytes: the id (at most ART_ID_NAME_MAX bytes) and
 * the extension (at most ART_REF_FILE_EXTENSION_MAX).  Some writers omit the
 * dot of the extension in the sidecar, but not in the file's name, so it is
 * added: without it, the result could be another artifact's file.  Returns the
 * length without the zero, or 0 if the name would be that of a sidecar
 * (art_ref_name_reserved()).
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
 * The id of content without a sidecar: its name without its extension, if that
 * is known and in lower case.  It is "report" for "report.pdf", but "report.v2"
 * for "report.v2".
 */

art_str_t art_ref_file_id(art_str_t name);


#define ART_REF_NAME_MAX        255  /* bytes of a file name */

/* A workspace "{ws}" also needs the file "{ws}.meta.json". */

#define ART_REF_NAME_WORKSPACE_MAX  (ART_REF_NAME_MAX - 10)

/* Bytes of the extension of a new artifact, with its dot. */

#define ART_REF_NAME_EXTENSION_MAX  17


/*
 * Whether a workspace of this name may be created: 1 to
 * ART_REF_NAME_WORKSPACE_MAX ASCII letters, digits, "_", "-", ":" and ".",
 * with no "." at the beginning or the end, and not ending in ".meta.json" in
 * any case of letters.  (Existing workspaces may have other names:
 * art_id_component().)
 */

int art_ref_name_workspace(art_str_t name);


/*
 * Whether every component of a resolved path can be the name of a file: at most
 * ART_REF_NAME_MAX bytes.
 */

int art_ref_name_path(art_str_t path);


/*
 * Whether a file of this name in artifacts/ is a sidecar: it ends in ".meta"
 * or ".meta.json" in any case of letters.  An id and an extension may both be
 * harmless and yet make such a name together ("x.meta" and ".json"), so the
 * name of the file to open has to be checked.
 */

int art_ref_name_reserved(art_str_t name);


/*
 * Reads the name of a new artifact from the value of "?name=" in the URI: it
 * is percent-decoded (a "+" remains a "+") into "buf", which has room for
 * value.len bytes and must outlive *name.  ART_ERROR if it cannot be the name
 * of a file on one line: a "%" without two hexadecimal digits, invalid UTF-8,
 * a control character (C0, DEL, C1), a "/", "." or "..", more than
 * ART_REF_NAME_MAX bytes.  An empty value gives ART_OK and name->data NULL.
 */

int art_ref_name_artifact(art_str_t value, uint8_t *buf, art_str_t *name);


/*
 * The extension of a new artifact's file, with its dot, written to "buf" (room
 * for ART_REF_NAME_EXTENSION_MAX bytes); empty if there is none.  It is that of
 * the name, in lower case, if the name has one of at most 16 ASCII letters,
 * digits, "_", "-" and "+" that is not "meta"; else the first in the row of the
 * declared media type (art_media.h).  The result is always valid for
 * art_meta_parse() and never makes a reserved name.
 */

art_str_t art_ref_name_extension(art_str_t name, art_str_t type, uint8_t *buf);


/*
 * The sub-folder of artifacts/ with the files of an id.  Its name is the end of
 * the id's hash, as in nginx's caches.  A zeroed layout is flat, without
 * levels.
 */

#define ART_REF_LAYOUT_LEVELS  3
#define ART_REF_LAYOUT_WIDTH   2     /* hexadecimal digits of a level */
#define ART_REF_LAYOUT_HASH    16    /* bytes: MD5 */

/* The longest path of a sub-folder: the levels, each with a slash. */

#define ART_REF_LAYOUT_PLACE                                                  \
    (ART_REF_LAYOUT_LEVELS * (ART_REF_LAYOUT_WIDTH + 1))

typedef struct {
    uint8_t      n;                              /* levels */
    uint8_t      width[ART_REF_LAYOUT_LEVELS];   /* digits of each */
} art_ref_layout_t;


/*
 * Parses a layout from the configuration: "flat", or levels of one or two
 * digits separated by colons, such as "1:2".  ART_ERROR for anything else.
 */

int art_ref_layout_parse(art_str_t text, art_ref_layout_t *layout);


/* Layout number "i" of all possible ones; ART_ERROR past the last. */

int art_ref_layout_any(unsigned i, art_ref_layout_t *layout);


/* The length of the paths of a layout's sub-folders, all the same, in bytes. */

size_t art_ref_layout_len(const art_ref_layout_t *layout);


/*
 * Writes the path of the sub-folder for a hash, with a slash at its end, to
 * "buf" of ART_REF_LAYOUT_PLACE bytes, not terminated; returns its length.  The
 * first level is named by the last digits of the hash, in lower case, the
 * second by the digits before them: "c/29/" for the layout 1:2 and a hash that
 * ends in 29c.
 */

size_t art_ref_layout_place(const art_ref_layout_t *layout,
    const uint8_t hash[ART_REF_LAYOUT_HASH], uint8_t *buf);


/*
 * art_ref_layout_number() returns the number, below 256, that a folder's name
 * spells at a level (below "n"), or -1 for other names.  art_ref_layout_name()
 * writes the name of a number, not terminated, to "buf" of ART_REF_LAYOUT_WIDTH
 * bytes, and returns its length.
 */

int art_ref_layout_number(const art_ref_layout_t *layout, unsigned level,
    art_str_t name);
size_t art_ref_layout_name(const art_ref_layout_t *layout, unsigned level,
    unsigned number, uint8_t *buf);


#endif /* ART_REF_FILE_H_INCLUDED_ */
