#!/usr/bin/perl

# Short answers are kept with their open content: the same bytes for the same
# reader, with their length, and only for that.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $store = $t->data . '/artifacts';
my $old = time - 1000;

my %content = (
    empty => [''],
    one => ['x'],
    short => [encode('UTF-8', "two \"lines\"\nof 文字\n")],
    quotes => ['"' x 3000],                     # 6 KB of answer
    limit => ['y' x 7900],
    beyond => ['z' x 9000],
    gbk => [encode('gbk', '这是一个没有声明编码的文本文件。' x 20)],
    blank => ["\n \n"],
    json => ["{\"a\": [1, 2 ,3]}\n", 'application/json'],
    broken => ['{"a": [1, 2', 'application/json'],
    png => [png(12, 12), 'image/png'],
    pdf => [pdf(), 'application/pdf'],
    cut => ['0123456789' x 100],
);

sub put {
    my ($id, $content, $type) = @_;
    $t->artifact($id, $content, { type => $type // 'text/plain' });
    utime $old, $old, glob "$store/$id*";
}

put($_, @{ $content{$_} }) for keys %content;

my @locations = map {
    my ($name, $line) = @$_;
    "location /$name/ { artifact; artifact_route on; artifact_text_max 500; "
        . "open_file_cache max=100; open_file_cache_valid 60s; $line }\n"
        . "location /$name-plain/ { artifact; artifact_route on; "
        . "artifact_text_max 500; open_file_cache off; $line }\n"
} ['all', 'artifact_text_max 0;'], ['max', ''],
  ['tiny', 'artifact_text_max 0; output_buffers 1 16;'],
  ['zipped', 'artifact_text_max 0; gzip on; gzip_types application/json;'];
s/artifact_text_max 500; (?=.*artifact_text_max 0;)//g for @locations;

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    @locations
    location /calls/ {
        artifact;
        artifact_route on;
        artifact_format tool_message;
        artifact_accept text;
        open_file_cache max=10;
    }
    location /told/ {
        artifact;
        artifact_route on;
        artifact_description "a picture for \$arg_who";
        open_file_cache max=10;
    }
    location /brief/ {
        artifact;
        artifact_route on;
        open_file_cache max=100;
        open_file_cache_valid 1s;
    }
SERVER


# Whether the second answer and the third, and that of HEAD, are as the first.

sub compare {
    my ($where, $id, $caps, $format) = @_;

    my $query = $format ? "?format=$format" : '';
    my $plain = $t->accept($caps, "/$where-plain/$id$query");
    my @bad;

    for my $round (1 .. 3) {
        my $r = $t->accept($caps, "/$where/$id$query");

        push @bad, "body $round" if $r->body ne $plain->body;
        push @bad, "status $round" if $r->status != 200;
        push @bad, "tag $round"
            if $r->header('ETag') ne $plain->header('ETag');
        push @bad, "length $round"
            if $round == 3 && $where =~ /all|max/
               && length $r->body < 8000
               && ($r->header('Content-Length') // -1) != length $r->body;
    }

    my $head = $t->head("/$where/$id$query", 'X-LLM-Capabilities' => $caps);
    push @bad, 'HEAD' if $head->header('ETag') ne $plain->header('ETag')
        || ($head->header('Content-Length') // length $plain->body)
           != length $plain->body;

    my $not = $t->accept($caps, "/$where/$id$query",
                         'If-None-Match' => $plain->header('ETag'));
    push @bad, 'not modified' if $not->status != 304;

    return join ', ', @bad;
}

for my $where (qw(all max tiny zipped)) {
    for my $id (sort keys %content) {
        my @bad = grep { length } map {
            my $format = $_;
            map { compare($where, $id, $_, $format) } 'text', 'text, vision'
        } '', qw(object openai anthropic);

        is("@bad", '', "$where: $id");
    }
}

# one kind of reader more finds no place, and gets its own answer

my @formats = qw(openai anthropic gemini mistral openai_responses);
my @bad = grep { length } map { compare('all', 'short', 'text', $_) }
    @formats, @formats;
is("@bad", '', 'more kinds of readers than places');

# one content, two readers in turns

for (1 .. 3) {
    like($t->accept('text', '/all/png')->body, qr/"text"/, 'a description');
    like($t->accept('text, vision', '/all/png')->body, qr/;base64,/, 'an image');
}

# what a request says of itself is not kept

for my $id (qw(one two one)) {
    is(json_of($t->get("/calls/short?tool_call_id=$id"))->{tool_call_id}, $id,
       "the call $id");
    like($t->accept('text', "/told/png?who=$id")->body, qr/for $id\b/,
         "a description for $id");
}

# who is not known is told so, though others get text only as well

is(json_of($t->service('nobody', '/all/png'))->{metadata}{reason},
   'unknown_service', 'not the words of a reader that is known');

# another version is another content

$t->accept('text', '/brief/short') for 1 .. 3;
put('short', 'another version, as long');

my $body = '';
for (1 .. 100) {
    $body = $t->accept('text', '/brief/short')->body;
    last if $body =~ /another/;
    sleep 0.1;
}
like($body, qr/another version/, 'a new version is served');

$t->finish;
