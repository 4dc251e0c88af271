package ArtifactMcp;

# A client of the MCP server: messages of both generations of the protocol, as
# raw requests, and what is checked of every answer.

use strict;
use warnings;

use Exporter 'import';
use JSON::PP ();
use MIME::Base64 qw(encode_base64);
use Test::More;

use ArtifactCheck;
use ArtifactJSON;

our @EXPORT = qw(
    $MODERN @OLDER mcp_ask mcp_error mcp_headers mcp_message mcp_meta mcp_pages
    mcp_post mcp_result mcp_server mcp_tool mcp_words
);

our $MODERN = '2026-07-28';
our @OLDER = qw(2025-11-25 2025-06-18 2025-03-26);

my $SPACE = 'io.modelcontextprotocol';
my $NEXT = 0;


# The location /mcp, readers by X-LLM-Service, and what the tests compare with.
# more: other directives of it; server: of the server.

sub mcp_server {
    my (%opt) = @_;
    my ($more, $server) = map { $_ // '' } @opt{qw(more server)};

    return <<"SERVER";
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_index on;
    artifact_service \$http_x_llm_service;
    artifact_accept \$http_x_llm_capabilities;
    client_max_body_size 300m;
    artifact_body_max 300m;
    $server
    location = /mcp {
        artifact_mcp;
        artifact_write on;
        artifact_sync off;
        $more
    }
    location /artifacts/ {
        artifact;
        artifact_write on;
    }
    location /workspaces/ {
        artifact_workspace;
        artifact_write on;
    }
SERVER
}


# --- messages ----------------------------------------------------------------

# The _meta of a modern request.

sub mcp_meta {
    my (%more) = @_;

    return {
        "$SPACE/protocolVersion" => $MODERN,
        "$SPACE/clientCapabilities" => {},
        "$SPACE/clientInfo" => { name => 'tests', version => '1' },
        %more,
    };
}


# The text of a message.  older: without _meta; id: its JSON (by default the
# next number); none: no id.

sub mcp_message {
    my ($method, $params, %opt) = @_;

    my %params = %{ $params // {} };
    $params{_meta} = mcp_meta() unless $opt{older} || exists $params{_meta};

    my $id = $opt{id} // ++$NEXT;
    return '{"jsonrpc":"2.0",' . ($opt{none} ? '' : "\"id\":$id,")
        . '"method":' . encode_text($method) . ',"params":'
        . encode_json_bytes(\%params) . '}';
}


sub encode_text {
    my ($text) = @_;
    return JSON::PP->new->utf8->allow_nonref->encode($text);
}


# The value of Mcp-Name as clients send it.

sub _name_header {
    my ($name) = @_;

    return $name if $name =~ /\A(?! )[\x20-\x7e]+(?<! )\z/
        && $name !~ /\A=\?base64\?.*\?=\z/;
    return '=?base64?' . encode_base64(bytes($name), '') . '?=';
}


# The headers that belong to a message, as a list.  A header of opt{headers}
# replaces one, undef removes it.

sub mcp_headers {
    my ($method, $params, %opt) = @_;

    my %header = ('Content-Type' => 'application/json',
                  Accept => 'application/json, text/event-stream');

    if ($opt{older}) {
        $header{'MCP-Protocol-Version'} = $opt{older}
            if $method ne 'initialize' && $opt{older} ne $OLDER[-1];
    } else {
        my $name = $method eq 'tools/call' ? $params->{name}
            : $method eq 'resources/read' ? $params->{uri} : undef;

        $header{'MCP-Protocol-Version'} = $MODERN;
        $header{'Mcp-Method'} = $method;
        $header{'Mcp-Name'} = _name_header($name) if defined $name;
    }

    my @more = @{ $opt{headers} // [] };
    while (my ($name, $value) = splice @more, 0, 2) {
        my ($same) = grep { lc $_ eq lc $name } keys %header;
        delete $header{$same} if defined $same;
        $header{$name} = $value if defined $value;
    }

    return map { $_ => $header{$_} } sort keys %header;
}


# POSTs bytes with these headers.

sub mcp_post {
    my ($t, $body, @headers) = @_;
    return $t->req('POST', '/mcp', headers => \@headers, body => $body);
}


# A request of one generation: older is a revision.  at: another location;
# conn: a connection to keep; the rest as above.

sub mcp_ask {
    my ($t, $method, $params, %opt) = @_;

    my @args = (
        'POST', $opt{at} // '/mcp', body => mcp_message($method, $params, %opt),
        headers => [mcp_headers($method, $params, %opt)],
        map { exists $opt{$_} ? ($_ => $opt{$_}) : () } qw(on_body timeout),
    );

    return $opt{conn} ? $opt{conn}->request(@args, keep => 1) : $t->req(@args);
}


# --- answers -----------------------------------------------------------------

# What each answer has, decoded: undef, and a failed test, if it is none.

sub _answer {
    my ($res, $status, $name) = @_;

    my @wrong;
    push @wrong, "status $res->{status}" if $res->{status} != $status;
    push @wrong, 'type ' . ($res->header('Content-Type') // 'none')
        if ($res->header('Content-Type') // '') !~ m{^application/json(?:;|\z)};
    push @wrong, 'incomplete' unless $res->{complete};

    my $data = eval { decode_strict($res->{body}) };
    push @wrong, 'not an object: ' . ($@ || 'another value')
        if ref $data ne 'HASH';
    push @wrong, 'not version 2.0'
        if ref $data eq 'HASH' && ($data->{jsonrpc} // '') ne '2.0';

    return $data unless @wrong;

    fail($name);
    diag(join('; ', @wrong), "\n", substr $res->{body}, 0, 400);
    return undef;
}


# The result of a good answer, {} if it is none.  id: its JSON; older: what
# only modern results have is not there.

sub mcp_result {
    my ($res, $name, %opt) = @_;

    my $data = _answer($res, 200, $name) or return {};
    my $result = $data->{result};
    my @wrong;

    push @wrong, 'no result: ' . substr $res->{body}, 0, 300
        if ref $result ne 'HASH';
    push @wrong, 'an error, too' if exists $data->{error};
    push @wrong, 'no id' unless defined $data->{id};
    push @wrong, "not the id $opt{id}"
        if defined $opt{id} && $res->{body} !~ /"id":\s*\Q$opt{id}\E[,}]/;

    if (ref $result eq 'HASH' && !$opt{older}) {
        my $info = ($result->{_meta} // {})->{"$SPACE/serverInfo"};
        push @wrong, 'resultType'
            if ($result->{resultType} // '') ne 'complete';
        push @wrong, 'no serverInfo' unless ref $info eq 'HASH'
            && length($info->{name} // '') && length($info->{version} // '');
    }

    is(join('; ', @wrong), '', $name);
    return ref $result eq 'HASH' ? $result : {};
}


# The error of an answer, {} if it is none.  code: a number, or what matches it;
# id: its JSON, undef: it has none.

sub mcp_error {
    my ($res, $status, $code, $id, $name) = @_;

    my $data = _answer($res, $status, $name) or return {};
    my $error = $data->{error};
    my @wrong;

    if (ref $error ne 'HASH') {
        push @wrong, 'no error: ' . substr $res->{body}, 0, 300;

    } else {
        push @wrong, "code $error->{code}"
            if $error->{code} !~ (ref $code ? $code : qr/\A$code\z/);
        push @wrong, 'code is no number' unless is_number($error->{code});
        push @wrong, 'no message' unless length($error->{message} // '');
    }

    push @wrong, 'a result, too' if exists $data->{result};

    if (!defined $id) {
        push @wrong, 'an id' if exists $data->{id};

    } elsif ($res->{body} !~ /"id":\s*\Q$id\E[,}]/) {
        push @wrong, "not the id $id: " . substr $res->{body}, 0, 200;
    }

    push @wrong, 'a path of the disk' if $res->{body} =~ m{/(?:tmp|data)/};

    is(join('; ', @wrong), '', $name);
    return ref $error eq 'HASH' ? $error : {};
}


# The result of a tool; fails => 1: with isError, else without.

sub mcp_tool {
    my ($t, $tool, $args, %opt) = @_;
    my $name = delete $opt{label} // "$tool " . encode_json_bytes($args);

    my $result = mcp_result(
        mcp_ask($t, 'tools/call', { name => $tool, arguments => $args }, %opt),
        $name, %opt);

    my $failed = $result->{isError} ? 1 : 0;
    is($failed, $opt{fails} ? 1 : 0,
       "$name: " . ($opt{fails} ? 'isError' : 'no error'))
        or diag(mcp_words($result));
    return $result;
}


# The texts of a result.

sub mcp_words {
    my ($result) = @_;
    return join "\n", map { $_->{text} // '' } @{ $result->{content} // [] };
}


# All pages of a list, each a reference to its elements.  step: called between
# them.

sub mcp_pages {
    my ($t, $method, $member, %opt) = @_;
    my ($cursor, @pages);

    do {
        my $result = mcp_result(
            mcp_ask($t, $method, defined $cursor ? { cursor => $cursor } : {},
                    %opt),
            "$method, page " . (@pages + 1), %opt);

        push @pages, $result->{$member} // [];
        $cursor = $result->{nextCursor};
        $opt{step}->(scalar @pages) if $opt{step} && defined $cursor;
    } while (defined $cursor && @pages < 100);

    return @pages;
}


1;
