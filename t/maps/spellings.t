#!/usr/bin/perl

# Spellings of models' names, as clients and libraries have them: LangChain's
# init_chat_model(), PydanticAI, LiteLLM, Vertex AI, Amazon Bedrock's ids,
# inference profiles and ARNs, Azure's deployments, OpenRouter.  Each finds the
# right row among those of resellers, and of rows that tell nothing.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;

my $t = ArtifactTest->new;

my %sees = (mode => 'chat', supports_vision => JSON::PP::true);
my %reads = (%sees, supports_pdf_input => JSON::PP::true);
my %blank = (mode => 'chat', supports_function_calling => JSON::PP::true);

sub modalities {
    my (@input) = @_;
    return { modalities => { input => ['text', @input], output => ['text'] } };
}

sub architecture {
    my ($id, $slug, @input) = @_;
    return { id => $id, canonical_slug => $slug,
             architecture => { input_modalities => ['text', @input] } };
}

# Each model has the row that should be found, and some that should not be:
# resellers' that take text only, and rows that tell nothing at all.

$t->file('litellm.json', {
    (map { $_ => { %reads, litellm_provider => 'openai' } } qw(
        gpt-4o gpt-4o-mini-2024-07-18 gpt-5.1-2025-11-13 o4-mini
    )),
    (map { $_ => { %reads, litellm_provider => 'anthropic' } } qw(
        claude-sonnet-4-5-20250929 claude-3-haiku-20240307
    )),
    (map { $_ => \%reads } qw(
        azure/gpt-4.1 azure/eu/gpt-4o-2024-11-20
        vertex_ai/claude-3-5-sonnet
        anthropic.claude-3-haiku-20240307-v1:0
        us.anthropic.claude-opus-4-6-v1
        us.amazon.nova-pro-v1:0 gemini/gemini-2.5-flash
    )),
    (map { $_ => \%sees } qw(
        groq/meta-llama/llama-4-scout-17b-16e-instruct
        bedrock/us-east-1/anthropic.claude-3-haiku-20240307-v1:0
        fireworks_ai/accounts/fireworks/models/kimi-k2p5
        ollama/llama3.2-vision:11b
    )),
    (map { $_ => \%blank } qw(
        heroku/claude-3-5-sonnet-latest oci/xai.grok-4-fast
        perplexity/openai/o4-mini deepinfra/google/gemini-2.5-flash
        databricks/gpt-4.1 gmi/openai/gpt-5.1-2025-11-13
        ft:gpt-4o-2024-08-06 azure/gpt-35-turbo only-here
    )),
});

$t->file('models-dev.json', {
    anthropic => { models => {
        'claude-opus-4-1' => modalities('image', 'pdf'),
        'claude-3-7-sonnet-20250219' => modalities('image', 'pdf'),
    } },
    'google-vertex' => { models => {
        'gemini-2.5-pro' => modalities('image', 'audio', 'video', 'pdf'),
    } },
    mistral => { models => {
        'pixtral-large-latest' => modalities('image'),
    } },
    openai => { models => {
        'gpt-3.5-turbo' => modalities(),
    } },
    'nano-gpt' => { models => {
        'openai/gpt-5.1-2025-11-13' => modalities(),
        'gemini-2.5-pro' => modalities(),
        'claude-opus-4-1' => modalities(),
        'gemini-2.5-pro-preview-06-05' => modalities(),
        'openai/gpt-3.5-turbo-0125' => modalities(),
        'sold-only-2026-01-02' => modalities(),
    } },
    requesty => { models => {
        'xai/grok-4-fast' => modalities(),
        'openai/o4-mini' => modalities(),
    } },
    zenmux => { models => {
        'x-ai/grok-4-fast' => modalities('image'),
        'mistralai/pixtral-large' => modalities(),
    } },
    xai => { models => {
        'grok-4-fast' => modalities('image'),
    } },
    moonshotai => { models => {
        'kimi-k2.6' => modalities('image', 'video'),
    } },
});

