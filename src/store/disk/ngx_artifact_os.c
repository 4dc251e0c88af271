
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "store/disk/ngx_artifact_os.h"

#include <sys/mman.h>
#include <sys/random.h>


u_char *
ngx_artifact_map(size_t size)
{
    void  *p;

    p = mmap(NULL, size, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1,
             0);

    return p == MAP_FAILED ? NULL : p;
}


void
ngx_artifact_unmap(u_char *p, size_t size)
{
    (void) munmap(p, size);
}


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
