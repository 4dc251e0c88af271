# store-edges.pl: the stores, the edges and their processes, for store-test.pl.

use strict;
use warnings;
use utf8;

use File::Path qw(make_path);
use IO::Socket::INET;
use Test::More;
use Time::HiRes qw(sleep time);

use ArtifactHTTP;

our ($repo, $dir, $module, $state, $base, $gateway, @ports);


# --- processes and files ------------------------------------------------------

sub clean {
    my ($folder, $keep) = @_;

    system("$repo/scripts/store-proc.sh", 'down', $folder);

    for my $mount (grep { index($_, "$folder/mnt") == 0 } mounts()) {
        system('umount', '-l', $mount);
    }

    system('rm', '-rf', '--one-file-system', $folder) unless $keep;
}


# mount points, one whose daemon has died can be told in no other way

sub mounts {
    return map { (split ' ')[1] } split /\n/, slurp('/proc/self/mounts');
}


sub sh {
    my (@command) = @_;

    system(@command) == 0 or die "failed: @command\n";
}


sub kill_node {
    my (@names) = @_;

    sh("$repo/scripts/store-proc.sh", 'kill', $state, $_) for @names;
    note("killed @names");
}


sub free_ports {
    my ($n) = @_;

    TRY: for my $try (0 .. 99) {
        my $port = 21000 + ($$ * 40 + $try * 80) % 10000;

        for my $p ($port .. $port + $n - 1) {
            IO::Socket::INET->new(Listen => 1, ReuseAddr => 1,
                LocalAddr => '127.0.0.1', LocalPort => $p) or next TRY;
        }

        return $port;
    }

    die "no free ports\n";
}


sub slurp {
    my ($path) = @_;

    open my $fh, '<:raw', $path or die "$path: $!\n";
    local $/;

    return <$fh> // '';
}


sub spew {
    my ($path, $bytes) = @_;

    open my $fh, '>:raw', $path or die "$path: $!\n";
    print $fh $bytes;
    close $fh or die "$path: $!\n";
}


sub diag_time {
    my ($what, $start) = @_;

    note(sprintf '%s: %.1f s', $what, time - $start);
}


# --- the stores ---------------------------------------------------------------

my %token;


sub object_url {
    my ($store, $bucket, $key) = @_;

    return "http://127.0.0.1:$gateway"
        . ($store eq 'ceph' ? '' : '/v1/AUTH_test')
        . "/$bucket" . (defined $key ? "/$key" : '');
}


sub gateways {
    my ($store) = @_;

    return $store eq 'ceph' ? ($base + 1, $base + 2) : ($base, $base + 1);
}


# what a request to the store needs to be allowed, as curl's arguments

sub credentials {
    my ($store) = @_;

    if ($store eq 'ceph') {
        return ('--aws-sigv4', 'aws:amz:us-east-1:s3',
                '--user', 'tester:testing',
                '-H', 'x-amz-content-sha256: UNSIGNED-PAYLOAD');
    }

    $token{$state} //= do {
        my $answer = `curl -si -m 20 -H 'X-Auth-User: test:tester' \\
            -H 'X-Auth-Key: testing' http://127.0.0.1:$base/auth/v1.0`;

        $answer =~ /^X-Auth-Token: (\S+)/mi or die "swift: no token\n";
        $1;
    };

    return ('-H', "X-Auth-Token: $token{$state}");
}


sub upload {
    my ($store, @objects) = @_;

    for my $o (@objects) {
        my @headers = ('-H', "Content-Type: $o->{type}");

        push @headers, '-H', 'Content-Disposition: inline; filename*=UTF-8'
            . "''" . percent(bytes($o->{name})) if $o->{disposition};

        push @headers, '-H', 'x-amz-acl: public-read' if $store eq 'ceph';

        spew("$state/upload", $o->{content});
        curl_ok(credentials($store), @headers, '-T', "$state/upload",
                object_url($store, $o->{bucket} // 'platform',
                           percent($o->{key})));
    }
}


sub make_bucket {
    my ($store, $bucket) = @_;

    my @headers;

    if ($store eq 'swift') {
        @headers = ('-H', 'X-Container-Read: .r:*',
                    '-H', 'X-Container-Rfc-Compliant-Etags: '
                    . ($bucket eq 'platform' ? 'true' : 'false'));

    } elsif ($bucket eq 'platform') {
        @headers = ('-H', 'x-amz-acl: public-read');
    }

    curl_ok(credentials($store), @headers, '-X', 'PUT',
            object_url($store, $bucket));
}


# a new store may want a moment

sub curl_ok {
    my (@arguments) = @_;

    for my $try (1 .. 10) {
        return if system('curl', '-sf', '-m', 30, '-o', '/dev/null',
                         @arguments) == 0;
        sleep 1;
    }

    die "failed: curl @arguments\n";
}


# How often the store itself has sent an object, whole or in part, by its own
# logs: key => count.

