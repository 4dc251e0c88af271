
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_search.h"
#include "core/form/art_multipart.h"
#include "core/form/art_pair.h"


/* CONTENT is of a part, or what precedes the first, which is dropped. */

typedef enum {
    ART_MULTIPART_CONTENT = 0,
    ART_MULTIPART_AFTER,         /* a delimiter, if white space follows */
    ART_MULTIPART_DASH,          /* ... and a "-" */
    ART_MULTIPART_PADDING,
    ART_MULTIPART_LF,
    ART_MULTIPART_HEAD,
    ART_MULTIPART_EPILOGUE
} art_multipart_state_t;


static const uint8_t *art_multipart_content(art_multipart_t *m,
    const uint8_t *p, const uint8_t *end);
static const uint8_t *art_multipart_find(const art_multipart_t *m,
    const uint8_t *p, const uint8_t *end);
static size_t art_multipart_tail(const art_multipart_t *m, const uint8_t *p,
    size_t len);
static const uint8_t *art_multipart_delimiter(art_multipart_t *m,
    const uint8_t *p);
static void art_multipart_no_delimiter(art_multipart_t *m, size_t n);
static void art_multipart_header(art_multipart_t *m, uint8_t c);
static int art_multipart_fields(art_multipart_t *m, art_multipart_part_t *part);
static int art_multipart_line(art_multipart_t *m, size_t *pos,
    art_str_t *line);
static int art_multipart_field(art_multipart_t *m, art_str_t line,
    art_multipart_part_t *part);
static int art_multipart_is(art_str_t value, const char *lower);
static void art_multipart_send(art_multipart_t *m, const uint8_t *p,
    size_t len);
static void art_multipart_close(art_multipart_t *m);
static void art_multipart_fail(art_multipart_t *m, art_multipart_error_t error);


int
art_multipart_init(art_multipart_t *m, art_str_t content_type,
    const art_multipart_sink_t *sink, void *data)
{
    size_t      i, n;
    uint8_t    *text;
    art_str_t   rest;
    art_pair_t  param;

    text = m->text;

    m->error = ART_MULTIPART_NO_BOUNDARY;
    m->state = ART_MULTIPART_CONTENT;
    m->open = 0;
    m->nparts = 0;
    m->sink = sink;
    m->data = data;
    m->ntext = 0;

    /* the first delimiter needs no CRLF before it */

    m->matched = 2;
    m->unsent = 2;

    if (content_type.len > ART_MULTIPART_HEADER
        || !art_multipart_is(content_type, "multipart/form-data"))
    {
        return ART_ERROR;
    }

    n = 0;
    rest = content_type;

    while (n == 0 && art_param_next(&rest, &param)) {
        if (art_str_is(param.name, "boundary")) {
            n = art_param_text(text, &param, 0);
        }
    }

    if (n == 0 || n > ART_MULTIPART_BOUNDARY || text[n - 1] == ' ') {
        return ART_ERROR;
    }

    for (i = 0; i < n; i++) {
        if (text[i] < 0x20 || text[i] > 0x7e) {
            return ART_ERROR;
        }
    }

    memcpy(m->delimiter, "\r\n--", 4);
    memcpy(m->delimiter + 4, text, n);
    m->delimiter[4 + n] = '-';
    m->ndelimiter = 4 + n;
    m->error = ART_MULTIPART_SOUND;

    return ART_OK;
}


int
art_multipart_feed(art_multipart_t *m, const uint8_t *p, size_t len)
{
    const uint8_t  *end;

    end = p + len;

    while (p < end && m->error == ART_MULTIPART_SOUND) {

        switch (m->state) {

        case ART_MULTIPART_CONTENT:
            p = art_multipart_content(m, p, end);
            break;

        case ART_MULTIPART_HEAD:
            art_multipart_header(m, *p++);
            break;

        case ART_MULTIPART_EPILOGUE:
            return ART_OK;

        default:
            p = art_multipart_delimiter(m, p);
        }
    }

    return m->error == ART_MULTIPART_SOUND ? ART_OK : ART_ERROR;
}


int
art_multipart_end(art_multipart_t *m)
{
    if (m->state != ART_MULTIPART_EPILOGUE) {
        art_multipart_fail(m, ART_MULTIPART_UNFINISHED);
    }

    return m->error == ART_MULTIPART_SOUND ? ART_OK : ART_ERROR;
}


/*
 * Passes content on up to the next delimiter.  A delimiter has one CR, its
 * first byte: so what turns out not to be one is sent as it is, and the search
 * goes on at the byte that did not match.
 */

