package ArtifactMcpWrite;

# What the tests of MCP's tools that write share: messages as text, since the
# order of their members matters, and the answers to them.

use strict;
use warnings;

use Exporter 'import';
use JSON::PP ();
use Test::More;

use ArtifactCheck;
use ArtifactJSON;

our @EXPORT = qw(
    call_head call_text deleted mcp_server members refused saved
    schema_problems tool tool_error tool_text wrote
);


# The tools with the disk's work in threads and, at /mcp-inline, in the worker;
# /read-only has none that writes.

sub mcp_server {
    my ($more) = @_;
    return <<'CONF' . ($more // '');
    artifact_root %%DATA%%;
    artifact_write on;
    artifact_language en;
    artifact_body_max 200m;
    client_max_body_size 200m;
    keepalive_requests 100000;

    location = /mcp {
        artifact_mcp;
        aio threads;
    }
    location = /mcp-inline {
        artifact_mcp;
    }
    location = /read-only {
        artifact_mcp;
        artifact_write off;
    }
    location /artifacts/ {
        artifact;
    }
    location /workspaces/ {
        artifact_workspace;
    }
CONF
}


# A list of names and values (data for JSON) as members of an object, in this
# order; a reference to a string is JSON already.

sub members {
    my @list = @_;

    my $json = JSON::PP->new->utf8->allow_nonref->canonical;
    my @text;
    while (my ($name, $value) = splice @list, 0, 2) {
        push @text, $json->encode($name) . ':'
            . (ref $value eq 'SCALAR' ? $$value : $json->encode($value));
    }
    return '{' . join(',', @text) . '}';
}


# The message that calls a tool; "args" is a list as above, or JSON.

sub tool_text {
    my ($name, $args, %opt) = @_;

    my $id = exists $opt{id} ? $opt{id} : 1;
    return members(
        jsonrpc => '2.0', defined $id ? (id => $id) : (),
        method => 'tools/call',
        params => \members(name => $name,
                           arguments => \(ref $args ? members(@$args)
                                                    : $args)));
}


# The head of the request, of the revision before the modern one.

sub call_head {
    my ($uri, $length) = @_;
    return "POST $uri HTTP/1.1\r\nHost: localhost\r\n"
        . "Content-Type: application/json\r\n"
        . "Accept: application/json, text/event-stream\r\n"
        . "MCP-Protocol-Version: 2025-11-25\r\nX-Agent-Id: robot\r\n"
        . "X-Message-Id: m1\r\nContent-Length: $length\r\n\r\n";
}


# at: the location; conn: a connection to keep.  The answer has "data", the
# message; "error"; "result"; "words", the text of a result; "structured".

sub call_text {
    my ($t, $text, %opt) = @_;

    my $conn = $opt{conn} || $t->connect;
    $conn->send(call_head($opt{at} // '/mcp', length $text) . $text);
    return answer($conn->response('POST'));
}


sub answer {
    my ($res) = @_;

    my $data = $res->{body} eq '' ? {}
        : eval { decode_strict($res->{body}) }
          // { error => { message => "no JSON: $res->{body}" } };
    my $result = $data->{result};
    my $block = $result ? $result->{content}[0] : undef;
    return {
        res => $res, status => $res->{status}, data => $data,
        error => $data->{error}, result => $result,
        words => $block ? $block->{text} : undef,
        structured => $result ? $result->{structuredContent} : undef,
    };
}


sub tool {
    my ($t, $name, $args, %opt) = @_;
    return call_text($t, tool_text($name, $args, %opt), %opt);
}


# What the schema of a tool's output says otherwise about a structure: its
# members and their types.

sub schema_problems {
    my ($schema, $structure) = @_;

    my %is = (string => sub { !ref $_[0] && !is_number($_[0]) },
              boolean => sub { is_bool($_[0]) },
              object => sub { ref $_[0] eq 'HASH' });
    my $properties = $schema->{properties};
    return join ' ', (grep { !exists $structure->{$_} }
                          @{ $schema->{required} }),
        grep {
            !$properties->{$_}
                || !$is{ $properties->{$_}{type} }->($structure->{$_})
        } sort keys %$structure;
}


# --- checks ---------------------------------------------------------------

# The result of a tool that did what it was asked for: its text is its
# structure.

sub _problems {
    my ($got, $keys) = @_;

    my @wrong;
    push @wrong, "status $got->{status}" if $got->{status} != 200;
    return join '; ', @wrong, substr $got->{res}{body}, 0, 200
        if !$got->{structured} || $got->{result}{isError};

    push @wrong, 'another text: ' . ($got->{words} // 'none')
        if !eq_hash(decode_strict(bytes($got->{words} // '{}')),
                    $got->{structured});
    push @wrong, 'keys ' . key_order($got->{structured})
        if key_order($got->{structured}) ne $keys;
    return join '; ', @wrong;
}


# The file of a workspace has these bytes, and the tag that was answered.

sub wrote {
    my ($t, $got, $path, $bytes, $name) = @_;

    my ($ws, $rest) = split m{/}, $path, 2;
    my $wrong = _problems($got, 'ok artifactId path etag');
    my $file = $t->data . "/workspaces/$path";
    if ($wrong eq '') {
        my $say = $got->{structured};
        my $etag = $t->head('/workspaces/' . uri($path))->header('ETag');
        $wrong .= 'not ok; ' if !is_bool($say->{ok}) || !$say->{ok};
        $wrong .= "id $say->{artifactId}; "
            if $say->{artifactId} ne ws_id($ws, $rest);
        $wrong .= "path $say->{path}; " if bytes($say->{path}) ne $rest;
        $wrong .= "tag $say->{etag}; " if $say->{etag} ne ($etag // '');
        $wrong .= 'other bytes; ' if !-f $file || slurp($file) ne $bytes;
    }
    is($wrong, '', $name);
    return $got->{structured} ? $got->{structured}{etag} : undef;
}


# The artifact has these bytes, this name and type.

sub saved {
    my ($t, $got, $bytes, $file, $type, $name) = @_;

    my $wrong = _problems($got, 'artifactRef metadata etag');
    my $id = $wrong ne '' ? '' : $got->{structured}{artifactRef};
    if ($wrong eq '') {
        my $meta = $got->{structured}{metadata};
        $id =~ s/\Aartifact://;
        my $res = $t->get("/artifacts/$id");
        my $stored = json_of($t->get("/artifacts/$id/metadata"));
        $wrong .= "status $res->{status}; " if $res->{status} != 200;
        $wrong .= 'other bytes; ' if $res->body ne $bytes;
        $wrong .= 'tag; '
            if $got->{structured}{etag} ne ($res->header('ETag') // '');
        $wrong .= "name $meta->{name}; "
            if defined $file && bytes($meta->{name}) ne $file;
        $wrong .= "type $meta->{mimeType}; " if $meta->{mimeType} ne $type;
        $wrong .= 'metadata ' . encode_json_bytes([$meta, $stored])
            if !eq_hash($meta, $stored);
    }
    is($wrong, '', $name);
    return $id;
}


sub deleted {
    my ($t, $got, $path, $name) = @_;

    my ($ws, $rest) = split m{/}, $path, 2;
    my $wrong = _problems($got, 'ok artifactId path');
    $wrong .= 'it is there' if -e $t->data . "/workspaces/$path";
    $wrong .= 'path' if $wrong eq ''
        && bytes($got->{structured}{path}) ne $rest;
    is($wrong, '', $name);
}


# A result with isError, and words that match.

sub refused {
    my ($got, $re, $name) = @_;

    my $is = $got->{status} == 200 && $got->{result}
        && is_bool($got->{result}{isError}) && $got->{result}{isError}
        && !exists $got->{result}{structuredContent};
    ok($is, "$name: isError") or diag(substr $got->{res}{body}, 0, 300);
    like($got->{words} // '', $re, "$name: words");
    unlike($got->{words} // '', qr{/tmp|\.artifact|workspaces/},
           "$name: no path of the disk");
}


# An error of JSON-RPC, with this status and code.

sub tool_error {
    my ($got, $status, $code, $name) = @_;
    is("$got->{status} " . ($got->{error} ? $got->{error}{code} // ''
                                          : 'no error'),
       "$status $code", $name);
}


1;
