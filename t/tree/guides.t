#!/usr/bin/perl

# The configurations of docs/gateway.md, docs/expand.md, docs/stores.md,
# docs/signed-urls.md and docs/writes.md, as they stand there: each section's are
# run, and do what the section says.  Other hosts are sockets here.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use Digest::SHA qw(hmac_sha256);
use FindBin;
use File::Path qw(make_path);
use lib "$FindBin::Bin/../lib";
use ArtifactDocs;
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactTest;
use ArtifactUpstream qw(read_request);
use MIME::Base64 qw(decode_base64 encode_base64url);
use Time::Local qw(timegm);

my $docs = abs_path("$FindBin::Bin/../../docs");

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $png = png(30, 20);
my $shot = b64($png);

# --- what the other hosts are ----------------------------------------------

my %host;

for my $name (qw(api.openai.com api.anthropic.com api.mistral.ai openrouter.ai
                 generativelanguage.googleapis.com gateway.example.com
                 bedrock-runtime.us-east-1.amazonaws.com
                 127.0.0.1:8787 127.0.0.1:4000 127.0.0.1:8000
                 127.0.0.1:8931))
{
    $host{$name} = ArtifactUpstream->echo(path_of($name));
}

$host{'127.0.0.1:8788'} = ArtifactUpstream->new(path_of('127.0.0.1:8788'),
    serve => sub {});       # that fails

$host{'store.example.com'} = ArtifactUpstream->new("$dir/store.example.com",
    contents => { 'acme/artifacts/shot' => { body => $png,
                                             type => 'image/png' } });

$host{'accounts.example.com'} = ArtifactUpstream->new(
    "$dir/accounts.example.com", serve => sub {
        my ($sock) = @_;
        my ($head) = read_request($sock) or return;
        my ($tenant) = $head =~ /^Authorization: Bearer (acme|other)\r?$/m;
        my $answer = $tenant ? "200 OK\r\nX-Tenant: $tenant"
                             : '401 Unauthorized';

        syswrite $sock, "HTTP/1.1 $answer\r\nConnection: close\r\n"
            . "Content-Length: 0\r\n\r\n";
    });

# --- what there is ---------------------------------------------------------

make_path("$dir/logs", "$dir/tenants/acme/artifacts",
          "$dir/tenants/other/artifacts", "$dir/disk1/artifacts",
          map { "$dir/$_" } qw(disk2/acme disk1/other));

for my $at ($t->data, "$dir/tenants/acme", "$dir/disk1") {
    spew("$at/artifacts/shot", $png);
    spew("$at/artifacts/shot.meta", encode_json_bytes(
        { id => 'shot', extension => '', type => 'image/png',
          name => 'shot.png' }));
}

$t->file('capabilities.json', { services => [
    { id => 'vision-model', capabilities => { input => ['text', 'vision'] } },
    { id => 'text-model', capabilities => { input => ['text'] } },
] });

symlink 'capabilities.json', "$dir/llmservices.json" or die "symlink: $!\n";
symlink $t->data, "$dir/agents" or die "symlink: $!\n";

# a key, as docs/signed-urls.md has it

my ($command) = slurp("$docs/signed-urls.md")
    =~ /^ {4}(\(umask .* \/etc\/nginx\/url\.keys\))$/m;
system($command =~ s{/etc/nginx}{$dir}r) == 0 or die "no key: $command\n";

# --- the sections ----------------------------------------------------------

