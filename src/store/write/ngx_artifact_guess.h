
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a content may be, by its beginning.
 */


#ifndef NGX_ARTIFACT_GUESS_H_INCLUDED_
#define NGX_ARTIFACT_GUESS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


#define NGX_ARTIFACT_HMAC             32     /* bytes of HMAC-SHA256 */
#define NGX_ARTIFACT_GUESS_BEGINNING  32768  /* bytes of a content */


/*
 * A content so far.  "tag" is a digest of its beginning, "hmac" that of the
 * content that it may be, and "fd" the file of this, to be compared; or it is
 * NGX_INVALID_FILE.  The file is read into "buf".
 */

typedef struct {
    u_char    *buf;
    size_t     room;                         /* bytes of "buf" */
    ngx_fd_t   fd;
    off_t      size;                         /* of the file */
    off_t      pos;                          /* bytes so far */
    u_char     tag[NGX_ARTIFACT_HMAC];
    u_char     hmac[NGX_ARTIFACT_HMAC];
    unsigned   tagged:1;
    unsigned   differs:1;
} ngx_artifact_guess_t;


/*
 * Some thousand contents, the ones used last, for each process and all of its
 * threads.  The first finds guess->hmac by guess->tag: NGX_OK, or NGX_DECLINED.
 * The second keeps an hmac for that tag.  Either may do nothing, if a thread is
 * at it.
 */

ngx_int_t ngx_artifact_guess_find(ngx_artifact_guess_t *guess);
void ngx_artifact_guess_keep(const ngx_artifact_guess_t *guess,
    const u_char *hmac);


/*
 * Compares the next bytes with the file, and sets guess->differs.  The last one
 * tells whether the content has ended as the file does, and is the same.
 */

void ngx_artifact_guess_compare(ngx_artifact_guess_t *guess, const u_char *p,
    size_t len);

#define ngx_artifact_guess_is_right(guess)                                    \
    (!(guess)->differs && (guess)->pos == (guess)->size)


#endif /* NGX_ARTIFACT_GUESS_H_INCLUDED_ */
