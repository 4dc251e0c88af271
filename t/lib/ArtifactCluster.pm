package ArtifactCluster;

# Several servers that write below one root, as machines with a file system
# in common do: their load while nodes die, and what has to be there at the
# end, whichever of them is asked.  What an answer that never came has done
# is not known, and counts as either.

use strict;
use warnings;

use Exporter 'import';
use JSON::PP ();
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

use ArtifactCheck;
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactLoad;
use ArtifactWrite;

our @EXPORT = qw(left_on_the_way storm storm_check);

my $WS = 'storm';               # writers share it
my @ALWAYS = map { "always$_" } 0 .. 3;     # files that are never removed

my $WRITTEN = qr/\A20[01]\z/;
my $REFUSED = qr/\A50[0234]\z/;


# --- the load -----------------------------------------------------------------

# writers processes write through the servers in turn, and a reader reads from
# each, while events happen: [name, code], the first one after "pace" writes
# that were acknowledged, the next one after as many more, and so on; then
# come "pace" last ones.  Returns all that storm_check wants.

sub storm {
    my ($servers, %opt) = @_;

    my $t = $servers->[0];
    my $stop = $t->prefix . '/stop';
    my $began = time;

    for my $path (@ALWAYS, 'counter') {
        my $res = put($t, "$WS/$path", $path eq 'counter' ? '0 none'
                                                          : sealed('s', 100),
                      agent => 'a', message => 's');
        is($res->{status}, 201, "$path is there");
    }

    my $file = $t->prefix . '/storm';
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        my @results = in_parallel($t, $opt{writers} + @$servers, sub {
            my ($k) = @_;
            my $server = $servers->[$k % @$servers];
            return $k < $opt{writers} ? _writer($server, $k, $stop)
                                      : _reader($server, $stop);
        });
        spew($file, encode_json_bytes(\@results));
        POSIX::_exit(0);
    }

    my @wrong = _events($t, %opt);
    spew($stop, '');
    waitpid $pid, 0;

    my @results = -e $file ? @{ JSON::PP::decode_json(slurp($file)) } : ();
    my @readers = splice @results, $opt{writers};
    unlink $stop, $file, glob $t->prefix . '/progress-*';

    push @wrong, 'a writer or a reader died'
        if grep { !$_ } @results, @readers or !@results;
    return { writers => [grep { $_ } @results], wrong => \@wrong,
             readers => [grep { $_ } @readers], seconds => time - $began };
}


sub _events {
    my ($t, %opt) = @_;

    my @wrong;
    my $wait = sub {
        my ($what) = @_;
        my $count = _acked($t) + $opt{pace};
        push @wrong, "no writes before $what"
            if !until_true(sub { _acked($t) >= $count }, 90);
    };
    for my $event (@{ $opt{events} }) {
        my ($name, $code) = @$event;
        $wait->($name);
        note($name);
        eval { $code->(); 1 } or push @wrong, "$name: $@";
    }
    $wait->('the end');
    return @wrong;
}


sub _acked {
    my ($t) = @_;

    my $sum = 0;
    $sum += -s $_ || 0 for glob $t->prefix . '/progress-*';
    return $sum;
}


# One write after the other, each of another kind.

my @KINDS = (\&_shared, \&_count, \&_once, \&_artifact, \&_private, \&_count,
             \&_remove);

sub _writer {
    my ($t, $k, $stop) = @_;

    my $progress = $stop =~ s/stop\z/progress/r;
    my $w = { t => $t, k => $k, sent => {}, private => {}, won => {},
              counter => {}, ids => {}, odd => [], unknown => 0, acked => 0, slowest => 0,
              progress => "$progress-$k" };
    for (my $n = 0; !-e $stop; $n++) {
        $w->{conn} = _connected($w->{conn}, $t) or next;
        $w->{n} = $n;
        $w->{at} = $n % 2 ? '/workspaces/' : '/inline/';
        my $began = time;
        $KINDS[($n + $k) % @KINDS]->($w, sprintf 'w%d-%04d', $k, $n);
        $w->{slowest} = time - $began if $w->{slowest} < time - $began;
    }
    delete @$w{qw(t conn)};
    return $w;
}


sub _connected {
    my ($conn, $t) = @_;

    return $conn if $conn && !$conn->{eof} && !$conn->{error};
    $conn = eval { $t->connect(timeout => 30) };
    sleep 0.05 if !$conn;
    return $conn;
}


# What became of a request: 1 it was done, 0 it was refused, undef who knows.

