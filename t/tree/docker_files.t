#!/usr/bin/perl

# The files of packaging/docker and packaging/convert/Dockerfile, read as docker
# reads them: instructions, what they copy, who runs; the services of compose.yaml;
# and docs/docker.md, which has all variables.  There is nothing here that builds
# images.

use strict;
use warnings;

use Cwd qw(abs_path);
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use Test::More;

my $root = abs_path("$FindBin::Bin/../..");
my $docker = "$root/packaging/docker";

my %known = map { $_ => 1 }
    qw(ARG COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK RUN USER VOLUME);

my %image = (
    "$docker/Dockerfile" => $root, "$docker/Dockerfile.alpine" => $root,
    "$root/packaging/convert/Dockerfile" => "$root/packaging/convert",
);

for my $path (sort keys %image) {
    my $name = $path =~ s{^\Q$root\E/}{}r;
    my @stages = stages(instructions($path));
    my @last = @{ $stages[-1] };
    my @copied = map { copied($_) } map { @$_ } @stages;

    is(join(' ', grep { !$known{$_} } map { $_->[0] } map { @$_ } @stages), '',
       "$name: instructions");
    is(join(' ', grep { !-e "$image{$path}/$_" } @copied), '',
       'what is copied is there');
    cmp_ok(scalar @copied, '>', 0, 'and something is');

    my ($user) = map { $_->[1] } grep { $_->[0] eq 'USER' } reverse @last;
    like($user // '', qr/^(?!root\b|0\b)\w+/, 'it does not run as root');
    is(scalar(grep { $_->[0] eq 'HEALTHCHECK' } @last), 1, 'its health');

    for my $run (map { $_->[1] } grep { $_->[0] eq 'RUN' } map { @$_ } @stages)
    {
        system('sh', '-n', '-c', $run) == 0 or fail("sh takes: $run");
    }
}

# the two images of nginx differ in their bases and packages only

my ($debian, $alpine) = map {
    my @all = instructions($_);
    join "\n", map { "$_->[0] $_->[1]" } grep {
        $_->[0] ne 'ARG' && "$_->[1]" !~ /apt-get|apk/ } @all
} "$docker/Dockerfile", "$docker/Dockerfile.alpine";

is($alpine, $debian, 'Debian and Alpine are alike');

# what is executed is executable

ok(-x "$docker/$_", "$_ is executable")
    for qw(18-artifact.envsh build.sh artifact/prebuild);
ok(-x "$root/packaging/convert/convert.py", 'so is convert.py');

# --- the variables ---------------------------------------------------------

my $script = slurp("$docker/18-artifact.envsh");
my ($list) = $script =~ /in\n(\s+ARTIFACT_.*?)\) ;;/s;
my %variable = map { $_ => 1 } $list =~ /(ARTIFACT_\w+)/g;
my $page = slurp("$root/docs/docker.md");

cmp_ok(scalar keys %variable, '>', 10, 'there are variables');
is(join(' ', grep { $page !~ /^\| `$_`/m } sort keys %variable), '',
   'docs/docker.md has them');
is(join(' ', grep { !$variable{$_} } $page =~ /\b(ARTIFACT_\w+)/g), '',
   'and no other');

my %exported = map { $_ => 1 } ($script =~ /^export (.*)/ms)[0]
    =~ /(ARTIFACT_\w+)/g;
my %used = map { $_ => 1 } map { slurp($_) =~ /\$\{(\w+)\}/g }
    glob "$docker/templates/*.template $docker/templates/*/*.template";

is(join(' ', sort keys %used), join(' ', sort keys %exported),
   'templates have what the script exports');

# --- compose.yaml ----------------------------------------------------------