$t->file('openrouter.json', { data => [
    architecture('google/gemini-2.5-pro-preview',
                 'google/gemini-2.5-pro-preview-06-05',
                 qw(image file audio)),
    architecture('meta-llama/llama-3.2-11b-vision-instruct',
                 'meta-llama/llama-3.2-11b-vision-instruct', 'image'),
    architecture('deepseek/deepseek-chat-v3.1', 'deepseek/deepseek-chat-v3.1'),
    architecture('qwen/qwen3-vl-8b-instruct', 'qwen/qwen3-vl-8b-instruct',
                 'image'),
    architecture('z-ai/glm-4.5v', 'z-ai/glm-4.5v', 'image'),
] });

$t->file('maker.json', {
    openai => { models => { 'gpt-5.1' => modalities('image', 'pdf') } },
    'nano-gpt' => { models => {
        'openai/gpt-5.1-2025-11-13' => modalities(),
    } },
});

# The service that is found, and the spellings that find it.

my @TABLE = (

    # OpenAI and Azure

    'gpt-4o' => [qw(
        gpt-4o GPT-4o GPT-4O openai/gpt-4o OpenAI/GPT-4o openai:gpt-4o
        OPENAI:gpt-4o openai-chat:gpt-4o openai-responses:gpt-4o
        openai_responses/gpt-4o azure:gpt-4o azure_openai:gpt-4o
        azure-openai/gpt-4o azure_ai/gpt-4o azure/eastus/gpt-4o
        azure/global-standard/gpt-4o litellm:gpt-4o litellm_proxy/gpt-4o
        gateway/openai:gpt-4o gateway/openai/gpt-4o openrouter/openai/gpt-4o
        openrouter:openai/gpt-4o vercel:openai/gpt-4o github:openai/gpt-4o
        gpt-4o-2024-05-13 gpt-4o-2024-08-06 gpt-4o-latest gpt-4o:extended
        openai/gpt-4o:free openai/gpt-4o:extended openai/gpt-4o-2024-08-06
        openai:gpt-4o-2024-08-06 azure/gpt-4o-2024-08-06
        azure_openai:gpt-4o-2024-08-06 ft:gpt-4o:acme::A1b2C3
        ft:gpt-4o-2024-08-06:acme::id ft:gpt-4o-2024-08-06:acme:bot:id
        FT:GPT-4o-2024-08-06:Acme::Id openai:ft:gpt-4o-2024-08-06:acme::id
        openai/ft:gpt-4o-2024-08-06:acme::id:ckpt-step-90
        azure/gpt-4o-2024-11-20 gpt-4o-2024-11-20 openai:gpt-4o-2024-11-20
        azure_openai:gpt-4o-2024-11-20 ft:gpt-4o-2024-11-20:acme::id
    )],
    'gpt-4o-mini-2024-07-18' => [qw(
        gpt-4o-mini-2024-07-18 gpt-4o-mini openai:gpt-4o-mini GPT-4o-Mini
        azure/gpt-4o-mini azure_openai:gpt-4o-mini azure/gpt-4o-mini-2024-07-18
        ft:gpt-4o-mini-2024-07-18:acme::x openrouter/openai/gpt-4o-mini
        openai/gpt-4o-mini-20240718 gateway/openai:gpt-4o-mini
    )],
    'gpt-5.1-2025-11-13' => [qw(
        gpt-5.1-2025-11-13 openai/gpt-5.1-2025-11-13 openai:gpt-5.1-2025-11-13
        openai-responses:gpt-5.1 gpt-5.1 openai/gpt-5.1 azure/gpt-5.1
        openrouter/openai/gpt-5.1 gpt-5-1 GPT-5.1 gpt-5.1-latest
    )],
    'o4-mini' => [qw(
        o4-mini openai:o4-mini azure:o4-mini o4-mini-2025-04-16
        perplexity/o4-mini O4-mini openai-responses:o4-mini-2025-04-16
    )],
    'azure/gpt-4.1' => [qw(
        azure/gpt-4.1 gpt-4.1 openai:gpt-4.1 azure:gpt-4.1
        azure_openai:gpt-4.1-2025-04-14 azure/gpt-4.1-2025-04-14
        azure/us/gpt-4.1 openai/gpt-4.1-2025-04-14 gpt-4-1
    )],
    'azure/eu/gpt-4o-2024-11-20' => [qw(
        azure/eu/gpt-4o-2024-11-20 azure:EU/GPT-4o-2024-11-20
    )],

    # Anthropic: its own API, Bedrock, Vertex

    'claude-sonnet-4-5-20250929' => [qw(
        claude-sonnet-4-5-20250929 claude-sonnet-4-5 claude-sonnet-4.5
        claude-sonnet-4-5-latest anthropic/claude-sonnet-4-5
        anthropic:claude-sonnet-4-5 anthropic:claude-sonnet-4-5-20250929
        anthropic/claude-sonnet-4.5 anthropic/claude-sonnet-4.5:beta
        openrouter/anthropic/claude-sonnet-4.5
        openrouter:anthropic/claude-sonnet-4.5:thinking
        vercel:anthropic/claude-sonnet-4.5 Claude-Sonnet-4-5
        claude-sonnet-4-5@20250929 vertex_ai/claude-sonnet-4-5@20250929
        google_anthropic_vertex:claude-sonnet-4-5@20250929
        google-vertex-anthropic/claude-sonnet-4-5@20250929
        publishers/anthropic/models/claude-sonnet-4-5@20250929
        projects/p/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5
        anthropic.claude-sonnet-4-5-20250929-v1:0
        us.anthropic.claude-sonnet-4-5-20250929-v1:0
        eu.anthropic.claude-sonnet-4-5-20250929-v1:0
        jp.anthropic.claude-sonnet-4-5-20250929-v1:0
        global.anthropic.claude-sonnet-4-5-20250929-v1:0
        us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0
        apac.anthropic.claude-sonnet-4-5-20250929-v1:0
        au.anthropic.claude-sonnet-4-5-20250929-v1:0
        us.anthropic.claude-sonnet-4-5-20250929-v1:0:200k
        bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0
        bedrock_converse:anthropic.claude-sonnet-4-5-20250929-v1:0
        anthropic_bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0
        bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0
        bedrock/us-west-2/anthropic.claude-sonnet-4-5-20250929-v1:0
        bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0
        bedrock/invoke/us.anthropic.claude-sonnet-4-5-20250929-v1:0
        amazon-bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0
        arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0
        arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0
        arn:aws-us-gov:bedrock:us-gov-west-1:123456789012:inference-profile/us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0
        bedrock/arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0
    )],
    'vertex_ai/claude-3-5-sonnet' => [qw(
        claude-3-5-sonnet-latest anthropic:claude-3-5-sonnet-latest
        anthropic/claude-3-5-sonnet-latest claude-3-5-sonnet
        claude-3.5-sonnet anthropic/claude-3.5-sonnet
        anthropic/claude-3.5-sonnet:beta claude-3-5-sonnet-20241022
        claude-3-5-sonnet@20240620 vertex_ai/claude-3-5-sonnet@20240620
        us.anthropic.claude-3-5-sonnet-20241022-v2:0
        anthropic.claude-3-5-sonnet-20240620-v1:0:18k
        bedrock:anthropic.claude-3-5-sonnet-20240620-v1:0
        google_anthropic_vertex:claude-3-5-sonnet@20240620
    )],
    'anthropic.claude-3-haiku-20240307-v1:0' => [qw(
        anthropic.claude-3-haiku-20240307-v1:0
        Anthropic.Claude-3-Haiku-20240307-v1:0
    )],
    'claude-3-haiku-20240307' => [qw(
        claude-3-haiku-20240307
        anthropic:claude-3-haiku-20240307 claude-3-haiku@20240307
        eu.anthropic.claude-3-haiku-20240307-v1:0 anthropic/claude-3-haiku
        anthropic.claude-3-haiku-20240307-v1:0:48k Anthropic/Claude-3-Haiku
        arn:aws:bedrock:us-west-2::foundation-model/anthropic.claude-3-haiku-20240307-v1:0:48k
    )],
    'us.anthropic.claude-opus-4-6-v1' => [qw(
        us.anthropic.claude-opus-4-6-v1 anthropic.claude-opus-4-6-v1
        eu.anthropic.claude-opus-4-6-v1:0 global.anthropic.claude-opus-4-6-v1
        claude-opus-4-6 anthropic:claude-opus-4-6 anthropic/claude-opus-4.6
        bedrock:us.anthropic.claude-opus-4-6-v1 claude-opus-4-6@default
        vertex_ai/claude-opus-4-6@default
    )],
    'anthropic/claude-opus-4-1' => [qw(
        anthropic/claude-opus-4-1 anthropic:claude-opus-4-1 claude-opus-4-1
        claude-opus-4-1-20250805 anthropic/claude-opus-4.1
        us.anthropic.claude-opus-4-1-20250805-v1:0 claude-opus-4-1@20250805
        bedrock:us.anthropic.claude-opus-4-1-20250805-v1:0 Claude-Opus-4.1
    )],
    'anthropic/claude-3-7-sonnet-20250219' => [qw(
        claude-3-7-sonnet-20250219 claude-3-7-sonnet-latest
        anthropic:claude-3-7-sonnet-latest anthropic/claude-3.7-sonnet:thinking
        eu.anthropic.claude-3-7-sonnet-20250219-v1:0
        claude-3-7-sonnet@20250219
    )],

    # Google

    'google-vertex/gemini-2.5-pro' => [qw(
        gemini-2.5-pro google/gemini-2.5-pro google:gemini-2.5-pro
        google-gla:gemini-2.5-pro google-vertex:gemini-2.5-pro
        google_genai:gemini-2.5-pro google_vertexai:gemini-2.5-pro
        google-genai/gemini-2.5-pro gemini/gemini-2.5-pro
        vertex_ai/gemini-2.5-pro vertexai/gemini-2.5-pro models/gemini-2.5-pro
        publishers/google/models/gemini-2.5-pro Gemini-2.5-Pro
        projects/p/locations/global/publishers/google/models/gemini-2.5-pro
        gemini-2.5-pro-20250617 google/gemini-2.5-pro:free
        openrouter/google/gemini-2.5-pro gateway/google-vertex:gemini-2.5-pro
        gemini-2.5-pro-latest GOOGLE-GLA:GEMINI-2.5-PRO
    )],
    'google/gemini-2.5-pro-preview' => [qw(
        google/gemini-2.5-pro-preview gemini-2.5-pro-preview-06-05
        google/gemini-2.5-pro-preview-06-05 gemini-2.5-pro-preview
        google-gla:gemini-2.5-pro-preview-06-05
        google-vertex:gemini-2.5-pro-preview-06-05
        gemini/gemini-2.5-pro-preview-05-06 gemini-2.5-pro-preview-05-06
        google_genai:gemini-2.5-pro-preview-05-06
    )],
    'gemini/gemini-2.5-flash' => [qw(
        gemini-2.5-flash google-gla:gemini-2.5-flash google/gemini-2.5-flash
        models/gemini-2.5-flash vertex_ai/gemini-2.5-flash
        google_vertexai:gemini-2.5-flash deepinfra/gemini-2.5-flash
    )],

    # others

    'xai/grok-4-fast' => [qw(
        xai/grok-4-fast x-ai/grok-4-fast xai:grok-4-fast grok:grok-4-fast
        grok-4-fast openrouter/x-ai/grok-4-fast:free XAI/Grok-4-Fast
    )],
    'zenmux/x-ai/grok-4-fast' => [qw(
        zenmux/x-ai/grok-4-fast Zenmux/X-AI/Grok-4-Fast
    )],
    'us.amazon.nova-pro-v1:0' => [qw(
        us.amazon.nova-pro-v1:0 amazon.nova-pro-v1:0 eu.amazon.nova-pro-v1:0
        bedrock:amazon.nova-pro-v1:0 bedrock_converse:us.amazon.nova-pro-v1:0
        amazon.nova-pro-v1:0:300k
        arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pro-v1:0
        arn:aws:bedrock:us-east-1:1:inference-profile/us.amazon.nova-pro-v1:0
    )],
    'groq/meta-llama/llama-4-scout-17b-16e-instruct' => [qw(
        groq/meta-llama/llama-4-scout-17b-16e-instruct
        groq:meta-llama/llama-4-scout-17b-16e-instruct
        meta-llama/llama-4-scout-17b-16e-instruct
        meta-llama/Llama-4-Scout-17B-16E-Instruct
        together:meta-llama/Llama-4-Scout-17B-16E-Instruct
        huggingface:meta-llama/Llama-4-Scout-17B-16E-Instruct
        llama-4-scout-17b-16e-instruct
    )],
    'meta-llama/llama-3.2-11b-vision-instruct' => [qw(
        meta-llama/Llama-3.2-11B-Vision-Instruct
        meta.llama-3.2-11b-vision-instruct
        huggingface:meta-llama/Llama-3.2-11B-Vision-Instruct
        openrouter/meta-llama/llama-3.2-11b-vision-instruct:free
    )],
    'fireworks_ai/accounts/fireworks/models/kimi-k2p5' => [qw(
        fireworks:accounts/fireworks/models/kimi-k2p5
        accounts/fireworks/models/kimi-k2p5
        fireworks_ai/kimi-k2p5 kimi-k2p5
    )],
    'moonshotai/kimi-k2.6' => [qw(
        kimi-k2.6 moonshotai:kimi-k2.6 moonshot/kimi-k2.6
        MoonshotAI/Kimi-K2.6 openrouter/moonshotai/kimi-k2.6
    )],
    'mistral/pixtral-large-latest' => [qw(
        mistral:pixtral-large-latest mistralai:pixtral-large-latest
        pixtral-large-latest mistral/pixtral-large-latest
        mistralai/pixtral-large-latest MistralAI/Pixtral-Large-Latest
    )],
    'deepseek/deepseek-chat-v3.1' => [qw(
        deepseek:deepseek-chat-v3.1 deepseek-chat-v3.1
        deepseek-ai/DeepSeek-Chat-V3.1 deepseek/deepseek-chat-v3.1:free
    )],
    'qwen/qwen3-vl-8b-instruct' => [qw(
        alibaba:qwen3-vl-8b-instruct Qwen/Qwen3-VL-8B-Instruct
        huggingface:Qwen/Qwen3-VL-8B-Instruct qwen:qwen3-vl-8b-instruct
        dashscope/qwen3-vl-8b-instruct
    )],
    'z-ai/glm-4.5v' => [qw(
        zai/glm-4.5v zai:glm-4.5v zai-org/GLM-4.5V zhipuai/glm-4.5v glm-4.5v
    )],
    'ollama/llama3.2-vision:11b' => [qw(
        ollama:llama3.2-vision:11b ollama_chat/llama3.2-vision:11b
        llama3.2-vision:11b
    )],

    'openai/gpt-3.5-turbo' => [qw(
        gpt-3.5-turbo openai:gpt-3.5-turbo gpt-3.5-turbo-2024-01-25
    )],

    # who asks for a reseller's row, by its id or because there is no other

    'nano-gpt/openai/gpt-5.1-2025-11-13' => [
        'nano-gpt/openai/gpt-5.1-2025-11-13',
    ],
    'nano-gpt/sold-only-2026-01-02' => [qw(
        sold-only-2026-01-02 sold-only sold-only-latest sold/sold-only
    )],

    # what tells nothing is found where nothing else is

    'only-here' => [qw(only-here openai/only-here only-here-latest)],
    'azure/gpt-35-turbo' => [qw(azure:gpt-35-turbo gpt-35-turbo)],

    # other models

    '-' => [qw(
        gpt gpt-4 4o gpt-4o-nano gpt-4o1 o4 o4-mini-high gpt-5 gpt-4.11
        claude claude-3 claude-3-5 claude-sonnet claude-sonnet-4 gemini
        gemini-2.5 llama3.2-vision llama3.2-vision:90b 11b mistral:7b
        mistral:latest qwen:chat openai: openai/ :gpt-4o ft: ft::x
        ft:gpt-4o1:acme::id deepseek-chat kimi-k2 glm-4.5 claude-opus-4-6-v1x
        arn:aws:bedrock:us-east-1:1:application-inference-profile/a1b2c3
        projects/p/locations/us-central1/endpoints/1234567890
    )],
);

