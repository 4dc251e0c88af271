#!/usr/bin/perl

# Capability maps with errors: what stops nginx, what only warns.  Keys are
# never shown.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $KEY = 'sk-SECRET-KEY-4711';
my @printed;

sub check {
    my ($content, $conf) = @_;
    $t->file('map.json', $content) if defined $content;
    my ($code, $out) = $t->conf_test(
        http => $conf || 'artifact_capabilities %%PREFIX%%/map.json;');
    push @printed, $out;
    return ($code, $out);
}

sub fails {
    my ($content, $re, $name, $conf) = @_;
    my ($code, $out) = check($content, $conf);
    isnt($code, 0, "$name: refused");
    like($out, qr/\[emerg\].*$re/, "$name: says what and where");
    like($out, qr/conftest\.conf:\d+/, "$name: and by which directive");
    unlike($out, qr/Segmentation|AddressSanitizer|runtime error/,
           "$name: in an orderly way");
}

sub warns {
    my ($content, $re, $name) = @_;
    my ($code, $out) = check($content);
    is($code, 0, "$name: accepted") or diag($out);
    like($out, qr/\[warn\].*$re/, "$name: with a warning");
}

# what stops

fails("{\"services\": [\n  {\"id\": \"a\"},\n  {\"id\": }\n]}\n",
      qr/map\.json\D{0,20}\b3\b\D{1,20}\d+/, 'malformed JSON on line 3');
fails("{\"services\":\n[{\"id\":\"a\",\"apiKey\":\"$KEY\",}]}",
      qr/map\.json\D{0,20}\b2\b\D{1,20}\d+/, 'a comma too many');
fails("{\"services\": [", qr/map\.json\D{0,20}\b1\b\D{1,20}\d+/,
      'cut short');
fails('', qr/map\.json/, 'an empty file');
fails("\n\n", qr/map\.json/, 'white space only');
fails('{"services":[]} x', qr/map\.json\D{0,20}\b1\b/,
      'something after the document');
fails("{\"services\":[{\"id\":\"\xff\"}]}", qr/map\.json\D{0,20}\b1\b/,
      'bytes that are not UTF-8');
fails("\0\1\2\3", qr/map\.json/, 'binary');
fails('[' x 100000, qr/map\.json/, 'nested too deep');
fails('{"foo": 1}', qr/map\.json/, 'a document of another kind');
fails('42', qr/map\.json/, 'a number');
fails('"services"', qr/map\.json/, 'a string');
fails('null', qr/map\.json/, 'null');
fails('[1, 2]', qr/map\.json/, 'a list of numbers');
fails('{"services": "many"}', qr/map\.json/, 'services that are no list');
fails(undef, qr/nowhere\.json.*No such file/, 'a missing file',
      'artifact_capabilities %%PREFIX%%/nowhere.json;');
fails(undef, qr{/data\b}, 'a folder', 'artifact_capabilities %%DATA%%;');

# what warns

my $good = { id => 'good', capabilities => { input => ['vision'] } };

warns({ services => ['text', $good] }, qr/map\.json/,
      'an entry that is no object');
warns({ services => [{ name => 'anonymous', apiKey => $KEY }, $good] },
      qr/\bid\b.*map\.json/, 'an entry without an id');
warns({ services => [{ id => '' }, $good] }, qr/\bid\b.*map\.json/,
      'an entry with an empty id');
warns({ services => [{ id => 5 }, $good] }, qr/\bid\b.*map\.json/,
      'an entry whose id is a number');
for my $case (['a string', 'vision'], ['an array', ['vision']],
              ['a number', 5], ['an empty object', {}],
              ['input is a string', { input => 'vision' }],
              ['input is an object', { input => {} }],
              ['input holds a number', { input => ['vision', 5] }],
              ['input holds an empty name', { input => ['vision', ''] }],
              ['input holds null', { input => ['vision', undef] }],
              ['output is a string', { input => ['vision'],
                                       output => 'text' }],
              ['output holds an object', { input => ['vision'],
                                           output => [{}] }])
{
    my ($what, $caps) = @$case;
    warns({ services => [{ id => 'faulty', apiKey => $KEY,
                           capabilities => $caps }, $good] },
          qr/map\.json.*faulty.*capabilities|faulty.*capabilities.*map\.json/,
          "capabilities: $what");
}

# what is silent

for my $case (['no services', { services => [] }],
              ['no capabilities', { services => [{ id => 'x' }] }],
              ['one direction', { services => [$good] }],
              ['unknown keys', { services => [{ %$good, new => [1] }],
                                 more => {} }],
              ['unknown capabilities', { services => [{ id => 'x',
                  capabilities => { input => ['smell'] } }] }])
{
    my ($code, $out) = check($case->[1]);
    is($code, 0, "$case->[0]: accepted");
    unlike($out, qr/\[warn\]|\[error\]|\[emerg\]/, "$case->[0]: silently");
}

# and what the running server makes of it

$t->file('map.json', { services => [
    'no object', { name => 'no id' }, $good,
    { id => 'faulty', apiKey => $KEY,
      capabilities => { input => ['vision', 5] } },
    { id => 'empty', apiKey => $KEY, capabilities => {} },
    { id => 'bad-output', capabilities => { input => ['vision'],
                                            output => 'text' } },
] });
$t->artifact('png', png(), { type => 'image/png', name => 'a.png' });
$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;');

is(routing_of($t->service('good', '/artifacts/png')),
   'image image_url image/png', 'a good entry after bad ones counts');
for my $id (qw(faulty empty bad-output)) {
    my $res = $t->service($id, '/artifacts/png');
    is(routing_of($res), 'image text image/png capability',
       "the entry \"$id\" reads text only");
    push @printed, $res->{head} . $res->body;
}

unlike(join('', @printed), qr/\Q$KEY/, 'no key is ever printed');
unlike($t->log . slurp($t->prefix . '/conftest-error.log'), qr/\Q$KEY/,
       'nor logged');

$t->finish;
