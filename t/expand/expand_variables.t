#!/usr/bin/perl

# Variables of nginx that were looked at before the body was replaced: they tell
# of the one that goes out, whatever upstream it goes to.  $request_body is what
# the client sent, $artifact_body_hash the key of a cache.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);

my $t = ArtifactTest->new;
my $dir = $t->prefix;

my $png = png(100, 100) . 'x' x 30_000;         # longer than a buffer
$t->artifact('long', $png, { mimeType => 'image/png' });
$t->artifact('short', png(2, 2), { mimeType => 'image/png' });

my %reads = (proxy => \&http, fastcgi => \&fastcgi, uwsgi => \&uwsgi,
             scgi => \&scgi);
my @servers = map { my $reads = $reads{$_};
    ArtifactUpstream->new("$dir/$_", serve => sub { $reads->($_[0]) }) }
    keys %reads;
my $counts = ArtifactUpstream->new("$dir/counts", serve => sub {
    my ($sock) = @_;
    my (undef, $body) = read_request($sock) or return;
    my $text = sha256_hex($body);
    send_answer($sock, "HTTP/1.1 200 OK\r\nConnection: close\r\n"
        . 'Content-Length: ' . length($text)
        . "\r\nCache-Control: max-age=60\r\n\r\n$text");
});

my %params = (proxy => 'proxy_set_header X-Length $content_length;
                        proxy_set_header X-Coding $http_content_encoding;',
    map { $_ => "${_}_param CONTENT_LENGTH \$content_length;
                 ${_}_param HTTP_LENGTH \$http_content_length;
                 ${_}_param CODING \$http_content_encoding;
                 ${_}_param DIGEST \$http_content_digest;" }
    qw(fastcgi uwsgi scgi));

my $locations = join '', map { <<"END" } keys %reads;
    location /$_/ {
        artifact_expand on;
        if (\$content_length = 1) { return 400; }
        set \$looked "\$http_content_length \$http_content_encoding
                      \$http_transfer_encoding \$http_content_digest";
        $params{$_}
        ${_}_pass @{[$_ eq 'proxy' ? 'http://' : '']}unix:$dir/$_@{[
                     $_ eq 'proxy' ? ':' : '']};
    }
END

my $http = <<'HTTP';
    map $content_length $known { default 1; }
    proxy_cache_path %%PREFIX%%/cache keys_zone=one:1m;
HTTP

my $cache = <<"CACHE";
        artifact_expand on;
        proxy_cache one;
        proxy_cache_methods POST;
        proxy_pass http://unix:$dir/counts:;
CACHE

$t->start(http => $http, server => <<"SERVER");
    artifact_root %%DATA%%;
    client_body_buffer_size 16k;
    location /artifacts/ { internal; artifact; }
    $locations
    location /body/ {
        proxy_cache_key \$uri\$request_body;
        $cache
    }
    location /hash/ {
        proxy_cache_key \$uri\$artifact_body_hash;
        add_header X-Hash \$artifact_body_hash;
        add_header X-Cache \$upstream_cache_status;
        $cache
    }
    location /prompt/ {
        artifact_prompt on;
        proxy_cache_key \$uri\$artifact_body_hash;
        add_header X-Hash \$artifact_body_hash;
        $cache
    }
    location /none/ {
        proxy_cache_key \$uri\$artifact_body_hash;
        add_header X-Hash "=\$artifact_body_hash";
        proxy_pass http://unix:$dir/counts:;
    }
SERVER

sub chat {
    my ($id, $more) = @_;
    return '{"messages":[{"role":"user","content":[{"type":"image_url",'
        . qq("image_url":{"url":"artifact:$id"}}]}]) . ($more // '') . '}';
}

sub expanded {
    my ($body) = @_;
    return $body =~ s{artifact:(\w+)}{'data:image/png;base64,'
        . b64(slurp($t->data . "/artifacts/$1"))}er;
}

sub ask {
    my ($uri, $body, @headers) = @_;
    return $t->req('POST', $uri, body => $body,
        headers => ['Content-Type' => 'application/json', @headers]);
}

# the length that was looked at

