#!/usr/bin/perl

# The formats of providers: what one artifact becomes in each, whole answers
# with their headers, local and proxied.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;

my $OOXML = 'application/vnd.openxmlformats-officedocument.';
my $DOCX = $OOXML . 'wordprocessingml.document';

my %file = (
    png => [png(30, 20), 'image/png', 'shot.png'],
    jpeg => [jpeg(), 'image/jpg', 'photo.jpg'],
    svg => [svg(), 'image/svg+xml', 'd.svg'],
    wav => [wav(), 'audio/x-wav', 'a.wav'],
    mp3 => [mp3(), 'audio/mp3', 'a.mp3'],
    mp4 => [mp4(), 'video/mp4', 'v.mp4'],
    pdf => [pdf(), 'application/pdf', 'r.pdf'],
    odd => [pdf(), 'application/pdf', "\"报告\"\\ <b>\n(1).PDF"],
    docx => [docx(), $DOCX, 'd.docx'],
    zip => [zip_of('a.txt' => 'x'), 'application/zip', 'z.zip'],
    lie => [jpeg(), 'image/png', 'not.png'],
    text => [bytes("第一行 \"q\" \\ \x{1f600}\n" x 90), 'text/plain', 'n.txt'],
    json => ["{\"a\" : [1, 2]}\n", 'application/json', 'a.json'],
    gbk => ["\xb5\xda\xd2\xbb\n", 'text/plain; charset=gbk', 'g.txt'],
    empty => ['', 'text/plain', 'e.txt'],
);

my %contents;

for my $id (keys %file) {
    my ($body, $type, $name) = @{ $file{$id} };
    $t->artifact($id, $body, { type => $type, name => $name });
    $contents{$id} = { body => $body, type => $type, headers => [
        $name =~ /^[\w.]+\z/ ? "Content-Disposition: inline; filename=\"$name\""
        : "Content-Disposition: inline; filename*=UTF-8''" . uri($name) ] };
}

ArtifactUpstream->new($t->prefix . '/up.sock', contents => \%contents);

