#!/usr/bin/perl

# What has expired is told from what was never there: by its reason, in the
# counters, and in the error log, where the path that was tried is as well, at
# the level that nginx logs at without being asked.  Models and clients get the
# same for both.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactTest;
use ArtifactWrite qw(until_true);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $echo = echo("$dir/echo");

for my $tenant (qw(acme globex)) {
    mkdir "$dir/$tenant";
    mkdir "$dir/$tenant/artifacts";
}

sub artifact {
    my ($tenant, $id, $expires) = @_;
    my $path = "$dir/$tenant/artifacts/$id";
    spew("$path.txt", "text of $id");
    spew("$path.meta", qq({"id":"$id","extension":".txt","type":"text/plain",)
         . qq("expiresAt":"$expires"}));
}

artifact('acme', 'old', '2026-01-02T03:04:05Z');
artifact('acme', 'new', '2999-01-01T00:00:00Z');
artifact('globex', 'theirs', '2999-01-01T00:00:00Z');

$t->start(http => <<'HTTP', server => <<"SERVER");
    map $http_x_tenant $tenant { default $http_x_tenant; }
    log_format told '$uri|$artifact_reasons';
HTTP
    access_log $dir/told.log told;
    artifact_root $dir/\$tenant;
    if (\$tenant = nobody) { return 401; }
    artifact_language en;

    location /artifacts/ { internal; artifact; }
    location /quiet/ { internal; artifact; log_not_found off; }
    location /one/ { artifact; }
    location /v1/ { artifact_expand on; proxy_pass http://unix:$dir/echo:; }
    location /hushed/ { artifact_expand on; artifact_source /quiet/;
                        proxy_pass http://unix:$dir/echo:; }
    location = /message { artifact_message; artifact_accept text; }
    location = /status { artifact_status; }
SERVER

my $at = '2026-01-02T03:04:05.000Z';
my $log = 0;

# A request, what the log has of it, and its last line in the access log.

sub told {
    my ($method, $uri, $tenant, $body) = @_;
    my $res = $t->req($method, $uri, body => $body, headers =>
        ['Content-Type' => 'application/json', 'X-Tenant' => $tenant]);
    my @lines;
    until_true(sub {
        @lines = -e "$dir/told.log" ? split /\n/, slurp("$dir/told.log") : ();
        return @lines > $log;
    }, 5);
    $log = @lines;
    return ($res, $lines[-1]);
}

sub expanded {
    my ($uri, $tenant, @ids) = @_;
    return told('POST', "$uri/chat/completions", $tenant, encode_json_bytes(
        { model => 'any', messages => [ { role => 'user', content => [
            map { { type => 'artifact', artifact => "artifact:$_" } } @ids ] }
        ] }));
}

sub lines_of { return scalar(() = $t->log =~ /$_[0]/g) }

my ($res, $line) = expanded('/v1', 'acme', qw(old none new theirs old));
is($res->{status}, 200, 'a request with all of them');
is($line, '/v1/chat/completions|artifact:old=expired artifact:none=missing '
   . 'artifact:theirs=missing', 'their reasons');

my @words = $res->{body} =~ /artifact:(\w+)\\nThe artifact does not exist/g;
is("@words", 'old none theirs old', 'the same words for all')
    or diag($res->{body});

is(lines_of(qr{\[error\].* artifact "$dir/acme/artifacts/old" expired at }
            . qr{\Q$at\E.*subrequest: "/artifacts/old"}), 1,
   'the log tells when it expired');
for my $id (qw(none theirs)) {
    is(lines_of(qr{\[error\].* open\(\) "$dir/acme/artifacts/$id" failed }
                . qr{\(2: No such}), 1, "and which path was tried for $id");
}

# "log_not_found off"

my $errors = lines_of(qr/\[error\]/);
($res, $line) = expanded('/hushed', 'acme', qw(old none));
is($line, '/hushed/chat/completions|artifact:old=expired '
   . 'artifact:none=missing', 'without lines in the log');
is(lines_of(qr/\[error\]/), $errors, 'at that level');
is(lines_of(qr{\[info\].* artifact "$dir/acme/artifacts/old" expired at}), 1,
   'but at "info"');

# a message

($res, $line) = told('POST', '/message', 'acme',
                     '{"attachments":["artifact:old","artifact:none"]}');
is($line, '/message|artifact:old=expired artifact:none=missing', 'a message');
@words = $res->{body} =~ /(does not exist or has been deleted)/g;
is(@words, 4, 'has the same words for both') or diag($res->{body});

# clients

my ($old) = told('GET', '/one/old', 'acme');
my ($none) = told('GET', '/one/none', 'acme');
is("$old->{status} $none->{status}", '404 404', 'a client gets 404');
is($old->{body} =~ s/old/none/gr, $none->{body}, 'with the same body');
is(lines_of(qr{\[info\].* artifact "$dir/acme/artifacts/old" expired at}), 2,
   'which the log has at "info"');
is(lines_of(qr{\[error\].*GET /one}), 0, 'and not as an error');

# in another root it is missing

($res, $line) = expanded('/v1', 'globex', 'old');
is($line, '/v1/chat/completions|artifact:old=missing', 'in another root');
is(lines_of(qr{\[error\].* open\(\) "$dir/globex/artifacts/old" failed}), 1,
   'the log has its path');

# counters

my $status = $t->get('/status')->{body};
my $count = sub {
    my ($family, $outcome) = @_;
    return $status =~ /^\Q$family\E\{(?:.*,)?outcome="$outcome"\} (\d+)/m
        ? $1 : 0;
};
is($count->('artifact_parts_total', 'expired'), 3, 'expired parts');
is($count->('artifact_parts_total', 'missing'), 4, 'missing parts');
is($count->('artifact_attachments_total', 'expired'), 1,
   'expired attachments');
is($count->('artifact_attachments_total', 'missing'), 1,
   'missing attachments');

$echo->stop;
$t->finish;
