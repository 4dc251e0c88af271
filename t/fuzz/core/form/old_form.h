
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The readers of forms, parameters and queries that core/form replaces, as
 * they were, for the comparison with it.
 */


#ifndef OLD_FORM_H_INCLUDED_
#define OLD_FORM_H_INCLUDED_


#include "core/base/art_search.h"
#include "core/text/art_percent.h"
#include "core/json/art_json_lex.h"
#include "core/ref/art_id.h"
#include "core/answer/art_listing.h"
#include "core/files/art_file_query.h"


static unsigned  old_odd;

static void old_note(art_str_t name, art_str_t value);


static size_t old_disposition_quoted(art_str_t *rest, uint8_t *dst);
static size_t old_disposition_extended(art_str_t value, uint8_t *dst);
static int old_disposition_next(art_str_t *rest, art_str_t *key,
    art_str_t *value);


static art_str_t
old_disposition_name(art_str_t value, uint8_t *dst)
{
    size_t     i, len;
    art_str_t  key, text, rest;

    len = 0;
    rest = value;

    while (len == 0 && old_disposition_next(&rest, &key, &text)) {
        if (art_str_is(key, "filename*")) {
            len = old_disposition_extended(text, dst);
        }
    }

    rest = value;

    while (len == 0 && old_disposition_next(&rest, &key, &text)) {
        if (art_str_is(key, "filename")) {
            len = old_disposition_quoted(&text, dst);
        }
    }

    /* RFC 6266 section 4.3: only the last component counts */

    for (i = len; i > 0; i--) {
        if (dst[i - 1] == '/' || dst[i - 1] == '\\') {
            break;
        }
    }

    return art_str(dst + i, len - i);
}


static int
old_disposition_next(art_str_t *rest, art_str_t *key, art_str_t *value)
{
    size_t          quotes;
    const uint8_t  *p, *end, *start;

    p = rest->data;
    end = p + rest->len;

    while (p < end && *p != ';') {
        p++;
    }

    for ( /* void */ ; p < end && (*p == ';' || *p == ' ' || *p == '\t'); p++) {
        /* void */
    }

    if (p == end) {
        return 0;
    }

    for (start = p; p < end && *p != '=' && *p != ';'; p++) {
        /* void */
    }

    *key = art_str(start, (size_t) (p - start));

    while (key->len > 0 && key->data[key->len - 1] == ' ') {
        key->len--;
    }

    if (p < end && *p == '=') {
        p++;
    }

    while (p < end && *p == ' ') {
        p++;
    }

    quotes = 0;

    for (start = p; p < end && (*p != ';' || quotes == 1); p++) {

        if (*p == '"') {
            quotes++;

        } else if (*p == '\\' && quotes == 1 && p + 1 < end) {
            p++;
        }
    }

    *value = art_str(start, (size_t) (p - start));
    *rest = art_str(p, (size_t) (end - p));

    return 1;
}


static size_t
old_disposition_quoted(art_str_t *rest, uint8_t *dst)
{
    size_t          n;
    const uint8_t  *p, *end;

    n = 0;
    p = rest->data;
    end = p + rest->len;

    if (rest->len == 0) {
        return 0;
    }

    if (*p != '"') {

        while (p < end && *p != ' ') {
            dst[n++] = *p++;
        }

        return n;
    }

    for (p++; p < end && *p != '"'; p++) {

        if (*p == '\\' && p + 1 < end) {
            p++;
        }

        dst[n++] = *p;
    }

    return n;
}


static size_t
old_disposition_extended(art_str_t value, uint8_t *dst)
{
    size_t          n, len;
    const uint8_t  *p, *end, *space;

    if (value.len < 7 || !art_str_is(art_str(value.data, 5), "utf-8")
        || value.data[5] != '\'')
    {
        return 0;
    }

    end = value.data + value.len;
    p = memchr(value.data + 6, '\'', value.len - 6);

    if (p == NULL) {
        return 0;
    }

    p++;
    len = (size_t) (end - p);
    space = len > 0 ? memchr(p, ' ', len) : NULL;

    if (space != NULL) {
        len = (size_t) (space - p);
    }

    return art_percent_decode(dst, &n, art_str(p, len)) == ART_OK ? n : 0;
}


static size_t old_media_parameter(art_str_t s, art_str_t *name,
    art_str_t *value);


static int
old_media_token_char(uint8_t c)
{
    return art_char_alnum(c)
           || (c != 0 && c < 0x80 && strchr("!#$&-^_.+", c) != NULL);
}


static art_str_t
old_media_charset(art_str_t params)
{
    size_t     i, n;
    art_str_t  name, value;

    while (params.len > 0) {
        n = old_media_parameter(params, &name, &value);

        if (art_str_is(name, "charset")) {

            for (i = 0; i < value.len; i++) {
                if (!old_media_token_char(value.data[i])) {
                    return art_str(NULL, 0);
                }
            }

            return value;
        }

        params.data += n;
        params.len -= n;
    }

    return art_str(NULL, 0);
}


