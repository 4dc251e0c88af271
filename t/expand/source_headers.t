#!/usr/bin/perl

# What a source learns of the request: the headers that are listed, and no other,
# by whatever protocol; who has logged in; its own URI as it is asked for.  And a
# variable that is empty there leads to nobody else's artifacts.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactModules;
use ArtifactTest;
use ArtifactUpstream;
use File::Path qw(make_path);
use MIME::Base64 qw(decode_base64);

my $t = ArtifactTest->new;
my $dir = $t->prefix;

# alice's artifact and one of what lies above the tenants

make_path("$dir/tenants/alice/artifacts", "$dir/tenants/artifacts",
          "$dir/data-x/artifacts");
spew("$dir/tenants/alice/artifacts/note", "alice's own note\n");
spew("$dir/tenants/alice/artifacts/note.meta",
     '{"id":"note","extension":"","type":"text/plain"}');
spew("$dir/tenants/artifacts/note", "the note above\n");
spew("$dir/tenants/artifacts/note.meta",
     '{"id":"note","extension":"","type":"text/plain"}');
$t->artifact('note', "a note\n", { type => 'text/plain' });
$t->file('users', "alice:{PLAIN}secret\n");

# What is sent to these upstreams is kept as it came; they answer nothing.

my %dump = map { $_ => "$dir/$_.dump" } qw(fastcgi scgi uwsgi);
my @up = map { my $file = $dump{$_};
    ArtifactUpstream->new("$dir/$_", serve => sub {
        my ($sock) = @_;
        sysread $sock, my $bytes, 65536;
        open my $out, '>>', $file or die "$file: $!";
        syswrite $out, $bytes;
    }) } sort keys %dump;
my $store = ArtifactUpstream->new("$dir/store", contents => {
    '*' => { body => "words\n", type => 'text/plain' } });
my $gateway = ArtifactUpstream->echo("$dir/gateway");
push @up, $store, $gateway;

my $others = join '', map { <<"CONF" } sort keys %dump;
    location /$_/ {
        internal;
        ${_}_pass unix:$dir/$_;
        ${_}_param REQUEST_METHOD GET;
    }
CONF

# What a source sets for its store is its own.

my $lua = other_modules('ndk', 'lua');
my $more = other_modules('headers_more_filter');

# LeakSanitizer itself crashes in a process that has loaded both

$lua = undef if $more && $t->version =~ /-fsanitize/;
$others .= <<"CONF" if $lua;
    location /lua/ {
        internal;
        rewrite_by_lua_block {
            ngx.req.set_header("User-Agent", "set-agent")
            ngx.req.set_header("X-Forwarded-For", "set-client")
            ngx.req.set_header("Authorization", "set-key")
            ngx.req.clear_header("X-Real-IP")
        }
        proxy_pass http://unix:$dir/store:;
    }
CONF
$others .= <<"CONF" if $more;
    location /more/ {
        internal;
        more_set_input_headers "User-Agent: set-agent" "Authorization: set-key"
                               "X-Forwarded-For: set-client";
        more_clear_input_headers X-Real-IP;
        proxy_pass http://unix:$dir/store:;
    }
CONF

