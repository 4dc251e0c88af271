
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A request composed as the glue would do it: scanned in pieces, its sources
 * asked, rendered and spliced.
 */


#ifndef ART_EXPAND_RUN_H_INCLUDED_
#define ART_EXPAND_RUN_H_INCLUDED_


#include <jansson.h>

#include "core/capability/art_capability.h"
#include "core/media/art_find.h"
#include "core/expand/art_expand_edit.h"
#include "core/expand/art_expand_plan.h"
#include "core/expand/art_expand_scan.h"
#include "core/expand/art_expand_splice.h"
#include "core/render/art_render.h"
#include "tap.h"


#define OUT_MAX   (1 << 20)

#define ALL_CAPS  0x3f

#define RUN_MIN   80             /* characters of base64 */


/* UUIDs, as markers have them. */

#define IMG_ID    "0190a5f0-0000-7000-8000-000000000001"
#define PDF_ID    "0190a5f0-0000-7000-8000-000000000002"
#define TXT_ID    "0190a5f0-0000-7000-8000-00000000000a"
#define GONE_ID   "0190a5f0-0000-7000-8000-00000000000f"


/*
 * Artifacts that there are: the id is what comes before the dot.  With RUN_REAL
 * their contents are what their types say.
 */

#ifdef RUN_REAL

#define RUN_PNG  "\x89PNG\r\n\x1a\n\0\0\0\0IEND\xae\x42\x60\x82"
#define RUN_PDF  "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n%%EOF\n"
#define RUN_MP3  "ID3\4\0\0\0\0\0\0"
#define RUN_MP4  "\0\0\0\x18" "ftypmp42\0\0\0\0mp42isom"
#define RUN_ZIP  "PK\3\4\x14\0\0\0"

#else

#define RUN_PNG  "PNGDATA"
#define RUN_PDF  "%PDF-1"
#define RUN_MP3  "ID3"
#define RUN_MP4  "ftyp"
#define RUN_ZIP  "PK"

#endif

#define RUN_OF(content)  content, sizeof(content) - 1

static const struct {
    const char  *id;
    const char  *name;
    art_kind_t   kind;
    const char  *mime;
    const char  *content;
    size_t       size;
} sources[] = {
    { IMG_ID, "shot.png", ART_KIND_IMAGE, "image/png", RUN_OF(RUN_PNG) },
    { PDF_ID, "r.pdf", ART_KIND_DOCUMENT, "application/pdf",
      RUN_OF(RUN_PDF) },
    { TXT_ID, "t.txt", ART_KIND_TEXT, "text/plain",
      RUN_OF("a \"text\"\n") },
    { "img", "shot.png", ART_KIND_IMAGE, "image/png", RUN_OF(RUN_PNG) },
    { "pdf", "r.pdf", ART_KIND_DOCUMENT, "application/pdf",
      RUN_OF(RUN_PDF) },
    { "mp3", "a.mp3", ART_KIND_AUDIO, "audio/mpeg", RUN_OF(RUN_MP3) },
    { "mp4", "v.mp4", ART_KIND_VIDEO, "video/mp4", RUN_OF(RUN_MP4) },
    { "txt", "t.txt", ART_KIND_TEXT, "text/plain",
      RUN_OF("a \"text\"\n") },
    { "nil", "e.txt", ART_KIND_TEXT, "text/plain", RUN_OF("") },
    { "svg", "s.svg", ART_KIND_IMAGE, "image/svg+xml",
      RUN_OF("<svg/>") },
    { "zip", "z.zip", ART_KIND_OTHER, "application/zip", RUN_OF(RUN_ZIP) }
};


/* Memory of one composition, freed with it. */

typedef struct pool_s  pool_t;

struct pool_s {
    pool_t      *next;
    size_t       size;
};

static pool_t  *pool;
static size_t   pool_bytes;
static size_t   pool_left = SIZE_MAX;    /* allocations before it fails */


static void *
pool_alloc(void *data, size_t size)
{
    pool_t  *item;

    (void) data;

    if (pool_left == 0) {
        return NULL;
    }

    pool_left -= pool_left != SIZE_MAX;

    item = malloc(sizeof(pool_t) + size);
    memset(item, 0xa5, sizeof(pool_t) + size);

    item->next = pool;
    item->size = size;
    pool = item;
    pool_bytes += size;

    return item + 1;
}


static TAP_UNUSED void
pool_free(void)
{
    pool_t  *next;

    for (/* void */; pool != NULL; pool = next) {
        next = pool->next;
        free(pool);
    }

    pool_bytes = 0;
}


