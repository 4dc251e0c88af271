
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Media in base64 within strings of a tool's result: each becomes a marker, and
 * what is around it stays.
 */


#include "offload_answers.h"


#define TOOL(content)  "{\"result\":{\"content\":[" content "]}}"
#define TREE(value)    "{\"result\":{\"structuredContent\":" value "}}"

#define MEDIA_MAX  3000


static char  want[OUT_MAX];


/* A PNG of so many bytes, 57 at least, as base64; returns the length. */

static size_t
png_of(char *dst, size_t size, int whole, const char *last, unsigned padded)
{
    size_t   i, k, n, len;
    uint8_t  bytes[MEDIA_MAX];

    const char  *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuv"
                          "wxyz0123456789";

    for (i = 0; i < size; i++) {
        bytes[i] = (uint8_t) tap_below(256);
    }

    memcpy(bytes, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x08\0\0\0\x08\x08\2\0\0"
           "\0\x4b\x6d\x29\xdc", 33);

    if (whole) {
        memcpy(bytes + size - 12, "\0\0\0\0IEND\xae\x42\x60\x82", 12);
    }

    for (i = 0, len = 0; i < size; i += 3) {
        n = size - i < 3 ? size - i : 3;
        uint32_t v = (uint32_t) bytes[i] << 16
                     | (n > 1 ? (uint32_t) bytes[i + 1] << 8 : 0)
                     | (n > 2 ? bytes[i + 2] : 0);

        for (k = 0; k < 4; k++) {
            unsigned c = v >> (18 - 6 * k) & 63;

            if (k <= n) {
                dst[len++] = c < 62 ? digits[c] : last[c - 62];

            } else if (padded) {
                dst[len++] = '=';
            }
        }
    }

    dst[len] = '\0';

    return len;
}


/* "@" stands for a PNG in base64, "^" for one without its end. */

static size_t
fill(char *dst, const char *text, const char *png, const char *cut)
{
    size_t  len;

    for (len = 0; *text != '\0'; text++) {

        if (*text == '@' || *text == '^') {
            len += (size_t) sprintf(dst + len, "%s", *text == '@' ? png : cut);

        } else {
            dst[len++] = *text;
        }
    }

    dst[len] = '\0';

    return len;
}


