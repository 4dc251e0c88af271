#!/usr/bin/perl

# Arguments of tools that are wrong: a model gets words that name them, and what
# is null is not given.  What is no argument stays an error of the protocol.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactMcp;
use ArtifactTest;
use ArtifactWrite;

my $t = ArtifactTest->new;

$t->artifact('a', "one\ntwo\n", { type => 'text/plain' });
$t->workspace_file('w', 'f.txt', 'file');
$t->start(server => mcp_server(server => <<'SERVER'));
    location = /zh {
        artifact_mcp;
        artifact_write on;
        artifact_language zh;
    }
SERVER

sub wrong {
    my ($tool, $args, $words, %opt) = @_;
    my $result = mcp_tool($t, $tool, $args, fails => 1, %opt);
    like(mcp_words($result), $words, 'it says what is wrong');
    ok(!exists $result->{structuredContent}, 'no structuredContent');
    is(scalar @{ $result->{content} }, 1, 'one text');
}

# A call whose arguments are this text.

sub raw {
    my ($tool, $text, %opt) = @_;
    my $params = { name => $tool, arguments => 'HERE' };
    my $message = mcp_message('tools/call', $params, id => 5, %opt)
        =~ s/"HERE"/$text/r;
    return mcp_post($t, $message, mcp_headers('tools/call', $params, %opt));
}


# --- wrong -------------------------------------------------------------------

my $READ = 'ref, workspace, path, lines, bytes, grep, context, max_bytes';

for my $opt ([], [older => '2025-11-25'], [older => '2025-03-26']) {
    wrong('read_artifact', { ref => 'a', more => 1 },
          qr/\AThere is no such argument: more\. The arguments are: $READ\z/,
          @$opt);
    wrong('read_artifact', { ref => 'a', content => 'x' },
          qr/argument: content\. /, @$opt);
    wrong('read_artifact', { ref => 'a', mimeType => 'x/y' },
          qr/argument: mimeType\. /, @$opt);
    wrong('read_artifact', { ref => 7 }, qr/"ref" has to be a string/, @$opt);
    wrong('read_artifact', { ref => ['a'] }, qr/"ref" has to be a string/,
          @$opt);
    wrong('read_artifact', { ref => { a => 1 } }, qr/"ref".*a string/, @$opt);
    wrong('read_artifact', { ref => JSON::PP::true }, qr/"ref".*a string/,
          @$opt);
    wrong('read_artifact', { ref => 'a', context => '2', grep => 'x' },
          qr/"context" has to be an integer/, @$opt);
    wrong('read_artifact', { ref => 'a', context => 1.5, grep => 'x' },
          qr/"context" has to be an integer/, @$opt);
    wrong('read_artifact', { ref => 'a', max_bytes => 0 },
          qr/"max_bytes" has to be at least 1/, @$opt);
    wrong('read_artifact', {}, qr/"ref" and "workspace"/, @$opt);
    wrong('list_workspace', {}, qr/"workspace" is missing/, @$opt);
    wrong('find_service', { direction => 'up' }, qr/"direction".*input, /,
          @$opt);
}

wrong('read_artifact', { ref => 'a', more => 1 },
      qr/\A没有此参数: more。可用的参数: $READ\z/, at => '/zh');
wrong('list_artifacts', { limit => '1' }, qr/\A参数 "limit" 必须是整数。\z/,
      at => '/zh');
wrong('list_artifacts', { name => 1 }, qr/\A参数 "name" 必须是字符串。\z/,
      at => '/zh');

# names that models or others make up

wrong('list_artifacts', { '[artifact:a]' => 1 }, qr/argument: \(artifact:a\]/);
wrong('list_artifacts', { "a\nb" => 1 }, qr/argument: a.?b\. /);
wrong('list_artifacts', { 'x' x 300 => 1 }, qr/argument: \.\.\.\. The arg/);
wrong('list_artifacts', { '' => 1 }, qr/argument: \. The arguments/);

# --- null --------------------------------------------------------------------

my %null = map { $_ => undef } qw(workspace path lines bytes grep context
                                  max_bytes);

