#!/usr/bin/perl

# The tools of the MCP server: what each returns, and what it says of values
# that are wrong.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactMcp;
use ArtifactTest;
use ArtifactWrite;
use Encode qw(encode);

my $t = ArtifactTest->new(workers => 2);
my $OLDER = $OLDER[0];
my $png = png(40, 30);
my @SEES = (headers => ['X-LLM-Service' => 'sees']);
my $files = $t->data . '/workspaces';
my $LINES = join '', map { "line $_ of it\n" } 1 .. 1000;

$t->artifact('notes', "These are words.\n", { type => 'text/plain',
                                              name => 'notes.txt' });
$t->artifact('shot', $png, { type => 'image/png', name => 'Shot.PNG' });
$t->artifact('report', pdf(), { type => 'application/pdf', name => 'r.pdf' });
$t->artifact('log', $LINES, { type => 'text/plain', name => 'a.log' });
$t->artifact('crlf', "one\r\ntwo needle\r\nthree", { type => 'text/plain',
                                                    name => 'crlf.txt' });
$t->artifact('utf16',
             "\xff\xfe" . encode('UTF-16LE', "eins\nzwei ü\ndrei\n" x 30),
             { type => 'text/plain', name => 'utf16.txt' });
$t->artifact('odd', "a\n\xff\xfe needle\nb\n" . "plain words\n" x 50,
             { type => 'text/plain', name => 'odd.txt' });
$t->artifact('empty', '', { type => 'text/plain', name => 'empty.txt' });
$t->artifact('newline', 'x', { type => 'text/plain', name => "two\nlines" });
$t->workspace_file('ws', 'src/main.js', "main();\n");
$t->workspace_file('ws', 'src/deep/er.js', "er();\n");
$t->workspace_file('agent:1', "new\nline.txt", "n\n");

$t->file('map.json', { services => [
    { id => 'sees', capabilities => { input => [qw(text vision)] } },
    { id => 'reads', capabilities => { input => ['text'] } },
    { id => 'draws', capabilities => { input => ['text'],
                                       output => ['text', 'image'] } },
] });

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => mcp_server(server => <<'SERVER'));
    location = /hidden {
        artifact_mcp;
        artifact_index off;
    }
SERVER


# --- read_artifact -----------------------------------------------------------

sub reads {
    my ($args, %opt) = @_;
    return mcp_tool($t, 'read_artifact', $args, %opt);
}


for my $older (undef, @OLDER) {
    my @older = $older ? (older => $older) : ();

    for my $args ({ ref => 'artifact:notes' },
                  { ref => 'artifact:notes', max_bytes => 1000 })
    {
        like(mcp_words(reads($args, @older)), qr/These are words\./,
             'the text is there');
    }

    for my $args ({ workspace => 'ws', path => 'src/main.js' },
                  { ref => 'workspace:ws/src/main.js' },
                  { ref => 'artifact:' . ws_id('ws', 'src/main.js') })
    {
        like(mcp_words(reads($args, @older)), qr/main\(\);/, 'a file');
    }

    my $result = reads({ ref => 'artifact:shot' }, @older, @SEES);
    my ($image) = grep { $_->{type} eq 'image' } @{ $result->{content} };
    is($image->{data}, b64($png), 'an image for those that see');
    is($image->{mimeType}, 'image/png', 'with its type');

    $result = reads({ ref => 'artifact:shot' }, @older);
    is(join(' ', map { $_->{type} } @{ $result->{content} }), 'text',
       'words for those that read');
    like(mcp_words($result), qr/Shot\.PNG/, 'its name');
    unlike(mcp_words($result), qr/iVBORw0K/, 'no base64');
}

like(mcp_words(reads({ workspace => 'agent:1', path => "new\nline.txt" })),
     qr/\bn\b/, 'colons and newlines');
like(mcp_words(reads({ ref => 'artifact:report' })), qr/r\.pdf/,
     'a description');

for my $args ({}, { ref => '' }, { ref => 'artifact:none' }, { ref => 'none' },
              { workspace => 'ws' }, { path => 'src/main.js' },
              { workspace => 'ws', path => '' },
              { workspace => 'ws', path => '../ws/src/main.js' },
              { workspace => 'ws', path => 'none' },
              { workspace => '..', path => 'artifacts/notes' },
              { workspace => 'none', path => 'none' },
              { ref => '../../etc/passwd' }, { ref => 'file:///etc/passwd' },
              { ref => "artifact:notes\0" })
{
    for my $older (undef, $OLDER) {
        my $words = mcp_words(reads($args, fails => 1,
                                    $older ? (older => $older) : ()));
        like($words, qr/\w{3}/, 'there are words');
        unlike($words, qr{\Q@{[ $t->prefix ]}\E|root:}, 'not of the disk');
    }
}

