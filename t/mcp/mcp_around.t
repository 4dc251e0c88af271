#!/usr/bin/perl

# The MCP server among nginx's other modules and directives: access control,
# limits, error pages, compression, conditions, other directives of this module
# in the same location; and what the log and the counters say.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCounts;
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactMcp;
use ArtifactTest;
use ArtifactWrite qw(until_true);
use Compress::Zlib ();
use MIME::Base64 qw(decode_base64);

my $t = ArtifactTest->new;
my $png = png(200, 200);

$t->artifact('note', "a note\n" x 300, { type => 'text/plain', name => 'n.txt' });
$t->artifact('shot', $png, { type => 'image/png', name => 'shot.png' });
$t->workspace_file('ws', 'a.txt', "of a workspace\n");

spew($t->prefix . '/include.html', '<!--# include virtual="/mcp" -->');

$t->start(http => <<'HTTP', server => <<'SERVER');
    limit_req_zone $binary_remote_addr zone=one:1m rate=1r/m;
    log_format mcp '$artifact_mcp_method|$artifact_mcp_name|$artifact_id|$status';
HTTP
    artifact_root %%DATA%%;
    artifact_language en;
    error_page 400 403 404 405 413 415 = /page;

    location = /mcp {
        artifact_mcp;
        artifact_accept $http_x_accept;
        access_log %%PREFIX%%/mcp.log mcp;
        add_header X-Mcp "$artifact_mcp_method $artifact_mcp_name" always;
    }

    location = /all/mcp {
        artifact_mcp;
        artifact_route always;
        artifact_expand on;
        artifact_prompt on;
        artifact_offload on;
        artifact_offload_min 100;
        artifact_format mcp;
        artifact_accept vision;
        gzip on;
        gzip_types application/json;
        sub_filter note NOTE;
        sub_filter_types application/json;
    }

    location = /auth    { artifact_mcp; auth_request /ask; }
    location = /ask     { internal; if ($http_authorization = "") { return 401; }
                          return 204; }
    location = /limited { artifact_mcp; limit_req zone=one nodelay; }
    location = /rooted  { artifact_mcp; artifact_root %%DATA%%/none; }
    location = /if      { if ($http_x_other) { add_header X-Other 1; }
                          artifact_mcp; }
    location = /include.html { root %%PREFIX%%; ssi on; }
    location = /page    { return 200 'page'; }
    location = /status  { artifact_status; }
    location ~ ^/re/    { artifact_mcp; }
    location @named     { artifact_mcp; }
    location = /to      { error_page 418 = @named; return 418; }
SERVER

sub tool {
    my ($at, %opt) = @_;
    my $ref = delete $opt{ref} // 'note';
    return mcp_ask($t, 'tools/call',
        { name => 'read_artifact', arguments => { ref => $ref } },
        at => $at, %opt);
}

my $text = "a note\n" x 300;

is(mcp_words(mcp_result(tool($_), $_)), $text, "$_: the text")
    for qw(/mcp /re/x /to /if);


# --- conditions, ranges, methods ---------------------------------------------

my $res = tool('/mcp', headers => ['If-None-Match' => '*', Range => 'bytes=0-9',
                                   'If-Modified-Since' =>
                                       'Fri, 01 Jan 2100 00:00:00 GMT']);
is($res->status, 200, 'no condition and no range');
is(mcp_words(mcp_result($res, 'a result')), $text, 'all of it');
is($res->header($_), undef, "no $_")
    for qw(ETag Last-Modified Accept-Ranges Content-Disposition);
is(tool('/mcp', headers => ['If-Match' => '"x"'])->status, 200, 'none at all');

$res = $t->get('/mcp');
is($res->body, 'page', 'a page for a method that is not allowed');

for my $case (['no JSON', '{'], ['no method', '{"jsonrpc":"2.0","id":1}']) {
    my ($name, $body) = @$case;
    mcp_error(mcp_post($t, $body, 'Content-Type' => 'application/json'), 400,
              qr/^-32[67]00$/, $body =~ /id/ ? 1 : undef,
              "$name: no page for what has an answer");
}

