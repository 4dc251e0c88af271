#!/usr/bin/perl

# Other filters and modules of nginx around a routed location: each does its
# own work, on the raw bytes or on the JSON, and none breaks the other's.

use strict;
use warnings;
use utf8;

use Compress::Zlib qw(memGunzip);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $png = png(80, 80);
my $text = "some \"words\" of text\n" x 3000;
my $pdf = pdf() . "\0\1\2" x 100_000;
my %content = (png => [$png, 'image/png'], text => [$text, 'text/plain'],
               pdf => [$pdf, 'application/pdf'], short => ['x', 'text/plain'],
               empty => ['', 'text/plain'],
               html => ["<html><body>words</body></html>\n", 'text/html']);

mkdir $t->prefix . '/html' or die "mkdir: $!";
mkdir $t->prefix . '/html/folder' or die "mkdir: $!";
my %ext = (png => 'png', text => 'txt', pdf => 'pdf', short => 'txt',
           empty => 'txt', html => 'html');
for my $id (keys %content) {
    spew($t->prefix . "/html/$id.$ext{$id}", $content{$id}[0]);
    $t->artifact($id, $content{$id}[0], { type => $content{$id}[1] });
}
my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => {
    (map { $_ => { body => $content{$_}[0], type => $content{$_}[1] } }
         keys %content),
    (map { +"$_-gz" => { body => gzip_of($content{$_}[0]), headers =>
                         ['Content-Encoding: gzip'], type => $content{$_}[1] }
         } keys %content),
});

my $include = '<!--# include virtual="%s" -->';
spew($t->prefix . '/html/page.html', '[' . join('][', map {
    sprintf $include, $_ } '/artifacts/text', '/p/png', '/p/short',
    '/artifacts/short') . ']');
spew($t->prefix . '/html/own.txt', 'words <!--# include virtual='
     . '"/artifacts/short" --> more ' . 'words ' x 2000);
spew($t->prefix . '/html/waits.html', sprintf('<!--# include virtual="%s" '
     . 'wait="yes" -->', '/p/text') . 'after');

my %modes = (
    'no-sendfile' => 'sendfile off;',
    'sendfile' => 'sendfile on;',
    'sendfile-chunk' => 'sendfile on; sendfile_max_chunk 1000;',
    'threads' => 'aio threads;',
    'threads-sendfile' => 'aio threads; sendfile on;',
    'threads-write' => 'aio threads; aio_write on; proxy_buffers 2 4k;'
        . 'proxy_buffer_size 4k; proxy_busy_buffers_size 4k;',
    'directio' => 'directio 512; sendfile on;',
    'threads-directio' => 'aio threads; directio 512; output_buffers 1 512;',
    'tiny' => 'output_buffers 1 512; proxy_buffer_size 1k;'
        . 'proxy_buffers 3 1k; proxy_busy_buffers_size 1k;',
    'no-postpone' => 'postpone_output 0;',
    'tiny-no-postpone' => 'postpone_output 0; output_buffers 1 512;',
    'postpone' => 'postpone_output 100000;',
    'nopush' => 'sendfile on; tcp_nopush on;',
    'cache-files' => 'open_file_cache max=9; open_file_cache_min_uses 1;',
    'no-chunks' => 'chunked_transfer_encoding off;',
    'ssi' => 'ssi on; ssi_types *;',
    'charset' => 'charset utf-8; charset_types *;',
    'recode' => 'charset koi8-r; source_charset windows-1251;'
        . 'charset_types text/plain image/png;',
    'headers' => 'expires 1h; add_header X-More 1;',
    'userid' => 'userid on;',
    'sub-type' => 'sub_filter words WORDS; sub_filter_types text/plain;',
    'gunzip' => 'gunzip on;',
    'gzip-plain' => 'gzip on; gzip_types text/plain image/png;'
        . 'gzip_min_length 1;',
    'lingering' => 'lingering_close always; lingering_timeout 1s;',
    'mirror' => 'mirror /mirror;',
);
my $locations = join '', map { <<"CONF" } sort keys %modes;
    location /up-$_/ {
        $modes{$_}
        proxy_pass http://up/;
    }
    location /disk-$_/ {
        $modes{$_}
        alias %%PREFIX%%/html/;
    }
