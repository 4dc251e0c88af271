#!/usr/bin/perl

# X-Accel-Redirect of a converter is not followed: it would open any internal
# location, another tenant's content among them, to whoever has taken the
# converter over.  That of a store is, as ever.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $tiff = tiff_of(9, 9, 'one');

$t->artifact('one', $tiff, { type => 'image/tiff', name => 'one.tiff' });
$t->file('map.json', fit_map());
$t->file('secret', 'the secret of another tenant');

my %answers = (
    words => { body => 'words of its own', type => 'text/plain',
               headers => ['X-Accel-Redirect: /secret'] },
    named => { body => 'words of its own', type => 'text/plain',
               headers => ['x-accel-redirect: @secret'] },
    empty => { body => '', type => 'text/plain',
               headers => ['X-Accel-Redirect: /secret'] },
    error => { body => 'an error', type => 'text/plain', status => 415,
               headers => ['X-Accel-Redirect: /secret'] },
    plain => { body => 'words of its own', type => 'text/plain' },
);
my @up = map { ArtifactUpstream->new("$dir/$_", contents => \%answers,
                                     protocol => $_) }
    qw(http fastcgi scgi uwsgi);
my $store = ArtifactUpstream->new("$dir/store", contents => {
    one => { body => '', headers => ['X-Accel-Redirect: /disk/one.tiff'] },
});
my $echo = echoed($t);
mkdir "$dir/disk" or die "mkdir: $!";
spew("$dir/disk/one.tiff", $tiff);

my $proxy = 'proxy_pass_request_body off; proxy_set_header Content-Length "";';
my %kinds = (
    proxy => "$proxy proxy_pass http://unix:$dir/http:/\$name;",
    unbuffered => "$proxy proxy_buffering off;
        proxy_pass http://unix:$dir/http:/\$name;",
    passed => "$proxy proxy_pass_header X-Accel-Redirect;
        proxy_pass http://unix:$dir/http:/\$name;",
    cached => "$proxy proxy_pass http://unix:$dir/http:/\$name;
        proxy_cache derived; proxy_cache_methods POST;
        proxy_cache_key \$artifact_version\$uri;
        proxy_cache_valid 200 415 30d;",
    ignored => "$proxy proxy_ignore_headers X-Accel-Redirect;
        proxy_pass http://unix:$dir/http:/\$name;",
    page => 'error_page 502 = /k/proxy/$name; return 502;',
    (map { my $p = $_; ($p => "${p}_pass unix:$dir/$p;
        ${p}_pass_request_body off; ${p}_param REQUEST_METHOD GET;
        ${p}_param QUERY_STRING \"\"; ${p}_param CONTENT_LENGTH \"\";
        ${p}_param DOCUMENT_URI /\$name;") } qw(fastcgi scgi uwsgi)),
    grpc => "rewrite ^/k/grpc/(.*) /\$1 break; grpc_pass grpc://unix:$dir/h2;",
);

my $locations = join '', map { my $kind = $_; (<<"KIND", map { <<"CASE" }
    location ~ ^/k/$kind/(?<name>.*) { internal; $kinds{$kind} }
KIND
    location /$kind-$_/ {
        artifact_expand on;
        artifact_derive image text/plain /k/$kind/$_ body;
        proxy_pass http://unix:%%PREFIX%%/echo:;
    }
    location /routed-$kind-$_/ {
        artifact;
        artifact_route always;
        artifact_derive image text/plain /k/$kind/$_ body;
    }
    location = /message-$kind-$_ {
        artifact_message;
        artifact_derive image text/plain /k/$kind/$_ body;
    }
CASE
    sort keys %answers) } sort keys %kinds;

$t->start(http => <<"HTTP", server => fit_server('', <<"MORE"));
    artifact_capabilities %%PREFIX%%/map.json;
    proxy_cache_path %%PREFIX%%/derived keys_zone=derived:1m;
    server {
        listen unix:%%PREFIX%%/h2 http2;
        default_type text/plain;
        location / { return 200 'words of its own'; }
        location /words { add_header X-Accel-Redirect /secret;
                          return 200 'words of its own'; }
        location /named { add_header X-Accel-Redirect \@secret;
                          return 200 'words of its own'; }
        location /empty { add_header X-Accel-Redirect /secret; return 200; }
        location /error { add_header X-Accel-Redirect /secret always;
                          return 415; }
    }
HTTP
    $locations
    location = /secret { internal; alias %%PREFIX%%/secret; }
    location \@secret { root %%PREFIX%%; try_files /secret =404; }
    location /disk/ { internal; alias %%PREFIX%%/disk/; }
    location /from/ { internal; proxy_pass http://unix:$dir/store:/; }
    location /stored/ {
        artifact_expand on;
        artifact_source /from/;
        artifact_derive image text/plain /k/proxy/plain body;
        proxy_pass http://unix:%%PREFIX%%/echo:;
    }
MORE

# Two at a time: the second one finds the first one's answer in a cache.

sub answers {
    my ($how) = @_;

    my $body = body_of('openai', 'reads', slot('openai', 'image',
                                               'artifact:one'));
    my $own = body_of('openai', 'reads', inline_part('openai', 'image',
                                                     'image/tiff', $tiff));
    my @post = ('Content-Type' => 'application/json');

    return map { [ $_,
        /^own/ ? $t->req('POST', "/$how/chat/completions",
                               headers => \@post, body => $own)
        : /^routed/ ? $t->service('reads', "/routed-$how/one")
        : /^message/ ? $t->req('POST', "/message-$how", headers => \@post,
            body => encode_json_bytes({ service => 'reads',
                payload => { text => 'see', attachments => ['artifact:one'] } }))
        : $t->req('POST', "/$how/chat/completions", headers => \@post,
                  body => $body) ] }
        ('reference', 'reference again', 'own', 'own again', 'routed',
         'message');
}

for my $kind (sort keys %kinds) {
    for my $name (sort keys %answers) {

        for (answers("$kind-$name")) {
            my ($what, $r) = @$_;
            my $is = "$kind, $name, $what";

            is($r->{status}, 200, "$is: 200") or diag($r->{body});
            unlike($r->{body}, qr/secret/, "$is: nothing of another tenant");

            if ($name =~ /words|named|plain/) {
                like($r->{body}, qr/words of its own/, "$is: what it made");
            } else {
                unlike($r->{body}, qr/converted/, "$is: not converted");
            }
        }
    }
}

my $log = $t->log;
my $line = 'conversion "/k/%s/%s" of an artifact: "X-Accel-Redirect" is not '
    . 'followed';
my @lines = $log =~ /(conversion "[^"]*" of an artifact: "X-Accel-Redirect")/gi;

cmp_ok(scalar @lines, '>=', 2 * keys %kinds, 'it is told');
like($log, qr/\[error\].*\Q@{[ sprintf $line, 'proxy', 'words' ]}\E/,
     'of which conversion');
unlike($log, qr/\Q@{[ sprintf $line, 'ignored', 'words' ]}\E/,
       'but where nginx ignores it');
unlike($log, qr/\Q@{[ sprintf $line, 'proxy', 'plain' ]}\E/,
       'or where there is none');

# a store's

my $r = $t->req('POST', '/stored/chat/completions',
    headers => ['Content-Type' => 'application/json'],
    body => body_of('openai', 'reads', slot('openai', 'image',
                                            'artifact:one')));
like($r->{body}, qr/words of its own/, 'a store answers with X-Accel-Redirect');

$r = $t->get('/from/one');
is($r->{status}, 404, 'its location is internal');

$_->stop for @up, $store, $echo;
$t->finish;
