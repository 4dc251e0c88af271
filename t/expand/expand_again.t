#!/usr/bin/perl

# References that come again, sources that are no content or end before it
# does, and files that nobody needs any more.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactTest;
use ArtifactUpstream;
use Compress::Zlib ();
use File::Find ();

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $png = png(50, 50);
my $SIZE = 12_000_000;

$t->artifact('shot', $png, { mimeType => 'image/png', name => 's.png' });
$t->artifact('big', $png . rand_bytes(200_000),
             { mimeType => 'image/png', name => 'b.png' });
$t->artifact('mark', "\xef\xbb\xbf",
             { mimeType => 'text/plain', name => 'm.txt' });
$t->artifact('empty', '', { mimeType => 'text/plain', name => 'e.txt' });

my $map = { services => [
    map { { id => $_->[0], model => $_->[0],
            capabilities => { input => $_->[1] },
            $_->[2] ? (accepts => $_->[2]) : () } }
    ['sees', ['text', 'vision']], ['reads', ['text']],
    ['gifs', ['text', 'vision'], ['image/gif']],
] };
spew("$dir/map.json", encode_json_bytes($map));

my $store = ArtifactUpstream->new("$dir/store", contents => {
    shot => { body => $png, type => 'image/png' },
    cut => { body => $png . rand_bytes(60_000), type => 'image/png' },
    gone => { body => 'x', type => 'image/png', status => 404 },
    '' => { body => $png, type => 'image/png' },
});

# more than anybody needs; how much was taken is noted

my $endless = ArtifactUpstream->new("$dir/endless", serve => sub {
    my ($sock) = @_;
    sysread $sock, my $buf, 65536 or return;
    syswrite $sock, "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"
        . "Content-Length: $SIZE\r\n\r\n$png";
    my $sent = length $png;
    while ($sent < $SIZE) {
        my $n = syswrite $sock, "\0" x 100_000 or last;
        $sent += $n;
    }
    spew("$dir/sent.new", "$sent\n");
    rename "$dir/sent.new", "$dir/sent";
});
my $echo = ArtifactUpstream->echo("$dir/echo");

