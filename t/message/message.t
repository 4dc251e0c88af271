#!/usr/bin/perl

# Messages with attachments: for each format, kind of content and reader the
# part is what the artifact's own location answers to that reader, or words; and
# what is told behind the parts agrees with them.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;

my %content = (
    shot => [png(30, 20), 'image/png', 'shot.png'],
    drawing => [svg(), 'image/svg+xml', 'drawing.svg'],
    report => [pdf(), 'application/pdf', 'report.pdf'],
    song => [mp3(), 'audio/mpeg', 'song.mp3'],
    film => [mp4(), 'video/mp4', 'film.mp4'],
    pack => [zip_of('a.txt' => 'x'), 'application/zip', 'pack.zip'],
    note => [bytes("第一行 \"q\" \\ \x{1f600}\n"), 'text/plain', 'note.txt'],
    gbk => ["\xc4\xe3\xba\xc3\n" x 40, 'text/plain; charset=gbk', 'gbk.txt'],
);

my %type = (shot => 'image', drawing => 'image', report => 'file',
            song => 'audio', film => 'video', pack => 'file',
            note => 'file', gbk => 'file');
my %needs = (image => 'vision', audio => 'audio', video => 'video',
             file => 'file');

$t->artifacts(\%content);

$t->artifact('empty', '', { type => 'text/plain', name => 'empty.txt' });
$t->artifact('nameless', png(9, 9), { type => 'image/png' });
$t->workspace_file('agent-1', 'src/a b.txt', "in a workspace\n");

my $map = $t->file('map.json', {
    services => [
        { id => 'blind', capabilities => { input => ['text'] } },
        { id => 'eyes', model => 'eyes-1', format => 'anthropic',
          capabilities => { input => ['text', 'vision'] } },
        { id => 'reader', capabilities =>
            { input => [qw(text vision audio video file)] } },
        { id => 'small', maxBytes => 100, capabilities =>
            { input => [qw(text vision)] } },
    ],
    agents => [
        { id => 'vision-agent', serviceId => 'eyes' },
        { id => 'doc-agent', serviceId => 'reader' },
    ],
});

