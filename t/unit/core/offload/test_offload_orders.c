
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Members of answers in any order.
 */


#include "offload_answers.h"


/*
 * The members of an object have no order: what comes of an answer is the same
 * for each of them, what is declared, too.  "|" stands between members, "^"
 * between those of an object in one of them, whose place is "@".
 */

#define PERMUTED  6

static char    declared[ART_OFFLOAD_TYPE];
static json_t  *first;


static size_t
split(char *list, int by, char **items)
{
    size_t  n;

    for (n = 0; list != NULL && *list != '\0'; n++) {
        items[n] = list;
        list = strchr(list, by);

        if (list != NULL) {
            *list++ = '\0';
        }
    }

    return n;
}


/* Sets the n-th order of the items; 0 when there are no more. */

static int
permute(char **items, size_t count, size_t n)
{
    size_t  i, k;
    char   *item;

    for (i = 0; i + 1 < count; i++) {
        k = i + n % (count - i);
        n /= count - i;

        item = items[i];
        items[i] = items[k];
        items[k] = item;
    }

    return n == 0;
}


static void
join(char *dst, char **items, size_t count)
{
    size_t  i, len;

    for (i = 0, len = 0; i < count; i++) {
        len += (size_t) sprintf(dst + len, "%s%s", i ? "," : "", items[i]);
    }
}


static unsigned
permuted(const char *api, unsigned stream, const char *around,
    const char *object, unsigned stays)
{
    size_t     len;
    char       whole[4096];
    json_t    *is;
    unsigned   wrong;

    (void) sprintf(whole, around, object);

    wrong = 0;
    len = text_of(text, whole);

    if (stream) {
        len = event_of(text, len);
    }

    for (size_t piece = 0; piece < 3; piece++) {
        run(api, stream, (uint8_t *) text, len, piece == 1 ? len : piece / 2);

        if (stays) {
            wrong |= values != 0 || out.len != len
                     || memcmp(out.data, text, len) != 0;
            continue;
        }

        is = json_loadb((char *) out.data + (stream ? 6 : 0),
                        out.len - (stream ? 8 : 0), 0, NULL);

        if (first == NULL) {
            first = json_incref(is);
            memcpy(declared, off.declared, off.declared_len);
            declared[off.declared_len] = '\0';
        }

        wrong |= values != 1 || !json_equal(is, first)
                 || !art_str_eq(art_str(off.declared, off.declared_len),
                                art_cstr(declared));
        json_decref(is);
    }

    if (wrong) {
        diag("%.*s", (int) len, text);
        diag("%.*s", (int) out.len, (char *) out.data);
        diag("%u values, declared %.*s", values, (int) off.declared_len,
             (char *) off.declared);
    }

    return wrong;
}


