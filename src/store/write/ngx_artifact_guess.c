
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A session sends its media again with each request.  To compare them with
 * what is stored takes less time than a digest, so that is done where the
 * beginning tells what they may be.  A tag is a digest with the root's key:
 * nobody can make two contents have the same one.
 */


#include "store/write/ngx_artifact_guess.h"
#include "store/disk/ngx_artifact_area.h"


/* Sets of contents, and contents in one; they take 256 KB. */

#define NGX_ARTIFACT_GUESS_SETS  512
#define NGX_ARTIFACT_GUESS_WAYS  8


typedef struct {
    u_char     tag[NGX_ARTIFACT_HMAC];
    u_char     hmac[NGX_ARTIFACT_HMAC];
} ngx_artifact_guess_entry_t;


#define ngx_artifact_guess_lock()                                             \
    (!__atomic_exchange_n(&ngx_artifact_guess_locked, 1, __ATOMIC_ACQUIRE))
#define ngx_artifact_guess_unlock()                                           \
    __atomic_store_n(&ngx_artifact_guess_locked, 0, __ATOMIC_RELEASE)


static ngx_artifact_guess_entry_t *ngx_artifact_guess_set(const u_char *tag);
static ngx_uint_t ngx_artifact_guess_way(
    const ngx_artifact_guess_entry_t *set, const u_char *tag);
static void ngx_artifact_guess_first(ngx_artifact_guess_entry_t *set,
    ngx_uint_t way, const u_char *tag, const u_char *hmac);


/* In a set, the one used last is the first. */

static ngx_artifact_guess_entry_t
    ngx_artifact_guess_sets[NGX_ARTIFACT_GUESS_SETS][NGX_ARTIFACT_GUESS_WAYS];

static unsigned  ngx_artifact_guess_locked;


ngx_int_t
ngx_artifact_guess_find(ngx_artifact_guess_t *guess)
{
    ngx_uint_t                   way;
    ngx_artifact_guess_entry_t  *set;

    if (!ngx_artifact_guess_lock()) {
        return NGX_DECLINED;
    }

    set = ngx_artifact_guess_set(guess->tag);
    way = ngx_artifact_guess_way(set, guess->tag);

    if (way < NGX_ARTIFACT_GUESS_WAYS) {
        ngx_memcpy(guess->hmac, set[way].hmac, NGX_ARTIFACT_HMAC);
        ngx_artifact_guess_first(set, way, guess->tag, guess->hmac);
    }

    ngx_artifact_guess_unlock();

    return way < NGX_ARTIFACT_GUESS_WAYS ? NGX_OK : NGX_DECLINED;
}


void
ngx_artifact_guess_keep(const ngx_artifact_guess_t *guess, const u_char *hmac)
{
    ngx_uint_t                   way;
    ngx_artifact_guess_entry_t  *set;

    if (!ngx_artifact_guess_lock()) {
        return;
    }

    set = ngx_artifact_guess_set(guess->tag);
    way = ngx_artifact_guess_way(set, guess->tag);

    ngx_artifact_guess_first(set, ngx_min(way, NGX_ARTIFACT_GUESS_WAYS - 1),
                             guess->tag, hmac);

    ngx_artifact_guess_unlock();
}


static ngx_artifact_guess_entry_t *
ngx_artifact_guess_set(const u_char *tag)
{
    return ngx_artifact_guess_sets[(tag[0] << 8 | tag[1])
                                   % NGX_ARTIFACT_GUESS_SETS];
}


/* NGX_ARTIFACT_GUESS_WAYS if it is not there. */

static ngx_uint_t
ngx_artifact_guess_way(const ngx_artifact_guess_entry_t *set,
    const u_char *tag)
{
    ngx_uint_t  way;

    for (way = 0; way < NGX_ARTIFACT_GUESS_WAYS; way++) {
        if (ngx_memcmp(set[way].tag, tag, NGX_ARTIFACT_HMAC) == 0) {
            break;
        }
    }

    return way;
}


/* Puts an entry in front of the others, in place of the one at "way". */

static void
ngx_artifact_guess_first(ngx_artifact_guess_entry_t *set, ngx_uint_t way,
    const u_char *tag, const u_char *hmac)
{
    ngx_memmove(set + 1, set, way * sizeof(ngx_artifact_guess_entry_t));

    ngx_memcpy(set->tag, tag, NGX_ARTIFACT_HMAC);
    ngx_memcpy(set->hmac, hmac, NGX_ARTIFACT_HMAC);
}


/* After a difference as well: the time tells nobody in which piece it is. */

void
ngx_artifact_guess_compare(ngx_artifact_guess_t *guess, const u_char *p,
    size_t len)
{
    size_t   n;
    ssize_t  read;

    for ( /* void */ ; len > 0; len -= n, p += n) {
        n = ngx_min(len, guess->room);
        read = ngx_artifact_read_all(guess->fd, guess->buf, n, guess->pos);

        if (read != (ssize_t) n || ngx_memcmp(guess->buf, p, n) != 0) {
            guess->differs = 1;
        }

        guess->pos += (off_t) n;
    }
}
