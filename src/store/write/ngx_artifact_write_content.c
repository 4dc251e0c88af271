
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * One content, one artifact: its id is the beginning of a digest with the
 * root's key (HMAC-SHA256, RFC 2104) of the bytes, a line feed and the media
 * type.  Without the key nobody can find out whether a content is stored.  Of
 * what has a given id, the digest tells whether it is the same.
 *
 * For what stand-ins stand for, a line with the name of this use and one with
 * the scope precede: no other content has the same id.
 */


#include "store/write/ngx_artifact_write.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_due.h"

#include "core/answer/art_headers.h"
#include "core/base/art_time.h"
#include "core/json/art_json_members.h"
#include "core/meta/art_meta.h"

#include <openssl/err.h>
#include <sys/random.h>


/* The file of the key in the control folder of "artifacts", and its bytes. */

#define NGX_ARTIFACT_KEY           "key"
#define NGX_ARTIFACT_KEY_SIZE      32

#define NGX_ARTIFACT_CONTENT_META  65536     /* as for readers */

/*
 * A session sends its media again with each request.  To compare large ones
 * with what is stored takes less time than a digest, so each process remembers
 * by their beginnings which contents it had last: sets of some, 288 KB in all.
 */

#define NGX_ARTIFACT_RECENT_LARGE      45056   /* by the hint of a content */
#define NGX_ARTIFACT_RECENT_SETS       512
#define NGX_ARTIFACT_RECENT_WAYS       8

#define NGX_ARTIFACT_CONTENT_STANDIN  "artifact-standin-v1\n"

/*
 * What is in every request of a session need not have its metadata written each
 * time: it may live shorter by this part of its time.
 */

#define NGX_ARTIFACT_CONTENT_SPARE    64


typedef struct {
    u_char     tag[NGX_ARTIFACT_HMAC];
    u_char     hmac[NGX_ARTIFACT_HMAC];
    uint64_t   hint;
} ngx_artifact_recent_entry_t;


#define ngx_artifact_recent_is_same(recent)                                   \
    (!(recent)->differs && (recent)->pos == (recent)->size)

/* A thread that does not get the lock goes on without the table. */

#define ngx_artifact_recent_lock()                                            \
    (!__atomic_exchange_n(&ngx_artifact_recent_locked, 1, __ATOMIC_ACQUIRE))
#define ngx_artifact_recent_unlock()                                          \
    __atomic_store_n(&ngx_artifact_recent_locked, 0, __ATOMIC_RELEASE)


static ngx_int_t ngx_artifact_key(ngx_artifact_write_job_t *job, u_char *key,
    const char **action);
static ngx_int_t ngx_artifact_key_read(ngx_fd_t control, u_char *key,
    const char **action);
static ngx_int_t ngx_artifact_key_make(ngx_fd_t control, u_char *key,
    const char **action);
static ngx_int_t ngx_artifact_content_prefix(ngx_artifact_write_job_t *job);
static void ngx_artifact_content_save(ngx_artifact_write_job_t *job,
    const u_char *p, size_t len);
static ngx_int_t ngx_artifact_content_hash(ngx_artifact_write_job_t *job,
    const u_char *p, size_t len);
static ngx_int_t ngx_artifact_recent_tag(ngx_artifact_write_job_t *job);
static void ngx_artifact_recent_open(ngx_artifact_write_job_t *job);
static ngx_int_t ngx_artifact_recent_find(ngx_artifact_write_job_t *job);
static void ngx_artifact_recent_keep(const ngx_artifact_write_job_t *job);
static ngx_artifact_recent_entry_t *ngx_artifact_recent_set(
    const u_char *tag);
static ngx_uint_t ngx_artifact_recent_way(
    const ngx_artifact_recent_entry_t *set, const u_char *tag, uint64_t hint);
static void ngx_artifact_recent_first(ngx_artifact_recent_entry_t *set,
    ngx_uint_t way, const ngx_artifact_recent_entry_t *entry);
static void ngx_artifact_recent_compare(ngx_artifact_write_job_t *job,
    const u_char *p, size_t len);
static ngx_int_t ngx_artifact_content_settle(ngx_artifact_write_job_t *job,
    const char *id, ngx_uint_t synced);
static ngx_int_t ngx_artifact_content_id(ngx_artifact_write_job_t *job,
    char *id);
static ngx_int_t ngx_artifact_content_find_locked(
    ngx_artifact_write_job_t *job, const char *id, ngx_fd_t *lock);
static ngx_int_t ngx_artifact_content_find(ngx_artifact_write_job_t *job,
    const char *id, ngx_uint_t extend);
static ngx_int_t ngx_artifact_content_look(ngx_artifact_write_job_t *job,
    const ngx_artifact_subfolder_t *sub, const char *id, ngx_uint_t extend);
static ngx_int_t ngx_artifact_content_sidecar(ngx_artifact_write_job_t *job,
    ngx_fd_t fd, art_str_t *text);
