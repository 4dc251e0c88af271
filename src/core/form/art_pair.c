
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_percent.h"
#include "core/form/art_pair.h"


static const uint8_t *art_pair_find(art_str_t text, int c);
static int art_pair_is_space(uint8_t c);
static int art_param_escape(const uint8_t *p, const uint8_t *end);
static size_t art_param_extended(uint8_t *dst, const art_pair_t *param);


int
art_param_next(art_str_t *rest, art_pair_t *param)
{
    const uint8_t  *p, *end, *start;

    end = rest->data + rest->len;
    p = art_pair_find(*rest, ';');

    while (p < end && (*p == ';' || art_pair_is_space(*p))) {
        p++;
    }

    if (p == end) {
        return 0;
    }

    for (start = p; p < end && *p != '=' && *p != ';'; p++) {
        /* void */
    }

    param->name = art_param_trim(art_str(start, (size_t) (p - start)));

    for (p += p < end && *p == '='; p < end && art_pair_is_space(*p); p++) {
        /* void */
    }

    param->quoted = (p < end && *p == '"');
    start = p + param->quoted;

    for (p = start; p < end; p++) {

        if (param->quoted ? *p == '"' : *p == ';' || art_pair_is_space(*p)) {
            break;
        }

        p += param->quoted && *p == '\\' && end - p > 1;
    }

    param->value = art_str(start, (size_t) (p - start));
    *rest = art_str(p, (size_t) (end - p));

    return 1;
}


size_t
art_param_text(uint8_t *dst, const art_pair_t *param, unsigned form)
{
    int             c;
    size_t          n;
    const uint8_t  *p, *end;

    p = param->value.data;
    end = p + param->value.len;

    if (!param->quoted) {
        memmove(dst, p, param->value.len);
        return param->value.len;
    }

    for (n = 0; p < end; p++) {
        c = form ? art_param_escape(p, end) : -1;

        if (c != -1) {
            p += 2;
            dst[n++] = (uint8_t) c;
            continue;
        }

        p += *p == '\\' && end - p > 1
             && (!form || p[1] == '"' || p[1] == '\\');

        dst[n++] = *p;
    }

    return n;
}


/*
 * The character of a "%22" or the like, -1 for others: browsers encode quotes
 * and line ends (WHATWG HTML, "multipart/form-data"), OpenAI's client all
 * controls and backslashes, but neither of them percent signs.
 */

static int
art_param_escape(const uint8_t *p, const uint8_t *end)
{
    size_t   n;
    uint8_t  c;

    if (*p != '%' || end - p < 3
        || art_percent_decode(&c, &n, art_str(p, 3)) != ART_OK)
    {
        return -1;
    }

    return c < 0x20 || c == '"' || c == '\\' || c == 0x7f ? c : -1;
}


void
art_param_names(art_str_t value, uint8_t *dst, unsigned form, art_str_t *name,
    art_str_t *filename)
{
    size_t      n;
    uint8_t    *at;
    unsigned    extended;
    art_str_t   rest, *text;
    art_pair_t  param;

    *name = art_str(NULL, 0);
    *filename = art_str(NULL, 0);

    extended = 0;
    rest = value;

    while (art_param_next(&rest, &param)) {

        /* where it stands in the value: texts only get shorter */

        at = dst + (param.value.data - value.data);

        if (art_str_is(param.name, "filename*")) {
            n = extended ? 0 : art_param_extended(at, &param);

            if (n > 0) {
                extended = 1;
                *filename = art_str(at, n);
            }

            continue;
        }

        text = NULL;

        if (art_str_is(param.name, "name")) {
            text = name;

        } else if (art_str_is(param.name, "filename") && !extended) {
            text = filename;
        }

        if (text != NULL && text->len == 0) {
            *text = art_str(at, art_param_text(at, &param, form));
        }
    }
}


/*
 * Decodes UTF-8'language'percent-encoded (RFC 8187); 0 for another charset or a
 * malformed value.
 */

static size_t
art_param_extended(uint8_t *dst, const art_pair_t *param)
{
    size_t          n, len;
    art_str_t       text;
    const uint8_t  *end;

    text = param->value;

    if (param->quoted || text.len < 7
        || !art_str_is(art_str(text.data, 6), "utf-8'"))
    {
        return 0;
    }

    end = memchr(text.data + 6, '\'', text.len - 6);

    if (end == NULL) {
        return 0;
    }

    len = text.len - (size_t) (end + 1 - text.data);

    return art_percent_decode(dst, &n, art_str(end + 1, len)) == ART_OK ? n : 0;
}


art_str_t
art_param_trim(art_str_t text)
{
    while (text.len > 0 && art_pair_is_space(text.data[0])) {
        text.data++;
        text.len--;
    }

    while (text.len > 0 && art_pair_is_space(text.data[text.len - 1])) {
        text.len--;
    }

    return text;
}


int
art_query_next(art_str_t *rest, art_pair_t *arg)
{
    size_t          n;
    const uint8_t  *p, *end;

    if (rest->len == 0) {
        return 0;
    }

    end = art_pair_find(*rest, '&');
    n = (size_t) (end - rest->data);

    p = art_pair_find(art_str(rest->data, n), '=');

    arg->name = art_str(rest->data, (size_t) (p - rest->data));
    arg->quoted = 0;

    p += p < end;
    arg->value = art_str(p, (size_t) (end - p));

    n += n < rest->len;
    *rest = art_str(rest->data + n, rest->len - n);

    return 1;
}


art_str_t
art_query_find(art_str_t query, const char *name)
{
    art_pair_t  arg;

    while (art_query_next(&query, &arg)) {
        if (art_str_eq(arg.name, art_cstr(name))) {
            return arg.value;
        }
    }

    return art_str(NULL, 0);
}


/* Where the first "c" is, or the end. */

static const uint8_t *
art_pair_find(art_str_t text, int c)
{
    const uint8_t  *p;

    p = text.len > 0 ? memchr(text.data, c, text.len) : NULL;

    return p != NULL ? p : text.data + text.len;
}


/* White space in headers (RFC 9110, section 5.6.3). */

static int
art_pair_is_space(uint8_t c)
{
    return c == ' ' || c == '\t';
}
