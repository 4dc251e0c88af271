
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Which elements of a block are artifacts, and which URLs are images.
 */


#include "extract_run.h"
#include "tap.h"


/* In both "'" stands for a quote. */

static const struct {
    const char  *item;
    unsigned     sound;
} items[] = {
    { "{'type':'image','url':''}", 1 },
    { "{'url':'u','type':'image','title':'t','width':1,'height':-0.5e3}", 1 },
    { "{'type':'image','url':'u','x':{'type':'y'}}", 1 },
    { "{'type':'image'}", 0 },
    { "{'type':'image','url':null}", 0 },
    { "{'type':'image','url':'u','title':null}", 0 },
    { "{'type':'image','url':'u','width':'1'}", 0 },
    { "{'type':'Image','url':'u'}", 0 },
    { "{'type':['image'],'url':'u'}", 0 },
    { "{'url':'u'}", 0 },
    { "{'\\u0074ype':'im\\u0061ge','url':'u'}", 1 },
    { "{'type':'text','type':'image','url':'u'}", 1 },
    { "{'type':'image','url':'u','url':1}", 0 },

    { "{'type':'text','content':'c'}", 1 },
    { "{'type':'text','content':'c','format':'plain'}", 1 },
    { "{'type':'text','content':'c','format':'markdown'}", 1 },
    { "{'type':'text','content':'c','format':'code'}", 1 },
    { "{'type':'text','content':'c','format':'html'}", 0 },
    { "{'type':'text','content':'c','format':1}", 0 },
    { "{'type':'text','content':['c']}", 0 },
    { "{'type':'text','content':'c','width':'a','rows':1}", 1 },

    { "{'type':'table','headers':[],'rows':[]}", 1 },
    { "{'type':'table','headers':['a','b'],'rows':[['1'],[],['1','2']]}", 1 },
    { "{'type':'table','headers':['a'],'rows':[['1']],'title':'t'}", 1 },
    { "{'type':'table','headers':['a'],'rows':[['1']],'title':7}", 0 },
    { "{'type':'table','headers':['a',1],'rows':[]}", 0 },
    { "{'type':'table','headers':['a'],'rows':[['1',2]]}", 0 },
    { "{'type':'table','headers':['a'],'rows':['1']}", 0 },
    { "{'type':'table','headers':'a','rows':[]}", 0 },
    { "{'type':'table','headers':['a']}", 0 },

    { "{'type':'file','name':'n','path':'p'}", 1 },
    { "{'type':'file','name':'n','path':'p','mimeType':'m'}", 1 },
    { "{'type':'file','name':'n','path':'p','mimeType':false}", 0 },
    { "{'type':'file','name':'n'}", 0 },

    { "{'type':'video','url':'u'}", 0 },
    { "{}", 0 },
    { "[{'type':'image','url':'u'}]", 0 },
    { "'image'", 0 },
    { "null", 0 },
    { "-1.5", 0 }
};


/* What ECMAScript's /https?:\/\/\S+\.(png|jpe?g|webp|gif)/gi finds in them. */

static const struct {
    const char  *text;
    const char  *found;
} texts[] = {
    { "", "" },
    { "https://h/a.png", "https://h/a.png\n" },
    { "xhttp://h/a.PNG?q=1#f", "http://h/a.PNG\n" },
    { "(https://h/a.jpg) [b](HTTPS://H/B.JpEg)", "https://h/a.jpg\n"
                                                  "HTTPS://H/B.JpEg\n" },
    { "https://h/a.png,https://h/b.gif, c",
      "https://h/a.png,https://h/b.gif\n" },
    { "https://h/a.png.txt https://h/b.txt", "https://h/a.png\n" },
    { "https://.png https://a.png", "https://a.png\n" },
    { "ftp://h/a.png https:/h/a.png http//h/a.png", "" },
    { "https://h/a.jpeg.webp", "https://h/a.jpeg.webp\n" },
    { "https://h/a.pn\xc2\xa0g https://h/\xe5\xb7\xa5.png",
      "https://h/\xe5\xb7\xa5.png\n" },
    { "https://h/a\xe3\x80\x80.png http://a\xe2\x80\x8b.png",
      "http://a\xe2\x80\x8b.png\n" },
    { "https://https://a.gif", "https://https://a.gif\n" },
    { "https://h/a.png\nhttps://h/b.webp", "https://h/a.png\n"
                                           "https://h/b.webp\n" }
};


