
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "store/disk/ngx_artifact_random.h"

#include <sys/random.h>


void
ngx_artifact_random(void *buf, size_t len)
{
    size_t   i;
    u_char  *p;

    if (getrandom(buf, len, 0) == (ssize_t) len) {
        return;
    }

    p = buf;

    for (i = 0; i < len; i++) {
        p[i] = (u_char) (ngx_random() >> 8);
    }
}
