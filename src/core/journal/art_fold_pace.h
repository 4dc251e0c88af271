
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * When a journal is folded.  Readers of this module see its records as well,
 * so that it may wait; those who read the document itself do not.
 */


#ifndef ART_FOLD_PACE_H_INCLUDED_
#define ART_FOLD_PACE_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Milliseconds until a journal that has grown to "size" bytes is folded: a
 * while, for more to come; from ART_FOLD_SOON bytes on none, whatever pause
 * there is.
 */

#define ART_FOLD_DELAY  250
#define ART_FOLD_SOON   (64 * 1024)

unsigned art_fold_delay(uint64_t size);


/*
 * Milliseconds for which a workspace is left alone after a fold that took
 * "spent" of them and made a document of "size" bytes: ART_FOLD_SHARE times as
 * long, up to ART_FOLD_PAUSE; none if the document is small.
 */

#define ART_FOLD_SHARE  20
#define ART_FOLD_PAUSE  3000
#define ART_FOLD_SMALL  (1024 * 1024)

unsigned art_fold_pause(uint64_t size, uint64_t spent);


#endif /* ART_FOLD_PACE_H_INCLUDED_ */