for my $name (sort keys %reads) {
    for my $id (qw(short long)) {
        my $body = chat($id);
        my $length = length expanded($body);
        my $uri = "/$name/chat/completions";

        is(ask($uri, $body)->{body}, "$length $length - -",
           "$name, $id: its length");
        is(ask($uri, gzip_of($body), 'Content-Encoding' => 'gzip',
               'Content-Digest' => 'sha-256=:x:')->{body},
           "$length $length - -", "$name, $id: no coding, no digest");
    }
    my $body = '{"messages":[]}';
    is(ask("/$name/chat/completions", gzip_of($body), 'Content-Encoding' =>
           'gzip')->{body}, length(gzip_of($body)) . ' '
           . length(gzip_of($body)) . ' gzip -',
       "$name: what stays has its own");
}

# a key of the body

for my $id (qw(short long)) {
    my @bodies = map { chat($id, qq(,"x":$_)) } 1, 2;
    is(ask('/body/chat/completions', $_)->{body}, sha256_hex(expanded($_)),
       "$id: \$request_body tells bodies apart") for @bodies, @bodies;
}

# a key of what goes out

for my $location (qw(hash prompt)) {
    my %seen;
    for my $body (map({ chat($_, ',"x":1'), chat($_, ',"x":2') }
                      qw(short long none)), '{"messages":[]}', '[]', 'x',
                  '{"x":"' . 'x' x 100_000 . '"}')
    {
        my $name = "$location: " . substr $body, -40;
        my $res = ask("/$location/chat/completions", $body);
        is($res->header('X-Hash'), $res->{body}, $name);
        is($seen{ $res->{body} }++, 0, 'of its own');
        my $again = ask("/$location/chat/completions", $body);
        is($again->{body}, $res->{body}, 'the same again');
        is($again->header('X-Cache'), 'HIT', 'from the cache')
            if $location eq 'hash';
    }
}

# an artifact that has changed is another request

my $before = ask('/hash/chat/completions', chat('short'))->{body};
$t->artifact('short', png(3, 3), { mimeType => 'image/png' });
isnt(ask('/hash/chat/completions', chat('short'))->{body}, $before,
     'a changed artifact');

# what is not looked into is told apart all the same

for my $case (['/hash/other', 'application/json'],
              ['/hash/chat/completions', 'text/plain'])
{
    my ($uri, $type) = @$case;
    for my $body ('one', 'two', 'x' x 100_000) {
        my $res = $t->req('POST', $uri, body => $body,
                          headers => ['Content-Type' => $type]);
        is($res->header('X-Hash'), sha256_hex($body), "$uri, $type");
        is($res->{body}, sha256_hex($body), 'goes on as it came');
    }
}
is($t->get('/hash/models')->header('X-Hash'), undef, 'no body');
unlike($t->log, qr/artifact_body_hash/, 'nothing to be logged so far');

is(ask('/none/chat/completions', chat('short'))->header('X-Hash'), '=',
   'where bodies are left alone');
like($t->log, qr/\[error\] .*"\$artifact_body_hash" is empty without/,
     'it is empty, and the log says so');

# nginx -t

for my $case (['$request_body', 1], ['$request_body$artifact_body_hash', 0],
              ['$uri', 0])
{
    my ($key, $warns) = @$case;
    for my $expand ('artifact_expand on;', 'artifact_prompt on;', '') {
        my (undef, $said) = $t->conf_test(http => $http, server => <<"SERVER");
            artifact_root %%DATA%%;
            location / {
                $expand
                proxy_cache one;
                proxy_cache_methods POST;
                proxy_cache_key $key;
                proxy_pass http://127.0.0.1:1;
            }
SERVER
        my $found = $said =~ /\[warn\].*"\$request_body" is empty.* in .*:\d/;
        is($found ? 1 : 0, $warns && $expand ? 1 : 0,
           "nginx -t, key $key, $expand");
    }
}
my (undef, $said) = $t->conf_test(server => <<'SERVER',
        location / { artifact_expand on; access_log %%PREFIX%%/x.log body; }
SERVER
    http => 'log_format body $request_body;');
unlike($said, qr/request_body/, 'nor of a log where nothing is cached');

