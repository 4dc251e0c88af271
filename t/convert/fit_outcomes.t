#!/usr/bin/perl

# What becomes of each answer of a converter: taken; "it cannot", so that the
# next rule is tried; or a failure, which is the request's.  And a recipe that
# makes words of failures.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactWrite qw(left_behind until_true);

my $t = ArtifactTest->new;
my $heic = heic();
my $jpeg = converted('jpeg', $heic);
my $text = converted('text', $heic);

$t->artifact('heic', $heic, { type => 'image/heic', name => 'a.heic' });
$t->file('map.json', fit_map());

# name => [what becomes of it, the answer]; "next": the next rule

my %answer = (

    # taken

    jpeg => ['taken', { body => $jpeg, type => 'image/jpeg' }],
    chunked => ['taken', { body => $jpeg, type => 'image/jpeg',
                           frame => 'chunked' }],
    closed => ['taken', { body => $jpeg, type => 'image/jpeg',
                          frame => 'close' }],
    untyped => ['taken', { body => $jpeg }],
    octets => ['taken', { body => $jpeg, type => 'application/octet-stream' }],
    calledtext => ['taken', { body => $jpeg, type => 'text/plain' }],
    calledpng => ['taken', { body => $jpeg, type => 'image/png' }],
    etagged => ['taken', { body => $jpeg, type => 'image/jpeg', headers =>
                ['ETag: "x"', 'Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT',
                 'Content-Disposition: attachment; filename="q.png"',
                 'Set-Cookie: a=b'] }],

    # nothing, or white space

    empty => ['next', { body => '', type => 'image/jpeg' }],
    emptytext => ['next', { body => '', type => 'text/plain' }],
    emptychunks => ['next', { body => '', type => 'text/plain',
                              frame => 'chunked' }],
    emptyclosed => ['next', { body => '', frame => 'close' }],
    blank => ['next', { body => ' ', type => 'text/plain' }],
    feeds => ['next', { body => "\n\f\r\n\t  \n", type => 'text/plain' }],
    blanks => ['next', { body => " \n" x 40_000, type => 'text/plain' }],
    blankjpeg => ['next', { body => "\n\n", type => 'image/jpeg' }],
    blankchunks => ['next', { body => "\n" x 9, type => 'text/plain',
                              frame => 'chunked' }],
    late => ['taken text', { body => " \n" x 5000 . 'x',
                             type => 'text/plain' }],

    # what the reader does not take either

    tiff => ['next', { body => tiff_of(9, 9), type => 'image/jpeg' }],
    heicagain => ['next', { body => $heic, type => 'image/heic' }],
    heiccalled => ['next', { body => $heic, type => 'image/jpeg' }],
    archive => ['next', { body => zip_of(x => 'y'), type => 'image/jpeg' }],
    large => ['next', { body => jpeg_of(9, 9, 'x' x 30_000),
                        type => 'image/jpeg' }],
    largechunks => ['next', { body => jpeg_of(9, 9, 'x' x 30_000),
                              type => 'image/jpeg', frame => 'chunked' }],

    # half an answer

    cut => ['fails', { body => $jpeg, type => 'image/jpeg', cut => 100 }],
    cutsoon => ['fails', { body => $jpeg, type => 'image/jpeg', cut => 0 }],
    cutlate => ['fails', { body => $jpeg, type => 'image/jpeg',
                           cut => length($jpeg) - 1 }],
    cuttext => ['fails', { body => 'some words', type => 'text/plain',
                           cut => 5 }],
    cutchunks => ['fails', { body => $jpeg, type => 'image/jpeg',
                             frame => 'chunked', cut => 100 }],
    nolast => ['fails', { body => $jpeg, type => 'image/jpeg',
                          frame => 'chunked', cut => length $jpeg }],
    encoded => ['fails', { body => gzip_of($jpeg), type => 'image/jpeg',
                           headers => ['Content-Encoding: gzip'] }],
);

# statuses, whatever comes with them

