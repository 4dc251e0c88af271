#!/usr/bin/perl

# Resources of the MCP server: lists in pages while things are written and
# deleted, cursors, URIs of every form, texts and blobs.

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
use MIME::Base64 qw(decode_base64);

my $t = ArtifactTest->new(workers => 2);
my $PARAMS = -32602;
my $OLDER = $OLDER[0];
my $png = png(40, 30);

$t->artifact('text', "words, \"quoted\"\n\\ \x01 é\n" =~ s/é/\xc3\xa9/r,
             { type => 'text/plain', name => 'notes.txt' });
$t->artifact('image', $png, { type => 'image/png', name => 'shot.png' });
$t->artifact('empty', '', { type => 'text/plain', name => 'empty.txt' });
$t->artifact('utf16', "\xff\xfe" . encode('UTF-16LE', "Grüße\n" x 40),
             { type => 'text/plain', name => 'utf16.txt' });
$t->artifact('latin',
             encode('latin1', "Grüße aus Köln, schöne Größe\n" x 20), {
             type => 'text/plain; charset=iso-8859-1', name => 'latin.txt' });
$t->artifact('broken', "text\n\xff\xfe\x00\x81 \xc3\x28\n",
             { type => 'text/plain; charset=utf-8', name => 'broken.txt' });
$t->artifact(bytes('a bé%2F'), 'odd', { type => 'text/plain',
                                        name => 'odd.txt' });
$t->artifact('gone', undef, { type => 'text/plain', name => 'gone.txt' });
$t->artifact('large', 'x' x 5000, { type => 'text/plain',
                                    name => 'large.txt' });

$t->workspace_file('ws', 'src/main.js', "main();\n");
$t->workspace_file('ws', "line\nfeed.txt", "two lines\n");
$t->workspace_file('ws', bytes('dir é/ä b%2F.txt'), "umlauts\n");
$t->workspace_file('agent:a:1', 'a:b/c.txt', "colons\n");
$t->workspace_meta('ws', { 'src/main.js' => {
    mimeType => 'text/javascript', name => 'main.js',
    createdAt => '2024-02-02T00:00:00.000Z',
    updatedAt => '2024-02-02T00:00:00.000Z', modifiedBy => [] } });

$t->start(server => mcp_server(server => <<'SERVER'));
    location = /limited {
        artifact_mcp;
        artifact_inline_max 1000;
        artifact_url https://files.example.com/a/;
    }
    location = /hidden {
        artifact_mcp;
        artifact_index off;
    }
SERVER


sub get_uri {
    my ($uri, %opt) = @_;
    return mcp_ask($t, 'resources/read', { uri => $uri }, %opt);
}


# One content of a URI, with its canonical URI.

