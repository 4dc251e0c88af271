#!/usr/bin/perl

# Media that the store has not are written to it as they come in, and not saved:
# whatever becomes of a request, and however a write fails, the bytes that arrive
# are those of a request that was all in memory, where nothing is omitted, and
# nothing is left of what is no artifact.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactFixtures;
use ArtifactSandwich;
use ArtifactTest;
use ArtifactWrite qw(in_parallel left_behind until_true);
use Digest::SHA qw(sha256_hex);
use IO::Socket::INET;
use Time::HiRes qw(sleep);

# A scan that is slower than its client is put off, on a slow machine: not here.

my $fail = ArtifactFail->new('idle 1 0 clock');
my $t = ArtifactTest->new(launcher => $fail->launcher);

plan skip_all => 'nginx without --with-debug' if $t->version !~ /--with-debug/;

my $echo = standin_echo($t);
my $data = $t->data;
my $debug = $t->prefix . '/debug.log';
my $offloads = 'artifact_offload_request on; proxy_pass %%ECHO%%;';

standin_server($t, http => <<'HTTP', server => <<"SERVER");
    map $http_x_tenant $tenant { default none; ~^[ab]$ $http_x_tenant; }
    map $artifact_model $by_model { default one; sees two; }
HTTP
    error_log %%PREFIX%%/debug.log debug;
    client_body_buffer_size 16k;
    location /file/ { $offloads }
    location /wide/ { client_body_buffer_size 128k; $offloads }
    location /small/ { client_body_buffer_size 1k; $offloads }
    location /mem/ { client_body_buffer_size 64m; $offloads }
    location /threads/ { aio threads; $offloads }
    location /one/ { artifact_refs_max 1; $offloads }
    location /hash/ {
        proxy_set_header X-Hash \$artifact_body_hash;
        $offloads
    }
    location /model/ { artifact_root %%PREFIX%%/\$by_model; $offloads }
    location /tenant/ { artifact_root %%PREFIX%%/t/\$tenant; $offloads }
    location /expands/ { artifact_expand on; artifact_prompt on; $offloads }
    location /expands/mem/ {
        client_body_buffer_size 64m;
        artifact_expand on;
        artifact_prompt on;
        $offloads
    }
SERVER

sub request { return standin_body('openai', 'sees', @_) }
sub pngs { return request(map { standin_part('png', $_) } @_) }

# New ones: of bytes that were made once, from anywhere.

my $bytes = rand_bytes(500_000);
my %begin = map { $_ => substr standin_content($_, 5000), 0, 5000 } qw(png pdf wav);

sub medium {
    my ($kind, $size) = @_;
    my $from = int rand 90_000;
    return $begin{$kind} . rand_bytes(8) . substr $bytes, $from, $size - 8;
}

# What arrives, and how many bytes of media that were new were omitted.

sub arrives {
    my ($at, $body, @headers) = @_;

    my $from = -s $debug // 0;
    my $res = standin_post($t, "/$at/v1/chat/completions", $body, @headers);
    return ($res, omitted($from));
}

sub omitted {
    my $omitted = 0;
    $omitted += $_ for logged($_[0]) =~ /known: (\d+) bytes .*a new file/g;
    return $omitted;
}

sub logged {
    open my $fh, '<', $debug or die "$debug: $!";
    seek $fh, $_[0], 0;
    local $/;
    return <$fh> // '';
}

# Nothing of the body was known; what is stored of it is, afterwards.

sub is_same {
    my ($at, $body, $name) = @_;

    my ($res, $omitted) = arrives($at, $body);
    my ($mem, $none) = arrives($at eq 'expands' ? "$at/mem" : 'mem', $body);
    is($none, 0, "$name: in memory, nothing is omitted") if $none;
    is(sha256_hex($res->body), sha256_hex($mem->body), "$at: $name");
    return $omitted;
}

# a store that is not there yet is made when all of the body is known

my ($first, $omitted) = arrives('file', pngs(b64(medium('png', 200_000))));
is($omitted, 0, 'without a store, new media are saved');
unlike($first->body, qr/base64,.{1000}/, 'and stored');


# --- they are written, and are artifacts

