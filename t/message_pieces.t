#!/usr/bin/perl

# Pieces of an answer to a message that are longer than a buffer, between others
# that are not: buffers give way to larger ones.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;

$t->artifact('shot', png(20, 20), { mimeType => 'image/png', name => 's.png' });

# agents with names that fill a buffer, and more, together

my @agents = map { "agent-$_-" . 'x' x 1000 } 1 .. 5;

spew($t->prefix . '/map.json', encode_json_bytes({
    services => [{ id => 'sees', provider => 'p', model => 'sees',
                   capabilities => { input => ['text', 'vision'] } },
                 { id => 'reads', provider => 'p', model => 'reads',
                   capabilities => { input => ['text'] } }],
    agents => [map { { id => $_, serviceId => 'sees' } } @agents],
}));

$t->start(server => <<'SERVER', http => <<'HTTP');
    artifact_root %%DATA%%;
    location /route {
        artifact_message;
    }
    location /artifacts/ {
        artifact;
    }
SERVER
    artifact_capabilities %%PREFIX%%/map.json;
HTTP

sub check {
    my ($uri, $name, @refs) = @_;

    my $res = $t->req('POST', $uri, body => encode_json_bytes({
        service => 'reads', text => 'x', attachments => \@refs }));
    my $list = (eval { json_of($res) } // {})->{unsupportedAttachments} // [];

    is(scalar @$list, @refs, "$name: all of them");
    is(scalar grep({ @{ $_->{suggestedAgents} // [] } == 5 } @$list),
       scalar grep({ /shot/ } @refs), "$name: with their agents");
}

my @refs = map { $_ % 3 ? 'artifact:shot' : "artifact:gone$_" } 0 .. 29;

check('/route', "$_ attachments", @refs[0 .. $_ - 1]) for 1, 2, 3, 7, 30;

$t->finish;
