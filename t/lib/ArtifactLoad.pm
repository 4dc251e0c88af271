package ArtifactLoad;

# Many writers at once, with and without nginx being killed under them.
# Every content says what it is and carries its own checksum; every write has
# a message id of its own, so that the metadata can be counted.

use strict;
use warnings;

use Digest::SHA qw(sha1_hex);
use Exporter 'import';
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

use ArtifactCheck;
use ArtifactFixtures;
use ArtifactHTTP;
use ArtifactJSON;
use ArtifactWrite;

our @EXPORT = qw(history kill_rounds sealed torture unsealed);


# A content of about so many bytes, by message id.

sub sealed {
    my ($message, $size) = @_;
    my $text = "$message\n" . "filler of $message " x ($size / 20);
    return "$text\n" . sha1_hex($text);
}


# The message id of a whole content, undef of any other.

sub unsealed {
    my ($bytes) = @_;
    return undef if length $bytes < 41;
    my $text = substr $bytes, 0, -41;
    return undef if substr($bytes, -41) ne "\n" . sha1_hex($text);
    my ($message) = $text =~ /\A([^\n]+)\n/;
    return $message;
}


# What the metadata on the disk tell: path => list of message ids.

sub history {
    my ($t, $ws) = @_;
    my $files = (disk_meta($t, $ws) || {})->{files} || {};
    return { map {
        $_ => [map { $_->{messageId} } @{ $files->{$_}{modifiedBy} || [] }]
    } keys %$files };
}


# --- torture --------------------------------------------------------------

# writers processes with writes each, of files files of one workspace; readers
# processes read at the same time.  sizes: of the contents; servers: of one
# root, whose writers and readers take turns (default: the one).

sub torture {
    my ($t, %opt) = @_;

    my $stop = $t->prefix . '/stop';
    my $readers = $opt{readers} // 2;
    my @sizes = @{ $opt{sizes} || [50, 3000, 60_000] };
    my @servers = @{ $opt{servers} || [$t] };
    my $began = time;

    my @results = in_parallel($t, $opt{writers} + 1, sub {
        my ($k) = @_;
        return _read_along(\@servers, $readers, $opt{files}, sub {
            my @stopped = glob "$stop-*";
            return @stopped >= $opt{writers};
        }) if $k == $opt{writers};

        my $sent = _write_along($servers[$k % @servers], $k, $opt{writes},
                                $opt{files}, \@sizes);
        spew("$stop-$k", '');
        return $sent;
    });
    unlink glob "$stop-*";

    my $read = pop @results;
    my %sent = map { %{ $_ || {} } } @results;
    my $total = $opt{writers} * $opt{writes};
    note(sprintf '%d writes and %d reads in %.1f s', scalar keys %sent,
         $read->{count} || 0, time - $began);

    is(scalar keys %sent, $total, 'all writes are acknowledged');
    cmp_ok($read->{count} || 0, '>', 0, 'there were readers');
    is(join('; ', @{ $read->{wrong} || ['none ended'] }), '',
       'readers saw whole files, old or new, and sound metadata');

    _check_history($t, \%sent);
    is(left_behind($t), '', 'nothing is left on its way');
}


# One writer: message id => path of each acknowledged write.

sub _write_along {
    my ($t, $k, $writes, $files, $sizes) = @_;

    my %sent;
    my $conn = $t->connect;
    for my $n (1 .. $writes) {
        my $message = "w$k-$n";
        my $path = 'f' . ($k * 7 + $n) % $files;
        my $at = ($k + $n) % 2 ? '/workspaces/' : '/inline/';
        $conn = $t->connect if $conn->{eof} || $conn->{error};
        my $res = put($t, "torture/$path",
                      sealed($message, $sizes->[$n % @$sizes]),
                      conn => $conn, at => $at, agent => "agent-$k",
                      message => $message, type => "text/x-$message");
        $sent{$message} = $path
            if answer_problems($res, $res->{status} == 201 ? 201 : 200,
                               "torture/$path") eq '';
    }
    return \%sent;
}


# The readers, in one process, until every writer has ended.