$t->start(first => ($lua // '') . ($more // ''), http => $lua ? lua_path() : '',
          server => <<"SERVER");
    artifact_root %%DATA%%;

    location /v1/ {
        auth_basic it;
        auth_basic_user_file %%PREFIX%%/users;
        artifact_expand on;
        artifact_source /\$http_x_kind/;
        proxy_pass http://unix:$dir/gateway:;
        proxy_set_header X-Gateway-ID \$request_id;
    }
    location /open/ {
        artifact_expand on;
        artifact_source /\$http_x_kind/;
        proxy_pass http://unix:$dir/gateway:;
    }
    location /tenant/ {
        artifact_expand on;
        artifact_source /t/\$http_x_tenant/;
        proxy_pass http://unix:$dir/gateway:;
    }
    location /t/ { internal; proxy_pass http://unix:$dir/store:; }
    location /store/ { internal; proxy_pass http://unix:$dir/store:; }
    location /id/ {
        internal;
        proxy_pass http://unix:$dir/store:;
        proxy_set_header X-Store-ID \$request_id;
    }
    location /own-uri/ {
        internal;
        set \$up http://unix:$dir/store:;
        proxy_pass \$up\$request_uri;
    }
    location /users/ {
        internal;
        artifact;
        artifact_root %%PREFIX%%/tenants/\$remote_user;
    }
    location /users-slash/ {
        internal;
        artifact;
        artifact_root %%PREFIX%%/tenants/\$remote_user/;
    }
    location /cookie/ {
        internal;
        artifact;
        artifact_root %%PREFIX%%/tenants/\$cookie_tenant;
    }
    location /suffix/ {
        internal;
        artifact;
        artifact_root %%DATA%%\$http_x_suffix;
    }
    location /slash/ {
        internal;
        artifact;
        artifact_root %%DATA%%/;
    }
    $others
SERVER

my @passed = (
    'User-Agent' => 'v-client/1', 'Accept-Language' => 'v-zh',
    Forwarded => 'v-for=192.0.2.1', 'X-Forwarded-For' => 'v-192.0.2.1',
    'X-Forwarded-Host' => 'v-a.example', 'X-Forwarded-Port' => 'v-443',
    'X-Forwarded-Proto' => 'v-https', 'X-Real-IP' => 'v-192.0.2.1',
    'X-Request-ID' => 'v-r1', 'X-Correlation-ID' => 'v-c1',
    Traceparent => 'v-00-1', Tracestate => 'v-a=1', B3 => 'v-1',
    'X-B3-TraceId' => 'v-t1', 'X-B3-SpanId' => 'v-s1',
    'X-B3-ParentSpanId' => 'v-p1', 'X-B3-Sampled' => 'v-1', 'X-B3-Flags' => 'v-0',
);

# what gateways, models' APIs and stores take for a key, and all else

my @withheld = map { $_ => "hidden-$_" } qw(
    X-Api-Key Api-Key X-Goog-Api-Key X-Amz-Security-Token X-Portkey-Api-Key
    X-Portkey-Virtual-Key Ocp-Apim-Subscription-Key X-Litellm-Api-Key
    Cf-Aig-Authorization Proxy-Authorization X-Auth-Token Cookie X-Goog-Iam-Token
    X-Vault-Token Helicone-Auth OpenAI-Organization Anthropic-Version Accept
    Accept-Encoding Range If-None-Match If-Modified-Since If-Range X-Kind-Of
    X-LLM-Service X-LLM-Capabilities X-Agent-Id X-Message-Id X-Tenant
    Referer Origin Via Baggage X-Unheard-Of TE Content-MD5 Depth Destination
);

sub ask { return ask_for('artifact:note', @_) }

sub ask_for {
    my ($ref, $uri, $kind, @headers) = @_;
    return $t->req('POST', "$uri/chat/completions?key=hidden-arg",
        headers => ['Content-Type' => 'application/json',
                    'X-Kind' => $kind, @headers],
        body => encode_json_bytes({ model => 'any', messages => [ { role =>
            'user', content => [ { type => 'artifact',
                                   artifact => $ref } ] } ] }));
}

sub text_of {
    my ($res) = @_;
    my $data = eval { decode_strict($res->body) } or return $res->body;
    return $data->{messages}[0]{content}[0]{text} // $res->body;
}

my @basic = (Authorization => 'Basic ' . b64('alice:secret'));

# headers

is(text_of(ask('/v1', 'store', @passed, @withheld, @basic)), "words\n",
   'a proxied source');
my ($asked) = $store->requests_in_full;
my %got = map { /^([\w-]+): (.*)/ ? (lc $1 => $2) : () } split /\t/, $asked;
delete @got{qw(host connection)};
is_deeply(\%got, { map { lc $passed[2 * $_] => $passed[2 * $_ + 1] }
                   0 .. $#passed / 2 }, 'has the headers that are listed');
unlike($asked, qr/hidden|Basic|secret/, 'and no other');

for my $kind (sort keys %dump) {
    is(ask('/v1', $kind, @passed, @withheld, @basic)->status, 502,
       "$kind: no answer");
    my $sent = slurp($dump{$kind});
    unlike($sent, qr/hidden|Basic|secret/, 'and no other header');
    my @names = sort { $a cmp $b } $sent =~ /HTTP_([A-Z0-9_]+)/g;
    is(join(' ', @names), join(' ', sort map { uc($_ =~ tr/-/_/r) } 'Host',
       map { $passed[2 * $_] } 0 .. $#passed / 2), 'those that are listed');
    ok($t->wait_for(qr{source "/$kind/note" of an artifact failed}),
       'which is in the log');
}

for my $kind ($lua ? 'lua' : (), $more ? 'more' : ()) {
    my $head = decode_base64(ask('/v1', $kind, @passed, @basic)
                             ->header('X-Head'));
    ($asked) = $store->requests_in_full;
    like($asked, qr/\t$_(?:\t|$)/, "$kind: a source sets $_ for its store")
        for 'User-Agent: set-agent', 'X-Forwarded-For: set-client',
            'Authorization: set-key';
    unlike($asked, qr/X-Real-IP/, 'clears another');
    unlike($head, qr/set-/, 'and not for the model');
    like($head, qr/^\Q$_\E\r?$/m, 'which has that of the request')
        for 'User-Agent: v-client/1', 'X-Forwarded-For: v-192.0.2.1',
            'X-Real-IP: v-192.0.2.1', "Authorization: $basic[1]";
}

my ($id) = decode_base64(ask('/v1', 'id', @basic)->header('X-Head'))
    =~ /^X-Gateway-ID: (\w+)/m;
my ($asked_id) = join("\t", $store->requests_in_full) =~ /X-Store-ID: (\w+)/;
is($asked_id, $id, '$request_id is that of the request');

# who has logged in

is(text_of(ask('/v1', 'users', @basic)), "alice's own note\n",
   '$remote_user is that of the request');
is(text_of(ask('/v1', 'users-slash', @basic)), "alice's own note\n",
   'with a slash behind it');

for my $kind (qw(users users-slash cookie)) {
    my $res = ask('/open', $kind, Cookie => 'tenant=alice');
    unlike(text_of($res), qr/the note above|alice's/, "/$kind/ of nobody: no artifact");
}
ok($t->wait_for(qr/the variable "remote_user" in "[^"]*" is empty/),
   'the log tells why');
ok($t->wait_for(qr/the variable "cookie_tenant" in "[^"]*" is empty/),
   'of a cookie, too');
is(text_of(ask('/open', 'suffix')), "a note\n",
   'an empty one within a component');
is(text_of(ask('/open', 'slash')), "a note\n", 'a root that ends in a slash');

is(ask('/tenant', 'store')->status, 502, 'a source without its tenant');
is(join(' ', $store->requests), '', 'is not asked');
ok($t->wait_for(qr/the variable "http_x_tenant" in "[^"]*" is empty/),
   'and logged');

# its own URI

for my $id ('a"b', 'a%b', "\x{e9}t\x{e9}", 'a?b', 'a#b') {
    my @as;

    for my $kind ('store', 'own-uri') {
        ask_for("artifact:$id", '/v1', $kind, @basic);
        push @as, map { s{/$kind/}{/}r } $store->requests;
    }

    is(scalar @as, 2, 'an id that has to be escaped') or next;
    is($as[1], $as[0], 'is, in $request_uri as without it');
    like($as[1], qr{^GET /[\w.%-]+$}, 'to what a URI may have');
}

$_->stop for @up;
$t->finish;
