#!/usr/bin/perl

# MCP's tools that write: files and artifacts of text and of base64, their
# types and tags, preconditions, removal, and what is refused.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactMcpWrite;
use ArtifactTest;
use ArtifactWrite;
use JSON::PP ();

my $t = ArtifactTest->new;
$t->start(server => mcp_server(<<'SERVER'));
    location = /chinese {
        artifact_mcp;
        artifact_language zh;
    }
    location = /no-tags {
        artifact_mcp;
        etag off;
    }
    location = /status {
        artifact_status;
    }
SERVER

my $every = join '', map { chr } 0 .. 255;
my $text = "第一行\nline \"2\"\t\\\r\n\0\x{1f600}end";
my $dir = $t->data . '/workspaces';

# --- files ----------------------------------------------------------------

for my $at (qw(/mcp /mcp-inline)) {
    my $ws = $at =~ /inline/ ? 'inline' : 'threads';
    my @ws = (workspace => $ws);

    my $tag = wrote($t, tool($t, 'write_file',
        [@ws, path => 'notes/a.md', content => $text], at => $at),
        "$ws/notes/a.md", bytes($text), "$at: a file of text");
    my $again = wrote($t, tool($t, 'write_file',
        [@ws, path => 'notes/a.md', content => 'new'], at => $at),
        "$ws/notes/a.md", 'new', "$at: is replaced");
    isnt($again, $tag, "$at: and has another tag");

    wrote($t, tool($t, 'write_file',
        [@ws, path => 'every.bin', base64 => b64($every)], at => $at),
        "$ws/every.bin", $every, "$at: a file of bytes");
    wrote($t, tool($t, 'write_file', [@ws, path => 'empty', content => ''],
        at => $at), "$ws/empty", '', "$at: an empty text");
    wrote($t, tool($t, 'write_file', [@ws, path => 'none', base64 => ''],
        at => $at), "$ws/none", '', "$at: empty base64");

    for my $size (65_535, 65_536, 65_537, 200_001) {
        my $bytes = substr $every x 1000, 1, $size;
        wrote($t, tool($t, 'write_file',
            [@ws, path => 'large', base64 => b64($bytes)], at => $at),
            "$ws/large", $bytes, "$at: base64 of $size bytes");
        my $long = substr "\x{4e2d}a\n" x $size, 0, $size;
        wrote($t, tool($t, 'write_file',
            [@ws, path => 'large', content => $long], at => $at),
            "$ws/large", bytes($long), "$at: a text of $size characters");
    }

    my $entry = entry_when($t, "$ws/notes/a.md", sub {
        @{ $_->{modifiedBy} || [] } == 2
    }, 3);
    is($entry && "$entry->{modifiedBy}[1]{agentId} "
               . $entry->{modifiedBy}[1]{messageId}, 'robot m1',
       "$at: agent and message are recorded");
}

# forms of base64 that others send

