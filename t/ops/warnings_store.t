#!/usr/bin/perl

# Data roots in which one location does not find what another has written, or
# in which a client chooses what it reads, are warned about.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactLint;
use ArtifactTest;

my $t = ArtifactTest->new;
my $prefix = $t->prefix;

mkdir "$prefix/$_"
    for qw(other artifacts full full/artifacts full/artifacts/artifacts);
$t->artifact('abc', 'text', {});
$t->file('map.json', { services => [{ id => 'a' }] });

my $map = 'artifact_capabilities %%PREFIX%%/map.json;';
my $root = 'artifact_root %%DATA%%;';
my $other = 'artifact_root %%PREFIX%%/other;';
my $pass = 'proxy_pass http://127.0.0.1:9; '
    . 'proxy_ignore_headers X-Accel-Redirect;';
my $size = 'client_max_body_size 8m;';

# --- the folder ------------------------------------------------------------

warns($t, 'artifacts/ itself', "\"artifact_root\" \"$prefix/data/artifacts\" "
      . 'is such a folder itself', "location /a/ {\nartifact;\n"
      . "artifact_root %%DATA%%/artifacts; #\n}");
warns($t, 'with a slash', 'is such a folder itself',
      "artifact_root %%DATA%%/artifacts/; #\nlocation /a/ { artifact; }\n"
      . 'location /w/ { artifact_workspace; }');
$t->workspace_file('w', 'a', 'text');
warns($t, 'workspaces/ itself', 'is such a folder itself',
      "artifact_root %%DATA%%/workspaces; #\nlocation /w/ { "
      . 'artifact_workspace; }');
silent($t, 'one of that name, still empty',
       'artifact_root %%PREFIX%%/artifacts; location /a/ { artifact; }');
silent($t, 'one of that name with what belongs there',
       'artifact_root %%PREFIX%%/full/artifacts; location /a/ { artifact; }');

# --- the client ------------------------------------------------------------

for my $name (qw($http_x_tenant ${http_x_tenant} $arg_t $cookie_t)) {
    my $by = "artifact_root $prefix/$name;";

    warns($t, $name, "\"artifact_root\" \"$prefix/$name\" has a part that the "
          . 'client chooses', "$by #\nlocation /a/ { artifact; }");
    silent($t, "$name, $_", "$by location /a/ { artifact; $_ }")
        for 'allow 10.0.0.1; deny all;', 'auth_request /b;',
            'if ($http_x_tenant !~ "^[a-z]+\z") { return 400; }';
    silent($t, "$name, unused", "$by location /a/ { }");
}

warns($t, 'with a password of one of them', 'has a part that the client chooses',
      "artifact_root $prefix/\$http_x_tenant; #\nlocation /a/ { artifact; "
      . 'auth_basic a; auth_basic_user_file u; }');
silent($t, 'of a map', "artifact_root $prefix/\$t; location /a/ { artifact; }",
       http => 'map $http_x_tenant $t { a a; }');

# --- writes that are not found ---------------------------------------------

my $expand = "location /v1/ { artifact_expand on; $size $pass }";
my $lost = "writes into \"artifact_root\" \"$prefix/other\", and location ";

my %writer = (
    artifact_files => "location /v1/files {\nartifact_files; #\n",
    artifact_mcp => "location /mcp {\nartifact_mcp; #\nartifact_write on; ",
    artifact_workspace =>
        "location /w/ {\nartifact_workspace; #\nartifact_write on; ",
    artifact => "location /new/ {\nartifact; #\nartifact_write on; ",
    artifact_offload => "location /v2/ {\nartifact_offload on; #\n$pass ",
);

