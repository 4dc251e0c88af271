
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * URIs of resources, references as models give them, and cursors.
 */


#include <string.h>

#include "core/mcp/art_mcp_cursor.h"
#include "core/mcp/art_mcp_uri.h"
#include "exact.h"
#include "tap.h"


#define MAX  9000


static const struct {
    const char        *uri;
    unsigned           ref;      /* a model's */
    art_id_status_t    status;
    const char        *id;
    const char        *workspace;
    const char        *path;
    const char        *canonical;
} uris[] = {
    { "artifact:abc", 0, ART_ID_OK, "abc", "", "", "artifact:abc" },
    { "ARTIFACT:aBc", 0, ART_ID_OK, "aBc", "", "", "artifact:aBc" },
    { "artifact:a%20b%25", 0, ART_ID_OK, "a b%", "", "",
      "artifact:a%20b%25" },
    { "artifact:\xe4\xb8\xad", 0, ART_ID_OK, "\xe4\xb8\xad", "", "",
      "artifact:%E4%B8%AD" },
    { "artifact:artifact:x", 0, ART_ID_OK, "artifact:x", "", "",
      "artifact:artifact:x" },
    { "artifact:ws:w:ZA", 0, ART_ID_OK, "ws:w:ZA", "w", "d",
      "artifact:ws:w:ZA" },
    { "artifact:ws:w:1%3A2:ZA", 0, ART_ID_OK, "ws:w:1:2:ZA", "w:1:2", "d",
      "artifact:ws:w:1:2:ZA" },
    { "workspace:w/d", 0, ART_ID_OK, "ws:w:ZA", "w", "d",
      "artifact:ws:w:ZA" },
    { "workspace:w:1/a/./b%2fc", 0, ART_ID_OK, "ws:w:1:YS9iL2M", "w:1",
      "a/b/c", "artifact:ws:w:1:YS9iL2M" },
    { "workspace:w%2Fd", 0, ART_ID_OK, "ws:w:ZA", "w", "d",
      "artifact:ws:w:ZA" },
    { "workspace:w/a%0Ab", 0, ART_ID_OK, "ws:w:YQpi", "w", "a\nb",
      "artifact:ws:w:YQpi" },
    { "workspace:w/", 0, ART_ID_OK, "ws:w:", "w", "", "artifact:ws:w:" },
    { "workspace:w//etc", 0, ART_ID_TRAVERSAL, NULL, NULL, NULL, NULL },
    { "workspace:w/..%2f..%2fx", 0, ART_ID_TRAVERSAL, NULL, NULL, NULL,
      NULL },
    { "workspace:w/a%00", 0, ART_ID_INVALID, NULL, NULL, NULL, NULL },
    { "workspace:w/a%FF", 0, ART_ID_INVALID, NULL, NULL, NULL, NULL },
    { "workspace:", 0, ART_ID_INVALID, NULL, NULL, NULL, NULL },
    { "artifact:", 0, ART_ID_INVALID, NULL, NULL, NULL, NULL },
    { "artifact:a%2", 0, ART_ID_INVALID, NULL, NULL, NULL, NULL },
    { "artifact:a%2Fb", 0, ART_ID_INVALID, NULL, NULL, NULL, NULL },
    { "artifact%3Aabc", 0, ART_ID_INVALID, NULL, NULL, NULL, NULL },
    { "file:///etc/passwd", 0, ART_ID_INVALID, NULL, NULL, NULL, NULL },
    { "abc", 0, ART_ID_INVALID, NULL, NULL, NULL, NULL },
    { "", 0, ART_ID_INVALID, NULL, NULL, NULL, NULL },

    { "abc", 1, ART_ID_OK, "abc", "", "", "artifact:abc" },
    { "artifact:a%20b", 1, ART_ID_OK, "a%20b", "", "",
      "artifact:a%2520b" },
    { "[artifact:abc]", 1, ART_ID_OK, "abc", "", "", "artifact:abc" },
    { "ws:w:ZA", 1, ART_ID_OK, "ws:w:ZA", "w", "d", "artifact:ws:w:ZA" },
    { "workspace:w/d", 1, ART_ID_OK, "ws:w:ZA", "w", "d",
      "artifact:ws:w:ZA" },
    { "workspace:w", 1, ART_ID_OK, "workspace:w", "", "",
      "artifact:workspace:w" },
    { "[]", 1, ART_ID_OK, "[]", "", "", "artifact:%5B%5D" },
    { "../x", 1, ART_ID_INVALID, NULL, NULL, NULL, NULL }
};