sub _outcome {
    my ($w, $res, %refused) = @_;

    if ($res->{status} =~ $WRITTEN && $res->{complete}) {
        open my $fh, '>>', $w->{progress} or die "$w->{progress}: $!";
        syswrite $fh, '.';
        $w->{acked}++;
        return 1;
    }
    return 0 if $refused{ $res->{status} } && $res->{complete};

    $w->{unknown}++;
    push @{ $w->{odd} }, "$res->{status} $res->{body}"
        if $res->{status} && $res->{status} !~ $REFUSED;
    sleep 0.05;
    return undef;
}


sub _agent {
    my ($w, $message) = @_;
    return (conn => $w->{conn}, at => $w->{at}, agent => "agent-$w->{k}",
            message => $message);
}


# Files that all write: every message is to be in the history of its file,
# unless the answer says that it is not.

sub _shared {
    my ($w, $message) = @_;

    my $path = $ALWAYS[$w->{n} % @ALWAYS];
    my $res = put($w->{t}, "$WS/$path",
                  sealed($message, 50 + $w->{n} % 4 * 9000),
                  _agent($w, $message));
    my $done = _outcome($w, $res);
    $w->{sent}{$message} = [$path, $done && $res->body !~ /failed/ ? 1 : 0];
}


# A number to which everybody adds one, by If-Match: no two may come from the
# same to the same.

sub _count {
    my ($w, $message) = @_;

    my $now = $w->{conn}->request('GET', "/workspaces/$WS/counter", keep => 1);
    if ($now->{status} != 200 || !$now->{complete}) {
        push @{ $w->{odd} }, "counter: $now->{status}"
            if $now->{status} && $now->{status} !~ $REFUSED;
        return;
    }
    my ($number) = $now->body =~ /\A(\d+) \S+\z/;
    if (!defined $number) {
        push @{ $w->{odd} }, 'counter: ' . $now->body;
        return;
    }
    my $res = put($w->{t}, "$WS/counter", $number + 1 . " $message",
                  _agent($w, $message),
                  headers => ['If-Match' => $now->header('ETag')]);
    my $done = _outcome($w, $res, 412 => 1);
    $w->{counter}{$message} = [$number + 1, $done] if !defined $done || $done;
    $w->{sent}{$message} = ['counter', $done && $res->body !~ /failed/ ? 1 : 0]
        if !defined $done || $done;
}


# Files that only one can create, and all try to, at about the same time.

sub _once {
    my ($w, $message) = @_;

    my $path = 'once' . int($w->{n} / @KINDS);
    my $res = put($w->{t}, "$WS/$path", sealed($message, 50),
                  _agent($w, $message), headers => ['If-None-Match' => '*']);
    my $done = _outcome($w, $res, 412 => 1);
    $w->{won}{$path}{$message} = $done if !defined $done || $done;
}


sub _artifact {
    my ($w, $message) = @_;

    my $res = post($w->{t}, "name=$message.txt", sealed($message, 3000),
                   _agent($w, $message),
                   at => $w->{n} % 2 ? '/artifacts/' : '/inline-artifacts/');
    my $id = _outcome($w, $res)
        ? eval { decode_strict($res->body)->{metadata}{id} } : undef;
    $w->{ids}{$id} = $message if defined $id;
}


# Files of one writer: what may be there is known, message ids or ''.

sub _private {
    my ($w, $message) = @_;

    my $path = "own$w->{k}-" . $w->{n} % 3;
    my $res = put($w->{t}, "$WS/$path", sealed($message, 200),
                  _agent($w, $message));
    my $done = _outcome($w, $res);
    $w->{private}{$path} = $done ? [$message]
        : [@{ $w->{private}{$path} || [''] }, $message];
}


sub _remove {
    my ($w, $message) = @_;

    my $path = "own$w->{k}-" . $w->{n} % 3;
    my $before = $w->{private}{$path} || [''];
    my $res = remove($w->{t}, "$WS/$path", conn => $w->{conn},
                     at => $w->{at});
    my $done = _outcome($w, $res, 404 => 1);

    push @{ $w->{odd} }, "$path was $before->[0], DELETE is 404"
        if defined $done && !$done && !grep { $_ eq '' } @$before;
    $w->{private}{$path} = defined $done ? [''] : [@$before, ''];
}


# --- the readers --------------------------------------------------------------

