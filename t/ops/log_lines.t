#!/usr/bin/perl

# The error log names what failed: the call, the path and the system's error, the
# place in a corrupt file, and why a request was refused.  Answers have no path.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

plan skip_all => 'only root can be kept out by another user' if $> != 0;

my $t = ArtifactTest->new(user => 'nobody nogroup');
my $dir = $t->prefix;
my $data = $t->data;

# --- files that nobody may open, and sidecars that are corrupt ------------

$t->artifact('locked', 'text', { type => 'text/plain' }, '.txt');
$t->artifact('bare', 'text');
$t->artifact('json', 'text', "{\n  \"id\": \"json\",\n  \"type\": text\n}");
$t->artifact('cut', 'text', '{"id":"cut"');
$t->artifact('list', 'text', '[]');
$t->artifact('slash', 'text', '{"extension":"/../x"}');
$t->artifact('large', 'text', '{"a":"' . 'x' x 70_000 . '"}');
$t->artifact('meta', 'text', {});
$t->artifact('shot', png(9, 9), { type => 'image/png' });
$t->workspace_file('ws', 'a.txt', 'text');
$t->workspace_file('ws', "b\nc.txt", 'text');
$t->workspace_file('closed', 'a.txt', 'text');
$t->workspace_file('broken', 'a.txt', 'text');
$t->workspace_meta('broken', "{\"files\":{\n\"a.txt\":{]}}");

chmod 0755, $data, "$data/artifacts", "$data/workspaces",
    map { "$data/workspaces/$_" } qw(ws broken);
chmod 0700, "$data/workspaces/closed";
chmod 0600, "$data/artifacts/locked.txt", "$data/artifacts/bare",
    "$data/artifacts/meta.meta", "$data/workspaces/ws/a.txt",
    "$data/workspaces/ws/b\nc.txt";

my $store = ArtifactUpstream->new("$dir/store", contents => {
    'shot' => { body => png(9, 9), type => 'image/png' },
});
my $echo = echo("$dir/echo");
chmod 0777, "$dir/store", "$dir/echo";

mkdir "$dir/tmp" unless -d "$dir/tmp";
chmod 0777, "$dir/tmp";

