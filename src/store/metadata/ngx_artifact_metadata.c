
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The files in which the metadata of a workspace's files are: the document,
 * its index, and the journals.
 */


#include "store/metadata/ngx_artifact_metadata.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_map.h"
#include "store/metadata/ngx_artifact_journal_files.h"

#include "core/journal/art_journal.h"
#include "core/meta/art_meta_workspace.h"


/* Larger documents without an index are taken for corrupt: they are read. */

#define NGX_ARTIFACT_METADATA_MAX  (16 * 1024 * 1024)


/* How often a document is opened that is replaced all the time. */

#define NGX_ARTIFACT_METADATA_TRIES  8


static ngx_int_t ngx_artifact_metadata_open_file(
    ngx_artifact_metadata_t *document);
static ngx_uint_t ngx_artifact_metadata_moved(
    ngx_artifact_metadata_t *document);
static art_meta_status_t ngx_artifact_metadata_scan(
    ngx_artifact_metadata_t *document, art_str_t key, art_meta_t *meta);
static uint64_t ngx_artifact_metadata_last(art_str_t journal);
static void ngx_artifact_metadata_journal(ngx_artifact_metadata_t *document,
    const char *suffix, art_str_t *journal);


void
ngx_artifact_metadata_init(ngx_artifact_metadata_t *document,
    ngx_log_t *log, ngx_fd_t folder, art_str_t workspace, ngx_str_t *name)
{
    art_str_t  *older, *newer;

    ngx_memzero(document, sizeof(ngx_artifact_metadata_t));

    document->log = log;
    document->folder = folder;
    document->workspace = workspace;
    document->name = name;
    document->fd = NGX_INVALID_FILE;
    document->index.fd = NGX_INVALID_FILE;

    /*
     * Records move from the one to the other: read in their direction.  What
     * was read as the journal may have moved on since, and even been folded,
     * so that it is not the newer one any more: it is in what comes next.
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


/* The time of the last record; 0 without any. */

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

    /* most are not there, or have nothing but their first record */

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
        ngx_log_error(NGX_LOG_WARN, document->log, ngx_errno,
                      "artifact journal of \"%V\" cannot be read",
                      document->name);
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
    ngx_fd_t    control;
    ngx_int_t   rc;
    ngx_uint_t  tries;

    control = openat(document->folder, NGX_ARTIFACT_CONTROL,
                     O_PATH|O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC);

    for (tries = 1; /* void */ ; tries++) {

        rc = ngx_artifact_metadata_open_file(document);

        if (rc != NGX_OK || control == NGX_INVALID_FILE) {
            break;
        }

        ngx_artifact_metadata_index_open(&document->index, control,
                                         document->workspace, &document->info);

        if (document->index.fd != NGX_INVALID_FILE
            || tries == NGX_ARTIFACT_METADATA_TRIES
            || !ngx_artifact_metadata_moved(document))
        {
            break;
        }

        /* replaced before its index was looked for */

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
            ngx_log_error(NGX_LOG_WARN, document->log, ngx_errno,
                          "artifact metadata \"%V\" cannot be opened",
                          document->name);
        }

        return NGX_DECLINED;
    }

    if (!ngx_is_file(&document->info)) {
        ngx_memzero(&document->info, sizeof(ngx_file_info_t));
        ngx_artifact_metadata_corrupt(document);

        return NGX_DECLINED;
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_artifact_metadata_moved(ngx_artifact_metadata_t *document)
{
    ngx_file_info_t  now;

    return fstatat(document->folder, (char *) document->name->data, &now, 0)
           == 0
           && now.st_ino != document->info.st_ino;
}


ngx_int_t
ngx_artifact_metadata_find(ngx_artifact_metadata_t *document,
    art_str_t key, art_meta_status_t *status, art_meta_t *meta)
{
    return document->index.fd == NGX_INVALID_FILE
           ? NGX_DECLINED
           : ngx_artifact_metadata_index_find(&document->index, document->fd,
                                              key, status, meta);
}


art_meta_status_t
ngx_artifact_metadata_entry(ngx_artifact_metadata_t *document, art_str_t key,
    art_meta_t *meta)
{
    art_meta_status_t  status;

    if (ngx_artifact_metadata_find(document, key, &status, meta) == NGX_OK) {
        return status;
    }

    status = ngx_artifact_metadata_scan(document, key, meta);

    if (status == ART_META_CORRUPT) {
        ngx_artifact_metadata_corrupt(document);
    }

    return status;
}


static art_meta_status_t
ngx_artifact_metadata_scan(ngx_artifact_metadata_t *document, art_str_t key,
    art_meta_t *meta)
{
    ngx_int_t          rc;
    ngx_str_t          text;
    art_meta_status_t  status;

    rc = ngx_artifact_metadata_load(document, &text);

    if (rc == NGX_ERROR) {
        ngx_memzero(&document->info, sizeof(ngx_file_info_t));
    }

    if (rc != NGX_OK) {
        return ART_META_CORRUPT;
    }

    status = art_meta_parse_key(art_str(text.data, text.len), key,
                                document->index.brief, meta);

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

    text->len = 0;
    text->data = ngx_artifact_map(size);

    if (text->data == NULL) {
        return NGX_ERROR;
    }

    /* a copy: a file that is mapped itself may be cut while it is read */

    while (text->len < size) {

        n = pread(document->fd, text->data + text->len, size - text->len,
                  (off_t) text->len);

        if (n == -1 && ngx_errno == NGX_EINTR) {
            continue;
        }

        if (n <= 0) {
            break;
        }

        text->len += (size_t) n;
    }

    return NGX_OK;
}


void
ngx_artifact_metadata_unload(ngx_artifact_metadata_t *document,
    ngx_str_t *text)
{
    ngx_artifact_unmap(text->data, (size_t) ngx_file_size(&document->info));
}


void
ngx_artifact_metadata_corrupt(ngx_artifact_metadata_t *document)
{
    ngx_log_error(NGX_LOG_WARN, document->log, 0,
                  "artifact metadata \"%V\" is corrupt, too large, "
                  "or not a file", document->name);
}
