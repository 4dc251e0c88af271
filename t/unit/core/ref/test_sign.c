
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Signed URLs: vectors of openssl's command line, the time that a URL ends, and
 * files of keys.
 *
 *     printf 'artifact-url-v1\nt\nabc\n1700000000' | openssl dgst -sha256 \
 *         -mac HMAC -macopt hexkey:$KEY -binary | basenc --base64url
 */


#include "core/ref/art_url.h"
#include "tap.h"


static art_sign_keys_t  keys;


static art_sign_status_t
parse(const char *text, unsigned *line)
{
    static uint8_t  room[ART_SIGN_FILE_MAX];

    memcpy(room, text, strlen(text));

    return art_sign_parse(&keys, room, strlen(text), line);
}


static void
sign(const char *scope, const char *exp, uint8_t *text)
{
    art_signed_t  what;

    what.scope = art_cstr(scope);
    what.ref = art_cstr("abc");
    what.exp = art_cstr(exp);
    what.put = art_str(NULL, 0);

    art_sign_print(&keys, 0, &what, text);
}


static void
check_vectors(void)
{
    unsigned  i, line;
    uint8_t   text[ART_SIGN_LEN];

    static const struct {
        const char  *key;
        const char  *sig;
    } rows[] = {
        { "3131313131313131313131313131313131313131313131313131313131313131",
          "1TuMvUyIVUCv6fZQXgPSodjQAXmsdT_eGZPpYvGT9T0" },
        { "MTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTE",
          "1TuMvUyIVUCv6fZQXgPSodjQAXmsdT_eGZPpYvGT9T0" },
        { "3232323232323232323232323232323232323232323232323232323232323232"
          "3232323232323232323232323232323232323232323232323232323232323232"
          "323232323232", "54NXJruvfVMEP-eD_ryTeM-xONrP5e5cdHfn5gxJnmE" }
    };

    for (i = 0; i < art_nitems(rows); i++) {
        is_int(parse(rows[i].key, &line), ART_SIGN_OK, "a key");
        sign("t", "1700000000", text);
        ok(memcmp(text, rows[i].sig, ART_SIGN_LEN) == 0, "as openssl");
        art_sign_wipe(&keys);
    }
}


static void
check_times(void)
{
    size_t            n;
    uint8_t           before[256];
    uint8_t           buf[256];
    unsigned          line, changes;
    uint64_t          exp;
    art_out_t         out;
    art_url_t         url;
    art_str_t         query;

    (void) parse("3131313131313131313131313131313131313131313131313131313131313"
                 "131", &line);

    memset(&url, 0, sizeof(url));
    memset(before, 0, sizeof(before));

    url.prefix = art_cstr("https://h/");
    url.keys = &keys;
    url.ttl = 60;
    changes = 0;

    for (n = 0; n < 240; n++) {
        url.now = 1700000000 + n;
        out = art_out(buf, sizeof(buf) - 1);
        art_url_print(&out, &url, art_cstr("abc"), 1);
        buf[out.len] = '\0';
        query = art_str(buf + 14, out.len - 14);

        if (art_url_check(&url, art_cstr("abc"), query, &exp) != ART_URL_VALID
            || exp <= url.now + 60 || exp > url.now + 120)
        {
            break;
        }

        url.now = exp - 1;

        if (art_url_check(&url, art_cstr("abc"), query, &exp) != ART_URL_VALID)
        {
            break;
        }

        url.now = exp;

        if (art_url_check(&url, art_cstr("abc"), query, &exp)
            != ART_URL_EXPIRED)
        {
            break;
        }

        changes += memcmp(before, buf, out.len) != 0;
        memcpy(before, buf, sizeof(buf));
    }

    is_int((long long) n, 240, "lives one to two ttl, until \"exp\"");
    is_int(changes, 5, "changes once in a ttl");

    art_sign_wipe(&keys);
}


