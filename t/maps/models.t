#!/usr/bin/perl

# Which row of public maps counts: every bare name of three of them is asked
# for, with each map alone and with all, and what the service takes in and puts
# out is compared with a second reading of the rule in docs/capabilities.md.
#
# t/data/public-models.tsv.gz has the rows of models.dev (2026-07-02), LiteLLM
# and OpenRouter (2026-08-01), reduced to names and capabilities.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use Compress::Zlib qw(memGunzip);
use List::Util qw(min);

my %MODALITY = (t => 'text', i => 'image', a => 'audio', v => 'video',
                p => 'pdf', f => 'file', c => 'code');
my %FLAG = (T => 'tool_calling', S => 'structured_output', R => 'reasoning',
            A => 'audio');

my %CASE = (i => 'supports_vision', I => 'supports_image_input',
            a => 'supports_audio_input', v => 'supports_video_input',
            p => 'supports_pdf_input');
my %OUT = (T => 'supports_function_calling', S => 'supports_response_schema',
           R => 'supports_reasoning', A => 'supports_audio_output');

# Who makes what: the providers of all three maps.

my @MAKERS = (
    [qr/^(?:gpt-|chatgpt-|o[134]|codex-|computer-use-)/, [qw(openai)]],
    [qr/^gpt-/, [qw(text-completion-openai)]],
    [qr/^claude/, [qw(anthropic)]],
    [qr/^(?:gemini|gemma)/, [qw(google gemini)]],
    [qr/^(?:mistral|ministral|pixtral|codestral|devstral|magistral|voxtral)/,
     [qw(mistral mistralai)]],
    [qr/^mixtral/, [qw(mistralai)]],
    [qr/^codestral/, [qw(codestral)]],
    [qr/^(?:open-|labs-)/, [qw(mistral)]],
    [qr/^deepseek/, [qw(deepseek)]],
    [qr/^(?:qwen|qwq)/, [qw(alibaba dashscope qwen)]],
    [qr/^qvq/, [qw(alibaba)]],
    [qr/^llama/, [qw(llama meta-llama meta_llama)]],
    [qr/^muse/, [qw(meta)]],
    [qr/^grok/, [qw(xai x-ai)]],
    [qr/^glm/, [qw(zai z-ai zhipuai)]],
    [qr/^kimi/, [qw(moonshotai moonshot)]],
    [qr/^moonshot/, [qw(moonshot)]],
    [qr/^minimax/, [qw(minimax)]],
    [qr/^command/, [qw(cohere cohere_chat)]],
    [qr/^(?:c4ai|north)-/, [qw(cohere)]],
    [qr/^nova/, [qw(amazon amazon_nova nova)]],
    [qr/^ernie/, [qw(baidu)]], [qr/^granite/, [qw(ibm-granite)]],
    [qr/^hermes/, [qw(nousresearch)]], [qr/^hunyuan/, [qw(tencent)]],
    [qr/^jamba/, [qw(ai21)]], [qr/^mercury/, [qw(inception)]],
    [qr/^mimo/, [qw(xiaomi)]], [qr/^nemotron/, [qw(nvidia)]],
    [qr/^phi-/, [qw(microsoft)]], [qr/^reka/, [qw(rekaai)]],
    [qr/^sarvam/, [qw(sarvam)]], [qr/^seed/, [qw(bytedance-seed)]],
    [qr/^solar/, [qw(upstage)]], [qr/^sonar/, [qw(perplexity)]],
    [qr/^step-/, [qw(stepfun)]],
);

my @CLOUDS = (
    [qr/^gemini/, [qw(google-vertex vertex_ai vertex_ai-language-models)]],
    [qr/^(?:qwen|qwq|qvq)/, [qw(alibaba-cn)]],
    [qr/^kimi/, [qw(moonshotai-cn)]],
    [qr/^minimax/, [qw(minimax-cn)]],
    [qr/^nova/, [qw(amazon-bedrock bedrock bedrock_converse)]],
    [qr/^titan/, [qw(bedrock)]],
    [qr/^granite/, [qw(watsonx)]],
    [qr/^step-/, [qw(stepfun-ai)]],
);

sub makes {
    my ($rules, $name, $provider) = @_;
    return scalar grep {
        $name =~ $_->[0] && grep { $_ eq $provider } @{$_->[1]}
    } @$rules;
}


sub caps {
    my ($letters) = @_;
    my %caps = map {
        my $name = $MODALITY{$_} // $FLAG{$_} // die "capability $_";
        (($name eq 'image' ? 'vision' : $name) => 1);
    } grep { $_ ne '-' } split //, $letters;
    return \%caps;
}