sub sent {
    my ($store) = @_;

    my %count;
    my ($glob, $line) = $store eq 'ceph'
        ? ('client.rgw*', qr{"GET /platform/(\S+) HTTP/1.1" 20[06] })
        : ('object*', qr{"GET /disk/\d+/AUTH_test/platform/(\S+)" 20[06] });

    for my $log (glob "$state/log/$glob.log") {
        my $text = slurp($log);

        while ($text =~ /$line/g) {
            my $key = $1;

            $key =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ge;
            $count{$key}++;
        }
    }

    return \%count;
}


sub sent_of {
    my ($store, $key) = @_;

    sleep 0.3;                  # the log may be late

    return sent($store)->{$key} // 0;
}


# --- the edges ----------------------------------------------------------------

# docs/stores.md's configuration, with the addresses and folders of this run.
# /slow/ is a copy of /artifacts/ that reads slowly, from the first gateway;
# /other/ is one with another bucket.

sub edge_conf {
    my ($store, $edge, $change) = @_;

    $ports[$edge] = $base + 30 + $edge;

    my $prefix = "$state/edge$edge";
    my ($one, $two) = gateways($store);
    my ($text) = slurp("$repo/docs/stores.md")
        =~ /^(    load_module .*\n(?:    .*\n|\n)*)/m or die "no configuration\n";

    $text =~ s/^    //mg;

    my @changes = (
        ['modules/ngx_artifact_module.so', $module],
        ['/run/nginx.pid', "$prefix/nginx.pid"],
        ['/var/log/nginx/error.log warn', "$prefix/error.log info"],
        ['/var/log/nginx/access.log', "$prefix/access.log"],
        ['/etc/nginx/capabilities.json', "$repo/scripts/capabilities.json"],
        ['/var/cache/nginx/store', "$prefix/cache"],
        ['10.0.0.11:7480', "127.0.0.1:$one"],
        ['10.0.0.12:7480', "127.0.0.1:$two"],
        ['127.0.0.1:8080', "127.0.0.1:$ports[$edge]"],
        ['worker_processes auto;', 'worker_processes 1;'],
        ['http://store/platform/', $store eq 'ceph'
            ? 'http://store/platform/'
            : 'http://store/v1/AUTH_test/platform/'],
        @{ $change || [] },
    );

    for my $change (@changes) {
        my ($from, $to) = @$change;

        $text =~ s/\Q$from\E/$to/g or die "no \"$from\" in docs/stores.md\n";
    }

    my ($location) = $text =~
        m{^( +location /artifacts/ \{\n.*?\n        \}\n)}ms
        or die "no location in docs/stores.md\n";

    my ($slow, $other) = ($location, $location);

    $slow =~ s{/artifacts/}{/slow/};
    $slow =~ s{http://store}{http://127.0.0.1:$one};
    $slow =~ s{(artifact_decode on;)}
              {$1 proxy_limit_rate 2m; proxy_cache_key slow/\$artifact_key;};

    $other =~ s{/artifacts/}{/other/};
    $other =~ s{/platform/}{/other/};
    $other =~ s{(artifact_decode on;)}
               {$1 proxy_cache_key other/\$artifact_key;};

    $text =~ s{^( +location /artifacts/)}{$slow$other$1}m;
    $text = main_lines($prefix) . $text;
    $text =~ s/^(http \{\n)/$1 . temp_lines($prefix)/me;

    return $text;
}


sub main_lines {
    my ($prefix) = @_;

    return "daemon off;\n" . ($> == 0 ? "user root;\n" : '');
}


sub temp_lines {
    my ($prefix) = @_;

    return join '', map { "    ${_}_temp_path $prefix/$_;\n" }
        qw(client_body proxy fastcgi uwsgi scgi);
}


sub start_edge {
    my ($edge, $conf) = @_;

    my $prefix = "$state/edge$edge";

    make_path($prefix);
    spew("$prefix/nginx.conf", $conf);

    sh("$repo/scripts/store-proc.sh", 'run', $state, "edge$edge", 'nginx',
       '-p', $prefix, '-c', "$prefix/nginx.conf", '-e', "$prefix/error.log");

    for (1 .. 200) {
        return if IO::Socket::INET->new(PeerAddr =>
                                        "127.0.0.1:$ports[$edge]");
        sleep 0.05;
    }

    die "edge $edge does not start:\n" . slurp("$prefix/error.log");
}


# one request: model, headers (a list), method, on_body

sub ask {
    my ($edge, $uri, %opt) = @_;

    my @headers = @{ $opt{headers} || [] };

    push @headers, 'X-LLM-Service', $opt{model} if $opt{model};

    my $http = ArtifactHTTP->new($ports[$edge], timeout => 90);
    my $res = $http->request($opt{method} || 'GET', $uri,
                             headers => \@headers,
                             $opt{on_body} ? (on_body => $opt{on_body}) : ());
    $http->close;

    return $res;
}


sub ref_uri {
    my ($o, $location) = @_;

    return ($location // '/artifacts') . '/' . $o->{ref};
}


1;
