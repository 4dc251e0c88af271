
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The model that a body names, whole and in pieces of any size.
 */


#include <stdlib.h>

#include "core/expand/art_expand_name.h"
#include "tap.h"


#define FORM  "multipart/form-data; boundary=xYz"
#define PART  "--xYz\r\nContent-Disposition: form-data; "
#define MODEL "name=\"model\"\r\n\r\n"
#define LONG  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"


static const struct {
    const char  *type;               /* NULL: JSON */
    const char  *body;
    const char  *model;
} bodies[] = {
    { NULL, "{\"model\":\"gpt-image-1\",\"prompt\":\"x\"}", "gpt-image-1" },
    { NULL, "{\"prompt\":\"x\",\"n\":[1,{\"model\":\"no\"}],"
            "\"model\":\"a\\u00e9\"}", "a\xc3\xa9" },
    { NULL, "{\"model\":\"a\",\"model\":\"b\"}", "b" },
    { NULL, "{\"model\":\"a\",\"model\":7}", "" },
    { NULL, "{\"model\":\"a\",\"model\":{\"x\":1}}", "" },
    { NULL, "{\"model\":\"a\",\"x\":{},\"model\":[]}", "" },
    { NULL, "{\"image\":{\"model\":\"no\"}}", "" },
    { NULL, "{\"model\":{\"model\":\"no\"},\"x\":\"y\"}", "" },
    { NULL, "[\"model\",\"no\"]", "" },
    { NULL, "\"model\"", "" },
    { NULL, "{\"model\":\"" LONG LONG LONG LONG "\"}",
      LONG LONG LONG LONG },
    { NULL, "{\"model\":\"" LONG LONG LONG LONG "a\"}", "" },
    { NULL, "", "" },

    { FORM, PART MODEL "dall-e-2\r\n--xYz--\r\n", "dall-e-2" },
    { FORM, PART "name=\"image\"; filename=\"model\"\r\n"
            "Content-Type: image/png\r\n\r\n\r\n--xY\r\n\r\n--x\r\r\n--xY"
            "\r\n" PART MODEL "m\r\n--xYz--", "m" },
    { FORM, "a preamble\r\n" PART MODEL "\r\n--xY\r\n--xYz--",
      "\r\n--xY" },
    { FORM, "--xYz \t\r\ncontent-disposition:form-data;NAME=model\r\n"
            "\r\nm\r\n--xYz--", "m" },
    { FORM, PART MODEL "first\r\n" PART MODEL "second\r\n--xYz--", "first" },
    { FORM, PART MODEL "cut", "" },
    { FORM, PART MODEL "\r\n--xYz--", "" },
    { FORM, PART "name=\"prompt\"\r\n\r\nmodel\r\n--xYz--\r\n"
            PART MODEL "after the end\r\n--xYz--", "" },
    { FORM, PART "name=\"a;model\"; x=\"; name=model\"\r\n\r\nno\r\n--xYz--",
      "" },
    { FORM, PART MODEL LONG LONG LONG LONG "a\r\n--xYz--", "" },
    { "Multipart/Form-Data; charset=x; Boundary=\"a b\"",
      "--a b\r\nContent-Disposition: form-data; " MODEL "m\r\n--a b--",
      "m" },
    { FORM, PART MODEL LONG LONG LONG LONG "a\r\n" PART MODEL "m\r\n--xYz--",
      "" },
    { FORM, PART MODEL LONG LONG LONG LONG "\r\n--xYz--",
      LONG LONG LONG LONG },
    { FORM, PART "x=\"; name=model; \"\r\n\r\nno\r\n--xYz--", "" },
    { FORM, PART "name=xmodel\"\r\n\r\nno\r\n--xYz--", "" },
    { "multipart/form-data; boundary=123456" LONG,
      "--123456" LONG "\r\nContent-Disposition: form-data; " MODEL
      "m\r\n--123456" LONG "--", "m" },
    { "multipart/form-data; boundary=1234567" LONG,
      "--1234567" LONG "\r\nContent-Disposition: form-data; " MODEL
      "m\r\n--1234567" LONG "--", "" },

    /* what only begins like a delimiter; parts that are empty or unnamed */

    { FORM, PART MODEL "m\r\n--xYzz\r\n--xYz-\r\n--xYz--",
      "m\r\n--xYzz\r\n--xYz-" },
    { FORM, PART "name=user\r\n\r\n" PART MODEL "m\r\n--xYz--", "m" },
    { FORM, PART "x=y\r\n\r\n\r\n" PART MODEL "no\r\n--xYz--", "" },
    { FORM, "--xYz\r\nContent-Disposition: form-data;\r\n " MODEL
            "m\r\n--xYz--", "m" },
    { "text/plain", "{\"model\":\"no\"}", "" },
    { "multipart/form-data", PART MODEL "m\r\n--xYz--", "" },
    { "text/plain; boundary=xYz", PART MODEL "m\r\n--xYz--", "" }
};


int
main(void)
{
    size_t       i, n, step, len, wrong;
    uint8_t     *copy;
    art_str_t    model;
    art_name_t   name;

    for (i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        len = strlen(bodies[i].body);
        wrong = 0;

        for (step = 1; step <= len + 1; step++) {
            (void) art_name_init(&name, art_cstr(bodies[i].type
                                                 ? bodies[i].type : ""),
                                 bodies[i].type == NULL);

            for (n = 0; n < len; n += step) {

                /* a piece of just that length, for ASan */

                size_t  size = len - n < step ? len - n : step;

                copy = malloc(size);
                memcpy(copy, bodies[i].body + n, size);
                art_name_feed(&name, copy, size);
                free(copy);
            }

            model = art_name_model(&name);
            wrong += !art_str_eq(model, art_cstr(bodies[i].model));
        }

        ok(wrong == 0, "body %d", (int) i);
    }

    return done();
}
