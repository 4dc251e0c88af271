#!/usr/bin/perl

# Directives: where they stand, what they take, and what they refuse.

use strict;
use warnings;

use FindBin;
use POSIX ();
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

my $t = ArtifactTest->new;
$t->file('map.json', { services => [] });
$t->file('other.json', { services => [] });

# Puts text into a context and runs nginx -t.

sub test_in {
    my ($context, $text) = @_;
    return $t->conf_test(
        $context eq 'main' ? (main => $text)
        : $context eq 'events' ? (events => $text)
        : $context eq 'http' ? (http => $text)
        : $context eq 'server' ? (server => $text)
        : $context eq 'location' ? (http => 'artifact_root /srv;',
            server => "location /x/ { $text }")
        : $context eq 'if' ? (server =>
            "location /x/ { if (\$arg_x) { $text } }")
        : $context eq 'limit_except' ? (server =>
            "location /x/ { limit_except GET { $text } }")
        : $context eq 'upstream' ? (http =>
            "upstream u { server 127.0.0.1; $text }")
        : die "no context $context");
}

sub takes {
    my ($context, $text, $name) = @_;
    my ($code, $out) = test_in($context, $text);
    is($code, 0, $name || "$context: $text") or diag($out);
    unlike($out, qr/\[(warn|error|emerg|alert)\]/, 'without complaint');
}

sub refuses {
    my ($context, $text, $re, $name) = @_;
    my ($code, $out) = test_in($context, $text);
    isnt($code, 0, $name || "$context refuses: $text");
    like($out, qr/\[emerg\].*$re.* in \S+conftest\.conf:\d+/,
         'naming what and where');
}

my %where = (
    http => [qw(http)],
    any => [qw(http server location)],
    location => [qw(location)],
);
my %directive = (
    artifact_capabilities => ['http', '%%PREFIX%%/map.json'],
    artifact_zone => ['http', '1m', '4m', '65536k'],
    artifact_service => ['any', '$http_x_llm_service', 'gpt-4', '""',
                         '"a$arg_b"'],
    artifact_accept => ['any', '$http_x_llm_capabilities', '"text, vision"',
                        'text'],
    artifact_route => ['any', 'on', 'off', 'always'],
    artifact_format => ['any', 'route', 'object', 'tool_message', '""',
                        '$arg_format', 'rou$arg_te'],
    artifact_language => ['any', 'zh', 'en'],
    artifact_description => ['any', '"no $artifact_name"', 'words', '""'],
    artifact_verify => ['any', 'on', 'off'],
    artifact_inline_max => ['any', '20m', '0', '1k', '1024', '3000m'],
    artifact_text_max => ['any', '0', '1', '10k', '3000m'],
    artifact_root => ['any', '/srv', 'relative', '/srv/$host', '%%DATA%%'],
    artifact => ['location'],
    artifact_workspace => ['location'],
    artifact_services => ['location'],
);
my @contexts = qw(main events http server location upstream);

for my $name (sort keys %directive) {
    my ($where, @values) = @{ $directive{$name} };
    my %fits = map { $_ => 1 } @{ $where{$where} };
    my @texts = @values ? map { "$name $_;" } @values : "$name;";

    for my $context (@contexts) {
        if ($fits{$context}) {
            takes($context, $_) for @texts;
        } else {
            refuses($context, $texts[0], qr/directive is not allowed here/,
                    "$name is refused in $context");
        }
    }

    my ($context) = @{ $where{$where} };
    refuses($context, @values ? "$name;" : "$name on;",
            qr/invalid number of arguments/,
            "$name with a wrong number of arguments");
    refuses($context, "$name @{[$values[0] // 'a']} b;",
            qr/invalid number of arguments/, "$name with too many arguments");

    next if $name eq 'artifact_capabilities';
    for my $context (sort keys %fits) {
        refuses($context, "$texts[0] $texts[0]", qr/is duplicate/,
                "$name twice in $context");
    }
}

takes('http', 'artifact_capabilities %%PREFIX%%/map.json; '
      . 'artifact_capabilities %%PREFIX%%/other.json;',
      'artifact_capabilities is repeatable');
