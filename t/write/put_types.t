#!/usr/bin/perl

# What tools declare without meaning it: curl's and axios' default for a body,
# and a form where the content itself is expected; and ".ts", which nginx's own
# table takes for video.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;

$t->start(http => 'types { video/mp2t ts; text/html html; }',
          server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_language en;

    location /workspaces/ {
        artifact_workspace;
        artifact_write on;
        artifact_index on;
        artifact_route on;
    }
    location /artifacts/ {
        artifact;
        artifact_write on;
        artifact_route on;
    }
SERVER

sub put {
    my ($path, $body, $type) = @_;
    return $t->req('PUT', "/workspaces/$path", body => $body,
                   headers => ['Content-Type' => $type]);
}

sub kind {
    my ($uri) = @_;
    return routing_of($t->accept('text, vision, video, file', $uri));
}

# declared by default

my $URLENCODED = 'application/x-www-form-urlencoded';

is(put('w/a.png', png(), $URLENCODED)->status, 201, 'curl -d of a picture');
is(kind('/workspaces/w/a.png'), 'image image_url image/png', 'is a picture');
is(put('w/notes', "a text\n", $URLENCODED)->status, 201, 'of a text');
is(kind('/workspaces/w/notes'), 'text text text/plain', 'is a text');

my $res = $t->req('POST', '/artifacts/', body => png(),
                  headers => ['Content-Type' => $URLENCODED]);

is(kind('/artifacts/' . json_of($res)->{metadata}{id}),
   'image image_url image/png', 'a new artifact, too');
is($t->get('/workspaces/w/a.png')->header('Content-Type'), 'image/png',
   'raw, as well');

# a form

my $form = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"b\""
    . "\r\n\r\nbytes\r\n--x--\r\n";

for my $type ('multipart/form-data; boundary=x', 'Multipart/Form-Data') {
    $res = put('w/b', $form, $type);
    error_is($res, 415, 'unsupported_media_type', 'w/b', "PUT with $type");
    like(json_of($res)->{message}, qr/not a form/, 'the words say why');
}

is($t->get('/workspaces/w/b')->status, 404, 'nothing was stored');

# TypeScript and MPEG-TS

my $script = "export const a: number = 1;\n" x 9;
my $video = ("G\x40\0\x10" . "\xff" x 184) x 40;

$t->workspace_file("w", "a.ts", $script);
$t->workspace_file("w", "v.ts", $video);

is(kind('/workspaces/w/a.ts'), 'text text text/x-typescript', 'a script');
is(kind('/workspaces/w/v.ts'), 'binary file video/mp2t', 'a video');

# raw, without a reader

is($t->get('/workspaces/w/a.ts')->header('Content-Type') =~ s/;.*//r,
   'text/x-typescript', 'a script, raw');
is($t->get('/workspaces/w/v.ts')->header('Content-Type'), 'video/mp2t',
   'a video, raw');

my %listed = map { $_->{path} => $_->{mimeType} }
    @{ json_of($t->get("/workspaces/w/"))->{entries} };

is($listed{'a.ts'}, 'text/x-typescript', 'a script, listed');
is($listed{'v.ts'}, 'video/mp2t', 'a video, listed');

$t->finish;
