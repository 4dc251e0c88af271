#!/usr/bin/perl

# What object stores send as a Content-Encoding that is none: the leftovers of
# uploads ("aws-chunked"), and words that tools put there.  Such a content is
# routed, expanded and read like one without; a real coding is none of them.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use Compress::Zlib qw(memGzip);

my $t = ArtifactTest->new;
my $socket = $t->prefix . '/up.sock';
my $text = "words of a text\n" x 50;
my $upstream = ArtifactUpstream->new($socket, contents => {
    text => { body => $text, type => 'text/plain' },
    gzip => { body => memGzip($text), type => 'text/plain' },
});
my $echo = echo($t->prefix . '/echo.sock');

$t->start(server => <<"SERVER");
    location /up/ {
        artifact_route on;
        proxy_pass http://unix:$socket:/;
    }
    location /gunzip/ {
        artifact_route on;
        gunzip on;
        proxy_pass http://unix:$socket:/;
    }
    location /models/ {
        artifact_expand on;
        artifact_accept text;
        artifact_source /store/;
        proxy_pass http://unix:@{[ $t->prefix ]}/echo.sock:/;
    }
    location /store/ {
        rewrite ^ /text?header=Content-Encoding:aws-chunked break;
        proxy_pass http://unix:$socket:;
    }
    location /raw/ {
        proxy_pass http://unix:$socket:/;
    }
SERVER

sub routed {
    my ($uri) = @_;
    my $res = $t->accept('text', $uri);
    return $res->status == 200 ? json_of($res)->{content} : $res->status;
}

for my $coding (qw(aws-chunked utf-8 UTF-8 utf8 none binary identity),
                'aws-chunked,%20identity', 'aws-chunked,', '%20none%20')
{
    is(routed("/up/text?header=Content-Encoding:$coding"), $text,
       "\"$coding\" is none");
}

for my $coding ('aws-chunked,gzip', 'aws-chunked,%20gzip', 'gzip,aws-chunked',
                'utf-8,%20gzip')
{
    is(routed("/gunzip/gzip?header=Content-Encoding:$coding"), $text,
       "\"$coding\" is gzip");
    is(routed("/up/gzip?header=Content-Encoding:$coding"), 502,
       '... which nothing decodes without "gunzip on"');
}

is(routed('/gunzip/text?header=Content-Encoding:aws-chunked'), $text,
   'nothing is left to decode');
is(routed("/up/text?header=Content-Encoding:$_"), 502, "\"$_\" is unknown")
    for 'x', 'aws-chunked,x', 'gzip,br', 'aws', 'chunked';

my $res = $t->get('/raw/text?header=Content-Encoding:aws-chunked');

is($res->header('Content-Encoding'), 'aws-chunked',
   'what is not read passes as it comes');

# a request to a model

$res = $t->req('POST', '/models/v1/chat/completions',
    headers => ['Content-Type' => 'application/json'],
    body => '{"model":"m","messages":[{"role":"user","content":'
        . '[{"type":"artifact","artifact":"artifact:shot"}]}]}');

like(json_of($res)->{messages}[0]{content}[0]{text}, qr/\A\Q$text\E/,
     'a reference is expanded');

$upstream->stop;
$echo->stop;
$t->finish;
