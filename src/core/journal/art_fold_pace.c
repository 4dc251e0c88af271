
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/journal/art_fold_pace.h"


unsigned
art_fold_delay(uint64_t size)
{
    return size < ART_FOLD_SOON ? ART_FOLD_DELAY : 0;
}


unsigned
art_fold_pause(uint64_t size, uint64_t spent)
{
    if (size < ART_FOLD_SMALL) {
        return 0;
    }

    return spent < ART_FOLD_PAUSE / ART_FOLD_SHARE
           ? ART_FOLD_SHARE * (unsigned) spent : ART_FOLD_PAUSE;
}
