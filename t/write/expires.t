#!/usr/bin/perl

# What has expired is 404 everywhere, whoever wrote its sidecar, and whatever is
# cached; what is made in a location with "artifact_expires" expires.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(until_true);
use POSIX qw(strftime);
use Time::HiRes qw(time);
use Time::Local qw(timegm);

my @JSON = ('Content-Type' => 'application/json');

my $t = ArtifactTest->new(workers => 1);
my $data = $t->data;
my $store = "$data/artifacts";
mkdir $store;

sub at { return strftime('%Y-%m-%dT%H:%M:%S.000Z', gmtime(time() + $_[0])) }

sub seconds {
    my ($y, $mon, $d, $h, $m, $s) = $_[0]
        =~ /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)\.\d{3}Z$/ or return 0;
    return timegm($s, $m, $h, $d, $mon - 1, $y);
}

sub put {
    my ($name, $content) = @_;
    open my $file, '>', "$store/$name" or die "$name: $!";
    print $file $content;
    close $file or die $!;
}

sub sidecar {
    my ($id, $expires, $content) = @_;
    put("$id.txt", $content // "text of $id");
    put("$id.meta.new", qq({"id":"$id","extension":".txt",)
             . qq("type":"text/plain","expiresAt":$expires}));
    rename("$store/$id.meta.new", "$store/$id.meta") or die $!;
}

my $image = png(60, 60);
my $answer = '{"data":[{"b64_json":"' . b64($image) . '"}]}';
my $up = ArtifactUpstream->new($t->prefix . '/up', contents => {
    map({ ("$_/images/generations" =>
        { body => $answer, type => 'application/json' }) }
        qw(short long forever)) });
my $pass = 'artifact_offload on; artifact_offload_min 1k; proxy_pass'
    . ' http://unix:' . $t->prefix . '/up:';

$t->allow(qr/\[warn\].*"expiresAt" in .* is not a time of RFC 3339/);
$t->start(server => <<"SERVER");
    artifact_root $data;
    artifact_index on;
    artifact_write on;
    artifact_language en;

    location /artifacts/ { artifact; }
    location /cached/ {
        artifact;
        open_file_cache max=100;
        open_file_cache_valid 1h;
        open_file_cache_errors on;
    }
    location /routed/ { artifact; artifact_route always; }
    location /hour/ {
        artifact_expires 1h;
        location /hour/off/ { artifact; artifact_expires off; }
        location /hour/in/ { artifact; }
    }
    location /workspaces/ { artifact_workspace; artifact_expires 1s; }
    location = /mcp { artifact_mcp; artifact_expires 1d; }
    location = /message { artifact_message; artifact_service gpt-4o; }
    location /short/ { artifact_expires 100s; $pass/short/; }
    location /long/ { artifact_expires 1000s; $pass/long/; }
    location /forever/ { $pass/forever/; }
SERVER

# By sidecars of anyone.

my %cases = (past => [at(-10), 404], ahead => [at(3600), 200],
    old => ['1960-01-01T00:00:00Z', 404],
    offset => ['2999-01-01T00:00:00+02:00', 200],
    word => ['never', 200], day => ['2020-02-30T00:00:00Z', 200]);

sidecar($_, qq("$cases{$_}[0]")) for keys %cases;
sidecar('number', 1000);
sidecar('null', 'null');
@cases{qw(number null)} = (['', 200], ['', 200]);

for my $id (sort keys %cases) {
    my $want = $cases{$id}[1];
    my @got = map { $t->get($_)->{status} } "/artifacts/$id",
        "/artifacts/$id/metadata", "/cached/$id", "/cached/$id",
        "/routed/$id";
    push @got, $t->head("/artifacts/$id")->{status};
    is_deeply(\@got, [($want) x 6], "$id: $want");
}

my $list = decode_strict($t->get('/artifacts/')->body);
is_deeply([sort map { $_->{id} } @{$list->{artifacts}}],
    [sort grep { $cases{$_}[1] == 200 } keys %cases], 'the listing');
my ($item) = grep { $_->{id} eq 'ahead' } @{$list->{artifacts}};
is($item->{expiresAt}, $cases{ahead}[0], 'shows when one expires');
like($t->get('/artifacts/ahead/metadata')->body,
    qr/"expiresAt":"\Q$cases{ahead}[0]\E"/, 'and so do the metadata');

for my $id (qw(word day number)) {
    my $n = () = $t->log =~ m{"expiresAt" in "[^"]*/\Q$id\E\.meta"}g;
    is($n, 1, "one warning for $id");
}
unlike($t->log, qr{"expiresAt" in "[^"]*/null}, 'none for null');

