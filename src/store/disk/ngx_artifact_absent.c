
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What is known about folders: a filter of all names in each, and of their
 * beginnings.  An id without a sidecar may have one of some two hundred
 * extensions; to look up each costs ten times what nginx needs to answer that a
 * file is missing.
 */


#include "store/disk/ngx_artifact_absent.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"

#include "core/ref/art_ref_file.h"
#include "core/base/art_hash.h"

#include <dirent.h>
#include <sys/syscall.h>


#define NGX_ARTIFACT_ABSENT_FOLDERS  16

/* Bytes read at once, which takes as long as looking up all extensions. */

#define NGX_ARTIFACT_ABSENT_SLICE    65536

/* Words of the filter, powers of 2: for one slice, and for any folder. */

#define NGX_ARTIFACT_ABSENT_MIN      1024
#define NGX_ARTIFACT_ABSENT_MAX      (128 * 1024)

/* Seconds for which two states of a folder may have the same time. */

#define NGX_ARTIFACT_ABSENT_TICK     2

/*
 * Seconds after which a folder is read again: some file systems in user space
 * do not change its times when names come or go.
 */

#define NGX_ARTIFACT_ABSENT_VALID    60

/*
 * The bits of the filter that each name sets, and how many it has for each if
 * there is room: then about one of 400 other names is a false positive; with 8
 * bits one of 40, with 4 one of 6.
 */

#define NGX_ARTIFACT_BLOOM_BITS      4
#define NGX_ARTIFACT_BLOOM_SHARE     16


/*
 * A Bloom filter (B. H. Bloom, "Space/time trade-offs in hash coding with
 * allowable errors", 1970), which shows that a name is certainly not in a set.
 * Names are hashed in lower case (ASCII), for file systems on which "A" is "a".
 * A random seed prevents chosen names from being false positives.
 */

typedef struct {
    uint64_t              seed[2];
    uint64_t             *words;
    size_t                size;      /* words */
    size_t                n;         /* names that were added */
} ngx_artifact_bloom_t;


typedef struct {
    ngx_file_info_t       info;      /* of the folder when it was read */
    ngx_uint_t            used;
    ngx_msec_t            since;     /* when its reading began */
    ngx_fd_t              fd;        /* during its reading, else invalid */
    ngx_artifact_bloom_t  bloom;
    unsigned              known:1;
    unsigned              large:1;   /* more than a slice */
} ngx_artifact_absent_t;


static ngx_uint_t ngx_artifact_absent_recent(ngx_file_info_t *info);
static ngx_artifact_absent_t *ngx_artifact_absent_find(ngx_file_info_t *info);
static void ngx_artifact_absent_forget(ngx_artifact_absent_t *absent);
static ngx_int_t ngx_artifact_absent_open(ngx_artifact_absent_t *absent,
    ngx_fd_t folder);
static ngx_int_t ngx_artifact_absent_read(ngx_artifact_absent_t *absent);
static void ngx_artifact_absent_add(ngx_artifact_absent_t *absent,
    const char *name);
static ngx_int_t ngx_artifact_bloom_init(ngx_artifact_bloom_t *bloom);
static ngx_int_t ngx_artifact_bloom_enlarge(ngx_artifact_bloom_t *bloom);
static void ngx_artifact_bloom_shrink(ngx_artifact_bloom_t *bloom);
static ngx_uint_t ngx_artifact_bloom_has(const ngx_artifact_bloom_t *bloom,
    art_str_t s);
static void ngx_artifact_bloom_add(ngx_artifact_bloom_t *bloom, art_str_t s);
static void ngx_artifact_bloom_bits(const ngx_artifact_bloom_t *bloom,
    art_str_t s, size_t bits[NGX_ARTIFACT_BLOOM_BITS]);


ngx_uint_t
ngx_artifact_absent_quiet(ngx_fd_t folder)
{
    ngx_file_info_t  info;

    return ngx_fd_info(folder, &info) != NGX_FILE_ERROR
           && !ngx_artifact_absent_recent(&info);
}


ngx_uint_t
ngx_artifact_absent(ngx_fd_t folder, art_str_t id)
{
    ngx_int_t               rc;
    ngx_uint_t              none, recent;
    ngx_file_info_t         info;
    ngx_artifact_absent_t  *absent;

    if (ngx_fd_info(folder, &info) == NGX_FILE_ERROR) {
        return 0;
    }

    absent = ngx_artifact_absent_find(&info);

    if (absent->known) {
        return !ngx_artifact_bloom_has(&absent->bloom, id);
    }

    recent = ngx_artifact_absent_recent(&info);

    if (recent && absent->large) {
        return 0;
    }

    rc = ngx_artifact_absent_open(absent, folder);

    if (rc == NGX_OK) {
        rc = ngx_artifact_absent_read(absent);
    }

    if (rc == NGX_OK) {
        none = !ngx_artifact_bloom_has(&absent->bloom, id);
        absent->known = 1;
        ngx_artifact_close(&absent->fd);
        ngx_artifact_bloom_shrink(&absent->bloom);

    } else {
        none = 0;
        absent->large |= (rc == NGX_AGAIN);
    }

    if (recent || rc == NGX_ERROR) {
        ngx_artifact_absent_forget(absent);
    }

    return none;
}


