#!/usr/bin/perl

# Measures routed answers against nginx's own static serving of the same
# bytes: one worker on one processor, the load generator (wrk) on another,
# rounds interleaved, medians and their ratios.  See docs/performance.md.
#
#     bench/run.pl [rounds] [seconds] [cases, a regular expression]
#
# BENCH_OLD, the path of another ngx_artifact_module.so, is compared with the
# tree's: new/old is the ratio of the processor time of a routed answer.

use warnings;
use strict;

use Cwd qw/ abs_path /;
use File::Basename qw/ dirname /;
use File::Path qw/ make_path remove_tree /;
use FindBin;
use lib "$FindBin::Bin/lib";
use ArtifactBench;
use IO::Socket::INET;

my $TOP = abs_path(dirname(__FILE__) . '/..');
my $ROUNDS = shift // 5;
my $SECONDS = shift // 2;
my $ONLY = shift;
my $PORT = $ENV{BENCH_PORT} // 18090;
my $DIR = "$TOP/build/bench";
my $NGINX = $ENV{TEST_NGINX_BINARY} // '/usr/sbin/nginx';
our $CONNECTIONS = 16;
my $MODULE = $ENV{TEST_NGINX_MODULE} // "$TOP/build/ngx_artifact_module.so";
my $OLD = $ENV{BENCH_OLD};
my $COMPARED = 3;       # seconds, for each row

die "no module at $OLD\n" if $OLD && !-f $OLD;
die "wrk is not installed\n" if !grep { -x "$_/wrk" } split /:/, $ENV{PATH};

# What is measured: name, content, file, type, capabilities of the reader, and
# where it lies: what is "unseen" is opened and classified for each request.

my @cases = (
    ['text 1 KB', text(1024), 't1.txt', 'text/plain'],
    ['text 64 KB', text(65536), 't64.txt', 'text/plain'],
    ['PNG 10 KB', png(10 * 1024), 'p10.png', 'image/png'],
    ['PNG 100 KB', png(100 * 1024), 'p100.png', 'image/png'],
    ['PNG 1 MB', png(1024 * 1024), 'p1m.png', 'image/png'],
    ['PNG 10 MB', png(10 * 1024 * 1024), 'p10m.png', 'image/png'],
    ['PDF 5 MB', "%PDF-1.7\n" . noise(5 * 1024 * 1024), 'd.pdf',
     'application/pdf'],
    ['description', png(10 * 1024), 'x10.png', 'image/png', 'text'],
    ['sniffed 10 KB', png(10 * 1024), 's10', undef],
    ['unseen text', text(65536), 'u64.txt', 'text/plain', undef, 'unseen'],
    ['.. undeclared', text(65536), 'v64', undef, undef, 'unseen'],
    ['.. GBK', gbk(65536), 'g64.txt', 'text/plain', undef, 'unseen'],
    ['.. PNG', png(10 * 1024), 'q10.png', 'image/png', undef, 'unseen'],
    ['raw PNG 10 KB', png(10 * 1024), 'r10.png', 'image/png', ''],
    ['raw PNG 1 MB', png(1024 * 1024), 'r1m.png', 'image/png', ''],
);

prepare();

my $new = start('nginx', $MODULE, $PORT);
my $old = $OLD ? start('old', $OLD, $PORT + 1) : undef;

# past the time in which a file version is too young to be cached

sleep 3;
render();
pin_client() if $OLD;

printf "%s\n%s\n", system_line(), '-' x 76;
printf "%-16s %9s %9s %6s  %9s %9s %6s%s\n", 'case', 'routed/s', 'static/s',
    'ratio', 'us cpu', 'us cpu', 'ratio', $OLD ? '  new/old' : '';
printf "%-16s %9s %9s %6s  %9s %9s %6s\n", '', '', '', '', 'routed',
    'static', '';

for my $sendfile ('on', 'off') {
    print "sendfile $sendfile\n";

    for my $case (grep { !defined $ONLY || $_->[0] =~ /$ONLY/ } @cases) {
        measure($case, $sendfile);
    }
}

if (!defined $ONLY) {
    memory($_) for grep { defined } $new, $old;
}

print worst_ratio();

for my $server (grep { defined } $new, $old) {
    kill 'QUIT', $server->{pid};
    waitpid $server->{pid}, 0;
}

exit 0;


