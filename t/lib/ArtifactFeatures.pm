package ArtifactFeatures;

# All features of the module in one server, with threads and caches, and for
# each a request that has much to do: several subrequests at once, conversions,
# long reads and writes.

use strict;
use warnings;

use Compress::Zlib qw(crc32);
use Exporter 'import';

use ArtifactCheck;
use ArtifactFiles;
use ArtifactFit;
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactMcp ();
use ArtifactUpstream;

our @EXPORT = qw(features_data features_requests features_server
                 features_upstreams);

my @IMAGE = map { tiff_of(9, 9, "number $_" . 'x' x 70_000) } 0 .. 11;
my $TEXT = join '', map { "line $_ of a long log\n" } 1 .. 30_000;
my $WRITTEN = substr $TEXT, 0, 100_000;


# Stores what the requests ask for.

sub features_data {
    my ($t) = @_;

    $t->artifact("t$_", $IMAGE[$_], { type => 'image/tiff' }) for 0 .. $#IMAGE;
    $t->artifact("s$_", "small $_", { type => 'text/plain' }) for 1 .. 300;
    $t->artifact('log', $TEXT, { type => 'text/plain' });
    $t->workspace_file('ws', "dir/f$_.txt", "of $_") for 1 .. 100;
}


# Converter, store, MCP server and model, below the prefix; "stop" ends each.

