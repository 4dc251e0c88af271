
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Requests with more media than the API or the reader takes: what becomes
 * words, and that it stays so for many turns.
 */


#include "expand_run.h"
#include "core/expand/art_expand_limit.h"


#define PARTS   1200
#define TURNS   200


/* A request as it was made: its parts, in order. */

typedef enum { DATA, URL, FILE_ID, REF, PDF, TEXT } form_t;

typedef struct {
    form_t       form;
    unsigned     message;
    uint32_t     side;           /* pixels */
    unsigned     images;         /* is one that is sent, but for limits */
    unsigned     documents;
    unsigned     dropped;        /* what is to be expected */
    unsigned     large;
} made_t;


static const char *const  forms[] = {
    "{\"type\":\"image\",\"source\":{\"type\":\"base64\","
    "\"media_type\":\"image/png\",\"data\":\"iVBORw0KGgoAAAAASUVORK5CYII=\"}}",
    "{\"type\":\"image\",\"source\":{\"type\":\"url\","
    "\"url\":\"https://x/i.png?k=1\"}}",
    "{\"type\":\"image\",\"source\":{\"type\":\"file\","
    "\"file_id\":\"file_1\"}}",
    "{\"type\":\"image\",\"source\":{\"type\":\"url\","
    "\"url\":\"artifact:img\"}}",
    "{\"type\":\"document\",\"source\":{\"type\":\"base64\","
    "\"media_type\":\"application/pdf\",\"data\":"
    "\"JVBERi0xLjQKJeLjz9MKJSVFT0YK\"}}",
    "{\"type\":\"text\",\"text\":\"t\"}"
};


static made_t      made[PARTS];
static unsigned    nmade, nmessages;
static char        body[PARTS * 200];
static uint8_t     out[PARTS * 600], before[sizeof(out)];
static art_api_t   api;


static void
add(form_t form, uint32_t side)
{
    made_t  *part;

    part = &made[nmade++];

    memset(part, 0, sizeof(*part));

    part->form = form;
    part->message = nmessages - 1;
    part->side = form == DATA || form == REF ? side : 0;
}


/* A message with a text, which parts follow. */

static void
message(void)
{
    nmessages++;
    add(TEXT, 0);
}


static size_t
print(void)
{
    size_t    len;
    unsigned  i;

    len = (size_t) sprintf(body, "{\"messages\":[");

    for (i = 0; i < nmade; i++) {

        if (i > 0 && made[i - 1].message == made[i].message) {
            len += (size_t) sprintf(body + len, ",");

        } else {
            len += (size_t) sprintf(body + len, "%s{\"role\":\"user\","
                                    "\"content\":[", i > 0 ? "]}," : "");
        }

        len += (size_t) sprintf(body + len, "%s", forms[made[i].form]);
    }

    return len + (size_t) sprintf(body + len, "]}]}");
}


/*
 * Plans it, with what "api" says instead of the row; the number of slots that
 * became words, or -1.
 */

static long
limited(const art_message_reader_t *who)
{
    uint32_t             i, n;
    unsigned             k;
    art_message_slot_t  *slot;

    if (scan_body("anthropic", body, print(), 4000, 4096) != ART_SCAN_OK) {
        return -1;
    }

    scan.conf.api = &api;

    for (i = 0, k = 0; k < nmade; k++) {

        if (made[k].form == TEXT) {
            continue;
        }

        slot = art_scan_slot(&scan, i);
        slot->width = made[k].side;
        view_widths[i++] = made[k].side;
    }

    if (i != scan.nslots || plan_body(who) != ART_OK
        || art_limit_media(&plan_of, &n) != ART_OK)
    {
        return -1;
    }

    return (long) n;
}


/* The naive way: leaves out one after the other while there are too many. */