static ngx_int_t ngx_artifact_content_is(ngx_artifact_write_job_t *job,
    art_str_t text);
static uint64_t ngx_artifact_content_until(ngx_artifact_write_job_t *job);
static ngx_int_t ngx_artifact_content_extend(ngx_artifact_write_job_t *job,
    const ngx_artifact_subfolder_t *sub, const char *id, art_str_t text,
    ngx_file_info_t *info);
static ngx_int_t ngx_artifact_content_rewrite(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *id, art_str_t text, ngx_file_info_t *info);
static ngx_int_t ngx_artifact_content_place(ngx_artifact_write_job_t *job,
    const char *id);
static ngx_int_t ngx_artifact_given_find(ngx_artifact_write_job_t *job);
static ngx_int_t ngx_artifact_given_publish(ngx_artifact_write_job_t *job);
static ngx_int_t ngx_artifact_content_fail(ngx_artifact_write_job_t *job,
    const char *action);


/* In a set, the one used last is the first. */

static ngx_artifact_recent_entry_t  ngx_artifact_recent_sets
    [NGX_ARTIFACT_RECENT_SETS][NGX_ARTIFACT_RECENT_WAYS];

static unsigned  ngx_artifact_recent_locked;


ngx_int_t
ngx_artifact_content_begin(ngx_artifact_write_job_t *job)
{
    int          rc;
    u_char       key[NGX_ARTIFACT_KEY_SIZE];
    EVP_PKEY    *pkey;
    const char  *action;

    if (job->summed) {
        return NGX_OK;
    }

    if (ngx_artifact_key(job, key, &action) != NGX_OK) {
        job->file = NGX_ARTIFACT_CONTROL "/" NGX_ARTIFACT_KEY;
        return ngx_artifact_write_fail(job, ART_ERR_MAX, action);
    }

    job->digest = EVP_MD_CTX_new();
    pkey = EVP_PKEY_new_mac_key(EVP_PKEY_HMAC, NULL, key, sizeof(key));

    rc = job->digest && pkey
         && EVP_DigestSignInit(job->digest, NULL, EVP_sha256(), NULL, pkey)
            == 1;

    EVP_PKEY_free(pkey);

    if (!rc) {
        return ngx_artifact_content_fail(job, "EVP_DigestSignInit");
    }

    return job->standin ? ngx_artifact_content_prefix(job) : NGX_OK;
}


