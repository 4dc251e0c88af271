
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The names of new files and workspaces (docs/ids.md).
 */


#ifndef ART_REF_NAME_H_INCLUDED_
#define ART_REF_NAME_H_INCLUDED_


#include "core/base/art_core.h"


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


#endif /* ART_REF_NAME_H_INCLUDED_ */
