#!/usr/bin/perl

# $artifact_reasons: what became words instead of being sent, and why, for each
# request in the access log; bounded, and safe there.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $dir = $t->prefix;

$t->artifact('shot', png(9, 9), { type => 'image/png' });
$t->artifact('note', 'a note', { type => 'text/plain' });
$t->artifact('wide', png(9, 9) . "\0" x 3_000_000, { type => 'image/png' });
$t->artifact('tiff', "II*\0" . "\0" x 90, { type => 'image/tiff' });
$t->artifact('void', '', { type => 'text/plain' });
$t->artifact('a b=c%d', "ID3\4" . "\0" x 90, { type => 'audio/mpeg' });
$t->artifact('half', png(50, 50) . "\0" x 500_000, { type => 'image/png' });

my $echo = echo("$dir/echo");

$t->start(http => <<'HTTP', server => <<"SERVER");
    log_format reasons '$uri|$artifact_reasons|';
HTTP
    access_log %%PREFIX%%/access.log reasons;
    artifact_root %%DATA%%;
    artifact_accept \$http_x_accept;
    artifact_inline_max 1m;
    artifact_refs_max 4000;
    artifact_url https://example.com/;
    client_max_body_size 64m;

    location /artifacts/ { internal; artifact; }
    location /routed/    { artifact; artifact_route on; }
    location /files/     { artifact_route on; alias %%DATA%%/artifacts/; }
    location /v1/        { artifact_expand on;
                           add_header X-Reasons \$artifact_reasons always;
                           proxy_pass http://unix:$dir/echo:; }
    location /small/     { artifact_expand on; artifact_body_max 1m;
                           proxy_pass http://unix:$dir/echo:; }
    location /broken/    { artifact_expand on; artifact_source /none/;
                           add_header X-Reasons \$artifact_reasons always;
                           proxy_pass http://unix:$dir/echo:; }
    location /route      { artifact_message;
                           add_header X-Reasons "[\$artifact_reasons]";
                           add_trailer X-Reasons \$artifact_reasons; }
SERVER

# The last line of the access log, once there are so many.

my $requests = 0;

sub logged {
    my ($name, $want) = @_;
    my @lines;
    $requests++;
    for (1 .. 100) {
        @lines = split /\n/, slurp("$dir/access.log");
        last if @lines >= $requests;
        select undef, undef, undef, 0.05;
    }
    my ($got) = $lines[-1] =~ /\|(.*)\|\z/;
    is($got, $want, $name);
}

sub ask {
    my ($accept, $content, $uri, @messages) = @_;
    my $res = $t->req('POST', ($uri // '/v1') . '/chat/completions',
        headers => ['Content-Type' => 'application/json',
                    'X-Accept' => $accept],
        body => encode_json_bytes({ messages => [ @messages,
            { role => 'user', content => $content } ] }));
    return $res;
}

sub part { return map { { type => 'artifact', artifact => "artifact:$_" } } @_ }

# --- requests to models ---------------------------------------------------

my $res = ask('text, vision', [ part('shot', 'note') ]);
is($res->{status}, 200, 'what the model takes');
is($res->header('X-Reasons'), undef, 'no header');
logged('nothing became words', '-');

$res = ask('text', [ part('shot', 'none', 'shot', 'note', 'none') ]);
is($res->header('X-Reasons'), 'artifact:shot=capability artifact:none=missing',
   'a header of the answer');
logged('each once', 'artifact:shot=capability artifact:none=missing');

ask('text, vision', [ part('wide', 'tiff', 'void') ]);
logged('others', 'artifact:wide=size artifact:tiff=type artifact:void=empty');

ask('text, vision', [ { type => 'text', text => 'x' } ], '/v1',
    { role => 'system', content => [ part('shot') ] });
logged('a position of text', 'artifact:shot=named');

my $url = 'data:image/png;base64,' . b64(png(9, 9));
ask('text', [ map { { type => 'image_url', image_url => { url => $url } } }
              1 .. 3 ]);
logged("the client's own media", 'image=capability');

ask('text, vision', [ { type => 'text', text => 'x' } ], '/small',
    { role => 'user', content => [ part('half', 'half') ] });
logged('no room', 'artifact:half=dropped');

ask('text', [ { type => 'image_url', image_url =>
                { url => 'https://example.com/a%20b%3dc%25d' } },
              part('x"y\\z', "\x{5de5}", "\x{5de5}" x 60, 'ws:../a', "\x{1}") ]);
logged('ids of all kinds', 'artifact:a%20b%3Dc%25d=capability '
       . 'artifact:x%22y%5Cz=missing artifact:%E5%B7%A5=missing artifact:'
       . '%E5%B7%A5' x 28 . '...=missing artifact:ws:../a=missing artifact:%01=missing');

$res = ask('text', [ part('shot') ], '/broken');
is($res->{status}, 502, 'a source that fails');
logged('has no words', '-');

# --- many -----------------------------------------------------------------

my @ids = map { sprintf '%08x-0000-4000-8000-000000000000', $_ } 1 .. 2000;
$res = ask('text', [ part(@ids) ]);
is($res->{status}, 200, '2,000 references');
my $line = $res->header('X-Reasons');
cmp_ok(length $line, '<=', 2048, 'are at most 2048 bytes');
my @shown = split / /, $line;
my $mark = pop @shown;
is($mark, '+' . (2000 - @shown), 'the last word counts the others');
is("@shown", join(' ', map { "artifact:$_=missing" } @ids[0 .. $#shown]),
   'the first ones are whole');
cmp_ok(scalar @shown, '>', 30, 'there are many of them');
logged('in the log as well', $line);

# --- routed answers -------------------------------------------------------

sub routed {
    my ($name, $uri, $accept, $want) = @_;
    $t->get($uri, 'X-Accept' => $accept);
    logged($name, $want);
}

routed('a description', '/routed/shot', 'text', 'artifact:shot=capability');
routed('with its prefix', '/routed/artifact:wide', 'vision',
       'artifact:wide=size');
routed('a content', '/routed/note', 'text', '-');
routed('not routed', '/routed/shot', '', '-');
routed('missing', '/routed/none', 'text', '-');
routed('a file', '/files/shot', 'text', 'artifact:files/shot=capability');

# --- messages -------------------------------------------------------------

$res = $t->req('POST', '/route', headers => ['X-Accept' => 'text'], body =>
    encode_json_bytes({ attachments => [ map { "artifact:$_" }
                                         qw(shot note none ws:../a) ] }));
is($res->{status}, 200, 'a message');
unlike($res->header('X-Reasons'), qr/shot|none/,
       'are not known when its header is sent');
logged('its attachments', 'artifact:shot=capability artifact:none=missing '
       . 'artifact:ws:../a=missing');

$echo->stop;
$t->finish;
