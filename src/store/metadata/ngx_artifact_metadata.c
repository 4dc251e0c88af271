
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Metadata as they are read: sidecars, and of a workspace the document, its
 * index and the journals.  By the index, three small reads find an entry in a
 * document of any size.
 */


#include "store/metadata/ngx_artifact_metadata.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/metadata/ngx_artifact_journal.h"

#include "core/json/art_json_scan.h"
#include "core/journal/art_fold.h"
#include "core/journal/art_journal.h"
#include "core/meta/art_meta.h"


/* Larger documents without an index count as corrupt: they are read whole. */

#define NGX_ARTIFACT_METADATA_MAX  (16 * 1024 * 1024)

/* How often a document that is replaced again and again is opened. */

#define NGX_ARTIFACT_METADATA_TRIES  8

/* Bytes: shorter members are read; for longer ones the document is searched. */

#define NGX_ARTIFACT_MEMBER_MAX  (4 * 1024 * 1024)

/* Larger ".meta" files count as corrupt: they are read whole. */

#define NGX_ARTIFACT_META_MAX  65536


static uint64_t ngx_artifact_metadata_last(art_str_t journal);
static void ngx_artifact_metadata_journal(ngx_artifact_metadata_t *document,
    const char *suffix, art_str_t *journal);
static ngx_int_t ngx_artifact_metadata_open_file(
    ngx_artifact_metadata_t *document);
static void ngx_artifact_log_corrupt(ngx_log_t *log, ngx_str_t *root,
    const char *folder, ngx_str_t *name, ngx_str_t *text);
static void ngx_artifact_index_open(ngx_artifact_index_t *index,
    ngx_fd_t control, art_str_t workspace, ngx_file_info_t *info);
static ngx_int_t ngx_artifact_index_try(ngx_artifact_index_t *index,
    ngx_fd_t control, art_str_t workspace, ngx_file_info_t *info,
    const char *suffix);
static ngx_int_t ngx_artifact_index_read_head(ngx_artifact_index_t *index,
    ngx_fd_t control, art_str_t workspace, const char *suffix,
    ngx_file_info_t *own);
static ngx_int_t ngx_artifact_index_member(ngx_fd_t document,
    art_meta_index_entry_t *entry, art_str_t key, unsigned brief,
    art_meta_status_t *status, art_meta_t *meta);
static ngx_int_t ngx_artifact_index_read(ngx_fd_t fd, void *buf, size_t len,
    uint64_t offset);


ngx_int_t
ngx_artifact_sidecar_name(u_char *buf, ngx_str_t *name, art_str_t id,
    const char *suffix)
{
    size_t  len;

    len = ngx_strlen(suffix);

    if (id.len + len > NAME_MAX) {
        return NGX_DECLINED;
    }

    ngx_memcpy(buf, id.data, id.len);
    ngx_memcpy(buf + id.len, suffix, len + 1);

    name->data = buf;
    name->len = id.len + len;

    return NGX_OK;
}


ngx_uint_t
ngx_artifact_sidecar_hides(ngx_fd_t folder, ngx_str_t *name)
{
    u_char           *text;
    size_t            size;
    ssize_t           n;
    ngx_fd_t          fd;
    ngx_uint_t        hides;
    ngx_file_info_t   info;

    fd = ngx_artifact_open_info(folder, (char *) name->data,
                                O_RDONLY|O_NONBLOCK, 1, &info);

    if (fd == NGX_INVALID_FILE) {
        return 0;
    }

    hides = 0;
    size = ngx_is_file(&info) ? (size_t) ngx_file_size(&info) : 0;
    text = size > 0 && size <= NGX_ARTIFACT_META_MAX ? malloc(size) : NULL;

    if (text) {
        n = ngx_artifact_read_all(fd, text, size, 0);
        hides = n > 0 && art_meta_hides(art_str(text, (size_t) n));
        free(text);
    }

    ngx_artifact_close(&fd);

    return hides;
}


