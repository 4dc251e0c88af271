
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A page of a list is found in the order of markers: of one folder after the
 * other, as many of the nearest ids as are needed, and then what each of them
 * is.  Markers without an artifact are passed over, and after an hour removed:
 * their writer or remover has died.
 */


#include "store/files/ngx_artifact_files.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/metadata/ngx_artifact_metadata.h"

#include "core/files/art_upload.h"
#include "core/json/art_json_members.h"
#include "core/media/art_media.h"
#include "core/meta/art_meta.h"
#include "core/ref/art_ref_file.h"


/* Names read between two looks at the clock. */

#define NGX_ARTIFACT_FILES_NAMES  256

/* Milliseconds after which a marker without an artifact is removed. */

#define NGX_ARTIFACT_FILES_STALE  3600000

#define NGX_ARTIFACT_FILES_ID     (ART_UUID_LEN + 1)

/* The files of an artifact, as paths beneath artifacts/. */

#define NGX_ARTIFACT_FILES_PATH                                               \
    (ART_REF_LAYOUT_PLACE + ART_UUID_LEN + ART_REF_FILE_EXTENSION_MAX + 8)


/* What was found of one artifact. */

typedef struct {
    art_meta_t                   meta;
    art_str_t                    purpose;
    off_t                        size;
    u_char                       sidecar[NGX_ARTIFACT_FILES_PATH];
    u_char                       content[NGX_ARTIFACT_FILES_PATH];
    u_char                       text[ART_UPLOAD_VALUE];  /* of purpose */
} ngx_artifact_files_found_t;


static ngx_int_t ngx_artifact_files_open(ngx_artifact_files_t *job);
static ngx_int_t ngx_artifact_files_begin(ngx_artifact_files_t *job);
static ngx_int_t ngx_artifact_files_step(ngx_artifact_files_t *job);
static ngx_int_t ngx_artifact_files_names(ngx_artifact_files_t *job);
static void ngx_artifact_files_put(ngx_artifact_files_t *job,
    const char *name);
static void ngx_artifact_files_sort(ngx_artifact_files_t *job);
static int ngx_libc_cdecl ngx_artifact_files_older(const void *one,
    const void *two);
static int ngx_libc_cdecl ngx_artifact_files_newer(const void *one,
    const void *two);
static ngx_int_t ngx_artifact_files_take(ngx_artifact_files_t *job,
    const char *id);
static ngx_int_t ngx_artifact_files_find(ngx_artifact_files_t *job,
    const char *id, ngx_artifact_files_found_t *found);
static ngx_int_t ngx_artifact_files_look(ngx_artifact_files_t *job,
    const ngx_artifact_subfolder_t *sub, const char *id,
    ngx_artifact_files_found_t *found);
static ngx_uint_t ngx_artifact_files_wants(ngx_artifact_files_t *job,
    ngx_artifact_files_found_t *found);
static ngx_int_t ngx_artifact_files_sidecar(ngx_artifact_files_t *job,
    const ngx_artifact_subfolder_t *sub, const char *id,
    ngx_artifact_files_found_t *found);
static ngx_int_t ngx_artifact_files_content(ngx_artifact_files_t *job,
    ngx_artifact_files_found_t *found);
static void ngx_artifact_files_stale(ngx_artifact_files_t *job,
    const char *id);
static ngx_int_t ngx_artifact_files_add(ngx_artifact_files_t *job,
    const char *id, ngx_artifact_files_found_t *found);
static art_str_t ngx_artifact_files_copy(u_char **p, art_str_t s);
static ngx_int_t ngx_artifact_files_remove(ngx_artifact_files_t *job,
    const char *id, ngx_artifact_files_found_t *found);
static void ngx_artifact_files_turn(ngx_artifact_files_t *job);
static ngx_int_t ngx_artifact_files_fail(ngx_artifact_files_t *job,
    const char *action);


void
ngx_artifact_files_run(void *data, ngx_log_t *log)
{
    ngx_artifact_files_t *job = data;

    uint64_t   end;
    ngx_int_t  rc;

    job->log = log;
    job->again = 0;

    end = ngx_artifact_ticks() + NGX_ARTIFACT_TURN * 1000;

    rc = job->opened ? NGX_OK : ngx_artifact_files_open(job);

    while (rc == NGX_OK) {
        rc = ngx_artifact_files_step(job);

        if (rc == NGX_OK && ngx_artifact_ticks() >= end) {
            job->again = 1;
            return;
        }
    }

    if (rc == NGX_DONE && job->query && job->query->backwards) {
        ngx_artifact_files_turn(job);
    }
}