/* What references in arguments become, of bodies that are calls. */

static art_argument_t  scan_argument;


/* What stand-ins are: art_scan_conf_t.standins. */

static unsigned  scan_standins;


/* A scan, and the room for what is private of it. */

static uint64_t  scan_room[8960];

#define scan  (*(art_scan_t *) (void *) scan_room)

static const uint8_t  *scanned;  /* the body */


/* Scans a body in pieces of "piece" bytes, 0: random ones. */

static TAP_UNUSED art_scan_status_t
scan_body(const char *api, const void *body, size_t len, size_t piece,
    uint32_t refs_max)
{
    int               rc;
    size_t            n;
    uint8_t          *copy;
    art_scan_conf_t   conf;
    const uint8_t    *p;

    memset(&conf, 0, sizeof(conf));

    conf.api = art_api_find(art_cstr(api));
    conf.pool.alloc = pool_alloc;
    conf.url.prefix = art_cstr("https://h/a/");
    conf.refs_max = refs_max;
    conf.run_min = RUN_MIN;
    conf.argument = scan_argument;
    conf.standins = scan_standins;

    if (art_scan_size() > sizeof(scan_room)) {
        abort();
    }

    art_scan_init(&scan, &conf);

    scanned = body;
    rc = ART_OK;

    for (p = body; len > 0 && rc == ART_OK; p += n, len -= n) {
        n = piece ? piece : 1 + tap_below(40);
        n = n < len ? n : len;

        if (n > 4096) {
            rc = art_scan_feed(&scan, p, n);
            continue;
        }

        /* a copy that nobody may look behind, or at later */

        copy = malloc(n);
        memcpy(copy, p, n);
        rc = art_scan_feed(&scan, copy, n);
        free(copy);
    }

    return art_scan_end(&scan);
}


static TAP_UNUSED art_message_reader_t
reader_of(const char *which)
{
    art_message_reader_t  reader;

    memset(&reader, 0, sizeof(reader));

    reader.tool_media = strcmp(which, "leaves") == 0;
    reader.known = strcmp(which, "unknown") != 0 && !reader.tool_media;
    reader.by_url = strcmp(which, "fetches") == 0;
    reader.caps = strcmp(which, "sees") == 0 || reader.by_url
                  ? ALL_CAPS : ART_CAP_TEXT;
    reader.lang = ART_LANG_EN;

    return reader;
}


static void
source_view(art_view_t *view, art_meta_t *meta, size_t n, art_str_t id)
{
    memset(view, 0, sizeof(*view));
    memset(meta, 0, sizeof(*meta));

    view->meta = meta;
    view->id = id;
    view->name = art_cstr(sources[n].name);
    view->kind = sources[n].kind;
    view->mime = art_cstr(sources[n].mime);
    view->size = sources[n].size;
    view->size_known = 1;
}


static size_t
source_find(art_str_t id)
{
    size_t  n;

    for (n = 0; n < nitems(sources); n++) {
        if (art_str_eq(id, art_cstr(sources[n].id))) {
            break;
        }
    }

    return n;
}


/* The source of a slot: for a stand-in, the first one of its type. */

static size_t
source_of(const art_message_slot_t *slot)
{
    size_t  n;

    if (slot->standin == ART_STANDIN_NONE) {
        return source_find(slot->text);
    }

    for (n = 0; n < nitems(sources); n++) {
        if (art_str_eq(art_standin_mime(slot->standin),
                       art_cstr(sources[n].mime)))
        {
            break;
        }
    }

    return n;
}


/* Renders a content with a row; returns the bytes. */

static size_t
render_bytes(const art_format_t *format, art_view_t *view, const uint8_t *p,
    size_t len, const char *charset, uint8_t *dst)
{
    size_t              written;
    uint8_t             scratch[8192];
    art_render_t        render;
    art_render_conf_t   conf;

    memset(&conf, 0, sizeof(conf));

    conf.format = format;
    conf.view = view;
    conf.charset = charset;

    art_render_init(&render, &conf);
    art_render_memory(&render, scratch, NULL);

    written = 0;

    while (render.state != ART_RENDER_DONE) {
        written += art_render_update(&render, dst + written, 65536, &p, &len,
                                     1);
    }

    art_render_close(&render);

    return written;
}


static size_t
source_render(const art_format_t *format, art_view_t *view, size_t n,
    uint8_t *dst)
{
    return render_bytes(format, view, (const uint8_t *) sources[n].content,
                        sources[n].size, NULL, dst);
}