static void
try_items(void)
{
    char        array[4000], want[4000];
    size_t      i, n, sound, at, wanted;
    uint8_t     buf[4000];
    art_out_t   out;

    n = (size_t) sprintf(array, "<artifacts>[");
    wanted = (size_t) sprintf(want, "[");
    sound = 0;

    for (i = 0; i < nitems(items); i++) {

        at = n;
        n += (size_t) sprintf(array + n, "%s\r\n %s\n", i ? "," : "",
                              items[i].item);

        for ( /* void */ ; at < n; at++) {
            array[at] = array[at] == '\'' ? '"' : array[at];
        }

        if (items[i].sound) {
            wanted += (size_t) sprintf(want + wanted, "%s%s", sound ? "," : "",
                                       items[i].item);
            sound++;
        }
    }

    n += (size_t) sprintf(array + n, "]</artifacts>");
    wanted += (size_t) sprintf(want + wanted, "]");

    for (i = 0; i < wanted; i++) {
        want[i] = want[i] == '\'' ? '"' : want[i];
    }

    out = art_out(buf, sizeof(buf));

    is_int((long long) run_text(array, n, n, &out),
           (long long) sound, "as many items as are sound");
    is_mem(buf, out.len, want, wanted, "which stand there as they were");
}


/* The items of URLs, each with a line feed after it. */

static size_t
want_urls(char *want, const char *urls)
{
    size_t  i, n, len;

    n = (size_t) sprintf(want, "[");

    for (i = 0; urls[i] != '\0'; i += len + 1) {
        len = strcspn(urls + i, "\n");
        n += (size_t) sprintf(want + n,
                              "%s{\"type\":\"image\",\"url\":\"%.*s\"}",
                              i ? "," : "", (int) len, urls + i);
    }

    return n + (size_t) sprintf(want + n, "]");
}


static void
try_urls(size_t i)
{
    char       want[400];
    size_t     n, step;
    uint8_t    buf[400];
    unsigned   wrong;
    art_out_t  out;

    wrong = 0;
    n = want_urls(want, texts[i].found);

    for (step = 1; step < 30; step++) {
        out = art_out(buf, sizeof(buf));
        (void) run_text(texts[i].text, strlen(texts[i].text), step, &out);

        wrong += out.len != n || memcmp(buf, want, n) != 0;
    }

    ok(wrong == 0, "URLs of text %zu", i);
}


static void
try_bounds(void)
{
    size_t     i;
    art_out_t  out;

    static uint8_t  run[100000], many[100 * 8005], buf[200000];

    memset(run, 'a', sizeof(run));
    memcpy(run, "https://", 8);
    memcpy(run + 8000, ".png", 4);
    memcpy(run + 9000, ".png", 4);

    out = art_out(buf, sizeof(buf));
    (void) run_text(run, sizeof(run), sizeof(run), &out);

    is_int((long long) out.len,
           8004 + (long long) strlen("[{'type':'image','url':''}]"),
           "a URL has 8 KB at most");
    ok(run_urls_room <= 16384, "and its memory a bound");

    run[8004] = ' ';

    for (i = 0; i < 100; i++) {
        memcpy(many + i * 8005, run, 8005);
    }

    out = art_out(buf, sizeof(buf));

    is_int((long long) run_text(many, sizeof(many), 8005, &out), 9,
           "all of them have 64 KB, or one more");
    ok(run_urls_room <= 131072, "and their memory a bound");

    out = art_out(buf, sizeof(buf));
    (void) run_text("http://\"\\\xff.png", 14, 14, &out);

    is_mem(buf, out.len,
           "[{\"type\":\"image\",\"url\":\"http://\\\"\\\\\xef\xbf\xbd.png\"}]",
           45, "quotes are escaped, bytes repaired");
}


int
main(void)
{
    size_t  i;

    try_items();

    for (i = 0; i < nitems(texts); i++) {
        try_urls(i);
    }

    try_bounds();

    return done();
}
