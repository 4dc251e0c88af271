
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_array.h"
#include "core/declare/art_declare_int.h"


static size_t art_declare_room(const art_declare_t *declare,
    const art_said_run_t *run);
static void art_declare_say(art_declare_t *declare, art_declare_says_t says,
    const art_said_run_t *run);
static uint16_t art_declare_raw(const art_said_run_t *run);
static int art_declare_goes_on(const art_declare_doc_t *doc,
    const art_said_run_t *run);
static void art_declare_wait(art_declare_t *declare,
    const art_said_run_t *run);
static art_declare_run_t *art_declare_last_run(art_declare_t *declare,
    const art_said_run_t *run);
static void art_declare_put(art_declare_t *declare, uint64_t pos,
    const char *before, const char *after, const char *eol);


void
art_declare_text(art_declare_t *declare, const art_said_run_t *run)
{
    size_t              n;
    art_said_run_t      rest;
    art_declare_doc_t  *doc;

    doc = &declare->doc;

    if (!doc->waits || doc->hurry) {
        art_declare_say(declare, doc->says, run);
        return;
    }

    n = art_declare_room(declare, run);

    if (run->n <= n) {
        art_declare_wait(declare, run);
        return;
    }

    /* too much: it counts as what it is taken for up to now */

    rest = *run;

    if (run->end - run->pos == run->n && n > 0) {
        rest.n = n;
        rest.end = rest.pos + n;
        art_declare_wait(declare, &rest);

        rest = *run;
        rest.p += n;
        rest.n -= n;
        rest.pos += n;
    }

    doc->hurry = 1;
    art_declare_count(declare);
    art_declare_say(declare, doc->says, &rest);
}


/* How many bytes of a run may still wait. */

static size_t
art_declare_room(const art_declare_t *declare, const art_said_run_t *run)
{
    const art_declare_doc_t  *doc;

    doc = &declare->doc;

    if (!art_declare_goes_on(doc, run)
        && doc->nruns == ART_DECLARE_PLACES / sizeof(art_declare_run_t))
    {
        return 0;
    }

    return ART_DECLARE_WAIT - doc->nbytes;
}


static void
art_declare_say(art_declare_t *declare, art_declare_says_t says,
    const art_said_run_t *run)
{
    uint64_t            event;
    art_declare_doc_t  *doc;

    doc = &declare->doc;
    event = declare->sse ? declare->event : ART_SAID_NOWHERE;

    switch (says) {

    case ART_SAYS_TEXT:

        if (doc->agent != ART_AGENT_TEXT && declare->sse
            && (declare->api->flags & ART_API_AGENT))
        {
            break;
        }

        art_said_read(&declare->said, &declare->tape, run, event,
                      ART_DECLARE_EVENT);
        break;

    case ART_SAYS_RESULT:

        if (doc->agent != ART_AGENT_RESULT) {
            break;
        }

        art_said_give_up(&declare->said, &declare->tape);
        art_said_read(&declare->result, &declare->tape, run, ART_SAID_NOWHERE,
                      0);
        break;

    default:  /* ART_SAYS_REPEAT */

        if (declare->said.cut) {
            art_said_again(&declare->again, &declare->said, &declare->tape,
                           run);
        }
    }
}


static void
art_declare_wait(art_declare_t *declare, const art_said_run_t *run)
{
    uint8_t            *bytes;
    uint64_t            pos;
    const uint8_t      *lt;
    art_declare_doc_t  *doc;
    art_declare_run_t  *last;

    doc = &declare->doc;

    last = art_declare_last_run(declare, run);
    bytes = last != NULL ? art_array_extend(doc->bytes, doc->nbytes, run->n,
                                            &doc->bytes_room, 1)
                         : NULL;

    if (bytes == NULL) {
        declare->failed = 1;
        return;
    }

    memcpy(bytes + doc->nbytes, run->p, run->n);

    doc->bytes = bytes;
    doc->nbytes += run->n;
    last->n += run->n;
    last->end = run->end;

    lt = memchr(run->p, '<', run->n);

    if (lt != NULL && doc->hold == ART_SAID_NOWHERE) {
        pos = run->end - run->pos == run->n
              ? run->pos + (uint64_t) (lt - run->p) : run->pos;

        doc->hold = declare->sse && pos - declare->event < ART_DECLARE_EVENT
                    ? declare->event : pos;
        doc->hold_run = doc->nruns - 1;
    }
}


