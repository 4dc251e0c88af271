#!/usr/bin/perl

# Long texts in the results of tools become excerpts: both ends as they stand,
# a sentence between them, and an artifact that has the whole text.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(files_of left_behind);
use JSON::PP;

my $JSON = JSON::PP->new->utf8->allow_nonref;

sub tool { return '{"jsonrpc":"2.0","id":1,"result":' . $_[0] . '}' }

sub text_of {
    my ($text, $ascii) = @_;
    return JSON::PP->new->allow_nonref->ascii($ascii // 0)->utf8(!$ascii)
        ->encode($text);
}

# A chunk of a PNG that no reader looks at.

sub junk {
    my $data = rand_bytes($_[0]);
    return pack('N', length $data) . 'juNk' . $data . "\0\0\0\0";
}

sub block { return '{"type":"text","text":' . text_of(@_) . '}' }

my $log = join '', map { "line $_ of a \"log\"\n" } 1 .. 40_000;
my $wide = join '', map { "行 $_ 😀\r\n" } 1 .. 3000;
my $line = join ' ', map { "$_" } 1 .. 300_000;
my $nested = $JSON->encode([map { { id => $_, name => "n\"$_\"" } } 1 .. 2000]);
my $emoji = "\x{1f600}" x 9000;
my $odd = ("\0a\x{2028}\x7f\t" x 5000) . "\n";
my $png = b64(png(40, 40) =~ s/(?=....IEND)/junk(30_000)/ser);
my $shot = "before\n$png\n" . ("after\n" x 5000);
my $half = '"' . ('x y\n' x 6000) . '\ud83d and \udc00"';

# Each: what the server says, and the text that is long.

my %cases = (
    log => [tool('{"content":[' . block($log) . '],"isError":false}'), $log],
    ascii => [tool('{"content":[' . block($wide, 1) . ']}'), $wide],
    utf8 => [tool('{"isError":true,"content":[' . block($wide) . ']}'), $wide],
    line => [tool('{"content":[' . block($line) . ']}'), $line],
    nested => [tool('{"content":[' . block($nested) . ']}'), $nested],
    emoji => [tool('{"content":[' . block($emoji, 1) . ']}'), $emoji],
    odd => [tool('{"structuredContent":{"a":[1,' . text_of($odd) . ']}}'),
            $odd],
    string => [tool('{"structuredContent":' . text_of($log) . '}'), $log],
    half => [tool("{\"structuredContent\":$half}"),
             ("x y\n" x 6000) . "\x{fffd} and \x{fffd}"],
    resource => [tool('{"content":[{"type":"resource","resource":{"uri":'
                      . '"file:///a.md","text":' . text_of($log)
                      . ',"mimeType":"Text/Markdown; charset=utf-8"}}]}'),
                 $log, 'text/markdown'],
);

# What stays as it is.

my %stays = (
    read => tool('{"contents":[{"uri":"a:","text":' . text_of($log) . '}]}'),
    prompt => tool('{"messages":[{"role":"user","content":'
                   . block($log) . '}]}'),
    error => '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":'
        . text_of($log) . '}}',
    user => tool('{"content":[{"type":"text","text":' . text_of($log)
                 . ',"annotations":{"audience":["user"]}}]}'),
    own => tool('{"content":[{"_meta":{"artifact/ref":"artifact:1"},"type":'
                . '"text","text":' . text_of($log) . '}]}'),
    ui => tool('{"content":[{"type":"resource","resource":{"uri":"ui://a",'
               . '"text":' . text_of($log) . '}}]}'),
    base64 => tool('{"content":[' . block(b64(rand_bytes(90_000))) . ']}'),
    short => tool('{"content":[' . block('x ' x 8191 . 'x') . ']}'),
    broken => substr(tool('{"content":[' . block($log)), 0, 300_000),
    damaged => tool('{"content":[{"type":"text","text":' . text_of($log)
                    . ',"x":}]}'),
);

my %contents = (
    (map { ("$_/mcp" => { type => 'application/json',
                          body => $cases{$_}[0] }) } keys %cases),
    (map { ("$_/mcp" => { type => 'application/json',
                          body => $stays{$_} }) } keys %stays),
    'image/mcp' => { type => 'application/json',
        body => tool('{"content":[' . block($shot) . ']}') },
    'exact/mcp' => { type => 'application/json',
        body => tool('{"content":[' . block('x ' x 8192) . ']}') },
    'many/mcp' => { type => 'application/json', body => tool(
        '{"content":[' . join(',', map { block("$_ $log") } 1 .. 30)
        . '],"structuredContent":[' . text_of("1 $log") . ']}') },
    'events/mcp' => { type => 'text/event-stream', body =>
        join '', map { "event: message\ndata: $_\n\n" }
        '{"method":"notifications/progress","params":{"message":'
        . text_of($log) . '}}', $cases{log}[0],
        '{"method":"notifications/progress","params":{"progress":1}}',
        $cases{ascii}[0] },
    'sse' => { type => 'text/event-stream', body =>
        "event: endpoint\ndata: /messages?id=1\n\n"
        . "event: message\r\ndata: $cases{log}[0]\r\n\r\n: ping\n\n" },
);

my $t = ArtifactTest->new;
my $up = ArtifactUpstream->new($t->prefix . '/up', contents => \%contents);
my $pass = 'proxy_pass http://unix:' . $t->prefix . '/up:/;';

$t->start(http => <<'HTTP', server => <<"SERVER");
    log_format offloaded '$uri $artifact_offloaded $artifact_offloaded_bytes';
    map $http_mcp_name $texts {
        default 16k;
        query off;
        wrong 12;
    }
HTTP
    artifact_root %%DATA%%;
    artifact_offload_text 16k;
    artifact_language en;

    location /artifacts/ {
        artifact;
    }
    location /status {
        artifact_status;
    }
    location /inline/ {
        access_log %%PREFIX%%/access.log offloaded;
        $pass
    }
    location /threads/ {
        aio threads;
        client_body_buffer_size 1k;
        artifact_offload on;
        proxy_buffering off;
        $pass
    }
    location /zh/ {
        artifact_language zh;
        artifact_offload_text 8k head=1k tail=0;
        $pass
    }
    location /off/ {
        artifact_offload_text off;
        artifact_offload on;
        $pass
    }
    location /map/ {
        artifact_offload_text \$texts;
        $pass
    }
    location /old/ {
        artifact_format mcp;
        $pass
    }
SERVER

sub asked {
    my ($at, $name, @headers) = @_;
    return $t->req('POST', "$at$name/mcp", body => '{}', timeout => 20,
                   headers => ['Content-Type' => 'application/json', @headers]);
}

# The references in an answer, in order.

sub refs {
    return $_[0] =~ /The whole text is artifact:([0-9a-f-]{36});/g;
}

sub stored {
    my ($id) = @_;
    return $t->get("/artifacts/$id")->{body};
}

my %ids;

for my $at (qw(/inline/ /threads/)) {
    for my $name (sort keys %cases) {
        my ($body, $text, $type) = @{ $cases{$name} };
        my $res = asked($at, $name);
        my ($id, @more) = refs($res->{body});

        ok(defined $id && !@more, "$at$name: one excerpt") or next;
        ok(eval { $JSON->decode($res->{body}); 1 }, "$at$name: JSON");
        cmp_ok(length $res->{body}, '<', 12_000, "$at$name: short");
        ok(stored($id) eq encode('UTF-8', $text), "$at$name: whole");
        is($ids{$name} //= $id, $id, "$at$name: the same each time");
        like($t->get("/artifacts/$id")->header('content-type'),
             qr{^\Q@{[ $type // 'text/plain' ]}\E\b}, "$at$name: its type");

        my ($head, $tail) = $res->{body}
            =~ /\A(.*?)(?:\\n)?\[\.\. .*?\\"grep\\"\.\]\\n(.*)\z/s;
        ok(index($body, $head) == 0 && $tail eq substr($body, -length $tail),
           "$at$name: the ends are the same bytes");
    }

    for my $name (sort keys %stays) {
        ok(asked($at, $name)->{body} eq $stays{$name}, "$at$name: stays");
    }
}

my $got = $JSON->decode(asked('/inline/', 'log')->{body});
like($got->{result}{content}[0]{text},
     qr/\Aline 1 of a "log"\n(?:line \d+ of a "log"\n)+\[\.\. lines \d+ to \d+ of 40000 are left out, 8\d\d\.\d KB of 8\d\d\.\d KB\. The whole text is artifact:[0-9a-f-]{36}; read_artifact reads parts of it: "lines", "bytes", "grep"\.\]\n(?:line \d+ of a "log"\n)+\z/,
     'lines');

my ($first, $last) = $got->{result}{content}[0]{text}
    =~ /lines (\d+) to (\d+) of/;
like($got->{result}{content}[0]{text}, qr/line @{[ $first - 1 ]} .*\n\[/,
     'the first line that is left out');
like($got->{result}{content}[0]{text}, qr/\]\nline @{[ $last + 1 ]} /,
     'the last one');

$got = $JSON->decode(asked('/inline/', 'line')->{body});
my ($from, $to, $size) = $got->{result}{content}[0]{text}
    =~ /\n\[\.\. bytes (\d+) to (\d+) of (\d+) are left out/;
is($size, length $line, 'bytes of all');
is($from, 2048, 'the head is full');
is(length($line) - $to - 1, 1024, 'so is the tail');

$got = $JSON->decode(asked('/zh/', 'log')->{body});
like($got->{result}{content}[0]{text},
     qr/\n\[\.\. 此处省略第 \d+ 至 40000 行（共 40000 行，8\d\d\.\d KB \/ 8\d\d\.\d KB）。全文: artifact:[0-9a-f-]{36}，可用 read_artifact 的 "lines"、"bytes"、"grep" 分段读取\]\z/,
     'in Chinese, without a tail');

is(scalar(refs(asked('/inline/', 'exact')->{body})), 1, 'just as long');

# markers and media come first

my $res = asked('/threads/', 'image');
my ($id) = refs($res->{body});
like(stored($id), qr/\Abefore\n\[artifact:[0-9a-f-]{36}\]\nafter\n/,
     'the text has the marker');
($id) = refs(asked('/inline/', 'image')->{body});
ok(stored($id) eq $shot, 'without artifact_offload it has the bytes');

# many

$res = asked('/threads/', 'many');
my @ids = refs($res->{body});
is(scalar @ids, 31, 'many in an answer');
is($ids[30], $ids[0], 'the same text is the same artifact');
my %seen = map { $_ => 1 } @ids;
is(scalar keys %seen, 30, 'the others are others');

# streams

for my $at (qw(/inline/ /threads/)) {
    $res = asked($at, 'events');
    is(scalar(() = $res->{body} =~ /^data: /mg), 4, "$at: all events");
    is_deeply([refs($res->{body})], [@ids{qw(log ascii)}],
              "$at: their results, no notifications");
    ok(index($res->{body}, text_of($log)) > 0, "$at: a notification stays");
}

$res = $t->get('/old/sse');
like($res->{body}, qr{\Aevent: endpoint\ndata: /messages\?id=1\n\n},
     'the older stream');
is_deeply([refs($res->{body})], [$ids{log}], 'its result');

# where it is off

ok(asked('/off/', 'log')->{body} eq $cases{log}[0], 'off');
is(scalar refs(asked('/map/', 'log')->{body}), 1, 'a variable');
ok(asked('/map/', 'log', 'Mcp-Name' => 'query')->{body} eq $cases{log}[0],
   'a tool that is excepted');

my $from_here = length $t->log;
$t->allow(qr/"artifact_offload_text" is off, its value "12"/);
ok(asked('/map/', 'log', 'Mcp-Name' => 'wrong')->{body} eq $cases{log}[0],
   'a value that is none');
like(substr($t->log, $from_here), qr/\[error\].*its value "12"/,
     'which is logged');

# what is counted

my $log_file = slurp($t->prefix . '/access.log');
my $bytes = length encode('UTF-8', $log);
like($log_file, qr{^/inline/log/mcp 1 $bytes$}m, 'variables');
like($log_file, qr{^/inline/short/mcp 0 0$}m, 'of an answer with short ones');
like($log_file, qr{^/inline/events/mcp 2 \d+$}m, 'of events');

my ($stored) = $t->get('/status?format=prometheus')->{body}
    =~ /^artifact_offloaded_total\{kind="text",outcome="stored"\} (\d+)$/m;
cmp_ok($stored // 0, '>', 60, 'texts are counted');

# nothing of what stays is kept

is(left_behind($t), '', 'nothing is left');

$up->stop;
$t->finish;
