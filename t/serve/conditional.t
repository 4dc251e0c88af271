#!/usr/bin/perl

# Entity tags, dates and conditional requests, raw and routed.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $png = png();

$t->file('map.json', { services => [
    { id => 'blind', capabilities => { input => ['text'] } },
    { id => 'sees', capabilities => { input => ['text', 'vision'] } },
    { id => 'all', capabilities => { input => ['text', 'vision', 'file'] } },
] });
$t->artifact('png', $png, { type => 'image/png', name => 'shot.png' });
$t->artifact('pdf', pdf(), { type => 'application/pdf', name => 'r.pdf' });
$t->artifact('text', bytes("第一行\n" x 50), { type => 'text/plain' });
$t->artifact('long', 'words ' x 100000, { type => 'text/plain' });

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /en/ {
        artifact;
        artifact_language en;
    }
    location /object/ {
        artifact;
        artifact_format object;
    }
    location /small/ {
        artifact;
        artifact_inline_max 50;
    }
    location /smaller/ {
        artifact;
        artifact_inline_max 40;
    }
    location /cut/ {
        artifact;
        artifact_text_max 20;
    }
    location /cutter/ {
        artifact;
        artifact_text_max 10;
    }
    location /own/ {
        artifact;
        artifact_description $arg_words;
    }
SERVER

sub tag {
    my ($caps, $uri) = @_;
    return $t->accept($caps, $uri)->header('ETag') // 'none';
}

# raw

my $raw = $t->get('/artifacts/png');
my $etag = $raw->header('ETag');
my $date = $raw->header('Last-Modified');

sub raw_status {
    return $t->get('/artifacts/png', @_)->{status};
}

is(raw_status('If-None-Match' => $etag), 304, 'If-None-Match');
is(raw_status('If-None-Match' => "\"x\", $etag"), 304, 'one tag of a list');
is(raw_status('If-None-Match' => '*'), 304, 'any tag');
is(raw_status('If-None-Match' => '"x"'), 200, 'another tag');
is(raw_status('If-Modified-Since' => $date), 304, 'If-Modified-Since');
is(raw_status('If-Modified-Since' => 'Thu, 01 Jan 1970 00:00:00 GMT'), 200,
   'If-Modified-Since long ago');
is(raw_status('If-Match' => $etag), 200, 'If-Match');
is(raw_status('If-Match' => '"x"'), 412, 'If-Match with another tag');
is(raw_status('If-Unmodified-Since' => 'Thu, 01 Jan 1970 00:00:00 GMT'), 412,
   'If-Unmodified-Since');
my $res = $t->get('/artifacts/png', 'If-None-Match' => $etag);
is($res->body, '', '304 has no body');
header_is($res, 'ETag', $etag, '304 has the tag');

# routed

for my $case (['an image', 'png', 'vision'], ['a description', 'png', 'text'],
              ['a file', 'pdf', 'file'], ['a text', 'text', 'text'],
              ['a long text', 'long', 'text'])
{
    my ($what, $id, $caps) = @$case;
    my $uri = "/artifacts/$id";
    my $res = $t->accept($caps, $uri);
    my $etag = $res->header('ETag') // '';
    my $date = $res->header('Last-Modified') // '';

    like($etag, qr/^"[^"]+"$/, "$what has a strong tag");
    is(tag($caps, $uri), $etag, "$what keeps its tag");
    isnt($etag, $t->get($uri)->header('ETag'), "$what has a tag of its own");
    is($date, $t->get($uri)->header('Last-Modified'),
       "$what has the date of the file");
    like($res->header('Vary') // '', qr/X-LLM-Service/i,
         "$what varies by the service");
    like($res->header('Vary') // '', qr/X-LLM-Capabilities/i,
         "$what varies by the capabilities");

    my $not = $t->accept($caps, $uri, 'If-None-Match' => $etag);
    is("$not->{status} $not->{body}", '304 ', "$what: 304 by its tag");
    header_is($not, 'ETag', $etag, "$what: 304 has the tag");
    is($t->accept($caps, $uri, 'If-None-Match' => "W/$etag")->{status}, 304,
       "$what: 304 by the weak form of its tag");
    is($t->accept($caps, $uri, 'If-Modified-Since' => $date)->{status}, 304,
       "$what: 304 by its date");
    is($t->accept($caps, $uri, 'If-None-Match' =>
                  $t->get($uri)->header('ETag'))->{status}, 200,
       "$what: the raw tag does not match");
    is($t->get($uri, 'If-None-Match' => $etag)->{status}, 200,
       "$what: its tag does not match the raw bytes");
    is($t->accept($caps, $uri, 'If-Match' => $etag)->{status}, 200,
       "$what: If-Match");
    is($t->accept($caps, $uri, 'If-Match' => '"x"')->{status}, 412,
       "$what: If-Match with another tag");
    is($t->accept($caps, $uri, 'If-Match' =>
                  $t->get($uri)->header('ETag'))->{status}, 412,
       "$what: If-Match with the raw tag");

    my $part = $t->accept($caps, $uri, Range => 'bytes=0-9');
    is($part->{status}, 200, "$what: a range is ignored");
    ok($part->body eq $res->body, "$what: whole in spite of it");
    is($t->accept($caps, $uri, Range => 'bytes=999999999-')->{status}, 200,
       "$what: a range beyond the end is ignored");

    my $head = $t->req('HEAD', $uri,
                       headers => ['X-LLM-Capabilities' => $caps]);
    is("$head->{status} $head->{body}", '200 ', "$what: HEAD");
    for my $name (qw(Content-Type Content-Length ETag Last-Modified Vary)) {
        is($head->header($name), $res->header($name),
           "$what: HEAD has the $name of GET");
    }
    is($t->req('HEAD', $uri, headers => ['X-LLM-Capabilities' => $caps,
                                         'If-None-Match' => $etag])->{status},
       304, "$what: HEAD, 304");
}

