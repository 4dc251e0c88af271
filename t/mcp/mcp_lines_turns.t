#!/usr/bin/perl

# While read_artifact searches a large file for the only worker, others are
# answered; a client that leaves ends it, one that reads slowly makes it wait;
# files that grow, become shorter or are removed meanwhile; many at once.
# What is counted is requests and turns, not time.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactHTTP;
use ArtifactJSON;
use ArtifactMcp;
use ArtifactTest;
use IO::Select;

my $ENOUGH = 10;        # a worker that makes no pause answers one or two
my $MANY = 200;
my $CROWD = 40;

my $THREADS = ArtifactTest::version() =~ /--with-threads/;
my $MB = 1 << 20;

my $t = ArtifactTest->new;
my $dir = $t->data . '/artifacts';

sub sparse {
    my ($id, $size, $end) = @_;
    $t->artifact($id, "one line\n", { mimeType => 'text/plain' });
    open my $fh, '+<', "$dir/$id" or die "$id: $!";
    truncate $fh, $size or die "truncate: $!";
    seek $fh, 0, 2 or die "seek: $!";
    print $fh $end;
    close $fh or die "$id: $!";
}

# a file without blocks: nothing is read from a disk

sparse('large', 1024 * $MB, "\nneedle\n");
sparse('endless', 256 * 1024 * $MB, "\nneedle\n");

my $line = 'x' x 99 . "\n";
my $count = 200_000;
$t->artifact($_, $line x $count, { mimeType => 'text/plain' })
    for qw(grows shrinks removed slow);
$t->artifact('log', join('', map { "line $_ of it\n" } 1 .. 50_000),
             { mimeType => 'text/plain' });

$t->start(
    main => 'thread_pool default threads=2;',
    http => 'log_format status "$status $request_time $uri";',
    server => mcp_server(
        more => 'artifact_verify off; artifact_inline_max 0;',
        server => <<'SERVER' . ($THREADS ? <<'SERVER' : '')));
    keepalive_requests 1000000;
    access_log %%PREFIX%%/access.log status;
    location = /none { return 204; access_log off; }
    location = /crowd {
        artifact_mcp;
        artifact_verify off;
        error_log %%PREFIX%%/crowd.log debug;
    }
SERVER
    location = /threads {
        artifact_mcp;
        artifact_verify off;
        artifact_inline_max 0;
        aio threads;
    }
SERVER

my @places = ('/mcp', $THREADS ? '/threads' : ());
my $small = $t->connect;


# A connection on which a file is being read.

sub asks {
    my ($at, $ref, %args) = @_;
    my $params = { name => 'read_artifact',
                   arguments => { ref => "artifact:$ref", max_bytes => 1 << 30,
                                  %args } };

    my $conn = $t->connect;
    $conn->send(ArtifactHTTP::format_request('POST', $at,
        body => mcp_message('tools/call', $params),
        headers => [mcp_headers('tools/call', $params)]));
    return $conn;
}

sub answer {
    my ($conn, $name) = @_;
    my $result = mcp_result($conn->response('POST'), $name);
    return ($result, mcp_words($result));
}

sub another {
    $small->request('GET', '/none', keep => 1)->{status} == 204
        or die 'a small request';
}


# --- others have their turn --------------------------------------------------