sub content {
    my ($uri, $canonical, %opt) = @_;
    my $label = ($opt{older} // $MODERN) . ': ' . $uri =~ s/\n/\\n/gr;
    my $result = mcp_result(get_uri($uri, %opt), $label, %opt);
    my ($content, @more) = @{ $result->{contents} // [] };

    is(scalar @more, 0, "$label: one content") if $content;
    is($content->{uri}, $canonical, "$label: its canonical URI");
    is(($opt{older} ? 'private' : $result->{cacheScope}), 'private',
       "$label: private");
    is(($opt{older} ? 0 : $result->{ttlMs}), 0, "$label: not to be kept");
    return $content // {};
}


sub ws_uri {
    my ($ws, $path) = @_;
    return 'artifact:' . ws_id($ws, bytes($path));
}


# --- reading -----------------------------------------------------------------

for my $older (undef, @OLDER) {
    my @older = $older ? (older => $older) : ();

    my $got = content('artifact:text', 'artifact:text', @older);
    is($got->{text}, "words, \"quoted\"\n\\ \x01 é\n", 'the text');
    is($got->{mimeType}, 'text/plain', 'and its type');
    ok(!exists $got->{blob}, 'is no blob');

    $got = content('artifact:image', 'artifact:image', @older);
    is(decode_base64($got->{blob} // ''), $png, 'the bytes of an image');
    is($got->{mimeType}, 'image/png', 'and its type');
    ok(!exists $got->{text}, 'are no text');

    $got = content('artifact:empty', 'artifact:empty', @older);
    is($got->{text}, '', 'nothing is a text');

    $got = content('artifact:utf16', 'artifact:utf16', @older);
    is($got->{text}, "Grüße\n" x 40, 'UTF-16');

    $got = content('artifact:latin', 'artifact:latin', @older);
    is($got->{text}, "Grüße aus Köln, schöne Größe\n" x 20, 'Latin-1');

    $got = content('artifact:a%20b%C3%A9%252F', 'artifact:a%20b%C3%A9%252F',
                   @older);
    is($got->{text}, 'odd', 'an id of other characters');

    $got = content('workspace:ws/src/main.js', ws_uri('ws', 'src/main.js'),
                   @older);
    is($got->{text}, "main();\n", 'a file by its path');
    is($got->{mimeType}, 'text/javascript', 'the type of its metadata');

    content('workspace:ws/src%2Fmain.js', ws_uri('ws', 'src/main.js'), @older);
    content('workspace:ws/src%2fmain.js', ws_uri('ws', 'src/main.js'), @older);
    content(ws_uri('ws', 'src/main.js'), ws_uri('ws', 'src/main.js'), @older);

    $got = content('workspace:ws/line%0Afeed.txt',
                   ws_uri('ws', "line\nfeed.txt"), @older);
    is($got->{text}, "two lines\n", 'a newline in a name');

    $got = content('workspace:ws/dir%20%C3%A9/%C3%A4%20b%252F.txt',
                   ws_uri('ws', 'dir é/ä b%2F.txt'), @older);
    is($got->{text}, "umlauts\n", 'other characters in a name');

    $got = content('workspace:agent:a:1/a:b/c.txt',
                   ws_uri('agent:a:1', 'a:b/c.txt'), @older);
    is($got->{text}, "colons\n", 'colons');
    content('workspace:agent%3Aa%3A1/a%3Ab/c.txt',
            ws_uri('agent:a:1', 'a:b/c.txt'), @older);
    content(ws_uri('agent:a:1', 'a:b/c.txt'), ws_uri('agent:a:1', 'a:b/c.txt'),
            @older);
}

my $broken = content('artifact:broken', 'artifact:broken');
ok(exists $broken->{blob} != exists $broken->{text}, 'a text or a blob');
is(decode_base64($broken->{blob} // ''), "text\n\xff\xfe\x00\x81 \xc3\x28\n",
   'what is no text is a blob of the bytes as they are');


# --- what is missing, or wrong -----------------------------------------------

for my $uri ('artifact:none', 'artifact:gone', 'workspace:ws/none.txt',
             'workspace:none/a.txt', ws_uri('ws', 'none'),
             ws_uri('none', 'a.txt'), 'workspace:ws/src')
{
    my $error = mcp_error(get_uri($uri, id => 5), 200, $PARAMS, 5,
                          "$uri is missing");
    is(($error->{data} // {})->{uri}, $uri, 'it is named');
    mcp_error(get_uri($uri, id => 5, older => $_), 200, -32002, 5,
              "$_: $uri is missing") for @OLDER;
}

for my $uri ('', 'words', 'http://localhost/artifacts/text',
             'file:///etc/passwd',
             'artifact:', 'artifact:..', 'artifact:../artifacts/text',
             'artifact:%2e%2e%2fartifacts%2ftext', 'artifact:text%00',
             'artifact:te%zz', 'artifact:%ff%fe', 'workspace:', 'workspace:ws',
             'workspace:/ws/src/main.js', 'workspace:ws/../ws/src/main.js',
             'workspace:ws/%2e%2e/%2e%2e/artifacts/text',
             'workspace:../artifacts/text',
             'artifact:ws:ws', 'artifact:ws:ws:!!', 'artifact:ws:ws:Li4vYQ',
             'artifact:text.meta', 'workspace:ws/' . 'x' x 5000)
{
    my $label = length $uri > 60 ? substr($uri, 0, 60) . '..' : $uri;

    mcp_error(get_uri($uri, id => 5), 200, $PARAMS, 5, "\"$label\" is wrong");
    mcp_error(get_uri($uri, id => 5, older => $OLDER), 200,
              qr/\A-32(?:602|002)\z/, 5, "$OLDER: \"$label\" is wrong");
}

my $error = mcp_error(get_uri('artifact:large', at => '/limited', id => 1), 200,
                      $PARAMS, 1, 'one that is too large');
is($error->{data}{uri}, 'artifact:large', 'which one');
is($error->{data}{size}, 5000, 'how large it is');
is($error->{data}{url}, 'https://files.example.com/a/large', 'and where it is');
mcp_error(get_uri('artifact:large', at => '/limited', id => 1, older => $OLDER),
          200, $PARAMS, 1, "$OLDER: one that is too large");
mcp_result(get_uri('artifact:text', at => '/limited'), 'one that is not');
is_deeply(mcp_result(mcp_ask($t, 'resources/list', {}, at => '/hidden'),
                     'no index')->{resources}, [], 'lists nothing');
mcp_result(get_uri('artifact:text', at => '/hidden'), 'but is read');


# --- lists -------------------------------------------------------------------

for my $older (undef, $OLDER) {
    my @older = $older ? (older => $older) : ();
    my $result = mcp_result(mcp_ask($t, 'resources/list', {}, @older),
                            ($older // $MODERN) . ': a list', @older);
    my @uris = map { $_->{uri} } @{ $result->{resources} };
    my %listed = map { $_->{uri} => $_ } @{ $result->{resources} };

    is_deeply([sort grep { !/:ws:/ } @uris],
              [sort map { "artifact:$_" } qw(text image empty utf16 latin broken
               large a%20b%C3%A9%252F)], 'the artifacts');
    is_deeply([sort grep { /:ws:/ } @uris],
              [sort { $a cmp $b } ws_uri('ws', 'src/main.js'),
               ws_uri('ws', "line\nfeed.txt"), ws_uri('ws', 'dir é/ä b%2F.txt'),
               ws_uri('agent:a:1', 'a:b/c.txt')], 'the files');
    is(join('', map { /:ws:/ ? 'w' : 'a' } @uris), 'a' x 8 . 'w' x 4,
       'artifacts first');
    ok(!exists $result->{nextCursor}, 'no other page');

    my $image = $listed{'artifact:image'};
    is($image->{name}, 'shot.png', 'a name');
    is($image->{mimeType}, 'image/png', 'a type');
    is($image->{size}, length $png, 'a size');
    like($image->{annotations}{lastModified} // '', $TIME, 'a time');
    is($listed{ws_uri('ws', 'src/main.js')}{mimeType}, 'text/javascript',
       'the type of a file');
    is(join(' ', grep { !length($_->{name} // '') || !is_number($_->{size})
                        || ($_->{annotations}{lastModified} // '') !~ $TIME
                        || $_->{name} =~ /[\x00-\x1f]/ }
            @{ $result->{resources} }), '', 'all have all');

    for my $uri (@uris) {
        my $got = mcp_result(get_uri($uri, @older), "$uri is read", @older);
        is($got->{contents}[0]{uri}, $uri, 'it is canonical');
    }

    if (!$older) {
        is($result->{ttlMs}, 0, 'never to be kept');
        is($result->{cacheScope}, 'private', 'by anybody');
    }
}


# --- pages -------------------------------------------------------------------

for my $i (1 .. 2500) {
    my $id = sprintf 'p%04d', $i;
    $t->artifact($id, "content $i\n", { type => 'text/plain',
                                        name => "$id.txt" });
}

sub counted {
    my ($label, @pages) = @_;
    my %seen;

    $seen{ $_->{uri} }++ for map { @$_ } @pages;
    is(join(' ', grep { $seen{$_} > 1 } sort keys %seen), '',
       "$label: none is seen twice");
    is(scalar(grep { @$_ > 1000 } @pages), 0, "$label: at most 1000 a page");
    return \%seen;
}


my @pages = mcp_pages($t, 'resources/list', 'resources');
my $seen = counted('at rest', @pages);
is(scalar keys %$seen, 2512, 'all are seen');
cmp_ok(scalar @pages, '>=', 3, 'on several pages');

# between two pages some that were seen, some that were not, and the last one of
# the page are deleted, others are written

for my $older (undef, $OLDER) {
    my @older = $older ? (older => $older) : ();
    my %gone;

    @pages = mcp_pages($t, 'resources/list', 'resources', @older, step => sub {
        my ($page) = @_;

        for my $i (map { $page * 1000 + $_ } -20 .. 20) {
            my $id = sprintf 'p%04d', $i;
            $gone{"artifact:$id"}++;
            unlink map { $t->data . "/artifacts/$id$_" } '', '.meta';
        }
        for my $i (1 .. 30) {
            my $id = sprintf 'p%04d-%s%d', 900 * $page + $i, $older ? 'o' : 'm',
                $i;
            $t->artifact($id, 'new', { type => 'text/plain', name => 'n' });
        }
    });

    $seen = counted(($older // $MODERN) . ', while they change', @pages);
    my @all = map { sprintf 'artifact:p%04d', $_ } 1 .. 2500;
    my @there = grep { -e $t->data . '/artifacts/' . substr $_, 9 } @all;
    cmp_ok(scalar @there, '>', 2300, 'most stay');
    is(join(' ', grep { !$seen->{$_} } @there), '', 'those that stay are seen');
}


# --- cursors -----------------------------------------------------------------

my $first = mcp_result(mcp_ask($t, 'resources/list', {}), 'a page');
my $cursor = $first->{nextCursor} // '';
my $after = mcp_result(mcp_ask($t, 'resources/list', { cursor => $cursor }),
                       'the next one');

is_deeply([map { $_->{uri} } @{ mcp_result(
              mcp_ask($t, 'resources/list', { cursor => $cursor }, older => $_),
              "a cursor in $_", older => $_)->{resources} }],
          [map { $_->{uri} } @{ $after->{resources} }], 'goes on')
    for @OLDER;

$t->reload;

is_deeply([map { $_->{uri} } @{ mcp_result(
              mcp_ask($t, 'resources/list', { cursor => $cursor }),
              'the cursor of an earlier process')->{resources} }],
          [map { $_->{uri} } @{ $after->{resources} }], 'goes on');

sub tool_cursor {
    my ($tool, $args) = @_;
    return mcp_tool($t, $tool, { %$args, limit => 1 })
        ->{structuredContent}{nextCursor};
}


my $artifacts = tool_cursor('list_artifacts', {});
my $workspace = tool_cursor('list_workspace', { workspace => 'ws' });

ok(length($artifacts // ''), 'a cursor of the tool that lists artifacts');
ok(length($workspace // ''), 'and one of a workspace');

for my $bad ('x', '', '!!!!', 'AAAA', '0', '-1', 'p0001', "a\nb", 'ä',
             'x' x 4000, "${cursor}x", $cursor . $cursor, $workspace // '',
             $artifacts // '')
{
    next if $bad eq $cursor;

    my $label = substr($bad =~ s/\n/\\n/r, 0, 30);

    for my $older (undef, $OLDER) {
        mcp_error(mcp_ask($t, 'resources/list', { cursor => $bad }, id => 2,
                          $older ? (older => $older) : ()),
                  200, $PARAMS, 2, "the cursor \"$label\" is wrong");
    }
}

mcp_error(mcp_ask($t, 'resources/list', { cursor => 7 }, id => 2), 200, $PARAMS,
          2, 'a cursor that is a number');

mcp_tool($t, 'list_artifacts', { cursor => $_ }, fails => 1)
    for 'x', '!!', $workspace, $cursor;
mcp_tool($t, 'list_workspace', { workspace => 'ws', cursor => $_ }, fails => 1)
    for 'x', $artifacts, $cursor;
mcp_tool($t, 'list_workspace', { workspace => 'agent:a:1',
                                 cursor => $workspace }, fails => 1);

$t->finish;