for my $case (['png', 'vision'], ['png', 'text'], ['pdf', 'file']) {
    my ($id, $caps) = @$case;
    my $res = $t->accept($caps, "/artifacts/$id");
    is($res->header('Content-Length'), length $res->body,
       "$id for \"$caps\" has a length");
}

# what the tag depends on

my %tags = (
    vision => tag('vision', '/artifacts/png'),
    text => tag('text', '/artifacts/png'),
    english => tag('vision', '/en/png'),
    'english text' => tag('text', '/en/png'),
    object => tag('vision', '/object/png'),
    small => tag('vision', '/small/png'),
    own => tag('text', '/own/png?words=a'),
    'own, other' => tag('text', '/own/png?words=b'),
);
my %seen;
push @{ $seen{ $tags{$_} } }, $_ for sort keys %tags;
is(join('; ', map { "@$_" } grep { @$_ > 1 } values %seen), '',
   'different answers have different tags');
isnt(tag('text', '/artifacts/text'), tag('text', '/cut/text'),
     'a text limit changes the tag');
isnt(tag('text', '/cut/text'), tag('text', '/cutter/text'),
     'another text limit too');

my $blind = $t->service('blind', '/artifacts/png')->header('ETag');
my $sees = $t->service('sees', '/artifacts/png')->header('ETag');
isnt($blind, $sees, 'another service, another tag');
is($t->service('sees', '/artifacts/png', 'If-None-Match' => $blind)->{status},
   200, 'a tag of one service is none of another');
is($t->service('sees', '/artifacts/png', 'If-None-Match' => $sees)->{status},
   304, 'but its own matches');

# what changes it

sub changes {
    my ($what, $change) = @_;
    my @before = ($t->get('/artifacts/png')->header('ETag'),
                  tag('vision', '/artifacts/png'),
                  tag('text', '/artifacts/png'));
    $change->();
    my @after = ($t->get('/artifacts/png')->header('ETag'),
                 tag('vision', '/artifacts/png'),
                 tag('text', '/artifacts/png'));
    for my $n ($what =~ /name/ ? (1, 2) : (0 .. 2)) {
        isnt($after[$n], $before[$n],
             "$what changes the tag of " . (qw(raw image text))[$n]);
    }
}

my $file = $t->data . '/artifacts/png';
changes('other content', sub { spew($file, png(9, 9)) });
changes('the same size at another time', sub {
    spew($file, png(9, 9));
    utime 1e9, 1e9, $file;
});
changes('the same size and second', sub {
    select undef, undef, undef, 0.05;
    spew($file, png(9, 9));
});
changes('a second later', sub { utime 1e9, 1e9 + 1, $file });
changes('another name', sub {
    $t->artifact('png', undef, { type => 'image/png', name => 'new.png' });
});

$t->finish;
