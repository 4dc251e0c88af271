
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/media/art_media.h"
#include "core/meta/art_meta.h"
#include "core/text/art_utf8.h"


static void *ngx_http_artifact_core_alloc(void *data, size_t size);
static art_out_t ngx_http_artifact_out(ngx_pool_t *pool, size_t room);
static ngx_uint_t ngx_http_artifact_has_codings(ngx_str_t *list);
static ngx_int_t ngx_http_artifact_joined(ngx_pool_t *pool,
    ngx_array_t *pieces, ngx_str_t *value);


art_pool_t
ngx_http_artifact_core_pool(ngx_pool_t *pool)
{
    art_pool_t  core;

    core.alloc = ngx_http_artifact_core_alloc;
    core.data = pool;

    return core;
}


static void *
ngx_http_artifact_core_alloc(void *data, size_t size)
{
    ngx_pool_t *pool = data;

    return ngx_palloc(pool, size);
}


ngx_uint_t
ngx_http_artifact_print_again(ngx_pool_t *pool, art_out_t *out)
{
    if (out->data) {
        return 0;
    }

    *out = ngx_http_artifact_out(pool, out->len);

    return out->data != NULL;
}


/* Memory of the pool for a measured output; data NULL when out of memory. */

static art_out_t
ngx_http_artifact_out(ngx_pool_t *pool, size_t room)
{
    art_out_t  out;

    out.len = 0;
    out.room = room;
    out.data = ngx_pnalloc(pool, room ? room : 1);

    return out;
}


ngx_int_t
ngx_http_artifact_line(ngx_pool_t *pool, art_str_t name, ngx_str_t *line)
{
    art_out_t  out;

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_utf8_name(&out, name);
    } while (ngx_http_artifact_print_again(pool, &out));

    line->data = out.data;
    line->len = out.len;

    return out.data ? NGX_OK : NGX_ERROR;
}


ngx_int_t
ngx_http_artifact_arg(ngx_http_request_t *r, const char *name,
    ngx_str_t *value)
{
    u_char  *src, *dst;

    if (ngx_http_arg(r, (u_char *) name, ngx_strlen(name), value) != NGX_OK) {
        ngx_str_null(value);
        return NGX_OK;
    }

    src = value->data;
    dst = ngx_pnalloc(r->pool, value->len + 1);

    if (dst == NULL) {
        return NGX_ERROR;
    }

    value->data = dst;
    ngx_unescape_uri(&dst, &src, value->len, 0);
    value->len = (size_t) (dst - value->data);

    return NGX_OK;
}


ngx_uint_t
ngx_http_artifact_header_is(ngx_table_elt_t *header, const char *name)
{
    /* most names differ in their first letter, in either case */

    if (header->key.len == 0
        || ((header->key.data[0] ^ (u_char) name[0]) & ~0x20))
    {
        return 0;
    }

    return header->key.len == ngx_strlen(name)
           && ngx_strncasecmp(header->key.data, (u_char *) name,
                              header->key.len)
              == 0;
}


ngx_table_elt_t *
ngx_http_artifact_next_header(ngx_list_part_t **part, ngx_uint_t *n)
{
    ngx_table_elt_t  *header;

    for ( /* void */ ; *part; *part = (*part)->next, *n = 0) {

        header = (*part)->elts;

        while (*n < (*part)->nelts) {
            (*n)++;

            if (header[*n - 1].hash) {
                return &header[*n - 1];
            }
        }
    }

    return NULL;
}


ngx_table_elt_t *
ngx_http_artifact_next_named(ngx_list_part_t **part, ngx_uint_t *n,
    const char *name)
{
    size_t            len;
    ngx_table_elt_t  *header;

    len = ngx_strlen(name);

    do {
        header = ngx_http_artifact_next_header(part, n);
    } while (header
             && (header->key.len != len
                 || ngx_strncasecmp(header->key.data, (u_char *) name, len)
                    != 0));

    return header;
}


ngx_table_elt_t *
ngx_http_artifact_find_header(ngx_list_t *headers, const char *name)
{
    ngx_uint_t        n;
    ngx_list_part_t  *part;

    n = 0;
    part = &headers->part;

    return ngx_http_artifact_next_named(&part, &n, name);
}


ngx_uint_t
ngx_http_artifact_is_encoded(ngx_list_t *headers)
{
    ngx_uint_t        n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header;

    n = 0;
    part = &headers->part;

    while ((header = ngx_http_artifact_next_named(&part, &n,
                                                  "Content-Encoding")))
    {
        if (header->value.len > 0
            && !art_str_is(ngx_artifact_str(&header->value), "identity"))
        {
            return 1;
        }
    }

    return 0;
}


ngx_uint_t
ngx_http_artifact_is_json(ngx_http_request_t *r)
{
    art_str_t         type;
    art_media_type_t  parsed;

    if (r->headers_in.content_type == NULL) {
        return 0;
    }

    type = ngx_artifact_str(&r->headers_in.content_type->value);

    /* most clients write it like this */

    if (art_str_eq(type, art_cstr("application/json"))) {
        return 1;
    }

    art_media_parse(type, &parsed);

    return art_str_eq(art_str(parsed.buf, parsed.len),
                      art_cstr("application/json"));
}