static void
check_files(void)
{
    unsigned  line;

    is_int(parse("\n# x\n\t \r\n", &line), ART_SIGN_NONE, "no key");
    is_int(parse("", &line), ART_SIGN_NONE, "an empty file");
    is_int(parse("\nc2hvcnQ=\n", &line), ART_SIGN_SHORT, "short");
    is_int(line, 2, "its line");
    is_int(parse("?", &line), ART_SIGN_BAD, "bad");
}


/* Queries with so many characters of a valid signature in them. */

static void
check_queries(void)
{
    char              query[256];
    uint8_t           sig[ART_SIGN_LEN + 1];
    uint64_t          exp;
    unsigned          i, line;
    art_url_t         url;
    art_url_status_t  status;

    static const struct {
        const char        *before;
        int                len;
        const char        *after;
        art_url_status_t   status;
    } rows[] = {
        { "exp=1700000000&sig=", 43, "", ART_URL_VALID },
        { "sig=", 43, "&exp=1700000000", ART_URL_VALID },
        { "&&expo=1&exp=1700000000&sigs&sig=", 43, "&exp=1&sig",
          ART_URL_VALID },
        { "exp&exp=1700000000&sig=", 43, "", ART_URL_INVALID },
        { "exp=&exp=1700000000&sig=", 43, "", ART_URL_INVALID },
        { "exp=1700000000&sig&sig=", 43, "", ART_URL_INVALID },
        { "exp=1700000000&sig=&sig=", 43, "", ART_URL_INVALID },
        { "exp=01700000000&sig=", 43, "", ART_URL_INVALID },
        { "exp=%31700000000&sig=", 43, "", ART_URL_INVALID },
        { "exp=1700000000&sig=", 43, "=", ART_URL_INVALID },
        { "exp=1700000000&sig=", 42, "", ART_URL_INVALID },
        { "exp=1700000000;sig=", 43, "", ART_URL_UNSIGNED },
        { "expo=1700000000&sig=", 43, "", ART_URL_UNSIGNED },
        { "", 0, "", ART_URL_UNSIGNED }
    };

    (void) parse("3131313131313131313131313131313131313131313131313131313131313"
                 "131", &line);

    memset(&url, 0, sizeof(url));
    memset(sig, 0, sizeof(sig));

    url.keys = &keys;
    url.now = 1699999999;

    sign("", "1700000000", sig);

    for (i = 0; i < art_nitems(rows); i++) {
        (void) snprintf(query, sizeof(query), "%s%.*s%s", rows[i].before,
                        rows[i].len, (char *) sig, rows[i].after);

        status = art_url_check(&url, art_cstr("abc"), art_cstr(query), &exp);
        is_int(status, rows[i].status, query);
    }

    art_sign_wipe(&keys);
}


/* "exp" that is signed as it stands, but is no number as we write it. */

static void
check_numbers(void)
{
    char              query[256];
    char              name[64];
    uint8_t           sig[ART_SIGN_LEN + 1];
    uint64_t          exp;
    unsigned          i, line;
    art_url_t         url;
    art_url_status_t  status;

    static const char *const  rows[] = {
        "01700000000", "00", "+1700000000", "-1", "", " 1700000000",
        "1700000000 ", "17e8", "0x7fffffff", "1700000000.0",
        "17000000000000000000", "99999999999999999999"
    };

    (void) parse("3131313131313131313131313131313131313131313131313131313131313"
                 "131", &line);

    memset(&url, 0, sizeof(url));
    memset(sig, 0, sizeof(sig));

    url.keys = &keys;

    for (i = 0; i < art_nitems(rows); i++) {
        sign("", rows[i], sig);
        (void) snprintf(query, sizeof(query), "exp=%s&sig=%s", rows[i],
                        (char *) sig);

        status = art_url_check(&url, art_cstr("abc"), art_cstr(query), &exp);
        (void) snprintf(name, sizeof(name), "exp=%s", rows[i]);
        is_int(status, ART_URL_INVALID, name);
    }

    art_sign_wipe(&keys);
}


int
main(void)
{
    check_vectors();
    check_times();
    check_files();
    check_queries();
    check_numbers();

    return done();
}