$answer{"s$_"} = ['next', { status => $_, body => "no\n",
                            type => 'text/plain' }]
    for 400, 404, 406, 410, 413, 415, 422, 501;
$answer{"j$_"} = ['next', { status => $_, body => $jpeg,
                            type => 'image/jpeg' }] for 400, 404, 415;
$answer{"e$_"} = ['next', { status => $_, body => '' }] for 404, 501;
$answer{s204} = ['next', { status => 204 }];
$answer{"s$_"} = ['fails', { status => $_, body => "no\n",
                             type => 'text/plain' }]
    for 201, 202, 206, 300, 301, 302, 303, 307, 401, 402, 403, 405, 408, 409,
        411, 414, 418, 423, 429, 451, 500, 502, 503, 504, 505, 507;
$answer{"j$_"} = ['fails', { status => $_, body => $jpeg,
                             type => 'image/jpeg' }]
    for 203, 206, 403, 500, 503;

my %contents = map { $_ => $answer{$_}[1] } grep { $_ ne 'jpeg' } keys %answer;
my $page = "<!doctype html>\n<html><body>busy</body></html>\n";
my $converter = converter($t->prefix . '/convert', %contents,
    html => { body => $page, type => 'text/html' },
    htmlcalled => { body => $page, type => 'image/jpeg' },
    hangs => { hang => 1 },
    slow => sub {
        return { body => $jpeg, type => 'image/jpeg', pause => 0.6 };
    },
    endless => { body => jpeg_of(9, 9, 'x' x 50_000) x 10, type => 'image/jpeg',
                 frame => 'close', endless => 1 },
    endlesschunks => { body => 'words ' x 100_000, type => 'text/plain',
                       frame => 'chunked', endless => 1 });
my $echo = echoed($t);

# each alone, and with a rule behind it; nginx's own answers

my $pass = 'artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:;';
my @names = sort keys %contents, qw(html htmlcalled);
my $locations = join '', map { <<"LOCATION" } @names;
    location /one/$_/ {
        artifact_derive image image/jpeg /c/$_ body;
        $pass
    }
    location /two/$_/ {
        artifact_derive image image/jpeg /c/$_ body;
        artifact_derive image image/png /c/png body;
        $pass
    }
    location /recipe/$_/ {
        artifact_derive image image/jpeg /words/$_ body;
        $pass
    }
LOCATION