takes('http', 'artifact_capabilities map.json;',
      'a map relative to the configuration');

# bad values

refuses('location', "artifact_route $_;", qr/artifact_route|invalid value/)
    for qw(maybe yes 1 "");
refuses('location', "artifact_language $_;",
        qr/artifact_language|invalid value/) for qw(de zh-CN 1 "");
refuses('location', "artifact_verify $_;", qr/artifact_verify|must be/)
    for qw(maybe 1 always);
for my $name (qw(artifact_inline_max artifact_text_max)) {
    refuses('location', "$name $_;", qr/$name/)
        for qw(many -1 1x "" 1.5m 99999999999999999999 $arg_size);
}
refuses('http', "artifact_zone $_;", qr/zone/)
    for qw(many -1 0 "" 1x);
refuses('location', "artifact_format $_;", qr/format/)
    for qw(nonsense Route json routes);
refuses('http', 'artifact_format nonsense;', qr/format/);
for my $name (qw(artifact_service artifact_accept artifact_format
                 artifact_description))
{
    my ($code, $out) = test_in('location', "$name \$no_such_variable;");
    isnt($code, 0, "$name with an unknown variable");
    like($out, qr/unknown "no_such_variable" variable/, 'as nginx says it');
}

# messages name the directive, the value and the choices

sub says {
    my ($context, $text, $message) = @_;
    my ($code, $out) = test_in($context, $text);
    isnt($code, 0, "$context refuses: $text");
    like($out, qr/\[emerg\] \Q$message\E in \S+conftest\.conf:\d+$/m,
         'naming all that helps');
}

my %choices = (
    artifact_route => '"off", "on" or "always"',
    artifact_expand => '"off", "on" or "standins"',
    artifact_language => '"zh" or "en"',
    artifact_extract => '"off", "on" or "strip"',
    artifact_offload => '"off", "on" or "link"',
    map({ $_ => '"on" or "off"' } qw(artifact_verify artifact_index
        artifact_write artifact_sync artifact_prompt
        artifact_decode)),
    map({ $_ => 'a size, such as "64k" or "20m"' } qw(artifact_inline_max
        artifact_text_max artifact_body_max artifact_offload_min)),
    artifact_refs_max => 'a number from 0 to 4096',
    artifact_derive_parallel => 'a number from 1 to 64',
    artifact_derive_timeout => 'a time, such as "30s" or "500ms", and not 0',
);

for my $name (sort keys %choices) {
    says('location', "$name yes;", qq(invalid value "yes" in "$name" )
         . "directive, it must be $choices{$name}");
}

says('location', 'artifact_refs_max 4097;', 'invalid value "4097" in '
     . '"artifact_refs_max" directive, it must be a number from 0 to 4096');
says('location', 'artifact_derive_timeout 0;', 'invalid value "0" in '
     . '"artifact_derive_timeout" directive, it must be a time, such as "30s" '
     . 'or "500ms", and not 0');

my $no_uri = 'in "artifact_derive" directive, it must begin with "/" or a '
    . 'variable and have no ".."';
my $types = 'in "artifact_derive" directive, it must be one such as '
    . '"image/heic", a range such as "image/*", or "image", "audio", "video", '
    . '"document" or "other"';

for my $uri ('convert/', 'http://127.0.0.1/', '?a', '/convert/../x', '/..?a') {
    says('location', "artifact_derive image image/jpeg $uri;",
         qq(invalid URI "$uri" $no_uri));
}

for my $from ('text', 'image/', 'png', '*') {
    says('location', "artifact_derive image,$from image/jpeg /c;",
         qq(invalid media type "$from" $types));
}

for my $to (qw(image image/* */* jpeg application/octet-stream)) {
    says('location', "artifact_derive image $to /c;",
         qq(invalid media type "$to" in "artifact_derive" directive, it must )
         . 'be one such as "image/jpeg"');
}

says('location', 'artifact_derive image image/jpeg /c bodies;', 'invalid '
     . 'parameter "bodies" in "artifact_derive" directive, it must be "body" '
     . 'or "words", each once');
