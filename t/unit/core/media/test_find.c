
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What is a marker or media in a text, sentence by sentence.
 */


#include "core/media/find_run.h"
#include "tap.h"


#define ID      "123e4567-E89b-12d3-a456-426614174000"
#define MARKER  "[artifact:" ID "]"
#define MIN     80

#define SLASHES  "\\\\\\\\\\\\\\\\"

#define PREFIX(more)                                                         \
    "data:image/png;a=" more "0123456789012345678901234567890123456789" \
    "0123456789012345678901234567890123456789"    \
    "01234567890123456789012;base64,"


/*
 * A letter between "{" and "}" stands for base64 of a content; see coded().
 * "found" are the parts that are found: markers, whole runs, "~" before those
 * that were cut.
 */

static const struct {
    const char  *name;
    const char  *text;
    const char  *found[4];
} cases[] = {

    /* markers */

    { "a marker", "see " MARKER ".", { MARKER } },
    { "one after the other", MARKER MARKER, { MARKER, MARKER } },
    { "escaped brackets", "\\u005bartifact:" ID "\\u005D",
      { "\\u005bartifact:" ID "\\u005D" } },
    { "escaped twice", "\\\\u005Bartifact:" ID "\\\\u005d",
      { "\\u005Bartifact:" ID "\\\\u005d" } },
    { "one bracket escaped", "[artifact:" ID "\\u005d",
      { "[artifact:" ID "\\u005d" } },
    { "as Markdown escapes it", "\\\\[artifact:" ID "\\\\]",
      { "[artifact:" ID "\\\\]" } },
    { "JSON in JSON", "{\\\"a\\\":\\\"" MARKER "\\\"}", { MARKER } },
    { "glued to a word", "x" MARKER "x", { MARKER } },
    { "behind a false beginning", "[artifact:12345678-[artifact:" ID "]",
      { MARKER } },
    { "no bracket", "artifact:" ID "]", { NULL } },
    { "not closed", "[artifact:" ID, { NULL } },
    { "closed otherwise", "[artifact:" ID "}", { NULL } },
    { "an id of a workspace", "[artifact:ws:a:b]", { NULL } },
    { "a name", "[artifact:shot.png]", { NULL } },
    { "a digit too many", "[artifact:" ID "0]", { NULL } },
    { "a digit too few", "[artifact:123e4567-e89b-12d3-a456-42661417400]",
      { NULL } },
    { "no hyphens", "[artifact:123e4567e89b12d3a456426614174000]", { NULL } },
    { "no digit", "[artifact:123e4567-e89b-12d3-a456-42661417400g]", { NULL } },
    { "white space", "[artifact: " ID "]", { NULL } },
    { "another case", "[Artifact:" ID "]", { NULL } },
    { "u005b is no bracket", "u005bartifact:" ID "]", { NULL } },
    { "nor is u005d", "[artifact:" ID "u005d", { NULL } },

    /* where a run begins and ends */

    { "a run", "see {P} there", { "{P}" } },
    { "alone", "{P}", { "{P}" } },
    { "in quotes", "\\\"{P}\\\"", { "{P}" } },
    { "behind an escape", "\\t{P}\\u0022", { "{P}" } },
    { "behind another one", "\\\\u00e9{P}", { "{P}" } },
    { "between others", "{P} {J} {G}", { "{P}", "{J}", "{G}" } },
    { "in a word", "x{P}", { NULL } },
    { "behind what is not of its alphabet", "a-{P}-", { "{P}" } },
    { "behind padding", "a={P}", { "{P}" } },
    { "behind a false beginning", "AB-{J}", { "{J}" } },
    { "URL-safe", "/{S}", { "{S}" } },
    { "URL-safe behind its own", "_{S}", { NULL } },
    { "keeps to one alphabet", "{J2}-{P}", { "~{J2}", "{P}" } },
    { "a marker next to it", MARKER "{P}" MARKER, { MARKER, "{P}", MARKER } },

    /* padding */

    { "padded", "{J}", { "{J}" } },
    { "padding ends it", "{J}{P}", { "{J}", "{P}" } },
    { "not padded", "{J0} ", { "{J0}" } },
    { "half padded", "{J1} ", { "{J1}" } },
    { "more than padded", "{J}= ", { "{J}" } },
    { "1 modulo 4", "{P}A ", { NULL } },
    { "escaped padding", "{J0}\\u003d\\\\u003D", { "{J0}\\u003d\\\\u003D" } },

    /* the prefix */

    { "a prefix", "data:image/png;base64,{P}",
      { "data:image/png;base64,{P}" } },
    { "no type", "data:;base64,{P}", { "data:;base64,{P}" } },
    { "capitals", "DATA:image/png;BASE64,{P}",
      { "DATA:image/png;BASE64,{P}" } },
    { "an escaped prefix", "data:image\\\\/png;base64,{P}",
      { "data:image\\\\/png;base64,{P}" } },
    { "128 characters", PREFIX("") "{P}", { PREFIX("") "{P}" } },
    { "one more", PREFIX("0") "{P}", { "{P}" } },
    { "white space in it", "data:a b;base64,{P}", { "{P}" } },
    { "no base64", "data:image/png,{P}", { "{P}" } },
    { "in an escape", "\\u00data:;base64,{P}", { "{P}" } },
    { "in its last digit", "\\u000DATA:;base64,{P}", { "{P}" } },
    { "behind an escape", "\\u000ddata:;base64,{P}", { "data:;base64,{P}" } },
    { "behind no escape", "u00data:;base64,{P}", { "data:;base64,{P}" } },
    { "128 characters in an escape", "\\u00" PREFIX("") "{P}", { "{P}" } },
    { "the nearest one", "data:data:;base64,{P}", { "data:;base64,{P}" } },

    /* escapes */

    { "slashes", "{J/}", { "{J/}" } },
    { "deep slashes", "{J//}", { "{J//}" } },
    { "u002f", "{Ju}", { "{Ju}" } },
    { "other escapes end it", "{P}\\u0041", { "{P}" } },

    /* lines */

    { "lines of 60", "{W<}", { "{W<}" } },
    { "lines of 76", "{W}", { "{W}" } },
    { "lines of 100", "{W>}", { "{W>}" } },
    { "lines of 59", "{W-}", { NULL } },
    { "lines of 104", "{W+}", { "~{W1}" } },
    { "CRLF", "{Wr}", { "{Wr}" } },
    { "escaped deeply", "{Wn}", { "{Wn}" } },
    { "an empty line ends it", "{P}\\n\\n{P}", { "{P}", "{P}" } },
    { "a long line ends it", "{P}\\n{G}{G}", { "{P}", "{G}{G}" } },
    { "a text behind the last line", "{P}\\nThe end", { "{P}" } },
    { "text of a length that fits", "{P}\\nThen the end", { "{P}" } },

    /* what it is */

    { "GIF", "{G}", { "{G}" } },
    { "PDF", "{F}", { "{F}" } },
    { "WAV", "{A}", { "{A}" } },
    { "MP4", "{M}", { "{M}" } },
    { "MP4, not padded", "{M0} ", { "{M0}" } },
    { "MP4, with spare bits", "{Mx} ", { "~{Mx}" } },
    { "MP4, half padded", "{M1} ", { "~{M1}" } },
    { "a ZIP is none", "{Z}", { NULL } },
    { "nor an ELF", "{E}", { NULL } },
    { "nor random bytes", "{R}", { NULL } },
    { "a cut PNG", "{Pc}...", { "~{Pc}" } },
    { "a cut JPEG", "{Jc} ", { "~{Jc}" } },
    { "a cut GIF", "{Gc} ", { "~{Gc}" } },
    { "a cut PDF", "{Fc} ", { "~{Fc}" } },
    { "a cut WAV", "{Ac} ", { "~{Ac}" } },
    { "a line feed behind a PNG", "{Pt}", { "{Pt}" } },
    { "a line feed behind a JPEG", "{Jt}", { "{Jt}" } },
    { "a line feed behind a GIF", "{Gt}", { "{Gt}" } },
    { "a line feed behind a PDF", "{Ft}", { "{Ft}" } },
    { "a line feed behind a WAV", "{At}", { "{At}" } },
    { "too short", "{T-} ", { NULL } },
    { "just long enough", "{T} ", { "{T}" } }
};