sub _read_along {
    my ($servers, $readers, $files, $ended) = @_;

    my ($count, @wrong, %most) = (0);
    my @conns;
    until (@wrong > 5 || $ended->()) {
        for my $k (0 .. $readers - 1) {
            my $conn = $conns[$k];
            $conn = $conns[$k] = $servers->[$k % @$servers]->connect
                if !$conn || $conn->{eof} || $conn->{error};
            my $path = 'f' . $count++ % $files;
            my $res = $conn->request('GET', "/workspaces/torture/$path",
                                     keep => 1);
            push @wrong, "$path: status $res->{status}"
                if $res->{status} !~ /^(200|404)$/ || !$res->{complete};
            push @wrong, "$path: torn" if $res->{status} == 200
                && !defined unsealed($res->body);

            next if $count % 3;

            $res = $conn->request('GET', '/artifacts/'
                . ws_id('torture', $path) . '/metadata', keep => 1);
            next if $res->{status} == 404;
            my $meta = eval { decode_strict($res->body) } || {};
            my $known = @{ $meta->{meta}{modifiedBy} || [] };
            push @wrong, "$path: metadata $res->{status}, $known entries"
                . ' after ' . ($most{$path} || 0)
                if $res->{status} != 200 || $known < ($most{$path} || 0);
            $most{$path} = $known;
        }
    }
    return { count => $count, wrong => \@wrong };
}


# Every write stands in the metadata once, in the order of the contents.

