
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The type of a content: by the evidence of its first bytes, which the shared
 * zone has for each version of a file, and by libmagic, with one handle per
 * process, where that is not enough.
 */


#include "http/source/ngx_http_artifact_classify.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/media/art_ends.h"
#include "core/media/art_pixels.h"

#include <magic.h>


static ngx_uint_t ngx_http_artifact_is_judged(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, ngx_uint_t verify);
static void ngx_http_artifact_keep_verdict(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, ngx_uint_t verify);
static void ngx_http_artifact_set_known(ngx_http_artifact_source_t *source,
    art_evidence_t *evidence);
static art_str_t ngx_http_artifact_lookup_type(void *data,
    art_str_t extension);
static ngx_int_t ngx_http_artifact_evidence(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, art_claims_t *claims,
    art_evidence_t *evidence);
static ngx_int_t ngx_http_artifact_sniff(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, art_claims_t *claims,
    art_evidence_t *evidence);
static void ngx_http_artifact_sniff_samples(ngx_http_artifact_source_t *source,
    art_evidence_t *evidence);
static void ngx_http_artifact_read_pixels(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, art_evidence_t *evidence);
static void ngx_http_artifact_keep_evidence(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, art_evidence_t *evidence);
static art_end_t ngx_http_artifact_read_end(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);
static ssize_t ngx_http_artifact_read_at(ngx_http_artifact_source_t *source,
    u_char *buf, art_sample_t *sample);
static void ngx_http_artifact_magic_cleanup(void *data);


ngx_int_t
ngx_http_artifact_classify(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, ngx_uint_t verify)
{
    ngx_int_t  rc;

    rc = ngx_http_artifact_find_type(r, source, verify);

    if (rc != NGX_ERROR) {
        ngx_log_debug5(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact type: \"%*s\" from %s, rc %i%s",
                       source->verdict.type.len, source->verdict.type.buf,
                       art_from_name(source->verdict.from), rc,
                       source->verdict.contradicted ? ", not as declared" : "");

        ngx_http_artifact_classify_count(source->verdict.from,
                                         source->verdict.contradicted);
    }

    return rc;
}


void
ngx_http_artifact_classify_count(art_from_t from, ngx_uint_t contradicted)
{
    ngx_http_artifact_count_one(ART_COUNT_TYPES, from);
    ngx_http_artifact_count(ART_COUNT_CONTRADICTIONS, NULL, contradicted);
}


ngx_int_t
ngx_http_artifact_find_type(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, ngx_uint_t verify)
{
    ngx_int_t       rc;
    art_claims_t    claims;
    art_evidence_t  evidence;

    source->classified = 1;

    if (ngx_http_artifact_is_judged(r, source, verify)) {
        return NGX_OK;
    }

    ngx_http_artifact_claims(r, &source->meta,
                             ngx_artifact_str(&source->last_name),
                             &claims);

    if ((!verify || (!source->local && source->head == NULL))
        && art_classify(&claims, NULL, &source->verdict) == ART_OK)
    {
        return NGX_OK;
    }

    if (!source->local && source->head == NULL) {
        art_classify_unknown(&source->verdict);
        return NGX_OK;
    }

    rc = ngx_http_artifact_evidence(r, source, &claims, &evidence);

    if (rc == NGX_OK) {
        (void) art_classify(&claims, &evidence, &source->verdict);

        ngx_http_artifact_set_known(source, &evidence);
        ngx_http_artifact_keep_verdict(r, source, verify);

        return NGX_OK;
    }

    source->measured = 1;

    /* an unreadable content still has the type that its metadata declare */

    if (art_classify(&claims, NULL, &source->verdict) != ART_OK) {
        art_classify_unknown(&source->verdict);
    }

    return rc;
}


/*
 * Whether the verdict is known, since the content is cached: the claims are the
 * same then, except for what the location's "types" say.
 */