like(mcp_words(mcp_tool($t, 'read_artifact', { ref => 'a', %null })),
     qr/\Aone\ntwo\n\z/, 'null: as if it were not given');
is(mcp_words(mcp_tool($t, 'read_artifact',
                      { ref => undef, workspace => 'w', path => 'f.txt' })),
   'file', 'null: a path instead of a reference');
wrong('read_artifact', { ref => undef }, qr/"ref" and "workspace"/);
wrong('list_workspace', { workspace => undef }, qr/"workspace" is missing/);
wrong('list_artifacts', { more => undef }, qr/argument: more\. /);
my $list = mcp_tool($t, 'list_artifacts', { map { $_ => undef }
                                            qw(cursor limit type name) });
is($list->{structuredContent}{count}, 1, 'null: a list');
mcp_tool($t, 'find_service', { capability => 'vision', direction => undef });

my $saved = mcp_tool($t, 'save_artifact', {
    content => 'x', base64 => undef, name => undef, mime_type => undef });
is($saved->{structuredContent}{metadata}{mimeType}, 'text/plain',
   'null: a type');
$saved = mcp_tool($t, 'save_artifact', { content => undef, base64 => 'eA==',
                                         mime_type => 'a/b' });
is($t->get('/artifacts/' . $saved->{structuredContent}{artifactRef}
           =~ s/artifact://r)->body, 'x', 'null: the other content');
mcp_tool($t, 'write_file', { workspace => 'w', path => 'g', content => 'g',
                             if_match => undef });
wrong('save_artifact', { content => undef, base64 => undef },
      qr/"content" and "base64"/);

# --- mimeType ----------------------------------------------------------------

for my $args ({ mimeType => 'text/x-a' },
              { mimeType => 'text/x-a', mime_type => undef },
              { mimeType => undef, mime_type => 'text/x-a' },
              { mimeType => 'text/x-a', mime_type => 'text/x-a' })
{
    my $result = mcp_tool($t, 'save_artifact', { content => 'x', %$args });
    is($result->{structuredContent}{metadata}{mimeType}, 'text/x-a',
       'the type');
}
wrong('save_artifact', { content => 'x', mimeType => 'a/b',
                         mime_type => 'c/d' },
      qr/"mime_type" and "mimeType" differ/);
wrong('save_artifact', { content => 'x', mimeType => 7 },
      qr/"mimeType" has to be a string/);
wrong('save_artifact', { content => 'x', mimeType => 7, mime_type => 'a/b' },
      qr/"mimeType" has to be a string/);
wrong('save_artifact', { content => 'x', mimeType => 'x' x 2000 },
      qr/"mime_type" is too long/);
wrong('save_artifact', { content => 'x', mimeType => 'x' x 2000,
                         mime_type => 'a/b' }, qr/"mimeType" differ/);

is(left_behind($t), '', 'nothing is left behind');

# --- no arguments, and none at all -------------------------------------------

for my $text ('null', '{}') {
    my $result = mcp_result(raw('list_artifacts', $text), "arguments $text");
    ok(!$result->{isError}, "arguments $text: a list");
    $result = mcp_result(raw('list_workspace', $text), "arguments $text");
    ok($result->{isError}, "arguments $text: one is missing");
}
my $result = mcp_result(mcp_ask($t, 'tools/call', { name => 'list_artifacts' }),
                        'no arguments');
ok(!$result->{isError}, 'no arguments: a list');

for my $text ('[]', '"x"', '1', 'true', '[null]') {
    mcp_error(raw('list_artifacts', $text), 200, -32602, 5,
              "arguments $text");
}
mcp_error(raw('list_artifacts', 'null,"arguments":null'), 400, -32600, 5,
          'arguments twice');
mcp_error(raw('list_artifacts', '{"limit":null,"limit":1}'), 400, -32600, 5,
          'an argument twice');
mcp_error(raw('list_artifacts', '{"limit":nul}'), 400, -32700, undef,
          'no JSON');
mcp_error(raw('list_files', '{}'), 200, -32602, 5, 'an unknown tool');

$t->finish;
