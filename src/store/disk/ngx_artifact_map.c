
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Memory that leaves no traces in the heap of a thread.
 */


#include "store/disk/ngx_artifact_map.h"

#include <sys/mman.h>


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