static const uint8_t *
art_multipart_content(art_multipart_t *m, const uint8_t *p, const uint8_t *end)
{
    size_t          len;
    const uint8_t  *at;

    if (m->matched > 0) {

        while (p < end && m->matched < m->ndelimiter
               && *p == m->delimiter[m->matched])
        {
            m->matched++;
            p++;
        }

        if (m->matched == m->ndelimiter) {
            m->state = ART_MULTIPART_AFTER;

        } else if (p < end) {
            art_multipart_no_delimiter(m, m->matched);
        }

        return p;
    }

    len = (size_t) (end - p);
    at = art_multipart_find(m, p, end);

    if (at != NULL) {
        m->state = ART_MULTIPART_AFTER;
        art_multipart_send(m, p, (size_t) (at - p));

        return at + m->ndelimiter;
    }

    m->matched = art_multipart_tail(m, p, len);
    art_multipart_send(m, p, len - m->matched);

    return end;
}


/*
 * The next delimiter, or what may turn out to be one in the next piece.  What
 * is none is passed over here: however much of it there is, the content between
 * two delimiters is sent as one run of bytes.
 */

static const uint8_t *
art_multipart_find(const art_multipart_t *m, const uint8_t *p,
    const uint8_t *end)
{
    size_t          len;
    art_str_t       delimiter;
    const uint8_t  *at;

    delimiter = art_str(m->delimiter, m->ndelimiter);

    while ((at = art_search_str(p, (size_t) (end - p), delimiter)) != NULL) {

        p = at + m->ndelimiter;
        len = (size_t) (end - p);

        if (len == 0 || *p == ' ' || *p == '\t' || *p == '\r'
            || (*p == '-' && (len == 1 || p[1] == '-')))
        {
            return at;
        }
    }

    return NULL;
}


/* How many of the last bytes are the beginning of a delimiter. */

static size_t
art_multipart_tail(const art_multipart_t *m, const uint8_t *p, size_t len)
{
    size_t  n;

    for (n = 1; n < m->ndelimiter && n <= len; n++) {

        if (p[len - n] == '\r') {
            return memcmp(p + len - n, m->delimiter, n) == 0 ? n : 0;
        }
    }

    return 0;
}


/*
 * The byte after a delimiter.  A line that only begins like one is content; RFC
 * 2046 would have it be a delimiter, but the boundary of one body may be the
 * beginning of another's, which is in it.
 */

static const uint8_t *
art_multipart_delimiter(art_multipart_t *m, const uint8_t *p)
{
    unsigned  white;

    white = (*p == ' ' || *p == '\t');

    switch (m->state) {

    case ART_MULTIPART_AFTER:

        if (*p == '-') {
            m->state = ART_MULTIPART_DASH;
            return p + 1;
        }

        if (!white && *p != '\r') {
            art_multipart_no_delimiter(m, m->ndelimiter);
            return p;
        }

        art_multipart_close(m);

        m->state = white ? ART_MULTIPART_PADDING : ART_MULTIPART_LF;
        return p + 1;

    case ART_MULTIPART_DASH:

        if (*p != '-') {
            art_multipart_no_delimiter(m, m->ndelimiter + 1);
            return p;
        }

        art_multipart_close(m);

        m->state = ART_MULTIPART_EPILOGUE;
        return p + 1;

    case ART_MULTIPART_PADDING:

        if (*p == '\r') {
            m->state = ART_MULTIPART_LF;

        } else if (!white) {
            art_multipart_fail(m, ART_MULTIPART_MALFORMED);
        }

        return p + 1;

    default: /* ART_MULTIPART_LF */

        if (*p != '\n') {
            art_multipart_fail(m, ART_MULTIPART_MALFORMED);

        } else if (m->nparts++ == ART_MULTIPART_PARTS) {
            art_multipart_fail(m, ART_MULTIPART_MANY);
        }

        m->state = ART_MULTIPART_HEAD;
        m->matched = 2;
        m->ntext = 0;

        return p + 1;
    }
}


/* The first "n" bytes of a delimiter were content. */

static void
art_multipart_no_delimiter(art_multipart_t *m, size_t n)
{
    art_multipart_send(m, m->delimiter + m->unsent, n - m->unsent);

    m->state = ART_MULTIPART_CONTENT;
    m->matched = 0;
    m->unsent = 0;
}


/* Collects the header up to an empty line, the first one included. */