CONF

$t->start(http => <<'HTTP', server => <<"SERVER");
    upstream up {
        server unix:%%PREFIX%%/up.sock;
    }
    charset_map windows-1251 koi8-r {
        e0 c1;
    }
    types {
        text/plain       txt;
        text/html        html;
        image/png        png;
        application/pdf  pdf;
    }
HTTP
    artifact_root %%DATA%%;
    artifact_route on;
    root %%PREFIX%%/html;

    location /artifacts/ {
        artifact;
    }
    location /disk/ {
        alias %%PREFIX%%/html/;
    }
    location /p/ {
        proxy_pass http://up/;
    }
    location = /page.html {
        artifact_route off;
        ssi on;
    }
    location = /waits.html {
        artifact_route off;
        ssi on;
    }
    location /routed-page/ {
        alias %%PREFIX%%/html/;
        ssi on;
        ssi_types *;
    }
    location /routed-up/ {
        proxy_pass http://127.0.0.1:%%PORT%%/plain-page/;
        ssi on;
        ssi_types *;
    }
    location /plain-page/ {
        artifact_route off;
        alias %%PREFIX%%/html/;
    }
    location /added/ {
        proxy_pass http://up/;
        add_before_body /artifacts/short;
        add_after_body /p/png;
    }
    location /added-json/ {
        proxy_pass http://up/;
        addition_types application/json;
        add_before_body /artifacts/short;
        add_after_body /p/short;
    }
    location /added-text/ {
        artifact;
        addition_types text/plain;
        add_before_body /p/short;
    }
    location /zipped/ {
        gzip on;
        gzip_types application/json;
        gzip_min_length 1;
        proxy_pass http://up/;
    }
    location /zipped-tiny/ {
        gzip on;
        gzip_types application/json;
        gzip_min_length 1;
        gzip_buffers 2 256;
        postpone_output 0;
        output_buffers 1 512;
        proxy_pass http://up/;
    }
    location /zipped-disk/ {
        gzip on;
        gzip_types application/json;
        gzip_min_length 1;
        alias %%PREFIX%%/html/;
    }
    location /static-gz/ {
        gzip_static always;
        alias %%PREFIX%%/html/;
    }
    location /sub/ {
        sub_filter words WORDS;
        sub_filter_types application/json;
        sub_filter_once off;
        proxy_pass http://up/;
    }
    location = /mirror {
        internal;
        proxy_pass http://up/short;
    }
    location /index/ {
        alias %%PREFIX%%/html/;
        autoindex on;
    }
    location /return/ {
        return 200 "returned words";
    }
    location = /gif {
        empty_gif;
    }
    location /status {
        stub_status;
    }
    location /sandwich/ {
        ssi on;
        ssi_types *;
        gzip on;
        gzip_types application/json;
        gzip_min_length 1;
        addition_types text/plain;
        sub_filter_types application/json;
        sub_filter nothing-of-it x;
        proxy_pass http://up/;
    }
    $locations
SERVER

my $ALL = 'text, vision, file';