my $spellings = 0;
$spellings += @{$TABLE[2 * $_ + 1]} for 0 .. $#TABLE / 2;
cmp_ok($spellings, '>=', 250, "$spellings spellings");

sub found {
    my ($name) = @_;
    $name =~ s/([^A-Za-z0-9\/_.-])/sprintf '%%%02X', ord $1/eg;
    my $r = $t->get("/services/$name");
    return $r->status == 404 ? '-' : json_of($r)->{id};
}

my $maps = join '', map { "artifact_capabilities %%PREFIX%%/$_.json;\n" }
    qw(litellm models-dev openrouter);

my $server = <<'SERVER';
    location /services/ {
        artifact_services;
    }
SERVER

$t->start(http => $maps, server => $server);

for (my $i = 0; $i < @TABLE; $i += 2) {
    my ($id, $names) = @TABLE[$i, $i + 1];
    my @wrong = grep { $_ } map {
        my $found = found($_);
        $found eq $id ? '' : "$_ finds $found"
    } @$names;
    is(join("\n", @wrong), '', @$names . " spellings find $id");
}

# An id that tells nothing of what it reads knows what others tell of its model.

for (['databricks/gpt-4.1', 'vision', 1], ['gmi/openai/gpt-5.1-2025-11-13',
     'pdf', 1], ['heroku/claude-3-5-sonnet-latest', 'vision', 1],
     ['perplexity/openai/o4-mini', 'vision', 1],
     ['deepinfra/google/gemini-2.5-flash', 'vision', 1],
     ['ft:gpt-4o-2024-08-06', 'vision', 1], ['only-here', 'vision', ''],
     ['nano-gpt/gemini-2.5-pro', 'vision', ''])
{
    my ($id, $capability, $want) = @$_;
    my $got = json_of($t->get("/services/$id/capabilities/$capability"));
    is($got->{service}, $id, "\"$id\" is itself");
    is($got->{supported}, $want ? JSON::PP::true : JSON::PP::false,
       "its \"$capability\"");
}