(undef, $said) = $t->conf_test(server => <<'SERVER',
        location /v1/ { artifact_expand on; access_log %%PREFIX%%/x.log body;
                        proxy_pass http://127.0.0.1:1; }
        location / { proxy_cache one; proxy_pass http://127.0.0.1:1; }
SERVER
    http => "$http log_format body \$request_body;");
unlike($said, qr/request_body/, 'nor of a log beside another cache');

$_->stop for @servers, $counts;
$t->finish;


# What is said of a body to who reads it, and how long it is.

sub told {
    my ($sock, $length, $got, $coding, $digest) = @_;
    my $text = join ' ', $length, length $got, $coding || '-', $digest || '-';
    syswrite $sock, "HTTP/1.1 200 OK\r\nContent-Length: " . length($text)
        . "\r\nConnection: close\r\n\r\n$text";
}


sub http {
    my ($sock) = @_;
    my ($head, $body) = read_request($sock) or return;
    my ($length) = $head =~ /^X-Length: (\d+)/mi;
    my ($coding) = $head =~ /^X-Coding: (\S+)/mi;
    my ($digest) = $head =~ /^Content-Digest: (\S+)/mi;
    told($sock, $length, $body, $coding, $digest);
}


sub filled {
    my ($sock, $buf, $n) = @_;
    while (length $$buf < $n) {
        sysread $sock, $$buf, 1 << 20, length $$buf or return 0;
    }
    return 1;
}


sub fastcgi {
    my ($sock) = @_;
    my ($buf, $got, $params) = ('', '', '');
    while (filled($sock, \$buf, 8)) {
        my ($type, $size, $padding) = unpack 'x C x2 n C', $buf;
        filled($sock, \$buf, 8 + $size + $padding) or return;
        $params .= substr $buf, 8, $size if $type == 4;
        $got .= substr $buf, 8, $size if $type == 5;
        substr $buf, 0, 8 + $size + $padding, '';
        last if $type == 5 && !$size;
    }
    my %param;
    while (length $params) {
        my ($name, $value) = unpack 'C C', $params;
        substr $params, 0, 2, '';
        my $key = substr $params, 0, $name, '';
        $param{$key} = substr $params, 0, $value, '';
    }
    my $text = join ' ', $param{CONTENT_LENGTH}, length $got,
        $param{CODING} || '-', $param{DIGEST} || '-';
    $text = "HTTP_LENGTH $param{HTTP_LENGTH}"
        if $param{HTTP_LENGTH} ne $param{CONTENT_LENGTH};
    my $answer = "Status: 200 OK\r\nContent-Length: " . length($text)
        . "\r\n\r\n$text";
    syswrite $sock, pack('C2 n2 x2', 1, 6, 1, length $answer) . $answer
        . pack('C2 n2 x2', 1, 3, 1, 8) . "\0" x 8;
}


sub uwsgi {
    my ($sock) = @_;
    my $buf = '';
    filled($sock, \$buf, 4) or return;
    my $size = unpack 'x v', $buf;
    filled($sock, \$buf, 4 + $size) or return;
    my %param = unpack '(v/a)*', substr $buf, 4, $size;
    substr $buf, 0, 4 + $size, '';
    filled($sock, \$buf, $param{CONTENT_LENGTH}) or return;
    rest($sock, \$buf);
    told($sock, $param{CONTENT_LENGTH}, $buf, @param{qw(CODING DIGEST)});
}


sub scgi {
    my ($sock) = @_;
    my $buf = '';
    filled($sock, \$buf, 40) or return;
    my ($size) = $buf =~ /\A(\d+):/ or return;
    my $at = length($size) + 1 + $size + 1;
    filled($sock, \$buf, $at) or return;
    my %param = split /\0/, substr $buf, length($size) + 1, $size;
    substr $buf, 0, $at, '';
    filled($sock, \$buf, $param{CONTENT_LENGTH}) or return;
    rest($sock, \$buf);
    told($sock, $param{CONTENT_LENGTH}, $buf, @param{qw(CODING DIGEST)});
}


# What comes without being told, in a moment.

sub rest {
    my ($sock, $buf) = @_;
    require IO::Select;
    my $select = IO::Select->new($sock);
    while ($select->can_read(0.2)) {
        sysread $sock, $$buf, 1 << 20, length $$buf or last;
    }
}