for my $case (['url-safe', b64url($every)], ['no padding', 'YQ', 'a'],
              ['lines', b64($every) =~ s/(.{60})/$1\\r\\n/gr])
{
    my ($name, $base64, $bytes) = @$case;
    wrote($t, tool($t, 'write_file',
        [workspace => 'w', path => 'form', base64 => \"\"$base64\""]),
        'w/form', $bytes // $every, "base64: $name");
}

# escapes of every kind

wrote($t, tool($t, 'write_file', [workspace => 'w', path => 'escapes',
    content => \'"\u4e2d\/\b\f\n\r\t\"\\\\\ud83d\ude00\u0000\u00e9"']),
    'w/escapes', bytes("\x{4e2d}/\b\f\n\r\t\"\\\x{1f600}\0\x{e9}"),
    'text: escapes');

# paths

for my $case (['a/./b/../c', 'a/c'], ['a//d', 'a/d'], ['..hidden', '..hidden'],
              ['a\\b', 'a\\b'], ["中文 %2F?", "中文 %2F?"])
{
    my ($path, $is) = @$case;
    wrote($t, tool($t, 'write_file',
        [workspace => 'paths', path => $path, content => 'x']),
        bytes("paths/$is"), 'x', bytes("path: $path"));
}
wrote($t, tool($t, 'write_file', [workspace => 'a:b', path => 'f',
    content => 'x']), 'a:b/f', 'x', 'a workspace with a colon');

# --- types ----------------------------------------------------------------

for my $case (
    ['the name', 'x.csv', [content => 'x'], 'text/csv'],
    ['the name, bytes', 'x.png', [base64 => 'AAAA'], 'image/png'],
    ['any text', 'README', [content => 'x'], 'text/plain'],
    ['any bytes', 'blob', [base64 => 'AAAA'], 'application/octet-stream'],
    ['given', 'y.csv', [content => 'x', mime_type => 'text/x-own'],
     'text/x-own'],
    ['a parameter', 'z', [content => 'x',
     mime_type => 'text/html; charset=utf-8'], 'text/html; charset=utf-8'],
    ['empty', 'e.json', [content => '1', mime_type => ''],
     'application/json'],
) {
    my ($name, $path, $args, $type) = @$case;
    tool($t, 'write_file', [workspace => 'types', path => $path, @$args]);
    my $entry = entry_when($t, "types/$path", sub { 1 }, 3);
    is($entry->{mimeType}, $type, "type: $name");
}

# --- artifacts ------------------------------------------------------------

for my $at (qw(/mcp /mcp-inline)) {
    my $plain = $text =~ tr/\0//dr;
    saved($t, tool($t, 'save_artifact', [name => '图 1.md', content => $plain],
        at => $at), bytes($plain), bytes('图 1.md'), 'text/markdown',
        "$at: an artifact of text");
    saved($t, tool($t, 'save_artifact', [name => '100%.bin',
        mime_type => 'application/x-own', base64 => b64($every x 1000)],
        at => $at), $every x 1000, '100%.bin', 'application/x-own',
        "$at: one of bytes");
    my $id = saved($t, tool($t, 'save_artifact', [content => 'x'], at => $at),
        'x', undef, 'text/plain', "$at: one without a name");
    my $meta = json_of($t->get("/artifacts/$id/metadata"));
    is($meta->{messageId}, 'm1', "$at: its message");
    ok(-e $t->data . "/artifacts/$id.txt", "$at: its extension");
    ok(-e $t->data . "/artifacts/$id.meta", "$at: its sidecar");
}

# --- preconditions --------------------------------------------------------

my @file = (workspace => 'match', path => 'f');
refused(tool($t, 'write_file', [@file, content => 'x', if_match => '*']),
        qr/precondition/, 'if_match: no such file');
ok(!-e "$dir/match", 'if_match: no workspace is made, either');

my $tag = wrote($t, tool($t, 'write_file', [@file, content => '1']),
                'match/f', '1', 'if_match: none');
for my $form (qw(quotes bare star list)) {
    my %match = (quotes => $tag, bare => $tag =~ s/"//gr, star => '*',
                 list => "\"other\", $tag");
    $tag = wrote($t, tool($t, 'write_file',
        [@file, content => $form, if_match => $match{$form}]),
        'match/f', $form, "if_match: $form");
}
for my $form ('"old"', 'old', '', '"', "W/$tag", '"old', '**') {
    my $size = length $t->log;
    my $got = tool($t, 'write_file',
                   [@file, content => 'lost', if_match => $form]);
    refused($got, qr/precondition/, "if_match: $form");
    like($got->{words}, qr/\Q$tag\E/, "if_match: $form: the current tag");
    like(substr($t->log, $size), qr{\[info\].*/match/f" is not written},
         "if_match: $form: a line of the log");
}
isnt(slurp("$dir/match/f"), 'lost', 'if_match: nothing is lost');
refused(tool($t, 'delete_file', [@file, if_match => 'old']), qr/\Q$tag\E/,
        'delete_file: an old tag');
ok(-e "$dir/match/f", 'delete_file: it is still there');
deleted($t, tool($t, 'delete_file', [@file, if_match => $tag]), 'match/f',
        'delete_file: its tag');
refused(tool($t, 'delete_file', [@file]), qr/does not exist/,
        'delete_file: no file');
refused(tool($t, 'delete_file', [workspace => 'no', path => 'f']),
        qr/workspace does not exist/, 'delete_file: no workspace');
refused(tool($t, 'delete_file', [workspace => 'threads', path => 'notes']),
        qr/in the way/, 'delete_file: a folder');

my $no_tag = tool($t, 'write_file', [@file, content => 'x'], at => '/no-tags');
is(join(' ', sort keys %{ $no_tag->{structured} }), 'artifactId ok path',
   'etag off: no tag');

# --- refused --------------------------------------------------------------

tool($t, 'write_file', [workspace => 'w', path => 'file', content => 'old']);
my $before = files_of($t);

for my $case (
    ['bad base64', [base64 => 'YW*j'], qr/base64/],
    ['bad at its end', [base64 => b64($every x 1000) . '!'], qr/base64/],
    ['bad at its begin', [base64 => '!' . b64($every x 1000)], qr/base64/],
    ['one digit too many', [base64 => 'YWJjY'], qr/base64/],
    ['incomplete padding', [base64 => 'YQ='], qr/base64/],
    ['a data URL', [base64 => 'data:text/plain;base64,YQ=='], qr/base64/],
    ['a bad type', [content => 'x', mime_type => "a/b\nX: y"], qr/mime_type/],
    ['neither', [], qr/content.*base64/],
    ['both', [content => 'x', base64 => 'YQ=='], qr/content.*base64/],
    ['both, large', [content => 'x' x 100_000, base64 => 'YQ==' x 100_000],
     qr/content.*base64/],
) {
    my ($name, $args, $re) = @$case;
    refused(tool($t, 'write_file', [workspace => 'w', path => 'file',
                                    @$args]), $re, "file, $name");
    refused(tool($t, 'save_artifact', $args), $re, "artifact, $name");
}

for my $case (['../x', qr/leaves its workspace/], ['a/../../x', qr/leaves/],
              ['/x', qr/leaves/], ['//', qr/leaves/],
              ['', qr/./], ['.', qr/./], ['a/', qr/./],
              ['x' x 256, qr/name is not valid/], ["a\0b", qr/./],
              ['file/below', qr/in the way/])
{
    my ($path, $re) = @$case;
    my $show = length $path > 99 ? 'a long name' : $path;
    refused(tool($t, 'write_file', [workspace => 'w', path => $path,
                                    content => 'x']), $re, "path $show");
}
for my $ws ('', '..', '.artifact', 'a/b', 'sp ace', '.hidden', "n\nl",
            'x' x 256)
{
    my $show = length $ws > 99 ? 'a long name' : $ws =~ s/\n/\\n/r;
    refused(tool($t, 'write_file', [workspace => $ws, path => 'new',
                                    content => 'x']), qr/./,
            "workspace $show");
}
for my $name ('a/b', '..', "n\nl", 'x' x 256) {
    my $show = length $name > 99 ? 'a long name' : $name =~ s/\n/\\n/r;
    refused(tool($t, 'save_artifact', [name => $name, content => 'x']),
            qr/name is not valid/, "artifact $show");
}
like(tool($t, 'write_file', [workspace => 'w', path => '../x',
                             content => 'x'], at => '/chinese')->{words},
     qr/路径超出工作区范围/, 'words in Chinese');
nothing_changed($t, $before, 'refused');

# --- messages that are no such call ---------------------------------------

my $big = 'x' x 100_000;
my @write = (workspace => 'w', path => 'file', content => $big);
my $call = tool_text('write_file', \@write);

for my $case (
    ['an unknown argument', tool_text('write_file', [@write, mode => 'a']),
     qr/argument: mode\. .*if_match/],
    ['one of another tool', tool_text('write_file', [@write, name => 'a']),
     qr/argument: name\. /],
    ['a type that is wrong', tool_text('write_file',
     [workspace => 'w', path => 7, content => $big]), qr/"path".*string/],
    ['content that is no string', tool_text('write_file',
     [workspace => 'w', path => 'file', content => [1]]),
     qr/"content".*string/],
    ['content that is null', tool_text('write_file',
     [workspace => 'w', path => 'file', content => undef]),
     qr/"content" and "base64"/],
    ['an unknown tool', tool_text('write_files', \@write), 200, -32602],
    ['a tool that reads', tool_text('read_artifact', \@write),
     qr/argument: content\. /],
    ['arguments that are no object', $call =~ s/"arguments":.*/"arguments":[]}}/r,
     200, -32602],
    ['a content twice', tool_text('write_file', [@write, content => 'y']),
     400, -32600],
    ['a path twice', tool_text('write_file', [@write, path => 'f']),
     400, -32600],
    ['arguments twice', $call =~ s/(?=\}\}\z)/,"arguments":{}/r, 400, -32600],
    ['an id that is none', tool_text('write_file', \@write, id => [1]),
     400, -32600],
    ['something after it', "$call,", 400, -32700],
    ['not its end', substr($call, 0, -1), 400, -32700],
    ['invalid UTF-8', $call =~ s/xxx"/xx\xff"/r, 400, -32700],
    ['a batch', "[$call]", 400, -32600],
    ['another method', $call =~ s{tools/call}{tools/calls}r, 200, -32601],
) {
    my ($name, $message, $status, $code) = @$case;
    for my $at (qw(/mcp /mcp-inline)) {
        my $got = call_text($t, $message, at => $at);
        ref $status ? refused($got, $status, "$at: $name")
            : tool_error($got, $status, $code, "$at: $name");
    }
}

