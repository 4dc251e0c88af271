
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What may be written under which name (docs/ids.md).
 */


#ifndef ART_REF_NAME_H_INCLUDED_
#define ART_REF_NAME_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_REF_NAME_MAX        255  /* bytes of a file name */

/* A workspace "{ws}" also needs the file "{ws}.meta.json". */

#define ART_REF_NAME_WORKSPACE_MAX  (ART_REF_NAME_MAX - 10)

/* Extensions of new artifacts, with their dot. */

#define ART_REF_NAME_EXTENSION_MAX  17


/*
 * Whether a workspace of this name may be created: 1 to
 * ART_REF_NAME_WORKSPACE_MAX ASCII letters, digits, "_", "-", ":" and ".", the
 * last neither first nor at the end, and not ending in ".meta.json" in any
 * case of letters.  (Existing workspaces may have other names:
 * art_id_component().)
 */

int art_ref_name_workspace(art_str_t name);


/*
 * Whether every component of a resolved path can be a file's name: at most
 * ART_REF_NAME_MAX bytes.
 */

int art_ref_name_path(art_str_t path);


/*
 * Whether a file of this name in artifacts/ is a sidecar, ends in ".meta" or
 * ".meta.json" in any case of letters.  An id and an extension may be harmless
 * each and make such a name together ("x.meta" and ".json"), so it is the
 * name of the file to be opened that has to be asked about.
 */

int art_ref_name_reserved(art_str_t name);


/*
 * The name of a new artifact from the value of "?name=" as it stands in the
 * URI: percent-decoded (a "+" stays one) into "buf", which has room for
 * value.len bytes and must outlive *name.  ART_ERROR for what is no name of a
 * file on one line: a "%" without two hexadecimal digits, invalid UTF-8, a
 * control character (C0, DEL, C1), a "/", "." or "..", more than
 * ART_REF_NAME_MAX bytes.  An empty value is no name: ART_OK, and name->data
 * is NULL.
 */

int art_ref_name_artifact(art_str_t value, uint8_t *buf, art_str_t *name);


/*
 * The extension of a new artifact's file, with its dot, written to "buf"
 * (room for ART_REF_NAME_EXTENSION_MAX bytes); empty if there is none.  It is
 * that of the name, in lower case, if it has one of at most 16 ASCII letters,
 * digits, "_", "-" and "+" that is not "meta"; else the first in the row of
 * the declared media type (art_media.h).  What comes out always satisfies
 * art_meta_parse(), and never makes a name that is reserved.
 */

art_str_t art_ref_name_extension(art_str_t name, art_str_t type, uint8_t *buf);


#endif /* ART_REF_NAME_H_INCLUDED_ */