static const struct {
    const char  *text;
    const char  *want;           /* NULL: all "@" are markers */
    const char  *name;
} cases[] = {
    { TREE("{\"a\":\"@\"}"), NULL, "a string" },
    { TREE("[[{\"a\":[1,\"x @ y\",{\"@\":\"@\"}],\"b\":null},\"@\"],\"@\"]"),
      TREE("[[{\"a\":[1,\"x [ID] y\",{\"@\":\"[ID]\"}],\"b\":null},\"[ID]\"],"
           "\"[ID]\"]"), "anywhere, but no keys" },
    { TREE("\"@ and @, data:image/png;base64,@\\n(@)x@\""),
      TREE("\"[ID] and [ID], [ID]\\n([ID])x@\""), "several in a string" },
    { TREE("\"{\\\"a\\\":\\\"@\\\"}\""), NULL, "JSON in JSON" },
    { TREE("{\"a\":\"^\",\"b\":\"^ @ ^\",\"c\":\"x@\"}"),
      TREE("{\"a\":\"^\",\"b\":\"^ [ID] ^\",\"c\":\"x@\"}"),
      "what is cut, or begins within a word" },
    { "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"@\"}],"
      "\"structuredContent\":{\"result\":\"@\"},\"isError\":false}}", NULL,
      "a text and its copy" },
    { TOOL("{\"text\":\"a @\",\"type\":\"text\"},{\"type\":\"text\",\"text\":"
           "\"@ b\",\"_meta\":{\"x\":\"@\"},\"annotations\":{}}"),
      TOOL("{\"text\":\"a [ID]\",\"type\":\"text\"},{\"type\":\"text\",\"text\""
           ":\"[ID] b\",\"_meta\":{\"x\":\"@\"},\"annotations\":{}}"),
      "texts" },
    { TOOL("{\"type\":\"text\",\"text\":\"@\"},{\"type\":\"image\",\"data\":"
           "\"@\"},{\"type\":\"text\",\"text\":\"@\"}"),
      TOOL("{\"type\":\"text\",\"text\":\"[ID]\"},{" "\"type\":\"text\",\"text"
           "\":\"[ID] text\"" "},{\"type\":\"text\",\"text\":\"[ID]\"}"),
      "texts around an image" },
    { TOOL("{\"type\":\"image\",\"text\":\"@\",\"x\":1},{\"type\":\"resource\","
           "\"resource\":{\"uri\":\"u\",\"text\":\"@\"}},{\"type\":"
           "\"resource_link\",\"uri\":\"@\"}"),
      TOOL("{\"type\":\"image\",\"text\":\"@\",\"x\":1},{\"type\":\"resource\","
           "\"resource\":{\"uri\":\"u\",\"text\":\"@\"}},{\"type\":"
           "\"resource_link\",\"uri\":\"@\"}"), "what is no text block" },
    { TOOL("{\"type\":\"image\",\"data\":\"@\",\"mimeType\":\"a/b\",\"text\":"
           "\"@\"}"), TOOL("{\"type\":\"text\",\"text\":\"[ID] text\"}"),
      "a text of an image" },
    { "{\"result\":{\"contents\":[{\"uri\":\"u\",\"blob\":\"@\",\"text\":\"@\""
      "}]},\"params\":{\"structuredContent\":\"@\"}}",
      "{\"result\":{\"contents\":[{\"uri\":\"u\",\"blob\":\"@\",\"text\":\"@\""
      "}]},\"params\":{\"structuredContent\":\"@\"}}", "another answer" },
    { "{\"result\":{\"structuredContent\":\"@ @", "{\"result\":{\"structured"
      "Content\":\"[ID] @", "cut in a string" },
    { TREE("\"@ \\x @\""), TREE("\"[ID] \\x @\""), "no JSON behind" },
    { TREE("\"AAAA AAAAiVBORw0KGgo= iVBORw0KGgoAAA\""),
      TREE("\"AAAA AAAAiVBORw0KGgo= iVBORw0KGgoAAA\""), "short ones" }
};


static void
check_shapes(void)
{
    char    png[MEDIA_MAX * 2], cut[MEDIA_MAX * 2];
    size_t  i, len, wanted;

    (void) png_of(png, 150, 1, "+/", 1);
    (void) png_of(cut, 150, 0, "+/", 1);

    for (i = 0; i < nitems(cases); i++) {
        len = fill(text, cases[i].text, png, cut);
        wanted = fill(want, cases[i].want ? cases[i].want : cases[i].text,
                      cases[i].want ? png : "[ID]", cut);

        keep = 1;
        run("mcp", 0, (uint8_t *) text, len, len);
        is_mem(out.data, out.len, want, wanted, cases[i].name);

        run("mcp", 0, (uint8_t *) text, len, 1);
        is_mem(out.data, out.len, want, wanted, cases[i].name);

        /* links change blocks only; what is not stored stays */

        keep = 0;
        run("mcp", 0, (uint8_t *) text, len, 0);
        is_mem(out.data, out.len, text, len, cases[i].name);

        keep = 1;

        if (strstr(cases[i].text, "image") == NULL) {
            run("links", 0, (uint8_t *) text, len, 0);
            is_mem(out.data, out.len, text, len, cases[i].name);
        }
    }
}


/* The bytes of a run, however it is written, and however it is cut. */

