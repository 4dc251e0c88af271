
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Entries of listings as lines and resources, at the limits of their strings,
 * and which entries are chosen.
 */


#include <string.h>

#include "core/meta/art_meta.h"
#include "core/mcp/art_mcp_list.h"
#include "core/ref/art_id.h"
#include "exact.h"
#include "tap.h"


#define MAX  65536


static uint8_t  got[MAX];


static const struct {
    const char  *name;
    const char  *line;
} names[] = {
    { "a.txt", "artifact:i\ta.txt\ttext/plain\t7 B\tthen\n" },
    { "", "artifact:i\t\ttext/plain\t7 B\tthen\n" },
    { "a\tb\nc\r\x01", "artifact:i\ta_b_c__\ttext/plain\t7 B\tthen\n" },
    { "[artifact:b]", "artifact:i\t(artifact:b]\ttext/plain\t7 B\tthen\n" },
    { "[[artifact:[artifact:",
      "artifact:i\t[(artifact:(artifact:\ttext/plain\t7 B\tthen\n" },
    { "[artifact", "artifact:i\t[artifact\ttext/plain\t7 B\tthen\n" },
    { "[arti\xe2\x80\xae" "fact:b]",
      "artifact:i\t[arti_fact:b]\ttext/plain\t7 B\tthen\n" },
    { "\xff\xe2\x80",
      "artifact:i\t\xef\xbf\xbd\xef\xbf\xbd\ttext/plain\t7 B\tthen\n" }
};


static const struct {
    const char  *type;
    const char  *name;
    int          want;
} choices[] = {
    { "", "", 1 },
    { "image/png", "", 1 },
    { "IMAGE/*", "", 1 },
    { "*/*", "", 1 },
    { "*", "", 1 },
    { "text/*", "", 0 },
    { "image", "", 0 },
    { "words of no type", "", 0 },
    { "", "sHOT", 1 },
    { "", "Shot.PNG", 1 },
    { "", "Shot.PNG ", 0 },
    { "", "hat", 0 },
    { "image/*", "hat", 0 },
    { "text/*", "shot", 0 },
    { "image/*", "t.p", 1 }
};


static art_str_t
exact_str(const char *text)
{
    size_t  len;

    len = strlen(text);

    return art_str(exact(text, len), len);
}


static void
check_line(unsigned i)
{
    art_out_t            out;
    art_listing_t        list;
    art_listing_entry_t  entry;

    memset(&list, 0, sizeof(art_listing_t));
    memset(&entry, 0, sizeof(art_listing_entry_t));

    entry.id = art_cstr("i");
    entry.name = exact_str(names[i].name);
    entry.mime = art_cstr("text/plain");
    entry.updated = art_cstr("then");
    entry.size = 7;

    out = art_out(got, MAX);
    art_mcp_list_line(&out, &list, &entry, ART_LANG_EN);

    is_mem(got, out.len, names[i].line, strlen(names[i].line), "a line");

    free((void *) entry.name.data);
}


static void
check_choice(unsigned i)
{
    art_str_t            type, name;
    art_listing_entry_t  entry;

    memset(&entry, 0, sizeof(art_listing_entry_t));

    entry.name = exact_str("shot.png");
    entry.mime = art_cstr("image/png");

    type = exact_str(choices[i].type);
    name = exact_str(choices[i].name);

    is_int(art_mcp_list_matches(&entry, type, name), choices[i].want,
           "what is chosen");

    free((void *) entry.name.data);
    free((void *) type.data);
    free((void *) name.data);
}


/* The longest strings, of bytes that take the most room. */

static void
check_longest(int byte)
{
    art_out_t            out;
    art_listing_t        list;
    art_json_put_t       put;
    art_listing_entry_t  entry;

    static uint8_t  path[ART_ID_PATH_MAX], name[ART_META_NAME_MAX];
    static uint8_t  id[ART_ID_NAME_MAX];

    memset(path, byte, sizeof(path));
    memset(name, byte, sizeof(name));
    memset(id, byte, sizeof(id));
    memset(&entry, 0, sizeof(art_listing_entry_t));

    list.kind = ART_LISTING_FOLDER;
    list.workspace = art_str(id, sizeof(id));
    list.path = art_str(NULL, 0);

    entry.path = art_str(path, sizeof(path));
    entry.name = art_str(name, sizeof(name));

    out = art_out(got, MAX);
    art_json_put_init(&put, &out, 0);
    art_mcp_list_resource(&put, &list, &entry, art_cstr("then"));

    ok(out.len > 4 * sizeof(path) / 3 && out.len < MAX
       && got[0] == '{' && got[out.len - 1] == '}',
       "the longest file, of bytes %02x", byte);

    out = art_out(got, MAX);
    art_mcp_list_line(&out, &list, &entry, ART_LANG_EN);
    ok(out.len < MAX && got[out.len - 1] == '\n', "and its line");

    list.kind = ART_LISTING_ARTIFACTS;
    entry.id = art_str(id, sizeof(id));
    entry.name = art_str(NULL, 0);

    out = art_out(got, MAX);
    art_json_put_init(&put, &out, 0);
    art_mcp_list_resource(&put, &list, &entry, art_cstr("then"));

    ok(out.len < MAX && got[out.len - 1] == '}', "the longest artifact");
}


int
main(void)
{
    unsigned  i;

    for (i = 0; i < nitems(names); i++) {
        check_line(i);
    }

    for (i = 0; i < nitems(choices); i++) {
        check_choice(i);
    }

    check_longest('a');
    check_longest(' ');
    check_longest(0xff);
    check_longest('"');

    return done();
}
