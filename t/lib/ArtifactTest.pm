package ArtifactTest;

# The harness of the black-box tests: runs an nginx with the module on a free
# port of 127.0.0.1, in a temporary prefix with a data root of its own.
#
#   TEST_NGINX_BINARY   the nginx to run (default: nginx of the PATH)
#   TEST_NGINX_MODULE   ngx_artifact_module.so (default: build/ of this tree);
#                       empty if the module is linked in statically

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use IO::Socket::INET;
use POSIX qw(WNOHANG);
use Test::More;
use Time::HiRes qw(sleep time);

use ArtifactCheck;
use ArtifactHTTP;
use ArtifactJSON;

our @EXPORT = (
    @Test::More::EXPORT, @ArtifactJSON::EXPORT, @ArtifactCheck::EXPORT,
);

my $REPO = abs_path(dirname(__FILE__) . '/../..');

my $STANDARD = <<'CONF';
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }

    location /workspaces/ {
        artifact_workspace;
    }
CONF

my %RUNNING;
my $OWNER = $$;

binmode $_, ':utf8'
    for map { Test::More->builder->$_ } qw(output failure_output todo_output);


# user: the workers' user when root (default root); launcher: a command that
# execs nginx, as a list; workers: their number; data: a root that is there
# already, which other servers may have, too.

sub new {
    my ($class, %opt) = @_;

    my $prefix = abs_path(tempdir('artifact-test-XXXXXX', TMPDIR => 1,
                                  CLEANUP => 1));
    chmod 0755, $prefix or die "chmod: $!";
    my $data = $opt{data} || "$prefix/data";
    make_path("$data/artifacts", "$data/workspaces", "$prefix/tmp");

    my $self = bless {
        prefix => $prefix, data => $data, allow => [],
        workers => $opt{workers} || 1, user => $opt{user} || 'root',
        launcher => $opt{launcher} || [],
    }, $class;

    ($self->{port}, $self->{lock}) = _free_port();
    return $self;
}


sub prefix { return $_[0]{prefix} }


sub data { return $_[0]{data} }


sub port { return $_[0]{port} }


# A UDP socket bound to the number is the lock among parallel tests.

sub _free_port {
    for my $try (0 .. 999) {
        my $port = 20000 + ($$ * 7 + $try * 13) % 12000;

        my $lock = IO::Socket::INET->new(
            Proto => 'udp', LocalAddr => '127.0.0.1', LocalPort => $port,
        ) or next;
        IO::Socket::INET->new(
            Proto => 'tcp', LocalAddr => '127.0.0.1', LocalPort => $port,
            Listen => 1, ReuseAddr => 1,
        ) or next;

        return ($port, $lock);
    }
    die "no free port\n";
}


# --- the data -------------------------------------------------------------

# Stores artifacts/{id}{ext} and, unless meta is undef, its .meta.  A hash
# gets id and extension added; a string is written as it is.

sub artifact {
    my ($self, $id, $content, $meta, $ext) = @_;

    $ext //= '';
    my $dir = "$self->{data}/artifacts";
    spew("$dir/$id$ext", $content) if defined $content;

    if (ref $meta) {
        spew("$dir/$id.meta", encode_json_bytes(
            { id => chars($id), extension => chars($ext), %$meta }));
    } elsif (defined $meta) {
        spew("$dir/$id.meta", $meta);
    }
}


# Stores artifacts by their id: content, type, and name if they have one.

sub artifacts {
    my ($self, $all, @meta) = @_;

    for my $id (keys %$all) {
        my ($content, $type, $name) = @{ $all->{$id} };
        $self->artifact($id, $content, { type => $type, @meta,
                                         $name ? (name => $name) : () });
    }
}


sub workspace_file {
    my ($self, $ws, $path, $content) = @_;
    my $file = "$self->{data}/workspaces/$ws/$path";
    make_path(dirname($file));
    spew($file, $content);
}


