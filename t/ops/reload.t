#!/usr/bin/perl

# Reloads under load: no request fails, new maps count afterwards, a broken
# map leaves the old one in force.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use POSIX ();
use Time::HiRes qw(sleep time);

my $t = ArtifactTest->new(workers => 2);
my $png = png(60, 60);

sub write_map {
    my (@input) = @_;
    $t->file('map.json', { services => [
        { id => 'changing', capabilities => { input => \@input } },
        { id => 'constant', capabilities => { input => ['vision'] } },
    ] });
}

write_map('text');
$t->artifact('png', $png, { type => 'image/png', name => 'a.png' });
$t->artifact('text', bytes("第一行\n" x 20000), { type => 'text/plain' });
$t->artifact('big', pdf() . "\0" x 3_000_000, { type => 'application/pdf' });
$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;');

my $SEEN = 'image image_url image/png';
my $BLIND = 'image text image/png capability';

sub changing {
    return routing_of($t->service('changing', '/artifacts/png'));
}

is(changing(), $BLIND, 'the first map');

# Clients that loop until told to stop, and count what went wrong.  Most of the
# time is their own: on a busy machine they make few requests in a second.

sub client {
    my ($number) = @_;

    my $report = $t->prefix . "/client$number";
    spew($report, 0);
    my $pid = fork // die "fork: $!";
    return $pid if $pid;

    my ($stop, $requests, %wrong) = (0, 0);
    $SIG{TERM} = sub { $stop = 1 };
    my $text = chars(slurp($t->data . '/artifacts/text'));

    until ($stop) {
        my $changing = eval { $t->service('changing', '/artifacts/png') };
        my $constant = eval { $t->service('constant', '/artifacts/png') };
        my $words = eval { $t->service('constant', '/artifacts/text') };
        my $raw = eval { $t->get('/artifacts/png') };

        $wrong{changing}++ if !$changing || routing_of($changing) !~
            /^(?:\Q$SEEN\E|\Q$BLIND\E)$/;
        $wrong{constant}++ if !$constant || (data_of($constant) // '') ne $png;
        $wrong{text}++
            if !$words || (json_of($words)->{content} // '') ne $text;
        $wrong{raw}++ if !$raw || $raw->body ne $png;
        spew("$report.new", $requests += 4);
        rename "$report.new", $report;
    }

    spew($report, "$requests "
         . join ', ', map { "$_: $wrong{$_}" } sort keys %wrong);
    POSIX::_exit(0);
}

# Waits until each client has made two rounds of requests; returns who has not.

sub busy {
    my %from = map { $_ => slurp($t->prefix . "/client$_") } 1 .. 2;
    for (1 .. 400) {
        for my $n (keys %from) {
            delete $from{$n}
                if slurp($t->prefix . "/client$n") >= $from{$n} + 8;
        }
        last if !%from;
        sleep 0.05;
    }
    return join ' ', sort keys %from;
}

my @clients = map { client($_) } 1 .. 2;

for my $round (1 .. 4) {
    write_map($round % 2 ? ('text', 'vision') : 'text');
    ok($t->reload, "reload $round");
    is(changing(), $round % 2 ? $SEEN : $BLIND, "the map of reload $round");
    is(busy(), '', "after reload $round each client was busy");
}

kill TERM => @clients;
waitpid $_, 0 for @clients;
for my $n (1 .. 2) {
    my (undef, $wrong) = split / /, slurp($t->prefix . "/client$n"), 2;
    is($wrong, '', "no request of client $n failed");
}

# A broken map.

my @before = $t->workers;
$t->file('map.json', "{\"services\": [\n{\"id\": }]}");
ok($t->reload(fails => 1), 'a reload with a broken map is refused');
$t->allow(qr/\[emerg\].*map\.json/);
is(changing(), $BLIND, 'the old map stays in force');
is(routing_of($t->service('constant', '/artifacts/png')), $SEEN,
   'for every service');
is("@{[$t->workers]}", "@before", 'with the old workers');

unlink $t->prefix . '/map.json';
ok($t->reload(fails => 1), 'a reload without the map is refused');
is(changing(), $BLIND, 'and changes nothing');

write_map('vision');
ok($t->reload, 'a reload with a good map again');
is(changing(), $SEEN, 'counts');

# A routed answer that is being read slowly outlives the reload.

my $conn = $t->connect(rcvbuf => 8192);
$conn->send(ArtifactHTTP::format_request('GET', '/artifacts/big',
    headers => ['X-LLM-Capabilities' => 'file']));
sleep 0.3;
ok($t->reload, 'a reload during a transfer');
my $res = $conn->response('GET');
ok($res->{complete}, 'the transfer ends as it should');
ok(data_of($res) eq slurp($t->data . '/artifacts/big'), 'and is whole');

# Zones and other settings may change too.

ok($t->reload(http => <<'HTTP'), 'a reload with another zone size');
    artifact_capabilities %%PREFIX%%/map.json;
    artifact_zone 8m;
HTTP
is(changing(), $SEEN, 'works as before');
ok($t->reload(http => ''), 'a reload without a map');
is(changing(), $BLIND =~ s/capability/unknown_service/r, 'knows no service');

$t->finish;
