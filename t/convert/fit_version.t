#!/usr/bin/perl

# $artifact_version: the same for the same content of the same artifact, another
# when the bytes may have changed, and never that of another artifact; so that
# nginx's cache makes one conversion for all models and turns.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $tiff = tiff_of(9, 9, 'one');

$t->artifact($_, $tiff, { type => 'image/tiff', name => "$_.tiff" })
    for qw(one same two);
for my $tenant (qw(a b)) {
    mkdir "$dir/$tenant" or die "mkdir: $!";
    mkdir "$dir/$tenant/artifacts" or die "mkdir: $!";
    spew("$dir/$tenant/artifacts/one.tiff", $tiff);
}
$t->workspace_file('w1', 'one.tiff', $tiff);
$t->workspace_file('w2', 'one.tiff', $tiff);
$t->file('map.json', fit_map());

my $date = 'Thu, 01 Jan 2026 00:00:00 GMT';
my %stored = (
    tagged => ['ETag: "v1"'], tagged2 => ['ETag: "v2"'],
    dated => ["Last-Modified: $date"],
    dated2 => ['Last-Modified: Fri, 02 Jan 2026 00:00:00 GMT'],
    both => ['ETag: "v1"', "Last-Modified: $date"], none => [],
);
my $store = ArtifactUpstream->new("$dir/store", contents => {
    map { ($_ => { body => $tiff, type => 'image/tiff',
                   headers => $stored{$_} }) } keys %stored });
my $other = ArtifactUpstream->new("$dir/other", contents => {
    map { ($_ => { body => $tiff, type => 'image/tiff',
                   headers => $stored{$_} }) } keys %stored });
my $shared = ArtifactUpstream->new("$dir/shared", serve => sub {
    my ($sock) = @_;
    my ($head) = read_request($sock) or return;
    my ($tenant) = $head =~ /^X-Tenant: (\w)/m;
    my $body = tiff_of(9, 9, "of $tenant");
    send_answer($sock, "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\n"
        . "Content-Type: image/tiff\r\nConnection: close\r\n"
        . 'Content-Length: ' . length($body) . "\r\n\r\n$body");
});
my $converter = converter("$dir/convert", no => { status => 415 },
    broken => { status => 500 });
my $echo = echoed($t);

my $pass = 'artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:;';
my %conf = (
    http => 'artifact_capabilities %%PREFIX%%/map.json; '
        . 'proxy_cache_path %%PREFIX%%/derived keys_zone=derived:1m;',
    server => fit_server('artifact_derive image/tiff,image/heic image/jpeg '
                         . '/c/jpeg body; artifact_derive image text/plain '
                         . '/c/text body;', <<"MORE"));
    location /get/ {
        artifact_derive image image/jpeg /c/jpeg/;
        $pass
    }
    location /tenant/ {
        set \$tenant \$http_x_tenant;
        artifact_source /of/;
        $pass
    }
    location /of/ {
        internal;
        artifact;
        artifact_root %%PREFIX%%/\$tenant;
    }
    location /root-a/ { artifact_source /files-a/; $pass }
    location /root-b/ { artifact_source /files-b/; $pass }
    location /files-a/ { internal; artifact; artifact_root %%PREFIX%%/a; }
    location /files-b/ { internal; artifact; artifact_root %%PREFIX%%/b; }
    location /stored/ { artifact_source /s/; $pass }
    location /elsewhere/ { artifact_source /o/; $pass }
    location /s/ {
        internal;
        rewrite ^/s/(.*) /\$1 break;
        proxy_pass http://unix:%%PREFIX%%/store:;
    }
    location /o/ {
        internal;
        rewrite ^/o/(.*) /\$1 break;
        proxy_pass http://unix:%%PREFIX%%/other:;
    }
    location /changing/ {
        artifact_source /tagged/\$http_x_tag/;
        $pass
    }
    location /tagged/ {
        internal;
        rewrite ^/tagged/(.*)/x /\$1 break;
        proxy_pass http://unix:%%PREFIX%%/store:;
    }
    location /routed/ { artifact; artifact_route on;
                        artifact_root %%DATA%%; }

    location /cached/ {
        artifact_derive image/tiff,image/heic image/jpeg /k/jpeg body;
        artifact_derive image text/plain /k/text body;
        $pass
    }
    location /cached-no/ {
        artifact_derive image image/jpeg /k/no body;
        $pass
    }
    location /cached-broken/ {
        artifact_derive image image/jpeg /k/broken body;
        $pass
    }
    location /cached-tenant/ {
        set \$tenant \$http_x_tenant;
        artifact_source /of/;
        artifact_derive image/tiff image/jpeg /k/jpeg body;
        $pass
    }
    location /cached-header/ {
        set \$tenant \$http_x_tenant;
        artifact_source /header/;
        artifact_derive image/tiff image/jpeg /t/jpeg body;
        $pass
    }
    location /header/ {
        internal;
        proxy_set_header X-Tenant \$tenant;
        proxy_pass http://unix:%%PREFIX%%/shared:/;
    }
    location /t/ {
        internal;
        proxy_pass http://unix:%%PREFIX%%/convert:/;
        proxy_cache derived;
        proxy_cache_methods POST;
        proxy_cache_key \$tenant\$artifact_version\$uri;
        proxy_cache_valid 200 30d;
    }
    location /k/ {
        internal;
        proxy_pass http://unix:%%PREFIX%%/convert:/;
        proxy_cache derived;
        proxy_cache_methods POST;
        proxy_cache_key \$artifact_version\$uri;
        proxy_cache_valid 200 204 415 30d;
        proxy_cache_lock on;
        proxy_intercept_errors on;
        error_page 500 502 503 504 = \@words;
    }
    location \@words { return 204; }
