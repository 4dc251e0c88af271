#!/usr/bin/perl

# Directives of nginx that undo what a location does, or lead round what protects
# the store, are warned about; what looks like them and is right is not.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactLint;
use ArtifactTest;

my $t = ArtifactTest->new;

$t->file('map.json', { services => [{ id => 'a' }] });

my @map = (http => 'artifact_capabilities %%PREFIX%%/map.json;');
my $root = 'artifact_root %%DATA%%;';
my $size = 'client_max_body_size 8m;';
my $pass = 'proxy_pass http://127.0.0.1:9; '
    . 'proxy_ignore_headers X-Accel-Redirect;';
my $source = 'location /artifacts/ { internal; artifact; }';
my $password = 'auth_basic a; auth_basic_user_file u;';
my $open = 'listen 0.0.0.0:%%PORT%%;';

# --- the body ----------------------------------------------------------------

sub body {
    my ($more, $how, $by) = @_;
    $by //= $pass;
    return "$root $source location /v1/ {\n$how; #\n$size $by $more }";
}

my %how = ('artifact_expand' => 'artifact_expand on',
           'artifact_argument' => 'artifact_argument data');
my $not = ' has no effect in location "/v1/" beside ';

for my $name (sort keys %how) {
    my $how = $how{$name};

    warns($t, "$name, $_->[1]", "\"$name\"$not\"$_->[1]\"",
          body($_->[0], $how), @map)
        for ['proxy_pass_request_body off;', 'proxy_pass_request_body off'],
            ['proxy_set_body "{}";', 'proxy_set_body'];
    silent($t, "$name, $_", body($_, $how) =~ s/#//r, @map)
        for 'proxy_pass_request_body on;', 'proxy_pass_request_headers off;',
            'fastcgi_pass_request_body off;', 'proxy_request_buffering off;';
}

warns($t, 'FastCGI', "$not\"fastcgi_pass_request_body off\"",
      body('fastcgi_pass_request_body off;', 'artifact_expand on',
           'fastcgi_pass 127.0.0.1:9;'), @map);
silent($t, 'inherited by another module',
       'proxy_pass_request_body off; '
       . body('', 'artifact_expand on', 'fastcgi_pass 127.0.0.1:9;')
         =~ s/#//r, @map);
warns($t, 'with variables', "$not\"proxy_pass_request_body off\"",
      body('proxy_pass_request_body off;', 'artifact_expand on',
           'proxy_pass http://$host;'), @map);
silent($t, 'a location that asks who it is', body(
    'auth_request /who;', 'artifact_expand on') =~ s/#//r . ' location = /who '
    . "{ internal; artifact_expand off; $pass proxy_pass_request_body off; "
    . 'proxy_set_header Content-Length ""; }', @map);

sub derive {
    my ($rule, $more) = @_;
    return "$root $source location /v1/ { artifact_expand on; $size $pass\n"
        . "artifact_derive image text/plain $rule; #\n} "
        . "location /c/ { internal; $pass $more }";
}

warns($t, 'a converter', 'location "/c/" has "proxy_pass_request_body off"',
      derive('/c/ body', 'proxy_pass_request_body off;'), @map);
warns($t, 'a converter, another body', 'location "/c/" has "proxy_set_body"',
      derive('/c/ body', 'proxy_set_body a;'), @map);
silent($t, 'a converter that is asked by GET',
       derive('/c/', 'proxy_pass_request_body off;') =~ s/#//r, @map);

# --- pages -------------------------------------------------------------------

my $page = 'answers with "/x.html" and another status instead of ';

for my $feature ('artifact', 'artifact_workspace', 'artifact_decode on') {
    my ($name) = split / /, $feature;
    my $by = $name eq 'artifact_decode' ? $pass : '';

    warns($t, "$name, $_->[0]", "\"$name\" in location \"/a/\" $page$_->[1]",
          "$root $_->[0] location /a/ {\n$feature; #\n$by }")
        for ['error_page 404 =200 /x.html;', 404],
            ['error_page 404 = /x.html;', 404],
            ['error_page 403 404 =200 /x.html;', 403];
    silent($t, "$name, $_", "$root $_ location /a/ { $feature; $by }")
        for 'error_page 404 /x.html;', 'error_page 404 = @x;',
            'error_page 404 =404 /x.html;', 'error_page 500 =200 /x.html;',
            'error_page 404 =200 http://a.example/;',
            "error_page 404 = /x/; location /x/ { $pass }",
            'error_page 404 = /x/; location /x/ { artifact; }',
            'error_page 404 = /x; location = /x { return 404 "{}"; }';
}

silent($t, 'a page of another location', "$root location /a/ { artifact; } "
       . 'location / { error_page 404 =200 /x.html; }');
silent($t, 'a page of its own', "$root error_page 404 =200 /x.html; "
       . 'location /a/ { artifact; error_page 404 /x.html; }');

# --- the source --------------------------------------------------------------

my $itself = 'of location "/v1/" leads to this location itself';

warns($t, 'itself', $itself, "$root location /v1/ { artifact_expand on; $size "
      . "$pass\nartifact_source /v1/a/; #\n}", @map);
silent($t, 'below it', "$root location /v1/ { artifact_expand on; $size $pass "
       . 'artifact_source /v1/a/; location /v1/a/ { artifact; } }', @map);
silent($t, 'a store that inherits', "$root artifact_expand on; $size "
       . "location /v1/ { $pass } location /artifacts/ { artifact_decode on; "
       . "$pass }", @map);

sub access {
    my ($here, $there, $more) = @_;
    return ($more // '') . " $root location /v1/ { artifact_expand on; $size "
        . "$pass $here } location /artifacts/ {\nartifact; #\n$there }";
}

my $free = 'location "/artifacts/" asks for a password, or another server, and '
    . 'is where location "/v1/", which asks for nothing';

warns($t, 'a password there', $free, access('', $password), @map);
warns($t, 'a request there', $free, access('', 'auth_request /who;'), @map);
silent($t, "a password there, $_ here", access($_, $password) =~ s/#//r, @map)
    for $password, 'auth_request /who;', 'allow 10.0.0.1; deny all;',
        'if ($http_x_key != a) { return 403; }';
silent($t, 'addresses there', access('', 'deny all;') =~ s/#//r, @map);

my $beside = 'which that one does not: whoever reaches "0.0.0.0:';

warns($t, 'a password here', $beside, access($password, '', $open), @map);
warns($t, 'a request here', $beside, access('auth_request /w;', '', $open),
      @map);
silent($t, 'a password here, of this machine',
       access($password, '') =~ s/#//r, @map);
silent($t, "a password here, $_ there",
       access($password, $_, $open) =~ s/#//r, @map)
    for 'internal;', $password, 'deny all;',
        'artifact_url https://files.example.com/artifacts/;';
silent($t, 'nothing anywhere', access('', '', $open) =~ s/#//r, @map);

# --- what clients write, and the folder itself -------------------------------

my $runs = 'runs what clients write by ';

warns($t, 'ssi', "\"artifact\" in location \"/a/\" $runs\"artifact\"",
      "$root ssi on; location /a/ {\nartifact; #\nartifact_write on; }");
warns($t, 'ssi of workspaces', "$runs\"artifact_files\" of location \"/f\"",
      "$root location /w/ {\nartifact_workspace; #\nssi on; } "
      . "location /f { artifact_files; $size }");
silent($t, $_->[0], "$root $_->[1]")
    for ['ssi of what is only read', 'ssi on; location /a/ { artifact; }'],
        ['ssi off here', 'ssi on; location /a/ { artifact; ssi off; '
                         . 'artifact_write on; }'],
        ['ssi elsewhere', 'location /a/ { artifact; artifact_write on; } '
                          . 'location / { ssi on; }'],
        ['ssi of another root', 'location /a/ { artifact; artifact_write on; '
                                . 'artifact_root %%PREFIX%%; } location /b/ { '
                                . 'artifact; ssi on; }'];

my $files = 'serves all files: whoever reaches "0.0.0.0:';
my $a = 'location /a/ { artifact; }';

warns($t, 'root', "of which location \"/\" $files",
      "$open root %%PREFIX%%;\n$root #\n$a location / { }");
warns($t, 'root of the server', "of which location \"/\" $files",
      "$open root %%PREFIX%%;\n$root #\n$a");
warns($t, 'alias', "of which location \"/m/\" $files",
      "$open\n$root #\n$a location /m/ { alias %%DATA%%/; }");
warns($t, 'variables', "of which location \"/\" $files",
      "$open root %%PREFIX%%/t;\nartifact_root %%PREFIX%%/t/\$host; #\n$a");
warns($t, 'root of what is offloaded', "of which location \"/\" $files",
      "$open root %%PREFIX%%;\n$root #\nlocation /v1/ { artifact_offload on; "
      . "deny all; $size $pass }");
silent($t, 'root of what only expands', "$open root %%PREFIX%%; $root "
       . "location /v1/ { artifact_expand on; deny all; $size $pass } "
       . 'location /artifacts/ { internal; artifact; artifact_root /usr; }',
       @map);
silent($t, $_->[0], "$open $root $a $_->[1]")
    for ['root elsewhere', 'root %%PREFIX%%/html;'],
        ['a longer name', 'root %%DATA%%base;'],
        ['a part of the name', 'root %%PREFIX%%/dat;'],
        ['another path', 'location /s/ { root %%PREFIX%%; }'],
        ['an address', 'location / { root %%PREFIX%%; allow 10.0.0.1; }'],
        ['a password', "location / { root %%PREFIX%%; $password }"],
        ['internal', 'location /data/ { internal; root %%PREFIX%%; }'],
        ['refused', 'root %%PREFIX%%; location /data/ { return 403; }'],
        ['rewrite', 'root %%PREFIX%%; rewrite ^ /a/x;'];
silent($t, 'root of this machine', "$root $a root %%PREFIX%%;");

# --- URLs, maps --------------------------------------------------------------

sub urls {
    my ($written, $known) = @_;
    return "$root $source $size location /i/ { artifact_offload on; $pass\n"
        . "$written #\n} location /v1/ { artifact_expand on; $pass $known }";
}

my $a_url = 'artifact_url https://a.example/f/;';
my $b_url = 'artifact_url https://b.example/f/;';
my $unread = 'location "/i/" writes are no references in location "/v1/"';

warns($t, 'no URL', $unread, urls($a_url, ''), @map);
warns($t, 'another URL', $unread, urls($a_url, $b_url), @map);
silent($t, $_->[0], urls($_->[1], $_->[2]) =~ s/#//r, @map)
    for ['the same', $a_url, $a_url], ['one of several', $a_url, "$b_url $a_url"],
        ['none at all', '', ''],
        ['variables', $a_url, 'artifact_url https://$host/f/;'],
        ['a shorter one', $a_url, 'artifact_url https://a.example/;'],
        ['another root', "$a_url artifact_root %%PREFIX%%;",
         'artifact_source /o/; } location /o/ { internal; artifact; '
         . 'artifact_root %%PREFIX%%/tmp; } location /a/ { artifact; '
         . 'artifact_root %%PREFIX%%;'];

$t->file('own.json', { services => [{ id => 'm' }, { id => 'n' }] });
$t->file('public.json', { m => { litellm_provider => 'openai',
                                 mode => 'chat' } });

my %maps = map { $_ => "artifact_capabilities %%PREFIX%%/$_.json;" }
    qw(own public);
my @got = warnings_of($t, "$root $a", http => "$maps{own} $maps{public}");
is(scalar @got, 1, 'a public map behind the own one: one warning');
like($got[0] // '', qr/service "m" of the platform's own map is replaced by a /,
     'its text');
silent($t, 'the own one last', "$root $a", http => "$maps{public} $maps{own}");

done_testing();
