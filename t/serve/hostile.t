#!/usr/bin/perl

# Hostile references: traversal in every encoding, sidecars, hostile
# metadata.  Each is refused, and nothing outside is ever shown.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

my $SECRET = 'TOP-SECRET-4711';

my $t = ArtifactTest->new;
my $data = $t->data;

spew("$data/secret.txt", $SECRET);
spew($t->prefix . '/secret.txt', $SECRET);
$t->artifact('ok', 'fine', { type => 'text/plain', name => $SECRET }, '.txt');
$t->workspace_file('w1', 'a.txt', 'fine');
$t->workspace_file('w2', 'other.txt', $SECRET);
$t->workspace_meta('w1', { 'a.txt' => { mimeType => 'text/plain',
                                        note => $SECRET } });
$t->start;

sub refused {
    my ($uri, $name, %opt) = @_;

    for my $caps (undef, 'text, vision, file') {
        my $conn = $t->connect;
        my $res = $conn->request('GET', $uri, headers =>
            [ defined $caps ? ('X-LLM-Capabilities' => $caps) : () ]);

        my @wrong;
        push @wrong, "status $res->{status}" if $res->{status} !~ /^4\d\d$/;
        push @wrong, 'the secret is out'
            if "$res->{head}$res->{body}" =~ /\Q$SECRET/;
        push @wrong, 'a password file' if $res->{body} =~ /root:/;
        push @wrong, 'a path of the disk' if $res->{body} =~ /\Q$data/;
        if (!$opt{nginx}) {
            my $json = eval { decode_strict($res->{body}) };
            push @wrong, 'no JSON error' if !$json || !$json->{error};
            push @wrong, 'code ' . ($json->{error} // 'none')
                if $opt{code} && ($json->{error} // '') ne $opt{code};
        }
        is(join('; ', @wrong), '', $name . ($caps ? ', routed' : ''));
    }
}

# What nginx itself resolves or refuses before a location is chosen.

for my $path ('../secret.txt', '../../secret.txt', '%2e%2e/secret.txt',
              '%2e%2e%2fsecret.txt', '..%2fsecret.txt', '.%2e/secret.txt',
              '../workspaces/w2/../../secret.txt', 'a.txt/../../../secret.txt',
              '../' x 20 . 'etc/passwd', '%2e%2e%2f' x 20 . 'etc/passwd',
              "ok%00.txt", "%00", '%u002e%u002e/secret.txt', '%2',
              '../w1.meta.json', '..%2fw1.meta.json')
{
    refused("/workspaces/w1/$path", "workspace path $path", nginx => 1);
    refused("/artifacts/$path", "artifact id $path", nginx => 1);
}

# What reaches the module.

for my $path ('%252e%252e%252fsecret.txt', '%252e%252e/secret.txt',
              '..%5csecret.txt', '..%5c..%5csecret.txt', '....//secret.txt',
              '..;/secret.txt', '%2e%2e%5csecret.txt', 'file:///etc/passwd',
              '~root/.profile', '|cat')
{
    refused("/workspaces/w1/$path", "workspace path $path");
}

for my $path ('%c0%ae%c0%ae%c0%afsecret.txt', '%c0%ae%c0%ae/secret.txt',
              '..%c0%afsecret.txt', '..%e0%80%afsecret.txt',
              '%f0%80%80%ae%f0%80%80%ae/secret.txt', '..%c1%9csecret.txt')
{
    refused("/workspaces/w1/$path", "overlong path $path",
            code => 'invalid_artifact_id');
    refused("/artifacts/$path", "overlong id $path",
            code => 'invalid_artifact_id');
}

for my $id ('%252e%252e%252fsecret.txt', '..%5csecret.txt', '..secret',
            'ok%5c..%5csecret', 'ok.meta', 'ok.meta.json', '.meta', 'w1.meta',
            'artifact:ok.meta', 'ok.txt.meta', 'ok%2fmeta', 'ok%20',
            'ok%0a', 'ok%09', 'ok:', 'ok;.txt', '*', 'o?')
{
    refused("/artifacts/$id", "artifact id $id");
}

for my $uri ('/workspaces/w1.meta.json', '/workspaces/w1.meta.json/',
             '/workspaces/w1.meta.json/x', '/workspaces/.', '/workspaces/')
{
    refused($uri, $uri, nginx => scalar $uri eq '/workspaces/.');
}

# Paths inside workspace ids, which nginx does not see.

for my $path ('../../secret.txt', '../w1.meta.json', '../w2/other.txt',
              'a/../../w2/other.txt', './../w2/other.txt', '..', '../',
              '../' x 30 . 'etc/passwd', '/etc/passwd', '//etc/passwd', '/',
              "$data/secret.txt", 'x/./../../w2/other.txt',
              '../artifacts/ok.meta', '../../artifacts/ok.meta',
              'a.txt/../../w2/other.txt', '../w1/../w2/other.txt')
{
    my $shown = length $path > 40 ? substr($path, 0, 37) . '...' : $path;
    $shown =~ s/\Q$data/DATA/;
    refused('/artifacts/' . ws_id('w1', $path), "path in an id: $shown",
            code => 'path_traversal_blocked');
    refused('/artifacts/' . ws_id('w1', $path) . '/metadata',
            "metadata of $shown", code => 'path_traversal_blocked');
}

for my $path ("a.txt\0", "../\0", "\0../../secret.txt", "..\xc0\xafsecret",
              "\xc0\xae\xc0\xae/secret.txt", "\xe0\x80\xae./x", '')
{
    my $shown = $path =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ger;
    refused('/artifacts/' . ws_id('w1', $path), "bytes in an id: $shown",
            code => 'invalid_artifact_id');
}

for my $path ('..\\..\\secret.txt', '%2e%2e/secret.txt', '..%2fsecret.txt',
              '...', 'a.txt/', 'a.txt/.', 'C:\\secret.txt')
{
    next if $path =~ m{/\.?\z};
    refused('/artifacts/' . ws_id('w1', $path), "an odd name in an id: $path",
            code => 'artifact_not_found');
}

for my $ws ('..', '.', '', '../w2', 'w2/..', '/', 'w1/../w2') {
    refused("/artifacts/ws:$ws:" . b64url('other.txt'), "workspace \"$ws\"",
            nginx => scalar $ws =~ m{/});
    refused('/artifacts/ws:' . uri($ws) =~ s{/}{%2f}gr . ':'
            . b64url('other.txt'), "workspace \"$ws\", encoded",
            nginx => scalar $ws =~ m{/});
}

# Metadata that points elsewhere is corrupt: as if it were missing.

my $n = 0;
for my $ext ('/../../secret.txt', '/../ok.meta', '/../ok.txt', '/', "/x",
             '../../secret.txt', '.meta', '.meta.json', "\0.txt", '.txt/',
             '/../../../../../../../../etc/passwd', "a\nb", 'x' x 300)
{
    my $shown = substr $ext, 0, 30;
    $shown =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ge;
    my $id = 'evil' . ++$n;

    # A folder of the artifact's name makes "{id}/../.." a path that exists.
    mkdir "$data/artifacts/$id" or die "mkdir: $!";
    $t->artifact($id, undef, { type => 'text/plain', extension => $ext });
    refused("/artifacts/$id", "extension $shown",
            code => 'artifact_not_found');

    next unless $ext =~ m{/|\0};
    $t->artifact("${id}b", 'harmless', undef);
    $t->artifact("${id}b", undef, { type => 'text/html',
                                    extension => $ext });
    is($t->get("/artifacts/${id}b")->body, 'harmless',
       "extension $shown, with a file under the bare id");
}

for my $id ('../../secret.txt', '/etc/passwd') {
    $n++;
    $t->artifact("evil$n", undef, encode_json_bytes(
        { id => $id, type => 'text/plain', extension => '', name => 'x' }));
    refused("/artifacts/evil$n", "an id of $id inside the metadata",
            code => 'artifact_not_found');
}

$t->artifact('deep', 'fine', '[' x 100000);
is($t->get('/artifacts/deep')->body, 'fine', 'metadata nested too deep');
$t->artifact('wide', 'fine', encode_json_bytes(
    { type => 'text/plain', meta => { map { $_ => $_ } 1 .. 20000 } }));
is($t->get('/artifacts/wide')->body, 'fine', 'very large metadata');

# Hostile headers and names stay inside their strings.

$t->artifact('quoted', 'text', { type => "text/plain\r\nX-Evil: 1",
                                 name => "a\"b\r\nX-Evil: 1\\" });
my $res = $t->get('/artifacts/quoted');
is($res->{status}, 200, 'line breaks in the metadata');
is($res->header('X-Evil'), undef, 'no header from the metadata');
is(route_problems($t->accept('text', '/artifacts/quoted')), '',
   'line breaks in the metadata, routed');

for my $value ('"', '\\', '{}', '[', "a\tb", ',' x 2000, 'x' x 4000,
               'text' . ', vision' x 500, "\xff\xfe", 'vision;q=0')
{
    my $shown = substr $value, 0, 20;
    $shown =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ge;
    is(route_problems($t->accept($value, '/artifacts/ok')), '',
       "capabilities header $shown");
    is(route_problems($t->service($value, '/artifacts/ok')), '',
       "service header $shown");
}

is($t->get('/artifacts/ok')->body, 'fine', 'the server is well after it all');

$t->finish;
