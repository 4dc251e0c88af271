
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The families are rows of one table.  A label is a name and a function that
 * lists its values, which are fixed and few: no id, model or path.
 */


#include "core/answer/art_counters.h"
#include "core/api/art_api.h"
#include "core/format/art_route.h"
#include "core/json/art_json_put.h"
#include "core/media/art_classify.h"
#include "core/media/art_standin.h"


#define ART_COUNT_GAUGE   0x01
#define ART_COUNT_SPARSE  0x02   /* zeros are omitted */
#define ART_COUNT_TIMES   0x04   /* a histogram of times */


/* The values are "names", ended by NULL, or those that value() returns. */

typedef struct {
    const char          *name;
    const char *const   *names;
    const char        *(*value)(unsigned i);
} art_count_label_t;


typedef struct {
    const char          *name;
    const char          *help;
    unsigned             flags;
    art_count_label_t    labels[ART_COUNT_LABELS];
} art_count_family_t;


/* A counter that is being printed, with its labels. */

typedef void (*art_counter_pt)(void *data, const art_count_family_t *family,
    const unsigned *at, uint64_t value);


static const char *art_count_format(unsigned i);
static const char *art_count_kind(unsigned i);
static const char *art_count_standin(unsigned i);
static const char *art_count_routing(unsigned i);
static const char *art_count_reason(unsigned i);
static const char *art_count_from(unsigned i);
static const char *art_count_api(unsigned i);
static const char *art_count_value(const art_count_label_t *label,
    unsigned i);
static void art_counters_each(const art_counters_t *counters, unsigned family,
    const uint64_t *values, art_counter_pt print, void *data);
static const char *art_count_type(const art_count_family_t *family);
static void art_histogram_text(art_out_t *out, const art_counters_t *counters,
    unsigned f, const uint64_t *values);
static uint64_t art_histogram_count(const uint64_t *values);
static void art_histogram_line(art_out_t *out,
    const art_count_family_t *family, unsigned at, const char *suffix,
    const char *bound);
static void art_histogram_json(art_json_put_t *put,
    const art_counters_t *counters, unsigned f, const uint64_t *values);
static void art_histogram_seconds(art_out_t *out, uint64_t time);
static void art_counter_line(void *data, const art_count_family_t *family,
    const unsigned *at, uint64_t value);
static void art_counter_sample(void *data, const art_count_family_t *family,
    const unsigned *at, uint64_t value);


static const char *const  art_count_handlers[] = {
    "artifact", "workspace", "decode", "services", "message", "api", "route",
    "mcp", "files", NULL
};

static const char *const  art_count_operations[] = {
    "put", "delete", "post", NULL
};

static const char *const  art_count_writes[] = {
    "created", "changed", "incomplete", "refused", "failed", NULL
};

static const char *const  art_count_folds[] = {
    "done", "failed", NULL
};

static const char *const  art_count_lookups[] = {
    "hit", "miss", NULL
};

static const char *const  art_count_parts[] = {
    "kept", "part", "text", "described", "named", "dropped", "missing", "url",
    "expired", NULL
};

static const char *const  art_count_attachments[] = {
    "pending", "part", "described", "unread", "missing", "expired", NULL
};

static const char *const  art_count_derives[] = {
    "taken", "cannot", "unfit", "failed", NULL
};

static const char *const  art_count_offloaded[] = {
    "media", "text", NULL
};

static const char *const  art_count_offloads[] = {
    "stored", "failed", NULL
};

static const char *const  art_count_sides[] = {
    "front", "behind", NULL
};

/* Those of the front first. */

static const char *const  art_count_standins[] = {
    "stored", "known", "left_type", "left_kind", "left_maximum", "failed",
    "expanded", "described", "missing", "mismatch", "untouched", NULL
};

/* In the order of art_mcp_method_t. */

static const char *const  art_count_methods[] = {
    "unknown", "initialize", "server/discover", "ping", "tools/list",
    "tools/call", "resources/list", "resources/templates/list",
    "resources/read", "notification", NULL
};

static const char *const  art_count_answers[] = {
    "refused", "result", "tool_error", "error", NULL
};

static const char *const  art_count_files[] = {
    "upload", "list", "retrieve", "content", "delete", "other", NULL
};

