#!/usr/bin/perl

# Other dynamic modules around all that this one does, loaded before it and after
# it, alone and together: both orders give the same answers to the byte, and those
# are what a location without the other module answers, but for what that module
# was told to do.

use strict;
use warnings;
use utf8;

use Compress::Zlib qw(memGunzip);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactAnswers;
use ArtifactCurl;
use ArtifactFixtures;
use ArtifactModules;
use ArtifactTest;
use ArtifactUpstream;

# What each module does in a location.  "undo" looks whether it did, and takes it
# out of an answer again, or out of what is wanted what the module has to drop;
# "accept" is what tells the reader there; "only" are the requests whose answers
# can be told from those without the module.

my %neighbour = (
    brotli => {
        modules => ['brotli_filter'],
        conf => 'brotli on; brotli_min_length 1; brotli_types *;',
        undo => sub {
            my ($got, $want, $what) = @_;
            return unless $what =~ /, br$/ && $got->{status} == 200;
            is_header($got, 'content-encoding', 'br');
            $got->{header}{etag} =~ s{^W/}{} if $got->{header}{etag};
            lost($want, 'accept-ranges');
        },
    },

    subs => {
        modules => ['subs_filter'],
        conf => 'subs_filter WORDS words; subs_filter_types *;',
        undo => sub {
            my ($got, $want) = @_;
            $want->{body} =~ s/WORDS/words/g;
            lost($want, qw(last-modified accept-ranges))
                if $want->{status} == 200;
        },
        only => qr/^(?!local .*, a range, raw)/,
    },

    headers_more => {
        modules => ['headers_more_filter'],
        conf => 'more_set_headers "X-More: yes" "X-LLM-Service: none";
                 more_clear_headers X-Up Last-Modified;
                 more_set_input_headers "X-LLM-Capabilities: $arg_caps";',
        accept => '$http_x_llm_capabilities',
        undo => sub {
            my ($got, $want) = @_;
            is_header($got, 'x-more', 'yes');
            is_header($got, 'x-llm-service', 'none');
            lost($want, qw(last-modified x-up));
        },
    },

    lua => {
        modules => ['ndk', 'lua'],
        http => lua_path(),
        conf => 'access_by_lua_block {
                     ngx.req.read_body()
                     ngx.req.set_header("X-LLM-Capabilities", ngx.var.arg_caps)
                 }
                 header_filter_by_lua_block {
                     ngx.header["X-Lua"] = "yes"
                 }
                 body_filter_by_lua_block {
                     ngx.arg[1] = ngx.arg[1]
                 }',
        accept => '$http_x_llm_capabilities',
        undo => sub { is_header($_[0], 'x-lua', 'yes') },
    },

    js => {
        modules => ['js'],
        http => 'js_path %%PREFIX%%; js_import a from a.js;
                 js_set $js_caps a.caps;',
        conf => 'js_header_filter a.header;
                 js_body_filter a.body buffer_type=buffer;',
        accept => '$js_caps',
        undo => sub { is_header($_[0], 'x-js', 'yes') },
    },

    image_filter => {
        modules => ['image_filter'],
        conf => 'image_filter test;',
        undo => sub {
            my ($got, $want, $what) = @_;
            lost($want, 'accept-ranges', $what =~ /raw/ ? () : 'etag');
        },
        only => qr/ png, (?:raw|an image|gzip)/,
    },
);

# What is no image, image_filter refuses.

my @together = grep { $_ ne 'image_filter' } sort keys %neighbour;

my $missing = join ', ', grep { !other_modules(@{ $neighbour{$_}{modules} }) }
    sort keys %neighbour;
plan(skip_all => "no modules for $missing") if $missing;
plan(skip_all => 'curl has no brotli') unless curl_features('brotli');

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $png = png(80, 80);
my $text = "some \"words\" and WORDS of text\n" x 3000;
my %content = (png => [$png, 'image/png'], text => [$text, 'text/plain']);
my $block = "\n<artifacts>\n[{\"type\":\"text\",\"content\":\"WORDS\","
    . "\"format\":\"markdown\"}]\n</artifacts>";

$t->artifact($_, $content{$_}[0], { type => $content{$_}[1] })
    for keys %content;

