#!/usr/bin/perl

# Contents over MCP: what a model gets is what the artifact's own location
# answers in the format "mcp", also from the cache of open contents, in another
# form, cut, or in words; a program gets the bytes.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactMcp;
use ArtifactTest;
use MIME::Base64 qw(decode_base64);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $jpeg = jpeg();

my %content = (
    shot => [png(30, 20), 'image/png', 'shot.png'],
    big => [png(200, 200), 'image/png', 'big.png'],
    drawing => [svg(), 'image/svg+xml', 'drawing.svg'],
    report => [pdf(), 'application/pdf', 'report.pdf'],
    song => [mp3(), 'audio/mpeg', 'song.mp3'],
    film => [mp4(), 'video/mp4', 'film.mp4'],
    pack => [zip_of('a.txt' => 'x'), 'application/zip', 'pack.zip'],
    note => [bytes("第一行 \"q\" \\ \x{1f600}\n"), 'text/plain', 'note.txt'],
    long => [bytes("täglich\n" x 5000), 'text/plain', 'long.txt'],
    json => ['{"a":[1,2,"\u00e9"]}', 'application/json', 'a.json'],
    gbk => ["\xc4\xe3\xba\xc3\n" x 40, 'text/plain; charset=gbk', 'gbk.txt'],
    empty => ['', 'text/plain', 'empty.txt'],
);

for my $id (keys %content) {
    my ($body, $mime, $name) = @{ $content{$id} };
    $t->artifact($id, $body, { type => $mime, name => $name });
}

mkdir "$dir/made" or die;
spew("$dir/made/a.jpg", $jpeg);
spew("$dir/made/words.txt", "words of it\n");
spew("$dir/made/large.txt", "a line of many\n" x 20000);

my $derive = 'artifact_mcp; artifact_accept $http_x_accept; artifact_derive';

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_accept \$http_x_accept;

    location = /mcp { artifact_mcp; }
    location = /cached { artifact_mcp; open_file_cache max=100;
                         open_file_cache_valid 1h; }
    location = /url { artifact_mcp; artifact_url https://x.example/a/;
                      artifact_inline_max 1000; artifact_text_max 20; }
    location /artifacts/ { artifact; artifact_route always;
                           artifact_format mcp; }

    location /made/     { internal; root %%PREFIX%%; }
    location /broken/   { internal; return 502; }
    location /unable/   { internal; return 415; }
    location = /jpeg    { $derive application/pdf image/jpeg /made/a.jpg; }
    location = /words   { $derive image text/plain /made/words.txt; }
    location = /large   { $derive image text/plain /made/large.txt; }
    location = /fails   { $derive image text/plain /broken/; }
    location = /cannot  { $derive image text/plain /unable/; }
SERVER

