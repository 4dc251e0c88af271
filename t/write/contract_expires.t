#!/usr/bin/perl

# Artifacts that end: the time in the metadata, wherever one is made; from then
# on there is nothing, wherever one asks; what is malformed never ends.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactMcp;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw($TIME post until_true);
use POSIX qw(strftime);
use Time::HiRes qw(sleep);
use Time::Local qw(timegm);

my $t = ArtifactTest->new(workers => 2);
my $dir = $t->prefix;
my $HOUR = 3600;

my $once = png(50, 50) . rand_bytes(20_000);
my $png = png(40, 40);

sub images {
    return { type => 'application/json', body => '{"created":1,"data":['
             . '{"b64_json":"' . b64($_[0]) . '"}]}' };
}

my $echo = echo("$dir/echo");
my $answers = ArtifactUpstream->new("$dir/answers", contents => {
    'images/generations' => images($once),
    'fresh/images/generations' => images($once . 'fresh'),
    'never/images/generations' => images($once . 'never'),
    'short/images/generations' => images($once . 'short'),
    'chat/completions' => { type => 'application/json', body => '{}' },
});


# --- what is there -------------------------------------------------------------

sub at { return strftime('%Y-%m-%dT%H:%M:%S', gmtime $_[0]) . '.000Z' }

my $now = time;
my $PAST = at($now - 60);
my $LATER = at($now + 2 * $HOUR);

sub ends {
    my ($id, $when, %more) = @_;
    $t->artifact($id, $more{content} // "words of $id\n", {
        type => $more{type} // 'text/plain', name => "$id.txt",
        createdAt => '2024-01-01T00:00:00.000Z', expiresAt => $when,
    });
}

ends(gone => $PAST);
ends(later => $LATER);
ends(picture => $PAST, content => $png, type => 'image/png');
ends(first => '1970-01-01T00:00:00.000Z');
ends(stays => at($now + 30 * 86400));
$t->artifact('plain', "words of plain\n", { type => 'text/plain' });

my %malformed = (
    word => 'tomorrow', number => 5, negative => -1, past => $now - 60,
    empty => '', month => '2020-13-01T00:00:00.000Z',
    day => '2020-02-30T00:00:00.000Z', hour => '2020-01-01T25:00:00.000Z',
    date => '2020-01-01', list => ['2020-01-01T00:00:00.000Z'],
    object => { at => '2020-01-01T00:00:00.000Z' }, true => JSON::PP::true(),
    cut => '2020-01-01T00:00', more => '2020-01-01T00:00:00.000Z and more',
    zero => "2020-01-01T00:00:00.000Z\0",
);
ends("bad-$_", $malformed{$_}) for keys %malformed;

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_index on;
    artifact_accept "text, vision, file";
    artifact_offload_min 4k;
    artifact_service \$http_x_llm_service;

    location /artifacts/ {
        artifact;
        artifact_write on;
    }
    location /routed/ {
        artifact;
        artifact_route on;
    }
    location /hour/ {
        artifact;
        artifact_write on;
        artifact_expires 1h;
    }
    location /days/ {
        artifact;
        artifact_write on;
        artifact_expires 30d;
    }
    location /second/ {
        artifact;
        artifact_write on;
        artifact_expires 1s;
    }
    location /outer/ {
        artifact_expires 1h;
        location /outer/off/ {
            artifact;
            artifact_write on;
            artifact_expires off;
        }
        location /outer/in/ {
            artifact;
            artifact_write on;
        }
    }
    location /v1/files {
        artifact_files;
    }
    location /hour/v1/files {
        artifact_files;
        artifact_expires 1h;
    }
    location /half/v1/files {
        artifact_files;
        artifact_expires 30m;
    }
    location = /mcp {
        artifact_mcp;
        artifact_write on;
        artifact_expires 1h;
    }
    location = /route {
        artifact_message;
    }
    location /llm/ {
        artifact_expand on;
        proxy_pass http://unix:$dir/echo:;
    }
    location = /argument {
        artifact_argument data;
        proxy_pass http://unix:$dir/echo:;
    }
    location /offload/hour/ {
        artifact_offload on;
        artifact_expires 1h;
        proxy_pass http://unix:$dir/answers:/;
    }
    location /offload/days/ {
        artifact_offload on;
        artifact_expires 30d;
        proxy_pass http://unix:$dir/answers:/;
    }
    location /offload/second/ {
        artifact_offload on;
        artifact_expires 1s;
        proxy_pass http://unix:$dir/answers:/;
    }
    location /offload/off/ {
        artifact_offload on;
        proxy_pass http://unix:$dir/answers:/;
    }
SERVER


