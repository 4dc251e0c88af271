package ArtifactAnswers;

# Answers of models' APIs in the shape of the types of their SDKs (the versions
# of t/npm/sdk/package.json): openai 7.57.0 (ChatCompletionChunk,
# ResponseStreamEvent), @anthropic-ai/sdk 1.12.0 (RawMessageStreamEvent),
# @google/genai 3.1.0 (GenerateContentResponse), @mistralai/mistralai 2.7.0
# (CompletionChunk), @openrouter/sdk 1.3.19 (ChatStreamChunk) and
# @aws-sdk/client-bedrock-runtime 3.1164.0 (ConverseResponse); and the events of
# an agent's own stream.

use strict;
use warnings;

use Exporter 'import';
use JSON::PP;

our @EXPORT = qw(answer_events answer_stream answer_json answer_path
                 answer_member);

my $JSON = JSON::PP->new->utf8->canonical->allow_nonref;

my %PATH = (
    openai => '/v1/chat/completions', openai_responses => '/v1/responses',
    anthropic => '/v1/messages', mistral => '/v1/chat/completions',
    openrouter => '/api/v1/chat/completions',
    gemini => '/v1beta/models/g-9:streamGenerateContent',
    bedrock => '/model/m/converse', agent => '/agent',
);


sub answer_path { return $PATH{ $_[0] } }


# Objects print their keys in this order, as lists of pairs.

sub object {
    my @pairs;
    while (my ($key, $value) = splice @_, 0, 2) {
        push @pairs, $JSON->encode($key) . ':'
            . (ref $value eq 'SCALAR' ? $$value : $JSON->encode($value));
    }
    my $text = '{' . join(',', @pairs) . '}';
    return \$text;
}


sub list {
    my $text = '[' . join(',', map { $$_ } @_) . ']';
    return \$text;
}


# The events of a text that comes in these pieces; more: text of the JSON
# members that the final one has besides, and the response in it.  Each is what
# "data:" has, and its name.

sub answer_events {
    my ($api, $pieces, $more) = @_;

    my @events = __PACKAGE__->can("_$api")->(@$pieces);

    if (defined $more) {
        my ($final) = grep { $_->{final} } @events;
        $final->{data} =~ s/\}\z/,$more}/;
        $final->{data} =~ s/\}(?=,\Q$more\E\}\z)/,$more}/
            if $api eq 'openai_responses';
    }

    return @events;
}


# The whole stream; eol: how lines end.