MORE

$t->start(%conf);

sub ask {
    my ($uri, $body, @headers) = @_;
    my $res = $t->req('POST', $uri, body => $body,
        headers => ['Content-Type' => 'application/json', @headers]);
    is($res->{status}, 200, "$uri: 200") or diag($res->{body});
    return $res;
}

# The versions that the converter was told.

sub versions {
    my ($uri, $parts, @headers) = @_;
    $converter->asked;
    ask("$uri/chat/completions", body_of('openai', 'sees', @$parts), @headers);
    my @versions;
    for my $asked ($converter->asked) {
        my ($version) = map { /^X-Version: (.*)/i ? $1 : () }
            @{ $asked->{headers} };
        push @versions, $version // '';
    }
    return wantarray ? @versions : join ' ', @versions;
}

sub image { return slot('openai', 'image', "artifact:$_[0]") }

sub own { return inline_part('openai', 'image', $_[1] // 'image/tiff', $_[0]) }

# --- artifacts

my $one = versions('/v1', [image('one')]);
like($one, qr/\A[-0-9A-Za-z_=+]{16,}\z/, 'a hash');
is(versions('/v1', [image('one')]), $one, 'the same again');
is(scalar(grep { $_ eq $one } versions('/v1', [image('two'), image('one')])), 1,
   'beside another');
isnt(versions('/v1', [image('same')]), $one,
     'an equal content of another artifact');
is(versions('/get', [image('one')]), $one, 'in a GET as in a POST');

$converter->asked;
$t->service('reads', '/routed/one');
$t->service('sees', '/routed/one');
my $routed = join ' ', map { map { /^X-Version: (.*)/i ? $1 : () }
                             @{ $_->{headers} } } $converter->asked;
like($routed, qr/\A\S+\z/, 'a routed answer has one');

# the artifact changes

my $file = $t->data . '/artifacts/one';
my @stat = stat $file;
my %seen = ($one => 'at first');
for (['bytes', sub { spew($file, tiff_of(9, 9, 'two')) }],
     ['bytes, with the old time', sub {
         spew($file, tiff_of(9, 9, 'six')); utime @stat[8, 9], $file }],
     ['length', sub { spew($file, tiff_of(9, 9, 'three')) }],
     ['another file in its place', sub {
         spew("$file.new", tiff_of(9, 9, 'three'));
         rename "$file.new", $file or die "rename: $!" }],
     ['the first bytes again', sub { spew($file, $tiff) }])
{
    my ($name, $change) = @$_;
    $change->();
    my $now = versions('/v1', [image('one')]);
    ok(length $now && !$seen{$now}, "another version: $name")
        or diag("$now is that of $seen{$now}");
    is(versions('/v1', [image('one')]), $now, "$name: the same again");
    $seen{$now} = $name;
}

# roots, tenants, references

my @roots = map { scalar versions("/root-$_", [image('one')]) } qw(a b);
isnt($roots[0], $roots[1], 'roots differ');
is(versions('/root-a', [image('one')]), $roots[0], 'a root is the same again');
ok(!$seen{$_}, 'and differs from the first one') for @roots;
my @tenants = map { scalar versions('/tenant', [image('one')],
                                    'X-Tenant' => $_) } qw(a b);
isnt($tenants[0], $tenants[1], 'tenants differ');
is(versions('/tenant', [image('one')], 'X-Tenant' => 'a'), $tenants[0],
   'a tenant is the same again');
my @spaces = map { scalar versions('/v1', [image(ws_id($_, 'one.tiff'))]) }
    qw(w1 w2);
isnt($spaces[0], $spaces[1], 'workspaces differ');
is(versions('/v1', [image(ws_id('w1', 'one.tiff'))]), $spaces[0],
   'a workspace is the same again');

# what the metadata say decides what the converter is told

$t->artifact('typed', "\x01\x02\x00\xff" x 99, { type => 'image/x-tga' });
my $typed = versions('/v1', [image('typed')]);
is(versions('/v1', [image('typed')]), $typed, 'a type of the metadata');
$t->artifact('typed', undef, { type => 'image/x-pcx' });
isnt(versions('/v1', [image('typed')]), $typed, 'another type in its place');

# hard links of one file are two artifacts

link "$dir/a/artifacts/one.tiff", "$dir/b/artifacts/link.tiff"
    or die "link: $!";
isnt(versions('/root-b', [image('link')]),
     versions('/root-a', [image('one')]), 'one file by two roots');

# --- proxied sources

my %version = map { $_ => scalar versions('/stored', [image($_)]) }
    keys %stored;
for my $id (sort grep { $_ ne 'none' } keys %stored) {
    is(versions('/stored', [image($id)]), $version{$id},
       "$id: the same again");
    isnt(versions('/elsewhere', [image($id)]), $version{$id},
         "$id: another one of another source");
}
is(scalar(keys %{ { reverse %version } }), scalar keys %stored,
   'references differ');
my @tag = map { scalar versions('/changing', [image('x')], 'X-Tag' => $_) }
    qw(tagged tagged tagged2 dated dated2);
isnt($tag[0], $tag[2], 'another ETag');
isnt($tag[3], $tag[4], 'another Last-Modified');

my @none = map { scalar versions('/stored', [image('none')]) } 1 .. 3;
my %once = map { $_ => 1 } @none, $version{none};
is(scalar keys %once, 4, 'without validators it is unique to the request');
ok(length, 'but there') for @none;

# --- the client's own media

my $own = versions('/v1', [own($tiff)]);
is(versions('/v1', [own($tiff)]), $own, 'own media: the same again');
is(versions('/elsewhere', [own($tiff)]), $own, 'own media: of whatever source');
is(versions('/v1', [own($tiff, 'image/heic')]), $own,
   'own media: said to be of another type, which the bytes are not');
is(versions('/v1', [own($tiff, 'IMAGE/Tiff;a=b')]), $own,
   'own media: a type that the converter does not see otherwise');
isnt(versions('/v1', [own(tiff_of(9, 9, 'two'))]), $own,
     'own media: other bytes');
ok(!$seen{$own}, 'own media: none of an artifact');
my @two = versions('/v1', [own($tiff), own(tiff_of(9, 9, 'two')), own($tiff)]);
my %two = map { $_ => 1 } @two;
is(scalar keys %two, 2, 'own media: two of three');
ok($two{$own}, 'own media: among others');
my @mixed = versions('/v1', [image('one'), own($tiff), image('two')]);
my %mixed = map { $_ => 1 } @mixed;
is(scalar keys %mixed, 3, 'each has its own');

my $after = versions('/v1', [image('two')]);
$t->stop;
$t->start(%conf);
is(versions('/v1', [image('two')]), $after, 'the same after a restart');
is(versions('/v1', [own($tiff)]), $own, 'own media, too');

# --- one conversion for all models and turns

sub converted_once {
    my ($name, $want, @requests) = @_;
    $converter->asked;
    my @got;
    for (@requests) {
        my ($uri, $body, @headers) = @$_;
        push @got, ask($uri, $body, @headers);
    }
    is($converter->names, $want, $name);
    return map { [media_in(json_of($_))] } @got;
}

my @turn = ([image('one')], ['{"type":"text","text":"more"}']);
my @got = converted_once('two models, two turns: one conversion', 'jpeg',
    ['/cached/chat/completions', body_of('openai', 'sees', @turn)],
    ['/cached/chat/completions', body_of('openai', 'sees', @turn, @turn)],
    ['/cached/chat/completions', body_of('openai', 'all', @turn)],
    ['/cached/v1/messages', body_of('anthropic', 'sees',
        slot('anthropic', 'image', 'artifact:one'))],
    ['/cached/v1/responses', body_of('openai_responses', 'all',
        slot('openai_responses', 'image', 'artifact:one'))]);
ok(!(grep { $_->{bytes} ne converted('jpeg', $tiff) } map { @$_ } @got),
   'the same image for all');
is(join(' ', map { scalar @$_ } @got), '1 2 1 1 1', 'in each place');

@got = converted_once('own media in two turns, and a second client', 'jpeg',
    ['/cached/chat/completions', body_of('openai', 'sees', [own($tiff)])],
    ['/cached/chat/completions', body_of('openai', 'all', [own($tiff)],
                                         [own($tiff)])],
    ['/cached/v1/messages', body_of('anthropic', 'sees',
        inline_part('anthropic', 'image', 'image/tiff', $tiff))]);
is(join(' ', map { scalar @$_ } @got), '1 2 1', 'in each place');

my $both = tiff_of(9, 9, 'both');
converted_once('the same bytes, said to be of two types', 'jpeg',
    map { ['/cached/chat/completions', body_of('openai', 'sees',
                                               [own($both, $_)])] }
    qw(image/heic image/tiff image/HEIC image/tiff;q=1));

converted_once('another form is another conversion', 'text',
    ['/cached/chat/completions', body_of('openai', 'reads', image('one'))],
    ['/cached/v1/messages', body_of('anthropic', 'reads',
        slot('anthropic', 'image', 'artifact:one'))]);

spew($file, tiff_of(9, 9, 'new'));
@got = converted_once('a change is another conversion', 'jpeg',
    map { ['/cached/chat/completions', body_of('openai', 'sees',
                                               image('one'))] } 1 .. 2);
ok(!(grep { $_->{bytes} ne converted('jpeg', tiff_of(9, 9, 'new')) }
     map { @$_ } @got), 'with the new image');

spew("$dir/b/artifacts/one.tiff", tiff_of(9, 9, 'two'));
@got = converted_once('tenants never share', 'jpeg jpeg',
    map { ['/cached-tenant/chat/completions', body_of('openai', 'sees',
           image('one')), 'X-Tenant' => $_] } qw(a b a b));
is(join(' ', map { $_->[0]{bytes} eq converted('jpeg', $tiff) ? 'a' : 'b' }
        @got), 'a b a b', 'each has its own');

@got = converted_once('tenants told apart by a header, and by the key',
    'jpeg jpeg',
    map { ['/cached-header/chat/completions', body_of('openai', 'sees',
           image('one')), 'X-Tenant' => $_] } qw(a b a b));
is(join(' ', map { my $got = $_->[0]{bytes};
                   grep { $got eq converted('jpeg', tiff_of(9, 9, "of $_")) }
                   qw(a b) } @got), 'a b a b', 'each has its own');

converted_once('what cannot be converted is asked once', 'no',
    map { ['/cached-no/chat/completions', body_of('openai', 'sees',
                                                  image('two'))] } 1 .. 3);
converted_once('what failed is asked again', 'broken broken',
    map { ['/cached-broken/chat/completions', body_of('openai', 'sees',
                                                      image('two'))] } 1 .. 2);

$_->stop for $converter, $echo, $store, $other, $shared;
$t->finish;
