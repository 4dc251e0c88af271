#!/usr/bin/perl

# Requests with more media than an API or a service takes: the oldest become
# words, half of the limit at a time, so that what a provider has in its cache
# stays what it was.

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
my $image = png();
my %parts = (
    data => sub { source(type => 'base64', media_type => 'image/png',
                         data => b64($image)) },
    url => sub { source(type => 'url', url => "https://x.example/$_[0].png") },
    file => sub { source(type => 'file', file_id => "file_$_[0]") },
    ref => sub { { type => 'artifact', artifact => "artifact:image$_[0]" } },
    pdf => sub { { type => 'document', source => { type => 'base64',
        media_type => 'application/pdf', data => b64("%PDF-1.7\n1 0 obj\n%%EOF") } } },
);
my $words = qr/^\[Unreadable\] /;

for my $n (0 .. 40) {
    $t->artifact("image$n", $image . pack('N', $n),
                 { mimeType => 'image/png', name => "image$n.png" });
}

# a part that has as many bytes as its words, which "level" sees to

my $same = gif() . 'x' x 200;

$t->artifact('same', $same, { mimeType => 'image/gif', name => 'same' });

$t->file('map.json', { services => [
    { id => 'sees', capabilities => { input => ['text', 'vision', 'pdf'] } },
    { id => 'most-n', capabilities => { input => ['text', 'vision'] } },
    map({ { id => "most-$_", maxMedia => $_,
            capabilities => { input => ['text', 'vision', 'pdf'] } } } 1, 5, 8),
] });

$t->start(http => <<'HTTP', server => <<'SERVER');
    artifact_capabilities %%PREFIX%%/map.json;
    log_format llm '$artifact_refs|$artifact_expanded|$artifact_degraded|'
                   '$artifact_reasons';
HTTP
    artifact_root %%DATA%%;
    artifact_language en;

    location / {
        access_log %%PREFIX%%/llm.log llm;
        artifact_expand on;
        proxy_pass http://unix:%%PREFIX%%/api:;
    }
    location /mistral/ {
        artifact_expand on;
        artifact_format mistral;
        proxy_pass http://unix:%%PREFIX%%/api:;
    }
    location /artifacts/ {
        internal;
        artifact;
    }
    location = /status {
        artifact_status;
    }
SERVER

my ($sent, $got, @content, $last);

# a history that grows by an image each turn; of whatever form, all of them
# count, and the cut is where the request says it is

my @forms = qw(ref data url file);
my (@history, $before, $cut);

for my $turn (1 .. 30) {
    push @history, user($parts{ $forms[$turn % 4] }->($turn));

    $got = claude('most-8', @history);
    my @words = map { is_words($_->[0]) } contents($got);
    my $want = $turn <= 8 ? 0 : 4 * int(($turn - 8 + 3) / 4);

    is("@words", join(' ', (1) x $want, (0) x ($turn - $want)),
       "turn $turn: the oldest $want are words");

    # all but what ends the message and the lists

    if (defined $before && $want == $cut) {
        is(index($got, substr $before, 0, length($before) - 4), 0,
           'what was sent before stays');
    }

    ($before, $cut) = ($got, $want);
    push @history, { role => 'assistant', content => "answer $turn" };
}

is(claude('most-8', @history), claude('most-8', @history),
   'the same request is the same again');

# the last message keeps its media, unless it alone has too many

@content = contents(claude('most-5',
    user(map { $parts{ref}->($_) } 1 .. 3),
    user(map { $parts{url}->($_) } 1 .. 4)));
is("@{[map { is_words($_) } @{ $content[0] }]}", '1 1 1', 'three before it');
is("@{[map { is_words($_) } @{ $content[1] }]}", '0 0 0 0', 'four in it');

# what an agent tells the model behind it, as Claude Code does, is no message

@content = contents(claude('most-5',
    user($parts{ref}->(1)), user(map { $parts{url}->($_) } 2 .. 6),
    { role => 'system', content => [{ type => 'text', text => '9 left' }] }));
is("@{[map { map { is_words($_) } @$_ } @content[0, 1]]}", '1 0 0 0 0 0',
   'five in it, before words of the system');

@content = contents(claude('most-5',
    user($parts{ref}->(1)), user(map { $parts{ref}->($_) } 2 .. 8)));
is("@{[map { is_words($_) } @{ $content[0] }]}", '1', 'one before it');
is("@{[map { is_words($_) } @{ $content[1] }]}", '1 1 0 0 0 0 0',
   'seven in it: its oldest');

# images, documents; text is none

@content = contents(claude('most-5', user(
    { type => 'text', text => 'a' }, $parts{pdf}->(), $parts{ref}->(1),
    { type => 'text', text => 'b' }, map { $parts{data}->() } 1 .. 4)));
is("@{[map { is_words($_) } @{ $content[0] }]}", '0 1 0 0 0 0 0 0',
   'a document counts as an image does');

# the log tells it, and the counters

claude('most-1', user($parts{ref}->(1)), user($parts{url}->(2)),
       user($parts{ref}->(3)));