static art_message_plan_t  plan_of;
static art_view_t          views[ART_MESSAGE_SLOTS_MAX];
static art_meta_t          metas[ART_MESSAGE_SLOTS_MAX];
static uint32_t            view_widths[ART_MESSAGE_SLOTS_MAX];
static uint8_t             rendered[200000];


/* A text that the client has put into a slot as a file. */

static int
is_own_text(uint32_t i)
{
    return plan_of.edits[i].becomes == ART_BECOMES_TEXT
           && plan_of.edits[i].format != NULL
           && art_scan_slot(&scan, i)->held == ART_HELD_DATA;
}


static size_t
own_text(uint32_t i, uint8_t *dst)
{
    size_t                     n, len;
    uint8_t                   *bytes;
    art_view_t                 view;
    const uint8_t             *p;
    art_find_decode_t          st;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(&scan, i);

    memset(&view, 0, sizeof(view));
    view.kind = ART_KIND_TEXT;
    view.mime = slot->mime_type;
    view.size = slot->size;
    view.size_known = 1;

    bytes = malloc((size_t) slot->size + ART_FIND_LAG);
    art_splice_own(&st, slot);

    p = scanned + slot->raw.pos;
    len = (size_t) (slot->raw.end - slot->raw.pos);
    n = 0;

    while (len > 0) {
        n += art_find_decode(&st, bytes + n, 64, &p, &len);
    }

    n += art_find_decode_end(&st, slot->size, bytes + n);
    n = render_bytes(plan_of.edits[i].format, &view, bytes, n, slot->charset,
                     dst);
    free(bytes);

    return n;
}


/*
 * Asks all sources, for a reader of each request, or one for all of them;
 * ART_ERROR when out of memory.
 */

static TAP_UNUSED int
plan_readers(const art_message_reader_t *readers)
{
    size_t       n;
    uint32_t     i;
    art_view_t  *view;

    if (art_plan_init(&plan_of, &scan, readers) != ART_OK) {
        return ART_ERROR;
    }

    for (i = 0; i < scan.nslots; i++) {

        if (is_own_text(i)) {
            art_plan_length(&plan_of, i, own_text(i, rendered));
        }

        if (art_scan_slot(&scan, i)->held != ART_HELD_REF) {
            continue;
        }

        n = source_of(art_scan_slot(&scan, i));
        view = NULL;

        if (n < nitems(sources)) {
            view = &views[i];
            source_view(view, &metas[i], n, art_cstr(sources[n].id));
            view->width = view_widths[i];
            view->url = plan_of.by_url ? &scan.conf.url : NULL;
        }

        if (art_plan_source(&plan_of, i, view,
                            view != NULL && view->size == 0, 0) != ART_OK)
        {
            return ART_ERROR;
        }

        if (plan_of.edits[i].format != NULL) {
            art_plan_length(&plan_of, i,
                            source_render(plan_of.edits[i].format, view, n,
                                          rendered));
        }
    }

    return ART_OK;
}


static TAP_UNUSED int
plan_body(const art_message_reader_t *reader)
{
    uint32_t  i;

    static art_message_reader_t  readers[ART_MESSAGE_SLOTS_MAX
                                         + ART_MESSAGE_FINDS_MAX];

    readers[0] = *reader;

    for (i = 1; i < scan.nrequests; i++) {
        readers[i] = *reader;
    }

    return plan_readers(readers);
}


/* Whether the operations of some slots, and of the rest, are those of all. */

static TAP_UNUSED int
ranges_agree(const art_splice_op_t *ops, size_t nops)
{
    size_t                  i, n, got;
    uint32_t                from, to;
    art_splice_op_t        *some;
    const art_splice_op_t  *one;

    got = 0;

    for (from = 0; from < scan.nslots; from = to) {
        to = from + (from == 0 ? (scan.nslots + 1) / 2 : scan.nslots - from);

        if (art_edit_ops(&plan_of, from, to, &some, &n) != ART_OK) {
            return 0;
        }

        for (i = 0; i < n; i++, got++) {
            one = &ops[got];

            if (got >= nops || one->pos != some[i].pos
                || one->skip != some[i].skip || one->slot != some[i].slot
                || one->text.data != some[i].text.data)
            {
                return 0;
            }
        }
    }

    return got == nops;
}


/* Base64 of the body's own, made canonical from pieces of odd sizes. */