static void
check_contents(void)
{
    char      run_text[MEDIA_MAX * 4], png[MEDIA_MAX * 2];
    size_t    i, k, n, len, wanted, size, width;
    unsigned  failed, whole;
    bytes_t   *bytes;

    static const char *const  before[] = {
        "", "a ", "\\\"", "x=", "data:image/png;base64,", "\\n\\n", "\\u4f60"
    };

    static const char *const  after[] = {
        "", " b", "\\\"", "\\n", "\\nand more", "\\u597d", "."
    };

    static const char *const  lines[] = { "\\n", "\\r\\n", "\\\\n" };
    static const char *const  slashes[] = { "/", "\\/", "\\u002f", "\\\\/" };

    failed = 0;
    keep = 1;
    bytes = malloc(sizeof(bytes_t));

    for (i = 0; i < 4000; i++) {
        size = 60 + tap_below(MEDIA_MAX - 60);
        whole = tap_below(4) > 0;
        width = tap_below(3) ? 0 : 60 + tap_below(41) / 4 * 4;

        unsigned safe = width == 0 && tap_below(4) == 0;
        const char *line = lines[tap_below(nitems(lines))];
        const char *slash = slashes[tap_below(nitems(slashes))];
        const char *head = before[tap_below(nitems(before))];
        const char *tail = after[tap_below(nitems(after))];

        n = png_of(png, size, (int) whole, safe ? "-_" : "+/",
                   (unsigned) tap_below(2));

        for (k = 0, len = 0; k < n; k++) {

            if (width > 0 && k > 0 && k % width == 0) {
                len += (size_t) sprintf(run_text + len, "%s", line);
            }

            len += (size_t) sprintf(run_text + len, png[k] == '/' ? "%s"
                                    : "%.1s", png[k] == '/' ? slash
                                                            : png + k);
        }

        /* a prefix belongs to what it precedes */

        len = (size_t) sprintf(text, TREE("[\"%s%s%s\"]"), head, run_text,
                               tail);

        wanted = whole
                 ? (size_t) sprintf(want, TREE("[\"%s[ID]%s\"]"),
                                    strstr(head, "data:") ? "" : head, tail)
                 : (size_t) sprintf(want, "%s", text);

        run("mcp", 0, (uint8_t *) text, len, len);
        memcpy(bytes, &contents, sizeof(bytes_t));

        if (out.len != wanted || memcmp(out.data, want, wanted) != 0
            || (whole && contents.len != size))
        {
            diag("%s", text);
            diag("%.*s", (int) out.len, (char *) out.data);
            failed++;
        }

        run("mcp", 0, (uint8_t *) text, len, tap_below(2));

        if (out.len != wanted || memcmp(out.data, want, wanted) != 0
            || contents.len != bytes->len
            || memcmp(contents.data, bytes->data, bytes->len) != 0)
        {
            diag("cut: %s", text);
            diag("%.*s", (int) out.len, (char *) out.data);
            failed++;
        }
    }

    free(bytes);
    is_int((int) failed, 0, "runs in any spelling");
}


/* A run begins in the line that shows that the run before it has ended. */

static void
check_lines(void)
{
    char      png[MEDIA_MAX * 2], first[MEDIA_MAX], slashes[3001];
    size_t    i, len, wanted;
    unsigned  whole;

    keep = 1;
    memset(slashes, '\\', 3000);
    slashes[3000] = '\0';

    for (i = 0; i < 8; i++) {
        whole = i & 1;

        (void) png_of(first, 114, (int) whole, "+/", 1);
        (void) png_of(png, 200, 1, "+/", 1);

        len = (size_t) sprintf(text, TREE("\"%.76s\\n%.76s\\n%s\""), first,
                               first + 76, png);
        wanted = whole
                 ? (size_t) sprintf(want, TREE("\"[ID]\\n[ID]\""))
                 : (size_t) sprintf(want, TREE("\"%.76s\\n%.76s\\n[ID]\""),
                                    first, first + 76);

        run("mcp", 0, (uint8_t *) text, len, i & 2 ? 1 : len);
        is_mem(out.data, out.len, want, wanted, "one run behind another");

        /* so long a line is none */

        len = (size_t) sprintf(text, TREE("\"%.76s\\n%.76s\\nAAAA%s/%s\""),
                               first, first + 76, slashes, png);
        run("mcp", 0, (uint8_t *) text, len, len);
        memcpy(want, out.data, out.len);
        wanted = out.len;

        run("mcp", 0, (uint8_t *) text, len, i & 4 ? 1 : 0);
        is_mem(out.data, out.len, want, wanted, "a line of backslashes");
    }
}