void
ngx_artifact_files_close(void *data)
{
    ngx_artifact_files_t *job = data;

    size_t  i;

    if (!job->opened) {
        return;
    }

    for (i = 0; i < job->n; i++) {
        free(job->items[i].memory);
    }

    free(job->items);
    free(job->batch);

    ngx_artifact_marker_walk_end(&job->walk);
    ngx_artifact_area_close(&job->area);

    job->n = 0;
    job->items = NULL;
    job->batch = NULL;
    job->opened = 0;
}


/* NGX_DONE if there is nothing to be found. */

static ngx_int_t
ngx_artifact_files_open(ngx_artifact_files_t *job)
{
    job->opened = 1;
    job->walk.top = NGX_INVALID_FILE;
    job->now = ngx_artifact_now();

    if (job->query == NULL) {
        job->room = 1;

    } else if (job->query->by_ids) {
        job->room = ngx_max(job->query->nids, 1);

    } else {
        job->room = job->query->limit + 1;
    }

    if (ngx_artifact_area_open(&job->area, (char *) job->root.data,
                               "artifacts", 0)
        != NGX_OK)
    {
        /* nothing was ever stored, if there is a root */

        if (ngx_errno != NGX_ENOENT) {
            return ngx_artifact_files_fail(job, "open");
        }

        job->rootless = access((char *) job->root.data, F_OK) == -1;
        job->err = job->rootless ? NGX_ENOENT : 0;

        return NGX_DONE;
    }

    job->items = calloc(job->room, sizeof(ngx_artifact_files_item_t));
    job->batch = malloc(2 * job->room * NGX_ARTIFACT_FILES_ID);

    if (job->items == NULL || job->batch == NULL) {
        ngx_set_errno(NGX_ENOMEM);
        return ngx_artifact_files_fail(job, "malloc");
    }

    return ngx_artifact_files_begin(job);
}


/* The ids that were asked for, or the place in the list. */

static ngx_int_t
ngx_artifact_files_begin(ngx_artifact_files_t *job)
{
    size_t                   i;
    char                     id[NGX_ARTIFACT_FILES_ID];
    const art_file_query_t  *q;

    q = job->query;
    job->back = q && q->ascending == q->backwards;

    if (q && !q->by_ids) {

        if (q->has_cursor) {
            (void) ngx_cpystrn((u_char *) job->last, (u_char *) q->cursor,
                               NGX_ARTIFACT_FILES_ID);
        }

        if (ngx_artifact_marker_walk(&job->walk, job->area.control,
                                     q->has_cursor ? job->last : NULL,
                                     job->back)
            != NGX_OK)
        {
            return ngx_artifact_files_fail(job, "open");
        }

        return NGX_OK;
    }

    job->ended = 1;

    if (q == NULL) {
        ngx_artifact_files_put(job, job->id);
        return NGX_OK;
    }

    for (i = 0; i < q->nids; i++) {
        (void) ngx_cpystrn((u_char *) id, (u_char *) q->ids[i],
                           NGX_ARTIFACT_FILES_ID);
        ngx_artifact_files_put(job, id);
    }

    ngx_artifact_files_sort(job);

    return NGX_OK;
}


/* NGX_OK if there is more to do, NGX_DONE, or NGX_ERROR with job->err set. */

static ngx_int_t
ngx_artifact_files_step(ngx_artifact_files_t *job)
{
    char       *id;
    ngx_int_t   rc;

    /* all of a folder is read and sorted before any of it is taken */

    if (job->walk.dir) {
        return ngx_artifact_files_names(job);
    }

    if (job->next < job->nbatch) {
        id = job->batch + job->next++ * NGX_ARTIFACT_FILES_ID;

        ngx_memcpy(job->last, id, NGX_ARTIFACT_FILES_ID);

        return ngx_artifact_files_take(job, id);
    }

    if (job->ended) {
        return NGX_DONE;
    }

    rc = ngx_artifact_marker_next(&job->walk, job->cut);

    job->next = 0;
    job->nbatch = 0;
    job->cut = 0;

    return rc == NGX_ERROR ? ngx_artifact_files_fail(job, "open") : rc;
}


/* Reads some names of a folder, and at its end sorts the nearest ones. */

