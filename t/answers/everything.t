#!/usr/bin/perl

# All that is done with a model's requests and answers, in one location, under
# nginx's hardest settings: byte by byte, with the smallest buffers, beside
# other filters, with slow clients, caches, and upstreams that break off at
# any byte.  What comes of it is what comes of the same in one piece.

use strict;
use warnings;

use Compress::Zlib ();
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactAnswers;
use ArtifactCurl;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new;
my @spare = map { ArtifactTest->new } 1 .. 2;
my ($slow_port, $h2_port) = map { $_->port } @spare;
my $dir = $t->prefix;
my $png = png(8, 8);
my $image = b64($png);

my $ID = '0190a5f0-1111-7222-8333-000000000001';
my $pasted = b64(png(16, 16));

$t->artifact($_, png(30, 30), { mimeType => 'image/png' }) for 'shot', $ID;


# --- answers: a block that is cut out, an image that becomes an artifact ----

my @pieces = ('Hi <arti', 'facts>[{"type":"text","content":"y"}]</arti',
              'facts>, bye');
my $data_url = qq({"type":"image_url","image_url":{"url":)
    . qq("data:image/png;base64,$image"}});
my $inline = qq({"inlineData":{"data":"$image","mimeType":"image/png"}});
my $block = qq({"data":"$image","mimeType":"image/png","type":"image"});
my $tool = qq({"jsonrpc":"2.0","id":1,"result":{"content":[$block,)
    . qq({"data":"$image","type":"chart"},{"type":"text","text":"$pasted."}]}});

my %path = (
    openai => 'v1/chat/completions', openai_responses => 'v1/responses',
    anthropic => 'v1/messages', gemini => 'v1/models/g:generateContent',
    mcp => 'mcp',
);
my (%answer, %request);

for my $api (sort keys %path) {
    my ($stream, $json) = ("data: $tool\n\n", $tool);

    if ($api ne 'mcp') {
        $stream = answer_stream($api, \@pieces);
        $json = answer_json($api, join '', @pieces);
    }
    $_ =~ s/"(content)":(".*?")(?=[,}])(?!.*bye)/"$1":$2,"images":[$data_url]/
        for $api eq 'openai' ? ($stream, $json) : ();
    $_ =~ s/(?=\{"text":".{0,3}facts>, bye|\{"text":"Hi)/$inline,/
        for $api eq 'gemini' ? ($stream, $json) : ();

    $answer{$api} = { sse => ['text/event-stream', $stream],
                      json => ['application/json', $json] };
}

my %part = (
    openai => '{"type":"image_url","image_url":{"url":"artifact:shot"}}',
    openai_responses => '{"type":"input_image","image_url":"artifact:shot"}',
    anthropic => '{"type":"image","source":{"type":"url","url":'
        . '"artifact:shot"}}',
    gemini => '{"fileData":{"fileUri":"artifact:shot"}}',
    mcp => '{"artifact":"artifact:shot"}',
);

# the result of a tool, with a marker and an image that was pasted

my $said = qq("see [artifact:$ID], and $pasted");
my %result = (
    openai => qq(,{"role":"tool","tool_call_id":"a","content":$said}),
    openai_responses => qq(,{"type":"function_call_output","call_id":"a",)
        . qq("output":$said}),
    anthropic => qq(,{"role":"user","content":[{"type":"tool_result",)
        . qq("tool_use_id":"a","content":$said}]}),
    gemini => qq(,{"role":"user","parts":[{"functionResponse":{"name":"f",)
        . qq("response":{"output":$said}}}]}),
    mcp => '',
);
for my $api (keys %part) {
    my ($list, $parts) = $api eq 'gemini' ? qw(contents parts)
        : ($api =~ /responses/ ? 'input' : 'messages', 'content');
    $request{$api} = qq({"model":"m","$list":[{"role":"user","$parts":)
        . qq([$part{$api}]}$result{$api}]});
}


# An upstream that keeps its connections: the query tells what it does; what it
# gets it keeps under "tag".

