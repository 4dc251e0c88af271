#!/usr/bin/perl

# Locations that do not get what they serve, or do not serve what they get, are
# warned about, as are conversions, readers and caches that mix contents up.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactLint;
use ArtifactTest;

my $t = ArtifactTest->new;

$t->file('map.json', { services => [{ id => 'a' }, { id => 'b' }] });
$t->file('one.json', { services => [{ id => 'a' }] });

my $map = 'artifact_capabilities %%PREFIX%%/map.json;';
my $root = 'artifact_root %%DATA%%; client_max_body_size 8m;';
my $pass = 'proxy_pass http://127.0.0.1:9; '
    . 'proxy_ignore_headers X-Accel-Redirect;';

# --- URIs of features ------------------------------------------------------

my $files = "location /v1/files {\nartifact_files; #\n}";

warns($t, 'files without their list', '"artifact_files" in location '
      . '"/v1/files/" does not get "/v1/files", which belongs to it: use '
      . '"location /v1/files"',
      "$root\nlocation /v1/files/ {\nartifact_files; #\n}");
warns($t, 'files without their list, which others get',
      'location "/v1/" takes it', "$root\nlocation /v1/files/ {\n"
      . "artifact_files; #\n} location /v1/ { $pass }");

for my $location ('/v1/files/', '~ ^/v1/', '~* content$', '~ ^/v1/files/.',
                  '~ file-')
{
    my ($name) = $location =~ /(\S+)\z/;
    warns($t, "files and $location", "location \"$name\" takes it; use "
          . '"location ^~ /v1/files"',
          "$root\n$files\nlocation $location { $pass }");
}