sub mcp {
    my ($method, $params) = @_;
    return $t->req('POST', '/mcp', body => qq({"jsonrpc":"2.0","id":1,)
        . qq("method":"$method","params":$params}), headers => [@JSON,
        Accept => 'application/json', 'MCP-Protocol-Version' => '2025-06-18'])
        ->body;
}

my $resources = mcp('resources/list', '{}');
like($resources, qr/"artifact:ahead"/, 'resources/list has what is there');
unlike($resources, qr/"artifact:past"/, 'but not what has expired');
like(mcp('resources/read', '{"uri":"artifact:past"}'), qr/-32002/,
    'resources/read');
my $tool = mcp('tools/call', '{"name":"list_artifacts","arguments":{}}');
like($tool, qr/"id":"ahead"/, 'list_artifacts');
unlike($tool, qr/"id":"past"/, 'likewise');
like(mcp('tools/call',
    '{"name":"read_artifact","arguments":{"ref":"artifact:past"}}'),
    qr/"isError":true/, 'read_artifact');

my $message = $t->req('POST', '/message', headers => \@JSON,
    body => '{"message":"see","attachments":[{"type":"artifact",'
    . '"artifactId":"artifact:past"}]}')->body;
unlike($message, qr/text of past/, 'a message has none of it');

# While it is cached.

sidecar('soon', '"' . at(2) . '"');
my $etag = $t->get('/cached/soon')->header('ETag');
is($t->get('/cached/soon')->{status}, 200, 'cached');
ok(until_true(sub { $t->get('/cached/soon')->{status} == 404 }, 30),
    'then gone');
is($t->get('/cached/soon', 'If-None-Match' => $etag)->{status}, 404,
    'not 304');
is($t->get('/artifacts/soon/metadata')->{status}, 404, 'nor its metadata');

# Made here.

sub posted {
    my ($path) = @_;
    my $before = int(time());
    my $res = $t->req('POST', $path, body => 'x',
        headers => ['Content-Type' => 'text/plain']);
    my $meta = decode_strict($res->body)->{metadata};
    my $again = decode_strict($t->get("/artifacts/$meta->{id}/metadata")
                              ->body);
    is($again->{expiresAt}, $meta->{expiresAt}, "$path: as the answer says");
    return ($meta, $before);
}

my ($meta, $before) = posted('/hour/in/');
my $life = seconds($meta->{expiresAt}) - $before;
ok($life >= 3600 && $life < 3610, 'an hour');
my ($marker) = glob("$store/.artifact/expires/*/$meta->{id}");
is($marker =~ m{/(\d+)/[^/]+$} && $1, int(seconds($meta->{expiresAt}) / 600), 'has a marker');
($meta) = posted('/artifacts/');
ok(!exists $meta->{expiresAt}, 'off');
($meta) = posted('/hour/off/');
ok(!exists $meta->{expiresAt}, 'reset');

my $saved = mcp('tools/call', '{"name":"save_artifact","arguments":'
    . '{"name":"a.txt","content":"x"}}');
like($saved, qr/\\?"expiresAt\\?":/, 'save_artifact');

is($t->req('PUT', '/workspaces/w/f.txt', body => 'x',
    headers => ['Content-Type' => 'text/plain'])->{status}, 201, 'a file');
sleep 2;
is($t->get('/workspaces/w/f.txt')->{status}, 200, 'does not expire');

# The same content again: the longer of both.

my %until;

sub offloaded {
    my ($path) = @_;
    my $body = $t->req('POST', "/$path/images/generations", body => '{}',
        headers => \@JSON)->body;
    my ($id) = $body =~ /artifact:([0-9a-f-]{36})/ or return;
    my $got = decode_strict($t->get("/artifacts/$id/metadata")->body);
    return ($id, $got->{expiresAt});
}

my ($id, $first) = offloaded('short');
my (undef, $second) = offloaded('long');
cmp_ok(seconds($second) - seconds($first), '>=', 890, 'longer');
my (undef, $third) = offloaded('short');
is($third, $second, 'not shorter');

my $text = do { local (@ARGV, $/) = "$store/$id.meta"; <> };
my $past = at(-100);
put("$id.meta.new", $text =~ s/\Q$second\E/$past/r);
rename("$store/$id.meta.new", "$store/$id.meta") or die $!;
is($t->get("/cached/$id")->{status}, 404, 'expired');
my (undef, $fourth) = offloaded('short');
cmp_ok(seconds($fourth), '>', time() + 80, 'alive again');
ok($t->get("/cached/$id")->body eq $image, 'also where it was cached as missing');

my (undef, $ever) = offloaded('forever');
is($ever, undef, 'for ever');
my (undef, $still) = offloaded('short');
is($still, undef, 'it stays so');

for my $bad (qw(0 -1 500ms x 1y1y)) {
    like(($t->conf_test(server => "artifact_expires $bad;"))[1],
        qr/must be a time of a second or more/, "$bad is refused");
}

$t->finish;
