#!/usr/bin/perl

# An answer made of a file of nginx's cache is kept with the original, where
# that stays open: it has the same bytes as without, and what has been converted
# is not read for it.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCounts;
use ArtifactFixtures;
use ArtifactHttp2 ();
use ArtifactMcp;
use ArtifactModules;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $h2 = ArtifactTest->new->port;
my $dir = $t->prefix;
my @READS = ('X-LLM-Capabilities' => 'text');
my @SEES = ('X-LLM-Capabilities' => 'text, vision');


# --- a converter that reads its answers from files ---------------------------

mkdir "$dir/forms";

sub form {
    my ($name, $type, $body, @headers) = @_;

    spew("$dir/forms/$name.new", join("\r\n", 'HTTP/1.1 200 OK',
        'Connection: close', 'Content-Length: ' . length $body,
        "Content-Type: $type", @headers) . "\r\n\r\n$body");
    rename "$dir/forms/$name.new", "$dir/forms/$name" or die "rename: $!";
}

my $up = ArtifactUpstream->new("$dir/up", serve => sub {
    my ($sock) = @_;

    my ($head) = read_request($sock) or return;
    my ($name) = $head =~ m{^\w+ \S*?([^/?]+)(?:\?\S*)? HTTP};

    if ($name eq 'wait') {
        spew("$dir/asked", '');
        sleep 0.02 until -e "$dir/go";
    }

    send_answer($sock, $head =~ /^If-None-Match: "same"/mi
        ? "HTTP/1.1 304 Not Modified\r\nETag: \"same\"\r\n\r\n"
        : -e "$dir/forms/$name" ? slurp("$dir/forms/$name")
        : "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
});

my $words = "some \"words\" of it\n";
my $koi8 = encode('koi8-r', 'Слова этого снимка. ' x 20);

form('text', 'text/plain', $words x 100);
form($_, 'text/plain', "$_ " x 300) for qw(one two bad old);
form('short', 'text/plain', 'few');
form('most', 'text/plain', 'w' x 16_000);
form('more', 'text/plain', 'w' x 20_000);
form('long', 'text/plain', 'w' x 30_000);
form('jpeg', 'image/jpeg', jpeg() . 'x' x 3000);
form('false', 'image/png', jpeg() . 'x' x 3000);
form('page', 'text/html', '<p>a page</p>' x 90);
form('white', 'text/plain', ' ' x 6000);
form('koi8', 'text/plain', $koi8);
form('json', 'application/json', '{"a": [1, 2]}');
form('utf16', 'text/plain; charset=utf-16le', encode('UTF-16LE', 'w' x 7000));
form('gzip', 'text/plain', gzip_of($words x 100), 'Content-Encoding: gzip');
form('headers', 'text/plain', $words x 90, 'X-Hidden: 1', 'ETag: "a"',
     'Last-Modified: Mon, 03 Aug 2026 10:00:00 GMT');
form('include', 'text/plain', $words x 90 . '<!--# echo var="none" -->');
form('same', 'text/plain', $words, 'ETag: "same"', 'Cache-Control: max-age=1');
form($_, 'text/plain', "old $_ " x 90, 'Cache-Control: max-age=1')
    for qw(stale again);
form($_, 'text/plain', "old $_ " x 90) for qw(purged passed);
form($_, 'application/octet-stream', "a page\n" x 90)
    for qw(x x.html x.txt x.gif x.png);
form($_, 'text/plain', "$_ " x 2000) for qw(slow1 slow2 slow3);


# --- locations, each with what is kept and without ---------------------------

# Name: rules of the artifact's location, more of it, more of the converter's,
# whether an answer is kept (undef: there is none, or more than one in turn).

my $others = other_modules('image_filter', 'ndk', 'lua');
my $image = 'artifact_derive application/pdf';
my $text = "$image text/plain";

my @cases = (
    # what is made
    [text => "$text %C%/text body;"],
    [get => "$text %C%/text;"],
    [short => "$text %C%/short body;"],
    [jpeg => "$image image/jpeg %C%/jpeg body;"],
    [false => "$image image/jpeg %C%/false body;"],
    [json => "$image application/json %C%/json body;"],
    [utf16 => "$text %C%/utf16 body;", 'client_body_buffer_size 1k;'],
    [most => "$text %C%/most body;"],
    [more => "$text %C%/more body;", '', '', 0],
    [long => "$text %C%/long body;", '', '', 0],
    [white => "$text %C%/white body;", '', '', 0],

    # a rule before that has made a page, of the same file, too
    [second => "$image image/png %C%/page body;\n$text %C%/page body;"],
    [third => "$image image/png %C%/none body;\n"
              . "$image image/png %C%/page body;\n$text %C%/text body;"],
    [none => "$image image/png %C%/page body;"],
    [named => "$image image/png %C%/x.html body;\n"
              . "$image image/png %C%/x.txt body;",
     '', 'proxy_cache_key $artifact_version;'],
    [disposed => "$image image/png %C%/x?n=a.html body;\n"
                 . "$image image/png %C%/x?n=a.txt body;", '',
     'add_header Content-Disposition "attachment; filename=$arg_n";', undef],

    # what the artifact's location says
    [cut => "$text %C%/text body;", 'artifact_text_max 50;', '', 0],
    [limited => "$text %C%/text body;", 'artifact_inline_max 3k;'],
    [large => "$text %C%/text body;", 'artifact_inline_max 1k;', '', undef],
    [zipped => "$text %C%/text body;", 'gzip on; gzip_types *;'],
    [around => "$text %C%/text body;", 'add_before_body /words;'
               . ' addition_types *;'],

    # ... and the converter's
    [headers => "$text %C%/headers body;", '', 'add_header X-A $uri;'
                . ' proxy_hide_header X-Hidden; expires 1h;'],
    [trusted => "$image image/jpeg %C%/jpeg body;", '', 'artifact_verify off;'],
    [sub => "$text %C%/text body;", '', 'sub_filter some more;'
            . ' sub_filter_once off; sub_filter_types *;', 0],
    [others => "$text %C%/text body;", '', 'sub_filter some more;'],
    [ssi => "$text %C%/include body;", '', 'ssi on; ssi_types *;', 0],
    [before => "$text %C%/text body;", '', 'add_before_body /words;'
               . ' addition_types *;', 0],
    [recoded => "$text %C%/koi8 body;", '', 'charset utf-8;'
                . ' source_charset koi8-r; charset_types *;', 0],
    [mapped => "$text %C%/koi8 body;", '', 'charset windows-1251;'
               . ' source_charset koi8-r; charset_types *;', 0],
    [gunzip => "$text %C%/gzip body;", '', 'gunzip on;', 0],
    [gzip => "$text %C%/gzip body words;", '', '', undef],
    [deaf => "$text %C%/text body;", '', 'proxy_cache off;', 0],
    [errors => "$text %C%/none body;", '',
     'proxy_intercept_errors on; error_page 404 = /convert/text;'],
    [seldom => "$text %C%/text body;", '', 'proxy_cache_min_uses 99;', 0],
    [threads => "$text %C%/text body;", '', 'aio threads;'],
    [opened => "$text %C%/text body;", '', 'open_file_cache max=9;'],
    [slice => "$text %C%/text body;", '', 'slice 1m;'],
);

push @cases, (
    [pixels => "$image image/jpeg %C%/jpeg body;", '',
     'image_filter test; image_filter_buffer 4m;', 0],
    [lua => "$text %C%/text body;", '', 'body_filter_by_lua_block {'
            . ' ngx.arg[1] = ngx.arg[1]:upper() }', 0],
    [lengthless => "$text %C%/short body;", '', 'header_filter_by_lua_block {'
                   . ' ngx.header["Content-Length"] = nil }', 0],
) if $others;

my $proxy = "proxy_pass http://unix:$dir/up:;";
my $open = 'open_file_cache max=100; open_file_cache_valid 1h;';

my $cases = join '', map {
    my ($name, $rules, $more, $converter) = (@$_, '', '');
    $rules =~ s{%C%}{/convert/$name}g;
    <<"CASE" } @cases;
    location /convert/$name/ {
        internal;
        $converter
        $proxy
    }
    location /plain/$name/ {
        artifact;
        $rules
        $more
    }
    location /kept/$name/ {
        artifact;
        $open
        $rules
        $more
    }
CASE

# Locations for many forms, whose answers differ by the request only; those with
# languages have one cache of originals.

my $forms = join '', map { my ($where, $open) = @$_; <<"SERVER" }
    location /$where/ {
        artifact;
        artifact_format \$arg_format;
        $open
        $text /convert/\$arg_at/\$arg_form?c=\$arg_c&t=\$arg_t body;
        $image image/png /convert/\$arg_at/\$arg_form?c=\$arg_c&t=\$arg_t body;

        location /$where/zh/ {
            artifact;
            artifact_language zh;
            $text /convert/\$arg_at/\$arg_form body;
        }
    }
    location /$where/slow/ {
        artifact;
        limit_rate \$arg_rate;
        @{[$open =~ s/max=100/max=1/r]}
        $image text/markdown /fails/\$arg_first body;
        $text /convert/s/same?form=\$arg_form body;
    }
SERVER
    ['plain', ''], ['kept', $open];

$t->artifact($_, pdf(), { type => 'application/pdf', name => "$_ \"b\".pdf" })
    for (map { $_->[0] } @cases),
        qw(readers languages types charsets shared changed slow other);
$t->file('map.json', { services => [map { {
    id => $_->[0], model => "m-$_->[0]", @{ $_ }[1 .. $#$_],
    capabilities => { input => ['text', 'vision'] } } }
    ['sees'], ['short', maxBytes => 500]] });

my $more = $others ? lua_path() : '';
my $typed = $others ? 'header_filter_by_lua_block {'
    . ' ngx.header["Content-Type"] = ngx.var.arg_t }' : '';

$t->start(first => $others // '', http => <<"HTTP", server => <<"SERVER");
    $more
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_accept \$http_x_llm_capabilities;
    artifact_service \$http_x_llm_service;
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_language en;
    proxy_cache_path $dir/cache keys_zone=cache:1m;
    proxy_cache cache;
    proxy_cache_methods POST;
    proxy_cache_key \$artifact_version\$uri;
    proxy_cache_valid 200 1h;
    proxy_ignore_headers X-Accel-Redirect;
    charset_map koi8-r utf-8 {
        C1 D0B0;
        CF D0BE;
    }
    charset_map koi8-r windows-1251 {
        C1 E0;
        CF EE;
    }

    server {
        listen 127.0.0.1:$h2 http2;
        $text /convert/text/text body;
        location /kept/ { artifact; $open }
        location /plain/ { artifact; }
        location /convert/ { internal; $proxy }
    }
HTTP
    $cases
    $forms
    location /status {
        artifact_status;
    }
    location /words {
        return 200 words;
    }
    location = /convert/text {
        internal;
        $proxy
    }
    location /fails/ {
        internal;
        proxy_cache off;
        $proxy
    }

    # converters, most of which go by the request
    location /convert/a/ {
        internal;
        $proxy
    }
    location /convert/v/ {
        internal;
        error_page 418 = \@trusts;
        if (\$arg_c) {
            return 418;
        }
        $proxy
    }
    location \@trusts {
        artifact_verify off;
        $proxy
    }
    location /convert/s/ {
        internal;
        proxy_cache_key \$artifact_version\$arg_form;
        proxy_pass http://unix:$dir/up:/\$arg_form;
    }
    location /convert/c/ {
        internal;
        charset \$arg_c;
        $proxy
    }
    location /convert/t/ {
        internal;
        $typed
        $proxy
    }
    location /convert/d/ {
        internal;
        proxy_cache_bypass \$arg_c;
        proxy_cache_use_stale error http_404;
        proxy_cache_revalidate on;
        $proxy
    }
    location = /kept/mcp {
        artifact_mcp;
        $open
        $image image/jpeg /convert/a/jpeg body;
        $text /convert/a/text body;
    }
    location = /plain/mcp {
        artifact_mcp;
        $image image/jpeg /convert/a/jpeg body;
        $text /convert/a/text body;
    }
SERVER


# --- what is compared --------------------------------------------------------

sub shape {
    my ($res) = @_;
    my %headers = %{ $res->{headers} };

    delete $headers{date};
    return join "\n", $res->status,
        (map { "$_: @{ $headers{$_} }" } sort keys %headers), '', $res->body;
}

sub ask {
    my ($where, $uri, $reader, %opt) = @_;

    return shape($t->req($opt{method} // 'GET', "/$where/$uri",
                         headers => $reader, %opt));
}

# What a request has added: what was read, and what else is counted of it.

sub ask_counted {
    my $before = counts($t);
    my $answer = ask(@_);
    my $now = counts($t);
    my @grown;

    for my $family (qw(read_bytes types contradictions conversions
                       routed))
    {
        my $n = 0;
        $n += $now->{$_} - ($before->{$_} // 0)
            for grep { /^artifact_${family}_total\b/ } keys %$now;
        push @grown, $n;
    }

    return ($answer, @grown);
}

# Answers to the same request with what is kept, three times, and without: what
# differs, and whether anything was read for the last two.

sub differs {
    my ($uri, $reader, %opt) = @_;
    my ($plain, undef, @counted) = ask_counted('plain', $uri, $reader, %opt);
    my @bad;

    for my $round (1 .. 3) {
        my ($answer, $read, @counts)
            = ask_counted('kept', $uri, $reader, %opt);

        push @bad, "answer $round: $answer, not $plain" if $answer ne $plain;
        push @bad, "answer $round: counted @counts, not @counted"
            if "@counts" ne "@counted";
        push @bad, "answer $round: $read bytes read"
            if $round > 1 && defined $opt{kept} && ($opt{kept} xor !$read);
    }

    return join '; ', @bad;
}

# The same for requests of one artifact that might get each other's answers.

sub mixes {
    my ($id, %opt) = @_;
    my @bad;

    for my $round (1 .. 3) {
        for (@{ $opt{asked} }) {
            my ($query, @reader) = @$_;
            my ($in, $args) = $query =~ /^(\w+\/)?(.*)/;
            my $uri = ($in // '') . "$id?$args";
            my ($kept, $read) = ask_counted('kept', $uri, \@reader);
            my $plain = ask('plain', $uri, \@reader);
            my $at = "$uri @reader, round $round:";

            push @bad, "$at $kept, not $plain"
                if $kept ne $plain || $plain !~ /\A200\n/;
            push @bad, "$at $read bytes read"
                if $round == 3 && $read && $opt{kept};
        }
    }

    return join '; ', @bad;
}

# all is made, and is old enough to be known by its times

sub reader_of { return $_[0] =~ m{ image/\w} ? \@SEES : \@READS }

sub slow {
    my ($form, %opt) = @_;
    my ($id, $first, $rate) = ($opt{id} // 'slow', $opt{first} // 'none',
                               $opt{rate} // 0);

    return "slow/$id?form=slow$form&first=$first&rate=$rate";
}

sub tool {
    my ($where, $caps, $id) = @_;
    my $params = { name => 'read_artifact', arguments => { ref => 'readers' } };

    return ask($where, 'mcp', [mcp_headers('tools/call', $params),
                               'X-LLM-Capabilities' => $caps],
               method => 'POST', body => mcp_message('tools/call', $params,
                                                     id => "\"$id\""));
}

my @changed = qw(purged passed again stale same);

my @whole = (undef, map { ask('plain', slow($_), \@READS) } 1 .. 3);
my @made = (
    (map { ask('kept', "$_->[0]/$_->[0]", reader_of($_->[1])) } @cases),
    (map { tool('plain', $_, 0) } 'text', 'text, vision'),
    (map { ask('plain', "readers?at=a&form=$_", \@SEES) }
         qw(text jpeg one two)),
    @whole[1 .. 3],
    (map { ask('plain', "changed?at=d&form=$_", \@READS) } @changed),
    ask('plain', 'languages?at=a&form=text', \@READS),
    ask('plain', 'types?at=t&form=json&t=text/plain', \@READS),
    ask('plain', 'charsets?at=c&form=koi8&c=koi8-r', \@READS),
    ask('plain', 'shared?at=v&form=false', \@SEES));
is(scalar(grep { !/\A200\n/ } @made), 0, 'all is made');
sleep 2.1;

for (@cases) {
    my ($name, $rules, undef, undef, $kept) = @$_;

    is(differs("$name/$name", reader_of($rules),
               kept => @$_ < 5 || $kept), '', $name);
}


# --- for whom, and in which form ---------------------------------------------

is(mixes('readers', kept => 1, asked => [
         map { ["at=a&form=text&format=$_", @READS] }
         qw(route openai anthropic)]), '', 'formats');
is(mixes('readers', asked => [
         map { ['at=a&form=jpeg', @$_] } \@SEES, \@READS,
         map { ['X-LLM-Service' => $_] } qw(sees short nobody)]), '',
   'readers');
is(mixes('readers', asked => [
         map { ["at=a&form=$_", @SEES] } qw(one two text jpeg short one)]), '',
   'more forms than places');
is(mixes('readers', asked => [
         map { ["at=a&form=text&format=$_", @READS] }
         'chat', map { "tool_message&tool_call_id=$_" } 1, 2]), '',
   'calls of tools');
is(mixes('languages', kept => 1, asked => [
         map { [$_ . 'at=a&form=text', @READS] } '', 'zh/']), '', 'languages');
is(mixes('charsets', asked => [
         map { ["at=c&form=koi8&c=$_", @READS] } qw(koi8-r windows-1251)]), '',
   'charsets');
is(mixes('shared', kept => 1, asked => [
         map { ["at=v&form=false$_", @SEES] } '', '&c=1']), '',
   'two configurations that share a file of the cache');

SKIP: {
    skip 'no lua', 1 unless $others;
    is(mixes('types', asked => [
             map { ["at=t&form=json&t=$_", @READS] }
             qw(text/plain application/json)]), '', 'types');
}

for my $caps ('text', 'text, vision') {
    is(tool('kept', $caps, $_), tool('plain', $caps, $_),
       "MCP, $caps, message $_") for 1 .. 3;
}


# --- the protocol ------------------------------------------------------------

my ($etag) = ask('plain', 'text/text', \@READS) =~ /^etag: (.*)/m;

for (['HEAD', method => 'HEAD'],
     ['a range', add => [Range => 'bytes=0-9']],
     ['not modified', add => ['If-None-Match' => $etag]],
     ['HTTP/1.0', version => '1.0'])
{
    my ($name, %opt) = @$_;
    is(differs('text/text', [@READS, @{ delete $opt{add} // [] }], %opt), '',
       $name);
}

my $conn = $t->connect;
is(join(' ', map { $conn->request('GET', "/kept/$_/$_", keep => 1,
                                  headers => \@READS)->body
                   eq $t->get("/plain/$_/$_", @READS)->body }
             qw(text most text short)), '1 1 1 1', 'one connection');

my @streams = (1, 3, 5, 7);
my $client = ArtifactHttp2::http2($h2);

ArtifactHttp2::head($client, $_, 'GET', $_ == 7 ? '/plain/text' : '/kept/text',
                    'x-llm-capabilities' => 'text') for @streams;
my @bodies = map { ArtifactHttp2::answer($client, $_)->{body} } @streams;
is(join(' ', map { $_ eq $bodies[3] && length $_ > 1000 } @bodies), '1 1 1 1',
   'HTTP/2');
$_->close for $conn, $client->{conn};


# --- while it is sent --------------------------------------------------------

sub request {
    my ($uri) = @_;
    return ArtifactHTTP::format_request('GET', "/kept/$uri",
                                        headers => \@READS);
}

# What happens meanwhile must not change an answer that a client gets slowly.

sub slowly {
    my ($name, $do) = @_;
    my $slow = $t->connect;

    ask('kept', slow(1), \@READS) for 1, 2;
    $slow->send(request(slow(1, rate => '8k')));
    $slow->_fill;
    $do->();
    is(shape($slow->response('GET')) eq $whole[1], 1, $name);
}

my $close = sub { ask('kept', slow($_, id => 'other'), \@READS) for 2, 3, 2 };

like($whole[$_], qr/:\\nslow$_ /, "long answer $_") for 1 .. 3;

slowly('slowly', sub { });
slowly('another answer would take its place', sub {
    is(ask('kept', slow($_), \@READS), $whole[$_], "answer $_") for 2, 3, 2;
});
slowly('the original is closed', $close);
slowly('the original is closed, and has another user', sub {
    my $late = $t->connect;

    $late->send(request(slow(2, first => 'wait')));
    $t->wait_for(qr/^/, 'asked');
    $close->();
    spew("$dir/go", '');
    is(shape($late->response('GET')), $whole[2], 'which is served');
    $close->();
});

for (1 .. 3) {
    my $gone = $t->connect;
    $gone->send(request(slow(1, rate => '1k')));
    $gone->_fill;
    $gone->close;
}
is(ask('kept', slow(2), \@READS), $whole[2], 'clients that leave');


# --- what is made anew -------------------------------------------------------

# Kept by now, as what is out of date is while there is none in its place.

unlink "$dir/forms/$_" for qw(again stale);

my $in = 'changed?at=d&form=';

is(differs("$in$_", \@READS, kept => 1), '', "$_, as it was")
    for grep { $_ ne 'same' } @changed;
is(differs("${in}same", \@READS), '', 'what has not changed');

form($_, 'text/plain', "new $_ " x 90) for qw(purged passed again);
is(differs("$in$_", \@READS, kept => 1), '', "$_, nobody has asked")
    for qw(purged passed);

my ($file) = grep { slurp($_) =~ m{^KEY: .*/purged$}m } glob "$dir/cache/*";
unlink $file or die "unlink: $!";

for (['purged', ''], ['passed', '&c=1'], ['again', '']) {
    my ($form, $how) = @$_;

    like(ask('kept', "$in$form$how", \@READS), qr/:\\nnew $form/,
         "$form is new");
    is(differs("$in$form", \@READS, kept => 0), '', "$form, not yet kept");
}

utime 1, 1, $file or die "utime: $!";
is(differs("${in}purged", \@READS, kept => 0), '', 'nor with another time');

$up->stop;
is(differs("${in}stale", \@READS, kept => 1), '', 'without the converter');

sleep 2.1;
is(differs("${in}$_", \@READS, kept => 1), '', "$_, kept again")
    for qw(purged passed again);

$t->finish;
