#!/usr/bin/perl

# Images with more pixels on their longest side than the API, or a service of
# an own map, takes: words, with the reason "pixels".  What cannot be known is
# not held against an image.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $up = ArtifactUpstream->echo("$dir/api");
my %size = (small => [100, 1], wide => [2500, 1], tall => [1, 2500],
            limit => [8000, 1], large => [8001, 1], high => [1, 8001]);
my %image = map { $_ => png(@{ $size{$_} }) } keys %size;

for my $name (keys %image) {
    $t->artifact($name, $image{$name},
                 { mimeType => 'image/png', name => "$name.png" });
    spew("$dir/$name.png", $image{$name});
}

# a signature without a size

$t->artifact('sizeless', substr($image{large}, 0, 8)
             . substr($image{large}, -12), { mimeType => 'image/png' });

$t->file('map.json', { services => [
    map({ { id => $_->[0], @$_[1 .. $#$_],
            capabilities => { input => ['text', 'vision'] } } }
        ['sees'], ['narrow', maxSide => 2000], ['broad', maxSide => 9000]),
    { id => 'reads', maxSide => 5, capabilities => { input => ['text'] } },
] });

$t->start(http => <<'HTTP', server => <<'SERVER');
    artifact_capabilities %%PREFIX%%/map.json;
    log_format llm '$artifact_reasons';
HTTP
    artifact_root %%DATA%%;
    artifact_language en;

    location / {
        access_log %%PREFIX%%/llm.log llm;
        artifact_expand on;
        proxy_pass http://unix:%%PREFIX%%/api:;
    }
    location /upstream/ {
        artifact_expand on;
        artifact_source /proxied/;
        proxy_pass http://unix:%%PREFIX%%/api:;
    }
    location /proxied/ {
        internal;
        proxy_pass http://127.0.0.1:%%PORT%%/files/;
    }
    location /files/ {
        default_type image/png;
        alias %%PREFIX%%/;
        try_files $uri.png =404;
    }
    location /artifacts/ {
        artifact_route on;
        artifact_format $arg_format;
        artifact;
    }
    location /route {
        artifact_message;
    }
    location = /status {
        artifact_status;
    }
SERVER

my ($sent, $got);

# one image: the API's limit, the service's, the stricter of both

for my $case (
    ['sees', 'limit', 0], ['sees', 'large', 1], ['sees', 'high', 1],
    ['sees', 'sizeless', 0], ['broad', 'limit', 0], ['broad', 'large', 1],
    ['narrow', 'small', 0], ['narrow', 'wide', 1], ['narrow', 'tall', 1],
    ['narrow', 'sizeless', 0],
) {
    my ($model, $name, $want) = @$case;

    for my $form (\&ref_part, \&data_part) {
        next if $name eq 'sizeless' && $form == \&data_part;
        ($got) = parts(claude($model, $form->($name)));
        is($got, $want ? 'pixels' : 'image', "$model, $name");
    }

    is(logged(), $name eq 'sizeless' || !$want ? '' : 'image=pixels',
       'the log') if $name ne 'sizeless';
}

claude('narrow', ref_part('wide'));
is(logged(), 'artifact:wide=pixels', 'the log names an artifact');

# no capability is the reason that comes first

($got) = parts(claude('reads', ref_part('large')));
is($got, 'capability', 'a model that cannot see');

# a source behind another server

is(join(' ', parts($t->req('POST', '/upstream/v1/messages',
    headers => ['Content-Type' => 'application/json'],
    body => body('narrow', user(map { ref_part($_) } qw(small wide))))
    ->body)), 'image pixels', 'proxied');

# an API without a limit; a model that no map has

is(chat('sees', 'large'), 'image', 'openai has no limit');
is(chat('narrow', 'large'), 'pixels', 'but the service');
is(chat('unheard-of', 'large'), 'image', 'an unknown model');

for my $model ('unheard-of') {
    my $body = body($model, user(map { data_part('large') } 1 .. 30));
    is(claude_body($body), $body, 'the client\'s own media stay for it');
}

# 20 images, and one more: of whatever form

my @twenty = (data_part('wide'), map({ url_part($_) } 1 .. 7),
              map({ data_part('tall') } 1 .. 6), map({ url_part($_) } 8 .. 13));
my $body = body('sees', user(@twenty));

is(claude_body($body), $body, '20 images stay byte for byte');

is(join(' ', parts(claude('sees', @twenty[0 .. 18], ref_part('wide')))),
   join(' ', ('image') x 20), '20 with an artifact');

my $more = claude('sees', @twenty, url_part(14));

is(join(' ', parts($more)),
   join(' ', 'pixels', ('image') x 7, ('pixels') x 6, ('image') x 7),
   'a URL more: what is known to be too large');
is(logged(), 'image=pixels', 'the log');
is(claude('sees', @twenty, url_part(14)), $more, 'the same again');

is(join(' ', parts(claude('sees', @twenty[0 .. 19],
                          { type => 'image', source => {
                              type => 'file', file_id => 'file_1' } }))),
   join(' ', 'pixels', ('image') x 7, ('pixels') x 6, ('image') x 7),
   'a file id more');

is(join(' ', parts(claude('sees', @twenty[1 .. 19], ref_part('wide'),
                          ref_part('small')))),
   join(' ', ('image') x 7, ('pixels') x 6, ('image') x 6, 'pixels', 'image'),
   'artifacts');

is(join(' ', parts(claude('sees', @twenty, ref_part('large')))),
   join(' ', ('image') x 20, 'pixels'),
   'one that is no image in the request does not make them many');

# routed answers

for my $case (['narrow', 'wide', '', 'pixels'], ['sees', 'large', '', undef],
              ['narrow', 'small', '', undef], ['narrow', 'sizeless', '', undef],
              ['narrow', 'large', '?format=object', undef])
{
    my ($service, $name, $args, $want) = @$case;
    my $data = json_of($t->get("/artifacts/$name$args",
                               'X-LLM-Service' => $service));

    is(($args ? $data : $data->{metadata})->{reason}, $want,
       "routed: $service, $name$args");
}

for my $name ('limit', 'large') {
    my $part = json_of($t->get("/artifacts/$name?format=anthropic",
                               'X-LLM-Service' => 'sees'));
    is($part->{type}, $name eq 'large' ? 'text' : 'image',
       "routed for Anthropic: $name");
}

# messages

for my $case (['sees', 'large', '?format=anthropic', 1],
              ['sees', 'limit', '?format=anthropic', 0],
              ['narrow', 'wide', '', 1], ['sees', 'large', '', 0])
{
    my ($service, $name, $args, $want) = @$case;
    my $data = json_of($t->req('POST', "/route$args", body =>
        qq({"attachments":["artifact:$name"],"service":"$service"})));

    is(scalar @{ $data->{unsupportedAttachments} }, $want,
       "a message: $service, $name$args");
    like($data->{textDescription}, qr/more pixels on a side/, 'the words')
        if $want;
}

like($t->get('/status')->body, qr/^artifact_routed_total\{[^}\n]*
     reason="pixels"[^}\n]*\}\ 1$/mx, 'the counters');