static const char *const  art_count_filed[] = {
    "done", "refused", "failed", NULL
};

/* In seconds; art_count_limits has them in milliseconds. */

static const char *const  art_count_bounds[] = {
    "0.001", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5",
    "5", "10", "30", "60", "+Inf", "sum", NULL
};

static const uint64_t  art_count_limits[] = {
    1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000
};

/* The statuses of contents and writes, most common first. */

static const char *const  art_count_codes[] = {
    "200", "304", "206", "404", "201", "400", "401", "403", "405", "409", "411",
    "412", "413", "415", "416", "429", "499", "500", "502", "503", "504", "507",
    "301", "302", "408", "410", "other", NULL
};


static const art_count_family_t  art_count_families[ART_COUNT_MAX] = {

    { "artifact_requests_total",
      "Requests by what answered them and status.", ART_COUNT_SPARSE,
      { { "handler", art_count_handlers, NULL },
        { "status", art_count_codes, NULL } } },

    { "artifact_sent_bytes_total",
      "Bytes sent to clients, with headers.", 0,
      { { "handler", art_count_handlers, NULL } } },

    { "artifact_read_bytes_total",
      "Bytes of contents that were read to be rendered.", 0, { { 0 } } },

    { "artifact_routed_total",
      "Routed answers by format, kind of content, routing and reason.",
      ART_COUNT_SPARSE,
      { { "format", NULL, art_count_format }, { "kind", NULL, art_count_kind },
        { "routing", NULL, art_count_routing },
        { "reason", NULL, art_count_reason } } },

    { "artifact_types_total",
      "Contents that were classified, by where the type came from.", 0,
      { { "source", NULL, art_count_from } } },

    { "artifact_contradictions_total",
      "Contents that are not what was declared.", 0, { { 0 } } },

    { "artifact_writes_total",
      "Writes by operation and outcome.", 0,
      { { "operation", art_count_operations, NULL },
        { "outcome", art_count_writes, NULL } } },

    { "artifact_written_bytes_total",
      "Bytes of contents that were written.", 0, { { 0 } } },

    { "artifact_folds_total",
      "Journals folded into metadata, by outcome.", 0,
      { { "outcome", art_count_folds, NULL } } },

    { "artifact_expired_removed_total",
      "Artifacts that had expired and were removed.", 0, { { 0 } } },

    { "artifact_expired_failed_total",
      "Attempts to remove an expired artifact that failed.", 0, { { 0 } } },

    { "artifact_open_files",
      "Contents kept open by all workers.", ART_COUNT_GAUGE, { { 0 } } },

    { "artifact_open_lookups_total",
      "Contents looked up among those kept open.", 0,
      { { "result", art_count_lookups, NULL } } },

    { "artifact_zone_size_bytes",
      "Size of artifact_zone.", ART_COUNT_GAUGE, { { 0 } } },

    { "artifact_zone_used_bytes",
      "Bytes in use of artifact_zone.", ART_COUNT_GAUGE, { { 0 } } },

    { "artifact_zone_evictions_total",
      "Blocks pushed out of artifact_zone for want of room.", 0, { { 0 } } },

    { "artifact_parts_total",
      "References and media in requests to models, by what became of them.",
      ART_COUNT_SPARSE,
      { { "api", NULL, art_count_api }, { "kind", NULL, art_count_kind },
        { "outcome", art_count_parts, NULL } } },

    { "artifact_saved_bytes_total",
      "Bytes of media taken out of requests to models.", 0, { { 0 } } },

    { "artifact_attachments_total",
      "Attachments of messages by what became of them.", 0,
      { { "outcome", art_count_attachments, NULL } } },

    { "artifact_sources_failed_total",
      "Sources of references that failed.", 0, { { 0 } } },

    { "artifact_derived_total",
      "Conversions by kind of content and outcome.", ART_COUNT_SPARSE,
      { { "kind", NULL, art_count_kind },
        { "outcome", art_count_derives, NULL } } },

    { "artifact_declared_total",
      "Artifacts that were declared in answers of models.", 0, { { 0 } } },

    { "artifact_offloaded_total",
      "Base64 and long texts of answers that were to become artifacts.", 0,
      { { "kind", art_count_offloaded, NULL },
        { "outcome", art_count_offloads, NULL } } },

    { "artifact_standins_total",
      "Media in requests, in front of a gateway and behind it.",
      ART_COUNT_SPARSE,
      { { "side", art_count_sides, NULL }, { "kind", NULL, art_count_standin },
        { "outcome", art_count_standins, NULL } } },

    { "artifact_unknown_services_total",
      "Routed answers and requests for a service or model in no map.", 0,
      { { "handler", art_count_handlers, NULL } } },

    { "artifact_mcp_messages_total",
      "Messages to the MCP server by method and outcome.", ART_COUNT_SPARSE,
      { { "method", art_count_methods, NULL },
        { "outcome", art_count_answers, NULL } } },

    { "artifact_files_total",
      "Requests to the Files APIs by operation and outcome.", 0,
      { { "operation", art_count_files, NULL },
        { "outcome", art_count_filed, NULL } } },

    { "artifact_first_byte_seconds",
      "Time from the first byte of a request to the header of its answer.",
      ART_COUNT_TIMES,
      { { "handler", art_count_handlers, NULL },
        { "le", art_count_bounds, NULL } } },

    { "artifact_source_wait_seconds",
      "Time from asking for an artifact of a composed body to its last byte.",
      ART_COUNT_TIMES,
      { { "handler", art_count_handlers, NULL },
        { "le", art_count_bounds, NULL } } }
};


