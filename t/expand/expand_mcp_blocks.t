#!/usr/bin/perl

# MCP's blocks that a client puts into the result of a tool as they came: no API
# takes them, so the API's own parts are made of them.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactTest;

my $UUID = '0198a7b2-1111-7222-8333-444455556666';

my $t = ArtifactTest->new;

my $png = png(30, 20);
my $mp3 = mp3();
my $pdf = pdf();
my $big = png(64, 64) . 'x' x 3_000_000;

$t->artifact($UUID, $png, { mimeType => 'image/png', name => 'shot.png' });
$t->artifact('big', $big, { mimeType => 'image/png' });
$t->artifact('guess', $png, { mimeType => 'image/png', name => 'g.png' });

$t->file('map.json', { services => [
    { id => 'sees', model => 'sees',
      capabilities => { input => [qw(text vision audio file)] } },
    { id => 'reads', model => 'reads', capabilities => { input => ['text'] } },
] });

my $echo = echo($t->prefix . '/echo');

my $common = <<"CONF";
        artifact_expand on;
        artifact_url https://files.example/a/;
        client_max_body_size 0;
        proxy_set_header X-Counts "\$artifact_refs \$artifact_expanded \$artifact_degraded \$artifact_saved";
        proxy_pass http://unix:@{[ $t->prefix ]}/echo:;
CONF

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_language en;
HTTP
    location /artifacts/ {
        internal;
        artifact;
    }
    location / {
        client_body_buffer_size 16k;
$common
    }
    location /memory/ {
        client_body_buffer_size 16m;
$common
    }
    location /small/ {
        artifact_body_max 6m;
$common
    }
SERVER

