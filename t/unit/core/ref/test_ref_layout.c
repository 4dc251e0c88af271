
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Layouts as they are configured, and the places that follow from them.
 */


#include "core/ref/art_ref_layout.h"
#include "tap.h"


static const struct {
    const char  *text;
    int          rc;
    unsigned     n;
    size_t       len;            /* of a place */
    const char  *place;          /* of the hash below */
} layouts[] = {
    { "flat", ART_OK, 0, 0, "" },
    { "1", ART_OK, 1, 2, "c/" },
    { "2", ART_OK, 1, 3, "9c/" },
    { "1:2", ART_OK, 2, 5, "c/29/" },
    { "2:1", ART_OK, 2, 5, "9c/2/" },
    { "2:2", ART_OK, 2, 6, "9c/02/" },
    { "1:1:1", ART_OK, 3, 6, "c/9/2/" },
    { "2:2:2", ART_OK, 3, 9, "9c/02/65/" },
    { "", ART_ERROR, 0, 0, NULL },
    { "0", ART_ERROR, 0, 0, NULL },
    { "3", ART_ERROR, 0, 0, NULL },
    { "12", ART_ERROR, 0, 0, NULL },
    { "1:", ART_ERROR, 0, 0, NULL },
    { ":1", ART_ERROR, 0, 0, NULL },
    { "1::2", ART_ERROR, 0, 0, NULL },
    { "1:2:", ART_ERROR, 0, 0, NULL },
    { "1:2:2:", ART_ERROR, 0, 0, NULL },
    { "1:2:1:1", ART_ERROR, 0, 0, NULL },
    { "1,2", ART_ERROR, 0, 0, NULL },
    { "-1", ART_ERROR, 0, 0, NULL },
    { "Flat", ART_ERROR, 0, 0, NULL },
    { "flat:1", ART_ERROR, 0, 0, NULL }
};


/* that of the example in the documentation of nginx's caches */

static const uint8_t  hash[ART_REF_LAYOUT_HASH] = {
    0xb7, 0xf5, 0x4b, 0x2d, 0xf7, 0x77, 0x37, 0x22,
    0xd3, 0x82, 0xf4, 0x80, 0x9d, 0x65, 0x02, 0x9c
};


static void
check_layouts(void)
{
    int               rc;
    size_t            i, len;
    uint8_t           buf[ART_REF_LAYOUT_PLACE];
    art_ref_layout_t  layout;

    for (i = 0; i < art_nitems(layouts); i++) {
        rc = art_ref_layout_parse(art_cstr(layouts[i].text), &layout);
        ok(rc == layouts[i].rc, "layout \"%s\"", layouts[i].text);

        if (layouts[i].place == NULL) {
            continue;
        }

        ok(layout.n == layouts[i].n, "its levels");
        ok(art_ref_layout_len(&layout) == layouts[i].len, "its length");

        len = art_ref_layout_place(&layout, hash, buf);
        is_mem(buf, len, layouts[i].place, strlen(layouts[i].place),
               "its place");
    }
}


/* Every number of a level has a name, which stands for that number only. */

static void
check_numbers(void)
{
    size_t            i, len;
    uint8_t           buf[ART_REF_LAYOUT_WIDTH];
    unsigned          number, level, wrong;
    art_ref_layout_t  layout;

    static const char *const  none[] = {
        "", "0", "000", "0A", "g0", "0g", ".a", "a.", "0/", "ab\n"
    };

    (void) art_ref_layout_parse(art_cstr("2:1"), &layout);

    wrong = 0;

    for (level = 0; level < 2; level++) {
        for (number = 0; number < 1u << 4 * layout.width[level]; number++) {
            len = art_ref_layout_name(&layout, level, number, buf);

            wrong += len != layout.width[level]
                     || art_ref_layout_number(&layout, level,
                                              art_str(buf, len))
                        != (int) number;
        }
    }

    is_int(wrong, 0, "names of all numbers");

    for (i = 0; i < art_nitems(none); i++) {
        ok(art_ref_layout_number(&layout, 0, art_cstr(none[i])) == -1,
           "\"%s\" is no number", i + 1 < art_nitems(none) ? none[i] : "..");
    }
}


/* Each of those that can be, once. */

static void
check_any(void)
{
    unsigned          i, j, same, found[art_nitems(layouts)];
    art_ref_layout_t  any, layout;

    same = 0;
    memset(found, 0, sizeof(found));

    for (i = 0; art_ref_layout_any(i, &any) == ART_OK; i++) {

        for (j = 0; j < i; j++) {
            (void) art_ref_layout_any(j, &layout);
            same += memcmp(&any, &layout, sizeof(art_ref_layout_t)) == 0;
        }

        for (j = 0; j < art_nitems(layouts); j++) {

            if (art_ref_layout_parse(art_cstr(layouts[j].text), &layout)
                == ART_OK)
            {
                found[j] += memcmp(&any, &layout, sizeof(art_ref_layout_t))
                            == 0;
            }
        }
    }

    is_int(i, 15, "layouts there are");
    is_int(same, 0, "none of them twice");

    for (j = 0; j < art_nitems(layouts); j++) {
        ok(found[j] == (layouts[j].rc == ART_OK), "\"%s\" is%s among them",
           layouts[j].text, layouts[j].rc == ART_OK ? "" : " not");
    }
}


int
main(void)
{
    check_layouts();
    check_any();
    check_numbers();

    return done();
}