my $json = JSON::PP->new->utf8->allow_nonref;

sub encode { return $json->encode($_[0]) }


sub member { return encode($_[0]) . ':' . encode($_[1]) }

# The rows, and the maps with them: the order of the rows matters.

my (%rows, %models, @providers);

for my $line (split /\n/, memGunzip(slurp("$FindBin::Bin/../data"
                                          . '/public-models.tsv.gz'))) {
    my ($map, @f) = split /\t/, $line, -1;
    my %row;

    if ($map eq 'models-dev') {
        my ($provider, $model, $in, $out) = @f;
        %row = (id => "$provider/$model", provider => $provider,
                in => caps($in), out => caps($out));
        my ($of, $flags) = $out =~ /^([a-z-]*)([A-Z]*)$/;
        push @providers, $provider if !$models{$map}{$provider};
        push @{$models{$map}{$provider}}, member($model, {
            modalities => {
                input => [map { $MODALITY{$_} // () } split //, $in],
                output => [map { $MODALITY{$_} // () } split //, $of] },
            map { +($_->[0] => $flags =~ $_->[1] ? JSON::PP::true
                                                 : JSON::PP::false) }
                ['tool_call', qr/T/], ['structured_output', qr/S/],
                ['reasoning', qr/R/] });

    } elsif ($map eq 'openrouter') {
        my ($id, $slug, $in, $out) = @f;
        %row = (id => $id, slug => $slug, provider => $id =~ s/\/.*//r,
                in => caps($in), out => caps($out));
        my ($of, $flags) = $out =~ /^([a-z-]*)([A-Z]*)$/;
        push @{$models{$map}}, encode({
            id => $id, canonical_slug => $slug, architecture => {
                input_modalities => [map { $MODALITY{$_} // () }
                                     split //, $in],
                output_modalities => [map { $MODALITY{$_} // () }
                                      split //, $of] },
            supported_parameters => [
                $flags =~ /T/ ? 'tools' : (),
                $flags =~ /S/ ? 'structured_outputs' : (),
                $flags =~ /R/ ? 'reasoning' : ()] });

    } else {
        my ($provider, $id, $in, $out, $modalities, $puts, $mode) = @f;
        my %entry = (litellm_provider => $provider);
        $entry{mode} = $mode if $mode;
        $in =~ s/-//;
        $out =~ s/-//;
        my %yes = (t => 1);
        my $stated = $in || $modalities;
        $entry{supported_modalities} = [map { $MODALITY{$_} // () }
                                        split //, $modalities] if $modalities;
        $entry{supported_output_modalities} = [map { $MODALITY{$_} // () }
                                               split //, $puts] if $puts;
        %yes = map { $_ => 1 } grep { $_ ne '-' } split //, $modalities
            if $modalities;
        while ($in =~ /(!?)(.)/g) {
            $entry{$CASE{$2}} = $1 ? JSON::PP::false : JSON::PP::true;
            $yes{lc $2} = 1 if !$1;
        }
        $entry{$OUT{$_}} = JSON::PP::true for split //, $out;
        %row = (id => $id, provider => $provider, out => caps($puts || 't'),
                in => $stated ? caps(join '', keys %yes) : undef);
        $row{out}{$FLAG{$_}} = 1 for split //, $out;
        push @{$models{$map}}, member($id, \%entry);
    }

    push @{$rows{$map}}, \%row;
}

cmp_ok(@{$rows{'models-dev'}} + @{$rows{litellm}} + @{$rows{openrouter}}, '>',
       7000, 'thousands of rows');

# How names are spelled, and all that may be dropped of one: text => cost.

sub spelled {
    my ($name) = @_;
    $name = lc $name;
    $name =~ s/(?<=[0-9])\.(?=[0-9])/-/g;
    $name =~ s/(?<=.)\@(?=[0-9])/-/g;
    return $name;
}

my $REGION = qr/(?:us|eu|apac|global|us-gov|jp|au|ca|sa|me|af)\./;
my $VENDOR = qr/(?:ai21|amazon|anthropic|cohere|google|luma|meta|minimax
                  |mistral|moonshot|moonshotai|nvidia|openai|qwen|stability
                  |twelvelabs|writer|xai|zai)\./x;
my $MONTH = qr/(?:0[1-9]|1[0-2])/;
my $DAY = qr/(?:0[1-9]|[12][0-9]|3[01])/;
my $LATEST = 1 << 17;
my $OTHERS = 1 << 16;

my %forms;

sub forms {
    my ($name) = @_;
    return $forms{$name} if $forms{$name};

    my $bedrock = $name =~ /^$REGION?$VENDOR/;
    my @ends = ([$name, 0]);
    my $drop = sub {
        my ($pattern, $cost) = @_;
        my ($text, $before) = @{$ends[-1]};
        $text =~ /^(.+?)$pattern$/s or return 0;
        push @ends, [$1, $before + $cost];
        return 1;
    };

    if ($name =~ /^(ft:[^:]+)(:?)/) {
        push @ends, [$1, 1024] if $2;
    } else {
        $drop->(qr/[:\@][a-z-]+/, 1024);
    }
    $drop->(qr/-v[0-9]+:[0-9]+(?::[0-9]+k)?/, 2048)
        || ($bedrock && $drop->(qr/-v[0-9]+/, 2048));
    if ($drop->(qr/-latest/, 4096 + $LATEST)
        || $drop->(qr/-20[0-9]{2}-?$MONTH-?$DAY/, 4096)) {
        # no preview of these
    } elsif ($drop->(qr/-(?:$MONTH-$DAY|$MONTH-20[0-9]{2})/, 4096)) {
        $drop->(qr/-preview/, 8192);
    }

    my %costs;
    for (@ends) {
        my ($text, $cost) = @$_;
        my @starts = ([$text, 0]);
        if ($text =~ /^ft:([^:].*)/s) {
            push @starts, [$1, 512];
        } else {
            push @starts, [$1, 256] if $text =~ /^$REGION(.+)/s;
            push @starts, [$2, 512 + ($1 ? 256 : 0)]
                if $text =~ /^($REGION)?$VENDOR(.+)/s;
        }
        $costs{$_->[0]} = min($costs{$_->[0]} // 1e9, $cost + $_->[1])
            for @starts;
    }
    return $forms{$name} = \%costs;
}


# What a service of a name has, with some maps loaded one after the other.

my (%by_id, %by_spelling, %by_text);

sub load_rows {
    my (@maps) = @_;
    my $serial = 0;

    %$_ = () for \(%by_id, %by_spelling, %by_text);
    for my $row (map { @{$rows{$_}} } @maps) {
        $by_id{$row->{id}} = { %$row, serial => $serial++ };
    }
    for my $row (values %by_id) {
        my @names = map { spelled($_) =~ s/.*\///sr } $row->{id},
            $row->{slug} ? $row->{slug} : ();
        my %costs;
        for my $name (@names) {
            my $forms = forms($name);
            $costs{$_} = min($costs{$_} // 1e9, $forms->{$_}) for keys %$forms;
            my ($bare) = sort { $forms->{$b} <=> $forms->{$a} } keys %$forms;
            $row->{maker} = makes(\@MAKERS, $bare, $row->{provider}) ? 1
                : makes(\@CLOUDS, $bare, $row->{provider}) ? 2 : 0;
        }
        push @{$by_text{$_}}, [$row, $costs{$_}] for keys %costs;
        push @{$by_spelling{spelled($row->{id})}}, $row;
    }
}


sub last_of { return (sort { $a->{serial} <=> $b->{serial} } @_)[-1] }


sub majority {
    my ($direction, @voters) = @_;
    my %votes;
    for my $row (@voters) {
        $votes{$_}++ for keys %{$direction eq 'in' && !$row->{in}
                                ? { text => 1 } : $row->{$direction}};
    }
    return { map { $votes{$_} * 2 > @voters ? ($_ => 1) : () } keys %votes };
}


sub of_rows {
    my ($name) = @_;
    my $asked = forms($name);
    my (@makers, @others, @blank);

    for my $text (keys %$asked) {
        my $cost = $asked->{$text} & ($LATEST - 1);
        my @found = @{$by_text{$text} || []} or next;
        my @stated = grep { $_->[0]{in} } @found;

        push @blank, map { [$_->[0], $_->[1] + $cost] } @found;
        push @makers, map { [$_->[0], $_->[1] + $cost + $_->[0]{maker}] }
            grep { $_->[0]{maker} } @stated;
        next if !@stated;

        my $least = min map { $_->[1] } @stated;
        push @others, [[map { $_->[0] } grep {
            $_->[1] == $least && ($_->[0]{in} || $_->[0]{maker})
        } @found], $least + $cost + $OTHERS];
    }

    my $best = min map { $_->[1] } @makers, @others;
    if (!defined $best) {
        $best = min map { $_->[1] } @blank;
        return undef if !defined $best;
        my $row = last_of(map { $_->[0] } grep { $_->[1] == $best } @blank);
        return { in => undef, out => $row->{out} };
    }
    if (my @best = grep { $_->[1] == $best } @makers) {
        return last_of(map { $_->[0] } @best);
    }
    my ($voters) = map { $_->[0] } grep { $_->[1] == $best } @others;
    return { in => majority('in', @$voters),
             out => majority('out', @$voters) };
}


sub expected {
    my ($name) = @_;
    my $row = $by_id{$name};

    if (!$row) {
        my @same = @{$by_spelling{spelled($name)} || []};
        my %rank = (1 => 0, 2 => 1, 0 => 2);
        my $best = min map { $rank{$_->{maker}} + ($_->{in} ? 0 : 3) } @same;
        $row = last_of(grep {
            $rank{$_->{maker}} + ($_->{in} ? 0 : 3) == $best } @same)
            if @same;
    }

    my $found = $row && $row->{in} ? $row : of_rows(spelled($name));
    return { in => $found->{in} || { text => 1 },
             out => $row ? $row->{out} : $found->{out} };
}


sub words { return join ' ', sort keys %{$_[0]} }


my $t = ArtifactTest->new;

$t->file('litellm.json', '{' . join(",\n", @{$models{litellm}}) . '}');
$t->file('openrouter.json',
         '{"data":[' . join(",\n", @{$models{openrouter}}) . ']}');
$t->file('models-dev.json', '{' . join(",\n", map {
    encode($_) . ':{"models":{'
        . join(",\n", @{$models{'models-dev'}{$_}}) . '}}'
} @providers) . '}');
$t->artifact('png', png(4, 4), { type => 'image/png', name => 'a.png' });

my $server = <<'SERVER';
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /services/ {
        artifact_services;
    }
SERVER

sub conf {
    return join '', map { "artifact_capabilities %%PREFIX%%/$_.json;\n" } @_;
}


sub service {
    my ($name) = @_;
    $name =~ s/([^A-Za-z0-9_.-])/sprintf '%%%02X', ord $1/eg;
    return json_of($t->get("/services/$name"));
}


sub check_all {
    my (@maps) = @_;
    my (%names, @wrong, $sees);

    load_rows(@maps);
    for my $row (values %by_id) {
        $names{$_ =~ s/.*\///sr} = 1
            for $row->{id}, $row->{slug} ? $row->{slug} : ();
    }

    for my $name (sort keys %names) {
        my $want = expected($name);
        my $caps = service($name)->{capabilities};
        my $got = join ' | ', map { words({ map { $_ => 1 } @$_ }) }
            @$caps{qw(input output)};
        my $wish = words($want->{in}) . ' | ' . words($want->{out});
        push @wrong, "$name: $got, not $wish" if $got ne $wish;
        $sees++ if $want->{in}{vision};
    }

    my $n = keys %names;
    is(join("\n", @wrong), '', "@maps: $n names");
    cmp_ok($sees, '>', 100, "$sees of them see");
    cmp_ok($sees, '<', $n * 0.8, 'many do not');
}


my @ALL = qw(litellm models-dev openrouter);

$t->start(http => conf('models-dev'), server => $server);
check_all('models-dev');

# Names of which less than half of the rows, but some, say "image".

my $SEEN = 'image image_url image/png';
my $BLIND = 'image text image/png capability';

is(routing_of($t->service($_, '/artifacts/png')), $BLIND, "$_ is not sent it")
    for qw(deepseek-v3.2 DeepSeek-V3.2 deepseek/DeepSeek-v3.2 qwen3-coder
           gpt-3.5-turbo-instruct deepseek-v3.2:thinking);
is(routing_of($t->service($_, '/artifacts/png')), $SEEN, "$_ is")
    for qw(gpt-4o GPT-4o-2024-08-06 claude-sonnet-4.5 kimi-k2.6 glm-4.5v
           gemini-2.5-pro-preview-06-05 gemini-2.5-pro-preview-12-31
           gpt-5.1-2025-11-13);

is(service('poe/openai/gpt-3.5-turbo-instruct')->{id},
   'poe/openai/gpt-3.5-turbo-instruct', 'an id is a row of its own');
is(service('GPT-4o')->{id}, 'openai/gpt-4o', 'the row of the maker');
is(service('qwen3-coder')->{id},
   service(service('qwen3-coder')->{id})->{id}, 'an id finds itself');

ok(!exists json_of($t->service('qwen3-coder', '/artifacts/png'))
   ->{metadata}{suggestedServices}, 'nobody of a public map is suggested');

for my $maps (['litellm'], ['openrouter'], \@ALL, [reverse @ALL]) {
    ok($t->reload(http => conf(@$maps), server => $server), "@$maps");
    check_all(@$maps);
}

is(routing_of($t->service('gpt-3.5-turbo-instruct', '/artifacts/png')),
   $BLIND, 'an id that states nothing has what the rows say');

$t->finish;
