#!/usr/bin/perl

# Control characters in what becomes a variable: from ids, paths, metadata, names
# of models, readers.  nginx puts variables into headers, FastCGI parameters and
# logs as they are, so none of ours has any; and different values stay different.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my @NAMES = qw(ref id workspace path key name mime mime_source binary_type
               content_type routing reason service capabilities model api refs
               expanded degraded saved);

# Line breaks with a request behind them, and all other control characters.

my $SMUGGLE = "x\r\nHost: up\r\nContent-Length: 0\r\n\r\nGET /smuggled HTTP/1.1\r\nX: y";
my $ALL = join '', map { chr } 1 .. 31, 127 .. 159;
my $MARKS = "\x{2028}\x{2029}\x{202e}";

my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;
my $grpc = $spare->port;
my $dir = $t->prefix;

my $evil = bytes("a$SMUGGLE$ALL$MARKS.png");
my $png = png(8, 8);

$t->artifact('name', $png, { type => 'image/png',
                             name => "s\r\nX-Evil: 1$ALL$MARKS.png" });
$t->artifact('type', $png, { type => "image/png\r\nX-Evil: 1" });
$t->artifact('mime', $png, { mimeType => "image/\r\npng; charset=\"\r\nX: 1\"",
                             filename => "\x{85}\x1b[2J" });
$t->workspace_file('w', "one\n", 'line feed');
$t->workspace_file('w', 'one%0A', 'percent');
$t->workspace_file('w', 'one%250A', 'twice percent');
$t->file('map.json', { services => [
    { id => "sees$SMUGGLE$ALL", capabilities => { input =>
        ['text', 'vision', "odd$SMUGGLE$ALL"] } },
] });

my $up = ArtifactUpstream->new("$dir/up", contents => {
    '*' => { body => "{}\n", type => 'application/json' } });
my $cgi = ArtifactUpstream->new("$dir/cgi", protocol => 'fastcgi', contents => {
    '*' => { body => "{}\n", type => 'application/json' } });

my %pass = (proxy => 'proxy_set_header', grpc => 'grpc_set_header',
            fastcgi => 'fastcgi_param');

# X-... of all the variables

sub passed {
    my ($kind) = @_;
    return join '', map {
        my $name = $kind eq 'fastcgi' ? 'HTTP_X_' . uc
            : 'X-' . tr/_/-/r;
        "$pass{$kind} $name \$artifact_$_;\n";
    } @NAMES;
}

my $params = 'fastcgi_param REQUEST_METHOD $request_method;
              fastcgi_param DOCUMENT_URI /cgi;
              fastcgi_param QUERY_STRING "";';
my $log = join '|', map { "$_=\$artifact_$_" } @NAMES;
my $added = join '', map {
    'add_header X-' . tr/_/-/r . " \$artifact_$_ always;\n"
} @NAMES;