sub _check_history {
    my ($t, $sent) = @_;

    my ($history, %seen);
    until_true(sub {
        $history = history($t, 'torture');
        %seen = ();
        $seen{$_}++ for map { @$_ } values %$history;
        return keys %seen >= keys %$sent;
    }, 3);

    my @lost = grep { !$seen{$_} } sort keys %$sent;
    is("@lost[0 .. ($#lost > 5 ? 5 : $#lost)]", '',
       'every acknowledged write is in the metadata');
    is(join(' ', grep { $seen{$_} > 1 } sort keys %seen), '',
       'and none twice');
    is(join(' ', grep { !$sent->{$_} } sort keys %seen), '',
       'nor one that was not');

    my @wrong;
    for my $path (sort keys %$history) {
        for my $message (@{ $history->{$path} }) {
            push @wrong, "$message under $path"
                if ($sent->{$message} // '') ne $path;
        }
        my $now = $t->get("/workspaces/torture/$path");
        my $last = unsealed($now->body) // 'torn';
        push @wrong, "$path: content of $last, history to "
            . $history->{$path}[-1] if $last ne $history->{$path}[-1];
        push @wrong, "$path: type of another write"
            if ($now->header('Content-Type') // '') ne "text/x-$last";
    }
    is(join('; ', @wrong), '', 'the last in a history is the content');
}


# --- kill -9 --------------------------------------------------------------

# In each round some writers write until nginx is killed: one worker, all
# workers, or all of nginx, which is started again with the same
# configuration.

sub kill_rounds {
    my ($t, %opt) = @_;

    my %state = (writers => $opt{writers} || 4, acked => {}, sent => {},
                 wrong => [], server => $opt{server});
    my ($acked, $starts) = (0, 0);
    rand_seed($opt{seed} || 4711);
    note('seed ' . ($ENV{ART_SEED} || $opt{seed} || 4711));

    for my $round (1 .. $opt{rounds}) {
        my $ws = 'kill' . int(($round - 1) / 6);
        my $whole = $round % 2;
        _kill_round($t, $round, $ws, $whole, \%state);
        $starts += $whole;
        last if @{ $state{wrong} } > 5;
    }

    $acked += keys %{ $state{acked}{$_} } for keys %{ $state{acked} };
    note("$acked acknowledged writes, $starts starts");
    cmp_ok($acked, '>', 3 * $opt{rounds}, 'there were writes');
    is(join('; ', splice @{ $state{wrong} }, 0, 5), '',
       "$opt{rounds} kills: nothing acknowledged is lost or torn");
}


sub _kill_round {
    my ($t, $round, $ws, $whole, $state) = @_;

    my $stop = $t->prefix . '/stop';
    my $after = 0.05 + rand_int(250) / 1000;
    my @workers = $t->workers;

    my $killer = fork // die "fork: $!";
    if (!$killer) {
        sleep $after;
        if ($whole) {
            kill STOP => $t->{pid};
            kill KILL => @workers;
        } else {
            kill KILL => $workers[rand_int(scalar @workers)];
            sleep 0.15;
        }
        spew($stop, '');
        POSIX::_exit(0);
    }

    my @results = in_parallel($t, $state->{writers}, sub {
        return _write_until($t, $round, $_[0], $ws, $stop);
    });
    waitpid $killer, 0;
    unlink $stop;

    if ($whole) {
        $t->crash;
        $t->start(server => $state->{server});
    }

    for my $result (@results) {
        $state->{acked}{$ws}{$_} = $result->{acked}{$_}
            for keys %{ $result->{acked} };
        $state->{sent}{$ws}{$_} = 1 for @{ $result->{sent} };
    }
    push @{ $state->{wrong} }, map { "round $round: $_" }
        _round_problems($t, $ws, $whole, $state, \@results);
}


# One writer: the messages it sent, the path of each that was acknowledged,
# for each path the last of them, and answers that nobody expects.

sub _write_until {
    my ($t, $round, $k, $ws, $stop) = @_;

    my (@sent, @odd, %acked, %last, $conn);
    for (my $n = 1; !-e $stop && $n < 2000; $n++) {
        if (!$conn || $conn->{eof} || $conn->{error}) {
            $conn = eval { $t->connect(timeout => 2) };
            if (!$conn) {
                sleep 0.01;
                next;
            }
        }
        my $message = sprintf 'r%04d-w%d-%05d', $round, $k, $n;
        my $path = "f$k-" . $n % 3;
        my $at = $n % 2 ? '/workspaces/' : '/inline/';
        push @sent, $message;
        my $res = put($t, "$ws/$path", sealed($message, 20 + $n % 5 * 4000),
                      conn => $conn, at => $at, agent => "agent-$k",
                      message => $message);
        if ($res->{status} =~ /^20[01]$/ && $res->{complete}
            && $res->body !~ /failed/)
        {
            $acked{$message} = $path;
            $last{$path} = $message;
        } elsif ($res->{status}) {
            push @odd, "$message: $res->{status} $res->{body}";
        }
    }
    return { sent => \@sent, acked => \%acked, last => \%last,
             odd => \@odd };
}


sub _round_problems {
    my ($t, $ws, $whole, $state, $results) = @_;

    my @wrong;
    for my $result (@$results) {
        my %last = %{ $result->{last} || {} };
        push @wrong, @{ $result->{odd} || ['a writer died'] };
        for my $path (sort keys %last) {
            my $file = $t->data . "/workspaces/$ws/$path";
            my $now = -e $file ? unsealed(slurp($file)) // 'torn' : 'gone';
            push @wrong, "$path is $now, acknowledged was $last{$path}"
                if $now !~ /^r/ || $now lt $last{$path};
        }
    }

    # on the disk it is whole at any time, old or new

    push @wrong, "the metadata is not sound: $@"
        if !eval { disk_meta($t, $ws); 1 };

    my $first = put($t, "$ws/first", 'x', agent => 'a');
    push @wrong, "the first write after it: $first->{status}"
        if $first->{status} !~ /^20[01]$/;
    if ($whole) {
        my $left = left_behind($t);
        push @wrong, "left behind: $left" if $left ne '';
    }

    my ($acked, $sent) = ($state->{acked}{$ws}, $state->{sent}{$ws});
    my (%seen, @lost);
    until_true(sub {
        my $history = history($t, $ws);
        %seen = ();
        for my $path (keys %$history) {
            $seen{"$path $_"}++ for grep { defined } @{ $history->{$path} };
        }
        @lost = grep { !$seen{"$acked->{$_} $_"} } keys %$acked;
        return !@lost;
    }, 3);
    push @wrong, scalar(@lost) . " lost in the metadata: $lost[0]" if @lost;
    my @twice = grep { $seen{$_} > 1 } keys %seen;
    push @wrong, "twice: $twice[0]" if @twice;
    my @strange = grep { !$sent->{ (split)[1] } } keys %seen;
    push @wrong, "never sent: $strange[0]" if @strange;

    return @wrong;
}


1;