static size_t
old_media_parameter(art_str_t s, art_str_t *name, art_str_t *value)
{
    size_t   i, start;
    uint8_t  quote;

    i = 0;

    while (i < s.len && strchr("; \t", s.data[i]) != NULL && s.data[i] != 0) {
        i++;
    }

    start = i;

    while (i < s.len && s.data[i] != '=' && s.data[i] != ';') {
        i++;
    }

    *name = art_str(s.data + start, i - start);
    *value = art_str(NULL, 0);

    if (i == s.len || s.data[i] == ';') {
        return i > 0 ? i : 1;
    }

    i++;
    quote = (uint8_t) (i < s.len && s.data[i] == '"');
    i += quote;
    start = i;

    while (i < s.len
           && (quote ? s.data[i] != '"'
                     : s.data[i] != ';' && s.data[i] != ' '))
    {
        /* RFC 9110 section 5.6.4: a backslash quotes what follows */

        i += quote && s.data[i] == '\\' && i + 1 < s.len ? 2 : 1;
    }

    *value = art_str(s.data + start, i - start);

    return i < s.len && quote ? i + 1 : i;
}


static art_str_t
old_url_argument(art_str_t query, const char *name)
{
    size_t          len;
    const uint8_t  *p, *end, *last;

    last = query.data + query.len;
    len = strlen(name);

    for (p = query.data; p < last; p = end + 1) {
        end = memchr(p, '&', (size_t) (last - p));
        end = end != NULL ? end : last;

        if ((size_t) (end - p) < len || memcmp(p, name, len) != 0) {
            continue;
        }

        p += len;

        if (p == end) {
            return art_str(p, 0);
        }

        if (*p == '=') {
            return art_str(p + 1, (size_t) (end - p - 1));
        }
    }

    return art_str(NULL, 0);
}


/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Bodies of type multipart/form-data (RFC 7578; RFC 2046, section 5.1), read as
 * a stream in memory of constant size.
 */


/* OLD_MULTIPART_HEADER: bytes of the fields before a part's content. */

#define OLD_MULTIPART_BOUNDARY  70       /* RFC 2046, section 5.1.1 */
#define OLD_MULTIPART_HEADER    8192
#define OLD_MULTIPART_PARTS     64

#define OLD_MULTIPART_DELIMITER  (OLD_MULTIPART_BOUNDARY + 6)


typedef enum {
    OLD_MULTIPART_SOUND = 0,
    OLD_MULTIPART_NO_BOUNDARY,   /* Content-Type is not one of form-data */
    OLD_MULTIPART_MALFORMED,     /* a delimiter, or a part's header */
    OLD_MULTIPART_LONG,          /* the header of a part */
    OLD_MULTIPART_MANY,          /* parts */
    OLD_MULTIPART_ENCODED,       /* a Content-Transfer-Encoding */
    OLD_MULTIPART_UNFINISHED,    /* no delimiter at the end */
    OLD_MULTIPART_SINK           /* the caller's sink failed */
} old_multipart_error_t;


/*
 * What precedes a part's content.  "filename" has data NULL if there is none,
 * and is empty if it was sent so; of filename* and filename the former counts
 * (RFC 7578 forbids it, clients send it).  Both are as the client sent them,
 * with escapes decoded: any bytes, paths included.  "type" is the value of
 * Content-Type, or empty.
 */

typedef struct {
    art_str_t              name;
    art_str_t              filename;
    art_str_t              type;
} old_multipart_part_t;


/*
 * The caller's: a part begins, its next bytes (never none), it ends.  Any
 * result but ART_OK ends the reading.
 *
 * The strings of "part" are valid during the call.  Bytes are not copied: they
 * lie in the piece that is being read, or, if they seemed to be a delimiter
 * that was cut, in the reader itself, where they never change.
 */

typedef struct {
    int                  (*begin)(void *data, const old_multipart_part_t *part);
    int                  (*bytes)(void *data, const uint8_t *p, size_t len);
    int                  (*end)(void *data);
} old_multipart_sink_t;


/* The caller reads "error" only. */

typedef struct {
    old_multipart_error_t        error;

    /* private */

    unsigned                     state;
    unsigned                     open:1;   /* a part has begun */
    unsigned                     nparts;
    const old_multipart_sink_t  *sink;
    void                        *data;
    size_t                       matched;  /* of the delimiter, or of its end */
    size_t                       unsent;   /* of them no content: CRLF */
    size_t                       ndelimiter;
    size_t                       ntext;
    uint8_t                      delimiter[OLD_MULTIPART_DELIMITER];
    uint8_t                      text[OLD_MULTIPART_HEADER];
} old_multipart_t;


/*
 * Begins a body with the value of the header Content-Type, of which "boundary"
 * is taken, quoted or not.  ART_ERROR if there is no valid one.  "sink" and
 * "data" must outlive the reader, which must not move.
 */

static int old_multipart_init(old_multipart_t *m, art_str_t content_type,
    const old_multipart_sink_t *sink, void *data);


/*
 * Reads the next piece of the body.  ART_ERROR if the body is not valid or the
 * sink failed, from then on always; see "error".  Joined, the bytes of a part
 * do not depend on how the body is cut into pieces.  What precedes the first
 * delimiter and follows the last one is ignored.
 */

static int old_multipart_feed(old_multipart_t *m, const uint8_t *p, size_t len);


