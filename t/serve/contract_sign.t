#!/usr/bin/perl

# Signed URLs: what the module writes, checked by an HMAC of our own, and what
# opens a signed location: the right signature of the right content in time, and
# nothing else.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactMcp;
use ArtifactSign;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(files_of nothing_changed);
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new(workers => 2);
my $dir = $t->prefix;

my $ALPHABET = join '', 'A' .. 'Z', 'a' .. 'z', 0 .. 9, '-', '_';
my $URL = 'https://files.example.com/a/';

my $key = join '', map { chr($_ * 37 % 256) } 1 .. 32;
my $other = join '', map { chr($_ * 91 % 256) } 1 .. 48;
my $long = join '', map { chr($_ * 53 % 256) } 1 .. 100;

key_file($t, 'keys', '# the first one signs', '', \$key, '',
         b64($other), uc unpack('H*', $long), '# the end');
key_file($t, 'rotated', \$key);
key_file($t, 'third', b64($other));

my $png = png(40, 40);
my $image = png(50, 50) . rand_bytes(20_000);

$t->artifact('doc', "words of doc\n", { type => 'text/plain',
                                        name => 'doc.txt' });
$t->artifact('doc2', "words of doc2\n", { type => 'text/plain' });
$t->artifact('shot', $png, { type => 'image/png', name => 'shot.png' });
$t->artifact($_, 'x', { type => 'text/plain' }) for 'a b+ü', 'b+ü';
$t->artifact("ref$_", "$_\n", { type => 'text/plain' }) for 1 .. 40;
$t->artifact('large', 'x' x 5000, { type => 'application/zip' });
$t->workspace_file('w', 'src/a b.txt', "in a workspace\n");
$t->workspace_file('w', 'src/z.txt', "z\n");

spew("$dir/users", "ann:{PLAIN}secret\n");

my $echo = echo("$dir/echo");
my $store = ArtifactUpstream->new("$dir/store", contents => {
    '*' => { body => 'proxied', type => 'text/plain' } });
my $answers = ArtifactUpstream->new("$dir/answers", contents => {
    'v1/images/generations' => { type => 'application/json', body =>
        '{"created":1,"data":[{"b64_json":"' . b64($image) . '"}]}' },
    'link/mcp' => { type => 'application/json', body =>
        '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"image","data":"'
        . b64($image) . '","mimeType":"image/png"}]}}' },
    'chat/completions' => { type => 'application/json', body =>
        '{"choices":[{"message":{"images":[{"type":"image_url","image_url":'
        . '{"url":"data:image/png;base64,' . b64($image) . '"}}]}}]}' },
});