# files: path => { mimeType, ... }

sub workspace_meta {
    my ($self, $ws, $files) = @_;
    spew("$self->{data}/workspaces/$ws.meta.json", ref $files
        ? encode_json_bytes({
            workspaceId => chars($ws),
            createdAt => '2024-01-01T00:00:00.000Z', files => $files })
        : $files);
}


# Writes a file below the prefix, such as a capability map.

sub file {
    my ($self, $name, $content) = @_;
    spew("$self->{prefix}/$name",
         ref $content ? encode_json_bytes($content) : $content);
    return "$self->{prefix}/$name";
}


# --- nginx ----------------------------------------------------------------

sub _binary {
    return $ENV{TEST_NGINX_BINARY} if $ENV{TEST_NGINX_BINARY};
    for my $dir (split(/:/, $ENV{PATH}), '/usr/sbin') {
        return "$dir/nginx" if -x "$dir/nginx";
    }
    die "no nginx found, set TEST_NGINX_BINARY\n";
}


# What nginx -V prints.

sub version {
    my $binary = _binary();
    return scalar `$binary -V 2>&1`;
}


sub _module {
    my $module = $ENV{TEST_NGINX_MODULE}
        // "$REPO/build/ngx_artifact_module.so";
    return '' if $module eq '';
    -f $module or die "no module at $module\n";
    return "load_module $module;";
}


# main, events, http, server: configuration text; server replaces the
# standard locations; first: what stands before the module is loaded; as_is:
# nothing is added that nginx -t would miss.  %%PREFIX%%, %%DATA%% and %%PORT%%
# are filled in.

sub _config {
    my ($self, %part) = @_;

    my $user = $> == 0 ? "user $self->{user};" : '';
    my $module = _module();
    my ($first, $main, $events, $http) =
        map { $_ // '' } @part{qw(first main events http)};
    my $server = $part{server} // $STANDARD;
    my $name = $part{name} || 'nginx';

    if (!$part{as_is}) {

        # the default, but stated: without a map, readers name capabilities

        $http .= "\n" . '    artifact_accept $http_x_llm_capabilities;'
            if $http !~ /artifact_(?:accept|capabilities)\b/;

        # nginx's 1m is too little for requests to models

        $http .= "\n    client_max_body_size 64m;"
            if "$http$server" =~ /artifact_(?:expand|offload)\b/
               && $http !~ /client_max_body_size/;
    }

    my $servers = $part{no_server} ? '' : <<"END";
    server {
    listen 127.0.0.1:%%PORT%%;
    server_name localhost;
$server
    }
END

    my $text = <<"END";
daemon off;
worker_processes $self->{workers};
$user
pid %%PREFIX%%/$name.pid;
error_log %%PREFIX%%/$name-error.log info;
$first
$module
$main
events {
    worker_connections 512;
$events
}
http {
    client_body_temp_path %%PREFIX%%/tmp/body;
    proxy_temp_path %%PREFIX%%/tmp/proxy;
    fastcgi_temp_path %%PREFIX%%/tmp/fastcgi;
    uwsgi_temp_path %%PREFIX%%/tmp/uwsgi;
    scgi_temp_path %%PREFIX%%/tmp/scgi;
    access_log off;
$http
$servers
}
END
    $text =~ s/%%PREFIX%%/$self->{prefix}/g;
    $text =~ s/%%DATA%%/$self->{data}/g;
    $text =~ s/%%PORT%%/$self->{port}/g;

    spew("$self->{prefix}/$name.conf", $text);
    return "$self->{prefix}/$name.conf";
}


# Starts nginx and waits until it takes connections; dies if it does not.

sub start {
    my ($self, %part) = @_;

    my $conf = $self->_config(%part);
    $self->{errors} = "$self->{prefix}/nginx-error.log";

    $ENV{ASAN_OPTIONS} //= 'detect_odr_violation=0';
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', "$self->{prefix}/stderr.log";
        open STDERR, '>&', \*STDOUT;
        exec(@{ $self->{launcher} }, _binary(), '-p', $self->{prefix},
             '-c', $conf, '-e', $self->{errors}) or POSIX::_exit(127);
    }

    $self->{pid} = $pid;
    $RUNNING{$pid} = 1;

    for (1 .. 400) {
        if (waitpid($pid, WNOHANG) == $pid) {
            delete $RUNNING{$pid};
            delete $self->{pid};
            die "nginx did not start:\n"
                . slurp("$self->{prefix}/stderr.log") . $self->log;
        }
        return $self if -s "$self->{prefix}/nginx.pid"
            && $self->workers && IO::Socket::INET->new(
                PeerAddr => "127.0.0.1:$self->{port}");
        sleep 0.05;
    }
    die "nginx does not answer:\n" . $self->log;
}