static const struct {
    char         kind;
    const char  *first;
    size_t       len;            /* of "first" */
    size_t       size;           /* of all */
    const char  *last;
    size_t       mark;           /* its length */
} contents[] = {
    { 'P', "\x89PNG\r\n\x1a\n", 8, 75, "IEND\xae" "B`\x82", 8 },
    { 'W', "\x89PNG\r\n\x1a\n", 8, 301, "IEND\xae" "B`\x82", 8 },
    { 'J', "\xff\xd8\xff\xe0", 4, 76, "\xff\xd9", 2 },
    { 'S', "\xff\xd8\xff\xe0", 4, 76, "\xff\xd9", 2 },
    { 'G', "GIF89a\1", 7, 75, ";", 1 },
    { 'T', "GIF89a\1", 7, 60, ";", 1 },
    { 'F', "%PDF-1.4\n\xe2\xe3\n", 12, 75, "%%EOF", 5 },
    { 'A', "RIFF\x44\0\0\0WAVE", 12, 76, "", 0 },
    { 'M', "\0\0\0\x20" "ftypisom", 12, 76, "", 0 },
    { 'Z', "PK\3\4", 4, 75, "", 0 },
    { 'E', "\x7f" "ELF", 4, 75, "", 0 },
    { 'R', "\x01", 1, 75, "", 0 }
};


