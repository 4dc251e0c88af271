#!/usr/bin/perl

# Media in base64 within the texts and the structured content of a tool's
# result become markers in their place; all else stays byte for byte.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(files_of left_behind until_true);
use MIME::Base64 qw(encode_base64);
use POSIX qw(ENOSPC);

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(launcher => $fail->launcher);

my %media = (
    png => [png(60, 60), 'image/png'],
    large => [png(30, 30) =~ s/(?=....IEND)/junk(3_000_000)/ser, 'image/png'],
    jpeg => [jpeg() =~ s/\A(.{20})/$1 . comment(5000)/ser, 'image/jpeg'],
    pdf => [pdf() . ('% x' x 2000) . "\n%%EOF\n", 'application/pdf'],
    wav => [wav_of(9000), 'audio/wav'],
);

# What no reader looks at: a chunk of a PNG, a segment of a JPEG.

sub junk {
    my $data = rand_bytes($_[0]);
    return pack('N', length $data) . 'juNk' . $data . "\0\0\0\0";
}

sub comment { return "\xff\xfe" . pack('n', $_[0] + 2) . rand_bytes($_[0]) }

sub wav_of {
    my $data = rand_bytes($_[0]);
    return 'RIFF' . pack('V', 36 + length $data) . 'WAVEfmt '
        . pack('VvvVVvv', 16, 1, 1, 8000, 8000, 1, 8) . 'data'
        . pack('V', length $data) . $data;
}

my %b64 = map { $_ => b64($media{$_}[0]) } keys %media;

sub tool {
    return '{"jsonrpc": "2.0","id":1,"result":' . $_[0] . '}';
}

# "@png@" stands for base64.

sub filled {
    my ($text) = @_;
    $text =~ s/\@(\w+)\@/$b64{$1}/g;
    return $text;
}

my $lines = encode_base64($media{png}[0]) =~ s/\n\z//r =~ s/\n/\\n/gr;
my $cut = substr $b64{png}, 0, 6000;
my $zip = b64(zip_of('a' => rand_bytes(6000)));

my %bodies = (
    copy => tool('{"content":[{"type":"image","data":"@png@","mimeType":'
        . '"image/png"}],"structuredContent":{"data":"@png@","n":1e0}}'),
    kinds => tool('{"structuredContent":{"a":["@png@",{"b":"@jpeg@"}],"c":'
        . '"@pdf@", "d" : "@wav@","e":null},"content":[]}'),
    text => tool('{"content":[{"type":"text","text":"{\"r\":[\"@png@\",\n'
        . '\"data:image/jpeg;base64,@jpeg@\"]} \u00e9 @png@"}]}'),
    large => tool('{"content":[{"type":"text","text":"@large@"},{"type":'
        . '"text","text":"see @large@."}],"structuredContent":"@large@"}'),
    lines => tool('{"content":[{"type":"text","text":"' . $lines . '\n\nx"}]}'),
    stays => tool('{"content":[{"type":"text","text":"' . "$cut x $zip"
        . ' x@png@"},{"type":"resource","resource":{"uri":"u:","text":'
        . '"@png@"}}],"structuredContent":{"@png@":"' . $cut . '"}}'),
    read => tool('{"contents":[{"uri":"u:","mimeType":"image/png","blob":'
        . '"@png@"},{"uri":"v:","text":"@png@"}]}'),
    many => tool('{"structuredContent":[' . join(',', ('"@png@"') x 5)
        . ']}'),
);

my %contents = map { ("$_/mcp" => { type => 'application/json',
    body => filled($bodies{$_}) }) } keys %bodies;

$contents{'events/mcp'} = { type => 'text/event-stream', body => filled(
    "event: message\ndata: $bodies{many}\n\n: x\n\ndata: $bodies{copy}\r\n\r\n")
};
$contents{"chat/chat/completions"} = { type => 'application/json',
    body => filled('{"choices":[{"message":{"content":"@png@"}}],'
                   . '"structuredContent":"@png@"}') };

my $up = ArtifactUpstream->new($t->prefix . '/up', contents => \%contents);
my $pass = 'proxy_pass http://unix:' . $t->prefix . '/up:/;';

$t->allow(qr/\[crit\]/);
$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_offload_min 4k;
    artifact_url https://files.example.com/;

    location /artifacts/ {
        artifact;
    }
    location /inline/ {
        artifact_offload on;
        $pass
    }
    location /threads/ {
        artifact_offload on;
        aio threads;
        proxy_buffering off;
        client_body_buffer_size 1k;
        $pass
    }
    location /few/ {
        artifact_offload on;
        artifact_refs_max 2;
        $pass
    }
    location /link/ {
        artifact_offload link;
        $pass
    }
SERVER


sub ask { return $t->get($_[0])->{body} }

my %marker;

# What the answer has to be: each "@png@" is a marker of the right artifact.

