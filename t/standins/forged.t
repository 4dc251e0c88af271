#!/usr/bin/perl

# Stand-ins that a client writes itself, spelled in all ways, through gateways that
# repair base64 as Node and Python do.  Nobody knows the id of a stranger's medium;
# the ids here were read from the disk.  Those of other artifacts lead nowhere; exact
# stand-ins never pass the location in front, and of those that only a gateway makes
# exact it is noted how many arrive, since no filter can find all of them.
#
# FORGED=100000 for so many of each gateway, else some hundreds.

use strict;
use warnings;

use Encode qw(encode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactSandwich;
use ArtifactTest;
use MIME::Base64 qw(decode_base64);
use POSIX ();

my $total = $ENV{FORGED} || 200;
my $batch = $total > 1000 ? 100 : 20;

rand_seed(20261127);

my $t = ArtifactTest->new;
my $echo = standin_echo($t);
my $dir = $t->prefix;

standin_server($t, server => <<'SERVER');
    location /victim/ {
        artifact_offload_request on scope=victim;
        proxy_pass %%ECHO%%;
    }
    location /node/ {
        artifact_offload_request on scope=attacker;
        proxy_pass http://unix:%%PREFIX%%/node:/behind/;
    }
    location /python/ {
        artifact_offload_request on scope=attacker;
        proxy_pass http://unix:%%PREFIX%%/python:/behind/;
    }
SERVER

my @programs = map { run(@$_) }
    ['node', 'node', 'repair.mjs'], ['python', '/usr/bin/python3', 'repair.py'];


sub run {
    my ($name, $program, $script) = @_;

    my $pid = fork // die "fork: $!";
    if (!$pid) {
        exec $program, "$FindBin::Bin/../npm/repair/$script", "$dir/$name",
            $t->port or POSIX::_exit(127);
    }
    for (1 .. 200) {
        last if -S "$dir/$name";
        select undef, undef, undef, 0.05;
    }
    ok(-S "$dir/$name", "a gateway of $name");
    return $pid;
}


# --- what is to be had

my %secret = map { $_ => standin_content($_, 3000) } @STANDIN_KINDS;
my %id;

for my $kind (@STANDIN_KINDS) {
    my %slot = standin_slots('gemini', $kind);
    standin_post($t, '/victim' . standin_uri('gemini', 'sees'),
        standin_body('gemini', 'sees', $slot{inline}->(standin_mime($kind),
                                                       b64($secret{$kind}))));
    $id{$kind} = standin_id($t->data, $secret{$kind}, $kind, 'victim');
    is(standin_stored($t->data, $id{$kind}, $secret{$kind}, $kind, 'victim'), '',
       "$kind: a stranger's");
}

# an artifact of anybody's, of the very kind of id and digest

my $other = png(40, 40);
my $known = '0190a001-1111-8222-9333-000000000001';
$t->artifact($known, $other, { type => 'image/png', size => length $other,
                               digest => 'hmac-sha256:0190a00111110222'
                               . '1333000000000001' . '0' x 32 });

my %secret_b64 = map { $_ => b64($secret{$_}) } @STANDIN_KINDS;


# --- spellings

sub pick { return $_[ rand_int(scalar @_) ] }

sub at_places {
    my ($text, $n, $what) = @_;
    for (1 .. $n) {
        substr $text, rand_int(length $text), 0, $what->();
    }
    return $text;
}

# Of the string itself, and then of how it stands in JSON.

my %exact = (
    plain => sub { $_[0] },
    urlsafe => sub { $_[0] =~ tr{+/}{-_}r },
    lines => sub {
        my $n = 4 * (15 + rand_int(11));
        my $eol = pick("\n", "\r\n");
        return $_[0] =~ s/(.{$n})(?=.)/$1$eol/gsr;
    },
    url => sub { 'data:' . pick('image/png', '', 'a/b', 'text/plain')
                 . ";base64,$_[0]" },
    parameter => sub { "data:image/png;name=a.png;base64,$_[0]" },
    url_safe => sub { 'data:image/png;base64,' . ($_[0] =~ tr{+/}{-_}r) },
);

my %repaired = (
    mixed => sub { $_[0] =~ s{([+/])}{rand_int(2) ? $1 : $1 =~ tr{+/}{-_}r}ger },
    blanks => sub { at_places($_[0], 1 + rand_int(9), sub { pick(' ', "\t") }) },
    breaks => sub { at_places($_[0], 1 + rand_int(9), sub { pick("\n", "\r") }) },
    junk => sub { at_places($_[0], 1 + rand_int(5),
                            sub { pick('!', '*', "\x7f", '"', '\\', '~', '.') }) },
    wide => sub { at_places($_[0], 1 + rand_int(3),
                            sub { pick("\xc3\xa9", "\xe2\x80\x8b", "\xef\xbb\xbf") }) },
    before => sub { pick(' ', "\n", '!', "\xef\xbb\xbf") . $_[0] },
    behind => sub { $_[0] . pick(' ', "\n", '=', '==', '====', "=\n", '!!', 'A=') },
    percent => sub { $_[0] =~ s{([+/])}{sprintf '%%%02X', ord $1}ger },
    percent_url => sub { 'data:image/png;base64,'
                         . ($_[0] =~ s{([A-E+/])}{sprintf '%%%02x', ord $1}ger) },
    no_base64 => sub { "data:image/png,$_[0]" },
    upper => sub { 'DATA:image/png;BASE64,' . $_[0] },
    blank_url => sub { "data:image/png;base64, $_[0]" },
    long_url => sub { 'data:image/png;x=' . 'y' x rand_int(2000)
                      . ";base64,$_[0]" },
    cut => sub { substr $_[0], 0, length($_[0]) - 1 - rand_int(4) },
    more => sub { $_[0] . pick('AAAA', 'AA==', 'A') },
);

my @spelled = map { [exact => $_, $exact{$_}] } sort keys %exact;
push @spelled, map { [repaired => $_, $repaired{$_}] } sort keys %repaired;

my %escapes = (
    none => sub { $_[0] },
    slash => sub { $_[0] =~ s{/}{\\/}gr },
    some => sub { $_[0] =~ s{([A-Za-z0-9+/=])}{rand_int(20) ? $1
                             : sprintf '\\u%04x', ord $1}ger },
    all => sub { $_[0] =~ s{([A-Za-z0-9+/=])}{sprintf '\\u%04X', ord $1}ger },
);

sub json_string {
    my ($text) = @_;
    my $json = encode_json_bytes(chars($text));
    my $how = pick(sort keys %escapes);
    $json =~ s{(\\(?:u....|.))|([A-Za-z0-9+/=])}
              {defined $1 ? $1 : $escapes{$how}->($2)}gex;
    return $json;
}


# --- requests: a list of spellings in one, as values of an array

sub ask {
    my ($gateway, $strings, %opt) = @_;

    my $body = $opt{wrap} ? $opt{wrap}->(join ',', @$strings)
        : '{"model":"sees","x":[' . join(',', @$strings) . ']}';
    $body = encode($opt{charset}, chars($body)) if $opt{charset};
    return $t->req('POST', "/$gateway/v1/chat/completions", body => $body,
                   may_break => 1,
                   headers => ['Content-Type' => $opt{type}
                               // 'application/json']);
}


# Kinds whose bytes are in an answer.

sub leaked {
    my ($text) = @_;
    return grep { index($text, $secret_b64{$_}) >= 0
                  || index($text, $secret{$_}) >= 0 } @STANDIN_KINDS;
}


my (%arrived, %sent);

for my $gateway (qw(node python)) {
    my ($exact, $wrong, $statuses) = (0, 0, '');

    for (my $n = 0; $n < $total; $n += $batch) {
        my @these = map {
            my ($class, $name, $spell) = @{ pick(@spelled) };
            my $kind = pick(@STANDIN_KINDS);
            my $text = $spell->(standin_b64($kind, $id{$kind}));
            { class => $class, name => $name, kind => $kind,
              json => json_string($text) };
        } 1 .. $batch;

        my $res = ask($gateway, [map { $_->{json} } @these]);
        my $data = eval { decode_strict($res->body) };
        $statuses .= $res->status . ' ' if $res->status != 200;

        if (ref $data ne 'HASH') {
            $wrong++ if leaked($res->body);
            next;
        }
        for my $i (0 .. $#these) {
            my $one = $these[$i];
            my $leak = index($data->{x}[$i] // '', $secret_b64{ $one->{kind} })
                >= 0;
            $sent{"$gateway $one->{name}"}++;
            $arrived{"$gateway $one->{name}"} += $leak ? 1 : 0;
            $exact++ if $leak && $one->{class} eq 'exact';
        }
    }
    is($exact, 0, "$gateway: no exact stand-in passes");
    is($wrong, 0, "$gateway: no error has the bytes");
    is($statuses, '', "$gateway: all are answered");
    note("$gateway, with an id that nobody knows: ", join ', ',
         map { my $name = $_; "$name $arrived{\"$gateway $name\"} of "
               . $sent{"$gateway $name"} }
         grep { $arrived{"$gateway $_"} } sort keys %repaired);
}


# --- an exact one is a medium of the client's own: it arrives as such

for my $gateway (qw(node python)) {
    for my $kind (@STANDIN_KINDS) {
        my $own = standin_b64($kind, $id{$kind});
        my $res = ask($gateway, [qq("$own")]);
        is(json_of($res)->{x}[0], $own, "$gateway, $kind: the client's own bytes");
        ok(!leaked($res->body), "$gateway, $kind: and nobody else's");
    }

    # beyond any maximum

    my $own = standin_b64('png', $id{png});
    my $res = ask($gateway, [map { qq("$own") } 1 .. 200]);
    ok(!leaked($res->body), "$gateway: two hundred");

    # in slots, texts of tools and of users

    for my $wrap (
        sub { '{"model":"sees","messages":[{"role":"user","content":[{"type":'
            . '"image_url","image_url":{"url":' . $_[0] . '}}]}]}' },
        sub { '{"model":"sees","messages":[{"role":"user","content":' . $_[0]
            . '}]}' },
        sub { '{"model":"sees","messages":[{"role":"tool","tool_call_id":"a",'
            . '"content":' . $_[0] . '}]}' },
        sub { '{"model":"sees","tools":[{"x":' . $_[0] . '}]}' },
        sub { $_[0] }, sub { "[$_[0]]" },
        sub { '{"messages":[{"role":"tool","content":"see '
            . ($_[0] =~ s/^"//r) . '}]}' },
    ) {
        for my $text ($own, "data:image/png;base64,$own") {
            my $got = ask($gateway, [qq("$text")], wrap => $wrap);
            ok(!leaked($got->body), "$gateway, in "
               . substr($wrap->('..'), 0, 70));
        }
    }
}


# --- ids that are known, of artifacts, and ids of nothing

for my $gateway (qw(node python)) {
    my $came = 0;

    for my $of (1 .. ($total > 1000 ? 5000 : 80)) {
        my ($class, $name, $spell) = @{ pick(@spelled) };
        my $id = pick($known, '01234567-89ab-8def-8123-456789abcdef');
        my $res = ask($gateway, [json_string($spell->(standin_b64('png', $id)))]);
        $came++ if index($res->body, b64($other)) >= 0
            || leaked($res->body);
    }
    is($came, 0, "$gateway: no artifact that is none of a stand-in");
}


# --- other types and charsets, which the location in front does not look at

for my $case (['as text', type => 'text/plain'],
              ['in UTF-16', charset => 'UTF-16LE'],
              ['in UTF-16, with a mark', charset => 'UTF-16'],
              ['with a mark', charset => 'UTF-8'])
{
    my ($name, %opt) = @$case;
    for my $gateway (qw(node python)) {
        my $res = ask($gateway, ['"' . standin_b64('png', $known) . '"'], %opt);
        ok(index($res->body, b64($other)) < 0, "$gateway, $name: no artifact");
        $res = ask($gateway, ['"' . standin_b64('png', $id{png}) . '"'], %opt);
        note("$gateway, $name, with an id that nobody knows: ",
             leaked($res->body) ? 'arrives' : 'does not');
    }
}

kill TERM => @programs;
waitpid $_, 0 for @programs;
$echo->stop;
$t->finish;
