
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The requests in a body: it is one, or has a batch of them, each with a model,
 * messages and limits of its own.  Only those that have slots are kept.
 */


#include "core/expand/art_expand_scan_int.h"


static int art_batch_add(art_scanner_t *scan);


const art_scan_request_t *
art_scan_request(const art_scan_t *found, uint32_t i)
{
    const art_scanner_t  *scan;

    scan = (const void *) found;

    return art_list_at(&scan->requests, i, sizeof(art_scan_request_t));
}


int
art_scan_is_last(const art_scan_t *found, const art_message_slot_t *slot)
{
    const art_scan_request_t  *request;

    request = art_scan_request(found, slot->request);

    return slot->message == request->messages - 1
           || (request->tools != UINT32_MAX && slot->tools == request->tools);
}


void
art_batch_begin(art_scanner_t *scan)
{
    art_standins_drop(scan);

    scan->found.batch = 1;
    scan->found.models[0] = art_str(NULL, 0);

    scan->root = scan->walk.depth;
    scan->listed = 0;
    scan->occurrences = 0;
    scan->finds = scan->found.finds;
    scan->tools = UINT32_MAX;

    memset(&scan->request, 0, sizeof(scan->request));

    scan->request.from = scan->found.nslots;
    scan->request.first = scan->found.ngroups;
    scan->request.messages = scan->found.messages;
    scan->request.tools = UINT32_MAX;
}


int
art_batch_end(art_scanner_t *scan, uint64_t len)
{
    int  rc;

    scan->request.len = len;

    if (art_arena_copy(&scan->arena, scan->found.models[0],
                       &scan->request.model)
        != ART_OK)
    {
        return art_list_fail(scan, ART_SCAN_NO_MEMORY);
    }

    rc = art_batch_add(scan);

    scan->found.models[0] = art_str(NULL, 0);
    scan->tools = UINT32_MAX;

    return rc;
}


int
art_batch_close(art_scanner_t *scan)
{
    uint32_t  i, n;

    if (!scan->found.batch) {
        scan->request.len = scan->found.len;
        scan->request.model = scan->found.models[0];

        return art_batch_add(scan);
    }

    /* what is beside the requests belongs to none */

    art_standins_drop(scan);

    n = 0;

    for (i = 0; i < scan->found.nrequests; i++) {
        n += art_scan_request(&scan->found, i)->to
             - art_scan_request(&scan->found, i)->from;
    }

    return n == scan->found.nslots ? ART_OK
                                   : art_list_fail(scan, ART_SCAN_PASS);
}


static int
art_batch_add(art_scanner_t *scan)
{
    uint32_t             i;
    art_scan_request_t  *request;

    art_search_cut(scan);

    if (art_standins_end(scan) != ART_OK) {
        return ART_ERROR;
    }

    if (scan->found.nslots == scan->request.from) {
        return ART_OK;
    }

    request = art_list_add(scan, &scan->requests, &scan->found.nrequests,
                           sizeof(*request));

    if (request == NULL) {
        return ART_ERROR;
    }

    *request = scan->request;

    request->to = scan->found.nslots;
    request->end = scan->found.ngroups;

    for (i = request->from; i < request->to; i++) {
        art_scan_slot(&scan->found, i)->request = scan->found.nrequests - 1;
    }

    return ART_OK;
}
