#!/usr/bin/perl

# The dashboard for Grafana: its JSON, that nginx answers with every family that
# it shows and the other way round, that its labels are those of the families,
# and what promtool has to say of its queries.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

my $root = "$FindBin::Bin/../..";
my $t = ArtifactTest->new;

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    location /artifacts/ { artifact; }
    location = /status { artifact_status; }
SERVER

my %known = map { $_ => 1 } $t->get('/status')->body =~ /^# TYPE (\S+)/mg;
cmp_ok(scalar keys %known, '>', 20, 'nginx has families');

my $text = slurp("$root/packaging/grafana/artifact.json");
my $board = decode_strict($text);
ok($board->{title} && $board->{uid} && $board->{schemaVersion},
   'JSON, as Grafana has it');

# panels

my @panels = grep { $_->{type} ne 'row' } @{ $board->{panels} };
my (%id, %at, @queries);

for my $panel (@{ $board->{panels} }) {
    my ($x, $y, $w, $h) = @{ $panel->{gridPos} }{qw(x y w h)};

    ok(!$id{ $panel->{id} }++, "panel $panel->{id}: $panel->{title}");
    cmp_ok($x + $w, '<=', 24, 'within the width of the page');
    is(scalar(grep { $at{$_}++ } map { my $x = $_; map { "$x $_" }
        $y .. $y + $h - 1 } $x .. $x + $w - 1), 0, 'over no other');
}

for my $panel (@panels) {
    is($panel->{datasource}{uid}, '${datasource}', "$panel->{title}: a source "
       . 'that can be chosen');
    push @queries, map { $_->{expr} } @{ $panel->{targets} };
}

cmp_ok(scalar @queries, '>', scalar @panels, 'queries');

# families

my %shown;
for my $query (@queries) {
    like($query, qr/instance=~"\$instance"/, "of some servers: $query");
    $shown{ s/_(?:bucket|sum|count)\z//r }++ for $query =~ /\b(artifact_\w+)/g;
}

is(join(' ', grep { !$known{$_} } sort keys %shown), '',
   'every family is one of nginx\'s');
is(join(' ', grep { !$shown{$_} } sort keys %known), '',
   'and every one is shown');

# labels, by the tables of the documentation, which t/ops/status.t compares

my %label;
for (split /\n/, slurp("$root/docs/status.md")) {
    my ($family, $labels) = /^\| `(artifact_\w+)`(?: \*)? \|([^|]*)\|/ or next;
    $label{$family} = { map { $_ => 1 } 'instance', 'le',
                        $labels =~ /`(\w+)`/g };
}

for my $query (@queries) {
    my @families = map { s/_bucket\z//r } $query =~ /\b(artifact_\w+)/g;
    my @used = ($query =~ /(\w+)=~?"|(\w+)!=/g,
                map { split /,\s*/ } $query =~ /by \(([^)]*)\)/g);
    my @odd = grep { my $one = $_; grep { !$label{$_}{$one} } @families }
        grep { defined } @used;

    is("@odd", '', "its labels: $query");
}

# promtool, which knows no variables of Grafana's

my $rules = "groups:\n  - name: dashboard\n    rules:\n";
my $n = 0;

for my $query (@queries) {
    my $plain = $query =~ s/\$__rate_interval|\$__range/5m/gr;
    $plain =~ s/\$instance/.*/g;
    $rules .= "      - record: dashboard:query:" . $n++ . "\n"
        . "        expr: '$plain'\n";
}

spew($t->prefix . '/rules.yml', $rules);
my $said = `promtool check rules @{[ $t->prefix ]}/rules.yml 2>&1`;
is($?, 0, 'promtool takes all queries') or diag($said);
like($said, qr/SUCCESS: $n rules found/, 'all of them');

spew($t->prefix . '/rules.yml', $rules =~ s/sum by \(/sum by (,(/r);
`promtool check rules @{[ $t->prefix ]}/rules.yml 2>&1`;
isnt($?, 0, 'as it would not take a malformed one');

$t->finish;