$t->allow(qr/upstream|nobody/);
$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => fit_server('artifact_inline_max 20k;',
                               $locations . <<"MORE"));
    location /words/ {
        internal;
        proxy_pass http://unix:%%PREFIX%%/convert:/;
        proxy_intercept_errors on;
        error_page 500 502 503 504 = \@words;
    }
    location \@words { return 204; }

    location /dead/ {
        artifact_derive image image/jpeg /nobody body;
        artifact_derive image image/png /c/png body;
        $pass
    }
    location /nobody { internal; proxy_pass http://unix:%%PREFIX%%/nobody:; }
    location /dead-words/ {
        artifact_derive image image/jpeg /nobody-words body;
        $pass
    }
    location /nobody-words {
        internal;
        proxy_pass http://unix:%%PREFIX%%/nobody:;
        proxy_intercept_errors on;
        error_page 500 502 503 504 = \@words;
    }
    location /returns/ {
        set \$status_asked \$arg_status;
        artifact_derive image image/jpeg /return/\$status_asked body;
        artifact_derive image image/png /c/png body;
        $pass
    }
    location /return/204 { internal; return 204; }
    location /return/404 { internal; return 404; }
    location /return/415 { internal; return 415 "no"; }
    location /return/500 { internal; return 500; }
    location /return/503 { internal; return 503 "no"; }
    location /return/302 { internal; return 302 /elsewhere; }

    location /hangs/ {
        artifact_derive_timeout 1s;
        artifact_derive image image/jpeg /c/hangs body;
        artifact_derive image image/png /c/png body;
        $pass
    }
    location /hangs-recipe/ {
        artifact_derive image image/jpeg /hangs-words body;
        $pass
    }
    location = /hangs-words {
        internal;
        proxy_read_timeout 1s;
        proxy_pass http://unix:%%PREFIX%%/convert:/hangs;
        proxy_intercept_errors on;
        error_page 500 502 503 504 = \@words;
    }
    location /all/ {
        artifact_derive_timeout 1s;
        artifact_derive_parallel 1;
        artifact_derive image image/jpeg /c/slow body;
        $pass
    }
    location /endless/ {
        artifact_derive image image/jpeg /c/endless body;
        artifact_derive image image/png /c/png body;
        $pass
    }
    location /endlesschunks/ {
        artifact_derive image text/plain /c/endlesschunks body;
        artifact_derive image image/png /c/png body;
        $pass
    }
    location /endlessdirect/ {
        artifact_derive image image/jpeg /direct body;
        artifact_derive image image/png /c/png body;
        $pass
    }
    location = /direct {
        internal;
        proxy_buffering off;
        proxy_pass http://unix:%%PREFIX%%/convert:/endless;
    }
    location /three/ {
        artifact_derive image image/jpeg /c/s415 body;
        artifact_derive image text/plain /c/blank body;
        artifact_derive image image/jpeg /c/tiff body;
        artifact_derive image text/plain /c/text body;
        $pass
    }
    location /loop/ {
        artifact_derive image image/jpeg /artifacts/;
        $pass
    }
    location /loop-routed/ {
        artifact_derive image image/jpeg /routed/;
        artifact_derive image text/plain /routed/ body;
        $pass
    }
    location /routed/ {
        artifact;
        artifact_route always;
        artifact_derive image text/plain /routed/;
        artifact_derive image text/plain /routed/ body;
    }
    location /none/ {
        artifact_derive image image/jpeg /c/s415 body;
        artifact_derive image text/plain /c/blank body;
        $pass
    }
MORE

sub ask {
    my ($uri, @parts) = @_;
    @parts = slot('openai', 'image', 'artifact:heic') unless @parts;
    my ($path, $query) = split /\?/, $uri;
    $query = defined $query ? "?$query" : '';
    return $t->req('POST', "$path/chat/completions$query",
        body => body_of('openai', 'sees', @parts),
        headers => ['Content-Type' => 'application/json']);
}

my %words;

sub words_for {
    my ($part) = @_;
    return $words{$part} //= ask('/v1', $part)->{body};
}

# What came of it, in a word.

sub became {
    my ($res, $part) = @_;

    if ($res->{status} == 502) {
        my $data = json_of($res);
        my $error = $data->{error};
        return 'fails' if ($data->{type} // '') eq 'error'
            && ($error->{code} // '') eq 'source_failed'
            && ($error->{type} // '') eq 'api_error'
            && length $error->{message}
            && $res->{body} !~ m{artifact-test-|convert:};
        return "502: $res->{body}";
    }
    return "status $res->{status}" if $res->{status} != 200;

    my ($got) = parts_in(json_of($res));
    return 'taken' if ref $got && $got->{bytes} eq $jpeg
        && $got->{mime} eq 'image/jpeg';
    return 'next' if ref $got && $got->{bytes} eq converted('png', $heic)
        && $got->{mime} eq 'image/png';
    return 'words' if $res->{body} eq words_for($part);
    return 'taken text'
        if !ref $got && $got =~ /\A\V*converted from image\/heic:\n/;
    return "something else: $res->{body}";
}

my $ref = slot('openai', 'image', 'artifact:heic');
my $own = inline_part('openai', 'image', 'image/heic', $heic);

for my $name (sort keys %contents) {
    my ($want) = @{ $answer{$name} };
    $converter->asked;

    for my $part ($ref, $own) {
        my $of = $part eq $ref ? "$name" : "$name, own";
        is(became(ask("/two/$name", $part), $part), $want, "$of: $want");
        is($converter->names, $want eq 'next' ? "$name png" : $name,
           "$of: what is asked");
    }

    my $alone = $want eq 'next' ? 'words' : $want;
    is(became(ask("/one/$name", $ref), $ref), $alone, "$name alone: $alone");
}

# a page in place of an image: no image is made of it

for my $name (qw(html htmlcalled)) {
    my $res = ask("/two/$name");
    my ($got) = parts_in(json_of($res));
    is($res->{status}, 200, "$name: 200");
    ok(ref $got ? $got->{bytes} eq converted('png', $heic)
       : $got =~ /\A\V*converted from image\/heic:\n<!doctype/,
       "$name: the next rule, or a text under its line");
}

# a dead one; its history is never changed

for my $part ($ref, $own) {
    is(became(ask('/dead', $part), $part), 'fails', 'a dead converter');
    is(became(ask('/dead-words', $part), $part), 'words',
       'a dead converter with the recipe');
    for my $name (qw(s500 s502 s503 s504)) {
        is(became(ask("/recipe/$name", $part), $part), 'words',
           "$name with the recipe");
    }
    is(became(ask('/recipe/s429', $part), $part), 'fails',
       '429 with the recipe');
    is(became(ask('/recipe/s415', $part), $part), 'words',
       '415 with the recipe');
}
my $first = ask('/dead-words')->{body};
is(ask('/dead-words')->{body}, $first, 'the same words again');

# answers of nginx's own

for ([204, 'next'], [404, 'next'], [415, 'next'], [500, 'fails'],
     [503, 'fails'], [302, 'fails'])
{
    my ($status, $want) = @$_;
    is(became(ask("/returns?status=$status"), $ref), $want, "return $status");
}

# chains of rules: a rule each, in order, none twice

$converter->asked;
my $res = ask('/three');
is(bytes((parts_in(json_of($res)))[0]),
   "Content of a.heic, converted from image/heic:\n$text", 'the fourth rule');
is($converter->names, 's415 blank tiff text', 'in order');
is(became(ask('/none'), $ref), 'words', 'none of two');
is($converter->names, 's415 blank', 'in order');

# a location that answers with the original, or that would convert it itself

for my $name (qw(loop loop-routed)) {
    my $is = became(ask("/$name"), $ref);
    $is = 'words' if $is eq 'fails' && $name eq 'loop-routed';
    is($is, 'words', "$name: an end");
}
my $routed = $t->accept('text', '/routed/heic');
like($routed->{status}, qr/^(?:200|502)$/, 'routed to itself: an end');

# what is derived is not derived again: the TIFF of a rule is not for another

is(became(ask('/two/tiff'), $ref), 'next', 'a TIFF');
my ($tiff, $png) = $converter->asked;
is($png->{sha}, $tiff->{sha}, 'the next rule gets the original');

# time

for my $part ($ref, $own) {
    $converter->asked;
    is(became(ask('/hangs', $part), $part), 'fails', 'a converter that hangs');
    is($converter->names, 'hangs', 'no other one is asked');
    is(became(ask('/hangs-recipe', $part), $part), 'words',
       'with a timeout of its location, and the recipe');
}
$t->artifact("heic$_", $heic . $_, { type => 'image/heic' }) for 1 .. 4;
$converter->asked;
$res = ask('/all', map { slot('openai', 'image', "artifact:heic$_") } 1 .. 4);
is(became($res, ''), 'fails', 'the time of all is one');
cmp_ok(scalar $converter->asked, '<=', 3, 'no more are asked then');
is(became(ask('/all'), $ref), 'taken', 'one of them has the time');

# bytes without end

for my $name (qw(endless endlesschunks endlessdirect)) {
    is(became(ask("/$name"), $ref), 'next',
       "$name: the next rule") or next;
}
my @sent;
until_true(sub { @sent = map { $_->{sent} // () } $converter->ended;
                 return @sent >= 3 }, 10);
is(scalar @sent, 3, 'three without end have been stopped');
is(scalar(grep { $_ > 100_000_000 } @sent), 0, 'soon') or diag("@sent");

is(left_behind($t), '', 'nothing is left behind');
is($t->get('/nowhere')->{status}, 404, 'and the server is well');

$_->stop for $converter, $echo;
$t->finish;