ngx_int_t
ngx_artifact_load_sidecar(ngx_log_t *log, ngx_fd_t folder, ngx_str_t *root,
    ngx_str_t *name, ngx_file_info_t *info, ngx_str_t *text)
{
    ssize_t     n;
    ngx_int_t   rc;
    ngx_file_t  file;

    rc = NGX_ERROR;

    ngx_memzero(&file, sizeof(ngx_file_t));

    file.name = *name;
    file.log = log;
    file.fd = ngx_artifact_open_info(folder, (char *) name->data, O_RDONLY, 1,
                                     info);

    if (file.fd == NGX_INVALID_FILE) {
        ngx_log_error(NGX_LOG_ERR, log, ngx_errno,
                      ngx_open_file_n " \"%V/artifacts/%V\" failed", root,
                      name);
        return NGX_ERROR;
    }

    if (!ngx_is_file(info) || ngx_file_size(info) > NGX_ARTIFACT_META_MAX) {
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "artifact metadata \"%V/artifacts/%V\" is not a file, or "
                      "has more than %d bytes", root, name,
                      NGX_ARTIFACT_META_MAX);
        goto done;
    }

    text->len = (size_t) ngx_file_size(info);
    text->data = ngx_alloc(text->len + 1, log);

    if (text->data == NULL) {
        goto done;
    }

    n = ngx_read_file(&file, text->data, text->len, 0);

    if (n == NGX_ERROR) {
        ngx_free(text->data);
        goto done;
    }

    text->len = (size_t) n;
    rc = NGX_OK;

done:

    (void) ngx_close_file(file.fd);

    return rc;
}


void
ngx_artifact_corrupt_sidecar(ngx_log_t *log, ngx_str_t *root, ngx_str_t *name,
    ngx_str_t *text)
{
    ngx_artifact_log_corrupt(log, root, "artifacts", name, text);
}


void
ngx_artifact_metadata_init(ngx_artifact_metadata_t *document,
    ngx_log_t *log, ngx_str_t *root, ngx_fd_t folder, art_str_t workspace,
    ngx_str_t *name)
{
    art_str_t  *older, *newer;

    ngx_memzero(document, sizeof(ngx_artifact_metadata_t));

    document->log = log;
    document->root = root;
    document->folder = folder;
    document->workspace = workspace;
    document->name = name;
    document->fd = NGX_INVALID_FILE;
    document->index.fd = NGX_INVALID_FILE;

    /*
     * Records move from the newer one to the older one, which is read last.
     * What was read as the newer one may have become the older one since, and
     * may even have been folded: then it is dropped.
     */

    older = &document->journals[0];
    newer = &document->journals[1];

    ngx_artifact_metadata_journal(document, NGX_ARTIFACT_JOURNAL, newer);
    ngx_artifact_metadata_journal(document, NGX_ARTIFACT_FOLDING, older);

    if (ngx_artifact_metadata_last(*newer)
        <= ngx_artifact_metadata_last(*older))
    {
        ngx_artifact_journal_free(newer);
    }
}


/* The time of the last record, or 0. */

static uint64_t
ngx_artifact_metadata_last(art_str_t journal)
{
    uint64_t             time;
    art_journal_clock_t  clock;

    time = 0;
    ngx_memzero(&clock, sizeof(art_journal_clock_t));

    (void) art_journal_clock_read(&clock, journal, &time);

    return time;
}


static void
ngx_artifact_metadata_journal(ngx_artifact_metadata_t *document,
    const char *suffix, art_str_t *journal)
{
    char             name[NGX_ARTIFACT_JOURNAL_PATH];
    ngx_file_info_t  info;

    ngx_artifact_journal_path(name, document->workspace, suffix);

    /* most are missing, or have nothing but a clock */

    if (fstatat(document->folder, name, &info, AT_SYMLINK_NOFOLLOW) == -1
        ? ngx_errno == NGX_ENOENT
        : info.st_size <= ART_JOURNAL_HEAD)
    {
        return;
    }

    if (ngx_artifact_journal_load(document->folder, name, journal) != NGX_OK
        && ngx_errno != NGX_ENOENT && ngx_errno != NGX_ENOTDIR
        && ngx_errno != NGX_ENAMETOOLONG)
    {
        ngx_log_error(NGX_LOG_ERR, document->log, ngx_errno,
                      "reading \"%V/workspaces/%s\" failed", document->root,
                      name);
    }
}