const char *
art_count_handler_name(art_count_handler_t handler)
{
    return art_count_handlers[handler];
}


unsigned
art_count_status(unsigned status)
{
    unsigned  i, last;
    char      code[3];

    last = art_nitems(art_count_codes) - 2;

    code[0] = (char) ('0' + status / 100 % 10);
    code[1] = (char) ('0' + status / 10 % 10);
    code[2] = (char) ('0' + status % 10);

    for (i = 0; i < last && memcmp(art_count_codes[i], code, 3) != 0; i++) {
        /* void */
    }

    return i;
}


unsigned
art_count_bound(uint64_t time)
{
    unsigned  i;

    for (i = 0; i < art_nitems(art_count_limits); i++) {
        if (time <= art_count_limits[i]) {
            break;
        }
    }

    return i;
}


void
art_counters_init(art_counters_t *counters)
{
    unsigned                  f, i, n, size;
    const art_count_label_t  *label;

    memset(counters, 0, sizeof(*counters));

    for (f = 0; f < ART_COUNT_MAX; f++) {
        size = 1;

        for (i = 0; i < ART_COUNT_LABELS; i++) {
            label = &art_count_families[f].labels[i];

            if (label->name == NULL) {
                break;
            }

            for (n = 0; art_count_value(label, n) != NULL; n++) {
                /* void */
            }

            counters->values[f][i] = n;
            size *= n;
        }

        counters->first[f] = counters->n;
        counters->n += size;
    }
}


unsigned
art_counters_index(const art_counters_t *counters, art_count_t family,
    const unsigned *at)
{
    unsigned         i, n;
    const unsigned  *values;

    values = counters->values[family];
    n = 0;

    for (i = 0; i < ART_COUNT_LABELS && values[i] > 0; i++) {

        if (at[i] >= values[i]) {
            return counters->n;
        }

        n = n * values[i] + at[i];
    }

    return counters->first[family] + n;
}


/* Prints a family's counters in the order of their indexes. */

static void
art_counters_each(const art_counters_t *counters, unsigned f,
    const uint64_t *values, art_counter_pt print, void *data)
{
    unsigned                   i, n, last, rest, at[ART_COUNT_LABELS];
    const art_count_family_t  *family;

    family = &art_count_families[f];
    last = f + 1 < ART_COUNT_MAX ? counters->first[f + 1] : counters->n;

    for (n = counters->first[f]; n < last; n++) {

        if (values[n] == 0 && (family->flags & ART_COUNT_SPARSE)) {
            continue;
        }

        rest = n - counters->first[f];

        for (i = ART_COUNT_LABELS; i-- > 0; /* void */ ) {
            at[i] = 0;

            if (counters->values[f][i] > 0) {
                at[i] = rest % counters->values[f][i];
                rest /= counters->values[f][i];
            }
        }

        print(data, family, at, values[n]);
    }
}


