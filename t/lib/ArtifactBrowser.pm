package ArtifactBrowser;

# A headless Chromium behind chromedriver, by the WebDriver protocol (W3C), and
# by Chromium's own (CDP) for what that does not reach.

use strict;
use warnings;

use File::Temp ();      # what ends first is what was loaded last: the browser
use HTTP::Tiny;
use IO::Socket::INET;
use JSON::PP ();
use MIME::Base64 qw(decode_base64);
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);

my $JSON = JSON::PP->new->utf8->allow_nonref;
my $OWNER = $$;
my $ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
my %RUNNING;


# folder: where the profile and chromedriver's log go.

sub new {
    my ($class, $folder) = @_;

    my $self = bless { folder => $folder, http => HTTP::Tiny->new(
        timeout => 180, proxy => undef, http_proxy => undef) }, $class;

    $self->_start;

    my @args = ('--headless=new', '--disable-gpu', '--no-first-run',
        '--disable-dev-shm-usage', '--disable-background-networking',
        '--disable-component-update', '--disable-sync',
        '--hide-scrollbars', '--lang=en-US', '--no-proxy-server',
        "--user-data-dir=$folder/profile",
        # a root has no sandbox of its own in a container
        $> == 0 ? '--no-sandbox' : ());

    my $session = $self->_call(POST => '/session', { capabilities => {
        alwaysMatch => {
            browserName => 'chrome',
            'goog:chromeOptions' => { args => \@args },
            'goog:loggingPrefs' => { browser => 'ALL' },
        },
    } });

    $self->{session} = "/session/$session->{sessionId}";
    return $self;
}


sub _start {
    my ($self) = @_;

    # the port is free until somebody else takes it: then another one

    for my $try (1 .. 5) {
        my $socket = IO::Socket::INET->new(Listen => 1,
            LocalAddr => '127.0.0.1') or die "no free port: $!\n";
        my $port = $socket->sockport;
        close $socket;

        my $pid = fork // die "fork: $!\n";

        if (!$pid) {
            setpgrp;
            open STDIN, '<', '/dev/null';
            open STDOUT, '>', "$self->{folder}/chromedriver.log";
            open STDERR, '>&', \*STDOUT;
            $ENV{HOME} = $self->{folder};
            delete @ENV{qw(http_proxy https_proxy HTTP_PROXY HTTPS_PROXY)};
            exec 'chromedriver', "--port=$port" or POSIX::_exit(127);
        }

        $self->{pid} = $pid;
        $RUNNING{$pid} = 1;
        $self->{base} = "http://127.0.0.1:$port";

        for (1 .. 900) {
            last if waitpid($pid, WNOHANG) == $pid;
            return if $self->{http}->get("$self->{base}/status")->{success};
            sleep 0.1;
        }

        delete $RUNNING{$pid};
        kill KILL => -$pid;
    }

    die "chromedriver does not start\n";
}


sub _call {
    my ($self, $method, $path, $body) = @_;

    my $res = $self->{http}->request($method, $self->{base} . $path, {
        headers => { 'Content-Type' => 'application/json' },
        defined $body ? (content => $JSON->encode($body)) : (),
    });

    my $answer = eval { $JSON->decode($res->{content}) };
    die "$method $path: $res->{status} $res->{content}\n"
        if !$res->{success} || !$answer;

    return $answer->{value};
}


sub call {
    my ($self, $method, $path, $body) = @_;
    return $self->_call($method, $self->{session} . $path, $body);
}


sub go {
    my ($self, $url) = @_;
    $self->call(POST => '/url', { url => $url });
}


# What a function body returns; may be a promise.

sub run {
    my ($self, $script, @args) = @_;
    return $self->call(POST => '/execute/sync',
        { script => $script, args => \@args });
}


# Waits until an expression is true, and returns its value; undef if it does
# not get so.

sub until_true {
    my ($self, $expression, @args) = @_;
    my $end = time + 120;

    while (time < $end) {
        my $value = eval { $self->run("return $expression", @args) };
        return $value if $value;
        sleep 0.03;
    }

    return undef;
}


# Presses keys, one after the other: a name of %key, or a character.

my %key = (Tab => "\x{E004}", Enter => "\x{E007}", Shift => "\x{E008}",
           Space => ' ', Down => "\x{E015}");

sub press {
    my ($self, @keys) = @_;

    $self->call(POST => '/actions', { actions => [{
        type => 'key', id => 'keyboard',
        actions => [map {
            my $value = $key{$_} // $_;
            ({ type => 'keyDown', value => $value },
             { type => 'keyUp', value => $value });
        } @keys],
    }] });
}


sub size {
    my ($self, $width, $height) = @_;
    $self->cdp('Emulation.setDeviceMetricsOverride', { width => $width,
        height => $height, deviceScaleFactor => 1,
        mobile => JSON::PP::false });
}


sub cdp {
    my ($self, $command, $params) = @_;
    return $self->call(POST => '/goog/cdp/execute',
        { cmd => $command, params => $params // {} });
}


sub screenshot {
    my ($self) = @_;
    return decode_base64($self->call(GET => '/screenshot'));
}


# The console since the last call: its messages.

sub console {
    my ($self) = @_;
    return map { "$_->{level} $_->{message}" }
        @{ $self->call(POST => '/se/log', { type => 'browser' }) };
}


sub close {
    my ($self) = @_;

    my $pid = delete $self->{pid} or return;
    eval { $self->call(DELETE => '') };
    kill TERM => $pid;
    waitpid $pid, 0;
    delete $RUNNING{$pid};
}


END {
    if ($$ == $OWNER && %RUNNING) {
        local $?;
        kill KILL => map { -$_ } keys %RUNNING;
        waitpid $_, 0 for keys %RUNNING;
    }
}


1;