my $up = ArtifactUpstream->new("$dir/up", serve => sub {
    my ($sock) = @_;

    while (my ($head, $body) = read_request($sock)) {
        my ($path, $query) = $head =~ m{^\S+ /([^? ]*)\??(\S*)};
        my %arg = (frame => 'length', step => 65536, split /[&=]/, $query);
        my ($type, $text) = $arg{api} ? @{ $answer{$arg{api}}{$arg{kind}} }
            : ('text/plain', "words \"in\" lines\n" x 40);

        spew("$dir/got.$arg{tag}", $body) if $arg{tag};
        return if -e "$dir/down";

        my $cut = $arg{cut} // length $text;
        my $bytes = substr $text, 0, $cut;
        my %frame = (
            length => ['Content-Length: ' . length $text, $bytes],
            close => ['Connection: close', $bytes],
            chunked => ['Transfer-Encoding: chunked', join '', map {
                sprintf "%x\r\n%s\r\n", length, $_ } unpack '(a50)*', $bytes],
        );
        $frame{chunked}[1] .= "0\r\n\r\n" if !defined $arg{cut};
        my ($field, $sent) = @{ $frame{ $arg{frame} } };
        send_answer($sock, "HTTP/1.1 200 OK\r\nContent-Type: $type\r\n$field"
                    . "\r\n\r\n$sent", $arg{step});
        return if defined $arg{cut} || $arg{frame} eq 'close';
    }
});

my $tiny = 'proxy_buffer_size 1k; proxy_buffers 3 1k; '
    . 'proxy_busy_buffers_size 1k; output_buffers 1 1k; '
    . 'client_body_buffer_size 1k;';
my $gzip = 'gzip on; gzip_types *; gzip_min_length 1; gunzip on;';
my $beside = 'ssi on; ssi_types *; sub_filter ~~~ x; '
    . 'sub_filter_types *; sub_filter_once off;';
my $cache = 'proxy_cache c; proxy_cache_methods GET POST; proxy_cache_valid '
    . '200 1s; proxy_cache_use_stale error; '
    . 'proxy_cache_key $uri$arg_api$arg_kind;';

my %way = (
    ref => '',
    tiny => "$tiny postpone_output 0;",
    late => "$tiny postpone_output 1460;",
    unbuffered => "$tiny postpone_output 0; proxy_buffering off;",
    threads => "$tiny aio threads; aio_write on; proxy_request_buffering off;",
    gzip => "$tiny $gzip",
    pressed => "$tiny $gzip proxy_buffering off; postpone_output 0;",
    beside => "$tiny $beside",
    around => "$tiny add_before_body /one; add_after_body /two; "
        . 'addition_types *;',
    inside => "$tiny $beside aio threads; proxy_buffering off; "
        . 'add_before_body /one; add_after_body /two; addition_types *;',
    rate => "$tiny limit_rate 20k;",
    cache => "$tiny $cache",
);

my %features = (
    all => 'artifact_expand on; artifact_prompt on; artifact_extract strip; '
        . 'artifact_offload on;',
    routed => 'artifact_route always;',
);

my $locations = join '', map {
    my $feature = $_;
    map { <<"LOCATION" } sort keys %way;
    location /$feature/$_/ {
        $features{$feature}
        $way{$_}
        proxy_pass http://up/;
    }
LOCATION
} sort keys %features;

my $common = <<"SERVER";
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    location = /one {
        return 200 "ONE\\n";
    }
    location = /two {
        return 200 "TWO\\n";
    }
    location /artifacts/ {
        internal;
        artifact;
    }
    $locations
SERVER

$t->start(server => $common, http => <<"HTTP");
    artifact_root %%DATA%%;
    artifact_accept "text, vision";
    artifact_offload_min 64;
    proxy_cache_path $dir/cache keys_zone=c:1m;
    upstream up {
        server unix:$dir/up max_fails=0;
        keepalive 4;
    }
    server {
        listen 127.0.0.1:$slow_port sndbuf=4096;
        $common
    }
    server {
        listen 127.0.0.1:$h2_port http2;
        http2_chunk_size 200;
        $common
    }
HTTP


# --- what comes of a request -------------------------------------------------

# Artifacts have other names each time.

sub same {
    my ($body) = @_;
    return $body =~ s/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/?/gr;
}


