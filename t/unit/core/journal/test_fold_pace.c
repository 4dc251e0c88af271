
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * When journals are folded.
 */


#include "tap.h"

#include "core/journal/art_fold.h"


int
main(void)
{
    uint64_t  now, spent, folded;

    is_int(art_fold_delay(0), 250, "a journal waits for more");
    is_int(art_fold_delay(65535), 250, "until it is large");
    is_int(art_fold_delay(65536), 0, "which it is");
    is_int(art_fold_delay(UINT64_MAX), 0, "or larger");

    is_int(art_fold_pause(2000000, 0), 0, "no pause after nothing");
    is_int(art_fold_pause(2000000, 7), 140, "20 times what it took");
    is_int(art_fold_pause(2000000, 149), 2980, "nearly the longest");
    is_int(art_fold_pause(2000000, 150), 3000, "the longest");
    is_int(art_fold_pause(2000000, UINT64_MAX), 3000, "whatever it took");
    is_int(art_fold_pause(1048576, 100), 2000, "the smallest that pauses");
    is_int(art_fold_pause(1048575, 100), 0, "a small one does not");

    /* ten minutes of steady writes: a twenty-first of them are folds */

    folded = 0;
    spent = 40;

    for (now = 0; now < 600000; now += spent + art_fold_pause(2000000, spent))
    {
        folded += spent;
    }

    ok(folded * 20 <= 600000 && folded * 22 > 600000, "a share of the time");

    return done();
}
