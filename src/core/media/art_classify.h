
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Classification: what a content is, by its metadata, which its bytes confirm
 * or contradict (docs/classification.md).
 */


#ifndef ART_CLASSIFY_H_INCLUDED_
#define ART_CLASSIFY_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_media.h"
#include "core/media/art_sniff.h"


typedef enum {
    ART_FROM_METADATA = 0,
    ART_FROM_NAME,
    ART_FROM_CONTENT
} art_from_t;


#define ART_NAMES_MAX  3


/*
 * What is known before the bytes: declared types in order of preference, then
 * the sidecar's "extension" and file names; malformed, generic or missing ones
 * are skipped.  "lookup", if not NULL, maps a lower-case extension to a media
 * type (the server's own "types") and takes precedence over the built-in table;
 * it returns an empty string for an unknown one.
 */

typedef struct {
    art_str_t    declared[2];
    art_str_t    extension;
    art_str_t    names[ART_NAMES_MAX];
    art_str_t  (*lookup)(void *data, art_str_t extension);
    void        *data;
    unsigned     text;           /* it is UTF-8, whatever its bytes are */
} art_claims_t;


typedef struct {
    art_media_type_t  type;      /* canonical, with its declared charset */
    art_kind_t        kind;
    art_from_t        from;
    const char       *charset;   /* as text, canonical; NULL: UTF-8 */
    unsigned          lines;     /* not declared (art_json_text_lines()) */
    unsigned          unproved;  /* binary without its type's signature */
    unsigned          blank;     /* a text with only white space */
    unsigned          contradicted;  /* not what was declared */
    unsigned          text;      /* claimed: NULs are shown as such */
} art_verdict_t;


/*
 * Decides.  "evidence" is NULL when the content was not examined (verifying is
 * off, or the answer will be raw).  ART_ERROR when the claims declare nothing
 * and there is no evidence: the caller then examines the content and calls
 * again.
 */

int art_classify(const art_claims_t *claims, const art_evidence_t *evidence,
    art_verdict_t *out);


/*
 * Whether libmagic should be asked as well: the bytes decide these claims, but
 * have no signature and are not text.
 */

int art_classify_wants_magic(const art_claims_t *claims,
    const art_evidence_t *evidence);


/* The verdict on content that could not be read and is not declared. */

void art_classify_unknown(art_verdict_t *out);


/*
 * The verdict where the content, of "size" bytes, is not looked at: what is
 * declared, or what a name of several meanings (".ts") suggests, else unknown.
 */

void art_classify_unread(const art_claims_t *claims, uint64_t size,
    art_verdict_t *out);


/* "metadata", "name" or "content". */

const char *art_from_name(art_from_t from);


#endif /* ART_CLASSIFY_H_INCLUDED_ */
