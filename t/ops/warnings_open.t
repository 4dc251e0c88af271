#!/usr/bin/perl

# What other machines may write, remove or list without anything that protects
# it is warned about.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactLint;
use ArtifactTest;

my $t = ArtifactTest->new;

$t->file('one.keys', 'ab' x 32);
chmod 0600, $t->prefix . '/one.keys';

my $open = 'listen 0.0.0.0:%%PORT%%;';
my $root = 'artifact_root %%DATA%%; client_max_body_size 8m;';

my %location = (
    'artifact' => ['store artifacts', '/a/', 'artifact_write on;'],
    'artifact_workspace' => ['write and delete files', '/w/',
                             'artifact_write on;'],
    'artifact_files' => ['store, read and remove files', '/v1/files', ''],
    'artifact_mcp' => ['list and read all of the store', '/mcp', ''],
    'artifact_requests' => ['read what everybody asks for', '/requests', ''],
    'artifact_status' => ['read the counters', '/status', ''],
);

for my $name (sort keys %location) {
    my ($who, $uri, $write) = @{ $location{$name} };
    my $location = "location $uri {\n$name; #\n$write";
    my $closed = $location =~ s/#//r;

    warns($t, "$name of all", "\"$name\" in location \"$uri\" is open: whoever "
          . 'reaches "0.0.0.0:' . $t->port . "\" can $who; restrict access",
          "$open $root $location }");
    silent($t, "$name of this machine", "$root $closed }");
    silent($t, "$name of a socket", "listen unix:%%PREFIX%%/s; $root $closed }");
    silent($t, "$name, protected: $_", "$open $root $closed $_ }")
        for 'allow 10.0.0.1; deny all;', 'deny all;', 'internal;',
            'auth_basic a; auth_basic_user_file u;', 'auth_request /auth;',
            'auth_basic abc; auth_basic_user_file u;',
            'limit_except GET { deny all; }',
            'if ($http_x_key != "abc") { return 403; }';
    silent($t, "$name, protected by the server: $_",
           "$open $_ $root $closed }")
        for 'allow 10.0.0.1; deny all;',
            'auth_basic a; auth_basic_user_file u;',
            'if ($http_x_key != "abc") { return 403; }',
            'ssl_verify_client on;';
    warns($t, "$name, without a password", 'is open: whoever reaches',
          "$open auth_basic a; auth_basic_user_file u;\n"
          . "$root $location auth_basic off; }");
}

silent($t, 'what is only read', "$open $root location /a/ { artifact; } "
       . 'location /w/ { artifact_workspace; } '
       . 'location /s/ { artifact_services; }');
silent($t, 'what is signed', "$open $root location /a/ { artifact; "
       . 'artifact_write on; artifact_sign_key %%PREFIX%%/one.keys; '
       . 'artifact_signed on; }');
silent($t, 'one server of this machine, one of all',
       "$root location = /mcp { artifact_mcp; }",
       http => 'server { listen 0.0.0.0:%%PORT%%; server_name b; '
               . 'location / { } }');

done_testing();