sub measure {
    my ($case, $sendfile) = @_;

    my ($name, undef, $file, undef, $caps, $where) = @$case;
    my ($id) = $file =~ /^(\w+)/;
    $where //= 'artifacts';
    my $routed = "/$sendfile/$where/$id";
    my $static = "/$sendfile/static/$id.json";
    my @header = ();

    $caps //= 'text, vision, file';
    @header = ("X-LLM-Capabilities: $caps") if length $caps;

    my (@r, @s);

    for (1 .. $ROUNDS) {
        push @r, load($new, $routed, map { ('-H', $_) } @header);
        push @s, load($new, $static);
    }

    my ($rr, $rc) = map { my $i = $_; median(map { $_->[$i] } @r) } 0, 1;
    my ($sr, $sc) = map { my $i = $_; median(map { $_->[$i] } @s) } 0, 1;

    printf "  %-14s %9.0f %9.0f %6.2f  %9.1f %9.1f %6.2f", $name, $rr, $sr,
        $rr / $sr, $rc, $sc, $rc / $sc;

    if ($OLD) {
        my $ratio = new_old($routed, $rc, @header);
        note_ratio("$name, sendfile $sendfile", $ratio);
        printf '  %7.3f', $ratio;
    }

    print "\n";
}


# Slices of 5 ms for the worker, where an answer costs this many microseconds.

sub new_old {
    my ($uri, $cost, @header) = @_;

    my $connections = $cost > 1000 ? 2 : $CONNECTIONS;
    my $n = int(5_000 / $cost / $connections + 1) * $connections;

    my @slices = map {
        my ($server, $state) = ($_, {});

        sub {
            my $before = cpu_time($server->{worker});
            slice($state, $server->{port}, $uri,
                  join('', map { "$_\r\n" } @header), $n, $connections);
            return cpu_time($server->{worker}) - $before;
        }
    } $new, $old;

    $_->() for @slices;

    return compare($COMPARED, @slices);
}


# One round: requests per second, and the worker's CPU time for each.

sub load {
    my ($server, $uri, @header) = @_;

    my $before = cpu_time($server->{worker});
    open my $fh, '-|', 'taskset', '-c', 1, 'wrk', '-t1', "-c$CONNECTIONS",
        "-d${SECONDS}s", @header, "http://127.0.0.1:$server->{port}$uri"
        or die "wrk: $!";
    my $out = join '', <$fh>;
    close $fh;
    my $used = cpu_time($server->{worker}) - $before;

    my ($requests) = $out =~ /(\d+) requests in/;
    my ($rate) = $out =~ m{Requests/sec:\s+([\d.]+)};

    die "wrk of $uri failed: $out" if !$requests || $out =~ /Non-2xx/;

    return [$rate, $used / $requests * 1e6];
}


# Peak memory of the worker: many connections, and slow readers.

sub memory {
    my ($server) = @_;
    my $label = !$OLD ? 'memory' : $server == $new ? 'memory, new' : '... old';

    my $before = rss($server);
    load_connections($server, 50);
    printf "%s: 50 connections on PNG 10 MB: +%d KB\n", $label,
        rss($server) - $before;

    $before = rss($server);
    my @socks;
    for (1 .. 100) {
        my $s = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$server->{port}")
            or die $!;
        print $s "GET /off/artifacts/p10m HTTP/1.1\r\nHost: a\r\n"
            . "X-LLM-Capabilities: vision\r\n\r\n";
        push @socks, $s;
    }

    for (1 .. 5) {
        sysread $_, my $buf, 4096 for @socks;
        select undef, undef, undef, 0.2;
    }

    my $grown = rss($server) - $before;
    printf "%s: 100 slow readers of PNG 10 MB: +%d KB, %.1f KB each\n",
        $label, $grown, $grown / 100;
}


sub load_connections {
    my ($server, $n) = @_;
    local $CONNECTIONS = $n;
    load($server, '/off/artifacts/p10m', '-H', 'X-LLM-Capabilities: vision');
}


sub rss {
    my ($server) = @_;
    open my $fh, '<', "/proc/$server->{worker}/status" or die $!;
    my ($kb) = join('', <$fh>) =~ /VmRSS:\s+(\d+)/;
    return $kb;
}


sub text {
    my $line = "The quick brown fox \"jumps\" over the lazy dog; 敏捷。\n";
    return substr $line x ($_[0] / length($line) + 1), 0, $_[0];
}


