#!/usr/bin/perl

# Public maps, and the newer parts of the platform's own, with errors: what
# stops nginx, with file, line and column, and what only warns.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;

my %source = map { $_ => slurp("$FindBin::Bin/../data/$_.json") }
    qw(litellm models-dev openrouter);

sub check {
    my ($content) = @_;
    $t->file('map.json', $content) if defined $content;
    return $t->conf_test(
        http => 'artifact_capabilities %%PREFIX%%/map.json;');
}

sub fails {
    my ($content, $re, $name) = @_;
    my ($code, $out) = check($content);
    isnt($code, 0, "$name: refused");
    like($out, qr/\[emerg\].*map\.json.*$re/, "$name: says what and where");
    unlike($out, qr/Segmentation|AddressSanitizer|runtime error/,
           "$name: in an orderly way");
}

sub warns {
    my ($content, $name, @re) = @_;
    my ($code, $out) = check($content);
    is($code, 0, "$name: accepted") or diag($out);
    my @warnings = grep { /\[warn\]/ } split /\n/, $out;
    is(scalar @warnings, scalar @re, "$name: a warning for each fault")
        or diag($out);
    for my $i (0 .. $#re) {
        like($warnings[$i] // '', qr/$re[$i].* in ".*map\.json"/,
             "$name: warning $i");
    }
}

my $where = qr/line \d+, column \d+: /;

# Every map cut anywhere, and with any byte of its beginning replaced.

for my $name (sort keys %source) {
    my ($code, $out) = check($source{$name});
    is($code, 0, "$name: accepted") or diag($out);
    unlike($out, qr/\[(?:warn|error|emerg)\]/, "$name: silently");

    my $length = length $source{$name};
    for my $part (1 .. 4) {
        my $cut = int($length * $part / 5);
        fails(substr($source{$name}, 0, $cut), $where,
              "$name cut after $cut bytes");
    }

    my $bad = $source{$name};
    substr $bad, rindex($bad, '"'), 1, "\xff";
    fails($bad, $where, "$name with a byte that is not UTF-8");

    $bad = $source{$name};
    $bad =~ s/true|\],/nul/;
    fails($bad, $where, "$name with a word that is none");
}

# the place of an error

fails("{\n  \"gpt\": {\n    \"mode\": \"chat\",\n    \"x\" 1\n  }\n}",
      qr/line 4, column \d+: /, 'a colon too few on line 4');
fails("{\"m\":{\"mode\":\"chat\"},\n\"m\":{\"mode\":\"chat\"}}",
      qr/line 2, column \d+: duplicate/, 'an id that stands twice');
fails("{\"p\":{\"models\":{\"m\":{},\n\n\"m\":{}}}}",
      qr/line 3, column \d+: duplicate/, 'a model that stands twice');
fails('{"m":{"mode":"chat"},"x":' . '[' x 5000 . ']' x 5000 . '}',
      $where, 'nesting deeper than 2048');
fails('{"m":{"mode":"chat","x":"' . "\x01" . '"}}', $where,
      'a control character in a string');
fails('{"m":{"mode":"chat","x":"\ud800"}}', $where, 'half a surrogate pair');
fails('{"m":{"mode":"chat","x":1e999}}', $where, 'a number that is too large');
fails("\xef\xbb\xbf{}", $where, 'a byte order mark');
fails("\x1f\x8b\x08\0\0\0\0\0", $where, 'a gzip file');
fails('<html>', $where, 'a page');

# documents of no source

for my $text ('{}', '{"a":1}', '{"a":{"b":{}}}', '{"data":{}}',
              '{"models":{"m":{}}}', '{"p":{"models":[]}}', '[{"id":"m"}]',
              '{"object":"list"}', '{"services":{"mode":5}}')
{
    fails($text, qr/line 1, column 1: no capability map/, "no source: $text");
}

# the size

open my $fh, '>', $t->prefix . '/map.json' or die $!;
truncate $fh, 100 * 1024 * 1024;
close $fh;
fails(undef, qr/has 104857600 bytes.* at most 67108864/, 'a map of 100 MB');

open $fh, '>', $t->prefix . '/map.json' or die $!;
truncate $fh, 64 * 1024 * 1024;
close $fh;
fails(undef, $where, 'zeros of the allowed size');

# what warns

warns('{"good":{"mode":"chat"},"a":5,"b":null,"c":[],"d":{"mode":5},'
      . '"":{"mode":"chat"}}', 'LiteLLM: entries',
      'service "a" is not an object', 'service "b" is not an object',
      'service "c" is not an object', 'service "d" has a "mode"',
      'service "" has no name');
warns('{"a":{"mode":"chat","supports_vision":"true"},'
      . '"b":{"mode":"chat","supports_pdf_input":1},'
      . '"c":{"mode":"chat","supported_modalities":{"image":true}},'
      . '"d":{"mode":"chat","supported_modalities":["image",7]},'
      . '"e":{"mode":"embedding","supports_vision":null}}',
      'LiteLLM: capabilities',
      'service "a": "supports_vision" is neither',
      'service "b": "supports_pdf_input" is neither',
      'service "c": "supported_modalities" is not an array',
      'service "d": "supported_modalities\[1\]" is not');
