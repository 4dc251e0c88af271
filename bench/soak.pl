#!/usr/bin/perl

# Many clients at once, for a long time, while the configuration is reloaded:
# results of MCP tools are offloaded, pasted into requests to models' APIs and
# expanded again.  Every answer is looked at.  Other clients use all features,
# and leave at random; and in the end it is looked at whether connections,
# descriptors, memory and files are what they were.
#
#     perl bench/soak.pl [seconds [clients]]

use strict;
use warnings;

use Compress::Zlib qw(crc32);
use FindBin;
use lib "$FindBin::Bin/../t/lib";
use ArtifactFeatures;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactTools;
use ArtifactUpstream;
use ArtifactWrite qw(left_behind until_true);
use IO::Select;
use POSIX ();
use Time::HiRes qw(sleep time);

my $seconds = shift // 600;
my $clients = shift // 20;

my $RELOADS = 10;       # in all that time
my $POOL = 200;         # contents
my $GROWTH = 1.3;       # of memory, from the second generation to the last
my $SPARE = 3 << 10;    # KB more than that

$| = 1;

my $t = ArtifactTest->new(workers => 2);
my $all = ArtifactTest->new;    # data and port of the server with all features


# --- contents, all different, of all sizes; the same for a number each time

my @MIMES = qw(image/png image/jpeg image/webp application/pdf);

sub content {
    my ($n) = @_;
    rand_seed(1000 + $n);
    my $content = content_of($MIMES[$n % @MIMES], 800 + $n * 7);
    return { mime => $MIMES[$n % @MIMES], name => qr/./, bytes => $content };
}

my @pool = map { content($_) } 0 .. $POOL - 1;

# large ones, too: of one letter each behind what tells the type

for my $n (0 .. 9) {
    my $size = 100_000 * ($n + 1);
    my $more = "tEXt" . chr(65 + $n) x $size;
    $pool[$n * 4]{bytes} = substr(png(2, 2), 0, -12) . pack('N', $size) . $more
        . pack('N', crc32($more)) . substr png(2, 2), -12;
}

sub answer {
    my ($find) = @_;
    my $data = b64($find->{bytes});
    my $block = $find->{mime} =~ /^image/
        ? qq({"type":"image","data":"$data","mimeType":"$find->{mime}"})
        : '{"type":"resource","resource":{"uri":"file:///r","mimeType":'
          . qq("$find->{mime}","blob":"$data"}});
    return '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text",'
        . qq("text":"Taken."},$block],"structuredContent":{"shot":"$data"}}});
}

