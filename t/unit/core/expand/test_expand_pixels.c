
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Pixels of images that clients put into their requests themselves: as soon as
 * their base64 has shown them, however the request is cut.
 */


#include "core/text/art_base64.h"
#include "expand_run.h"


#define JPEG_SKIP  60000

#define ANTHROPIC  "{\"messages\":[{\"role\":\"user\",\"content\":["           \
                   "{\"type\":\"image\",\"source\":{\"type\":\"base64\","      \
                   "\"media_type\":\"image/png\",\"data\":\""


/* Where the base64 stands. */

static const struct {
    const char  *api;
    const char  *before;
    const char  *after;
} requests[] = {
    { "openai", "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
      "\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,",
      "\"}}]}]}" },
    { "openai", "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
      "\"image_url\",\"image_url\":{\"url\":\"data:image\\/png;a=b;base64,",
      "\"}}]}]}" },
    { "openai_responses", "{\"input\":[{\"role\":\"user\",\"content\":["
      "{\"type\":\"input_image\",\"image_url\":\"data:image/png;base64,",
      "\"}]}]}" },
    { "anthropic", ANTHROPIC, "\"}}]}]}" },
    { "gemini", "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"inlineData\":"
      "{\"mimeType\":\"image/png\",\"data\":\"", "\"}}]}]}" },
    { "bedrock", "{\"messages\":[{\"role\":\"user\",\"content\":[{\"image\":"
      "{\"format\":\"png\",\"source\":{\"bytes\":\"", "\"}}}]}]}" },
    { "anthropic", "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
      "\"tool_result\",\"content\":[{\"type\":\"image\",\"mimeType\":"
      "\"image/png\",\"data\":\"", "\"}]}]}]}" }
};


static uint8_t  image[2 * JPEG_SKIP];
static char     body[4 * JPEG_SKIP];


/* An image of that many bytes before its size, which begins so. */

static size_t
image_of(const char *start, size_t start_len, size_t len)
{
    memset(image, 'x', sizeof(image));
    memcpy(image, start, start_len);

    return len;
}


static size_t
body_of(size_t request, size_t len, unsigned slashes)
{
    size_t          n, left;
    char           *p;
    uint8_t         out[4];
    art_base64_t    st;
    const uint8_t  *src;

    p = body + sprintf(body, "%s", requests[request].before);

    memset(&st, 0, sizeof(st));
    src = image;
    left = len;

    for ( ;; ) {
        n = art_base64_update(&st, out, sizeof(out), &src, &left);

        if (n == 0) {
            n = art_base64_final(&st, out, sizeof(out));

            if (n == 0) {
                break;
            }
        }

        for (size_t i = 0; i < n; i++) {
            if (slashes && out[i] == '/') {
                *p++ = '\\';
            }

            *p++ = (char) out[i];
        }
    }

    p += sprintf(p, "%s", requests[request].after);

    return (size_t) (p - body);
}


static void
is_measured(const char *name, size_t image_len, uint32_t width,
    uint32_t height)
{
    size_t               i, n, len;
    unsigned             j, failed;
    art_message_slot_t  *slot;

    static const size_t  pieces[] = { SIZE_MAX, 4096, 61, 0, 0 };

    for (i = 0; i < nitems(requests); i++) {
        failed = 0;

        for (j = 0; j < 2 * nitems(pieces); j++) {
            len = body_of(i, image_len, j & 1);
            n = pieces[j / 2] < len ? pieces[j / 2] : len;

            if (scan_body(requests[i].api, body, len, n, 64) != ART_SCAN_OK
                || scan.nslots != 1)
            {
                failed = 1;
                pool_free();
                break;
            }

            slot = art_scan_slot(&scan, 0);
            failed |= slot->held != ART_HELD_DATA || slot->width != width
                      || slot->height != height || slot->size != image_len;

            if (failed) {
                diag("%ux%u", slot->width, slot->height);
            }

            pool_free();
        }

        ok(!failed, "%s, %s, %lu", name, requests[i].api, (unsigned long) i);
    }
}


/* One behind the other: none has the pixels of another. */

static void
check_several(void)
{
    size_t       len;
    const char  *png, *text;

    png = "iVBORw0KGgoAAAANSUhEUgAAI\\/8AABdwCAYAAAA=";
    text = "aGVsbG8gd29ybGQsIGhlbGxvIHdvcmxkLCBoZWxsbyB3b3JsZA==";

    len = (size_t) sprintf(body, "%s%s\"}},{\"type\":\"image\",\"source\":"
                           "{\"type\":\"url\",\"url\":\"https://h/b.png\"}},"
                           "{\"type\":\"image\",\"source\":{\"type\":"
                           "\"base64\",\"media_type\":\"image/png\","
                           "\"data\":\"%s\"}},{\"type\":\"image\",\"source\":"
                           "{\"type\":\"file\",\"file_id\":\"f\"}}]}]}",
                           ANTHROPIC, png, text);

    is_int(scan_body("anthropic", body, len, 7, 64), ART_SCAN_OK, "four");
    is_int(scan.nslots, 4, "slots");
    is_int(art_scan_slot(&scan, 0)->width, 9215, "the first is measured");
    is_int(art_scan_slot(&scan, 0)->height, 6000, "and its height");

    for (len = 1; len < scan.nslots; len++) {
        is_int(art_scan_slot(&scan, (uint32_t) len)->width, 0, "no pixels");
    }

    pool_free();
}


/* Base64 pasted into a tool's text. */

static void
check_pasted(void)
{
    size_t  len;

    len = (size_t) sprintf(body, "{\"messages\":[{\"role\":\"tool\",\"content"
                           "\":\"shot: iVBORw0KGgoAAAANSUhEUgAAIygAABdwCAYAA"
                           "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                           "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAASUVORK5CYII= and "
                           "so on\"}]}");

    is_int(scan_body("openai", body, len, 7, 64), ART_SCAN_OK, "pasted");
    is_int(scan.nslots, 1, "a slot");
    is_int(art_scan_slot(&scan, 0)->held, ART_HELD_RUN, "of base64");
    is_int(art_scan_slot(&scan, 0)->width, 9000, "with its width");
    is_int(art_scan_slot(&scan, 0)->height, 6000, "and its height");

    pool_free();
}


int
main(void)
{
    size_t  len;

    len = image_of("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x23\x28\0\0\x17\x70"
                   "\x08\6", 26, 300);
    is_measured("PNG", len, 9000, 6000);
    is_measured("PNG, cut behind its size", 24, 9000, 6000);
    is_measured("PNG, cut before", 23, 0, 0);

    len = image_of("GIF89a\x40\1\xc8\0\x80\0\0;", 14, 14);
    is_measured("GIF", len, 320, 200);

    len = image_of("\xff\xd8\xff\xe1\xea\x60" "Exif\0\0\xff\xd8\xff\xc0\0\x11"
                   "\x08\0\x10\0\x10", 21, JPEG_SKIP + 300);
    memcpy(image + 4 + JPEG_SKIP, "\xff\xc2\0\x11\x08\x17\x70\x23\x28", 9);
    is_measured("JPEG behind 60 KB of Exif", len, 9000, 6000);
    is_measured("JPEG, cut within it", JPEG_SKIP - 1, 0, 0);

    len = image_of("no image, but words, words, words", 33, 33);
    is_measured("words", len, 0, 0);

    check_several();
    check_pasted();

    return done();
}