$res = mcp_post($t, '{}', 'Content-Type' => 'text/plain');
mcp_error($res, 415, -32600, undef, 'another type');
$res = mcp_post($t, '{}', 'Content-Type' => 'application/json',
                'Content-Encoding' => 'gzip');
mcp_error($res, 415, -32600, undef, 'a coding');
is(mcp_post($t, mcp_message('notifications/x', {}, none => 1),
            mcp_headers('notifications/x', {},
                        headers => ['Content-Type' =>
                                    'Application/JSON; charset=utf-8']))
       ->status, 202, 'a type with a parameter');


# --- browsers ----------------------------------------------------------------

$res = $t->req('OPTIONS', '/mcp', headers => [
    Origin => 'http://localhost:5173',
    'Access-Control-Request-Headers' => 'content-type,mcp-name' ]);
is($res->status, 204, 'a preflight');
is($res->header('Access-Control-Allow-Origin'), 'http://localhost:5173',
   'may ask');
is($res->header('Access-Control-Allow-Headers'), 'content-type,mcp-name',
   'with its headers');
$res = tool('/mcp', headers => [Origin => 'http://localhost:5173']);
is($res->header('Access-Control-Allow-Origin'), 'http://localhost:5173',
   'and read the answer');
like($res->header('Vary'), qr/\bOrigin\b/, 'which is its own');
is(tool('/mcp')->header('Access-Control-Allow-Origin'), undef, 'nobody else');
is($t->req('OPTIONS', '/mcp', headers => [Origin => 'http://evil.com'])->status,
   403, 'no preflight of others');


# --- other directives --------------------------------------------------------

$res = tool('/all/mcp', headers => ['Accept-Encoding' => 'gzip']);
is($res->header('Content-Encoding'), 'gzip', 'gzip');
my $plain = Compress::Zlib::memGunzip($res->body);
my $data = decode_strict($plain);
is($data->{result}{content}[0]{text}, $text =~ s/note/NOTE/r,
   'and what is before it');

$res = mcp_result(tool('/all/mcp', ref => 'shot'), 'an image');
is($res->{content}[0]{type}, 'image', 'is not taken for the answer of another');
is(decode_base64($res->{content}[0]{data}), $png, 'all of it');

is(tool('/auth')->status, 401, 'access control comes first');
is(mcp_words(mcp_result(tool('/auth', headers => [Authorization => 'x']),
                        'with a token')), $text, 'and lets it pass');

is(tool('/limited')->status, 200, 'one a minute');
is(tool('/limited')->status, 503, 'not two');

like(mcp_words(mcp_result(tool('/rooted'), 'no root')), qr/artifact_not_found/,
     'a root that is not there has nothing');

like($t->get('/include.html')->body, qr/method_not_allowed|page/,
     'a subrequest is no message');


# --- log and counters --------------------------------------------------------

tool('/mcp');
tool('/mcp', ref => "no\nne");
mcp_ask($t, 'resources/read', { uri => 'artifact:note' });

# a line is written after the answer was sent

my $log;
until_true(sub { ($log = slurp($t->prefix . '/mcp.log')) =~ m{^resources/}m },
           10);

like($log, qr/^tools\/call\|read_artifact\|note\|200$/m, 'a tool in the log');
like($log, qr/^resources\/read\|artifact:note\|note\|200$/m, 'a resource');
like($log, qr/^-\|-\|-\|415$/m, 'none of what is refused before it is read');
is(tool('/mcp')->header('X-Mcp'), 'tools/call read_artifact', 'in a header');

my $counted = 'artifact_mcp_messages_total method=';

grow($t, 'messages are counted', sub {
    tool('/mcp');
    tool('/mcp', ref => 'none');
    mcp_ask($t, 'resources/read', { uri => 'artifact:none' });
    mcp_ask($t, 'prompts/list', {});
    mcp_post($t, '[]', 'Content-Type' => 'application/json');
}, "${counted}tools/call,outcome=result" => 1,
   "${counted}tools/call,outcome=tool_error" => 1,
   "${counted}resources/read,outcome=error" => 1,
   "${counted}unknown,outcome=refused" => 2,
   requests('mcp', 404) => 1, requests('mcp', 400) => 1);

$t->finish;
