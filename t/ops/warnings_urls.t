#!/usr/bin/perl

# URLs that a location writes are warned about if they lead into this
# configuration, and where they lead nobody gets the content.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactLint;
use ArtifactTest;

my $t = ArtifactTest->new;

mkdir $t->prefix . "/$_" for qw(other f);
$t->file('map.json', { services => [{ id => 'a' }] });

for my $key (qw(one two)) {
    $t->file("$key.keys", unpack 'H*', substr("$key-" x 8, 0, 32));
    chmod 0600, $t->prefix . "/$key.keys";
}

my $one = 'artifact_sign_key %%PREFIX%%/one.keys';
my $pass = 'proxy_pass http://127.0.0.1:9; client_max_body_size 8m; '
    . 'proxy_ignore_headers X-Accel-Redirect;';
my $root = 'artifact_root %%DATA%%;';
my $map = 'artifact_capabilities %%PREFIX%%/map.json;';
my $url = 'http://127.0.0.1:%%PORT%%/f/';

# What writes URLs, and to what they lead.

sub offload {
    my ($there, $here, $to) = @_;
    return "$root\n" . 'artifact_url ' . ($to // $url) . "; #\n"
        . "location /v1/ { artifact_offload on; $pass " . ($here // '')
        . " }\n$there";
}

sub delivery {
    my ($there, $here) = @_;
    return "$root\nartifact_url $url; #\nlocation /v1/ { artifact_expand on; "
        . "artifact_delivery url; artifact_source /in/; $pass "
        . ($here // '') . " }\nlocation /in/ { internal; artifact; }\n$there";
}

my $from = 'the URLs of "artifact_url" that location "/v1/" writes lead to '
    . 'location "/f/", which ';

# --- offload ---------------------------------------------------------------

my $nowhere = 'http://127.0.0.1:%%PORT%%/nowhere/';

warns($t, 'no location', 'no location of the server matches "artifact_url"',
      offload('', '', $nowhere));
silent($t, "no location, but $_", offload($_, '', $nowhere) =~ s/#//r)
    for 'rewrite ^/n /f/;', 'try_files $uri /x;', 'root /srv/$host;';
silent($t, 'hidden, after a rewrite of the server',
       offload('rewrite ^/g/ /f/; location /f/ { internal; artifact; }')
       =~ s/#//r);

silent($t, 'artifacts', offload('location /f/ { artifact; }'));
silent($t, 'artifacts of another server',
       offload('location /f/ { artifact; }', '', 'https://b.example/f/'));
silent($t, 'a store', offload('location /f/ { artifact_decode on; '
                              . 'proxy_pass http://127.0.0.1:9; }'));
silent($t, 'what is proxied',
       offload('location /f/ { proxy_pass http://127.0.0.1:9; }'));
silent($t, 'what is rewritten', offload('location /f/ { rewrite ^/f/(.*) '
                                        . '/g/$1 last; } location /g/ { '
                                        . 'artifact; }'));
silent($t, 'a folder', offload('', '', $url)
       . ' root %%PREFIX%%; location /f/ { }');

warns($t, 'no location', 'no location of the server matches "artifact_url" ',
      offload(''));
warns($t, 'an internal one', "${from}is \"internal\": nobody can fetch them",
      offload('location /f/ { internal; artifact; }'));
warns($t, 'workspaces', "${from}serves something else",
      offload('location /f/ { artifact_workspace; }'));
warns($t, 'files', 'location "/f", which serves something else',
      offload('location /f { artifact_files; client_max_body_size 8m; }'));
warns($t, 'nothing', "${from}serves no artifacts", offload('location /f/ { }'));
warns($t, 'what is deeper', 'location "/f", which takes all behind its own ',
      offload('location /f { artifact; }', '',
              'http://127.0.0.1:%%PORT%%/f/a/'));
warns($t, 'itself', 'location "/v1/", which passes them on, as these requests',
      offload('', '', 'http://127.0.0.1:%%PORT%%/v1/f/'));
warns($t, 'another root', "${from}has another \"artifact_root\"",
      offload('location /f/ { artifact; artifact_root %%PREFIX%%/other; }'));
warns($t, 'always routed', "${from}answers with JSON",
      offload('location /f/ { artifact; artifact_route always; }'));
warns($t, 'routed for one model', "${from}answers with JSON",
      offload('location /f/ { artifact; artifact_route on; '
              . 'artifact_service a; }'), http => $map);
silent($t, 'routed for who asks for it',
       offload('location /f/ { artifact; artifact_route on; }'),
       http => $map);
silent($t, 'a root with variables',
       offload('location /f/ { artifact; artifact_root /x/$t; }'),
       http => 'map $host $t { a b; }');
silent($t, 'behind a password, which clients may have',
       offload('location /f/ { artifact; auth_basic a; '
               . 'auth_basic_user_file u; }'));

# --- whose server ----------------------------------------------------------

my $internal = 'location /f/ { internal; artifact; }';

for my $to ('http://localhost:%%PORT%%/f/', 'HTTP://LocalHost:%%PORT%%/f/',
            'http://$host/f/', '$scheme://$host/f/',
            'https://$http_host/f/', 'https://$server_name:8443/f/')
{
    warns($t, $to, $from, offload($internal, '', $to));
}

silent($t, $_, offload($internal, '', $_))
    for 'http://other.example/f/', 'http://127.0.0.1:1/f/', '/f/', 'f/',
        'http://localhost/f/',
        'https://$arg_h/f/', 'http://localhost/$arg_x/';

warns($t, 'a second server', $from, offload('', '', 'https://b.example/f/'),
      http => "server { listen 127.0.0.1:%%PORT%%; server_name b.example; "
              . "$root $internal }");
silent($t, 'a second server, it serves', offload($internal, '',
                                                 'https://b.example/f/'),
       http => "server { listen 127.0.0.1:%%PORT%%; server_name *.example; "
               . "$root location /f/ { artifact; } }");
silent($t, 'two of that name, on other ports',
       offload($internal, '', 'https://b.example/f/'),
       http => join ' ', map { "server { listen 127.0.0.1:1$_; "
                               . "server_name b.example; }" } 1001, 1002);

# --- signatures ------------------------------------------------------------

my $checked = 'location /f/ { artifact; artifact_signed on; ';

silent($t, 'signed and checked', offload("$checked $one; }", "$one;"));
silent($t, 'with the same scope', offload("$checked $one scope=a; }",
                                          "$one scope=a;"));
silent($t, 'with variables', offload("$checked $one scope=\$t; "
                                     . 'artifact_root %%PREFIX%%/$t; }',
                                     "$one scope=a;"),
       http => 'map $host $t { a b; }');
silent($t, 'signed or by password',
       offload("$checked $one; satisfy any; auth_basic a; "
               . 'auth_basic_user_file u; }'));
warns($t, 'not signed', "${from}has \"artifact_signed\", and they are not ",
      offload("$checked $one; }"));
warns($t, 'not checked', "${from}does not check their signatures",
      offload('location /f/ { artifact; }', "$one;"));
silent($t, 'checked by nginx itself',
       offload('location /f/ { artifact; auth_basic a; '
               . 'auth_basic_user_file u; }', "$one;"));
warns($t, 'another key', "${from}does not have the key that signs them",
      offload("$checked artifact_sign_key %%PREFIX%%/two.keys; }", "$one;"));
warns($t, 'another scope', "${from}has another scope",
      offload("$checked $one scope=b; }", "$one scope=a;"));
warns($t, 'no scope there', "${from}has another scope",
      offload("$checked $one; }", "$one scope=a;"));

# --- providers that fetch ----------------------------------------------------

my %map = (http => $map);

silent($t, 'delivery', delivery('location /f/ { artifact; }'), %map);
silent($t, 'inline', delivery($internal) =~ s/delivery url/delivery inline/r,
       %map);
warns($t, 'delivery to another root', "${from}has another \"artifact_root\"",
      delivery('location /f/ { artifact; artifact_root %%PREFIX%%/other; }'),
      %map);
warns($t, 'delivery behind a password', "${from}asks for a password",
      delivery('location /f/ { artifact; auth_basic a; '
               . 'auth_basic_user_file u; }'), %map);
warns($t, 'delivery behind another server', "${from}asks for a password",
      delivery('location /f/ { artifact; auth_request /auth; } '
               . 'location /auth { return 204; }'), %map);
silent($t, 'delivery with or without a password',
       delivery("$checked $one; satisfy any; auth_basic a; "
                . 'auth_basic_user_file u; }', "$one;"), %map);
warns($t, 'links of MCP', 'location "/mcp" writes lead to location "/f/", '
      . 'which is "internal"', "$root\nartifact_url $url; #\n"
      . "location = /mcp { artifact_mcp; } $internal");
# --- stores of tenants -------------------------------------------------------

my $signed = 'location /f/ { artifact; artifact_signed on; }';
my $tenant = 'artifact_root %%PREFIX%%/$server_name;';

warns($t, 'no scope', '"artifact_sign_key" without a scope signs URLs of location '
      . '"/f/"', "$tenant\n$one; #\n$signed");
warns($t, 'a scope of one store', '"artifact_sign_key" has the scope "$server_name"',
      "$root\n$one scope=\$server_name; #\n$signed");
warns($t, 'no scope, no root', 'no "artifact_root" is defined for location "/f/"',
      "$one;\nlocation /f/ {\nartifact; #\nartifact_signed on; }");
silent($t, $_->[0], $_->[1])
    for ['a scope of many', "$tenant $one scope=\$server_name; $signed"],
        ['a scope that is fixed', "$root $one scope=a; $signed"],
        ['one store', "$root $one; $signed"],
        ['nothing is signed', "$tenant $one; location /f/ { artifact; }"];

my $uploads = 'location = /mcp { artifact_mcp; artifact_write on; }';

warns($t, 'tickets for a location that takes none', 'location "/mcp" writes '
      . 'lead to location "/f/", which takes no uploads',
      "$root\nartifact_url $url; #\n$one; $uploads $checked }");
silent($t, 'tickets', "$root artifact_url $url; $one; $uploads $checked "
       . 'artifact_write on; }');
silent($t, 'no tickets but of MCP', "$root artifact_url $url; $one; "
       . "artifact_write on; location /v1/ { artifact_offload on; $pass } "
       . "$checked artifact_write off; }");
silent($t, 'tickets for another server', "$root artifact_url $url; $one; "
       . "$uploads location /f/ { allow 10.0.0.1; deny all; $pass }");
silent($t, 'no tickets without writes', "$root artifact_url $url; $one; "
       . "location = /mcp { artifact_mcp; } $checked }");
warns($t, 'arguments of tools', "${from}is \"internal\"",
      "$root\nartifact_url $url; #\nlocation /v1/ { artifact_argument url; "
      . "artifact_source /in/; $pass } location /in/ { internal; artifact; } "
      . $internal);
warns($t, 'links of a format', 'location "/m/" writes lead to location "/f/", ',
      "$root\nartifact_url $url; #\nlocation /m/ { artifact; "
      . "artifact_route on; artifact_format mcp; } $internal", %map);
silent($t, 'another format', "$root artifact_url $url; location /m/ { artifact; "
       . "artifact_route on; artifact_format openai; } $internal", %map);
silent($t, 'what is only read', "$root artifact_url $url; location /v1/ { "
       . "artifact_expand on; artifact_source /in/; $pass } "
       . "location /in/ { internal; artifact; } $internal", %map);

done_testing();
