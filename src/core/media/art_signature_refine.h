
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The refinements that a row of the table of signatures may name.
 */


#ifndef ART_SIGNATURE_REFINE_H_INCLUDED_
#define ART_SIGNATURE_REFINE_H_INCLUDED_


#include "core/media/art_signature.h"


/*
 * Takes what a row found and returns it refined; mime NULL when the bytes are
 * not that format after all.
 */

typedef art_signature_t (*art_refine_pt)(const uint8_t *p, size_t len,
    art_signature_t found);


art_signature_t art_signature_zip(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_mp4(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_riff(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_iff(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_ebml(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_ogg(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_pdf(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_pe(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_bmp(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_java(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_ole(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_boxes(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_jp2(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_asf(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_icon(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_tar(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_zstd(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_m2ts(const uint8_t *p, size_t len,
    art_signature_t found);
art_signature_t art_signature_mp2t(const uint8_t *p, size_t len,
    art_signature_t found);


/*
 * Bare frames of MPEG audio and AAC, one behind the other; a weak hint where
 * only the first one is there.
 */

art_signature_t art_signature_frames(const uint8_t *p, size_t len);


#endif /* ART_SIGNATURE_REFINE_H_INCLUDED_ */
