
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * When a journal is folded.  It can wait, because readers in this module also
 * see the journal's records; readers of the document itself do not.
 */


#ifndef ART_FOLD_PACE_H_INCLUDED_
#define ART_FOLD_PACE_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Milliseconds until a journal that has grown to "size" bytes is folded: a
 * short delay, since more may come; 0 from ART_FOLD_SOON bytes on, even during
 * a pause.
 */

#define ART_FOLD_DELAY  250
#define ART_FOLD_SOON   (64 * 1024)

unsigned art_fold_delay(uint64_t size);


/*
 * The pause, in milliseconds, after a fold that took "spent" milliseconds and
 * wrote a document of "size" bytes: ART_FOLD_SHARE times as long, up to
 * ART_FOLD_PAUSE; 0 if the document is small.
 */

#define ART_FOLD_SHARE  20
#define ART_FOLD_PAUSE  3000
#define ART_FOLD_SMALL  (1024 * 1024)

unsigned art_fold_pause(uint64_t size, uint64_t spent);


#endif /* ART_FOLD_PACE_H_INCLUDED_ */