# The order of the maps does not matter where less is dropped.

my $back = join '', map { "artifact_capabilities %%PREFIX%%/$_.json;\n" }
    qw(openrouter models-dev litellm);

ok($t->reload(http => $back, server => $server), 'the other way round');
is(found($_->[0]), $_->[1], "\"$_->[0]\" finds $_->[1] again") for
    ['claude-3-5-sonnet-latest', 'vertex_ai/claude-3-5-sonnet'],
    ['openai/gpt-5.1-2025-11-13', 'gpt-5.1-2025-11-13'],
    ['openrouter/xai/grok-4-fast', 'xai/grok-4-fast'],
    ['gemini-2.5-pro-preview-06-05', 'google/gemini-2.5-pro-preview'];


# A reseller's word does not outweigh that of the model's maker.

ok($t->reload(http => 'artifact_capabilities %%PREFIX%%/maker.json;',
              server => $server), 'a maker and a reseller');
is(found($_), 'openai/gpt-5.1', "\"$_\" is the maker's") for
    qw(openai/gpt-5.1-2025-11-13 openai:gpt-5.1-2025-11-13
       gpt-5.1-2025-11-13 azure/gpt-5.1-2025-11-13 GPT-5.1-2025-11-13
       openrouter/openai/gpt-5.1-2025-11-13 gpt-5.1-latest);
is(found('nano-gpt/openai/gpt-5.1-2025-11-13'),
   'nano-gpt/openai/gpt-5.1-2025-11-13', 'who asks for its row has it');

$t->finish;
