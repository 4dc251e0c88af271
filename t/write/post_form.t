#!/usr/bin/perl

# A new artifact from a form, as curl -F and browsers send files: the one file
# in it becomes the artifact, with its name and its type.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

rand_seed(3);

my $t = ArtifactTest->new;
my $threads = ArtifactTest::version() =~ /--with-threads/;

$t->start(server => <<'SERVER' . ($threads ? <<'THREADS' : ''));
    artifact_root %%DATA%%;
    artifact_language en;
    client_max_body_size 100m;

    location /artifacts/ {
        artifact;
        artifact_write on;
        artifact_route on;
    }
    location /off/ {
        artifact;
    }
SERVER
    location /threads/ {
        artifact;
        artifact_write on;
        aio threads;
    }
THREADS

my $png = png();

sub part {
    my ($head, $body) = @_;
    return "--xx\r\nContent-Disposition: form-data; $head\r\n\r\n$body\r\n";
}

sub post {
    my ($body, %opt) = @_;
    return $t->req('POST', $opt{uri} // '/artifacts/', body => $body,
        headers => ['Content-Type' => $opt{type}
                    // 'multipart/form-data; boundary=xx',
                    @{ $opt{headers} // [] }],
        exists $opt{chunks} ? (chunks => $opt{chunks}) : ());
}

sub made {
    my ($res) = @_;
    return json_of($res)->{metadata};
}

# curl -F

spew($t->prefix . '/shot.png', $png);

my $told = decode_strict(scalar qx(curl -s -F anything=\@@{[ $t->prefix
    ]}/shot.png http://127.0.0.1:@{[ $t->port ]}/artifacts/));

is($told->{metadata}{name}, 'shot.png', 'curl -F: the name');
is($told->{metadata}{mimeType}, 'image/png', 'the type');
is($told->{metadata}{size}, length $png, 'the size');
ok($t->get("/artifacts/$told->{metadata}{id}")->body eq $png, 'the bytes');

# other fields, types that say nothing

my $form = part('name="note"', 'words') . part('name="f"; filename="a b.txt"',
                                               "a text\n") . "--xx--\r\n";
my $res = post($form);

is($res->status, 201, 'beside another field');
is(made($res)->{name}, 'a b.txt', 'its name');
like($res->header('Location'), qr{/artifacts/\Q@{[ made($res)->{id} ]}\E},
     'where it is');
ok(defined $res->header('ETag'), 'and its tag');
is($t->get('/artifacts/' . made($res)->{id})->body, "a text\n", 'its bytes');

$res = post(part("name=\"f\"; filename=\"x\"\r\nContent-Type: "
                 . 'application/octet-stream', $png) . "--xx--\r\n");
is(made($res)->{mimeType}, 'image/png', 'the content tells the type');

$res = post(part('name="f"; filename="x"', 'y') . "--xx--\r\n",
            uri => '/artifacts/?name=given.txt');
is(made($res)->{name}, 'given.txt', 'the argument counts before the name');

$res = post(part('name="f"; filename="../../etc/passwd"', 'y') . "--xx--\r\n");
is(made($res)->{name}, 'passwd', 'no path');

# what is not one whole file

my $before = scalar @{[ glob $t->data . '/artifacts/*' ]};
my $file = part('name="f"; filename="x"', 'y');

for my $case (['two files', $file . part('name="g"; filename="z"', 'y')
               . "--xx--\r\n"],
              ['no file', part('name="f"', 'y') . "--xx--\r\n"],
              ['nothing', ''], ['no end', $file],
              ['cut', substr $file, 0, 30],
              ['no boundary', $file . "--xx--\r\n", 'multipart/form-data'])
{
    my ($what, $body, $type) = @$case;
    error_is(post($body, $type ? (type => $type) : ()), 400,
             'invalid_argument', '', $what);
}

is(scalar @{[ glob $t->data . '/artifacts/*' ]}, $before, 'nothing was stored');
is(post($file . "--xx--\r\n", uri => '/off/')->status, 405, 'without writes');
is(post($file . "--xx--\r\n", headers => ['Content-Encoding' => 'gzip'])->status,
   400, 'an encoded form');

# cut at each byte

my $whole = $file . "--xx--\r\n";
my $wrong = 0;

for my $n (0 .. length($whole) - 3) {
    my $got = post(substr $whole, 0, $n)->status;
    $wrong++ if $got != 400;
}

is($wrong, 0, 'cut at each byte');

# large ones

my $large = rand_bytes(1_000_000) x 20;

for my $uri ('/artifacts/', $threads ? '/threads/' : ()) {
    $res = post(part('name="f"; filename="large.bin"', $large) . "--xx--\r\n",
                uri => $uri);
    is(made($res)->{size}, length $large, "$uri: 20 MB");
    ok($t->get('/artifacts/' . made($res)->{id})->body eq $large, 'whole');
}

$t->finish;
