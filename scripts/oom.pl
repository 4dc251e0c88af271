#!/usr/bin/perl

# oom.pl [SCENARIO]...
#
# Each allocation of a request fails in turn (scripts/oom.sh, which starts
# this): the answer is a 5xx, a closed connection, or the right one, the worker
# lives, nothing is left open or locked, and what is on the disk is the old or
# the new.  Prints TAP.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../t/lib";
use ArtifactAnswers;
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactSign;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite;
use Compress::Zlib ();
use IO::Compress::Gzip;
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $shared = $t->file('fail-malloc', "\0" x 16);
$ENV{FAIL_MALLOC} = $shared;

my $png = png(40, 40);
my $text = "words and \"more\"\n" x 900;
$t->artifact('png', $png, { type => 'image/png', name => 'shot.png' }, '.png');
$t->artifact('text', $text, { type => 'text/plain', meta => { a => [1] } });
$t->artifact('json', '{"a":[1,2]}', { type => 'application/json' });
$t->workspace_file('w', "f$_", "file $_\n") for 1 .. 20;
$t->workspace_meta('w', { map { ("f$_" => {
    mimeType => 'text/plain', modifiedBy => [{ agentId => 'a' }] }) } 1 .. 20 });
$t->file('caps.json', { services => [map { {
    id => "s$_", model => "m-$_", capabilities => {
        input => [$_ % 2 ? 'vision' : 'file', 'text'] } } } 1 .. 9] });

my $said = '<artifacts>[{"type":"text","content":"y"}]</artifacts>';
my $escaped = $said =~ s/y"\}/'~' x 999 . '"}'/er;
my $made = sprintf '"b64_json":"%s"', b64($png . rand_bytes(3000));
my $inline = sprintf '{"inlineData":{"mimeType":"image/png","data":"%s"}}',
    b64($png . rand_bytes(3000));
my $blocks = sprintf '[{"type":"image","data":"%s","mimeType":"image/png"},'
    . '{"type":"text","text":"t"}]', b64($png . rand_bytes(3000));

my $up = ArtifactUpstream->new("$dir/up.sock", contents => {
    words => { type => 'text/plain', body => 'words of it' },
    others => { type => 'text/plain', body => 'others of it' },
    long => { type => 'text/plain', body => "a line of it\n" x 9000 },
    'v1/chat/completions' => { type => 'application/json',
        body => answer_json('openai', "x$said") },
    'stream/v1/chat/completions' => { type => 'text/event-stream',
        body => answer_stream('openai', ['x', $said]) },
    'stream/v1/responses' => { type => 'text/event-stream',
        body => answer_stream('openai_responses', [$escaped =~ /(.{1,9})/g])
                =~ s/~/\\u5de5/gr },
    'images/generations' => { type => 'application/json',
        body => qq({"data":[{$made}]}) },
    'images/edits' => { type => 'text/event-stream', body =>
        qq(data: {"type":"image_generation.completed",$made}\n\n) },
    (map { ('stream' . answer_path($_)) => { type => 'text/event-stream',
               body => answer_stream($_, ['x', $said]) } }
        qw(openai_responses anthropic gemini)),
    (map { ('json' . answer_path($_)) => { type => 'application/json',
               body => answer_json($_, "x$said") } }
        qw(openai_responses anthropic bedrock)),
    'v1/m:generateContent' => { type => 'application/json',
        body => qq({"candidates":[{"content":{"parts":[$inline]}}]}) },
    'v1/m:streamGenerateContent' => { type => 'text/event-stream', body =>
        qq(data: {"candidates":[{"content":{"parts":[$inline]}}]}\r\n\r\n) },
    mcp => { type => 'application/json', body =>
        qq({"jsonrpc":"2.0","id":1,"result":{"content":$blocks}}) },
    'text-mcp' => { type => 'application/json', body =>
        '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"'
        . 'words and \"more\"\n' x 900 . '"}]}}' },
    png => { body => $png, type => 'image/png', headers => ['ETag: "a"'] },
    text => { body => $text, type => 'text/plain' },
});
my $echo = echo("$dir/echo.sock", length => 1);
my $key = 'k' x 32;
key_file($t, 'url.keys', \$key);