says('location', "artifact_derive image image/jpeg /c $_ $_;", 'invalid '
     . qq(parameter "$_" in "artifact_derive" directive, it must be "body" )
     . 'or "words", each once') for 'body', 'words';
says('http', 'artifact_zone 4k;', 'invalid value "4k" in "artifact_zone" '
     . 'directive, it must be a size of at least '
     . 8 * POSIX::sysconf(POSIX::_SC_PAGESIZE()) / 1024 . 'k');
says('location', 'artifact_format xml;', 'unknown format "xml" in '
     . '"artifact_format" directive, it must be "route", "object", '
     . '"tool_message", "openai", "openai_responses", "openai_compatible", '
     . '"anthropic", "anthropic_citations", "gemini", "gemini_interactions", '
     . '"bedrock", "mistral", "openrouter" or "mcp"');
says('location', 'artifact_layout deep;', 'invalid layout "deep" in '
     . '"artifact_layout" directive, it must be "flat" or "levels=" with one '
     . 'to three numbers of digits, 1 or 2, as "1:2"');
says('location', 'artifact_layout levels=2 deep;', 'invalid parameter "deep" '
     . 'in "artifact_layout" directive, it must be "from=flat", "from=none" or '
     . '"from=" with one to three numbers of digits, 1 or 2, as "1:2"');
says('location', 'artifact_inspector files=/f/;', 'invalid parameter '
     . '"files=/f/" in "artifact_inspector" directive, it must be '
     . '"artifacts=", "workspaces=", "services=", "status=" or "requests=" with a path');
says('location', 'artifact; artifact_workspace;', '"artifact_workspace" '
     . 'directive is duplicate, "artifact" handles the location already');
says('location', 'artifact_route on; artifact_extract on;',
     '"artifact_extract" and "artifact_route" cannot be used in one location, '
     . q(set one of them to "off": a routed answer is not a model's));
says('server', 'location / { artifact_offload on; }', '"artifact_offload" in '
     . 'location "/" requires "artifact_root"');

# locations that have no place for a reference

for my $name (qw(artifact artifact_workspace artifact_services)) {
    refuses('server', "location ~ ^/x/ { $name; }", qr/$name/,
            "$name in a regex location");
    refuses('server', "location ~* /x/ { $name; }", qr/$name/,
            "$name in a case-insensitive regex location");
    refuses('server', "location \@x { $name; }", qr/$name/,
            "$name in a named location");
    takes('server', "location ^~ /x/ { artifact_root /srv; $name; }",
          "$name in a location without regexes");
    takes('server', "artifact_root /srv; "
          . "location /x/ { location /x/y/ { $name; } }",
          "$name in a nested location");
    refuses('limit_except', "$name;", qr/directive is not allowed here/,
            "$name in limit_except");
    refuses('if', "$name;", qr/directive is not allowed here/,
            "$name in if");
}

# inheritance

$t->artifact('text', 'words of text', { type => 'text/plain' });
mkdir $t->prefix . "/$_" or die "mkdir: $!" for qw(second second/artifacts);
spew($t->prefix . '/second/artifacts/text.txt', 'of the second root');

$t->start(http => <<'HTTP', server => <<'SERVER');
    artifact_root %%PREFIX%%/second;
    artifact_route always;
    artifact_text_max 5;
HTTP
    artifact_root %%DATA%%;

    location /artifacts/ {
        artifact;
    }
    location /own/ {
        artifact;
        artifact_root %%PREFIX%%/second;
        artifact_text_max 0;
    }
    location /off/ {
        artifact;
        artifact_route off;
    }
    location /nested/ {
        artifact_text_max 7;

        location /nested/deep/ {
            artifact;
        }
    }
SERVER

is(json_of($t->get('/artifacts/text'))->{content}, 'words',
   'http settings reach a location, the server root wins');
is(json_of($t->get('/own/text'))->{content}, 'of the second root',
   'location settings win');
is($t->get('/off/text')->body, 'words of text', 'off switches off');
is(json_of($t->get('/nested/deep/text'))->{content}, 'words o',
   'an outer location is inherited');
is($t->get('/nested/text')->{status}, 404,
   'the handler itself is not inherited');

$t->finish;
