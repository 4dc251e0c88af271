#!/usr/bin/perl

# docs/mcp.md: its configurations run as they stand there and do what their
# section says, and so do its programs.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use File::Copy qw(copy);
use File::Path qw(make_path);
use File::Temp qw(tempdir);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactDocs;
use ArtifactFixtures;
use ArtifactMcp;
use ArtifactSdk;
use ArtifactTest;
use ArtifactUpstream qw(read_request);
use ArtifactWrite;

my $root = abs_path("$FindBin::Bin/../..");
my $installed = "$root/build/mcp";
my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $files = $t->data . '/workspaces';

my $accounts = ArtifactUpstream->new("$dir/accounts", serve => sub {
    my ($sock) = @_;
    my ($head) = read_request($sock) or return;
    my ($tenant) = $head =~ /^Authorization: Bearer (acme|other)\r?$/m;
    my $answer = $tenant ? "200 OK\r\nX-Tenant: $tenant" : '401 Unauthorized';

    syswrite $sock, "HTTP/1.1 $answer\r\nConnection: close\r\n"
        . "Content-Length: 0\r\n\r\n";
});

make_path(map { ("$dir/tenants/$_/artifacts", "$dir/tenants/$_/workspaces") }
              qw(acme other));
$t->artifact('shot', png(30, 20), { type => 'image/png', name => 'shot.png' });
$t->artifact('log', join('', map { $_ == 7 ? "a needle\n" : "straw $_\n" }
                         1 .. 100), { type => 'text/plain', name => 'l.log' });
spew("$dir/tenants/acme/artifacts/own.txt", "of acme\n");
$t->file('map.json', { services => [
    { id => 'vision-model', capabilities => { input => ['text', 'vision'] } },
    { id => 'text-model', capabilities => { input => ['text'] } },
] });


# --- the sections ------------------------------------------------------------

my (%part, %program);
my $page = "$root/docs/mcp.md";

for my $section (doc_sections($page)) {
    my ($title, $text) = @$section;

    for my $block (doc_blocks($text)) {
        my %more = conf_part($block);
        $part{$title}{$_} .= $more{$_} for keys %more;
    }

    $program{$title} = $1 =~ s/^    //gmr
        if $text =~ /(?:\A|\n)\n([ ]{4}import[ ].*\n(?:(?:[ ]{4}.*)?\n)+?)
                     (?=\S|\z)/x;
}

