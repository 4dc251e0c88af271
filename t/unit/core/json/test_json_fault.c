
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The place where a text stops being JSON.
 */


#include "core/json/art_json_scan.h"
#include "tap.h"


static const struct {
    const char  *text;
    size_t       line;           /* 0: it is JSON */
    size_t       column;
    size_t       byte;
} texts[] = {
    { "{}", 0, 0, 0 },
    { " [1,\n2]\n", 0, 0, 0 },
    { "", 1, 1, 0 },
    { "}", 1, 1, 0 },
    { "{}x", 1, 3, 2 },
    { "{} \n x", 2, 2, 5 },
    { "{\n\"a\": }", 2, 6, 7 },
    { "{\"a\":1", 1, 7, 6 },
    { "{\"a\":1\n", 2, 1, 7 },
    { "[\n\n\"\xff\"]", 3, 2, 4 }
};


int
main(void)
{
    int               rc;
    size_t            i;
    art_json_fault_t  place;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        memset(&place, 0, sizeof(place));
        rc = art_json_fault(art_cstr(texts[i].text), &place);

        ok(rc == (texts[i].line ? ART_ERROR : ART_OK)
           && place.line == texts[i].line && place.column == texts[i].column
           && place.byte == texts[i].byte, "text %d", (int) i);
    }

    return done();
}
