#!/usr/bin/perl

# What nginx -t says about artifact_argument.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use Test::More;

my $t = ArtifactTest->new;
my $pass = 'proxy_pass http://127.0.0.1:1; '
    . 'proxy_ignore_headers X-Accel-Redirect;';
my $source = "location /artifacts/ { internal; artifact; }\n"
    . "    artifact_root %%DATA%%;\n";

sub says {
    my ($conf, $want, $name, %more) = @_;

    my ($ok, $out) = $t->conf_test(server => "$source    $conf", %more);
    my @said = map { s/^nginx: //r } grep { /\[(?:warn|emerg)\]/ }
        split /\n/, $out;
    my $line = join "\n", @said;

    if (!defined $want) {
        is($line, '', "$name: nothing");
        return;
    }
    like($line, qr/\A\[(?:warn|emerg)\] $want.* in \S+:\d+\z/, $name);
    is(scalar @said, 1, "$name: once");
}

says("location /m { artifact_argument $_; $pass }", undef, $_)
    for qw(data base64 off $http_x_how);
says("location /m { artifact_argument url; artifact_url /a/; $pass }", undef,
     'url');

says("location /m { artifact_argument $_; $pass }",
     qr/invalid value "$_" in "artifact_argument" directive, it must be "off",/,
     "the value $_") for qw(on DATA inline);
says("location /m { artifact_argument data; artifact_argument url; $pass }",
     qr/"artifact_argument" directive is duplicate/, 'twice');
says('artifact_argument;', qr/invalid number of arguments in "artifact_arg/,
     'without a value');

says("location /m { artifact_argument url; $pass }",
     qr{"artifact_argument" is "url" without "artifact_url" in location "/m"},
     'url without artifact_url');
says("location /m { artifact_argument data; artifact_expand on; "
     . "client_max_body_size 2m; $pass }",
     qr{"artifact_argument" and "artifact_expand" are both set in location "/m"},
     'beside artifact_expand');
says("artifact_expand on; client_max_body_size 2m; location /v1/ { $pass }\n"
     . "location /m { artifact_argument data; $pass }",
     qr{"artifact_argument" and "artifact_expand" are both set in location "/m"},
     'beside one that is inherited');
says("artifact_expand on; client_max_body_size 2m; location /v1/ { $pass }\n"
     . "location /m { artifact_argument data; artifact_expand off; $pass }",
     undef, 'beside one that is off');
says("location /m { artifact_argument \$http_x_how; artifact_expand on; "
     . "client_max_body_size 2m; $pass }", undef, 'a variable beside it');
says("location /m { artifact_argument data; return 200 x; }",
     qr/"artifact_argument" has no effect: no location that it applies to/,
     'no location that passes requests on');
says("artifact_argument data; location /m { $pass } location /n { return 200; }",
     undef, 'one that does');
says("location /m { artifact_argument data; artifact_source /no/; $pass }",
     qr{no location of the server matches "artifact_source" "/no/"},
     'no source');
$source = 'artifact_root %%DATA%%;';
says("location /m { artifact_argument data; $pass }",
     qr{no location of .*, the default of "artifact_source": "artifact_argum},
     'no default source');

done_testing();