/*
 * Ends the body: ART_OK if the closing delimiter was seen and all was valid.
 * Otherwise a part may have begun that never ends.
 */

static int old_multipart_end(old_multipart_t *m);


/* CONTENT is of a part, or what precedes the first, which is dropped. */

typedef enum {
    OLD_MULTIPART_CONTENT = 0,
    OLD_MULTIPART_AFTER,         /* a delimiter, if white space follows */
    OLD_MULTIPART_DASH,          /* ... and a "-" */
    OLD_MULTIPART_PADDING,
    OLD_MULTIPART_LF,
    OLD_MULTIPART_HEAD,
    OLD_MULTIPART_EPILOGUE
} old_multipart_state_t;


static const uint8_t *old_multipart_content(old_multipart_t *m,
    const uint8_t *p, const uint8_t *end);
static const uint8_t *old_multipart_find(const old_multipart_t *m,
    const uint8_t *p, const uint8_t *end);
static size_t old_multipart_tail(const old_multipart_t *m, const uint8_t *p,
    size_t len);
static const uint8_t *old_multipart_delimiter(old_multipart_t *m,
    const uint8_t *p);
static void old_multipart_no_delimiter(old_multipart_t *m, size_t n);
static void old_multipart_header(old_multipart_t *m, uint8_t c);
static int old_multipart_fields(old_multipart_t *m, old_multipart_part_t *part);
static int old_multipart_line(old_multipart_t *m, size_t *pos,
    art_str_t *line);
static int old_multipart_field(old_multipart_t *m, art_str_t line,
    old_multipart_part_t *part);
static int old_multipart_disposition(old_multipart_t *m, art_str_t value,
    old_multipart_part_t *part);
static size_t old_multipart_unquote(uint8_t *dst, art_str_t value,
    unsigned percent);
static int old_multipart_percent(const uint8_t *p, const uint8_t *end);
static art_str_t old_multipart_first(art_str_t value);
static art_str_t old_multipart_trim(art_str_t s);
static void old_multipart_send(old_multipart_t *m, const uint8_t *p,
    size_t len);
static void old_multipart_close(old_multipart_t *m);
static void old_multipart_fail(old_multipart_t *m, old_multipart_error_t error);


static int
old_multipart_init(old_multipart_t *m, art_str_t content_type,
    const old_multipart_sink_t *sink, void *data)
{
    size_t     i, n;
    uint8_t   *text;
    art_str_t  rest, key, value;

    text = m->text;

    m->error = OLD_MULTIPART_NO_BOUNDARY;
    m->state = OLD_MULTIPART_CONTENT;
    m->open = 0;
    m->nparts = 0;
    m->sink = sink;
    m->data = data;
    m->ntext = 0;

    /* the first delimiter needs no CRLF before it */

    m->matched = 2;
    m->unsent = 2;

    if (content_type.len > OLD_MULTIPART_HEADER
        || !art_str_is(old_multipart_first(content_type),
                       "multipart/form-data"))
    {
        return ART_ERROR;
    }

    n = 0;
    rest = content_type;

    while (n == 0 && old_disposition_next(&rest, &key, &value)) {
        if (art_str_is(key, "boundary")) {
            n = old_multipart_unquote(text, value, 0);
        }
    }

    if (n == 0 || n > OLD_MULTIPART_BOUNDARY || text[n - 1] == ' ') {
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
    m->error = OLD_MULTIPART_SOUND;

    return ART_OK;
}


static int
old_multipart_feed(old_multipart_t *m, const uint8_t *p, size_t len)
{
    const uint8_t  *end;

    end = p + len;

    while (p < end && m->error == OLD_MULTIPART_SOUND) {

        switch (m->state) {

        case OLD_MULTIPART_CONTENT:
            p = old_multipart_content(m, p, end);
            break;

        case OLD_MULTIPART_HEAD:
            old_multipart_header(m, *p++);
            break;

        case OLD_MULTIPART_EPILOGUE:
            return ART_OK;

        default:
            p = old_multipart_delimiter(m, p);
        }
    }

    return m->error == OLD_MULTIPART_SOUND ? ART_OK : ART_ERROR;
}


static int
old_multipart_end(old_multipart_t *m)
{
    if (m->state != OLD_MULTIPART_EPILOGUE) {
        old_multipart_fail(m, OLD_MULTIPART_UNFINISHED);
    }

    return m->error == OLD_MULTIPART_SOUND ? ART_OK : ART_ERROR;
}


/*
 * Passes content on up to the next delimiter.  A delimiter has one CR, its
 * first byte: so what turns out not to be one is sent as it is, and the search
 * goes on at the byte that did not match.
 */

static const uint8_t *
old_multipart_content(old_multipart_t *m, const uint8_t *p, const uint8_t *end)
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
            m->state = OLD_MULTIPART_AFTER;

        } else if (p < end) {
            old_multipart_no_delimiter(m, m->matched);
        }

        return p;
    }

    len = (size_t) (end - p);
    at = old_multipart_find(m, p, end);

    if (at != NULL) {
        m->state = OLD_MULTIPART_AFTER;
        old_multipart_send(m, p, (size_t) (at - p));

        return at + m->ndelimiter;
    }

    m->matched = old_multipart_tail(m, p, len);
    old_multipart_send(m, p, len - m->matched);

    return end;
}


