
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Whole answers: any pieces of input and any room for output give the same
 * bytes, which are JSON with the content in it, and the hash tells them apart.
 */


#include "render_holds.h"
#include "tap.h"


/* The properties, of one format and one kind. */

static int
check_once(const char *format, size_t k, size_t max)
{
    size_t   len;
    scene_t  s;

    set_scene(&s, format, kinds[k].kind, kinds[k].mime);
    len = random_content(kinds[k].kind, max);

    if (tap_below(2)) {
        s.view.size_known = 1;
        s.view.size = len;
    }

    if (tap_below(3) == 0) {
        s.conf.text_max = 1 + tap_below(len + 8);
    }

    if (render(&ref, &s, content, len, &whole)
        && holds(&ref, &s, content, len)
        && ref.has_length == (kinds[k].kind != ART_KIND_TEXT
                              && s.view.size_known)
        && render(&got, &s, content, len, &bytewise) && same(&got, &ref)
        && render(&got, &s, content, len, &smallest) && same(&got, &ref)
        && render(&got, &s, content, len, &random_pieces)
        && same(&got, &ref))
    {
        return 1;
    }

    report(&s, len);

    return 0;
}


static void
check_random(void)
{
    size_t    i, f, k;
    unsigned  failed;

    for (f = 0; f < nitems(known_formats); f++) {
        for (k = 0; k < nitems(kinds); k++) {
            failed = 0;

            for (i = 0; i < 120 && failed == 0; i++) {
                failed += !check_once(known_formats[f], k, i < 20 ? i : 700);
            }

            ok(failed == 0, "any content in any pieces: %s, %s",
               known_formats[f], kinds[k].mime);
        }
    }
}


/* No bytes at all, however they come. */

static void
check_empty(void)
{
    size_t    f, k;
    scene_t   s;
    unsigned  bad;

    bad = 0;

    for (f = 0; f < nitems(known_formats); f++) {
        for (k = 0; k < nitems(kinds); k++) {
            set_scene(&s, known_formats[f], kinds[k].kind, kinds[k].mime);
            s.view.size_known = f & 1;

            bad += !render(&ref, &s, content, 0, &whole)
                   || !holds(&ref, &s, content, 0)
                   || !render(&got, &s, content, 0, &bytewise)
                   || !same(&got, &ref);
        }
    }

    is_int(bad, 0, "no content");
}


static void
set_described(scene_t *s, art_reason_t reason)
{
    s->view.decision.described = 1;
    s->view.decision.routing = ART_ROUTING_TEXT;
    s->view.decision.reason = reason;

    if (reason == ART_REASON_CAPABILITY) {
        s->view.decision.requires = "vision";
    }
}


/* Descriptions: no content is needed, and none of it is in the answer. */

static void
check_described(void)
{
    size_t       f, k, reason, len;
    json_t      *json, *inner, *body;
    scene_t      s;
    unsigned     bad, null;
    const char  *value;

    bad = 0;
    len = 300;
    memset(content, 'Q', len);

    for (f = 0; f < nitems(known_formats); f++) {
        for (k = 0; k < nitems(kinds); k++) {
            for (reason = ART_REASON_CAPABILITY; reason <= ART_REASON_READ;
                 reason++)
            {
                set_scene(&s, known_formats[f], kinds[k].kind,
                          kinds[k].mime);
                set_described(&s, (art_reason_t) reason);

                if (k & 1) {
                    s.conf.description = art_cstr("own \"words\"\n工\xff");
                }

                bad += !render(&ref, &s, content, len, &whole)
                       || !ref.has_length
                       || !render(&got, &s, content, len, &smallest)
                       || !same(&got, &ref);

                json = parse(&ref);
                body = json ? body_of(json, &s, &inner) : NULL;
                null = strcmp(known_formats[f], "object") == 0;
                value = json_string_value(body);

                bad += null ? !json_is_null(body)
                            : value == NULL || strstr(value, "QQQQ") != NULL
                              || (k & 1 ? strcmp(value, "own \"words\"\n工"
                                                 "\xef\xbf\xbd") != 0
                                        : value[0] != '[');

                if (json) {
                    json_decref(inner);
                    json_decref(json);
                }
            }
        }
    }

    is_int(bad, 0, "a description needs no content");
}


/* Changes one thing that an answer may depend on. */

