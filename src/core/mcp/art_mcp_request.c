
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The reader: which members of a message matter, and what is kept of them.
 */


#include "core/text/art_utf8.h"
#include "core/mcp/art_mcp_request.h"


/* The objects that are entered. */

enum {
    ART_MCP_NODE_ROOT = ART_WALK_ROOT,
    ART_MCP_NODE_PARAMS,
    ART_MCP_NODE_ARGUMENTS,
    ART_MCP_NODE_META
};


/* What a field is. */

typedef enum {
    ART_MCP_IS_STRING = 0,
    ART_MCP_IS_STREAM,
    ART_MCP_IS_INTEGER,
    ART_MCP_IS_OBJECT,
    ART_MCP_IS_ID
} art_mcp_is_t;


/*
 * Fields are the arguments of tools, then the other members; these two are not
 * kept.
 */

enum {
    ART_MCP_FIELD_NONE = ART_MCP_ARGS + ART_MCP_MEMBERS,
    ART_MCP_FIELD_STRANGE
};

#define art_mcp_field(member)  (ART_MCP_ARGS + (member))


static unsigned art_mcp_is_read(const art_mcp_request_t *m);
static size_t art_mcp_utf8(art_mcp_request_t *m, const uint8_t *p,
    size_t len);
static int art_mcp_enter(void *data, art_walk_frame_t *frame);
static int art_mcp_key(void *data, uint64_t pos, uint64_t end, art_str_t key);
static int art_mcp_argument(art_mcp_request_t *m, art_str_t key);
static size_t art_mcp_wants(void *data, const art_walk_rule_t *rule,
    uint64_t pos);
static int art_mcp_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value);
static int art_mcp_keep(art_mcp_request_t *m, art_str_t text,
    art_str_t *kept);
static int art_mcp_id(art_mcp_request_t *m, art_mcp_value_t *field,
    const art_lex_value_t *value);
static void art_mcp_number(art_mcp_request_t *m, art_mcp_value_t *field,
    const art_lex_value_t *value);
static void art_mcp_text(void *data, const uint8_t *p, size_t n,
    uint64_t end);
static void art_mcp_raw(art_mcp_request_t *m, uint64_t pos, uint64_t end);
static art_mcp_is_t art_mcp_is(const art_mcp_request_t *m);
static uint64_t art_mcp_max(const art_mcp_request_t *m);
static art_mcp_value_t *art_mcp_of(art_mcp_request_t *m);


