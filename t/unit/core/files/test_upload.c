
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/files/art_upload.h"
#include "exact.h"
#include "tap.h"


#define TYPE  "multipart/form-data; boundary=b"

#define FIELD(name, value)                                                    \
    "--b\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n"        \
    value "\r\n"
#define A_FILE(name)                                                          \
    "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=" name    \
    "\r\nContent-Type: text/plain\r\n\r\ntext\r\n"
#define END  "--b--\r\n"


static const struct {
    const char         *name;
    const char         *body;
    art_file_reason_t   reason;
    const char         *param;
    const char         *file;
    uint64_t            lifetime;
    const char         *purpose;
} uploads[] = {
    { "the file first, as OpenAI's client sends it",
      A_FILE("\"a.txt\"") FIELD("purpose", "vision")
      FIELD("expires_after[anchor]", "created_at")
      FIELD("expires_after[seconds]", "3600") END, 0, NULL, "a.txt", 3600,
      "vision" },
    { "the file last",
      FIELD("expires_in_seconds", "7776000") FIELD("other", "x")
      A_FILE("\"a.txt\"") END, 0, NULL, "a.txt", 7776000, "" },
    { "the file only", A_FILE("\"\"") END, 0, NULL, "", 0, "" },
    { "the shorter life",
      A_FILE("a") FIELD("expires_in_seconds", "5")
      FIELD("expires_after[seconds]", "9") END, 0, NULL, "a", 5, "" },
    { "a path", A_FILE("\"../../etc/passwd\"") END, 0, NULL, "passwd", 0, "" },
    { "a path of Windows", A_FILE("\"C:\\\\x\\y.txt\"") END, 0, NULL, "y.txt",
      0, "" },
    { "a folder", A_FILE("\"a/\"") END, 0, NULL, "", 0, "" },
    { "controls", A_FILE("\"a%0D%0Ab\x01\xff\"") END, 0, NULL,
      "a__b_\xef\xbf\xbd", 0, "" },

    { "no file", FIELD("purpose", "vision") END, ART_FILE_REQUIRED, "file",
      "", 0, "" },
    { "an anchor alone",
      A_FILE("a") FIELD("expires_after[anchor]", "created_at") END,
      ART_FILE_REQUIRED, "expires_after[seconds]", "", 0, "" },
    { "another anchor",
      A_FILE("a") FIELD("expires_after[anchor]", "last_active_at") END,
      ART_FILE_PARAM, "expires_after[anchor]", "", 0, "" },
    { "0 seconds", FIELD("expires_in_seconds", "0") A_FILE("a") END,
      ART_FILE_PARAM, "expires_in_seconds", "", 0, "" },
    { "negative seconds", FIELD("expires_in_seconds", "-1") A_FILE("a") END,
      ART_FILE_PARAM, "expires_in_seconds", "", 0, "" },
    { "no seconds", FIELD("expires_in_seconds", "") A_FILE("a") END,
      ART_FILE_PARAM, "expires_in_seconds", "", 0, "" },
    { "half seconds", FIELD("expires_after[seconds]", "3600.5") A_FILE("a") END,
      ART_FILE_PARAM, "expires_after[seconds]", "", 0, "" },
    { "too many seconds",
      FIELD("expires_in_seconds", "18446744073709551617") A_FILE("a") END,
      ART_FILE_PARAM, "expires_in_seconds", "", 0, "" },
    { "a purpose of two lines", FIELD("purpose", "a\nb") A_FILE("a") END,
      ART_FILE_PARAM, "purpose", "", 0, "" },
    { "two files", A_FILE("a") A_FILE("b") END, ART_FILE_TWICE, "file", "", 0,
      "" },
    { "a missing end", A_FILE("a"), ART_FILE_BODY, NULL, "", 0, "" },
    { "base64",
      "--b\r\nContent-Disposition: form-data; name=file\r\nContent-Transfer-"
      "Encoding: base64\r\n\r\n\r\n" END, ART_FILE_BODY, NULL, "", 0, "" },
    { "no form at all", "{}", ART_FILE_BODY, NULL, "", 0, "" }
};