$t->start(http => <<'HTTP', server => <<'SERVER');
    artifact_capabilities %%PREFIX%%/caps.json;
    proxy_cache_path %%PREFIX%%/cache keys_zone=c:1m;
    upstream up {
        server unix:%%PREFIX%%/up.sock max_fails=0;
    }
    upstream echo {
        server unix:%%PREFIX%%/echo.sock max_fails=0;
    }
HTTP
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_write on;
    artifact_sync off;
    artifact_index on;
    artifact_format $arg_format;

    location /artifacts/ {
        artifact;
    }
    location /workspaces/ {
        artifact_workspace;
    }
    location /threads/ {
        artifact_workspace;
        aio threads;
    }
    location /open/ {
        artifact;
        open_file_cache max=4;
    }
    location /services/ {
        artifact_services;
    }
    location /p/ {
        proxy_pass http://up/;
    }
    location /unbuffered/ {
        proxy_buffering off;
        gzip on;
        gzip_types application/json;
        proxy_pass http://up/;
    }
    location /cached/ {
        proxy_cache c;
        proxy_cache_valid 200 1h;
        proxy_cache_key $request_uri;
        proxy_pass http://up/;
    }
    location /decode/ {
        artifact_decode on;
        proxy_pass http://up/$artifact_id$is_args$args;
    }
    location /page/ {
        artifact;
        error_page 404 =404 /artifacts/text;
    }
    location /expand/ {
        artifact_expand on;
        proxy_pass http://echo;
    }
    location /spooled/ {
        artifact_expand on;
        client_body_buffer_size 1k;
        proxy_pass http://echo;
    }
    location /stored/ {
        artifact_expand on;
        artifact_source /p/;
        proxy_pass http://echo;
    }
    location /derived/ {
        artifact;
        artifact_derive image text/markdown /p/png body;
        artifact_derive image text/plain /p/words body;
    }
    location /derived-get/ {
        artifact;
        artifact_derive image text/plain /cached/long;
    }
    location /derived-open/ {
        artifact;
        open_file_cache max=4;
        artifact_derive image text/plain /p/words?of=$artifact_version body;
    }
    location /derived-kept/ {
        artifact;
        open_file_cache max=4;
        open_file_cache_valid 1h;
        artifact_derive image text/plain /kept/x?of=$arg_of;
    }
    location /kept/ {
        proxy_cache c;
        proxy_cache_valid 200 1h;
        proxy_cache_key $arg_of;
        proxy_pass http://up/$arg_of;
    }
    location /derived-proxied/ {
        artifact_derive image text/plain /p/words;
        proxy_pass http://up/;
    }
    location /converted/ {
        artifact_expand on;
        artifact_language en;
        artifact_derive image text/plain /p/words?of=$artifact_version body;
        client_body_buffer_size 1k;
        proxy_pass http://echo;
    }
    location /converted-stored/ {
        artifact_expand on;
        artifact_source /p/;
        artifact_derive image text/plain /p/words body;
        proxy_pass http://echo;
    }
    location /message-derived {
        artifact_language en;
        artifact_derive image text/plain /p/words body;
        artifact_message;
    }
    location /argument/ {
        artifact_argument data;
        proxy_pass http://echo;
    }
    location /argument-url/ {
        artifact_argument url;
        artifact_url https://h/a/;
        artifact_source /p/;
        proxy_pass http://echo;
    }
    location /prompt/ {
        artifact_prompt on;
        proxy_pass http://echo;
    }
    location /message {
        artifact_language en;
        artifact_message;
    }
    location /extract/ {
        artifact_route off;
        artifact_extract strip;
        proxy_pass http://up/;
    }
    location /extract-on/ {
        artifact_route off;
        artifact_extract on;
        proxy_buffering off;
        proxy_pass http://up/;
    }
    location /levels/ {
        artifact;
        artifact_layout levels=2;
    }
    location = /mcp {
        artifact_mcp;
        artifact_language en;
        etag off;
    }
    location = /mcp-threads {
        artifact_mcp;
        artifact_language en;
        etag off;
        aio threads;
    }
    location = /mcp-kept {
        artifact_mcp;
        artifact_language en;
        etag off;
        open_file_cache max=1;
        open_file_cache_valid 1h;
    }
    location /offload-mcp/ {
        artifact_route off;
        artifact_format mcp;
        artifact_offload on;
        artifact_offload_min 1k;
        proxy_pass http://up/;
    }
    location /offload/ {
        artifact_route off;
        artifact_offload on;
        artifact_offload_min 1k;
        proxy_pass http://up/;
    }
    location /offload-threads/ {
        artifact_route off;
        artifact_offload on;
        artifact_offload_min 1k;
        aio threads;
        proxy_pass http://up/;
    }
    location /both/ {
        artifact_route off;
        artifact_offload on;
        artifact_offload_min 1k;
        artifact_extract strip;
        aio threads;
        proxy_pass http://up/;
    }
    location /files {
        artifact_files;
        artifact_expires 1h;
    }
    location /files-threads {
        artifact_files;
        aio threads;
    }
    location /signed/ {
        artifact;
        artifact_route off;
        artifact_sign_key url.keys scope=$host;
        artifact_signed on;
    }
    location /texts/ {
        artifact_expand on;
        artifact_offload_text 4k head=256 tail=256;
        proxy_pass http://echo;
    }
    location /front/ {
        artifact_offload_request on;
        artifact_offload_min 1k;
        artifact_offload_text 4k head=256 tail=256;
        aio threads;
        proxy_pass http://echo;
    }
    location /texts-mcp/ {
        artifact_route off;
        artifact_format mcp;
        artifact_offload_text 4k head=256 tail=256;
        proxy_pass http://up/;
    }
    location /delivery/ {
        artifact_expand on;
        artifact_delivery url;
        artifact_url https://h/a/;
        artifact_sign_key url.keys scope=$host;
        artifact_sign_ttl 10y;
        proxy_pass http://echo;
    }
    location /status {
        artifact_status;
    }
    location /requests {
        artifact_requests;
    }
    location /inspector/ {
        artifact_inspector;
    }