static void
check_uri(unsigned i)
{
    size_t            len;
    uint8_t          *buf, *copy;
    art_out_t         out;
    art_ref_t         ref, again;
    art_id_status_t   status;

    static uint8_t  got[MAX], text[ART_MCP_URI_ROOM(MAX)];

    len = strlen(uris[i].uri);
    copy = exact(uris[i].uri, len);
    buf = exact(NULL, ART_MCP_URI_ROOM(len));

    status = uris[i].ref ? art_mcp_ref_parse(art_str(copy, len), buf, &ref)
                         : art_mcp_uri_parse(art_str(copy, len), buf, &ref);
    free(copy);

    ok(status == uris[i].status, "\"%s\"", uris[i].uri);

    if (status == ART_ID_OK && uris[i].status == ART_ID_OK) {
        out = art_out(got, sizeof(got));
        art_mcp_uri_print(&out, ref.id);

        ok(art_str_eq(ref.id, art_cstr(uris[i].id))
           && art_str_eq(ref.workspace, art_cstr(uris[i].workspace))
           && art_str_eq(ref.path, art_cstr(uris[i].path))
           && art_str_eq(art_str(got, out.len),
                         art_cstr(uris[i].canonical)), "... what it is");

        ok(ref.folder
           || (art_mcp_uri_parse(art_str(got, out.len), text, &again)
               == ART_ID_OK && art_str_eq(again.id, ref.id)),
           "... and its canonical form is the same");
    }

    free(buf);
}


static art_str_t
random_text(uint8_t *buf, size_t max)
{
    size_t  i, len;

    len = tap_below(4) ? tap_below(20) : tap_below(max);

    for (i = 0; i < len; i++) {
        buf[i] = (uint8_t) tap_rand();
    }

    return art_str(buf, len);
}


static void
check_cursors(void)
{
    size_t               i, len;
    uint8_t             *copy, *room;
    unsigned             round, same, other, garbage;
    art_out_t            out;
    art_mcp_listing_t    listing, different;
    art_mcp_position_t   position, again;

    static uint8_t  scope[ART_MCP_SCOPE][300], workspace[300], after[5000];
    static uint8_t  text[MAX], buf[MAX];

    same = 0;
    other = 0;
    garbage = 0;

    for (round = 0; round < 2000; round++) {

        listing.kind = (unsigned) tap_below(4);

        for (i = 0; i < ART_MCP_SCOPE; i++) {
            listing.scope[i] = random_text(scope[i], sizeof(scope[i]));
        }

        position.part = (unsigned) tap_below(256);
        position.workspace = random_text(workspace, sizeof(workspace));
        position.after = random_text(after, sizeof(after));

        out = art_out(text, sizeof(text));
        art_mcp_cursor_print(&out, &listing, &position);

        copy = exact(text, out.len);
        room = exact(NULL, ART_MCP_CURSOR_ROOM(out.len));

        same += art_mcp_cursor_parse(art_str(copy, out.len), room, &listing,
                                     &again) == ART_OK
                && again.part == position.part
                && art_str_eq(again.workspace, position.workspace)
                && art_str_eq(again.after, position.after);

        different = listing;

        if (tap_below(2)) {
            different.kind++;

        } else {

            /* the same bytes, divided in another way */

            different.scope[0] = listing.scope[1];
            different.scope[1] = listing.scope[0];
            different.kind += art_str_eq(listing.scope[0], listing.scope[1])
                              ? 1 : 0;
        }

        other += art_mcp_cursor_parse(art_str(copy, out.len), room,
                                      &different, &again) == ART_ERROR;

        len = tap_below(out.len);
        copy[len] = copy[len] == 'A' ? 'B' : 'A';
        garbage += art_mcp_cursor_parse(art_str(copy, out.len), room,
                                        &listing, &again) == ART_ERROR
                   && art_mcp_cursor_parse(art_str(copy, len), buf, &listing,
                                           &again) == ART_ERROR;

        free(copy);
        free(room);
    }

    is_int(same, round, "cursors say where they are from");
    is_int(other, round, "... to their own listing only");
    is_int(garbage, round, "... and not if a digit was changed or cut off");

    ok(art_mcp_cursor_parse(art_str("", 0), buf, &listing, &again)
       == ART_ERROR
       && art_mcp_cursor_parse(art_str("abc", 3), buf, &listing, &again)
          == ART_ERROR, "garbage is no cursor");
}


int
main(void)
{
    unsigned  i;

    for (i = 0; i < nitems(uris); i++) {
        check_uri(i);
    }

    check_cursors();

    return done();
}