for my $at (qw(/mcp /mcp-inline)) {
    my $got = tool($t, 'write_file', \@write, id => undef, at => $at);
    is("$got->{status} $got->{res}{body}", '202 ', "$at: a notification");
}

for my $tool (qw(write_file save_artifact delete_file)) {
    my @args = $tool eq 'save_artifact' ? (content => $big)
        : $tool eq 'write_file' ? @write : (workspace => 'w', path => 'file');
    tool_error(tool($t, $tool, \@args, at => '/read-only'), 200, -32602,
               "$tool where nothing is written");
}

# the modern revision: a header that says something else

my $modern = $call =~ s/(?="name":"write_file")/"_meta":{
    "io.modelcontextprotocol\/protocolVersion":"2026-07-28",
    "io.modelcontextprotocol\/clientCapabilities":{}},/r;
for my $case (['write_file', 200], ['write_files', 400], ['delete_file', 400]) {
    my ($header, $status) = @$case;
    my $res = $t->req('POST', '/mcp', body => $modern, headers => [
        'Content-Type' => 'application/json',
        'Accept' => 'application/json, text/event-stream',
        'MCP-Protocol-Version' => '2026-07-28', 'Mcp-Method' => 'tools/call',
        'Mcp-Name' => $header]);
    is($res->{status}, $status, "modern, the header says $header");
    is(slurp("$dir/w/file"), $status == 200 ? $big : 'old',
       "modern, the header says $header: the file")
        or next;
    tool($t, 'write_file', [workspace => 'w', path => 'file',
                            content => 'old']);
}
nothing_changed($t, $before, 'messages that are no such call');