#define rule(in, key, object, member)                                         \
    { key, ART_MCP_NODE_##in, object, ART_WALK_NONE,                          \
      art_mcp_field(ART_MCP_MEMBER_##member) }

static const art_walk_rule_t  art_mcp_root = {
    NULL, ART_WALK_NONE, ART_MCP_NODE_ROOT, ART_WALK_NONE, ART_MCP_FIELD_NONE
};

static const art_walk_rule_t  art_mcp_rules[] = {
    rule(ROOT, "jsonrpc", ART_WALK_NONE, JSONRPC),
    rule(ROOT, "id", ART_WALK_NONE, ID),
    rule(ROOT, "method", ART_WALK_NONE, METHOD),
    rule(ROOT, "params", ART_MCP_NODE_PARAMS, PARAMS),
    rule(PARAMS, "name", ART_WALK_NONE, NAME),
    rule(PARAMS, "uri", ART_WALK_NONE, URI),
    rule(PARAMS, "cursor", ART_WALK_NONE, CURSOR),
    rule(PARAMS, "protocolVersion", ART_WALK_NONE, REVISION),
    rule(PARAMS, "arguments", ART_MCP_NODE_ARGUMENTS, ARGUMENTS),
    rule(PARAMS, "_meta", ART_MCP_NODE_META, META),
    rule(META, "io.modelcontextprotocol/protocolVersion", ART_WALK_NONE,
         VERSION),
    rule(META, "io.modelcontextprotocol/clientCapabilities", ART_WALK_NONE,
         CAPABILITIES),

    /* which one it is, is looked up in the table of arguments */

    { ART_WALK_ANY, ART_MCP_NODE_ARGUMENTS, ART_WALK_NONE, ART_WALK_NONE,
      ART_MCP_FIELD_STRANGE },
    { NULL, ART_WALK_NONE, ART_WALK_NONE, ART_WALK_NONE, ART_MCP_FIELD_NONE }
};

#undef rule


/* Of members: what they are, and the bytes of a string. */

static const struct {
    art_mcp_is_t  is;
    uint64_t      max;
} art_mcp_members[ART_MCP_MEMBERS] = {
    [ART_MCP_MEMBER_JSONRPC] = { ART_MCP_IS_STRING, 16 },
    [ART_MCP_MEMBER_ID] = { ART_MCP_IS_ID, 0 },
    [ART_MCP_MEMBER_METHOD] = { ART_MCP_IS_STRING, ART_MCP_NAME_MAX },
    [ART_MCP_MEMBER_PARAMS] = { ART_MCP_IS_OBJECT, 0 },
    [ART_MCP_MEMBER_NAME] = { ART_MCP_IS_STRING, ART_MCP_NAME_MAX },
    [ART_MCP_MEMBER_URI] = { ART_MCP_IS_STRING, ART_MCP_URI_MAX },
    [ART_MCP_MEMBER_CURSOR] = { ART_MCP_IS_STRING, ART_MCP_URI_MAX },
    [ART_MCP_MEMBER_REVISION] = { ART_MCP_IS_STRING, ART_MCP_NAME_MAX },
    [ART_MCP_MEMBER_ARGUMENTS] = { ART_MCP_IS_OBJECT, 0 },
    [ART_MCP_MEMBER_META] = { ART_MCP_IS_OBJECT, 0 },
    [ART_MCP_MEMBER_VERSION] = { ART_MCP_IS_STRING, ART_MCP_NAME_MAX },
    [ART_MCP_MEMBER_CAPABILITIES] = { ART_MCP_IS_OBJECT, 0 }
};


static const art_walk_observer_t  art_mcp_observer = {
    sizeof(art_walk_rule_t),
    sizeof(art_walk_frame_t),
    ART_MCP_DEPTH,
    &art_mcp_root,
    art_mcp_enter,
    NULL,
    art_mcp_key,
    art_mcp_wants,
    NULL,
    art_mcp_value,
    art_mcp_text
};


void
art_mcp_init(art_mcp_request_t *m, const art_pool_t *pool,
    art_mcp_sink_pt sink, void *data)
{
    memset(m, 0, offsetof(art_mcp_request_t, raw));

    m->tool = ART_MCP_NO_TOOL;
    m->field = ART_MCP_FIELD_NONE;
    m->pool = *pool;
    m->sink = sink;
    m->data = data;

    art_walk_init(&m->walk, &art_mcp_observer, art_mcp_rules, m->frames, m);
    art_lex_init(&m->lex, &art_walk_tokens, &m->walk, m->text,
                 sizeof(m->text));
}


int
art_mcp_feed(art_mcp_request_t *m, const uint8_t *p, size_t len)
{
    size_t    n;
    uint64_t  pos;

    if (!art_mcp_is_read(m)) {
        return ART_ERROR;
    }

    n = art_mcp_utf8(m, p, len);

    m->piece = p;
    m->piece_pos = art_lex_pos(&m->lex);

    if ((art_lex_feed(&m->lex, p, n) != ART_OK || n < len)
        && art_mcp_is_read(m))
    {
        m->framing = art_lex_is_refused(&m->lex) ? ART_MCP_TOO_DEEP
                                                 : ART_MCP_NO_JSON;
    }

    if (!art_mcp_is_read(m)) {
        return ART_ERROR;
    }

    /* what the next piece goes on with */

    if (!art_walk_is_skipping(&m->walk) && art_lex_in_scalar(&m->lex, &pos)) {
        art_mcp_raw(m, pos, art_lex_pos(&m->lex));
    }

    return ART_OK;
}


/* Whether what follows can still matter: it may be no JSON. */

static unsigned
art_mcp_is_read(const art_mcp_request_t *m)
{
    return m->framing <= ART_MCP_TWICE;
}


/*
 * The length of valid UTF-8 in the next piece, with a character that is cut at
 * its end, which the following piece completes.
 */

static size_t
art_mcp_utf8(art_mcp_request_t *m, const uint8_t *p, size_t len)
{
    int     n;
    size_t  i;

    for (i = 0; i < len && m->nutf8 > 0; i++) {
        m->utf8[m->nutf8++] = p[i];
        n = art_utf8_char(m->utf8, m->nutf8);

        if (n < 0) {
            return i;
        }

        if (n > 0) {
            m->nutf8 = 0;
        }
    }

    i += art_utf8_valid_len(p + i, len - i);

    if (i == len || art_utf8_char(p + i, len - i) != 0) {
        return i;
    }

    m->nutf8 = (unsigned) (len - i);
    memcpy(m->utf8, p + i, len - i);

    return len;
}


art_mcp_tool_id_t
art_mcp_tool_so_far(const art_mcp_request_t *m)
{
    return art_mcp_tool_find(m->members[ART_MCP_MEMBER_NAME].text);
}


int
art_mcp_failed(const art_mcp_request_t *m)
{
    return m->framing == ART_MCP_FAILED;
}


int
art_mcp_end(art_mcp_request_t *m)
{
    const art_mcp_value_t  *id;

    /* the end is no piece: it adds nothing to a number */

    m->piece = (const uint8_t *) "";
    m->piece_pos = art_lex_pos(&m->lex);

    if (art_mcp_is_read(m) && art_lex_end(&m->lex) != ART_OK
        && art_mcp_is_read(m))
    {
        m->framing = ART_MCP_NO_JSON;
    }

    id = &m->members[ART_MCP_MEMBER_ID];

    if (art_mcp_is_read(m) && !id->wrong) {
        m->id = id->text;
    }

    m->notification = !id->given;
    m->method_name = m->members[ART_MCP_MEMBER_METHOD].text;
    m->name = m->members[ART_MCP_MEMBER_NAME].text;
    m->uri = m->members[ART_MCP_MEMBER_URI].text;
    m->cursor = m->members[ART_MCP_MEMBER_CURSOR].text;

    return m->framing == ART_MCP_SOUND ? ART_OK : ART_ERROR;
}


static int
art_mcp_enter(void *data, art_walk_frame_t *frame)
{
    art_mcp_value_t    *field;
    art_mcp_request_t  *m;

    m = data;

    if (frame->rule == &art_mcp_root) {

        if (frame->array) {
            m->framing = ART_MCP_BATCH;
        }

        return ART_OK;
    }

    field = art_mcp_of(m);

    if (field != NULL
        && (frame->array || art_mcp_is(m) != ART_MCP_IS_OBJECT))
    {
        field->wrong = 1;
    }

    return ART_OK;
}


/* Gateways and servers may differ in which of two members of a name counts. */

static int
art_mcp_key(void *data, uint64_t pos, uint64_t end, art_str_t key)
{
    art_mcp_value_t    *field;
    art_mcp_request_t  *m;

    (void) pos;
    (void) end;

    m = data;
    m->field = m->walk.rule != NULL ? m->walk.rule->act : ART_MCP_FIELD_NONE;
    m->nraw = 0;

    if (m->field == ART_MCP_FIELD_STRANGE
        && art_mcp_argument(m, key) != ART_OK)
    {
        return ART_ERROR;
    }

    field = art_mcp_of(m);

    if (m->field < ART_MCP_ARGS) {
        m->seen |= art_mcp_bit(m->field);
    }

    if (field != NULL) {

        if (field->given) {
            m->framing = ART_MCP_TWICE;

            /* which of two ids is meant is unknown */

            field->wrong = 1;
            m->field = ART_MCP_FIELD_NONE;
        }

        field->given = 1;
    }

    return ART_OK;
}


static int
art_mcp_argument(art_mcp_request_t *m, art_str_t key)
{
    unsigned  i;

    for (i = 0; i < ART_MCP_ARGS; i++) {
        if (key.len > 0 && art_mcp_args[i].name[0] == (char) key.data[0]
            && art_str_eq(key, art_cstr(art_mcp_args[i].name)))
        {
            m->field = i;
            return ART_OK;
        }
    }

    if (m->stranger) {
        return ART_OK;
    }

    m->stranger = 1;

    return key.data != NULL ? art_mcp_keep(m, key, &m->strange) : ART_OK;
}


static size_t
art_mcp_wants(void *data, const art_walk_rule_t *rule, uint64_t pos)
{
    art_mcp_request_t  *m;

    (void) rule;
    (void) pos;

    m = data;

    if (art_mcp_of(m) == NULL) {
        return 0;
    }

    switch (art_mcp_is(m)) {

    case ART_MCP_IS_STRING:
        return (size_t) art_mcp_max(m);

    case ART_MCP_IS_STREAM:
        return ART_LEX_STREAM;

    default:
        return 0;
    }
}


static int
art_mcp_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value)
{
    art_mcp_is_t        is;
    art_mcp_value_t    *field;
    art_mcp_request_t  *m;

    m = data;

    if (rule == &art_mcp_root) {
        m->framing = ART_MCP_NO_OBJECT;
        return ART_OK;
    }

    field = art_mcp_of(m);

    if (field == NULL) {
        return ART_OK;
    }

    if (value->null && (m->field < ART_MCP_ARGS
                        || m->field == art_mcp_field(ART_MCP_MEMBER_ARGUMENTS)))
    {
        field->null = 1;
        return ART_OK;
    }

    is = art_mcp_is(m);

    switch (is) {

    case ART_MCP_IS_ID:
        return art_mcp_id(m, field, value);

    case ART_MCP_IS_INTEGER:
        art_mcp_number(m, field, value);
        return ART_OK;

    case ART_MCP_IS_OBJECT:
        field->wrong = 1;
        return ART_OK;

    default:
        break;
    }

    field->wrong = !value->string;
    field->len = value->len;

    if (field->wrong) {
        return ART_OK;
    }

    if (is == ART_MCP_IS_STREAM) {

        if (m->framing != ART_MCP_FAILED && m->sink != NULL
            && m->sink(m->data, m->field, NULL, 0, 1) != ART_OK)
        {
            m->framing = ART_MCP_FAILED;
        }

        return m->framing == ART_MCP_FAILED ? ART_ERROR : ART_OK;
    }

    field->cut = (value->len > art_mcp_max(m)) & 1;

    return field->cut ? ART_OK : art_mcp_keep(m, value->text, &field->text);
}


static int
art_mcp_keep(art_mcp_request_t *m, art_str_t text, art_str_t *kept)
{
    uint8_t  *p;

    *kept = art_cstr("");

    if (text.len == 0) {
        return ART_OK;
    }

    p = m->pool.alloc(m->pool.data, text.len);

    if (p == NULL) {
        m->framing = ART_MCP_FAILED;
        return ART_ERROR;
    }

    memcpy(p, text.data, text.len);
    *kept = art_str(p, text.len);

    return ART_OK;
}


/* A string or an integer, which is repeated as it is. */

static int
art_mcp_id(art_mcp_request_t *m, art_mcp_value_t *field,
    const art_lex_value_t *value)
{
    size_t  i;

    art_mcp_raw(m, value->pos, value->end);

    if (m->nraw > ART_MCP_ID_MAX) {
        field->wrong = 1;
        return ART_OK;
    }

    for (i = 0; !value->string && i < m->nraw; i++) {
        if (m->raw[i] != '-' && (m->raw[i] < '0' || m->raw[i] > '9')) {
            field->wrong = 1;
        }
    }

    return field->wrong ? ART_OK
                        : art_mcp_keep(m, art_str(m->raw, m->nraw),
                                       &field->text);
}


/* JSON Schema 2020-12: a number without a fraction but zero is an integer. */

static void
art_mcp_number(art_mcp_request_t *m, art_mcp_value_t *field,
    const art_lex_value_t *value)
{
    size_t    i, n;
    int64_t   number;
    unsigned  minus, digit;

    art_mcp_raw(m, value->pos, value->end);

    number = 0;
    n = m->nraw <= ART_MCP_ID_MAX ? m->nraw : 0;
    minus = n > 0 && m->raw[0] == '-';

    for (i = minus; i < n && m->raw[i] >= '0' && m->raw[i] <= '9'; i++) {
        digit = m->raw[i] - '0';
        number = number > (INT64_MAX - digit) / 10 ? INT64_MAX
                                                   : number * 10 + digit;
    }

    field->wrong = i == minus;
    if (minus) {
        number = -number;

    } else if (number > (int64_t) art_mcp_max(m)) {
        number = (int64_t) art_mcp_max(m);
    }

    field->number = number;

    if (i < n && m->raw[i] == '.') {
        for (i++; i < n && m->raw[i] == '0'; i++) {
            /* void */
        }
    }

    if (i < n) {
        field->wrong = 1;
    }
}


static void
art_mcp_text(void *data, const uint8_t *p, size_t n, uint64_t end)
{
    art_mcp_request_t  *m;

    (void) end;

    m = data;

    if (m->framing != ART_MCP_FAILED && m->sink != NULL
        && m->sink(m->data, m->field, p, n, 0) != ART_OK)
    {
        m->framing = ART_MCP_FAILED;
    }
}


/*
 * Adds the bytes that the current piece has of a value from "pos" to "end", if
 * its field is made of them.
 */

static void
art_mcp_raw(art_mcp_request_t *m, uint64_t pos, uint64_t end)
{
    size_t  n;

    if (art_mcp_of(m) == NULL || (art_mcp_is(m) != ART_MCP_IS_ID
                                  && art_mcp_is(m) != ART_MCP_IS_INTEGER))
    {
        return;
    }

    pos = pos > m->piece_pos ? pos : m->piece_pos;
    n = (size_t) (end - pos);

    if (m->nraw > ART_MCP_ID_MAX || n > ART_MCP_ID_MAX - m->nraw) {
        m->nraw = ART_MCP_ID_MAX + 1;
        return;
    }

    memcpy(m->raw + m->nraw, m->piece + (pos - m->piece_pos), n);
    m->nraw += n;
}


/* These three are for fields that are kept. */

static art_mcp_is_t
art_mcp_is(const art_mcp_request_t *m)
{
    static const art_mcp_is_t  is[] = {
        [ART_MCP_STRING] = ART_MCP_IS_STRING,
        [ART_MCP_INTEGER] = ART_MCP_IS_INTEGER,
        [ART_MCP_STREAM] = ART_MCP_IS_STREAM
    };

    return m->field < ART_MCP_ARGS ? is[art_mcp_args[m->field].type]
                            : art_mcp_members[m->field - ART_MCP_ARGS].is;
}


static uint64_t
art_mcp_max(const art_mcp_request_t *m)
{
    return m->field < ART_MCP_ARGS ? art_mcp_args[m->field].max
                            : art_mcp_members[m->field - ART_MCP_ARGS].max;
}


/* ... and this is NULL for others. */

static art_mcp_value_t *
art_mcp_of(art_mcp_request_t *m)
{
    if (m->field >= ART_MCP_FIELD_NONE) {
        return NULL;
    }

    return m->field < ART_MCP_ARGS ? &m->args[m->field]
                                   : &m->members[m->field - ART_MCP_ARGS];
}
