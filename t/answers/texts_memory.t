#!/usr/bin/perl

# Long texts, many at once: what is stored of them costs a worker some buffers,
# whatever their size, and answers do not mix.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(in_parallel left_behind);

my $t = ArtifactTest->new;

my $line = 'a line of a log with \u00e9 and \"quotes\"\n';
my $text = qq(a line of a log with \xc3\xa9 and "quotes"\n);

my %lines = (large => 600_000, map { $_ => 3000 + 100 * $_ } 1 .. 8);
my %contents = map {
    ("$_/mcp" => { type => 'application/json', body => '{"result":{"content":'
        . qq([{"type":"text","text":"$_ ) . $line x $lines{$_} . '"}]}}' })
} keys %lines;

my $up = ArtifactUpstream->new($t->prefix . '/up', contents => \%contents);
my $pass = 'proxy_pass http://unix:' . $t->prefix . '/up:/;';

$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_offload_text 16k;
    artifact_language en;
    proxy_buffers 4 16k;
    proxy_buffer_size 16k;
    proxy_busy_buffers_size 32k;

    location /artifacts/ {
        artifact;
    }
    location /inline/ {
        $pass
    }
    location /threads/ {
        artifact_offload on;
        aio threads;
        $pass
    }
    location /off/ {
        artifact_offload_text off;
        proxy_max_temp_file_size 0;
        $pass
    }
SERVER

my ($worker) = $t->workers;


# The text that an answer refers to.

sub content {
    my ($res) = @_;
    my ($id) = $res->{body} =~ /The whole text is artifact:([0-9a-f-]{36});/
        or return "no reference: $res->{status} " . substr $res->{body}, 0, 80;
    return $t->get("/artifacts/$id")->{body};
}

sub wanted { return "$_[0] " . $text x $lines{$_[0]} }

sub peak {
    open my $fh, '<', "/proc/$worker/status" or die "status: $!";
    my ($kb) = join('', <$fh>) =~ /^VmHWM:\s+(\d+) kB/m;
    return $kb;
}

$t->get("/$_/large/mcp") for ('off') x 3;
content($t->get("/$_/1/mcp")) for ('inline', 'threads') x 2;
my $before = peak();

for my $at (qw(/inline/ /threads/)) {
    ok(content($t->get("${at}large/mcp?frame=chunked")) eq wanted('large'),
       "$at: 27 MB of text");
}
my $cost = peak() - $before;

SKIP: {
    skip 'a sanitizer has memory of its own', 1
        if $t->version =~ /-fsanitize/;
    cmp_ok($cost, '<=', 300, "KB of memory for 27 MB: $cost");
}

# many at once, of different sizes and at different speeds

my @right = in_parallel($t, 24, sub {
    my ($n) = @_;
    my $at = $n % 2 ? '/inline/' : '/threads/';
    my $name = 1 + $n % 8;
    my $step = 1000 + 977 * $n;
    my $res = $t->get("$at$name/mcp?step=$step");
    return content($res) eq wanted($name) ? 1 : 0;
});
is(scalar(grep { $_ } @right), 24, 'each gets its own');

is(left_behind($t), '', 'nothing is left');

$up->stop;
$t->finish;