sub answer_stream {
    my ($api, $pieces, $more, $eol) = @_;
    my @events = answer_events($api, $pieces, $more);

    return '[' . join(",\r\n", map { $_->{data} } @events) . "]\n"
        if $api eq 'gemini' && ($eol // '') eq 'array';

    $eol //= "\n";
    return join '', map {
        (defined $_->{event} ? "event: $_->{event}$eol" : '')
            . "data: $_->{data}$eol$eol"
    } @events;
}


sub answer_member {
    my (@items) = @_;
    return '"artifacts":' . $JSON->encode(\@items);
}


sub _chat {
    my ($object, @texts) = @_;

    my $chunk = sub {
        my ($delta, $reason) = @_;
        return { final => $reason ? 1 : 0, data => ${ object(
            id => 'chatcmpl-1', object => $object, created => 1_790_000_000,
            model => 'm', choices => list(object(
                index => 0, delta => $delta, logprobs => undef,
                finish_reason => $reason)),
        ) } };
    };

    return ($chunk->(object(role => 'assistant', content => '')),
            (map { $chunk->(object(content => $_)) } @texts),
            $chunk->(object(), 'stop'),
            { data => ${ object(
                id => 'chatcmpl-1', object => $object,
                created => 1_790_000_000, model => 'm', choices => [],
                usage => object(prompt_tokens => 1, completion_tokens => 2,
                                total_tokens => 3)) } },
            { data => '[DONE]' });
}


sub _openai { return _chat('chat.completion.chunk', @_) }


sub _openrouter {
    return _chat('chat.completion.chunk', @_);
}


sub _mistral {
    return grep { $_->{data} !~ /"usage"/ } _chat('chat.completion.chunk', @_);
}


sub _response {
    my ($status, @output) = @_;
    return object(
        id => 'resp_1', object => 'response', created_at => 1_790_000_000,
        status => $status, error => undef, incomplete_details => undef,
        instructions => undef, metadata => object(), model => 'm',
        output => list(@output), parallel_tool_calls => \'true',
        temperature => 1, tool_choice => 'auto', tools => [], top_p => 1,
    );
}


sub _message {
    my ($status, @content) = @_;
    return object(id => 'msg_1', type => 'message', status => $status,
                  content => list(@content), role => 'assistant');
}


sub _output_text {
    my ($text) = @_;
    return object(type => 'output_text', annotations => [], logprobs => [],
                  text => $text);
}


sub _openai_responses {
    my (@texts) = @_;
    my $text = join '', @texts;
    my $n = 0;

    my @part = (item_id => 'msg_1', output_index => 0, content_index => 0);

    my $event = sub {
        my ($type, @members) = @_;
        return { event => $type, final => $type eq 'response.completed',
                 data => ${ object(type => $type, sequence_number => $n++,
                                   @members) } };
    };

    return (
        $event->('response.created', response => _response('in_progress')),
        $event->('response.output_item.added', output_index => 0,
                 item => _message('in_progress')),
        $event->('response.content_part.added', @part,
                 part => _output_text('')),
        (map { $event->('response.output_text.delta', @part, delta => $_,
                        logprobs => []) } @texts),
        $event->('response.output_text.done', @part, text => $text,
                 logprobs => []),
        $event->('response.content_part.done', @part,
                 part => _output_text($text)),
        $event->('response.output_item.done', output_index => 0,
                 item => _message('completed', _output_text($text))),
        $event->('response.completed', response => _response('completed',
                 _message('completed', _output_text($text)))),
    );
}


sub _anthropic {
    my (@texts) = @_;

    my $event = sub {
        my ($type, @members) = @_;
        return { event => $type, final => $type eq 'message_delta',
                 data => ${ object(type => $type, @members) } };
    };

    return (
        $event->('message_start', message => object(
            id => 'msg_1', type => 'message', role => 'assistant',
            content => [], model => 'm', stop_reason => undef,
            stop_sequence => undef,
            usage => object(input_tokens => 1, output_tokens => 1))),
        $event->('content_block_start', index => 0,
                 content_block => object(type => 'text', text => '')),
        $event->('ping'),
        (map { $event->('content_block_delta', index => 0,
                        delta => object(type => 'text_delta', text => $_)) }
         @texts),
        $event->('content_block_stop', index => 0),
        $event->('message_delta', delta => object(
            stop_reason => 'end_turn', stop_sequence => undef),
            usage => object(output_tokens => 9)),
        $event->('message_stop'),
    );
}


sub _gemini {
    my (@texts) = @_;
    my $last = pop @texts;

    my $chunk = sub {
        my ($text, @reason) = @_;
        return { final => @reason ? 1 : 0, data => ${ object(
            candidates => list(object(content => object(
                parts => list(object(text => $text)), role => 'model'),
                @reason, index => 0)),
            usageMetadata => object(promptTokenCount => 1),
            modelVersion => 'g-9', responseId => 'r',
        ) } };
    };

    return ((map { $chunk->($_) } @texts),
            $chunk->($last, finishReason => 'STOP'));
}


sub _agent {
    my (@texts) = @_;

    return ((map { { data => ${ object(type => 'text', text => $_) } } }
             @texts),
            { data => ${ object(type => 'result', subtype => 'success',
                                result => join('', @texts)) }, own => 1 },
            { data => ${ object(type => 'done') } });
}


# The same as one document.

sub answer_json {
    my ($api, $text, $more) = @_;

    my $answer =
        $api =~ /\A(?:openai|mistral|openrouter)\z/ ? object(
            id => 'chatcmpl-1', object => 'chat.completion',
            created => 1_790_000_000, model => 'm',
            choices => list(object(index => 0, message => object(
                role => 'assistant', content => $text, refusal => undef),
                logprobs => undef, finish_reason => 'stop')),
            system_fingerprint => undef, usage => object(prompt_tokens => 1, completion_tokens => 2,
                            total_tokens => 3))
      : $api eq 'openai_responses'
            ? _response('completed', _message('completed',
                                              _output_text($text)))
      : $api eq 'anthropic' ? object(
            id => 'msg_1', type => 'message', role => 'assistant',
            content => list(object(type => 'text', text => $text)),
            model => 'm', stop_reason => 'end_turn', stop_sequence => undef,
            usage => object(input_tokens => 1, output_tokens => 9))
      : $api eq 'gemini' ? \(_gemini($text))[0]{data}
      : $api eq 'bedrock' ? object(
            output => object(message => object(
                role => 'assistant', content => list(object(text => $text)))),
            stopReason => 'end_turn',
            usage => object(inputTokens => 1, outputTokens => 2,
                            totalTokens => 3),
            metrics => object(latencyMs => 7))
      : object(type => 'result', result => $text);

    $answer = $$answer;
    $answer =~ s/\}\z/,$more}/ if defined $more;
    return $answer;
}


1;