SERVER
$t->allow(qr/malloc|memalign|mmap|alloc|memory|Cannot allocate/i);

my @SEES = ('X-LLM-Capabilities' => 'text, vision, file');
my @TEXT = ('X-LLM-Capabilities' => 'text');
my $chat = encode_json_bytes({ model => 's1', messages => [
    { role => 'user', content => [
        { type => 'image_url', image_url => { url => 'artifact:png' } },
        { type => 'text', text => 'artifact:text' },
        { type => 'image_url', image_url => { url => 'artifact:nope' } },
    ] } ] });
my $message = encode_json_bytes({ service => 's1', payload => {
    text => 'see', attachments => [map { "artifact:$_" } qw(png text nope)],
} });
IO::Compress::Gzip::gzip(\$chat => \my $coded);

# a call of a tool, and one that is refused

my ($call, $refused) = map { '{"jsonrpc":"2.0","method":"tools/call","params":'
    . '{"name":"t","arguments":{"x":["artifact:png","[artifact:text]",'
    . qq("$_","artifact:png"]}},"id":1}) } 'y', 'artifact:nope';

# RFC 8878: one raw block

my $zstd = "\x28\xb5\x2f\xfd" . pack('CV', 0xa0, length $chat)
    . substr(pack('V', 1 | length($chat) << 3), 0, 3) . $chat;

# several sources, some of them twice, and what no model takes

