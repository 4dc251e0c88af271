#!/usr/bin/perl

# Uploads to the Files APIs over HTTP/2: with a length and without, in frames of
# any size, several on one connection; what is cut, however it is, leaves
# nothing, and the connection goes on.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCurl;
use ArtifactFiles;
use ArtifactHttp2;
use ArtifactTest;
use ArtifactWrite;

my $t = ArtifactTest->new;
my @spare = map { ArtifactTest->new } 1 .. 2;
my ($clear, $secure) = map { $_->port } @spare;
my $dir = $t->prefix;
my ($key, $cert) = certificate($dir);
my $type = form_head('/') =~ /^Content-Type: (.*)\r$/m ? $1 : die;

my $locations = files_server(<<'SERVER');
    location /limited/files {
        artifact_files;
        client_max_body_size 2000;
    }
    location /slow/files {
        artifact_files;
        client_body_timeout 1s;
    }
    location /log/ {
        access_log %%PREFIX%%/access.log sent;
        location /log/files {
            artifact_files;
        }
    }
SERVER

$t->start(server => $locations, http => <<"HTTP");
    log_format sent '\$request_method \$server_protocol \$content_length.';
    server {
        listen 127.0.0.1:$clear http2;
        $locations
    }
    server {
        listen 127.0.0.1:$secure ssl http2;
        ssl_certificate $cert;
        ssl_certificate_key $key;
        $locations
    }
HTTP

my $content = join '', map { pack 'N', $_ * 2_654_435_761 % 4_294_967_296 }
    1 .. 100_000;
my $body = form(['purpose', 'p'], ['file', $content, 'a.bin']);
my $length = length $body;


# --- what arrives -----------------------------------------------------------

for my $at (qw(/inline/files /threads/files /small/files)) {
    for my $declared ($length, undef) {
        my $name = "$at, " . ($declared ? 'a length' : 'no length');

        for my $size (300, 5000, 16384) {
            my $h2 = begin($at, $declared);
            data($h2, 1, $_) for unpack "(a$size)*", $body;
            data($h2, 1, '', $END);
            ok(same($at, answer($h2, 1), $content), "$name: by $size bytes");
        }

        my $h2 = begin($at, $declared);
        my @frames = unpack '(a9000)*', $body;
        my $last = pop @frames;
        for (@frames) {
            room($h2, 1, 100 + length);
            frame($h2, $DATA, $PADDED, 1, pack('C', 99) . $_ . "\0" x 99);
        }
        data($h2, 1, $last, $END);
        ok(same($at, answer($h2, 1), $content), "$name: padded");
    }

    # streams take turns

    my $h2 = begin($at, undef);
    my @forms = map { form(['file', "$_ $content", "$_.bin"]) } 0 .. 2;
    form_to($h2, $_ * 2 + 1, $at, $_ == 1 ? length $forms[$_] : undef) for 1, 2;
    for my $part (0 .. length($forms[0]) / 5000) {
        data($h2, $_ * 2 + 1, substr $forms[$_], $part * 5000, 5000)
            for 0 .. 2;
    }
    data($h2, $_ * 2 + 1, '', $END) for 2, 0, 1;
    my @wrong = grep { !same($at, answer($h2, $_ * 2 + 1), "$_ $content") }
        0 .. 2;
    is("@wrong", '', "$at: three at once, each its own");
}

SKIP: {
    skip('curl has no HTTP2', 4) unless curl_features('HTTP2');

    my $large = $content x 8;
    my $whole = form(['file', $large, 'l.bin']);
    my $file = $t->file('large', $whole);
    my @args = ('-H', "Content-Type: $type", '--data-binary', "\@$file");
    my @unsized = ('-H', 'Content-Length:');
    my $base = "http://127.0.0.1:$clear/log/files";

    for my $more ([], \@unsized) {
        my $res = curl($dir, '--http2-prior-knowledge', @args, @$more, $base);
        ok(same('/log/files', $res, $large), "curl: 3 MB @$more");
    }
    $t->wait_for(qr/POST.*POST.*\n/s, 'access.log');
    is(join(' ', slurp("$dir/access.log") =~ /^POST (.*)\.$/mg),
       'HTTP/2.0 ' . length($whole) . ' HTTP/2.0 -',
       'with a length and without');

    my @wrong = grep { !same('/inline/files', $_, $large) } curl_all($dir,
        map { ['-k', '--http2', @args, @$_,
               "https://127.0.0.1:$secure/inline/files"] }
            [], \@unsized, [], \@unsized);
    is(scalar @wrong, 0, 'curl: four streams over TLS');
}