static ngx_int_t
ngx_artifact_files_names(ngx_artifact_files_t *job)
{
    ngx_int_t       beyond;
    ngx_uint_t      i;
    struct dirent  *entry;

    for (i = 0; i < NGX_ARTIFACT_FILES_NAMES; i++) {

        ngx_set_errno(0);
        entry = readdir(job->walk.dir);

        if (entry == NULL) {
            if (ngx_errno != 0) {
                return ngx_artifact_files_fail(job, "readdir");
            }

            ngx_artifact_files_sort(job);

            (void) closedir(job->walk.dir);
            job->walk.dir = NULL;
            break;
        }

        if (!ngx_artifact_marker_is(entry->d_name)) {
            continue;
        }

        beyond = ngx_strcmp(entry->d_name, job->last);

        if (job->last[0] == '\0' || (job->back ? beyond < 0 : beyond > 0)) {
            ngx_artifact_files_put(job, entry->d_name);
        }
    }

    return NGX_OK;
}


/* Adds an id to the batch; of twice as many as are needed half are dropped. */

static void
ngx_artifact_files_put(ngx_artifact_files_t *job, const char *name)
{
    if (job->nbatch == 2 * job->room) {
        ngx_artifact_files_sort(job);
    }

    ngx_memcpy(job->batch + job->nbatch * NGX_ARTIFACT_FILES_ID, name,
               NGX_ARTIFACT_FILES_ID);
    job->nbatch++;
}


static void
ngx_artifact_files_sort(ngx_artifact_files_t *job)
{
    size_t  i, n;
    char   *id, *last;

    qsort(job->batch, job->nbatch, NGX_ARTIFACT_FILES_ID,
          job->back ? ngx_artifact_files_newer : ngx_artifact_files_older);

    n = 0;
    last = NULL;

    for (i = 0; i < job->nbatch; i++) {
        id = job->batch + i * NGX_ARTIFACT_FILES_ID;

        if (last && ngx_strcmp(id, last) == 0) {
            continue;
        }

        if (n == job->room) {
            job->cut = 1;
            break;
        }

        last = job->batch + n++ * NGX_ARTIFACT_FILES_ID;
        ngx_memmove(last, id, NGX_ARTIFACT_FILES_ID);
    }

    job->nbatch = n;
}


static int ngx_libc_cdecl
ngx_artifact_files_older(const void *one, const void *two)
{
    return ngx_strcmp(one, two);
}


static int ngx_libc_cdecl
ngx_artifact_files_newer(const void *one, const void *two)
{
    return ngx_strcmp(two, one);
}


/* Examines an id; the page is complete when there is one file too many. */

static ngx_int_t
ngx_artifact_files_take(ngx_artifact_files_t *job, const char *id)
{
    ngx_int_t                    rc;
    ngx_artifact_files_found_t  *found;

    found = malloc(sizeof(ngx_artifact_files_found_t));
    if (found == NULL) {
        ngx_set_errno(NGX_ENOMEM);
        return ngx_artifact_files_fail(job, "malloc");
    }

    rc = ngx_artifact_files_find(job, id, found);

    if (rc == NGX_OK) {
        if (job->query && !job->query->by_ids
            && job->n == job->query->limit)
        {
            job->more = 1;
            rc = NGX_DONE;

        } else {
            rc = job->remove ? ngx_artifact_files_remove(job, id, found)
                             : ngx_artifact_files_add(job, id, found);
        }

        art_meta_free(&found->meta);
    }

    free(found);

    return rc == NGX_DECLINED ? NGX_OK : rc;
}


/* NGX_DECLINED if there is no such file (any more). */

static ngx_int_t
ngx_artifact_files_find(ngx_artifact_files_t *job, const char *id,
    ngx_artifact_files_found_t *found)
{
    ngx_int_t                 rc;
    ngx_uint_t                i;
    ngx_artifact_subfolder_t  sub;

    rc = NGX_DECLINED;

    for (i = 0; rc == NGX_DECLINED; i++) {

        if (!ngx_artifact_subfolder_try(job->layout, i, art_cstr(id), &sub)) {
            ngx_artifact_files_stale(job, id);
            return NGX_DECLINED;
        }

        rc = ngx_artifact_files_look(job, &sub, id, found);
    }

    return rc == NGX_ABORT ? NGX_DECLINED : rc;
}


/*
 * The same in one sub-folder; NGX_ABORT if what is there is no file, cannot be
 * read, which is logged, is not asked for, or has expired.
 */

