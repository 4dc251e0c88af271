#!/usr/bin/perl

# $artifact_service in a request that is expanded: the service that it was
# expanded for, whoever named it.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;
my $dir = $t->prefix;

$t->artifact('shot', png(9, 9), { type => 'image/png' });
$t->file('map.json', { services => [
    { id => 'sees', model => 'm-sees',
      capabilities => { input => ['text', 'vision'] } },
    { id => 'reads', model => 'm-reads',
      capabilities => { input => ['text'] } } ] });

my $echo = echo("$dir/echo");

$t->start(http => 'artifact_capabilities %%PREFIX%%/map.json;',
          server => <<"SERVER");
    artifact_root %%DATA%%;
    location /artifacts/ { internal; artifact; }
    location /routed/ { artifact; artifact_route on;
                        add_header X-Service "[\$artifact_service]"; }
    location /v1/ {
        artifact_expand on;
        proxy_set_header X-Service \$artifact_service;
        add_header X-Service "[\$artifact_service]" always;
        proxy_pass http://unix:$dir/echo:;
    }
    location /off/ {
        add_header X-Service "[\$artifact_service]" always;
        return 204;
    }
SERVER

for (# model, header's service, told, expanded
    ['m-sees', undef, 'sees', 1],
    ['m-reads', undef, 'reads', 0],
    ['sees', undef, 'sees', 1],
    ['m-sees', 'reads', 'reads', 0],
    ['m-reads', 'sees', 'sees', 1],
    ['unheard-of', 'sees', 'sees', 1],
    ['m-sees', 'unheard-of', 'sees', 1],
    ['unheard-of', undef, '', 1],
    ['unheard-of', 'of-either', 'of-either', 1])
{
    my ($model, $header, $service, $sees) = @$_;
    my $name = "$model, " . ($header // 'no header');

    my $res = $t->req('POST', '/v1/chat/completions',
        headers => ['Content-Type' => 'application/json',
                    defined $header ? ('X-LLM-Service' => $header) : ()],
        body => encode_json_bytes({ model => $model, messages => [
            { role => 'user', content => [
                { type => 'image_url',
                  image_url => { url => 'artifact:shot' } } ] } ] }));

    is($res->{status}, 200, $name);
    is($res->header('X-Service'), "[$service]", "$name: the service");
    is($res->{body} =~ /base64/ ? 1 : 0, $sees, "$name: what it can");
}

# elsewhere it is the one that was asked for

is($t->get('/off/', 'X-LLM-Service' => 'm-reads')->header('X-Service'),
   '[reads]', 'another location');
is($t->get('/routed/shot', 'X-LLM-Service' => 'sees')->header('X-Service'),
   '[sees]', 'a routed answer');

$echo->stop;
$t->finish;
