#!/usr/bin/perl

# What nginx -t refuses, and warns about, of keys and signed locations; none of
# its messages has a key.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

my $t = ArtifactTest->new;
my $keys = $t->prefix . '/url.keys';
my $KEY = 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA==';

sub test {
    my ($name, $file, $server, $want) = @_;

    spew($keys, $file);
    chmod 0600, $keys unless $name =~ /readable/;
    chmod 0644, $keys if $name =~ /readable/;

    my ($code, $out) = $t->conf_test(
        as_is => 1, server => "artifact_root %%DATA%%; $server");

    if (ref $want) {
        is($code, 0, "$name: accepted");
        $want = $want->[0];
    } else {
        isnt($code, 0, "$name: refused");
    }

    like($out, $want ? qr/\Q$want\E.* in .*conftest\.conf:\d+/
                     : qr/\A(?!.*\[(?:warn|emerg)\])/s, "$name: told")
        or diag($out);
    unlike($out, qr/secret|c2VjcmV0|c2Vj/, "$name: no key is told");
}

my $sign = "artifact_sign_key $keys; ";
my $ok = 'location /a/ { artifact; artifact_signed on; }';

test('base64', "$KEY\n", $sign . $ok, ['']);
test('no padding, CR LF, comments', "# a\r\n\r\n  " . $KEY =~ s/=//gr . "\r\n",
     $sign . $ok, ['']);
test('hex', 'aB' x 32, $sign . $ok, ['']);
test('readable by others', $KEY, $sign . $ok,
     ["the keys in \"$keys\" may be read or written by others"]);
test('no key', "# nothing\n\n", $sign . $ok, "no key in \"$keys\"");
test('short', "$KEY\n\nc2VjcmV0\n", $sign . $ok,
     "the key in line 3 of \"$keys\" has less than 32 bytes");
test('63 digits', 'a' x 63, $sign . $ok, "line 1 of \"$keys\" is not a key");
test('65 digits', 'a' x 65, $sign . $ok, "line 1 of \"$keys\" is not a key");
test('31 bytes in hex', 'a' x 62, $sign . $ok,
     "line 1 of \"$keys\" is not a key");
test('a bad line', "$KEY\nsecret secret secret secret secret secret\n",
     $sign . $ok, "line 2 of \"$keys\" is not a key");
test('17 keys', "$KEY\n" x 17, $sign . $ok, "line 17 of \"$keys\"");
test('large', '#' x 20000, $sign . $ok, 'is not a regular file');
test('a folder', $KEY, 'artifact_sign_key %%DATA%%; ' . $ok,
     'is not a regular file');
test('missing', $KEY, 'artifact_sign_key no_such_file; ' . $ok,
     'failed (2: No such file or directory)');
test('a bad parameter', $KEY, "artifact_sign_key $keys scop=x; " . $ok,
     'invalid parameter "scop=x"');
test('twice', $KEY, $sign . $sign . $ok, 'is duplicate');

test('no key for a location', $KEY, $ok,
     '"artifact_signed" in location "/a/" requires "artifact_sign_key"');
test('no artifacts', $KEY,
     $sign . 'location /a/ { artifact_signed on; }',
     '"artifact_signed" in location "/a/" requires "artifact", ');
test('a location within', $KEY, $sign . 'location /a/ { artifact; '
     . 'artifact_signed on; location /a/x/ { root /; } }',
     '"artifact_signed" in location "/a/x/" requires "artifact", ');

for my $time (qw(0 0s 500ms x 11y -1)) {
    test("ttl $time", $KEY, $sign . "artifact_sign_ttl $time; $ok",
         "invalid value \"$time\" in \"artifact_sign_ttl\"");
}

test('ttl 1s', $KEY, $sign . "artifact_sign_ttl 1s; $ok", ['']);

for my $url ('https://h/a?id=', 'https://$host/a/?x=', 'https://h/a#') {
    test("URL $url", $KEY, "artifact_url \"$url\"; $ok",
         'in "artifact_url" directive, it must be a URL without a query');
}

$t->start(server => $sign . $ok);
$t->finish;