static ngx_int_t
ngx_artifact_files_look(ngx_artifact_files_t *job,
    const ngx_artifact_subfolder_t *sub, const char *id,
    ngx_artifact_files_found_t *found)
{
    ngx_int_t  rc;

    rc = ngx_artifact_files_sidecar(job, sub, id, found);

    if (rc != NGX_OK) {
        return rc;
    }

    (void) ngx_snprintf(found->content, NGX_ARTIFACT_FILES_PATH, "%s%s%*s%Z",
                        sub->path, id, found->meta.extension.len,
                        found->meta.extension.data);

    rc = !art_meta_is_standin(&found->meta)
         && ngx_artifact_files_is(found->meta.extra, &found->purpose)
         && ngx_artifact_files_wants(job, found)
         ? ngx_artifact_files_content(job, found) : NGX_ABORT;

    if (rc == NGX_OK && art_meta_expired(&found->meta, job->now)) {
        job->expired = 1;
        rc = NGX_ABORT;
    }

    if (rc != NGX_OK) {
        art_meta_free(&found->meta);
    }

    return rc;
}


/* Whether a file has the purpose that is asked for, which it gets as text. */

static ngx_uint_t
ngx_artifact_files_wants(ngx_artifact_files_t *job,
    ngx_artifact_files_found_t *found)
{
    art_str_t  purpose;

    /* what no upload has, too long or malformed, stays as it is */

    if (found->purpose.len > 0) {
        (void) art_json_key(found->purpose, found->text, sizeof(found->text),
                            &found->purpose);
    }

    if (job->query == NULL || job->query->purpose.data == NULL) {
        return 1;
    }

    purpose = found->purpose.len ? found->purpose : art_cstr(ART_FILE_PURPOSE);

    return art_str_eq(job->query->purpose, purpose) != 0;
}


static ngx_int_t
ngx_artifact_files_sidecar(ngx_artifact_files_t *job,
    const ngx_artifact_subfolder_t *sub, const char *id,
    ngx_artifact_files_found_t *found)
{
    ngx_int_t        rc;
    ngx_str_t        root, name, text;
    ngx_file_info_t  info;

    root.data = (u_char *) job->root.data;
    root.len = job->root.len;

    name.data = found->sidecar;
    name.len = (size_t) (ngx_snprintf(found->sidecar,
                                      NGX_ARTIFACT_FILES_PATH, "%s%s.meta%Z",
                                      sub->path, id)
                         - found->sidecar) - 1;

    if (ngx_artifact_stat(job->area.folder, (char *) name.data, 1, &info)
        != NGX_OK)
    {
        return ngx_artifact_is_missing(ngx_errno)
               ? NGX_DECLINED : ngx_artifact_files_fail(job, "stat");
    }

    /* when out of memory, a sidecar only seems unreadable or corrupt */

    ngx_set_errno(0);

    if (ngx_artifact_load_sidecar(job->log, job->area.folder, &root, &name,
                                  &info, &text)
        != NGX_OK)
    {
        return ngx_errno == NGX_ENOMEM ? ngx_artifact_files_fail(job, "malloc")
                                       : NGX_ABORT;
    }

    rc = NGX_OK;

    if (art_meta_parse(art_str(text.data, text.len), &found->meta)
        != ART_META_OK)
    {
        if (ngx_errno == NGX_ENOMEM) {
            rc = ngx_artifact_files_fail(job, "malloc");

        } else {
            ngx_artifact_corrupt_sidecar(job->log, &root, &name, &text);
            rc = NGX_ABORT;
        }
    }

    ngx_free(text.data);

    return rc;
}


static ngx_int_t
ngx_artifact_files_content(ngx_artifact_files_t *job,
    ngx_artifact_files_found_t *found)
{
    ngx_file_info_t  info;

    if (ngx_artifact_stat(job->area.folder, (char *) found->content, 1, &info)
        != NGX_OK)
    {
        return ngx_artifact_is_missing(ngx_errno)
               ? NGX_DECLINED : ngx_artifact_files_fail(job, "stat");
    }

    found->size = ngx_file_size(&info);

    return ngx_is_file(&info) ? NGX_OK : NGX_ABORT;
}


ngx_uint_t
ngx_artifact_files_is(art_str_t object, art_str_t *purpose)
{
    art_str_t  key, file, value;

    *purpose = art_str(NULL, 0);

    key = art_cstr(NGX_ARTIFACT_FILES_KEY);

    if (object.len == 0
        || art_json_find(object, &key, 1, &file) != ART_OK
        || file.len == 0 || file.data[0] != '{')
    {
        return 0;
    }

    key = art_cstr(NGX_ARTIFACT_FILES_PURPOSE);

    if (art_json_find(file, &key, 1, &value) == ART_OK
        && value.len > 2 && value.data[0] == '"')
    {
        *purpose = art_str(value.data + 1, value.len - 2);
    }

    return 1;
}