$t->start(http => "artifact_capabilities $map;", server => <<'SERVER');
    artifact_root %%DATA%%;

    location /artifacts/   { artifact; artifact_route on;
                             artifact_format $arg_format; }
    location /internal/    { internal; artifact; }

    location /route        { artifact_message; }
    location = /format     { artifact_message; artifact_format openai; }
    location ~ ^/en        { artifact_message; artifact_language en;
                             artifact_source /internal/; }
    location /words        { artifact_message;
                             artifact_description "no $artifact_name"; }
    location /limits       { artifact_message; artifact_inline_max 100;
                             artifact_text_max 10; }
    location /service      { artifact_message; artifact_service eyes-1;
                             artifact_route on; }
    location /accept       { artifact_message; artifact_accept "text, file"; }
    location /url          { artifact_message;
                             artifact_url https://files.example/artifacts/; }
    location /tenant       { artifact_message;
                             artifact_source /$http_x_tenant/; }
    location @named        { artifact_message; }
    location /to-named     { error_page 418 = @named; return 418; }
SERVER

sub ask {
    my ($uri, $message, @headers) = @_;
    return $t->req('POST', $uri, headers => \@headers,
                   body => ref $message ? encode_json_bytes($message)
                                        : $message);
}

sub parts_of {
    my ($data) = @_;
    my $content = $data->{processedContent};
    return @{ ref $content eq 'ARRAY' ? $content
              : $content->{parts} || $content->{content} };
}

# What the artifact's location answers, as a part; undef where it is words.

sub direct {
    my ($id, $format, $service) = @_;
    my $res = $t->service($service,
        "/artifacts/$id?format=$format&tool_call_id=c1");
    my $data = json_of($res);

    return if chars($res->body) =~ /\[无法读取\]/;
    return $data if $format ne 'route';
    return $data->{imageUrl} || $data->{file}
        || { type => 'text', text => $data->{content} };
}

sub same {
    my ($left, $right) = map { canonical($_) } @_;
    return $left eq $right;
}

sub canonical {
    my ($data) = @_;
    return !defined $data ? 'null'
        : ref $data eq 'HASH' ? '{' . join(',', map {
              "$_:" . canonical($data->{$_}) } sort keys %$data) . '}'
        : ref $data eq 'ARRAY' ? '[' . join(',', map { canonical($_) } @$data)
              . ']' : "'$data'";
}

# one attachment at a time, in every format, for readers of all kinds

my @formats = qw(route object tool_message openai openai_responses
                 openai_compatible anthropic anthropic_citations gemini
                 gemini_interactions bedrock mistral openrouter mcp);

for my $format (@formats) {
    my @wrong;

    for my $id (sort keys %content) {
        for my $service (qw(blind eyes reader nobody)) {
            my $case = "$id for $service";
            my $res = ask("/route?format=$format&tool_call_id=c1", {
                payload => { text => '看看', attachments => ["artifact:$id"] },
                service => $service });
            my $data = json_of($res);
            my ($text, $part, @more) = parts_of($data);
            my $want = direct($id, $format, $service);

            push @wrong, "$case: status $res->{status}"
                if $res->{status} != 200;
            push @wrong, "$case: text" if $text->{text} ne '看看' || @more;

            if ($want) {
                push @wrong, "$case: part" if !same($part, $want);
                push @wrong, "$case: cannot process" if !$data->{canProcess};
                next;
            }

            my ($listed, @others) = @{ $data->{unsupportedAttachments} };
            push @wrong, "$case: words" if $part->{text} !~ /^【收到附件】/
                || $part->{text} ne $data->{textDescription};
            push @wrong, "$case: reference"
                if $part->{text} !~ /^工件ID: artifact:$id$/m
                || $listed->{artifactRef} ne "artifact:$id" || @others;
            push @wrong, "$case: name"
                if $part->{text} !~ /^文件名: \Q$content{$id}[2]\E$/m
                || $listed->{filename} ne $content{$id}[2];
            push @wrong, "$case: type" if $listed->{type} ne $type{$id};
            push @wrong, "$case: process" if $data->{canProcess};
            push @wrong, "$case: needs"
                if "@{ $data->{requiredCapabilities} }"
                   ne "text $needs{ $type{$id} }";
        }
    }

    is(join("\n", @wrong), '', "$format: every kind, every reader");
}

# several in one message: the contract's example

my $example = { payload => { text => '看看', attachments => [
        'artifact:shot',
        { type => 'file', artifactRef => 'artifact:report',
          filename => 'claimed.pdf', size => 9, mimeType => 'text/plain' },
        'artifact:note', 'artifact:shot' ] }, service => 'eyes' };

my $res = ask('/route', $example);
my $data = json_of($res);
my $size = length $content{report}[0];

is($res->{status}, 200, 'a message');
header_is($res, 'Content-Type', 'application/json', '... is answered in JSON');
header_is($res, 'ETag', undef, '... without a tag');
is(key_order($data), 'processedContent unsupportedAttachments textDescription '
   . 'requiredCapabilities canProcess', '... with these members, in order');
is(join(' ', map { $_->{type} } parts_of($data)),
   'text image_url text text image_url', 'parts keep their order');
is((parts_of($data))[3]{text}, chars($content{note}[0]), 'a text is its text');
is_deeply($data->{unsupportedAttachments}, [
    { type => 'file', artifactRef => 'artifact:report',
      filename => 'report.pdf', size => $size, mimeType => 'application/pdf',
      suggestedAgents => ['doc-agent'] } ], 'what eyes cannot read');
is(key_order($data->{unsupportedAttachments}[0]),
   'type artifactRef filename size mimeType suggestedAgents', '... in order');
is((parts_of($data))[2]{text}, <<"WORDS" =~ s/\n\z//r, '... and in words');
【收到附件】
类型: 文件
文件名: report.pdf
工件ID: artifact:report
文件大小: $size B
MIME类型: application/pdf

当前模型不支持直接处理此类型内容。
如需处理此文件，可以使用 send_message 工具将其转发给具备文件阅读能力的智能体。
建议转发给: doc-agent
WORDS
is_deeply($data->{requiredCapabilities}, ['text', 'vision', 'file'],
          'what all of it needs');
ok(is_bool($data->{canProcess}) && !$data->{canProcess}, 'more than there is');
is($res->body, ask('/route', $example)->body, 'the same again');

$data = json_of(ask('/route', { %$example, service => 'reader' }));
is(key_order($data), 'processedContent unsupportedAttachments '
   . 'requiredCapabilities canProcess', 'nothing to describe');
is_deeply($data->{unsupportedAttachments}, [], '... is an empty list');
ok($data->{canProcess}, '... and can be processed');

# suggestions

$data = json_of(ask('/route', { attachments => ['shot'] }));
is_deeply($data->{unsupportedAttachments}[0]{suggestedAgents},
          ['vision-agent', 'doc-agent'], 'agents, in the order of the map');
like($data->{textDescription}, qr/^建议转发给: vision-agent, doc-agent\z/m,
     '... in words');

# texts stay the bytes that they are

my $text = '"a\u00e9\/ \uD83D\uDE00\u0000"';

$res = ask('/route', qq({"text":$text, "attachments" :[]}));
is($res->body, qq({"processedContent":[{"type":"text","text":$text}],)
   . '"unsupportedAttachments":[],"requiredCapabilities":["text"],'
   . '"canProcess":true}', 'a text, verbatim');
is_deeply([parts_of(json_of(ask('/route', '{"text":""}')))], [],
          'an empty one is no part');
is((parts_of(json_of(ask('/route', { attachments => ['empty'] }))))[0]{text},
   '工件内容 (empty.txt):', 'an empty artifact is its name');

# who reads it: the message, the directives

sub canprocess {
    my ($uri, $service, @headers) = @_;
    return json_of(ask($uri, { attachments => ['shot'],
        defined $service ? (service => $service) : () }, @headers))
        ->{canProcess} ? 1 : 0;
}

is(canprocess('/route', undef), 0, 'nobody is told');
is(canprocess('/route', undef, 'X-LLM-Service' => 'eyes'), 1, 'a header');
is(canprocess('/route', 'blind', 'X-LLM-Service' => 'eyes'), 0,
   'the message wins');
is(canprocess('/route', '', 'X-LLM-Service' => 'eyes'), 1,
   'unless it is empty');
is(canprocess('/service', undef), 1, 'artifact_service');
is(canprocess('/service', 'openai/blind'), 0, '... and the message');
is(canprocess('/accept', 'eyes'), 0, 'artifact_accept wins over a service');
is(canprocess('/route', 'blind', 'X-LLM-Capabilities' => 'vision'), 1,
   '... and a header');
is(canprocess('/route', 'small'), 0, 'limits of the service');
is(canprocess('/to-named', 'eyes'), 1, 'a named location');

# formats: the argument, the directive, and no other

is(ref json_of(ask('/format', $example))->{processedContent}, 'HASH',
   'artifact_format');
is(json_of(ask('/format?format=gemini', $example))->{processedContent}{role},
   'user', 'the argument goes first');
ok(json_of(ask('/format?format=gemini', $example))->{processedContent}{parts},
   '... and is the format');
is(ref json_of(ask('/route', $example))->{processedContent}, 'ARRAY',
   'that of the service is not asked for');

# references

for my $ref ('shot', 'artifact:shot', 'https://files.example/artifacts/sho%74',
             'https://files.example/artifacts/artifact:shot?download')
{
    $data = json_of(ask('/url', { attachments => [$ref], service => 'eyes' }));
    is((parts_of($data))[0]{type}, 'image_url', $ref);
}

my $ws = ws_id('agent-1', 'src/a b.txt');
is((parts_of(json_of(ask('/route', { attachments => ["artifact:$ws"] }))))[0]
   {text}, "in a workspace\n", 'a file of a workspace');
is(json_of(ask('/route', { attachments => ['https://files.example/artifacts/x']
   }))->{unsupportedAttachments}[0]{artifactRef},
   'https://files.example/artifacts/x', 'a URL that is none');

# what is missing, malformed, or may not be read

for my $ref ('artifact:gone', 'artifact:../../etc/passwd', 'a/b', '', '.x',
             'ws:agent-1:Li4vYQ', "artifact:a\nb")
{
    $res = ask('/route?format=openai', { text => 'x', attachments => [
        { type => 'image', artifactRef => $ref, filename => "a\nb.png",
          size => 2048, mimeType => 'image/png' }], service => 'reader' });
    $data = json_of($res);
    is($res->{status}, 200, (bytes($ref) =~ s/\n/\\n/r || 'nothing')
       . ' is described');
    like((parts_of($data))[1]{text}, qr/附件读取失败: 工件(?:不存在|引用)/,
         '... as such');
    is($data->{unsupportedAttachments}[0]{artifactRef}, $ref eq '' ? undef
       : $ref, '... with its reference');
    is($data->{unsupportedAttachments}[0]{filename}, 'a_b.png',
       '... and what the message claims');
    ok(!$data->{canProcess}, '... and cannot be processed');
}

is_deeply(json_of(ask('/route', { attachments => ['gone'] }))
          ->{unsupportedAttachments}, [{ artifactRef => 'artifact:gone' }],
          'unknown stays unknown');
is_deeply(json_of(ask('/route', { attachments => [{}] }))
          ->{unsupportedAttachments}, [{}], '... even all of it');

# names that only the message knows

$data = json_of(ask('/route', { service => 'blind', attachments => [
    { artifactRef => 'nameless', filename => 'screen.png' }] }));
is($data->{unsupportedAttachments}[0]{filename}, 'screen.png',
   'a name that the store does not know');

# the location's own language, words and limits

$data = json_of(ask('/en', { attachments => ['shot', 'gone'] }));
like($data->{textDescription}, qr/^\[Attachment\ received\]\n
     Type:\ Image\nFile\ name:\ shot\.png\nArtifact\ ID:\ artifact:shot\n
     File\ size:\ .*\n\nThe\ current\ model\ .*
     \n\n\[Attachment\ received\]\nArtifact\ ID:\ artifact:gone\n\n
     Reading\ the\ attachment\ failed/xs, 'English');
like($data->{textDescription}, qr/^To have this image processed, forward it with the send_message tool to an agent that understands images\.\nSuggested agents: /m,
     'which names agents where the map has some');

$data = json_of(ask('/words', { attachments => ['shot', 'gone'] }));
is((parts_of($data))[0]{text}, 'no shot.png', 'artifact_description');
like($data->{textDescription},
     qr/^no shot\.png\n\n【收到附件】\n工件ID: artifact:gone/,
     '... but not of what is missing');

$data = json_of(ask('/limits', { attachments => ['shot', 'note'],
                                 service => 'eyes' }));
like((parts_of($data))[0]{text}, qr/超过允许内联的大小上限/,
     'artifact_inline_max');
is((parts_of($data))[1]{text}, '第一行 ', 'artifact_text_max');

# sources by variables

is((parts_of(json_of(ask('/tenant', { attachments => ['note'] }, 'X-Tenant' =>
   'artifacts'))))[0]{text}, chars($content{note}[0]), 'a source of a tenant');
like((parts_of(json_of(ask('/tenant', { attachments => ['note'] }, 'X-Tenant'
   => 'x/../artifacts'))))[0]{text}, qr/无法读取文件内容/,
   'one that climbs is not asked');

$t->finish;