static ngx_int_t
ngx_artifact_content_prefix(ngx_artifact_write_job_t *job)
{
    if (ngx_artifact_content_hash(job,
                                  (u_char *) NGX_ARTIFACT_CONTENT_STANDIN,
                                  sizeof(NGX_ARTIFACT_CONTENT_STANDIN) - 1)
        != NGX_OK
        || ngx_artifact_content_hash(job, job->scope.data, job->scope.len)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_artifact_content_hash(job, (u_char *) "\n", 1);
}


/*
 * Reads the key, which the first call of all processes and machines makes.  It
 * is not kept: a key that was restored from a backup counts at once.  NGX_ERROR
 * with errno, and *action (a constant) for what failed; EINVAL for a file that
 * is no key.
 *
 * A key is written to a temporary file and renamed under a lock, so nobody sees
 * half of it, and nobody makes another one meanwhile.  It is synced always: if
 * it were lost, no content would be known any more.
 */

static ngx_int_t
ngx_artifact_key(ngx_artifact_write_job_t *job, u_char *key,
    const char **action)
{
    ngx_fd_t   control, lock;
    ngx_int_t  rc;

    control = job->area.control;
    rc = ngx_artifact_key_read(control, key, action);

    if (rc != NGX_DECLINED || job->looks) {
        return rc;
    }

    lock = ngx_artifact_lock(control, art_cstr(NGX_ARTIFACT_KEY),
                             NGX_ARTIFACT_APPEND, 1);

    if (lock == NGX_INVALID_FILE) {
        *action = "lock";
        return NGX_ERROR;
    }

    rc = ngx_artifact_key_read(control, key, action);

    if (rc == NGX_DECLINED) {
        rc = ngx_artifact_key_make(control, key, action);
    }

    ngx_artifact_close(&lock);

    return rc;
}


/* NGX_DECLINED if the root has no key yet. */

static ngx_int_t
ngx_artifact_key_read(ngx_fd_t control, u_char *key, const char **action)
{
    ssize_t          n;
    ngx_fd_t         fd;
    ngx_file_info_t  info;

    *action = "open";

    fd = openat(control, NGX_ARTIFACT_KEY,
                O_RDONLY|O_NOFOLLOW|O_NONBLOCK|O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {
        return ngx_errno == NGX_ENOENT ? NGX_DECLINED : NGX_ERROR;
    }

    *action = "read";
    n = NGX_ERROR;

    if (ngx_fd_info(fd, &info) != NGX_FILE_ERROR) {
        n = ngx_is_file(&info) && info.st_size == NGX_ARTIFACT_KEY_SIZE
            ? ngx_artifact_read_all(fd, key, NGX_ARTIFACT_KEY_SIZE, 0) : 0;
    }

    ngx_artifact_close(&fd);

    if (n >= 0 && n != NGX_ARTIFACT_KEY_SIZE) {
        *action = "a key is a file of 32 bytes: read";
        ngx_set_errno(EINVAL);
    }

    return n == NGX_ARTIFACT_KEY_SIZE ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_artifact_key_make(ngx_fd_t control, u_char *key, const char **action)
{
    ngx_int_t            rc;
    ngx_artifact_temp_t  temp;

    *action = "getrandom";

    if (getrandom(key, NGX_ARTIFACT_KEY_SIZE, 0) != NGX_ARTIFACT_KEY_SIZE) {
        return NGX_ERROR;
    }

    *action = "open";

    if (ngx_artifact_temp_open(&temp, control, NULL) != NGX_OK) {
        return NGX_ERROR;
    }

    *action = "write";
    rc = NGX_ERROR;

    if (fchmod(temp.fd, 0600) == 0
        && ngx_artifact_write_all(temp.fd, key, NGX_ARTIFACT_KEY_SIZE, 0)
           == NGX_OK
        && fsync(temp.fd) == 0
        && renameat(control, (char *) temp.name, control, NGX_ARTIFACT_KEY)
           == 0)
    {
        rc = NGX_OK;
    }

    ngx_artifact_temp_close(&temp, control, rc == NGX_OK);

    if (rc == NGX_OK && fsync(control) == -1) {
        *action = "fsync";
        rc = NGX_ERROR;
    }

    return rc;
}


ngx_int_t
ngx_artifact_content_add(ngx_artifact_write_job_t *job, const u_char *p,
    size_t len)
{
    size_t                  n, all;
    ngx_artifact_recent_t  *recent;

    if (job->hint < NGX_ARTIFACT_RECENT_LARGE) {
        return ngx_artifact_content_hash(job, p, len);
    }

    all = len;
    recent = &job->recent;

    if (!recent->tagged) {
        n = ngx_min(len, NGX_ARTIFACT_BEGINNING - (size_t) recent->pos);

        if (ngx_artifact_content_hash(job, p, n) != NGX_OK) {
            return NGX_ERROR;
        }

        recent->pos += (off_t) n;
        p += n;
        len -= n;

        if (recent->pos == NGX_ARTIFACT_BEGINNING
            && ngx_artifact_recent_tag(job) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    if (recent->found) {
        ngx_artifact_recent_compare(job, p, len);
        return NGX_OK;
    }

    if (ngx_artifact_content_hash(job, p, len) != NGX_OK) {
        return NGX_ERROR;
    }

    if (job->saves && recent->tagged) {
        ngx_artifact_content_save(job, p + len - all, all);
    }

    return NGX_OK;
}


/* What cannot be written now may be known, or can be written later on. */

static void
ngx_artifact_content_save(ngx_artifact_write_job_t *job, const u_char *p,
    size_t len)
{
    if (job->temp.fd == NGX_INVALID_FILE
        && (job->size != 0
            || ngx_artifact_temp_open(&job->temp, job->area.control, job->id)
               != NGX_OK))
    {
        job->saves = 0;
        return;
    }

    if (ngx_artifact_write_all(job->temp.fd, p, len, job->size) != NGX_OK) {
        ngx_artifact_temp_close(&job->temp, job->area.control, 0);
        job->saves = 0;
    }
}


/*
 * Makes a digest of the beginning, and opens what it leads to.  It has the
 * root's key, so nobody can make two contents have the same one.
 */

static ngx_int_t
ngx_artifact_recent_tag(ngx_artifact_write_job_t *job)
{
    int                    rc;
    size_t                 len;
    EVP_MD_CTX            *digest;
    ngx_artifact_recent_t  *recent;

    recent = &job->recent;
    recent->tagged = 1;

    len = NGX_ARTIFACT_HMAC;
    digest = EVP_MD_CTX_new();

    rc = digest && EVP_MD_CTX_copy_ex(digest, job->digest) == 1
         && EVP_DigestSignUpdate(digest, job->kind.data, job->kind.len) == 1
         && EVP_DigestSignFinal(digest, recent->tag, &len) == 1;

    EVP_MD_CTX_free(digest);

    if (!rc) {
        return ngx_artifact_content_fail(job, "EVP_DigestSignFinal");
    }

    if (recent->buf && ngx_artifact_recent_find(job) == NGX_OK) {
        ngx_artifact_recent_open(job);
    }

    return NGX_OK;
}


/* Without the file, the content is hashed. */

static void
ngx_artifact_recent_open(ngx_artifact_write_job_t *job)
{
    char                      id[NGX_ARTIFACT_TEMP_ID + 1];
    u_char                    path[ART_REF_LAYOUT_PLACE + NGX_ARTIFACT_TEMP_ID
                                   + ART_REF_NAME_EXTENSION_MAX + 1];
    ngx_fd_t                  fd;
    ngx_uint_t                i;
    ngx_file_info_t           info;
    ngx_artifact_subfolder_t  sub;

    art_uuid_v8((uint8_t *) id, job->recent.hmac);
    id[NGX_ARTIFACT_TEMP_ID] = '\0';

    fd = NGX_INVALID_FILE;

    for (i = 0; fd == NGX_INVALID_FILE; i++) {

        if (!ngx_artifact_subfolder_try(job->layout, i, art_cstr(id), &sub)) {
            return;
        }

        (void) ngx_snprintf(path, sizeof(path), "%s%s%*s%Z", sub.path, id,
                            job->extension_len, job->extension);

        fd = ngx_artifact_open_info(job->area.folder, (char *) path,
                                    O_RDONLY|O_NONBLOCK, 1, &info);
    }

    if (!ngx_is_file(&info)) {
        ngx_artifact_close(&fd);
        return;
    }

    job->recent.fd = fd;
    job->recent.size = ngx_file_size(&info);
    job->recent.found = 1;
}


static ngx_int_t
ngx_artifact_recent_find(ngx_artifact_write_job_t *job)
{
    ngx_uint_t                    way;
    ngx_artifact_recent_entry_t  *set, entry;

    if (!ngx_artifact_recent_lock()) {
        return NGX_DECLINED;
    }

    set = ngx_artifact_recent_set(job->recent.tag);
    way = ngx_artifact_recent_way(set, job->recent.tag, job->hint);

    if (way < NGX_ARTIFACT_RECENT_WAYS) {
        entry = set[way];
        ngx_memcpy(job->recent.hmac, entry.hmac, NGX_ARTIFACT_HMAC);
        ngx_artifact_recent_first(set, way, &entry);
    }

    ngx_artifact_recent_unlock();

    return way < NGX_ARTIFACT_RECENT_WAYS ? NGX_OK : NGX_DECLINED;
}


static void
ngx_artifact_recent_keep(const ngx_artifact_write_job_t *job)
{
    ngx_uint_t                    way;
    ngx_artifact_recent_entry_t  *set, entry;

    if (!ngx_artifact_recent_lock()) {
        return;
    }

    ngx_memcpy(entry.tag, job->recent.tag, NGX_ARTIFACT_HMAC);
    ngx_memcpy(entry.hmac, job->hmac, NGX_ARTIFACT_HMAC);
    entry.hint = job->hint;

    set = ngx_artifact_recent_set(entry.tag);
    way = ngx_artifact_recent_way(set, entry.tag, entry.hint);

    ngx_artifact_recent_first(set, ngx_min(way, NGX_ARTIFACT_RECENT_WAYS - 1),
                              &entry);

    ngx_artifact_recent_unlock();
}


static ngx_artifact_recent_entry_t *
ngx_artifact_recent_set(const u_char *tag)
{
    return ngx_artifact_recent_sets[(tag[0] << 8 | tag[1])
                                   % NGX_ARTIFACT_RECENT_SETS];
}


/* NGX_ARTIFACT_RECENT_WAYS if it is not there. */

static ngx_uint_t
ngx_artifact_recent_way(const ngx_artifact_recent_entry_t *set,
    const u_char *tag, uint64_t hint)
{
    ngx_uint_t  way;

    for (way = 0; way < NGX_ARTIFACT_RECENT_WAYS; way++) {
        if (ngx_memcmp(set[way].tag, tag, NGX_ARTIFACT_HMAC) == 0
            && (hint == NGX_ARTIFACT_HINT_NONE || set[way].hint == hint))
        {
            break;
        }
    }

    return way;
}


/* Puts an entry in front of the others, in place of the one at "way". */

static void
ngx_artifact_recent_first(ngx_artifact_recent_entry_t *set, ngx_uint_t way,
    const ngx_artifact_recent_entry_t *entry)
{
    ngx_memmove(set + 1, set, way * sizeof(ngx_artifact_recent_entry_t));

    set[0] = *entry;
}


/*
 * Compares the next bytes with the file.  After a difference as well, so that
 * the time does not tell in which piece it is.
 */

static void
ngx_artifact_recent_compare(ngx_artifact_write_job_t *job, const u_char *p,
    size_t len)
{
    size_t                  n;
    ssize_t                 read;
    ngx_artifact_recent_t  *recent;

    recent = &job->recent;

    for ( /* void */ ; len > 0; len -= n, p += n) {
        n = ngx_min(len, recent->room);
        read = ngx_artifact_read_all(recent->fd, recent->buf, n, recent->pos);

        if (read == NGX_ERROR && !recent->differs) {
            ngx_log_error(NGX_LOG_CRIT, job->log, ngx_errno,
                          "pread() of an artifact in \"%s/artifacts\" failed, "
                          "at byte %O", job->root.data, recent->pos);
        }

        if (read != (ssize_t) n || ngx_memcmp(recent->buf, p, n) != 0) {
            recent->differs = 1;
        }

        recent->pos += (off_t) n;
    }
}


static ngx_int_t
ngx_artifact_content_hash(ngx_artifact_write_job_t *job, const u_char *p,
    size_t len)
{
    return job->summed || EVP_DigestSignUpdate(job->digest, p, len) == 1
           ? NGX_OK : ngx_artifact_content_fail(job, "EVP_DigestSignUpdate");
}


/*
 * Whoever else has the same content waits for the lock, and then finds it: what
 * is found there is whole and on the disk.  A content is synced before, since
 * nobody should wait for that: it may be large.
 */

ngx_int_t
ngx_artifact_content_publish(ngx_artifact_write_job_t *job)
{
    char        id[NGX_ARTIFACT_TEMP_ID + 1];
    ngx_uint_t  found;

    if (ngx_artifact_content_id(job, id) != NGX_OK) {
        return NGX_ERROR;
    }

    if (job->given) {
        return ngx_artifact_given_publish(job);
    }

    found = ngx_artifact_content_find(job, id, 0) == NGX_OK;

    return ngx_artifact_content_settle(job, id, !found);
}


static ngx_int_t
ngx_artifact_content_settle(ngx_artifact_write_job_t *job, const char *id,
    ngx_uint_t synced)
{
    ngx_fd_t   lock;
    ngx_int_t  rc;

    if (synced && ngx_artifact_write_sync(job) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_artifact_content_find_locked(job, id, &lock);

    if (rc == NGX_OK) {
        job->same = 1;
        ngx_memcpy(job->id, id, sizeof(job->id));

    } else if (rc == NGX_DECLINED) {

        /* it may have been removed meanwhile */

        rc = synced || ngx_artifact_write_sync(job) == NGX_OK
             ? ngx_artifact_content_place(job, id) : NGX_ERROR;
    }

    ngx_artifact_close(&lock);

    if (rc != NGX_ABORT) {
        return rc;
    }

    /* the id is another content's */

    if (job->standin) {
        ngx_set_errno(NGX_EEXIST);
        return ngx_artifact_write_fail(job, ART_ERR_WRITE,
                                       "its id is another content's");
    }

    job->by_content = 0;

    return synced || ngx_artifact_write_sync(job) == NGX_OK
           ? ngx_artifact_write_publish_artifact(job) : NGX_ERROR;
}


/* Looks for the artifact of an id, and extends it, under the lock of the id. */

static ngx_int_t
ngx_artifact_content_find_locked(ngx_artifact_write_job_t *job,
    const char *id, ngx_fd_t *lock)
{
    *lock = ngx_artifact_lock(job->area.control, art_cstr(id),
                              NGX_ARTIFACT_APPEND, 1);

    if (*lock == NGX_INVALID_FILE) {
        job->file = NGX_ARTIFACT_CONTROL "/lock";
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "lock");
    }

    return ngx_artifact_content_find(job, id, 1);
}


ngx_int_t
ngx_artifact_content_open(ngx_artifact_write_job_t *job)
{
    ngx_int_t  rc;

    job->artifacts = 1;

    if (ngx_artifact_area_open(&job->area, (char *) job->root.data,
                               "artifacts", !job->looks)
        == NGX_OK)
    {
        rc = ngx_artifact_content_begin(job);

    } else {
        rc = ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    if (rc != NGX_OK) {
        ngx_artifact_write_close(job);
    }

    return rc;
}


/*
 * Most are found without a lock, and need not be changed; one that is to live
 * longer is looked for again, under its lock.  Of a file without its metadata
 * nobody knows whether its bytes are still those of its id.
 */

ngx_int_t
ngx_artifact_content_known(ngx_artifact_write_job_t *job)
{
    char        id[NGX_ARTIFACT_TEMP_ID + 1];
    ngx_fd_t    lock;
    ngx_int_t   rc;
    ngx_uint_t  compared;

    compared = job->recent.found;

    if (compared && !ngx_artifact_recent_is_same(&job->recent)) {
        ngx_artifact_write_close(job);
        return NGX_DECLINED;
    }

    if (compared) {
        ngx_memcpy(job->hmac, job->recent.hmac, NGX_ARTIFACT_HMAC);
        job->summed = 1;
    }

    rc = ngx_artifact_content_id(job, id);

    if (rc == NGX_OK && !compared && job->recent.tagged) {
        ngx_artifact_recent_keep(job);
    }

    if (rc == NGX_OK) {
        rc = ngx_artifact_content_find(job, id, 0);
    }

    if (rc == NGX_OK && ngx_artifact_content_until(job) != job->expires) {
        rc = ngx_artifact_content_find_locked(job, id, &lock);
        ngx_artifact_close(&lock);
    }

    if (rc != NGX_OK && rc != NGX_ERROR
        && job->temp.fd != NGX_INVALID_FILE)
    {
        rc = ngx_artifact_content_settle(job, id, 1);

    } else if (rc != NGX_ERROR) {
        ngx_memcpy(job->id, id, sizeof(id));
        job->same = (rc == NGX_OK);
    }

    job->compared = compared & 1;

    ngx_artifact_write_close(job);

    if (rc != NGX_OK && rc != NGX_DECLINED && rc != NGX_ABORT) {
        return NGX_ERROR;
    }

    return compared && !job->same ? NGX_DECLINED : NGX_OK;
}


static ngx_int_t
ngx_artifact_content_id(ngx_artifact_write_job_t *job, char *id)
{
    u_char  *p;
    size_t   len;

    len = NGX_ARTIFACT_HMAC;

    if (ngx_artifact_content_hash(job, (u_char *) "\n", 1) != NGX_OK
        || ngx_artifact_content_hash(job, job->kind.data, job->kind.len)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (!job->summed
        && EVP_DigestSignFinal(job->digest, job->hmac, &len) != 1)
    {
        return ngx_artifact_content_fail(job, "EVP_DigestSignFinal");
    }

    p = ngx_cpymem(job->sum, "hmac-sha256:", sizeof("hmac-sha256:") - 1);
    p = ngx_hex_dump(p, job->hmac, NGX_ARTIFACT_HMAC);

    job->sum_len = (size_t) (p - job->sum);

    if (!job->given) {
        art_uuid_v8((uint8_t *) id, job->hmac);
        id[NGX_ARTIFACT_TEMP_ID] = '\0';
    }

    return NGX_OK;
}


/*
 * Looks for the artifact of an id in all layouts: NGX_OK if it is whole,
 * NGX_DECLINED if nothing or not all of it is there, NGX_ABORT if it is
 * another's, or NGX_ERROR.  "extend", under its lock, for what is to live at
 * least as long as the job says.
 */

static ngx_int_t
ngx_artifact_content_find(ngx_artifact_write_job_t *job, const char *id,
    ngx_uint_t extend)
{
    ngx_int_t                 rc;
    ngx_uint_t                i;
    ngx_artifact_subfolder_t  sub;

    rc = NGX_DECLINED;

    for (i = 0;
         rc == NGX_DECLINED
         && ngx_artifact_subfolder_try(job->layout, i, art_cstr(id), &sub);
         i++)
    {
        rc = ngx_artifact_content_look(job, &sub, id, extend);
    }

    return rc;
}


/* The same for one place. */

static ngx_int_t
ngx_artifact_content_look(ngx_artifact_write_job_t *job,
    const ngx_artifact_subfolder_t *sub, const char *id, ngx_uint_t extend)
{
    u_char           path[ART_REF_LAYOUT_PLACE + NGX_ARTIFACT_TEMP_ID
                          + ART_REF_NAME_EXTENSION_MAX + sizeof(".meta")];
    ngx_fd_t         fd;
    ngx_int_t        rc;
    art_str_t        text;
    ngx_file_info_t  info, content;

    (void) ngx_snprintf(path, sizeof(path), "%s%s.meta%Z", sub->path, id);

    fd = ngx_artifact_open_info(job->area.folder, (char *) path,
                                O_RDONLY|O_NONBLOCK, 1, &info);

    if (fd == NGX_INVALID_FILE) {
        return ngx_artifact_is_missing(ngx_errno)
               ? NGX_DECLINED : ngx_artifact_write_fail(job, ART_ERR_MAX,
                                                        "open");
    }

    text = art_str(NULL, 0);
    rc = NGX_ABORT;

    if (ngx_is_file(&info)
        && ngx_file_size(&info) <= NGX_ARTIFACT_CONTENT_META)
    {
        rc = ngx_artifact_content_sidecar(job, fd, &text);
    }

    ngx_artifact_close(&fd);

    if (rc == NGX_OK) {
        (void) ngx_snprintf(path, sizeof(path), "%s%s%*s%Z", sub->path, id,
                            job->extension_len, job->extension);

        rc = ngx_artifact_stat(job->area.folder, (char *) path, 1, &content)
             == NGX_OK && ngx_is_file(&content)
             && ngx_file_size(&content) == job->size ? NGX_OK : NGX_DECLINED;
    }

    if (rc == NGX_OK && extend) {
        rc = ngx_artifact_content_extend(job, sub, id, text, &info);
    }

    if (rc == NGX_OK && job->given) {
        job->sidecar = text;

    } else {
        free((void *) text.data);
    }

    return rc;
}


/* Reads the sidecar; *text is to be freed. */

static ngx_int_t
ngx_artifact_content_sidecar(ngx_artifact_write_job_t *job, ngx_fd_t fd,
    art_str_t *text)
{
    u_char   *p;
    ssize_t   n;

    p = malloc(NGX_ARTIFACT_CONTENT_META);

    n = p == NULL ? NGX_ERROR
        : ngx_artifact_read_all(fd, p, NGX_ARTIFACT_CONTENT_META, 0);

    *text = art_str(p, n == NGX_ERROR ? 0 : (size_t) n);

    return n == NGX_ERROR ? ngx_artifact_write_fail(job, ART_ERR_MAX, "read")
                          : ngx_artifact_content_is(job, *text);
}


/*
 * Whether a sidecar is of the same content; then what is there, or replaces it,
 * has the extension that it says.
 */

static ngx_int_t
ngx_artifact_content_is(ngx_artifact_write_job_t *job, art_str_t text)
{
    ngx_int_t   rc;
    art_str_t   key, value;
    art_meta_t  meta;

    if (art_meta_parse(text, &meta) != ART_META_OK) {
        return NGX_ABORT;
    }

    rc = NGX_ABORT;
    key = art_cstr("digest");

    if (art_json_find(text, &key, 1, &value) == ART_OK
        && value.len == job->sum_len + 2
        && ngx_memcmp(value.data + 1, job->sum, job->sum_len) == 0
        && meta.extension.len <= ART_REF_NAME_EXTENSION_MAX)
    {
        job->extension_len = meta.extension.len;
        job->expires = meta.until;
        rc = NGX_OK;

        if (meta.extension.len) {
            ngx_memcpy(job->extension, meta.extension.data,
                       meta.extension.len);
        }
    }

    art_meta_free(&meta);

    return rc;
}


/* When what expires at job->expires (0: never) is to expire now. */

static uint64_t
ngx_artifact_content_until(ngx_artifact_write_job_t *job)
{
    uint64_t  until, spare;

    if (job->expires == 0 || job->lifetime == 0) {
        return 0;
    }

    until = ngx_min(ngx_artifact_now() + job->lifetime, ART_TIME_MAX);
    spare = job->standin ? job->lifetime / NGX_ARTIFACT_CONTENT_SPARE : 0;

    return until <= job->expires + spare ? job->expires : until;
}


/*
 * What is stored again lives as long as the longer of both; that it had already
 * expired does not matter, as it is still there, and cannot be removed now.
 * The rest of the sidecar stays as it is.
 */

static ngx_int_t
ngx_artifact_content_extend(ngx_artifact_write_job_t *job,
    const ngx_artifact_subfolder_t *sub, const char *id, art_str_t text,
    ngx_file_info_t *info)
{
    uint64_t   until;
    ngx_fd_t   folder;
    ngx_int_t  rc;

    until = ngx_artifact_content_until(job);

    if (until == job->expires) {
        return NGX_OK;
    }

    job->expires = until;

    /* the marker comes first, as for a new one */

    if (until != 0
        && ngx_artifact_due_mark(job->area.control, id, until, job->sync)
           != NGX_OK)
    {
        job->file = NGX_ARTIFACT_CONTROL "/" NGX_ARTIFACT_DUE;
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    folder = sub->len == 0 ? job->area.folder
             : ngx_artifact_openat(job->area.folder, (char *) sub->path,
                                   O_RDONLY|O_DIRECTORY, 1);

    if (folder == NGX_INVALID_FILE) {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    rc = ngx_artifact_content_rewrite(job, folder, id, text, info);

    if (folder != job->area.folder) {
        ngx_artifact_close(&folder);
    }

    job->extended = (rc == NGX_OK);

    return rc;
}


/* Replaces the value of "expiresAt"; "null" is for ever. */

static ngx_int_t
ngx_artifact_content_rewrite(ngx_artifact_write_job_t *job, ngx_fd_t folder,
    const char *id, art_str_t text, ngx_file_info_t *info)
{
    char                  name[NGX_ARTIFACT_TEMP_ID + sizeof(".meta")];
    size_t                before, len;
    uint8_t               value[ART_TIME_LEN + 2];
    ngx_int_t             rc;
    art_str_t             key, old;
    ngx_uint_t            changed;
    const uint8_t        *after;
    ngx_artifact_temp_t   temp;

    key = art_cstr("expiresAt");

    if (art_json_find(text, &key, 1, &old) != ART_OK || old.data == NULL) {
        return NGX_OK;           /* it was one that never expires */
    }

    len = sizeof("null") - 1;
    ngx_memcpy(value, "null", len);

    if (job->expires != 0) {
        len = sizeof(value);
        value[0] = '"';
        art_time_print(value + 1, job->expires);
        value[len - 1] = '"';
    }

    before = (size_t) (old.data - text.data);
    after = old.data + old.len;

    (void) ngx_snprintf((u_char *) name, sizeof(name), "%s.meta%Z", id);

    if (ngx_artifact_temp_open(&temp, job->area.control, NULL) != NGX_OK) {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    rc = NGX_OK;

    if (ngx_artifact_write_all(temp.fd, text.data, before, 0) != NGX_OK
        || ngx_artifact_write_all(temp.fd, value, len, (off_t) before)
           != NGX_OK
        || ngx_artifact_write_all(temp.fd, after,
                                  text.len - before - old.len,
                                  (off_t) (before + len))
           != NGX_OK
        || ngx_artifact_inherit(temp.fd, info, &changed) != NGX_OK
        || (job->sync && fsync(temp.fd) == -1)
        || renameat(job->area.control, (char *) temp.name, folder, name) == -1
        || (job->sync && fsync(folder) == -1))
    {
        rc = ngx_artifact_write_fail(job, ART_ERR_MAX, "write");
    }

    ngx_artifact_temp_close(&temp, job->area.control, rc == NGX_OK);

    return rc;
}


/* If the write fails, the file is removed before another may take its name. */

static ngx_int_t
ngx_artifact_content_place(ngx_artifact_write_job_t *job, const char *id)
{
    if (ngx_artifact_write_name(job, id) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_artifact_write_publish_artifact(job) == NGX_OK) {
        return NGX_OK;
    }

    ngx_artifact_temp_close(&job->temp, job->area.control, job->published);

    return NGX_ERROR;
}


void
ngx_artifact_given_check(void *data, ngx_log_t *log)
{
    ngx_artifact_write_job_t *job = data;

    job->log = log;

    if (ngx_artifact_area_open(&job->area, (char *) job->root.data,
                               "artifacts", 1)
        != NGX_OK)
    {
        (void) ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
        return;
    }

    if (ngx_artifact_given_find(job) != NGX_ERROR
        && ngx_artifact_test_preconds(job) == NGX_OK
        && job->npreconds[ART_IF_MATCH])
    {
        /* nothing is ever replaced */

        (void) ngx_artifact_write_fail(job, ART_ERR_PRECONDITION, NULL);
    }

    ngx_artifact_write_close(job);
}


/*
 * Looks for the content of the given id in all layouts: NGX_OK with job->exists
 * and job->info, NGX_DECLINED if there is none, or NGX_ERROR.
 */

static ngx_int_t
ngx_artifact_given_find(ngx_artifact_write_job_t *job)
{
    u_char                    path[ART_REF_LAYOUT_PLACE + NGX_ARTIFACT_TEMP_ID
                                   + ART_REF_NAME_EXTENSION_MAX + 1];
    ngx_int_t                 rc;
    ngx_uint_t                i;
    ngx_artifact_subfolder_t  sub;

    rc = NGX_DECLINED;

    for (i = 0;
         rc == NGX_DECLINED
         && ngx_artifact_subfolder_try(job->layout, i, art_cstr(job->id), &sub);
         i++)
    {
        (void) ngx_snprintf(path, sizeof(path), "%s%s%*s%Z", sub.path, job->id,
                            job->extension_len, job->extension);

        rc = ngx_artifact_stat(job->area.folder, (char *) path, 1, &job->info);

        if (rc != NGX_OK) {
            rc = ngx_artifact_is_missing(ngx_errno)
                 ? NGX_DECLINED
                 : ngx_artifact_write_fail(job, ART_ERR_MAX, "stat");
        }
    }

    job->exists = (rc == NGX_OK);

    return rc;
}


/*
 * Of two that write at once, the second one finds what the first has written.
 * A sidecar without its content is what a crash has left.
 */

static ngx_int_t
ngx_artifact_given_publish(ngx_artifact_write_job_t *job)
{
    char       id[NGX_ARTIFACT_TEMP_ID + 1];
    ngx_fd_t   lock;
    ngx_int_t  rc;

    if (ngx_artifact_write_sync(job) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_memcpy(id, job->id, sizeof(id));

    lock = ngx_artifact_lock(job->area.control, art_cstr(id),
                             NGX_ARTIFACT_APPEND, 1);

    if (lock == NGX_INVALID_FILE) {
        job->file = NGX_ARTIFACT_CONTROL "/lock";
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "lock");
    }

    rc = ngx_artifact_given_find(job);

    if (rc != NGX_ERROR && ngx_artifact_test_preconds(job) != NGX_OK) {
        rc = NGX_ERROR;
    }

    if (rc == NGX_DECLINED) {
        rc = ngx_artifact_content_place(job, id);

    } else if (rc == NGX_OK) {
        rc = ngx_artifact_content_find(job, id, 0);
        job->same = (rc == NGX_OK);

        if (rc == NGX_DECLINED || rc == NGX_ABORT) {
            rc = ngx_artifact_write_fail(job, ART_ERR_TAKEN, NULL);
        }
    }

    ngx_artifact_close(&lock);

    return rc;
}


/*
 * libcrypto fails only when out of memory.  Its list of errors is emptied, or
 * nginx would report them with the next connection that uses TLS.
 */

static ngx_int_t
ngx_artifact_content_fail(ngx_artifact_write_job_t *job, const char *action)
{
    ERR_clear_error();
    ngx_set_errno(NGX_ENOMEM);

    return ngx_artifact_write_fail(job, ART_ERR_MAX, action);
}