static void
check_orders(unsigned links)
{
    char      object[4096], inside[4096], members[4096], inner[4096];
    char     *items[PERMUTED], *inners[PERMUTED], *order[PERMUTED];
    char     *inner_order[PERMUTED];
    size_t    i, k, m, n, count, ninner;
    unsigned  failed;

    static const struct {
        const char  *api;
        unsigned     stream;
        const char  *around;
        const char  *members;
        const char  *inner;
        unsigned     stays;
        const char  *name;
    } orders[] = {
        { "images", 0, "{'data':[{%s}]}",
          "'b64_json':'#'|'revised_prompt':'x'|'a':[{'b64_json':1}]", "", 0,
          "an image" },
        { "images", 1, "{%s}",
          "'type':'image_edit.completed'|'b64_json':'#'|'usage':{'a':1}|"
          "'created':1", "", 0, "an image's event" },
        { "images", 1, "{%s}",
          "'type':'image_edit.partial_image'|'b64_json':'#'|'usage':{'a':1}|"
          "'created':1", "", 1, "an event that is not the last" },
        { "openai", 0, "{'choices':[{'message':{'images':[{%s}]}}]}",
          "'type':'image_url'|'image_url':{@}|'index':0",
          "'url':'data:image/png;base64,#'^'detail':'x'", 0, "a chat" },
        { "gemini", 0, PARTS("{%s}"), "'inlineData':{@}|'thought':true",
          "'mimeType':'image/jpeg'^'data':'#'^'displayName':'n'", 0,
          "inline data" },
        { "gemini", 0, PARTS("{%s}"), "'inline_data':{@}|'thought':true",
          "'mime_type':'image/jpeg'^'data':'#'^'displayName':'n'", 0,
          "inline data of snakes" },
        { "mcp", 0, MCP("{%s}"), "'type':'image'|'data':'#'|"
          "'mimeType':'image/jpeg'|'annotations':{'type':'x'}|'_meta':{}", "",
          0, "a tool's image" },
        { "mcp", 0, MCP("{%s}"), "'type':'image'|'data':"
          "'data:a/b;c=d;base64,#'|'mimeType':'image/jpeg'|'_meta':{}", "",
          0, "an image as a data URL" },
        { "gemini", 0, PARTS("{%s}"), "'inlineData':{@}|'thought':true",
          "'mimeType':'image/jpeg'^'data':'data:a/b;base64,#'", 0,
          "inline data as a data URL" },
        { "mcp", 1, MCP("{%s}"), "'type':'audio'|'data':'#'|"
          "'mimeType':'audio/wav'", "", 0, "a tool's audio, as an event" },
        { "mcp", 0, MCP("{%s}"), "'type':'image'|'data':'#'|"
          "'annotations':{'priority':1}", "", 0, "an image without a type" },
        { "mcp", 0, MCP("{%s}"),
          "'type':'resource'|'resource':{@}|'annotations':{}",
          "'uri':'file:///a'^'mimeType':'a/b'^'blob':'#'^'_meta':{'uri':1}", 0,
          "a tool's resource" },
        { "mcp", 0, MCP("{%s}"), "'type':'resource'|'resource':{@}|'_meta':{}",
          "'blob':'#'", 0, "a resource that is data alone" },
        { "mcp", 0, MCP("{%s}"), "'type':'chart'|'data':'#'|"
          "'mimeType':'a/b'|'x':'y'", "", 1, "a type of its own" },
        { "mcp", 0, MCP("{%s}"), "'data':'#'|'mimeType':'a/b'|'x':'y'", "", 1,
          "no type" },
        { "mcp", 0, MCP("{%s}"), "'type':'text'|'resource':{@}|'_meta':{}",
          "'uri':'file:///a'^'mimeType':'a/b'^'blob':'#'", 1,
          "a resource that is a text" }
    };

    keep = 1;

    for (i = 0; i < nitems(orders); i++) {

        if (links && strcmp(orders[i].api, "mcp") != 0) {
            continue;
        }

        failed = 0;
        first = NULL;

        strcpy(members, orders[i].members);
        strcpy(inner, orders[i].inner);

        count = split(members, '|', items);
        ninner = split(inner, '^', inners);

        for (n = 0; ; n++) {
            memcpy(order, items, sizeof(items));

            if (!permute(order, count, n)) {
                break;
            }

            for (m = 0; ; m++) {
                memcpy(inner_order, inners, sizeof(inners));

                if (!permute(inner_order, ninner, m)) {
                    break;
                }

                join(object, order, count);

                for (k = 0; object[k] != '\0' && object[k] != '@'; k++) {
                    /* void */
                }

                if (object[k] == '@') {
                    strcpy(inside, object + k + 1);
                    join(object + k, inner_order, ninner);
                    strcat(object, inside);
                }

                failed += permuted(links ? "links" : orders[i].api,
                                   orders[i].stream, orders[i].around,
                                   object, orders[i].stays);
            }
        }

        is_int((int) failed, 0, orders[i].name);
        ok(n > 1, "orders");

        json_decref(first);
    }
}


int
main(void)
{
    check_orders(0);
    check_orders(1);

    return done();
}