my $pass = "artifact_expand on; proxy_pass http://unix:$dir/echo:;";

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_language en;
    client_max_body_size 64m;
    client_body_temp_path %%PREFIX%%/bodies;

    location /artifacts/ { internal; artifact; }
    location /services/  { artifact_services; }
    location /v1/        { $pass }
    location /small/     { client_body_buffer_size 1k; $pass }
    location /limit/     { artifact_body_max 8k; $pass }
    location /queries/   { artifact_source /services/; $pass }
    location /far/       { artifact_source /store/; $pass }
    location /one/       { artifact_source /top/; $pass }
    location /much/      { artifact_source /endless/; artifact_inline_max 0;
                           $pass }
    location /router/    { artifact_format openrouter; $pass }
    location /store/     {
        internal;
        if (\$uri ~ cut) {
            rewrite ^/store/(.*) /\$1?cut=30000 break;
        }
        rewrite ^/store/(.*) /\$1 break;
        proxy_pass http://unix:$dir/store:;
    }
    location /top/       {
        internal;
        rewrite ^ / break;
        proxy_pass http://unix:$dir/store:;
    }
    location /endless/   { internal; proxy_pass http://unix:$dir/endless:; }
SERVER

$t->allow(qr/prematurely closed/);


sub ask {
    my ($uri, $body, @headers) = @_;
    return $t->req('POST', $uri, body => $body,
        headers => ['Content-Type' => 'application/json', @headers]);
}


sub chat {
    my ($model, @parts) = @_;
    return qq({"model":"$model","messages":[{"role":"user","content":[)
        . join(',', @parts) . ']}]}';
}


sub image { return qq({"type":"image_url","image_url":{"url":"$_[0]"}}) }
sub neutral { return qq({"type":"artifact","artifact":"$_[0]"}) }


sub error_of {
    my ($res) = @_;
    my $data = eval { json_of($res) } || {};
    return "$res->{status} " . (ref $data->{error} ? $data->{error}{code}
                                                   : 'none');
}


my $url = 'data:image/png;base64,' . b64($png);

# one content in two forms, each twice: a value, and a part

my $res = ask('/v1/chat/completions', chat('sees', image('artifact:shot'),
    neutral('artifact:shot'), image('artifact:shot'),
    neutral('artifact:shot')));
my @parts = @{ json_of($res)->{messages}[0]{content} };
is(scalar @parts, 4, 'one reference in two forms');
is($_->{image_url}{url}, $url, 'each has the content') for @parts;

# what is missing is asked for once

$store->requests;
$res = ask('/far/chat/completions', chat('sees', map { image($_) }
    'artifact:gone', 'artifact:shot', 'artifact:gone', 'artifact:gone'));
is($res->{status}, 200, 'missing, three times');
is(join(' ', sort $store->requests), 'GET /gone GET /shot', 'asked for once');
@parts = @{ json_of($res)->{messages}[0]{content} };
is(join(' ', map { $_->{type} } @parts), 'text image_url text text',
   'described each time');

# what is no content

is(json_of(ask('/queries/chat/completions',
               chat('sees', image('artifact:sees'))))
       ->{messages}[0]{content}[0]{type},
   'text', 'an answer that is no artifact is what it says');
is(error_of(ask('/far/chat/completions',
                chat('sees', image('artifact:cut')))),
   '502 source_failed', 'a source that breaks off');
$res = ask('/v1/chat/completions', chat('sees', neutral('artifact:empty')));
@parts = @{ json_of($res)->{messages}[0]{content} };
is($parts[0]{type}, 'text', 'an empty text');
isnt($parts[0]{text}, '', 'has words');

$res = ask('/v1/chat/completions', '{"model":"sees","messages":[{"role":'
    . '"tool","tool_call_id":"c","content":"artifact:mark"}]}');
is($res->{status}, 200, 'a text that is a byte order mark, where a string is');
is(json_of($res)->{messages}[0]{content}, 'Artifact content (m.txt):',
   'is replaced by the line that introduces it');

# one whose URI tells nothing has the name of the reference

$res = ask('/one/chat/completions', chat('reads', image('artifact:shot')));
like($res->{body}, qr/\(artifact:shot\)/, 'a source without a path');

# of what is only named no more is read than its type takes

$res = ask('/much/chat/completions', '{"model":"sees","messages":[{"role":'
    . '"system","content":[' . image('artifact:shot') . ']}]}');
is($res->{status}, 200, 'a large source where no image may be');
is(json_of($res)->{messages}[0]{content}[0]{type}, 'text', 'is named');
$t->wait_for(qr/^\d+$/m, 'sent');
my ($sent) = slurp("$dir/sent") =~ /^(\d+)$/m;
cmp_ok($sent // $SIZE, '<', $SIZE / 2, 'is not read to its end');

# whose the model is: the body's before the path's, all that are named

my $parts = '"contents":[{"role":"user","parts":[{"fileData":{"fileUri":'
    . '"artifact:shot"}}]}]';
like(ask('/v1/models/reads:generateContent',
         qq({"model":"mystery",$parts}))->{body}, qr/inlineData/,
     'a model that nobody knows, whatever the path says');
unlike(ask('/v1/models/reads:generateContent', "{$parts}")->{body},
       qr/inlineData/, 'that of the path');
unlike(ask('/router/chat/completions', '{"models":["gifs","sees"],' . substr
           chat('x', image('artifact:shot')), length '{"model":"x",')->{body},
       qr/base64/, 'of several models the types of the first');

# an API that only its version tells from another

my $claude = '"messages":[{"role":"user","content":[{"type":"image",'
    . '"source":{"type":"url","url":"artifact:shot"}}]}]}';
is(ask('/v1/model/sees/invoke', "{$claude")->{body}, "{$claude",
   'no version: as it came');
like(ask('/v1/model/sees/invoke', qq({"anthropic_version":"x",$claude))
     ->{body}, qr/"media_type":"image\/png"/, 'with a version');

# more media than are looked at

my @many = map { image("https://example.com/$_.png") } 1 .. 4200;
my $body = chat('mystery', @many);
ok(ask('/v1/chat/completions', $body)->{body} eq $body,
   'many media, a model that nobody knows');
is(error_of(ask('/v1/chat/completions', chat('reads', @many))),
   '413 too_many_artifacts', 'a model that takes none');

# codings

sub gzip_stored {
    my ($bytes) = @_;
    my $n = length $bytes;
    return "\x1f\x8b\x08" . "\0" x 6 . "\3\1" . pack('vv', $n, ~$n & 0xffff)
        . $bytes . pack('VV', Compress::Zlib::crc32($bytes), $n);
}

my $long = '{"x":"' . 'y' x (8192 - 10) . '"}';
is(length $long, 8190, 'almost as long as may be');
is(ask('/limit/chat/completions', gzip_stored($long), 'Content-Encoding' =>
       'gzip')->{status}, 200, 'with what the coding adds');
is(error_of(ask('/v1/chat/completions', Compress::Zlib::compress($long) x 2,
       'Content-Encoding' => 'deflate')),
   '400 invalid_encoding', 'deflate has no members');

# zstd, RFC 8878: a raw block, then one byte many times; its window as a power
# of two, or none but the content itself

sub zstd {
    my ($begin, $n, $window) = @_;
    my $block = sub { substr pack('V', $_[0] | $_[1] << 1 | $_[2] << 3), 0, 3 };
    my $head = $window ? pack('CC', 0, ($window - 10) << 3)
        : pack('CV', 0xa0, $n + length $begin);
    return "\x28\xb5\x2f\xfd$head" . $block->(0, 0, length $begin) . $begin
        . $block->(1, 1, $n) . ' ';
}

SKIP: {
    my $takes = ask('/v1/chat/completions', 'x', 'Content-Encoding' => 'br')
        ->header('Accept-Encoding');
    skip 'no zstd', 4 if $takes !~ /zstd/;

    $body = chat('sees', image('artifact:shot'));
    (my $want = $body) =~ s/artifact:shot/$url/;
    for my $window (undef, 23) {
        $res = ask('/v1/chat/completions', zstd($body, 100_000, $window),
                   'Content-Encoding' => 'zstd');
        is($res->{body}, $want . ' ' x 100_000, 'zstd');
    }
    is(error_of(ask('/v1/chat/completions', zstd($body, 100_000, 24),
                    'Content-Encoding' => 'zstd')),
       '400 invalid_encoding', 'with a window that is too large');
    is(error_of(ask('/v1/chat/completions',
                    substr(zstd($body, 100_000), 0, -4),
                    'Content-Encoding' => 'zstd')),
       '400 invalid_encoding', 'cut');
}

# what is too long for memory is in files, and they go

$body = chat('sees', image('artifact:big'), image('artifact:shot'));
is(ask('/small/chat/completions', $body)->{status}, 200, 'by way of files');
my @files;
for (1 .. 200) {
    @files = ();
    File::Find::find(sub { push @files, $_ if -f }, "$dir/bodies");
    last unless @files;
    select undef, undef, undef, 0.05;
}
is("@files", '', 'none is left');

$_->stop for $store, $endless, $echo;
$t->finish;
