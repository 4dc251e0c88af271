#!/usr/bin/perl

# packaging/presets/simple.conf: a models' API or an MCP server that is reached by
# https gets nothing unless an authority knows it.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactTest;

my $root = abs_path("$FindBin::Bin/../..");
my $known = '/etc/ssl/certs/ca-certificates.crt';

plan(skip_all => 'no ca-certificates') if !-f $known;
plan(skip_all => 'no openssl') if system('command -v openssl > /dev/null') != 0;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $spare = ArtifactTest->new;
my $secure = $spare->port;
my ($key, $cert) = certificate($dir);
my @json = ('Content-Type' => 'application/json');

$t->file('models.json', { services => [] });

# the same with an authority that knows the server

my $preset = slurp("$root/packaging/presets/simple.conf");
spew("$dir/strict.conf", $preset);
$preset =~ s/\Q$known\E;/$cert;/g;
spew("$dir/known.conf", $preset);

$t->start(no_server => 1, as_is => 1, http => <<"END");
include $root/packaging/presets/http.conf;
artifact_capabilities $dir/models.json;

upstream localhost {
    server 127.0.0.1:$secure;
}

server {
    listen 127.0.0.1:$secure ssl;
    ssl_certificate $cert;
    ssl_certificate_key $key;
    access_log $dir/reached.log;

    return 200 reached;
}

@{[ map { <<"END2" } ['127.0.0.1:%%PORT%%', 'strict'], ["unix:$dir/k", 'known']
server {
    listen $_->[0];
    artifact_root %%DATA%%;
    set \$artifact_llm https://localhost;
    set \$artifact_tools https://localhost;
    proxy_ssl_session_reuse off;
    include $dir/$_->[1].conf;
}
END2
]}
END

for my $uri ('/v1/chat/completions', '/tools/mcp') {
    is($t->req('POST', $uri, body => '{}', headers => \@json)->status, 502,
       "$uri: an unknown server is not asked");
    is(scalar `curl -s --unix-socket $dir/k -d '{}' http://localhost$uri`,
       'reached', 'a known one is');
}

like(slurp("$dir/nginx-error.log"), qr/upstream SSL certificate verify error/,
     'the log tells why');
is(scalar(() = slurp("$dir/reached.log") =~ /"POST /g), 2,
   'nothing else has got there');

$t->finish;