void
art_counters_text(art_out_t *out, const art_counters_t *counters,
    const uint64_t *values)
{
    unsigned                   f;
    const art_count_family_t  *family;

    for (f = 0; f < ART_COUNT_MAX; f++) {
        family = &art_count_families[f];

        art_out_cstr(out, "# HELP ");
        art_out_cstr(out, family->name);
        art_out_char(out, ' ');
        art_out_cstr(out, family->help);
        art_out_cstr(out, "\n# TYPE ");
        art_out_cstr(out, family->name);
        art_out_char(out, ' ');
        art_out_cstr(out, art_count_type(family));
        art_out_char(out, '\n');

        if (family->flags & ART_COUNT_TIMES) {
            art_histogram_text(out, counters, f, values);

        } else {
            art_counters_each(counters, f, values, art_counter_line, out);
        }
    }
}


static const char *
art_count_type(const art_count_family_t *family)
{
    if (family->flags & ART_COUNT_TIMES) {
        return "histogram";
    }

    return family->flags & ART_COUNT_GAUGE ? "gauge" : "counter";
}


/* Prometheus wants the counts to be cumulative. */

static void
art_histogram_text(art_out_t *out, const art_counters_t *counters, unsigned f,
    const uint64_t *values)
{
    unsigned                   at, le;
    uint64_t                   n;
    const art_count_family_t  *family;

    family = &art_count_families[f];
    values += counters->first[f];

    for (at = 0; at < counters->values[f][0]; at++) {
        if (art_histogram_count(values) > 0) {
            n = 0;

            for (le = 0; le < ART_COUNT_SUM; le++) {
                n += values[le];
                art_histogram_line(out, family, at, "_bucket",
                                   art_count_bounds[le]);
                art_out_uint(out, n);
                art_out_char(out, '\n');
            }

            art_histogram_line(out, family, at, "_sum", NULL);
            art_histogram_seconds(out, values[ART_COUNT_SUM]);
            art_out_char(out, '\n');

            art_histogram_line(out, family, at, "_count", NULL);
            art_out_uint(out, n);
            art_out_char(out, '\n');
        }

        values += counters->values[f][1];
    }
}


/* How many times are counted in all buckets. */

static uint64_t
art_histogram_count(const uint64_t *values)
{
    unsigned  le;
    uint64_t  n;

    for (n = 0, le = 0; le < ART_COUNT_SUM; le++) {
        n += values[le];
    }

    return n;
}


static void
art_histogram_line(art_out_t *out, const art_count_family_t *family,
    unsigned at, const char *suffix, const char *bound)
{
    art_out_cstr(out, family->name);
    art_out_cstr(out, suffix);
    art_out_char(out, '{');
    art_out_cstr(out, family->labels[0].name);
    art_out_cstr(out, "=\"");
    art_out_cstr(out, art_count_value(&family->labels[0], at));

    if (bound != NULL) {
        art_out_cstr(out, "\",le=\"");
        art_out_cstr(out, bound);
    }

    art_out_cstr(out, "\"} ");
}


static void
art_histogram_seconds(art_out_t *out, uint64_t time)
{
    art_out_uint(out, time / 1000);
    art_out_char(out, '.');
    art_out_uint(out, time / 100 % 10);
    art_out_uint(out, time / 10 % 10);
    art_out_uint(out, time % 10);
}


static void
art_counter_line(void *data, const art_count_family_t *family,
    const unsigned *at, uint64_t value)
{
    unsigned                  i;
    art_out_t                *out;
    const art_count_label_t  *label;

    out = data;
    art_out_cstr(out, family->name);

    for (i = 0; i < ART_COUNT_LABELS; i++) {
        label = &family->labels[i];

        if (label->name == NULL) {
            break;
        }

        art_out_char(out, i > 0 ? ',' : '{');
        art_out_cstr(out, label->name);
        art_out_cstr(out, "=\"");
        art_out_cstr(out, art_count_value(label, at[i]));
        art_out_char(out, '"');
    }

    art_out_cstr(out, i > 0 ? "} " : " ");
    art_out_uint(out, value);
    art_out_char(out, '\n');
}


