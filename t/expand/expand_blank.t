#!/usr/bin/perl

# Texts that show nothing: a byte order mark, line feeds, white space of
# Unicode.  No block that comes of them is blank, since providers refuse such a
# request on every turn: the line that introduces a file stands for the text.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactMcp;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;

my $WIDE = "\x{a0}\x{1680}\x{2003}\x{2028}\x{3000}\x{200b}\x{feff}\x{85}\t";

my %blank = (
    empty => '', mark => "\xef\xbb\xbf", feed => "\n", lines => "\r\n \x0b\f",
    wide => bytes($WIDE), long => "\n" x 5000,
    longer => bytes($WIDE) x 40_000, utf16 => "\xff\xfe\n\0\x00\x30",
    utf32 => "\xff\xfe\0\0\n\0\0\0",
);
my %shown = (
    dot => "\n.\n", late => "\n" x 5000 . 'x', han => bytes("\x{3000}工"),
    mongol => bytes("\x{180e}"),
    joined => bytes("\x{200b}\x{200d}"),
);

$t->artifact($_, $blank{$_}, { type => 'text/plain', name => "$_.txt" })
    for keys %blank;
$t->artifact($_, $shown{$_}, { type => 'text/plain', name => "$_.txt" })
    for keys %shown;
$t->artifact('shot', png(), { type => 'image/png', name => 'shot.png' });
$t->artifact('data', "\n", { type => 'application/json', name => 'd.json' });
$t->artifact('page', "\n", { type => 'text/html', name => 'p.html' });
$t->artifact('bare', "\n", undef);