# nginx -t: the exit code and everything printed.  Takes what start takes.

sub conf_test {
    my ($self, %part) = @_;

    my $conf = $self->_config(%part, name => 'conftest');
    my $out = "$self->{prefix}/conftest.out";

    my $pid = fork // die "fork: $!";
    if (!$pid) {
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', $out;
        open STDERR, '>&', \*STDOUT;
        exec(_binary(), '-t', '-p', $self->{prefix}, '-c', $conf, '-e',
             "$self->{prefix}/conftest-error.log") or POSIX::_exit(127);
    }
    waitpid $pid, 0;
    return ($? >> 8 || $? & 127, slurp($out));
}


# Reloads with a new configuration (or the old one) and waits for the new
# workers.  fails => 1: waits for the refusal instead.

sub reload {
    my ($self, %part) = @_;

    my $fails = delete $part{fails};
    $self->_config(%part) if %part;

    my %old = map { $_ => 1 } $self->workers;
    my $size = -s $self->{errors} || 0;
    kill HUP => $self->{pid};

    for (1 .. 400) {
        if ($fails) {
            return 1 if substr($self->log, $size) =~ /\[emerg\]/;
        } else {
            my @now = $self->workers;
            return 1 if @now == $self->{workers} && !grep { $old{$_} } @now;
        }
        sleep 0.05;
    }
    return 0;
}


# Pids of the worker processes that are not shutting down.

