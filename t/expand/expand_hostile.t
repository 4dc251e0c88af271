#!/usr/bin/perl

# Bodies that somebody made to break the proxy: they go on as they came, or are
# refused with a code of ours.  Time grows with their length, not faster, and
# others have their turn meanwhile.

use strict;
use warnings;

use Compress::Zlib qw(deflateInit);
use Digest::SHA qw(sha1_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $MB = 1 << 20;
my $sanitized = $t->version =~ /-fsanitize/;

$t->artifact('a', png(4, 4), { mimeType => 'image/png' });
my $echo = echo($t->prefix . '/echo', digest => 1);
my $pass = 'proxy_pass http://unix:' . $t->prefix . '/echo:;';

$t->file('map.json', { services => [
    { id => 'reads', provider => 'x', model => 'reads',
      capabilities => { input => ['text'] } },
] });
$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => <<"SERVER");
    artifact_root %%DATA%%;
    client_max_body_size 0;
    keepalive_requests 100000;
    location /artifacts/ { internal; artifact; }
    location /v1/ {
        artifact_expand on;
        artifact_refs_max 4096;
        $pass
    }
    location /few/ {
        artifact_expand on;
        $pass
    }
    location /logged/ {
        artifact_expand on;
        error_log %%PREFIX%%/debug.log debug;
        $pass
    }
SERVER

my ($worker) = $t->workers;
my $conn = $t->connect;

sub ask {
    my ($body, $uri, @headers) = @_;
    return $conn->request('POST', $uri // '/v1/chat/completions',
        body => $body, keep => 1,
        headers => ['Content-Type' => 'application/json', @headers]);
}

sub stays {
    my ($body, $name, @more) = @_;
    my $res = ask($body, @more);
    is($res->{body}, length($body) . ' ' . sha1_hex($body), $name);
}

sub refused {
    my ($res, $status, $code, $name) = @_;
    is($res->{status}, $status, "$name: $status");
    like($res->{body}, qr/"code":"$code"/, "$name: $code");
}

sub chat {
    my ($model, @parts) = @_;
    return '{"messages":[{"role":"user","content":[' . join(',', @parts)
        . qq(]}],"model":"$model"});
}

my $ref = '{"type":"image_url","image_url":{"url":"artifact:a"}}';
my $own = '{"type":"image_url","image_url":{"url":"data:image/png;base64,'
    . 'iVBORw0KGgoAAAAASUVORK5CYIIA"}}';

# deep

stays('[' x 10_000 . ']' x 10_000, 'arrays in arrays');
stays('{"a":' x 10_000 . '1' . '}' x 10_000, 'objects in objects');
stays('{"messages":' . '[{"content":' x 5000, 'messages in messages');
stays(chat('m', $ref, '{"a":' . '[' x 600 . ']' x 600 . '}'),
      'too deep behind a reference');
stays('[' x (64 * $MB), '64 MB that are opened');

# many

refused(ask(chat('m', ($ref) x 65), '/few/chat/completions'), 413,
        'too_many_artifacts', 'one more than the default');
refused(ask(chat('m', ($ref) x 4097)), 413, 'too_many_artifacts',
        '4097 references');
is(ask(chat('m', ($ref) x 4096))->{status}, 200, '4096 references');
stays(chat('m', ($own) x 5000), '5000 media for a model nobody knows');
refused(ask(chat('reads', ($own) x 5000)), 413, 'too_many_artifacts',
        '5000 for one that cannot see');
is(ask(chat('reads', ($own) x 4096))->{status}, 200, '4096 for that');
stays(chat('reads', ('{"type":"text","text":"x"}') x 1_000_000),
      'a million parts of a text');
stays(chat('reads', ('{}') x 1_000_000), 'a million parts of nothing');

# long

my $ten = 'x' x (10 * $MB);
stays(chat('reads', qq({"type":"text","text":"$ten"})), 'a text of 10 MB');
stays(qq({"$ten":1}), 'a key of 10 MB');
stays(chat($ten, $own), 'a model of 10 MB');
stays(chat('reads', qq({"type":"$ten"})), 'a type of 10 MB');
my $res = ask(chat('reads', $ref =~ s/artifact:a/artifact:$ten/r));
is($res->{status}, 200, 'a reference of 10 MB');
cmp_ok($res->{body} =~ /^(\d+)/, '<', 10_000, 'is one that is missing');
$res = ask(chat('reads', $own =~ s/IIA/IIA$ten/r));
cmp_ok(($res->{body} =~ /^(\d+)/)[0], '<', 10_000, '10 MB of base64 go');
stays('1' x (10 * $MB), 'a number of 10 MB');
stays(' ' x (10 * $MB), 'spaces');
refused(ask(' ' x (64 * $MB + 1)), 413, 'request_too_large', 'more than 64 MB');

# broken

my $sample = "{\"model\":\"reads\",\"x\":[-1.5e+3,true,null,\"\\u00e9\\n\xc3"
    . "\xa9\"]," . substr(chat('m', '{"type":"text","text":"t"}', $ref, $own,
    '{"type":"artifact","artifact":"artifact:a","cache_control":{"a":1}}'), 1);
my $bad = '';
for my $n (1 .. length($sample) - 1) {
    my $cut = substr $sample, 0, $n;
    $res = ask($cut);
    $bad ||= "$n: $res->{status} $res->{body}"
        if $res->{body} ne "$n " . sha1_hex($cut);
}
is($bad, '', 'whatever is cut off goes on');
is(ask('')->{status}, 200, 'no body at all');