# Seconds since the epoch of a time in UTC with milliseconds.

sub seconds {
    my ($text) = @_;
    my @at = ($text // '') =~ /\A(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/
        or return 0;
    return timegm(@at[5, 4, 3, 2], $at[1] - 1, $at[0]);
}

sub meta_of { return json_of($t->get("/artifacts/$_[0]/metadata")) }

sub sidecar {
    my ($id) = @_;
    my $file = $t->data . "/artifacts/$id.meta";
    return -e $file ? decode_strict(slurp($file)) : {};
}

# This artifact ends that many seconds after it was made.

sub lives {
    my ($id, $seconds, $name) = @_;

    for (['on the disk', sidecar($id)], ['answered', meta_of($id)]) {
        my ($where, $meta) = @$_;

        if (!defined $seconds) {
            ok(!exists $meta->{expiresAt}, "$name: no end $where");
            next;
        }
        like($meta->{expiresAt} // '', $TIME, "$name: its end $where");
        my $life = seconds($meta->{expiresAt}) - seconds($meta->{createdAt});
        ok(abs($life - $seconds) <= 2, "$name: in $seconds s, $where")
            or diag("$life s");
    }
}

sub id_of { return ($_[0] // '') =~ /([0-9a-f]{8}-[-0-9a-f]{27})/ ? $1 : 'none' }


# --- where they are made -------------------------------------------------------

for my $case (['/hour/', $HOUR], ['/days/', 30 * 86400], ['/artifacts/', undef],
              ['/outer/in/', $HOUR], ['/outer/off/', undef])
{
    my ($at, $seconds) = @$case;

    my $res = post($t, 'name=a.txt', "by POST\n", at => $at);
    is($res->status, 201, "POST $at");
    my $data = json_of($res);
    is(exists $data->{metadata}{expiresAt} ? 1 : 0, defined $seconds ? 1 : 0,
       "POST $at: answered at once");
    lives(id_of($data->{artifactRef}), $seconds, "POST $at");
}

my $saved = mcp_tool($t, 'save_artifact', { name => 'b.txt', mime_type =>
                                            'text/plain', content => 'x' });
my $made = id_of(encode_json_bytes($saved));
lives($made, $HOUR, 'by MCP');


# Files: what the client asks for, and what the location allows.

sub upload {
    my ($at, $anthropic, %fields) = @_;

    my $body = join '', map {
        "--b\r\nContent-Disposition: form-data; name=\"$_\"\r\n\r\n$fields{$_}"
        . "\r\n" } sort keys %fields;
    $body .= "--b\r\nContent-Disposition: form-data; name=\"file\"; "
        . "filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nwords\n\r\n"
        . "--b--\r\n";
    my $res = $t->req('POST', "$at/v1/files", body => $body, headers => [
        'Content-Type' => 'multipart/form-data; boundary=b',
        $anthropic ? ('anthropic-version' => '2023-06-01') : ()]);
    is($res->status, 200, "$at: uploaded") or diag($res->body);
    my $data = json_of($res);
    my ($hex) = ($data->{id} // '') =~ /([0-9a-f]{32})\z/;
    return ($hex // '0' x 32) =~ s/\A(.{8})(.{4})(.{4})(.{4})/$1-$2-$3-$4-/r,
        $data;
}

for my $case (
    ['', 7200, 7200], ['', undef, undef], ['/hour', undef, $HOUR],
    ['/hour', 7200, $HOUR], ['/hour', 3600, $HOUR], ['/half', 3600, 1800],
) {
    my ($at, $asked, $seconds) = @$case;
    my $name = ($at || '/') . ' asked for ' . ($asked // 'nothing');

    my ($id, $data) = upload($at, 0, purpose => 'user_data', $asked ? (
        'expires_after[anchor]' => 'created_at',
        'expires_after[seconds]' => $asked) : ());
    lives($id, $seconds, "OpenAI: $name");
    is($data->{expires_at} // 'none', defined $seconds
       ? seconds(meta_of($id)->{expiresAt}) : 'none', "OpenAI: $name: told")
        if defined $seconds;
    is($data->{expires_at}, undef, "OpenAI: $name: not told")
        if !defined $seconds;

    ($id) = upload($at, 1, $asked ? (expires_in_seconds => $asked) : ());
    lives($id, $seconds, "Anthropic: $name");
}


# Offload: what is made again lives for the longer of both.

sub offloaded {
    my ($at, $what) = @_;
    my $res = $t->req('POST', "/offload/$at/${what}images/generations");
    return id_of(encode_json_bytes(json_of($res)));
}

for my $case (
    ['fresh/', ['hour', $HOUR], ['days', 30 * 86400], ['hour', 30 * 86400]],
    ['', ['days', 30 * 86400], ['hour', 30 * 86400]],
    ['never/', ['hour', $HOUR], ['off', undef], ['hour', undef],
     ['days', undef]],
) {
    my ($what, @turns) = @$case;
    my ($first, %before);

    for my $turn (@turns) {
        my $from = time;
        my $id = offloaded($turn->[0], $what);
        $first //= $id;
        is($id, $first, "offloaded as $turn->[0]: the same artifact");

        my $end = sidecar($id)->{expiresAt};
        if (!defined $turn->[1]) {
            ok(!defined $end, "offloaded as $turn->[0]: for ever");
        } else {
            ok(abs(seconds($end) - $from - $turn->[1]) <= 4,
               "offloaded as $turn->[0]: for the longer of both")
                or diag($end // 'no end');
        }
        is($t->get("/artifacts/$id")->status, 200, 'it is there');
    }
}

# after its end it is made anew

my $short = offloaded('second', 'short/');
is($t->head("/artifacts/$short")->status =~ /^(?:200|404)$/ ? 1 : 0, 1,
   'one of a second');
ok(until_true(sub { $t->head("/artifacts/$short")->status == 404 }, 10),
   'ends by itself');
is(offloaded('hour', 'short/'), $short, 'offloaded after its end');
is($t->get("/artifacts/$short")->body, $once . 'short', 'it is there again');
cmp_ok(seconds(sidecar($short)->{expiresAt}), '>', time + $HOUR - 60,
       'for an hour');


# --- after the end -------------------------------------------------------------

my $posted = id_of(json_of(post($t, 'name=a.txt', "soon\n",
                                at => '/second/'))->{artifactRef});
ok(until_true(sub { $t->get("/artifacts/$posted")->status == 404 }, 10),
   'what was posted for a second ends by itself');

my %body = (later => "words of later\n", stays => "words of stays\n",
            plain => "words of plain\n");

for my $id (qw(gone picture first), $posted) {
    for my $uri ("/artifacts/$id", "/artifacts/artifact:$id", "/routed/$id",
                 "/artifacts/$id/metadata", "/hour/$id")
    {
        error_is($t->get($uri, 'X-LLM-Capabilities' => 'vision'), 404,
                 'artifact_not_found', undef, "$uri is gone");
    }
    is($t->head("/artifacts/$id")->status, 404, "$id: HEAD");
    is($t->get("/artifacts/$id", Range => 'bytes=0-1')->status, 404,
       "$id: a range");
    is($t->get("/artifacts/$id", 'If-None-Match' => '*')->status, 404,
       "$id: not even not modified");
}

for my $id (sort keys %body) {
    is($t->get("/artifacts/$id")->body, $body{$id}, "$id is there");
}
is(meta_of('later')->{expiresAt}, $LATER, 'until when');

# listings

my $list = json_of($t->get('/artifacts/'));
my $text = encode_json_bytes($list);
like($text, qr/"(?:artifact:)?$_"/, "$_ is listed") for sort keys %body;
unlike($text, qr/"(?:artifact:)?$_"/, "$_ is not listed")
    for qw(gone picture first), $posted;
like($text, qr/\Q$LATER\E/, 'with its end');

# MCP

my @listed = map { $_->{uri} }
    map { @$_ } mcp_pages($t, 'resources/list', 'resources');
ok((grep { $_ eq 'artifact:later' } @listed), 'MCP lists what is there');
is(join(' ', grep { /:(?:gone|picture|first|\Q$posted\E)\z/ } @listed), '',
   'and not what is gone');

for my $older (undef, $OLDER[0]) {
    my @older = $older ? (older => $older) : ();
    mcp_error(mcp_ask($t, 'resources/read', { uri => 'artifact:gone' }, @older,
                      id => 1), 200, $older ? -32002 : -32602, 1,
              'MCP reads nothing');
    mcp_tool($t, 'read_artifact', { ref => 'artifact:gone' }, @older,
             fails => 1);
    my $result = mcp_tool($t, 'list_artifacts', {}, @older);
    unlike(mcp_words($result), qr/artifact:(?:gone|picture|first)\b/,
           'the tool does not list it');
    like(mcp_words($result), qr/artifact:later\b/, 'but this');
}
is(mcp_result(mcp_ask($t, 'resources/read', { uri => 'artifact:later' }),
              'MCP reads')->{contents}[0]{text}, $body{later}, 'what is there');

# requests and messages

sub sent {
    my ($at, $body) = @_;
    return json_of($t->req('POST', $at, body => $body,
                           headers => ['Content-Type' => 'application/json']));
}

my $llm = sent('/llm/v1/chat/completions', '{"model":"m","messages":[{"role":'
    . '"user","content":[{"type":"artifact","artifact":"artifact:picture"},'
    . '{"type":"image_url","image_url":{"url":"artifact:picture"}},'
    . '{"type":"artifact","artifact":"artifact:later"}]}]}');
my @parts = @{ $llm->{messages}[0]{content} // [] };
is($parts[$_]{type}, 'text', "part $_ is words") for 0 .. 2;
like($parts[$_]{text} // '', qr/artifact:picture/, "part $_: which")
    for 0, 1;
like($parts[2]{text} // '', qr/words of later/, 'the one that is there');

my $message = sent('/route', '{"payload":{"text":"x","attachments":'
                   . '["artifact:picture","artifact:later"]}}');
is(scalar @{ $message->{unsupportedAttachments} // [] }, 1,
   'a message names it');
like(encode_json_bytes($message), qr/words of later/, 'and has the other');

my $call = $t->req('POST', '/argument', body => '{"jsonrpc":"2.0","id":1,'
    . '"method":"tools/call","params":{"name":"t","arguments":{"a":'
    . '"artifact:gone"}}}', headers => ['Content-Type' => 'application/json']);
is(json_of($call)->{error}{code}, -32602, 'no tool gets it');


# --- Files ---------------------------------------------------------------------

my ($file) = upload('', 0, purpose => 'user_data',
                    'expires_after[anchor]' => 'created_at',
                    'expires_after[seconds]' => 3600);
my ($kept) = upload('', 0, purpose => 'user_data');
my $openai = 'file-art-' . $file =~ s/-//gr;
my $claude = 'file_art_' . $file =~ s/-//gr;
is($t->get("/v1/files/$openai")->status, 200, 'a file');

# its time has come

my $meta = sidecar($file);
$meta->{expiresAt} = $PAST;
my $path = $t->data . "/artifacts/$file.meta";
spew("$path.tmp", encode_json_bytes($meta));
rename "$path.tmp", $path or die "rename: $!";

my @claude = ('anthropic-version' => '2023-06-01');
for my $case ([$openai], [$claude, @claude]) {
    my ($id, @headers) = @$case;
    ok(until_true(sub { $t->get("/v1/files/$id", @headers)->status == 404 },
                  5), "$id is gone");
    is($t->get("/v1/files/$id/content", @headers)->status, 404, 'its content');
    is($t->get("/artifacts/$file")->status, 404, 'the artifact');
    unlike($t->get('/v1/files', @headers)->body, qr/\Q$id\E/, 'not listed');
    is($t->req('DELETE', "/v1/files/$id", headers => \@headers)->status, 404,
       'nothing to delete');
}
my $other = 'file-art-' . $kept =~ s/-//gr;
like($t->get('/v1/files')->body, qr/\Q$other\E/, 'another is listed');


# --- malformed -----------------------------------------------------------------

for my $kind (sort keys %malformed) {
    my $res = $t->get("/artifacts/bad-$kind");
    is("$res->{status} $res->{body}", "200 words of bad-$kind\n",
       "$kind: never ends");
    is($t->get("/artifacts/bad-$kind/metadata")->status, 200,
       "$kind: has metadata");
}
like(encode_json_bytes(json_of($t->get('/artifacts/'))), qr/bad-word/,
     'listed, too');
ok($t->wait_for(qr/\[warn\].*bad-word/), 'a warning says which');


# --- nothing below a reader ----------------------------------------------------

my $size = 8_000_000;
ends('slow', at(time + 3), content => 'x' x $size, type => 'text/plain');
my $conn = $t->connect(rcvbuf => 4096);
$conn->send("GET /artifacts/slow HTTP/1.1\r\nHost: x\r\nConnection: close"
            . "\r\n\r\n");
ok(until_true(sub { $t->get('/artifacts/slow/metadata')->status == 404 }, 10),
   'it ends while it is read');
unlink glob $t->data . '/artifacts/slow*';
my $res = $conn->response('GET');
is("$res->{status} " . length $res->{body}, "200 $size", 'and is read on');


# --- nginx -t ------------------------------------------------------------------

for my $case (['soon', 1], ['-1', 1], ['1h 2h', 1], ['off', 0],
              ['1s', 0], ['30d', 0], ['1y', 0])
{
    my ($value, $fails) = @$case;
    my ($code, $out) = $t->conf_test(server => "artifact_root %%DATA%%;\n"
                                     . "artifact_expires $value;");
    is($code ? 1 : 0, $fails, "artifact_expires $value") or diag($out);
    like($out, qr/conftest\.conf:\d+/, "$value: where") if $fails;
}

$t->finish;
