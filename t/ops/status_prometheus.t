#!/usr/bin/perl

# The counters in the eyes of Prometheus: what promtool has to say of them and
# of the alerts, and a server that scrapes them.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use Cwd qw(abs_path);
use HTTP::Tiny;
use POSIX ();
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $png = png(30, 30);

$t->artifact('shot', $png, { type => 'image/png', name => 'shot.png' });

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /status {
        artifact_status;
        gzip on;
        gzip_types text/plain;
    }
SERVER

$t->get('/artifacts/shot') for 1 .. 3;
$t->get('/artifacts/none');
$t->accept('text', '/artifacts/shot');

# all five are counted, then none more comes

my $text = '';
for (1 .. 200) {
    $text = $t->get('/status')->body;
    my $sum = 0;
    $sum += $_ for $text =~ /^artifact_requests_total\S* (\d+)$/mg;
    last if $sum == 5;
    sleep 0.05;
}

# promtool

my $file = $t->prefix . '/metrics';
spew($file, $text);

is(scalar `promtool check metrics < $file 2>&1`, '', 'promtool has no word');
is($?, 0, 'and no error');

spew($file, "$text# TYPE artifact_bad counter\nartifact_bad 1\n");
isnt(scalar `promtool check metrics < $file 2>&1`, '',
     'as it would of a bad name');

# A server, which stores what it scrapes here and answers queries about it.

my $own = ArtifactTest->new;
my $port = $own->port;
my $alerts = abs_path("$FindBin::Bin/../../packaging/prometheus")
    . '/artifact.rules.yml';

spew($own->prefix . '/prometheus.yml', sprintf <<'YML', $alerts, $t->port);
global:
  scrape_interval: 200ms
  scrape_timeout: 200ms
rule_files:
  - '%s'
scrape_configs:
  - job_name: nginx
    metrics_path: /status
    static_configs:
      - targets: ['127.0.0.1:%d']
YML

my $pid = fork // die "fork: $!";
if (!$pid) {
    open STDOUT, '>', $own->prefix . '/prometheus.log';
    open STDERR, '>&', \*STDOUT;
    exec('prometheus', '--config.file=' . $own->prefix . '/prometheus.yml',
         '--storage.tsdb.path=' . $own->prefix . '/tsdb',
         "--web.listen-address=127.0.0.1:$port", '--log.level=warn')
        or POSIX::_exit(127);
}

END {
    my $status = $?;
    if ($pid) {
        kill KILL => $pid;
        waitpid $pid, 0;
    }
    $? = $status;
}


sub query {
    my ($query) = @_;
    my $res = HTTP::Tiny->new(timeout => 20)->post_form(
        "http://127.0.0.1:$port/api/v1/query", { query => $query });
    my $data = eval { decode_strict($res->{content}) };
    return ref $data eq 'HASH' ? $data->{data}{result} : undef;
}


# The result of a query once there is one that is not empty.

sub value {
    my ($query) = @_;
    my $result;

    for (1 .. 600) {
        $result = query($query);
        last if $result && @$result;
        sleep 0.1;
    }

    return join ' ', map { $_->{value}[1] } @{ $result || [] };
}


is(value('up{job="nginx"} == 1'), 1, 'Prometheus scrapes it')
    or diag(slurp($own->prefix . '/prometheus.log'));
is(value('artifact_requests_total{handler="artifact",status="200"}'), 4,
   'requests that were answered');
is(value('artifact_requests_total{status="404"}'), 1, 'and that were not');
is(value('sum(artifact_routed_total{routing="text",reason="capability"})'), 1,
   'what was described');
is(value('artifact_zone_size_bytes'), 4194304, 'a gauge');

$t->get('/artifacts/shot') for 1 .. 2;
is(value('artifact_requests_total{handler="artifact",status="200"} == 6'), 6,
   'later ones, too');

# Times, as Prometheus has them.

is(value('artifact_first_byte_seconds_count{handler="artifact"} == 7'), 7,
   'answers whose first byte was timed');
is(value('artifact_first_byte_seconds_bucket{handler="artifact",le="+Inf"}'
         . ' == 7'), 7, 'all are below infinity');
like(value('histogram_quantile(0.5, artifact_first_byte_seconds_bucket)'),
     qr/^[0-9.e-]+$/, 'a quantile');

# The alerts: the server has loaded them, promtool knows when they fire, and
# the documentation shows the same.

my $res = HTTP::Tiny->new(timeout => 20)->get(
    "http://127.0.0.1:$port/api/v1/rules");
my @alerts = map { @{$_->{rules}} }
    @{decode_strict($res->{content})->{data}{groups}};
is(join(' ', map { $_->{name} } @alerts), 'ArtifactWritesFail'
   . ' ArtifactSourcesFail ArtifactSourcesSlow ArtifactModelsBlind'
   . ' ArtifactServicesUnknown ArtifactConversionsFail'
   . ' ArtifactExpiredStay ArtifactStandinsFail ArtifactStandinsStay', 'the alerts that the server has');
is(join(' ', grep { $_ } map { $_->{lastError} } @alerts), '',
   'it can evaluate them');

my $rules = slurp($alerts);
my $said = `promtool check rules $alerts 2>&1`;
like($said, qr/SUCCESS: 9 rules found/, 'promtool has no word');

my $cases = slurp("$FindBin::Bin/../data/alerts.test.yml") =~ s/RULES/$alerts/r;
spew($own->prefix . '/alerts.test.yml', $cases);
$said = `promtool test rules @{[$own->prefix]}/alerts.test.yml 2>&1`;
is($?, 0, 'they fire when they should') or diag($said);

spew($own->prefix . '/never.yml', $rules =~ s/> 0\.5$/> 5/mgr);
spew($own->prefix . '/alerts.test.yml',
     $cases =~ s/\Q$alerts\E/never.yml/r);
$said = `promtool test rules @{[$own->prefix]}/alerts.test.yml 2>&1`;
like($said, qr/alertname:?\s*ArtifactModelsBlind/,
     'with another threshold one does not');

my $doc = slurp("$FindBin::Bin/../../docs/status.md");
my ($shown) = $doc =~ /^((?:    .*\n|\n)*    groups:\n(?:    .*\n|\n)*)/m;
s/^    //mg, s/\A\n+|\n+\z//g for $shown, my $same = $rules =~ s/^/    /mgr;
is($shown, $same, 'the documentation has these alerts');

my %known = map { $_ => 1 } $text =~ /^# TYPE (\S+)/mg;
my @named = map { s/_bucket$//r } $rules =~ /\b(artifact_\w+)/g;
cmp_ok(scalar @named, '>=', 10, 'they name families');
is(join(' ', grep { !$known{$_} } @named), '', 'that there are');

for my $family (sort keys %known) {
    like($doc, qr/`\Q$family\E`/, "$family is documented");
}

$t->finish;
