
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_percent.h"
#include "core/render/art_reasons.h"


/* Room that is kept for " +4294967295". */

#define ART_REASONS_MARK  12


static void art_reasons_put(art_reasons_t *reasons, art_str_t id,
    art_kind_t kind, const char *reason, art_str_t mime);
static void art_reasons_id(art_out_t *out, art_str_t id);
static int art_reasons_has(const art_reasons_t *reasons, art_str_t entry);


void
art_reasons_init(art_reasons_t *reasons, uint8_t *data)
{
    reasons->data = data;
    reasons->len = 0;
    reasons->more = 0;
    reasons->derived = 0;
}


void
art_reasons_add(art_reasons_t *reasons, art_str_t id, art_kind_t kind,
    const char *reason)
{
    if (!reasons->derived) {
        art_reasons_put(reasons, id, kind, reason, art_str(NULL, 0));
    }
}


void
art_reasons_derived(art_reasons_t *reasons, art_str_t id, art_kind_t kind,
    art_str_t mime)
{
    art_reasons_put(reasons, id, kind, "derived:", mime);
}


static void
art_reasons_put(art_reasons_t *reasons, art_str_t id, art_kind_t kind,
    const char *reason, art_str_t mime)
{
    uint8_t    buf[ART_REASONS_MAX];
    art_out_t  out, line;

    out = art_out(buf, sizeof(buf));

    if (id.len > 0) {
        art_out_cstr(&out, "artifact:");
        art_reasons_id(&out, id);

    } else {
        art_out_cstr(&out, art_kind_name(kind));
    }

    art_out_char(&out, '=');
    art_out_cstr(&out, reason);
    art_out_str(&out, mime);

    if (art_reasons_has(reasons, art_str(buf, out.len))) {
        return;
    }

    if (reasons->more > 0
        || reasons->len + 1 + out.len > ART_REASONS_MAX - ART_REASONS_MARK)
    {
        reasons->more++;
        return;
    }

    line = art_out(reasons->data + reasons->len,
                   ART_REASONS_MAX - reasons->len);

    if (reasons->len > 0) {
        art_out_char(&line, ' ');
    }

    art_out_mem(&line, buf, out.len);

    reasons->len += line.len;
}


static void
art_reasons_id(art_out_t *out, art_str_t id)
{
    size_t     n;
    uint8_t    name[ART_REASONS_ID_MAX];
    art_out_t  line;

    line = art_out(name, sizeof(name));
    art_percent_encode(&line, id, "!#$&'()*+,-./:;<>?@[]^_`{|}~");

    if (line.len <= sizeof(name)) {
        art_out_mem(out, name, line.len);
        return;
    }

    /* not within an encoded byte */

    n = sizeof(name) - 3;

    if (name[n - 1] == '%') {
        n--;

    } else if (name[n - 2] == '%') {
        n -= 2;
    }

    art_out_mem(out, name, n);
    art_out_cstr(out, "...");
}


static int
art_reasons_has(const art_reasons_t *reasons, art_str_t entry)
{
    const uint8_t  *p, *end, *last;

    last = reasons->data + reasons->len;

    for (p = reasons->data; p < last; p = end + 1) {

        end = memchr(p, ' ', (size_t) (last - p));
        if (end == NULL) {
            end = last;
        }

        if (art_str_eq(art_str(p, (size_t) (end - p)), entry)) {
            return 1;
        }
    }

    return 0;
}


art_str_t
art_reasons_end(art_reasons_t *reasons)
{
    art_out_t  out;

    out = art_out(reasons->data + reasons->len,
                  ART_REASONS_MAX - reasons->len);

    if (reasons->more > 0) {
        art_out_cstr(&out, " +");
        art_out_uint(&out, reasons->more);
    }

    return art_str(reasons->data, reasons->len + out.len);
}