/* Whether a run goes on with what waits last, in characters of one size. */

static int
art_declare_goes_on(const art_declare_doc_t *doc, const art_said_run_t *run)
{
    const art_declare_run_t  *last;

    if (doc->nruns == 0) {
        return 0;
    }

    last = &doc->runs[doc->nruns - 1];

    if (last->end != run->pos || last->raw != art_declare_raw(run)) {
        return 0;
    }

    return last->raw == 1 || last->each == run->n;
}


/* The bytes of the stream that a character has in a run of an escape, or 1. */

static uint16_t
art_declare_raw(const art_said_run_t *run)
{
    return run->end - run->pos == run->n ? 1
                                         : (uint16_t) (run->end - run->pos);
}


/* The run that goes on with these bytes, or a new one. */

static art_declare_run_t *
art_declare_last_run(art_declare_t *declare, const art_said_run_t *run)
{
    art_declare_doc_t  *doc;
    art_declare_run_t  *runs, *last;

    doc = &declare->doc;

    if (art_declare_goes_on(doc, run)) {
        return &doc->runs[doc->nruns - 1];
    }

    runs = art_array_grow(doc->runs, doc->nruns, &doc->runs_room,
                          sizeof(art_declare_run_t));
    if (runs == NULL) {
        return NULL;
    }

    doc->runs = runs;
    last = &runs[doc->nruns++];

    last->pos = run->pos;
    last->end = run->pos;
    last->n = 0;
    last->each = (uint16_t) run->n;
    last->raw = art_declare_raw(run);
    last->says = doc->says;

    return last;
}


void
art_declare_forget(art_declare_t *declare, size_t runs, size_t bytes)
{
    art_declare_doc_t  *doc;

    doc = &declare->doc;

    if (doc->nruns <= runs) {
        return;
    }

    doc->nruns = runs;
    doc->nbytes = bytes;

    if (doc->hold != ART_SAID_NOWHERE && doc->hold_run >= runs) {
        doc->hold = ART_SAID_NOWHERE;
    }
}


void
art_declare_count(art_declare_t *declare)
{
    size_t              i, left;
    art_said_run_t      run;
    art_declare_doc_t  *doc;
    art_declare_run_t  *wait;

    doc = &declare->doc;
    run.p = doc->bytes;

    for (i = 0; i < doc->nruns; i++) {
        wait = &doc->runs[i];
        run.pos = wait->pos;

        for (left = wait->n; left > 0; left -= run.n) {
            run.n = wait->raw == 1 ? left : wait->each;
            run.end = run.pos + (wait->raw == 1 ? left : wait->raw);

            art_declare_say(declare, wait->says, &run);

            run.p += run.n;
            run.pos = run.end;
        }
    }

    art_declare_forget(declare, 0, 0);
}


void
art_declare_member(art_declare_t *declare, uint64_t pos)
{
    art_said_give_up(&declare->said, &declare->tape);
    art_said_again_reset(&declare->again, &declare->tape);
    declare->done = 1;

    if (!declare->doc.told) {
        art_declare_put(declare, pos, ",\"artifacts\":", "", "");
    }
}


void
art_declare_event(art_declare_t *declare, uint64_t pos)
{
    art_said_give_up(&declare->said, &declare->tape);
    art_said_give_up(&declare->result, &declare->tape);
    declare->done = 1;

    if (!declare->told) {
        art_declare_put(declare, pos,
                        "data: {\"type\":\"artifacts\",\"items\":", "}",
                        art_sse_eol(&declare->stream));
    }
}


/* Puts items in, between two texts, with two line ends behind. */

static void
art_declare_put(art_declare_t *declare, uint64_t pos, const char *before,
    const char *after, const char *eol)
{
    size_t       n;
    art_out_t    out;
    art_said_t  *said;

    said = declare->doc.result ? &declare->result : &declare->said;

    out = art_out(NULL, 0);

    do {
        art_out_cstr(&out, before);
        n = art_said_print(said, &out);
        art_out_cstr(&out, after);
        art_out_cstr(&out, eol);
        art_out_cstr(&out, eol);
    } while (n > 0 && art_out_again(&out, NULL));

    if (n == 0) {
        return;
    }

    if (out.data == NULL) {
        declare->failed = 1;
        return;
    }

    declare->nitems += n;
    declare->tape.text = out.data;
    declare->tape.text_len = out.len;

    art_tape_put(&declare->tape, pos);
}
