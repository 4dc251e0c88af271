#!/usr/bin/perl

# store-test.pl [STORE...]
#
# Puts the module in front of real stores, of three nodes each, on 127.0.0.1:
# ceph (S3), swift, gluster; all of them by default.  Two edges, nginx with the
# configuration of docs/stores.md, serve every object in every way, while
# nodes are killed.  Prints TAP; state is in build/store, processes are ended.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use File::Path qw(make_path);
use FindBin;
use IO::Socket::INET;
use JSON::PP ();
use MIME::Base64 qw(decode_base64 encode_base64url);
use Test::More;
use Time::HiRes qw(sleep time);

use lib "$FindBin::Bin/../t/lib";
use ArtifactHTTP;

binmode $_, ':utf8'
    for map { Test::More->builder->$_ } qw(output failure_output);
$| = 1;

my $repo = abs_path("$FindBin::Bin/..");
my $dir = "$repo/build/store";
my $module = $ENV{TEST_NGINX_MODULE} // "$repo/build/ngx_artifact_module.so";

my @MODELS = qw(text-model vision-model full-model);
my @EDGES = (0, 1);

my $began = time;
my $owner = $$;
my ($state, $base, $gateway, @ports, %object, %got);

my @stores = @ARGV ? @ARGV : qw(ceph swift gluster);

$SIG{INT} = $SIG{TERM} = $SIG{HUP} = sub { die "interrupted\n" };
$ENV{PATH} .= ':/usr/local/sbin:/usr/sbin:/sbin';
delete @ENV{qw(http_proxy HTTP_PROXY all_proxy ALL_PROXY)};

-f $module or die "no module at $module, run make first\n";

# what a run before this one may have left

clean($_) for glob "$dir/*";

sh($^X, "$repo/scripts/samples.pl", "$dir/data/root");
read_samples("$dir/data/root");
make_objects();

my %run = (ceph => \&object_store, swift => \&object_store,
           gluster => \&file_store);

for my $store (@stores) {
    my $run = $run{$store} or die "unknown store $store\n";

    $state = "$dir/$store";
    $base = free_ports(40);
    make_path($state);

    my $start = time;
    sh("$repo/scripts/store-$store.sh", $state, $base);
    diag_time("$store is up", $start);

    $run->($store);
    clean($state);
    diag_time("$store, all in all", $start);
}

clean("$dir/data");
rmdir $dir;
diag_time('everything', $began);
done_testing();


END {
    if (defined $owner && $$ == $owner) {
        my $status = $?;

        clean($_, 'keep') for grep { -f "$_/pids" } glob "$dir/*";
        $? = $status;
    }
}


# --- processes and files ----------------------------------------------------

