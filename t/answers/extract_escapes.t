#!/usr/bin/perl

# Answers whose JSON is escaped as encoders do it: to ASCII (Python's default),
# safe for HTML (Go's), with slashes (PHP's), each sign its own way.  What
# declares artifacts, what is cut and what comes behind it are the same.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactAnswers;
use ArtifactTest;
use ArtifactUpstream;
use Encode qw(encode_utf8);

srand 20240229;
print "# seed 20240229\n";

my $t = ArtifactTest->new;

my $items = '{"type":"image","url":"https://x.test/a.png","title":"图"},'
    . '{"type":"text","content":"😀 <b>工</b> é \\\\ \\u5de5\\n"}';
my $text = "Look: <artifacts>[$items]</artifacts> 好 😀 & <bye>.";
my @pieces = $text =~ /(.{1,7})/gs;

my ($from, $to) = ($-[0], $+[0]) if $text =~ /<artifacts>.*<\/artifacts>/;
my $left = 0;
my @cut = map {
    my $piece = '';
    for my $char (split //) {
        $piece .= $char if $left < $from || $left >= $to;
        $left++;
    }
    $piece;
} @pieces;

is(join('', @cut), 'Look:  好 😀 & <bye>.', 'a text without its block');

# all of these signs are in strings only

my %escape = (
    plain => sub { $_[0] },
    ascii => sub { $_[0] =~ s/([^\0-\x7f])/units($1, '%04x')/ger },
    upper => sub { $_[0] =~ s/([^\0-\x7f])/units($1, '%04X')/ger },
    html => sub { $_[0] =~ s/([<>&])/units($1, '%04x')/ger },
    slash => sub { $_[0] =~ s/\//\\\//gr },
    both => sub { $_[0] =~ s/([<>&\/]|[^\0-\x7f])/units($1, '%04x')/ger },
    mixed => sub {
        $_[0] =~ s/([<>&\/]|[^\0-\x7f])/
                   rand 3 < 1 ? $1
                   : units($1, rand 2 < 1 ? '%04x' : '%04X')/gerx;
    },
);

my %content;

for my $api (qw(openai openai_responses anthropic gemini mistral openrouter
                bedrock agent))
{
    for my $shape ("\n", "\r\n", 'array', 'json') {
        next if $shape eq 'array' && $api ne 'gemini'
            || $shape ne 'json' && $api eq 'bedrock';

        my $of = sub {
            my ($pieces) = @_;
            return chars($shape eq 'json'
                         ? answer_json($api, join('', @$pieces), '"HERE"')
                         : with_event($api, $shape, $pieces));
        };

        for my $how (sort keys %escape) {
            (my $name = "$api-$shape-$how") =~ s/[\r\n]/ord $&/ge;

            my $whole = $escape{$how}->($of->(\@pieces));
            my $body = put_in($api, $shape, $whole, '');

            $content{$name} = {
                body => encode_utf8($body), path => answer_path($api),
                type => $shape =~ /\n/ ? 'text/event-stream'
                                       : 'application/json',
                format => $api =~ /\A(?:mistral|openrouter)\z/
                          ? "&format=$api" : '',
                on => encode_utf8(put_in($api, $shape, $whole, $items)),
                strip => encode_utf8(put_in($api, $shape, $how eq 'mixed'
                                     ? without($whole)
                                     : $escape{$how}->($of->(\@cut)), $items)),
            };
        }
    }
}

my $up = ArtifactUpstream->new($t->prefix . '/up.sock', contents => \%content);

$t->start(http => <<'HTTP', server => <<'SERVER');
    upstream up {
        server unix:%%PREFIX%%/up.sock max_fails=0;
    }
    artifact_format $arg_format;
HTTP
    location /on {
        artifact_extract on;
        proxy_pass http://up/$arg_name$is_args$args;
    }
    location /strip {
        artifact_extract strip;
        proxy_pass http://up/$arg_name$is_args$args;
    }
    location /small {
        artifact_extract strip;
        proxy_buffer_size 1k;
        proxy_buffers 2 1k;
        proxy_busy_buffers_size 1k;
        output_buffers 1 64;
        postpone_output 0;
        proxy_pass http://up/$arg_name$is_args$args;
    }
SERVER

for my $name (sort keys %content) {
    my $c = $content{$name};

    for my $case ('on length', 'strip length', 'small length',
                  'strip chunked&step=' . (1 + int rand 40))
    {
        my ($mode, $frame) = split / /, $case;
        my $res = $t->get("/$mode$c->{path}?name=$name&frame=$frame"
                          . $c->{format});

        ok($res->{complete}, "$name, $case: to its end");
        is($res->body, $c->{ $mode eq 'on' ? 'on' : 'strip' },
           "$name, $case: all of it");
    }
}

for my $name (map { ("$_-10-ascii", "$_-10-both") }
              qw(openai openai_responses anthropic gemini agent))
{
    my $c = $content{$name};
    is($t->get("/strip$c->{path}?name=$name&frame=chunked&step=1")->body,
       $c->{strip}, "$name: byte by byte");
}

$t->finish;


# A character in UTF-16.

sub units {
    my ($char, $format) = @_;
    my $c = ord $char;

    return sprintf "\\u$format", $c if $c < 0x10000;
    return sprintf "\\u$format\\u$format", 0xd800 + ($c - 0x10000 >> 10),
        0xdc00 + ($c & 0x3ff);
}


# A stream with the place of the items in it.

sub with_event {
    my ($api, $eol, $pieces) = @_;

    return answer_stream($api, $pieces, '"HERE"', $eol) if $api ne 'agent';

    return answer_stream($api, $pieces, undef, $eol)
        =~ s/(?=data: \{"type":"result")/"HERE"/r;
}


# Without items, '', nothing is added.

sub put_in {
    my ($api, $shape, $answer, $list) = @_;

    my $put = $list eq '' ? ''
        : $api eq 'agent' && $shape ne 'json'
        ? "data: {\"type\":\"artifacts\",\"items\":[$list]}$shape$shape"
        : ",\"artifacts\":[$list]";

    return $answer =~ s/,?"HERE"/$put/gr;
}


# Cuts the block out of the events as they stand, where each sign is escaped in
# its own way.

sub without {
    my ($answer) = @_;

    # in one string, or in strings that follow each other

    my $sign = qr/\\u[dD][89abAB]..\\u....|\\u....|\\.|[^"\\]/;
    my ($all, $cut) = (join('', @pieces), join '', @cut);
    my $n = 0;

    return $answer =~ s{"($sign*)"}{
        my $string = $1;
        my @signs = $string =~ /$sign/g;
        my $plain = decoded($string);

        if ($plain eq $all) {
            splice @signs, $from, $to - $from;

        } elsif ($n < @pieces && $plain eq $pieces[$n]) {
            my $begin = 7 * $n++;
            my @kept = grep { $begin + $_ < $from || $begin + $_ >= $to }
                0 .. $#signs;
            @signs = @signs[@kept];
        }
        '"' . join('', @signs) . '"';
    }ger;
}


sub decoded {
    my ($string) = @_;
    return JSON::PP->new->allow_nonref->decode("\"$string\"");
}