static ngx_uint_t
ngx_http_artifact_is_judged(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, ngx_uint_t verify)
{
    ngx_http_artifact_facts_t  *facts;

    facts = source->facts;

    if (facts == NULL || facts->verified != (verify & 1)
        || facts->judge != ngx_http_get_module_loc_conf(r,
                                                        ngx_http_core_module))
    {
        return 0;
    }

    ngx_log_debug0(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact evidence: open file cache");

    source->verdict = facts->verdict;

    ngx_http_artifact_set_known(source, &facts->evidence);

    return 1;
}


/* A declared charset is in the request's memory, and is not kept. */

static void
ngx_http_artifact_keep_verdict(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, ngx_uint_t verify)
{
    ngx_http_artifact_facts_t  *facts;

    facts = source->facts;

    if (facts == NULL || !facts->known || source->verdict.type.charset.len) {
        return;
    }

    facts->verdict = source->verdict;
    facts->verified = verify & 1;
    facts->judge = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
}


static void
ngx_http_artifact_set_known(ngx_http_artifact_source_t *source,
    art_evidence_t *evidence)
{
    source->width = evidence->width;
    source->height = evidence->height;
    source->measured = (evidence->pixels != ART_PIXELS_MORE);
    source->end = (art_end_t) evidence->end;
}


void
ngx_http_artifact_measure(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    art_claims_t    claims;
    art_pixels_t    pixels;
    art_evidence_t  evidence;

    if (source->measured
        || (source->classified && source->verdict.kind != ART_KIND_IMAGE)
        || (source->local ? source->file.fd == NGX_INVALID_FILE
                          : source->head == NULL))
    {
        return;
    }

    source->measured = 1;

    ngx_http_artifact_claims(r, &source->meta,
                             ngx_artifact_str(&source->last_name), &claims);

    if (ngx_http_artifact_evidence(r, source, &claims, &evidence) != NGX_OK) {
        return;
    }

    if (evidence.pixels == ART_PIXELS_MORE) {

        if (source->local) {
            ngx_http_artifact_read_pixels(r, source, &evidence);

        } else {
            art_pixels_init(&pixels);

            if (art_pixels_feed(&pixels, source->head, source->head_len)
                == ART_PIXELS_DONE)
            {
                evidence.width = pixels.width;
                evidence.height = pixels.height;
            }
        }
    }

    source->width = evidence.width;
    source->height = evidence.height;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact pixels: %uDx%uD", source->width,
                   source->height);
}


ngx_int_t
ngx_http_artifact_grow_head(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    u_char        *head;
    uint64_t       need;
    art_pixels_t   pixels;

    if (source->coded
        || source->head_room == NGX_HTTP_ARTIFACT_PIXELS_MAX)
    {
        return NGX_DECLINED;
    }

    art_pixels_init(&pixels);

    if (art_pixels_feed(&pixels, source->head, source->head_len)
        != ART_PIXELS_MORE)
    {
        return NGX_DECLINED;
    }

    need = art_pixels_next(&pixels);

    if (need > NGX_HTTP_ARTIFACT_PIXELS_MAX - ART_PIXELS_HOLD
        || (source->size >= 0 && need >= (uint64_t) source->size))
    {
        return NGX_DECLINED;
    }

    /* doubled at least, so that this happens a few times only */

    need = ngx_max(need + ART_PIXELS_HOLD, 2 * source->head_room);
    need = ngx_min(need, NGX_HTTP_ARTIFACT_PIXELS_MAX);

    head = ngx_pnalloc(r->pool, (size_t) need);
    if (head == NULL) {
        return NGX_DECLINED;
    }

    ngx_memcpy(head, source->head, source->head_len);

    (void) ngx_pfree(r->pool, source->head);

    source->head = head;
    source->head_room = (size_t) need;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact pixels: first %uz bytes wanted",
                   source->head_room);

    return NGX_OK;
}


void
ngx_http_artifact_claims(ngx_http_request_t *r, art_meta_t *meta,
    art_str_t last_name, art_claims_t *claims)
{
    ngx_memzero(claims, sizeof(art_claims_t));

    claims->declared[0] = meta->type;
    claims->declared[1] = meta->mime;
    claims->extension = meta->extension;
    claims->names[0] = meta->name;
    claims->names[1] = last_name;
    claims->lookup = ngx_http_artifact_lookup_type;
    claims->data = r;
    claims->text = meta->text;
}


/* The location's "types", without its default_type. */

static art_str_t
ngx_http_artifact_lookup_type(void *data, art_str_t extension)
{
    ngx_str_t                 *type;
    ngx_uint_t                 hash;
    ngx_http_request_t        *r;
    ngx_http_core_loc_conf_t  *clcf;

    r = data;
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    hash = ngx_hash_key((u_char *) extension.data, extension.len);

    type = ngx_hash_find(&clcf->types_hash, hash, (u_char *) extension.data,
                         extension.len);

    return type ? ngx_artifact_str(type) : art_str(NULL, 0);
}