for my $at (qw(file wide small threads hash expands)) {
    my @shots = map { medium('png', 200_000 + $_) } 0 .. 4;
    my $n = is_same($at, pngs(map { b64($_) } @shots), 'new media');
    cmp_ok($n, '>', 1_000_000, "$at: are omitted");
    is(join('', map { standin_stored($data, standin_id($data, $_, 'png'), $_,
                                     'png') } @shots), '',
       "$at: are stored whole");
    is(left_behind($t), '', "$at: no more is");
}

for my $kind (qw(pdf wav)) {
    my $medium = medium($kind, 300_000);
    cmp_ok(is_same('file', request(standin_part($kind, b64($medium))),
                                   "a new $kind"),
           '>', 300_000, "$kind: is omitted");
    is(standin_stored($data, standin_id($data, $medium, $kind), $medium, $kind),
       '', "$kind: is stored whole");
}

# sizes that leave one and two bytes, and media that begin anywhere in a buffer

for my $more (0 .. 2) {
    for my $blanks (0 .. 5, 16_370 .. 16_376) {
        my $medium = medium('png', 150_000 + $more);
        cmp_ok(is_same('file', ' ' x $blanks . pngs(b64($medium)),
                       "$more bytes more, behind $blanks"), '>', 140_000,
               'are omitted');
        is(standin_stored($data, standin_id($data, $medium, 'png'), $medium,
                          'png'), '', 'are stored whole');
    }
}

# the shortest, whose beginning is all of it, or all but a few digits

for my $more (0 .. 9, 4096 .. 4100) {
    my $medium = substr medium('png', 40_000), 0, 32_764 + $more;
    for my $before ('', ' ' x 20_000) {
        is_same('small', $before . pngs(b64($medium)), "32764 and $more bytes");
        substr($medium, 6000, 8) = rand_bytes(8);
    }
}


# --- bodies that stay, all or in part

# Puts something into the middle of a medium.

