#!/usr/bin/perl

# Artifacts that an agent declares: each API's streams and documents, through
# nginx, with and without the block.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactAnswers;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;

my @item = (
    { type => 'image', url => 'https://h/a.png', title => '图 "1"' },
    { type => 'table', headers => ['a'], rows => [['1'], []], extra => [1] },
    { type => 'file', name => 'a.ts', path => '/tmp/a.ts' },
    { type => 'text', content => "# <b>\n", format => 'markdown' },
);
my @wrong = ({ type => 'image' }, 7, { type => 'video', url => 'u' },
             { type => 'text', content => 'x', format => 'html' });

my $json = JSON::PP->new->utf8->canonical;
my $list = bytes_to_chars($json->encode([@wrong[0, 1], @item, @wrong[2, 3]]));
my $block = "<artifacts>\n$list\n</artifacts>";
my $text = "工件 done.\n$block\nbye";

# a tag split over four pieces, and pieces of a few characters

my @pieces = ("工件 done.\n<ar", 'tifa', 'cts', ">\n",
              $list =~ /(.{1,40})/gs, "\n</art", "ifacts>\nb", 'ye');
my @cut = ("工件 done.\n", ('') x (@pieces - 3), "\nb", 'ye');

is(join('', @pieces), $text, 'pieces are a text');
is(join('', @cut), "工件 done.\n\nbye", 'and without the block');

# items stand there as their own text

my $member = '"artifacts":['
    . join(',', map { $json->encode($_) } @item) . ']';

my %content;
my @apis = qw(openai openai_responses anthropic gemini mistral openrouter
              bedrock agent);

for my $api (@apis) {
    for my $eol ("\n", "\r\n", "\r", 'array') {
        next if $api eq 'bedrock' || $eol eq 'array' && $api ne 'gemini';

        (my $name = "$api$eol") =~ s/[\r\n]/ord $&/ge;
        $content{$name} = {
            body => answer_stream($api, \@pieces, undef, $eol),
            type => $eol eq 'array' ? 'application/json'
                                    : 'text/event-stream; charset=utf-8',
            on => with_event($api, $eol, \@pieces),
            strip => with_event($api, $eol, \@cut),
            path => answer_path($api), format => $api,
        };
    }

    $content{"$api-json"} = {
        body => answer_json($api, $text), type => 'application/json',
        on => answer_json($api, $text, $member),
        strip => answer_json($api, "工件 done.\n\nbye", $member),
        path => answer_path($api), format => $api,
    };
}

my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => \%content);

$t->start(http => <<'HTTP', server => <<'SERVER');
    upstream up {
        server unix:%%PREFIX%%/up.sock max_fails=0;
    }
    artifact_format $arg_format;
    log_format long '$request_time';
HTTP
    location /off {
        proxy_pass http://up/$arg_name$is_args$args;
    }
    location /on {
        artifact_extract on;
        proxy_pass http://up/$arg_name$is_args$args;
    }
    location /strip {
        artifact_extract strip;
        proxy_pass http://up/$arg_name$is_args$args;
    }
    location /gzip {
        artifact_extract strip;
        gzip on;
        gzip_types *;
        gzip_min_length 1;
        proxy_pass http://up/$arg_name$is_args$args;
    }
    location /tiny {
        artifact_extract strip;
        proxy_buffer_size 4k;
        output_buffers 1 64;
        proxy_pass http://up/$arg_name$is_args$args;
    }
SERVER

for my $name (sort keys %content) {
    my $c = $content{$name};

    is($t->get("/off$c->{path}?name=$name")->body, $c->{body},
       "$name: as it comes");

    for my $how ('frame=chunked', 'frame=close', 'frame=chunked&step=1',
                 'frame=chunked&step=97')
    {
        next if $how =~ /step=1\z/ && length $c->{body} > 30_000;

        for my $mode (qw(on strip)) {
            my $res = $t->get("/$mode$c->{path}?name=$name&$how"
                              . choice($c->{format}));
            is($res->body, $c->{$mode}, "$name, $mode, $how");
            ok($res->{complete}, "$name, $mode, $how: to its end");
        }
    }

    is($t->get("/tiny$c->{path}?name=$name" . choice($c->{format}))->body,
       $c->{strip}, "$name: of a known length");

    my $res = $t->get("/gzip$c->{path}?name=$name&frame=chunked"
                      . choice($c->{format}), 'Accept-Encoding' => 'gzip');
    is($res->header('Content-Encoding'), 'gzip', "$name: nginx compresses it");
    is(gunzip_of($res->body), $c->{strip}, "$name: and what it compresses");
}

$t->finish;


sub bytes_to_chars { return chars($_[0]) }


# Those that no path tells.

sub choice {
    my ($format) = @_;
    return $format =~ /\A(?:mistral|openrouter)\z/ ? "&format=$format" : '';
}


sub with_event {
    my ($api, $eol, $pieces) = @_;

    return answer_stream($api, $pieces, $member, $eol) if $api ne 'agent';

    my $stream = answer_stream($api, $pieces, undef, $eol);
    (my $event = $member) =~ s/"artifacts":/data: {"type":"artifacts","items":/;
    $stream =~ s/(?=data: \{"type":"result")/$event}$eol$eol/;
    return $stream;
}