sub _reader {
    my ($t, $stop) = @_;

    my $r = { count => 0, refused => {}, wrong => [] };
    my $conn;
    until (-e $stop) {
        $conn = _connected($conn, $t) or next;
        my $path = $ALWAYS[$r->{count} % @ALWAYS];
        my ($uri, $check) = @{ (
            ["/workspaces/$WS/$path", \&_whole],
            ['/artifacts/' . ws_id($WS, $path) . '/metadata', \&_metadata],
            ["/workspaces/$WS/", \&_listing],
        )[$r->{count}++ % 3] };

        my $res = $conn->request('GET', $uri, keep => 1);
        if (!$res->{status} || $res->{status} =~ $REFUSED) {
            $r->{refused}{ $res->{status} }++;
            sleep 0.02;
            next;
        }
        my $wrong = $res->{status} != 200 ? $res->{status}
            : $res->{complete} ? $check->($res) : 'incomplete';
        push @{ $r->{wrong} }, "$uri: $wrong"
            if $wrong ne '' && @{ $r->{wrong} } < 5;
    }
    return $r;
}


sub _whole {
    my ($res) = @_;
    return defined unsealed($res->body) ? '' : 'torn';
}


sub _metadata {
    my ($res) = @_;
    return eval { decode_strict($res->body); 1 } ? '' : 'no JSON';
}


# What is always there stands in each listing, once.

sub _listing {
    my ($res) = @_;

    my $data = eval { decode_strict($res->body) } or return 'no JSON';
    my %seen;
    $seen{ $_->{name} }++ for @{ $data->{entries} };
    return join ' ', map { "$_ " . ($seen{$_} || 0) . ' times' }
        grep { ($seen{$_} || 0) != 1 } @ALWAYS, 'counter';
}


# --- what is left -------------------------------------------------------------

# All of what was acknowledged is there, at each server, and nothing that
# contradicts it.  Prints the figures.

sub storm_check {
    my ($servers, $storm, $name) = @_;

    my @writers = @{ $storm->{writers} };
    my ($acked, $unknown, $reads, %refused) = (0, 0, 0);
    $acked += $_->{acked}, $unknown += $_->{unknown} for @writers;
    my ($slowest) = sort { $b <=> $a } map { $_->{slowest} } @writers;
    for my $r (@{ $storm->{readers} }) {
        $reads += $r->{count};
        $refused{$_} += $r->{refused}{$_} for keys %{ $r->{refused} };
    }
    note(sprintf '%s: %d writes acknowledged, %d without an answer; %d reads, '
         . 'refused: %s; slowest write %.1f s; all in %.0f s', $name, $acked, $unknown, $reads,
         join(', ', map { "$refused{$_} with $_" } sort keys %refused)
         || 'none', $slowest, $storm->{seconds});

    my @odd = map { @{ $_->{odd} } } @writers;
    is(join('; ', splice @odd, 0, 5), '', "$name: answers");
    is(join('; ', @{ $storm->{wrong} }), '', "$name: what was to happen");
    is(join('; ', map { @{ $_->{wrong} } } @{ $storm->{readers} }), '',
       "$name: readers saw whole files, metadata and listings");

    _check_counter($servers, \@writers, $name);
    _check_once($servers, \@writers, $name);
    _check_private($servers, \@writers, $name);
    _check_artifacts($servers, \@writers, $name);
    _check_metadata($servers, \@writers, $name);
}


# Each server's answer for a workspace file: the message, or ''; and what its
# metadata say who wrote it.