sub image {
    my ($bytes, $type) = @_;
    return { type => 'image', data => b64($bytes),
             mimeType => $type // 'image/png' };
}

my $audio = { type => 'audio', data => b64($mp3), mimeType => 'audio/mpeg' };
my $blob = { type => 'resource', resource => {
    uri => 'file:///srv/r.pdf', mimeType => 'application/pdf',
    blob => b64($pdf),
} };
my $words = { type => 'resource', resource => {
    uri => 'file:///srv/a.txt', mimeType => 'text/plain', text => "第一行\n",
} };
my $link = { type => 'resource_link', uri => "artifact:$UUID",
             name => 'shot.png', mimeType => 'image/png' };
my $guess = { type => 'resource_link', uri => 'artifact:guess',
              name => 'g.png' };

sub text { return { type => 'text', text => $_[0] } }

sub size {
    my ($n) = @_;
    return $n < 1024 ? "$n B" : sprintf '%.1f KB', $n / 1024 if $n < 1 << 20;
    return sprintf '%.1f MB', $n / (1 << 20);
}

sub short {
    my ($type, $bytes) = @_;
    return "[$type, " . size(length $bytes) . ']';
}

sub ask {
    my ($uri, $body, %opt) = @_;
    return $t->req('POST', $uri,
        body => ref $body ? encode_json_bytes($body) : $body,
        headers => ['Content-Type' => 'application/json']);
}

sub arrived {
    my ($uri, $body, $name) = @_;
    my $res = ask($uri, $body);
    is($res->status, 200, "$name: status");
    my ($counts) = ($res->header('X-Head') // '') =~ /X-Counts: ([^|]*)/;
    return (decode_strict($res->body), $counts);
}

# Chat Completions

sub chat {
    my ($model, @parts) = @_;
    return { model => $model, messages => [
        { role => 'tool', tool_call_id => 'c1', content => [@parts] },
        { role => 'tool', tool_call_id => 'c2', content => 'ok' },
        { role => 'user', content => 'q' },
    ] };
}

sub image_url {
    my ($bytes) = @_;
    return { type => 'image_url',
             image_url => { url => 'data:image/png;base64,' . b64($bytes) } };
}

my ($got, $counts) = arrived('/v1/chat/completions',
    chat(sees => text('see:'), image($png), $words, $link, $guess, $audio,
         $blob), 'openai');

is_deeply($got->{messages}, [
    { role => 'tool', tool_call_id => 'c1', content => [
        text('see:'), text(short('image/png', $png)), text("第一行\n"),
        text("Artifact content (shot.png): artifact:$UUID"),
        text('g.png (artifact:guess)'), text(short('audio/mpeg', $mp3)),
        text(short('application/pdf', $pdf)),
    ] },
    { role => 'tool', tool_call_id => 'c2', content => 'ok' },
    { role => 'user', content => [
        text(short('image/png', $png)), image_url($png),
        text('Artifact content (shot.png):'), image_url($png),
        text(short('audio/mpeg', $mp3)),
        { type => 'input_audio',
          input_audio => { data => b64($mp3), format => 'mp3' } },
        text(short('application/pdf', $pdf)),
        { type => 'file', file => {
            filename => 'r.pdf',
            file_data => 'data:application/pdf;base64,' . b64($pdf),
        } },
    ] },
    { role => 'user', content => 'q' },
], 'openai: media follow the messages of tools');
is($counts, '1 6 0 0', 'openai: the counters');

($got, $counts) = arrived('/v1/chat/completions',
                          chat(reads => image($big), $link), 'a text model');
is_deeply([map { $_->{type} } @{ $got->{messages}[0]{content} }],
          ['text', 'text'], 'a text model: gets words');
like($got->{messages}[0]{content}[0]{text},
     qr/\A\[Unreadable\] Image\nType: PNG image\nSize: 2\.9 MB\n/,
     'which describe the bytes');
is(scalar @{ $got->{messages} }, 3, 'nothing follows');
like($counts, qr/\A1 0 2 4\d{6}\z/, 'a text model: the counters');

# in place elsewhere, of any size, from memory and from files

my %anthropic = (model => 'sees', max_tokens => 9);

for my $at ('', '/memory') {
    my $block = image($big, 'image/gif');
    $block->{cache_control} = { type => 'ephemeral' };

    ($got) = arrived("$at/v1/messages", { %anthropic, messages => [
        { role => 'user', content => [
            { type => 'tool_result', tool_use_id => 't', content => [
                image($png), text('x'), $block, $words,
            ] },
            { type => 'text', text => 'q' },
        ] },
    ] }, "anthropic$at");

    is_deeply($got->{messages}[0]{content}[0]{content}, [
        { type => 'image', source => {
            type => 'base64', media_type => 'image/png', data => b64($png),
        } },
        text('x'),
        { type => 'image', cache_control => { type => 'ephemeral' },
          source => { type => 'base64', media_type => 'image/png',
                      data => b64($big) } },
        text("第一行\n"),
    ], "anthropic$at: blocks of their own, of the type that the bytes have");
}

# base64 as others write it: with escaped slashes, for URLs, in lines

my %written = (
    escaped => sub { $_[0] =~ s{/}{\\/}gr },
    url => sub { $_[0] =~ tr{+/}{-_}r =~ s/=+\z//r },
    lines => sub { join '\\r\\n', unpack '(A76)*', $_[0] },
);

for my $how (sort keys %written) {
    my $json = encode_json_bytes({ model => 'sees', input => [
        { type => 'function_call_output', call_id => 'c', output => [
            { type => 'image', data => 'DATA', mimeType => 'image/png' },
        ] },
    ] });
    my $base64 = $written{$how}->(b64($big));
    $json =~ s/DATA/$base64/;

    ($got) = arrived('/v1/responses', $json, $how);
    ok($got->{input}[0]{output}[0]{image_url}
       eq 'data:image/png;base64,' . b64($big), "$how: canonical base64");
}

# with a reference, whose rendering is in between

($got) = arrived('/v1/responses', { model => 'sees', input => [
    { type => 'function_call_output', call_id => 'c', output => [
        image($big), $link, image($png), $link,
    ] },
] }, 'responses');

sub input_image {
    my ($bytes) = @_;
    return { type => 'input_image', detail => 'auto',
             image_url => 'data:image/png;base64,' . b64($bytes) };
}

is_deeply($got->{input}[0]{output}, [
    map { input_image($_) } $big, $png, $png, $png,
], 'responses: bytes and references');

# the answer of a tool in error takes text only

($got) = arrived('/v1/messages', { %anthropic, messages => [
    { role => 'user', content => [
        { type => 'tool_result', tool_use_id => 't', is_error => \1,
          content => [image($png), $link] },
    ] },
] }, 'is_error');
is_deeply($got->{messages}[0]{content}[0]{content}, [
    text(short('image/png', $png)),
    text("Artifact content (shot.png): artifact:$UUID"),
], 'is_error: media are named');

# a blob that is a text is its text, whoever reads it, where the API takes no
# such file; what is no text in its place, or a text in the place of a picture,
# is described

sub blob_of {
    my ($bytes, $type, $lead) = @_;
    return { type => 'resource', resource => {
        uri => 'file:///srv/a.csv', $type ? (mimeType => $type) : (),
        blob => ($lead // '') . b64($bytes),
    } };
}

my $csv = bytes("id,\"名\"\n1,\x{e9}\n");

for my $model (qw(sees reads nobody)) {
    for ([$csv, 'text/csv'], [$csv, 'application/octet-stream'], [$csv],
         [$csv, 'text/csv', 'data:text/csv;base64,'],
         [bytes("\x{feff}") . $csv, 'text/plain'],
         [join('', map { ($_, "\0") } split //, 'x,y' x 20), 'text/csv'])
    {
        my $text = $_->[0] =~ /\0/ ? 'x,y' x 20
            : chars($csv);
        my $name = "$model, " . ($_->[1] // 'no type');
        ($got) = arrived('/v1/chat/completions', chat($model, blob_of(@$_)),
                         $name);
        is_deeply($got->{messages}[0]{content}, [text($text)],
                  "$name: its text");
        is(scalar @{ $got->{messages} }, 3, "$name: and nothing else");
        ($got) = arrived('/v1/messages', { %anthropic, model => $model,
            messages => [{ role => 'user', content => [
                { type => 'tool_result', tool_use_id => 't', content => [
                    text('x'), blob_of(@$_) ] } ] }] }, "anthropic, $name");
        is_deeply($got->{messages}[0]{content}[0]{content},
                  [text('x'), text($text)], "anthropic, $name: its text");
    }
    ($got) = arrived('/v1/chat/completions', chat($model,
        blob_of(" \n", 'text/csv')), 'blank');
    like($got->{messages}[0]{content}[0]{text}, qr/\AArtifact content \(/,
         "$model: a blank one is named");
    ($got) = arrived('/v1/chat/completions', chat($model,
        blob_of('x' x (1 << 20) . 'x', 'text/plain')), 'long');
    like($got->{messages}[0]{content}[0]{text}, qr/larger than may be inlined/,
         "$model: a long one is described");
    for (image($csv), blob_of($csv, 'image/png'),
         { type => 'audio', data => b64($csv), mimeType => 'audio/mpeg' })
    {
        ($got) = arrived('/v1/chat/completions', chat($model, $_), 'no text');
        like($got->{messages}[0]{content}[0]{text},
             qr/\A\[File processing failed: .*(?:image|audio)/,
             "$model: a text that should be something else");
    }
}
my ($locked) = $pdf =~ s!(trailer\s*<<)!$1/Encrypt 9 0 R!r;
($got) = arrived('/v1/messages', { %anthropic, messages => [
    { role => 'user', content => [
        { type => 'tool_result', tool_use_id => 't',
          content => [blob_of($locked, 'application/pdf')] },
    ] },
] }, 'locked');
like($got->{messages}[0]{content}[0]{content}[0]{text},
     qr/protected by a password/, 'a PDF with a password');

# the same bytes in each turn; nothing changes elsewhere

my $body = '{"model":"sees", "messages":[{"role":"user","content":[ '
    . '{"type":"image","data":"AAAA","mimeType":"image/png"},'
    . encode_json_bytes($link) . ',' . encode_json_bytes($words)
    . ']}] , "x":1e3}';
is(ask('/v1/chat/completions', $body)->body, $body,
   'a user may not write blocks: they stay');

my $one = encode_json_bytes(chat(sees => image($png), $words));
is(ask('/v1/chat/completions', $one)->body,
   ask('/memory/v1/chat/completions', $one)->body, 'the same bytes again');

# too much for the API: the oldest are described

($got) = arrived('/small/v1/chat/completions', { model => 'sees', messages => [
    { role => 'tool', tool_call_id => 'c1', content => [image($big)] },
    { role => 'assistant', content => 'x' },
    { role => 'tool', tool_call_id => 'c2', content => [image($png)] },
    { role => 'assistant', content => 'y' },
    { role => 'user', content => [{
        type => 'image_url', image_url => { url => 'artifact:big' },
    }] },
] }, 'the budget');
like($got->{messages}[0]{content}[0]{text},
     qr/\A\[Unreadable\] Image\nType: PNG image\nSize: 2\.9 MB\nThe file is /,
     'the budget: the oldest is described');
is_deeply([map { $_->{role} } @{ $got->{messages} }],
          [qw(tool assistant tool user assistant user)],
          'the budget: nothing follows it');

$echo->stop;
$t->finish;