/* Breaks the line after "width" characters, or after the first line only. */

static size_t
wrapped(char *text, const char *line, size_t n, size_t width, const char *eol,
    int one)
{
    size_t  i, k;

    k = 0;

    for (i = 0; i < n; i++) {

        if (i > 0 && i % width == 0) {

            if (one) {
                break;
            }

            k += (size_t) sprintf(text + k, "%s", eol);
        }

        text[k++] = line[i];
    }

    return k;
}


/*
 * The base64 of a content: "how" has the letter of its kind, and how it is
 * written.
 */

static size_t
coded(char *text, const char *how, size_t n)
{
    char            line[512];
    char            how1;
    size_t          i, k, row, size;
    uint8_t         bytes[512];
    const uint8_t  *p;
    art_base64_t    base64;

    for (row = 0; contents[row].kind != how[0]; row++) { /* void */ }

    size = contents[row].size;
    how1 = n > 1 ? how[1] : '\0';

    for (i = 0; i < size; i++) {
        bytes[i] = (uint8_t) (0x80 | (i * 37 + (i % 3 ? 0x7f : 0)));
    }

    memcpy(bytes, contents[row].first, contents[row].len);
    memcpy(bytes + size - contents[row].mark, contents[row].last,
           contents[row].mark);

    if (how1 == 't') {
        bytes[size++] = '\n';
    }

    if (how1 == 'c') {
        size -= 3;
        bytes[size - 1] = 'x';
    }

    memset(&base64, 0, sizeof(base64));
    p = bytes;
    k = art_base64_update(&base64, (uint8_t *) line, sizeof(line), &p, &size);
    k += art_base64_final(&base64, (uint8_t *) line + k, 4);

    if (how1 == '0' || how1 == '1' || how1 == '2' || how1 == 'x') {
        while (line[k - 1] == '=') { k--; }

        if (how1 == '1') {
            line[k++] = '=';
        }

        if (how1 == '2') {
            k -= 2;
        }

        if (how1 == 'x') {
            line[k - 1]++;
        }
    }

    if (how[0] == 'T' && how1 == '-') {
        k--;
    }

    for (i = 0; how[0] == 'S' && i < k; i++) {
        line[i] = line[i] == '+' ? '-' : line[i] == '/' ? '_' : line[i];
    }

    if (how[0] == 'W') {
        return how1 == '<' ? wrapped(text, line, k, 60, "\\n", 0)
               : how1 == '>' ? wrapped(text, line, k, 100, "\\n", 0)
               : how1 == '-' ? wrapped(text, line, k, 59, "\\n", 0)
               : how1 == '+' ? wrapped(text, line, k, 104, "\\n", 0)
               : how1 == '1' ? wrapped(text, line, k, 104, "\\n", 1)
               : how1 == 'r' ? wrapped(text, line, k, 76, "\\\\r\\\\n", 0)
               : how1 == 'n' ? wrapped(text, line, k, 76,
                                       SLASHES "u000D" SLASHES "u000a", 0)
               : wrapped(text, line, k, 76, "\\n", 0);
    }

    for (i = 0, n = 0; i < k; i++) {

        if (line[i] == '/' && (how1 == '/' || how1 == 'u')) {
            n += (size_t) sprintf(text + n, "%s",
                                  how1 == 'u' ? "\\u002F"
                                  : how[2] == '/' ? SLASHES "/" : "\\/");

        } else {
            text[n++] = line[i];
        }
    }

    return n;
}


/* Replaces what is between braces; JSON's are left. */