# --- what is cut ------------------------------------------------------------

my $before = files_of($t);
my $kept = join ' ', markers($t);

for my $at (qw(/inline/files /threads/files /small/files)) {
    for my $declared ($length, undef) {
        for my $part (300_000, $length - 3) {
            my $name = "$at, cut at $part of "
                . ($declared ? 'a length' : 'no length');

            my $h2 = upload_until($at, $declared, $part, $name);
            frame($h2, $RST, 0, 1, pack 'N', 8);
            unchanged("$name: a reset");
            goes_on($h2, $at, "$name: a reset");

            $h2 = upload_until($at, $declared, $part, $name);
            data($h2, 1, '', $END);
            is(answer($h2, 1)->{status}, 400, "$name: an end is refused");
            unchanged("$name: an end");
            goes_on($h2, $at, "$name: an end");

            $h2 = upload_until($at, $declared, $part, $name);
            $h2->{conn}->close;
            unchanged("$name: the client leaves");
        }
    }

    my $h2 = begin($at, $length - 100);
    data($h2, 1, $body, $END);
    is(answer($h2, 1)->{status}, 400, "$at: more than the length");
    unchanged("$at: more than the length");
}

# one of two streams: the other one is stored

my $h2 = upload_until('/threads/files', undef, 300_000, 'one of two');
form_to($h2, 3, '/threads/files', $length);
data($h2, 3, substr $body, 0, 20_000);
frame($h2, $RST, 0, 1, pack 'N', 8);
data($h2, 3, substr($body, 20_000), $END);
ok(same('/threads/files', answer($h2, 3), $content),
   'one of two is cut, the other one is stored');
unchanged('one of two');

# too large: told before the end where no length is

$h2 = begin('/limited/files', undef);
data($h2, 1, substr $body, 0, 5_000);
my $res = answer($h2, 1);
is($res->{status}, 413, 'too large, without a length');
like(json_of($res)->{error}{message}, qr/./, 'in the shape of the API');
unchanged('too large');

# who stops is not waited for

$h2 = begin('/slow/files', $length);
data($h2, 1, substr $body, 0, 20_000);
ok(until_ended($h2, 1), 'a stream that stops is ended');
unchanged('a stream that stops');

$t->finish;


# --- uploads ----------------------------------------------------------------

# A connection with one upload, of which no body is sent yet.

sub begin {
    my ($at, $declared) = @_;

    my $h2 = http2($clear);
    form_to($h2, 1, $at, $declared);
    return $h2;
}


# ... and one that has come as far as the disk.

sub upload_until {
    my ($at, $declared, $part, $name) = @_;

    my $h2 = begin($at, $declared);
    data($h2, 1, substr $body, 0, $part);
    ok(until_true(sub {
        return scalar(() = glob $t->data . '/artifacts/.artifact/tmp-*');
    }, 2), "$name: under way");
    return $h2;
}


# The header of one.

sub form_to {
    my ($h2, $stream, $at, $declared) = @_;
    head($h2, $stream, 'POST', $at, 'content-type' => $type,
         defined $declared ? ('content-length' => $declared) : ());
}


# --- checks -----------------------------------------------------------------

sub same {
    my ($at, $res, $want) = @_;

    return 0 if $res->{status} != 200;
    my $file = json_of($res);
    my $got = $t->get("$at/$file->{id}/content")->{body};
    $t->req('DELETE', "$at/$file->{id}");
    return $file->{bytes} == length $want && $got eq $want;
}


sub unchanged {
    my ($name) = @_;
    nothing_changed($t, $before, $name);
    is(join(' ', markers($t)), $kept, "$name: no marker");
}


sub goes_on {
    my ($h2, $at, $name) = @_;
    form_to($h2, 3, $at, undef);
    data($h2, 3, $body, $END);
    ok(same($at, answer($h2, 3), $content), "$name: the connection goes on");
}