my $many = encode_json_bytes({ model => 's2', messages => [
    map({ { role => 'user', content => [
        { type => 'image_url', image_url => { url => "artifact:$_" } },
        { type => 'artifact', artifact => "artifact:$_" },
        { type => 'file', file => { filename => 'a.zip', file_data =>
            'data:application/zip;base64,' . b64('PK' x 40) } },
        { type => 'image_url', image_url => { url => 'artifact:a b' } },
    ] } } qw(png text nope json)),
    { role => 'tool', tool_call_id => 'c', content => 'artifact:png' },
] });
my $turns = encode_json_bytes({ model => 's1', system => [
    { type => 'artifact', artifact => 'artifact:text' } ], messages => [
    { role => 'user', content => [{ type => 'tool_result', tool_use_id => 'c',
        content => 'artifact:png' },
        { type => 'document', source => { type => 'base64',
            media_type => 'application/x-odd', data => 'AAAA' } }] } ] });

my $tiff = 'data:image/tiff;base64,' . b64("II*\0\x08\0\0\0" . 't' x 3000);
my $own = encode_json_bytes({ model => 's2', messages => [
    { role => 'user', content => [
        { type => 'artifact', artifact => 'artifact:png' },
        { type => 'image_url', image_url => { url => $tiff } },
        { type => 'artifact', artifact => 'artifact:text' },
        { type => 'artifact', artifact => 'artifact:png' } ] } ] });
my $stored = encode_json_bytes({ model => 's2', messages => [
    { role => 'user', content => [
        { type => 'artifact', artifact => 'artifact:png' } ] } ] });

my $shot = b64($png . rand_bytes(3000));
my $read = encode_json_bytes({ model => 's2', messages => [
    { role => 'assistant', tool_calls => [{ id => 'c', type => 'function',
        function => { name => 'get', arguments => '{}' } }] },
    { role => 'tool', tool_call_id => 'c', content => $text } ],
    tools => [{ type => 'function', function => { name => 'read_artifact' } }] });
