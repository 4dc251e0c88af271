#!/usr/bin/perl

# What a request holds while the model answers: the file of the body that goes
# out, if it is in one, and nothing of what it was made from.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request);
use Time::HiRes qw(sleep);

my $MB = 1 << 20;
my $N = 4;              # requests at a time
my $MORE = 12_000;      # KB for all of them: one window of zstd, which malloc()
                        # may keep for the next

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $sanitized = $t->version =~ /-fsanitize/;
my $zstd = grep { -x "$_/zstd" } split /:/, $ENV{PATH};

$t->artifact('a', png(40, 40) . 'x' x $MB, { mimeType => 'image/png' });
$t->artifact('small', png(4, 4), { mimeType => 'image/png' });

# A model that thinks until its socket is closed.

my $model = ArtifactUpstream->new("$dir/model", serve => sub {
    my ($sock) = @_;
    my (undef, $body) = read_request($sock) or return;
    open my $log, '>>', "$dir/came" or die "came: $!";
    syswrite $log, length($body) . "\n";
    sysread $sock, my $end, 1;
});

my $pass = "proxy_pass http://unix:$dir/model:;";
$t->allow(qr/upstream prematurely closed|broken/);
$t->start(server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_inline_max 0;
    client_max_body_size 0;
    client_body_buffer_size 16k;
    location /artifacts/ { internal; artifact; }
    location /v1/ { artifact_expand on; $pass }
    location /prompt/ { artifact_prompt on; $pass }
    location /paged/ {
        artifact_expand on;
        artifact_body_max 2m;
        error_page 400 413 = \@paged;
        $pass
    }
    location \@paged { $pass }
    location /kept/ {
        artifact_expand on;
        client_body_in_file_only clean;
        $pass
    }
SERVER

my ($worker) = $t->workers;

sub files {
    return scalar grep { (readlink $_ // '') =~ m{/tmp/body/} }
        glob "/proc/$worker/fd/*";
}

# Once the model has it, from several clients, one after the other: its length there, the files of
# each, and KB more than before.

sub held {
    my ($uri, $body, $coding) = @_;

    unlink "$dir/came";
    my $before = $t->memory($worker);
    my @conns = map { $t->connect } 1 .. $N;
    for my $n (0 .. $#conns) {
        $conns[$n]->send(ArtifactHTTP::format_request('POST', $uri,
            body => $body, headers => ['Content-Type' => 'application/json',
                $coding ? ('Content-Encoding' => $coding) : ()]));
        $t->wait_for(qr/\A(?:\d+\n){@{[$n + 1]}}/, 'came')
            or diag("$uri does not come");
    }
    my ($length) = split /\n/, slurp("$dir/came");
    my @held = ($length, files() / $N,
                $t->memory($worker) - $before);

    close $_->{sock} for @conns;
    for (1 .. 200) {
        last if !files();
        sleep 0.02;
    }
    is(files(), 0, 'nothing when the clients have left');
    return @held;
}

sub is_held {
    my ($name, $length, $files, @request) = @_;
    my ($got, $open, $grown) = held(@request);
    is($got, $length, "$name: what the model gets") if defined $length;
    is($open, $files, "$name: files");
    SKIP: {
        skip 'a sanitizer keeps freed memory', 1 if $sanitized;
        note("$name: $grown KB");
        cmp_ok($grown, '<', $MORE, "$name: memory");
    }
}

sub chat {
    my ($url, $more) = @_;
    return '{"messages":[{"role":"user","content":[{"type":"image_url",'
        . qq("image_url":{"url":"$url"}}]}]) . ($more // '') . '}';
}

my $text = 'x' x (9 * $MB);
my $own = chat('https://x/y.png', qq(,"x":"$text"));
my $expanded = chat('artifact:small', qq(,"x":"$text"));
my $grown = length($expanded) - length('artifact:small')
    + length 'data:image/png;base64,' . b64(slurp($t->data
                                                  . '/artifacts/small'));

my @codings = ([gzip => \&gzip_of], $zstd ? [zstd => sub {
    spew("$dir/plain", $_[0]);
    return scalar `zstd -q -19 -c $dir/plain`;
}] : ());

for my $case (@codings) {
    my ($coding, $code) = @$case;

    my $body = $code->($own);
    is_held("$coding, no reference", length $body, 0,
            '/v1/chat/completions', $body, $coding);
    $body = $code->($text);
    is_held("$coding, no JSON", length $body, 0,
            '/v1/chat/completions', $body, $coding);
    is_held("$coding, a reference", $grown, 1,
            '/v1/chat/completions', $code->($expanded), $coding);
    is_held("$coding, the instruction", undef, 1,
            '/prompt/chat/completions', $code->($expanded), $coding);
    $body = $code->($own);
    is_held("$coding, too large", length $body, 0,
            '/paged/chat/completions', $body, $coding);
    $body = substr $code->('{"a":"' . join('', map { chr 33 + rand 90 }
        1 .. 200_000) . '"}'), 0, -4;
    is_held("$coding, not sound", length $body, 1,
            '/paged/chat/completions', $body, $coding);
}

# not coded: in a file as it came, and in another one as it goes

is_held('no reference', length $own, 1, '/v1/chat/completions', $own);
is_held('a reference', $grown, 1, '/v1/chat/completions', $expanded);

# what is made in two steps, since a reference is there twice

my $twice = chat('artifact:a') =~ s/(\{"type".*\}\})\]/$1,$1]/r;
is_held('a reference twice', undef, 1, '/v1/chat/completions', $twice);

# a file that has to stay

my (undef, $files) = held('/kept/chat/completions', $expanded);
is($files, 2, 'client_body_in_file_only: it stays');

$model->stop;
$t->finish;
