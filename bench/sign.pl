#!/usr/bin/perl

# What the check of a signature costs: processor time of the worker for a signed
# GET and for the same one in a location without artifact_signed, in slices that
# take turns.  The ratios are unsigned / signed: 1 costs nothing.
#
#     perl bench/sign.pl [seconds]

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib", "$FindBin::Bin/../t/lib";
use ArtifactBench;
use ArtifactSign;
use ArtifactTest;

my $seconds = shift // 5;
my $KEY = 'k' x 32;
my $OTHER = 'o' x 32;

$ENV{TMPDIR} = '/dev/shm' if -w '/dev/shm';

my $t = ArtifactTest->new;
my $one = key_file($t, 'one', \$KEY);
my $two = key_file($t, 'two', \$OTHER, \$KEY);
my %size = ('1 KB' => 1_000, '100 KB' => 100_000);

$t->artifact("f$_", 'x' x $_, { type => 'application/octet-stream' })
    for values %size;
$t->start(server => <<"CONF");
    artifact_root %%DATA%%;
    keepalive_requests 1000000;
    artifact_sign_key $one scope=\$host;
    location /open/ { artifact; }
    location /one/ { artifact; artifact_signed on; }
    location /two/ { artifact; artifact_signed on;
                     artifact_sign_key $two scope=\$host; }
CONF

my ($worker) = $t->workers;
my $exp = time + 86_400;
system("taskset -cp 0 $worker > /dev/null") == 0 or die "taskset failed\n";
pin_client();

printf "%-26s %10s\n", 'unsigned / signed', 'ratio';
for my $name ('1 KB', '100 KB') {
    my $n = $size{$name} < 10_000 ? 400 : 200;
    my $query = signed($KEY, 'bench', "f$size{$name}", $exp);

    for my $case (['nothing', 'open'], ['one key', 'one'],
                  ['the second of two', 'two']) {
        my ($what, $at) = @$case;
        printf "%-26s %10.3f\n", "$name, $what", compare($seconds,
            map { my $uri = "/$_/f$size{$name}?$query"; my %state;
                  sub { my $before = cpu_time($worker);
                        slice(\%state, $t->port, $uri, '', $n, 4);
                        return cpu_time($worker) - $before } } 'open', $at);
    }
}

$t->stop;
