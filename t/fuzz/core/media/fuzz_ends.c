
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target: a content that can be read at any place.  Whatever it is,
 * few samples are read, none of them out of bounds; what has its end is never
 * called cut; and a content that gets shorter is not known.
 */


#include "core/media/ends_naive.h"
#include "core/media/ends_run.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    naive_t    want;
    unsigned   steps, times;
    art_end_t  end;

    if (size < 1) {
        return 0;
    }

    memset(&want, 0, sizeof(want));
    naive_medium(&want, data + 1, size - 1);

    end = ends_of(data + 1, size - 1, UINT32_MAX, &steps);

    check(steps != UINT32_MAX);
    check(end != ART_END_CUT || want.cut);
    check(want.cut || !want.locked || end == ART_END_LOCKED);

    if (steps > 0) {
        end = ends_of(data + 1, size - 1, data[0] % steps, &times);

        check(end == ART_END_UNKNOWN);
    }

    return 0;
}
