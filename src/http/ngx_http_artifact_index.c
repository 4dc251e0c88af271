
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Reading ".artifact/{workspace}.index": three small reads find an entry in a
 * document of any size.
 */


#include "ngx_http_artifact_journal.h"

#include "art_index.h"


/* Members are read into memory; longer ones have the document searched. */

#define NGX_HTTP_ARTIFACT_MEMBER_MAX  (4 * 1024 * 1024)


static ngx_int_t ngx_http_artifact_index_bucket(ngx_fd_t fd,
    ngx_file_info_t *info, uint64_t hash, u_char *bucket, size_t *len);
static ngx_int_t ngx_http_artifact_index_member(ngx_fd_t document,
    art_index_entry_t *entry, art_str_t key, art_meta_status_t *status,
    art_meta_t *meta);
static ngx_int_t ngx_http_artifact_index_read(ngx_fd_t fd, void *buf,
    size_t len, uint64_t offset);


ngx_int_t
ngx_http_artifact_index_find(ngx_fd_t service, ngx_fd_t document,
    ngx_file_info_t *info, art_str_t workspace, art_str_t key,
    art_meta_status_t *status, art_meta_t *meta)
{
    char                name[NGX_HTTP_ARTIFACT_JOURNAL_NAME];
    size_t              len;
    u_char              bucket[ART_INDEX_BUCKET_MAX];
    uint64_t            hash;
    ngx_fd_t            fd;
    ngx_int_t           rc;
    art_index_entry_t   entry;

    ngx_http_artifact_journal_name(name, workspace, NGX_HTTP_ARTIFACT_INDEX);

    fd = openat(service, name, O_RDONLY|O_NOFOLLOW|O_NONBLOCK|O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {
        return NGX_DECLINED;
    }

    hash = art_index_hash(key);

    rc = ngx_http_artifact_index_bucket(fd, info, hash, bucket, &len);

    (void) ngx_close_file(fd);

    *status = ART_META_ABSENT;

    while (rc == NGX_OK && *status == ART_META_ABSENT
           && art_index_search(bucket, &len, hash, &entry))
    {
        rc = ngx_http_artifact_index_member(document, &entry, key, status,
                                            meta);
    }

    return rc;
}


static ngx_int_t
ngx_http_artifact_index_bucket(ngx_fd_t fd, ngx_file_info_t *info,
    uint64_t hash, u_char *bucket, size_t *len)
{
    u_char              head[ART_INDEX_HEADER], slot[ART_INDEX_SLOT];
    uint64_t            offset;
    ngx_file_info_t     index;
    art_index_header_t  header;

    if (ngx_fd_info(fd, &index) == NGX_FILE_ERROR
        || ngx_http_artifact_index_read(fd, head, sizeof(head), 0) != NGX_OK
        || art_index_decode(head, &header) != ART_OK
        || !art_index_fits(&header, (uint64_t) info->st_ino,
                           (uint64_t) info->st_size,
                           ngx_http_artifact_mtime(info),
                           (uint64_t) index.st_size)
        || ngx_http_artifact_index_read(fd, slot, sizeof(slot),
                                        art_index_slot(&header, hash))
           != NGX_OK
        || art_index_bucket(&header, slot, &offset, len) != ART_OK)
    {
        return NGX_DECLINED;
    }

    return ngx_http_artifact_index_read(fd, bucket, *len, offset);
}


/* The member in braces is a document of its own. */

static ngx_int_t
ngx_http_artifact_index_member(ngx_fd_t document, art_index_entry_t *entry,
    art_str_t key, art_meta_status_t *status, art_meta_t *meta)
{
    u_char     *text;
    ngx_int_t   rc;

    if (entry->len > NGX_HTTP_ARTIFACT_MEMBER_MAX) {
        return NGX_DECLINED;
    }

    text = ngx_alloc((size_t) entry->len + 2, ngx_cycle->log);
    if (text == NULL) {
        return NGX_DECLINED;
    }

    text[0] = '{';

    rc = ngx_http_artifact_index_read(document, text + 1, entry->len,
                                      entry->offset);
    if (rc == NGX_OK) {
        text[entry->len + 1] = '}';

        *status = art_meta_parse_member(art_str(text, (size_t) entry->len + 2),
                                        key, meta);

        if (*status == ART_META_CORRUPT) {
            rc = NGX_DECLINED;
        }
    }

    ngx_free(text);

    return rc;
}


static ngx_int_t
ngx_http_artifact_index_read(ngx_fd_t fd, void *buf, size_t len,
    uint64_t offset)
{
    return len == 0 || pread(fd, buf, len, (off_t) offset) == (ssize_t) len
           ? NGX_OK : NGX_DECLINED;
}