static ngx_uint_t
ngx_artifact_absent_recent(ngx_file_info_t *info)
{
    return ngx_artifact_is_recent(info->st_mtime, ngx_time(),
                                  NGX_ARTIFACT_ABSENT_TICK)
           || ngx_artifact_is_recent(info->st_ctime, ngx_time(),
                                     NGX_ARTIFACT_ABSENT_TICK);
}


/* Finds a folder; drops what is known about an earlier state of it. */

static ngx_artifact_absent_t *
ngx_artifact_absent_find(ngx_file_info_t *info)
{
    ngx_uint_t              i;
    ngx_artifact_absent_t  *absent, *oldest;

    static ngx_uint_t             uses;
    static ngx_artifact_absent_t  folders[NGX_ARTIFACT_ABSENT_FOLDERS];

    absent = NULL;
    oldest = &folders[0];

    for (i = 0; i < NGX_ARTIFACT_ABSENT_FOLDERS; i++) {
        if (folders[i].used && folders[i].info.st_ino == info->st_ino
            && folders[i].info.st_dev == info->st_dev)
        {
            absent = &folders[i];
            break;
        }

        if (folders[i].used < oldest->used) {
            oldest = &folders[i];
        }
    }

    if (absent == NULL) {
        absent = oldest;

        if (absent->used == 0) {
            absent->fd = NGX_INVALID_FILE;
        }

        ngx_artifact_absent_forget(absent);
        absent->large = 0;

    } else if (absent->info.st_mtim.tv_sec != info->st_mtim.tv_sec
               || absent->info.st_mtim.tv_nsec != info->st_mtim.tv_nsec
               || absent->info.st_ctim.tv_sec != info->st_ctim.tv_sec
               || absent->info.st_ctim.tv_nsec != info->st_ctim.tv_nsec
               || ngx_current_msec - absent->since
                  >= NGX_ARTIFACT_ABSENT_VALID * 1000)
    {
        ngx_artifact_absent_forget(absent);
    }

    absent->info = *info;
    absent->used = ++uses;

    return absent;
}


static void
ngx_artifact_absent_forget(ngx_artifact_absent_t *absent)
{
    absent->known = 0;

    ngx_artifact_close(&absent->fd);

    free(absent->bloom.words);
    ngx_memzero(&absent->bloom, sizeof(ngx_artifact_bloom_t));
}


/* Begins to read a folder, or continues. */

static ngx_int_t
ngx_artifact_absent_open(ngx_artifact_absent_t *absent, ngx_fd_t folder)
{
    if (absent->fd != NGX_INVALID_FILE) {

        /* there is more than the first slice */

        return ngx_artifact_bloom_enlarge(&absent->bloom);
    }

    if (ngx_artifact_bloom_init(&absent->bloom) != NGX_OK) {
        return NGX_ERROR;
    }

    absent->large = 0;
    absent->since = ngx_current_msec;
    absent->fd = openat(folder, ".", O_RDONLY|O_DIRECTORY|O_CLOEXEC);

    return absent->fd != NGX_INVALID_FILE ? NGX_OK : NGX_ERROR;
}


/*
 * Reads a slice; NGX_OK at the end of the folder.  Makes the system call
 * itself, because musl and glibc before 2.30 have no getdents64(); its entries
 * are those of struct dirent with nginx's _FILE_OFFSET_BITS of 64.
 */

static ngx_int_t
ngx_artifact_absent_read(ngx_artifact_absent_t *absent)
{
    long            n, pos;
    size_t          left;
    uint64_t        buf[NGX_ARTIFACT_ABSENT_SLICE / 8];
    struct dirent  *entry;

    /* the end takes another call, even for a folder of one slice */

    for (left = sizeof(buf); left > NGX_ARTIFACT_ABSENT_SLICE / 32; /* void */)
    {
        n = syscall(SYS_getdents64, absent->fd, buf, left);

        if (n <= 0) {
            return n == 0 ? NGX_OK : NGX_ERROR;
        }

        for (pos = 0; pos < n; pos += entry->d_reclen) {
            entry = (struct dirent *) (void *) ((u_char *) buf + pos);
            ngx_artifact_absent_add(absent, entry->d_name);
        }

        left -= (size_t) n;
    }

    return NGX_AGAIN;
}


