#!/usr/bin/perl

# Media that the store has are not saved as they come in: whatever becomes of a
# request, the bytes that arrive are those of a request that was all in memory,
# where nothing is omitted.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactFixtures;
use ArtifactSandwich;
use ArtifactTest;
use ArtifactUpstream;
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
    map $artifact_model $by_model { default one; sees two; }
    log_format body escape=none '$request_body';
    map $artifact_model $by_chosen { sees chosen; }
    map $http_x_team $team { "~^(?<named>[a-z]+)$" $named; }
    map $http_x_tenant $tenant { default none; ~^[ab]$ $http_x_tenant; }
HTTP
    error_log %%PREFIX%%/debug.log debug;
    client_body_buffer_size 16k;
    location /file/ { $offloads }
    location /wide/ { client_body_buffer_size 128k; $offloads }
    location /mem/ { client_body_buffer_size 64m; $offloads }
    location /threads/ { aio threads; $offloads }
    location /named/ { client_body_in_file_only clean; $offloads }
    location /single/ { client_body_in_single_buffer on; $offloads }
    location /one/ { artifact_refs_max 1; $offloads }
    location /hash/ {
        proxy_set_header X-Hash \$artifact_body_hash;
        proxy_set_header X-Body "\$request_body";
        proxy_set_header X-Length \$content_length;
        $offloads
    }
    location /logged/ {
        client_body_buffer_size 220k;
        access_log %%PREFIX%%/body.log body;
        $offloads
    }
    location /expands/ { artifact_expand on; artifact_prompt on; $offloads }
    location /expands/mem/ {
        client_body_buffer_size 64m;
        artifact_expand on;
        artifact_prompt on;
        $offloads
    }
    location /model/ { artifact_root %%PREFIX%%/\$by_model; $offloads }
    location /chosen/ { artifact_root %%PREFIX%%/\$by_chosen; $offloads }
    location ~ ^/captured/([a-z]+)/ {
        artifact_root %%PREFIX%%/t/\$1;
        artifact_offload_request on scope=\$team;
        proxy_pass http://unix:%%PREFIX%%/echo;
    }
    location /passed/ {
        client_body_buffer_size 64k;
        client_max_body_size 4m;
        error_page 400 413 = \@again;
        $offloads
    }
    location \@again {
        artifact_offload_request on;
        proxy_pass http://unix:%%PREFIX%%/echo;
    }
    location /told/ {
        client_max_body_size 4m;
        error_page 400 413 /told.html;
        artifact_offload_request on;
        proxy_pass %%ECHO%%;
    }
    location = /told.html {
        artifact_offload_request on;
        root %%PREFIX%%;
    }
    location /late/ {
        client_max_body_size 2m;
        error_page 413 /late.html;
        artifact_offload_request on;
        proxy_pass %%ECHO%%;
    }
    location = /late.html {
        artifact_offload_request on;
        proxy_ignore_client_abort on;
        limit_rate 300k;
        root %%PREFIX%%;
    }
    location /after/ {
        post_action \@after;
        $offloads
    }
    location \@after { proxy_pass http://unix:%%PREFIX%%/after; }
    location /scope/ {
        artifact_offload_request on scope=\$by_model;
        proxy_pass %%ECHO%%;
    }
    location /tenant/ { artifact_root %%PREFIX%%/t/\$tenant; $offloads }
    location /mirror/ { mirror /mirrored; $offloads }
    location = /mirrored { internal; proxy_pass %%ECHO%%; }
    location /page/ {
        artifact_refs_max 1;
        artifact_root %%PREFIX%%/page;
        error_page 500 502 = \@page;
        $offloads
    }
    location \@page { proxy_pass http://unix:%%PREFIX%%/echo; }
SERVER

sub request { return standin_body('openai', 'sees', @_) }

sub medium {
    my ($kind, $size) = @_;
    return substr(standin_content($kind, 5000), 0, 5000) . rand_bytes($size);
}

# What arrives, how many bytes of media were omitted, and whether the scan was put
# off.

sub arrives {
    my ($at, $body, @headers) = @_;

    my $from = -s $debug // 0;
    my $res = standin_post($t, "/$at/v1/chat/completions", $body, @headers);
    open my $fh, '<', $debug or die "$debug: $!";
    seek $fh, $from, 0;
    my ($omitted, $late) = (0, 0);
    for my $line (<$fh>) {
        $omitted += $1 if $line =~ /http artifact known: (\d+) bytes/;
        $late = 1 if $line =~ /http artifact expand: scanning/;
    }
    return ($res, $omitted, $late);
}

sub is_same {
    my ($at, $body, $omits, $name) = @_;

    my ($res, $omitted) = arrives($at, $body);
    my ($all, $none) = arrives($at eq 'expands' ? "$at/mem" : 'mem', $body);
    is($none, 0, "$name: in memory, nothing is omitted") if $none;
    is(sha256_hex($res->body), sha256_hex($all->body), "$at: $name");
    return ok($omits ? $omitted > 100_000 : !$omitted,
              "$at: $name: what is omitted") || diag $omitted;
}

my @shots = map { medium('png', 200_000 + $_) } 0 .. 4;
my $known = request(map { standin_part('png', b64($_)) } @shots);
my ($first, $omitted) = arrives('file', $known);
is($omitted, 0, 'without a store, new media are saved');


# --- where they are omitted, and where not

is_same($_, $known, 1, 'known media') for qw(file wide threads hash
                                              expands);
is_same($_, $known, 0, 'known media') for qw(named single);

for my $kind (qw(pdf wav)) {
    my $body = request(standin_part($kind, b64(medium($kind, 300_000))));
    arrives('file', $body);
    is_same('file', $body, 1, $kind);
}

# sizes that leave one and two bytes, and media that begin anywhere in a buffer

for my $more (0 .. 2) {
    my $body = request(standin_part('png', b64(medium('png', 150_000 + $more))));
    for my $blanks (0 .. 3, 16_370 .. 16_374) {
        arrives('file', $body) if !$blanks;
        is_same('file', ' ' x $blanks . $body, 1,
                "$more bytes more, behind $blanks");
    }
}


# --- bodies that stay, all or in part

{
    my @b64 = map { b64($_) } @shots;
    my $all = sub { request(map { standin_part('png', $_) } @_) };

    my %case = (
        'cut behind them' => substr($known, 0, -1),
        'cut in the last one' => substr($known, 0, -100_000),
        'no JSON behind them' => "$known x",
        'no JSON before the last one' =>
            request(standin_part('png', $b64[0]) . '}',
                    standin_part('png', $b64[1])),
        'garbage behind one' => $all->("$b64[0]!", $b64[1]),
        'more base64 behind one' => $all->($b64[0] . 'AAAA', $b64[1]),
        'one is cut' => $all->(substr($b64[0], 0, -4004), $b64[1]),
        'one is not padded' => $all->($b64[0] =~ s/=+\z//r, $b64[1]),
        'another alphabet' => $all->($b64[0] =~ tr{+/}{-_}r, $b64[1]),
        'two alphabets' => $all->(
            substr($b64[0], 0, 9999) =~ tr{+/}{-_}r . substr($b64[0], 9999),
            $b64[1]),
        'lines' => $all->(join('\n', $b64[0] =~ /.{1,76}/g), $b64[1]),
        'escapes' => $all->($b64[0] =~ s{/}{\\/}gr, $b64[1]),
        'an escape far behind' =>
            $all->(substr($b64[0], 0, 200_000)
                   . substr($b64[0], 200_000) =~ s{/}{\\/}r, $b64[1]),
        'another type declared' => request(
            standin_part('png', $b64[0], 'image/jpeg'),
                standin_part('png', $b64[1])),
        'the same forty times' => $all->(($b64[2]) x 40),
        'seventy' => $all->(map { $b64[$_ % 5] } 1 .. 70),
        'none of another API' => qq({"x":"data:image/png;base64,$b64[0]"}),
    );

    my $lagged = 0;

    for my $name (sort keys %case) {
        my ($mem) = arrives('mem', $case{$name});

        for my $at (qw(file threads)) {
            my ($res, $n) = arrives($at, $case{$name});
            is(sha256_hex($res->body), sha256_hex($mem->body), "$at: $name");
            cmp_ok($n, '>', 100_000, "$at: $name: some are omitted")
                if $name !~ /of another API/;
        }

        # a scan that is put off somewhere, and goes on behind it

        for my $us (3, 10, 30) {
            $fail->rules("busy 1 $us clock");
            my ($res, $n, $lags) = arrives('file', $case{$name});
            $fail->rules;
            is(sha256_hex($res->body), sha256_hex($mem->body),
               "$name: $us us a look");
            $lagged++ if $lags;
        }
    }

    cmp_ok($lagged, '>', 10, 'the scan was put off');

    # those that the limit lets through are whole

    my ($res, $n) = arrives('one', $known);
    cmp_ok($n, '>', 1_000_000, 'a limit: all are omitted');
    is(scalar(grep { index($res->body, $_) > 0 } @b64), 4,
       'and four arrive as they are');

    # a hash is that of what arrives, and no variable has a part of a body

    for my $case (['whole', $known], ['cut', substr $known, 0, -1]) {
        my ($name, $body) = @$case;
        my ($res) = arrives('hash', $body);
        my ($hash) = $res->header('X-Head') =~ /X-Hash: (\w+)/i;
        is($hash, sha256_hex($res->body), "$name: the hash");
        like($res->header('X-Head'),
             qr/X-Length: \Q@{[ length $res->body ]}\E\|/i, "$name: its length");
        unlike($res->header('X-Head'), qr/X-Body: \S/i,
               "$name: \$request_body");
    }

    # a body that is a little larger than the buffer is in memory, too

    my $body = $all->($b64[0]);
    is_same('logged', $body, 0, 'a body in memory');
    is(slurp($t->prefix . '/body.log'), "$body\n", 'is in $request_body');
}


# --- where they go to

{
    my $part = standin_part('png', b64($shots[0]));
    my $front = request($part);
    my $behind = qq({"messages":[{"role":"user","content":[$part]}],)
        . '"model":"sees"}';
    mkdir $t->prefix . "/$_" for qw(one two t t/none t/a t/b);

    # while a body comes in, what is behind its media is not known

    for my $case (['tenant', $front, '/t/a', 1], ['model', $behind, '/two', 0],
                  ['model', $front, '/two', 1])
    {
        my ($at, $body, $root, $omits) = @$case;
        my @tenant = $at eq 'tenant' ? ('X-Tenant' => 'a') : ();

        my ($res, $n) = arrives($at, $body, @tenant);
        is($n, 0, "$at: what another root has is new")
            if $body ne $front || $at ne 'model';
        for (1, 2) {
            ($res, $n) = arrives($at, $body, @tenant);
            is($n > 100_000 ? 1 : 0, $omits, "$at: again");
            my $id = standin_id($t->prefix . $root, $shots[0], 'png');
            is(sha256_hex($res->body), sha256_hex($body =~
                s/base64,[^"]*/'base64,' . standin_b64('png', $id)/er),
               "$at: the right id");
        }
    }

    my ($res, $n) = arrives('tenant', $front, 'X-Tenant' => 'b');
    is($n, 0, 'another tenant has not got it');

    # what is found where the model's default is goes to the model's place

    for my $case (['model', $t->prefix . '/two'], ['scope', $data, 'two']) {
        my ($at, $root, @scope) = @$case;
        my $shot = medium('png', 210_000);
        my $body = $behind =~ s/base64,[^"]*/'base64,' . b64($shot)/er;
        arrives($at, $body =~ s/"sees"/"x"/r);
        my ($res, $n) = arrives($at, $body);
        cmp_ok($n, '>', 100_000, "$at: omitted, since another has it");
        my $id = standin_id($root, $shot, 'png', @scope);
        is(standin_stored($root, $id, $shot, 'png', @scope), '',
           "$at: and stored where it belongs");
    }
}


# while a body comes in, nothing is made, and nothing is logged

{
    my $body = qq({"messages":[{"role":"user","content":[)
        . standin_part('png', b64($shots[1])) . ']}],"model":"sees"}';
    mkdir $t->prefix . '/chosen';
    my $before = length $t->log;
    for (1, 2) {
        my ($res) = arrives('chosen', $body);
        like($res->body, qr/base64,.{300,600}"/, 'a root that is known late');
    }
    unlike(substr($t->log, $before), qr/\[error\]/, 'nothing is logged');
    ok(!-e $t->prefix . '/artifacts', 'and nothing is made where there is none');

    # a regular expression that is evaluated early changes nothing that is late

    for my $n (1, 2) {
        my ($res) = arrives('captured/a', request(standin_part('png',
            b64($shots[1]))),
                            'X-Team' => 'b');
        is($res->body, request(standin_part('png', standin_b64('png',
            standin_id($t->prefix . '/t/a', $shots[1], 'png', 'b')))),
           "captures of the location, $n");
    }
}


# --- bodies that fail to be read

{
    spew($t->prefix . '/told.html', 'told');
    my $parts = join ',', map { standin_part('png', b64($_)) } @shots;
    my $begin = qq({"messages":[{"role":"user","content":[$parts);
    my %ends = ('an invalid chunk' => "zz\r\n",
                'too much' => '', 'nothing more' => undef);

    for my $at ('passed', 'told') {
        for my $name (sort keys %ends) {
            my $body = $begin . ('GET / HTTP/1.1\r\n' x 1000);
            $body .= ' ' x 5_000_000 if $name eq 'too much';
            my $sock = IO::Socket::INET->new(
                PeerAddr => '127.0.0.1:' . $t->port) or die "connect: $!";
            local $SIG{PIPE} = 'IGNORE';
            print $sock "POST /$at/v1/chat/completions HTTP/1.1\r\nHost: a\r\n"
                . "Connection: close\r\nContent-Type: application/json\r\n"
                . "Transfer-Encoding: chunked\r\n\r\n"
                . join('', map { sprintf "%x\r\n%s\r\n", length, $_ }
                           unpack '(a60000)*', $body) . ($ends{$name} // '');
            if (!defined $ends{$name}) {
                close $sock;
                next;
            }
            local $/;
            my $answer = <$sock> // '';
            like($answer, $at eq 'told' ? qr/\r\n\r\ntold\z/
                 : qr/ 200 .*Content-Length: 0\r.*\r\n\r\n\z/s, "$at: $name");
        }
    }

    # what comes after the error is read, and leads to nothing

    spew($t->prefix . '/late.html', 'late' x 100_000);
    my $body = request(standin_part('png', b64($shots[0])));
    my $sock = IO::Socket::INET->new(PeerAddr => '127.0.0.1:' . $t->port)
        or die "connect: $!";
    my $chunk = sub { sprintf "%x\r\n%s\r\n", length $_[0], $_[0] };
    print $sock "POST /late/v1/chat/completions HTTP/1.1\r\nHost: a\r\n"
        . "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
        . "\r\n" . join('', map { $chunk->($_) } unpack '(a60000)*', $body);
    my $rest = $chunk->(' ' x 1_990_000) . "0\r\n\r\n";
    print $sock substr $rest, 0, 100;
    sleep 0.3;
    { local $SIG{PIPE} = 'IGNORE'; print $sock substr $rest, 100; }
    sysread $sock, my $answer, 12;
    is($answer, 'HTTP/1.1 413', 'a body that is too large, to its end');
    close $sock;

    is_same('file', $known, 1, 'after those');
}


# --- others that send the body on

{
    my ($res) = arrives('mirror', $known);
    my ($mem) = arrives('mem', $known);
    is($res->body, $mem->body, 'with a mirror');

    # nginx's own request afterwards has what was sent

    my $after = ArtifactUpstream->new($t->prefix . '/after', serve => sub {
        my (undef, $body) = ArtifactUpstream::read_request($_[0]) or return;
        spew($t->prefix . '/after.body', $body);
        ArtifactUpstream::send_answer($_[0],
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
    for my $case (['known media', $known], ['no JSON', "$known x"]) {
        my ($name, $body) = @$case;
        unlink $t->prefix . '/after.body';
        ($res) = arrives('after', $body);
        ok(until_true(sub { -s $t->prefix . '/after.body' }, 5),
           "post_action, $name");
        sleep 0.1;
        is(sha256_hex(slurp($t->prefix . '/after.body')),
           sha256_hex($res->body), "post_action, $name: the same body");
    }
    $after->stop;

    # an error page, when the store fails

    my $forged = standin_bytes('png', '0192a1c5-0000-8000-8000-000000000000');
    my $body = request(standin_part('png', b64($shots[0])),
                       standin_part('png', b64($forged)));
    mkdir my $root = $t->prefix . '/page';
    arrives('page', request(standin_part('png', b64($shots[0]))));
    my $lock = "$root/artifacts/.artifact/lock";
    rename $lock, "$lock.was" or die "$lock: $!";
    mkdir $lock;
    ($res, my $n) = arrives('page', $body);
    is($res->{status}, 200, 'an error page');
    cmp_ok($n, '>', 100_000, 'of a request that was not all saved');
    is(sha256_hex($res->body), sha256_hex($body), 'has the whole body');
    rmdir $lock;
    rename "$lock.was", $lock;
    $t->allow(qr/lock/);
}


# --- bodies of anything, in pieces of any size

srand 20261128;

sub some_body {
    my @parts;
    for (0 .. rand 5) {
        my $b64 = b64($shots[rand @shots]);
        my $what = int rand 6;
        substr($b64, rand length $b64, 1) = ('A', '"', '\\', 'Z', '=')[rand 5]
            if $what == 0;
        $b64 = substr $b64, 0, rand length $b64 if $what == 1;
        $b64 .= substr b64($shots[0]), rand 200_000 if $what == 2;
        push @parts, standin_part('png', $b64);
    }
    my $body = request(@parts);
    return rand() < 0.15 ? substr $body, 0, rand length $body : $body;
}

sub slowly {
    my ($at, $body, $chunked) = @_;

    my $sock = IO::Socket::INET->new(PeerAddr => '127.0.0.1:' . $t->port)
        or die "connect: $!";
    $sock->sockopt(Socket::SO_SNDBUF(), 65536);
    my $head = "POST /$at/v1/chat/completions HTTP/1.1\r\nHost: a\r\n"
        . "Connection: close\r\nContent-Type: application/json\r\n"
        . ($chunked ? "Transfer-Encoding: chunked\r\n\r\n"
                    : 'Content-Length: ' . length($body) . "\r\n\r\n");
    print $sock $head;
    my $pause = 8;
    for (my $pos = 0; $pos < length $body; ) {
        my $n = 1 + int 2 ** rand 17;
        my $piece = substr $body, $pos, $n;
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

for my $n (1 .. 60) {
    my $body = some_body();
    my $at = qw(file wide threads)[$n % 3];
    my $chunked = $n % 2;
    is(sha256_hex(slowly($at, $body, $chunked)),
       sha256_hex((arrives('mem', $body))[0]->body), "a body in pieces, $n");
}


# --- many at once, with what is open afterwards

{
    my ($worker) = $t->workers;
    my $open = sub { my $n = () = glob "/proc/$worker/fd/*"; $n };
    my ($mem) = arrives('mem', $known);
    my $before = $open->();

    my @got = in_parallel($t, 24, sub {
        return standin_post($t, ($_[0] % 2 ? '/file' : '/threads')
                            . '/v1/chat/completions', $known)->body });
    is(scalar(grep { $_ eq $mem->body } @got), 24, 'many at once');

    for my $n (0 .. 29) {
        my $sock = IO::Socket::INET->new(PeerAddr => '127.0.0.1:' . $t->port)
            or die "connect: $!";
        print $sock "POST /file/v1/chat/completions HTTP/1.1\r\nHost: a\r\n"
            . "Content-Type: application/json\r\nContent-Length: "
            . length($known) . "\r\n\r\n" . substr $known, 0, 40_000 * $n;
        sleep 0.005;
        close $sock;
    }
    ok(until_true(sub { $open->() <= $before + 2 }, 10),
       'no descriptor stays open') or diag($before, ' then ', $open->());
}

is(left_behind($t), '', 'nothing is left');
$echo->stop;
$t->finish;
