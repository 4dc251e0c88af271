
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Random documents of metadata, with keys in all kinds of escapes and more than
 * once, and random journals; for the tests of art_fold.
 */


#ifndef ART_FOLD_RANDOM_H_INCLUDED_
#define ART_FOLD_RANDOM_H_INCLUDED_


#include <stdio.h>

#include "fold_run.h"
#include "tap.h"


#define NPATHS  9


typedef struct {
    char    text[65536];
    size_t  len;
} text_t;


static fold_run_t  run;
static text_t      doc;


static const char *const  paths[NPATHS] = {
    "a", "src/main.js", "\xe4\xb8\xad/\xf0\x9f\x98\x80", "q\"\\\n", "files",
    "a\\b", "never", "a/b", "\xc3\xa9"
};


/* Appends to the document. */

static inline void
say(const char *text)
{
    size_t  len;

    len = strlen(text);
    memcpy(doc.text + doc.len, text, len + 1);
    doc.len += len;
}


static inline void
say_space(void)
{
    static const char *const  spaces[] = { "", "", "", " ", "\n  ", "\t\r\n" };

    say(spaces[tap_below(6)]);
}


/* Every character may be escaped, pairs of surrogates included. */

static inline void
say_key(const char *key)
{
    char            buf[32];
    size_t          n;
    unsigned        code, i;
    const uint8_t  *p;

    say("\"");

    for (p = (const uint8_t *) key; *p != '\0'; p += n) {
        n = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
        code = n == 1 ? *p : *p & (0xffu >> (n + 1));

        for (i = 1; i < n; i++) {
            code = code << 6 | (p[i] & 0x3f);
        }

        if (*p == '/' && tap_below(3) == 0) {
            say("\\/");

        } else if (*p < 0x20 || tap_below(4) == 0) {

            if (code >= 0x10000) {
                sprintf(buf, "\\u%04x\\u%04X",
                        0xd800 + ((code - 0x10000) >> 10),
                        0xdc00 + ((code - 0x10000) & 0x3ff));
            } else {
                sprintf(buf, "\\u%04x", code);
            }

            say(buf);

        } else {
            if (*p == '"' || *p == '\\') {
                say("\\");
            }

            memcpy(buf, p, n);
            buf[n] = '\0';
            say(buf);
        }
    }

    say("\"");
    say_space();
    say(":");
    say_space();
}


static inline void
say_entry(void)
{
    char  buf[256];

    switch (tap_below(8)) {
    case 0:
        say("null");
        return;
    case 1:
        say("-1.5e+3");
        return;
    case 2:
        say("\"x{[\\\"\"");
        return;
    case 3:
        say("[{},[],{\"a\":[1,2]}]");
        return;
    case 4:
        say("{}");
        return;
    default:
        break;
    }

    say("{");
    say_key("mimeType");
    say("\"old/type\"");

    if (tap_below(2)) {
        say(",");
        say_key("createdAt");
        say(tap_below(3) ? "\"C\"" : "null");
    }

    if (tap_below(2)) {
        say(",");
        sprintf(buf, "\"n\":{\"deep\":[%u,0.%u]},\"size\":%u",
                (unsigned) tap_below(1000), (unsigned) tap_below(1000),
                (unsigned) tap_below(1000));
        say(buf);
    }

    if (tap_below(3) == 0) {
        say(",\"type\":\"old/type\", \"messageId\" : \"old\"");
    }

    if (tap_below(2)) {
        say(tap_below(3) ? ",\"modifiedBy\":[{\"agentId\":\"Q\","
                           "\"timestamp\":\"2026-01-01T00:00:00.003Z\"}]"
                         : ",\"modifiedBy\":\"x\"");
    }

    say_space();
    say("}");
}


static inline void
say_files(void)
{
    size_t  i, n;

    say("{");
    say_space();

    n = tap_below(12);

    for (i = 0; i < n; i++) {
        if (i > 0) {
            say(",");
            say_space();
        }

        say_key(paths[tap_below(NPATHS)]);
        say_entry();
        say_space();
    }

    say("}");
}


/* A new document; it may be empty, and lack "files". */

static inline void
make_document(void)
{
    size_t  i, n;

    doc.len = 0;

    if (tap_below(20) == 0) {
        say_space();
        return;
    }

    say_space();
    say("{");
    say_space();

    n = tap_below(4);

    for (i = 0; i < n; i++) {
        if (i > 0) {
            say(",");
            say_space();
        }

        switch (tap_below(4)) {
        case 0:
            say_key("workspaceId");
            say("\"w\"");
            break;
        case 1:
            say_key("x");
            say_entry();
            break;
        default:
            say_key("files");
            if (tap_below(8)) {
                say_files();
            } else {
                say("null");
            }
            break;
        }

        say_space();
    }

    say("}");
    say_space();
}


/* A new journal of 1 to 10 records, from "time" on. */

static inline void
make_journal(uint64_t time)
{
    size_t  i, n;

    static const char *const  agents[] = { "", "A", "\xe4\xb8\xad" };
    static const char *const  messages[] = { "", "m1", "m\"2" };

    fold_reset(&run);

    n = 1 + tap_below(10);

    for (i = 0; i < n; i++) {
        time += 1 + tap_below(3);

        fold_add(&run, tap_below(4) ? ART_JOURNAL_PUT : ART_JOURNAL_DELETE,
                 paths[tap_below(NPATHS)], i % 2 ? "x/odd" : "x/even", time,
                 agents[tap_below(3)], messages[tap_below(3)]);
    }
}


#endif /* ART_FOLD_RANDOM_H_INCLUDED_ */
