
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * References and ids: "abc123", "artifact:abc123",
 * "ws:{workspaceId}:{base64url path}", "artifact:ws:...", and the paths of
 * workspace files.  The rules are those of docs/ids.md.
 */


#ifndef ART_ID_H_INCLUDED_
#define ART_ID_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/base/art_time.h"


#define ART_ID_NAME_MAX  255     /* bytes of an id or a workspace id */
#define ART_ID_PATH_MAX  4095    /* bytes of a decoded workspace path */
#define ART_ID_FILE      41      /* bytes of a file id */


typedef enum {
    ART_ID_OK = 0,
    ART_ID_INVALID,              /* 400 invalid_artifact_id */
    ART_ID_TRAVERSAL             /* 403 path_traversal_blocked */
} art_id_status_t;


typedef enum {
    ART_ID_REGULAR = 0,
    ART_ID_WORKSPACE
} art_id_kind_t;


/*
 * A parsed reference.  "id" is canonical: without "artifact:", and for a
 * workspace file the unpadded encoding of the resolved path.  "workspace" and
 * "path" are empty for a regular id.  All strings point into the buffer given
 * to the parser.
 */

typedef struct {
    art_id_kind_t  kind;
    art_str_t      id;
    art_str_t      workspace;
    art_str_t      path;         /* relative, resolved, no leading "/" */
    unsigned       folder:1;     /* the path names a folder: empty or "x/" */
    unsigned       colon:1;      /* the workspace id holds a colon */
} art_ref_t;


/* Bytes of buffer to parse a reference or a workspace path of "len" bytes. */

#define ART_ID_ROOM(len)  ((len) * 3 + 16)


/*
 * Parses a reference from a URI, after percent-decoding.  "artifact:" is
 * stripped once.  A reference that starts with "ws:" names a workspace file
 * and is split at the last colon.  Its path is base64url (RFC 4648 section 5),
 * decoded strictly: padding complete or absent, no foreign characters, no
 * length of 1 mod 4, no non-zero trailing bits.  A path that is empty, has a
 * NUL or invalid UTF-8, or is longer than ART_ID_PATH_MAX bytes, and an
 * invalid workspace id are ART_ID_INVALID.  An absolute path, or one that
 * climbs above its workspace, is ART_ID_TRAVERSAL.  A regular id is one path
 * component of valid UTF-8: 1 to ART_ID_NAME_MAX bytes, no "/", no NUL, no
 * control character, not starting with a dot.
 *
 * *out is filled after ART_ID_OK only.  "buf" has room for ART_ID_ROOM(ref.len)
 * bytes and must outlive *out.
 */

art_id_status_t art_id_parse(art_str_t ref, uint8_t *buf, art_ref_t *out);


/*
 * The same for "{workspaceId}/{path}", the form of workspace locations, split
 * at the first "/".  A missing or empty path is not an error: it gives "folder"
 * and an empty path.  The path rules are those of art_id_parse().
 */

art_id_status_t art_id_from_path(art_str_t uri, uint8_t *buf, art_ref_t *out);


/*
 * Writes "ws:{workspace}:{base64url path}", unpadded.  ART_ERROR if either is
 * empty.
 */

int art_id_encode(art_out_t *out, art_str_t workspace, art_str_t path);


/*
 * Whether "name" may be a component of a path, or a workspace id: valid UTF-8,
 * 1 to ART_ID_NAME_MAX bytes, no "/", no NUL, no control character, not "." or
 * "..".
 */

int art_id_component(art_str_t name);


/*
 * Whether some reference can name "id": it follows the rules of art_id_parse()
 * for regular ids and does not start with "ws:".
 */

int art_id_regular(art_str_t id);


/* Whether "id" has the form of a UUID, in either case of letters. */

int art_id_is_uuid(art_str_t id);


/*
 * The ids that clients of Files APIs see (docs/writes.md): "file-art-" as
 * OpenAI has them, or "file_art_" as Anthropic has them, and the 32 hexadecimal
 * digits of the artifact's id, which is a UUID in lower case.
 *
 * art_id_from_file() reads either form, writes the artifact's id to "uuid" and
 * returns 1, or 0 if "file" is no such id.  art_id_file() writes the form of
 * "prefix", ART_ID_FILE bytes, or returns ART_ERROR if "id" is not a UUID in
 * lower case.
 */

#define ART_ID_FILE_OPENAI     "file-art-"
#define ART_ID_FILE_ANTHROPIC  "file_art_"

int art_id_from_file(art_str_t file, uint8_t uuid[ART_UUID_LEN]);
int art_id_file(art_out_t *out, const char *prefix, art_str_t id);


/*
 * Writes the object store key of a reference, "artifacts/{id}" or
 * "workspaces/{workspace}/{path}".  All bytes are percent-encoded except RFC
 * 3986's unreserved ones and the separating "/".
 */

void art_id_key(art_out_t *out, const art_ref_t *ref);


/*
 * Writes a canonical id for a URI: all bytes are percent-encoded except RFC
 * 3986's unreserved ones and the colon.
 */

void art_id_uri(art_out_t *out, art_str_t id);


#endif /* ART_ID_H_INCLUDED_ */