sub server_of {
    my ($keys) = @_;

    return (
        http => <<'HTTP',
    log_format signed '$uri|$artifact_signature';
    map $http_x_tenant $tenant {
        default $http_x_tenant;
        feed "\na";
        middle "x\ndoc";
    }
HTTP
        server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_index on;
    artifact_accept \$http_x_llm_capabilities;
    artifact_sign_key %%PREFIX%%/$keys;
    artifact_sign_ttl 1h;
    artifact_url $URL;
    artifact_offload_min 4k;
    add_header X-Signature \$artifact_signature always;

    location /a/ {
        artifact;
        artifact_signed on;
        artifact_write on;
    }
    location /w/ {
        artifact_workspace;
        artifact_signed on;
        artifact_write on;
    }
    location /routed/ {
        artifact;
        artifact_route on;
        artifact_signed on;
    }
    location /decoded/ {
        artifact_decode on;
        artifact_signed on;
        proxy_pass http://unix:$dir/store:/;
    }
    location /open/ {
        artifact;
        artifact_workspace_none;
    }
    location /off/ {
        artifact;
        artifact_signed off;
    }
    location /tenant/ {
        artifact;
        artifact_signed on;
        artifact_sign_key %%PREFIX%%/$keys scope=\$tenant;
    }
    location /feed/ {
        artifact;
        artifact_signed on;
        artifact_sign_key %%PREFIX%%/$keys "scope=\\na";
    }
    location /either/ {
        artifact;
        artifact_signed on;
        satisfy any;
        auth_basic files;
        auth_basic_user_file %%PREFIX%%/users;
    }
    location /inside/ {
        artifact;
        artifact_signed on;
        satisfy any;
        deny all;
    }
    location /both/ {
        artifact;
        artifact_signed on;
        auth_basic files;
        auth_basic_user_file %%PREFIX%%/users;
    }
    location /chinese/ {
        artifact;
        artifact_signed on;
        artifact_language zh;
    }
    location /logged/ {
        artifact;
        artifact_signed on;
        access_log %%PREFIX%%/access.log signed;
    }

    # what writes URLs

    location = /argument {
        artifact_argument url;
        artifact_source /a/;
        proxy_pass http://unix:$dir/echo:;
    }
    location = /argument-tenant {
        artifact_argument url;
        artifact_source /off/;
        artifact_sign_key %%PREFIX%%/$keys scope=\$tenant;
        proxy_pass http://unix:$dir/echo:;
    }
    location = /argument-short {
        artifact_argument url;
        artifact_source /off/;
        artifact_sign_ttl 2s;
        proxy_pass http://unix:$dir/echo:;
    }
    location = /argument-long {
        artifact_argument url;
        artifact_source /off/;
        artifact_sign_ttl 30d;
        proxy_pass http://unix:$dir/echo:;
    }
    location /offload/ {
        artifact_offload on;
        proxy_pass http://unix:$dir/answers:/;
    }
    location /offload/link/ {
        artifact_offload link;
        proxy_pass http://unix:$dir/answers:/link/;
    }
    location = /mcp {
        artifact_mcp;
        artifact_inline_max 1k;
    }
SERVER
}

my %conf = server_of('keys');
$conf{server} =~ s/^ *artifact_workspace_none;\n//m;
$t->start(%conf);


sub basic { return (Authorization => 'Basic ' . b64($_[0])) }


# The URL that a tool's argument becomes.

sub url_of {
    my ($at, $text, @headers) = @_;

    my $res = $t->req('POST', $at, body => '{"jsonrpc":"2.0","id":1,"method":'
        . '"tools/call","params":{"name":"t","arguments":{"u":'
        . encode_json_bytes($text) . '}}}',
        headers => ['Content-Type' => 'application/json', @headers]);
    return eval { decode_strict($res->body)->{params}{arguments}{u} }
        // 'none: ' . substr $res->body, 0, 200;
}


# --- what is written ----------------------------------------------------------

my $url = url_of('/argument', 'artifact:doc');
my $canonical = signer($url, $key, '', 'doc');
my $ws = ws_id('w', 'src/a b.txt');

is(signed_problems($url, prefix => $URL, id => 'doc', key => $key,
                   ref => $canonical->('doc'), ttl => 3600), '',
   'an URL that is signed');

for my $id ($ws, bytes('b+ü'), 'ref1') {
    is(signed_problems(url_of('/argument', 'artifact:' . chars($id)),
                       prefix => $URL, id => $id, key => $key, ttl => 3600,
                       ref => $canonical->($id)), '',
       "signed: $id");
}

# spellings of one reference, and a signature that is old

my ($made) = query_of(url_of('/argument', 'artifact:doc'));
for my $text ("${URL}doc", "${URL}artifact:doc", "${URL}%64oc",
              "${URL}doc?exp=1&sig=" . 'A' x 43, "${URL}doc?x=y")
{
    is(url_of('/argument', $text), $url, "$text is signed anew");
}

my $padded = $ws . '=' x (-length($ws =~ s/.*://r) % 4);
is(url_of('/argument', "artifact:$padded"), url_of('/argument',
   "artifact:$ws"), 'padding of an id is not signed')
    if $padded ne $ws;

unlike(url_of('/argument', 'artifact:none'), qr/sig=/, 'nothing is not signed');

is(signed_problems(url_of('/argument-tenant', 'artifact:doc',
                          'X-Tenant' => 'acme'),
                   prefix => $URL, id => 'doc', key => $key, scope => 'acme',
                   ref => $canonical->('doc'), ttl => 3600), '', 'a scope');
is(signed_problems(url_of('/argument-tenant', 'artifact:doc'),
                   prefix => $URL, id => 'doc', key => $key,
                   ref => $canonical->('doc'), ttl => 3600), '',
   'an empty scope');
is(signed_problems(url_of('/argument-long', 'artifact:doc'), prefix => $URL,
                   id => 'doc', key => $key, ref => $canonical->('doc'),
                   ttl => 30 * 86400), '', 'thirty days');

# from where: offload, links, the MCP server

my $made_of = json_of($t->get('/offload/v1/images/generations'));
my ($id) = ($made_of->{data}[0]{url} // '') =~ m{([-0-9a-f]{36})};
$id //= 'none';
is(signed_problems($made_of->{data}[0]{url} // 'none', prefix => $URL,
                   id => $id, key => $key, ref => $canonical->($id),
                   ttl => 3600), '', 'an image that was generated');
is($t->get("/off/$id")->body, $image, 'it is there');

my $chat = json_of($t->get('/offload/chat/completions'));
is($chat->{choices}[0]{message}{images}[0]{image_url}{url} // 'none',
   $made_of->{data}[0]{url}, 'the same in a chat: the same URL');

my $link = json_of($t->req('POST', '/offload/link/mcp'))
    ->{result}{content}[0] // {};
is($link->{type}, 'resource_link', 'a link of MCP');
like($link->{uri} // '', qr/\Q$id\E/, 'to the same');
is(signed_problems($link->{uri}, prefix => $URL, id => $id, key => $key,
                   ref => $canonical->($id), ttl => 3600), '',
   'its URL is signed') if ($link->{uri} // '') =~ /^https/;

my $error = mcp_error(
    mcp_ask($t, 'resources/read', { uri => 'artifact:large' }, id => 1), 200,
    -32602, 1, 'a resource that is too large');
is(signed_problems($error->{data}{url} // 'none', prefix => $URL,
                   id => 'large', key => $key, ref => $canonical->('large'),
                   ttl => 3600), '', 'and its URL');


# --- the end of an URL ---------------------------------------------------------

# Every reference has its own tick, and all of them live long enough.  Perl's
# time() may be some milliseconds behind nginx's, so a second later.

my (%phase, @wrong);
for my $n (1 .. 40) {
    my $before = time;
    my ($exp) = query_of(url_of('/argument', "artifact:ref$n"));
    my $after = time;

    $exp //= 0;
    $phase{$exp % 3600}++;
    push @wrong, "ref$n: $exp at $before"
        if $exp < $before - 1 + 3600 || $exp > $after + 7201;
}
is(join('; ', @wrong), '', 'each lives for one to two ttl');
cmp_ok(scalar keys %phase, '>', 20, 'and they do not end at one tick');

# The same bytes until they change, by one ttl.

my (%seen, %last, %steps);
@wrong = ();
my $end = time + 7;
while (time < $end) {
    for my $n (1 .. 4) {
        my $before = time;
        my $url = url_of('/argument-short', "artifact:ref$n");
        my $after = time;

        my ($exp) = query_of($url);
        $exp //= 0;
        push @wrong, "ref$n: $exp at $before"
            if $exp < $before + 1 || $exp > $after + 5;
        push @wrong, "ref$n: another URL that ends at $exp"
            if ($seen{$n}{$exp} //= $url) ne $url;
        push @wrong, "ref$n: $last{$n}, then $exp"
            if $last{$n} && $exp != $last{$n} && ($exp - $last{$n}) % 2;
        push @wrong, "ref$n: back" if $exp < ($last{$n} // 0);
        $steps{$n}++ if $last{$n} && $exp > $last{$n};
        $last{$n} = $exp;
    }
    sleep 0.1;
}
is(join('; ', @wrong[0 .. ($#wrong > 5 ? 5 : $#wrong)]), '',
   'of two seconds: the same bytes until the next');
is(join(' ', grep { !$steps{$_} } 1 .. 4), '', 'all have changed');

is(url_of('/argument', 'artifact:doc') =~ /exp=(\d+)/ ? $1 % 3600 : '',
   ($made // 0) % 3600, 'the phase of a reference stays');


# --- what opens ----------------------------------------------------------------

my $now = time;
my $exp = $now + 1000;

sub opens {
    my ($uri, $body, $name, @headers) = @_;

    my $res = $t->get($uri, @headers);
    is("$res->{status} $res->{body}", "200 $body", $name);
    is($res->header('X-Signature'), 'valid', "$name: it is valid");
    my ($left) = ($res->header('Cache-Control') // '')
        =~ /\Aprivate, max-age=(\d+)\z/;
    my ($until) = $uri =~ /exp=(\d+)/;
    ok(defined $left && abs($until - time - $left) <= 2,
       "$name: a cache may keep it as long")
        or diag($res->header('Cache-Control') // 'none');
    return $res;
}

sub refused {
    my ($uri, $code, $name, %opt) = @_;

    my $res = $t->req($opt{method} // 'GET', $uri,
        headers => $opt{headers} // [],
        defined $opt{body} ? (body => $opt{body}) : ());
    if (($opt{method} // '') eq 'HEAD') {
        is($res->status, 403, $name);
    } else {
        error_is($res, 403, $code, undef, $name);
    }
    unlike($res->header('X-Signature') // '', qr/^valid/,
           "$name: it is not valid") unless $opt{any};
    return $res;
}

sub of { return signed($key, '', $canonical->($_[0]), $_[1] // $exp) }

my $doc = "words of doc\n";
my $first = opens('/a/doc?' . of('doc'), $doc, 'the right one');
is($first->header('Content-Type'), 'text/plain', 'with its type');

my ($query) = $url =~ /\?(.*)/;
opens("/a/doc?$query", $doc, 'one of the module');

for my $case (
    ["/a/artifact:doc?" . of('doc'), $doc, 'with "artifact:"'],
    ["/a/%64%6fc?" . of('doc'), $doc, 'encoded'],
    ["/a/$ws?" . of($ws), "in a workspace\n", 'by id'],
    ["/w/w/src/a%20b.txt?" . of($ws), "in a workspace\n", 'by path'],
    ["/w/w/src/../src/a%20b.txt?" . of($ws), "in a workspace\n",
     'by a path that turns round'],
    ["/a/a%20b+%C3%BC?" . of(bytes('a b+ü')), 'x', 'an id with a blank'],
    ["/decoded/thing?" . of('thing'), 'proxied', 'a proxied store'],
    ["/a/doc?x=1&" . of('doc') . "&y=2", $doc, 'among other arguments'],
    ["/a/doc?" . (of('doc') =~ s/(exp=.*)&(sig=.*)/$2&$1/r), $doc,
     'the other order'],
    ["/a/doc?" . of('doc') . '&exp=1&sig=A', $doc, 'the first of several'],
    ["/a/doc?" . signed($other, '', $canonical->('doc'), $exp), $doc,
     'the second key'],
    ["/a/doc?" . signed($long, '', $canonical->('doc'), $exp), $doc,
     'the third'],
) {
    opens(@$case);
}

my $res = $t->get('/a/doc?download&' . of('doc'));
like($res->header('Content-Disposition') // '', qr/^attachment/, 'a download');

$res = $t->head('/a/doc?' . of('doc'));
is($res->status, 200, 'HEAD');
like($res->header('Cache-Control') // '', qr/^private, max-age=\d+$/,
     'may be kept, too');
$res = $t->get('/a/doc?' . of('doc'), Range => 'bytes=2-4');
is("$res->{status} $res->{body}", '206 rds', 'a range');
like($res->header('Cache-Control') // '', qr/^private, max-age=\d+$/, 'too');
$res = $t->get('/a/doc?' . of('doc'),
               'If-None-Match' => $first->header('ETag'));
is($res->status, 304, 'not modified');

$res = $t->accept('vision', '/routed/shot?' . of('shot'));
is(routing_of($res), 'image image_url image/png', 'a routed answer');
like($res->header('Cache-Control') // '', qr/^private, max-age=\d+$/, 'too');
error_is($t->accept('vision', '/routed/shot'), 403, 'signature_missing', undef,
         'a routed answer needs one, too');

error_is($t->get('/a/none?' . of('none')), 404, 'artifact_not_found', 'none',
         'signed, but not there');
is($t->get('/a/none')->status, 403, 'who has no signature is not told that');

is($t->get('/off/doc')->body, $doc, 'off');
is($t->get('/off/doc')->header('Cache-Control'), undef, 'says nothing of time');


# --- what does not -------------------------------------------------------------

my $good = signature($key, '', $canonical->('doc'), $exp);

refused('/a/doc', 'signature_missing', 'none');
is($t->get('/a/doc')->header('X-Signature'), undef, 'an empty variable');
refused('/a/doc?x=y', 'signature_missing', 'other arguments');
refused("/a/doc?exp=$exp", undef, 'only exp');
refused("/a/doc?sig=$good", undef, 'only sig');
refused('/a/doc?exp=&sig=', undef, 'empty ones');
refused('/a/doc', 'signature_missing', 'HEAD without', method => 'HEAD');
like(json_of($t->get('/chinese/doc'))->{message} // '', qr/\p{Han}/,
     'Chinese words');

# each character of it

my $slips = '';
for my $at (0 .. 42) {
    my $c = substr $good, $at, 1;
    my $next = substr $ALPHABET, (1 + index $ALPHABET, $c) % 64, 1;
    my $bad = $good;
    substr $bad, $at, 1, $next;
    my $res = $t->get("/a/doc?exp=$exp&sig=$bad");
    $slips .= " $at" if $res->status != 403
        || ($res->header('X-Signature') // '') ne 'invalid'
        || (json_of($res)->{error} // '') ne 'signature_invalid';
}
is($slips, '', 'a character changed, anywhere');

my $last = index $ALPHABET, substr $good, 42;
for my $bits (1 .. 3) {
    my $bad = substr($good, 0, 42) . substr $ALPHABET, $last ^ $bits, 1;
    refused("/a/doc?exp=$exp&sig=$bad", 'signature_invalid',
            "spare bits $bits in the last character");
}

for my $case (
    ["$good=" => 'padding'], ["$good%3D" => 'encoded padding'],
    ["$good==" => 'twice'], ["${good}A" => 'a character more'],
    [substr($good, 0, 42) => 'one less'], [substr($good, 1) => 'the first less'],
    ["$good%00" => 'a zero'], ["$good%20" => 'a blank'],
    ["+$good" => 'a sign'], ['' => 'nothing'], [lc $good => 'small letters'],
    [sprintf('%%%02x', ord $good) . substr($good, 1) => 'an encoded one'],
    ['A' x 4000 => 'a long one'], ['A' x 43 => 'zeros'],
    [unpack('H*', Digest::SHA::hmac_sha256("artifact-url-v1\n\n"
        . $canonical->('doc') . "\n$exp", $key)) => 'hex'],
) {
    refused("/a/doc?exp=$exp&sig=$case->[0]", undef, $case->[1]);
}

# the alphabet of plain base64

for my $later (1 .. 200) {
    my $sig = signature($key, '', $canonical->('doc'), $exp + $later);
    next if $sig !~ /-/ || $sig !~ /_/;

    my $at = $exp + $later;
    is($t->get("/a/doc?exp=$at&sig=$sig")->status, 200, 'with - and _');
    refused("/a/doc?exp=$at&sig=" . ($sig =~ tr{-_}{+/}r), undef,
            'with + and /');
    refused("/a/doc?exp=$at&sig=" . ($sig =~ s/-/%2D/r), undef, 'with %2D');
    last;
}

# the end: each form is signed itself, so that only the form is bad

for my $case (
    ["+$exp" => 'a sign'], ["-$exp" => 'a minus'], ["0$exp" => 'a zero'],
    ["00$exp" => 'two zeros'], ["$exp%20" => 'a blank behind'],
    ["%20$exp" => 'one before'], ["$exp+" => 'a plus behind'],
    ["$exp.0" => 'a fraction'], ["${exp}e0" => 'an exponent'],
    ["$exp%00" => 'a zero byte'], ["$exp%0A" => 'a line feed'],
    [sprintf('0x%x', $exp) => 'hex'], ['' => 'nothing'],
    ['9' x 40 => 'forty digits'], ['9' x 3000 => 'three thousand'],
    ['1' . '0' x 30 => 'a large one'], [2 ** 64 . '' => 'a rounded one'],
    ['18446744073709551616' => '2^64'],
    ['1844674407370' . '9551616' . $exp => 'it wraps around'],
    ['%31' . substr($exp, 1) => 'an encoded digit'],
    ["$exp,$exp" => 'two in one'], ['never' => 'a word'],
    ["\xd9\xa1" => 'an Arabic digit'],
) {
    my ($form, $name) = @$case;

    my $plain = $form =~ s/%([0-9A-F]{2})/chr hex $1/ger;
    for my $text ($form, $plain) {
        refused("/a/doc?exp=$form&sig="
                . signature($key, '', $canonical->('doc'), $text), undef,
                "exp with $name");
        last if $plain eq $form;
    }
}

# too late, which is told only to who has the right one

for my $ago (2, 60, 86400, $now - 1) {
    my $res = refused('/a/doc?' . of('doc', $now - $ago), 'signature_expired',
                      "$ago seconds too late");
    is($res->header('X-Signature'), 'expired', 'it has expired');
}
refused('/a/doc?exp=' . ($now - 60) . "&sig=$good", undef,
        'the signature of another end, too late');
refused('/a/doc?exp=' . ($exp + 1) . "&sig=$good", 'signature_invalid',
        'a second longer');

# of another

refused('/a/doc2?' . of('doc'), 'signature_invalid', 'of another artifact');
refused('/a/DOC?' . of('doc'), 'signature_invalid', 'in other letters');
refused('/w/w/src/z.txt?' . of($ws), 'signature_invalid', 'of another file');
refused('/decoded/other?' . of('thing'), 'signature_invalid',
        'of another object');
refused('/a/doc?' . signed($key, 'acme', $canonical->('doc'), $exp),
        'signature_invalid', 'of a scope');
refused('/a/doc?' . signed("$key.", '', $canonical->('doc'), $exp),
        'signature_invalid', 'by another key');
refused('/a/doc?' . signed('', '', $canonical->('doc'), $exp),
        'signature_invalid', 'by no key');
refused('/a/doc?' . signed($key, '', uri("${URL}doc"), $exp),
        'signature_invalid', 'of the URL');

for my $pair (['acme', 'evil'], ['acme', ''], ['', 'acme'], ['acme', 'acme '],
              ['acme', 'ACME'])
{
    my ($from, $to) = @$pair;
    refused('/tenant/doc?' . signed($key, $from, $canonical->('doc'), $exp),
            'signature_invalid', "of \"$from\", asked as \"$to\"",
            headers => ['X-Tenant' => $to]) if $to ne 'acme ';
    my $res = $t->get('/tenant/doc?' . signed($key, $from,
        $canonical->('doc'), $exp), 'X-Tenant' => $from);
    is($res->status, 200, "of \"$from\" itself");
}

# borders that have moved: the same bytes from another scope

for my $ref ("a\ndoc", "\ndoc", "x\ndoc") {
    my $query = signed($key, '', $ref, $exp);
    for my $at ('/a/doc', '/tenant/doc', '/a/a%0Adoc', '/tenant/a%0Adoc') {
        my $res = $t->get("$at?$query");
        isnt($res->status, 200, "$at with the signature of " . $ref =~ s/\n/|/r);
    }
}

for my $scope ("\na", "x\ndoc", "x") {
    for my $ref ('doc', $canonical->('doc')) {
        my $query = "exp=$exp&sig=" . signature($key, $scope, $ref, $exp);
        isnt($t->get("/a/doc?$query")->status, 200,
             'a scope with a line feed, elsewhere');
    }
}

my $text = $canonical->('doc') . "\n$exp";
refused('/a/doc?exp=' . substr($exp, 0, 1) . '&sig='
        . signature($key, '', $canonical->('doc') . "\n" . substr($exp, 1),
                    substr $exp, 0, 1), undef, 'the end within the reference');
for my $cut (1 .. length($exp) - 1) {
    my ($one, $two) = (substr($exp, 0, $cut), substr $exp, $cut);
    isnt($t->get("/a/doc$one?exp=$two&sig=$good")->status, 200,
         "$cut digits to the reference");
}

# the first of several

for my $case (
    ["exp=1&exp=$exp&sig=$good" => 'another exp before'],
    ["exp=$exp&sig=" . 'A' x 43 . "&sig=$good" => 'another sig before'],
    ["sig=&exp=$exp&sig=$good" => 'an empty one before'],
    ["exp=1&sig=" . 'A' x 43 . "&exp=$exp&sig=$good" => 'both before'],
    ["xexp=$exp&xsig=$good" => 'other names'],
    ["exp=$exp;sig=$good" => 'a semicolon'],
    ["exp=$exp&sig=$good%26x=1" => 'an encoded separator'],
) {
    refused("/a/doc?$case->[0]", undef, $case->[1]);
}

# only contents

my $before = files_of($t);

for my $method (qw(PUT DELETE POST PATCH OPTIONS PROPFIND)) {
    my @body = $method =~ /^P[UOA]/
        ? (body => 'x', headers => ['Content-Type' => 'text/plain']) : ();
    for my $at ('/a/doc?' . of('doc'), "/w/w/src/z.txt?"
                . of(ws_id('w', 'src/z.txt')), '/a/?' . of(''))
    {
        my $res = $t->req($method, $at, @body);
        is($res->status, 403, "$method " . $at =~ s/\?.*//r);
    }
}
nothing_changed($t, $before, 'other methods');

for my $case (
    ['/a/doc/metadata', 'doc'], ['/a/doc/metadata', 'doc/metadata'],
    ['/a/', ''], ['/a/', '/'], ['/w/', ''], ['/w/w/', 'ws:w:'],
    ['/w/w/', 'w/'], ['/w/w/src/', ws_id('w', 'src')],
    ['/w/w/src/', ws_id('w', 'src/')], ['/w/w/src/', ws_id('w', 'src/z.txt')],
    ["/a/$ws/metadata", $ws],
) {
    my ($uri, $id) = @$case;

    refused("$uri?" . of($id), undef, "$uri with the signature of \"$id\"",
            any => 1);
    refused("$uri?" . signed($key, '', $id, $exp), undef,
            "$uri, as it is", any => 1);
    refused($uri, undef, "$uri without", any => 1);
}
refused('/a/doc/metadata?' . of('doc'), undef, 'HEAD of metadata',
        method => 'HEAD', any => 1);


# --- with nginx's own access ---------------------------------------------------

my @ann = basic('ann:secret');

is($t->get('/either/doc?' . of('doc'))->body, $doc, 'either: a signature');
$res = $t->get('/either/doc', @ann);
is($res->body, $doc, 'either: a password');
unlike($res->header('Cache-Control') // '', qr/max-age/,
       'which does not end');
is($t->get('/either/doc/metadata', @ann)->status, 200,
   'either: the password opens all');
is($t->get('/either/doc?exp=1&sig=x', @ann)->status, 200,
   'either: a password beside a bad one');
$res = $t->get('/either/doc');
is($res->status, 401, 'either: neither');
like($res->header('WWW-Authenticate') // '', qr/Basic/, 'which one may give');
is($t->get("/either/doc?exp=$exp&sig=" . 'A' x 43)->status, 401,
   'either: a bad signature');
is($t->get('/either/doc?' . of('doc', $now - 9))->status, 401,
   'either: one that has expired');
is($t->get('/either/doc/metadata?' . of('doc'))->status, 401,
   'either: a signature opens no metadata');
is($t->get('/either/?' . of(''))->status, 401, 'either: no listing');

is($t->get('/inside/doc?' . of('doc'))->status, 200, 'denied, but signed');
is($t->get('/inside/doc')->status, 403, 'denied');

is($t->get('/both/doc?' . of('doc'), @ann)->status, 200, 'both');
is($t->get('/both/doc?' . of('doc'))->status, 401, 'both: no password');
is($t->get('/both/doc', @ann)->status, 403, 'both: no signature');

$t->get('/logged/doc?' . of('doc'));
$t->get("/logged/doc?exp=$exp&sig=" . 'B' x 43);
$t->get('/logged/doc?' . of('doc', 1000));
$t->get('/logged/doc');
ok($t->wait_for(qr/(?:.*\n){4}/, 'access.log'), 'a log');

# a request may be logged after the next one

is(join(' ', sort map { s/.*\|-?//r } split /\n/, slurp("$dir/access.log")),
   ' expired invalid valid', 'the variable in it');


# --- rotation ------------------------------------------------------------------

my $new = join '', map { chr($_ * 17 % 256) } 1 .. 32;
my $next = signed($new, '', $canonical->('doc'), $exp);
my $old = of('doc');

refused("/a/doc?$next", 'signature_invalid', 'a key that is not there yet');

key_file($t, 'keys', \$new, \$key);
ok($t->reload, 'a new key in front');
is($t->get("/a/doc?$next")->status, 200, 'the new one opens');
is($t->get("/a/doc?$old")->status, 200, 'the old one, too');
is(signed_problems(url_of('/argument', 'artifact:doc'), prefix => $URL,
                   id => 'doc', key => $new, ref => $canonical->('doc'),
                   ttl => 3600), '', 'the new one signs');
refused('/a/doc?' . signed($other, '', $canonical->('doc'), $exp),
        'signature_invalid', 'one that is gone');

key_file($t, 'keys', \$new);
ok($t->reload, 'without the old one');
is($t->get("/a/doc?$next")->status, 200, 'the new one opens');
refused("/a/doc?$old", 'signature_invalid', 'the old one does not');

key_file($t, 'keys', 'not a key at all');
$t->allow(qr/\[emerg\]/);
ok($t->reload(fails => 1), 'a bad file is no reload');
is($t->get("/a/doc?$next")->status, 200, 'and all goes on');
key_file($t, 'keys', \$new);


# --- nginx -t ------------------------------------------------------------------

sub tested {
    my ($name, %opt) = @_;

    my ($code, $out) = $t->conf_test(server => $opt{server} // <<"SERVER");
    artifact_root %%DATA%%;
    location /a/ {
        artifact;
        artifact_signed on;
        artifact_sign_key %%PREFIX%%/$opt{file};
    }
SERVER
    my $fails = $opt{fails} // 1;
    is($code ? 1 : 0, $fails, "nginx -t: $name") or diag($out);
    like($out, qr/conftest\.conf:\d+/, "$name: with file and line") if $fails;
    for my $secret (@{ $opt{secrets} // [] }) {
        ok(index($out, $secret) < 0, "$name: nothing of the key")
            or diag($out);
    }
    return $out;
}

my $hex = unpack 'H*', $key;
my $short = substr $hex, 0, 62;
my $bad = 'S3cretKeyMaterial!' . 'x' x 40;

key_file($t, 'good', $hex);
my $out = tested('a good one', file => 'good', fails => 0);
unlike($out, qr/\[warn\]/, 'without a warning');

chmod 0644, "$dir/good";
$out = tested('one that others may read', file => 'good', fails => 0,
              secrets => [$hex, substr $hex, 0, 16]);
like($out, qr/\[warn\].*good/, 'is a warning');

tested('no file', file => 'nothing');
mkdir "$dir/folder";
tested('a folder', file => 'folder');

key_file($t, 'empty');
tested('an empty file', file => 'empty');
key_file($t, 'comments', '# nothing', '', "#$hex");
tested('a file of comments', file => 'comments', secrets => [$hex]);
key_file($t, 'short', $short);
tested('62 digits', file => 'short', secrets => [$short, substr $short, 0, 12]);
key_file($t, 'short64', b64(substr $key, 0, 31));
tested('31 bytes', file => 'short64', secrets => [b64(substr $key, 0, 31)]);
key_file($t, 'bad', $bad);
tested('characters that are neither', file => 'bad',
       secrets => [$bad, 'S3cret']);
key_file($t, 'mixed', $hex, $bad);
tested('a good line and a bad one', file => 'mixed',
       secrets => [$bad, 'S3cret', $hex, substr $hex, 0, 16]);
key_file($t, 'badhex', substr($hex, 0, 63) . 'g!');
tested('a digit that is none', file => 'badhex',
       secrets => [substr $hex, 0, 16]);

key_file($t, 'good', $hex);
for my $case (
    ['a signed location without a key', 'artifact; artifact_signed on;'],
    ['half a second', 'artifact; artifact_sign_ttl 500ms;'],
    ['no time', 'artifact; artifact_sign_ttl 0;'],
    ['a word for a time', 'artifact; artifact_sign_ttl soon;'],
    ['another word', 'artifact; artifact_sign_key %%PREFIX%%/good;'
                     . ' artifact_signed maybe;'],
    ['no content of ours', 'artifact_sign_key %%PREFIX%%/good;'
                           . ' artifact_signed on; return 200;'],
    ['another argument', 'artifact; artifact_sign_key %%PREFIX%%/good'
                         . ' skope=x;'],
    ['twice', 'artifact; artifact_sign_key %%PREFIX%%/good;'
              . ' artifact_sign_key %%PREFIX%%/good;'],
    ['an artifact_url with a query',
     'artifact; artifact_sign_key %%PREFIX%%/good;'
     . ' artifact_url https://h/a?x=;'],
) {
    tested($case->[0], server => <<"SERVER");
    artifact_root %%DATA%%;
    location /a/ {
        $case->[1]
    }
SERVER
}

for my $case (
    ['each kind of location', <<"SERVER"],
    location /a/ { artifact; artifact_signed on; }
    location /w/ { artifact_workspace; artifact_signed on; }
    location /d/ { artifact_decode on; artifact_signed on;
                   proxy_pass http://127.0.0.1:1; }
    location /n/ { artifact; artifact_signed off; }
SERVER
    ['a second', 'artifact_sign_ttl 1s;'],
    ['a year', 'artifact_sign_ttl 1y;'],
    ['a scope', 'location /s/ { artifact; artifact_signed on;'
     . ' artifact_sign_key %%PREFIX%%/good scope=$host; }'],
    ['a relative name', 'location /s/ { artifact; artifact_signed on;'
     . ' artifact_sign_key good; }'],
) {
    tested($case->[0], fails => 0, server => "    artifact_root %%DATA%%;\n"
           . "    artifact_sign_key %%PREFIX%%/good;\n$case->[1]");
}


# --- where keys are not --------------------------------------------------------

my $binary = $ENV{TEST_NGINX_BINARY}
    || (grep { -x } map { "$_/nginx" } split(/:/, $ENV{PATH}), '/usr/sbin')[0];
my $dump = `$binary -T -p $dir -c $dir/nginx.conf -e $dir/dump.log 2>&1`;
like($dump, qr/artifact_sign_key \Q$dir\E\/keys/, 'nginx -T has the name');
unlike($dump, qr/\Q@{[unpack 'H*', $new]}\E/i, 'and no key');

my $log = $t->log;
for my $secret ($key, $other, $long, $new) {
    for my $form (unpack('H*', $secret), uc unpack('H*', $secret),
                  b64($secret), b64url($secret), $secret)
    {
        ok(index($log, substr $form, 0, 16) < 0, 'no key in the error log');
    }
}
unlike($log, qr/S3cret|not a key at all/, 'nor a line of the file');

$t->finish;