sub _there {
    my ($t, $path) = @_;

    my $res = $t->get("/workspaces/$WS/$path");
    my $meta = $t->get('/artifacts/' . ws_id($WS, $path) . '/metadata');
    return ('', '') if $res->{status} == 404 && $meta->{status} == 404;
    return ("status $res->{status}, $meta->{status}", '?')
        if $res->{status} != 200 || $meta->{status} != 200;

    my $by = (eval { decode_strict($meta->body) } || {})->{meta}{modifiedBy};
    return ($res->body, ref $by && @$by ? $by->[-1]{messageId} // '' : '');
}


# Values that two have set, or none has.

sub _check_counter {
    my ($servers, $writers, $name) = @_;

    my (%set, %maybe, @wrong);
    for my $w (@$writers) {
        for my $message (keys %{ $w->{counter} }) {
            my ($value, $done) = @{ $w->{counter}{$message} };
            my $into = $done ? \%set : \%maybe;
            push @{ $into->{$value} }, $message;
        }
    }
    for my $t (@$servers) {
        my ($text) = _there($t, 'counter');
        my ($last) = $text =~ /\A(\d+) / or push @wrong, "is $text";
        push @wrong, map { "$_ set " . @{ $set{$_} } . ' times' }
            grep { @{ $set{$_} } > 1 } keys %set;
        push @wrong, map { "$_ was never set" }
            grep { !$set{$_} && !$maybe{$_} } 1 .. $last || 0;
        push @wrong, map { "$_ set, is $last" }
            grep { $_ > ($last || 0) } keys %set;
    }
    note("$name: counted to " . scalar keys %set);
    is(join('; ', splice @wrong, 0, 5), '',
       "$name: of two with the same If-Match one wrote");
}


sub _check_once {
    my ($servers, $writers, $name) = @_;

    my (%won, @wrong);
    for my $w (@$writers) {
        for my $path (keys %{ $w->{won} }) {
            my $mine = $w->{won}{$path};
            $won{$path}{$_} = $mine->{$_} for keys %$mine;
        }
    }
    for my $path (sort keys %won) {
        my @winners = grep { $won{$path}{$_} } sort keys %{ $won{$path} };
        push @wrong, "$path: @winners" if @winners > 1;
        for my $t (@$servers) {
            my ($text, $by) = _there($t, $path);
            my $is = unsealed($text) // '';
            push @wrong, "$path is '$is', @winners won"
                if @winners ? $is ne $winners[0]
                            : $is ne '' && !exists $won{$path}{$is};
        }
    }
    note("$name: " . scalar(keys %won) . ' files that one could create');
    is(join('; ', splice @wrong, 0, 5), '',
       "$name: of all with If-None-Match: * one wrote");
}


sub _check_private {
    my ($servers, $writers, $name) = @_;

    my @wrong;
    for my $w (@$writers) {
        for my $path (sort keys %{ $w->{private} }) {
            my %may = map { $_ => 1 } @{ $w->{private}{$path} };
            for my $t (@$servers) {
                my ($text, $by) = _there($t, $path);
                my $is = $text eq '' ? '' : unsealed($text) // "torn: $text";
                push @wrong, "$path is '$is', was "
                    . join ' or ', map { "'$_'" } sort keys %may
                    if !$may{$is};
            }
        }
    }
    is(join('; ', splice @wrong, 0, 5), '',
       "$name: files that one wrote and removed");
}


sub _check_artifacts {
    my ($servers, $writers, $name) = @_;

    my @wrong;
    my %ids = map { %{ $_->{ids} } } @$writers;
    for my $id (sort keys %ids) {
        for my $t (@$servers) {
            my $res = $t->get("/artifacts/$id");
            my $meta = $t->get("/artifacts/$id/metadata");
            my $says = eval { decode_strict($meta->body) } || {};
            push @wrong, "$id: $res->{status} $meta->{status}"
                if (unsealed($res->body) // '') ne $ids{$id}
                || ($says->{messageId} // '') ne $ids{$id};
        }
    }
    note("$name: " . scalar(keys %ids) . ' new artifacts');
    is(join('; ', splice @wrong, 0, 5), '', "$name: new artifacts");
}


# The document on the disk has every message once, under its file, the last of
# them that of the content; and nothing is left on its way.

sub _check_metadata {
    my ($servers, $writers, $name) = @_;

    my (%sent, %seen, $history);
    %sent = (%sent, %{ $_->{sent} }) for @$writers;
    my @sure = grep { $sent{$_}[1] } keys %sent;
    my $t = $servers->[0];

    until_true(sub {
        $history = history($t, $WS);
        %seen = ();
        $seen{$_}++ for map { grep { defined } @$_ } values %$history;
        return !grep { !$seen{$_} } @sure;
    }, 10);

    my @wrong = map { "$_ is lost" } grep { !$seen{$_} } sort @sure;
    push @wrong, map { "$_ is there twice" }
        grep { $seen{$_} > 1 && $_ ne 's' } sort keys %seen;
    for my $path (@ALWAYS, 'counter') {
        my @list = @{ $history->{$path} || [] };
        push @wrong, map { "$_ is under $path" }
            grep { $_ ne 's' && ($sent{$_}[0] // '') ne $path } @list;
        for my $server (@$servers) {
            my ($text, $by) = _there($server, $path);
            my $is = unsealed($text)
                // ($text =~ /\A\d+ (\S+)\z/ ? $1 : 'torn');
            $is = 's' if $is eq 'none';
            push @wrong, "$path is of $is, its history ends with $by"
                if $is ne $by && exists $sent{$is} && $sent{$is}[1];
        }
    }
    note(sprintf '%s: %d messages in the histories', $name, scalar keys %seen);
    is(join('; ', splice @wrong, 0, 5), '', "$name: metadata");

}


# What is not folded yet, and files on their way; those of writers that were
# killed go when a process starts, all others soon.

sub left_on_the_way {
    my ($t) = @_;

    my $left;
    until_true(sub { ($left = _left($t->data)) eq '' }, 10);
    return $left;
}


sub _left {
    my ($data) = @_;

    my @left = grep { /tmp-|\.folding\z/ || -s $_ > 80 }
        grep { !/\.index2?\z/ && -f $_ }
        glob "$data/workspaces/.artifact/* $data/artifacts/.artifact/*";
    return join ' ', map { substr $_, length $data } @left;
}


1;
