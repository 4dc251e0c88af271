#!/usr/bin/perl

# The MCP server over HTTP/2: lists, reads and writes; clients that leave;
# HEAD and other methods over both protocols.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactMcp;
use ArtifactTest;
use MIME::Base64 qw(decode_base64 encode_base64);

plan(skip_all => 'curl has no HTTP2') unless curl_features('HTTP2');

my $t = ArtifactTest->new;
my $spare = ArtifactTest->new;
my $dir = $t->prefix;
my $base = 'http://127.0.0.1:' . $spare->port . '/mcp';
my $bytes = join '', map { chr($_ * 7 % 256) } 1 .. 3_000_000;
my $log = join '', map { "line $_ of it\n" } 1 .. 200_000;

$t->artifact(sprintf('p%04d', $_), "content $_\n",
             { type => 'text/plain', name => "p$_.txt" }) for 1 .. 2200;
$t->artifact('log', $log, { type => 'text/plain' });
$t->start(server => mcp_server(), http => 'server { listen 127.0.0.1:'
    . $spare->port . ' http2;' . mcp_server() . ' }');

# What curl is to send; a long body from a file.

sub arguments {
    my ($method, $params) = @_;
    my @headers = mcp_headers($method, $params);
    my $body = mcp_message($method, $params);
    my $file = "$dir/body" . ++(our $n);
    my @args = ('--http2-prior-knowledge', '--data-binary', "\@$file");

    spew($file, $body);
    while (my ($name, $value) = splice @headers, 0, 2) {
        push @args, '-H', lc($name) . ": $value";
    }
    return @args;
}

sub ask2 {
    my ($method, $params, $name) = @_;
    my $res = curl($dir, arguments($method, $params), $base);
    is($res->{version}, '2', "$name: over HTTP/2");
    return mcp_result($res, $name);
}

sub tool2 {
    my ($tool, $args, $name) = @_;
    return ask2('tools/call', { name => $tool, arguments => $args }, $name);
}

my ($cursor, @names);
do {
    my $page = ask2('resources/list', defined $cursor ? { cursor => $cursor }
                                                      : {}, 'a page');
    push @names, map { $_->{uri} } @{ $page->{resources} };
    $cursor = $page->{nextCursor};
} while (defined $cursor);
is("@names", join(' ', 'artifact:log', map { sprintf 'artifact:p%04d', $_ }
                  1 .. 2200), 'all resources in three pages');

my $list = tool2('list_artifacts', { name => 'p17.' }, 'a list');
like(mcp_words($list), qr/^artifact:p0017\b/, 'the one that was asked for');

like(mcp_words(tool2('read_artifact', { ref => 'artifact:log',
                                        grep => 'line 150000 ',
                                        context => 0 }, 'a search')),
     qr/\A150000:line 150000 of it\n/, 'what it finds');

my $wrote = tool2('write_file', { base64 => encode_base64($bytes, ''),
                                  workspace => 'ws', path => 'f.bin' },
                  '3 MB are written');
ok(!$wrote->{isError}, 'without an error') or diag(mcp_words($wrote));
is(slurp($t->data . '/workspaces/ws/f.bin'), $bytes, 'as they are');

my $uri = $wrote->{structuredContent}{ref} // 'workspace:ws/f.bin';
$uri = 'workspace:ws/f.bin' if $uri !~ /\Aartifact:|\Aworkspace:/;
is(decode_base64(ask2('resources/read', { uri => $uri }, 'and read')
                     ->{contents}[0]{blob} // ''), $bytes, 'as they are');

my $empty = curl($dir, '--http2-prior-knowledge',
    '-H', 'content-type: application/json', '--data-binary',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}', $base);
is("$empty->{status} " . $empty->body, '202 ', 'a notification');

# a stream that is reset, while its body comes and while it is answered

for my $time (0.05, 0.2) {
    system('curl', '-s', '--max-time', $time, '--limit-rate', '500k',
           arguments('tools/call', { name => 'write_file', arguments => {
               workspace => 'away', path => 'f',
               base64 => encode_base64($bytes, '') } }), '-o', '/dev/null',
           $base);
    system('curl', '-s', '--max-time', $time, '--limit-rate', '50k',
           arguments('tools/call', { name => 'read_artifact', arguments => {
               ref => 'artifact:log', lines => '1-' } }), '-o', '/dev/null',
           $base);
}
ok(!-e $t->data . '/workspaces/away/f', 'nothing is written by who leaves');

for my $method (qw(HEAD GET DELETE PUT)) {
    my $res = curl($dir, '--http2-prior-knowledge',
                   $method eq 'HEAD' ? '-I' : ('-X', $method), $base);
    is($res->{status}, 405, "$method over HTTP/2");
    $res = $t->req($method, '/mcp');
    is("$res->{status} " . ($res->header('Allow') // ''), '405 POST, OPTIONS',
       "$method over HTTP/1.1");
}

ok(@{ ask2('tools/list', {}, 'still there')->{tools} } >= 7, 'with its tools');

$t->finish;