silent($t, "files and $_", ("$root $files\nlocation $_") =~ s/#//r)
    for "/v1/ { $pass }", "/v1/filesystem { $pass }", '~ \.php$ { }',
        '~ ^/v1/files/ { return 403; }', '~ content$ { deny all; }';
silent($t, 'files in two locations', "$root location = /v1/files { "
       . 'artifact_files; } location /v1/files/ { artifact_files; }');
silent($t, 'files before expressions', "$root location ^~ /v1/files { "
       . "artifact_files; } location ~ ^/v1/ { $pass }");
silent($t, 'a list of others', "$root location /v1/files/ { artifact_files; } "
       . 'location ~ ^/v1/files$ { return 204; }');

my $artifacts = "location /artifacts/ {\nartifact; #\n}";
my $workspaces = "location /workspaces/ {\nartifact_workspace; #\n}";

warns($t, 'artifacts and an expression', '"artifact" in location "/artifacts/" '
      . 'does not get "/artifacts/', "$root\n$artifacts\n"
      . "location ~ ^/[a-z]+/[0-9a-f-]+ { $pass }");
warns($t, 'artifacts and one within', 'location "^/a" takes it',
      "$root\nlocation /artifacts/ {\nartifact; #\nlocation ~ ^/a { $pass } }");
warns($t, 'a store and an expression', '"artifact_decode" in location ',
      "$root\nlocation /artifacts/ {\nartifact_decode on; #\n$pass }\n"
      . "location ~ /a { $pass }");
warns($t, 'metadata', 'takes it', "$root\n$artifacts\n"
      . 'location ~ /metadata$ { }');
silent($t, 'metadata of artifacts', ("$root $artifacts location "
       . "~ ^/artifacts/.*/metadata\$ { $pass }") =~ s/#//r);
silent($t, 'metadata for nobody', ("$root $artifacts location "
       . '~ /metadata$ { deny all; }') =~ s/#//r);

for my $type (qw(js png jpg css php json txt)) {
    warns($t, "workspaces and *.$type", "does not get \"/workspaces/",
          "$root\n$workspaces\nlocation ~* \\.$type\$ { expires 1d; }");
    silent($t, "workspaces before *.$type", "$root location ^~ /workspaces/ { "
           . "artifact_workspace; } location ~* \\.$type\$ { expires 1d; }");
}

silent($t, "workspaces and $_", ("$root $workspaces location $_")
       =~ s/#//r)
    for '~ ^/workspaces/.*\.js$ { expires 1d; }', '~ /\. { deny all; }',
        '~ \.php$ { return 404; }', '~ \.exe$ { }';

warns($t, 'the inspector and *.js', '"artifact_inspector" in location ',
      "$root\nlocation /inspector/ {\nartifact_inspector; #\n}\n"
      . 'location ~ \.js$ { }');
warns($t, 'services', '"artifact_services" in location "/services/" does not ',
      "$root\nlocation /services/ {\nartifact_services; #\n}\n"
      . 'location ~ /capabilities$ { }');
warns($t, 'MCP and an expression', 'location "mcp" takes it',
      "$root\nlocation /mcp {\nartifact_mcp; #\n}\nlocation ~ mcp { $pass }");
silent($t, 'MCP', "$root location = /mcp { artifact_mcp; } "
       . "location ~ mcp { $pass }");

# --- what is beside --------------------------------------------------------

for my $name (qw(artifact artifact_workspace)) {
    warns($t, "$name and try_files", "\"$name\" is in location \"/a/\" beside "
          . '"try_files"', "$root\nlocation /a/ {\n$name; #\n"
          . 'try_files $uri =404; }');
    warns($t, "$name and alias", "\"$name\" is in location \"/a/\" beside "
          . '"alias"', "$root\nlocation /a/ {\n$name; #\nalias /srv/; }");
    silent($t, "$name and root", "$root location /a/ { $name; root /srv; }");
    silent($t, "$name, try_files of the server",
           "$root try_files \$uri /b; location /a/ { $name; }");
}

silent($t, 'the alias of another', "$root location /a/ { alias /srv/; "
       . 'location /a/b/ { artifact; } }');
warns($t, 'services and try_files', '"artifact_services" is in location ',
      "location /s/ {\nartifact_services; #\n" . 'try_files $uri =404; }');
silent($t, 'a store and try_files', "$root location /a/ { artifact_decode on; "
       . "try_files \$uri \@a; } location \@a { $pass }");

# --- sources ---------------------------------------------------------------

my $expand = "artifact_expand on;\n$pass";
my @map = (http => $map);

warns($t, 'a source of workspaces', '"artifact_source" "/w/" of location '
      . '"/v1/" leads to location "/w/", which has "artifact_workspace"',
      "$root\nlocation /v1/ { $expand\nartifact_source /w/; #\n}\n"
      . 'location /w/ { artifact_workspace; }', @map);
warns($t, 'a source of files', 'which has "artifact_files"',
      "$root\nlocation /route { artifact_message;\n"
      . "artifact_source /v1/files/; #\n}\n"
      . 'location /v1/files { artifact_files; }', @map);
silent($t, "a source, $_", "$root location /v1/ { $expand artifact_source /s/; "
       . "} location /s/ { $_ }", @map)
    for 'artifact;', "artifact_decode on; $pass", $pass,
        'rewrite ^/s/(.*) /w/$1 last;';

# what stand-ins lead to is in an internal location with "artifact"

my $behind = "artifact_expand standins;\n$pass";

for (["/s/ { artifact; }", 'an open source'],
     ["/s/ { internal; $pass }", 'a source of another server'],
     ["/s/ { internal; artifact_workspace; }", 'a source of workspaces'],
     ["/s/ { internal; artifact_decode on; $pass }", 'a source with names'])
{
    my ($location, $name) = @$_;
    warns($t, "stand-ins, $name", '"artifact_expand" is "standins" in location '
          . '"/v1/", whose "artifact_source" "/s/" leads to location "/s/": '
          . 'stand-ins need one that is "internal", with "artifact"',
          "$root\nlocation /v1/ { $behind\nartifact_source /s/; #\n}\n"
          . "location $location", @map);
}

warns($t, 'stand-ins, the default source', 'whose "artifact_source" '
      . '"/artifacts/" leads to location "/artifacts/"',
      "$root\nlocation /v1/ {\nartifact_expand standins; #\n$pass }\n"
      . 'location /artifacts/ { artifact; }', @map);
silent($t, "stand-ins, $_", "$root location /v1/ { $behind artifact_source /s/; "
       . "} location /s/ { internal; $_ } location /w/ { artifact; }", @map)
    for 'artifact;', 'artifact; artifact_route on;',
        'rewrite ^/s/(.*) /w/$1 last;';

# --- readers ---------------------------------------------------------------

my $v1 = "location /v1/ { $expand }";
my $get = 'location /artifacts/ { artifact; artifact_route on; }';

warns($t, 'no map', '"artifact_expand" is "on" without '
      . '"artifact_capabilities"',
      "$root\nlocation /v1/ {\nartifact_expand on; #\n$pass }\n"
      . 'location /artifacts/ { artifact; }');
silent($t, 'no map, readers name capabilities', "$root $v1 "
       . 'location /artifacts/ { artifact; } artifact_accept $http_x;');
silent($t, 'no map, one reader', "$root $v1 artifact_accept 'text, vision'; "
       . 'location /artifacts/ { artifact; }');

warns($t, 'a service of downloads', '"artifact_service" "a", the reader of '
      . 'location "/artifacts/", also stands for every model of location "/v1/"',
      "$root\nartifact_service a; #\n$v1\n$get", @map);
warns($t, 'capabilities of downloads', '"artifact_accept" "text", the ',
      "$root\nartifact_accept text; #\n$v1\n$get", @map);
warns($t, 'a service of what is proxied', '"artifact_service" "a", the reader ',
      "$root\nartifact_service a; #\n$v1 location /artifacts/ { artifact; }\n"
      . "location /reports/ { artifact_route on; $pass }", @map);
warns($t, 'a service of an MCP server', '"artifact_service" "a", the reader ',
      "$root\nartifact_service a; #\n$v1 location /artifacts/ { artifact; }\n"
      . 'location = /mcp { artifact_mcp; }', @map);
silent($t, $_->[0], "$root $_->[1]", @map)
    for ['a service of an MCP server alone', "$v1 location /artifacts/ { "
         . 'artifact; } location = /mcp { artifact_mcp; artifact_service a; }'],
        ['another one for an MCP server', "artifact_service a; location /v1/ { "
         . "$expand artifact_service \$http_x; } location /artifacts/ { "
         . 'artifact; } location = /mcp { artifact_mcp; artifact_service b; }'],
        ['its own service', "location /v1/ { $expand artifact_service a; } "
         . $get],
        ['a service where it is meant', "$v1 location /artifacts/ { artifact; "
         . 'artifact_route on; artifact_service a; }'],
        ['a service of a client', "artifact_service \$http_x; $v1 $get"],
        ['no downloads', "artifact_service a; $v1 location /artifacts/ { "
         . 'internal; artifact; }'],
        ['set back', "artifact_service a; $get location /v1/ { $expand "
         . 'artifact_service $http_x_llm_service; }'];
silent($t, 'the only model', "$root artifact_service a; $v1 $get",
       http => 'artifact_capabilities %%PREFIX%%/one.json;');

warns($t, 'a service of no map', '"artifact_service" "c" is in no capability ',
      "$root\nartifact_service c; #\n$get", @map);
warns($t, 'for messages', '"artifact_service" "c" is in no capability map',
      "$root\n$get location /route { artifact_message;\n"
      . "artifact_service c; #\n}", @map);
silent($t, 'a service that matters to nobody', "$root artifact_service c; "
       . 'location /artifacts/ { artifact; }', @map);
silent($t, 'a service with capabilities', "$root artifact_service c; "
       . "artifact_accept text; $get", @map);

# --- caches ----------------------------------------------------------------

my @cache = (http => "$map proxy_cache_path %%PREFIX%%/cache keys_zone=z:1m;");
my $cache = 'proxy_cache z; proxy_cache_methods POST; proxy_cache_key ';

warns($t, 'answers of models', 'answers to POST are cached in location "/v1/", '
      . 'and no key has the body', "$root location /artifacts/ { artifact; }\n"
      . "location /v1/ {\nartifact_expand on; #\n$pass $cache \$uri; }", @cache);
warns($t, 'answers of tools', 'answers to POST are cached in location "/t/mcp"',
      "$root location /artifacts/ { artifact; }\nlocation /t/mcp {\n"
      . "artifact_offload on; #\n$pass $cache \$uri; }", @cache);
silent($t, 'answers of tools that stay as they are', "$root location /t/mcp { "
       . "$pass $cache \$uri; }", @cache);
silent($t, "answers of models, $_", "$root location /artifacts/ { artifact; } "
       . "location /v1/ { $expand $_ }", @cache)
    for "$cache\$artifact_body_hash;", "$cache\$artifact_body_hash\$request_body;",
        'proxy_cache z;',
        'proxy_cache_methods POST;';

my $rule = 'artifact_derive image image/jpeg /c/x body;';
my $converter = "location /c/ { internal; $pass";

warns($t, 'conversions', 'conversions are cached in location "/c/", and no key',
      "$root\n$v1 location /artifacts/ { artifact; }\n$rule #\n"
      . "$converter $cache \$uri; }", @cache);
silent($t, "conversions, $_", "$root $v1 location /artifacts/ { artifact; } "
       . "$rule $converter $_ }", @cache)
    for "$cache \$artifact_version\$uri;", "$cache \$artifact_body_hash;",
        'proxy_cache z;', '';

# --- rules -----------------------------------------------------------------

my $all = "$v1 location /artifacts/ { artifact; }";

warns($t, 'a converter that is a model', '"artifact_derive" asks "/c/x", which '
      . 'leads to location "/"', "$root location /artifacts/ { artifact; }\n"
      . "$rule #\nlocation / { artifact_expand on; $pass }", @map);
silent($t, 'a converter at the root', "$root $all $rule location / { $pass }",
       @map);
warns($t, 'an open converter', '"artifact_derive": location "/c/" is open to ',
      "$root\n$all\n$rule #\nlocation /c/ { $pass }", @map);
silent($t, "a converter, $_", "$root $all $rule location /c/ { $pass $_ }",
       @map)
    for 'internal;', 'allow 127.0.0.1; deny all;';
silent($t, 'a converter of all', "$root $all $rule location / { $pass }", @map);
silent($t, 'an unused one', "$root location /artifacts/ { artifact; } $rule "
       . "location /c/ { $pass }", @map);

warns($t, 'no body, and no id', '"artifact_derive" asks "/c/x" for a '
      . 'conversion, and does not tell of what', "$root\n$all\n"
      . "artifact_derive image image/jpeg /c/x; #\n$converter }", @map);
silent($t, "no body, $_", "$root $all artifact_derive image image/jpeg $_; "
       . "$converter }", @map)
    for '/c/', '/c/$arg_x', '/c/x/ body';

sub replaced {
    my ($outer, $own) = @_;

    return "$root\nlocation /artifacts/ { artifact; } $converter }\n"
        . join('', map { "artifact_derive $_ /c/x body;\n" } @$outer)
        . "location /v1/ { artifact_expand on; $pass\n"
        . join('', map { "artifact_derive $own->[$_] /c/x body;"
                         . ($_ ? "\n" : " #\n") } 0 .. $#$own) . '}';
}

my @heic = ('image/heic image/jpeg');
my $lost = '"artifact_derive" in location "/v1/" replaces all rules of the '
    . 'block around it, and ';

warns($t, 'a lost type', "$lost\"image/heic\" of ",
      replaced(\@heic, ['application/pdf text/plain']), @map);
warns($t, 'a lost kind', "$lost\"audio\" of ",
      replaced(['audio,image image/jpeg'], ['image image/jpeg']), @map);
warns($t, 'one of two', "$lost\"image/avif\" of ",
      replaced(['image/heic,image/avif image/jpeg'], \@heic), @map);
warns($t, 'a lost type where nothing is composed', '"artifact_derive" in '
      . 'location "/a/" replaces all rules', "$root\n$converter }\n"
      . "artifact_derive image/heic image/jpeg /c/x body;\nlocation /a/ { "
      . "artifact; artifact_route on;\nartifact_derive application/pdf "
      . "text/plain /c/x body; #\n}", @map);
silent($t, 'a lost type where nothing is converted', "$root $converter } "
       . 'artifact_derive image/heic image/jpeg /c/x body; location /a/ { '
       . 'artifact; artifact_derive application/pdf text/plain /c/x body; }',
       @map);
silent($t, $_->[0], replaced(@$_[1, 2]) =~ s/#//r, @map)
    for ['repeated', \@heic, ['application/pdf text/plain', @heic]],
        ['a range', \@heic, ['image/* image/jpeg']],
        ['a kind', \@heic, ['image image/png']];

done_testing();
