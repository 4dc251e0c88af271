#!/usr/bin/perl

# Locations that pass requests on to servers of others, and would follow their
# X-Accel-Redirect, are warned about: those with artifact_argument or
# artifact_offload, and those that rules of artifact_derive name.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

my $t = ArtifactTest->new;
my $prefix = $t->prefix;

$t->file('map.json', { services => [{ id => 'a' }] });

my $size = 'client_max_body_size 8m;';
my $artifacts = "artifact_root %%DATA%%; $size "
    . 'location /artifacts/ { artifact; }';

sub warnings_of {
    my ($server, %conf) = @_;

    # a map, for what has no effect without one

    $conf{http} = 'artifact_capabilities %%PREFIX%%/map.json; '
        . ($conf{http} // '') if $server =~ /artifact_expand on/;

    my ($code, $out) = $t->conf_test(as_is => 1, server => $server, %conf);

    is($code, 0, 'accepted') or diag($out);
    return map { s/^.*?\[warn\] //r } grep { /\[warn\]/ } split /\n/, $out;
}

# One warning about the line that ends with an empty comment.

sub warns {
    my ($name, $directive, $location, $server, $ignore, %conf) = @_;

    my @got = warnings_of($server, %conf);
    is(scalar @got, 1, "$name: one warning") or diag(join "\n", @got);

    my @lines = split /\n/, slurp("$prefix/conftest.conf");
    my ($line) = grep { $lines[$_ - 1] =~ /#\s*\z/ } 1 .. @lines;

    $ignore //= 'proxy_ignore_headers';
    is($got[0] // '', qq("$directive": location "$location" passes requests on )
       . qq(without "$ignore X-Accel-Redirect": the server there could open )
       . qq(any internal location in $prefix/conftest.conf:$line),
       "$name: its text and line");
}

sub silent {
    my ($name, $server, %conf) = @_;
    is(join("\n", warnings_of($server, %conf)), '', "$name: no warning");
}

# --- each directive, each module that has upstreams -------------------------

my %on = (artifact_argument => 'base64', artifact_offload => 'on');
my %pass = (proxy => 'http://127.0.0.1:9', map { $_ => '127.0.0.1:9' }
            qw(fastcgi uwsgi scgi grpc));

for my $directive (sort keys %on) {
    my $is = "$directive $on{$directive};";

    for my $module (sort keys %pass) {
        my $pass = "${module}_pass $pass{$module};";
        my $ignore = "${module}_ignore_headers";

        warns("$directive, $module", $directive, '/x/',
              "$artifacts\nlocation /x/ {\n$is #\n$pass\n}", $ignore);
        warns("$directive, $module, others are ignored", $directive, '/x/',
              "$artifacts\nlocation /x/ {\n$is #\n"
              . "$ignore X-Accel-Expires Set-Cookie;\n$pass\n}", $ignore);
        silent("$directive, $module, it is",
               "$artifacts location /x/ { $is $pass "
               . "$ignore X-Accel-Redirect; }");
        silent("$directive, $module, it is, by the server",
               "$artifacts $ignore X-Accel-Expires X-Accel-Redirect; "
               . "location /x/ { $is $pass }");
    }

    my $proxy = 'proxy_pass http://127.0.0.1:9;';
    my $ignore = 'proxy_ignore_headers X-Accel-Redirect;';

    warns("$directive, a level of its own", $directive, '/x/',
          "$artifacts $ignore\nlocation /x/ {\n$is #\n"
          . "proxy_ignore_headers Set-Cookie; $proxy\n}");
    warns("$directive, of another module", $directive, '/x/',
          "$artifacts fastcgi_ignore_headers X-Accel-Redirect;\n"
          . "location /x/ {\n$is #\n$proxy\n}");
    warns("$directive, several locations inherit it", $directive, '/x/',
          "$artifacts\n$is #\nlocation /x/ { $proxy } location /y/ { $proxy } "
          . "location /z/ { $proxy $ignore }");
    warns("$directive, for all servers", $directive, '/x/',
          "$artifacts location /x/ { $proxy }", undef, http => "$is #");
    silent("$directive, where nothing is passed on",
           "$artifacts $is location /x/ { $proxy $ignore } location /y/ { }");
    silent("$directive, off",
           "$artifacts location /x/ { $directive off; $proxy }");
}

silent('artifact_argument, a variable', "$artifacts location /x/ { "
       . 'artifact_argument $arg_a; proxy_pass http://127.0.0.1:9; }');
silent('an upstream with variables', "$artifacts location /x/ { "
       . 'artifact_offload on; proxy_pass http://$arg_a; }');
warns('both', 'artifact_argument', '/x/', "$artifacts\nlocation /x/ {\n"
      . "artifact_argument base64; #\nartifact_offload on;\n"
      . "proxy_pass http://127.0.0.1:9;\n}");
silent('what only expands', "$artifacts location /x/ { artifact_expand on; "
       . 'proxy_pass http://127.0.0.1:9; }');

# --- rules -------------------------------------------------------------------

my $proxy = 'proxy_pass http://127.0.0.1:9;';
my $ignore = 'proxy_ignore_headers X-Accel-Redirect;';
my $routed = 'location /routed/ { artifact; artifact_route on; '
    . 'artifact_accept $http_x_llm_capabilities; }';

sub rule {
    my ($uri, $locations) = @_;
    return "$artifacts $routed\nartifact_derive image image/jpeg $uri; #\n"
        . $locations;
}

my @found = (
    ['a prefix', '/c/x body', '/c/',
     "location / { } location /c/ { internal; $proxy }"],
    ['with an id', '/c/', '/c/', "location /c/ { internal; $proxy }"],
    ['arguments', '/c/x?y=/c/z body', '/c/', "location /c/ { internal; $proxy }"],
    ['the longest prefix', '/c/x body', '/c/x',
     "location /c/ { internal; $proxy $ignore } "
     . "location /c/x { internal; $proxy }"],
    ['in its order', '/c/x body', '/c/x',
     "location /c/x { internal; $proxy } "
     . "location /c/ { internal; $proxy $ignore }"],
    ['an exact one', '/c/x body', '/c/x',
     "location /c/x { internal; $proxy $ignore } "
     . "location = /c/x { internal; $proxy }"],
    ['no exact one, which an id follows', '/c/', '/c',
     "location /c { internal; $proxy } "
     . "location = /c/ { internal; $proxy $ignore }"],
    ['one within', '/c/d/x body', '/c/d/',
     "location /c/ { internal; $proxy $ignore location /c/d/ { "
     . "proxy_ignore_headers Set-Cookie; $proxy } }"],
    ['one around', '/c/x body', '/c/',
     "location /c/ { internal; $proxy "
     . "location /c/d/ { internal; $proxy $ignore } }"],
    ['before an expression', '/c/x body', '/c/',
     "location ^~ /c/ { internal; $proxy } location ~ ^/c/ { $proxy $ignore }"],
    ['an expression that is another', '/c/x body', '/c/',
     "location /c/ { internal; $proxy } location ~ ^/d { $proxy $ignore }"],
);

for (@found) {
    my ($name, $uri, $location, $locations) = @$_;
    warns("a rule, $name", 'artifact_derive', $location,
          rule($uri, $locations));
    silent("a rule, $name, ignored",
           rule($uri, "$ignore $locations") =~ s/#\n/\n/r)
        if $locations !~ /Set-Cookie/;
}

silent('a rule, an expression', rule('/c/x body',
       "location /c/ { internal; $proxy } "
       . "location ~ ^/c/x { $proxy $ignore }"));
silent('a rule, an expression of an id', rule('/c/',
       "location /c/ { internal; $proxy } location ~ ^/c. { $proxy $ignore }"));
silent('a rule, a variable', rule('/c/$arg_a body',
                                  "location / { internal; $proxy }"));
silent('a rule, this module', rule('/c/', 'location /c/ { artifact; }'));
silent('a rule, a named location of the same name', rule('/c/x body',
       "location / { } location \@c { $proxy }"));

warns('two rules of one location', 'artifact_derive', '/c/',
      "$artifacts $routed location /c/ { internal; $proxy }\n"
      . "artifact_derive image image/jpeg /c/x body; #\n"
      . "artifact_derive image image/png /c/y body;\n");
is(scalar warnings_of("$artifacts $routed location /c/ { internal; $proxy }\n"
                      . "location /d/ { internal; $proxy }\n"
                      . "artifact_derive image image/jpeg /c/x body;\n"
                      . "artifact_derive image image/png /d/y body;\n"),
   2, 'two rules of two locations: two warnings');
like((warnings_of('artifact_root %%DATA%%; artifact_offload on; '
                  . 'artifact_derive image image/jpeg /x body;'))[0],
     qr/^no location of the server matches/, 'a server without locations');

done_testing();