SKIP: {
    my $python = 'import json, sys, yaml; print(json.dumps(yaml.safe_load('
        . 'sys.stdin.read())))';
    my $text = `/usr/bin/python3 -c '$python' < '$docker/compose.yaml' 2>&1`;

    skip('python3-yaml is not installed', 1) if $text =~ /No module named/;

    my $compose = decode_json($text);
    my %service = %{ $compose->{services} };

    is(join(' ', sort keys %service), 'behind converter gateway nginx',
       'services');

    for my $name (sort keys %service) {
        my %it = %{ $service{$name} };

        is("@{ $it{cap_drop} } @{ $it{security_opt} }",
           'ALL no-new-privileges:true', "$name: no rights");
        ok($it{read_only} && $it{user} =~ /^[1-9]/, '.. and no root')
            if $it{build};
        ok(defined $it{healthcheck} || $it{build}, '.. a check of its health');

        is(join(' ', grep { !exists $compose->{networks}{$_} }
                     @{ $it{networks} }), '', '.. known networks');
        is(join(' ', grep { !exists $compose->{secrets}{$_} }
                     @{ $it{secrets} || [] }), '', '.. known secrets');

        for my $mount (@{ $it{volumes} || [] }) {
            my ($from) = split /:/, $mount;
            ok($from =~ m{^\./} ? -e "$docker/$from"
               : exists $compose->{volumes}{$from}, ".. $from is there");
        }
    }

    for my $name (qw(nginx behind)) {
        is(join(' ', grep { !$variable{$_} }
                     keys %{ $service{$name}{environment} }), '',
           "the variables of $name");
    }
    ok($compose->{networks}{convert}{internal},
       'the converter does not get out');

    # the media of all tenants: who has them, and who gets to them

    my ($place) = map { s/:.*//r } grep { /:\/srv\/standins\z/ }
        @{ $service{nginx}{volumes} };
    is(join(' ', grep { grep { /^\Q$place\E:\/srv\/standins\z/ }
                        @{ $service{$_}{volumes} || [] } } sort keys %service),
       'behind nginx', 'in front and behind have one folder');

    my $port = 8082;
    my $litellm = slurp("$docker/litellm.yaml");
    my @models = $litellm =~ /model_name: (\S+)/g;
    is(scalar(() = $litellm =~ m{api_base: http://behind:$port/v1$}mg),
       scalar @models, 'all models of the gateway are behind');
    is(join(' ', sort @models), join(' ', sort map { $_->{id} } @{
        decode_json(slurp("$docker/models.json"))->{services} }),
       'and the map has them');
    like($script, qr/ARTIFACT_PROVIDER_LISTEN:=$port\b/, 'at its port');
    is(join(' ', grep { my $name = $_; $name ne 'behind' && grep {
        my $net = $_; grep { $_ eq $net } qw(behind provider) }
        @{ $service{$name}{networks} } } sort keys %service), 'gateway',
       'only the gateway gets there');
    ok($compose->{networks}{behind}{internal} && !$service{behind}{ports},
       'and nobody from outside');

    is(join(' ', grep { !/^127\.0\.0\.1:/ } @{ $service{nginx}{ports} }), '',
       'ports are those of the machine alone');
}

done_testing();


# What docker makes of a file: name and arguments each, without comments, on one
# line.

sub instructions {
    my ($path) = @_;
    my $text = slurp($path);

    $text =~ s/^\s*#.*\n//gm;
    $text =~ s/\\\n\s*/ /g;

    return map { /^(\S+)\s+(.*)$/ ? [$1, $2] : [$_, ''] }
           grep { /\S/ } split /\n/, $text;
}


sub stages {
    my @stages = ([]);

    for my $one (@_) {
        push @stages, [] if $one->[0] eq 'FROM';
        push @{ $stages[-1] }, $one;
    }
    return @stages;
}


# The names in the context that an instruction copies.

sub copied {
    my ($one) = @_;
    return if $one->[0] ne 'COPY' || $one->[1] =~ /^--from/;

    my @names = split ' ', $one->[1];
    pop @names;
    return @names;
}