sub features_upstreams {
    my ($t) = @_;

    # an image of 300 KB, whole

    my $note = 'tEXt' . 'x' x 300_000;
    my $png = substr(png(2, 2), 0, -12) . pack('N', 300_000) . $note
        . pack('N', crc32($note)) . substr png(2, 2), -12;
    my $block = '{"type":"image","mimeType":"image/png","data":"' . b64($png)
        . '"}';
    my $answer = qq({"jsonrpc":"2.0","id":1,"result":)
        . qq({"content":[$block,$block]}});

    return (echoed($t), ArtifactUpstream->new($t->prefix . '/up', contents => {
        jpeg => { body => jpeg_of(8, 8, 'x' x 200_000), type => 'image/jpeg' },
        (map { ("t$_" => { body => $IMAGE[$_], type => 'image/tiff' }) }
         0 .. $#IMAGE),
        mcp => { body => $answer, type => 'application/json' },
        'sse/mcp' => { body => "event: message\ndata: $answer\n\n",
                       type => 'text/event-stream' } }));
}


# Directives of http, and of a server.  Of readers, "sees" and "reads" have to
# be known.

sub features_server {
    my ($t) = @_;

    my ($http, $server) = (<<'HTTP', <<'SERVER');
    proxy_cache_path %%PREFIX%%/kept keys_zone=kept:1m;
HTTP
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_index on;
    artifact_sync off;
    artifact_offload_min 1k;
    client_max_body_size 64m;
    client_body_buffer_size 16k;
    aio threads;

    location /artifacts/ {
        artifact;
        artifact_write on;
    }
    location /workspaces/ {
        artifact_workspace;
        artifact_write on;
    }
    location /routed/ {
        artifact;
        artifact_route on;
        artifact_service reads;
        artifact_derive image/tiff text/plain /conv/jpeg body;
        artifact_derive image/tiff text/plain /conv/text body;
    }
    location /conv/ {
        internal;
        rewrite ^ /jpeg break;
        proxy_pass http://unix:%%PREFIX%%/up:;
        proxy_cache kept;
        proxy_cache_methods POST;
        proxy_cache_key $artifact_version$uri;
        proxy_cache_valid 200 404 30d;
        proxy_cache_lock on;
    }
    location /store/ {
        internal;
        rewrite ^/store/(.*) /$1 break;
        proxy_pass http://unix:%%PREFIX%%/up:;
        proxy_cache kept;
        proxy_cache_key store$uri;
        proxy_cache_valid 200 404 30d;
    }
    location /v1/ {
        artifact_expand on;
        artifact_derive image/tiff image/jpeg /conv/jpeg body;
        proxy_pass http://unix:%%PREFIX%%/echo:;
        location /v1/store/ {
            artifact_expand on;
            artifact_source /store/;
            artifact_derive image/tiff image/jpeg /conv/jpeg body;
            proxy_pass http://unix:%%PREFIX%%/echo:;
        }
    }
    location = /message {
        artifact_message;
        artifact_service sees;
        artifact_derive image/tiff image/jpeg /conv/jpeg body;
    }
    location /offload/ {
        artifact_offload on;
        proxy_pass http://unix:%%PREFIX%%/up:/;
        location /offload/sse/ {
            artifact_offload on;
            proxy_buffering off;
            proxy_pass http://unix:%%PREFIX%%/up:/sse/;
        }
    }
    location = /mcp {
        artifact_mcp;
        artifact_service sees;
        artifact_write on;
        artifact_derive image/tiff image/jpeg /conv/jpeg body;
    }
    location /files {
        artifact_files;
    }
    location = /ssi {
        ssi on;
        ssi_types *;
        return 200 '<!--# include virtual="/routed/t1" --><!--# include
 virtual="/artifacts/" --><!--# include virtual="/routed/t2" -->';
    }
SERVER
    for ($http, $server) {
        s/%%PREFIX%%/$t->prefix/ge;
        s/%%DATA%%/$t->data/ge;
    }
    return ($http, $server);
}


# Pairs of a name and the bytes of a request.

sub features_requests {
    my $form = form(['purpose', 'user_data'],
                    ['file', $WRITTEN, 'log.txt', 'text/plain']);

    return (
        'expansion' => _expansion(0, '/v1/chat/completions'),
        'expansion of own media' => _expansion(1, '/v1/chat/completions'),
        'expansion, proxied' => _expansion(0, '/v1/store/chat/completions'),
        'message' => _post('/message?format=openai', encode_json_bytes(
            { text => 'see', attachments =>
              [map { "artifact:t$_" } 0 .. $#IMAGE] }),
            'Content-Type' => 'application/json'),
        'converted answer' => _get('/routed/t3'),
        'included answers' => _get('/ssi'),
        'large answer' => _get('/artifacts/log'),
        'list' => _get('/artifacts/'),
        'tree' => _get('/workspaces/ws/?recursive=true'),
        'write' => "PUT /workspaces/ws/put.txt HTTP/1.1\r\nHost: localhost\r\n"
            . "Content-Type: text/plain\r\nConnection: close\r\n"
            . 'Content-Length: ' . length($WRITTEN) . "\r\n\r\n$WRITTEN",
        'upload' => form_head('/files', length $form) . $form,
        'files' => _get('/files'),
        'offload' => _post('/offload/mcp', '{"jsonrpc":"2.0"}',
                           'Content-Type' => 'application/json'),
        'offload, stream' => _post('/offload/sse/mcp', '{"jsonrpc":"2.0"}',
                                   'Content-Type' => 'application/json'),
        'MCP: image' => _mcp('read_artifact', ref => 'artifact:t5'),
        'MCP: lines' => _mcp('read_artifact', ref => 'artifact:log',
                             grep => '777'),
        'MCP: list' => _mcp('list_artifacts', limit => 200),
        'MCP: write' => _mcp('write_file', workspace => 'ws',
                             path => 'mcp.txt', content => $WRITTEN),
    );
}


sub _expansion {
    my ($own, $at) = @_;
    return _post($at, body_of('openai', 'sees', map {
        $own ? inline_part('openai', 'image', 'image/tiff', $IMAGE[$_])
             : slot('openai', 'image', "artifact:t$_") } 0 .. $#IMAGE),
        'Content-Type' => 'application/json');
}


sub _post {
    my ($at, $body, @headers) = @_;
    return ArtifactHTTP::format_request('POST', $at, body => $body,
                                        headers => \@headers);
}


sub _mcp {
    my ($tool, %args) = @_;
    my $params = { name => $tool, arguments => \%args };
    return _post('/mcp', ArtifactMcp::mcp_message('tools/call', $params),
                 ArtifactMcp::mcp_headers('tools/call', $params));
}


sub _get {
    return "GET $_[0] HTTP/1.1\r\nHost: localhost\r\n"
        . "Connection: close\r\n\r\n";
}


1;