my $front = $read =~ s/(?<="messages":\[)/{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image\/png;base64,$shot"}}]},/r;

# media that the store has, which are not saved as they come in

my @known = map { b64($png . rand_bytes(120_000)) } 1, 2;
my $known = encode_json_bytes({ model => 's2', messages => [map { {
    role => 'user', content => [{ type => 'image_url', image_url => {
        url => "data:image/png;base64,$_" } }] } } @known] });

# What is sent, where it is the same each time; and what an answer may be but
# the usual one.

sub tool {
    my ($name, %arguments) = @_;
    return encode_json_bytes({ jsonrpc => '2.0', id => 1,
        method => 'tools/call',
        params => { name => $name, arguments => \%arguments } });
}

my $boundary = 'of-a-form';
my $form = join("\r\n", "--$boundary",
    'Content-Disposition: form-data; name="file"; filename="a.txt"',
    'Content-Type: text/plain', '', "words\n" x 9000, "--$boundary",
    'Content-Disposition: form-data; name="purpose"', '', 'user_data',
    "--$boundary--", '');
my %type = map { $_ => "multipart/form-data; boundary=$boundary" }
    qw(files-upload files-upload-threads);

my @written = (workspace => 'w',
               base64 => b64(substr $png x 999, 0, 99_999));

my %body = (expand => $chat, 'expand-coded' => $coded, 'expand-file' => $chat,
            'expand-proxied' => $chat, prompt => $chat, message => $message,
            'expand-deflate' => Compress::Zlib::compress($chat),
            'expand-zstd' => $zstd, 'expand-many' => $many,
            'expand-turns' => $turns, converted => $own,
            'converted-stored' => $stored, 'message-derived' => $message,
            'front-known' => $known, 'front-kept' => "$known x",
            texts => $read, front => $front, 'texts-mcp' => '{}',
            argument => $call, 'argument-url' => $call,
            'argument-refused' => $refused,
            (map { ("mcp-$_" => tool('write_file', @written, path => $_)) }
                qw(write write-threads)),
            (map { $_ => $form } keys %type), delivery => $chat,
            'mcp-save' => tool('save_artifact', @written[2, 3], name => 'n'),
            'mcp-kept' => tool('read_artifact', ref => 'json'),
            'mcp-read' => tool('read_artifact', ref => 'png'),
            'mcp-lines' => tool('read_artifact', ref => 'text',
                                lines => '2-'),
            'mcp-delete' => tool('delete_file', workspace => 'w',
                                 path => 'delete'),
            (map { ("message-$_" => $message) } qw(openai anthropic gemini)),
            map { $_ => '{}' } qw(extract extract-on extract-stream
                extract-responses offload offload-stream offload-threads
                offload-mcp offload-part offload-parts both both-stream),
            map { ("extract-$_", "extract-stream-$_") } qw(openai_responses
                anthropic gemini bedrock));
my %other = (map({ $_ => qr/\Q$made\E/ } qw(offload offload-stream
               offload-threads)),
             map({ $_ => qr/\Q$inline\E/ } qw(offload-part offload-parts
               both both-stream)),
             'offload-mcp' => qr/\Q$blocks\E/,
             'texts-mcp' => qr/(?:words and \\"more\\"\\n){900}/,
             texts => qr/(?:words and \\"more\\"\\n){900}/,
             'front-known' => qr/\Q$known[0]\E|\Q$known[1]\E/,
             front => qr/\Q$shot\E|(?:words and \\"more\\"\\n){900}/,
             map({ $_ => qr/"code":-32603/ } qw(argument argument-url
                 argument-refused)),
             map({ ("mcp-$_" => qr/"isError":true/) } qw(write write-threads
                 save delete kept read lines)),
             map({ $_ => qr/could not be read/ } qw(message message-openai
                 message-derived message-anthropic message-gemini)));

my %scenario = (
    (map { my $format = $_; ("format-$format" =>
        [GET => "/artifacts/png?format=$format&tool_call_id=x", @SEES]) }
        qw(route object tool_message openai openai_responses anthropic gemini
           bedrock mistral openrouter mcp)),
    'json-object' => [GET => '/artifacts/json?format=object', @SEES],
    described => [GET => '/artifacts/png', 'X-LLM-Service' => 's2'],
    text => [GET => '/artifacts/text', @TEXT],
    raw => [GET => '/artifacts/text'],
    range => [GET => '/artifacts/text', Range => 'bytes=5-20'],
    head => [HEAD => '/artifacts/png', @SEES],
    open => [GET => '/open/png', @SEES],
    workspace => [GET => '/workspaces/w/f1', @TEXT],
    metadata => [GET => '/artifacts/text/metadata'],
    'workspace-metadata' => [GET => '/artifacts/' . ws_id('w', 'f2')
                             . '/metadata'],
    listing => [GET => '/workspaces/w/'],
    'listing-threads' => [GET => '/threads/w/'],
    artifacts => [GET => '/artifacts/'],
    services => [GET => '/services/?capability=vision'],
    service => [GET => '/services/s1/capabilities'],
    missing => [GET => '/artifacts/nope'],
    malformed => [GET => '/artifacts/ws:w:%2b'],
    'error-page' => [GET => '/page/nope', @TEXT],
    proxied => [GET => '/p/png', @SEES],
    'proxied-raw' => [GET => '/p/text'],
    'proxied-text' => [GET => '/p/text', @TEXT],
    unbuffered => [GET => '/unbuffered/text', @TEXT],
    cached => [GET => '/cached/png', @SEES],
    decoded => [GET => '/decode/png', @SEES],
    'decoded-missing' => [GET => '/decode/nope', @SEES],
    encoded => [GET => '/p/png?header=Content-Encoding:x', @SEES],
    broken => [GET => '/p/png?cut=100', @SEES],
    put => [PUT => '/workspaces/w/put'],
    'put-threads' => [PUT => '/threads/w/put'],
    'put-new' => [PUT => '/workspaces/new/put'],
    post => [POST => '/artifacts/?name=a.txt'],
    delete => [DELETE => '/workspaces/w/deleted'],
    expand => [POST => '/expand/v1/chat/completions'],
    'expand-coded' => [POST => '/expand/v1/chat/completions',
                       'Content-Encoding' => 'gzip'],
    'expand-file' => [POST => '/spooled/v1/chat/completions'],
    'expand-proxied' => [POST => '/stored/v1/chat/completions'],
    'expand-deflate' => [POST => '/expand/v1/chat/completions',
                         'Content-Encoding' => 'deflate'],
    'expand-zstd' => [POST => '/expand/v1/chat/completions',
                      'Content-Encoding' => 'zstd'],
    'expand-many' => [POST => '/expand/v1/chat/completions'],
    'expand-turns' => [POST => '/expand/v1/messages'],
    argument => [POST => '/argument/mcp'],
    'argument-url' => [POST => '/argument-url/mcp'],
    'argument-refused' => [POST => '/argument/mcp'],
    derived => [GET => '/derived/png', @TEXT],
    'derived-get' => [GET => '/derived-get/png', @TEXT],
    'derived-open' => [GET => '/derived-open/png', @TEXT],
    'derived-kept' => [GET => '/derived-kept/png?of=words', @TEXT],
    'derived-keep' => [GET => '/derived-kept/png?of=words', @TEXT],
    'derived-proxied' => [GET => '/derived-proxied/png', @TEXT],
    converted => [POST => '/converted/v1/chat/completions'],
    'converted-stored' => [POST => '/converted-stored/v1/chat/completions'],
    'message-derived' => [POST => '/message-derived?format=openai', @TEXT],
    prompt => [POST => '/prompt/v1/chat/completions'],
    message => [POST => '/message'],
    (map { ("message-$_" => [POST => "/message?format=$_"]) }
        qw(openai anthropic gemini)),
    extract => [POST => '/extract/v1/chat/completions'],
    'extract-on' => [POST => '/extract-on/stream/v1/chat/completions'],
    (map { ("extract-stream-$_" =>
        [POST => '/extract/stream' . answer_path($_)]) }
        qw(openai_responses anthropic gemini)),
    (map { ("extract-$_" => [POST => '/extract/json' . answer_path($_)]) }
        qw(openai_responses anthropic bedrock)),
    'extract-stream' => [POST => '/extract/stream/v1/chat/completions'],
    'extract-responses' => [POST => '/extract/stream/v1/responses'
                            . '?frame=chunked&step=997'],
    texts => [POST => '/texts/v1/chat/completions'],
    (map { $_ => [POST => '/front/v1/chat/completions'] }
        qw(front front-known front-kept)),
    'texts-mcp' => [POST => '/texts-mcp/text-mcp'],
    offload => [POST => '/offload/images/generations'],
    'offload-stream' => [POST => '/offload/images/edits'],
    'offload-threads' => [POST => '/offload-threads/images/generations'],
    'offload-mcp' => [POST => '/offload-mcp/mcp'],
    'offload-part' => [POST => '/offload/v1/m:generateContent'],
    'offload-parts' => [POST => '/offload/v1/m:streamGenerateContent'],
    both => [POST => '/both/v1/m:generateContent'],
    'both-stream' => [POST => '/both/v1/m:streamGenerateContent'],
    status => [HEAD => '/status'],
    'status-text' => [GET => '/status'],
    'status-json' => [GET => '/status?format=json'],
    requests => [GET => '/requests?limit=3&reason=sent'],
    inspector => [GET => '/inspector/'],
    (map { ("inspector-$_" => [GET => "/inspector/$_"]) }
        qw(inspector.js inspector.css paths.json nope)),
    levels => [GET => '/levels/png', @SEES],
    'levels-missing' => [GET => '/levels/nope', @SEES],
    'levels-listing' => [GET => '/levels/'],
    'levels-post' => [POST => '/levels/?name=a.txt'],
    'put-ahead' => [PUT => '/workspaces/w/ahead'],
    'mcp-write' => [POST => '/mcp'],
    'mcp-write-threads' => [POST => '/mcp-threads'],
    'mcp-save' => [POST => '/mcp'],
    'mcp-kept' => [POST => '/mcp-kept'],
    'mcp-read' => [POST => '/mcp', @SEES],
    'mcp-lines' => [POST => '/mcp'],
    'mcp-delete' => [POST => '/mcp'],
    (map { ("files-upload$_" => [POST => "/files$_"],
            "files-list$_" => [GET => "/files$_?limit=2&purpose=user_data"],
            "files-one$_" => [GET => "/files$_"],
            "files-content$_" => [GET => "/files$_"],
            "files-delete$_" => [DELETE => "/files$_"]) } '', '-threads'),
    signed => [GET => '/signed/text?' . signed($key, '127.0.0.1', 'text',
                                               time + 86_400)],
    delivery => [POST => '/delivery/v1/chat/completions'],
);

my @names = @ARGV ? @ARGV : sort keys %scenario;
my $MOST = 2000;
my ($worker) = $t->workers;
my $aged = 0;


sub fail_at {
    my ($n) = @_;
    open my $fh, '+<', $shared or die "$shared: $!";
    syswrite $fh, pack 'q q', $n, 0;
}


sub counted {
    open my $fh, '<', $shared or die "$shared: $!";
    sysread $fh, my $bytes, 16;
    return (unpack 'q q', $bytes)[1];
}


sub fds {
    my @fds = glob "/proc/$worker/fd/*";
    return scalar @fds;
}


sub body {
    return sprintf "body %04d of %s\n", reverse @_;
}


# The same request again and again, of writes with another body each.

sub request {
    my ($name, $n) = @_;
    my ($method, $uri, @headers) = @{ $scenario{$name} };
    my %opt = (may_break => 1, timeout => 10);
    if ($method =~ /PUT|POST/) {
        $opt{body} = $body{$name} // body($name, $n);
        push @headers, 'X-Agent-Id' => 'me', 'Content-Type' =>
            $type{$name} // ($body{$name} ? 'application/json' : "text/x-$n");
    }
    return $t->req($method, $uri, %opt, headers => \@headers);
}


# Without what differs from one time to the next.

sub normal {
    my ($res) = @_;
    my $body = $res->body;
    $body =~ s/"(?:artifactRef|id)":"[^"]*"//g;
    $body =~ s/"\w+At":"[^"]*"|"\w+_at":\d+//g;
    $body =~ s/\bfile-art-\w+//g;
    $body =~ s/\d{4}-\d\d-\d\dT[\d:.]+Z//g;
    $body =~ s/,\\"metadata\\":\\"failed\\"//;
    $body =~ s/\b[0-9a-f]{8}-[0-9a-f-]{27}\b//g;
    $body =~ s/text\\?\/x-\d+//g;
    $body =~ s/,"metadata":"failed"//;
    $body =~ s/\d+/0/g if $body =~ /artifact_requests_total/;
    return "$res->{status} $body";
}


