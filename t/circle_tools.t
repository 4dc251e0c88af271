#!/usr/bin/perl

# What an MCP server returns, offloaded on its way to a client, comes back from
# that client in whatever form its framework makes of it; and the model gets the
# very bytes, once.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactTools;
use ArtifactUpstream;
use JSON::PP ();

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
my $echo = ArtifactUpstream->echo($t->prefix . '/echo');

my $pass = 'proxy_pass http://unix:' . $t->prefix . '/up:/;';
$t->file('map.json', sample_map());
$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => tool_location($t->prefix . '/echo') . <<"SERVER");
    artifact_root %%DATA%%;
    artifact_offload_min 1k;
    artifact_url $URL;

    location /artifacts/ {
        internal;
        artifact;
    }
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

sub json { return chars(JSON::PP->new->utf8->canonical->encode($_[0])) }

sub quoted { return JSON::PP->new->utf8->allow_nonref->encode($_[0]) }


# --- clients: what they make of a result, as the JSON value of a tool's result

sub texts { return map { $_->{text} } @{ $_[1]{content} } }

my %client = (
    'a string' => sub { return quoted(join "\n", texts(@_)) },
    'JSON' => sub { return quoted(json($_[1]{content})) },
    'JSON of what is structured' => sub {
        return quoted(json($_[1]{structuredContent}));
    },
    'JSON in JSON' => sub {
        return quoted(json({ output => json($_[1]), n => 1 }));
    },
    'JSON in JSON in JSON' => sub {
        return quoted(json({ a => json({ b => json($_[1]) }) }));
    },
    'text parts' => sub {
        my ($api, $result) = @_;
        return encode_json_bytes([map { text_part($api, $_) }
                                      texts($api, $result)]);
    },
    'text parts glued to others' => sub {
        my ($api, $result) = @_;
        return encode_json_bytes([map { text_part($api, "<a>${_}</a>") }
                                      texts($api, $result)]);
    },
);
my %verbatim = (
    'links as they are' => 'link', 'blocks as they are' => 'plain',
);

sub request {
    my ($api, $value) = @_;
    my $end = qq(,{"role":"user","content":"see"}]});

    return '{"contents":[{"role":"user","parts":[{"functionResponse":{"name":'
        . qq("f","response":{"x":$value}}}]}]}) if $api =~ /^gemini/;
    if ($api eq 'bedrock') {
        $value = qq([{"text":$value}]) if $value =~ /^"/;
        return '{"messages":[{"role":"user","content":[{"toolResult":{'
            . qq("toolUseId":"a","content":$value}}]}]});
    }
    return '{"model":"all","messages":[{"role":"user","content":[{"type":'
        . qq("tool_result","tool_use_id":"a","content":$value}]}]})
        if $api eq 'anthropic';
    return '{"model":"all","input":[{"type":"function_call_output","call_id":'
        . qq("a","output":$value}]}) if $api eq 'openai_responses';
    return '{"model":"all","messages":[{"role":"tool","tool_call_id":"a",'
        . qq("content":$value}$end);
}

sub check {
    my ($api, $mime, $value, $name) = @_;

    my $find = { mime => $mime, bytes => $content{$mime}, name => qr/./ };
    my $model = 'all';
    if (!takes($api, $model, $find)) {
        $find = undef;
    }
    my $body = request($api, $value);
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
        for my $name (sort keys %client) {
            my $value = $client{$name}->($api, $result);
            check($api, $mime, $value, "$api: $mime as $name");
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
        check($api, 'image/png', $client{'JSON in JSON'}->($api,
              result('marker', 'image/png')), "$api, time $_");
    } 1, 2;
    ok($bodies[0] eq $bodies[1], "$api: the same bytes");
}

$_->stop for $up, $echo;
$t->finish;