static void
change(scene_t *s)
{
    static const art_str_t  list[] = { art_string("svc"), art_string("x") };

    switch (tap_below(20)) {
    case 0: s->view.id = art_cstr("id-2"); break;
    case 1: s->view.name = art_cstr("another"); break;
    case 2: s->view.mime = art_cstr("image/gif"); break;
    case 3: s->view.size = s->view.decision.described ? 5 : 8; break;
    case 4: s->view.size_known ^= 1; break;
    case 5: s->meta.type = art_cstr("t"); break;
    case 6: s->meta.created = art_cstr("c"); break;
    case 7: s->meta.updated = art_cstr("u"); break;
    case 8: s->meta.message_id = art_cstr("m"); break;
    case 9: s->view.workspace = art_cstr("w"); break;
    case 10: s->view.path = art_cstr("p"); break;
    case 11: s->meta.object = art_cstr("{\"k\":1}"); break;
    case 12: s->view.lang = ART_LANG_EN; break;
    case 13: s->view.tool_call_id = art_cstr("call-2"); break;
    case 14: s->view.suggestions = list; s->view.nsuggestions = 1; break;
    case 15: s->view.nsuggestions = s->view.suggestions ? 2 : 0; break;
    case 16: s->conf.text_max = 1 + tap_below(6); break;
    case 17: s->conf.charset = tap_below(2) ? "GB18030" : "UTF-16BE"; break;
    case 18: s->conf.description = art_cstr("d"); break;
    default: s->conf.json ^= 1; break;
    }
}


/*
 * Answers that differ with the same content have different hashes, and equal
 * scenes equal ones.
 */

static void
check_hash(void)
{
    size_t    i, n, k;
    scene_t   a, b;
    unsigned  failed, differ;

    failed = 0;
    differ = 0;

    for (i = 0; i < 3000 && failed == 0; i++) {
        k = tap_below(nitems(kinds));
        set_scene(&a, known_formats[tap_below(3)], kinds[k].kind,
                  kinds[k].mime);

        a.view.size = 8;

        if (tap_below(3) == 0) {
            set_described(&a, (art_reason_t) (1 + tap_below(4)));
        }

        for (n = tap_below(3); n > 0; n--) {
            change(&a);
        }

        b = a;

        if (tap_below(8) == 0) {
            b.conf.format = art_format_find(
                                art_cstr(known_formats[tap_below(3)]));
        }

        for (n = tap_below(3); n > 0; n--) {
            change(&b);
        }

        failed += !render(&ref, &a, (const uint8_t *) "[1, \"2\"]", 8, &whole)
                  || !render(&got, &b, (const uint8_t *) "[1, \"2\"]", 8,
                             &whole);

        if (ref.len != got.len || memcmp(ref.data, got.data, ref.len) != 0) {
            differ++;
            failed += ref.hash == got.hash;
        }

        failed += memcmp(&a, &b, sizeof(a)) == 0 && ref.hash != got.hash;
    }

    if (!ok(failed == 0, "a hash for everything that an answer depends on")) {
        report(&a, 0);
    }

    ok(differ > 500, "of answers that differ a good part");
}


/* The same answer in an envelope, in all pieces. */

static int
check_enveloped(scene_t *s, size_t len)
{
    size_t          n;
    uint8_t        *want;
    unsigned        i, has_length, good;
    const feed_t   *feeds[] = { &whole, &bytewise, &smallest, &random_pieces };
    art_envelope_t  envelope;

    envelope.before = art_cstr("{\"before\":[");
    envelope.cut = art_cstr(",\"cut\"");
    envelope.after = art_cstr("]} and after");

    if (!render(&ref, s, content, len, &whole)) {
        return 0;
    }

    n = ref.len + envelope.before.len + envelope.after.len
        + (ref.truncated ? envelope.cut.len : 0);
    want = exact(NULL, n);

    memcpy(want, envelope.before.data, envelope.before.len);
    memcpy(want + envelope.before.len, ref.data, ref.len);

    if (ref.truncated) {
        memcpy(want + envelope.before.len + ref.len, envelope.cut.data,
               envelope.cut.len);
    }

    memcpy(want + n - envelope.after.len, envelope.after.data,
           envelope.after.len);

    has_length = ref.has_length;
    s->conf.envelope = envelope;
    good = 1;

    for (i = 0; i < nitems(feeds); i++) {
        good = good && render(&got, s, content, len, feeds[i])
               && got.len == n && memcmp(got.data, want, n) == 0
               && got.has_length == has_length
               && (!has_length || got.length == n);
    }

    free(want);

    return (int) good;
}


static void
check_envelope(void)
{
    size_t    i, k, len;
    scene_t   s;
    unsigned  failed, cut;

    failed = 0;
    cut = 0;

    for (i = 0; i < 300; i++) {
        k = i % nitems(kinds);
        set_scene(&s, known_formats[tap_below(3)], kinds[k].kind,
                  kinds[k].mime);
        len = random_content(kinds[k].kind, 300);

        s.view.size_known = tap_below(2) & 1;
        s.view.size = len;

        if (tap_below(4) == 0) {
            set_described(&s, ART_REASON_TYPE);

        } else if (tap_below(2)) {
            s.conf.text_max = 1 + tap_below(len + 8);
        }

        failed += !check_enveloped(&s, len);
        cut += ref.truncated;
    }

    ok(failed == 0, "the same answers in an envelope");
    ok(cut > 5, "some of them are cut");
}


int
main(void)
{
    check_random();
    check_empty();
    check_described();
    check_hash();
    check_envelope();

    free(ref.data);
    free(got.data);

    return done();
}