static size_t
own_base64(const uint8_t *body, const art_splice_piece_t *piece, uint8_t *dst)
{
    size_t              n, len, size;
    uint64_t            pos;
    const uint8_t      *p;
    art_find_decode_t   st;

    art_splice_own(&st, art_scan_slot(&scan, piece->slot));
    size = 0;

    for (pos = piece->pos; pos < piece->end; pos += n) {
        n = piece->end - pos < 37 ? (size_t) (piece->end - pos) : 37;
        len = n;

        for (p = body + pos; len > 0; /* void */ ) {
            size += art_find_clean(&st, dst + size, 16, &p, &len);
        }
    }

    return size + art_find_clean_end(&st, art_scan_slot(&scan,
                                                        piece->slot)->size,
                                     dst + size);
}


/* Splices what was planned; the length, or -1 if anything does not hold. */

static TAP_UNUSED long
splice_body(const uint8_t *body, uint8_t *dst)
{
    size_t               n, nops;
    uint8_t             *p;
    uint64_t             total;
    art_splice_t         splice;
    art_splice_op_t     *ops;
    art_splice_piece_t   piece;

    if (art_edit_ops(&plan_of, 0, scan.nslots, &ops, &nops) != ART_OK) {
        return -1;
    }

    if (scan.ngroups == 0 && !ranges_agree(ops, nops)) {
        diag("operations of ranges differ");
        return -1;
    }

    if (art_splice_init(&splice, ops, nops, scan.len, &total) != ART_OK
        || total != art_edit_total(&plan_of))
    {
        diag("operations do not hold");
        return -1;
    }

    p = dst;

    while (art_splice_next(&splice, &piece)) {

        switch (piece.kind) {

        case ART_SPLICE_COPY:
        case ART_SPLICE_AGAIN:
            memcpy(p, body + piece.pos, (size_t) (piece.end - piece.pos));
            p += piece.end - piece.pos;
            break;

        case ART_SPLICE_TEXT:
            memcpy(p, piece.text.data, piece.text.len);
            p += piece.text.len;
            break;

        case ART_SPLICE_OWN:
            p += own_base64(body, &piece, p);
            break;

        default:

            if (is_own_text(piece.slot)) {
                p += own_text(piece.slot, p);
                break;
            }

            n = source_of(art_scan_slot(&scan, piece.slot));
            p += source_render(plan_of.edits[piece.slot].format,
                               &views[piece.slot], n, p);
        }
    }

    *p = '\0';

    if ((uint64_t) (p - dst) != total) {
        diag("%lu bytes, not %lu", (unsigned long) (p - dst),
             (unsigned long) total);
        return -1;
    }

    return (long) total;
}


static uint8_t  composed[OUT_MAX];


/* All of it; what comes out is in "composed", terminated. */

static TAP_UNUSED long
compose_model(const char *api, const char *body, const char *reader,
    const char *model)
{
    long                  len;
    art_message_reader_t  who;

    who = reader_of(reader);
    who.model = art_cstr(model);
    composed[0] = '\0';
    len = -1;

    if (scan_body(api, body, strlen(body), 0, 64) == ART_SCAN_OK
        && plan_body(&who) == ART_OK)
    {
        len = splice_body((const uint8_t *) body, composed);
    }

    pool_free();

    return len;
}


static TAP_UNUSED long
compose(const char *api, const char *body, const char *reader)
{
    return compose_model(api, body, reader, "gemini-3-pro");
}


/* Single quotes to double ones; the second function does it in a copy. */

static TAP_UNUSED char *
quote(char *text)
{
    char  *p;

    for (p = text; *p != '\0'; p++) {
        *p = *p == '\'' ? '"' : *p;
    }

    return text;
}


static TAP_UNUSED char *
quoted(const char *text)
{
    return quote(strdup(text));
}


/* Compares what was composed, of this length. */

static TAP_UNUSED int
is_composed(long len, const char *want, const char *name)
{
    return is_mem(composed, len < 0 ? 0 : (size_t) len, want, strlen(want),
                  name);
}


/*
 * Composes and compares; single quotes stand for double ones in both.  "want"
 * of NULL: it stays as it is.
 */

static TAP_UNUSED int
becomes_for(const char *api, const char *body, const char *reader,
    const char *model, const char *want, const char *name)
{
    int    rc;
    char  *b, *w;

    b = quoted(body);
    w = quoted(want != NULL ? want : body);

    rc = is_composed(compose_model(api, b, reader, model), w, name);

    free(b);
    free(w);

    return rc;
}


static TAP_UNUSED int
becomes(const char *api, const char *body, const char *reader,
    const char *want, const char *name)
{
    return becomes_for(api, body, reader, "gemini-3-pro", want, name);
}


#endif /* ART_EXPAND_RUN_H_INCLUDED_ */
