package ArtifactClients;

# Programs of t/npm/clients, beside the frameworks of build/clients.

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use JSON::PP ();

use ArtifactDocs;
use ArtifactFixtures;
use ArtifactSdk;
use ArtifactSign;
use ArtifactTest;

our @EXPORT = qw(clients_start clients_run clients_undocumented);

my $REPO = abs_path(dirname(__FILE__) . '/../..');


# An nginx between clients, their tools and their model, with the configuration
# of a section of docs/clients.md.

sub clients_start {
    my ($name) = @_;
    my $t = ArtifactTest->new;

    key_file($t, 'url.keys', \('k' x 32));
    $t->file('map.json', { services => [
        (map { { id => $_, model => $_,
                 capabilities => { input => ['text', 'vision'] } } }
            qw(gpt-4o claude-opus-4-8 gemini-3-pro gemini-2.5-pro)),
        (map { { id => $_, model => $_,
                 capabilities => { input => ['text'] } } }
            qw(gpt-3.5-turbo claude-2.1 gemini-3-nano gemini-2.5-nano)),
    ] });

    my ($section) = grep { $_->[0] eq $name }
        doc_sections("$REPO/docs/clients.md");
    my ($conf) = doc_blocks($section->[1]);

    $conf =~ s{/srv/agents}{%%DATA%%};
    $conf =~ s{/etc/nginx/capabilities\.json}{%%PREFIX%%/map.json};
    $conf =~ s{/etc/nginx/url\.keys}{%%PREFIX%%/url.keys};
    $conf =~ s{(127\.0\.0\.1:)8080}{$1%%PORT%%}g;
    is($conf =~ s{https://[\w.]+\.com/;}{http://unix:%%PREFIX%%/model:/;}g, 3,
       'three providers');
    is($conf =~ s{http://127\.0\.0\.1:8931/}{http://unix:%%PREFIX%%/tools:/},
       1, 'a server of tools');

    # besides, the same tools without offloading

    $conf =~ s{(location /tools/)}{location /plain/ {
            proxy_pass http://unix:%%PREFIX%%/tools:/;
        }

        $1};

    $t->start(http => <<"HTTP", no_server => 1);
    artifact_language en;
    proxy_set_header Host \$http_host;
    $conf
HTTP

    spew($t->prefix . "/$_.png", png(120, 100)) for 'a' .. 'c';
    spew($t->prefix . '/a.pdf', pdf());

    return $t;
}


# Packages and versions that only docs/clients.md has, or only the lock files.

sub clients_undocumented {
    my $page = slurp("$REPO/docs/clients.md");
    my %documented = map { $_ => 1 }
        $page =~ /`((?:\@[\w-]+\/)?[\w-]+`[ ]\d[\w.-]*)/g;
    my %locked;

    for my $file ('package-lock.json', 'more/package-lock.json') {
        my $of = JSON::PP->new->decode(slurp("$REPO/t/npm/clients/$file"))
            ->{packages};

        $locked{"$_` " . $of->{"node_modules/$_"}{version}} = 1
            for keys %{ $of->{''}{dependencies} };
    }

    # zod is for the tests' own server

    return join ', ', sort grep { !/^zod`/ && !($documented{$_} && $locked{$_}) }
        keys %{ { %documented, %locked } };
}


# Runs a program of t/npm/clients.  more: "" or the folder there with more
# clients; least: how many results there are to be.

sub clients_run {
    my ($t, $more, $least, $program, @args) = @_;

    my $installed = "$REPO/build/clients" . ($more ? "/$more" : '');

    ok(-e "$installed/installed", 'the clients are installed') or return;

    my $folder = tempdir('check-XXXXXX', DIR => $installed, CLEANUP => 1);
    copy($_, $folder) or die "$_: $!\n"
        for glob("$REPO/t/npm/clients/*.mjs"),
            map { "$REPO/t/npm/sdk/$_.mjs" } qw(contents refusals tap);

    sdk_run($least, $folder, $program, $t->prefix, $t->port, @args);
}


1;