# A deletion needs something to delete, a put that is the first one nothing,
# nor does what is written only once (ids of version 8).  An open content takes
# the place of the one that an answer is to be kept with.
# What is younger than two seconds is not cached: all of it is read again.

sub prepare {
    my ($name) = @_;
    my $data = $t->data;
    utime undef, undef, glob "$data/artifacts/* $data/workspaces/*";
    if ($name =~ /^put(-threads)?$/) {
        put($t, 'w/put', 'x');
    } elsif ($name eq 'put-ahead') {
        put($t, 'w/ahead', 'x');
        utime 2_000_000_000, 2_000_000_000, "$data/workspaces/w/ahead";
    } elsif ($name eq 'mcp-kept') {
        utime 1_600_000_000, 1_600_000_000, glob "$data/artifacts/*";
        $t->req('POST', '/mcp-kept',
                headers => ['Content-Type' => 'application/json'],
                body => tool('read_artifact', ref => 'png'));
    } elsif ($name =~ /^derived-ke/) {

        # files of nginx's cache that are old enough; one form replaces another

        $t->req('GET', "/derived-kept/png?of=$_", headers => [@TEXT])
            for qw(words others);
        sleep 2.1 if !$aged++;
        $t->req('GET', '/derived-kept/png?of='
                . ($name eq 'derived-keep' ? 'others' : 'words'),
                headers => [@TEXT]);
    } elsif ($name eq 'mcp-delete') {
        put($t, 'w/delete', 'x')->{status} =~ /^20/ or return 'cannot put';
    } elsif ($name =~ /^mcp-(write.*)/) {
        put($t, "w/$1", 'x');
    } elsif ($name =~ /^files-(upload|list|one|content|delete)(.*)/) {
        file_for($1, "/files$2", $scenario{$name});
    } elsif ($name eq 'delete') {
        put($t, 'w/deleted', 'x')->{status} =~ /^20/ or return 'cannot put';
    } elsif ($name eq 'put-new') {
        $t->req('DELETE', '/workspaces/new/put');
        system 'rm', '-rf', $t->data . '/workspaces/new';
    } elsif ($name =~ /^(?:offload|both)/) {
        unlink glob "$data/artifacts/*-*-8*-*-*.*";
    }
    return;
}