void
art_counters_json(art_out_t *out, const art_counters_t *counters,
    const uint64_t *values)
{
    unsigned                   f;
    art_json_put_t             put;
    const art_count_family_t  *family;

    art_json_put_init(&put, out, 0);
    art_json_put_object(&put, NULL);

    for (f = 0; f < ART_COUNT_MAX; f++) {
        family = &art_count_families[f];

        art_json_put_object(&put, family->name);
        art_json_put_string(&put, "type", art_cstr(art_count_type(family)));
        art_json_put_string(&put, "help", art_cstr(family->help));
        art_json_put_array(&put, "samples");

        if (family->flags & ART_COUNT_TIMES) {
            art_histogram_json(&put, counters, f, values);

        } else {
            art_counters_each(counters, f, values, art_counter_sample, &put);
        }

        art_json_put_end(&put);
        art_json_put_end(&put);
    }

    art_json_put_end(&put);
}


static void
art_counter_sample(void *data, const art_count_family_t *family,
    const unsigned *at, uint64_t value)
{
    unsigned                  i;
    art_json_put_t           *put;
    const art_count_label_t  *label;

    put = data;

    art_json_put_object(put, NULL);
    art_json_put_object(put, "labels");

    for (i = 0; i < ART_COUNT_LABELS; i++) {
        label = &family->labels[i];

        if (label->name != NULL) {
            art_json_put_string(put, label->name,
                                art_cstr(art_count_value(label, at[i])));
        }
    }

    art_json_put_end(put);
    art_json_put_number(put, "value", value);
    art_json_put_end(put);
}


/* The value of a sample is the number of times, as in "_count". */

static void
art_histogram_json(art_json_put_t *put, const art_counters_t *counters,
    unsigned f, const uint64_t *values)
{
    char                      sum[32];
    unsigned                  at, le;
    uint64_t                  n;
    art_out_t                 out;
    const art_count_label_t  *label;

    label = &art_count_families[f].labels[0];
    values += counters->first[f];

    for (at = 0; at < counters->values[f][0]; at++) {
        n = art_histogram_count(values);

        if (n > 0) {
            art_json_put_object(put, NULL);
            art_json_put_object(put, "labels");
            art_json_put_string(put, label->name,
                                art_cstr(art_count_value(label, at)));
            art_json_put_end(put);
            art_json_put_number(put, "value", n);

            out = art_out(sum, sizeof(sum));
            art_histogram_seconds(&out, values[ART_COUNT_SUM]);
            art_json_put_raw(put, "sum", art_str(sum, out.len));

            art_json_put_object(put, "buckets");

            for (n = 0, le = 0; le < ART_COUNT_SUM; le++) {
                n += values[le];
                art_json_put_number(put, art_count_bounds[le], n);
            }

            art_json_put_end(put);
            art_json_put_end(put);
        }

        values += counters->values[f][1];
    }
}


static const char *
art_count_value(const art_count_label_t *label, unsigned i)
{
    return label->names != NULL ? label->names[i] : label->value(i);
}


static const char *
art_count_format(unsigned i)
{
    const art_format_t  *format;

    format = art_format_row(i);

    return format != NULL ? format->name : NULL;
}


static const char *
art_count_kind(unsigned i)
{
    return i < ART_KIND_MAX ? art_kind_name((art_kind_t) i) : NULL;
}


/* "other" is first, of what has no stand-in. */

static const char *
art_count_standin(unsigned i)
{
    if (i == ART_STANDIN_NONE) {
        return "other";
    }

    return i < ART_STANDIN_KINDS
           ? (const char *) art_standin_name((art_standin_t) i).data : NULL;
}


static const char *
art_count_routing(unsigned i)
{
    return i <= ART_ROUTING_FILE ? art_routing_name((art_routing_t) i) : NULL;
}


static const char *
art_count_reason(unsigned i)
{
    if (i == ART_REASON_NONE) {
        return "none";
    }

    return i <= ART_REASON_CONVERSION ? art_reason_name((art_reason_t) i)
                                      : NULL;
}


static const char *
art_count_from(unsigned i)
{
    return i <= ART_FROM_CONTENT ? art_from_name((art_from_t) i) : NULL;
}


static const char *
art_count_api(unsigned i)
{
    const art_api_t  *api;

    api = art_api_request_row(i);

    return api != NULL ? api->name : NULL;
}
