#!/usr/bin/perl

# An "artifact_route" of the blocks around does not make JSON of a model's
# answer, where its requests are expanded or its answers are offloaded; all else
# in the location is routed as ever.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

my $t = ArtifactTest->new;

$t->file('map.json', { services => [{ id => 'm', capabilities => {
    input => ['text'] } }] });
$t->artifact('abc', 'hello', { type => 'text/plain' });

my $image = "\x89PNG\r\n\x1a\n" . 'x' x 64;
my $answer = '{"choices":[{"message":{"images":[{"image_url":{"url":'
    . '"data:image/png;base64,' . b64($image) . '"}}]}}]}';

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;', server => <<"END");
    artifact_root %%DATA%%;
    artifact_offload_min 8;
    artifact_route on;

    location /artifacts/ { artifact; }

    location /expand/ {
        artifact_expand on;
        proxy_pass http://127.0.0.1:%%PORT%%/model/;
    }

    location /offload/ {
        artifact_offload on;
        proxy_pass http://127.0.0.1:%%PORT%%/model/;
        proxy_ignore_headers X-Accel-Redirect;
    }

    location /always/ {
        artifact_expand on;
        artifact_offload on;
        artifact_route always;
        proxy_pass http://127.0.0.1:%%PORT%%/model/;
        proxy_ignore_headers X-Accel-Redirect;
    }

    location /plain/ { proxy_pass http://127.0.0.1:%%PORT%%/model/; }

    location /model/ {
        artifact_route off;
        default_type application/json;
        return 200 '$answer';
    }
END

my $request = { model => 'm', messages => [
    { role => 'user', content => 'Paint.' } ] };

sub ask {
    my ($path, @headers) = @_;
    my $r = $t->req('POST', $path, body => encode_json_bytes($request),
                    headers => ['Content-Type' => 'application/json',
                                @headers]);

    is($r->{status}, 200, "$path: 200");
    return $r->{body};
}

my @reader = ('X-LLM-Service' => 'm');
my $stored = qr/^\{"choices":.*"url":"artifact:[0-9a-f-]{36}"/;

for my $headers ([], \@reader) {
    is(ask('/expand/v1/chat/completions', @$headers), $answer,
       'expanded, as the model sent it');
    like(ask('/offload/v1/chat/completions', @$headers), $stored,
         'offloaded');
    like(ask('/always/v1/chat/completions', @$headers), $stored,
         'both, with "always"');
}

like(ask('/plain/v1/chat/completions', @reader), qr/^\{"contentType":/,
     'where nothing reads it, it is routed');
like(ask('/expand/other', @reader), qr/^\{"contentType":/,
     'what is no API is routed');
like($t->get('/offload/other', @reader)->{body}, qr/^\{"contentType":/,
     'and so is a GET');
like($t->get('/artifacts/abc', @reader)->{body}, qr/^\{"contentType":/,
     'and so is an artifact');

$t->finish;
