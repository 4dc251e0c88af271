#!/usr/bin/perl

# Which format an answer has: artifact_format, the service's own, "route"; and
# what happens to names that are none.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my @formats = qw(route object tool_message openai openai_responses anthropic
                 gemini bedrock mistral openrouter mcp);

my $t = ArtifactTest->new;

$t->file('map.json', { services => [
    (map { { id => "in-$_", format => $_,
             capabilities => { input => ['text', 'vision'] } } } @formats),
    { id => 'plain', capabilities => { input => ['vision'] } },
    { id => "bad\n1", format => "Op\nen\"AI",
      capabilities => { input => ['vision'] } },
] });

my $http = <<'HTTP';
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_root %%DATA%%;
    artifact_route on;
HTTP

my $server = join '', <<'SERVER', map { <<"SERVER" } @formats;
    location /artifacts/ {
        artifact;
    }
    location /arg/ {
        artifact;
        artifact_format $arg_format;
    }
SERVER
    location /$_/ {
        artifact;
        artifact_format $_;
    }
SERVER

# the map's bad format is told once, when it is loaded, on one line

my ($code, $out) = $t->conf_test(http => $http, server => $server);
is($code, 0, 'a map with an unknown format is loaded');
like($out,
     qr/\[warn\] service "bad_1" has an unknown format "Op_en"AI", "route"/,
     'with a warning');
is(() = $out =~ /\[warn\]/g, 1, 'only one');

for my $bad ('OpenAI', 'openai ', 'chat', 'open') {
    ($code, $out) = $t->conf_test(http => $http, server => <<"SERVER");
    location / {
        artifact_format "$bad";
    }
SERVER
    isnt($code, 0, "artifact_format \"$bad\" is refused");
    like($out, qr/\[emerg\] unknown format "$bad" in .*:\d+/, 'it is named');
}

$t->start(http => $http, server => $server);
$t->artifact('png', png(), { type => 'image/png', name => 'a.png' });

# the answers of the formats by name, each unlike the others

my %body = map { $_ => $t->accept('vision', "/$_/png")->body } @formats;
my %seen = reverse %body;

is(scalar keys %seen, @formats - 1, 'answers of the formats');
is($body{openai}, $body{openrouter}, 'only images are alike in these two');

for my $format (@formats) {
    is($t->service("in-$format", '/artifacts/png')->body, $body{$format},
       "the service's $format");
    is($t->accept('vision', "/arg/png?format=$format")->body, $body{$format},
       "$format by a variable");
    is($t->service("in-$format", '/anthropic/png')->body, $body{anthropic},
       "artifact_format comes before the service's $format");
    is($t->service("in-$format", '/arg/png')->body, $body{$format},
       'but not an empty one');
}

is($t->service('plain', '/artifacts/png')->body, $body{route},
   'route without either');

unlike($t->log, qr/unknown artifact format/, 'nothing to warn of so far');

is($t->service('plain', '/arg/png?format=OpenAI')->body, $body{route},
   'an unknown name by a variable: route');
like($t->log, qr/\[warn\] [^\n]*unknown artifact format "OpenAI"/,
     'with a warning');

is($t->service('in-openai', '/arg/png?format=x')->body, $body{route},
   'even where the service has a format');

$t->finish;
