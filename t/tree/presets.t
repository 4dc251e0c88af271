#!/usr/bin/perl

# packaging/presets: what the comments of each file show is a configuration; with
# them a server does all that there is for two tenants and for one, and what
# conf.example and the guides have of it is the same.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactConvert;
use ArtifactDocs;
use ArtifactFiles;
use ArtifactFixtures;
use ArtifactHTTP;
use ArtifactSign;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);
use MIME::Base64 qw(decode_base64);

my $root = abs_path("$FindBin::Bin/../..");
my $presets = "$root/packaging/presets";
my @names = qw(http simple platform convert operators);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my ($operators, $single) = map { ArtifactTest->new } 1 .. 2;

my %key = (acme => 'ak-5f0c2a4e9b7d41c3a8e6f1d2b3c4a596',
           globex => 'ak-00112233445566778899aabbccddeeff');
my @json = ('Content-Type' => 'application/json');
my $png = png(30, 20);

make_path("$dir/etc", "$dir/logs", map { ("$dir/srv/$_/artifacts",
                                          "$dir/srv/$_/workspaces") }
    'one', map { "many/$_" } qw(acme globex));
$t->file('etc/models.json', { services => [
    { id => 'sees', capabilities => { input => ['text', 'vision'] } },
    { id => 'fetches', capabilities => { input => ['text', 'vision'] } },
    { id => 'reads', capabilities => { input => ['text'] } },
] });
key_file($t, 'etc/url.keys', 'ab' x 32);
$t->file('etc/tenants', join '', "\"~^Of-Acme\$\" acme;\n",
         map { "$key{$_} $_;\n" } sort keys %key);

is(join(' ', sort map { m{([^/]+)\.conf\z} } glob "$presets/*"),
   join(' ', sort @names), 'the presets');

# --- what their comments show ----------------------------------------------

my $around = <<"END";
include $presets/http.conf;
artifact_capabilities $dir/etc/models.json;
proxy_cache_path $dir/cache keys_zone=artifact_derived:1m;
END

for my $name (@names) {
    my $blocks = 0;

    for my $block (comments(slurp("$presets/$name.conf"))) {
        my $is_whole = $block =~ /include.*http\.conf;/;

        is(said($block, $is_whole ? '' : $around), '',
           "$name.conf, block " . ++$blocks) or diag($block);
    }

    ok($blocks, "$name.conf shows how it is used");
}

isnt(said("server { artifact_rout on; }\n", $around), '', 'a mistake is found');

# the variables that they define are named as ours