static ngx_int_t
ngx_http_artifact_evidence(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, art_claims_t *claims,
    art_evidence_t *evidence)
{
    ngx_int_t                      rc;
    ngx_str_t                      block;
    ngx_uint_t                     known;
    ngx_http_artifact_facts_t     *facts;
    ngx_http_artifact_cache_key_t  key;

    if (!source->local) {
        return ngx_http_artifact_sniff(r, source, claims, evidence);
    }

    facts = source->facts;

    if (facts && facts->known
        && !art_classify_wants_magic(claims, &facts->evidence))
    {
        ngx_log_debug0(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact evidence: open file cache");

        *evidence = facts->evidence;

        return NGX_OK;
    }

    ngx_http_artifact_cache_key(&key, NGX_HTTP_ARTIFACT_CACHE_EVIDENCE,
                                &source->info);

    rc = ngx_http_artifact_cache_get(r, &key, art_str(NULL, 0), &block);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    known = (rc == NGX_OK && block.len == sizeof(art_evidence_t));

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact evidence: zone %s", known ? "hit" : "miss");

    if (known) {
        ngx_memcpy(evidence, block.data, sizeof(art_evidence_t));
    }

    /* with other metadata, libmagic may also have to be asked */

    if (!known || art_classify_wants_magic(claims, evidence)) {

        rc = ngx_http_artifact_sniff(r, source, claims, evidence);

        if (rc != NGX_OK) {
            return rc;
        }

        block.data = (u_char *) evidence;
        block.len = sizeof(art_evidence_t);

        ngx_http_artifact_cache_put(r, &key, art_str(NULL, 0), &block);
    }

    if (facts) {
        facts->evidence = *evidence;
        facts->known = 1;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_sniff(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, art_claims_t *claims,
    art_evidence_t *evidence)
{
    u_char   buf[ART_SNIFF_MAX];
    ssize_t  n;

    if (source->local) {
        n = ngx_read_file(&source->file, buf, ART_SNIFF_MAX, 0);

        if (n == NGX_ERROR) {
            return NGX_DECLINED;
        }

        source->head = buf;
        source->head_len = (size_t) n;
        source->whole = (n == source->size);
    }

    if (source->head == NULL) {
        return NGX_DECLINED;
    }

    art_sniff(source->head, source->head_len, source->whole, evidence);

    if (source->local) {
        ngx_http_artifact_sniff_samples(source, evidence);
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact evidence: %uz bytes of %O",
                   source->head_len, source->size);

    if (art_classify_wants_magic(claims, evidence)) {
        ngx_http_artifact_ask_magic(r, source->head, source->head_len,
                                    evidence);
    }

    if (source->local) {
        source->head = NULL;
    }

    return NGX_OK;
}


/*
 * Examines other offsets of a file, one or two samples of 2 KB.  If they cannot
 * be read here, the file cannot be sent either.
 */

static void
ngx_http_artifact_sniff_samples(ngx_http_artifact_source_t *source,
    art_evidence_t *evidence)
{
    u_char        buf[ART_SNIFF_SAMPLE_MAX];
    ssize_t       n;
    unsigned      i, nsamples;
    art_sample_t  samples[ART_SNIFF_SAMPLES];

    nsamples = art_sniff_samples(source->head, source->head_len,
                                 (uint64_t) source->size, evidence, samples);

    for (i = 0; i < nsamples; i++) {
        n = ngx_read_file(&source->file, buf, samples[i].len,
                          (off_t) samples[i].offset);

        if (n == NGX_ERROR) {
            return;
        }

        art_sniff_sample(buf, (size_t) n,
                         (off_t) samples[i].offset + n == source->size,
                         evidence);
    }
}


/*
 * An image whose size is not in its first bytes, but behind Exif or a profile,
 * or at the end of the file.  Only these bytes are read, and only once as long
 * as the evidence is cached.
 */

static void
ngx_http_artifact_read_pixels(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, art_evidence_t *evidence)
{
    off_t                          offset;
    u_char                         buf[ART_SNIFF_MAX];
    ssize_t                        n;
    ngx_uint_t                     i;
    art_pixels_t                   pixels;
    art_pixels_status_t            status;

    art_pixels_init(&pixels);
    status = ART_PIXELS_MORE;

    for (i = 0; i < NGX_HTTP_ARTIFACT_PIXELS_READS
                && status == ART_PIXELS_MORE; i++)
    {
        offset = (off_t) art_pixels_next(&pixels);

        if (offset >= source->size) {
            break;
        }

        n = ngx_read_file(&source->file, buf, ART_SNIFF_MAX, offset);

        if (n == NGX_ERROR) {
            return;
        }

        if (n == 0) {
            break;
        }

        art_pixels_skip(&pixels);
        status = art_pixels_feed(&pixels, buf, (size_t) n);
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact pixels: %ui reads", i);

    evidence->pixels = ART_PIXELS_NONE;

    if (status == ART_PIXELS_DONE) {
        evidence->pixels = ART_PIXELS_DONE;
        evidence->width = pixels.width;
        evidence->height = pixels.height;
    }

    ngx_http_artifact_keep_evidence(r, source, evidence);
}


/* More is known about a version of a file. */

static void
ngx_http_artifact_keep_evidence(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, art_evidence_t *evidence)
{
    ngx_str_t                      block;
    ngx_http_artifact_cache_key_t  key;

    if (source->facts) {
        source->facts->evidence = *evidence;
    }

    ngx_http_artifact_cache_key(&key, NGX_HTTP_ARTIFACT_CACHE_EVIDENCE,
                                &source->info);

    block.data = (u_char *) evidence;
    block.len = sizeof(art_evidence_t);

    ngx_http_artifact_cache_put(r, &key, art_str(NULL, 0), &block);
}


void
ngx_http_artifact_find_end(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    art_claims_t    claims;
    art_evidence_t  evidence;

    if (source->end != ART_END_UNKNOWN) {
        return;
    }

    if (!source->local) {
        source->end = ngx_http_artifact_read_end(r, source);
        return;
    }

    ngx_http_artifact_claims(r, &source->meta,
                             ngx_artifact_str(&source->last_name), &claims);

    if (ngx_http_artifact_evidence(r, source, &claims, &evidence) != NGX_OK) {
        return;
    }

    if (evidence.end == ART_END_UNKNOWN) {
        evidence.end = (uint8_t) ngx_http_artifact_read_end(r, source);

        if (evidence.end != ART_END_UNKNOWN) {
            ngx_http_artifact_keep_evidence(r, source, &evidence);
        }
    }

    source->end = (art_end_t) evidence.end;
}


/*
 * A content that cannot be read, or not to its length, has no end that could be
 * missing: whoever sends it will see.
 */

static art_end_t
ngx_http_artifact_read_end(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    u_char           buf[ART_ENDS_PIECE];
    off_t            size;
    ssize_t          n;
    art_sample_t     sample;
    art_ends_file_t  file;

    size = source->whole ? (off_t) source->head_len : source->size;

    if (size <= 0 || source->coded) {
        return ART_END_UNKNOWN;
    }

    art_ends_init(&file, (uint64_t) size);

    while (art_ends_next(&file, &sample)) {

        n = ngx_http_artifact_read_at(source, buf, &sample);

        if (n <= 0) {
            return ART_END_UNKNOWN;
        }

        art_ends_sample(&file, buf, (size_t) n);
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact end: %d of %O bytes", file.end, size);

    return file.end;
}


/* Reads a few bytes of a content; 0: they are not at hand. */

static ssize_t
ngx_http_artifact_read_at(ngx_http_artifact_source_t *source, u_char *buf,
    art_sample_t *sample)
{
    if (source->local) {
        return ngx_read_file(&source->file, buf, sample->len,
                             (off_t) sample->offset);
    }

    if (sample->offset + sample->len <= source->head_len) {
        ngx_memcpy(buf, source->head + sample->offset, sample->len);
        return (ssize_t) sample->len;
    }

    if (source->stored == NULL) {
        return 0;
    }

    return ngx_read_file(source->stored, buf, sample->len,
                         source->stored_at + (off_t) sample->offset);
}


/*
 * Text is recognized without libmagic, whose checks of text take milliseconds;
 * those of compressed or large structures are also off.
 */

ngx_int_t
ngx_http_artifact_init_magic(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf)
{
    magic_t              magic;
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    magic = magic_open(MAGIC_MIME_TYPE|MAGIC_NO_CHECK_COMPRESS
                       |MAGIC_NO_CHECK_TAR|MAGIC_NO_CHECK_ELF
                       |MAGIC_NO_CHECK_TEXT|MAGIC_NO_CHECK_CDF
                       |MAGIC_NO_CHECK_CSV|MAGIC_NO_CHECK_TOKENS
                       |MAGIC_NO_CHECK_ENCODING|MAGIC_NO_CHECK_JSON);

    if (magic == NULL) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, ngx_errno,
                      "magic_open() failed");
        return NGX_ERROR;
    }

    cln->handler = ngx_http_artifact_magic_cleanup;
    cln->data = magic;

    if (magic_load(magic, NULL) != 0) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "magic_load() failed: %s", magic_error(magic));
        return NGX_ERROR;
    }

    amcf->magic = magic;

    return NGX_OK;
}


static void
ngx_http_artifact_magic_cleanup(void *data)
{
    magic_close(data);
}


void
ngx_http_artifact_ask_magic(ngx_http_request_t *r, u_char *p, size_t len,
    art_evidence_t *evidence)
{
    const char                     *mime;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);

    mime = magic_buffer(amcf->magic, p, len);

    if (mime == NULL) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "magic_buffer() failed: %s", magic_error(amcf->magic));
        mime = "";
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact libmagic: \"%s\"", mime);

    art_sniff_magic(evidence, art_cstr(mime));
}