my %try = (
    'gateway.md, Who may read what' => sub { tenants(sub {
        my ($head) = @_;
        like($head, qr/^Authorization: Bearer sk-key-of-the-platform\r?$/m,
             'the key is that of nginx');

        is($t->get('/artifacts/shot', splice @$_, 1)->status, $_->[0],
           "a download: $_->[0]")
            for [200, Authorization => 'Bearer acme'],
                [404, Authorization => 'Bearer other'], [401];
    }) },

    'gateway.md, Artifacts in a store' => sub {
        tenants(sub {
            is($t->get('/store/shot', Authorization => 'Bearer acme')->status,
               404, 'the source is internal');
        });
        unlike(join("\n", $host{'store.example.com'}->requests_in_full),
               qr/Bearer/, 'no key reaches the store');
    },

    'gateway.md, The APIs of several providers' => sub {
        sees('/openai/v1/chat/completions', chat('vision-model'));
        sees('/openai/v1/responses', {
            model => 'vision-model', input => [{ role => 'user', content => [
                { type => 'input_image', image_url => 'artifact:shot' }] }] });
        sees('/anthropic/v1/messages', {
            model => 'vision-model', messages => [{ role => 'user',
                content => [{ type => 'image', source => {
                    type => 'url', url => 'artifact:shot' } }] }] });
        sees('/gemini/v1beta/models/vision-model:generateContent', {
            contents => [{ parts => [{ fileData => {
                fileUri => 'artifact:shot' } }] }] });
        sees('/mistral/v1/chat/completions', {
            model => 'vision-model', messages => [{ role => 'user',
                content => [{ type => 'image_url',
                              image_url => 'artifact:shot' }] }] });
        sees('/openrouter/v1/chat/completions', chat('vision-model'));
        reads("/$_/v1/chat/completions", chat('text-model'))
            for qw(openai openrouter);
        is($t->get('/artifacts/shot')->status, 404, 'artifacts are internal');
    },

    'gateway.md, Bedrock' => sub {
        my $body = { messages => [{ role => 'user', content => [
            { image => { format => 'png', source => {
                s3Location => { uri => 'artifact:shot' } } } }] }] };

        my $res = sees('/model/vision-model/converse', $body,
                       Authorization => 'Bearer any');
        like(head_of($res), qr/^Authorization: Bearer bedrock-api-key/m,
             'the key is that of nginx');

        reads('/model/text-model/converse', $body);

        $res = ask('/model/vision-model/converse', $body,
                   Authorization => 'AWS4-HMAC-SHA256 Credential=x');
        is(json_of($res)->{error}{code}, 'signed_request', 'signed: refused');
    },

    'gateway.md, A gateway' => sub {
        my $res = sees('/v1/chat/completions', chat('vision-model'));
        my $head = head_of($res);

        like($head, qr/^x-portkey-provider: openai\r?$/m, 'the provider');
        like($head, qr{^x-portkey-custom-host: https://api\.openai\.com/v1}m,
             'and where it is');
        reads('/v1/chat/completions', chat('text-model'));
        is($res->body, sees('/v1/chat/completions', chat('vision-model'))
           ->body, 'the same request, the same bytes');
    },

    'gateway.md, By model' => sub {
        sees('/v1/chat/completions', chat('team-vision'));
        reads('/v1/chat/completions', chat('team-text'));
        reads('/v1/chat/completions', chat('text-model'));

        my $before = $host{'127.0.0.1:8000'}->connections;
        sees('/v1/chat/completions', chat('qwen-of-tomorrow'));
        is($host{'127.0.0.1:8000'}->connections, $before + 1,
           'the model chooses the upstream');
    },

    'gateway.md, Logging' => sub {
        ask('/v1/chat/completions', chat('vision-model'));
        ask('/v1/chat/completions', chat('text-model'));

        ok($t->wait_for(qr/text-model/, 'logs/llm.log'), 'there is a log');
        my ($sees, $reads) = split /\n/, slurp("$dir/logs/llm.log");
        like($sees, qr/200 openai vision-model refs=1 expanded=1 degraded=0 /,
             'of what was expanded');
        like($reads, qr/200 openai text-model refs=1 expanded=0 degraded=1 /,
             'and of what was not');
    },

    'gateway.md, Errors in JSON' => sub { errors() },

    'expand.md, References in requests to models' => sub {
        sees('/v1/chat/completions', chat('vision-model'));
        reads('/v1/chat/completions', chat('text-model'));
    },

    'expand.md, Errors' => sub {
        my $before = $host{'127.0.0.1:8788'}->connections;

        sees('/v1/chat/completions', chat('vision-model'));
        is($host{'127.0.0.1:8788'}->connections, $before + 1,
           'the other gateway was asked behind the first one');
    },

    'expand.md, References in arguments of tools' => sub {
        is(argument(), $shot, 'a tool gets the bytes');
    },

    'expand.md, What becomes of a reference' => sub {
        is(argument('Mcp-Name' => 'ocr'), $shot, 'base64');
        is(argument('Mcp-Name' => 'browser_upload'),
           "data:image/png;base64,$shot", 'a data URL');
        is(argument('Mcp-Name' => 'fetch'),
           'https://files.example.com/artifacts/shot', 'a URL');
        is(argument('Mcp-Name' => 'other'), 'artifact:shot', 'what it was');
    },

    'expand.md, Answers that are cached' => sub {
        my $model = $host{'127.0.0.1:8787'};
        my $before = $model->connections;

        for my $round (1 .. 2) {
            sees('/v1/chat/completions', chat('vision-model'));
            reads('/v1/chat/completions', chat('text-model'));
        }
        is($model->connections, $before + 2, 'each model was asked once');

        my $other = ask('/v1/chat/completions', chat('vision-model'),
                        Authorization => 'Bearer other');
        is($model->connections, $before + 3, 'and once for another client');
    },

    'gateway.md, By URL' => sub {
        my $url = 'https://files.example.com/artifacts/shot';
        my $res = ask('/v1/chat/completions', chat('vision-model'));

        ok(index($res->body, $url) >= 0 && $res->body !~ /\Q$shot\E/,
           'the URL of the image') or diag($res->status, ' ', $res->body);
        reads('/v1/chat/completions', chat('text-model'));
        is($t->get('/artifacts/shot')->body, $png, 'which is served there');
    },

    'gateway.md, Sessions that change models' => sub { session() },

    'gateway.md, Own words' => sub {
        is(words(ask('/v1/chat/completions', chat('text-model'))),
           '(an attachment that you cannot read)', 'own words');
        sees('/v1/chat/completions', chat('vision-model'));
    },

    'signed-urls.md, Signed URLs' => sub { signed() },

    'signed-urls.md, Tickets' => sub { ticket() },

    'signed-urls.md, Uploads by pages' => sub {
        my $res = $t->req('OPTIONS', '/artifacts/x',
                          headers => [Origin => 'https://app.example.com']);
        is($res->status, 204, 'a preflight');
        is($res->header('Access-Control-Allow-Methods'), 'PUT', '... for PUT');
        is($t->req('PUT', '/artifacts/x', body => 'x')->status, 403,
           'without a ticket');
    },

    'signed-urls.md, Tenants' => sub {
        my ($url) = ask('/v1/chat/completions', chat('vision-model'))->body
            =~ m{"https://acme\.example\.com(/artifacts/shot\?[^"]+)"};
        is($t->get($url // '/none')->body, $png, "the tenant's own");

        my ($exp) = $url =~ /exp=(\d+)/;
        my $key = decode_base64(slurp("$dir/url.keys"));
        my $get = sub { $t->get('/artifacts/shot?'
                                . signed_query($key, $_[0], 'shot', $exp)) };

        is($get->('acme')->status, 200, 'in its scope');
        is($get->('other')->status, 403, 'and in no other');
    },

    'writes.md, Expiry: artifacts that end' => sub { expiry() },

    'stores.md, Tenants' => sub {
        my %id = map { $_ => posted('X-Tenant' => $_) } qw(acme other);

        ok(-f "$dir/disk2/acme/artifacts/$id{acme}", 'one on its own disk');
        ok(-f "$dir/disk1/other/artifacts/$id{other}", 'the other on the first');
        is($t->get("/artifacts/$id{acme}", 'X-Tenant' => 'acme')->status, 200,
           'each reads its own');
        is($t->get("/artifacts/$id{acme}", 'X-Tenant' => 'other')->status, 404,
           'and no other');
        is($t->get('/artifacts/shot', @$_)->status, 401, 'strangers are refused')
            for [], ['X-Tenant' => '../disk2/acme'];
    },

    'stores.md, Workspaces by hash' => sub {
        my %at;
        for my $n (1 .. 20) {
            my $res = $t->req('PUT', "/workspaces/ws$n/file", body => "of $n",
                              headers => ['Content-Type' => 'text/plain']);
            is($res->status, 201, "ws$n is written");
            my ($on) = grep { -f "$dir/$_/workspaces/ws$n/file" }
                qw(disk1 disk2);
            $at{ $on // 'nowhere' }++;
            is($t->get('/artifacts/' . ws_id("ws$n", 'file'))->body, "of $n",
               'and read by its id');
        }
        is(join(' ', sort keys %at), 'disk1 disk2', 'both disks have some');
    },

    'stores.md, A disk that is full' => sub {
        my $id = posted();

        ok(-f "$dir/disk2/artifacts/$id", 'new ones on the new disk');
        is($t->get("/artifacts/$_")->status, 200, "$_ is found") for $id, 'shot';
        is($t->get('/artifacts/missing')->status, 404, 'the rest is not');
        is($t->get('/older/artifacts/shot')->status, 404, 'by one URI only');
    },
);

# what others run: t/tree/platform.t, t/tree/first_hour.t, t/files,
# scripts/store-edges.pl

my %elsewhere = map { $_ => 1 } 'gateway.md, All of it on one server',
    'gateway.md, A server for operators', 'stores.md, The configuration',
    'writes.md, Files APIs of OpenAI and Anthropic',
    'writes.md, Uploads, files, listings, expiry';

for my $page (qw(gateway.md expand.md stores.md signed-urls.md writes.md)) {
    for my $section (doc_sections("$docs/$page")) {
        my ($title, $text) = ("$page, $section->[0]", $section->[1]);
        my %part = configuration($text) or next;
        next if $elsewhere{$title} || !grep { /location/ } values %part;

        note($title);
        my $try = delete $try{$title};
        ok($try, "$title: there is a test for it") or next;

        runs(%part) or next;
        $try->();
    }
}

is(join("\n", sort keys %try), '', 'each of them was found');

$_->stop for values %host;
$t->finish;


# --- configurations --------------------------------------------------------

# What a section configures, by its context.

sub configuration {
    my ($section) = @_;
    my %part;

    for my $block (doc_blocks($section)) {
        my %more = conf_part($block);
        $part{$_} .= here($more{$_}) for keys %more;
    }

    return %part;
}


# Where a host is; nginx takes a colon for the end of a path.

sub path_of {
    my ($name) = @_;
    return "$dir/" . $name =~ tr/:/-/r;
}


sub here {
    my ($text) = @_;

    $text =~ s{(proxy_pass )https?://([\w.-]+(?::\d+)?)}{
        $host{$2} ? "$1http://unix:" . path_of($2) . ':' : "$1http://$2" }ge;
    $text =~ s{^(\s+server )([\w.:]+);}{"$1unix:" . path_of($2) . ';'}gem;
    $text =~ s{/srv/}{$dir/}g;
    $text =~ s{/etc/nginx/}{$dir/}g;
    $text =~ s{(listen 127\.0\.0\.1:)808\d}{$1%%PORT%%}g;

    return $text;
}


my $started;

sub runs {
    my (%part) = @_;

    my %conf = (%part, as_is => 1, no_server => !$part{server});

    # sections that have no server of their own are about less than all of it

    if ($part{server}) {
        $conf{http} .= "artifact_root %%DATA%%;\n";
        $conf{http} .= "artifact_capabilities capabilities.json;\n"
            unless $conf{http} =~ /artifact_capabilities/;
    }

    my ($exit, $said) = $t->conf_test(%conf);
    is($said =~ /\[warn\].*/ ? $& : '', '', 'nothing is warned about');

    if (!$started++) {
        return ok(eval { $t->start(%conf) }, 'it is valid') || !diag($@);
    }

    return ok($t->reload(%conf), 'it is valid');
}


# --- requests --------------------------------------------------------------

sub chat {
    my ($model, $url) = @_;

    return { model => $model, messages => [{ role => 'user', content => [
        { type => 'text', text => 'What is this?' },
        { type => 'image_url', image_url => { url => $url
                                                     // 'artifact:shot' } },
    ] }] };
}


sub ask {
    my ($uri, $body, @headers) = @_;

    return $t->req('POST', $uri, body => encode_json_bytes($body),
        headers => ['Content-Type' => 'application/json', @headers]);
}


# What a tool gets for a reference.

sub argument {
    my (@headers) = @_;
    my $res = ask('/tools/mcp', { jsonrpc => '2.0', id => 7,
        method => 'tools/call', params => { name => 'ocr',
            arguments => { image => 'artifact:shot' } } }, @headers);

    return json_of($res)->{params}{arguments}{image};
}


sub head_of {
    my ($res) = @_;
    return decode_base64($res->header('X-Head') // '');
}


sub sees {
    my ($uri, @args) = @_;

    my $res = ask($uri, @args);
    like($res->body, qr/\Q$shot\E/, "$uri: the image")
        or diag($res->status, ' ', $res->body);
    return $res;
}


sub reads {
    my ($uri, @args) = @_;

    my $res = ask($uri, @args);
    ok($res->body =~ /shot\.png/ && $res->body !~ /\Q$shot\E/, "$uri: words")
        or diag($res->status, ' ', $res->body);
    return $res;
}


# Posts an artifact without an extension: its id.

sub posted {
    my (@headers) = @_;

    my $res = $t->req('POST', '/artifacts/', body => $png,
        headers => ['Content-Type' => 'application/x-none', @headers]);

    return json_of($res, 201)->{metadata}{id} // 'none';
}


# The text that stands for the image of a chat.

sub words {
    my ($res, $turn) = @_;
    return json_of($res)->{messages}[$turn // 0]{content}[1]{text};
}


# URLs that are rights, as they are written, changed, and made by the page's own
# commands.

sub signed {
    my $https = qr{https://files\.example\.com};
    my $uri = '/v1/chat/completions';
    my $body = ask($uri, chat('vision-model'))->body;
    my ($url) = $body =~ m{"$https(/artifacts/shot\?exp=\d+&sig=[\w-]+)"};

    my $res = $t->get($url // '/none');
    is($res->body, $png, 'the provider gets the image');
    like($res->header('Cache-Control') // '', qr/^private, max-age=\d+$/,
         'which is private');

    my $again = ask($uri, chat('vision-model',
                               "https://files.example.com$url"))->body;
    is($again, $body, 'the URL is a reference, which is signed as before');
    $again = ask($uri, chat('vision-model',
        'https://files.example.com/artifacts/shot?exp=1&sig=x'))->body;
    is($again, $body, 'expired, too');
    reads($uri, chat('text-model'));

    my ($exp) = $url =~ /exp=(\d+)/;
    my $key = decode_base64(slurp("$dir/url.keys"));
    my $late = signed_query($key, '', 'shot', 1_700_000_000);
    my $drawn = ask($uri, { choices => [{ message => { images => [{
        image_url => { url => 'data:image/png;base64,'
                              . b64($png . "\0" x 20000) } }] } }] })->body;

    ok($exp > time + 6 * 3600 && $exp <= time + 12 * 3600 + 2, 'six to twelve h');
    like($drawn, qr{"$https/artifacts/[0-9a-f-]{36}\?exp=\d+&sig=[\w-]{43}"},
         'answers have such URLs, too');

    for my $case (['/artifacts/shot', 'signature_missing'],
                  [$url =~ s/exp=/exp=1/r, 'signature_invalid'],
                  [$url =~ s/shot/other/r, 'signature_invalid'],
                  ["/artifacts/shot?$late", 'signature_expired'])
    {
        my ($at, $code) = @$case;
        is(json_of($t->get($at), 403)->{error}, $code, $code);
    }

    is($t->get($_)->status, 403, $_) for '/artifacts/', '/artifacts/shot/metadata';
    is($t->req('POST', '/artifacts/', body => 'x')->status, 403, 'POST');

    my ($commands) = slurp("$docs/signed-urls.md") =~ /^( {4}key=.*?^ {4}curl .*?\n)/ms;
    $commands =~ s{/etc/nginx}{$dir};
    $commands =~ s{127\.0\.0\.1:8080}{'127.0.0.1:' . $t->port}e;
    is(scalar `$commands`, $png, 'the commands make one that is valid');
}


sub ticket {
    my $body = '{"mime_type":"image/png","size":5}';
    my $res = $t->req('POST', '/own/artifacts/?ticket', body => $body,
                      headers => ['Content-Type' => 'application/json']);
    my $got = json_of($res, 200);
    my ($uri) = $got->{url} =~ m{\Ahttps://files\.example\.com(/artifacts/.*)};

    is($t->req('PUT', $uri, body => 'bytes')->status, 201, 'a ticket');
    is($t->get($got->{ref} =~ s{artifact:}{/own/artifacts/}r)->body, 'bytes',
       'its content');
    is($t->req('PUT', $uri, body => 'other')->status, 409, 'other bytes');
    is($t->req('POST', '/artifacts/?ticket', body => $body)->status, 403,
       'none where everybody may come');
}


sub signed_query {
    my ($key, $scope, $ref, $exp) = @_;

    my $sig = encode_base64url(hmac_sha256(
        "artifact-url-v1\n$scope\n$ref\n$exp", $key));
    return "exp=$exp&sig=$sig";
}


# What is made where, and how long it lives; what has ended.

sub expiry {
    my %post = map { $_ => json_of($t->req('POST', "/$_/?name=a.txt",
        body => 'for now', headers => ['Content-Type' => 'text/plain']), 201) }
        qw(artifacts scratch);
    my $id = $post{scratch}{metadata}{id};

    ok(!exists $post{artifacts}{metadata}{expiresAt}, 'for ever');
    is(lives($post{scratch}{metadata}), 7, 'a week');
    is($t->get("/artifacts/$id")->body, 'for now', 'in the same store');

    my ($drawn) = ask('/v1/chat/completions', { choices => [{ message => {
        images => [{ image_url => { url => 'data:image/png;base64,'
                                           . b64($png . "\0" x 5000) } }] } }] })
        ->body =~ /"artifact:([0-9a-f-]{36})"/;
    is(lives(json_of($t->get('/artifacts/' . ($drawn // 'none')
                             . '/metadata'))), 30, 'a month');

    # of another writer, and over

    spew($t->data . '/artifacts/gone.txt', 'gone');
    spew($t->data . '/artifacts/gone.meta',
         '{"extension":".txt","expiresAt":"2026-01-01T00:00:00Z"}');
    is($t->get('/artifacts/gone')->status, 404, 'what has ended is missing');

    my ($shown) = chars(slurp("$docs/writes.md"))
        =~ /^ {4}(\[Unreadable\].*\n {4}.*\n)/m;
    $shown =~ s/^ {4}//gm;
    chomp $shown;
    $shown =~ s/ID/gone/;
    like(words(ask('/v1/chat/completions',
                   chat('vision-model', 'artifact:gone'))),
         qr/^\Q$shown\E/, 'and a model is told so');
}


# Of metadata: in how many days it ends.

sub lives {
    my ($metadata) = @_;
    my ($y, $mon, $d, $h, $m, $s) = ($metadata->{expiresAt} // '')
        =~ /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)/ or return 'for ever';

    return sprintf '%.0f', (timegm($s, $m, $h, $d, $mon - 1, $y) - time) / 86400;
}


sub tenants {
    my ($look) = @_;
    my $uri = '/v1/chat/completions';
    my @acme = (Authorization => 'Bearer acme');
    my @other = (Authorization => 'Bearer other');

    my $res = sees($uri, chat('vision-model'), @acme);
    $look->(head_of($res));

    for my $ref (qw(artifact:shot artifact:../acme/shot artifact:..%2fshot
                    artifact:../../acme/artifacts/shot))
    {
        my $body = ask($uri, chat('vision-model', $ref), @other)->body;
        ok(chars($body) =~ /不存在/ && $body !~ /\Q$shot\E/,
           "$ref is missing for others");
    }

    is(ask($uri, chat('vision-model'))->status, 401, 'strangers are refused');
}


# nginx's own errors, and one of the module's.

sub errors {
    my $uri = '/v1/chat/completions';
    my $large = 'x' x (64 * 1024 * 1024 + 1);
    my @json = ('Content-Type' => 'application/json');

    sees($uri, chat('vision-model'));

    is_refused($t->req('POST', $uri, body => $large, headers => \@json),
               413, 'request_too_large', 'a body that is too large');
    my $client = $t->connect;
    $client->send(ArtifactHTTP::format_request('POST', $uri, headers => [
        @json, 'Transfer-Encoding' => 'chunked'])
        . sprintf("%x\r\n", length $large) . "$large\r\n0\r\n\r\n");
    is_refused($client->response('POST'), 413, 'request_too_large',
               '... in chunks');

    my $many = chat('vision-model');
    push @{ $many->{messages}[0]{content} },
        ($many->{messages}[0]{content}[1]) x 64;
    is_refused(ask($uri, $many), 413, 'request_too_large',
               'too many references');

    $host{'gateway.example.com'}->stop;
    is_refused(ask($uri, chat('vision-model')), 502, 'unavailable',
               'a gateway that is down');
    unlink path_of('gateway.example.com');
    $host{'gateway.example.com'} =
        ArtifactUpstream->echo(path_of('gateway.example.com'));
}


sub is_refused {
    my ($res, $status, $code, $name) = @_;
    my $body = json_of($res);

    is($res->status, $status, "$name: $status");
    header_is($res, 'Content-Type', 'application/json', "$name: JSON");
    is($body->{type}, 'error', "$name: of the type that SDKs read");
    is($body->{error}{code}, $code, "$name: the code");
    ok(length $body->{error}{message}, "$name: words");
    ok(exists $body->{error}{param}, "$name: all of it");
}


# The steps that the guide tells of, with the words that it shows.

sub session {
    my $uri = '/v1/chat/completions';
    my $guide = chars(slurp("$docs/gateway.md"));
    my @shown = $guide =~ /((?:^    .*\n)*^    \[Unreadable\].*\n(?:^    .*\n)*)/gm;
    my @bodies = $guide =~ /^((?:^    \{"model.*\n)(?:^    .*\n)*)/gm;

    s/^    //gm for @shown, @bodies;
    chomp @shown;

    is(scalar @shown, 2, 'two descriptions are shown');
    is(scalar @bodies, 2, 'and two requests');

    my $post = sub { $t->req('POST', $uri, body => $_[0],
        headers => ['Content-Type' => 'application/json']) };

    my ($first, $second) = map { $post->($_) } @bodies;
    (my $want = $bodies[0]) =~ s{artifact:shot}{data:image/png;base64,$shot};

    is($first->body, $want, 'the model sees, nothing else has changed');
    is(words($second), $shown[0], 'the other reads');
    is($post->($bodies[0])->body, $want, 'and back');

    my $data = "data:image/png;base64,$shot";
    is(words(ask($uri, chat('text-model', $data))), $shown[1],
       "the client's own bytes");

    for my $body (chat('model-of-tomorrow', $data),
                  chat('vision-model', $data))
    {
        is(json_of(ask($uri, $body))->{messages}[0]{content}[1]{image_url}{url},
           $data, "stay for $body->{model}");
    }

    like(words(ask($uri, chat('vision-model', 'artifact:gone'))),
         qr/artifact:gone\nThe artifact does not exist/, 'one that is deleted');
}