my $up = ArtifactUpstream->new($t->prefix . '/up', contents => { map {
    my $body = answer($pool[$_]);
    ("$_/mcp" => { body => $body, type => 'application/json' },
     "$_/s/mcp" => { body => "event: message\ndata: $body\n\n",
                     type => 'text/event-stream' });
} 0 .. $#pool });
my $echo = ArtifactUpstream->echo($t->prefix . '/echo');

my $mcp = 'artifact_offload on; proxy_pass http://unix:' . $t->prefix
    . '/up:/;';
my ($all_http, $all_server) = features_server($all);
features_data($all);
my @more = features_upstreams($all);

$t->file('map.json', sample_map());
$t->allow(qr/upstream/);
$t->start(main => 'thread_pool default threads=4;',
          http => 'artifact_capabilities %%PREFIX%%/map.json;' . $all_http
                  . 'server { listen 127.0.0.1:' . $all->port
                  . "; $all_server }",
          server => tool_location() . <<"SERVER");
    artifact_root %%DATA%%;
    artifact_offload_min 1k;

    location /artifacts/ {
        internal;
        artifact;
    }
    location /plain/ {
        $mcp
    }
    location /threads/ {
        aio threads;
        proxy_buffering off;
        $mcp
    }
SERVER


# --- a client: how often, what went wrong and which ids it saw, in a file

my ($done, %wrong, %seen) = (0);

sub step {
    my $n = int rand $POOL;
    my $find = $pool[$n];
    my $api = $APIS[rand @APIS];
    my $at = rand() < 0.5 ? 'plain' : 'threads';
    my $stream = rand() < 0.3 ? '/s' : '';

    # some go away in between

    if (rand() < 0.05) {
        my $conn = $t->connect;
        $conn->send("GET /$at/$n$stream/mcp HTTP/1.1\r\nHost: x\r\n\r\n");
        sleep rand 0.02;
        return $conn->close;
    }

    my $res = $t->connect->request('GET', "/$at/$n$stream/mcp");
    return $wrong{"$at$stream: $res->{status}"}++
        if $res->{status} != 200 || !$res->{complete};
    my ($json) = $res->{body} =~ /(\{.*\})/s;
    my $result = eval { decode_strict($json)->{result} }
        or return $wrong{"$at$stream: no JSON"}++;

    my $shot = $result->{structuredContent}{shot};
    my ($marker) = ($result->{content}[1]{text} // '') =~ /\A(\[[^\]]+\])/;
    return $wrong{'not offloaded'}++ if !defined $marker || $shot ne $marker;
    return $wrong{'another id'}++ if ($seen{$n} //= $marker) ne $marker;

    my $form = $FORMS[rand @FORMS];
    my $body = pasted_request($api, pasted($api, $form, $result));
    $res = $t->connect->request('POST', uri_of($api, 'all'), body => $body,
        headers => ['Content-Type' => 'application/json']);
    return $wrong{"$api: $res->{status}"}++
        if $res->{status} != 200 || !$res->{complete};

    my $data = b64($find->{bytes});
    my $times = () = $res->{body} =~ /\Q$data\E/g;
    $wrong{"$api: $times times the bytes"}++ if $times != 1;
    $wrong{"$api: $form, no part"}++
        if !times_in(part_of($api, $find), decode_strict($res->{body}));
    $done++;
}

# One request of any feature, whose answer is read to its end, in part, or not
# at all.

my @features = features_requests();

sub wander {
    my ($name, $request) = @features[map { 2 * $_, 2 * $_ + 1 }
                                     int rand @features / 2];
    my $conn = $all->connect;
    my $cut = rand() < 0.2;

    $conn->send($cut ? substr $request, 0, rand length $request : $request);
    $done++;

    if ($cut || rand() < 0.7) {
        sleep rand() ** 3 * 0.5;
        sysread $conn->{sock}, my $some, 1000
            if !$cut && IO::Select->new($conn->{sock})->can_read(0);
        return $conn->close;
    }

    my $res = $conn->response($request =~ /^(\w+)/);
    $wrong{"$name: " . ($res->{status} // 'no answer')}++
        if ($res->{status} // '') !~ /^20/ || !$res->{complete};
}

sub client {
    my ($n, $step) = @_;

    my $pid = fork // die "fork: $!";
    return $pid if $pid;

    my $stop = 0;
    $SIG{TERM} = sub { $stop = 1 };
    srand 1 + $n;
    until ($stop) {
        eval { $step->(); 1 } or $wrong{"died: $@"}++;
        spew($t->prefix . "/client$n.tmp", join "\n", $done,
             (map { "$wrong{$_} of $_" } sort keys %wrong),
             (map { "id $_ $seen{$_}" } sort keys %seen));
        rename $t->prefix . "/client$n.tmp", $t->prefix . "/client$n";
    }
    POSIX::_exit(0);
}

sub reports {
    return map { -e $_ ? [split /\n/, slurp($_)] : [0] }
        map { $t->prefix . "/client$_" } 1 .. $clients;
}

sub descriptors {
    my ($pid) = @_;
    my @fds = glob "/proc/$pid/fd/*";
    return scalar @fds;
}

sub largest { my ($max) = sort { $b <=> $a } @_; return $max }


# --- the time

my $quiet = largest(map { descriptors($_) } $t->workers);
my @pids = map { client($_, $_ % 3 ? \&step : \&wander) } 1 .. $clients;
my $begin = time;
my (@master, @memory);

for my $round (1 .. $RELOADS) {
    my $most = 0;
    while (time - $begin < $seconds * $round / $RELOADS) {
        sleep 0.5;
        $most = largest($most, map { eval { $t->memory($_) } // 0 }
                               $t->workers);
    }
    push @memory, $most;
    push @master, $t->memory($t->{pid});

    my $requests = 0;
    $requests += $_->[0] for reports();
    my @fds = map { descriptors($_) } $t->workers;
    printf "# %4d s: %7d circles, %5.1f MB a worker, %4.1f MB the master,"
        . " descriptors %s\n", time - $begin, $requests, $most / 1024,
        $master[-1] / 1024, join ' ', @fds;

    ok($t->reload, "reload $round") if $round < $RELOADS;
}

kill TERM => @pids;
waitpid $_, 0 for @pids;


# --- what is left

my (%id, %wrongs);
my $requests = 0;
for my $report (reports()) {
    $requests += shift @$report;
    for (@$report) {
        /^id (\d+) (.*)/ ? $id{$1}{$2}++ : $wrongs{$_}++;
    }
}
cmp_ok($requests, '>', $clients * 2, "$requests circles");
is(join('; ', map { "$wrongs{$_} clients: $_" } sort keys %wrongs), '',
   'every answer is right');
is(join(' ', grep { keys %{ $id{$_} } > 1 } sort keys %id), '',
   'one content has one id');

my @contents = grep { !/\.meta\z/ } glob $t->data . '/artifacts/*-*-*';
cmp_ok(scalar @contents, '<=', $POOL, 'and is one file');
is(scalar @contents, scalar(my @meta = glob $t->data . '/artifacts/*.meta'),
   'each has its metadata');
is(left_behind($_), '', 'no temporary file is left') for $t, $all;

ok(until_true(sub { $quiet >= largest(map { descriptors($_) } $t->workers) },
              10), 'descriptors are what they were')
    or diag("$quiet once, now ", join ' ', map { descriptors($_) } $t->workers);
is(scalar(my @workers = grep { slurp("/proc/$_/cmdline") =~ /worker process/ }
          $t->_children), 2, 'no old worker is left');

cmp_ok($memory[-1], '<', $memory[1] * $GROWTH + $SPARE,
       'a worker takes no more memory than at the beginning');
cmp_ok($master[-1], '<', $master[1] * $GROWTH + $SPARE, 'nor does the master');

is(scalar(my @open = grep { /^\S+ \S+ \S+ 08/ } sockets()), 0,
   'no connection that its client has closed');

$_->stop for $up, $echo, @more;
$t->finish;


# Lines of the system's table of connections to nginx.

sub sockets {
    my $ports = sprintf '%04X|%04X', $t->port, $all->port;
    return map { s/^\s+//r } grep { /^\s*\d+: [0-9A-F]+:(?:$ports) / }
        split /\n/, slurp('/proc/net/tcp');
}