static void
expect_limit(unsigned images, unsigned documents, uint64_t max, int last_only)
{
    unsigned  i, n, left, step;

    static unsigned  which[PARTS];

    n = 0;

    for (i = 0; i < nmade; i++) {
        if ((made[i].images && images) || (made[i].documents && documents)) {
            which[n++] = i;
        }
    }

    if (!last_only) {
        step = 0;

        while ((uint64_t) step * (max / 2 + max % 2) + max < n) {
            step++;
        }

        left = (unsigned) (step * (max / 2 + max % 2));

        for (i = 0; i < n && left > 0; i++) {
            if (made[which[i]].message != nmessages - 1) {
                made[which[i]].dropped = 1;
                left--;
            }
        }
    }

    /* the media of the last message alone */

    for (i = 0, left = 0; i < n; i++) {
        left += made[which[i]].message == nmessages - 1;
    }

    for (i = 0; i < n && left > max; i++) {
        if (made[which[i]].message == nmessages - 1) {
            made[which[i]].dropped = 1;
            left--;
        }
    }
}


static void
expect(const art_message_reader_t *who)
{
    unsigned                i, k, n, messages, images;
    const art_api_count_t  *count;

    images = 0;
    messages = nmessages;

    for (i = 0; i < nmade; i++) {
        made[i].dropped = 0;
        made[i].large = 0;
        made[i].documents = made[i].form == PDF;
        made[i].images = made[i].form <= REF;

        /* too large in any request; those stay that are not ours to judge */

        if (made[i].images && made[i].side > 8000
            && (who->known || made[i].form == REF))
        {
            made[i].images = 0;
            made[i].large = 1;
        }

        images += made[i].images;
    }

    for (i = 0; i < ART_API_COUNTS && who->known; i++) {
        count = &api.request.counts[i];

        if (count->kinds == 0) {
            break;
        }

        if (!count->message) {
            expect_limit(count->kinds & ART_KIND_BIT(ART_KIND_IMAGE),
                         count->kinds & ART_KIND_BIT(ART_KIND_DOCUMENT),
                         count->max, 0);

            if ((count->kinds & ART_KIND_BIT(ART_KIND_IMAGE))
                && images > count->max)
            {
                images = count->max;
            }

            continue;
        }

        /* each message was the last one once */

        n = nmade;

        for (nmessages = 1; nmessages <= messages; nmessages++) {
            for (k = 0; k < n && made[k].message < nmessages; k++) {
                /* void */
            }

            nmade = k;
            expect_limit(count->kinds & ART_KIND_BIT(ART_KIND_IMAGE),
                         count->kinds & ART_KIND_BIT(ART_KIND_DOCUMENT),
                         count->max, 1);
        }

        nmade = n;
        nmessages = messages;
    }

    if (who->known && who->max_media != 0) {
        expect_limit(1, 1, who->max_media, 0);
        images = images < who->max_media ? images : (unsigned) who->max_media;
    }

    for (i = 0; i < nmade && images > api.request.many; i++) {
        made[i].large |= made[i].images && !made[i].dropped
                         && made[i].side > api.request.many_side
                         && (who->known || made[i].form == REF);
    }
}


static int
agrees(void)
{
    uint32_t                   i;
    unsigned                   k, words;
    const art_message_edit_t  *edit;

    for (i = 0, k = 0; k < nmade; k++) {

        if (made[k].form == TEXT) {
            continue;
        }

        edit = &plan_of.edits[i++];
        words = edit->becomes == ART_BECOMES_DESCRIBED;

        if (words != (made[k].dropped || made[k].large)
            || edit->dropped != made[k].dropped
            || (words && !edit->dropped
                && edit->reason != ART_REASON_PIXELS))
        {
            diag("part %u of %u, message %u of %u: %s%s%s, wanted %s%s",
                 k, nmade, made[k].message, nmessages,
                 words ? "words" : "itself", edit->dropped ? ", dropped" : "",
                 edit->reason ? ", pixels" : "",
                 made[k].dropped ? "dropped" : "",
                 made[k].large ? "pixels" : "");
            return 0;
        }
    }

    return 1;
}


static void
row(unsigned images, unsigned documents)
{
    api = *art_api_find(art_cstr("anthropic"));

    memset(api.request.counts, 0, sizeof(api.request.counts));

    if (images) {
        api.request.counts[0].kinds = ART_KIND_BIT(ART_KIND_IMAGE);
        api.request.counts[0].max = images;
    }

    if (documents) {
        api.request.counts[images > 0].kinds = ART_KIND_BIT(ART_KIND_DOCUMENT);
        api.request.counts[images > 0].max = documents;
    }
}