my $up = ArtifactUpstream->new("$dir/up", contents => {
    (map { $_ => { body => $content{$_}[0], type => $content{$_}[1],
                   headers => ['X-Up: 1', 'ETag: "one"'] } } keys %content),
    stream => { body => answer_stream('anthropic', ['some WORDS', $block]),
                type => 'text/event-stream' },
    whole => { body => answer_json('anthropic', "some WORDS$block"),
               type => 'application/json' },
});
my $echo = ArtifactUpstream->echo("$dir/echo");

$t->file('map.json', { services => [
    { id => 'sees', model => 'sees', provider => 'openai',
      capabilities => { input => ['text', 'vision'] } },
    { id => 'reads', model => 'reads', provider => 'openai',
      capabilities => { input => ['text'] } } ] });

$t->file('a.js', <<'JS');
function caps(r) {
    return r.args.caps || '';
}
function header(r) {
    r.headersOut['X-JS'] = 'yes';
}
function body(r, data, flags) {
    r.sendBuffer(data, flags);
}
export default { caps, header, body };
JS

# What is asked of each source: as whom, and how.

my %ask = (
    'raw' => {},
    'a text' => { caps => 'text' },
    'an image' => { caps => 'text,vision' },
    'HEAD, raw' => { method => 'HEAD' },
    'HEAD' => { method => 'HEAD', caps => 'vision' },
    'a range, raw' => { headers => [Range => 'bytes=10-29'] },
    'a range' => { caps => 'vision', headers => [Range => 'bytes=10-29'] },
    'what is known, raw' => { known => 1 },
    'what is known' => { caps => 'vision', known => 1 },
    'gzip' => { caps => 'vision', headers => ['Accept-Encoding' => 'gzip'] },
    'raw, br' => { br => 1 },
    'a text, br' => { caps => 'text', br => 1 },
    'an image, br' => { caps => 'vision', br => 1 },
);

my @requests;

for my $source ('local', 'up') {
    for my $id (sort keys %content) {
        push @requests, map { { %{ $ask{$_} }, what => "$source $id, $_",
                                uri => "/$source/$id" } } sort keys %ask;
    }

    push @requests, { what => "$source, none, raw", uri => "/$source/none" },
        { what => "$source, none", uri => "/$source/none", caps => 'vision' };
}

for my $id (sort keys %content) {
    push @requests, { what => "up $id in pieces", uri => "/up/$id",
                      caps => 'text,vision', frame => 'chunked', step => 999 };
}

for my $model ('sees', 'reads') {
    my $body = encode_json_bytes({ model => $model, messages => [
        { role => 'user', content => [
            { type => 'text', text => 'What WORDS are these?' },
            map { { type => 'image_url', image_url => { url => $_ } } }
                'artifact:png', 'artifact:text' ] } ] });

    push @requests, { what => "a request for what $model", method => 'POST',
                      uri => '/v1/chat/completions', body => $body,
                      headers => ['Content-Type' => 'application/json'] };
}

for my $name ('whole', 'stream') {
    push @requests, { what => "artifacts in an answer, $name",
                      uri => '/v1/messages', name => $name };
}

# without any, by what other tests know of these answers

