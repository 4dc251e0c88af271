
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/capability/art_model.h"


#define ART_MODEL_PATH      7        /* components that are dropped at most */
#define ART_MODEL_REGION    8
#define ART_MODEL_VENDOR    16
#define ART_MODEL_VARIANT   32
#define ART_MODEL_VERSION   64
#define ART_MODEL_DATE      128

#define ART_MODEL_STARTS    (2 * ART_MODEL_PATH + 4)
#define ART_MODEL_ENDS      4


/* A place where a name may be cut, and what is dropped then. */

typedef struct {
    size_t    pos;
    size_t    provider;          /* of a beginning: what stands before it */
    unsigned  dropped;
} art_model_cut_t;


static unsigned art_model_starts(art_str_t name, art_model_cut_t *starts);
static unsigned art_model_start(art_model_cut_t *starts, unsigned n,
    size_t pos, size_t provider, unsigned dropped);
static unsigned art_model_ends(art_str_t name, art_model_cut_t *ends);
static size_t art_model_prefix(art_str_t name, const art_str_t *prefixes);
static size_t art_model_variant(art_str_t name);
static size_t art_model_version(art_str_t name);
static size_t art_model_date(art_str_t name);
static size_t art_model_digits(art_str_t name, size_t end);
static unsigned art_model_number(const uint8_t *p, size_t n);


/*
 * What Amazon Bedrock puts before a model: the geography of an inference
 * profile, and the provider ("us.anthropic.claude-..."; Amazon Bedrock User
 * Guide, "Supported foundation models" and "... inference profiles").  Some
 * clouds name vendors likewise ("meta.llama-3.1").
 */

static const art_str_t  art_model_regions[] = {
    art_string("us"), art_string("eu"), art_string("apac"),
    art_string("global"), art_string("us-gov"), art_string("jp"),
    art_string("au"), art_string("ca"), art_string("sa"), art_string("me"),
    art_string("af"), art_null_string
};


static const art_str_t  art_model_vendors[] = {
    art_string("ai21"), art_string("amazon"), art_string("anthropic"),
    art_string("cohere"), art_string("google"), art_string("luma"),
    art_string("meta"), art_string("minimax"), art_string("mistral"),
    art_string("moonshot"), art_string("moonshotai"), art_string("nvidia"),
    art_string("openai"), art_string("qwen"), art_string("stability"),
    art_string("twelvelabs"), art_string("writer"), art_string("xai"),
    art_string("zai"), art_null_string
};


unsigned
art_model_keys(art_str_t name, art_model_key_t *keys)
{
    unsigned          i, j, n, nstarts, nends;
    art_model_cut_t   starts[ART_MODEL_STARTS], ends[ART_MODEL_ENDS];

    if (name.len == 0 || name.len > ART_MODEL_NAME_MAX) {
        return 0;
    }

    nstarts = art_model_starts(name, starts);
    nends = art_model_ends(name, ends);
    n = 0;

    for (i = 0; i < nstarts; i++) {
        for (j = 0; j < nends; j++) {

            if (starts[i].pos >= ends[j].pos) {
                continue;
            }

            keys[n].provider = (uint8_t) starts[i].provider;
            keys[n].start = (uint8_t) starts[i].pos;
            keys[n].len = (uint8_t) (ends[j].pos - starts[i].pos);
            keys[n].dropped = (uint8_t) (starts[i].dropped + ends[j].dropped);
            n++;
        }
    }

    return n;
}


art_str_t
art_model_key_text(art_str_t name, const art_model_key_t *key,
    uint8_t buf[ART_MODEL_NAME_MAX])
{
    if (key->provider == 0) {
        return art_str(name.data + key->start, key->len);
    }

    memcpy(buf, name.data, key->provider);
    memcpy(buf + key->provider, name.data + key->start, key->len);

    return art_str(buf, (size_t) key->provider + key->len);
}


/* Of a path that is too long the last components are looked at, no provider */

static unsigned
art_model_starts(art_str_t name, art_model_cut_t *starts)
{
    size_t    i, pos, provider, slashes[ART_MODEL_PATH];
    unsigned  n, nslashes, dropped;

    nslashes = 0;
    provider = 0;

    for (i = name.len; i > 0; i--) {
        if (name.data[i - 1] == '/') {
            provider = nslashes < ART_MODEL_PATH ? i : 0;

            if (provider == 0) {
                break;
            }

            slashes[nslashes++] = i;
        }
    }

    n = art_model_start(starts, 0, 0, 0, 0);
    pos = 0;

    for (dropped = 0; nslashes > 0; /* void */ ) {
        pos = slashes[--nslashes];
        n = art_model_start(starts, n, pos, provider, ++dropped);
    }

    i = art_model_prefix(art_str(name.data + pos, name.len - pos),
                         art_model_regions);
    if (i > 0) {
        pos += i;
        dropped += ART_MODEL_REGION;
        n = art_model_start(starts, n, pos, provider, dropped);
    }

    i = art_model_prefix(art_str(name.data + pos, name.len - pos),
                         art_model_vendors);
    if (i > 0) {
        n = art_model_start(starts, n, pos + i, provider,
                            dropped + ART_MODEL_VENDOR);
    }

    return n;
}


/* A beginning, and the same behind the provider, who is not dropped then. */