sub here {
    my ($conf) = @_;

    $conf =~ s{127\.0\.0\.1:8080}{127.0.0.1:%%PORT%%}g;
    $conf =~ s{/srv/agents\b}{%%DATA%%}g;
    $conf =~ s{/etc/nginx/llmservices\.json}{%%PREFIX%%/map.json}g;
    $conf =~ s{/srv/tenants\b}{%%PREFIX%%/tenants}g;
    $conf =~ s{//accounts\.example\.com}{//unix:%%PREFIX%%/accounts:}g;
    return $conf;
}

my $started;

sub run_section {
    my ($title) = @_;
    my $conf = delete $part{$title} // {};
    my $http = 'artifact_capabilities %%PREFIX%%/map.json;'
        . here($conf->{http} // '');
    my @conf = ($conf->{http} // '') =~ /^server\b/m
        ? (http => $http, no_server => 1)
        : (http => $http, server => here($conf->{server} // ''));

    ok(%$conf, "$title has a configuration") or return;
    $started++ ? $t->reload(@conf) : $t->start(@conf);
}

sub as {
    my ($who, @more) = @_;
    return (headers => [defined $who ? (Authorization => "Bearer $who") : (),
                        @more]);
}

sub status_of {
    my ($who) = @_;
    return mcp_ask($t, 'tools/list', {}, as($who))->status;
}


run_section('Set it up');

is(status_of($_->[0]), $_->[1], ($_->[0] // 'nobody') . ": $_->[1]")
    for ['key-of-claude', 200], ['key-of-reports', 200], ['key', 401],
        ['KEY-OF-CLAUDE', 401], ['key-of-claude1', 401], [undef, 401];

my $seen = mcp_tool($t, 'read_artifact', { ref => 'artifact:shot' },
                    as('key-of-claude'));
is($seen->{content}[0]{type}, 'image', 'a model that sees');
like(mcp_words(mcp_tool($t, 'read_artifact', { ref => 'artifact:shot' },
                        as('key-of-reports'))),
     qr/\[Unreadable\] shot\.png/, 'and one that reads');

my $path = "\x{65e5}" x 1300;

mcp_tool($t, 'write_file', { workspace => 'ws', path => 'a/b.txt',
                             content => 'x' }, as('key-of-claude'));
ok(until_true(sub { (disk_meta($t, 'ws') // {})->{files}{'a/b.txt'} }, 5),
   'it is recorded');
is(disk_meta($t, 'ws')->{files}{'a/b.txt'}{modifiedBy}[0]{agentId}, 'claude',
   'who wrote');
like(mcp_words(mcp_tool($t, 'list_artifacts', {}, as('key-of-claude'))),
     qr/artifact:shot/, 'there is a list');
mcp_error(mcp_ask($t, 'resources/read', { uri => 'workspace:ws/'
              . join '', map { sprintf '%%%02X', ord } split //, bytes($path) },
              as('key-of-claude'), id => 1), 200, -32602, 1,
          'a header of 16 KB passes');

SKIP: {
    ok(-e "$installed/installed", 'the clients are installed') or skip '', 1;

    my $folder = tempdir('check-XXXXXX', DIR => $installed, CLEANUP => 1);
    copy($_, $folder) or die "$_: $!\n"
        for "$root/t/npm/mcp/page.mjs", "$root/t/npm/sdk/tap.mjs",
            "$root/t/npm/clients/model.mjs";

    my @programs = ('ai', 'OpenAI Agents', 'LangChain');
    my $base = 'http://127.0.0.1:' . $t->port;

    is("@{[ sort keys %program ]}", "@{[ sort @programs ]}", 'all programs');

    for my $name (@programs) {
        spew("$folder/$name.mjs", ($program{$name} // '')
             =~ s{https://llm\.example\.com}{$base}r);
    }

    sdk_run(6, $folder, 'page.mjs', map { "$folder/$_.mjs" } @programs);
}


run_section('Who may ask');

like(mcp_words(mcp_tool($t, 'read_artifact', { ref => 'artifact:own' },
                        as('acme'))), qr/of acme/, 'the own artifact');
mcp_tool($t, 'read_artifact', { ref => 'artifact:own' }, as('other'),
         fails => 1);
mcp_tool($t, 'save_artifact', { name => 'n.txt', content => 'new' },
         as('other'));
is(scalar(() = glob "$dir/tenants/other/artifacts/*.txt"), 1,
   'what is saved is in the own store');
is(status_of('key'), 401, 'nobody else');


run_section('OAuth');

is(status_of('acme'), 200, 'a good token');

my $res = mcp_ask($t, 'tools/list', {}, as(undef));
is($res->status, 401, 'no token');
my ($metadata) = ($res->header('WWW-Authenticate') // '')
    =~ m{^Bearer resource_metadata="https://llm\.example\.com(/[^"]+)"$};

for my $uri ($metadata, '/.well-known/oauth-protected-resource') {
    $res = $t->get($uri // '/');
    is($res->header('Content-Type'), 'application/json', 'metadata');
    is(json_of($res)->{resource}, 'https://llm.example.com/mcp', 'of this');
    is(ref json_of($res)->{authorization_servers}, 'ARRAY', 'who gives tokens');
}


run_section('Browsers');

is(status_of('7f3c11'), 200, 'a good token');
is(status_of('7F3C11'), 401, 'in other letters it is none');
is(status_of('none'), 401, 'no other');
is($t->req('OPTIONS', '/mcp', headers => [
    Origin => 'http://localhost:3000',
    'Access-Control-Request-Method' => 'POST',
])->status, 204, 'a preflight has none');

$t->finish;
