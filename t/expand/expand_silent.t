#!/usr/bin/perl

# Bedrock refuses a message that has a document and no text: a line is put before
# the document, if nothing in the message has become a text.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $pdf = pdf();
my $data = b64($pdf);

$t->artifact('doc', $pdf, { mimeType => 'application/pdf', name => 'd.pdf' });
$t->artifact('note', "a note\n", { mimeType => 'text/plain', name => 'n.txt' });

my $echo = ArtifactUpstream->echo("$dir/echo");

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_language en;
    location /artifacts/ { internal; artifact; }
    location / {
        artifact_expand on;
        artifact_accept text,vision,file;
        proxy_pass http://unix:$dir/echo:;
    }
    location /texts/ {
        artifact_expand on;
        artifact_accept text;
        proxy_pass http://unix:$dir/echo:;
    }
SERVER

sub message {
    return '{"role":"user","content":[' . join(', ', @_) . ']}';
}

sub sent {
    my ($path, @messages) = @_;
    my $res = $t->req('POST', "$path/model/m/converse",
                      headers => ['Content-Type' => 'application/json'],
                      body => '{"messages":[' . join(',', @messages) . ']}');
    is($res->{status}, 200, 'status');
    my ($body) = $res->{body} =~ /\A\{"messages":\[(.*)\]\}\z/s;
    return $body;
}

my $own = '{"document":{"format":"pdf","name":"my report","source":{"bytes":"'
    . qq($data"}}});
my $lead = '{"text":"Artifact content (my report):"},';
my $text = '{"text":"q"}';
my $ref = '{"artifact":"artifact:doc"}';

is(sent('', message($own)), message("$lead$own"), 'a document alone');
is(sent('', message($text, $own)), message($text, $own), 'beside a text');
is(sent('', message($own, $text)), message($own, $text), 'before a text');
is(sent('', message($text), message($own)),
   message($text) . ',' . message("$lead$own"), 'a text of another message');

like(sent('', message($ref)),
     qr/\[\{"text":"Artifact content \(d\.pdf\):"\},\{"document":/,
     'an artifact');
my $body = sent('', message($ref, '{"artifact":"artifact:note"}'));
like($body, qr/\A\{"role":"user","content":\[\{"document":/,
     'none beside what becomes a text');
like($body, qr/a note/, 'which is there');

$body = sent('/texts', message($own));
unlike($body, qr/"document"|Artifact content/, 'none if the document is words');
$body = sent('', message($own, '{"artifact":"artifact:gone"}'));
unlike($body, qr/Artifact content/, 'none beside words for another');

$t->finish;