$t->start(http => <<"HTTP", server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    log_format vars escape=none '$log';
    upstream up {
        server unix:%%PREFIX%%/up;
    }
    upstream kept {
        server unix:%%PREFIX%%/kept;
        keepalive 1;
    }
    map \$uri \$format {
        ~^/format/w/(?<rest>[\\s\\S]+)\$ \$rest;
    }
    log_format asked '\$request';
    server {
        listen unix:%%PREFIX%%/kept;
        access_log %%PREFIX%%/kept.log asked;
        location / {
            return 200;
        }
    }
    server {
        listen 127.0.0.1:$grpc http2;
        access_log off;
        location / {
            return 200 "model [\$http_x_model] path [\$http_x_path]";
        }
    }
HTTP
    artifact_root %%DATA%%;
    access_log %%PREFIX%%/access.log vars;
    $added
    artifact_route on;
    large_client_header_buffers 4 32k;

    location /artifacts/ {
        artifact;
    }
    location /workspaces/ {
        artifact_workspace;
    }
    location /v1/ {
        artifact_expand on;
        @{[ passed('proxy') ]}
        proxy_pass http://up;
    }
    location /kept/v1/ {
        artifact_expand on;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        @{[ passed('proxy') ]}
        proxy_pass http://kept;
    }
    location /grpc/v1/ {
        artifact_expand on;
        @{[ passed('grpc') ]}
        grpc_pass 127.0.0.1:$grpc;
    }
    location /cgi/v1/ {
        artifact_expand on;
        $params
        @{[ passed('fastcgi') ]}
        fastcgi_pass unix:%%PREFIX%%/cgi;
    }
    location /store/ {
        artifact_decode on;
        @{[ passed('proxy') ]}
        proxy_pass http://up/of/\$artifact_workspace/\$artifact_path;
    }
    location /store-cgi/ {
        artifact_decode on;
        $params
        @{[ passed('fastcgi') ]}
        fastcgi_pass unix:%%PREFIX%%/cgi;
    }
    location /store-grpc/ {
        artifact_decode on;
        @{[ passed('grpc') ]}
        grpc_pass 127.0.0.1:$grpc;
    }
    location /format/ {
        artifact_workspace;
        artifact_route always;
        artifact_format \$format;
    }
    location ~ ^/reader/([^/]*)/([^/]*)/ {
        artifact_service \$1;
        artifact_accept \$2;
        return 200 "reader";
    }
SERVER


# A request; its variables as logged.  There is one line for each request.

my $lines = 0;

sub vars {
    my ($name, $method, $uri, %opt) = @_;

    my $size = -s "$dir/access.log" || 0;
    my $res = $t->req($method, $uri, %opt);
    for (1 .. 500) {
        last if (-s "$dir/access.log" || 0) > $size;
        select undef, undef, undef, 0.01;
    }
    $lines++;
    my @log = split /\n/, slurp("$dir/access.log"), -1;
    is(@log - 1, $lines, "$name: one line in the log");
    $lines = @log - 1;
    my %vars = map { $_ => '' } @NAMES;
    %vars = (%vars, map { split /=/, $_, 2 } split /\|/, $log[-2] // '');

    is(join(',', grep { $vars{$_} =~ /[\0-\x1f\x7f]|\xc2[\x80-\x9f]/ } @NAMES),
       '', "$name: no control character");
    is($res->header('X-Evil') // $res->header('X') // '', '',
       "$name: no header of its own");
    for my $var (grep { length $vars{$_} } @NAMES) {
        is($res->header('X-' . $var =~ tr/_/-/r), $vars{$var},
           "$name: \$artifact_$var in a header") if $res->{status} == 200;
    }
    return (\%vars, $res);
}

# All but control characters as they are.

sub encoded {
    my ($text) = @_;
    return bytes($text)
        =~ s/([\0-\x1f\x7f]|\xc2[\x80-\x9f])/
             join '', map { sprintf '%%%02X', ord } split m{}, $1/gexr;
}

my ($vars, $res);


# ids, paths, metadata

my $id = ws_id('w', $evil);
($vars) = vars('a path in an id', 'GET', "/artifacts/$id");
is($vars->{path}, encoded("a$SMUGGLE$ALL$MARKS.png"), 'encoded, the rest stays');
is($vars->{id}, $id, 'the id as it is');

my $path = "one\ntwo\r\t\x1b\x{9b}.txt";
($vars) = vars('a path', 'GET', '/workspaces/w/' . uri(bytes($path)));
is($vars->{path}, encoded($path), 'encoded, too');
is($vars->{ref}, 'w/' . encoded($path), 'and the reference');
is($vars->{key}, 'workspaces/w/one%0Atwo%0D%09%1B%C2%9B.txt', 'and the key');

($vars) = vars('a bad id', 'GET', '/artifacts/' . uri(bytes("n$SMUGGLE$ALL")));
is($vars->{ref}, encoded("n$SMUGGLE$ALL"), 'a bad reference is encoded');
is($vars->{id}, '', 'and no id');
($vars) = vars('a bad workspace', 'GET', '/artifacts/' . uri("ws:a\r\nb:YQ"));
is($vars->{workspace}, '', 'nor a workspace');

my %seen;
for my $file ("one\n", 'one%0A', 'one%250A') {
    ($vars, $res) = vars('a file of its own', 'GET',
                         '/artifacts/' . ws_id('w', $file));
    is($res->{status}, 200, 'is there');
    ok(!$seen{ $vars->{path} }++, "\$artifact_path of its own");
}

($vars) = vars('a name', 'GET', '/artifacts/name');
is($vars->{name}, bytes('s__X-Evil: 1' . '_' x length("$ALL$MARKS") . '.png'),
   'a name is one line');
($vars) = vars('a type', 'GET', '/artifacts/type');
is($vars->{mime}, 'image/png', 'the type of the content');
vars('a type of lines', 'GET', '/artifacts/mime');
vars('a type of lines, routed', 'GET', '/artifacts/mime',
     headers => ['X-LLM-Capabilities' => 'text']);


# readers

($vars) = vars('a reader', 'GET', '/reader/' . uri(bytes("me$SMUGGLE$ALL" =~ s{/}{}gr))
               . '/' . uri(bytes("text,$ALL")) . '/');
is($vars->{service}, encoded("me$SMUGGLE$ALL" =~ s{/}{}gr), 'one that no map knows');
is($vars->{capabilities}, encoded("text,$ALL"), 'and its capabilities');


# the name of a format, in the error log

vars('a format', 'GET', '/format/w/' . uri("one\n"));
like($t->log, qr/unknown artifact format "one_", "route" is used/,
     'one line in the error log');


# models: in the body, and in the path

sub chat {
    my ($model) = @_;
    return encode_json_bytes({ model => $model, messages => [
        { role => 'user', content => [
            { type => 'text', text => 'hi' },
            { type => 'artifact', artifact => 'artifact:none' } ] } ] });
}

my @json = ('Content-Type' => 'application/json');
my %model = (
    'lines' => "x$SMUGGLE",
    'all' => "\0$ALL$MARKS",
    'one of a map' => "sees$SMUGGLE$ALL",
    'a percent sign' => 'x%0D%0A',
);

for my $what (sort keys %model) {
    my $want = $model{$what} =~ s/%0/%250/gr;

    ($vars) = vars("model, $what", 'POST', '/v1/chat/completions',
                   headers => \@json, body => chat($model{$what}));
    is($vars->{model}, encoded($want), "model, $what: encoded");
    my @asked = $up->requests_in_full;
    is(@asked, 1, "model, $what: one request upstream");
    my ($header) = $asked[0] =~ /\tX-model: ([^\t]*)/i;
    is($header, encoded($want), "model, $what: in its header");

    vars("kept alive, $what", 'POST', '/kept/v1/chat/completions',
         headers => \@json, body => chat($model{$what}));
    ($vars) = vars("FastCGI, $what", 'POST', '/cgi/v1/chat/completions',
                   headers => \@json, body => chat($model{$what}));
    my ($param) = join("\n", $cgi->requests_in_full)
        =~ /\tHTTP_X_MODEL: ([^\t]*)/;
    is($param, encoded($want), "FastCGI, $what: in its parameter");

    ($vars, $res) = vars("gRPC, $what", 'POST', '/grpc/v1/chat/completions',
                         headers => \@json, body => chat($model{$what}));
    is($res->body, 'model [' . encoded($want) . '] path []',
       "gRPC, $what: in its header");
}

($vars) = vars('a model in the path', 'POST',
               '/v1/models/' . uri(bytes("g$SMUGGLE$ALL" =~ s{[/:]}{}gr))
               . ':generateContent', headers => \@json,
               body => '{"contents":[{"parts":[{"artifact":"artifact:n"}]}]}');
is($vars->{model}, encoded("g$SMUGGLE$ALL" =~ s{[/:]}{}gr), 'encoded');
is(() = $up->requests, 1, 'one request upstream');


# a path on its way to a store

for my $file ($evil, "one\n", "a \r\nb") {
    my $id = ws_id('w', $file);
    my $want = $file =~ s/([\0-\x1f\x7f]|\xc2[\x80-\x9f])/
        join '', map { sprintf '%%%02X', ord } split m{}, $1/gexr;

    vars('a store', 'GET', "/store/$id") if $file !~ / /;
    my @asked = $file !~ / / ? $up->requests : ();
    is(join(' ', @asked), "GET /of/w/$want", 'a store is asked once')
        if @asked;

    vars('a store by FastCGI', 'GET', "/store-cgi/$id");
    my ($param) = join("\n", $cgi->requests_in_full)
        =~ /\tHTTP_X_PATH: ([^\t]*)/;
    is($param, $want, 'a path in a parameter');

    ($vars, $res) = vars('a store by gRPC', 'GET', "/store-grpc/$id");
    is($res->body, "model [] path [$want]", 'a path in a header of gRPC');
}

is(slurp("$dir/kept.log"), "POST /kept/v1/chat/completions HTTP/1.1\n"
   x keys %model, 'nothing is smuggled into a connection that is kept');

$t->finish;
