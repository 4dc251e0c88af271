
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Each API, in each position, with each of its parts, for contents of all kinds
 * and readers that see, only read, or are not known.
 */


#include "message_run.h"
#include "message_shapes.h"


static const struct {
    const char  *id;
    int          kind;           /* as a bit; 0: text; -1: missing */
    const char  *base64;
    const char  *lead;
    const char  *type;           /* as it is described */
} contents[] = {
    { "img", IMAGE, "UE5HREFUQQ==", "shot.png", "PNG image" },
    { "pdf", DOCUMENT, "JVBERi0x", "r.pdf", "PDF document" },
    { "mp3", AUDIO, "SUQz", "a.mp3", "MP3 audio" },
    { "mp4", VIDEO, "ZnR5cA==", "v.mp4", "MP4 video" },
    { "txt", 0, "YSAidGV4dCIK", "t.txt", "" },
    { "no", -1, "-", "-", "-" }
};


/* What the provider takes at all, in a tool's result, and for any model. */

static const struct {
    const char  *api;
    int          takes;
    int          in_tool;
    int          anyone;
} takes[] = {
    { "openai", IMAGE | AUDIO | DOCUMENT, IMAGE | AUDIO | DOCUMENT, 0 },
    { "openrouter", IMAGE | AUDIO | VIDEO | DOCUMENT,
      IMAGE | AUDIO | VIDEO | DOCUMENT, DOCUMENT },
    { "mistral", IMAGE | AUDIO | DOCUMENT, IMAGE | AUDIO | DOCUMENT, 0 },
    { "openai_responses", IMAGE | DOCUMENT, IMAGE | DOCUMENT, 0 },
    { "anthropic", IMAGE | DOCUMENT, IMAGE | DOCUMENT, 0 },
    { "gemini", IMAGE | AUDIO | VIDEO | DOCUMENT,
      IMAGE | AUDIO | VIDEO | DOCUMENT, 0 },
    { "bedrock", IMAGE | AUDIO | VIDEO | DOCUMENT,
      IMAGE | VIDEO | DOCUMENT, 0 }
};


static const char *const  readers[] = { "sees", "text", "unknown" };


static int
has(const char *text)
{
    return strstr((char *) composed, text) != NULL;
}


/* What of it all should be there, in the order of the rules. */

static int
is_right(const char *api, art_message_role_t role, size_t p, size_t c,
    const char *reader)
{
    int     kind, taken, place;
    char    text[200];
    size_t  i;

    kind = contents[c].kind;

    for (i = 0; strcmp(takes[i].api, api) != 0; i++) { /* void */ }

    if (kind < 0) {
        return has("[Unreadable] artifact:no\\nThe artifact does not exist");
    }

    if (kind == 0) {
        return has("\"a \\\"text\\\"\\n\"") && !has(contents[c].base64);
    }

    taken = kind & takes[i].takes;

    if (strcmp(reader, "text") == 0
        || (strcmp(reader, "unknown") == 0 && !(kind & parts[p].kinds)))
    {
        taken = kind & takes[i].anyone;
    }

    place = role == ART_ROLE_USER ? kind
            : role == ART_ROLE_TOOL ? kind & takes[i].in_tool
            : role == ART_ROLE_ASSISTANT && strcmp(api, "gemini") == 0
            ? kind : 0;

    snprintf(text, sizeof(text), "Artifact content (%s): artifact:%s",
             contents[c].lead, contents[c].id);

    if (taken && place) {
        return has(contents[c].base64) && !has("[Unreadable]");
    }

    if (taken) {
        return has(text) && !has(contents[c].base64);
    }

    snprintf(text, sizeof(text), "[Unreadable] %s (artifact:%s)\\nType: %s",
             contents[c].lead, contents[c].id, contents[c].type);

    return has(text) && !has(contents[c].base64);
}


/* The last place of a word, or NULL. */

static char *
last(const char *word)
{
    char  *found, *next;

    found = NULL;

    for (next = (char *) composed; (next = strstr(next, word)) != NULL; next++)
    {
        found = next;
    }

    return found;
}


/* The answers to both calls are there, with nobody between them. */

static int
has_pair(art_message_role_t role)
{
    char  *one, *two, *user;

    if (role != ART_ROLE_TOOL) {
        return 1;
    }

    one = last("\"c1\"");
    two = last("\"c2\"");
    user = one != NULL ? strstr(one, "\"role\":\"user\"") : NULL;

    return one != NULL && two > one && (user == NULL || user > two);
}


static unsigned
check_one(const char *api, const char *shape, art_message_role_t role,
    size_t p, size_t c, const char *reader)
{
    long           len;
    char           part[400], body[2000], ref[40];
    json_t        *json;
    json_error_t   error;

    snprintf(ref, sizeof(ref), "artifact:%s", contents[c].id);
    snprintf(part, sizeof(part), parts[p].part, ref);
    snprintf(body, sizeof(body), shape, part);
    quoted(body);

    len = compose(api, body, reader);

    json = json_loads((char *) composed, JSON_REJECT_DUPLICATES, &error);

    if (len > 0 && json != NULL && has_pair(role)
        && is_right(api, role, p, c, reader))
    {
        json_decref(json);
        return 0;
    }

    diag("%s: %s", reader, body);
    diag("%ld: %s", len, composed);

    json_decref(json);

    return 1;
}


int
main(void)
{
    size_t              s, p, c, r;
    unsigned            failed, n;
    art_message_role_t  role;

    for (s = 0; s < nitems(shapes); s++) {

        for (role = ART_ROLE_USER; role < ART_ROLE_MAX; role++) {
            failed = 0;
            n = 0;

            for (p = 0; p < nitems(parts); p++) {

                if (strcmp(parts[p].api, shapes[s].api) != 0) {
                    continue;
                }

                for (c = 0; c < nitems(contents); c++) {
                    for (r = 0; r < nitems(readers); r++, n++) {
                        failed += check_one(shapes[s].api,
                                            shapes[s].bodies[role], role, p,
                                            c, readers[r]);
                    }
                }
            }

            is_int(failed, 0, shapes[s].api);
            diag("role %u: %u combinations", role, n);
        }
    }

    return done();
}
