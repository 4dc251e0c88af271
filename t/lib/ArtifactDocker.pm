package ArtifactDocker;

# Runs nginx as the images of packaging/docker do: an entrypoint makes the
# configuration of the environment.  Here it is scripts/docker-entrypoint.sh, which
# fills a folder of the test, and nginx is this machine's; with TEST_DOCKER_ROOT
# all is in that root, and it is as it is there.
#
# The gateway answers with the request that it got.

use strict;
use warnings;

use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use IO::Socket::INET;
use MIME::Base64 qw(decode_base64);
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep);

use ArtifactCheck;
use ArtifactHTTP;
use ArtifactTest;
use ArtifactUpstream;

my $REPO = abs_path(dirname(__FILE__) . '/../..');


# t: an ArtifactTest, whose port is that for clients.

sub new {
    my ($class, $t) = @_;

    my $self = bless {
        t => $t, root => $ENV{TEST_DOCKER_ROOT} // '', ports => [
            map { ArtifactTest->new } 1 .. 3 ],
    }, $class;

    $self->{files} = $self->{root} ? '/tmp/files' : $t->prefix . '/files';
    make_path("$self->{root}$self->{files}",
              map { $t->prefix . "/$_" } qw(conf.d cache));
    chmod 0777, "$self->{root}$self->{files}";

    $self->{gateway} = '127.0.0.1:' . $self->{ports}[0]->port;
    $self->{upstream} = ArtifactUpstream->new($self->{gateway},
        log => $t->prefix . '/gateway.log',
        serve => ArtifactUpstream->can('_echo'));

    # nginx.conf, where it may be

    my $conf = slurp("$REPO/packaging/docker/nginx.conf");
    my $dir = $t->prefix;
    my $module = $ENV{TEST_NGINX_MODULE}
        // "$REPO/build/ngx_artifact_module.so";

    $conf =~ s{/etc/nginx/conf\.d}{$dir/conf.d};
    $conf =~ s{/var/cache/nginx}{$dir/cache}g;
    $conf =~ s{/tmp/nginx\.pid}{$dir/nginx.pid};
    $conf =~ s{/dev/std\w+}{$dir/nginx-error.log}g;
    $conf =~ s{^load_module .*}{length $module ? "load_module $module;" : ''}em;
    $conf = "user root;\n$conf" if $> == 0;
    spew("$dir/nginx.conf", $conf);

    return $self;
}


# A file that the container can read, by the name that it has there.

sub file {
    my ($self, $name, $content) = @_;

    spew("$self->{root}$self->{files}/$name", $content);
    return "$self->{files}/$name";
}


# The command line of an entrypoint that runs @command with these variables.

sub _command {
    my ($self, $env, @command) = @_;
    my $dir = $self->{t}->prefix;
    my @env = (NGINX_ENVSUBST_FILTER => '^ARTIFACT_',
               PATH => '/usr/sbin:/usr/bin:/sbin:/bin',
               ASAN_OPTIONS => 'detect_odr_violation=0',
               (map { $_ => $ENV{$_} } grep { /SAN_OPTIONS\z/ } keys %ENV),
               %$env);
    my @run = ('/docker-entrypoint.sh', @command);

    if ($self->{root}) {
        unshift @run, 'chroot', '--userspec=nginx:nginx', $self->{root};

    } else {
        shift @run;
        unshift @run, "$REPO/scripts/docker-entrypoint.sh";
        push @env, ENTRYPOINT_SCRIPTS => "$REPO/packaging/docker",
            NGINX_ENVSUBST_TEMPLATE_DIR => "$REPO/packaging/docker/templates",
            NGINX_ENVSUBST_OUTPUT_DIR => "$dir/conf.d",
            NGINX_ARTIFACT_PRESETS => "$REPO/packaging/presets";
    }

    my @set;
    push @set, shift(@env) . '=' . shift @env while @env;

    return ('env', '-i', @set, @run);
}


sub _nginx {
    my ($self, @args) = @_;

    return $self->{root} ? ('nginx', @args)
        : (ArtifactTest::_binary(), @args, '-p', $self->{t}->prefix,
           '-c', $self->{t}->prefix . '/nginx.conf',
           '-e', $self->{t}->prefix . '/nginx-error.log');
}


sub _spawn {
    my ($self, @command) = @_;

    my $pid = fork // die "fork: $!";
    if (!$pid) {
        open STDIN, '<', '/dev/null';
        open STDOUT, '>>', $self->{t}->prefix . '/stderr.log';
        chmod 0666, \*STDOUT;      # nginx opens it by its name, as its user
        open STDERR, '>&', \*STDOUT;
        exec(@command) or POSIX::_exit(127);
    }
    return $pid;
}


# Runs a command to its end: the exit code and everything printed.

sub _run {
    my ($self, @command) = @_;
    my $log = $self->{t}->prefix . '/stderr.log';
    my $size = -s $log || 0;

    waitpid $self->_spawn(@command), 0;
    return ($?, substr slurp($log), $size);
}


# What the entrypoint says of an environment, before nginx.

sub configure {
    my ($self, %env) = @_;

    # an image's entrypoint does nothing for other commands than nginx

    return $self->_run($self->_command(\%env,
        $self->{root} ? ('nginx', '-v') : 'true'));
}


# nginx -t.

sub test {
    my ($self, %env) = @_;
    return $self->_run($self->_command($self->_places(%env),
                                       $self->_nginx('-t')));
}


# An environment with ports and folders of the test.

sub _places {
    my ($self, %env) = @_;
    my $dir = $self->{t}->prefix;

    $env{ARTIFACT_LISTEN} = '127.0.0.1:' . $self->{t}->port;
    $env{ARTIFACT_ADMIN_LISTEN} = '127.0.0.1:' . $self->{ports}[1]->port;
    $env{ARTIFACT_PROVIDER_LISTEN} = $self->provider;
    $env{$_} =~ s{gateway:4000}{$self->{gateway}}
        for grep { defined $env{$_} } qw(ARTIFACT_UPSTREAM ARTIFACT_PROVIDER);

    if (!$self->{root}) {
        $env{ARTIFACT_ROOT} = "$dir/data";
        $env{ARTIFACT_CACHE} = "$dir/cache";
        $env{ARTIFACT_STANDINS} = "$dir/standins"
            if ($env{ARTIFACT_STANDINS} // 'off') ne 'off';
    }

    return \%env;
}


sub start {
    my ($self, %env) = @_;

    $self->{pid} = $self->_spawn($self->_command($self->_places(%env),
        $self->_nginx('-g', 'daemon off;')));

    for (1 .. 400) {
        waitpid($self->{pid}, WNOHANG) == 0
            or die "nginx did not start:\n"
               . slurp($self->{t}->prefix . '/stderr.log');
        return if IO::Socket::INET->new(
            PeerAddr => '127.0.0.1:' . $self->{t}->port);
        sleep 0.05;
    }
    die "nginx does not answer\n";
}


sub stop {
    my ($self) = @_;

    my $pid = delete $self->{pid} or return;
    kill QUIT => $pid;
    waitpid $pid, 0;
}


# For operators.

sub admin {
    my ($self, $uri) = @_;
    return ArtifactHTTP->new($self->{ports}[1]->port)->request('GET', $uri);
}


# Where a gateway has the API of its models.

sub provider { return '127.0.0.1:' . $_[0]{ports}[2]->port }


# The header of the request that the gateway has answered with.

sub head_of {
    my ($self, $res) = @_;
    return decode_base64($res->header('X-Head') // '');
}


sub DESTROY { $_[0]->stop }


1;