# without "artifact_write" nothing is made on the disk, not even for a while

my $bare = ArtifactTest->new;
$bare->start(server => mcp_server());
tool($bare, 'write_file', \@write, at => '/read-only');
is(join(' ', grep { -e $bare->data . "/$_/.artifact" }
             qw(artifacts workspaces)), '', 'read only: no control folder');
$bare->stop;
$bare->check_log;

# --- schemas --------------------------------------------------------------

my $list = call_text($t, members(jsonrpc => '2.0', id => 1,
                                 method => 'tools/list'));
my %schema = map { ($_->{name} => $_->{outputSchema}) }
    @{ $list->{result}{tools} };
for my $case (['write_file', workspace => 's', path => 'f', content => 'x'],
              ['save_artifact', content => 'x'],
              ['delete_file', workspace => 's', path => 'f'])
{
    my ($tool, @args) = @$case;
    my $got = tool($t, $tool, \@args)->{structured};
    ok($schema{$tool}, "$tool: has a schema of its output");
    is(schema_problems($schema{$tool}, $got), '', "$tool: it is as that says");
}

# --- counters -------------------------------------------------------------

sub counted {
    my ($line) = @_;
    return $t->get('/status')->body =~ /^\Q$line\E (\d+)$/m ? $1 : 0;
}

for my $case (['put', 'created', [write_file => [workspace => 'n', path => 'f',
                                                 content => '123']]],
              ['put', 'changed', [write_file => [workspace => 'n', path => 'f',
                                                 content => '1']]],
              ['put', 'refused', [write_file => [workspace => 'n', path => 'f',
                                      content => '1', if_match => 'x']]],
              ['post', 'created', [save_artifact => [content => '12']]],
              ['delete', 'changed', [delete_file => [workspace => 'n',
                                                     path => 'f']]])
{
    my ($operation, $outcome, $call) = @$case;
    my $line = "artifact_writes_total{operation=\"$operation\","
        . "outcome=\"$outcome\"}";
    my $was = counted($line);
    tool($t, @$call);
    is(counted($line), $was + 1, "counted: $operation $outcome");
}

$t->finish;