void
ngx_artifact_metadata_close(ngx_artifact_metadata_t *document)
{
    ngx_artifact_journal_free(&document->journals[0]);
    ngx_artifact_journal_free(&document->journals[1]);

    ngx_artifact_close(&document->index.fd);
    ngx_artifact_close(&document->fd);
}


ngx_int_t
ngx_artifact_metadata_open(ngx_artifact_metadata_t *document)
{
    ngx_fd_t         control;
    ngx_int_t        rc;
    ngx_uint_t       tries;
    ngx_file_info_t  now;

    control = openat(document->folder, NGX_ARTIFACT_CONTROL,
                     O_PATH|O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC);

    for (tries = 1; /* void */ ; tries++) {

        rc = ngx_artifact_metadata_open_file(document);

        if (rc != NGX_OK || control == NGX_INVALID_FILE) {
            break;
        }

        ngx_artifact_index_open(&document->index, control, document->workspace,
                                &document->info);

        if (document->index.fd != NGX_INVALID_FILE
            || tries == NGX_ARTIFACT_METADATA_TRIES
            || fstatat(document->folder, (char *) document->name->data, &now, 0)
               == -1
            || now.st_ino == document->info.st_ino)
        {
            break;
        }

        /* the document was replaced before its index was opened */

        ngx_artifact_close(&document->fd);
    }

    ngx_artifact_close(&control);

    return rc;
}


static ngx_int_t
ngx_artifact_metadata_open_file(ngx_artifact_metadata_t *document)
{
    document->fd = ngx_artifact_open_info(document->folder,
                                          (char *) document->name->data,
                                          O_RDONLY, 1, &document->info);

    if (document->fd == NGX_INVALID_FILE) {

        if (ngx_errno != NGX_ENOENT && ngx_errno != NGX_ENAMETOOLONG) {
            ngx_log_error(NGX_LOG_ERR, document->log, ngx_errno,
                          ngx_open_file_n " \"%V/workspaces/%V\" failed",
                          document->root, document->name);
        }

        return NGX_DECLINED;
    }

    if (!ngx_is_file(&document->info)) {
        ngx_memzero(&document->info, sizeof(ngx_file_info_t));
        ngx_artifact_metadata_corrupt(document, NULL);

        return NGX_DECLINED;
    }

    return NGX_OK;
}


ngx_int_t
ngx_artifact_metadata_find(ngx_artifact_metadata_t *document,
    art_str_t key, art_meta_status_t *status, art_meta_t *meta)
{
    size_t                  len;
    u_char                  slot[ART_META_INDEX_SLOT];
    u_char                  bucket[ART_META_INDEX_BUCKET_MAX];
    uint64_t                hash, offset;
    ngx_int_t               rc;
    ngx_artifact_index_t   *index;
    art_meta_index_entry_t  entry;

    index = &document->index;

    if (index->fd == NGX_INVALID_FILE) {
        return NGX_DECLINED;
    }

    hash = art_meta_index_hash(index->header.seed, key);

    if (ngx_artifact_index_read(index->fd, slot, sizeof(slot),
                                art_meta_index_slot(&index->header, hash))
        != NGX_OK
        || art_meta_index_bucket(&index->header, slot, &offset, &len)
           != ART_OK)
    {
        return NGX_DECLINED;
    }

    rc = ngx_artifact_index_read(index->fd, bucket, len, offset);

    *status = ART_META_ABSENT;

    while (rc == NGX_OK && *status == ART_META_ABSENT
           && art_meta_index_search(bucket, &len, hash, &entry))
    {
        rc = ngx_artifact_index_member(document->fd, &entry, key, index->brief,
                                       status, meta);
    }

    return rc;
}