for my $n (0 .. length($sample) - 1) {
    for my $byte ("\0", "\xff", '"', '\\', '{', ']') {
        my $broken = $sample;
        substr $broken, $n, 1, $byte;
        $res = ask($broken);
        $bad ||= "$n, $byte: $res->{status} $res->{body}"
            if $res->{status} != 200
            || ($byte eq "\0" && $res->{body} !~ /^@{[length $broken]} /);
    }
}
is($bad, '', 'and so does what has another byte, edited or not');

for my $body ("\0" . chat('m', $ref), chat('m', $ref) . "\0",
              chat('m', $ref) . chat('m', $ref), chat('m', $ref) . ',',
              "\xef\xbb" . chat('m', $ref), "\xff\xfe" . chat('m', $ref),
              chat('m', $ref) =~ s/\[/[,/r, chat('m', $ref) =~ s/"/'/gr,
              chat('m', $ref) =~ s/\]/,]/r, '// x' . chat('m', $ref))
{
    stays($body, 'no JSON: ' . join ' ', unpack '(H2)6', $body);
}

# bombs

# a member that is repeated, of deflate one stream

refused(ask(gzip_of("\0" x (16 * $MB)) x 64, undef, 'Content-Encoding' =>
            'gzip'), 413, 'request_too_large', 'a GB in gzip');
for my $bits (15, -15) {
    my ($z) = deflateInit(-WindowBits => $bits, -Level => 1);
    my $bomb = $z->deflate("\0" x (65 * $MB)) . $z->flush;
    refused(ask($bomb, undef, 'Content-Encoding' => 'deflate'), 413,
            'request_too_large', "65 MB in deflate, $bits");
}
SKIP: {
    skip 'no zstd here', 4 if !grep { -x "$_/zstd" } split /:/, $ENV{PATH};
    skip 'built without zstd', 4 if ask('x', undef, 'Content-Encoding' => 'br')
        ->header('Accept-Encoding') !~ /zstd/;
    my $frame = `head -c 16777216 /dev/zero | zstd -c`;
    refused(ask($frame x 64, undef, 'Content-Encoding' => 'zstd'), 413,
            'request_too_large', 'a GB in zstd');

    # RFC 9659

    $frame = `head -c 100000 /dev/zero | zstd -c --ultra -22 --long=30`;
    refused(ask($frame, undef, 'Content-Encoding' => 'zstd'), 400,
            'invalid_encoding', 'a window of a GB');
}
$res = ask('x', undef, 'Content-Encoding' => 'br');
refused($res, 415, 'unsupported_encoding', 'br');
like($res->header('Accept-Encoding'), qr/^gzip, deflate(?:, zstd)?$/,
     'what is taken');
refused(ask(gzip_of(gzip_of('{}')), undef, 'Content-Encoding' =>
        'gzip, gzip'), 415, 'unsupported_encoding', 'twice');

# memory: what the largest of these left is not kept

SKIP: {
    skip 'a sanitizer keeps freed memory', 1 if $sanitized;
    cmp_ok($t->memory($worker), '<', 40_000, 'the worker is still small');
}

# four times as much takes about four times the time, and not sixteen

sub cpu {
    my ($ns) = split ' ', slurp("/proc/$worker/schedstat");
    return $ns / 1e6;
}

sub cost {
    my ($body) = @_;
    my $best;
    for (1 .. 3) {
        my $before = cpu();
        ask($body);
        my $cost = cpu() - $before;
        $best = $cost if !defined $best || $cost < $best;
    }
    return $best;
}

my %grows = (
    'parts' => sub { chat('reads', ('{"type":"text","text":"x"}') x
                          (100_000 * $_[0])) },
    'references' => sub { chat('reads', ($ref) x (1500 * $_[0])) },
    'references that differ' => sub { chat('reads', map { $ref =~
        s/artifact:a/artifact:..\/$_/r } 1 .. 1500 * $_[0]) },
    'media' => sub { chat('reads', ($own) x (1500 * $_[0])) },
    'messages' => sub { '{"messages":[' . join(',',
        ('{"role":"tool","content":"artifact:../x"}') x (1500 * $_[0]))
        . ']}' },
    'groups of tools' => sub { '{"messages":[' . join(',',
        ('{"role":"tool","content":"artifact:../x"},{"role":"user",'
         . '"content":"x"}') x (1500 * $_[0])) . ']}' },
    'keys' => sub { '{' . join(',', map { qq("k$_":1) } 1 .. 300_000 * $_[0])
        . '}' },
    'backslashes' => sub { '{"x":"' . '\\\\' x ($_[0] * $MB) . '"}' },
    'units' => sub { '{"x":"' . '\\ud83d' x ($_[0] * $MB / 2) . '"}' },
    'the body of a text' => sub { chat('reads', '{"type":"text","text":"'
        . 'artifac' x ($_[0] * $MB) . '"}') },
);
for my $name (sort keys %grows) {
    my ($few, $many) = map { cost($grows{$name}->($_)) } 0.5, 2;
    note(sprintf '%s: %.1f and %.1f ms', $name, $few, $many);
    cmp_ok($many, '<', 8 * $few + 3, "$name: four times as many");
}

# the worker turns to others while it decodes and scans

SKIP: {
    skip 'nginx without --with-debug', 1 if $t->version !~ /--with-debug/;
    ask(gzip_of(chat('m', ('{"type":"text","text":"xyz"}') x 1_000_000,
                     ($ref) x 65)), '/logged/chat/completions',
        'Content-Encoding' => 'gzip');
    my $turns = () = slurp($t->prefix . '/debug.log') =~ /http artifact turn ends/g;
    cmp_ok($turns, '>', 8, '29 MB in more than 8 turns');
    note("$turns turns");
}

$conn->close;
$echo->stop;
$t->finish;
