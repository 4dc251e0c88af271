#!/usr/bin/perl

# The log of docs/troubleshooting.md, as it stands there: the configuration runs,
# and its line is the one of the page but for times and numbers of bytes.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFit qw(converter);
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $dir = $t->prefix;

my $page = slurp("$FindBin::Bin/../../docs/troubleshooting.md");
my ($format, $server, $trailer) =
    $page =~ /^    (map .*?;\n)\n    server \{\n(.*?)^    \}\n/ms
    ? ($1, $2) : BAIL_OUT('no configuration in docs/troubleshooting.md');
($trailer) = $page =~ /^(    location \/route \{\n.*?^    \}\n)/ms;
my ($sample) = $page =~ /^    (\{"time".*?\})\n/ms;
$sample =~ s/\n\s*//g;

$server =~ s/artifact_root \S+;/artifact_root %%DATA%%;/;
$server =~ s{http://127\.0\.0\.1:8090;}{http://unix:$dir/convert:;};
$server =~ s{access_log logs/}{access_log %%PREFIX%%/};
$server =~ s{http://gateway\.example\.com}{http://unix:$dir/echo:};

$t->artifact('shot', png(9, 9), { type => 'image/png' });
$t->artifact('note', 'a note', { type => 'text/plain' });
$t->artifact('scan', pdf(), { type => 'application/pdf' });
$t->file('map.json', { services => [ { id => 'gpt-3.5-turbo',
    capabilities => { input => ['text'], output => ['text'] } } ] });

my $echo = echo("$dir/echo");
my $converter = converter("$dir/convert");

$t->start(http => "artifact_capabilities %%PREFIX%%/map.json; $format",
          server => $server . $trailer);

my $res = $t->req('POST', '/v1/chat/completions?key=secret',
    headers => ['Content-Type' => 'application/json',
                'Authorization' => 'Bearer key-a'],
    body => encode_json_bytes({ model => 'gpt-3.5-turbo', messages => [
        { role => 'user', content => [
            map { { type => 'artifact', artifact => "artifact:$_" } }
                qw(shot note old scan) ] } ] }));

is($res->{status}, 200, 'a request');
is($res->header('X-Artifact-Reasons'),
   'artifact:shot=capability artifact:old=missing '
   . 'artifact:scan=derived:text/plain', 'the header');

$t->wait_for(qr/\n/, 'artifact.log');
my $line = slurp("$dir/artifact.log");
my ($got, $want) = map { decode_strict($_) } $line, $sample;

is(join(' ', $line =~ /"(\w+)":/g), join(' ', $sample =~ /"(\w+)":/g),
   'the members, in order');

for my $varies (qw(time id seconds sent)) {
    my $like = $want->{$varies} =~ s/[0-9a-f]/./gr;
    ok(length $got->{$varies}, "$varies: " . $got->{$varies});
    delete $_->{$varies} for $got, $want;
}

is_deeply($got, $want, 'the line of the page');
unlike($line, qr/secret/, 'no arguments');

# values that need escapes

$res = $t->req('POST', '/v1/chat/completions', headers =>
    ['Content-Type' => 'application/json'], body =>
    '{"model":"a\"b\n\u0001","messages":[{"role":"user","content":'
    . '[{"type":"artifact","artifact":"artifact:x\"\\\\y"}]}]}');
is($res->{status}, 200, 'a model of any name');
$t->wait_for(qr/\n.*\n/, 'artifact.log');
$got = decode_strict((split /\n/, slurp("$dir/artifact.log"))[1]);
is($got->{model}, 'a"b%0A%01', 'its name');
is($got->{reasons}, 'artifact:x%22%5Cy=missing', 'the reason');

# a message, with a trailer

$res = $t->req('POST', '/route', headers => ['TE' => 'trailers',
    'X-LLM-Service' => 'gpt-3.5-turbo'],
    body => '{"attachments":["artifact:shot"]}');
is($res->{status}, 200, 'a message');
$t->wait_for(qr/(?:\n.*){3}/, 'artifact.log');
$got = decode_strict((split /\n/, slurp("$dir/artifact.log"))[2]);
is($got->{reasons}, 'artifact:shot=capability', 'in the log');
is($got->{refs}, '', 'which has no numbers of it');

# every reason is explained
$page = slurp("$FindBin::Bin/../../docs/troubleshooting.md");

for my $reason (qw(capability type size pixels read missing named dropped
                   empty conversion expired))
{
    like($page, qr/^\| `$reason` \|/m, "the page has $reason");
}

$_->stop for $echo, $converter;
$t->finish;
