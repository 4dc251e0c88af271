
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What holds for all messages: each attachment is one part, in its place, or
 * words that tell its reference and its limits; what is told for programs
 * agrees with it.
 */


#include "core/json/art_json_scan.h"
#include "core/attachment/attachment_run.h"


#define ROUNDS  3000


static const char  *const references[] = {
    "img", "pdf", "mp3", "mp4", "txt", "nil", "svg", "zip", "gone", "bad",
    "../x", "https://h/a/img", "artifact:ws:w:YQ"
};


static size_t
random_string(char *p)
{
    size_t        n, i;
    static const char  *const  bits[] = {
        "a", ".png", "\\n", "\\\"", "\\u0000", "\\u202e", "\xe5\x9b\xbe",
        "\\ud83d\\ude00", "\\ud800", " ", "\\\\", "%", "/"
    };

    for (i = 0, n = 0; i < tap_below(8); i++) {
        n += (size_t) sprintf(p + n, "%s", bits[tap_below(nitems(bits))]);
    }

    p[n] = '\0';

    return n;
}


/* A message; *n is set to the number of its attachments. */

static size_t
random_message(char *body, unsigned *n)
{
    char      name[200];
    size_t    len;
    unsigned  i;

    static const char  *const  types[] = {
        "image", "audio", "video", "file", "thing"
    };

    *n = (unsigned) tap_below(6);

    len = (size_t) sprintf(body, "{\"payload\":{");

    if (tap_below(2)) {
        (void) random_string(name);
        len += (size_t) sprintf(body + len, "\"text\":\"%s\",", name);
    }

    len += (size_t) sprintf(body + len, "\"attachments\":[");

    for (i = 0; i < *n; i++) {
        const char  *ref = references[tap_below(nitems(references))];

        len += (size_t) sprintf(body + len, "%s", i ? "," : "");

        if (tap_below(3) == 0) {
            len += (size_t) sprintf(body + len, "\"%s\"", ref);
            continue;
        }

        (void) random_string(name);

        len += (size_t) sprintf(body + len, "{\"artifactRef\":\"artifact:%s\","
                                "\"filename\":\"%s\",\"type\":\"%s\","
                                "\"size\":%lu,\"mimeType\":\"%s/x%lu\"}",
                                ref, name, types[tap_below(nitems(types))],
                                (unsigned long) tap_below(1u << 31),
                                types[tap_below(nitems(types))],
                                (unsigned long) tap_below(9));
    }

    return len + (size_t) sprintf(body + len, "]}}");
}


/* The parts of a message in any format. */

static json_t *
parts_of(json_t *reply)
{
    json_t  *content;

    content = json_object_get(reply, "processedContent");

    return json_is_array(content) ? content
           : json_object_get(content, "parts")
             ? json_object_get(content, "parts")
             : json_object_get(content, "content");
}


static const char *
text_of(json_t *object, const char *key)
{
    const char  *text;

    text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}


/* Whether what is told of the unsupported ones is true; NULL if so. */

static const char *
wrong_words(json_t *reply, json_t *parts, unsigned offset)
{
    size_t       i, k;
    json_t      *list, *item, *name;
    const char  *words, *all;

    list = json_object_get(reply, "unsupportedAttachments");
    all = json_string_value(json_object_get(reply, "textDescription"));

    for (i = 0, k = 0; i < asked.n; i++) {

        if (!art_attachment_is_unsupported(&asked.items[i])) {
            continue;
        }

        item = json_array_get(list, k++);
        words = text_of(json_array_get(parts, i + offset), "text");
        name = json_object_get(item, "filename");

        if (words[0] == '\0' || all == NULL || strstr(all, words) == NULL) {
            return "words";
        }

        if (!asked.items[i].malformed
            && strstr(words, text_of(item, "artifactRef")) == NULL)
        {
            return "reference";
        }

        if (name != NULL && strstr(words, json_string_value(name)) == NULL) {
            return "file name";
        }

        if (strstr(words, "UE5H") != NULL) {
            return "data";
        }
    }

    return k == json_array_size(list) && (k > 0) == (all != NULL) ? NULL
                                                                  : "number";
}


static const char *
wrong_reply(unsigned n, unsigned told)
{
    json_t        *reply, *parts;
    size_t         size;
    unsigned       offset;
    const char    *wrong;
    json_error_t   error;

    reply = json_loadb((char *) answer, answer_len, JSON_ALLOW_NUL, &error);

    if (reply == NULL) {

        /* half a pair is none of jansson's, but of the client's text */

        return art_json_valid(answer, answer_len) ? NULL : "JSON";
    }

    parts = parts_of(reply);
    size = json_array_size(parts);
    offset = size > n;

    wrong = wrong_words(reply, parts, offset);

    if (size < n || size > n + 1 || (size > n && !told)) {
        wrong = "number of parts";
    }

    if ((json_array_size(json_object_get(reply, "unsupportedAttachments"))
         == 0)
        != json_is_true(json_object_get(reply, "canProcess")))
    {
        wrong = "canProcess";
    }

    json_decref(reply);

    return wrong;
}


int
main(void)
{
    char         body[4000];
    size_t       len;
    unsigned     i, n, caps, bad;
    const char  *format, *wrong;

    for (i = 0, bad = 0; i < ROUNDS && bad < 3; i++) {
        len = random_message(body, &n);
        format = art_format_row((unsigned) tap_below(14))->name;
        caps = (unsigned) tap_below(ALL_CAPS + 1);

        if (strcmp(format, "object") == 0
            || strcmp(format, "tool_message") == 0
            || strcmp(format, "bedrock") == 0)
        {
            continue;
        }

        wrong = read_message(body, len, 64) != ART_ATTACHMENTS_OK ? "status"
                : answer_message(body, format, caps, tap_below(2)) != ART_OK
                  ? "memory" : wrong_reply(n, asked.text.end > 0);

        if (wrong != NULL) {
            bad++;
            diag("%s: %s, %s: %s", wrong, format, body, (char *) answer);
        }

        pool_free();
    }

    ok(bad == 0, "%d messages", ROUNDS);

    return done();
}