my $statuses = join '', map {
    "location /s$_/ { proxy_pass http://unix:$dir/store:/shot?status=$_&x=; }\n"
    . "location /r$_/ { return $_ /x; }\n"
} 302, 204, 429, 503;

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_accept "text, vision";
    artifact_language en;
    artifact_refs_max 3;
    client_max_body_size 4m;

    location /artifacts/  { artifact; artifact_index on; }
    location /workspaces/ { artifact_workspace; artifact_index on; }
    location /kept/       { artifact; open_file_cache max=9;
                            open_file_cache_errors on; }
    location /no-root/    { artifact; artifact_index on;
                            artifact_root %%PREFIX%%/no-root; }
    location ~ ^/forged/(?<name>[^/]+)/ { rewrite ^ /root/abc last; }
    location /root/       { artifact; artifact_root %%PREFIX%%/none/\$name; }
    location /routed/     { artifact_route always;
                            proxy_pass http://unix:$dir/store:/; }
    location /v1/         { artifact_expand on; artifact_body_max 200k;
                            artifact_source /\$http_x_source/;
                            proxy_pass http://unix:$dir/echo:; }
    $statuses
    location /route       { artifact_message; }
SERVER

my $seen = 0;

# The lines of a level and above that the log got meanwhile.

sub lines {
    my ($levels) = @_;
    my $log = $t->log;
    my $new = substr $log, $seen;
    $seen = length $log;
    return grep { /\[(?:$levels)\]/ && !/closed keepalive|client .* closed/ }
        split /\n/, $new;
}

sub logged {
    my ($name, $res, $status, $line, $level) = @_;
    is($res->{status}, $status, "$name: $status");
    unlike($res->{body}, qr/\Q$dir\E/, 'no path in the answer');
    my @lines = lines($level // 'error|crit|alert');
    is(scalar @lines, 1, 'one line in the log') or diag(join "\n", @lines);
    like($lines[0] // '', $line, 'names it');
}

lines('.*');

my $denied = qr/failed \(13: Permission denied\)/;

# --- opening --------------------------------------------------------------

logged('a file', $t->get('/artifacts/locked'), 403,
       qr{\[error\].* open\(\) "$data/artifacts/locked\.txt" $denied});
logged('without a sidecar', $t->get('/artifacts/bare'), 403,
       qr{open\(\) "$data/artifacts/bare" $denied});
logged('kept', $t->get('/kept/locked'), 403,
       qr{open\(\) "$data/artifacts/locked\.txt" $denied}) for 1 .. 3;
logged('of a workspace', $t->get('/workspaces/ws/a.txt'), 403,
       qr{open\(\) "$data/workspaces/ws/a\.txt" $denied});
logged('a line feed in its name', $t->get('/workspaces/ws/b%0Ac.txt'), 403,
       qr{open\(\) "$data/workspaces/ws/b_c\.txt" $denied});
logged('by its id', $t->get('/artifacts/ws:ws:' . b64url('a.txt')), 403,
       qr{open\(\) "$data/workspaces/ws/a\.txt" $denied});
logged('a workspace', $t->get('/workspaces/closed/a.txt'), 403,
       qr{open\(\) "$data/workspaces/closed/a\.txt" $denied});
logged('listed', $t->get('/workspaces/closed/'), 403,
       qr{open\(\) "$data/workspaces/closed/" $denied});
logged('a line feed in a root', $t->get('/forged/b%0Ac/'), 404,
       qr{\[error\].* the value of "artifact_root" has control characters});
unlike($t->log, qr/^c/m, 'no line begins with what a client sent');
logged('what is missing', $t->get('/artifacts/none'), 404,
       qr{\[info\].* open\(\) "$data/artifacts/none" failed \(2: No such file},
       'info|error');
logged('a root', $t->get("/no-root/$_"), 404,
       qr{\[error\].* open\(\) "$dir/no-root" failed \(2: No such file or}) for 'a', '';

# --- sidecars -------------------------------------------------------------

my $sidecar = qr{\[error\].* artifact metadata "$data/artifacts};
logged('not JSON', $t->get('/artifacts/json'), 200,
       qr{$sidecar/json\.meta" is corrupt at line 3, column 12 \(byte 29\)});
logged('cut', $t->get('/artifacts/cut'), 200,
       qr{$sidecar/cut\.meta" is corrupt at line 1, column 12 \(byte 11\)});
logged($_, $t->get("/artifacts/$_"), 200,
       qr{$sidecar/$_\.meta" is corrupt: it is not an object, or has an inv})
    for 'list', 'slash';
logged('large', $t->get('/artifacts/large'), 200,
       qr{$sidecar/large\.meta" is not a file, or has more than 65536 bytes});
logged('closed', $t->get('/artifacts/meta'), 200,
       qr{\[error\].* open\(\) "$data/artifacts/meta\.meta" $denied});
logged('of a workspace', $t->get('/workspaces/broken/a.txt'), 200,
       qr{"$data/workspaces/broken\.meta\.json" is corrupt at line 2, column 10 });

# --- why a request is refused ---------------------------------------------

logged('encoded', $t->get('/routed/shot?header=Content-Encoding:br'), 502,
       qr{\[error\].* response cannot be routed: its body is encoded});
logged('partial', $t->get('/routed/shot?status=206'), 502,
       qr{\[error\].* response cannot be routed: it is not the whole content});

sub body_of {
    my ($n, $more) = @_;
    return encode_json_bytes({ messages => [ { role => 'user', content => [
        map { { type => 'artifact', artifact => 'artifact:shot' } } 1 .. $n ] } ],
        more => $more // '' });
}

sub ask {
    my ($source, $body, @headers) = @_;
    return $t->req('POST', '/v1/chat/completions', body => $body,
        headers => ['Content-Type' => 'application/json',
                    'X-Source' => $source, @headers]);
}

# A source that answers with another status, in both ways that nginx has.

for my $status (302, 204, 429, 503) {
    for my $kind ('s', 'r') {
        logged("$status of a source, $kind", ask("$kind$status", body_of(1)),
               502, qr{"/$kind$status/shot" .* not answer .* \(status $status});
    }
}

logged('references', ask('artifacts', body_of(4)), 413,
       qr{\[error\].* client sent more than 3 references to artifacts \("artif});
logged('a body', ask('artifacts', body_of(0, 'x' x 250_000)), 413,
       qr{\[error\].* request is larger than the 204800 bytes of "artifact_bo});
logged('signed', ask('artifacts', body_of(1), Authorization =>
                     'AWS4-HMAC-SHA256 Credential=x'), 400,
       qr{\[info\].* client signed a request}, 'info|error');
logged('coded', ask('artifacts', body_of(1), 'Content-Encoding' => $_->[0]),
       $_->[1], qr{\[info\].* client sent a body that cannot be decoded},
       'info|error')
    for ['br', 415], ['gzip', 400];

logged('attachments', $t->req('POST', '/route', body => encode_json_bytes({
           attachments => [('artifact:shot') x 4] })), 413,
       qr{\[error\].* client sent more than 3 attachments});
logged('a message', $t->req('POST', '/route', body => encode_json_bytes({
           text => 'x' x 2_000_000 })), 413,
       qr{\[error\].* client intended to send too large message: \d+ bytes});
$_->stop for $store, $echo;
$t->finish;