static unsigned
art_model_start(art_model_cut_t *starts, unsigned n, size_t pos,
    size_t provider, unsigned dropped)
{
    starts[n].pos = pos;
    starts[n].provider = 0;
    starts[n].dropped = dropped;
    n++;

    if (provider > 0 && pos > provider) {
        starts[n].pos = pos;
        starts[n].provider = provider;
        starts[n].dropped = dropped - 1;
        n++;
    }

    return n;
}


/* What stands at the end is dropped from the end on. */

static unsigned
art_model_ends(art_str_t name, art_model_cut_t *ends)
{
    size_t    i, len;
    unsigned  n, dropped;

    static const struct {
        size_t   (*find)(art_str_t name);
        unsigned   dropped;
    } cuts[ART_MODEL_ENDS - 1] = {
        { art_model_variant, ART_MODEL_VARIANT },
        { art_model_version, ART_MODEL_VERSION },
        { art_model_date, ART_MODEL_DATE }
    };

    ends[0].pos = name.len;
    ends[0].dropped = 0;
    n = 1;
    dropped = 0;

    for (i = 0; i < ART_MODEL_ENDS - 1; i++) {
        len = cuts[i].find(name);

        if (len < name.len) {
            name.len = len;
            dropped += cuts[i].dropped;
            ends[n].pos = len;
            ends[n++].dropped = dropped;
        }
    }

    return n;
}


/* The length of a prefix with its dot, 0 if there is none of the table. */

static size_t
art_model_prefix(art_str_t name, const art_str_t *prefixes)
{
    for ( /* void */ ; prefixes->len > 0; prefixes++) {
        if (name.len > prefixes->len + 1
            && name.data[prefixes->len] == '.'
            && memcmp(name.data, prefixes->data, prefixes->len) == 0)
        {
            return prefixes->len + 1;
        }
    }

    return 0;
}


/*
 * ":free", ":thinking", "@default": words.  A tag with a digit tells models
 * apart ("gemma3:4b"), and behind "ft:" stands the name itself.
 */

static size_t
art_model_variant(art_str_t name)
{
    size_t   i;
    uint8_t  c;

    for (i = name.len; i > 0; i--) {
        c = name.data[i - 1];

        if ((c < 'a' || c > 'z') && c != '-') {
            break;
        }
    }

    if (i < 2 || i == name.len
        || (name.data[i - 1] != ':' && name.data[i - 1] != '@')
        || name.data[i - 2] == '/'
        || (i >= 3 && memcmp(name.data + i - 3, "ft:", 3) == 0
            && (i == 3 || name.data[i - 4] == '/')))
    {
        return name.len;
    }

    return i - 1;
}


/* "-v1:0", "-v1:0:28k" */

static size_t
art_model_version(art_str_t name)
{
    size_t  end, start;

    end = name.len;

    if (end > 0 && name.data[end - 1] == 'k') {
        start = art_model_digits(name, end - 1);

        if (start == end - 1 || start == 0 || name.data[start - 1] != ':') {
            return name.len;
        }

        end = start - 1;
    }

    start = art_model_digits(name, end);

    if (start == end || start == 0 || name.data[start - 1] != ':') {
        return name.len;
    }

    end = start - 1;
    start = art_model_digits(name, end);

    if (start == end || start < 3 || name.data[start - 1] != 'v'
        || name.data[start - 2] != '-')
    {
        return name.len;
    }

    return start - 2;
}


/* "-2024-08-06", "-20241022", "@20240620", "-latest" */

static size_t
art_model_date(art_str_t name)
{
    size_t          i, len;
    unsigned        year, month, day;
    const uint8_t  *p;

    static const art_str_t  latest = art_string("-latest");

    len = name.len;

    if (len > latest.len
        && memcmp(name.data + len - latest.len, latest.data, latest.len) == 0)
    {
        return len - latest.len;
    }

    i = art_model_digits(name, len);

    if (len - i == 8 && i >= 2
        && (name.data[i - 1] == '-' || name.data[i - 1] == '@'))
    {
        p = name.data + i;
        year = art_model_number(p, 4);
        month = art_model_number(p + 4, 2);
        day = art_model_number(p + 6, 2);
        i--;

    } else if (len > 11 && name.data[len - 11] == '-'
               && name.data[len - 6] == '-' && name.data[len - 3] == '-')
    {
        i = len - 11;
        p = name.data + i;
        year = art_model_number(p + 1, 4);
        month = art_model_number(p + 6, 2);
        day = art_model_number(p + 9, 2);

    } else {
        return len;
    }

    return year >= 2000 && year < 2100 && month >= 1 && month <= 12
           && day >= 1 && day <= 31
           ? i : len;
}


/* Where the digits before "end" start. */

static size_t
art_model_digits(art_str_t name, size_t end)
{
    while (end > 0 && name.data[end - 1] >= '0' && name.data[end - 1] <= '9') {
        end--;
    }

    return end;
}


/* 0 if there is anything but digits. */

static unsigned
art_model_number(const uint8_t *p, size_t n)
{
    unsigned  value;

    for (value = 0; n > 0; n--, p++) {
        if (*p < '0' || *p > '9') {
            return 0;
        }

        value = value * 10 + (unsigned) (*p - '0');
    }

    return value;
}
