#!/usr/bin/perl

# artifact_description where references are expanded: it is that of each source,
# and one line where its text is one.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;

$t->artifact('one', png(2, 2), { mimeType => 'image/png', name => 'one.png' });
$t->artifact('two', "ID3\x04" . "\0" x 100, { mimeType => 'audio/mpeg',
                                             name => "a\nnew: line.mp3" });
$t->artifact('large', png(2, 2) . 'x' x 3000, { mimeType => 'image/png',
                                                name => 'large.png' });

my $echo = echo("$dir/echo");
my $store = ArtifactUpstream->new("$dir/store", contents => {
    one => { body => png(2, 2), type => 'image/png',
             headers => ['Content-Disposition: inline; filename="far.png"'] },
});

my $own = 'artifact_description "($artifact_name) $artifact_mime: '
    . '$artifact_reason";';
my $pass = "proxy_pass http://unix:$dir/echo:;";
$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_accept text;
    location /artifacts/ { internal; artifact; }
    location /store/ { internal; proxy_pass http://unix:$dir/store:/; }
    location /v1/ { artifact_expand on; $own $pass }
    location /sees/ {
        artifact_expand on;
        artifact_accept vision;
        artifact_inline_max 2k;
        $own
        $pass
    }
    location /far/ {
        artifact_expand on;
        artifact_source /store/;
        $own
        $pass
    }
    location /asked/ {
        artifact_expand on;
        artifact_description "\$uri \$http_x_request_id";
        $pass
    }
    location /none/ {
        artifact_expand on;
        artifact_description \$nothing;
        set \$nothing "";
        $pass
    }
    location /message { artifact_message; $own }
    location /message/far {
        artifact_message;
        artifact_source /store/;
        $own
    }
SERVER

sub said {
    my ($uri, @ids) = @_;

    my $res = $t->req('POST', "$uri/chat/completions",
        headers => ['Content-Type' => 'application/json',
                    'X-Request-ID' => 'word'],
        body => '{"messages":[{"role":"user","content":[' . join(',', map {
            qq({"type":"image_url","image_url":{"url":"artifact:$_"}}) } @ids)
            . ']}]}');
    return map { $_->{text} // $_->{image_url}{url} }
        @{ decode_strict($res->body)->{messages}[0]{content} };
}

is_deeply([said('/v1', qw(one two one))],
          ['(one.png) image/png: capability',
           '(a_new: line.mp3) audio/mpeg: capability',
           '(one.png) image/png: capability'], 'each has its own');
is_deeply([said('/far', 'one')], ['(far.png) image/png: capability'],
          'of an upstream, too');
is_deeply([said('/asked', 'one', 'two')],
          ['/artifacts/one word', '/artifacts/two word'],
          'variables of nginx are those of the source');

my ($large, $one, $again) = said('/sees', qw(large one large));
is($large, '(large.png) image/png: size', 'the reason is told');
like($one, qr/^data:image/, 'one that is taken');
is($again, $large, 'and the reason of one that is there twice');

like((said('/v1', 'gone'))[0], qr/^\[无法读取\] artifact:gone\n/,
     'of a missing one there is nothing to tell');
like((said('/none', 'one'))[0], qr/^\[无法读取\] one\.png/,
     'an empty value: the built-in one');

# messages with attachments, likewise

for my $case (['/message', '(one.png) image/png: capability'],
              ['/message/far', '(far.png) image/png: capability'])
{
    my ($uri, $words) = @$case;
    my $res = $t->req('POST', $uri,
        headers => ['Content-Type' => 'application/json'],
        body => '{"attachments":["artifact:one"]}');
    like($res->body, qr/\Q$words\E/, "$uri: $words");
}

$store->stop;
$echo->stop;
$t->finish;