/*
 * The next delimiter, or what may turn out to be one in the next piece.  What
 * is none is passed over here: however much of it there is, the content between
 * two delimiters is sent as one run of bytes.
 */

static const uint8_t *
old_multipart_find(const old_multipart_t *m, const uint8_t *p,
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
old_multipart_tail(const old_multipart_t *m, const uint8_t *p, size_t len)
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
old_multipart_delimiter(old_multipart_t *m, const uint8_t *p)
{
    unsigned  white;

    white = (*p == ' ' || *p == '\t');

    switch (m->state) {

    case OLD_MULTIPART_AFTER:

        if (*p == '-') {
            m->state = OLD_MULTIPART_DASH;
            return p + 1;
        }

        if (!white && *p != '\r') {
            old_multipart_no_delimiter(m, m->ndelimiter);
            return p;
        }

        old_multipart_close(m);

        m->state = white ? OLD_MULTIPART_PADDING : OLD_MULTIPART_LF;
        return p + 1;

    case OLD_MULTIPART_DASH:

        if (*p != '-') {
            old_multipart_no_delimiter(m, m->ndelimiter + 1);
            return p;
        }

        old_multipart_close(m);

        m->state = OLD_MULTIPART_EPILOGUE;
        return p + 1;

    case OLD_MULTIPART_PADDING:

        if (*p == '\r') {
            m->state = OLD_MULTIPART_LF;

        } else if (!white) {
            old_multipart_fail(m, OLD_MULTIPART_MALFORMED);
        }

        return p + 1;

    default: /* OLD_MULTIPART_LF */

        if (*p != '\n') {
            old_multipart_fail(m, OLD_MULTIPART_MALFORMED);

        } else if (m->nparts++ == OLD_MULTIPART_PARTS) {
            old_multipart_fail(m, OLD_MULTIPART_MANY);
        }

        m->state = OLD_MULTIPART_HEAD;
        m->matched = 2;
        m->ntext = 0;

        return p + 1;
    }
}


/* The first "n" bytes of a delimiter were content. */

static void
old_multipart_no_delimiter(old_multipart_t *m, size_t n)
{
    old_multipart_send(m, m->delimiter + m->unsent, n - m->unsent);

    m->state = OLD_MULTIPART_CONTENT;
    m->matched = 0;
    m->unsent = 0;
}


/* Collects the header up to an empty line, the first one included. */

static void
old_multipart_header(old_multipart_t *m, uint8_t c)
{
    old_multipart_part_t  part;

    if (m->ntext == OLD_MULTIPART_HEADER) {
        old_multipart_fail(m, OLD_MULTIPART_LONG);
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

    if (old_multipart_fields(m, &part) != ART_OK) {
        old_multipart_fail(m, OLD_MULTIPART_MALFORMED);
        return;
    }

    if (m->sink->begin(m->data, &part) != ART_OK) {
        old_multipart_fail(m, OLD_MULTIPART_SINK);
        return;
    }

    /* the empty line may be the first two bytes of the next delimiter */

    m->state = OLD_MULTIPART_CONTENT;
    m->matched = 2;
    m->unsent = 2;
    m->open = 1;
}


static int
old_multipart_fields(old_multipart_t *m, old_multipart_part_t *part)
{
    size_t     pos;
    art_str_t  line;

    memset(part, 0, sizeof(old_multipart_part_t));

    for (pos = 0; old_multipart_line(m, &pos, &line); /* void */) {
        if (old_multipart_field(m, line, part) != ART_OK) {
            return ART_ERROR;
        }
    }

    return part->name.data != NULL ? ART_OK : ART_ERROR;
}


/* The next line, with those that continue it (RFC 5322, section 2.2.3). */

static int
old_multipart_line(old_multipart_t *m, size_t *pos, art_str_t *line)
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
            old_odd = 1;
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
old_multipart_field(old_multipart_t *m, art_str_t line,
    old_multipart_part_t *part)
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
    value = old_multipart_trim(art_str(colon + 1, line.len - n - 1));

    old_note(name, value);

    if (art_str_is(name, "content-disposition")) {
        return old_multipart_disposition(m, value, part);
    }

    if (art_str_is(name, "content-type")) {
        part->type = value;
    }

    if (art_str_is(name, "content-transfer-encoding")
        && !art_str_is(value, "binary") && !art_str_is(value, "8bit")
        && !art_str_is(value, "7bit"))
    {
        old_multipart_fail(m, OLD_MULTIPART_ENCODED);
        return ART_ERROR;
    }

    return ART_OK;
}


/* Values are decoded where they stand in m->text: they only get shorter. */

static int
old_multipart_disposition(old_multipart_t *m, art_str_t value,
    old_multipart_part_t *part)
{
    size_t     n;
    uint8_t   *dst;
    unsigned   extended;
    art_str_t  rest, key, text;

    if (!art_str_is(old_multipart_first(value), "form-data")) {
        return ART_ERROR;
    }

    extended = 0;
    rest = value;

    while (old_disposition_next(&rest, &key, &text)) {
        dst = m->text + (text.data - m->text);

        if (art_str_is(key, "name")) {
            n = old_multipart_unquote(dst, text, 1);
            part->name = art_str(dst, n);

        } else if (art_str_is(key, "filename*")) {
            n = old_disposition_extended(text, dst);

            if (n > 0) {
                extended = 1;
                part->filename = art_str(dst, n);
            }

        } else if (art_str_is(key, "filename") && !extended) {
            n = old_multipart_unquote(dst, text, 1);
            part->filename = art_str(dst, n);
        }
    }

    return ART_OK;
}


/*
 * Writes a quoted string without its quotes, or a token, to "dst", which has
 * room for value.len bytes and may be value.data; returns the bytes written.  A
 * backslash is one unless a quote or another one follows: file names may have
 * them, and not all clients escape them.
 */

static size_t
old_multipart_unquote(uint8_t *dst, art_str_t value, unsigned percent)
{
    int             c;
    size_t          n;
    const uint8_t  *p, *end;

    n = 0;
    value = old_multipart_trim(value);
    p = value.data;
    end = p + value.len;

    if (p == end || *p != '"') {
        memmove(dst, p, value.len);
        return value.len;
    }

    for (p++; p < end && *p != '"'; p++) {

        c = percent ? old_multipart_percent(p, end) : -1;

        if (c != -1) {
            p += 2;
            dst[n++] = (uint8_t) c;
            continue;
        }

        if (*p == '\\' && end - p > 1 && (p[1] == '"' || p[1] == '\\')) {
            p++;
        }

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
old_multipart_percent(const uint8_t *p, const uint8_t *end)
{
    int  c, high, low;

    if (*p != '%' || end - p < 3) {
        return -1;
    }

    high = art_char_hex(p[1]);
    low = art_char_hex(p[2]);

    if (high < 0 || low < 0) {
        return -1;
    }

    c = high << 4 | low;

    return c < 0x20 || c == '"' || c == '\\' || c == 0x7f ? c : -1;
}


/* What a value has before its parameters. */

static art_str_t
old_multipart_first(art_str_t value)
{
    const uint8_t  *p;

    p = value.len > 0 ? memchr(value.data, ';', value.len) : NULL;

    if (p != NULL) {
        value.len = (size_t) (p - value.data);
    }

    return old_multipart_trim(value);
}


static art_str_t
old_multipart_trim(art_str_t s)
{
    while (s.len > 0 && (s.data[0] == ' ' || s.data[0] == '\t')) {
        s.data++;
        s.len--;
    }

    while (s.len > 0
           && (s.data[s.len - 1] == ' ' || s.data[s.len - 1] == '\t'))
    {
        s.len--;
    }

    return s;
}


static void
old_multipart_send(old_multipart_t *m, const uint8_t *p, size_t len)
{
    if (m->open && len > 0 && m->sink->bytes(m->data, p, len) != ART_OK) {
        old_multipart_fail(m, OLD_MULTIPART_SINK);
    }
}


static void
old_multipart_close(old_multipart_t *m)
{
    if (m->open && m->error == OLD_MULTIPART_SOUND
        && m->sink->end(m->data) != ART_OK)
    {
        old_multipart_fail(m, OLD_MULTIPART_SINK);
    }

    m->open = 0;
}


/* The first error counts. */

static void
old_multipart_fail(old_multipart_t *m, old_multipart_error_t error)
{
    if (m->error == OLD_MULTIPART_SOUND) {
        m->error = error;
    }
}


/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The model that a request names whose body is not examined otherwise: one in
 * JSON, or a form (RFC 7578), as those of OpenAI's Images are.
 */


#define OLD_NAME_MAX           256   /* of a model; longer ones do not count */
#define OLD_NAME_LINE_MAX      256   /* of a header's line that is read */
#define OLD_NAME_BOUNDARY_MAX  70    /* RFC 2046, section 5.1.1 */


typedef enum {
    OLD_NAME_JSON = 0,
    OLD_NAME_BODY,               /* of a part, up to a boundary */
    OLD_NAME_BOUNDARY,           /* the rest of its line */
    OLD_NAME_LINE,               /* of a part's header */
    OLD_NAME_OVER
} old_name_state_t;


/* All of it is private. */

typedef struct {
    old_name_state_t     state;
    art_lex_t            lex;
    unsigned             depth;
    unsigned             is_model:1;     /* the current key or part */
    unsigned             too_long:1;
    uint8_t              boundary[OLD_NAME_BOUNDARY_MAX + 4];
    size_t               boundary_len;   /* with CR LF "--" before it */
    size_t               matched;        /* bytes of it */
    uint8_t              line[OLD_NAME_LINE_MAX];
    size_t               line_len;
    uint8_t              value[OLD_NAME_MAX];
    size_t               value_len;
    uint8_t              model[OLD_NAME_MAX];
    size_t               model_len;
} old_name_t;


/*
 * Begins, by the value of Content-Type; ART_ERROR if that is neither a media
 * type of JSON ("json") nor multipart/form-data with a boundary: there will be
 * no model.  "name" must not be moved.
 */

static int old_name_init(old_name_t *name, art_str_t type, unsigned json);


/* Takes the next piece of the body; the time is linear in its length. */

static void old_name_feed(old_name_t *name, const uint8_t *p, size_t len);


/*
 * The model that the body has named so far: in JSON the last "model" of the
 * outermost object, in a form the first part "model"; empty if it named none.
 */

static art_str_t old_name_model(const old_name_t *name);


static int old_name_form(old_name_t *name, art_str_t type);
static int old_name_open(void *data, uint64_t pos, unsigned object);
static int old_name_close(void *data, uint64_t end);
static int old_name_key(void *data, uint64_t pos, uint64_t end, art_str_t key);
static size_t old_name_wants(void *data, uint64_t pos);
static int old_name_value(void *data, const art_lex_value_t *value);
static const uint8_t *old_name_body(old_name_t *name, const uint8_t *p,
    const uint8_t *end);
static void old_name_take(old_name_t *name, const uint8_t *p, size_t len);
static void old_name_boundary(old_name_t *name, uint8_t c);
static void old_name_line(old_name_t *name, uint8_t c);
static int old_name_parameter(art_str_t *text, art_str_t *key,
    art_str_t *value);
static art_str_t old_name_trim(art_str_t text);
static int old_name_is_space(uint8_t c);


static const art_lex_handler_t  old_name_handler = {
    old_name_open, old_name_close, old_name_key, old_name_wants, NULL,
    old_name_value, NULL
};


static int
old_name_init(old_name_t *name, art_str_t type, unsigned json)
{
    memset(name, 0, sizeof(*name));

    if (!json) {
        name->state = OLD_NAME_OVER;
        return old_name_form(name, type);
    }

    art_lex_init(&name->lex, &old_name_handler, name, name->value,
                 sizeof(name->value));
    return ART_OK;
}


/* The body begins as if a line had ended before it. */

static int
old_name_form(old_name_t *name, art_str_t type)
{
    art_str_t  key, value;

    if (old_name_parameter(&type, &key, &value) != ART_OK
        || !art_str_is(key, "multipart/form-data"))
    {
        return ART_ERROR;
    }

    while (old_name_parameter(&type, &key, &value) == ART_OK) {

        if (!art_str_is(key, "boundary") || value.len == 0
            || value.len > OLD_NAME_BOUNDARY_MAX)
        {
            continue;
        }

        memcpy(name->boundary, "\r\n--", 4);
        memcpy(name->boundary + 4, value.data, value.len);

        name->boundary_len = value.len + 4;
        name->matched = 2;
        name->state = OLD_NAME_BODY;

        return ART_OK;
    }

    return ART_ERROR;
}


static void
old_name_feed(old_name_t *name, const uint8_t *p, size_t len)
{
    const uint8_t  *end;

    end = p + len;

    while (p < end) {

        switch (name->state) {

        case OLD_NAME_JSON:

            if (art_lex_feed(&name->lex, p, len) != ART_OK) {
                name->state = OLD_NAME_OVER;
            }

            return;

        case OLD_NAME_BODY:
            p = old_name_body(name, p, end);
            break;

        case OLD_NAME_BOUNDARY:
            old_name_boundary(name, *p++);
            break;

        case OLD_NAME_LINE:
            old_name_line(name, *p++);
            break;

        default:  /* OLD_NAME_OVER */
            return;
        }
    }
}


static art_str_t
old_name_model(const old_name_t *name)
{
    return art_str(name->model, name->model_len);
}


/* Of the top object only: all others are skipped. */

static int
old_name_open(void *data, uint64_t pos, unsigned object)
{
    old_name_t *name = data;

    (void) pos;

    if (name->depth == 0 && !object) {
        return ART_ERROR;
    }

    if (name->is_model) {
        name->model_len = 0;
    }

    return name->depth++ == 0 ? ART_OK : ART_LEX_SKIP;
}


static int
old_name_close(void *data, uint64_t end)
{
    old_name_t *name = data;

    (void) end;

    name->depth--;

    return ART_OK;
}


static int
old_name_key(void *data, uint64_t pos, uint64_t end, art_str_t key)
{
    old_name_t *name = data;

    (void) pos;
    (void) end;

    name->is_model = art_str_eq(key, art_cstr("model")) ? 1 : 0;

    return ART_OK;
}


static size_t
old_name_wants(void *data, uint64_t pos)
{
    old_name_t *name = data;

    (void) pos;

    return name->is_model ? OLD_NAME_MAX : 0;
}


static int
old_name_value(void *data, const art_lex_value_t *value)
{
    old_name_t *name = data;

    if (!name->is_model || name->depth != 1) {
        return ART_OK;
    }

    name->is_model = 0;
    name->model_len = 0;

    if (value->string && value->len == value->text.len) {
        memcpy(name->model, value->text.data, value->text.len);
        name->model_len = value->text.len;
    }

    return ART_OK;
}


/*
 * A boundary has no CR but its first byte: where it does not go on, the bytes
 * that seemed to be its beginning are content.
 */

static const uint8_t *
old_name_body(old_name_t *name, const uint8_t *p, const uint8_t *end)
{
    const uint8_t  *cr;

    if (name->matched == 0) {

        cr = memchr(p, '\r', (size_t) (end - p));
        if (cr == NULL) {
            cr = end;
        }

        old_name_take(name, p, (size_t) (cr - p));

        if (cr < end) {
            name->matched = 1;
            cr++;
        }

        return cr;
    }

    if (*p != name->boundary[name->matched]) {
        old_name_take(name, name->boundary, name->matched);
        name->matched = 0;

        return p;
    }

    if (++name->matched == name->boundary_len) {
        name->matched = 0;
        name->state = name->is_model ? OLD_NAME_OVER : OLD_NAME_BOUNDARY;

        if (name->is_model && !name->too_long) {
            memcpy(name->model, name->value, name->value_len);
            name->model_len = name->value_len;
        }
    }

    return p + 1;
}


static void
old_name_take(old_name_t *name, const uint8_t *p, size_t len)
{
    if (!name->is_model) {
        return;
    }

    if (len > OLD_NAME_MAX - name->value_len) {
        name->too_long = 1;
        return;
    }

    memcpy(name->value + name->value_len, p, len);
    name->value_len += len;
}


/* "--" after the last boundary, else perhaps white space. */

static void
old_name_boundary(old_name_t *name, uint8_t c)
{
    if (c == '-') {
        name->state = OLD_NAME_OVER;

    } else if (c == '\n') {
        name->state = OLD_NAME_LINE;
    }
}


/* An empty line ends a part's header. */

static void
old_name_line(old_name_t *name, uint8_t c)
{
    art_str_t       line, key, value;
    const uint8_t  *colon;

    if (c != '\n') {

        if (name->line_len < OLD_NAME_LINE_MAX) {
            name->line[name->line_len++] = c;
        }

        return;
    }

    line = old_name_trim(art_str(name->line, name->line_len));
    name->line_len = 0;

    if (line.len == 0) {
        name->state = OLD_NAME_BODY;
        return;
    }

    colon = memchr(line.data, ':', line.len);

    if (colon == NULL) {
        return;
    }

    key = art_str(line.data, (size_t) (colon - line.data));
    line = art_str(colon + 1, line.len - key.len - 1);

    if (!art_str_is(old_name_trim(key), "content-disposition")
        || old_name_parameter(&line, &key, &value) != ART_OK
        || !art_str_is(key, "form-data"))
    {
        return;
    }

    while (old_name_parameter(&line, &key, &value) == ART_OK) {
        if (art_str_is(key, "name") && art_str_eq(value, art_cstr("model"))) {
            name->is_model = 1;
        }
    }
}


/* Cuts a parameter off a header's value, as "key" or "key=value". */

static int
old_name_parameter(art_str_t *text, art_str_t *key, art_str_t *value)
{
    size_t    i, is;
    unsigned  quoted;

    if (text->len == 0) {
        return ART_ERROR;
    }

    is = 0;
    quoted = 0;

    for (i = 0; i < text->len && (quoted || text->data[i] != ';'); i++) {

        if (text->data[i] == '"') {
            quoted = !quoted;

        } else if (text->data[i] == '=' && is == 0) {
            is = i;
        }
    }

    *value = art_str(NULL, 0);
    *key = old_name_trim(art_str(text->data, is > 0 ? is : i));

    if (is > 0) {
        *value = old_name_trim(art_str(text->data + is + 1, i - is - 1));

        if (value->len >= 2 && value->data[0] == '"'
            && value->data[value->len - 1] == '"')
        {
            *value = art_str(value->data + 1, value->len - 2);
        }
    }

    i += i < text->len;
    *text = art_str(text->data + i, text->len - i);

    return ART_OK;
}


static art_str_t
old_name_trim(art_str_t text)
{
    while (text.len > 0 && old_name_is_space(text.data[0])) {
        text.data++;
        text.len--;
    }

    while (text.len > 0 && old_name_is_space(text.data[text.len - 1])) {
        text.len--;
    }

    return text;
}


static int
old_name_is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}


/* By API: OpenAI's list has up to 10000 files by default. */

#define ART_FILE_LIMIT_ANTHROPIC  20


typedef int (*art_file_arg_pt)(art_file_query_t *q, art_str_t value);

typedef struct {
    const char        *name;
    unsigned           apis;     /* a bit for each */
    art_file_arg_pt    parse;
} art_file_arg_t;


static int old_file_query_pair(art_file_query_t *q, art_file_api_t api,
    art_str_t key, art_str_t value, art_file_error_t *error);
static const uint8_t *old_file_query_decode(art_file_query_t *q, size_t *n,
    const uint8_t *p, const uint8_t *end, art_str_t *s, int stop);
static int old_file_query_limit(art_file_query_t *q, art_str_t value);
static int old_file_query_after(art_file_query_t *q, art_str_t value);
static int old_file_query_before(art_file_query_t *q, art_str_t value);
static int old_file_query_order(art_file_query_t *q, art_str_t value);
static int old_file_query_purpose(art_file_query_t *q, art_str_t value);
static int old_file_query_id(art_file_query_t *q, art_str_t value);


#define ART_FILE_OF_OPENAI     (1u << ART_FILE_OPENAI)
#define ART_FILE_OF_ANTHROPIC  (1u << ART_FILE_ANTHROPIC)


static const art_file_arg_t  art_file_args[] = {
    { "limit", ART_FILE_OF_OPENAI | ART_FILE_OF_ANTHROPIC,
      old_file_query_limit },
    { "after", ART_FILE_OF_OPENAI, old_file_query_after },
    { "order", ART_FILE_OF_OPENAI, old_file_query_order },
    { "purpose", ART_FILE_OF_OPENAI, old_file_query_purpose },
    { "after_id", ART_FILE_OF_ANTHROPIC, old_file_query_after },
    { "before_id", ART_FILE_OF_ANTHROPIC, old_file_query_before },
    { "page", ART_FILE_OF_ANTHROPIC, old_file_query_after },
    { "ids[]", ART_FILE_OF_ANTHROPIC, old_file_query_id },
    { "ids", ART_FILE_OF_ANTHROPIC, old_file_query_id }
};


static int
old_file_query_parse(art_file_query_t *q, art_file_api_t api, art_str_t args,
    art_file_error_t *error)
{
    size_t          n;
    art_str_t       key, value;
    const uint8_t  *p, *end;

    memset(q, 0, offsetof(art_file_query_t, ids));

    error->reason = ART_FILE_PARAM;
    error->param = "query";
    error->detail = art_str(NULL, 0);

    q->limit = api == ART_FILE_ANTHROPIC ? ART_FILE_LIMIT_ANTHROPIC
                                         : ART_FILE_LIMIT_MAX;

    if (args.len > ART_FILE_QUERY_MAX) {
        return ART_ERROR;
    }

    n = 0;
    p = args.data;
    end = p + args.len;

    while (p < end) {
        p = old_file_query_decode(q, &n, p, end, &key, '=');
        p = old_file_query_decode(q, &n, p, end, &value, '&');

        if (p == NULL) {
            return ART_ERROR;
        }

        p += p < end;

        if (value.len > 0
            && old_file_query_pair(q, api, key, value, error) != ART_OK)
        {
            return ART_ERROR;
        }
    }

    error->reason = ART_FILE_SOUND;

    return ART_OK;
}


/*
 * Decodes up to an "&" or "stop" and returns what follows: the "=" is passed,
 * the "&" is not.  NULL for an incomplete escape.
 */

static const uint8_t *
old_file_query_decode(art_file_query_t *q, size_t *n, const uint8_t *p,
    const uint8_t *end, art_str_t *s, int stop)
{
    size_t    i, len;
    uint8_t  *dst;

    *s = art_str(NULL, 0);

    if (p == NULL) {
        return NULL;
    }

    for (i = 0; p + i < end && p[i] != stop && p[i] != '&'; i++) {
        /* void */
    }

    dst = q->text + *n;

    if (art_percent_decode(dst, &len, art_str(p, i)) != ART_OK) {
        return NULL;
    }

    *s = art_str(dst, len);
    *n += len;
    p += i;

    return p < end && *p == stop && stop != '&' ? p + 1 : p;
}


static int
old_file_query_pair(art_file_query_t *q, art_file_api_t api, art_str_t key,
    art_str_t value, art_file_error_t *error)
{
    size_t  i;

    for (i = 0; i < art_nitems(art_file_args); i++) {

        if (!(art_file_args[i].apis & 1u << api)
            || !art_str_eq(key, art_cstr(art_file_args[i].name)))
        {
            continue;
        }

        if (art_file_args[i].parse(q, value) == ART_OK) {
            return ART_OK;
        }

        error->param = art_file_args[i].name;
        error->detail = value;

        return ART_ERROR;
    }

    return ART_OK;
}


static int
old_file_query_limit(art_file_query_t *q, art_str_t value)
{
    return art_page_limit(value, &q->limit);
}


static int
old_file_query_after(art_file_query_t *q, art_str_t value)
{
    q->has_cursor = 1;
    q->backwards = 0;

    return art_id_from_file(value, q->cursor) ? ART_OK : ART_ERROR;
}


static int
old_file_query_before(art_file_query_t *q, art_str_t value)
{
    if (old_file_query_after(q, value) != ART_OK) {
        return ART_ERROR;
    }

    q->backwards = 1;

    return ART_OK;
}


static int
old_file_query_order(art_file_query_t *q, art_str_t value)
{
    q->ascending = art_str_eq(value, art_cstr("asc")) != 0;

    if (q->ascending) {
        return ART_OK;
    }

    return art_str_eq(value, art_cstr("desc")) ? ART_OK : ART_ERROR;
}


static int
old_file_query_purpose(art_file_query_t *q, art_str_t value)
{
    q->purpose = value;

    return ART_OK;
}


/* Ids of others are none that is there; the same one again counts once. */

static int
old_file_query_id(art_file_query_t *q, art_str_t value)
{
    size_t   i;
    uint8_t  id[ART_UUID_LEN];

    q->by_ids = 1;

    if (!art_id_from_file(value, id)) {
        return ART_OK;
    }

    for (i = 0; i < q->nids; i++) {
        if (memcmp(q->ids[i], id, sizeof(id)) == 0) {
            return ART_OK;
        }
    }

    if (q->nids == ART_FILE_IDS_MAX) {
        return ART_ERROR;
    }

    memcpy(q->ids[q->nids++], id, sizeof(id));

    return ART_OK;
}


#endif /* OLD_FORM_H_INCLUDED_ */