/* What is no media, or damaged: nothing is lost, and JSON stays JSON. */

static void
check_damaged(void)
{
    char      png[MEDIA_MAX * 2], cut[MEDIA_MAX * 2];
    size_t    i, len;
    unsigned  failed;

    failed = 0;

    for (i = 0; i < 10000; i++) {
        (void) png_of(png, 60 + tap_below(300), 1, "+/", 1);
        (void) png_of(cut, 60 + tap_below(300), 0, "+/", 1);
        len = fill(text, cases[tap_below(nitems(cases))].text, png, cut);

        failed += damage("mcp", 0, text, len, 3, "{}[],:\"\\n<1A=/");
    }

    is_int((int) failed, 0, "damaged answers");
}


/* Events, and at most so many values of each. */

static void
check_most(void)
{
    char    png[MEDIA_MAX * 2];
    size_t  len, wanted;

    (void) png_of(png, 400, 1, "+/", 0);

    len = fill(text, "data: " TREE("\"@ @ @\"") "\n\ndata: {\"result\":\n"
               "data: {\"structuredContent\":\ndata: [\"@\",\ndata: \"@\",\"@ "
               "@\"]}}\n\n", png, "");

    keep = 1;
    most = 2;

    wanted = fill(want, "data: " TREE("\"[ID] [ID] @\"") "\n\ndata: {\"result"
                  "\":\ndata: {\"structuredContent\":\ndata: [\"[ID]\",\n"
                  "data: \"[ID]\",\"@ @\"]}}\n\n", png, "");

    run("mcp", 1, (uint8_t *) text, len, len);
    is_mem(out.data, out.len, want, wanted, "two of each message");
    run("mcp", 1, (uint8_t *) text, len, 0);
    is_mem(out.data, out.len, want, wanted, "cut anywhere");

    most = 1000;
}


/* A value may be given up while it is read. */

static void
check_left(void)
{
    char                   png[MEDIA_MAX * 2];
    size_t                 i, n, len;
    unsigned               failed;
    art_offload_sink_t     sink = { put_out, put_raw, put_content, NULL };
    art_offload_status_t   status;

    failed = 0;
    (void) png_of(png, 2500, 1, "+/", 1);
    len = fill(text, TREE("\"a @ b @\""), png, "");

    for (i = 1; i < len; i += 7) {
        out.len = 0;
        raw.len = 0;
        content.len = 0;
        keep = 0;

        art_offload_init(&off, art_api_find(art_cstr("mcp")), 0, MIN, most,
                         &sink);

        status = art_offload_feed(&off, (uint8_t *) text, i, &n);

        if (status == ART_OFFLOAD_MORE) {
            settle(ART_OFFLOAD_NONE);
        }

        while (n < len) {
            size_t  more;

            if (status != ART_OFFLOAD_MORE) {
                settle(status);
            }

            status = art_offload_feed(&off, (uint8_t *) text + n, len - n,
                                      &more);
            n += more;
        }

        failed += art_offload_end(&off) != ART_OFFLOAD_MORE
                  || out.len != len || memcmp(out.data, text, len) != 0;
    }

    is_int((int) failed, 0, "given up anywhere");
}


int
main(void)
{
    check_shapes();
    check_contents();
    check_lines();
    check_damaged();
    check_most();
    check_left();

    return done();
}
