#!/usr/bin/perl

# How messages with attachments go out: part by part as the sources answer, at
# the client's pace, in bounded memory, over any connection; and what becomes of
# the answer when a source or the client does not hold on.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite;
use Compress::Zlib ();
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;
my $dir = $t->prefix;
my $png = png(50, 50);
my $large = $png . "\0" x 500_000;
my $huge = $png . "\0" x 3_000_000;
my $note = "a \"line\"\n" x 20_000;

$t->artifact('shot', $png, { mimeType => 'image/png', name => 's.png' });
$t->artifact('large', $large, { mimeType => 'image/png', name => 'l.png' });
$t->artifact('huge', $huge, { mimeType => 'image/png', name => 'h.png' });
$t->artifact('note', $note, { mimeType => 'text/plain', name => 'n.txt' });

my $store = ArtifactUpstream->new("$dir/store", contents => {
    shot => { body => $png, type => 'image/png' },
    large => { body => $large, type => 'image/png' },
    huge => { body => $huge, type => 'image/png' },
    note => { body => $note, type => 'text/plain' },
    doubtful => { body => "text \0\1\2" . "x" x 9000, type => 'text/plain' },
    coded => { body => 'x', type => 'image/png',
               headers => ['Content-Encoding: gzip'] },
    map { ("s$_" => { body => 'x', type => 'image/png', status => $_ }) }
        204, 302, 401, 403, 404, 410, 429, 500, 503,
});

# the second artifact comes when the first one has arrived, or never

my $seen = "$dir/seen";
my $patient = ArtifactUpstream->new("$dir/patient", serve => sub {
    my ($sock) = @_;
    my $head = '';

    until ($head =~ /\r\n\r\n/) {
        sysread $sock, $head, 65536, length $head or return;
    }

    for (1 .. 1000) {
        last if -e $seen;
        sleep 0.01;
    }

    -e $seen or return;

    syswrite $sock, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
        . "Content-Length: 4\r\n\r\nlast";
});