warns('{"p":{"models":{"a":5,"b":{"modalities":"text"},'
      . '"c":{"modalities":{"input":"text"}},"d":{"modalities":{"input":'
      . '["text",{}]}},"e":{"tool_call":"x"}}},"q":[],"r":{"name":"R"}}',
      'models.dev', 'service "p/a" is not an object',
      'service "p/b": "modalities" is not an object',
      'service "p/c": "modalities.input" is not an array',
      'service "p/d": "modalities.input\[1\]"',
      'service "p/e": "tool_call" is neither',
      'provider "q" has no object "models"',
      'provider "r" has no object "models"');
warns('{"data":[5,{},{"id":""},{"id":[]},{"id":"a","architecture":"x"},'
      . '{"id":"a"},{"id":"b","architecture":{"output_modalities":[null]}}]}',
      'OpenRouter', 'data\[0\] is not an object', 'data\[1\] has no',
      'data\[2\] has no', 'data\[3\] has no',
      'service "a": "architecture" is not an object',
      'service "b": "architecture.output_modalities\[0\]"',
      'service "a" is listed more than once');
warns('{"data":[{"id":"a","supported_parameters":"tools"},'
      . '{"id":"b","canonical_slug":5,"name":[],"description":{}},'
      . '{"id":"c","supported_parameters":null,"canonical_slug":null}]}',
      'OpenRouter: keys',
      'service "a": "supported_parameters" is not an array, text only',
      'service "b": "canonical_slug" is not a string, ignored',
      'service "b": "name" is not a string',
      'service "b": "description" is not a string');
warns('{"services":[{"id":"a","accepts":"image/png"},{"id":"b","accepts":'
      . '["png"]},{"id":"c","maxBytes":"5"},{"id":"d","maxBytes":-5},'
      . '{"id":"e","accepts":["image/*"],"maxBytes":5},'
      . '{"id":"f","maxSide":"5"},{"id":"g","maxMedia":0},'
      . '{"id":"h","maxSide":5,"maxMedia":5}],'
      . '"agents":[{"id":"x"},7,{"id":"y","serviceId":"a"}]}', 'own',
      'service "a": "accepts" is not an array, ignored',
      'service "b": "accepts" holds', 'service "c": "maxBytes"',
      'service "d": "maxBytes"', 'service "f": "maxSide"',
      'service "g": "maxMedia"', 'agents\[0\] lacks',
      'agents\[1\] is not an object');
warns('{"services":[{"id":"a","format":5},{"id":"b","model":["m"]},'
      . '{"id":"c","name":7,"description":false},'
      . '{"id":"d","capabilityTags":"x"},{"id":"e","format":null}]}',
      'own: keys', 'service "a": "format" is not a string, ignored',
      'service "b": "model" is not a string',
      'service "c": "name" is not a string',
      'service "c": "description" is not a string',
      'service "d": "capabilityTags" is not an array, ignored');
warns({ services => [ { id => 'x' x 2000 }, { id => 'big',
        description => 'x' x 70000 }, { id => 'good' } ] }, 'too much',
      'more than 1024 bytes, skipped', '"big" has more than 64 KB');
warns({ services => [ { id => "a\n[emerg] \e[1m\x{202e}", capabilities => 1 }
      ] }, 'a hostile id', 'service "a_\[emerg\] _\[1m_": "capabilities"');

# Random damage: nginx -t ends in an orderly way, whatever it says.

my $seed = rand_seed(20240229);
my @names = sort keys %source;
my $orderly = 0;
for my $i (1 .. 40) {
    my $text = $source{$names[$i % 3]};
    for (1 .. 1 + rand_int(4)) {
        substr $text, rand_int(length $text), rand_int(9),
            ('{', '}', '[', ']', '"', ',', ':', '0', '"id"', 'null',
             '{}')[rand_int(11)];
    }
    my ($code, $out) = check($text);
    $orderly++ if $code == 0 && $out !~ /\[emerg\]/
        || $code == 1 && $out =~ /\[emerg\].*map\.json" $where/;
}
is($orderly, 40, "random damage, seed $seed");

# A fault in one entry leaves the others alone.

$t->file('map.json', '{"good":{"mode":"chat","supports_vision":true},'
         . '"bad":{"mode":"chat","supports_vision":"true"}}');
$t->artifact('png', png(), { type => 'image/png', name => 'a.png' });
$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;');
is(routing_of($t->service('good', '/artifacts/png')),
   'image image_url image/png', 'the good entry counts');
is(routing_of($t->service('bad', '/artifacts/png')),
   'image text image/png capability', 'the bad one reads text');

$t->file('map.json', '{"good":{"mode":"chat"');
ok($t->reload(fails => 1), 'a reload with a broken map is refused');
$t->allow(qr/\[emerg\].*map\.json/);
is(routing_of($t->service('good', '/artifacts/png')),
   'image image_url image/png', 'the old map stays in force');

$t->finish;