/* Adds all possible ids of the name: all of it, and what is before each dot. */

static void
ngx_artifact_absent_add(ngx_artifact_absent_t *absent, const char *name)
{
    size_t     i;
    art_str_t  s;

    s = art_cstr(name);

    if (art_ref_name_reserved(s)) {
        return;
    }

    for (i = 1; i <= s.len; i++) {
        if (i == s.len || s.data[i] == '.') {
            ngx_artifact_bloom_add(&absent->bloom, art_str(s.data, i));
        }
    }
}


static ngx_int_t
ngx_artifact_bloom_init(ngx_artifact_bloom_t *bloom)
{
    bloom->words = calloc(NGX_ARTIFACT_ABSENT_MIN, sizeof(uint64_t));

    if (bloom->words == NULL) {
        return NGX_ERROR;
    }

    bloom->size = NGX_ARTIFACT_ABSENT_MIN;
    bloom->n = 0;

    ngx_artifact_random(bloom->seed, sizeof(bloom->seed));

    return NGX_OK;
}


/*
 * Makes the filter as large as any.  Indexes are the low bits of a hash, and
 * twice the size takes one bit more; so there are no fewer false positives for
 * names added before.
 */

static ngx_int_t
ngx_artifact_bloom_enlarge(ngx_artifact_bloom_t *bloom)
{
    size_t     i;
    uint64_t  *words;

    if (bloom->size == NGX_ARTIFACT_ABSENT_MAX) {
        return NGX_OK;
    }

    words = malloc(NGX_ARTIFACT_ABSENT_MAX * sizeof(uint64_t));

    if (words == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < NGX_ARTIFACT_ABSENT_MAX; i += bloom->size) {
        ngx_memcpy(words + i, bloom->words, bloom->size * sizeof(uint64_t));
    }

    free(bloom->words);

    bloom->words = words;
    bloom->size = NGX_ARTIFACT_ABSENT_MAX;

    return NGX_OK;
}


/* Frees the memory beyond the share of each name. */

static void
ngx_artifact_bloom_shrink(ngx_artifact_bloom_t *bloom)
{
    size_t     i, size;
    uint64_t  *words;

    size = bloom->size;

    while (size > 1 && size / 2 * 64 >= bloom->n * NGX_ARTIFACT_BLOOM_SHARE) {
        size /= 2;

        for (i = 0; i < size; i++) {
            bloom->words[i] |= bloom->words[size + i];
        }
    }

    words = size > 0 ? realloc(bloom->words, size * sizeof(uint64_t)) : NULL;

    if (words) {
        bloom->words = words;
    }

    bloom->size = size;
}


/* 0: the name was not added; 1: it may have been. */

static ngx_uint_t
ngx_artifact_bloom_has(const ngx_artifact_bloom_t *bloom, art_str_t s)
{
    size_t  i, bits[NGX_ARTIFACT_BLOOM_BITS];

    ngx_artifact_bloom_bits(bloom, s, bits);

    for (i = 0; i < NGX_ARTIFACT_BLOOM_BITS; i++) {
        if ((bloom->words[bits[i] / 64] & (uint64_t) 1 << bits[i] % 64) == 0) {
            return 0;
        }
    }

    return 1;
}


static void
ngx_artifact_bloom_add(ngx_artifact_bloom_t *bloom, art_str_t s)
{
    size_t  i, bits[NGX_ARTIFACT_BLOOM_BITS];

    ngx_artifact_bloom_bits(bloom, s, bits);

    for (i = 0; i < NGX_ARTIFACT_BLOOM_BITS; i++) {
        bloom->words[bits[i] / 64] |= (uint64_t) 1 << bits[i] % 64;
    }

    bloom->n++;
}


/* Double hashing (A. Kirsch and M. Mitzenmacher, 2006): one hash is enough. */

static void
ngx_artifact_bloom_bits(const ngx_artifact_bloom_t *bloom, art_str_t s,
    size_t bits[NGX_ARTIFACT_BLOOM_BITS])
{
    size_t    i, len;
    u_char    lower[NAME_MAX];
    uint64_t  hash;

    len = ngx_min(s.len, sizeof(lower));

    ngx_strlow(lower, (u_char *) s.data, len);

    hash = art_hash_keyed(bloom->seed, lower, len);

    for (i = 0; i < NGX_ARTIFACT_BLOOM_BITS; i++) {
        bits[i] = (size_t) (hash + i * (hash >> 32 | 1))
                  & (bloom->size * 64 - 1);
    }
}
