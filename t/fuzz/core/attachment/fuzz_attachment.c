
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first two bytes choose the format and the reader; the
 * rest is the message.  What is JSON and no message is refused; of any other
 * the answer is JSON, the same each time, with as many parts as attachments.
 */


#include "core/json/art_json_members.h"
#include "core/json/art_json_scan.h"
#include "core/attachment/attachment_run.h"


#define FUZZ_HEAD  2

#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t                     len;
    unsigned                   caps;
    art_str_t                  value;
    const char                *format;
    art_attachments_status_t   status;
    static uint8_t             once[OUT_MAX];

    static const art_str_t  key[] = { art_string("processedContent") };

    if (size < FUZZ_HEAD || size > 20000) {
        return 0;
    }

    format = art_format_row(data[0] % 14u)->name;
    caps = data[1] & ALL_CAPS;

    data += FUZZ_HEAD;
    size -= FUZZ_HEAD;

    status = read_message(data, size, 16);

    if (status != ART_ATTACHMENTS_OK) {
        check(status != ART_ATTACHMENTS_MEMORY);
        pool_free();
        return 0;
    }

    check(asked.text.pos <= asked.text.end && asked.text.end <= size);
    check(asked.n <= 16);

    check(answer_message(data, format, caps, ART_LANG_ZH) == ART_OK);
    check(art_json_valid(answer, answer_len));
    check(art_json_find(art_str(answer, answer_len), key, 1, &value)
          == ART_OK && value.len > 0);

    len = answer_len;
    memcpy(once, answer, len);
    pool_free();

    check(read_message(data, size, 16) == ART_ATTACHMENTS_OK);
    check(answer_message(data, format, caps, ART_LANG_ZH) == ART_OK);
    check(answer_len == len && memcmp(once, answer, len) == 0);
    pool_free();

    return 0;
}