void
ngx_http_artifact_drop_no_codings(ngx_http_request_t *r)
{
    ngx_uint_t        n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header;

    n = 0;
    part = &r->headers_out.headers.part;

    while ((header = ngx_http_artifact_next_named(&part, &n,
                                                  "Content-Encoding")))
    {
        if (!ngx_http_artifact_has_codings(&header->value)) {

            header->hash = 0;

            if (header == r->headers_out.content_encoding) {
                r->headers_out.content_encoding = NULL;
            }
        }
    }
}


/* Cuts a list down to its codings; whether there are any. */

static ngx_uint_t
ngx_http_artifact_has_codings(ngx_str_t *list)
{
    u_char      *p, *end, *last;
    art_str_t    word;
    ngx_str_t    rest;
    ngx_uint_t   i;

    static const char *const  none[] = {
        "", "identity", "aws-chunked", "utf-8", "utf8", "none", "binary"
    };

    end = list->data + list->len;
    ngx_str_null(&rest);

    for (p = list->data; p < end; p = last + 1) {
        last = ngx_strlchr(p, end, ',');
        last = last ? last : end;
        word = art_str(p, (size_t) (last - p));

        while (word.len > 0 && word.data[0] == ' ') {
            word.data++;
            word.len--;
        }

        while (word.len > 0 && word.data[word.len - 1] == ' ') {
            word.len--;
        }

        for (i = 0; i < art_nitems(none) && !art_str_is(word, none[i]); i++) {
            /* void */
        }

        if (i < art_nitems(none)) {
            continue;
        }

        /* a list of several is no coding that anything here decodes */

        if (rest.len > 0) {
            return 1;
        }

        rest.data = (u_char *) word.data;
        rest.len = word.len;
    }

    *list = rest;

    return rest.len > 0;
}


ngx_int_t
ngx_http_artifact_add_header(ngx_http_request_t *r, const char *key,
    ngx_str_t *value)
{
    return ngx_http_artifact_push_header(r, key, value) ? NGX_OK : NGX_ERROR;
}


ngx_table_elt_t *
ngx_http_artifact_push_header(ngx_http_request_t *r, const char *key,
    ngx_str_t *value)
{
    ngx_table_elt_t  *h;

    h = ngx_list_push(&r->headers_out.headers);
    if (h == NULL) {
        return NULL;
    }

    h->hash = 1;
#if (nginx_version >= 1023000)
    h->next = NULL;
#endif
    h->key.data = (u_char *) key;
    h->key.len = ngx_strlen(key);
    h->value = *value;

    return h;
}