sub plain {
    my ($res) = @_;

    return $res->body if ($res->header('Content-Encoding') // '') ne 'gzip';
    my ($z) = Compress::Zlib::inflateInit(
        -WindowBits => Compress::Zlib::WANT_GZIP());
    return ($z->inflate(my $bytes = $res->body))[0] // '';
}


# bytewise: the request comes byte by byte; pace: see ArtifactHTTP

sub ask {
    my ($uri, $body, %opt) = @_;

    my @headers = ('Content-Type' => 'application/json');
    push @headers, 'Accept-Encoding' => 'gzip' if $uri =~ /gzip|press/;

    my $client = $opt{client}
        || ArtifactHTTP->new($opt{port} || $t->port, timeout => 15,
                             rcvbuf => $opt{rcvbuf});
    my $method = defined $body ? 'POST' : 'GET';
    my $bytes = ArtifactHTTP::format_request($method, $uri, keep => 1,
                                             headers => \@headers,
                                             body => $body);
    $client->send($_) for $opt{bytewise} ? split(//, $bytes) : $bytes;

    my $res = $client->response($method, pace => $opt{pace});
    $res->{hangs} = ($client->{error} // '') eq 'timeout';
    $res->{closed} = $client->{eof};
    return $res;
}


sub wanted {
    my ($way, $body) = @_;
    return $way =~ /around|inside/ ? "ONE\n${body}TWO\n" : $body;
}


my %want;

for my $api (sort keys %path) {
    for my $kind ('sse', 'json') {
        my $args = "$path{$api}?api=$api&kind=$kind&tag=";
        my $res = ask("/all/ref/${args}ref", $request{$api});
        my $want = $want{$api}{$kind} = same($res->body);
        my $sent = slurp("$dir/got.ref");
        my $raw = $answer{$api}{$kind}[1];

        # the features do what they are to do, or the rest proves nothing

        ok($res->{complete} && $want ne $raw,
           "$api $kind: an answer that is another one");
        ok($api eq 'mcp' || $want !~ /facts>/ && $want =~ /"artifacts":\[/,
           "$api $kind: the block is out of it") or diag($want);
        is(() = $want =~ /artifact:\?/g,
           $api eq 'mcp' ? 2 : $api =~ /openai$|gemini/ ? 1 : 0,
           "$api $kind: and the image") or diag($want);
        ok($api eq 'mcp' ? $sent eq $request{$api}
           : $sent =~ /<artifacts>/ && 3 == (() = $sent =~ /iVBORw0KGgo/g)
             && index($sent, "and [image/png, ") > 0,
           "$api $kind: a request with its images") or diag($sent);

        my @wrong;
        my $client = ArtifactHTTP->new($t->port, timeout => 15);

        for my $way (sort grep { $_ ne 'ref' } keys %way) {
            next if $way eq 'rate' && $api ne 'openai';

            for my $how ('frame=chunked', 'frame=length&step=1',
                         'frame=close&step=7')
            {
                unlink "$dir/got.$way";
                $res = ask("/all/$way/$args$way&$how", $request{$api},
                           client => $client,
                           bytewise => scalar $how =~ /step=1$/);
                push @wrong, "$way $how: $res->{status}, "
                    . length($res->body) . ', ' . ($res->{complete} // 0)
                    if !$res->{complete}
                    || same(plain($res)) ne wanted($way, $want);
                push @wrong, "$way $how: another request" if $way ne 'cache'
                    && slurp("$dir/got.$way") ne $sent;

                $client = ArtifactHTTP->new($t->port, timeout => 15)
                    if !$res->{complete} || $client->{eof};
            }
        }
        is("@wrong[0 .. ($#wrong > 3 ? 3 : $#wrong)]", '',
           "$api $kind: every setting");

        # a client that is slow, and one that speaks HTTP/2

        @wrong = ();
        for my $way (qw(tiny unbuffered pressed inside)) {
            $res = ask("/all/$way/${args}x&step=100", $request{$api},
                       port => $slow_port, rcvbuf => 2048,
                       pace => [600, 0.001]);
            push @wrong, "$way: slow" if !$res->{complete}
                || same(plain($res)) ne wanted($way, $want);
        }
        for my $way (curl_features('HTTP2') ? qw(tiny unbuffered around) : ()) {
            $res = curl($dir, '--http2-prior-knowledge', '-d', $request{$api},
                        '-H', 'Content-Type: application/json',
                        "http://127.0.0.1:$h2_port/all/$way/${args}x"
                        . '&step=100');
            push @wrong, "$way: HTTP/2" if !$res->{complete}
                || same($res->body) ne wanted($way, $want);
        }
        is("@wrong", '', "$api $kind: slow, and HTTP/2");
    }
}


# --- upstreams that break off ------------------------------------------------

# What comes is what would come of as much of an answer that is whole; and that
# it is not whole shows.

for my $case (['mcp', 'json', 5], ['openai', 'sse', 17],
              ['openai', 'json', 13], ['gemini', 'json', 11],
              ['anthropic', 'sse', 29], ['openai_responses', 'sse', 71])
{
    my ($api, $kind, $step) = @$case;
    my $args = "$path{$api}?api=$api&kind=$kind";
    my $length = length $answer{$api}{$kind}[1];
    my @ways = (['tiny', 'chunked'], ['unbuffered', 'length'],
                ['pressed', 'chunked'], ['inside', 'length'],
                ['threads', 'length']);
    my @wrong;

    for (my $cut = 0; $cut < $length; $cut += $step) {
        my ($way, $frame) = @{ $ways[$cut / $step % @ways] };

        my $want = same(ask("/all/ref/$args&frame=close&cut=$cut",
                            $request{$api})->body);
        my $res = ask("/all/$way/$args&frame=$frame&cut=$cut",
                      $request{$api});
        my $got = same(plain($res));
        my $front = $way eq 'inside' ? "ONE\n" : '';

        push @wrong, "$cut $way $frame: " . ($res->{hangs} ? 'it hangs'
            : $res->{complete} ? 'it is whole' : 'it stays open')
            if $res->{complete} || $res->{hangs} || !$res->{closed};

        # what may begin an include is SSI's, which drops it

        $want =~ s/<\z// if $way eq 'inside';
        push @wrong, "$cut $way $frame: " . length($got) . ' of '
            . length($front . $want)
            if $got ne $front . $want && !($got eq '' && $cut == 0);
    }
    is(join("\n", splice @wrong, 0, 4), '', "$api $kind: cut anywhere");
}


# --- caches ------------------------------------------------------------------

my $args = "$path{openai}?api=openai&kind=json";
for my $turn ('hit', 'stale') {
    if ($turn eq 'stale') {
        spew("$dir/down", '');
        sleep 2.1;
    }
    my $res = ask("/all/cache/$args&step=1", $request{openai});
    is(same($res->body), $want{openai}{json}, "a cached answer: $turn");
}
unlink "$dir/down";


# --- routed ------------------------------------------------------------------

my $text = "words \"in\" lines\n" x 40;
my $client = ArtifactHTTP->new($t->port, timeout => 15);
my @wrong;

for my $way (sort keys %way) {

    for my $how ('', 'frame=chunked&step=1', 'frame=close&step=7', 'step=1') {
        my $res = ask("/routed/$way/text?$how", undef, client => $client);
        my $got = $res->{complete} ? decode_strict(plain($res)) : {};
        push @wrong, "$way $how: " . substr plain($res), 0, 60
            if ($got->{content} // '') ne wanted($way, $text);
        $client = ArtifactHTTP->new($t->port, timeout => 15)
            if !$res->{complete} || $client->{eof};
    }

    next if $way eq 'cache';

    for (my $cut = 0; $cut < 640; $cut += 97) {
        for my $frame ('length', 'chunked') {
            my $res = ask("/routed/$way/text?frame=$frame&cut=$cut&step=100",
                          undef);
            push @wrong, "$way $frame $cut: $res->{status}"
                if $res->{hangs}
                || $res->{complete} && $res->status == 200;
        }
    }
}
is(join("\n", splice @wrong, 0, 6), '', 'routed: every setting, cut anywhere');

$up->stop;
$t->finish;
