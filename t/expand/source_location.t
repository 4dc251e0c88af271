#!/usr/bin/perl

# An artifact that is missing, and a location or a data root that is wrong: the
# model is told of the former only.  The latter is 502, and the error log says
# which location, and what to check.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $bare = ArtifactTest->new;
my $dir = $t->prefix;

$t->artifact('note', 'a note', { type => 'text/plain' });
mkdir "$dir/$_" or die "mkdir: $!" for 'html', 'html/files', 'tenants';
spew("$dir/html/404.html", 'a page');
spew("$dir/html/files/text", 'a file');

my $store = ArtifactUpstream->new("$dir/store", contents => {
    'shot' => { body => png(9, 9), type => 'image/png' },
    'sent' => { body => '', type => 'text/plain',
                headers => ['X-Accel-Redirect: /accel/none'] },
});
my $echo = echo("$dir/echo");

$t->start(http => <<"HTTP", server => <<"SERVER");
    server {
        listen 127.0.0.1:@{[$bare->port]};
        location = /v1/chat/completions {
            artifact_expand on;
            proxy_pass http://unix:$dir/echo:;
        }
    }
HTTP
    artifact_root %%DATA%%;
    artifact_language en;
    root %%PREFIX%%/html;
    error_page 404 /404.html;

    location / { }
    location /v1/ {
        artifact_expand on;
        artifact_source /\$http_x_source;
        proxy_pass http://unix:$dir/echo:;
    }
    location /route {
        artifact_message;
        artifact_source /\$http_x_source;
    }

    location /artifacts/ { artifact; }
    location /withheld/  { artifact; if (\$http_x_key = "") { return 403; } }
    location /proxied/   { proxy_pass http://unix:$dir/store:/; }
    location /decoded/   { artifact_decode on;
                           proxy_pass http://unix:$dir/store:/; }
    location /accel/     { internal; alias %%PREFIX%%/no-folder/; }
    location /files/     { }
    location /tried/     { alias %%PREFIX%%/html/files/;
                           try_files \$uri =404; }
    location /falls/     { root %%PREFIX%%/no-folder; error_page 404 = \@store; }
    location \@store     { rewrite ^ /none break;
                           proxy_pass http://unix:$dir/store:; }
    location /tenant/    { artifact; artifact_root %%PREFIX%%/tenants/\$host; }

    location /returned/  { return 404; }
    location /denied/    { return 403; }
    location /no-folder/ { alias %%PREFIX%%/no-folder/; }
    location /tried-not/ { alias %%PREFIX%%/no-folder/; try_files \$uri =404; }
    location /services/  { artifact_services; }
    location ~ ^/regex/  { return 410; }
    location /no-root/   { artifact; artifact_root %%PREFIX%%/no-root; }
    location /new-page/  { artifact; artifact_root %%PREFIX%%/no-root;
                           error_page 404 /404.html; }
    location /no-above/  { artifact; artifact_root %%PREFIX%%/no-root/\$host; }
    location /empty/     { artifact; artifact_root \$arg_none; }
    location /file/      { artifact; artifact_root %%PREFIX%%/html/404.html; }
SERVER

sub body_of {
    return encode_json_bytes({ messages => [ { role => 'user', content => [
        map { { type => 'artifact', artifact => "artifact:$_" } } @_ ] } ] });
}

sub ask {
    my ($source, $id) = @_;
    return $t->req('POST', '/v1/chat/completions', body => body_of($id),
        headers => ['Content-Type' => 'application/json',
                    'X-Source' => $source]);
}

sub message {
    my ($source, $id) = @_;
    my $res = $t->req('POST', '/route', headers => ['X-Source' => $source],
        body => qq({"attachments":["artifact:$id"]}));
    is($res->{status}, 200, "a message, $source: 200");
    return json_of($res)->{textDescription};
}

# What the log got meanwhile, in lines with "source" or "artifact_root".

my $seen = 0;

sub lines {
    my $log = $t->log;
    my $new = substr $log, $seen;
    $seen = length $log;
    return grep { /\[error\]/ && /source "|artifact_root|variable/ }
        split /\n/, $new;
}

sub wrong {
    my ($name, $source, $id, $line) = @_;
    lines();
    my $res = ask($source, $id);
    is($res->{status}, 502, "$name: 502");
    is(json_of($res)->{error}{code}, 'source_failed', 'of the source');
    unlike($res->{body}, qr/\Q$dir\E/, 'without a path');
    my @lines = lines();
    is(scalar @lines, 1, 'one line') or diag(join "\n", @lines);
    like($lines[0] // '', $line, 'which tells what to check');
}

sub missing {
    my ($name, $source, $id) = @_;
    lines();
    my $res = ask($source, $id);
    is($res->{status}, 200, "$name: 200");
    like($res->{body}, qr/does not exist or has been deleted/, 'in words');
    is(join("\n", lines()), '', 'and nothing in the log');
}

# what is there, and what is missing in a place of artifacts

like(ask('artifacts/', 'note')->{body}, qr/"a note"/, 'an artifact');
like(ask('files/', 'text')->{body}, qr/"a file"/, 'a file');

missing('an artifact', 'artifacts/', 'none');
missing('an object', 'proxied/', 'none');
missing('an object, decoded', 'decoded/', 'none');
missing('an object sent by a file that is not there', 'proxied/', 'sent');
missing('a file of a folder', 'files/', 'none');
missing('a file that is tried', 'tried/', 'none');
missing('a fallback that is a store', 'falls/', 'none');
missing('a folder of a tenant who has stored nothing', 'tenant/', 'none');

# refused by what a source does not get, and not by its handler

lines();
like($t->get('/withheld/note', 'X-Key' => 'a')->{body}, qr/a note/, 'with a key');
like(ask('withheld/', 'note')->{body}, qr/does not exist or has been deleted/,
     'an artifact that "if" refuses: in words');
my @refused = lines();
is(scalar @refused, 1, 'one line');
like($refused[0] // '', qr{"/withheld/note" .* was refused before "artifact" of },
     'which tells by what');

# what is no place of artifacts

my $check = qr/check "artifact_source" \(status 404\)/;
wrong('the default location', 'nowhere/', 'abc',
      qr{"/nowhere/abc" of an artifact failed: location "/" has no .*, $check});
wrong('a source without its slash', 'artifacts', 'abc',
      qr{"/artifactsabc" .* location "/" has no artifacts, check "artifact_s});
wrong('a return', 'returned/', 'abc', qr{location "/returned/" has no});
wrong('another one', 'denied/', 'abc', qr{location "/denied/" .* 403\)});
wrong('a folder that is missing', 'no-folder/', 'a', qr{"/no-folder/" has no});
wrong('that is tried', 'tried-not/', 'abc', qr{location "/tried-not/" has no});
wrong('services', 'services/', 'abc', qr{location "/services/" has no});
wrong('a regular expression', 'regex/', 'abc',
      qr{location "\^/regex/" has no artifacts.*status 410});

# a data root

my $open = qr{is missing: open\(\) "\Q$dir\E/no-root};
wrong('no root', 'no-root/', 'abc',
      qr{"artifact_root" of location "/no-root/" $open" failed \(2: No such });
wrong('no root, and a page', 'new-page/', 'abc', qr{"/new-page/" $open"});
wrong('nothing above a variable', 'no-above/', 'abc', qr{$open/localhost"});
wrong('an empty one', 'empty/', 'abc',
      qr{"artifact_root" of location "/empty/" is empty});
wrong('a file', 'file/', 'abc', qr{404\.html" failed \(20: Not a directory\)});

for my $uri ('/no-root/abc', '/no-root/abc/metadata', '/empty/abc', '/file/a') {
    lines();
    my $res = $t->get($uri);
    is($res->{status}, 404, "GET $uri: 404");
    unlike($res->{body}, qr/\Q$dir\E/, 'without a path');
    is(scalar lines(), 1, 'one line in the log');
}

# a server without a location

is($bare->req('POST', '/v1/chat/completions', body => body_of('abc'),
              headers => ['Content-Type' => 'application/json'])->{status},
   502, 'no location: 502');
like($t->log, qr{artifact failed: no location matches it, $check}, 'the line');

# messages

like(message('artifacts/', 'none'), qr/does not exist or has been deleted/,
     'in words');
lines();
like(message($_, 'abc'), qr/its content could not be read/, 'other words')
    for 'nowhere/', 'no-root/', 'x/../artifacts/';
is(scalar(grep { /location "\/" has no|no-root" failed/ } lines()), 2,
   'the lines');

$_->stop for $store, $echo;
$t->finish;
