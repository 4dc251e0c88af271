#!/usr/bin/perl

# In front of a gateway, a stand-in that a client sends is a medium like any
# other: it is taken out, wherever it is, so that it leads to its own bytes.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactSandwich;
use ArtifactTest;
use MIME::Base64;

my $t = ArtifactTest->new;
my $echo = standin_echo($t);

standin_server($t, http => 'map $http_x_bad $root { 1 %%PREFIX%%/none/no; '
    . 'default %%DATA%%; }', server => <<'SERVER');
    location /max/ {
        artifact_offload_request on;
        artifact_refs_max 1;
        artifact_offload_min 1m;
        proxy_pass %%ECHO%%;
    }
    location /bad/ {
        artifact_offload_request on;
        artifact_root $root;
        proxy_pass %%ECHO%%;
    }
    location /expands/ {
        artifact_offload_request on;
        artifact_expand on;
        proxy_pass %%ECHO%%;
    }
SERVER

my $id = '01234567-89ab-8def-8123-456789abcdef';

standin_post($t, '/front/v1/chat/completions',
    '{"messages":[{"role":"user","content":[{"type":"image_url","image_url":'
    . '{"url":"data:image/png;base64,' . b64(standin_content('png', 9000))
    . '"}}]}]}');

sub instead {
    my ($kind, $of) = @_;
    my $bytes = standin_bytes($kind, $of // $id);
    return standin_b64($kind, standin_id($t->data, $bytes, $kind));
}

# every kind, in places that nobody knows, on paths that are no API's

for my $kind (qw(png jpeg gif webp pdf wav mp3 mp4)) {
    my ($was, $is) = (standin_b64($kind, $id), instead($kind));

    for my $form ('"%s"', '"data:image\/png;base64,%s"', '{"a":[[{"b":"%s"}]]}',
        '{"model":"x","tools":[{"z":"%s"}]}', '{"input":["%s","b","%s"]}')
    {
        for my $path ('/v1/embeddings', '/v1/messages', '/') {
            my @n = $form =~ /%s/g;
            my $res = standin_post($t, "/front$path",
                                   sprintf $form, ($was) x @n);
            is($res->status, 200, "$kind, $path: passed on");
            standin_same($res->body, sprintf($form, ($is) x @n) =~ s/\\\//\//gr,
                         "$kind, $path, $form");
        }
    }

    is(standin_stored($t->data, standin_id($t->data,
           standin_bytes($kind, $id), $kind),
           standin_bytes($kind, $id), $kind), '', "$kind: is stored");
}

# slots, in which only the base64 changes; other spellings

my ($was, $is) = (standin_b64('png', $id), instead('png'));
my $chat = '{"messages":[{"role":"user","content":[{"type":"image_url",'
    . '"image_url":{"url":"data:image/png;base64,%s","detail":"low"}}]}]}';

for my $spelled ($was, $was =~ tr/+\//-_/r, $was =~ s/\//\\\//gr,
    $was =~ s/(.{76})/$1\\n/gr, $was =~ s/(.{76})/$1\\r\\n/gr)
{
    standin_same(standin_post($t, '/front/v1/chat/completions',
        sprintf $chat, $spelled)->body, sprintf($chat, $is), 'in a slot');
}

# the text of a tool

my $tool = '{"messages":[{"role":"tool","tool_call_id":"a","content":"see %s '
    . 'and %s."}]}';
standin_same(standin_post($t, '/front/v1/chat/completions',
    sprintf $tool, $was, $was)->body, sprintf($tool, $is, $is),
    'in the text of a tool');

# beyond any number and below any minimum

my $many = '{"x":[' . join(',', ('"%s"') x 200) . ']}';
standin_same(standin_post($t, '/max/v1/x', sprintf $many, ($was) x 200)->body,
             sprintf($many, ($is) x 200), 'two hundred of them');

# more than a text's finds can note

my $full = '{"messages":[{"role":"tool","tool_call_id":"a","content":"'
    . join(' ', ($was) x 100) . '"}]}';
my $res = standin_post($t, '/front/v1/chat/completions', $full);
is($res->status, 502, 'more than can be replaced in a text: refused');
like($res->body, qr/source_failed/, '... with a code');
unlike($res->body, qr/\Q$id\E/, '... and no id');

# beside a reference in a part that is made anew

$res = standin_post($t, '/expands/v1/chat/completions',
    '{"messages":[{"role":"user","content":[{"type":"artifact","artifact":'
    . qq("artifact:gone","note":"$was"},{"type":"text","text":"$was"}]}]}));
is($res->status, 200, 'beside a reference');
unlike($res->body, qr/\Q$was\E/, '... it is gone');

# a path of Anthropic's with another body: media stay, a stand-in does not

my $own = b64(standin_content('png', 3000));
for my $path ('/model/m/invoke', '/v1/m:rawPredict') {
    for my $form ('{"messages":[{"role":"user","content":[{"type":"image",'
        . '"source":{"type":"base64","media_type":"image/png","data":"%s"}}]}]}',
        '{"x":"%s"}', '{"messages":[{"role":"user","content":"%s"}]}')
    {
        standin_same(standin_post($t, "/front$path", sprintf $form, $own)->body,
                     sprintf($form, $own), "$path: no request: stays");
        standin_same(standin_post($t, "/front$path", sprintf $form, $was)->body,
                     sprintf($form, instead('png')), '... but a stand-in');
    }
}

# JSON that is not read to its end

$res = standin_post($t, '/front/v1/chat/completions',
    qq({"a":"$was","b":) . '[' x 600 . ']' x 600 . '}');
is($res->status, 502, 'nested too deep: refused');

# what cannot be stored cannot pass

$res = $t->req('POST', '/bad/v1/x', body => qq({"a":"$was"}),
    headers => ['Content-Type' => 'application/json', 'X-Bad' => 1]);
is($res->{status}, 502, 'without a store: refused');

# what is none

for my $body (qq({"a":"x$was"}), '{"a":"' . substr($was, 0, -4) . '"}',
    qq({"a":$was}), '{"a":"' . $was =~ s/LxJRE/LxJRF/r . '"}')
{
    standin_same(standin_post($t, '/front/v1/x', $body)->body, $body,
                 'what is no stand-in stays');
}

$echo->stop;
$t->finish;