my $store = ArtifactUpstream->new("$dir/store", contents => {
    map { $_ => { body => $blank{$_} // $shown{$_}, type => 'text/plain' } }
        keys %blank, keys %shown
});
my $echo = ArtifactUpstream->echo("$dir/echo");
my $pass = "artifact_expand on; proxy_pass http://unix:$dir/echo:;";

$t->start(http => 'open_file_cache max=100; open_file_cache_valid 1h;',
          server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_accept "text, vision";
    client_body_temp_path %%PREFIX%%/bodies;

    location /artifacts/ { artifact; }
    location /message/   { artifact_message; }
    location = /mcp      { artifact_mcp; artifact_url https://x.example/; }
    location /routed/    { artifact; artifact_route always;
                           artifact_url https://x.example/;
                           artifact_format mcp; }
    location /v1/        { $pass }
    location /trust/     { artifact_verify off; $pass }
    location /cut/       { artifact_text_max 20; $pass }
    location /small/     { client_body_buffer_size 1k; $pass }
    location /far/       { artifact_source /store/; $pass }
    location /mistral/   { artifact_format mistral; $pass }
    location /store/     { internal; proxy_pass http://unix:$dir/store:/; }
SERVER


sub ask {
    my ($uri, $body) = @_;
    my $res = $t->req('POST', $uri, body => encode_json_bytes($body),
                      headers => ['Content-Type' => 'application/json']);
    is($res->{status}, 200, "$uri is answered") or diag($res->body);
    return $res;
}

# the texts of an answer, wherever they stand

sub texts {
    my ($value) = @_;
    return map { texts($_) } @$value if ref $value eq 'ARRAY';
    return () unless ref $value eq 'HASH';
    return map {
        ref $value->{$_} ? texts($value->{$_})
            : /^(?:text|content|output)$/ ? $value->{$_} : ()
    } sort keys %$value;
}

sub is_lead {
    my ($got, $id, $what) = @_;
    is($got, "Artifact content ($id.txt):", $what);
}

my $part = sub { { type => 'artifact', artifact => "artifact:$_[0]" } };
my $bare = sub { { artifact => "artifact:$_[0]" } };
my @user = (role => 'user');

my %apis = (
    '/chat/completions' => sub {
        { model => 'm', messages => [{ @user, content => [map { $part->($_) }
                                                          @_] }] }
    },
    '/responses' => sub {
        { model => 'm', input => [{ type => 'message', @user,
                                    content => [map { $part->($_) } @_] }] }
    },
    '/messages' => sub {
        { model => 'm', messages => [{ @user, content => [map { {
            type => 'document',
            source => { type => 'url', url => "artifact:$_" } } } @_] }] }
    },
    '/models/m:generateContent' => sub {
        { contents => [{ @user, parts => [map { $bare->($_) } @_] }] }
    },
    '/model/m/converse' => sub {
        { messages => [{ @user, content => [map { $bare->($_) } @_] }] }
    },
);


# --- every API ----------------------------------------------------------------

my @blank = sort keys %blank;
my @shown = sort keys %shown;

for my $path (sort keys %apis) {
    for my $at ('/v1', '/small', '/far', '/trust') {
        my $res = ask("$at$path", $apis{$path}->(@blank, @blank));
        my @texts = texts(json_of($res));

        is(@texts, 2 * @blank, "$at$path: a text for each");
        is((grep { !/[^\s\x{200b}\x{feff}]/ } @texts), 0, 'none is blank');
        is(ask("$at$path", $apis{$path}->(@blank, @blank))->body, $res->body,
           'the same bytes the next time');

        if ($at ne '/far') {
            is_lead($texts[$_], $blank[$_ % @blank], "$blank[$_ % @blank]")
                for 0 .. $#texts;
        }

        $res = ask("$at$path", $apis{$path}->(map { $_, 'feed', 'longer' }
                                              @shown));
        @texts = texts(json_of($res));
        is($texts[3 * $_], chars($shown{$shown[$_]}), "$shown[$_] stays")
            for 0 .. $#shown;
    }
}

my @kinds = texts(json_of(ask('/v1/messages',
                              $apis{'/messages'}->(qw(data page bare)))));
is(@kinds, 3, 'other types of text');
unlike($_, qr/^\s*\z/, 'none is blank') for @kinds;

my ($cut) = texts(json_of(ask('/cut/chat/completions',
                              $apis{'/chat/completions'}->('late'))));
is_lead($cut, 'late', 'a text that is cut before it shows anything');


# --- results of tools ---------------------------------------------------------

for my $id (qw(empty mark long)) {
    my @call = (role => 'tool', tool_call_id => 'c');
    my ($text) = texts(json_of(ask('/v1/chat/completions', { model => 'm',
        messages => [{ @call, content => "artifact:$id" }] })));
    is_lead($text, $id, "$id in place of a string");

    ($text) = texts(json_of(ask('/v1/messages', { model => 'm', messages => [
        { @user, content => [{ type => 'tool_result', tool_use_id => 'c',
                               content => "artifact:$id" }] }] })));
    is_lead($text, $id, "$id as a result");
}


# --- messages, MCP ------------------------------------------------------------

for my $id (qw(empty mark feed wide utf16)) {
    my $message = { payload => { attachments => ["artifact:$id"] } };

    for my $format (qw(openai anthropic gemini bedrock)) {
        my ($text) = texts(json_of(ask("/message/?format=$format", $message))
                           ->{processedContent});
        is_lead($text, $id, "$id in a message for $format");
    }

    my $res = mcp_result(mcp_ask($t, 'tools/call',
        { name => 'read_artifact', arguments => { ref => $id } }), $id);
    is(@{ $res->{content} }, 1, "$id is one block");
    is($res->{content}[0]{type}, 'text', 'a text');
    is_lead($res->{content}[0]{text}, $id, 'with words');

    $res = json_of($t->req('GET', "/routed/$id"));
    is($res->{type}, 'text', 'so it is by the location');
    is_lead($res->{text}, $id, 'with words');

    $res = mcp_result(mcp_ask($t, 'resources/read',
                              { uri => "artifact:$id" }), $id);
    like($res->{contents}[0]{text}, qr/^[\s\x{feff}\x{200b}]*\z/,
         'a program gets the text');
}

$t->finish;
