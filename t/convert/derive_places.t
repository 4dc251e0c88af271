#!/usr/bin/perl

# Conversions in every place of every API: for references and for media of the
# client's own, in messages and in the results of tools; text and media; with
# the budget of a request; with and without threads.

use strict;
use warnings;

use Digest::MD5 qw(md5_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $heic = "\0\0\0\x18ftypheic\0\0\0\0mif1heic" . 'h' x 3000;
my $png = png(60, 60);
my $docx = docx();
my $id = '0190a5f0-0000-7000-8000-000000000001';

$t->artifact($id, $heic, { mimeType => 'image/heic', name => 'a.heic' });
$t->artifact('docx', $docx, { name => 'b.docx', mimeType =>
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document' });

sub made { return jpeg(8, 8) . md5_hex($_[0]) . 'x' x 600 }

my $converter = ArtifactUpstream->new("$dir/converter", serve => sub {
    my ($sock) = @_;
    my ($head, $body) = read_request($sock) or return;
    my ($how) = $head =~ m{^\w+ /([^ ?]*)};
    my ($type, $content) =
        $how eq 'jpeg' ? ('image/jpeg', made($body))
        : $how eq 'pdf' ? ('application/pdf', pdf())
        : ('text/plain', "words <\"\n of " . md5_hex($body) . ' w' x 600);
    send_answer($sock, "HTTP/1.1 200 OK\r\nContent-Type: $type\r\n"
        . 'Content-Length: ' . length($content) . "\r\n"
        . "Connection: close\r\n\r\n$content");
});
my $echo = echo("$dir/echo");

my $main = <<"SERVER";
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_accept \$http_x_llm_capabilities;
    artifact_offload_min 1k;
    artifact_derive image/heic image/jpeg /c/jpeg body;
    artifact_derive document application/pdf /c/pdf body;
    artifact_derive image text/plain /c/text body;
    client_max_body_size 9m;
    client_body_buffer_size 4k;

    location /artifacts/ { internal; artifact; }
    location /c/ { internal; proxy_pass http://unix:$dir/converter:/; }
    location / {
        artifact_expand on;
        artifact_format \$arg_format;
        artifact_body_max \$limit\$;
        proxy_pass http://unix:$dir/echo:;
    }
SERVER
$main =~ s/\$limit\$/20k/;

my %api = (
    openai => ['/v1/chat/completions', sub {
        { messages => [ { role => 'user', content => $_[0] } ] } },
        sub { { type => 'image_url', image_url =>
                { url => "data:image/heic;base64,$_[0]" } } }],
    openai_responses => ['/v1/responses', sub {
        { input => [ { role => 'user', content => $_[0] } ] } },
        sub { { type => 'input_image',
                image_url => "data:image/heic;base64,$_[0]" } }],
    anthropic => ['/v1/messages', sub {
        { messages => [ { role => 'user', content => $_[0] } ] } },
        sub { { type => 'image', source => { type => 'base64',
                media_type => 'image/heic', data => $_[0] } } }],
    gemini => ['/v1beta/models/gemini-3:generateContent', sub {
        { contents => [ { role => 'user', parts => $_[0] } ] } },
        sub { { inlineData => { mimeType => 'image/tiff', data => $_[0] } } }],
    bedrock => ['/model/m/converse', sub {
        { messages => [ { role => 'user', content => $_[0] } ] } },
        sub { { image => { format => 'heic', source => { bytes => $_[0] } } } }],
    mistral => ['/v1/chat/completions?format=mistral', sub {
        { messages => [ { role => 'user', content => $_[0] } ] } },
        sub { { type => 'image_url',
                image_url => "data:image/heic;base64,$_[0]" } }],
    openrouter => ['/v1/chat/completions?format=openrouter', sub {
        { messages => [ { role => 'user', content => $_[0] } ] } },
        sub { { type => 'image_url', image_url =>
                { url => "data:image/heic;base64,$_[0]" } } }],
);

sub ask {
    my ($path, $body, $caps) = @_;
    my $r = $t->req('POST', $path, timeout => 30,
        headers => ['Content-Type' => 'application/json',
                    'X-LLM-Capabilities' => $caps],
        body => ref $body ? encode_json_bytes({ model => 'm', %$body })
                          : $body);
    return ($r->{status}, $r->{body}, json_of($r));
}

sub run {
    my ($mode) = @_;
    my $jpeg = b64(made($heic));
    my $words = 'words <\"\n of ' . md5_hex($heic);

    for my $name (sort keys %api) {
        my ($path, $wrap, $own) = @{ $api{$name} };
        my $neutral = $name =~ /gemini|bedrock/
            ? { artifact => "artifact:$id" }
            : { type => 'artifact', artifact => "artifact:$id" };

        my ($status, $body) = ask($path, $wrap->([ $neutral ]),
                                  'text, vision');
        is($status, 200, "$mode, $name: a reference");
        my $n = () = $body =~ /\Q$jpeg/g;
        is($n, $name eq 'gemini' ? 0 : 1, 'is sent as JPEG'
           . ($name eq 'gemini' ? ', unless HEIC is taken' : ''));

        ($status, $body) = ask($path, $wrap->([ $neutral, $neutral ]), 'text');
        is($status, 200, 'for a model that reads');
        $n = () = $body =~ /Content of a\.heic, converted from image\/heic:\\n\Q$words/g;
        is($n, 2, 'words, twice');

        ($status, $body) = ask($path, $wrap->([ $own->(b64($heic)) ]), 'text');
        is($status, 200, 'media of the client\'s own');
        like($body, qr/converted from image\/\w+:\\n\Q$words/, 'words');

        next if $name eq 'gemini';

        ($status, $body) = ask($path, $wrap->([ $own->(b64($heic)),
                                                $own->(b64($heic)) ]),
                               'text, vision');
        $n = () = $body =~ /\Q$jpeg/g;
        is($n, 2, 'as JPEG');
        unlike($body, qr/heic/, 'with nothing left of what it was')
            or diag substr $body, 0, 300;
    }

    # results of tools: a marker, pasted base64, a block of MCP

    my $tool = sub { return { messages => [
        { role => 'assistant', content => undef, tool_calls => [ { id => 'c',
          type => 'function', function => { name => 'f', arguments => '{}' } } ] },
        { role => 'tool', tool_call_id => 'c', content => $_[0] } ] } };
    my $short = '[image/png, ';

    my ($status, $body, $json) = ask('/v1/chat/completions',
        $tool->("see [artifact:$id]"), 'text, vision');
    is($json->{messages}[1]{content}, "see [artifact:$id]", 'a marker stays');
    like(encode_json_bytes($json->{messages}[2]), qr/\Q$jpeg/,
         'its conversion follows');

    ($status, $body, $json) = ask('/v1/chat/completions',
        $tool->("see [artifact:$id]"), 'text');
    like($json->{messages}[1]{content}, qr/^see \[artifact:$id\]\nContent of a\.heic, converted from image\/heic:\nwords /,
         'for who reads: in the same string');

    ($status, $body, $json) = ask('/v1/chat/completions',
        $tool->('shot: ' . b64($png) . ' end'), 'text');
    like($json->{messages}[1]{content},
         qr/^shot: \[image\/png, [^\]]*\] end\nContent converted from image\/png:\nwords <"\n of @{[ md5_hex($png) ]}/,
         'pasted base64');

    ($status, $body, $json) = ask('/v1/messages', { messages => [ { role => 'user',
        content => [ { type => 'tool_result', tool_use_id => 'c', content =>
        [ { type => 'image', data => b64($heic), mimeType => 'image/heic' } ] } ]
        } ] }, 'text, vision');
    like($body, qr/\Q$jpeg/, 'a block of MCP');

    # names: the client's own would say what it no longer is

    ($status, $body, $json) = ask('/v1/chat/completions', { messages => [
        { role => 'user', content => [ { type => 'file', file => {
          filename => 'mine.docx', file_data => 'data:application/'
          . 'vnd.openxmlformats-officedocument.wordprocessingml.document;base64,'
          . b64($docx) } }, { type => 'artifact', artifact => 'artifact:docx' } ] }
        ] }, 'text, pdf');
    is(join(' ', map { $_->{file}{filename} // '-' }
            @{ $json->{messages}[0]{content} }), 'mine.pdf b.pdf',
       'names get the extension of what is sent');

    # budget: the oldest is dropped, of texts as of media

    my $neutral = { type => 'artifact', artifact => "artifact:$id" };
    my @long = map { { role => 'user', content => [ $neutral ] } } 1 .. 30;

    ($status, $body, $json) = ask('/v1/chat/completions',
                                  { messages => \@long }, 'text');
    is($status, 200, 'a request that grows too large');
    like($json->{messages}[0]{content}[0]{text}, qr/\Q[Unreadable] a.heic/,
         'the oldest text is described');
    like($json->{messages}[-1]{content}[0]{text}, qr/^Content of a\.heic/,
         'the last one is there');
    cmp_ok(length $body, '<=', 20480, 'the request fits');
}

$t->start(server => $main);
run('no threads');
$t->stop;

if (eval { $t->start(first => '', server => "aio threads; sendfile off; $main"); 1 }) {
    run('threads');
}

$t->finish;