static size_t
expanded(char *text, const char *template)
{
    size_t       n;
    const char  *end;

    n = 0;

    while (*template != '\0') {

        if (*template == '{' && template[1] >= 'A' && template[1] <= 'Z') {
            end = strchr(template, '}');
            n += coded(text + n, template + 1,
                       (size_t) (end - template) - 1);
            template = end + 1;

        } else {
            text[n++] = *template++;
        }
    }

    text[n] = '\0';

    return n;
}


static void
check_case(size_t i)
{
    char         text[4096], part[4096], rest[4096];
    size_t       len, k, n;
    naive_t      naive;
    unsigned     flags, good;
    const char  *want, *fault;
    find_cuts_t  cuts;

    len = expanded(text, cases[i].text);
    naive_find(&naive, (uint8_t *) text, len, MIN);
    good = 1;

    for (k = 0; k < naive.nfound && k < 4; k++) {
        want = cases[i].found[k];
        n = naive.found[k].end - naive.found[k].pos;

        memcpy(part, text + naive.found[k].pos, n);
        part[n] = '\0';

        if (want == NULL) {
            break;
        }

        (void) expanded(rest, want + (want[0] == '~'));

        if (strcmp(rest, part) != 0
            || (naive.found[k].event == ART_FIND_RUN
                && naive.found[k].whole != (want[0] != '~')))
        {
            diag("got %s, want %s", part, rest);
            good = 0;
        }
    }

    if (k < naive.nfound || cases[i].found[k] != NULL) {
        diag("%zu were found", naive.nfound);
        good = 0;
    }

    for (k = 0; k < 60; k++) {
        cuts.most = k % 20;
        cuts.seed = tap_rand();
        flags = ART_FIND_MARKERS | ART_FIND_RUNS
                | (k < 40 ? ART_FIND_BEGINS : 0);

        fault = find_run(&naive, flags, cuts);

        if (fault != NULL) {
            diag("%s", fault);
            good = 0;
        }
    }

    ok(good != 0, "%s", cases[i].name);
    naive_free(&naive);
}


/* Feeds a piece "times" times; returns the last event. */

static art_find_event_t
feed(art_find_t *find, const char *piece, size_t times)
{
    size_t            n, len;
    const uint8_t    *p;
    art_find_event_t  event;

    event = ART_FIND_MORE;

    for ( ; times > 0; times--) {
        p = (const uint8_t *) piece;
        len = strlen(piece);

        do {
            event = art_find_feed(find, p, len, &n);
            p += n;
            len -= n;

        } while (len > 0 && event == ART_FIND_MORE);
    }

    return event;
}


static void
check_large(void)
{
    char        text[4096];
    uint64_t    pos;
    art_find_t  find;

    art_find_init(&find, MIN, ART_FIND_MARKERS | ART_FIND_RUNS);
    (void) feed(&find, SLASHES, 131072);
    ok(art_find_from(&find) + ART_FIND_BEHIND >= 1048576,
       "backslashes need not be kept");
    ok(feed(&find, "[artifact:" ID, 1) == ART_FIND_MORE
       && feed(&find, SLASHES, 131072) == ART_FIND_MORE
       && feed(&find, "u005d", 1) == ART_FIND_MARKER
       && find.pos == 1048576 && find.end == find.pos + 46 + 1048576 + 5,
       "a marker between 2 MB of backslashes");

    (void) expanded(text, " {P}");
    ok(feed(&find, text, 1) == ART_FIND_MORE
       && feed(&find, SLASHES, 131072) == ART_FIND_MORE
       && feed(&find, "\"", 1) == ART_FIND_MORE,
       "a short run before 1 MB of backslashes is given up");

    art_find_init(&find, MIN, ART_FIND_RUNS | ART_FIND_BEGINS);
    ok(feed(&find, "data:image/png;base64,iVBORw0KGgo", 1) == ART_FIND_MORE
       && feed(&find, "AAAAAAA", 73) == ART_FIND_BEGIN
       && find.pos == 0 && strcmp(find.mime, "image/png") == 0
       && find.at < 700, "a run begins within its first 700 bytes");

    ok(feed(&find, "AAAAAAAAAAAAAAAAAA/A", 1000000) == ART_FIND_MORE
       && feed(&find, SLASHES "/", 100000) == ART_FIND_MORE
       && art_find_end(&find) == ART_FIND_RUN
       && find.size == (find.end - 22 - 800000) * 3 / 4 && !find.whole,
       "a run of 20 MB");

    pos = find.end;
    ok(art_find_end(&find) == ART_FIND_MORE && art_find_from(&find) == pos,
       "nothing is left behind it");
}


