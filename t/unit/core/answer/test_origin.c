
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Origins: which host they have, and whether it is one of the server's own or
 * of this machine.
 */


#include "core/answer/art_origin.h"
#include "tap.h"


typedef struct {
    const char  *origin;
    const char  *host;
    int          loopback;
} origin_case_t;


static const origin_case_t  origins[] = {
    { "http://localhost", "localhost", 1 },
    { "http://LocalHost:3000", "LocalHost", 1 },
    { "https://app.localhost:1", "app.localhost", 1 },
    { "http://127.0.0.1:80", "127.0.0.1", 1 },
    { "http://127.9.9.9", "127.9.9.9", 1 },
    { "http://[::1]:8080", "::1", 1 },
    { "vscode-webview://abc-1", "abc-1", 0 },
    { "https://example.com", "example.com", 0 },
    { "http://127.0.0.1.evil.com", "127.0.0.1.evil.com", 0 },
    { "http://127.1", "127.1", 0 },
    { "http://localhost.evil.com", "localhost.evil.com", 0 },
    { "http://xlocalhost", "xlocalhost", 0 },
    { "http://localhost@evil.com", "", 0 },
    { "http://localhost/", "", 0 },
    { "http://localhost:", "", 0 },
    { "http://localhost:8a", "", 0 },
    { "http://[::1]x", "", 0 },
    { "http://[::1", "", 0 },
    { "http://", "", 0 },
    { "://localhost", "", 0 },
    { "localhost", "", 0 },
    { "null", "", 0 },
    { "", "", 0 }
};


typedef struct {
    const char  *host;
    const char  *name;
    int          has;
} name_case_t;


static const name_case_t  names[] = {
    { "example.com", "example.com", 1 },
    { "EXAMPLE.com", "example.com", 1 },
    { "a.example.com", "example.com", 0 },
    { "a.example.com", "*.example.com", 1 },
    { "example.com", "*.example.com", 0 },
    { "xexample.com", "*.example.com", 0 },
    { "example.com", ".example.com", 1 },
    { "a.b.example.com", ".example.com", 1 },
    { "xexample.com", ".example.com", 0 },
    { "www.example.org", "www.example.*", 1 },
    { "www.example.", "www.example.*", 0 },
    { "www.example", "www.example.*", 0 },
    { "", "", 0 },
    { "_", "_", 0 },
    { "", "example.com", 0 }
};


int
main(void)
{
    size_t     i;
    art_str_t  host;

    for (i = 0; i < art_nitems(origins); i++) {
        host = art_origin_host(art_cstr(origins[i].origin));

        ok(art_str_eq(host, art_cstr(origins[i].host)), "the host of \"%s\"",
           origins[i].origin);
        ok(!art_origin_is_loopback(host) == !origins[i].loopback,
           "\"%s\" is %sof this machine", origins[i].origin,
           origins[i].loopback ? "" : "not ");
    }

    for (i = 0; i < art_nitems(names); i++) {
        ok(!art_origin_has_name(art_cstr(names[i].host),
                                art_cstr(names[i].name))
           == !names[i].has,
           "\"%s\" is %s\"%s\"", names[i].host, names[i].has ? "" : "not ",
           names[i].name);
    }

    return done();
}
