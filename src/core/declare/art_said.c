
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/declare/art_items.h"
#include "core/declare/art_said.h"


static void art_said_begin(art_said_t *said, art_tape_t *tape, uint64_t pos,
    uint64_t event, uint64_t reach);
static void art_said_drop(art_said_t *said, art_tape_t *tape);
static uint64_t art_said_pos(const art_said_run_t *run, size_t i);
static uint64_t art_said_end(const art_said_run_t *run, size_t i);
static int art_said_expected(const art_said_again_t *again,
    const art_block_t *block);


void
art_said_init(art_said_t *said, unsigned strips)
{
    memset(said, 0, sizeof(art_said_t));

    art_block_init(&said->block);
    art_urls_init(&said->urls);

    said->strips = strips & 1;
    said->hold = ART_SAID_NOWHERE;
}


void
art_said_done(art_said_t *said)
{
    art_block_done(&said->block);
    art_urls_done(&said->urls);
}


void
art_said_read(art_said_t *said, art_tape_t *tape, const art_said_run_t *run,
    uint64_t event, uint64_t reach)
{
    size_t             i, n;
    art_block_event_t  what;

    for (i = 0; i < run->n && !art_block_is_complete(&said->block); i += n) {

        what = art_block_read(&said->block, run->p + i, run->n - i, &n);

        if (said->hold != ART_SAID_NOWHERE && n > 0) {
            art_tape_cut(tape, art_said_pos(run, i), art_said_end(run, i + n));
        }

        switch (what) {

        case ART_BLOCK_MAYBE:

            if (said->strips) {
                art_said_begin(said, tape, art_said_pos(run, i + n - 1),
                               event, reach);
                art_tape_cut(tape, art_said_pos(run, i + n - 1),
                             art_said_end(run, i + n));
            }

            break;

        case ART_BLOCK_OVER:
            said->strips = 0;
            said->cut = said->hold != ART_SAID_NOWHERE;
            said->hold = ART_SAID_NOWHERE;
            art_tape_settle(tape);
            break;

        case ART_BLOCK_NOT:
            art_said_drop(said, tape);
            said->strips &= said->block.state == ART_BLOCK_NONE;
            break;

        default:
            break;
        }
    }

    if (!art_block_is_complete(&said->block)) {
        art_urls_read(&said->urls, run->p, run->n);
    }
}


static void
art_said_begin(art_said_t *said, art_tape_t *tape, uint64_t pos,
    uint64_t event, uint64_t reach)
{
    said->whole = event != ART_SAID_NOWHERE && pos - event < reach;
    said->hold = said->whole ? event : pos;

    art_tape_settle(tape);
}


void
art_said_give_up(art_said_t *said, art_tape_t *tape)
{
    said->strips = 0;
    art_said_drop(said, tape);
}


static void
art_said_drop(art_said_t *said, art_tape_t *tape)
{
    if (said->hold != ART_SAID_NOWHERE) {
        said->hold = ART_SAID_NOWHERE;
        art_tape_back(tape);
    }
}


size_t
art_said_print(art_said_t *said, art_out_t *out)
{
    switch (said->block.state) {

    case ART_BLOCK_ARRAY:
        return art_items_print(out, art_str(said->block.data,
                                            said->block.len));

    case ART_BLOCK_MALFORMED:
        return 0;

    default:
        return art_items_print_urls(out, art_urls_found(&said->urls));
    }
}


/* Where byte "i" of a run stands in the stream, and where those before end. */

static uint64_t
art_said_pos(const art_said_run_t *run, size_t i)
{
    return run->end - run->pos == run->n ? run->pos + i : run->pos;
}


static uint64_t
art_said_end(const art_said_run_t *run, size_t i)
{
    return run->end - run->pos == run->n ? run->pos + i : run->end;
}


void
art_said_again(art_said_again_t *again, const art_said_t *said,
    art_tape_t *tape, const art_said_run_t *run)
{
    size_t  i;

    for (i = 0; i < run->n && !again->other; i++) {

        if (again->matched > 0
            && run->p[i] != art_said_expected(again, &said->block))
        {
            again->other = again->matched >= art_block_tag.len;
            again->matched = 0;
            again->hold = ART_SAID_NOWHERE;
            art_tape_back(tape);

            if (again->other) {
                break;
            }
        }

        if (again->matched == 0) {

            if (run->p[i] != '<') {
                continue;
            }

            again->hold = art_said_pos(run, i);
            art_tape_settle(tape);
        }

        again->matched++;
        art_tape_cut(tape, art_said_pos(run, i), art_said_end(run, i + 1));

        if (art_said_expected(again, &said->block) < 0) {
            again->other = 1;
            again->hold = ART_SAID_NOWHERE;
            art_tape_settle(tape);
        }
    }
}


/* The next byte of the block with its tags, -1 behind the last one. */

static int
art_said_expected(const art_said_again_t *again, const art_block_t *block)
{
    size_t  i;

    i = again->matched;

    if (i < art_block_tag.len) {
        return art_block_tag.data[i];
    }

    i -= art_block_tag.len;

    if (i < block->len) {
        return block->data[i];
    }

    i -= block->len;

    return i < art_block_end.len ? art_block_end.data[i] : -1;
}


void
art_said_again_reset(art_said_again_t *again, art_tape_t *tape)
{
    if (again->hold != ART_SAID_NOWHERE) {
        art_tape_back(tape);
    }

    again->matched = 0;
    again->other = 0;
    again->hold = ART_SAID_NOWHERE;
}