$up->stop;
$t->finish;


sub ref_part { return { type => 'artifact', artifact => "artifact:$_[0]" } }
sub source { return { type => 'image', source => { @_ } } }
sub user { return { role => 'user', content => [@_] } }


sub data_part {
    return source(type => 'base64', media_type => 'image/png',
                  data => b64($image{ $_[0] }));
}


sub url_part {
    return source(type => 'url', url => "https://x.example/$_[0].png");
}


sub body {
    my ($model, @messages) = @_;
    return qq({"model":"$model","max_tokens":1,"messages":)
        . encode_json_bytes(\@messages) . '}';
}


# What Anthropic's API gets.

sub claude {
    my ($model, @parts) = @_;
    return claude_body(body($model, user(@parts)));
}


sub claude_body {
    $sent++;
    return $t->req('POST', '/v1/messages',
                   headers => ['Content-Type' => 'application/json'],
                   body => $_[0])->body;
}


# What became of each part of the first message.

sub parts {
    my ($bytes) = @_;
    return map { what($_) }
        @{ decode_strict(bytes($bytes))->{messages}[0]{content} };
}


sub what {
    my ($part) = @_;

    return $part->{type} if $part->{type} ne 'text';
    return $part->{text} =~ /more pixels on a side/ ? 'pixels'
        : $part->{text} =~ /cannot read this kind/ ? 'capability' : 'text';
}


sub chat {
    my ($model, $name) = @_;

    $sent++;
    my $res = $t->req('POST', '/v1/chat/completions',
        headers => ['Content-Type' => 'application/json'],
        body => encode_json_bytes({ model => $model, messages => [{
            role => 'user', content => [{ type => 'image_url', image_url => {
                url => "artifact:$name" } }] }] }));

    my ($got) = parts($res->body);
    return $got eq 'image_url' ? 'image' : $got;
}


# What the log says of the last request.

sub logged {
    $t->wait_for(qr/\A(?:.*\n){$sent}/, 'llm.log');
    my $line = (split /\n/, slurp("$dir/llm.log"), -1)[$sent - 1];
    return $line eq '-' ? '' : $line;
}
