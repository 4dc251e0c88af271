#!/usr/bin/perl

# Public capability maps: LiteLLM's, models.dev's and OpenRouter's beside the
# platform's own, names of models in all their forms, layers, agents, secrets,
# and reloads with large maps under load.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use POSIX ();
use Time::HiRes qw(sleep time);

my $t = ArtifactTest->new(workers => 2);
my $KEY = 'sk-' . join '', map { chr 97 + rand_int(26) } 1 .. 40;
my $HOST = join '', map { chr 97 + rand_int(26) } 1 .. 40;

for my $name (qw(litellm models-dev openrouter)) {
    $t->file("$name.json", slurp("$FindBin::Bin/../data/$name.json"));
}

sub own_map {
    my (@input) = @_;
    $t->file('own.json', { services => [
        { id => 'mine', model => 'gpt-4', apiKey => $KEY,
          baseURL => "https://$HOST/v1",
          capabilities => { input => [@input] } },
        { id => 'gpt-4o', capabilities => { input => ['text', 'file'] } },
        { id => 'local/eyes:latest', model => 'claude-3-5-sonnet',
          accepts => ['image/*'], maxBytes => 1000000,
          capabilities => { input => ['vision'] } },
    ], agents => [ { id => 'seer', serviceId => 'local/eyes:latest' } ] });
}

own_map('text');

$t->artifact('png', png(4, 4), { type => 'image/png', name => 'a.png' });
$t->artifact('pdf', pdf(), { type => 'application/pdf', name => 'a.pdf' });
$t->artifact('mp4', mp4(), { type => 'video/mp4', name => 'a.mp4' });
$t->artifact('wav', wav(), { type => 'audio/wav', name => 'a.wav' });
$t->artifact('docx', docx(), { name => 'a.docx' });

my $maps = join "\n", map { "artifact_capabilities %%PREFIX%%/$_.json;" }
    qw(litellm models-dev openrouter);
my $own = 'artifact_capabilities %%PREFIX%%/own.json;';

# What a service gets of each artifact: + inline, - described.

sub takes {
    my ($service) = @_;
    return join ' ', map {
        my $json = json_of($t->service($service, "/artifacts/$_"));
        ($json->{routing} eq 'text' ? '-' : '+') . $_
    } qw(png pdf mp4 wav docx);
}

my $TEXT = '-png -pdf -mp4 -wav -docx';

sub check {
    my ($expected) = @_;
    is(takes($_), $expected->{$_}, "\"$_\" takes $expected->{$_}")
        for sort keys %$expected;
}

# each source alone

$t->start(http => 'artifact_capabilities %%PREFIX%%/litellm.json;');
check({
    'gpt-4o' => '+png +pdf -mp4 -wav -docx',
    'gpt-4' => $TEXT,
    'gemini/gemini-2.0-flash' => '+png -pdf +mp4 +wav -docx',
    'sample_spec' => $TEXT,
    'text-embedding-3-small' => $TEXT,

    # other forms of these names

    'openai/gpt-4o' => '+png +pdf -mp4 -wav -docx',
    'gpt-4o-2024-08-06' => '+png +pdf -mp4 -wav -docx',
    'openrouter/openai/gpt-4o:free' => '+png +pdf -mp4 -wav -docx',
    'azure/eu/gpt-4o' => '+png +pdf -mp4 -wav -docx',
    'azure/gpt-4o-2024-11-20' => '+png +pdf -mp4 -wav -docx',
    'bedrock/us.anthropic.claude-3-5-sonnet-20241022-v2:0' =>
        '+png +pdf -mp4 -wav -docx',
    'eu.anthropic.claude-3-5-sonnet-20241022-v2:0' =>
        '+png +pdf -mp4 -wav -docx',
    'claude-3-5-sonnet@20241022' => '+png +pdf -mp4 -wav -docx',
    'anthropic/claude-3-5-sonnet-20241022' => '+png +pdf -mp4 -wav -docx',
    'claude-3-5-sonnet-latest' => '+png +pdf -mp4 -wav -docx',

    # other models

    'o1' => $TEXT,
    'o1-2024-12-17' => $TEXT,
    'gpt-4-0613' => $TEXT,
    'gpt-4o-mini' => $TEXT,
    'openai/gpt-4o-mini' => $TEXT,
    'gpt' => $TEXT,
    'gpt-4o:4b' => $TEXT,
    'claude-3-5' => $TEXT,
});

ok($t->reload(http => 'artifact_capabilities %%PREFIX%%/models-dev.json;'),
   'models.dev');
check({
    'openai/gpt-4o' => '+png +pdf -mp4 -wav -docx',
    'gpt-4o' => '+png +pdf -mp4 -wav -docx',
    'whisper-large' => '-png -pdf -mp4 +wav -docx',
    'groq/llama-4-scout' => $TEXT,
    'OPENAI/gpt-4O' => '+png +pdf -mp4 -wav -docx',
});

ok($t->reload(http => 'artifact_capabilities %%PREFIX%%/openrouter.json;'),
   'OpenRouter');