art_meta_status_t
ngx_artifact_metadata_entry(ngx_artifact_metadata_t *document, art_str_t key,
    art_meta_t *meta)
{
    ngx_int_t          rc;
    ngx_str_t          text;
    art_meta_status_t  status;

    if (ngx_artifact_metadata_find(document, key, &status, meta) == NGX_OK) {
        return status;
    }

    rc = ngx_artifact_metadata_load(document, &text);

    if (rc == NGX_ERROR) {
        ngx_memzero(&document->info, sizeof(ngx_file_info_t));
    }

    if (rc != NGX_OK) {
        ngx_artifact_metadata_corrupt(document, NULL);
        return ART_META_CORRUPT;
    }

    status = art_meta_parse_key(art_str(text.data, text.len), key,
                                document->index.brief, meta);

    if (status == ART_META_CORRUPT) {
        ngx_artifact_metadata_corrupt(document, &text);
    }

    ngx_artifact_metadata_unload(document, &text);

    return status;
}


ngx_int_t
ngx_artifact_metadata_load(ngx_artifact_metadata_t *document, ngx_str_t *text)
{
    size_t   size;
    ssize_t  n;

    size = (size_t) ngx_file_size(&document->info);

    if (size == 0 || size > NGX_ARTIFACT_METADATA_MAX) {
        return NGX_DECLINED;
    }

    text->data = ngx_artifact_map(size);

    if (text->data == NULL) {
        return NGX_ERROR;
    }

    /* a copy: a mapped file itself may be truncated meanwhile */

    n = ngx_artifact_read_all(document->fd, text->data, size, 0);

    if (n == NGX_ERROR) {
        ngx_artifact_unmap(text->data, size);
        text->data = NULL;
        return NGX_DECLINED;
    }

    text->len = (size_t) n;

    return NGX_OK;
}


void
ngx_artifact_metadata_unload(ngx_artifact_metadata_t *document,
    ngx_str_t *text)
{
    ngx_artifact_unmap(text->data, (size_t) ngx_file_size(&document->info));
}


void
ngx_artifact_metadata_corrupt(ngx_artifact_metadata_t *document,
    ngx_str_t *text)
{
    if (text) {
        ngx_artifact_log_corrupt(document->log, document->root, "workspaces",
                                 document->name, text);
        return;
    }

    ngx_log_error(NGX_LOG_ERR, document->log, 0,
                  "artifact metadata \"%V/workspaces/%V\" is not a file, "
                  "empty, has more than %d bytes, or cannot be read",
                  document->root, document->name, NGX_ARTIFACT_METADATA_MAX);
}


static void
ngx_artifact_log_corrupt(ngx_log_t *log, ngx_str_t *root, const char *folder,
    ngx_str_t *name, ngx_str_t *text)
{
    art_json_fault_t  place;

    if (art_json_fault(ngx_artifact_str(text), &place) == ART_OK) {
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "artifact metadata \"%V/%s/%V\" is corrupt: it is not an "
                      "object, or has an invalid \"extension\", key or number",
                      root, folder, name);
        return;
    }

    ngx_log_error(NGX_LOG_ERR, log, 0,
                  "artifact metadata \"%V/%s/%V\" is corrupt at line %uz, "
                  "column %uz (byte %uz)",
                  root, folder, name, place.line, place.column, place.byte);
}


static void
ngx_artifact_index_open(ngx_artifact_index_t *index, ngx_fd_t control,
    art_str_t workspace, ngx_file_info_t *info)
{
    if (ngx_artifact_index_try(index, control, workspace, info,
                               NGX_ARTIFACT_INDEX)
        != NGX_OK)
    {
        (void) ngx_artifact_index_try(index, control, workspace, info,
                                      NGX_ARTIFACT_INDEX2);
    }
}


const char *
ngx_artifact_index_spare(ngx_fd_t control, art_str_t workspace,
    ngx_file_info_t *info)
{
    ngx_artifact_index_t  index;

    if (ngx_artifact_index_try(&index, control, workspace, info,
                               NGX_ARTIFACT_INDEX)
        != NGX_OK)
    {
        return NGX_ARTIFACT_INDEX;
    }

    (void) ngx_close_file(index.fd);

    return NGX_ARTIFACT_INDEX2;
}