static void
check_left(void)
{
    size_t      n;
    art_find_t  find;

    art_find_init(&find, 2000, ART_FIND_RUNS | ART_FIND_BEGINS);
    ok(feed(&find, "iVBORw0KGgoA", 1) == ART_FIND_MORE
       && feed(&find, "AAAA", 127) == ART_FIND_BEGIN
       && feed(&find, "AAAA", 300) == ART_FIND_MORE
       && feed(&find, "\"", 1) == ART_FIND_LEFT
       && art_find_feed(&find, NULL, 0, &n) == ART_FIND_MORE
       && art_find_end(&find) == ART_FIND_MORE,
       "what has begun and is too short is left");
}


/* All strong signatures of such media, in either alphabet. */

static void
check_signatures(void)
{
    size_t          i, k, n, size, failed;
    uint8_t         bytes[600], text[ART_BASE64_LEN(600)];
    unsigned        safe;
    art_find_t      find;
    art_base64_t    base64;
    const uint8_t  *p;

    static const art_str_t  heads[] = {
        art_string("\x89PNG\r\n\x1a\n"), art_string("\xff\xd8\xff"),
        art_string("GIF87a"), art_string("GIF89a"),
        art_string("RIFF\x10\0\0\0WEBP"), art_string("RIFF\xfe\xff\2\0WAVE"),
        art_string("RIFF\xff\xff\xff\xff" "AVI "),
        art_string("RF64\xff\xff\xff" "\xffWAVE"), art_string("%PDF-1.7\n"),
        art_string("\0\0\0\x18" "ftypmp42"),
        art_string("\0\0\0\x20" "ftypheic"),
        art_string("\0\0\0\x20" "ftypavif"),
        art_string("\0\0\0\x20" "ftypqt  "),
        art_string("\0\0\0\x20" "ftypM4A "),
        art_string("\0\xff\xff\xff" "moov"), art_string("\0\0\0\1mdat"),
        art_string("\0\0\0\x08wide"), art_string("\0\0\0\x14pnot"),
        art_string("\x1a\x45\xdf\xa3"), art_string("OggS\0\2" "OpusHead"),
        art_string("ID3\4"), art_string("fLaC"), art_string("MThd"),
        art_string("#!AMR\n"), art_string("FORM\0\0\1\0AIFF"),
        art_string("BM\xff\xff\xff\0\0\0\0\0\x36\0\0\0\x28\0\0\0"),
        art_string("BM\0\0\0\0\0\0\0\0\x36\0\0\0\x7c\0\0\0"),
        art_string("II*\0"), art_string("MM\0*"), art_string("II+\0\x08\0"),
        art_string("MM\0+\0\x08"), art_string("8BPS\0\1"),
        art_string("\0\0\0\x0cjP  \r\n\x87\n"), art_string("\xff\x4f\xff\x51"),
        art_string("\0\0\0\x0cJXL \r\n\x87\n"), art_string("FLV\1"),
        art_string("\x30\x26\xb2\x75\x8e\x66\xcf\x11"),
        art_string("\0\0\1\xba"), art_string("\0\0\1\xb3"),
        art_string("G\x40\x11\x10"), art_string("G\x40\0\x10")
    };

    failed = 0;

    for (i = 0; i < nitems(heads) * 2; i++) {
        memset(bytes, 0xfb, sizeof(bytes));
        bytes[188] = 'G';
        bytes[376] = 'G';
        memcpy(bytes, heads[i / 2].data, heads[i / 2].len);

        safe = i % 2;
        p = bytes;
        size = sizeof(bytes);
        memset(&base64, 0, sizeof(base64));
        n = art_base64_update(&base64, text, sizeof(text), &p, &size);

        for (k = 0; safe && k < n; k++) {
            text[k] = text[k] == '+' ? '-' : text[k] == '/' ? '_' : text[k];
        }

        art_find_init(&find, 800, ART_FIND_RUNS);

        if (art_find_feed(&find, text, n, &size) != ART_FIND_MORE
            || art_find_end(&find) != ART_FIND_RUN || find.size != 600)
        {
            diag("signature %zu is not found", i / 2);
            failed++;
        }
    }

    ok(failed == 0, "all signatures of media are found");
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < nitems(cases); i++) {
        check_case(i);
    }

    check_large();
    check_left();
    check_signatures();

    return done();
}