ngx_int_t
ngx_http_artifact_add_slash(ngx_http_request_t *r)
{
    u_char     *p;
    size_t      escape;
    ngx_str_t   location;

    escape = 2 * ngx_escape_uri(NULL, r->uri.data, r->uri.len, NGX_ESCAPE_URI);

    p = ngx_pnalloc(r->pool, r->uri.len + escape + 2 + r->args.len);
    if (p == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    location.data = p;

    p = (u_char *) ngx_escape_uri(p, r->uri.data, r->uri.len, NGX_ESCAPE_URI);
    *p++ = '/';

    if (r->args.len) {
        *p++ = '?';
        p = ngx_cpymem(p, r->args.data, r->args.len);
    }

    location.len = (size_t) (p - location.data);

    ngx_http_clear_location(r);

    r->headers_out.location = ngx_http_artifact_push_header(r, "Location",
                                                            &location);
    if (r->headers_out.location == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return NGX_HTTP_MOVED_PERMANENTLY;
}


ngx_int_t
ngx_http_artifact_concat(ngx_pool_t *pool, ngx_str_t *out, art_str_t a,
    art_str_t b)
{
    u_char  *p;

    out->len = a.len + b.len;
    out->data = ngx_pnalloc(pool, out->len + 1);

    if (out->data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(out->data, a.data, a.len);
    p = ngx_cpymem(p, b.data, b.len);
    *p = '\0';

    return NGX_OK;
}


void
ngx_http_artifact_last_name(ngx_str_t *path, ngx_str_t *name)
{
    u_char  *p, *last;

    last = path->data + path->len;

    for (p = last; p > path->data && p[-1] != '/'; p--) {
        /* void */
    }

    name->data = p;
    name->len = (size_t) (last - p);
}


ngx_uint_t
ngx_http_artifact_lacks_variable(ngx_http_request_t *r,
    ngx_http_complex_value_t *conf, ngx_str_t *path)
{
    ngx_str_t                  *text;
    ngx_uint_t                 *index;
    ngx_http_variable_t        *v;
    ngx_http_variable_value_t  *value;
    ngx_http_core_main_conf_t  *cmcf;

    text = &conf->value;

    if (conf->flushes == NULL || text->len == 0 || path->len == 0
        || ((path->data[0] == '/') == (text->data[0] == '/')
            && ((path->data[path->len - 1] == '/')
                <= (text->data[text->len - 1] == '/'))
            && ngx_strnstr(path->data, "//", path->len) == NULL))
    {
        return 0;
    }

    for (index = conf->flushes; *index != (ngx_uint_t) -1; index++) {

        value = ngx_http_get_indexed_variable(r, *index);

        if (value && !value->not_found && value->len > 0) {
            continue;
        }

        cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
        v = cmcf->variables.elts;

        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "the variable \"%V\" in \"%V\" is empty",
                      &v[*index].name, text);
        return 1;
    }

    return 0;
}


ngx_int_t
ngx_http_artifact_id_value(ngx_http_request_t *r,
    ngx_http_complex_value_t *cv, art_str_t *value)
{
    ngx_str_t  text;

    if (ngx_http_complex_value(r, cv, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    *value = art_str(text.data, art_utf8_cut(text.data, text.len,
                                             ART_META_ID_MAX));

    return NGX_OK;
}


u_char *
ngx_http_artifact_job_path(ngx_http_request_t *r,
    const ngx_artifact_write_job_t *job)
{
    art_out_t  out;

    if (job->root.len == 0 || (!job->artifact && job->workspace.len == 0)) {
        return (u_char *) "";
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_out_cstr(&out, " \"");
        art_out_str(&out, job->root);

        if (job->artifact) {
            art_out_cstr(&out, "/artifacts/");
            art_out_cstr(&out, job->file ? job->file : job->id);
            art_out_mem(&out, job->extension,
                        job->file ? 0 : job->extension_len);

        } else {
            art_out_cstr(&out, "/workspaces/");
            art_utf8_name(&out, job->workspace);
            art_out_char(&out, '/');
            art_utf8_name(&out, job->path);
        }

        art_out_char(&out, '"');
        art_out_char(&out, '\0');
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return out.data ? out.data : (u_char *) "";
}


u_char *
ngx_http_artifact_job_failure(ngx_http_request_t *r,
    const ngx_artifact_write_job_t *job)
{
    u_char  *path, *text;
    size_t   len;

    if (job->action == NULL) {
        return (u_char *) "";
    }

    path = ngx_http_artifact_job_path(r, job);
    len = sizeof(": ") - 1 + ngx_strlen(job->action) + ngx_strlen(path);

    text = ngx_pnalloc(r->pool, len + 1);
    if (text == NULL) {
        return (u_char *) "";
    }

    ngx_sprintf(text, ": %s%s%Z", job->action, path);

    return text;
}


ngx_int_t
ngx_http_artifact_lines_value(ngx_http_request_t *r,
    ngx_http_complex_value_t *val, ngx_str_t *value)
{
    size_t                        len;
    ngx_str_t                    *piece;
    ngx_array_t                   pieces;
    ngx_http_script_code_pt       code;
    ngx_http_script_engine_t      e, le;
    ngx_http_script_len_code_pt   lcode;

    if (val->lengths == NULL) {
        *value = val->value;
        return NGX_OK;
    }

    if (ngx_array_init(&pieces, r->pool, 8, sizeof(ngx_str_t)) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_script_flush_complex_value(r, val);

    ngx_memzero(&e, sizeof(ngx_http_script_engine_t));

    e.request = r;
    e.flushed = 1;

    le = e;
    e.ip = val->values;
    le.ip = val->lengths;

    /*
     * each length is taken right before its value: one variable may change
     * another, as a map does that sets a capture
     */

    while (*(uintptr_t *) e.ip && *(uintptr_t *) le.ip) {
        code = *(ngx_http_script_code_pt *) e.ip;
        lcode = *(ngx_http_script_len_code_pt *) le.ip;

        len = lcode(&le);
        piece = ngx_array_push(&pieces);
        e.pos = ngx_pnalloc(r->pool, len + 1);

        if (piece == NULL || e.pos == NULL) {
            return NGX_ERROR;
        }

        piece->data = e.pos;
        code(&e);
        piece->len = e.pos - piece->data;

        if (code != ngx_http_script_copy_code
            && ngx_http_artifact_line(r->pool, ngx_artifact_str(piece),
                                      piece)
               != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return ngx_http_artifact_joined(r->pool, &pieces, value);
}


static ngx_int_t
ngx_http_artifact_joined(ngx_pool_t *pool, ngx_array_t *pieces,
    ngx_str_t *value)
{
    u_char      *p;
    ngx_str_t   *piece;
    ngx_uint_t   i;

    piece = pieces->elts;
    value->len = 0;

    for (i = 0; i < pieces->nelts; i++) {
        value->len += piece[i].len;
    }

    value->data = ngx_pnalloc(pool, value->len + 1);
    if (value->data == NULL) {
        return NGX_ERROR;
    }

    p = value->data;

    for (i = 0; i < pieces->nelts; i++) {
        p = ngx_cpymem(p, piece[i].data, piece[i].len);
    }

    return NGX_OK;
}