ngx_msec_t
ngx_artifact_index_pause(ngx_fd_t control, art_str_t workspace)
{
    int64_t               age, left, most;
    ngx_uint_t            i;
    ngx_file_info_t       info;
    ngx_artifact_index_t  index;

    static const char  *suffixes[] = { NGX_ARTIFACT_INDEX,
                                       NGX_ARTIFACT_INDEX2 };

    most = 0;

    for (i = 0; i < 2; i++) {

        if (ngx_artifact_index_read_head(&index, control, workspace,
                                         suffixes[i], &info)
            != NGX_OK)
        {
            continue;
        }

        (void) ngx_close_file(index.fd);

        age = (int64_t) ngx_artifact_now()
              - (int64_t) (ngx_artifact_mtime(&info) / 1000000);

        left = age < 0 ? 0 : art_fold_pause(index.header.size,
                                            index.header.spent) - age;

        most = ngx_max(most, left);
    }

    return (ngx_msec_t) most;
}


/* Opens the index with a suffix, if it is one of this very document. */

static ngx_int_t
ngx_artifact_index_try(ngx_artifact_index_t *index, ngx_fd_t control,
    art_str_t workspace, ngx_file_info_t *info, const char *suffix)
{
    ngx_file_info_t  own;

    if (ngx_artifact_index_read_head(index, control, workspace, suffix, &own)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (art_meta_index_fits(&index->header, (uint64_t) info->st_ino,
                            (uint64_t) info->st_size, ngx_artifact_mtime(info),
                            (uint64_t) own.st_size))
    {
        return NGX_OK;
    }

    ngx_artifact_close(&index->fd);

    return NGX_DECLINED;
}


/* Opens an index, of any version; sets *own to the information of its file. */

static ngx_int_t
ngx_artifact_index_read_head(ngx_artifact_index_t *index, ngx_fd_t control,
    art_str_t workspace, const char *suffix, ngx_file_info_t *own)
{
    char    name[NGX_ARTIFACT_JOURNAL_NAME];
    u_char  head[ART_META_INDEX_HEADER];

    ngx_artifact_journal_name(name, workspace, suffix);

    index->fd = openat(control, name,
                       O_RDONLY|O_NOFOLLOW|O_NONBLOCK|O_CLOEXEC);

    if (index->fd == NGX_INVALID_FILE) {
        return NGX_DECLINED;
    }

    if (ngx_fd_info(index->fd, own) != NGX_FILE_ERROR
        && ngx_artifact_index_read(index->fd, head, sizeof(head), 0)
           == NGX_OK
        && art_meta_index_decode(head, &index->header) == ART_OK)
    {
        return NGX_OK;
    }

    ngx_artifact_close(&index->fd);

    return NGX_DECLINED;
}


/* A member of the document is parsed in braces, as a document of its own. */

static ngx_int_t
ngx_artifact_index_member(ngx_fd_t document, art_meta_index_entry_t *entry,
    art_str_t key, unsigned brief, art_meta_status_t *status, art_meta_t *meta)
{
    u_char     *text;
    ngx_int_t   rc;

    if (entry->len > NGX_ARTIFACT_MEMBER_MAX) {
        return NGX_DECLINED;
    }

    text = ngx_alloc((size_t) entry->len + 2, ngx_cycle->log);
    if (text == NULL) {
        return NGX_DECLINED;
    }

    text[0] = '{';

    rc = ngx_artifact_index_read(document, text + 1, entry->len,
                                 entry->offset);
    if (rc == NGX_OK) {
        text[entry->len + 1] = '}';

        *status = art_meta_parse_member(art_str(text, (size_t) entry->len + 2),
                                        key, brief, meta);

        if (*status == ART_META_CORRUPT) {
            rc = NGX_DECLINED;
        }
    }

    ngx_free(text);

    return rc;
}


static ngx_int_t
ngx_artifact_index_read(ngx_fd_t fd, void *buf, size_t len, uint64_t offset)
{
    return len == 0 || pread(fd, buf, len, (off_t) offset) == (ssize_t) len
           ? NGX_OK : NGX_DECLINED;
}