sub gbk {
    my $line = "\xb9\xa4\xbc\xfe\xc2\xb7\xd3\xc9\xa3\xac\xcd\xbc\xc6\xac\xb8\xf8"
        . "\xbf\xb4\xb5\xc3\xbc\xfb\xb5\xc4\xc4\xa3\xd0\xcd\xa1\xa3\n";
    return $line x ($_[0] / length $line);
}


sub noise {
    my ($n) = @_;
    my $x = 12345;
    my $block = '';
    for (1 .. 16384) {
        $x = ($x * 1103515245 + 12345) & 0x7fffffff;
        $block .= pack 'N', $x;
    }
    return substr $block x ($n / length($block) + 1), 0, $n;
}


sub png {
    return "\x89PNG\r\n\x1a\n\0\0\0\rIHDR" . noise($_[0] - 16);
}


sub prepare {
    remove_tree($DIR);
    make_path("$DIR/data/artifacts", "$DIR/static", "$DIR/logs", "$DIR/temp");

    for my $case (@cases) {
        my (undef, $content, $file, $type, undef, $where) = @$case;
        my ($id, $ext) = $file =~ /^(\w+)(.*)$/;

        spew("$DIR/data/artifacts/$file", $content);

        # too young for ever to be remembered

        utime +(time + 86_400) x 2, "$DIR/data/artifacts/$file"
            if defined $where;
        spew("$DIR/data/artifacts/$id.meta",
             qq({"id":"$id","extension":"$ext","type":"$type",)
             . qq("name":"$file"})) if defined $type;
    }
}


# The answers as files, so that static serving sends the same bytes.

sub render {
    for my $case (@cases) {
        my (undef, undef, $file, undef, $caps) = @$case;
        my ($id) = $file =~ /^(\w+)/;
        $caps //= 'text, vision, file';
        system 'curl', '-sf', '-o', "$DIR/static/$id.json",
            '-H', "X-LLM-Capabilities: $caps",
            "http://127.0.0.1:$PORT/on/artifacts/$id"
            and die "rendering $id failed\n";
    }
}


sub conf {
    my ($name, $module, $port) = @_;

    my $common = join '', map { <<"EOC" } 'on', 'off';
        location /$_/artifacts/ {
            artifact;
            artifact_route on;
            sendfile $_;
        }
        location /$_/unseen/ {
            artifact;
            artifact_route on;
            sendfile $_;
            open_file_cache off;
        }
        location /$_/static/ {
            alias $DIR/static/;
            sendfile $_;
        }
EOC

    my $load = length $module ? "load_module $module;" : '';
    my $user = $> == 0 ? 'user root;' : '';

    return <<"EOC";
$load
$user
worker_processes 1;
worker_cpu_affinity 01;
daemon off;
pid $DIR/$name.pid;
error_log $DIR/logs/$name-error.log;
events { worker_connections 1024; }
http {
    types { application/json json; image/png png; }
    access_log off;
    keepalive_requests 1000000000;
    open_file_cache max=100 inactive=60s;
    open_file_cache_valid 60s;
    client_body_temp_path $DIR/temp/b;
    proxy_temp_path $DIR/temp/p;
    fastcgi_temp_path $DIR/temp/f;
    uwsgi_temp_path $DIR/temp/u;
    scgi_temp_path $DIR/temp/s;
    artifact_root $DIR/data;
    artifact_inline_max 0;
    server {
        listen 127.0.0.1:$port;
$common
    }
}
EOC
}


# An nginx with a module at a port.

sub start {
    my ($name, $module, $port) = @_;

    spew("$DIR/$name.conf", conf($name, $module, $port));

    my $child = fork // die $!;

    if ($child == 0) {
        exec $NGINX, '-p', $DIR, '-c', "$DIR/$name.conf" or die $!;
    }

    for (1 .. 50) {
        select undef, undef, undef, 0.1;
        last if IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port");
    }

    my ($worker) = split ' ', `ps -o pid= --ppid $child`
        or die "nginx with $module did not start\n";

    return { pid => $child, port => $port, worker => $worker };
}


sub system_line {
    my ($model) = `cat /proc/cpuinfo` =~ /model name\s+:\s+(.*)/;
    return "$model, $ROUNDS rounds of $SECONDS s, $CONNECTIONS connections, "
        . 'medians';
}


sub spew {
    my ($file, $content) = @_;
    open my $fh, '>:raw', $file or die "$file: $!";
    print $fh $content;
    close $fh or die $!;
}
