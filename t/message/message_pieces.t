#!/usr/bin/perl

# Pieces of an answer to a message that are longer than a buffer, between others
# that are not: buffers give way to larger ones, and are new again when they come
# back.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use Compress::Zlib qw(memGunzip);
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;

$t->artifact('shot', png(20, 20), { mimeType => 'image/png', name => 's.png' });
$t->artifact('tone', wav(), { mimeType => 'audio/wav', name => 't.wav' });
$t->artifact('clip', mp4(), { mimeType => 'video/mp4', name => 'c.mp4' });
$t->artifact('page', pdf(), { mimeType => 'application/pdf', name => 'p.pdf' });

# agents with names that fill a buffer, and more, together; those who hear have
# longer ones than those who see

my %length = (vision => 850, audio => 900, video => 950, pdf => 1000);
my %suggested = (shot => 'vision', tone => 'audio', clip => 'video',
                 page => 'pdf');

spew($t->prefix . '/map.json', encode_json_bytes({
    services => [map { { id => $_, provider => 'p', model => $_,
                         capabilities => { input => ['text', $_] } } }
                     'text', sort keys %length],
    agents => [map { my $service = $_;
                     map { { id => "$service-$_-" . 'x' x $length{$service},
                             serviceId => $service } } 1 .. 5 }
                   sort keys %length],
}));

$t->start(server => <<'SERVER', http => <<'HTTP');
    artifact_root %%DATA%%;
    location /route {
        artifact_message;
        gzip on;
        gzip_types application/json;
    }
    location /artifacts/ {
        artifact;
    }
SERVER
    artifact_capabilities %%PREFIX%%/map.json;
HTTP

sub ask {
    my ($refs, @headers) = @_;

    return $t->req('POST', '/route', headers => \@headers,
        body => encode_json_bytes({ service => 'text', text => 'x',
                                    attachments => $refs }));
}

sub check {
    my ($name, @ids) = @_;

    my $res = ask([map { "artifact:$_" } @ids]);
    my $list = (eval { json_of($res) } // {})->{unsupportedAttachments} // [];

    is(join(' ', map { join '', map { substr $_, 0, 8 }
                       @{ $_->{suggestedAgents} // [] } } @$list),
       join(' ', map { my $can = $suggested{$_};
                       join '', map { substr "$can-$_-xxx", 0, 8 }
                           $can ? 1 .. 5 : () } @ids),
       "$name: all of them, with their agents");
}

my @ids = map { $_ % 3 ? 'shot' : "gone$_" } 0 .. 29;

check("$_ attachments", @ids[0 .. $_ - 1]) for 1, 2, 3, 7, 30;
check('longer and longer', qw(shot tone clip page page clip tone shot));

# What goes out before a content is asked for is flushed; of what follows the
# last one nothing is, though it takes the same buffers.

my @refs = map { "artifact:gone$_" } 1 .. 40;
my $res = ask(\@refs, 'Accept-Encoding' => 'gzip');
my $flushes = () = $res->body =~ /\0\0\xff\xff/g;

is($res->header('Content-Encoding'), 'gzip', 'compressed');
is(scalar @{ decode_strict(memGunzip($res->body))->{unsupportedAttachments} },
   scalar @refs, 'all of them');
is($flushes, scalar @refs, 'and one flush for each');

$t->finish;