/*
 * There is no content: whoever was about to make it has gone, if that was an
 * hour ago, or whoever removed it.  Nothing is left behind.
 */

static void
ngx_artifact_files_stale(ngx_artifact_files_t *job, const char *id)
{
    uint64_t                  made;
    ngx_uint_t                i;
    u_char                    path[NGX_ARTIFACT_FILES_PATH];
    ngx_artifact_subfolder_t  sub;

    if (job->query == NULL || job->query->by_ids) {
        return;
    }

    /* the first 48 bits: "01234567-89ab-..." */

    made = ((uint64_t) ngx_hextoi((u_char *) (uintptr_t) id, 8) << 16)
           + (uint64_t) ngx_hextoi((u_char *) (uintptr_t) id + 9, 4);

    if (made + NGX_ARTIFACT_FILES_STALE > job->now) {
        return;
    }

    for (i = 0;
         ngx_artifact_subfolder_try(job->layout, i, art_cstr(id), &sub);
         i++)
    {
        (void) ngx_snprintf(path, sizeof(path), "%s%s.meta%Z", sub.path, id);
        (void) unlinkat(job->area.folder, (char *) path, 0);
    }

    ngx_artifact_marker_remove(job->area.control, id);
}


static ngx_int_t
ngx_artifact_files_add(ngx_artifact_files_t *job, const char *id,
    ngx_artifact_files_found_t *found)
{
    u_char                     *p;
    uint64_t                    created;
    art_meta_t                 *meta;
    art_media_type_t            type;
    ngx_artifact_files_item_t  *item;

    meta = &found->meta;
    item = &job->items[job->n];

    art_media_parse(meta->type.len ? meta->type : meta->mime, &type);

    if (art_time_parse(meta->created, &created) != ART_OK) {
        created = 0;
    }

    p = malloc(ART_UUID_LEN + meta->name.len + type.len + found->purpose.len);
    if (p == NULL) {
        ngx_set_errno(NGX_ENOMEM);
        return ngx_artifact_files_fail(job, "malloc");
    }

    item->memory = p;

    item->file.id = ngx_artifact_files_copy(&p, art_str(id, ART_UUID_LEN));
    item->file.name = ngx_artifact_files_copy(&p, meta->name);
    item->file.type = ngx_artifact_files_copy(&p, art_str(type.buf, type.len));
    item->file.purpose = ngx_artifact_files_copy(&p, found->purpose);
    item->file.size = (uint64_t) found->size;
    item->file.created = created;
    item->file.expires = meta->until;

    job->n++;

    return NGX_OK;
}


static art_str_t
ngx_artifact_files_copy(u_char **p, art_str_t s)
{
    art_str_t  copy;

    copy = art_str(*p, s.len);

    if (s.len > 0) {
        *p = ngx_cpymem(*p, s.data, s.len);
    }

    return copy;
}


/*
 * The content goes first: without it there is no file, whatever becomes of the
 * rest.
 */

static ngx_int_t
ngx_artifact_files_remove(ngx_artifact_files_t *job, const char *id,
    ngx_artifact_files_found_t *found)
{
    if (unlinkat(job->area.folder, (char *) found->content, 0) == -1) {
        return ngx_errno == NGX_ENOENT ? NGX_DECLINED
                                       : ngx_artifact_files_fail(job,
                                                                 "unlink");
    }

    job->removed = 1;

    (void) unlinkat(job->area.folder, (char *) found->sidecar, 0);

    ngx_artifact_marker_remove(job->area.control, id);

    return ngx_artifact_files_add(job, id, found);
}


/* A page that was asked for backwards is in the order of the list, too. */

static void
ngx_artifact_files_turn(ngx_artifact_files_t *job)
{
    size_t                     i, j;
    ngx_artifact_files_item_t  item;

    for (i = 0, j = job->n; i + 1 < j; i++) {
        item = job->items[i];
        job->items[i] = job->items[--j];
        job->items[j] = item;
    }
}


static ngx_int_t
ngx_artifact_files_fail(ngx_artifact_files_t *job, const char *action)
{
    job->err = ngx_errno;
    job->action = action;

    return NGX_ERROR;
}
