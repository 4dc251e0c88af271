#!/usr/bin/perl

# conf.example with the sample data, and what "make run" prints to try.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactConvert;
use ArtifactTest;

my $root = abs_path("$FindBin::Bin/../..");

my $t = ArtifactTest->new;

# The harness has a place for temporary files and a port of its own.

my ($http, $server) = slurp("$root/conf.example")
    =~ /^http \{\n(.*?)^    server \{\n(.*)^    \}\n\}\n\z/ms;

ok(length $server, 'conf.example has a server');

s/^\s*(?:\w+_temp_path|access_log|listen|server_name) .*;\n//gm
    for $http, $server;
s/127\.0\.0\.1:8080/127.0.0.1:%%PORT%%/g for $http, $server;
s{http://127\.0\.0\.1:8090}{http://unix:%%PREFIX%%/convert.sock}
    for $server;

spew($t->prefix . '/capabilities.json',
     slurp("$root/scripts/capabilities.json"));
system('perl', "$root/scripts/samples.pl", $t->data) == 0
    or die "samples.pl failed\n";
mkdir $t->prefix . '/temp' or die "temp: $!\n";

my %conf = (http => $http, server => $server, as_is => 1);
my ($code, $out) = $t->conf_test(%conf);
is($code, 0, 'nginx -t takes it') or diag($out);
unlike($out, qr/\[warn\]/, 'and has nothing to say');

$t->start(%conf);

# The commands, as they are printed.

my ($hints) = slurp("$root/scripts/run.sh") =~ /cat << END\n(.*?)^END\n/ms;
my $base = 'http://127.0.0.1:' . $t->port;
my ($commands, @echoed) = (0);

for my $command ($hints =~ /^  (curl .*)$/gm) {
    $command =~ s/\$1/$base/g;
    my $out = chars(scalar `$command 2>&1`);

    $commands++;
    ok($out =~ /\S/ && $out !~ /"error"|<html>/, $command) or diag($out);
    push @echoed, $out if $command =~ m{/echo/};
}

cmp_ok($commands, '>=', 10, 'there is something to try');

is(scalar @echoed, 2, 'two requests come back');
like($echoed[0], qr{"image_url":\{"url":"data:image/png;base64,iVBOR},
     'expanded for a model that sees');
like($echoed[1], qr{"type":"text","text":"\[Unreadable\] gradient\.png},
     'described for one that reads');

# With the converter, which was down until here: those that were described are
# converted.

sub converted {
    my ($model, $id) = @_;
    my $body = '{"model":"' . $model . '","messages":[{"role":"user","content":'
        . '[{"type":"image_url","image_url":{"url":"artifact:' . $id . '"}}]}]}';

    return $t->req('POST', '/echo/v1/chat/completions', body => $body,
        headers => ['Content-Type' => 'application/json'])->body;
}


SKIP: {
    $t->allow(qr/connect\(\) to unix:\S+convert\.sock failed/);
    like(converted('text-model', 'report'), qr/\[Unreadable\] report\.pdf/,
         'no converter: words');
    skip('not installed: ' . convert_missing(), 3) if convert_missing();

    my $converter = ArtifactConvert->new($t->prefix,
        listen => 'unix:' . $t->prefix . '/convert.sock');

    like(converted('text-model', 'report'),
         qr/converted from application\/pdf:\\nA sample report\\n/,
         'the text of a PDF');
    like(converted('vision-model', 'logo'), qr{data:image/jpeg;base64,/9j/},
         'a picture of an SVG');
    like(converted('vision-model', 'gradient'), qr{data:image/png;base64,iVBOR},
         'what the model takes stays');
    $converter->stop;
}

# nginx's own error has words for a program

my $res = $t->req('POST', '/echo/v1/chat/completions',
    headers => ['Content-Type' => 'application/json'],
    body => 'x' x (64 * 1024 * 1024 + 1));

is($res->status, 413, 'a body that is too large');
is(json_of($res)->{error}{code}, 'request_too_large', 'is refused in JSON');

$t->finish;