my %plain = answers('first');
my $data = b64($png);
my %holds = (
    'local png, raw' => qr/^200\n.*\n\n\Q$png\E\z/s,
    'local png, an image' => qr/^200\n.*\Q$data\E/s,
    'local text, a text' => qr/"content":"some \\"words\\" and WORDS/,
    'local png, a range, raw' => qr/^206\n.*\n\n.{20}\z/s,
    'up png, a range' => qr/^200\n.*\Q$data\E/s,
    'up png, what is known' => qr/^304\n.*\n\n\z/s,
    'local, none' => qr/^404\n.*\n\n\{"error":"/s,
    'a request for what sees' => qr/\Q$data\E/,
    'a request for what reads' => qr/\A(?!.*artifact:png"|.*\Q$data\E)/s,
    'artifacts in an answer, whole' => qr/\A(?!.*<artif).*"artifacts":\[\{/s,
    'artifacts in an answer, stream' => qr/\A(?!.*<artif).*"artifacts":\[\{/s,
);

like(as_text($plain{$_}), $holds{$_}, $_) for sort keys %holds;

for my $set ((map { [$_] } sort keys %neighbour), \@together) {
    my %before = answers('first', @$set);
    my %after = answers('main', @$set);

    is(join('; ', grep { as_text($before{$_}) ne as_text($after{$_}) }
            sort keys %plain), '', "@$set: the same, before and after");

    right($_, $before{$_}, $plain{$_}, @$set) for sort keys %plain;
}

done_testing();


# The answers to all that is asked, with these modules.

sub answers {
    my ($order, @names) = @_;

    my $http = join "\n", map { $neighbour{$_}{http} // '' } @names;
    my $conf = join "\n", map { $neighbour{$_}{conf} } @names;
    my ($accept) = map { $neighbour{$_}{accept} // () } @names;
    my $load = other_modules(map { @{ $neighbour{$_}{modules} } } @names);

    $accept //= '$arg_caps';

    $t->start($order => $load, http => <<"HTTP", server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    $http
HTTP
    artifact_root %%DATA%%;
    artifact_accept $accept;
    artifact_source /plain/;
    gzip on;
    gzip_types application/json;

    location /local/ {
        artifact_route on;
        $conf
        artifact;
    }
    location /up/ {
        artifact_route on;
        $conf
        proxy_pass http://unix:$dir/up:/;
    }
    location /v1/chat/ {
        artifact_expand on;
        $conf
        proxy_pass http://unix:$dir/echo:/;
    }
    location /v1/messages {
        artifact_extract strip;
        $conf
        proxy_pass http://unix:$dir/up:/\$arg_name;
    }
    location /plain/ {
        artifact;
    }
SERVER

    my %got = map { $_->{what} => answer($_) } @requests;

    $t->stop;
    $t->check_log;
    return %got;
}


# One answer, as a hash: framing and time do not count, nor does a coding.

sub answer {
    my ($ask) = @_;

    my $args = join '&', map { "$_=$ask->{$_}" }
        grep { $ask->{$_} } qw(caps name frame step);
    my $uri = $ask->{uri} . ($args ? "?$args" : '');
    my @headers = @{ $ask->{headers} || [] };

    if ($ask->{known}) {
        push @headers, 'If-None-Match', $t->get($uri)->header('ETag') // '"x"';
    }

    my $res = $ask->{br}
        ? curl($dir, '--compressed', '-H', 'Accept-Encoding: br',
               'http://127.0.0.1:' . $t->port . $uri)
        : $t->req($ask->{method} // 'GET', $uri, headers => \@headers,
                  body => $ask->{body});

    my %header = map { $_ => join ', ', @{ $res->{headers}{$_} } }
        keys %{ $res->{headers} };
    my $body = $res->body;

    delete @header{qw(date connection keep-alive x-head)};
    $body = memGunzip($body) // 'not gzip: ' . $body
        if ($header{'content-encoding'} // '') eq 'gzip';

    return { status => $res->{status}, header => \%header, body => $body,
             complete => $res->{complete} };
}


sub as_text {
    my ($got) = @_;

    return join "\n", @$got{qw(status complete)},
        (map { "$_: $got->{header}{$_}" } sort keys %{ $got->{header} }),
        '', $got->{body};
}


# What modules do, taken out of an answer, leaves what there is without them.

sub right {
    my ($what, $got, $want, @names) = @_;

    return if grep { $what !~ ($neighbour{$_}{only} // qr//) } @names;

    ($got, $want) = map { { %$_, header => { %{ $_->{header} } } } }
        $got, $want;
    delete @{ $_->{header} }{qw(content-length transfer-encoding)}
        for $got, $want;

    for my $undo (map { $neighbour{$_}{undo} } @names) {
        $undo->($got, $want, $what);
    }

    ok(as_text($got) eq as_text($want), "@names: $what")
        or diag(map { substr as_text($_) . "\n", 0, 1000 } $got, $want);
}


sub lost {
    my ($want, @names) = @_;
    delete @{ $want->{header} }{@names};
}


sub is_header {
    my ($got, $name, $value) = @_;
    $got->{header}{$name} = "no $value, but $got->{header}{$name}"
        if ($got->{header}{$name} // 'nothing') ne $value;
    delete $got->{header}{$name} if $got->{header}{$name} eq $value;
}