my $server = <<"SERVER";
    artifact_root %%DATA%%;
    artifact_accept "text, vision";
    artifact_inline_max 0;
    set \$up http://unix:$dir/store:;

    location /artifacts/ { internal; artifact; }
    location /threads/   { internal; artifact; aio threads;
                           output_buffers 1 4k; }
    location /tiny/      { internal; artifact; output_buffers 1 64; }
    location /mixed/     { internal; artifact; }
    location /mixed/last { internal; proxy_pass http://unix:$dir/patient:/; }
    location /proxied/   { internal; rewrite ^/proxied(/.*) \$1 break;
                           proxy_pass http://unix:$dir/store:; }
    location /chunked/   { internal;
                           rewrite ^/chunked(/.*) \$1?frame=chunked&step=700 break;
                           proxy_pass http://unix:$dir/store:; }
    location /unbuffered/ { internal; proxy_buffering off;
                           rewrite ^/unbuffered(/.*) \$1?frame=close&step=900
                               break;
                           proxy_pass http://unix:$dir/store:; }
    location /slow/      { internal; proxy_buffering off;
                           rewrite ^/slow(/.*) \$1?step=1000&pause=100 break;
                           proxy_pass http://unix:$dir/store:; }
    location /cut/       { internal;
                           rewrite ^/cut(/.*) \$1?cut=100000 break;
                           proxy_pass http://unix:$dir/store:; }
    location /headless/  { internal;
                           rewrite ^/headless(/.*) \$1?headcut=10 break;
                           proxy_pass http://unix:$dir/store:; }
    location /empty-cut/ { internal;
                           rewrite ^/empty-cut(/.*) \$1?cut=0 break;
                           proxy_pass http://unix:$dir/store:; }
    location /nobody/    { internal; proxy_pass http://unix:$dir/no-one:; }

    location /m          { artifact_message;
                           artifact_source /\$arg_source/; }
    location /zip        { artifact_message; gzip on; gzip_types *;
                           artifact_source /\$arg_source/;
                           gzip_min_length 1; }
    location /file/      { artifact_message; client_body_in_file_only clean;
                           aio threads; sendfile off; }
    location /small/     { artifact_message; client_body_buffer_size 1k;
                           output_buffers 1 128; postpone_output 0;
                           sendfile on; }
    location /held       { artifact_message; postpone_output 1m; }
    location /limited/   { artifact_message; limit_rate 8m; }
SERVER

$t->allow(qr/no-one|prematurely closed|broke off|unsafe/);
$t->start(server => $server,
          http => 'server { listen 127.0.0.1:' . $spare->port . ' http2;'
              . $server . ' }');

sub message {
    my (@refs) = @_;
    return encode_json_bytes({ text => 'look', attachments => \@refs });
}

sub ask {
    my ($uri, $message, %opt) = @_;
    return $t->req('POST', $uri, body => $message, %opt);
}

sub image {
    return { type => 'image_url', image_url => { url =>
        'data:image/png;base64,' . b64($_[0]) } };
}

sub text_of { return { type => 'text', text => $_[0] } }

# Whether an answer has these parts behind the text, and nothing is left out.

sub whole {
    my ($res, $name, @want) = @_;
    my $data = json_of($res);
    my $parts = $data->{processedContent};

    ok($res->{complete}, "$name: complete");
    is(shift(@$parts)->{text}, 'look', '... the text');

    my @wrong = grep {
        my ($got, $want) = ($parts->[$_], $want[$_]);
        $got->{type} ne $want->{type} || ($got->{text} // '')
            ne ($want->{text} // '') || ($got->{image_url}{url} // '')
            ne ($want->{image_url}{url} // '');
    } 0 .. $#want;

    is("@wrong", '', '... the parts');
    is(scalar @$parts, @want, '... all of them');
    is_deeply($data->{unsupportedAttachments}, [], '... as they are');
}

my @all = (image($large), text_of($note), image($png), image($large));
my $all = message(qw(large note shot large));

# every kind of source

for my $source (qw(artifacts threads tiny proxied chunked unbuffered)) {
    whole(ask("/m?source=$source", $all), $source, @all);
}

# ways to send the message, and to take the answer

for my $uri (qw(/file/ /small/ /limited/)) {
    whole(ask($uri, $all), $uri, @all);
}

is(scalar @{ json_of(ask('/held', message(map { "none-$_" } 1 .. 64)))
             ->{unsupportedAttachments} }, 64, 'buffers are not held back');

my $res = ask('/m?source=artifacts', $all, version => '1.0');
whole($res, 'HTTP/1.0', @all);
is($res->{framing}, 'close', '... ends by closing');

my $long = 'x' x 900_000;
my $body = encode_json_bytes({ text => $long, attachments => ['shot'] });

for my $uri ('/m?source=proxied', '/file/', '/small/',
           '/zip?source=artifacts')
{
    my $data = json_of(ask($uri, $body));
    is($data->{processedContent}[0]{text}, $long, "a long text, $uri");
    is($data->{processedContent}[1]{image_url}{url},
       image($png)->{image_url}{url}, '... and what follows');
}

$res = ask('/zip?source=artifacts', $all, headers => ['Accept-Encoding' => 'gzip']);
is($res->header('Content-Encoding'), 'gzip', 'compressed');
$res->{body} = Compress::Zlib::memGunzip($res->{body});
whole($res, 'unpacked', @all);

my $conn = $t->connect;

for my $n (1 .. 3) {
    whole($conn->request('POST', '/m?source=artifacts', body => $all,
                         keep => 1), "request $n of a connection", @all);
}

$conn->send("POST /m?source=artifacts HTTP/1.1\r\nHost: x\r\n"
    . "Transfer-Encoding: chunked\r\n\r\n"
    . join('', map { sprintf "%x\r\n%s\r\n", length, $_ }
           $all =~ /(.{1,7})/gs) . "0\r\n\r\n");
whole($conn->response('POST'), 'a message in chunks', @all);
is($conn->request('GET', '/none', keep => 1)->{status}, 404,
   'the connection is well');
$conn->close;

SKIP: {
    skip 'curl without HTTP/2', 10 unless curl_features('HTTP2');

    spew("$dir/body", $all);
    my $url = 'http://127.0.0.1:' . $spare->port;

    for my $source (qw(artifacts unbuffered)) {
        my $res = curl($dir, '--http2-prior-knowledge', '--data-binary',
            "\@$dir/body", "$url/m?source=$source");
        whole($res, "HTTP/2, $source", @all);
    }
}

# what there is goes on at once

my ($got, $early) = ('', 0);
$res = ask('/m?source=mixed', message(qw(shot last)), on_body => sub {
    $got .= $_[0];

    if (!-e $seen && index($got, b64($png) . '"}}') > 0) {
        $early = 1;
        spew($seen, '');
    }
});
ok($early, 'the first part is there before the second source answers');
$res->{body} = $got;
whole($res, 'and then', image($png), text_of('last'));

unlink $seen;
my $inflate = Compress::Zlib::inflateInit(
    -WindowBits => Compress::Zlib::WANT_GZIP());
($got, $early) = ('', 0);
$res = ask('/zip?source=mixed', message(qw(shot last)),
    headers => ['Accept-Encoding' => 'gzip'], on_body => sub {
        $got .= ($inflate->inflate(my $in = $_[0]))[0];

        if (!-e $seen && index($got, b64($png) . '"}}') > 0) {
            $early = 1;
            spew($seen, '');
        }
    });
ok($early, '... compressed, too');
$res->{body} = $got;
whole($res, 'and then', image($png), text_of('last'));

# a client that is slow, or has enough

my $many = message(('huge') x 8);
my ($worker) = $t->workers;

for my $source (qw(artifacts proxied unbuffered)) {
    ask("/m?source=$source", $many) for 1 .. 2;
    my $before = $t->memory($worker);
    my ($most, $count, $measured, $open) = (0, 0, 0, 0);

    my $res = ask("/m?source=$source", $many, rcvbuf => 32768,
        on_body => sub {
            $count += length $_[0];
            return if $count < ($measured + 1) * 1_000_000;
            $measured++;
            my $now = $t->memory($worker) - $before;
            $most = $now if $now > $most;
            my $files = grep { (readlink // '') =~ m{/artifacts/huge\z} }
                glob "/proc/$worker/fd/*";
            $open = $files if $files > $open;
        });

    ok($res->{complete}, "a slow client, $source");
    cmp_ok($count, '>', 8 * 4_000_000, '... gets all of it');
    cmp_ok($open, '<=', 1, '... from one file after the other');

    SKIP: {
        skip 'a sanitizer keeps freed memory', 1
            if $t->version =~ /-fsanitize/;
        note("$source: $most KB");
        cmp_ok($most, '<', 3000, '... within 3 MB of the worker');
    }
}

for my $source (qw(artifacts proxied slow)) {
    $conn = $t->connect(rcvbuf => 4096);
    $conn->send(ArtifactHTTP::format_request('POST', "/m?source=$source",
                                             body => $many));
    $conn->_fill for 1 .. 5;
    $conn->close;
    ok(1, "a client that goes away, $source");
}

is(left_behind($t), '', 'nothing is left behind');
whole(ask('/m?source=artifacts', $all), 'the server is well', @all);

# sources that break off within a part: the answer is none

for my $refs (['large'], ['shot', 'large', 'shot']) {
    my $res = ask('/m?source=cut', message(@$refs), may_break => 1);
    is($res->{status}, 200, "broken off, @$refs");
    ok(!$res->{complete}, '... closes the connection short');
    unlike($res->{body}, qr/canProcess/, '... without an end');
}

$res = ask('/m?source=cut', message('shot', 'note'), may_break => 1);
ok(!$res->{complete}, 'text likewise');
$res = ask('/m?source=proxied', message('doubtful'), may_break => 1);
is($res->{status}, 200, 'a text that is none');

# those that fail before are described, and the rest is as it is

for my $case (['headless', 'shot'], ['empty-cut', 'large'], ['nobody', 'shot'],
              ['proxied', 'coded'], map { ['proxied', "s$_"] }
              204, 302, 401, 403, 404, 410, 429, 500, 503)
{
    my ($source, $id) = @$case;
    my $res = ask("/m?source=$source", message($id));
    my $data = json_of($res);
    my $gone = $id =~ /^s4(?:01|03|04|10)$/;

    is($res->{status}, 200, "$source, $id");
    is($data->{unsupportedAttachments}[0]{artifactRef}, "artifact:$id",
       '... is told');
    like($data->{textDescription}, $gone ? qr/\x{4e0d}\x{5b58}\x{5728}/
         : qr/\x{91cd}\x{8bd5}/, '... as gone, or to be tried again');
    is($data->{processedContent}[1]{text}, $data->{textDescription},
       '... in its place');
}

# where nothing may be asked

$store->requests;
$res = ask('/m?source=proxied/a/..', message('shot'));
is(json_of($res)->{unsupportedAttachments}[0]{artifactRef}, 'artifact:shot',
   'a source that climbs has nothing');
is(scalar $store->requests, 0, '... and is not asked');

my $mixed = json_of(ask('/m?source=proxied', message(qw(shot s404 s503 note))));
is(join(' ', map { $_->{type} } @{ $mixed->{processedContent} }),
   'text image_url text text text', 'others are not touched');
is(scalar @{ $mixed->{unsupportedAttachments} }, 2, 'two are told');

$_->stop for $store, $patient;
$t->finish;