# cut

my $words = mcp_words(reads({ ref => 'artifact:log', max_bytes => 100 }));
like($words, qr/line 1 of it/, 'its beginning');
unlike($words, qr/line 100 of it/, 'not all of it');
cmp_ok(length $words, '<', 1000, 'max_bytes is kept');


# --- lines and grep ----------------------------------------------------------

# The numbers of the lines that are shown, and the line that sums up.

sub numbered {
    my ($words) = @_;
    my @lines = split /\n/, $words;
    my $last = pop @lines;

    return (join(' ', map { /^\s*(\d+)\b/ ? $1 : () } @lines), $last // '');
}


sub shown {
    my ($args, $want, $label, %opt) = @_;
    my $words = mcp_words(reads($args, label => $label, %opt));
    my ($got, $last) = numbered($words);

    is($got, $want, "$label: the lines");
    return ($last, $words);
}


my @log = (ref => 'artifact:log');

my ($last, $all) = shown({ @log, lines => '100-103' }, '100 101 102 103',
                         'some lines');
like($last, qr/\b1000\b/, 'how many there are');
like($all, qr/line 100 of it\n.*line 101 of it\n/, 'the lines themselves');

shown({ @log, lines => '5' }, '5', 'one line');
shown({ @log, lines => '998-' }, '998 999 1000', 'to the end');
shown({ @log, lines => '-3' }, '998 999 1000', 'the last three');
shown({ @log, lines => '999-2000' }, '999 1000', 'beyond the end');
shown({ @log, lines => '1-2', grep => 'line 2 ' }, '1 2', 'grep within lines');
shown({ @log, grep => 'line 500 ' }, '498 499 500 501 502', 'a context of two');
shown({ @log, grep => 'line 500 ', context => 0 }, '500', 'none');
shown({ @log, grep => 'line 1 of', context => 1 }, '1 2', 'at the beginning');
shown({ @log, grep => 'line 1000 ', context => 3 }, '997 998 999 1000',
      'at the end');
shown({ @log, grep => 'line 50', context => 0 },
      join(' ', 50, 500 .. 509), 'several');
shown({ @log, lines => '501-503', grep => 'line 50', context => 0 },
      '501 502 503', 'only within the lines');
shown({ workspace => 'ws', path => 'src/main.js', lines => '1-' }, '1',
      'a file');

($last) = shown({ @log, grep => 'line 50', context => 0 },
                join(' ', 50, 500 .. 509), 'matches are counted');
like($last, qr/\b11\b/, 'how many match');
like($last, qr/\b1000\b/, 'of how many lines');

($last) = shown({ @log, grep => 'no such words' }, '', 'no match');
like($last, qr/\b0\b|\bno\b/i, 'none, it says');

($last, $all) = shown({ @log, grep => 'of it', max_bytes => 2000 },
    join(' ', 1 .. (() = mcp_words(reads({ @log, grep => 'of it',
         max_bytes => 2000 })) =~ /^\s*\d+\b.*of it$/mg)), 'many are cut');
cmp_ok(length $all, '<', 4000, 'max_bytes is kept');
like($last, qr/\b1000\b/, 'the sum is not cut');

for my $lines ('2000-3000', '1001-', '1001') {
    my $words = mcp_words(reads({ @log, lines => $lines }));
    like($words, qr/\b1000\b/, "out of range, $lines: words");
    unlike($words, qr/of it/, 'no lines');
}

for my $lines ('', 'a', '5-3', '-', '0', '0-5', '1-2-3', '1.5', '+1', ' 1',
               '-0', "1\n")
{
    reads({ @log, lines => $lines }, fails => 1);
}

reads({ @log, grep => '' }, fails => 1);
reads({ @log, grep => 'x', context => -1 }, fails => 1);

($last, $all) = shown({ ref => 'artifact:crlf', grep => 'needle',
                        context => 1 }, '1 2 3', 'CRLF, no last newline');
unlike($all, qr/\r/, 'no carriage return');
($last) = shown({ ref => 'artifact:crlf', lines => '-1' }, '3',
                'the last line');
like($last, qr/\b3\b/, 'three lines');

($last, $all) = shown({ ref => 'artifact:utf16', grep => 'ü', lines => '1-4',
                        context => 0 }, '2', 'UTF-16');
like($all, qr/zwei ü/, 'its words');
like(mcp_words(reads({ ref => 'artifact:shot', grep => 'IHDR' })),
     qr/\w{3}/, 'a binary: words');
unlike(mcp_words(reads({ ref => 'artifact:shot', lines => '1-2' }, @SEES)),
       qr/IHDR/, 'but not its bytes');
like(mcp_words(reads({ ref => 'artifact:empty', lines => '-5' })),
     qr/\b0\b|no\b/i, 'an empty file has no lines');


# --- lists -------------------------------------------------------------------

# A list: its lines and its structure.

sub listed {
    my ($tool, $args, %opt) = @_;
    my $result = mcp_tool($t, $tool, $args, %opt);
    my $structure = $result->{structuredContent} // {};
    my ($entries) = grep { ref $_ eq 'ARRAY' } values %$structure;
    my @lines = split /\n/, mcp_words($result);

    unlike(mcp_words($result), qr/\[artifact:/, 'no markers');
    return (\@lines, $entries // [], $structure->{nextCursor});
}


sub references {
    my ($lines) = @_;
    return join ' ', sort map { /(artifact:[^\s,;|)]+)/ ? $1 : () } @$lines;
}


my @ids = sort map { "artifact:$_" }
    qw(notes shot report log crlf utf16 odd empty newline);

for my $older (undef, $OLDER) {
    my ($lines, $entries, $next) = listed('list_artifacts', {},
        $older ? (older => $older) : ());

    is(references($lines), "@ids", 'a line each');
    is(scalar @$entries, scalar @ids, 'an entry each');
    is($next, undef, 'no other page');

    my ($shot) = grep { /artifact:shot/ } @$lines;
    like($shot, qr/Shot\.PNG/, 'the name');
    like($shot, qr{image/png}, 'the type');
    like($shot, qr/\d{4}-\d\d-\d\d/, 'the date');
}

is(references((listed('list_artifacts', $_->[0]))[0]), $_->[1],
   'only ' . encode_json_bytes($_->[0]))
    for [{ type => 'image/*' } => 'artifact:shot'],
        [{ type => 'application/pdf' } => 'artifact:report'],
        [{ name => 'sHoT' } => 'artifact:shot'],
        [{ name => '.LOG' } => 'artifact:log'],
        [{ name => 'utf', type => 'text/*' } => 'artifact:utf16'],
        [{ name => 'none of them' } => ''];

my ($cursor, @got);
do {
    my ($lines, $entries, $next) = listed('list_artifacts',
        { limit => 4, defined $cursor ? (cursor => $cursor) : () });

    cmp_ok(scalar @$entries, '<=', 4, 'at most four');
    push @got, split / /, references($lines);
    $cursor = $next;
} while (defined $cursor && @got < 100);

is("@{[ sort @got ]}", "@ids", 'all, in pages');

my ($lines, $entries) = listed('list_workspace', { workspace => 'ws' });
is(scalar @$entries, scalar(grep { /\S/ } @$lines), 'a line each');
like("@$lines", qr/src/, 'what is in a workspace');
($lines) = listed('list_workspace', { workspace => 'ws', path => 'src' });
like("@$lines", qr/main\.js/,
     'what is in a folder');
($lines, $entries) = listed('list_workspace', { workspace => 'agent:1' });
is(scalar @$entries, 1, 'a name with a newline');
is(scalar @$lines, 1, 'is one line');

# pages of a folder, whose names come before and after its own

$t->workspace_file('paged', "sub/$_", $_) for qw(a m sub t z);
(@got, my @pages) = ();
undef $cursor;
do {
    my (undef, $entries, $next) = listed('list_workspace',
        { workspace => 'paged', path => 'sub', limit => 2,
          defined $cursor ? (cursor => $cursor) : () });

    push @got, map { $_->{path} } @$entries;
    push @pages, scalar @$entries;
    $cursor = $next;
} while (defined $cursor && @pages < 10);
is("@got", join(' ', map { "sub/$_" } qw(a m sub t z)), 'each once, in order');
is("@pages", '2 2 1', 'in three pages');

for my $args ({}, { workspace => 'none' },
              { workspace => 'ws', path => 'none' },
              { workspace => '..' }, { workspace => 'ws', path => '../ws' },
              { workspace => 'ws', limit => 0 },
              { workspace => 'ws', limit => -1 })
{
    mcp_tool($t, 'list_workspace', $args, fails => 1);
}

mcp_tool($t, 'list_artifacts', { limit => 0 }, fails => 1);

for my $tool ('list_artifacts', 'list_workspace') {
    my $result = mcp_tool($t, $tool,
                          $tool =~ /space/ ? { workspace => 'ws' } : {},
                          at => '/hidden', fails => 1);
    like(mcp_words($result), qr/\w{3}/, 'without an index: words');
}

like(mcp_words(mcp_tool($t, 'find_service', { capability => 'vision' })),
     qr/\bsees\b/, 'who sees');
unlike(mcp_words(mcp_tool($t, 'find_service', { capability => 'vision' })),
       qr/\breads\b/, 'not who reads');
like(mcp_words(mcp_tool($t, 'find_service', { capability => 'image',
                                              direction => 'output' })),
     qr/\bdraws\b/, 'who draws');
mcp_tool($t, 'find_service', { capability => 'vision', direction => 'up' },
         fails => 1);
like(mcp_words(mcp_tool($t, 'find_service', {})), qr/sees.*reads/s,
     'all of them');


# --- writes ------------------------------------------------------------------

sub writes {
    my ($args, %opt) = @_;
    my $words = mcp_words(mcp_tool($t, 'write_file', $args, %opt));
    my ($tag) = $words =~ /([0-9a-f][0-9a-f-]{7,})\\?"/;

    return ($words, $tag);
}


for my $older (undef, $OLDER) {
    my @older = $older ? (older => $older) : ();
    my $ws = $older ? 'older' : 'modern';
    my $content = "text \"quoted\"\n\\ ü \x{1f600}\x01\n";

    my ($words) = writes({ workspace => $ws, path => 'a/b.txt',
                           content => $content }, @older);
    my $written = ws_id($ws, 'a/b.txt');
    like($words, qr/\Q$written\E/, 'its reference');
    is(slurp("$files/$ws/a/b.txt"), bytes($content), 'the content');

    my $tag = $t->get("/workspaces/$ws/a/b.txt")->header('ETag') // '';
    my $bare = $tag =~ tr/"//dr;
    like($words, qr/\Q$bare\E/, 'its tag');

    writes({ workspace => $ws, path => 'a/b.txt', base64 => b64($png),
             mime_type => 'image/png', if_match => $tag }, @older);
    is(slurp("$files/$ws/a/b.txt"), $png, 'bytes, for the same version');
    my $res = $t->get("/workspaces/$ws/a/b.txt");
    is($res->header('Content-Type'), 'image/png', 'their type');

    my $now = ($res->header('ETag') // '') =~ tr/"//dr;
    for my $old ($tag, $bare) {
        ($words) = writes({ workspace => $ws, path => 'a/b.txt', content => 'x',
                            if_match => $old }, @older, fails => 1);
        like($words, qr/\Q$now\E/, 'which version it is now');
    }
    is(slurp("$files/$ws/a/b.txt"), $png, 'nothing is lost');

    writes({ workspace => $ws, path => 'a/b.txt', content => 'bare',
             if_match => $now }, @older);
    is(slurp("$files/$ws/a/b.txt"), 'bare', 'a tag without quotes');
    writes({ workspace => $ws, path => 'a/b.txt', content => 'any',
             if_match => '*' }, @older);
    is(slurp("$files/$ws/a/b.txt"), 'any', 'any version');
    writes({ workspace => $ws, path => 'new.txt', content => 'x',
             if_match => '*' }, @older, fails => 1);
    ok(!-e "$files/$ws/new.txt", 'no version is not any');

    writes({ workspace => $ws, path => 'empty', content => '' }, @older);
    is(-s "$files/$ws/empty", 0, 'an empty file');

    mcp_tool($t, 'delete_file', { workspace => $ws, path => 'a/b.txt',
                                  if_match => $now }, @older, fails => 1);
    ok(-e "$files/$ws/a/b.txt", 'another version is not deleted');
    mcp_tool($t, 'delete_file', { workspace => $ws, path => 'a/b.txt' },
             @older);
    ok(!-e "$files/$ws/a/b.txt", 'it is');
    mcp_tool($t, 'delete_file', { workspace => $ws, path => 'a/b.txt' }, @older,
             fails => 1);

    $words = mcp_words(mcp_tool($t, 'save_artifact', { name => 'sämple.png',
        mime_type => 'image/png', base64 => b64($png) }, @older));
    my ($id) = $words =~ /artifact:([0-9a-f-]{36})/;
    ok($id, 'an artifact') or next;
    $res = $t->get("/artifacts/$id");
    is($res->body, $png, 'with the bytes');
    is($res->header('Content-Type'), 'image/png', 'and the type');
    like(mcp_words(reads({ ref => "artifact:$id" }, @older)), qr/sämple\.png/,
         'and the name');
    mcp_tool($t, 'save_artifact', { name => 'n.txt', content => 'words' },
             @older);
}

# the order of members: what is written may come before where to, and before
# what is to be done

for my $older (undef, $OLDER) {
    my $meta = $older ? '' : '"_meta":' . encode_json_bytes(mcp_meta()) . ',';
    my $ws = $older ? 'older' : 'modern';
    my $body = '{"params":{' . $meta . '"arguments":{"content":"first\u0021",'
        . "\"path\":\"o.txt\",\"workspace\":\"$ws\"},\"name\":\"write_file\"},"
        . '"method":"tools/call","jsonrpc":"2.0","id":1}';
    my @headers = mcp_headers('tools/call', { name => 'write_file' },
                              $older ? (older => $older) : ());

    mcp_result(mcp_post($t, $body, @headers), 'content first',
               $older ? (older => $older) : ());
    is(slurp("$files/$ws/o.txt"), 'first!', 'it is there');


    local $_ = $body;

    for my $case (
        ['a tool that does not write' => s/write_file/find_service/r],
        ['another method' => s{tools/call}{tools/list}r],
        ['no method' => s{"method":"tools/call",}{}r],
        ['no id' => s{,"id":1}{}r], ['a bad id' => s{"id":1}{"id":null}r],
        ['two ids' => s{"id":1}{"id":1,"id":2}r],
        ['content twice' => s/"path"/"content":"x","path"/r],
        ['an unknown argument' => s/"path"/"more":1,"path"/r],
        ['a path that is a number' => s/"o.txt"/7/r],
        ['no path' => s/"path":"o.txt",//r],
        ['no end' => substr $_, 0, -1],
    ) {
        my ($name, $text) = @$case;
        my $res = mcp_post($t, $text =~ s/first/second/r, @headers);
        like($res->status, qr/\A[24]\d\d\z/, "$name: is answered");
        is(slurp("$files/$ws/o.txt"), 'first!', "$name: wrote nothing");
    }

    is(left_behind($t), '', 'nothing is left');
}

for my $args (
    {}, { workspace => 'w' }, { path => 'p', content => 'c' },
    { workspace => 'w', path => 'p' },
    { workspace => 'w', path => 'p', content => 'c', base64 => 'YQ==' },
    { workspace => 'w', path => '../p', content => 'c' },
    { workspace => 'w', path => '', content => 'c' },
    { workspace => '..', path => 'p', content => 'c' },
    { workspace => 'a/b', path => 'p', content => 'c' },
    { workspace => 'w', path => 'p', base64 => '!!!!' },
    { workspace => 'w', path => 'p', base64 => 'YQ=' },
    { workspace => 'w', path => 'p', base64 => 'YQ==YQ==' },
    { workspace => 'w', path => 'p', content => 'c', mime_type => "a\nb" },
    { workspace => 'w', path => 'p' x 300, content => 'c' },
) {
    mcp_tool($t, 'write_file', $args, fails => 1);
}

ok(!-e "$files/w", 'none of them wrote');
is(left_behind($t), '', 'or left anything');

mcp_tool($t, 'save_artifact', $_, fails => 1)
    for { content => 'c', base64 => 'YQ==', name => 'n' }, { name => 'n' },
        { name => 'a/b', content => 'c' }, { name => "a\nb", content => 'c' },
        { name => 'n', base64 => '=' };

writes({ workspace => 'agent:2:x', path => "new\nline ü.txt",
         content => 'ok' });
is(slurp("$files/agent:2:x/new\nline " . bytes('ü.txt')), 'ok',
   'colons and newlines');

$t->finish;