sub workers {
    my ($self) = @_;

    my @pids;
    for my $pid ($self->_children) {
        open my $cmd, '<', "/proc/$pid/cmdline" or next;
        push @pids, $pid if (<$cmd> // '') =~ /worker process(?! is shut)/;
    }
    return @pids;
}


sub _children {
    my ($self) = @_;

    my @pids;
    for my $stat (glob '/proc/[0-9]*/stat') {
        open my $fh, '<', $stat or next;
        my $line = <$fh> // next;
        my ($pid, $ppid) = $line =~ /^(\d+) \(.*\) \S (\d+)/s or next;
        push @pids, $pid if $ppid == $self->{pid};
    }
    @pids = sort { $a <=> $b } @pids;
    return @pids;
}


# The memory that a process holds itself, in KB: what it has of mapped files, as
# of libraries, depends on how many others map them at that time.

sub memory {
    my ($self, $pid) = @_;
    for my $file (qw(smaps_rollup status)) {
        open my $fh, '<', "/proc/$pid/$file" or next;
        while (my $line = <$fh>) {
            return $1 if $line =~ /^(?:Anonymous|RssAnon):\s+(\d+) kB/;
        }
    }
    die "no memory figures of process $pid\n";
}


sub stop {
    my ($self) = @_;

    my $pid = delete $self->{pid} or return;
    kill QUIT => $pid;
    for (1 .. 600) {
        if (waitpid($pid, WNOHANG) == $pid) {
            delete $RUNNING{$pid};
            return;
        }
        sleep 0.05;
    }
    kill KILL => $pid;
    waitpid $pid, 0;
    delete $RUNNING{$pid};
    fail('nginx ends when asked to');
}


# Ends nginx as a power cut would, the master before its workers, so that
# none is started anew.

sub crash {
    my ($self) = @_;

    # one that is just being started has no title yet

    my $master = $self->{pid} or return;
    kill STOP => $master;
    sleep 0.01 while _state($master) !~ /[TZ]/;
    my @pids = $self->_children;
    delete $self->{pid};

    kill KILL => $master;
    waitpid $master, 0;
    kill KILL => @pids;
    for my $pid (@pids) {
        sleep 0.01 while -e "/proc/$pid" && _is_alive($pid);
    }
    delete $RUNNING{$master};
}


sub _is_alive {
    my ($pid) = @_;
    return _state($pid) =~ /[^ZX]/;
}


# The letter of a process' state, empty if there is none.

sub _state {
    my ($pid) = @_;
    open my $fh, '<', "/proc/$pid/stat" or return '';
    return (<$fh> // '') =~ /^\d+ \(.*\) (\S)/s ? $1 : '';
}


sub log {
    my ($self) = @_;
    return -e "$self->{prefix}/nginx-error.log"
        ? slurp("$self->{prefix}/nginx-error.log") : '';
}


# Waits until the error log (or another file of the prefix) matches.

sub wait_for {
    my ($self, $re, $name) = @_;
    my $path = "$self->{prefix}/" . ($name || 'nginx-error.log');
    for (1 .. 100) {
        return 1 if -e $path && slurp($path) =~ $re;
        sleep 0.05;
    }
    return 0;
}


# Lines of [alert], [crit] or [emerg] that this test provokes on purpose.

sub allow {
    my ($self, $re) = @_;
    push @{ $self->{allow} }, $re;
}


# Ends the test: nginx stops, its log is searched, the plan is printed.

sub finish {
    my ($self) = @_;

    $self->stop;
    $self->check_log;
    done_testing();
}


sub check_log {
    my ($self) = @_;

    my $all = $self->log . slurp("$self->{prefix}/stderr.log");
    my @bad = grep { /\[(?:alert|crit|emerg)\]/ } split /\n/, $all;
    for my $re (@{ $self->{allow} }) {
        @bad = grep { $_ !~ $re } @bad;
    }
    is(join("\n", map { substr $_, 0, 200 } splice @bad, 0, 4), '',
       'no alerts in the error log');

    my ($report) =
        $all =~ /((?:AddressSanitizer|\S*\ runtime\ error|LeakSanitizer
              |ThreadSanitizer).*(?:\n.*){0,12})/x;
    is($report, undef, 'no sanitizer reports');
}


END {
    if ($$ == $OWNER && %RUNNING) {
        local $?;
        kill TERM => keys %RUNNING;
        waitpid $_, 0 for keys %RUNNING;
    }
}


# --- requests -------------------------------------------------------------

sub connect {
    my ($self, %opt) = @_;
    return ArtifactHTTP->new($self->{port}, %opt);
}


# One request on a connection of its own.

sub req {
    my ($self, $method, $uri, %opt) = @_;
    my $res = $self->connect(%opt)->request($method, $uri, %opt);
    diag("incomplete answer to $method $uri")
        if !$res->{complete} && !$opt{may_break};
    return $res;
}


sub get {
    my ($self, $uri, @headers) = @_;
    return $self->req('GET', $uri, headers => \@headers);
}


sub head {
    my ($self, $uri, @headers) = @_;
    return $self->req('HEAD', $uri, headers => \@headers);
}


# GET as a reader with these input capabilities.

sub accept {
    my ($self, $caps, $uri, @headers) = @_;
    return $self->get($uri, 'X-LLM-Capabilities' => $caps, @headers);
}


# GET as this service.

sub service {
    my ($self, $service, $uri, @headers) = @_;
    return $self->get($uri, 'X-LLM-Service' => $service, @headers);
}


1;
