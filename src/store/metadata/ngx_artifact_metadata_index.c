
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Reading ".artifact/{workspace}.index": three small reads find an entry in a
 * document of any size.
 */


#include "store/metadata/ngx_artifact_metadata_index.h"
#include "store/metadata/ngx_artifact_journal_files.h"

#include "core/meta/art_meta_workspace.h"
#include "core/journal/art_fold.h"


/* Members are read into memory; longer ones have the document searched. */

#define NGX_ARTIFACT_MEMBER_MAX  (4 * 1024 * 1024)


static ngx_int_t ngx_artifact_metadata_index_try(
    ngx_artifact_metadata_index_t *index, ngx_fd_t control, art_str_t workspace,
    ngx_file_info_t *info, const char *suffix);
static ngx_int_t ngx_artifact_metadata_index_read_head(
    ngx_artifact_metadata_index_t *index, ngx_fd_t control,
    art_str_t workspace, const char *suffix, ngx_file_info_t *own);
static ngx_int_t ngx_artifact_metadata_index_bucket(
    ngx_artifact_metadata_index_t *index, uint64_t hash, u_char *bucket,
    size_t *len);
static ngx_int_t ngx_artifact_metadata_index_member(ngx_fd_t document,
    art_meta_index_entry_t *entry, art_str_t key, unsigned brief,
    art_meta_status_t *status, art_meta_t *meta);
static ngx_int_t ngx_artifact_metadata_index_read(ngx_fd_t fd, void *buf,
    size_t len, uint64_t offset);


void
ngx_artifact_metadata_index_open(ngx_artifact_metadata_index_t *index,
    ngx_fd_t control, art_str_t workspace, ngx_file_info_t *info)
{
    if (ngx_artifact_metadata_index_try(index, control, workspace, info,
                                        NGX_ARTIFACT_INDEX)
        != NGX_OK)
    {
        (void) ngx_artifact_metadata_index_try(index, control, workspace, info,
                                               NGX_ARTIFACT_INDEX2);
    }
}


const char *
ngx_artifact_metadata_index_spare(ngx_fd_t control, art_str_t workspace,
    ngx_file_info_t *info)
{
    ngx_artifact_metadata_index_t  index;

    if (ngx_artifact_metadata_index_try(&index, control, workspace, info,
                                        NGX_ARTIFACT_INDEX)
        != NGX_OK)
    {
        return NGX_ARTIFACT_INDEX;
    }

    (void) ngx_close_file(index.fd);

    return NGX_ARTIFACT_INDEX2;
}


ngx_msec_t
ngx_artifact_metadata_index_pause(ngx_fd_t control, art_str_t workspace)
{
    int64_t                        age, left, most;
    ngx_uint_t                     i;
    ngx_file_info_t                info;
    ngx_artifact_metadata_index_t  index;

    static const char  *suffixes[] = { NGX_ARTIFACT_INDEX,
                                       NGX_ARTIFACT_INDEX2 };

    most = 0;

    for (i = 0; i < 2; i++) {

        if (ngx_artifact_metadata_index_read_head(&index, control, workspace,
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


/* The index under a name, if it is one of this very document. */

static ngx_int_t
ngx_artifact_metadata_index_try(ngx_artifact_metadata_index_t *index,
    ngx_fd_t control, art_str_t workspace, ngx_file_info_t *info,
    const char *suffix)
{
    ngx_file_info_t  own;

    if (ngx_artifact_metadata_index_read_head(index, control, workspace,
                                              suffix, &own)
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

    (void) ngx_close_file(index->fd);
    index->fd = NGX_INVALID_FILE;

    return NGX_DECLINED;
}


/* Opens an index of whatever document; "own" becomes that of its file. */

static ngx_int_t
ngx_artifact_metadata_index_read_head(ngx_artifact_metadata_index_t *index,
    ngx_fd_t control, art_str_t workspace, const char *suffix,
    ngx_file_info_t *own)
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
        && ngx_artifact_metadata_index_read(index->fd, head, sizeof(head), 0)
           == NGX_OK
        && art_meta_index_decode(head, &index->header) == ART_OK)
    {
        return NGX_OK;
    }

    (void) ngx_close_file(index->fd);
    index->fd = NGX_INVALID_FILE;

    return NGX_DECLINED;
}


ngx_int_t
ngx_artifact_metadata_index_find(ngx_artifact_metadata_index_t *index,
    ngx_fd_t document, art_str_t key, art_meta_status_t *status,
    art_meta_t *meta)
{
    size_t                  len;
    u_char                  bucket[ART_META_INDEX_BUCKET_MAX];
    uint64_t                hash;
    ngx_int_t               rc;
    art_meta_index_entry_t  entry;

    hash = art_meta_index_hash(index->header.seed, key);

    rc = ngx_artifact_metadata_index_bucket(index, hash, bucket, &len);

    *status = ART_META_ABSENT;

    while (rc == NGX_OK && *status == ART_META_ABSENT
           && art_meta_index_search(bucket, &len, hash, &entry))
    {
        rc = ngx_artifact_metadata_index_member(document, &entry, key,
                                                index->brief, status, meta);
    }

    return rc;
}


static ngx_int_t
ngx_artifact_metadata_index_bucket(ngx_artifact_metadata_index_t *index,
    uint64_t hash, u_char *bucket, size_t *len)
{
    u_char    slot[ART_META_INDEX_SLOT];
    uint64_t  offset;

    if (ngx_artifact_metadata_index_read(index->fd, slot, sizeof(slot),
                                         art_meta_index_slot(&index->header,
                                                             hash))
        != NGX_OK
        || art_meta_index_bucket(&index->header, slot, &offset, len) != ART_OK)
    {
        return NGX_DECLINED;
    }

    return ngx_artifact_metadata_index_read(index->fd, bucket, *len, offset);
}


/* The member in braces is a document of its own. */

static ngx_int_t
ngx_artifact_metadata_index_member(ngx_fd_t document,
    art_meta_index_entry_t *entry, art_str_t key, unsigned brief,
    art_meta_status_t *status, art_meta_t *meta)
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

    rc = ngx_artifact_metadata_index_read(document, text + 1, entry->len,
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
ngx_artifact_metadata_index_read(ngx_fd_t fd, void *buf, size_t len,
    uint64_t offset)
{
    return len == 0 || pread(fd, buf, len, (off_t) offset) == (ssize_t) len
           ? NGX_OK : NGX_DECLINED;
}