# There are three files, and one of them is asked for by its id.

sub file_for {
    my ($what, $at, $scenario) = @_;
    my @all = @{ json_of($t->get($at))->{data} };
    while (@all < 3) {
        push @all, json_of($t->req('POST', $at, body => $form, headers => [
            'Content-Type' => $type{'files-upload'}]));
    }
    $scenario->[1] = "$at/$all[0]{id}" . ($what eq 'content' ? '/content' : '')
        if $what !~ /upload|list/;
}


# What is wrong with the disk after a write that may have failed.

sub disk_problems {
    my ($name, $n, $res, $had) = @_;
    my ($method, $uri) = @{ $scenario{$name} };
    return if $method !~ /PUT|DELETE/ || $name =~ /^files/;

    my $file = $t->data . $uri =~ s{/threads}{/workspaces}r;
    my $is = -e $file ? slurp($file) : undef;
    my $want = $method eq 'PUT' ? body($name, $n) : undef;
    my $done = $res->{complete} && $res->{status} =~ /^20/;
    my ($new, $old) = map { ($_ // 'none') eq ($is // 'none') } $want, $had;
    return 'not done' if $done && !$new;
    return 'neither old nor new: ' . ($is // 'nothing') if !$new && !$old;
    return;
}


sub scenario {
    my ($name) = @_;
    my ($method, $uri) = @{ $scenario{$name} };
    my ($most, @wrong) = (0);

    prepare($name);
    my $want = normal(request($name, 0));
    my $fds = fds();

    for my $n (1 .. $MOST) {
        my $why = prepare($name);
        push @wrong, "$n: $why" if $why;
        my $file = $t->data . $uri =~ s{/threads}{/workspaces}r;
        my $had = $method =~ /PUT|DELETE/ && -e $file ? slurp($file) : undef;

        fail_at($n);
        my $res = eval { request($name, $n) }
            || { status => 0, complete => 0, body => '' };
        my $count = counted();
        fail_at(0);
        bless $res, 'ArtifactHTTP::Response';

        push @wrong, "$n: $res->{status} " . substr $res->body, 0, 100
            if $res->{complete} && $res->{status} < 500
               && normal($res) ne $want
               && !($other{$name} && $res->body =~ $other{$name});
        push @wrong, "$n: a 5xx with " . substr $res->body, 0, 100
            if $res->{complete} && $res->{status} >= 500
               && $method ne 'HEAD'
               && $res->body !~ /<html>|\A\{(?:"type":"error",)?"error":/;
        push @wrong, "$n: timeout" if ($res->{error} // '') eq 'timeout';
        push @wrong, map { "$n: $_" } disk_problems($name, $n, $res, $had);
        my ($now) = $t->workers;
        if (($now // 0) != $worker) {
            push @wrong, "$n: the worker died";
            $worker = $now if $now;
            $fds = fds();
        }
        $most = $n;
        last if $count < $n || @wrong > 5;
    }

    prepare($name);
    my $res = request($name, 0);
    push @wrong, "afterwards: $res->{status}" if normal($res) ne $want;
    until_true(sub { fds() <= $fds }, 5)
        or push @wrong, "descriptors: $fds, then " . fds();
    is(join("\n", @wrong), '', "$name: $most allocations");
}


scenario($_) for @names;

$_->stop for $up, $echo;
$t->finish;