$t->start(http => <<'HTTP', server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_language en;
    artifact_format $arg_format;
HTTP
    location /artifacts/ {
        artifact;
    }
    location /p/ {
        proxy_pass http://unix:%%PREFIX%%/up.sock:/;
    }
SERVER

my $ALL = 'text, vision, audio, video, file';

sub url {
    my ($id, $type) = @_;
    return "data:$type;base64," . b64($file{$id}[0]);
}

sub text_of {
    my ($id) = @_;
    return chars($file{$id}[0]);
}

my $chat = sub {
    my ($id, $type) = @_;
    return { type => 'image_url', image_url => { url => url($id, $type) } };
};
my $chat_file = sub {
    my ($name) = @_;
    return { type => 'file', file => {
        filename => $name, file_data => url('pdf', 'application/pdf') } };
};
my $input_audio = sub {
    my ($id, $format) = @_;
    return { type => 'input_audio', input_audio => {
        data => b64($file{$id}[0]), format => $format } };
};
my $inline = sub {
    my ($id, $type) = @_;
    return { inlineData => {
        mimeType => $type, data => b64($file{$id}[0]) } };
};
my $converse = sub {
    my ($id, $kind, $format, @more) = @_;
    return { $kind => { format => $format, @more,
                        source => { bytes => b64($file{$id}[0]) } } };
};
my $base64 = sub {
    my ($id, $kind, $type, @more) = @_;
    return { type => $kind, @more, source => {
        type => 'base64', media_type => $type,
        data => b64($file{$id}[0]) } };
};
my $mcp = sub {
    my ($id, $kind, $type) = @_;
    return { type => $kind, data => b64($file{$id}[0]), mimeType => $type };
};
my $resource = sub {
    my ($id, $type) = @_;
    return { type => 'resource', resource => {
        uri => "artifact:$id", mimeType => $type,
        blob => b64($file{$id}[0]) } };
};

my $named = "\"报告\"\\ <b>_(1).PDF";

# what is not here is text

my %want = (
    openai => {
        png => $chat->('png', 'image/png'),
        jpeg => $chat->('jpeg', 'image/jpeg'),
        lie => $chat->('lie', 'image/jpeg'),
        wav => $input_audio->('wav', 'wav'),
        mp3 => $input_audio->('mp3', 'mp3'),
        pdf => $chat_file->('r.pdf'),
        odd => $chat_file->($named),
    },
    openai_responses => {
        (map { $_->[0] => { type => 'input_image', detail => 'auto',
                            image_url => url(@$_) } }
            ['png', 'image/png'], ['jpeg', 'image/jpeg'],
            ['lie', 'image/jpeg']),
        (map { $_->[0] => { type => 'input_file', filename => $_->[2],
                            file_data => url(@$_[0, 1]) } }
            ['pdf', 'application/pdf', 'r.pdf'],
            ['odd', 'application/pdf', $named], ['docx', $DOCX, 'd.docx']),
    },
    anthropic => {
        png => $base64->('png', 'image', 'image/png'),
        jpeg => $base64->('jpeg', 'image', 'image/jpeg'),
        lie => $base64->('lie', 'image', 'image/jpeg'),
        pdf => $base64->('pdf', 'document', 'application/pdf',
                         title => 'r.pdf'),
        odd => $base64->('pdf', 'document', 'application/pdf',
                         title => $named),
    },
    gemini => {
        png => $inline->('png', 'image/png'),
        jpeg => $inline->('jpeg', 'image/jpeg'),
        lie => $inline->('lie', 'image/jpeg'),
        wav => $inline->('wav', 'audio/wav'),
        mp3 => $inline->('mp3', 'audio/mp3'),
        mp4 => $inline->('mp4', 'video/mp4'),
        pdf => $inline->('pdf', 'application/pdf'),
        odd => $inline->('odd', 'application/pdf'),
    },
    bedrock => {
        png => $converse->('png', 'image', 'png'),
        jpeg => $converse->('jpeg', 'image', 'jpeg'),
        lie => $converse->('lie', 'image', 'jpeg'),
        wav => $converse->('wav', 'audio', 'wav'),
        mp3 => $converse->('mp3', 'audio', 'mp3'),
        mp4 => $converse->('mp4', 'video', 'mp4'),
        pdf => $converse->('pdf', 'document', 'pdf', name => 'r-pdf [TAG]'),
        odd => $converse->('pdf', 'document', 'pdf',
                           name => 'b-(1)-PDF [TAG]'),
        docx => $converse->('docx', 'document', 'docx',
                            name => 'd-docx [TAG]'),
    },
    mistral => {
        (map { $_->[0] => { type => 'image_url', image_url => url(@$_) } }
            ['png', 'image/png'], ['jpeg', 'image/jpeg'],
            ['lie', 'image/jpeg']),
        (map { $_ => { type => 'input_audio',
                       input_audio => b64($file{$_}[0]) } } qw(wav mp3)),
        (map { $_->[0] => { type => 'document_url',
                            document_url => url('pdf', 'application/pdf'),
                            document_name => $_->[1] } }
            ['pdf', 'r.pdf'], ['odd', $named]),
    },
    openrouter => {
        png => $chat->('png', 'image/png'),
        jpeg => $chat->('jpeg', 'image/jpeg'),
        lie => $chat->('lie', 'image/jpeg'),
        wav => $input_audio->('wav', 'wav'),
        mp3 => $input_audio->('mp3', 'mp3'),
        mp4 => { type => 'video_url',
                 video_url => { url => url('mp4', 'video/mp4') } },
        pdf => $chat_file->('r.pdf'),
        odd => $chat_file->($named),
    },
    mcp => {
        png => $mcp->('png', 'image', 'image/png'),
        jpeg => $mcp->('jpeg', 'image', 'image/jpeg'),
        lie => $mcp->('lie', 'image', 'image/jpeg'),
        wav => $mcp->('wav', 'audio', 'audio/wav'),
        mp3 => $mcp->('mp3', 'audio', 'audio/mpeg'),
        mp4 => $resource->('mp4', 'video/mp4'),
        pdf => $resource->('pdf', 'application/pdf'),
        odd => $resource->('odd', 'application/pdf'),
        docx => $resource->('docx', $DOCX),
        zip => $resource->('zip', 'application/zip'),
    },
);

my %text = (
    openai_responses => sub { return { type => 'input_text', text => $_[0] } },
    gemini => sub { return { text => $_[0] } },
    bedrock => sub { return { text => $_[0] } },
    map { $_ => sub { return { type => 'text', text => $_[0] } } }
        qw(openai anthropic mistral openrouter mcp),
);

my %read = (
    (map { $_ => text_of($_) } qw(svg text json empty)), gbk => "第一\n",
);

# these refuse a text without a character: a line stands for it

my %filled = map { $_ => { empty => 'Artifact content (e.txt):' } }
    qw(anthropic gemini bedrock mcp);

for my $format (sort keys %want) {
    for my $id (sort keys %file) {
        my $res = $t->accept($ALL, "/artifacts/$id?format=$format");
        my $part = json_of($res);
        my $label = "$format: $id";

        # the tag of a name differs with the id

        $part->{document}{name} =~ s/\[[0-9a-f]{8}\]\z/[TAG]/
            if $format eq 'bedrock' && $part->{document};

        if ($want{$format}{$id}) {
            is_deeply($part, $want{$format}{$id}, $label);
            is($res->header('Content-Length'), length $res->body,
               "$label, its length");

        } elsif (exists $read{$id}) {
            is_deeply($part, $text{$format}->($filled{$format}{$id}
                                              // $read{$id}),
                      "$label, as text");

        } else {
            my ($key) = grep { $_ ne 'type' } keys %$part;
            is_deeply($part, $text{$format}->($part->{$key}),
                      "$label, described");
            like($part->{$key}, qr/^\[Unreadable\] .*\(artifact:$id\)\n/,
                 'as what it is');
            like($part->{$key}, qr/does not take this format/, 'and why');
            unlike($part->{$key}, qr/[A-Za-z0-9+\/]{60}/, 'without base64');
        }

        # the same over an upstream, but for the id; what stands before a
        # backslash in a Content-Disposition is a path, and no name

        next if $id eq 'odd';

        my $far = $t->accept($ALL, "/p/$id?format=$format");
        (my $body = $far->body) =~ s/"artifact:p%2F/"artifact:/;
        $body =~ s/\(artifact:p\//(artifact:/;
        (my $near = $res->body) =~ s/\[[0-9a-f]{8}\]//;
        $body =~ s/\[[0-9a-f]{8}\]//;

        ok($body eq $near, "$label, proxied")
            or diag(substr($near, 0, 300), "\n", substr $body, 0, 300);
    }
}

# a reader that cannot: words, in every format

for my $format (sort keys %want) {
    my $part = json_of($t->accept('text', "/artifacts/png?format=$format"));
    my ($key) = grep { $_ ne 'type' } keys %$part;
    is_deeply($part, $text{$format}->($part->{$key}), "$format: no vision");
    like($part->{$key}, qr/cannot read this kind/, 'and why');
}

# headers

my %etag;

for my $format (sort(keys %want), 'route') {
    for my $id ('png', 'text') {
        my $uri = "/artifacts/$id?format=$format";
        my $res = $t->accept($ALL, $uri);
        header_is($res, 'Content-Type', 'application/json', "$format, $id");
        $etag{$id . $res->header('ETag')}++;

        my $head = $t->head($uri, 'X-LLM-Capabilities' => $ALL);
        is($head->body, '', 'HEAD has no body');
        header_is($head, $_, $res->header($_), "HEAD: $_")
            for qw(Content-Length ETag Last-Modified Vary);

        is($t->accept($ALL, $uri,
                      'If-None-Match' => $res->header('ETag'))->status, 304,
           '304 to its own tag');
    }
}

is(join(' ', grep { $etag{$_} > 1 } keys %etag), '',
   'every format has a tag of its own');

$t->finish;