sub tool {
    my ($ref, %opt) = @_;
    my $accept = delete $opt{accept};
    my $more = delete $opt{args} // {};
    return mcp_result(mcp_ask($t, 'tools/call',
        { name => 'read_artifact', arguments => { ref => $ref, %$more } },
        defined $accept ? (headers => ['X-Accept' => $accept]) : (), %opt),
        join ' ', $ref, $opt{at} // '', $accept // '');
}

sub resource {
    my ($id, %opt) = @_;
    my $res = mcp_result(mcp_ask($t, 'resources/read',
                                 { uri => "artifact:$id" }, %opt),
                         "resource $id " . ($opt{at} // ''));
    return $res->{contents}[0];
}


# --- as the location answers -------------------------------------------------

for my $accept ('', 'text', 'vision', 'vision, audio, video, file') {
    for my $id (sort keys %content) {
        my $want = decode_strict($t->req('GET', "/artifacts/$id",
                                         headers => ['X-Accept' => $accept])
                                 ->body);
        my @cached = map { tool($id, accept => $accept, at => '/cached') } 1, 2;

        # its texts say of what they are

        $want->{_meta} = { 'artifact/ref' => "artifact:$id" }
            if $want->{type} eq 'text';

        is_deeply($_->{content}, [$want], "$id for '$accept'")
            for tool($id, accept => $accept), @cached;
    }
}

my @ids = map { mcp_ask($t, 'tools/call',
                        { name => 'read_artifact',
                          arguments => { ref => 'note' } },
                        at => '/cached', id => $_)->body } 5, '"a long id"', 6;
like($ids[0], qr/"id":5,/, 'an envelope is not cached');
like($ids[1], qr/"id":"a long id",/, 'nor shared');
is($ids[2] =~ s/"id":6/"id":5/r, $ids[0], 'the answer may be');


# --- the bytes ---------------------------------------------------------------

for my $id (sort keys %content) {
    my ($body, $mime, $name) = @{ $content{$id} };

    for my $at ('/mcp', '/cached', '/cached') {
        my $got = resource($id, at => $at);
        my $text = $mime =~ m{^text|json};

        is($got->{uri}, "artifact:$id", 'its URI');
        is($got->{mimeType}, $mime =~ s/;.*//r, 'its type');
        is($text ? $got->{text} : decode_base64($got->{blob}),
           $id eq 'gbk' ? "你好\n" x 40 : $text ? chars($body) : $body,
           'its content');
    }
}

my $error = mcp_error(mcp_ask($t, 'resources/read', { uri => 'artifact:big' },
                              at => '/url', id => 5), 200, -32602, 5,
                      'too large');
is_deeply($error->{data}, { uri => 'artifact:big',
                            size => length $content{big}[0],
                            url => 'https://x.example/a/big' }, 'where it is');
is(resource('gbk', at => '/url')->{text}, "你好\n" x 40,
   'a program gets all of a text');


# --- cut ---------------------------------------------------------------------

for my $case ([1, 't'], [2, 't'], [3, 'tä'], [20, "täglich\ntäglich\nt"]) {
    my ($max, $want) = @$case;
    my $got = tool('long', args => { max_bytes => $max });
    is(scalar @{ $got->{content} }, 2, "$max bytes: two blocks");
    is($got->{content}[0]{text}, $want, 'whole characters');
    like($got->{content}[1]{text}, qr/45000 bytes/, 'of how many');
}

is(scalar @{ tool('long', args => { max_bytes => $_ })->{content} }, 1,
   "$_ are enough") for 45000, 1 << 30;
is(join(' ', map { $_->{type} } @{ tool('pack', at => '/url')->{content} }),
   'text', 'words, and no link');
is(tool('note', at => '/url')->{content}[1] ? 1 : 0, 1,
   'by artifact_text_max as well');
is(length tool('long', at => '/url', args => { max_bytes => 100 })
              ->{content}[0]{text}, 17, 'the smaller one counts');
is(tool('shot', accept => 'vision', args => { max_bytes => 10 })
       ->{content}[0]{type}, 'image', 'an image is not cut');


# --- another form ------------------------------------------------------------

my $got = tool('report', accept => 'vision', at => '/jpeg');
is($got->{content}[0]{mimeType}, 'image/jpeg', 'a JPEG of a PDF');
is(decode_base64($got->{content}[0]{data}), $jpeg, 'its bytes');

$got = tool('shot', at => '/words');
like($got->{content}[0]{text}, qr/converted from image\/png.*words of it\n\z/s,
     'the text of an image');
$got = tool('shot', at => '/large');
is(length($got->{content}[0]{text} =~ s/\A.*?\n//r), 65536, 'a long one');
is($got->{content}[1]{text}, '[Cut; a larger "max_bytes" shows more.]',
   'a long one: it was cut');
$got = tool('shot', at => '/large', args => { max_bytes => 1 << 20 });
is(length($got->{content}[0]{text} =~ s/\A.*?\n//r), 300000,
   'a long one, all of it');
is(scalar @{ $got->{content} }, 1, 'a long one: it was not');
$got = tool('shot', at => '/cannot');
like($got->{content}[0]{text}, qr/^\[Unreadable\] shot\.png/,
     'words if it cannot be converted');
ok(!$got->{isError}, 'which are a result');
$got = tool('shot', at => '/fails');
ok($got->{isError}, 'an error if the converter has failed');
like($got->{content}[0]{text}, qr/conversion_failed|shot/, 'which says so');
is(tool('note', at => '/fails')->{content}[0]{type}, 'text', 'and others go on');
is(decode_base64(resource('report', at => '/jpeg')->{blob}), pdf(),
   'a program gets the original');


# --- what an error repeats ---------------------------------------------------

for my $ref ('[artifact:missing]', '[artifact:../x]', 'a [artifact:b] c') {
    my $words = mcp_words(mcp_tool($t, 'read_artifact', { ref => $ref },
                                   fails => 1));
    unlike($words, qr/\[artifact/, 'no marker that a later request would expand');
    like($words, qr/\(artifact:/, 'but what was asked for');
}

my $words = mcp_words(mcp_tool($t, 'read_artifact',
    { ref => 'data:image/png;base64,' . 'QUJD' x 1500 }, fails => 1,
    label => 'a pasted image'));
cmp_ok(length $words, '<', 1000, 'a long reference is cut');
like($words, qr/\.\.\.\z/, 'which is told');

for my $uri ('artifact:' . 'a' x 3000, 'artifact:' . 'a' x 9000) {
    my $name = length($uri) . ' bytes';
    my $error = mcp_error(mcp_ask($t, 'resources/read', { uri => $uri },
                                  older => $OLDER[0], id => 1),
                          200, -32002, 1, "a URI of $name");
    my $data = $error->{data};
    ok(length($uri) > 8192 ? !$data : $data->{uri} eq $uri,
       "data of a URI of $name");
}

$t->finish;