for my $name (@names) {
    my $text = slurp("$presets/$name.conf") =~ s/^\s*#.*//gmr;
    my @defined = $text =~ /^map\s[^{]*?\s+\$(\w+)\s*\{/gm;

    push @defined, $text =~ /^\s*set \$(\w+)/gm, $text =~ /\?<(\w+)>/g;
    is(join(' ', grep { !/^artifact_/ } @defined), '', "$name.conf: its names");
}

# --- other texts have the same ---------------------------------------------

my %said = map { $_ => statements("$presets/$_.conf") } @names;

for my $page ('conf.example', 'docs/gateway.md') {
    my $text = plain(slurp("$root/$page"));
    my @maps = grep { /^map \$status/ } @{ $said{http} };

    is(scalar @maps, 2, 'there are two maps of errors');
    ok(index($text, $_) >= 0, "$page: " . substr $_, 0, 40) for @maps;

    my ($json) = grep { /^location \@artifact_refusal/ } @{ $said{simple} };
    ok(index($text, $json) >= 0, "$page: the answer");
}

{
    my ($json) = grep { /^location \@artifact_refusal/ } @{ $said{simple} };
    my $text = plain(slurp(
        "$root/packaging/docker/templates/artifact.conf.template"));

    ok(index($text, $json) >= 0, 'images have the answer, too');
}

for my $page ('conf.example', 'docs/fit.md') {
    my $text = plain(slurp("$root/$page"));
    my ($rules) = $page eq 'conf.example' ? $text : $text =~ /(.*?) \| what \|/;

    is(scalar(() = $rules =~ / artifact_derive [\w\/]/g),
       scalar(grep { /^artifact_derive / } @{ $said{convert} }),
       "$page: as many rules");

    for my $said (@{ $said{convert} }) {
        my @parts = $said =~ /^location \/convert\/ \{(.*)\}\z/
            ? grep { !/^proxy_pass/ } map { "$_;" } split /; ?/, $1 : $said;

        ok(index($text, $_ =~ s/^ +//r) >= 0, "$page: " . substr $_, 0, 60)
            for grep { /\w/ } @parts;
    }
}

# --- a server --------------------------------------------------------------

my $model = ArtifactUpstream->echo("$dir/llm");
my $tool = ArtifactUpstream->new("$dir/tool", serve => sub {
    my ($sock) = @_;
    my ($head) = read_request($sock) or return;
    my $answer = encode_json_bytes({ jsonrpc => '2.0', id => 1, result => {
        content => [{ type => 'image', mimeType => 'image/png',
                      data => b64($png) }] } });

    spew("$dir/tool.head", $head);
    send_answer($sock, "HTTP/1.1 200 OK\r\nConnection: close\r\n"
        . "Content-Type: application/json\r\nContent-Length: "
        . length($answer) . "\r\n\r\n$answer");
});

my ($of_clients, $of_operators, $of_single)
    = map { $_->port } $t, $operators, $single;
my $set = "set \$artifact_llm http://unix:$dir/llm:;\n"
    . "set \$artifact_tools http://unix:$dir/tool:;\n";
my $convert = "set \$artifact_convert http://unix:$dir/convert.sock:;\n"
    . "include $presets/convert.conf;\n";

my %conf = (no_server => 1, as_is => 1, http => <<"END");
$around
map \$artifact_client_key \$artifact_tenant {
    default "";
    include $dir/etc/tenants;
}
map \$artifact_model \$artifact_delivery { default inline; fetches url; }
server {
    listen 127.0.0.1:$of_clients;
    artifact_root $dir/srv/many/\$artifact_tenant;
    artifact_sign_key $dir/etc/url.keys scope=\$artifact_tenant;
    artifact_expires 30d;
    access_log $dir/logs/artifact.log artifact_json;
    $set
    if (\$http_x_no_key = "") {
        set \$artifact_llm_key sk-of-the-platform;
    }
    include $presets/simple.conf;
    include $presets/platform.conf;
    $convert
}
server {
    listen 127.0.0.1:$of_operators;
    artifact_root $dir/srv/many/\$artifact_tenant;
    include $presets/operators.conf;
}
server {
    listen 127.0.0.1:$of_single;
    artifact_root $dir/srv/one;
    artifact_sign_key $dir/etc/url.keys;
    set \$artifact_tenant -;
    $set
    include $presets/simple.conf;
    include $presets/platform.conf;
}
END

my ($code, $out) = $t->conf_test(%conf);
is($code, 0, 'nginx -t takes it') or diag($out);
unlike($out, qr/\[warn\]/, 'without a warning');
$t->start(%conf);

# --- by id, routed, apart --------------------------------------------------

my $shot = json_of($t->req('POST', '/artifacts/?name=shot.png', body => $png,
    headers => [key('acme'), 'Content-Type' => 'image/png']), 201);
my $ref = $shot->{artifactRef} // '';
my ($id) = $ref =~ /^artifact:([0-9a-f-]{36})$/;

ok($id, 'an artifact') or BAIL_OUT('nothing can be stored');
is($t->get("/artifacts/$id", key('acme'))->body, $png, 'by id');
like($shot->{metadata}{expiresAt}, qr/^20/, 'which expires');
like($t->get("/artifacts/$id", key('acme'), 'X-LLM-Service' => 'reads')->body,
     qr/^\{"contentType":"image","routing":"text".*\[Unreadable\] shot\.png/,
     'routed, in words');
like($t->get("/artifacts/$id?format=openai", key('acme'),
             'X-LLM-Service' => 'sees')->body,
     qr/^\{"type":"image_url"/, 'and in the form of an API');

is($t->get("/artifacts/$id", key('globex'))->status, 404,
   'not for another tenant');
is($t->get("/artifacts/$id", Authorization => "Bearer $_->[0]")->status, $_->[1],
   "the key $_->[0]: $_->[1]")
    for ['Of-Acme', 200], ['of-acme', 401], ['Of-Acmes', 401], ['xOf-Acme', 401];
is($t->req('PUT', '/workspaces/w/a.txt', body => 'x',
           headers => [key('acme'), 'Content-Type' => 'text/plain'])->status,
   201, 'a file of a workspace');
is($t->get('/workspaces/w/a.txt', key('globex'))->status, 404, 'nor is that');

refused($t->get($_), 401, 'unauthorized', "$_ without a key")
    for "/artifacts/$id", '/workspaces/w/', '/mcp', '/v1/files', '/tools/mcp';
refused(ask('sees', $ref), 401, 'unauthorized', 'a request without a key');
refused(ask('sees', $ref, Authorization => 'Bearer ak-other'), 401,
        'unauthorized', 'a request with another key');

# --- to models, with the key in each header --------------------------------

my %header = (Authorization => 'Bearer ', 'x-api-key' => '',
              'x-goog-api-key' => '', 'api-key' => '');

for my $name (sort keys %header) {
    my $res = ask('sees', $ref, $name => $header{$name} . $key{acme});
    my $head = decode_base64($res->header('X-Head') // '');

    like($res->body, qr/\Q@{[ b64($png) ]}\E/, "$name: a model sees");
    unlike($head, qr/$key{acme}/, 'the key is not passed on');
    is(join(' ', $head =~ /^([\w-]+): (?:Bearer )?sk-of-the-platform\r?$/gm),
       $name, "the platform's is there instead");

    $head = decode_base64(ask('sees', $ref, $name => $header{$name}
        . $key{acme}, 'X-No-Key' => 1)->header('X-Head') // '');
    unlike($head, qr/$key{acme}|^(?:authorization|[\w-]*api-key):/mi,
           'or none, if the platform has none');
}

like(ask('reads', $ref, key('acme'))->body,
     qr/\[Unreadable\] shot\.png|converted from/, 'another reads');
like(ask('sees', $ref, key('globex'))->body, qr/does not exist/,
     "not another tenant's");

# --- a tool of somebody else's ---------------------------------------------

my $answer = $t->req('POST', '/tools/mcp', headers => [key('acme'), @json],
    body => '{"jsonrpc":"2.0","id":1,"method":"tools/call"}')->body;
my ($url) = $answer =~ /\[artifact:([^\]]+)\] image\/png/;

ok($url, 'its picture is kept') or diag($answer);
like(slurp("$dir/tool.head"), qr{^POST /mcp HTTP/1\.1\r}, 'the path');

for my $name (sort keys %header) {
    unlink "$dir/tool.head";
    $t->req('POST', '/tools/mcp', body => '{}', headers => [@json,
        $name => $header{$name} . $key{acme}]);
    unlike(slurp("$dir/tool.head"), qr/$key{acme}/,
           "$name: it does not get the key");
}

# --- the MCP server, uploads -----------------------------------------------

like($t->req('POST', '/mcp', headers => [key('acme'), @json,
         Accept => 'application/json, text/event-stream'], body =>
         '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":'
         . '"list_artifacts","arguments":{}}}')->body, qr/\Q$id\E/,
     'the store as an MCP server');

my ($type) = form_head('/') =~ /^Content-Type: (.*?)\r$/m;
my $form = form([purpose => 'user_data'], [file => $png, 'a.png', 'image/png']);
my $file = json_of($t->req('POST', '/v1/files', body => $form,
    headers => [key('acme'), 'Content-Type' => $type]));

like($file->{id}, qr/^file-art-/, 'a file of OpenAI');
$file = json_of($t->req('POST', '/v1/files', body => $form, headers => [
    'x-api-key' => $key{acme}, 'anthropic-version' => '2023-06-01',
    'Content-Type' => $type]));
like($file->{id}, qr/^file_art_/, 'a file of Anthropic');
is($t->get("/v1/files/$file->{id}", key('globex'))->status, 404,
   'not for another tenant');

# --- signed URLs -----------------------------------------------------------

my ($signed) = ask('fetches', $ref, key('acme'))->body
    =~ m{"url":"http://localhost(/f/acme/[^"]+)"};

ok($signed, 'a provider that fetches gets a URL') or BAIL_OUT('no URL');
is($t->get($signed)->body, $png, 'which needs no key');
is($t->get($signed =~ s/acme/globex/r)->status, 403, 'but is one of acme');
is($t->get($signed =~ s/\?.*//r)->status, 403, 'and signed');
is($t->get("/signed/$id")->status, 401, 'there is no other way');
is($t->get("/signed/$id", key('acme'))->status, 404, 'for nobody');
is($t->get("/f/$_")->status, 404, "/f/$_")
    for '', 'acme', 'acme/', "ACME/$id";
is($t->get("/f/$_/artifacts/$id")->status, 401, "/f/$_: not around it")
    for '..', 'acme/../..', 'acme/%2e%2e/%2E.';

my ($of_file) = ask('fetches', 'artifact:ws:w:' . b64url('a.txt'), key('acme'))
    ->body =~ /"text":"([^"]*)"/;
like($of_file, qr/x/, 'a file of a workspace stays a text');

# --- the converter ---------------------------------------------------------

SKIP: {
    $t->allow(qr/connect\(\) to unix:\S+convert\.sock failed/);
    skip('not installed: ' . convert_missing(), 2) if convert_missing();

    my $converter = ArtifactConvert->new($dir, listen => "unix:$dir/convert.sock");
    my $words = image_of($dir, 'png', '900x200', 'The quick brown fox');

    like(ask('reads', 'data:image/png;base64,' . b64($words), key('acme'))->body,
         qr/converted from image\/png:\\nThe quick brown fox/,
         'the words on a picture');
    $converter->stop;
}

# --- the log ---------------------------------------------------------------

ok($t->wait_for(qr/"signature":"valid"/, 'logs/artifact.log'), 'there is a log');
my @log = map { decode_strict($_) } split /\n/, slurp("$dir/logs/artifact.log");
my ($line) = grep { $_->{model} eq 'reads' && $_->{degraded} } @log;

is(join(' ', sort keys %$line), 'api client degraded derived expanded id method '
   . 'model reasons refs saved seconds sent service signature status tenant time '
   . 'upstream uri', 'its fields');
is("$line->{tenant} $line->{api} $line->{refs} $line->{status}", 'acme openai 1 200',
   'what was asked');
like($line->{reasons}, qr/^\Q$ref\E=conversion$/, 'and why there were words');
is(scalar grep({ $_->{tenant} eq 'acme' && $_->{signature} } @log), 1,
   'one content was fetched by its URL')
    or diag(join ' ', map { "$_->{uri} $_->{signature};" } @log);

# --- operators -------------------------------------------------------------

my $get = sub {
    my ($uri, %opt) = @_;
    my $client = ArtifactHTTP->new($of_operators);

    $client->send("GET $uri HTTP/1.1\r\nHost: " . ($opt{host} // 'localhost')
        . "\r\nConnection: close\r\nCookie: " . ($opt{cookie} // 'a=b')
        . "\r\n\r\n");
    return $client->response('GET');
};

like($get->($_)->body, qr/^artifact_requests_total\{/m, "$_: counters")
    for '/metrics', '/status';
header_is($get->('/'), 'Location', "http://localhost:$of_operators/inspector/",
          'the page of the inspector');
is($get->('/inspector/')->status, 200, 'is there');
like($get->('/services/')->body, qr/"reads"/, 'models');

my $res = $get->('/tenant/acme');
my ($cookie) = ($res->header('Set-Cookie') // '') =~ /^(\w+=\w+);/;
is($res->status, 302, 'a tenant is chosen');
like($get->('/artifacts/', cookie => $cookie)->body, qr/\Q$id\E/,
     'and its store is seen');
unlike($get->('/artifacts/', cookie => 'artifact_tenant=globex')->body,
       qr/\Q$id\E/, 'not that of another');
is($get->("/artifacts/$id", cookie => "artifact_tenant=$_")->status, 404,
   "no tenant: $_") for '', '..', './acme';
is($get->('/tenant/ACME')->status, 404, 'which is no name');
is($get->('/status', host => 'a.example.com')->status, 403,
   "a name of somebody else's is refused");

# --- one tenant ------------------------------------------------------------

my $one = sub { ArtifactHTTP->new($of_single)->request(@_) };

$res = $one->('POST', '/artifacts/?name=one.png', body => $png,
              headers => ['Content-Type' => 'image/png']);
my $own = json_of($res)->{artifactRef} // '';
is($res->status, 201, 'one tenant needs no key');

for my $name (sort keys %header) {
    $res = $one->('POST', '/v1/chat/completions', body => chat('sees', $own),
        headers => [@json, $name => "$header{$name}sk-client"]);
    my $head = decode_base64($res->header('X-Head') // '');

    like($res->body, qr/\Q@{[ b64($png) ]}\E/, "$name: a model sees");
    is(join(' ', $head =~ /^([\w-]+): (?:Bearer )?sk-client\r?$/gm), $name,
       'the key passes as it came');
}

my ($public) = $one->('POST', '/v1/chat/completions', body => chat('fetches', $own),
                   headers => \@json)->body =~ m{"url":"http://[^/"]+(/f/-/[^"]+)"};

is($one->('GET', $public // '/')->body, $png, 'a signed URL');
is($one->('GET', ($public // '/') =~ s/\?.*//r)->status, 403, 'not without its signature');

# --- errors ----------------------------------------------------------------

# the store's own say what is wrong

rename "$dir/srv/one", "$dir/srv/away" or die "rename: $!";

for my $case (['PUT', '/workspaces/w/a.txt'], ['DELETE', '/workspaces/w/a.txt'],
              ['POST', '/artifacts/?name=a.txt'])
{
    my ($method, $uri) = @$case;
    $res = $one->($method, $uri, body => 'x',
                  headers => ['Content-Type' => 'text/plain']);
    is($res->status, 500, "$method without a root: 500");
    is(json_of($res)->{error}, 'write_failed', "$method without a root: why");
}

$model->stop;
refused(ask('sees', $ref, key('acme')), 502, 'unavailable',
        'an API that is down');

$tool->stop;
$t->finish;


# What nginx -t prints of a block of a comment.

sub said {
    my ($block, $more) = @_;
    my ($http, $server) = ($more, '');

    # servers that a block only shows in part

    $block =~ s/^    \.\.$/artifact_root $dir;/gm;
    $block =~ s{artifact_root /srv/artifact(/\$\w+)?}
               {'artifact_root ' . "$dir/srv" . ($1 // '/one')}e;
    $block =~ s{/usr/share/nginx/artifact/}{$presets/}g;
    $block =~ s{/etc/nginx/artifact/}{$dir/etc/}g;
    $block =~ s{(proxy_cache_path) \S+}{$1 $dir/cache};
    $block =~ s{\bserver api\.openai\.com:443}{server 127.0.0.1:9};
    $block =~ s{/var/log/nginx/}{$dir/logs/}g;
    $block =~ s{listen [^;]+}{listen unix:$dir/listen};
    $http =~ s/^proxy_cache_path.*\n//m if $block =~ /proxy_cache_path/;

    my %part = conf_part($block);

    for my $line (split /(?<=\n)/, $part{server} // '') {
        $line =~ /http\.conf;/ ? ($http .= $line) : ($server .= $line);
    }

    $http .= $part{http} // '';
    $http .= "server {\nlisten unix:$dir/listen2;\n"
        . "set \$artifact_llm http://127.0.0.1:9;\n$server}\n" if length $server;

    my ($exit, $out) = $t->conf_test(http => $http, no_server => 1, as_is => 1);

    return join "\n", grep { !/syntax is ok|test is successful/ }
        split /\n/, $out;
}


# The configurations in comments: indented blocks in which lines end as those of
# nginx do.

sub comments {
    my ($text) = @_;
    my @found;

    while ($text =~ /^#\n((?:#   .*\n)+)(?:#\n|\n|(?=[^#]))/gm) {
        my $block = $1 =~ s/^#   //gmr;

        pos($text) -= 2;
        push @found, $block if $block =~ /\A[a-z_].*[;{\d\w]$/m
            && $block =~ /[;}]\s*(?:#.*)?\n\z/;
    }

    return @found;
}


# The statements at the top of a file, each in one line.

sub statements {
    my ($path) = @_;
    my %part = conf_part(slurp($path));
    my $text = join '', map { $part{$_} // '' } qw(http server location);
    my @found;

    $text = plain($text);
    push @found, $1 =~ s/^\s+//r
        while $text =~ /\G((?:"[^"]*"|'[^']*'|[^;{}'"])*
                         (?:;|\{(?:'[^']*'|"[^"]*"|[^{}'"])*\}))/gx;
    return \@found;
}


# Without comments, comment signs before directives, and line ends.

sub plain {
    my ($text) = @_;

    $text =~ s/^ *# .*\n//gm;
    $text =~ s/\s+/ /g;
    return $text;
}


sub key {
    my ($tenant) = @_;
    return (Authorization => "Bearer $key{$tenant}");
}


sub chat {
    my ($name, $url) = @_;

    return encode_json_bytes({ model => $name, messages => [{ role => 'user',
        content => [{ type => 'image_url', image_url => { url => $url } }] }] });
}


sub ask {
    my ($name, $url, @headers) = @_;

    return $t->req('POST', '/v1/chat/completions', body => chat($name, $url),
                   headers => [@json, @headers]);
}


# An error of nginx's that SDKs of all providers can read.

sub refused {
    my ($res, $status, $error, $name) = @_;
    my $body = json_of($res);

    is($res->status, $status, "$name: $status");
    is("$body->{type} $body->{code} $body->{error}{code}",
       "error $error $error", "$name: JSON");
}