sub clean {
    my ($folder, $keep) = @_;

    system("$repo/scripts/store-proc.sh", 'down', $folder);

    if (-d "$folder/mnt" && system('mountpoint', '-q', "$folder/mnt") == 0) {
        system('umount', '-l', "$folder/mnt");
    }

    system('rm', '-rf', '--one-file-system', $folder) unless $keep;
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


# --- the objects --------------------------------------------------------------

# An object: key, ref, type, name (characters), content, and kind, which is
# text, image or file.

sub add {
    my (%o) = @_;

    $o{kind} = $o{type} =~ m{^image/} ? 'image'
        : $o{type} =~ m{^(text/|application/json)} ? 'text' : 'file';

    return $object{$o{key}} = \%o;
}


sub ws_object {
    my ($ws, $path, $type, $content) = @_;

    my $name = $path =~ s{.*/}{}sr;
    utf8::decode($name);

    return add(key => "workspaces/$ws/$path", name => $name, type => $type,
        ref => "ws:$ws:" . encode_base64url($path), content => $content);
}


# samples.pl's data root, with the claims of its sidecars

sub read_samples {
    my ($root) = @_;

    for my $meta (map { JSON::PP::decode_json(slurp($_)) }
                  glob "$root/artifacts/*.meta")
    {
        add(key => "artifacts/$meta->{id}", ref => $meta->{id},
            type => $meta->{type} // $meta->{mimeType}, disposition => 1,
            name => $meta->{name} // $meta->{filename},
            content => slurp("$root/artifacts/$meta->{id}$meta->{extension}"));
    }

    for my $path (glob "$root/workspaces/*.meta.json") {
        my $meta = JSON::PP::decode_json(slurp($path));
        my $ws = bytes($meta->{workspaceId});

        for my $file (sort keys %{ $meta->{files} }) {
            my $bytes = bytes($file);

            ws_object($ws, $bytes, $meta->{files}{$file}{mimeType},
                      slurp("$root/workspaces/$ws/$bytes"));
        }
    }
}


sub make_objects {
    add(key => 'artifacts/large', ref => 'large', name => 'large.bin',
        disposition => 1, type => 'application/octet-stream',
        content => noise(8 << 20, 1));

    my $text = join '', map { "第 $_ 行, line $_: \"quoted\\\"\t\n" } 1 .. 60000;
    add(key => 'artifacts/long', ref => 'long', name => 'long.txt',
        disposition => 1, type => 'text/plain; charset=utf-8',
        content => bytes($text));

    my $path = '目录/a b#c%d?e+f&g;h=i@j,$k~l\'(m)!*.txt';
    ws_object('agent-x.y_z', bytes($path), 'text/plain', "odd name\n");
}


# bytes that no compressor or signature knows, the same each time

sub noise {
    my ($size, $seed) = @_;

    my $x = $seed * 2654435761 % 4294967296 || 1;
    my $words = '';

    for (1 .. 4096) {
        $x ^= $x << 13 & 0xffffffff;
        $x ^= $x >> 17;
        $x ^= $x << 5 & 0xffffffff;
        $words .= pack 'V', $x;
    }

    my $bytes = '';
    my $n = 0;

    $bytes .= pack('V', $n++) . $words while length $bytes < $size;

    return substr $bytes, 0, $size;
}


# the objects of a loop in which something is killed, sizes and kinds mixed

sub loop_objects {
    my ($name, $n) = @_;

    my @list;

    for my $i (1 .. $n) {
        my $size = 1000 + $i * 7919 % 250000;

        push @list, $i % 2
            ? ws_object($name, "$i.dat", 'application/x-loop',
                        noise($size, $i))
            : ws_object($name, "$i.txt", 'text/plain',
                        "$name $i\n" . unpack('H*', noise($size / 2, $i)));
    }

    return @list;
}


sub bytes {
    my ($text) = @_;

    utf8::encode($text);

    return $text;
}


sub percent {
    my ($bytes) = @_;

    return $bytes =~ s/([^A-Za-z0-9\-._~\/])/sprintf '%%%02X', ord $1/ger;
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


# --- the edges ------------------------------------------------------------------

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


# --- what is right --------------------------------------------------------------

# undef if the answer is the routed object for that model, else what is wrong

sub wrong {
    my ($res, $o, $model) = @_;

    return "status $res->{status}" if $res->{status} != 200;
    return 'incomplete' unless $res->{complete};
    return 'not JSON' if ($res->header('Content-Type') // '')
        ne 'application/json';

    my $body = $res->{body};
    my $data;

    # base64 is cut out, JSON::PP takes its time

    if ($body =~ /"(?:data|url)":"(?:data:([^;,"]+);base64,)?([A-Za-z0-9+\/=]*)"/)
    {
        my ($at, $len) = ($-[2], $+[2] - $-[2]);

        $data = { type => $1, bytes => decode_base64(substr $body, $at, $len) };
        substr $body, $at, $len, '';
    }

    my $json = eval { JSON::PP::decode_json($body) }
        or return "not JSON: $@";

    my $routing = expected($o->{kind}, $model);
    my $is = $json->{routing} // '';

    return "routing $is" if $is ne ($routing eq 'none' ? 'text' : $routing);
    return 'wrong name' if $json->{metadata}{filename} ne $o->{name};
    return 'wrong size'
        if $json->{metadata}{size} != length $o->{content};
    return 'wrong reason'
        if ($json->{metadata}{reason} // '')
           ne ($routing eq 'none' ? 'capability' : '');

    if ($routing eq 'text') {
        return defined $data ? 'base64 in a text'
            : bytes($json->{content}) eq $o->{content} ? undef : 'wrong text';
    }

    if ($routing eq 'none') {
        return defined $data || $json->{imageUrl} || $json->{file}
            ? 'bytes in a description'
            : index($json->{content}, $o->{name}) < 0
            ? 'a description without the name' : undef;
    }

    return 'no base64' unless defined $data;
    return 'wrong bytes' if $data->{bytes} ne $o->{content};

    return $routing eq 'image_url'
           && $data->{type} ne ($o->{type} =~ s/jpg/jpeg/r)
        ? 'wrong type' : undef;
}


sub expected {
    my ($kind, $model) = @_;

    return 'text' if $kind eq 'text';
    return $model eq 'text-model' ? 'none' : 'image_url' if $kind eq 'image';
    return $model eq 'full-model' ? 'file' : 'none';
}


sub wrong_raw {
    my ($res, $o) = @_;

    return "status $res->{status}" if $res->{status} != 200;
    return 'incomplete' unless $res->{complete};
    return 'wrong bytes' if $res->{body} ne $o->{content};

    return undef;
}


# one line of TAP for many answers; list: [object, what is wrong]

sub all_right {
    my ($name, @list) = @_;

    my @bad = grep { defined $_->[1] } @list;

    ok(@list && !@bad, "$name: " . @list . ' answers')
        or diag(join "\n", map { printable("$_->[0]{key}: $_->[1]") } @bad);
}


sub printable {
    my ($text) = @_;

    utf8::decode($text);

    return $text;
}


sub json_error {
    my ($res, $status, $code, $name) = @_;

    my $json = eval { JSON::PP::decode_json($res->{body}) } || {};

    ok($res->{status} == $status && ($json->{error} // '') eq $code, $name)
        or diag("$res->{status} $res->{body}");
}


# --- the run ----------------------------------------------------------------------

sub object_store {
    my ($store) = @_;

    my @objects = map { $object{$_} } sort keys %object;

    ($gateway) = gateways($store);
    make_bucket($store, 'platform');
    upload($store, @objects);

    for my $edge (@EDGES) {
        start_edge($edge, edge_conf($store, $edge));
    }

    %got = ();
    everything($store, @objects);
    one_request($store, @objects);
    conditional($store);
    ranges($store);
    refusals($store);
    credentials_kept($store);
    other_bucket($store);
    slices($store);
    nodes($store);
    revalidation($store);
}


sub everything {
    my ($store, @objects) = @_;

    for my $edge (@EDGES) {
        for my $model (@MODELS) {
            all_right("$store, edge $edge, $model", map {
                my $res = ask($edge, ref_uri($_), model => $model);

                $got{$edge}{$model}{$_->{key}} = $res;
                [$_, wrong($res, $_, $model)];
            } @objects);
        }

        all_right("$store, edge $edge, raw", map {
            my $res = ask($edge, ref_uri($_));

            $got{$edge}{raw}{$_->{key}} = $res;
            [$_, wrong_raw($res, $_)];
        } @objects);

        all_right("$store, edge $edge, HEAD as GET", map {
            my $o = $_;

            map {
                my $get = $got{$edge}{$_}{$o->{key}};
                my $head = ask($edge, ref_uri($o), method => 'HEAD',
                               $_ eq 'raw' ? () : (model => $_));

                [$o, same_headers($get, $head)];
            } @MODELS, 'raw';
        } @objects);
    }

    all_right("$store, the same tags on both edges", map {
        my $o = $_;

        map {
            my ($a, $b) = map { $got{$_->[0]}{$_->[1]}{$o->{key}}
                                    ->header('ETag') // '' }
                          [0, $_], [1, $_];

            [$o, $a ne '' && $a eq $b ? undef : "$_: \"$a\", \"$b\""];
        } @MODELS, 'raw';
    } @objects);
}


sub same_headers {
    my ($get, $head) = @_;

    for my $name (qw(ETag Content-Type Content-Length Vary)) {
        my ($a, $b) = map { $_->header($name) // '' } $get, $head;

        return "$name: GET \"$a\", HEAD \"$b\"" if $a ne $b;
    }

    return $head->{status} == 200 ? undef : "status $head->{status}";
}


sub one_request {
    my ($store, @objects) = @_;

    sleep 0.5;

    my $sent = sent($store);

    all_right("$store, each object was sent once to each edge", map {
        my $n = $sent->{$_->{key}} // 0;

        [$_, $n == 2 ? undef : "$n times"];
    } @objects);

    all_right("$store, from the cache the second time", map {
        my $o = $_;

        map {
            my $is = ask($_, ref_uri($o), model => 'full-model')
                ->header('X-Cache') // '';

            [$o, $is eq 'HIT' ? undef : "edge $_: $is"];
        } @EDGES;
    } @objects);

    my $o = $object{'workspaces/agent-abc123/README.md'};
    my $pad = '=' x (-length($o->{ref} =~ s/.*://r) % 4);

    for my $ref ("artifact:$o->{ref}", "$o->{ref}$pad") {
        my $res = ask(0, "/artifacts/$ref", model => 'text-model');

        ok(!defined wrong($res, $o, 'text-model')
           && $res->header('X-Cache') eq 'HIT',
           "$store, $ref is the same object in the cache");
    }
}


sub conditional {
    my ($store) = @_;

    my @list;
    my @cases = map { $object{"artifacts/$_"} } qw(gradient poem report);

    for my $o (@cases) {
        for my $model (@MODELS, 'raw') {
            my @who = $model eq 'raw' ? () : (model => $model);
            my $tag = $got{0}{$model}{$o->{key}}->header('ETag');

            for my $edge (@EDGES) {
                my $same = ask($edge, ref_uri($o), @who,
                               headers => ['If-None-Match', $tag]);
                my $other = ask($edge, ref_uri($o), @who,
                                headers => ['If-None-Match', '"other"']);
                my $match = ask($edge, ref_uri($o), @who,
                                headers => ['If-Match', '"other"']);

                my $is = "$same->{status} $other->{status} $match->{status}";

                push @list, [$o, $is eq '304 200 412' ? undef
                                 : "$model, edge $edge: $is"];
            }
        }

        my $tag = $got{0}{'text-model'}{$o->{key}}->header('ETag');
        my $res = ask(0, ref_uri($o), model => 'full-model',
                      headers => ['If-None-Match', $tag]);

        push @list, [$o, $o->{kind} eq 'text' || $res->{status} == 200
                         ? undef : "another model's tag: $res->{status}"];
    }

    all_right("$store, 304, 200 and 412 by our own tags, on either edge",
              @list);

    my $new = ws_object('conditional', 'new.txt', 'text/plain', "new\n");

    upload($store, $new);

    my $tag = ask(0, ref_uri($new), model => 'text-model')->header('ETag');
    my $res = ask(1, ref_uri($new), model => 'text-model',
                  headers => ['If-None-Match', $tag]);

    is($res->{status}, 304, "$store, 304 from an edge that had to fetch it");
    is(sent_of($store, $new->{key}), 2, "$store, and it has fetched it");
}


sub ranges {
    my ($store) = @_;

    my $o = $object{'artifacts/large'};
    my $new = ws_object('ranges', 'new.bin', 'application/x-new',
                        noise(300000, 77));
    my @list;

    upload($store, $new);

    for my $case ([$o, 5000000, 5999999], [$new, 1000, 1999],
                  [$new, 299990, 299999])
    {
        my ($what, $first, $last) = @$case;
        my $res = ask(0, ref_uri($what),
                      headers => ['Range', "bytes=$first-$last"]);

        push @list, [$what, $res->{status} == 206 && $res->{complete}
            && $res->{body} eq substr($what->{content}, $first,
                                      $last - $first + 1)
            ? undef : "status $res->{status}"];
    }

    all_right("$store, raw ranges, cached or not", @list);
    is(sent_of($store, $new->{key}), 1,
       "$store, the store was asked for the whole");

    my $other = ws_object('ranges', 'other.bin', 'application/x-new',
                          noise(300000, 78));

    upload($store, $other);

    my $res = ask(0, ref_uri($other), model => 'full-model',
                  headers => ['Range', 'bytes=1000-1999']);

    is(wrong($res, $other, 'full-model'), undef,
       "$store, a range of a routed object is the whole object");
}


sub refusals {
    my ($store) = @_;

    json_error(ask(0, '/artifacts/missing'), 404, 'artifact_not_found',
               "$store, missing, raw");
    json_error(ask(1, '/artifacts/missing', model => 'full-model'), 404,
               'artifact_not_found', "$store, missing, routed");
    json_error(ask(1, '/artifacts/ws:none:' . encode_base64url('a/b'),
                   model => 'text-model'),
               404, 'artifact_not_found', "$store, missing in a workspace");
    json_error(ask(0, '/large/missing', model => 'full-model'), 404,
               'artifact_not_found', "$store, missing, in slices");
    json_error(ask(0, '/artifacts/ws:a:' . encode_base64url('../b')), 403,
               'path_traversal_blocked', "$store, above the workspace");
    json_error(ask(0, '/artifacts/ws:a:!!'), 400, 'invalid_artifact_id',
               "$store, no base64");

    is(ask(0, '/artifacts/poem', method => 'DELETE')->{status}, 403,
       "$store, DELETE does not reach the store");
}


# what the client says to the edge is none of the store's business

sub credentials_kept {
    my ($store) = @_;

    my $o = ws_object('credentials', 'a.txt', 'text/plain', "open\n" x 1000);

    upload($store, $o);

    my @headers = ('Authorization', 'Bearer abc', 'Cookie', 'a=b',
                   'Accept-Encoding', 'gzip');
    my $res = ask(0, ref_uri($o), model => 'text-model',
                  headers => \@headers);

    is(wrong($res, $o, 'text-model'), undef,
       "$store, Authorization and Accept-Encoding do not reach the store");

    $res = ask(1, ref_uri($o), model => 'text-model', headers => [
        @headers, 'If-Modified-Since', $res->header('Last-Modified'),
    ]);

    is($res->{status}, 304, "$store, If-Modified-Since is the edge's");
    is(sent_of($store, $o->{key}), 2, "$store, and the store has sent it");
}


# A bucket that is not public, and a container whose tags have no quotes.

sub other_bucket {
    my ($store) = @_;

    my $o = add(key => 'artifacts/other', ref => 'other', name => 'other',
                type => 'text/plain', content => "other\n",
                bucket => 'other');

    make_bucket($store, 'other');
    upload($store, $o);

    my $res = ask(0, '/other/other', model => 'text-model');

    is(wrong($res, $o, 'text-model'), undef, "$store, another bucket");

    if ($store eq 'ceph') {
        is(ask(0, '/other/missing')->{status}, 403,
           'ceph, missing in a bucket that is not public: 403');
        return;
    }

    my $raw = ask(0, '/other/other')->header('ETag');

    unlike($raw, qr/"/, 'swift, without etag-quoter a tag has no quotes');
    is(ask(0, '/other/other', headers => ['If-None-Match', $raw])->{status},
       200, 'swift, and never matches');
    is(ask(0, '/other/other', model => 'text-model', headers =>
               ['If-None-Match', $res->header('ETag')])->{status},
       304, 'swift, that of a routed answer does');
}


sub slices {
    my ($store) = @_;

    my $bin = $object{'artifacts/large'};
    my $text = $object{'artifacts/long'};
    my $before = sent_of($store, $bin->{key});
    my $uri = ref_uri($bin, '/large');

    is(wrong(ask(0, $uri, model => 'text-model'), $bin, 'text-model'), undef,
       "$store, slices: a description");

    my $taken = sent_of($store, $bin->{key}) - $before;

    ok($taken == 1 || $taken == 2,
       "$store, slices: a description takes one or two, here $taken");
    is(wrong(ask(0, $uri, model => 'full-model'), $bin, 'full-model'), undef,
       "$store, slices: base64");
    is(sent_of($store, $bin->{key}) - $before, 8, "$store, slices: all of them");
    is(wrong(ask(0, ref_uri($text, '/large'), model => 'text-model'), $text,
             'text-model'), undef, "$store, slices: text");
    is(wrong_raw(ask(0, $uri), $bin), undef, "$store, slices: raw");

    my $res = ask(1, $uri, headers => ['Range', 'bytes=3000000-3999999']);

    ok($res->{status} == 206
       && $res->{body} eq substr($bin->{content}, 3000000, 1000000),
       "$store, slices: a raw range");

    for my $range ('bytes=500-600', 'bytes=2000000-', 'bytes=-5') {
        for my $o ($bin, $text) {
            $res = ask(1, ref_uri($o, '/large'), model => 'full-model',
                       headers => ['Range', $range]);

            is(wrong($res, $o, 'full-model'), undef,
               "$store, slices: $range of $o->{name}, routed: the whole");
        }
    }

    # another object under the same key, while its slices are cached

    my @two = map { ws_object('slices', 'a.bin', 'application/x-a',
                              noise(3 << 20, $_)) } 5, 6;

    upload($store, $two[0]);
    ask(0, ref_uri($two[0], '/large'), headers => ['Range', 'bytes=0-9']);
    upload($store, $two[1]);

    $res = ask(0, ref_uri($two[1], '/large'), model => 'full-model');
    ok(!$res->{complete}, "$store, slices of two versions are not one answer");
}


# --- nodes die ----------------------------------------------------------------------

sub nodes {
    my ($store) = @_;

    my @node = $store eq 'ceph' ? ('osd.1') : map { "${_}2" }
        qw(object container account);

    my @objects = loop_objects('loop', 60);

    upload($store, @objects);

    my $cut = $object{'artifacts/large'};
    my $stats = { retries => 0, slowest => 0 };
    my @list;

    for my $i (0 .. $#objects) {

        if ($i == 15) {
            kill_node(@node);
        }

        if ($i == 45) {
            cut_short($store, $cut);
        }

        push @list, [$objects[$i], persist($objects[$i], int($i / 2) % 2,
                                           $MODELS[$i % 3], $stats)];
    }

    all_right("$store, while a node and a gateway are killed", @list);
    note(sprintf '%d retries, slowest answer %.1f s', @$stats{qw(retries slowest)});

    ok($stats->{retries} <= 10, "$store, few had to be asked for again");
    is(nodes_left($store), 2, "$store, two nodes are left");

    is(wrong(ask(0, ref_uri($cut, '/slow'), model => 'full-model'), $cut,
             'full-model'), 'status 502',
       "$store, the answer that was cut is not in the cache");
    is(wrong(ask(0, ref_uri($cut), model => 'full-model'), $cut,
             'full-model'), undef, "$store, the whole is");
}


# what the store itself says

sub nodes_left {
    my ($store) = @_;

    if ($store eq 'ceph') {
        my $stat = `timeout 20 ceph -c $state/ceph.conf osd stat 2>&1`;

        return $stat =~ /3 osds: (\d) up/ ? $1 : $stat;
    }

    return scalar grep {
        IO::Socket::INET->new(PeerAddr => '127.0.0.1:' . ($base + 3 * $_))
    } 1 .. 3;
}


# asks until there is a whole answer, which has to be right

sub persist {
    my ($o, $edge, $model, $stats) = @_;

    my $end = time + 60;

    while (1) {
        my $start = time;
        my $res = ask($edge, ref_uri($o), model => $model);
        my $took = time - $start;

        $stats->{slowest} = $took if $took > $stats->{slowest};

        return wrong($res, $o, $model)
            if $res->{status} == 200 && $res->{complete} || time > $end;

        $stats->{retries}++;
        note(printable("$o->{key}: status $res->{status}, again"));
        sleep 0.5;
    }
}


# the gateway is killed when the answer has begun

sub cut_short {
    my ($store, $o) = @_;

    my $killed;
    my $bytes = 0;
    my $res = ask(0, ref_uri($o, '/slow'),
        model => 'full-model', on_body => sub {
            kill_node($store eq 'ceph' ? 'rgw1' : 'proxy1')
                unless $killed++;
            $bytes += length $_[0];
        });

    ok($res->{status} == 200 && !$res->{complete} && $killed,
       "$store, killed in the middle of an answer: it ends short")
        or diag("status $res->{status}, $bytes bytes");
}


# The second edge anew, with objects that are stale after a second; then there
# is no store left.

sub revalidation {
    my ($store) = @_;

    my ($fresh, $stale, $never) = map {
        ws_object('stale', "$_.txt", 'text/plain', "$_\n" x 100)
    } qw(fresh stale never);

    $gateway = (gateways($store))[1];
    upload($store, $fresh, $stale, $never);

    sh("$repo/scripts/store-proc.sh", 'stop', $state, 'edge1');
    sh('rm', '-rf', "$state/edge1/cache");
    start_edge(1, edge_conf($store, 1,
                            [['proxy_cache_valid 200 10m',
                              'proxy_cache_valid 200 1s']]));

    is(wrong(ask(0, ref_uri($fresh), model => 'text-model'), $fresh,
             'text-model'), undef, "$store, stale: fetched");

    my @states;

    for (1 .. 2) {
        my $res = ask(1, ref_uri($stale), model => 'text-model');

        push @states, wrong($res, $stale, 'text-model')
            // $res->header('X-Cache');
        sleep 2.1;
    }

    is("@states", 'MISS REVALIDATED', "$store, stale: a 304 of the store");
    is(sent_of($store, $stale->{key}), 1, "$store, stale: it was sent once");

    kill_node($store eq 'ceph' ? 'rgw2' : 'proxy2');

    my $res = ask(0, ref_uri($fresh), model => 'full-model');

    is(wrong($res, $fresh, 'full-model') // $res->header('X-Cache'), 'HIT',
       "$store, no store: what is cached is served");

    $res = ask(1, ref_uri($stale), model => 'full-model');

    is(wrong($res, $stale, 'full-model') // $res->header('X-Cache'), 'STALE',
       "$store, no store: what is stale is served");

    $res = ask(1, ref_uri($never), model => 'full-model');

    is($res->{status}, 502, "$store, no store: 502 for what is not cached");
}


# --- a file system ------------------------------------------------------------------

sub file_store {
    my ($store) = @_;

    my $root = "$state/mnt";
    my @objects = map { $object{$_} } sort keys %object;

    sh('cp', '-a', "$dir/data/root/.", $root);
    @objects = grep { on_disk($_, $root) } @objects;

    for my $edge (@EDGES) {
        $ports[$edge] = $base + 30 + $edge;
        start_edge($edge, file_conf($root, $edge));
    }

    my $round = sub {
        my ($what) = @_;

        for my $edge (@EDGES) {
            all_right("$store, edge $edge, $what", map {
                my $o = $_;

                ([$o, wrong_raw(ask($edge, ref_uri($o)), $o)],
                 map { [$o, wrong(ask($edge, ref_uri($o), model => $_),
                                  $o, $_)] } @MODELS);
            } @objects);
        }
    };

    $round->('three bricks');
    kill_node('brick1');
    $round->('two bricks');
    kill_node('brick2');
    sleep 1.5;                  # what the kernel believes of a name
    lost($store, @objects);
}


# those of samples.pl; the others are too odd for it

sub on_disk {
    my ($o, $root) = @_;

    my $path = $o->{key} =~ m{^workspaces/} ? $o->{key} : "$o->{key}.meta";

    return -f "$root/$path";
}


sub file_conf {
    my ($root, $edge) = @_;

    my $prefix = "$state/edge$edge";

    return main_lines($prefix) . <<"END" . temp_lines($prefix) . "}\n";
load_module $module;
pid $prefix/nginx.pid;
error_log $prefix/error.log info;
events { worker_connections 512; }
http {
    access_log $prefix/access.log;
    artifact_capabilities $repo/scripts/capabilities.json;
    artifact_root $root;
    artifact_route on;
    server {
        listen 127.0.0.1:$ports[$edge];
        location /artifacts/ { artifact; }
    }
END
}


# One brick of three is no quorum: an error, never bytes.

sub lost {
    my ($store, @objects) = @_;

    my (%status, @list);

    for my $o (@objects) {
        for my $edge (@EDGES) {
            for my $model (@MODELS, 'raw') {
                my $res = ask($edge, ref_uri($o),
                              $model eq 'raw' ? () : (model => $model));
                my $json = eval { JSON::PP::decode_json($res->{body}) };

                my $is = $res->{status} . ' '
                    . (ref $json && $json->{error} || 'no error code');

                $status{$is}++;
                push @list, [$o, $is =~ /^50[02] \w+$/ ? undef : $is];
            }
        }
    }

    note(join ', ', map { "$_: $status{$_}" } sort keys %status);
    all_right("$store, one brick: an error", @list);
}