/* Any request is cut as the naive way cuts it. */

static void
check_random(void)
{
    unsigned              i, k, n, failed;
    json_error_t          error;
    json_t               *json;
    art_message_reader_t  who;

    static const uint32_t  sides[] = { 0, 100, 2000, 2001, 8000, 8001 };

    failed = 0;

    for (i = 0; i < 3000 && !failed; i++) {
        nmade = 0;
        nmessages = 0;

        for (n = (unsigned) tap_below(9) + 1; n > 0; n--) {
            message();

            for (k = (unsigned) tap_below(i % 3 ? 7 : 30); k > 0; k--) {
                add((form_t) tap_below(TEXT + 1),
                    sides[tap_below(nitems(sides))]);
            }
        }

        row((unsigned) tap_below(20), (unsigned) tap_below(8));

        api.request.counts[0].message = tap_below(3) == 0;
        api.request.counts[1].message = tap_below(3) == 0;
        api.request.many = 1 + (uint32_t) tap_below(30);

        who = reader_of(tap_below(4) ? "sees" : "unknown");
        who.max_media = tap_below(2) ? 1 + tap_below(40) : 0;

        failed |= limited(&who) < 0;
        expect(&who);
        failed |= !agrees();

        failed |= splice_body((const uint8_t *) body, out) < 0;
        json = json_loads((char *) out, JSON_REJECT_DUPLICATES, &error);
        failed |= json == NULL;
        json_decref(json);

        pool_free();
    }

    ok(!failed, "%u requests are cut as the naive way cuts them", i);
}


/*
 * A history that gets an image each turn: the cut moves when half of the limit
 * has come, and between these turns each request begins with the bytes of the
 * one before.
 */

static void
check_growing(unsigned max, unsigned own)
{
    long                  len, was;
    unsigned              turn, cut, n, i, moves, failed;
    art_message_reader_t  who;

    row(own ? 0 : max, 0);

    nmade = 0;
    nmessages = 0;
    was = 0;
    cut = 0;
    moves = 0;
    failed = 0;

    who = reader_of("sees");
    who.max_media = own ? max : 0;

    for (turn = 1; turn <= TURNS && !failed; turn++) {
        message();
        add((form_t) (turn % 4), 100);

        failed |= limited(&who) < 0;
        expect(&who);
        failed |= !agrees();

        for (i = 0, n = 0; i < scan.nslots; i++) {
            n += plan_of.edits[i].dropped;
        }

        failed |= turn - n > max || (turn > max && n < cut);

        len = splice_body((const uint8_t *) body, out);
        failed |= len < 4;

        /* all but the brackets that end it */

        if (n == cut && turn > 1) {
            failed |= memcmp(out, before, (size_t) was - 4) != 0;
        }

        moves += n != cut;
        cut = n;
        was = len;

        memcpy(before, out, (size_t) len);
        pool_free();
    }

    n = max / 2 + max % 2;

    ok(!failed, "%u images at most by %s: turn %u", max,
       own ? "the map" : "the API", turn - 1);
    ok(moves == (max < TURNS ? (TURNS - max + n - 1) / n : 0),
       "%u images at most: the cut moved %u times", max, moves);
}


/* What a message has too much of depends on nothing that comes later. */

static void
check_messages(void)
{
    long                  len, was;
    unsigned              i, k, failed;
    art_message_reader_t  who;

    row(20, 5);

    api.request.counts[0].message = 1;
    api.request.counts[1].message = 1;

    nmade = 0;
    nmessages = 0;
    was = 0;
    failed = 0;

    who = reader_of("sees");

    for (i = 0; i < 40 && !failed; i++) {
        message();

        for (k = i; k > 0; k--) {
            add(k % 5 ? (form_t) (k % 4) : PDF, 100);
        }

        failed |= limited(&who) < 0;
        expect(&who);
        failed |= !agrees();

        len = splice_body((const uint8_t *) body, out);
        failed |= len < 4
                  || (was > 0 && memcmp(out, before, (size_t) was - 4) != 0);

        was = len;

        memcpy(before, out, (size_t) len);
        pool_free();
    }

    ok(!failed, "limits of messages: the history never changes, %u turns", i);
}