for my $name (sort keys %writer) {
    my $writer = "$writer{$name} $size";
    my $reads = "$root $expand location /artifacts/ { internal; artifact; }\n";
    my @conf = (http => $map);

    warns($t, "$name elsewhere", "\"$name\" of location ",
          "$reads $writer $other }", @conf);
    silent($t, "$name in the same", ("$reads $writer }") =~ s/#//r, @conf);
    silent($t, "$name and another source", ("$reads $writer $other } "
           . "location /t/v1/ { artifact_expand on; $size $pass "
           . 'artifact_source /t/a/; } '
           . "location /t/a/ { internal; artifact; $other }") =~ s/#//r, @conf);
    silent($t, "$name, a source with variables", ("$reads $writer $other } "
           . "location /t/v1/ { artifact_expand on; $size $pass "
           . 'artifact_source /$t/; }') =~ s/#//r,
           http => "$map map \$host \$t { a t/a; }");
    silent($t, "$name, a root with variables",
           ("$reads $writer artifact_root %%PREFIX%%/\$t; }") =~ s/#//r,
           http => "$map map \$host \$t { a t/a; }");
    silent($t, "$name alone", ("$root $writer $other } ") =~ s/#//r)
        if $name ne 'artifact_offload';
}

warns($t, 'offload and the source of one location', $lost,
      "$root\nlocation /v1/ { artifact_expand on; $size $other\n"
      . "artifact_offload on; #\n$pass } "
      . 'location /artifacts/ { internal; artifact; }', http => $map);
warns($t, 'offload alone', $lost, "$root\nlocation /v1/ { $size $other\n"
      . "artifact_offload on; #\n$pass } location /artifacts/ { artifact; }");
silent($t, 'offload and another server', "$root location /v1/ { $size $other "
       . "artifact_offload on; $pass } location /artifacts/ { artifact; }",
       http => 'server { listen 127.0.0.1:%%PORT%%; server_name b; '
               . "location / { artifact; $other } }");
silent($t, 'offload and a store', "$root location /v1/ { $size $other "
       . "artifact_offload on; $pass } location /a/ { artifact_decode on; "
       . "$pass } location /artifacts/ { artifact; }");

# --- layouts ---------------------------------------------------------------

my $layout = 'location "/v1/" has another "artifact_layout" than location '
    . '"/artifacts/", which writes into the same "artifact_root"';

sub layouts {
    my ($writer, $reader) = @_;
    return "$root\nlocation /artifacts/ { artifact; artifact_write on; "
        . "$writer }\nlocation /v1/ { artifact_mcp;\n$reader #\n}";
}

warns($t, 'levels and flat', $layout,
      layouts('artifact_layout levels=1:2;', 'artifact_layout flat;'));
warns($t, 'two levels', $layout, layouts('artifact_layout levels=1:2;',
                                         'artifact_layout levels=2:2;'));
warns($t, 'once for several', $layout, "$root\nlocation /artifacts/ { artifact; "
      . "artifact_write on; artifact_layout levels=1; }\n"
      . "artifact_layout flat; #\nlocation /v1/ { artifact_mcp; }\n"
      . 'location /v2/ { artifact_mcp; } location /a/ { artifact; }');
warns($t, 'flat and levels only', $layout,
      layouts('', 'artifact_layout levels=1 from=none;'));
silent($t, $_->[0], layouts(@$_[1 .. 2]) =~ s/#//r)
    for ['the same', ('artifact_layout levels=2:2;') x 2], ['flat', '', ''],
        ['from flat', '', 'artifact_layout levels=1;'],
        ['from levels', 'artifact_layout levels=1;',
         'artifact_layout flat from=1;'];
silent($t, 'levels in another root', "$root artifact_write on; location /a/ { "
       . "artifact; artifact_layout levels=1; } location /b/ { artifact; $other }");
silent($t, 'workspaces', "$root artifact_write on; location /a/ { artifact; "
       . 'artifact_layout levels=1; } location /w/ { artifact_workspace; }');

# --- times -----------------------------------------------------------------

my $days = '"artifact_expires" "30" is a time in seconds: write "30d" for days';

warns($t, 'no unit', $days, "$root\nlocation /a/ { artifact;\n"
      . "artifact_write on;\nartifact_expires 30; #\n}");
silent($t, "of $_", "$root location /a/ { artifact; artifact_expires $_; }")
    for qw(30d 30s 86400 off 1m);

my $offload = "location /v1/ {\nartifact_offload on; #\n$size $pass ";
my $files = 'location /v1/files { artifact_files; ' . $size;
my $artifacts = 'location /artifacts/ { artifact; }';

warns($t, 'offload for ever', '"artifact_offload" of location "/v1/" has no '
      . '"artifact_expires", as location "/v1/files" has',
      "$root $artifacts $files artifact_expires 1d; }\n$offload }");
silent($t, $_->[0], "$root $artifacts $_->[1]" =~ s/#//r)
    for ['for as long', "artifact_expires 1d; $files } $offload }"],
        ['off', "$files artifact_expires 1d; } $offload "
                . 'artifact_expires off; }'],
        ['all for ever', "$files } $offload }"],
        ['another root', "$files artifact_expires 1d; } location /b/ { "
                         . "artifact; $other } "
                         . "$offload $other }"];

# --- long texts, and stand-ins -----------------------------------------------

my $tools = "location /tools/mcp {\nartifact_offload_text 16k; #\n$pass }";

warns($t, 'texts that nobody reads', '"artifact_offload_text" of location '
      . "\"/tools/mcp\" writes into \"artifact_root\" \"$prefix/data\", and "
      . '"artifact_mcp" of location "/mcp"',
      "$root\n$tools\nlocation = /mcp { artifact_mcp; $other }");
silent($t, $_->[0], "$root $tools $_->[1]" =~ s/#//r)
    for ['a reader', 'location = /mcp { artifact_mcp; }'],
        ['one of two', 'location = /mcp { artifact_mcp; } '
                       . "location = /b { artifact_mcp; $other }"],
        ['a root with variables', 'location = /mcp { artifact_mcp; '
                                  . "artifact_root $prefix/\$server_name; }"],
        ['a reader elsewhere', $artifacts],
        ['off', 'location /b/mcp { artifact_offload_text off; '
                . "$pass } location = /mcp { artifact_mcp; }"];

my $front = "location /v1/ {\nartifact_offload_request on; #\n$size $pass }";
silent($t, 'stand-ins for a day', "$root $artifacts "
       . ($front =~ s/#//r =~ s/}/\nartifact_expires 1d; }/r));

my $behind = 'location /back/ { artifact_accept text; '
    . "artifact_expand standins; $size $pass";

warns($t, 'stand-ins that nobody finds', '"artifact_offload_request" of '
      . "location \"/v1/\" writes into \"artifact_root\" \"$prefix/data\", and "
      . 'location "/back/", where stand-ins come back,',
      "$root\n$front\n$behind } location /artifacts/ { internal; artifact; "
      . "$other }");
silent($t, $_->[0], "$root $front $_->[1]" =~ s/#//r)
    for ['the same', "$behind } location /artifacts/ { internal; artifact; }"],
        ['behind another nginx', $artifacts],
        ['one of two', "$behind } location /artifacts/ { internal; artifact; } "
                       . 'location /b/ { artifact_expand standins; '
                       . 'artifact_accept text; artifact_source /other/; '
                       . "$size $pass } "
                       . "location /other/ { internal; artifact; $other }"];

done_testing();