check({
    'google/gemini-2.5-pro' => '+png +pdf +mp4 +wav +docx',
    'google/gemini-2.5-pro-20250617' => '+png +pdf +mp4 +wav +docx',
    'gemini-2.5-pro' => '+png +pdf +mp4 +wav +docx',
    'meta-llama/llama-4-scout' => '+png -pdf -mp4 -wav -docx',
    'llama-4-scout:nitro' => '+png -pdf -mp4 -wav -docx',
});

# all of them, the platform's own last

ok($t->reload(http => "$maps\n$own"), 'all of them');
check({
    'mine' => $TEXT,
    'gpt-4o' => '-png +pdf +mp4 +wav +docx',
    'openai/gpt-4o' => '+png +pdf -mp4 -wav -docx',
    'groq/llama-4-scout' => $TEXT,
    'llama-4-scout:free' => '+png -pdf -mp4 -wav -docx',
    'claude-3-5-sonnet' => '+png -pdf -mp4 -wav -docx',
    'eyes' => '+png -pdf -mp4 -wav -docx',
    'gemini-2.0-flash-001' => $TEXT,
});

is_deeply(json_of($t->service('mine', '/artifacts/png'))
          ->{metadata}{suggestedServices},
          ['local/eyes:latest'], 'only own services are suggested');

# the other way round, the public maps win

ok($t->reload(http => "$own\n$maps"), 'the own map first');
check({ 'gpt-4o' => '+png +pdf -mp4 -wav -docx', 'mine' => $TEXT });

# secrets: nowhere in the memory of the workers or the master

sub memory_holds {
    no warnings 'portable';
    my ($pid, $text) = @_;

    open my $maps, '<', "/proc/$pid/maps" or return 'no maps';
    open my $mem, '<:raw', "/proc/$pid/mem" or return 'no memory';

    while (my $line = <$maps>) {
        $line =~ /^([0-9a-f]+)-([0-9a-f]+) rw/ or next;
        my ($start, $end) = (hex $1, hex $2);
        next if $end - $start > 1 << 30;        # a sanitizer's shadow
        sysseek $mem, $start, 0 or next;
        my $block = '';
        while ($start < $end) {
            my $n = sysread $mem, $block, 1 << 20, length $block;
            last if !$n;
            return 1 if index($block, $text) >= 0;
            $block = substr $block, -100 if length $block > 100;
            $start += $n;
        }
    }
    return 0;
}

SKIP: {
    my @pids = ($t->{pid}, $t->workers);
    skip 'the memory of other processes cannot be read', 3
        if memory_holds($pids[1], 'local/eyes:latest') eq 'no memory';

    is(join(' ', map { memory_holds($_, 'local/eyes:latest') } @pids),
       '1 1 1', 'ids are in the memory of all processes');
    is(join(' ', map { memory_holds($_, $KEY) } @pids), '0 0 0',
       'API keys are not');
    is(join(' ', map { memory_holds($_, $HOST) } @pids), '0 0 0',
       'nor are URLs');
}

# Reloads with a large map, while clients ask.

my %models = map {
    ("provider-$_" => { models => { map {
        ("model-$_" => { name => "Model $_", modalities => {
            input => $_ % 2 ? ['text', 'image'] : ['text'],
            output => ['text'] } })
    } 1 .. 100 } })
} 1 .. 40;
$t->file('large.json', \%models);
ok($t->reload(http => "artifact_capabilities %%PREFIX%%/large.json;\n$own",
              server => <<'SERVER'), 'a large map');
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /services/ {
        artifact_services;
    }
SERVER

sub client {
    my ($number) = @_;

    my $pid = fork // die "fork: $!";
    return $pid if $pid;

    my ($stop, $requests, %wrong) = (0, 0);
    $SIG{TERM} = sub { $stop = 1 };

    until ($stop) {
        my $seen = eval { routing_of($t->service(
            'x/provider-7/model-7-2024-08-06:free', '/artifacts/png')) } // $@;
        my $mine = eval {
            routing_of($t->service('mine', '/artifacts/png')) } // $@;
        my $page = eval { $t->get('/services/?limit=1000')->body } // $@;

        # the signal may have come into the middle of them

        last if $stop;

        $wrong{"seen $seen"}++ if $seen ne 'image image_url image/png';
        $wrong{"mine $mine"}++ if $mine !~ /^image (?:image_url|text) /;
        $wrong{'page ' . substr $page, 0, 100}++
            if $page !~ /"count":1000,"next":"[^"]+"\}\z/;
        $requests += 3;
    }

    spew($t->prefix . "/client$number", "$requests "
         . join ', ', map { "$_: $wrong{$_}" } sort keys %wrong);
    POSIX::_exit(0);
}

my @clients = map { client($_) } 1 .. 2;

for my $round (1 .. 4) {
    own_map($round % 2 ? ('text', 'vision') : 'text');
    ok($t->reload, "reload $round under load");

    is(takes('mine'), $round % 2 ? '+png -pdf -mp4 -wav -docx' : $TEXT,
       "the map of reload $round");
    sleep 0.2;
}

kill TERM => @clients;
waitpid $_, 0 for @clients;
for my $n (1 .. 2) {
    my ($requests, $wrong) =
        split / /, slurp($t->prefix . "/client$n"), 2;
    cmp_ok($requests, '>', 20, "client $n was busy");
    is($wrong, '', "no request of client $n failed");
}

$t->finish;