for my $at (@places) {
    for my $ask ({ grep => 'needle', context => 0 }, { lines => '-1' }) {
        my $conn = asks($at, 'large', %$ask);
        my $select = IO::Select->new($conn->{sock});
        my $n = 0;

        while (!$select->can_read(0)) {
            another();
            $n++;
        }

        my (undef, $words) = answer($conn, "$at: a large file");
        like($words, qr/\A3:needle\n\[lines in the file: 3;/, 'what it has');
        cmp_ok($n, '>=', $ENOUGH, 'others are answered meanwhile');
        note("$n others");
    }
}


# --- a crowd: all searches share the turns of one ----------------------------

SKIP: {
    skip 'nginx without debug log', 1 if $t->version !~ /--with-debug/;

    my @conns = map { asks('/crowd', 'endless', grep => 'needle') } 1 .. $CROWD;

    sub turns {
        return scalar(() = slurp($t->prefix . '/crowd.log') =~ /turn ends/g);
    }

    another() for 1 .. $ENOUGH;                  # all have begun
    my $before = turns();
    another() for 1 .. $CROWD;
    my $turns = turns() - $before;
    cmp_ok($turns, '<', $CROWD * $CROWD / 4,
           'a request does not wait for a turn of each');
    note("$turns turns, $CROWD requests");
    $_->close for @conns;
}


# --- clients that leave ------------------------------------------------------

for my $at (@places) {
    my $conn = asks($at, 'endless', grep => 'needle');
    another() for 1 .. $ENOUGH;
    $conn->close;
    ok($t->wait_for(qr/^499 \S+ $at$/m, 'access.log'),
       "$at: one who leaves ends a search of 256 GB");
}


# --- clients that are slow, and files that change ----------------------------

# The answer is much longer than what the kernel holds of it.  Returns its end,
# without JSON's escapes.

sub slowly {
    my ($at, $ref, $change) = @_;

    my $conn = asks($at, $ref, lines => '1-');
    IO::Select->new($conn->{sock})->can_read(10) or die 'no answer';
    another() for 1 .. $ENOUGH;
    $change->();

    my $res = $conn->response('POST');
    ok($res->{complete}, "$at: a whole answer");
    return substr($res->{body}, -400) =~ s/\\n/\n/gr;
}

for my $at (@places) {
    my $whole = qr/\n$count:x{99}\n\[lines in the file: $count; complete\]"/;

    # the first one shows the worker's own buffers

    my ($pid) = $t->workers;
    slowly($at, 'slow', sub { });
    my $before = $t->memory($pid);
    my $held;
    like(slowly($at, 'slow', sub { $held = $t->memory($pid) - $before }),
         $whole, 'one who is slow gets it all');
    cmp_ok($held, '<', 1024, 'which does not wait in memory');

    like(slowly($at, 'grows', sub {
             open my $fh, '>>', "$dir/grows" or die $!;
             print $fh "more\n";
             close $fh or die $!;
         }), $whole, 'a file that grows has the lines that it had');
    spew("$dir/grows", $line x $count);

    like(slowly($at, 'removed', sub { unlink "$dir/removed" or die $! }),
         $whole, 'one that is removed is read');
    spew("$dir/removed", $line x $count);

    my $end = slowly($at, 'shrinks', sub {
        truncate "$dir/shrinks", 1000 * 100 or die $!;
    });
    like($end, qr/"isError":true\}\}\z/, 'one that becomes shorter: isError');
    like($end, qr/\n\[reading failed, what is above is not complete\]"/,
         'and words');
    like($t->log, qr/\[crit\].*pread\(\) ".*shrinks" failed: it became short/,
         'and a line in the log');
    spew("$dir/shrinks", $line x $count);
}

$t->allow(qr/\[crit\].*pread\(\) ".*shrinks" failed: it became shorter/);


# --- many at once ------------------------------------------------------------

for my $at (@places) {
    my @conns = map {
        asks($at, 'log', $_ % 2 ? (grep => "line $_ ", context => 1)
                                : (lines => "-$_"))
    } 1 .. $MANY;

    my @wrong;
    for my $n (1 .. $MANY) {
        my $data = eval {
            decode_strict($conns[$n - 1]->response('POST')->{body})
        };
        my $words = mcp_words($data->{result} // {});
        my $from = $n % 2 ? $n - 1 || 1 : 50_001 - $n;
        my $to = $n % 2 ? $n + 1 : 50_000;
        my $want = join '', map {
            $_ . ($n % 2 && $_ != $n ? '-' : ':') . "line $_ of it\n"
        } $from .. $to;

        push @wrong, $n if $words !~ /\A\Q$want\E\[lines in the file: 50000;/;
    }
    is("@wrong", '', "$at: $MANY at once");
}

$t->finish;
