
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * An upload to one of the Files APIs: the fields of its form, and the bytes of
 * its file while they stream.
 */


#ifndef ART_UPLOAD_H_INCLUDED_
#define ART_UPLOAD_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/text/art_utf8.h"
#include "core/files/art_file.h"
#include "core/form/art_multipart.h"


/* ART_UPLOAD_VALUE: bytes of a field's value, and of the file's type. */

#define ART_UPLOAD_VALUE     255
#define ART_UPLOAD_LIFETIME  3155760000  /* seconds: a hundred years */


/*
 * The caller reads what precedes "private".  "name" and "type" are known when
 * "has_file" is set, before the first byte of the file; the others, which may
 * come after it, at the end.
 */

typedef struct {
    art_str_t            name;       /* one line of UTF-8, no path; or empty */
    art_str_t            type;       /* as it was sent; or empty */
    art_str_t            purpose;    /* or empty */
    uint64_t             lifetime;   /* seconds that were asked for; 0: none */
    uint64_t             size;       /* bytes of the file so far */
    unsigned             any:1;      /* the caller's: the file is the part that
                                        has a file's name, of any field */
    unsigned             has_file:1;
    art_file_error_t     error;      /* its detail is in this structure */

    /* private */

    unsigned             seen;       /* a bit for each field */
    unsigned             field;
    size_t               nvalue;
    art_sink_pt          sink;
    void                *data;
    uint8_t              value[ART_UPLOAD_VALUE];
    uint8_t              type_text[ART_UPLOAD_VALUE];
    uint8_t              purpose_text[ART_UPLOAD_VALUE];
    uint8_t              name_text[ART_UTF8_FILE_NAME_MAX];
    art_multipart_t      multipart;
} art_upload_t;


/*
 * Begins; "content_type" is the request's.  "sink" takes the bytes of the file,
 * which are not copied (art_multipart_sink_t); the structure must not move.
 * ART_ERROR and u->error if the body is no form.
 */

int art_upload_init(art_upload_t *u, art_str_t content_type, art_sink_pt sink,
    void *data);


/*
 * Reads the next piece of the body; ART_ERROR and u->error if it is not valid,
 * ART_ERROR and ART_FILE_SOUND if the sink failed.
 */

int art_upload_feed(art_upload_t *u, const uint8_t *p, size_t len);


/*
 * Ends the body: ART_OK if it was whole and had one file, with valid fields.
 * Before that nothing may be stored.
 */

int art_upload_end(art_upload_t *u);


#endif /* ART_UPLOAD_H_INCLUDED_ */
