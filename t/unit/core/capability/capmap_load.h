
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Capability maps of documents, the warnings that they cause, and what is known
 * of a service, for the tests of art_capmap.
 */


#ifndef ART_CAPMAP_LOAD_H_INCLUDED_
#define ART_CAPMAP_LOAD_H_INCLUDED_


#include "core/capability/art_capmap.h"
#include "core/text/art_utf8.h"
#include "tap.h"


#define WARN_DATA  (void *) "data"


/* The warnings since no_warnings(), one a line, their number, and the line. */

static char      warnings[4096];
static int       warned_line;
static unsigned  nwarnings;


static inline void
no_warnings(void)
{
    warnings[0] = '\0';
    warned_line = 0;
    nwarnings = 0;
}


/* A warning is one line of UTF-8, and has the data that it was asked with. */

static inline void
warn(void *data, int line, const char *text)
{
    size_t  len;

    warned_line = line;
    len = strlen(warnings);
    snprintf(warnings + len, sizeof(warnings) - len, "%s%s",
             nwarnings++ ? "\n" : "", text);

    if (!art_utf8_valid((const uint8_t *) text, strlen(text))
        || strpbrk(text, "\r\n\t\x1b\x7f") != NULL
        || strcmp(data, WARN_DATA) != 0)
    {
        diag_mem("bad warning", text, strlen(text));
        nwarnings += 1000;
    }
}


/* Loads documents; NULL ends the list. */

static inline art_capmap_t *
load_all(const char *const *documents)
{
    art_capmap_t        *map;
    art_capmap_error_t   err;

    no_warnings();
    map = art_capmap_create();

    for ( /* void */ ; *documents != NULL; documents++) {
        if (art_capmap_add(map, art_cstr(*documents), warn, WARN_DATA, &err)
            != ART_OK)
        {
            diag("%d:%d: %s", err.line, err.column, err.text);
        }
    }

    (void) art_capmap_finish(map);

    return map;
}


static inline art_capmap_t *
load(const char *document)
{
    const char  *documents[2] = { document, NULL };

    return load_all(documents);
}


/* "text vision | text": input and output. */

static inline const char *
caps_of(const art_service_t *s)
{
    size_t       len;
    unsigned     i;
    static char  line[512];

    len = 0;
    line[0] = '\0';

    for (i = 0; s != NULL && i < s->input.nnames; i++) {
        len += (size_t) snprintf(line + len, sizeof(line) - len, "%.*s ",
                                 (int) s->input.names[i].len,
                                 (const char *) s->input.names[i].data);
    }

    len += (size_t) snprintf(line + len, sizeof(line) - len, "|");

    for (i = 0; s != NULL && i < s->output.nnames; i++) {
        len += (size_t) snprintf(line + len, sizeof(line) - len, " %.*s",
                                 (int) s->output.names[i].len,
                                 (const char *) s->output.names[i].data);
    }

    return line;
}


/* "id: text vision | text", or "-". */

static inline const char *
found(const art_capmap_t *map, const char *name)
{
    static char           line[1024];
    const art_service_t  *s;

    s = art_capmap_find(map, art_cstr(name));

    if (s == NULL) {
        return "-";
    }

    (void) snprintf(line, sizeof(line), "%.*s: %s", (int) s->id.len,
                    (const char *) s->id.data, caps_of(s));

    return line;
}


#endif /* ART_CAPMAP_LOAD_H_INCLUDED_ */