sub is_marked {
    my ($body, $want, $name) = @_;
    my @kinds = $want =~ /\@(\w+)\@/g;
    my ($pattern) = map { quotemeta } $want;
    $pattern =~ s/\\\@\w+\\\@/(\\[artifact:[0-9a-f-]{36}\\])/g;

    my @got = $body =~ /\A$pattern\z/;
    ok(@got == @kinds, "$name: markers") or return diag(substr $body, 0, 500);

    my @wrong;
    for my $i (0 .. $#kinds) {
        my $kind = $kinds[$i];
        $marker{$kind} //= $got[$i];
        push @wrong, "$i, $kind" if $got[$i] ne $marker{$kind};
    }
    is(join('; ', @wrong), '', "$name: one for each content");
}

for my $at (qw(/inline/ /threads/)) {
    for my $way ('', '?frame=chunked&step=1000', '?frame=close&step=77') {
        for my $name (qw(kinds text lines)) {
            (my $want = $bodies{$name})
                =~ s{data:image/jpeg;base64,}{};
            $want =~ s{\Q$lines\E}{'@png@'}e;
            is_marked(ask("$at$name/mcp$way"), $want, "$at$name$way");
        }

        is_marked(ask("${at}copy/mcp$way") =~ s{ image/png, [\d.]+ KB}{}r,
            tool('{"content":[{"type":"text","text":"@png@"}],'
                 . '"structuredContent":{"data":"@png@","n":1e0}}'),
            "${at}copy$way");

        is(ask("$at$_/mcp$way"), $contents{"$_/mcp"}{body}, "$at$_$way")
            for qw(stays read);
        is(ask("${at}chat/chat/completions$way"),
           $contents{'chat/chat/completions'}{body}, "${at}chat$way");
    }
    is_marked(ask("${at}large/mcp"), $bodies{large}, "${at}large");
}

for my $kind (sort keys %media) {
    my ($id) = $marker{$kind} =~ /:([0-9a-f-]+)/;
    ok($t->get("/artifacts/$id")->{body} eq $media{$kind}[0],
       "$kind: the bytes");
    is(json_of($t->get("/artifacts/$id/metadata"))->{mimeType},
       $media{$kind}[1], "$kind: the type");
}
is(scalar(grep { /\.meta\z/ } keys %{ files_of($t) }), scalar keys %media,
   'as many artifacts as contents');

# --- at most so many ------------------------------------------------------

my $two = tool('{"structuredContent":["@png@","@png@"'
               . ",\"$b64{png}\"" x 3 . ']}');
is_marked(ask('/few/many/mcp'), $two, 'the first two');

is_marked(ask('/few/events/mcp') =~ s{ image/png, [\d.]+ KB}{}r,
    "event: message\ndata: $two\n\n: x\n\ndata: "
    . tool('{"content":[{"type":"text","text":"@png@"}],"structuredContent":'
           . '{"data":"@png@","n":1e0}}') . "\r\n\r\n", 'of each message');

# --- links change blocks only ---------------------------------------------

for my $name (sort grep { $_ ne 'copy' } keys %bodies) {
    ok(ask("/link/$name/mcp") eq $contents{"$name/mcp"}{body},
       "links: $name stays");
}
like(ask('/link/copy/mcp'), qr/"resource_link".*\Q"data":"$b64{png}"\E/s,
     'links: a copy stays');

# --- failures, and an upstream that breaks off ----------------------------

for my $at (qw(/inline/ /threads/)) {
    for my $offset (0, 20_000, 1_000_000) {
        unlink map { $t->data . $_ } grep { m{/[0-9a-f-]{36}\.} }
            keys %{ files_of($t) };
        $fail->rules("write @{[ENOSPC]} $offset /artifacts/.artifact/tmp-");
        my $from = length $t->log;
        my $body = ask("${at}large/mcp");
        $fail->rules;
        ok($body eq $contents{'large/mcp'}{body},
           "$at, no space at $offset: as it came");
        ok(until_true(sub {
            substr($t->log, $from) =~ /left as it is: write "[^"]+" \(/ }, 2),
           "$at, no space at $offset: it is logged");
        is(left_behind($t), '', "$at, no space at $offset: nothing is left");
    }
    for my $offset (0, 20_000, 100_000) {
        $fail->rules("write @{[ENOSPC]} $offset /tmp/body");
        my $body = ask("${at}large/mcp");
        $fail->rules;
        ok($body eq $contents{'large/mcp'}{body},
           "$at, no space aside at $offset: as it came");
    }
    for my $cut (100, 5000, 2_000_000) {
        is(ask("${at}large/mcp?frame=close&cut=$cut"),
           substr($contents{'large/mcp'}{body}, 0, $cut),
           "$at: cut at $cut");
    }
    is(join(' ', grep { m{/[0-9a-f-]{36}\.} } keys %{ files_of($t) }), '',
       "$at: no artifact of that");
    is(left_behind($t), '', "$at: nothing is left");
}

$up->stop;
$t->finish;
