#!/usr/bin/perl

# Stand-ins in the arguments of calls, which are JSON in a string in some APIs and
# objects in others: a gateway turns the one into the other.  Those of a client are
# taken out in front, and what arrives is what was sent.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactSandwich;
use ArtifactTest;
use JSON::PP;

my $t = ArtifactTest->new;
my $echo = standin_echo($t);
standin_server($t);

my $json = JSON::PP->new->canonical->utf8->allow_nonref;

# what somebody else has sent, and who has learnt its stand-in

my $secret = standin_content('png', 3000);
my ($slot) = values %{ { standin_slots('openai', 'png') } };
standin_post($t, '/front/v1/chat/completions',
    standin_body('openai', 'sees', $slot->('image/png', b64($secret))));
my $id = standin_id($t->data, $secret, 'png');
my $was = standin_b64('png', $id);
my $taken = standin_b64('png', standin_id($t->data,
    standin_bytes('png', $id), 'png'));

# the strings of a call's arguments, in which "<>" is base64

my %strings = (
    alone => [{ image => '<>' }, {}],
    'a data URL' => [{ a => [{ url => 'data:image/png;base64,<>' }, 1] }, {}],
    two => [{ a => '<>', b => '<>' }, {}],
    'in a text' => [{ prompt => 'see <> there' }, {}],
    'a list' => [['<>'], {}],
    deeper => [{ a => $json->encode({ b => $json->encode(['<>']) }) }, {}],
    'slashes escaped' => [{ a => '<>' }, { slash => 1 }],
    'blanks in front' => [{ a => '<>' }, { head => ' \n\t' }],
    'braces escaped' => [{ a => '<>' }, { brace => 1 }],
    'quotes escaped' => [{ a => '<>' }, { quote => 1 }],
);

my %shapes = (
    chat => ['/v1/chat/completions', sub {
        '{"model":"sees","messages":[{"role":"user","content":"q"},{"role":'
        . '"assistant","content":null,"tool_calls":[{"id":"c","type":"function",'
        . qq("function":{"name":"f","arguments":$_[0]}}]},{"role":"tool",)
        . '"tool_call_id":"c","content":"r"}]}' }],
    legacy => ['/v1/chat/completions', sub {
        '{"model":"sees","messages":[{"role":"assistant","content":null,'
        . qq("function_call":{"arguments":$_[0],"name":"f"}}]}) }],
    responses => ['/v1/responses', sub {
        '{"model":"sees","input":[{"type":"function_call","call_id":"c","name":'
        . qq("f","arguments":$_[0]},{"type":"function_call_output","call_id":)
        . '"c","output":"r"}]}' }],
    custom => ['/v1/responses', sub {
        '{"model":"reads","input":[{"type":"custom_tool_call","call_id":"c",'
        . qq("name":"f","input":$_[0]}]}) }],
    'no API' => ['/v1/other', sub { qq({"x":[{"y":$_[0]}]}) }],
);

for my $shape (sort keys %shapes) {
    my ($uri, $body) = @{ $shapes{$shape} };

    for my $name (sort keys %strings) {
        my ($value, $how) = @{ $strings{$name} };
        my $sent = $body->(written($value, $how, $was));
        my ($light, $whole) = map {
            $body->(written($value, { %$how, slash => 0 }, $_))
        } $taken, $was;

        standin_same(standin_post($t, "/front$uri", $sent)->body, $light,
                     "$shape, $name: taken out in front") or next;
        standin_same(standin_post($t, "/all$uri", $sent)->body, $whole,
                     '... and what was sent arrives');
    }
}

# a gateway that makes an object of it, as for Anthropic

for my $name (sort keys %strings) {
    my $front = standin_post($t, '/front/v1/chat/completions',
        $shapes{chat}[1]->(written(@{ $strings{$name} }, $was)))->body;
    my $call = decode_strict($front)->{messages}[1]{tool_calls}[0]{function};
    my $behind = standin_post($t, '/behind/v1/messages', $json->encode({
        model => 'sees', max_tokens => 9, messages => [
            { role => 'assistant', content => [{ type => 'tool_use', id => 'c',
                name => 'f', input => $json->decode($call->{arguments}) }] },
        ] }))->body;

    unlike($behind, qr/\Q${\ substr b64($secret), 0, 400 }\E/,
           "an object, $name: nobody else's bytes");
    like($behind =~ s{\\+/}{/}gr, qr/\Q$was\E/, '... but those that were sent')
        if $name !~ /in a text/;
}

# the other way: a call with an object in front, a string behind

my $input = $json->encode({ image => $was });
my $sent = standin_post($t, '/front/v1/messages',
    '{"model":"sees","max_tokens":9,"messages":[{"role":"assistant","content":'
    . qq([{"type":"tool_use","id":"c","name":"f","input":$input}]}]}))->body;
my $made = decode_strict($sent)->{messages}[0]{content}[0]{input};
is($made->{image}, $taken, 'an object in front');
like(standin_post($t, '/behind/v1/chat/completions', $shapes{chat}[1]->(
    $json->encode($json->encode($made))))->body, qr/\Q$was\E/,
     '... that is a string behind, with what was sent');

# one that leads nowhere

my $gone = standin_b64('png', '01234567-89ab-8def-8123-456789abcdef');
my $res = standin_post($t, '/behind/v1/responses', $shapes{responses}[1]->(
    $json->encode($json->encode({ a => $gone }))));
is($res->status, 502, 'one that leads nowhere: refused');
like($res->body, qr/source_failed/, '... with a code');

# what is no JSON is no call

for my $text ("x $was", "$was.", '"' . $was, "<a>$was</a>") {
    my $body = $shapes{chat}[1]->($json->encode($text));
    standin_same(standin_post($t, '/front/v1/chat/completions', $body)->body,
                 $body, 'no JSON: stays')
        if $text !~ /^"/;
}

$t->finish;


# Arguments as a JSON string, with base64 in the place of "<>".

sub written {
    my ($value, $how, $b64) = @_;

    my $text = $json->encode($value);
    $text =~ s/<>/$b64/g;
    $text = $json->encode($text);

    $text =~ s{/}{\\\\/}g if $how->{slash};
    $text =~ s{\A"\{}{"\\u007b} if $how->{brace};
    $text =~ s{\\"}{\\u0022}g if $how->{quote};
    $text =~ s{\A"}{"$how->{head}} if $how->{head};
    return $text;
}