sub plain_body {
    my ($res) = @_;
    return ($res->header('Content-Encoding') // '') eq 'gzip'
        ? memGunzip($res->body) // 'no gzip' : $res->body;
}

# The answers without company.

my (%want, %disk);
for my $id (sort keys %content) {
    for my $caps ('text', $ALL) {
        my $res = $t->accept($caps, "/p/$id");
        is(route_problems($res), '', "$id for \"$caps\" is well-formed");
        $want{"$id $caps"} = $res->body;
        $res = $t->accept($caps, "/disk/$id.$ext{$id}");
        is(route_problems($res), '', 'from the disk, too');
        $disk{"$id $caps"} = $res->body;
    }
}
ok(data_of($t->accept($ALL, "/$_")) eq $png, "$_ is whole")
    for 'p/png', 'disk/png.png', 'artifacts/png';

# Everything that changes no byte.

for my $mode (sort keys %modes) {
    my @wrong;
    for my $id (sort keys %content) {
        for my $caps ('text', $ALL) {
            for my $case (["/up-$mode/$id", \%want, 'p/'],
                          ["/disk-$mode/$id.$ext{$id}", \%disk, 'disk/'])
            {
                my ($uri, $want, $stem) = @$case;
                my $res = $t->accept($caps, $uri);
                (my $body = $res->body) =~ s{(up|disk)-$mode/}{$stem}g;
                push @wrong, "$uri for $caps" unless $res->{complete}
                    && $res->{status} == 200 && $body eq $want->{"$id $caps"};
                push @wrong, "$uri: type"
                    if $res->header('Content-Type') !~
                       m{\Aapplication/json(; charset=utf-8)?\z};

                my $length = $res->header('Content-Length');
                push @wrong, "$uri: length"
                    if defined $length && $length != length $res->body;
                my $head = $t->head($uri, 'X-LLM-Capabilities' => $caps);
                push @wrong, "$uri: HEAD" if $head->{status} != 200
                    || defined $head->header('Content-Length')
                       && $head->header('Content-Length') ne ($length // '');
            }
        }
        my $raw = $t->get("/up-$mode/$id", 'Accept-Encoding' => 'gzip');
        push @wrong, "$id raw" if $mode !~ /recode|sub/
            && plain_body($raw) ne $content{$id}[0];
    }
    is(join('; ', @wrong), '', $mode);
}

# SSI

my $res = $t->get('/page.html');
ok($res->body eq "[$text][$png][x][x]", 'SSI includes raw bytes');
$res = $t->accept($ALL, '/page.html');
ok($res->body eq "[$text][$png][x][x]", 'whoever reads the page');
is($t->accept($ALL, '/waits.html')->body, "${text}after",
   'SSI that waits for its parts');
for my $uri ('/routed-page/own.txt', '/routed-up/own.txt') {
    is($t->get($uri)->body, 'words x more ' . 'words ' x 2000, "$uri, raw");
    $res = $t->accept($ALL, $uri);
    is(json_of($res)->{content}, 'words x more ' . 'words ' x 2000,
       'a page that is routed itself has its parts');
}

# addition

$res = $t->accept('vision', '/added/png');
ok(data_of($res) eq $png, 'addition of another type adds nothing');
is(route_problems($res), '', 'well-formed');
$res = $t->accept('text', '/added/html');
is(route_problems($res), '', 'addition to what is routed');
$res = $t->get('/added/html');
ok($res->body eq "x$content{html}[0]$png", 'raw it adds');
$res = $t->get('/added-text/text');
ok($res->body eq "x$text", 'to an artifact, too');
is(route_problems($t->accept('text', '/added-text/text')), '',
   'which is not changed when it is routed');
$res = $t->accept('vision', '/added-json/png');
ok($res->{complete}, 'addition to JSON ends as it should');
is(scalar(() = $res->body =~ /"routing"/g), 1, 'with one document in it');

# gzip

for my $mode ('zipped', 'zipped-tiny', 'zipped-disk') {
    my ($zipped, @wrong) = (0);
    for my $id (sort keys %content) {
        my $uri = $mode =~ /disk/ ? "/$mode/$id.$ext{$id}" : "/$mode/$id";
        for my $caps ('text', $ALL) {
            my $res = $t->accept($caps, $uri, 'Accept-Encoding' => 'gzip');
            my $body = plain_body($res);
            my $want = $mode =~ /disk/ ? $disk{"$id $caps"}
                                       : $want{"$id $caps"};
            $body =~ s{$mode/}{$mode =~ /disk/ ? 'disk/' : 'p/'}eg;
            push @wrong, "$id for $caps" unless $res->{complete}
                && $body eq $want;
            $zipped++ if $res->header('Content-Encoding');
            push @wrong, "Vary of $id" unless ($res->header('Vary') // '')
                =~ /X-LLM-Service/;
        }
    }
    is(join('; ', @wrong), '', "$mode: gzip of routed answers");
    is($zipped, 2 * keys %content, 'which were compressed');
}
$res = $t->accept($ALL, '/sandwich/text', 'Accept-Encoding' => 'gzip');
(my $body = plain_body($res)) =~ s{sandwich/}{p/}g;
ok($body eq $want{"text $ALL"}, 'several filters at once');

# bodies that are compressed already

for my $mode ('p', 'up-gzip-plain', 'zipped') {
    for my $accepts ('gzip', 'identity') {
        my @headers = ('Accept-Encoding' => $accepts);
        error_is($t->accept('text', "/$mode/text-gz", @headers), 502,
                 'upstream_encoded', undef,
                 "/$mode/: an encoded body, to one who accepts $accepts")
            if $mode ne 'zipped' || $accepts eq 'identity';
        $res = $t->get("/$mode/text-gz", @headers);
        ok(plain_body($res) eq $text, 'raw it passes');
    }
}
is($t->get('/up-gunzip/text-gz')->body, $text, 'gunzip unpacks raw answers');

for my $accepts ('gzip', 'identity') {
    $res = $t->accept('text', '/up-gunzip/text-gz',
                      'Accept-Encoding' => $accepts);
    my $data = decode_strict(plain_body($res));
    ok(bytes($data->{content}) eq $text,
       "and routed ones, to one who accepts $accepts");
}

spew($t->prefix . '/html/packed.txt.gz', gzip_of($text));
error_is($t->accept('text', '/static-gz/packed.txt', 'Accept-Encoding' =>
         'gzip'), 502, 'upstream_encoded', undef, 'gzip_static');
ok(plain_body($t->get('/static-gz/packed.txt')) eq $text, 'raw it passes');

# sub_filter

for my $id ('text', 'html') {
    my $words = () = $content{$id}[0] =~ /words/g;
    $res = $t->accept('text', "/sub/$id");
    is(route_problems($res) =~ s/no size; size is no number//r, '',
       "sub_filter in $id");
    my $content = json_of($res)->{content};
    is(scalar(() = $content =~ /WORDS/g), $words, 'replaces all words');
    is(scalar(() = $content =~ /words/g), 0, 'and leaves none');
}

# other handlers

is(routing_of($t->accept('text', '/return/x')), 'text text text/plain',
   'return');
is(json_of($t->accept('text', '/return/x'))->{content}, 'returned words',
   'with its text');
is(routing_of($t->accept('vision', '/gif')), 'image image_url image/gif',
   'empty_gif');
is(routing_of($t->accept('vision', '/index/')), 'text text text/html',
   'autoindex');
is(routing_of($t->accept('vision', '/status')), 'text text text/plain',
   'stub_status');
is($t->accept('vision', '/disk/nope.png')->{status}, 404, 'a missing file');
is($t->accept('vision', '/disk/folder')->{status}, 301, 'a redirect');
is($t->req('POST', '/disk/png.png', body => 'x',
           headers => ['X-LLM-Capabilities' => 'vision'])->{status}, 405,
   'a method that static files refuse');

# requests with bodies

for my $size (1, 70_000) {
    my $conn = $t->connect;
    my $res = $conn->request('POST', '/p/png', keep => 1, body => 'b' x $size,
                             headers => ['X-LLM-Capabilities' => $ALL]);
    ok(data_of($res) eq $png, "POST of $size bytes, routed");
    $res = $conn->request('GET', '/p/text', keep => 1,
                          headers => ['X-LLM-Capabilities' => $ALL]);
    ok($res->body eq $want{"text $ALL"}, 'and the next request');
    $conn->close;
}

$up->stop;
$t->finish;