/* Twenty images of any size, and one more; the words. */

static void
check_many(void)
{
    uint32_t              n;
    unsigned              i;
    art_meta_t            meta;
    art_view_t            view;
    art_derive_rule_t     rule;
    art_message_reader_t  who;

    memset(&rule, 0, sizeof(rule));

    rule.from = art_cstr("image/jpeg,image/*");
    rule.to = art_cstr("image/jpeg");
    rule.kind = ART_KIND_IMAGE;
    rule.body = 1;

    api = *art_api_find(art_cstr("anthropic"));
    who = reader_of("sees");

    nmade = 0;
    nmessages = 0;
    message();

    for (i = 0; i < 20; i++) {
        add((form_t) (i % 4), i == 0 ? 100 : 2500);
    }

    is_int(limited(&who), 0, "20 images of 2500 pixels stay");
    pool_free();

    who.rules = &rule;
    who.nrules = 1;
    is_int(limited(&who), 0, "if they are converted, none is left over");
    is_int(plan_of.edits[3].reason, ART_REASON_PIXELS, "a source is too large");
    is_int(plan_of.edits[4].reason, ART_REASON_PIXELS, "so is the client's");
    is_int(plan_of.edits[0].reason, ART_REASON_NONE, "a small one is not");
    is_int(plan_of.edits[1].reason, ART_REASON_NONE, "nor is a URL");
    pool_free();

    rule.body = 0;
    is_int(limited(&who), 0, "nor is one that no rule sends anywhere");
    is_int(plan_of.edits[3].reason, ART_REASON_NONE, "though it is large");
    pool_free();

    who.nrules = 0;
    message();
    add(URL, 0);

    is_int(limited(&who), 9, "a URL is the 21st: those whose size is known go");
    splice_body((const uint8_t *) body, out);
    ok(strstr((char *) out, "has more pixels on a side") != NULL, "the words");
    pool_free();

    /* the client's own image, for which a smaller one was found */

    (void) limited(&who);
    source_view(&view, &meta, source_find(art_cstr("img")), art_cstr("img"));
    view.width = 2000;
    api.request.many = 2;
    (void) art_plan_source(&plan_of, 4, &view, 0, 0);
    (void) art_limit_media(&plan_of, &n);
    is_int(plan_of.edits[4].becomes, ART_BECOMES_PART, "a converted one stays");
    api.request.many = 20;
    pool_free();

    who.max_media = 20;
    is_int(limited(&who), 10, "a map with 20: half of them go instead");
    splice_body((const uint8_t *) body, out);
    ok(strstr((char *) out, "pixels on a side") == NULL, "not for their size");
    pool_free();

    who.max_media = 0;
    who.max_side = 2499;
    nmade -= 2;
    nmessages--;
    is_int(limited(&who), 0, "the map's own limit of sides");
    is_int(plan_of.edits[3].reason, ART_REASON_PIXELS, "holds for sources");
    is_int(plan_of.edits[4].reason, ART_REASON_PIXELS, "and the client's");
    pool_free();

    who = reader_of("unknown");
    who.max_media = 1;
    who.max_side = 1;
    is_int(limited(&who), 0, "nothing of that holds for an unknown reader");
    pool_free();
}


/* Every allocation may fail. */

static void
check_memory(void)
{
    long                  n;
    size_t                left;
    art_message_reader_t  who;

    row(3, 0);
    who = reader_of("sees");

    nmade = 0;
    nmessages = 0;
    message();

    for (left = 0; left < 30; left++) {
        add((form_t) (left % 4), 2500);
    }

    api.request.many = 2;

    for (left = 0; left < 10000; left++) {
        pool_left = left;
        n = limited(&who);
        pool_left = SIZE_MAX;
        pool_free();

        if (n >= 0) {
            break;
        }
    }

    ok(n > 0 && left > 10, "%zu allocations may fail", left);
}


int
main(void)
{
    unsigned  i;

    static const unsigned  limits[] = { 1, 2, 3, 8, 19, 20, 100, 199, 600 };

    check_random();

    for (i = 0; i < nitems(limits); i++) {
        check_growing(limits[i], i % 2);
    }

    check_messages();
    check_many();
    check_memory();

    return done();
}
