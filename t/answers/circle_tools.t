#!/usr/bin/perl

# What an MCP server returns, offloaded on its way to a client, comes back from
# that client in whatever form its framework makes of it; and the model gets the
# very bytes, once.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactTools;
use ArtifactUpstream;

my $t = ArtifactTest->new;

my $URL = 'https://files.example.com/a/';
my %content = map { $_ => content_of($_, 1500) }
    qw(image/png image/jpeg application/pdf audio/wav);

# the server: a text, and the content as a block and in structuredContent

sub answer {
    my ($mime) = @_;
    my $data = b64($content{$mime});
    my $block = $mime =~ m{^(image|audio)/}
        ? qq({"type":"$1","data":"$data","mimeType":"$mime"})
        : '{"type":"resource","resource":{"uri":"file:///r","mimeType":"'
          . qq($mime","blob":"$data"}});
    return '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text",'
        . qq("text":"Taken."},$block],"structuredContent":{"shot":"$data",)
        . '"ok":true}}}';
}

my $up = ArtifactUpstream->new($t->prefix . '/up', contents => {
    map { ("$_/mcp" => { type => 'application/json', body => answer($_) }) }
        keys %content });

my $pass = 'proxy_pass http://unix:' . $t->prefix . '/up:/;';
my $echo = tool_server($t, <<"SERVER");
    artifact_url $URL;

    location /marker/ {
        artifact_offload on;
        $pass
    }
    location /link/ {
        artifact_offload link;
        $pass
    }
    location /plain/ {
        $pass
    }
SERVER

sub result {
    my ($at, $mime) = @_;
    return json_of($t->get("/$at/$mime/mcp"))->{result};
}

my %verbatim = (
    'links as they are' => 'link', 'blocks as they are' => 'plain',
);

sub check {
    my ($api, $mime, $value, $name) = @_;

    my $find = { mime => $mime, bytes => $content{$mime}, name => qr/./ };
    my $model = 'all';
    if (!takes($api, $model, $find)) {
        $find = undef;
    }
    my $body = pasted_request($api, $value);
    my $res = $t->req('POST', uri_of($api, $model), body => $body,
                      headers => ['Content-Type' => 'application/json']);
    is($res->{status}, 200, "$name: 200") if $res->{status} != 200;

    my $got = json_of($res);
    is($find ? times_in(part_of($api, $find), $got) : 1, 1, $name)
        or diag(substr($body, 0, 300), "\n", substr $res->{body}, 0, 500);

    my $data = b64($content{$mime});
    my $times = () = $res->{body} =~ /\Q$data\E/g;
    is($times, $find ? 1 : 0, "$name: the bytes stand nowhere else");
    return $res->{body};
}

for my $mime (sort keys %content) {
    my $result = result('marker', $mime);
    like($result->{content}[1]{text}, qr/\A\[artifact:[^\]]+\] \Q$mime\E, /,
         "$mime: offloaded");

    for my $api (@APIS) {
        next if $api eq 'bedrock' && $mime eq 'audio/wav';
        for my $form (@FORMS) {
            check($api, $mime, pasted($api, $form, $result),
                  "$api: $mime as $form");
        }
        next if $api =~ /^(?:gemini|bedrock)/;
        for my $name (sort keys %verbatim) {
            my $blocks = result($verbatim{$name}, $mime)->{content};
            $blocks->[0] = text_part($api, 'Taken.');
            check($api, $mime, encode_json_bytes($blocks),
                  "$api: $mime, $name");
        }
    }
}

# the same call again is the same bytes again, whatever happened in between

for my $api (@APIS) {
    my @bodies = map {
        check($api, 'image/png', pasted($api, 'JSON in JSON',
              result('marker', 'image/png')), "$api, time $_");
    } 1, 2;
    ok($bodies[0] eq $bodies[1], "$api: the same bytes");
}

$_->stop for $up, $echo;
$t->finish;