static void
art_multipart_header(art_multipart_t *m, uint8_t c)
{
    art_multipart_part_t  part;

    if (m->ntext == ART_MULTIPART_HEADER) {
        art_multipart_fail(m, ART_MULTIPART_LONG);
        return;
    }

    m->text[m->ntext++] = c;

    if (c != (uint8_t) "\r\n\r\n"[m->matched]) {
        m->matched = (c == '\r');
        return;
    }

    if (++m->matched < 4) {
        return;
    }

    if (art_multipart_fields(m, &part) != ART_OK) {
        art_multipart_fail(m, ART_MULTIPART_MALFORMED);
        return;
    }

    if (m->sink->begin(m->data, &part) != ART_OK) {
        art_multipart_fail(m, ART_MULTIPART_SINK);
        return;
    }

    /* the empty line may be the first two bytes of the next delimiter */

    m->state = ART_MULTIPART_CONTENT;
    m->matched = 2;
    m->unsent = 2;
    m->open = 1;
}


static int
art_multipart_fields(art_multipart_t *m, art_multipart_part_t *part)
{
    size_t     pos;
    art_str_t  line;

    memset(part, 0, sizeof(art_multipart_part_t));

    for (pos = 0; art_multipart_line(m, &pos, &line); /* void */) {
        if (art_multipart_field(m, line, part) != ART_OK) {
            return ART_ERROR;
        }
    }

    return part->name.data != NULL ? ART_OK : ART_ERROR;
}


/* The next line, with those that continue it (RFC 5322, section 2.2.3). */

static int
art_multipart_line(art_multipart_t *m, size_t *pos, art_str_t *line)
{
    size_t    i, start;
    uint8_t  *p;

    p = m->text;
    start = *pos;

    for (i = start; i + 1 < m->ntext; i++) {

        if (p[i] != '\r' || p[i + 1] != '\n') {
            continue;
        }

        if (i > start && (p[i + 2] == ' ' || p[i + 2] == '\t')) {
            p[i] = ' ';
            p[i + 1] = ' ';
            continue;
        }

        *line = art_str(p + start, i - start);
        *pos = i + 2;

        return i > start;
    }

    return 0;
}


/* A Content-Transfer-Encoding must be none (RFC 7578, section 4.7). */

static int
art_multipart_field(art_multipart_t *m, art_str_t line,
    art_multipart_part_t *part)
{
    size_t          n;
    art_str_t       name, value;
    const uint8_t  *colon;

    colon = memchr(line.data, ':', line.len);

    if (colon == NULL) {
        return ART_ERROR;
    }

    n = (size_t) (colon - line.data);
    name = art_str(line.data, n);
    value = art_param_trim(art_str(colon + 1, line.len - n - 1));

    if (art_str_is(name, "content-disposition")) {

        /* names are decoded where they stand in m->text */

        art_param_names(value, m->text + (value.data - m->text), 1,
                        &part->name, &part->filename);

        return art_multipart_is(value, "form-data") ? ART_OK : ART_ERROR;
    }

    if (art_str_is(name, "content-type")) {
        part->type = value;
    }

    if (art_str_is(name, "content-transfer-encoding")
        && !art_str_is(value, "binary") && !art_str_is(value, "8bit")
        && !art_str_is(value, "7bit"))
    {
        art_multipart_fail(m, ART_MULTIPART_ENCODED);
        return ART_ERROR;
    }

    return ART_OK;
}


/* Whether a value is this before its parameters. */

static int
art_multipart_is(art_str_t value, const char *lower)
{
    const uint8_t  *p;

    p = value.len > 0 ? memchr(value.data, ';', value.len) : NULL;

    if (p != NULL) {
        value.len = (size_t) (p - value.data);
    }

    return art_str_is(art_param_trim(value), lower);
}


static void
art_multipart_send(art_multipart_t *m, const uint8_t *p, size_t len)
{
    if (m->open && len > 0 && m->sink->bytes(m->data, p, len) != ART_OK) {
        art_multipart_fail(m, ART_MULTIPART_SINK);
    }
}


static void
art_multipart_close(art_multipart_t *m)
{
    if (m->open && m->error == ART_MULTIPART_SOUND
        && m->sink->end(m->data) != ART_OK)
    {
        art_multipart_fail(m, ART_MULTIPART_SINK);
    }

    m->open = 0;
}


/* The first error counts. */

static void
art_multipart_fail(art_multipart_t *m, art_multipart_error_t error)
{
    if (m->error == ART_MULTIPART_SOUND) {
        m->error = error;
    }
}
