
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Data roots: what one location writes, others have to find.
 */


#include "http/lint/ngx_http_artifact_lint.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/write/ngx_http_artifact_write.h"


/* Seconds for which a gateway may keep a request. */

#define NGX_HTTP_ARTIFACT_LINT_QUEUED  3600


/* Whether a location reads; *root is where, or NULL if that is not certain. */

typedef ngx_uint_t (*ngx_http_artifact_lint_root_pt)(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check, ngx_http_complex_value_t **root);


static void ngx_http_artifact_lint_standins(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_lint_folder(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_lint_is_inside(ngx_conf_t *cf,
    ngx_str_t *root);
static ngx_uint_t ngx_http_artifact_lint_has(ngx_conf_t *cf, ngx_str_t *root,
    const char *name);
static ngx_uint_t ngx_http_artifact_lint_is_filled(ngx_str_t *root);
static void ngx_http_artifact_lint_client(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_lint_lost(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static ngx_http_artifact_check_t *ngx_http_artifact_lint_elsewhere(
    ngx_http_artifact_lint_t *lint, ngx_http_artifact_check_t *check);
static void ngx_http_artifact_lint_unread_texts(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_lint_lost_standins(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static ngx_http_artifact_check_t *ngx_http_artifact_lint_other(
    ngx_http_artifact_lint_t *lint, ngx_http_artifact_check_t *check,
    ngx_http_artifact_lint_root_pt reads);
static ngx_uint_t ngx_http_artifact_lint_reader_root(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check, ngx_http_complex_value_t **root);
static ngx_uint_t ngx_http_artifact_lint_behind_root(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check, ngx_http_complex_value_t **root);
static void ngx_http_artifact_lint_layouts(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_lint_sees(ngx_artifact_layout_t *reader,
    ngx_artifact_layout_t *writer);
static void ngx_http_artifact_lint_expires(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_lint_runs(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static ngx_http_artifact_directive_t *ngx_http_artifact_lint_maker(
    ngx_http_artifact_check_t *check);


/* What a client writes into its request, as it is. */

static const char  *ngx_http_artifact_lint_clients[] = {
    "$http_",
    "${http_",
    "$arg_",
    "${arg_",
    "$cookie_",
    "${cookie_",
    NULL
};


void
ngx_http_artifact_lint_store(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_lint_standins(lint->cf, check);
    ngx_http_artifact_lint_lost_standins(lint, check);

    if (check->conf->root == NULL || check->clcf->noname
        || (!ngx_http_artifact_is_local(check->conf)
            && !(check->passes && check->answers->stores)))
    {
        return;
    }

    ngx_http_artifact_lint_folder(lint->cf, check);
    ngx_http_artifact_lint_client(lint->cf, check);
    ngx_http_artifact_lint_lost(lint, check);
    ngx_http_artifact_lint_unread_texts(lint, check);
    ngx_http_artifact_lint_layouts(lint, check);
    ngx_http_artifact_lint_expires(lint, check);
    ngx_http_artifact_lint_runs(lint, check);
}


/* Gateways queue, retry and batch what they have taken. */

static void
ngx_http_artifact_lint_standins(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_write_conf_t  *write;

    write = ngx_http_artifact_conf_of(check->conf,
                                      ngx_http_artifact_write_module);

    if (check->expand->standins == NULL || check->clcf->noname
        || write->expires == 0
        || write->expires >= NGX_HTTP_ARTIFACT_LINT_QUEUED)
    {
        return;
    }

    ngx_http_artifact_log_error(cf, NGX_LOG_WARN,
                   ngx_http_artifact_directive(check->conf,
                                               "artifact_expires"), 0,
                   "\"artifact_expires\" of location \"%V\" with "
                   "\"artifact_offload_request\" is less than an hour: media "
                   "may be gone before the gateway sends their stand-ins on",
                   &check->clcf->name);
}


/* The name alone is no mistake: there has to be something in the folder. */

static void
ngx_http_artifact_lint_folder(ngx_conf_t *cf, ngx_http_artifact_check_t *check)
{
    ngx_str_t  *root;

    root = &check->conf->root->value;

    if (check->conf->root->lengths == NULL
        && ngx_http_artifact_lint_is_inside(cf, root))
    {
        ngx_http_artifact_log_error(cf, NGX_LOG_WARN,
                       ngx_http_artifact_directive(check->conf,
                                                   "artifact_root"), 0,
                       "\"artifact_root\" \"%V\" is such a folder itself: its "
                       "content is looked for in \"%V/artifacts/\" and "
                       "\"%V/workspaces/\", name the folder that they are in",
                       root, root, root);
    }
}


static ngx_uint_t
ngx_http_artifact_lint_is_inside(ngx_conf_t *cf, ngx_str_t *root)
{
    u_char     *p, *end;
    ngx_str_t   name;

    end = root->data + root->len;

    while (end > root->data && end[-1] == '/') {
        end--;
    }

    for (p = end; p > root->data && p[-1] != '/'; p--) {
        /* void */
    }

    name.data = p;
    name.len = (size_t) (end - p);

    return ((name.len == 9 && ngx_strncmp(p, "artifacts", 9) == 0)
            || (name.len == 10 && ngx_strncmp(p, "workspaces", 10) == 0))
           && !ngx_http_artifact_lint_has(cf, root, "/artifacts")
           && !ngx_http_artifact_lint_has(cf, root, "/workspaces")
           && ngx_http_artifact_lint_is_filled(root);
}


static ngx_uint_t
ngx_http_artifact_lint_has(ngx_conf_t *cf, ngx_str_t *root, const char *name)
{
    ngx_str_t        path;
    ngx_file_info_t  fi;

    path = ngx_http_artifact_lint_join(cf, root, name);

    return path.len == 0
           || ngx_file_info(path.data, &fi) != NGX_FILE_ERROR;
}


static ngx_uint_t
ngx_http_artifact_lint_is_filled(ngx_str_t *root)
{
    u_char      *name;
    ngx_dir_t    dir;
    ngx_uint_t   filled;

    if (ngx_open_dir(root, &dir) == NGX_ERROR) {
        return 0;
    }

    filled = 0;

    while (!filled && ngx_read_dir(&dir) == NGX_OK) {
        name = ngx_de_name(&dir);
        filled = ngx_strcmp(name, ".") != 0 && ngx_strcmp(name, "..") != 0;
    }

    (void) ngx_close_dir(&dir);

    return filled;
}


/* Unless something is there that may have checked it. */

static void
ngx_http_artifact_lint_client(ngx_conf_t *cf, ngx_http_artifact_check_t *check)
{
    ngx_str_t    *root;
    const char  **name;

    root = &check->conf->root->value;

    for (name = ngx_http_artifact_lint_clients; *name; name++) {

        if (check->conf->root->lengths
            && ngx_strnstr(root->data, (char *) *name, root->len)
            && !ngx_http_artifact_lint_checks(cf, check->cscf,
                                          check->conf->loc_conf))
        {
            ngx_http_artifact_log_error(cf, NGX_LOG_WARN,
                       ngx_http_artifact_directive(check->conf,
                                                   "artifact_root"), 0,
                       "\"artifact_root\" \"%V\" has a part that the client "
                       "chooses, which may name any tenant: use a variable of "
                       "\"map\" or \"auth_request_set\" that has only names "
                       "that you know", root);
            return;
        }
    }
}


/*
 * Whether nobody finds what a location writes: a request to a model, or for an
 * artifact.  Elsewhere, as on another machine, somebody may.
 */

static void
ngx_http_artifact_lint_lost(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_check_t      *other;
    ngx_http_artifact_directive_t  *directive;

    directive = ngx_http_artifact_lint_maker(check);

    if (directive == NULL || check->conf->root->lengths) {
        return;
    }

    other = ngx_http_artifact_lint_elsewhere(lint, check);

    if (other) {
        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                       "\"%V\" of location \"%V\" writes into "
                       "\"artifact_root\" \"%V\", and location \"%V\" looks "
                       "references up in another one: use one "
                       "\"artifact_root\" for both", &directive->name,
                       &check->clcf->name, &check->conf->root->value,
                       &other->clcf->name);
    }
}


/*
 * A location of the server that looks references up, if all of them do so
 * elsewhere for certain.  Requests to models count most; without any, locations
 * that answer with artifacts.
 */

static ngx_http_artifact_check_t *
ngx_http_artifact_lint_elsewhere(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_uint_t                      i, served;
    ngx_http_core_loc_conf_t       *clcf;
    ngx_http_artifact_check_t      *one, *asks, *serves;
    ngx_http_artifact_loc_conf_t   *conf;

    asks = NULL;
    serves = NULL;
    served = 0;

    for (i = 0; i < lint->n; i++) {
        one = &lint->checks[i];

        if (one->conf->role && one->conf->role->uri == NGX_HTTP_ARTIFACT_URI_ID
            && one != check)
        {
            served |= !ngx_http_artifact_is_local(one->conf)
                      || one->conf->root == NULL
                      || !ngx_http_artifact_lint_differ(one->conf->root,
                                                        check->conf->root);

            if (one->cscf == check->cscf) {
                serves = serves ? serves : one;
            }
        }

        if (one->cscf != check->cscf
            || !ngx_http_artifact_lint_asks_source(one))
        {
            continue;
        }

        clcf = ngx_http_artifact_lint_source(lint->cf, one);
        conf = clcf ? ngx_http_artifact_lint_conf(clcf) : NULL;

        if (conf == NULL || !ngx_http_artifact_is_local(conf)
            || conf->root == NULL
            || !ngx_http_artifact_lint_differ(conf->root, check->conf->root))
        {
            return NULL;
        }

        if (one == check) {
            return one;
        }

        asks = asks ? asks : one;
    }

    if (served) {
        return NULL;
    }

    /* a role gives back what it has written, and URLs have their own rules */

    return asks || check->conf->role || check->conf->url ? asks : serves;
}


/*
 * A model is told to read the rest of a text with a tool of "artifact_mcp".  If
 * the configuration has such locations, one of them has to use the same root.
 */

static void
ngx_http_artifact_lint_unread_texts(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_check_t  *reader;

    if (!check->passes || !ngx_http_artifact_lint_shortens(check)) {
        return;
    }

    reader = ngx_http_artifact_lint_other(lint, check,
                                          ngx_http_artifact_lint_reader_root);

    if (reader) {
        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN,
                       ngx_http_artifact_directive(check->conf,
                                                   "artifact_offload_text"),
                       0, "\"artifact_offload_text\" of location \"%V\" "
                       "writes into \"artifact_root\" \"%V\", and "
                       "\"artifact_mcp\" of location \"%V\", with which models "
                       "read the rest, has another one: use one "
                       "\"artifact_root\" for both", &check->clcf->name,
                       &check->conf->root->value, &reader->clcf->name);
    }
}


/* What leaves in front of a gateway comes back behind it. */

static void
ngx_http_artifact_lint_lost_standins(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_check_t  *behind;

    if (check->expand->standins == NULL || !check->passes
        || check->clcf->noname || check->conf->root == NULL)
    {
        return;
    }

    behind = ngx_http_artifact_lint_other(lint, check,
                                          ngx_http_artifact_lint_behind_root);

    if (behind) {
        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN,
                       ngx_http_artifact_directive(check->conf,
                                                 "artifact_offload_request"),
                       0, "\"artifact_offload_request\" of location \"%V\" "
                       "writes into \"artifact_root\" \"%V\", and location "
                       "\"%V\", where stand-ins come back, looks them up in "
                       "another one: use one \"artifact_root\" for both",
                       &check->clcf->name, &check->conf->root->value,
                       &behind->clcf->name);
    }
}


/*
 * Returns a location that reads what this one writes.  Returns NULL if there is
 * no such location, or if one of them may have the same root.
 */

static ngx_http_artifact_check_t *
ngx_http_artifact_lint_other(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check, ngx_http_artifact_lint_root_pt reads)
{
    ngx_uint_t                  i;
    ngx_http_complex_value_t   *root;
    ngx_http_artifact_check_t  *one, *other;

    other = NULL;

    for (i = 0; i < lint->n; i++) {
        one = &lint->checks[i];

        if (one == check || one->clcf->noname
            || !reads(lint->cf, one, &root))
        {
            continue;
        }

        if (root == NULL
            || !ngx_http_artifact_lint_differ(root, check->conf->root))
        {
            return NULL;
        }

        other = one;
    }

    return other;
}


static ngx_uint_t
ngx_http_artifact_lint_reader_root(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check, ngx_http_complex_value_t **root)
{
    (void) cf;

    *root = check->conf->root;

    return ngx_http_artifact_lint_is(check->conf, "artifact_mcp");
}


static ngx_uint_t
ngx_http_artifact_lint_behind_root(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check, ngx_http_complex_value_t **root)
{
    ngx_http_core_loc_conf_t      *clcf;
    ngx_http_artifact_loc_conf_t  *conf;

    if (check->expand->expand != NGX_HTTP_ARTIFACT_EXPAND_STANDINS
        || !check->passes)
    {
        return 0;
    }

    clcf = ngx_http_artifact_lint_source(cf, check);
    conf = clcf ? ngx_http_artifact_lint_conf(clcf) : NULL;

    *root = conf && ngx_http_artifact_is_local(conf) ? conf->root : NULL;

    return 1;
}


/*
 * Locations with one root have one layout, or look into that of the others:
 * what a location with levels has written is not found in a flat one.
 */

static void
ngx_http_artifact_lint_layouts(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_uint_t                      i;
    ngx_http_artifact_check_t      *one;
    ngx_http_artifact_directive_t  *directive;

    if (check->conf->role
        && check->conf->role->uri == NGX_HTTP_ARTIFACT_URI_PATH)
    {
        return;
    }

    for (i = 0; i < lint->n; i++) {
        one = &lint->checks[i];

        if (one == check || one->conf->root == NULL
            || !ngx_http_artifact_lint_same(one->conf->root, check->conf->root)
            || ngx_http_artifact_lint_maker(one) == NULL
            || (one->conf->role
                && one->conf->role->uri == NGX_HTTP_ARTIFACT_URI_PATH)
            || ngx_http_artifact_lint_sees(check->conf->layout,
                                           one->conf->layout))
        {
            continue;
        }

        directive = ngx_http_artifact_directive(check->conf,
                                                "artifact_layout");
        if (directive == NULL) {
            directive = ngx_http_artifact_directive(check->conf,
                                                    "artifact_root");
        }

        if (directive->layouts) {
            return;
        }

        directive->layouts = 1;

        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                       "location \"%V\" has another \"artifact_layout\" than "
                       "location \"%V\", which writes into the same "
                       "\"artifact_root\": it will not find what was written, "
                       "use one layout for both", &check->clcf->name,
                       &one->clcf->name);
        return;
    }
}


static ngx_uint_t
ngx_http_artifact_lint_sees(ngx_artifact_layout_t *reader,
    ngx_artifact_layout_t *writer)
{
    static ngx_artifact_layout_t  flat;

    reader = reader ? reader : &flat;
    writer = writer ? writer : &flat;

    return ngx_memcmp(&reader->layout, &writer->layout,
                      sizeof(art_ref_layout_t))
           == 0
           || (reader->changes
               && ngx_memcmp(&reader->old, &writer->layout,
                             sizeof(art_ref_layout_t))
                  == 0);
}


/* What expires in a root by one way expires by all, unless it says "off". */

static void
ngx_http_artifact_lint_expires(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_uint_t                       i;
    ngx_http_artifact_check_t       *one;
    ngx_http_artifact_write_conf_t  *write;

    if (!check->passes || !check->answers->stores
        || ngx_http_artifact_directive(check->conf, "artifact_expires"))
    {
        return;
    }

    for (i = 0; i < lint->n; i++) {
        one = &lint->checks[i];
        write = ngx_http_artifact_conf_of(one->conf,
                                          ngx_http_artifact_write_module);

        if (one->cscf == check->cscf && write->expires > 0
            && ngx_http_artifact_lint_maker(one)
            && ngx_http_artifact_lint_same(one->conf->root, check->conf->root))
        {
            ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN,
                       ngx_http_artifact_directive(check->conf,
                                                   check->answers->stores), 0,
                       "\"%s\" of location \"%V\" has no "
                       "\"artifact_expires\", as location \"%V\" has: what it "
                       "stores is never removed, set \"artifact_expires\" "
                       "here, too, or to \"off\"", check->answers->stores,
                       &check->clcf->name, &one->clcf->name);
            return;
        }
    }
}


/*
 * What clients store is not to be run: by a page of theirs, SSI includes what
 * any location has, "internal" or of another tenant.
 */

static void
ngx_http_artifact_lint_runs(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_uint_t                      i;
    ngx_http_artifact_check_t      *one;
    ngx_http_artifact_directive_t  *directive, *maker;

    if (!ngx_http_artifact_has_refs(check->conf)
        || !ngx_http_artifact_lint_member(lint->cf, check->conf->loc_conf,
                                          "ssi"))
    {
        return;
    }

    directive = ngx_http_artifact_role_directive(check->conf);

    for (i = 0; i < lint->n; i++) {
        one = &lint->checks[i];
        maker = ngx_http_artifact_lint_maker(one);

        if (maker == NULL
            || !ngx_http_artifact_lint_same(one->conf->root, check->conf->root))
        {
            continue;
        }

        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                       "\"%V\" in location \"%V\" runs what clients write by "
                       "\"%V\" of location \"%V\", since \"ssi\" is \"on\": a "
                       "page can include any internal location, set \"ssi\" "
                       "to \"off\" here", &directive->name,
                       &check->clcf->name, &maker->name, &one->clcf->name);
        return;
    }
}


/* The directive by which a location makes artifacts or files; NULL: by none. */

static ngx_http_artifact_directive_t *
ngx_http_artifact_lint_maker(ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_loc_conf_t  *conf;

    conf = check->conf;

    if (check->clcf->noname) {
        return NULL;
    }

    if (ngx_http_artifact_is_local(conf)
        && (conf->writes || conf->role->uploads))
    {
        return ngx_http_artifact_role_directive(conf);
    }

    return check->passes && check->answers->stores
           ? ngx_http_artifact_directive(conf, check->answers->stores) : NULL;
}