sub late {
    my ($b64, $what) = @_;
    substr $b64, 180_000, length $what, $what;
    return pngs($b64, $_[2] // ());
}

my %case = (
    'cut behind them' => sub { substr(pngs(@_), 0, -1) },
    'cut in the last one' => sub { substr(pngs(@_), 0, -100_000) },
    'no JSON behind them' => sub { pngs(@_) . ' x' },
    'no JSON before the last one' => sub {
        request(standin_part('png', $_[0]) . '}', standin_part('png', $_[1])) },
    'garbage behind one' => sub { pngs("$_[0]!", $_[1]) },
    'more base64 behind one' => sub { pngs($_[0] . 'AAAA', $_[1]) },
    'one is cut' => sub { pngs(substr($_[0], 0, -4004), $_[1]) },
    'one is cut at a digit' => sub { pngs(substr($_[0], 0, -4003), $_[1]) },
    'one is not padded' => sub { pngs($_[0] =~ s/=+\z//r, $_[1]) },
    'one has half of its padding' => sub {
        pngs($_[1] =~ s/[^=]{1,2}=+\z/=/r, $_[1]) },
    'padding in the middle' => sub { late($_[0], '=') },
    'much padding' => sub { pngs("$_[1]====", $_[0]) },
    'only padding behind' => sub { late($_[0], '=' x 20_000) },
    'bits that are not zero, of one byte' => sub {
        pngs(substr($_[0], 0, 200_000) . 'AB==', $_[1]) },
    'bits that are not zero, of two bytes' => sub {
        pngs(substr($_[0], 0, 200_000) . 'AAB=', $_[1]) },
    'the same without padding' => sub {
        pngs(substr($_[0], 0, 200_000) . 'AAB', $_[1]) },
    'another alphabet' => sub { pngs($_[0] =~ tr{+/}{-_}r, $_[1]) },
    'two alphabets' => sub {
        pngs(substr($_[0], 0, 99_999)
             . substr($_[0], 99_999) =~ tr{+/}{-_}r, $_[1]) },
    'a dash' => sub { late($_[0], '-') },
    'an underscore' => sub { late($_[0], '_') },
    'a space' => sub { late($_[0], ' ') },
    'spaces from the beginning on' => sub {
        pngs(join(' ', $_[0] =~ /.{1,76}/g), $_[1]) },
    'a quote' => sub { late($_[0], '\\"') },
    'a byte that is no ASCII' => sub { late($_[0], "\xc3\xa4") },
    'a zero' => sub { late($_[0], "\0") },
    'lines' => sub { pngs(join('\n', $_[0] =~ /.{1,76}/g), $_[1]) },
    'escapes' => sub { pngs($_[0] =~ s{/}{\\/}gr, $_[1]) },
    'an escape far behind' => sub {
        pngs(substr($_[0], 0, 200_000)
             . substr($_[0], 200_000) =~ s{/}{\\/}r, $_[1]) },
    'another type declared' => sub {
        request(standin_part('png', $_[0], 'image/jpeg'),
                standin_part('png', $_[1])) },
    'the same forty times' => sub { pngs(($_[2]) x 40) },
    'seventy' => sub {
        pngs(map { my $s = $_[$_ % 5];
                   substr($s, 8000, 4) = sprintf '%04d', $_;
                   $s } 1 .. 70) },
    'none of another API' => sub { qq({"x":"data:image/png;base64,$_[0]"}) },
);

for my $at (qw(file threads)) {
    for my $name (sort keys %case) {
        my @b64 = map { b64(medium('png', 200_000 + $_)) } 0 .. 4;
        my $n = is_same($at, $case{$name}->(@b64), $name);
        cmp_ok($n, '>', 100_000, "$at: $name: some are omitted")
            if $name !~ /of another API/;
    }
    is(left_behind($t), '', "$at: nothing is left of them");
}

# those that the limit lets through are whole

{
    my @b64 = map { b64(medium('png', 200_000)) } 1 .. 5;
    my ($res, $n) = arrives('one', pngs(@b64));
    cmp_ok($n, '>', 1_000_000, 'a limit: all are omitted');
    is(scalar(grep { index($res->body, $_) > 0 } @b64), 4,
       'and four arrive as they are');
    is(left_behind($t), '', 'which are not kept');
}


# what was stored of all of them has the digest of its bytes

{
    my %kind = reverse map { $_ => standin_mime($_) } @STANDIN_KINDS;
    my $files = standin_files($data);
    my @wrong;
    for my $id (sort keys %$files) {
        my $bytes = slurp($files->{$id}{path});
        my $kind = $kind{ $files->{$id}{meta}{type} } // 'png';
        my $is = standin_stored($data, $id, $bytes, $kind);
        push @wrong, "$id: $is" if $is || standin_id($data, $bytes, $kind) ne $id;
    }
    is("@wrong", '', 'each artifact is what its id says');
    cmp_ok(scalar keys %$files, '>', 100, 'there are many');
}

# a signature is one of a kind, whatever the slot is for

{
    my $body = request(standin_part('pdf', b64(medium('png', 200_000))),
                       standin_part('png', b64(medium('pdf', 200_000))));
    is_same('file', $body, 'each in the slot of the other');
    my ($res) = arrives('file', $body);
    is($res->body, $body, 'they stay');
}

# known ones that are not long are not written again

{
    my $body = pngs(map { b64(medium('png', 60_000)) } 1 .. 10);
    my ($res, $n) = arrives('file', $body);
    cmp_ok($n, '>', 300_000, 'some 80 KB of base64: new ones are written');
    ($res, $n) = arrives('file', $body);
    is($n, 0, 'once');
}


# --- where they go to

{
    mkdir $t->prefix . "/$_" for qw(one two t t/none t/a t/b);
    my $part = sub { standin_part('png', b64($_[0])) };

    # the tenant is known early, the model is not

    for my $case (['tenant', '/t/a', 'X-Tenant' => 'a'], ['model', '/two']) {
        my ($at, $root, @headers) = @$case;
        my $make = $at eq 'tenant' ? \&request
            : sub { qq({"messages":[{"role":"user","content":[$_[0]]}],)
                    . '"model":"sees"}' };
        for my $turn (1 .. 3) {
            my $shot = medium('png', 200_000);
            my $id = standin_id($t->prefix . $root, $shot, 'png')
                if $turn > 1;
            my ($res, $n) = arrives($at, $make->($part->($shot)), @headers);
            $id //= standin_id($t->prefix . $root, $shot, 'png');
            is(standin_stored($t->prefix . $root, $id, $shot, 'png'), '',
               "$at, $turn: it is stored where it belongs");
            is($n > 100_000 ? 1 : 0, $at eq 'tenant' && $turn > 1 ? 1 : 0,
               "$at, $turn: what is omitted");
        }
    }
    ok(!-e $t->prefix . '/one/artifacts', 'nothing is made elsewhere');

    # now there is a store elsewhere, too: it keeps nothing

    arrives('model', pngs(b64(medium('png', 5000))) =~ s/"sees"/"x"/r);
    my $shot = medium('png', 200_000);
    my ($res, $n) = arrives('model', '{"messages":[{"role":"user","content":['
                            . $part->($shot) . ']}],"model":"sees"}');
    cmp_ok($n, '>', 100_000, 'a model that is known late: it is omitted');
    my $root = $t->prefix . '/two';
    is(standin_stored($root, standin_id($root, $shot, 'png'), $shot, 'png'), '',
       'and stored where it belongs');
    is(scalar(() = glob $t->prefix . '/one/artifacts/.artifact/tmp-*'), 0,
       'and nowhere else');
    is(scalar keys %{ standin_files($t->prefix . '/one') }, 1, 'as an artifact');
}


# --- a disk that fails

{
    my $size = 400_000;
    my @at = map { "write 28 $_ /artifacts/.artifact/tmp-" }
        0, 1, 32_766, 61_439, 61_440, 61_441, 122_880, 200_001, $size + 4999;

    for my $at (qw(file threads small)) {
        for my $rule (@at, map { $_->[1] } disk_failures($size + 5000)) {
            my @shots = map { medium('png', $size + $_ % 3) } 0 .. 2;
            my $body = pngs(map { b64($_) } @shots);
            my $before = -s $debug;
            $fail->rules($rule);
            my ($res) = arrives($at, $body);
            $fail->rules;
            is($res->status, 200, "$at, $rule: is no error");
            my $kept = sha256_hex($res->body) eq sha256_hex($body);
            ok($kept || $rule =~ /^sync/, "$at, $rule: they stay as they are");
            like(logged($before), qr/left as it is/,
                 "$at, $rule: with a word") if $kept;
            is(left_behind($t), '', "$at, $rule: nothing is left");
            is_same($at, $body, "$rule, afterwards");
        }
    }
}


# what is behind a medium whose last bytes fail comes behind it

for my $at (qw(file threads)) {
    my $size = 5000 + 61_440 * 3;
    for my $end ('!', ']} x', '"}}]}]} x', '') {
        my $shot = medium('png', $size - 5000);
        my $body = pngs(b64($shot)) =~ s/"[^"]*\z/$end/r;
        my $large = $end eq '' ? pngs(b64($shot)) : $body;
        $fail->rules("write 28 @{[$size - 1]} /artifacts/.artifact/tmp-");
        my ($res) = arrives($at, $large);
        $fail->rules;
        is(sha256_hex($res->body), sha256_hex($large),
           "$at: the last byte fails, and '$end' follows");
    }
}

# once a write has failed, nothing is held in memory for another one

{
    my @shots = map { medium('png', 60_000) } 1 .. 40;
    my $from = -s $debug;
    $fail->rules('write 28 0 /artifacts/.artifact/tmp-');
    my ($res) = arrives('file', pngs(map { b64($_) } @shots));
    $fail->rules;
    is($res->status, 200, 'forty on a full disk');
    is(scalar(() = logged($from) =~ /\[error\].*pwrite\(\) to/g), 1,
       'one is tried');
}

# the disk of another machine is for threads

{
    $fail->rules('remote 1 0 /artifacts/.artifact');
    for my $case (['file', 1], ['threads', 0]) {
        my ($at, $omits) = @$case;
        my $shot = medium('png', 200_000);
        my $n = is_same($at, pngs(b64($shot)), 'another machine');
        is($n > 100_000 ? 1 : 0, $omits, "$at: another machine: what is omitted");
        is(standin_stored($data, standin_id($data, $shot, 'png'), $shot, 'png'),
           '', "$at: another machine: it is stored");
    }
    $fail->rules;
}


# --- bodies of anything, in pieces of any size

srand 20261128;

sub some_body {
    my @parts;
    for (0 .. rand 4) {
        my $b64 = b64(medium('png', 30_000 + int rand 100_000));
        my $what = int rand 6;
        substr($b64, rand length $b64, 1) = ('A', '"', '\\', 'Z', '=')[rand 5]
            if $what == 0;
        $b64 = substr $b64, 0, rand length $b64 if $what == 1;
        $b64 .= substr $b64, 0, rand length $b64 if $what == 2;
        push @parts, $b64;
    }
    my $body = pngs(@parts);
    return rand() < 0.15 ? substr $body, 0, rand length $body : $body;
}

sub slowly {
    my ($at, $body, $chunked) = @_;

    my $sock = connected();
    $sock->sockopt(Socket::SO_SNDBUF(), 65536);
    print $sock "POST /$at/v1/chat/completions HTTP/1.1\r\nHost: a\r\n"
        . "Connection: close\r\nContent-Type: application/json\r\n"
        . ($chunked ? "Transfer-Encoding: chunked\r\n\r\n"
                    : 'Content-Length: ' . length($body) . "\r\n\r\n");
    my $pause = 8;
    for (my $pos = 0; $pos < length $body; ) {
        my $piece = substr $body, $pos, 1 + int 2 ** rand 17;
        $pos += length $piece;
        $piece = sprintf("%x\r\n%s\r\n", length $piece, $piece) if $chunked;
        print $sock $piece;
        sleep 0.002 if $pause-- > 0;
    }
    print $sock "0\r\n\r\n" if $chunked;
    local $/;
    my ($answer) = (<$sock> // '') =~ /\r\n\r\n(.*)\z/s;
    return $answer;
}

sub connected {
    return IO::Socket::INET->new(PeerAddr => '127.0.0.1:' . $t->port)
        || die "connect: $!";
}

for my $n (1 .. 60) {
    my $body = some_body();
    my $at = qw(file wide small threads)[$n % 4];
    my $got = sha256_hex(slowly($at, $body, $n % 3));
    is($got, sha256_hex((arrives('mem', $body))[0]->body),
       "a body in pieces, $n");
}
is(left_behind($t), '', 'nothing is left of them');


# --- many at once, with what is open afterwards

{
    my ($worker) = $t->workers;
    my $open = sub { my $n = () = glob "/proc/$worker/fd/*"; $n };
    my $before = $open->();

    my @bodies = map { pngs(map { b64(medium('png', 200_000)) } 0 .. 15) } 1 .. 24;
    my @got = in_parallel($t, 24, sub {
        return standin_post($t, ($_[0] % 2 ? '/file' : '/threads')
                            . '/v1/chat/completions',
                            $bodies[$_[0] % 24])->body });
    is(scalar(grep { length() < 20_000 && /base64,/ } @got), 24, 'many at once');

    my $same = pngs(map { b64(medium('png', 200_000)) } 0 .. 3);
    @got = in_parallel($t, 12, sub {
        return standin_post($t, '/file/v1/chat/completions', $same)->body });
    is(scalar(grep { $_ eq (arrives('mem', $same))[0]->body } @got), 12,
       'the same new ones, many at once');

    for my $n (0 .. 59) {
        my $sock = connected();
        my $at = $n % 2 ? 'file' : 'threads';
        my $body = $bodies[0];
        substr($body, $n * 40_000, 4) = '"AAA';
        print $sock "POST /$at/v1/chat/completions HTTP/1.1\r\nHost: a\r\n"
            . "Content-Type: application/json\r\nContent-Length: "
            . length($body) . "\r\n\r\n" . substr $body, 0, 40_000 * $n;
        sleep 0.005;
        close $sock;
    }
    ok(until_true(sub { $open->() <= $before + 2 }, 10),
       'no descriptor stays open') or diag($before, ' then ', $open->());
    is(left_behind($t), '', 'nor is a file left');
}

# --- a worker that may open few files

{
    my $few = ArtifactTest->new;
    my $other = standin_echo($few);
    standin_server($few, main => 'worker_rlimit_nofile 40;', server => <<"CONF");
        client_body_buffer_size 16k;
        location /file/ { $offloads }
        location /threads/ { aio threads; $offloads }
        location /mem/ { client_body_buffer_size 64m; $offloads }
CONF
    for my $at (qw(file threads)) {
        for my $name ('the same forty times', 'seventy') {
            my $body = $case{$name}->(map { b64(medium('png', 200_000)) } 0 .. 4);
            my ($res, $mem) = map { standin_post($few,
                "/$_/v1/chat/completions", $body)->body } $at, 'mem';
            is(sha256_hex($res), sha256_hex($mem), "few files: $at, $name");
            cmp_ok(scalar(() = $res =~ /base64,.{40000}/g), '<=', 6,
                   "few files: $at, $name: they leave");
        }
    }
    is(left_behind($few), '', 'few files: nothing is left');
    $few->stop;
    $other->stop;
    $few->check_log;
}

$t->stop;
$echo->stop;
$t->check_log;
done_testing;
