#!/usr/bin/perl

# Mistakes that nginx accepts are warned about, once, with file and line; what
# is no mistake is not.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

my $t = ArtifactTest->new;
my $prefix = $t->prefix;

$t->file('map.json', { services => [{ id => 'a' }] });
$t->file('no_folder', 'a file');

# A location that passes requests on, as all that compose need it.

my $model = 'proxy_pass http://127.0.0.1:9; client_max_body_size 8m; '
    . 'proxy_ignore_headers X-Accel-Redirect;';
my $artifacts = 'artifact_root %%DATA%%; location /artifacts/ { artifact; }';

# Warnings of nginx -t, each without what stands before and after it.

sub warnings_of {
    my (%conf) = @_;

    # a map, for what has no effect without one

    $conf{http} = 'artifact_capabilities %%PREFIX%%/map.json; '
        . ($conf{http} // '')
        if ($conf{server} // '') =~ /artifact_expand on/
           && ($conf{http} // '') !~ /artifact_capabilities/;

    my ($code, $out) = $t->conf_test(as_is => 1, %conf);
    is($code, 0, 'accepted') or diag($out);
    return map { s/^.*?\[warn\] //r } grep { /\[warn\]/ } split /\n/, $out;
}

# What is warned about; the directive at fault stands on the line that is marked
# by an empty comment, and is told with it.

sub warns {
    my ($name, $text, $server, %conf) = @_;

    my @got = warnings_of(server => $server, %conf);
    is(scalar @got, 1, "$name: one warning") or diag(join "\n", @got);
    like($got[0] // '', qr/^\Q$text\E/, "$name: its text");

    my @lines = split /\n/, slurp("$prefix/conftest.conf");
    my ($line) = grep { $lines[$_ - 1] =~ /#\s*\z/ } 1 .. @lines;
    like($got[0] // '', qr/ in \Q$prefix\E\/conftest\.conf:$line\z/,
         "$name: its line");
}

sub silent {
    my ($name, $server, %conf) = @_;

    is(join("\n", warnings_of(server => $server, %conf)), '',
       "$name: no warning");
}

# --- capability maps ------------------------------------------------------

sub map_warns {
    my ($name, $map, @expected) = @_;

    $t->file('names.json', $map);
    my @got = warnings_of(http => 'artifact_capabilities '
                                  . '%%PREFIX%%/names.json;');
    is(scalar @got, scalar @expected, "$name: warnings")
        or diag(join "\n", @got);

    for my $i (0 .. $#expected) {
        my ($text, $line) = @{ $expected[$i] };
        my $where = qq(in "$prefix/names.json" line $line in);

        like($got[$i] // '',
             qr{^\Q$text $where $prefix\E/conftest\.conf:\d+\z},
             "$name: $text");
    }
}

sub unknown {
    my ($id, $what, $name, $meant, $line) = @_;
    return [qq(service "$id": unknown $what "$name" )
            . qq((did you mean "$meant"?)), $line];
}

for my $case (['visoin', 'vision'], ['vison', 'vision'], ['Vision', 'vision'],
              ['viison', 'vision'], ['audoi', 'audio'], ['vidio', 'video'],
              ['txet', 'text'], ['files', 'file'], ['pdfs', 'pdf'],
              ['image', 'vision'], ['images', 'vision'],
              ['picture', 'vision'], ['document', 'file'],
              ['image/png', 'vision'])
{
    my ($name, $meant) = @$case;
    map_warns($name, qq({"services":[{"id":"a"},\n{"id":"b",\n)
              . qq("capabilities":{\n"input":["text",\n"$name"]}}]}\n),
              unknown('b', 'input capability', $name, $meant, 5));
}

map_warns('both directions', '{"services":[{"id":"a","capabilities":'
          . '{"input":["image"],"output":["image"]}}]}',
          unknown('a', 'input capability', 'image', 'vision', 1),
          unknown('a', 'output capability', 'image', 'vision', 1));

for my $case (['capabilites', 'capabilities', '{}'],
              ['Capabilities', 'capabilities', '{}'],
              ['max_bytes', 'maxBytes', 5], ['maxside', 'maxSide', 8000],
              ['max_medias', 'maxMedia', 20], ['accept', 'accepts', '[]'],
              ['fromat', 'format', '"openai"'], ['modle', 'model', '"m"'],
              ['input', 'capabilities', '["text"]'],
              ['output', 'capabilities', '["text"]'])
{
    my ($name, $meant, $value) = @$case;
    map_warns($name, qq({"services":[{"id":"a",\n\n"$name":$value}]}),
              unknown('a', 'member', $name, $meant, 3));
}

map_warns('a direction', '{"services":[{"id":"a","capabilities":'
          . "{\"input\":[],\n\"ouput\":[]}}]}",
          unknown('a', 'member', 'ouput', 'output', 2));
map_warns('agents', "{\"services\":[],\n\"agent\":[]}",
          ['unknown member "agent" (did you mean "agents"?)', 2]);
map_warns('a fault', "{\"services\":[{\"id\":\"a\"},\n7]}",
          ['services[1] is not an object, skipped', 2]);

map_warns('names of its own', { services => [{
    id => 'a', mode => 'chat', model => 'm', models => [], provider => 'p',
    apiKey => 'k', baseURL => 'u', enabled => 1, capabilities => {
        input => [qw(text vision audio video file pdf smell code live)],
        output => [qw(text tool_calling structured_output reasoning)] } }],
    agents => [], events => [] });

for my $public (qw(litellm models-dev openrouter)) {
    map_warns($public, slurp("$FindBin::Bin/../data/$public.json"));
}

# --- artifact_accept ------------------------------------------------------

warns('an unknown word',
      'unknown capability "visoin" in "artifact_accept" directive, it must '
      . 'be "text", "vision", "audio", "video", "file" or "pdf" in ',
      "location / {\nartifact_accept 'text, visoin'; #\n}");
silent('known words in any case',
       'location / { artifact_accept "TEXT,Vision pdf"; }');
silent('a variable', 'location / { artifact_accept "images $arg_x"; }');
silent('nothing', 'location / { artifact_accept ""; }');

is(scalar(warnings_of(server =>
    'location / { artifact_accept "pictures sounds"; }')), 2,
   'two unknown words');

# --- artifact_root --------------------------------------------------------

warns('a missing root',
      qq("artifact_root": stat() "$prefix/none" failed )
      . '(2: No such file or directory) in ',
      "location /a/ {\nartifact;\nartifact_root none; #\n}");
warns('a root that is a file',
      qq("artifact_root": "$prefix/no_folder" is not a directory in ),
      "location /a/ {\nartifact_root %%PREFIX%%/no_folder; #\nartifact;\n}");
warns('an inherited one', '"artifact_root": stat() "/none" failed',
      "artifact_root /none; #\nlocation /a/ { artifact; }\n"
      . "location /w/ { artifact_workspace; if (\$arg_x) { } }");
warns('one for what is offloaded', '"artifact_root": stat()',
      "artifact_root /none; #\nlocation /a/ { artifact_offload on; $model }");
warns('no root',
      'no "artifact_root" is defined for location "/a/": nothing will be ',
      "location /a/ {\nartifact; #\nlimit_except GET { allow all; }\n}");
silent('a root that is not used',
       "artifact_root /none; location / { } location /a/ { artifact; "
       . 'artifact_root %%DATA%%; }');
silent('a variable root', 'location /a/ { artifact; artifact_root /n$t; }',
       http => 'map $arg_x $t { a /a; }');

# --- the handlers' locations ----------------------------------------------

my $beside = 'is in location "/a/" beside another directive that answers '
    . 'requests, such as "proxy_pass": only the last of them has an effect in ';

for my $name (qw(artifact artifact_workspace artifact_services
                 artifact_status artifact_message artifact_inspector))
{
    my $conf = "$artifacts\nlocation /a/ {\n";

    warns("$name before another handler", qq("$name" $beside),
          "$conf$name; #\nproxy_pass http://127.0.0.1:9;\n}");
    warns("$name after another handler", qq("$name" $beside),
          "${conf}stub_status;\n$name; #\n}");
    warns("$name beside return",
          qq("$name" has no effect in location "/a/", since "return" answers),
          "$conf$name; #\nreturn 204;\n}");
    silent("$name with a handler in if",
           "${conf}$name; if (\$arg_x) { proxy_pass http://127.0.0.1:9; } }");
    silent("$name for the variables of return",
           "$conf$name; return 302 /b/\$artifact_id; }");
    silent("$name with return in if",
           "${conf}$name; if (\$arg_x) { return 404; } }");
}

for my $name ('artifact', 'artifact_workspace', 'artifact_decode on') {
    my ($directive) = split / /, $name;

    warns("$name in an exact location",
          qq("$directive" is in location "= /a/", which gets no URI with a )
          . 'reference, use "location /a/" in ',
          "artifact_root %%DATA%%;\nlocation = /a/ {\n$name; #\n}");
}

silent('an exact location for the listing',
       'artifact_root %%DATA%%; location = /a/ { artifact; '
       . 'artifact_index on; }');
silent('an exact location for new artifacts',
       'artifact_root %%DATA%%; location = /a/ { artifact; '
       . 'artifact_write on; }');
silent('exact locations of others', 'location = /s/ { artifact_services; } '
       . 'location = /status { artifact_status; }');

# --- artifact_expand ------------------------------------------------------

my $useless = '"artifact_expand" has no effect: no location that it applies '
    . 'to passes requests on, as "proxy_pass" does in ';

warns('nothing passes requests on', $useless,
      "$artifacts\nlocation /v1/ {\nartifact_expand on; #\n}");
warns('nothing in any location', $useless,
      "$artifacts\nartifact_expand on; #\nlocation /v1/ { }\nlocation / { }");
warns('nothing in a server without locations', $useless,
      'artifact_expand on; #');
warns('return passes nothing on', $useless,
      "$artifacts\nlocation /v1/ {\nreturn 204;\nartifact_expand on; #\n}");

for my $passes ('proxy_pass http://127.0.0.1:9', 'fastcgi_pass 127.0.0.1:9',
                'uwsgi_pass 127.0.0.1:9', 'scgi_pass 127.0.0.1:9',
                'grpc_pass 127.0.0.1:9', 'memcached_pass 127.0.0.1:9',
                'try_files /none @model', 'error_page 405 = @model')
{
    silent($passes, "$artifacts location /v1/ { artifact_expand on; "
           . "client_max_body_size 8m; $passes; set \$memcached_key k; } "
           . 'location @model { proxy_pass http://127.0.0.1:9; }');
}

silent('one location of several', "$artifacts artifact_expand on; "
       . "location /v1/ { $model } location / { }");
silent('a block in a location', "$artifacts location /v1/ { "
       . "artifact_expand on; client_max_body_size 8m; "
       . 'if ($arg_x) { proxy_pass http://127.0.0.1:9; } }');
silent('off', 'artifact_expand off; location / { }');

for my $format (qw(openai_compatible object)) {
    warns("$format is no API",
          '"artifact_expand" has no effect with "artifact_format" '
          . qq("$format", which is no API of requests in ),
          "$artifacts artifact_format $format;\nlocation /v1/ {\n"
          . "artifact_expand on; #\n$model\n}");
}

for my $format (qw(openai mistral openrouter mcp $arg_format "")) {
    silent("the format $format", "$artifacts location /v1/ { "
           . "artifact_expand on; artifact_format $format; $model }");
}

# --- artifact_derive ------------------------------------------------------

my $nowhere = 'no location of the server matches the URI "/convert/x" of '
    . '"artifact_derive": requests that need it will fail';

sub derive {
    my ($uri, $locations) = @_;
    return "artifact_derive image image/jpeg /conv/;\n"
         . "artifact_derive image image/png $uri body; #\n"
         . "$artifacts location /v1/ {\nartifact_expand on;\n$model\n}\n"
         . "location /conv/ { internal; $model } $locations";
}

warns('no location for a conversion', $nowhere, derive('/convert/x', ''));
warns('nor one without its arguments', $nowhere =~ s{/x"}{/x?a"}r,
      derive('/convert/x?a', ''));
silent('a location for a conversion',
       derive('/convert/x', 'location /convert/ { }'));
silent('an exact one', derive('/convert/x?a', 'location = /convert/x { }'));
silent('a URI with a variable', derive('/convert/$arg_x', ''));

# --- artifact_source ------------------------------------------------------

sub source {
    my ($source, $locations) = @_;
    return "location /v1/ {\nartifact_expand on;\n$model\n$source\n}\n"
           . $locations;
}

my $wrong = 'no location of the server matches "artifact_source" "/files/": '
    . 'no reference will be found in ';

warns('no location for the source', $wrong,
      source('artifact_source /files/; #', $artifacts));
warns('no location for the default',
      'no location of the server matches "/artifacts/", the default of '
      . '"artifact_source": "artifact_expand" will find no reference in ',
      "location /v1/ {\nartifact_expand on; #\n$model\n}");
warns('no location for messages',
      'no location of the server matches "/artifacts/", the default of '
      . '"artifact_source": "artifact_message" will find no reference in ',
      "location /route {\nartifact_message; #\n}");
warns('only exact and named ones', $wrong,
      source('artifact_source /files/; #', 'location = /files { } '
             . 'location = /files/ { } location @files { } '
             . 'location /file/ { } location /v1/files/ { }'));
warns('one in another server only', $wrong,
      source('artifact_source /files/; #', $artifacts),
      http => 'server { listen 127.0.0.1:%%PORT%%; server_name b; '
              . 'location /files/ { } }');
warns('an inherited one in two servers', $wrong,
      source('', $artifacts),
      http => "artifact_source /files/; #\nserver { server_name b; "
              . "listen 127.0.0.1:%%PORT%%; " . source('', $artifacts) . ' }');

for my $location ('/files/', '/files', '/', '/fi', '^~ /files/', '~ ^/f',
                  '/files/deep/', '= /files/one')
{
    silent("location $location", source('artifact_source /files/;',
                                        "location $location { }"));
}

silent('a source with a variable', source('artifact_source /t/$arg_t/;', ''));
silent('a server that rewrites', 'rewrite ^/files/(.*) /v1/$1; '
       . source('artifact_source /files/;', ''));
silent('a server with such a folder', 'root %%PREFIX%%; '
       . source('artifact_source /data/;', ''));
silent('a source without use', "location / { artifact_source /files/; }");

warns('no slash at the end',
      '"artifact_source" "/artifacts" does not end in "/": the artifact '
      . '"abc" would be "/artifactsabc" in ',
      source('artifact_source /artifacts; #', $artifacts));
warns('no slash at the beginning',
      '"artifact_source" "artifacts/" does not begin with "/": no location ',
      source('artifact_source artifacts/; #', $artifacts));
warns('a URL without it',
      '"artifact_url" "http://a/artifacts" does not end in "/": the '
      . 'artifact "abc" would be "http://a/artifactsabc" in ',
      source('artifact_url http://a/artifacts; #', $artifacts));
silent('URLs', 'artifact_url http://a/artifacts/; '
       . source('artifact_url http://a/get/id-;', $artifacts));
silent('an end on purpose', source('artifact_source /files/id-;',
                                   'location /files/ { }'));

# --- artifact_route -------------------------------------------------------

my $blind = '"artifact_route" is "on" without "artifact_capabilities": no '
    . 'service is known, all get text only; if readers name capabilities, set '
    . '"artifact_accept" in ';

warns('no map', $blind,
      "$artifacts\nartifact_route on; #\nlocation / { }");
warns('no map, in a location', $blind,
      "location / {\nartifact_route on; #\nif (\$arg_x) { } }");
silent('always', "$artifacts artifact_route always;");
silent('off in all locations',
       'artifact_route on; location / { artifact_route off; }');
silent('a map', "$artifacts artifact_route on;",
       http => 'artifact_capabilities %%PREFIX%%/map.json;');
silent('stated capabilities',
       "$artifacts artifact_route on; artifact_accept \$http_x_caps;");
warns('an MCP server without a root',
      'no "artifact_root" is defined for location "/mcp": nothing will be ',
      "location = /mcp { artifact_mcp; #\n }");
warns('origins of nothing',
      '"artifact_origin" has no effect in location "/a/", which has no ',
      "location /a/ { artifact_origin https://a.example; #\n }");
warns('origins of what is only read',
      '"artifact_mcp_origin" has no effect in location "/artifacts/", which ',
      'artifact_root %%DATA%%; location /artifacts/ { artifact; '
      . "artifact_mcp_origin https://a.example; #\n }");
silent('origins of artifacts',
       'artifact_root %%DATA%%; artifact_write on; location /artifacts/ { '
       . 'artifact; artifact_origin https://a.example; }');
warns('files in an exact location',
      '"artifact_files" is in location "= /v1/files", which gets no URI',
      'artifact_root %%DATA%%; client_max_body_size 9m; '
      . "location = /v1/files { artifact_files; #\n }");
warns('files without a root',
      'no "artifact_root" is defined for location "/v1/files": nothing ',
      'client_max_body_size 9m; '
      . "location /v1/files { artifact_files; #\n }");
warns('files of 1m', '"artifact_files" with a "client_max_body_size" of 1m',
      'artifact_root %%DATA%%; '
      . "location /v1/files { artifact_files; #\n }");
silent('files', 'artifact_root %%DATA%%; location /v1/files { artifact_files; '
       . 'client_max_body_size 9m; }');
silent('an MCP server', "artifact_root %%DATA%%; location = /mcp { artifact_mcp; "
       . 'artifact_mcp_origin https://a.example "$http_x"; }');

silent('a format without a reader',
       "$artifacts artifact_route on; artifact_format object;");

# --- client_max_body_size -------------------------------------------------

my $small = q(with a "client_max_body_size" of 1m, nginx's default: larger )
    . 'requests, as with images in base64, are refused with 413 in ';

my $pass = 'proxy_pass http://127.0.0.1:9; '
    . 'proxy_ignore_headers X-Accel-Redirect;';

warns('expand', qq("artifact_expand" $small),
      "$artifacts\nlocation / {\nartifact_expand on; #\n$pass\n}");
warns('offload', qq("artifact_offload" $small),
      "$artifacts\nlocation / {\nartifact_offload on; #\n$pass\n}");
warns('both', qq("artifact_expand" $small),
      "$artifacts\nlocation / {\nartifact_offload on;\n"
      . "artifact_expand on; #\n$pass\n}");
warns('inherited by several', qq("artifact_expand" $small),
      "$artifacts\nartifact_expand on; #\nlocation / { $pass }\n"
      . "location /v2/ { $pass }\nlocation /v3/ { $model }");
silent("of $_", "$artifacts client_max_body_size $_; location / { "
       . "artifact_expand on; artifact_offload on; $pass }")
    for qw(64m 0 512k);
silent('1m, which was chosen', "$artifacts location / { artifact_expand on; "
       . "$pass }", http => 'client_max_body_size 1m;');
silent('tools', "$artifacts location /mcp { artifact_offload on; $pass } "
       . "location / { artifact_offload on; artifact_format mcp; $pass }");

# --- once -----------------------------------------------------------------

$t->file('snippet.conf', <<'END');
location /a/ {
    artifact;
    artifact_accept visoin;
    artifact_root /none;
}
END

my @got = warnings_of(server => 'include %%PREFIX%%/snippet.conf;', http =>
    'server { listen 127.0.0.1:%%PORT%%; server_name b; '
    . 'include %%PREFIX%%/snippet.conf; }');

is(scalar @got, 2, 'a file that is included twice: each warning once')
    or diag(join "\n", @got);
like($got[0], qr/visoin.* in \Q$prefix\E\/snippet\.conf:3\z/, 'and its line');
like($got[1], qr/none.* in \Q$prefix\E\/snippet\.conf:4\z/, 'and that of both');

# --- a reload -------------------------------------------------------------

$t->start(server => $artifacts);
unlike($t->log, qr/\[warn\]/, 'a good configuration is started silently');

ok($t->reload(server => "artifact_root /none;\nlocation /a/ { artifact; }"),
   'a bad one is loaded');
my $count = () = $t->log =~ /\[warn\].*"artifact_root": stat\(\) "\/none"/g;
is($count, 1, 'with the warning, once');

$t->finish;