static int
sink(void *data, const uint8_t *p, size_t len)
{
    art_out_mem(data, p, len);

    return ART_OK;
}


static int
read_upload(art_upload_t *u, const char *body, size_t piece, art_out_t *out)
{
    size_t    n, len;
    uint8_t  *copy;

    if (art_upload_init(u, art_cstr(TYPE), sink, out) != ART_OK) {
        return ART_ERROR;
    }

    for (len = strlen(body); len > 0; len -= n, body += n) {
        n = piece < len ? piece : len;

        copy = exact(body, n);

        if (art_upload_feed(u, copy, n) != ART_OK) {
            free(copy);
            return ART_ERROR;
        }

        free(copy);
    }

    return art_upload_end(u);
}


static void
check_uploads(void)
{
    int            rc;
    size_t         i, piece, wrong;
    uint8_t        buf[64];
    art_out_t      out;
    art_upload_t  *u;

    u = must(malloc(sizeof(art_upload_t)));

    for (i = 0; i < nitems(uploads); i++) {
        wrong = 0;

        for (piece = 1; piece <= 1000; piece = piece * 3 + 1) {
            out = art_out(buf, sizeof(buf));
            rc = read_upload(u, uploads[i].body, piece, &out);

            if (uploads[i].reason != ART_FILE_SOUND) {
                wrong += rc != ART_ERROR
                         || u->error.reason != uploads[i].reason
                         || (uploads[i].param == NULL) != (u->error.param
                                                           == NULL)
                         || (u->error.param != NULL
                             && strcmp(u->error.param, uploads[i].param) != 0);
                continue;
            }

            wrong += rc != ART_OK || out.len != 4 || u->size != 4
                     || memcmp(buf, "text", 4) != 0
                     || !art_str_eq(u->name, art_cstr(uploads[i].file))
                     || !art_str_is(u->type, "text/plain")
                     || u->lifetime != uploads[i].lifetime
                     || !art_str_eq(u->purpose, art_cstr(uploads[i].purpose));
        }

        is_int((long long) wrong, 0, uploads[i].name);
    }

    ok(art_upload_init(u, art_cstr("text/plain"), sink, NULL) == ART_ERROR
       && u->error.reason == ART_FILE_NO_FORM
       && art_str_is(u->error.detail, "text/plain"), "another type");

    free(u);
}


/* Names of any length fit a file system; a field's value has a limit. */

static void
check_lengths(void)
{
    char          *body;
    size_t         n;
    uint8_t        buf[16];
    art_out_t      out;
    art_upload_t  *u;

    u = must(malloc(sizeof(art_upload_t)));
    body = must(malloc(16384));

    n = (size_t) sprintf(body, "--b\r\nContent-Disposition: form-data; "
                         "name=file; filename=\"");
    memset(body + n, 0xe5, 7000);
    n += 7000;
    (void) sprintf(body + n, ".txt\"\r\n\r\ntext\r\n" END);

    out = art_out(buf, sizeof(buf));

    ok(read_upload(u, body, 100, &out) == ART_OK && u->name.len <= 255
       && u->name.len > 200
       && memcmp(u->name.data + u->name.len - 4, ".txt", 4) == 0,
       "a long name");

    for (n = ART_UPLOAD_VALUE; n <= ART_UPLOAD_VALUE + 1; n++) {
        (void) sprintf(body, "--b\r\nContent-Disposition: form-data; "
                       "name=purpose\r\n\r\n%0*d\r\n" A_FILE("a") END,
                       (int) n, 0);
        out = art_out(buf, sizeof(buf));

        ok((read_upload(u, body, 100, &out) == ART_OK)
           == (n == ART_UPLOAD_VALUE), "a purpose of %zu bytes", n);
    }

    free(body);
    free(u);
}


int
main(void)
{
    check_uploads();
    check_lengths();

    return done();
}
