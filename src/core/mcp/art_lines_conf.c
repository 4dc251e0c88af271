
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/mcp/art_lines.h"


static const char  *art_lines_words_table[][ART_LANG_MAX] = {
    [ART_LINES_BAD_RANGE] =
      { "参数 'lines' 应为 '100-200'、'5'、'5-' 或 '-50'；行号从 1 开始。",
        "The argument 'lines' has to be like '100-200', '5', '5-' or '-50'; "
        "the first line is 1." },
    [ART_LINES_BAD_STRING] =
      { "参数 'grep' 必须是一行之内的非空文本。",
        "The argument 'grep' has to be a text that is not empty and has no "
        "line break." },
    [ART_LINES_BINARY] =
      { "此内容不是文本，不能使用 'lines'、'bytes' 和 'grep'。",
        "The content is not a text: 'lines', 'bytes' and 'grep' cannot be "
        "used." },
    [ART_LINES_BAD_BYTES] =
      { "参数 'bytes' 应为 '0-4095'、'4096-' 或 '-2000'；第一个字节是 0。",
        "The argument 'bytes' has to be like '0-4095', '4096-' or '-2000'; "
        "the first byte is 0." },
    [ART_LINES_TWO_RANGES] =
      { "参数 'lines' 和 'bytes' 不能一起使用。",
        "The arguments 'lines' and 'bytes' cannot be used together." },
    [ART_LINES_BROKEN] =
      { "[读取失败，以上内容不完整]",
        "[reading failed, what is above is not complete]" }
};


static int art_lines_number(art_str_t value, uint64_t *number);


void
art_lines_conf(art_lines_conf_t *conf)
{
    memset(conf, 0, sizeof(art_lines_conf_t));

    conf->first = 1;
    conf->last = ART_LINES_END;
    conf->to = ART_LINES_END;
    conf->context = ART_LINES_CONTEXT;
}


int
art_lines_range(art_lines_conf_t *conf, art_str_t value)
{
    size_t          n;
    uint64_t        first, last;
    art_str_t       rest;
    const uint8_t  *dash;

    dash = value.len > 0 ? memchr(value.data, '-', value.len) : NULL;

    if (dash == NULL) {
        if (art_lines_number(value, &first) != ART_OK || first == 0) {
            return ART_ERROR;
        }

        conf->first = first;
        conf->last = first;
        return ART_OK;
    }

    n = (size_t) (dash - value.data);
    rest = art_str(dash + 1, value.len - n - 1);
    value.len = n;

    if (n == 0) {
        return art_lines_number(rest, &conf->tail) == ART_OK && conf->tail > 0
               ? ART_OK : ART_ERROR;
    }

    last = ART_LINES_END;

    if (art_lines_number(value, &first) != ART_OK
        || (rest.len > 0 && art_lines_number(rest, &last) != ART_OK)
        || first == 0 || last < first)
    {
        return ART_ERROR;
    }

    conf->first = first;
    conf->last = last;

    return ART_OK;
}


/* A number of any length: no file has more lines than the largest. */

static int
art_lines_number(art_str_t value, uint64_t *number)
{
    size_t    i;
    uint64_t  n, digit;

    n = 0;

    for (i = 0; i < value.len; i++) {
        if (value.data[i] < '0' || value.data[i] > '9') {
            return ART_ERROR;
        }

        digit = (uint64_t) (value.data[i] - '0');
        n = n > (INT64_MAX - digit) / 10 ? INT64_MAX : n * 10 + digit;
    }

    *number = n;

    return value.len > 0 ? ART_OK : ART_ERROR;
}


int
art_lines_grep(art_lines_conf_t *conf, art_str_t value)
{
    if (value.len == 0 || value.len > ART_LINES_GREP_MAX
        || memchr(value.data, '\n', value.len) != NULL
        || memchr(value.data, '\r', value.len) != NULL)
    {
        return ART_ERROR;
    }

    conf->grep = value;

    return ART_OK;
}


art_str_t
art_lines_words(art_lines_words_t words, art_lang_t lang)
{
    return art_cstr(art_lines_words_table[words][lang]);
}