is(logged(), '2|1|2|artifact:image1=dropped image=dropped', 'the log');
like($t->get('/status?format=prometheus')->body, qr/^artifact_parts_total\{api="anthropic",
     kind="image",outcome="dropped"\}\ [1-9]/mx, 'the counters');

# what becomes words for another reason does not count

@content = contents(claude('most-5', user($parts{ref}->(1),
    { type => 'artifact', artifact => 'artifact:gone' },
    map { $parts{url}->($_) } 2 .. 5)));
is("@{[map { is_words($_) } @{ $content[0] }]}", '0 1 0 0 0 0',
   'one that is missing');

# no limit

for my $model ('sees', 'unheard-of') {
    my $body = body($model, user(map { $parts{url}->($_) } 1 .. 40));

    is($t->req('POST', '/v1/messages', headers => json(), body => $body)
         ->body, $body, "$model: 40 images stay byte for byte");
}

# a part whose words have as many bytes: the body that was begun is not sent

level();
@content = contents(claude('most-1', user(artifact('same')),
                           user(artifact('image1'))));
ok(is_words($content[0][0]), 'as many bytes: words');
is($content[1][0]{source}{data}, b64($image . pack 'N', 1), 'and a part');

# Bedrock: 20 images of each message, 5 documents of the request

@history = ();

for my $n (20, 25, 21, 3) {
    push @history, bedrock_user((image_block()) x $n);
    @content = contents(bedrock('sees', @history));

    for my $i (0 .. $#history) {
        my $all = @{ $history[$i]{content} } - 1;
        my $more = $all > 20 ? $all - 20 : 0;

        is(scalar(grep { exists $_->{text} } @{ $content[$i] }) - 1, $more,
           "message $i of $#history with $all images: $more are words");
        is(scalar(grep { exists $_->{text} } @{ $content[$i] }[0 .. $more]),
           $more + 1, 'the oldest') if $more;
    }
}

@content = contents(bedrock('sees',
    map { bedrock_user(document_block($_)) } 1 .. 6));
is("@{[map { exists $_->[1]{text} ? 1 : 0 } @content]}", '1 1 1 0 0 0',
   'six documents: half of five, rounded up');

# Mistral: 8 images

@content = contents($t->req('POST', '/mistral/v1/chat/completions',
    headers => json(), body => encode_json_bytes({ model => 'sees',
        messages => [map { { role => 'user', content => [{
            type => 'image_url', image_url => "https://x.example/$_.png",
        }] } } 1 .. 9] }))->body);
is("@{[map { is_words($_->[0]) } @content]}", '1 1 1 1 0 0 0 0 0', 'Mistral');

$up->stop;
$t->finish;


sub source { return { type => 'image', source => { @_ } } }
sub artifact { return { type => 'artifact', artifact => "artifact:$_[0]" } }
sub user { return { role => 'user', content => [@_] } }
sub json { return ['Content-Type' => 'application/json'] }


sub body {
    my ($model, @messages) = @_;
    return qq({"model":"$model","max_tokens":1,"messages":)
        . encode_json_bytes(\@messages) . '}';
}


# What Anthropic's API gets.

sub claude {
    my ($model, @messages) = @_;

    $sent++;
    return $t->req('POST', '/v1/messages', headers => json(),
                   body => body($model, @messages))->body;
}


sub bedrock_user { return { role => 'user', content => [{ text => 'x' }, @_] } }


sub image_block {
    return { image => { format => 'png', source => { bytes => b64($image) } } };
}


sub document_block {
    my ($n) = @_;
    my ($format, $bytes) = $n % 2 ? ('pdf', "%PDF-1.7\n%%EOF") : ('txt', 'a');

    return { document => { format => $format, name => "d$n",
                           source => { bytes => b64($bytes) } } };
}


sub bedrock {
    my ($model, @messages) = @_;

    $sent++;
    return $t->req('POST', "/model/$model/converse", headers => json(),
                   body => encode_json_bytes({ messages => \@messages }))
        ->body;
}


sub contents {
    return map { $_->{content} } grep { $_->{role} eq 'user' }
        @{ decode_strict(bytes($_[0]))->{messages} };
}


sub is_words {
    my ($part) = @_;
    return ($part->{text} // '') =~ $words ? 1 : 0;
}


# What the log says of the last request.

sub logged {
    $t->wait_for(qr/\A(?:.*\n){$sent}/, 'llm.log');
    return (split /\n/, slurp("$dir/llm.log"))[$sent - 1];
}


# Gives an artifact the name with which its words are as long as its part.

sub level {
    my @messages = (user(artifact('same')), user(artifact('image1')));
    my $more = length(claude('most-n', @messages))
               - length(claude('most-1', @messages));

    $t->artifact('same', $same,
                 { mimeType => 'image/gif', name => 'same' . 'e' x $more });

    is(length(claude('most-1', @messages)), length(claude('most-n', @messages)),
       'words and part have as many bytes');
}
