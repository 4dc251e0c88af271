#!/usr/bin/perl

# The Files APIs of OpenAI and of Anthropic: uploads of many shapes, lists with
# their paging while files are deleted, errors; and one upload in the requests of
# every API.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use ArtifactWrite qw(files_of left_behind nothing_changed post $TIME);
use JSON::PP ();
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new(workers => 2);
my $dir = $t->prefix;
my @CLAUDE = ('anthropic-version' => '2023-06-01');
my $png = png(30, 30);
my $pdf = pdf();

my $echo = ArtifactUpstream->echo("$dir/echo");
my $pass = "proxy_pass http://unix:$dir/echo:;";

my $map = $t->file('map.json', { services => [
    { id => 'all', model => 'all',
      capabilities => { input => [qw(text vision file pdf audio video)] } },
    { id => 'gemini-2.5-pro', model => 'gemini-2.5-pro',
      capabilities => { input => [qw(text vision file pdf audio video)] } },
] });

$t->start(http => "artifact_capabilities $map;", server => <<"SERVER");
    artifact_root %%DATA%%;
    artifact_language en;
    client_max_body_size 100m;
    artifact_sync off;

    location /v1/files {
        artifact_files;
    }
    location /small/v1/files {
        artifact_files;
        client_body_buffer_size 1k;
    }
    location /threads/v1/files {
        artifact_files;
        aio threads;
    }
    location /artifacts/ { artifact; artifact_write on; }
    location /v1/ { artifact_expand on; $pass }
    location /v1beta/ { artifact_expand on; $pass }
    location /model/ { artifact_expand on; $pass }
    location /mistral/ { artifact_expand on; artifact_format mistral; $pass }
    location /router/ { artifact_expand on; artifact_format openrouter; $pass }
SERVER


# --- clients ---------------------------------------------------------------------

# A part: its name, headers or a file name, and the bytes.

sub field {
    my ($name, $value) = @_;
    return "Content-Disposition: form-data; name=\"$name\"\r\n\r\n$value";
}

sub file_part {
    my ($content, %opt) = @_;
    my $name = $opt{name} // 'a.txt';
    my $type = exists $opt{type} ? $opt{type} : 'text/plain';
    return "Content-Disposition: form-data; name=\"file\"; "
        . ($opt{disposition} // "filename=\"$name\"") . "\r\n"
        . (defined $type ? "Content-Type: $type\r\n" : '') . "\r\n$content";
}

sub form {
    my ($boundary, @parts) = @_;
    return join('', map { "--$boundary\r\n$_\r\n" } @parts)
        . "--$boundary--\r\n";
}

# POSTs a form.  type: its Content-Type; at; claude: as Anthropic's client;
# pieces: so many bytes each, in chunks.

sub send_form {
    my ($body, %opt) = @_;

    my $at = $opt{at} // '/v1/files';
    my @headers = (
        defined $opt{type} ? ('Content-Type' => $opt{type})
                           : ('Content-Type' => 'multipart/form-data; '
                              . 'boundary=b'), $opt{claude} ? @CLAUDE : ());
    return $t->req('POST', $at, body => $body, headers => \@headers)
        unless $opt{pieces};

    my $conn = $t->connect;
    $conn->send("POST $at HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        . "Transfer-Encoding: chunked\r\n$headers[0]: $headers[1]\r\n\r\n");
    for (my $n = 0; $n < length $body; $n += $opt{pieces}) {
        my $piece = substr $body, $n, $opt{pieces};
        $conn->send(sprintf "%x\r\n%s\r\n", length $piece, $piece);
    }
    $conn->send("0\r\n\r\n");
    return $conn->response('POST');
}

sub call {
    my ($method, $path, %opt) = @_;
    return $t->req($method, ($opt{at} // '/v1/files') . $path,
                   headers => [$opt{claude} ? @CLAUDE : ()]);
}

sub hex_of { return ($_[0] // '') =~ /([0-9a-f]{32})\z/ ? $1 : '0' x 32 }

sub uuid_of {
    return hex_of($_[0]) =~ s/\A(.{8})(.{4})(.{4})(.{4})/$1-$2-$3-$4-/r;
}

# What is wrong with a file object.

sub object_problems {
    my ($data, %want) = @_;
    my @wrong;

    if ($want{claude}) {
        push @wrong, 'id ' . ($data->{id} // 'none')
            if ($data->{id} // '') !~ /\Afile_art_[0-9a-f]{32}\z/;
        push @wrong, 'type' if ($data->{type} // '') ne 'file';
        push @wrong, 'created_at ' . ($data->{created_at} // 'none')
            if ($data->{created_at} // '')
               !~ /\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\z/;
        push @wrong, 'size_bytes ' . ($data->{size_bytes} // 'none')
            if !is_number($data->{size_bytes})
               || $data->{size_bytes} != $want{size};
        push @wrong, 'mime_type ' . ($data->{mime_type} // 'none')
            if ($data->{mime_type} // '') ne ($want{type} // 'text/plain');
        push @wrong, 'downloadable'
            if exists $data->{downloadable} && !is_bool($data->{downloadable});

    } else {
        push @wrong, 'id ' . ($data->{id} // 'none')
            if ($data->{id} // '') !~ /\Afile-art-[0-9a-f]{32}\z/;
        push @wrong, 'object' if ($data->{object} // '') ne 'file';
        push @wrong, 'bytes ' . ($data->{bytes} // 'none')
            if !is_number($data->{bytes}) || $data->{bytes} != $want{size};
        push @wrong, 'created_at' if !is_number($data->{created_at})
            || abs($data->{created_at} - time) > 120;
        push @wrong, 'purpose ' . ($data->{purpose} // 'none')
            if ($data->{purpose} // '') ne ($want{purpose} // 'user_data');
    }
    push @wrong, 'filename ' . ($data->{filename} // 'none')
        if ($data->{filename} // '') ne ($want{name} // 'a.txt');

    return join '; ', @wrong;
}

# A good upload, as both see it; returns OpenAI's id.

sub uploaded {
    my ($res, $content, $name, %want) = @_;

    is($res->status, 200, "$name: status") or diag($res->body);
    my $data = json_of($res);
    my $hex = hex_of($data->{id});
    my %of = (size => length $content, %want);
    is(object_problems($data, %of), '', "$name: the object");

    for my $claude (0, 1) {
        my $id = ($claude ? 'file_art_' : 'file-art-') . $hex;
        my $res = call('GET', "/$id", claude => $claude);
        is("$res->{status} " . object_problems(json_of($res), %of,
                                               claude => $claude), '200 ',
           "$name: retrieved as $id");
        $res = call('GET', "/$id/content", claude => $claude);
        ok($res->status == 200 && $res->body eq $content,
           "$name: the same bytes")
            or diag("status $res->{status}, ", length $res->body, ' of ',
                    length $content);
    }
    return "file-art-$hex";
}

sub error_of {
    my ($res, $status, $claude, $name) = @_;

    my @wrong;
    push @wrong, "status $res->{status}" if $res->status !~ /\A$status\z/;
    push @wrong, 'type ' . ($res->header('Content-Type') // 'none')
        if ($res->header('Content-Type') // '') !~ m{^application/json};
    my $data = eval { decode_strict($res->body) } // {};
    $data = {} if ref $data ne 'HASH';
    my $error = $data->{error};
    if (ref $error eq 'HASH') {
        my %type = $claude
            ? (400 => 'invalid_request_error', 404 => 'not_found_error')
            : (400 => 'invalid_request_error', 404 => 'invalid_request_error');
        my $type = $type{ $res->status };
        push @wrong, 'message' if !length($error->{message} // '');
        push @wrong, 'type ' . ($error->{type} // 'none')
            if defined $type ? ($error->{type} // '') ne $type
                             : !length($error->{type} // '');
        push @wrong, 'no "type":"error"'
            if $claude && ($data->{type} // '') ne 'error';
        push @wrong, 'no code, no param' if !$claude
            && !(exists $error->{code} && exists $error->{param});
    } else {
        push @wrong, 'no error: ' . substr $res->body, 0, 200;
    }
    push @wrong, 'a path of the disk' if $res->body =~ m{artifact-test-|/tmp/};
    is(join('; ', @wrong), '', $name);
}


# --- uploads -----------------------------------------------------------------------

my $PURPOSE = field(purpose => 'assistants');

uploaded(send_form(form('b', file_part("words\n"), $PURPOSE)), "words\n",
         'the file first', purpose => 'assistants');
uploaded(send_form(form('b', $PURPOSE, file_part("words\n"))), "words\n",
         'the file last', purpose => 'assistants');
uploaded(send_form(form('b', file_part("words\n"))), "words\n", 'no purpose');
uploaded(send_form(form('b', field(other => 'x' x 500), $PURPOSE,
                        file_part("words\n"), field(last => ''))), "words\n",
         'fields that nobody knows', purpose => 'assistants');

my $res = send_form(form('b', file_part("words\n")), claude => 1);
is("$res->{status} " . object_problems(json_of($res), size => 6, claude => 1),
   '200 ', 'as Anthropic\'s client');
my $query = send_form(form('b', file_part("words\n")), claude => 1,
                      at => '/v1/files?beta=true');
is("$query->{status} " . object_problems(json_of($query), size => 6,
                                         claude => 1), '200 ', 'beta=true');
is(call('GET', '/' . (json_of($query)->{id} // 'x') . '?beta=true',
        claude => 1)->status, 200, 'retrieved with beta=true');

# contents that look like what is around them

my %content = (
    nothing => '', 'a line feed' => "\n", 'a line end' => "\r\n",
    'line ends' => "\r\n" x 3000, 'a return' => "\r", returns => "\r" x 9000,
    'the boundary in a line' => 'x--b', 'the end in a line' => 'x--b--',
    'the boundary behind a line feed' => "x\n--b\nx",
    'half a boundary' => "x\r\n--", 'half, and on' => "\r\n-\r\n--a\r\n--",
    'all of it but the end' => "x\r\n-b--\r\n --b", binary => $png,
    'noise' => rand_bytes(200_000), zeros => "\0" x 70_000,
    'dashes' => '-' x 50_000, 'many halves' => "\r\n--" x 20_000,
    'a form' => form('c', $PURPOSE, file_part('y')),
);

for my $name (sort keys %content) {
    my $content = $content{$name};
    my @type = $content eq $png ? (type => 'image/png') : ();
    my $form = form('b', file_part($content, @type), $PURPOSE);

    uploaded(send_form($form), $content, $name, purpose => 'assistants',
             @type);
    for my $at (qw(/small/v1/files /threads/v1/files)) {
        my $res = send_form($form, at => $at,
                            pieces => length $form > 5000 ? 4093 : 1);
        is($res->status, 200, "$name: $at in pieces");
        is(call('GET', '/' . (json_of($res)->{id} // 'x') . '/content')->body
           eq $content ? 1 : 0, 1, "$name: $at, the same bytes");
    }
}

# every place where it may be cut in two

my $form = "before\r\n" . form('b', file_part("a\r\n--c\r\n"), $PURPOSE)
    . 'behind';
my @failed;
for my $at (1 .. length($form) - 1) {
    my $conn = $t->connect;
    $conn->send("POST /v1/files HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        . 'Content-Length: ' . length($form) . "\r\nContent-Type: "
        . "multipart/form-data; boundary=b\r\n\r\n" . substr $form, 0, $at);
    sleep 0.001;
    $conn->send(substr $form, $at);
    my $data = eval { decode_strict($conn->response('POST')->body) } // {};
    push @failed, $at if ($data->{bytes} // -1) != 8;
}
is("@failed", '', 'cut anywhere');

# boundaries

for my $case (
    ['multipart/form-data; boundary="b"', 'b'],
    ['multipart/form-data; charset=utf-8; boundary=b', 'b'],
    ['Multipart/Form-Data; BOUNDARY=b', 'b'],
    ['multipart/form-data;boundary=b', 'b'],
    ['multipart/form-data; boundary=b; x=y', 'b'],
    ['multipart/form-data; boundary="a b?c:(d)"', 'a b?c:(d)'],
    ['multipart/form-data; boundary=----formdata-undici-012345678901',
     '----formdata-undici-012345678901'],
    ["multipart/form-data; boundary=" . 'z' x 70, 'z' x 70],
) {
    my ($type, $boundary) = @$case;
    uploaded(send_form(form($boundary, file_part("words\n")), type => $type),
             "words\n", $type);
}

$form = form('b', file_part("words\n"));
uploaded(send_form("a preamble\r\n-- b\r\n$form"), "words\n", 'a preamble');
uploaded(send_form("\r\n$form"), "words\n", 'an empty one');
uploaded(send_form("${form}an epilogue\r\n--b\r\n"), "words\n", 'an epilogue');
uploaded(send_form($form =~ s/\r\n\z//r), "words\n", 'no line end behind');
uploaded(send_form($form =~ s/^--b\r\n/--b \t\r\n/r), "words\n",
         'blanks behind the boundary');
uploaded(send_form(form('b', "content-type: text/plain\r\nX-More: y\r\n"
    . "CONTENT-DISPOSITION: form-data;filename=a.txt;name=file\r\n\r\n"
    . "words\n")), "words\n", 'other headers, other letters');

# names

for my $case (
    ['filename="日本 ü.txt"', '日本 ü.txt'],
    ['filename="a%22b.txt"', 'a"b.txt'],
    ["filename*=UTF-8''%e6%97%a5.txt", '日.txt'],
    ["filename=\"x.txt\"; filename*=UTF-8''%e6%97%a5.txt", '日.txt'],
    ['filename="a;b.txt"', 'a;b.txt'],
    ['filename="a b.txt"', 'a b.txt'],
) {
    my ($disposition, $name) = @$case;
    uploaded(send_form(form('b', file_part("words\n", disposition =>
                                           bytes($disposition)))), "words\n",
             $disposition, name => $name);
}

for my $name ('../../../etc/x.txt', '/etc/x.txt', '..', '.meta', 'x.meta',
              "a\tb.txt", "a\x01b", 'a' x 3000, "\xff\xfe.txt", '')
{
    my $res = send_form(form('b', file_part('words', name => $name)));
    like($res->status, qr/\A(?:200|400)\z/,
         'answered: the name ' . substr encode_json_bytes($name), 0, 40);
    json_of($res);
}
is(join(' ', grep { m{/x\.txt\z} || !m{\A/(?:artifacts|workspaces)} }
        keys %{ files_of($t) }), '', 'no name leads anywhere');

# types: what is declared as anything is looked at

for my $case (
    [$png, 'application/octet-stream', 'x.bin', 'image/png'],
    [$png, undef, 'x', 'image/png'],
    [$pdf, 'application/octet-stream', 'x', 'application/pdf'],
    [$pdf, 'application/pdf', 'r.pdf', 'application/pdf'],
    ['a,b', 'text/csv; charset=utf-8', 'a.csv', 'text/csv'],
) {
    my ($content, $type, $name, $is) = @$case;
    my $res = send_form(form('b', file_part($content, type => $type,
                                            name => $name)), claude => 1);
    my $data = json_of($res);
    is(($data->{mime_type} // 'none') =~ s/;.*//r, $is,
       "$name declared as " . ($type // 'nothing'));
    $res = $t->get('/artifacts/' . uuid_of($data->{id}));
    is(($res->header('Content-Type') // '') =~ s/;.*//r, $is,
       'so is the artifact');
    ok($res->body eq $content, 'with its bytes');
}

# the same twice is two

my @same = map { json_of(send_form($form))->{id} } 1, 2;
isnt($same[0], $same[1], 'each upload is an artifact of its own');
is(json_of(call('DELETE', "/$same[0]"))->{deleted}, JSON::PP::true(),
   'one is deleted');
is(call('GET', "/$same[1]/content")->body, "words\n", 'the other stays');

# a large one

my $large = rand_bytes(65536) x 320;
my @before = map { $t->memory($_) } $t->workers;
$res = send_form(form('b', file_part($large, type => 'application/x-thing',
                                     name => 'large.bin'), $PURPOSE),
                 at => '/threads/v1/files', pieces => 60_000);
my $grown = 0;
for my $pid ($t->workers) {
    my $more = $t->memory($pid) - shift @before;
    $grown = $more if $more > $grown;
}
is(json_of($res)->{bytes}, length $large, '20 MB');
cmp_ok($grown, '<', 4000, 'in little memory')
    unless ($ENV{TEST_NGINX_BINARY} // '') =~ /asan|tsan/;
ok(call('GET', '/' . json_of($res)->{id} . '/content')->body eq $large,
   'the same bytes');
call('DELETE', '/' . json_of($res)->{id});


# --- what is no upload -------------------------------------------------------------

my $before = files_of($t);
my $one = form('b', file_part("words\n"), $PURPOSE);

for my $case (
    ['no end' => $one =~ s/--b--\r\n\z//r],
    ['no end behind the file' => form('b', $PURPOSE, file_part('words'))
     =~ s/\r\n--b--\r\n\z//r],
    ['half an end' => $one =~ s/--b--\r\n\z/--b-/r],
    ['another boundary at the end' => $one =~ s/--b--/--c--/r],
    ['nothing' => ''], ['words' => 'words'], ['only the end' => "--b--\r\n"],
    ['no file' => form('b', $PURPOSE)],
    ['no empty line' => "--b\r\nContent-Disposition: form-data; name=\"file\"; "
     . "filename=\"x\"\r\n--b--\r\n"],
    ['no disposition' => form('b', "Content-Type: text/plain\r\n\r\nwords")],
    ['no name' => form('b', "Content-Disposition: form-data; filename=\"x\""
                       . "\r\n\r\nwords")],
    ['a header of 20 KB' => form('b', 'X-Pad: ' . 'x' x 20_000 . "\r\n"
                                 . file_part('words'))],
    ['many headers' => form('b', "X-Pad: x\r\n" x 5000 . file_part('words'))],
    ['a header without an end' => "--b\r\n" . 'x' x 200_000],
    ['a thousand fields' => form('b', (field(x => 'y')) x 1000,
                                 file_part('words'))],
    ['a purpose of 1 MB' => form('b', field(purpose => 'x' x 1_000_000),
                                 file_part('words'))],
    ['the end first' => "--b--\r\n$one"],
    ['seconds that are words' => form('b', file_part('words'),
        field('expires_after[anchor]' => 'created_at'),
        field('expires_after[seconds]' => 'soon'))],
    ['seconds below zero' => form('b', file_part('words'),
        field('expires_after[anchor]' => 'created_at'),
        field('expires_after[seconds]' => '-5'))],
    ['seconds without end' => form('b', file_part('words'),
        field('expires_after[anchor]' => 'created_at'),
        field('expires_after[seconds]' => '9' x 50))],
    ['a file that fails behind the good one' => form('b', file_part('words'),
        'X-Pad: ' . 'x' x 20_000 . "\r\n" . field(x => 'y'))],
) {
    my ($name, $body) = @$case;

    for my $claude (0, 1) {
        my $res = send_form($body, claude => $claude);
        if ($name =~ /seconds/ && $claude) {
            $res = send_form($body =~ s/expires_after\[seconds\]/expires_in_seconds/r,
                             claude => 1);
        }
        error_of($res, '4(?:00|13)', $claude, "$name, " . ($claude ? 'Anthropic'
                                                                 : 'OpenAI'))
            unless $claude && $name =~ /seconds/ && $res->status == 200;
        my $id = eval { decode_strict($res->body)->{id} };
        call('DELETE', "/$id", claude => $claude) if $id;
    }
}

for my $type ('multipart/form-data', 'multipart/form-data; boundary=',
              'multipart/form-data; boundary=""', 'application/json',
              'text/plain', 'multipart/mixed; boundary=b',
              'multipart/form-data; boundary=' . 'x' x 71,
              'multipart/form-data; boundary="a' . "\x01" . '"')
{
    my $res = send_form($one, type => $type);
    like($res->status, qr/\A4(?:00|15)\z/, "the type $type");
    json_of($res);
}

# a client that goes away

for my $sent (50, 200, 100_000) {
    my $body = form('b', file_part('x' x 300_000), $PURPOSE);
    my $conn = $t->connect;
    $conn->send("POST /v1/files HTTP/1.1\r\nHost: x\r\nContent-Length: "
        . length($body) . "\r\nContent-Type: multipart/form-data; boundary=b"
        . "\r\n\r\n" . substr $body, 0, $sent);
    sleep 0.05;
    $conn->close;
}
nothing_changed($t, $before, 'what is no upload');


# --- errors ------------------------------------------------------------------------

my $posted = json_of(post($t, 'name=p.txt', "posted\n"))->{artifactRef};
my $foreign = ($posted // '') =~ s/artifact://r =~ s/-//gr;

for my $claude (0, 1) {
    my $stem = $claude ? 'file_art_' : 'file-art-';
    my $who = $claude ? 'Anthropic' : 'OpenAI';

    for my $id ($stem . '0' x 32, "${stem}1234", 'file-abc123', 'nope',
                $stem . 'A' x 32, $stem . '0' x 33, 'x' x 900)
    {
        for my $case (['GET', "/$id"], ['GET', "/$id/content"],
                      ['DELETE', "/$id"])
        {
            error_of(call(@$case, claude => $claude), '40[04]', $claude,
                     "$who: $case->[0] " . substr $case->[1], 0, 60);
        }
    }
    error_of(call('GET', "/$stem" . '0' x 32, claude => $claude), 404, $claude,
             "$who: what is missing");
    error_of(call('DELETE', "/$stem$foreign", claude => $claude), 404, $claude,
             "$who: what was not made here is not deleted");
    error_of(call('GET', "/$stem" . '0' x 32 . '/other', claude => $claude),
             404, $claude, "$who: a path that is none");
    for my $method (qw(PUT PATCH)) {
        error_of(call($method, '', claude => $claude), 405, $claude,
                 "$who: $method");
    }
    error_of(call('DELETE', '', claude => $claude), 405, $claude,
             "$who: not all are deleted");
}
is($t->get('/artifacts/' . uuid_of($foreign))->body, "posted\n",
   'what was posted is there');


# --- lists -------------------------------------------------------------------------

sub ids { return map { $_->{id} } @{ $_[0]{data} // [] } }

sub list {
    my ($args, $claude) = @_;
    my $res = call('GET', length $args ? "?$args" : '', claude => $claude);
    is($res->status, 200, "a list: $args") or diag($res->body);
    my $data = json_of($res);
    is($data->{object}, 'list', "$args: an object") unless $claude;
    ok(is_bool($data->{has_more}), "$args: whether there is more");
    my @ids = ids($data);
    if (@ids) {
        is("$data->{first_id} $data->{last_id}", "$ids[0] $ids[-1]",
           "$args: first and last");
    }
    return $data;
}

for my $data (list(''), list('', 1)) {
    call('DELETE', "/$_", claude => (/_/ ? 1 : 0)) for ids($data);
}
my $empty = list('');
is_deeply($empty->{data}, [], 'none is left');
ok(!$empty->{has_more}, 'and no more');
is_deeply(list('', 1)->{data}, [], 'none for the other');

my @ids = map {
    my $purpose = $_ % 3 ? 'user_data' : 'vision';
    my $data = json_of(send_form(form('b', file_part("$_\n",
        name => "f$_.txt"), field(purpose => $purpose))));
    sleep 0.005;
    $data->{id};
} 1 .. 25;

my $all = list('');
is(join(' ', sort(ids($all))), join(' ', sort @ids), 'all that was made here');
is(join(' ', map { object_problems($_, size => length($_->{filename} =~ s/\D//gr)
        + 1, name => $_->{filename}, purpose => $_->{purpose}) }
        @{ $all->{data} }) =~ s/ //gr, '', 'each as when retrieved');
my @down = ids($all);
is_deeply([reverse @down], [ids(list('order=asc'))], 'both orders');
is_deeply([ids(list('order=desc'))], \@down, 'the newest first');
is_deeply(\@down, [reverse @ids], 'as they were made');
is(scalar(ids(list('purpose=vision'))), 8, 'those of a purpose');
is(scalar(ids(list('purpose=batch'))), 0, 'which none has');

# pages, and files that go away between them

my @seen;
my $data = list('limit=7');
while (@seen < 100) {
    push @seen, ids($data);
    last unless $data->{has_more};
    $data = list("limit=7&after=$seen[-1]");
}
is_deeply(\@seen, \@down, 'pages of seven');

@seen = ();
$data = list('limit=5&order=asc');
while (@seen < 100) {
    push @seen, ids($data);
    last unless $data->{has_more};
    $data = list("limit=5&order=asc&after=$seen[-1]");
}
is_deeply(\@seen, [reverse @down], 'upwards');

@seen = ();
$data = list('limit=5&purpose=user_data');
while (@seen < 100) {
    push @seen, ids($data);
    last unless $data->{has_more};
    $data = list("limit=5&purpose=user_data&after=$seen[-1]");
}
is_deeply(\@seen, [grep { my $id = $_; my ($n) = grep { $ids[$_] eq $id }
                          0 .. $#ids; ($n + 1) % 3 } @down],
          'pages of a purpose');

$data = list('limit=25');
ok(!$data->{has_more}, 'a page that is just full');
$data = list('limit=24');
ok($data->{has_more}, 'one is left');

my @claude = map { s/file-art-/file_art_/r } @down;

@seen = ();
$data = list('limit=10', 1);
my @first = ids($data);
for my $member (qw(data has_more first_id last_id next_page)) {
    ok(exists $data->{$member}, "Anthropic's page has $member");
}
is_deeply(\@first, [@claude[0 .. 9]], 'the first page');
my $second = list("limit=10&after_id=$first[-1]", 1);
is_deeply([ids($second)], [@claude[10 .. 19]], 'after_id');
is_deeply([ids(list("limit=10&before_id=$second->{first_id}", 1))], \@first,
          'before_id');
is_deeply([ids(list("limit=3&before_id=$claude[9]", 1))], [@claude[6 .. 8]],
          'those just before');
is_deeply([ids(list("before_id=$claude[0]", 1))], [], 'nothing before');
is(scalar(ids(list('', 1))), 20, 'twenty by default');

while (@seen < 100) {
    push @seen, ids($data);
    my $next = $data->{next_page};
    last unless defined $next;
    ok($data->{has_more}, 'which has_more says, too');
    $data = list("limit=10&page=$next", 1);
}
is_deeply(\@seen, \@claude, 'next_page');
is_deeply([ids(list('limit=10&beta=true', 1))], \@first, 'beta=true');

# deletions: of one not yet seen, of one seen, of the cursor itself

my $page = list('limit=10');
my $token = list('limit=10', 1)->{next_page};
for my $gone ($down[9], $down[3], $down[12], $down[11]) {
    my $res = call('DELETE', "/$gone");
    is_deeply(json_of($res), { id => $gone, object => 'file',
                               deleted => JSON::PP::true() }, 'deleted');
}
is_deeply([ids(list("limit=10&after=$down[9]"))],
          [@down[10, 13 .. 21]], 'on from the place of the cursor');
is_deeply([ids(list("limit=10&after_id=$claude[9]", 1))],
          [@claude[10, 13 .. 21]], 'after_id, too');
is_deeply([ids(list("limit=5&before_id=$claude[12]", 1))],
          [@claude[5, 6, 7, 8, 10]],
          'before_id, too');
is_deeply([ids(list("limit=10&page=" . ($token // ''), 1))],
          [@claude[10, 13 .. 21]], 'and a page') if defined $token;
is_deeply([ids(list("limit=10&order=asc&after=$down[12]"))],
          [@down[10, 8, 7, 6, 5, 4, 2, 1, 0]], 'upwards');

$res = call('DELETE', "/$claude[0]", claude => 1);
my $deleted = json_of($res);
is("$deleted->{id} $deleted->{type}", "$claude[0] file_deleted",
   'deleted as Anthropic says it');
error_of(call('DELETE', "/$claude[0]", claude => 1), 404, 1, 'not twice');
error_of(call('GET', "/$down[0]/content"), 404, 0, 'gone');
is($t->get('/artifacts/' . uuid_of($down[0]))->status, 404, 'everywhere');

# more arguments

for my $args ('limit=0', 'limit=-1', 'limit=abc', 'limit=', 'limit=' . '9' x 30,
              'order=up', 'after=nonsense', 'after=', 'after=file-art-xyz',
              'purpose=', 'purpose=%00', 'limit=5&limit=6', '&&&', 'limit')
{
    for my $claude (0, 1) {
        my $res = call('GET', "?$args", claude => $claude);
        like($res->status, qr/\A(?:200|400|404)\z/, "answered: $args");
        error_of($res, '40[04]', $claude, "$args: an error of its shape")
            if $res->status != 200;
    }
}
for my $args ('after_id=nonsense', 'before_id=x', 'page=x', 'page=%ff%00',
              "after_id=$claude[4]&before_id=$claude[6]")
{
    like(call('GET', "?$args", claude => 1)->status, qr/\A(?:200|400|404)\z/,
         "answered: $args");
}

# what was not made here is not listed

unlike(call('GET', '?limit=100')->body, qr/\Q$foreign\E/,
       'what was posted is not listed');


# --- one upload, any model -----------------------------------------------------------

sub upload {
    my ($content, $type, $name) = @_;
    return json_of(send_form(form('b', file_part($content, type => $type,
                                                 name => $name))))->{id} // 'x';
}

sub ask {
    my ($uri, $body) = @_;
    return $t->req('POST', $uri, body => $body,
                   headers => ['Content-Type' => 'application/json',
                               'X-LLM-Service' => 'all']);
}

sub parts_of {
    my ($res) = @_;
    my $data = json_of($res);
    my $list = $data->{messages} || $data->{input} || $data->{contents} || [];
    return @{ $list->[0]{content} || $list->[0]{parts} || [] };
}

my $image = upload($png, 'image/png', 'shot.png');
my $report = upload($pdf, 'application/pdf', 'r.pdf');
my $gone = upload('x', 'text/plain', 'gone.txt');
call('DELETE', "/$gone");

my %URL = ($image => 'data:image/png;base64,' . b64($png),
           $report => 'data:application/pdf;base64,' . b64($pdf));
my %B64 = ($image => b64($png), $report => b64($pdf));

sub chat {
    return '{"model":"all","messages":[{"role":"user","content":['
        . "$_[0]]}]}";
}

sub responses {
    return "{\"model\":\"all\",\"input\":[{\"role\":\"user\",\"content\":[$_[0]]}]}";
}

sub contents {
    return "{\"contents\":[{\"role\":\"user\",\"parts\":[$_[0]]}]}";
}

my %mime = ($image => 'image/png', $report => 'application/pdf');

sub data_of_chat {
    my ($part) = @_;
    return ($part->{image_url} // {})->{url} // ($part->{file} // {})->{file_data};
}

sub data_of_mistral {
    my ($part) = @_;
    my $url = $part->{image_url} // $part->{document_url};
    return ref $url ? $url->{url} : $url;
}

my @API = (
    [chat => '/v1/chat/completions', \&chat, \&data_of_chat, \%URL,
     '{"type":"file","file":{"file_id":"@"}}'],
    [openrouter => '/router/chat/completions', \&chat, \&data_of_chat, \%URL,
     '{"type":"file","file":{"file_id":"@"}}'],
    [responses => '/v1/responses', \&responses,
     sub { $_[0]{image_url} // $_[0]{file_data} }, \%URL,
     '{"type":"input_file","file_id":"@"}',
     '{"type":"input_image","file_id":"@"}'],
    [anthropic => '/v1/messages', \&chat, sub { ($_[0]{source} // {})->{data} },
     \%B64, '{"type":"document","source":{"type":"file","file_id":"@"}}',
     '{"type":"image","source":{"type":"file","file_id":"@"}}'],
    [gemini => '/v1beta/models/gemini-2.5-pro:generateContent', \&contents,
     sub { ($_[0]{inlineData} // {})->{data} }, \%B64],
    [bedrock => '/model/all/converse', \&chat,
     sub { (($_[0]{image} // $_[0]{document} // {})->{source} // {})->{bytes} },
     \%B64],
    [mistral => '/mistral/chat/completions', \&chat, \&data_of_mistral, \%URL,
     '{"type":"file","file_id":"@"}'],
);

for my $api (@API) {
    my ($name, $uri, $request, $data_of, $want, @slots) = @$api;
    push @slots, $name =~ /gemini|bedrock/ ? '{"artifact":"@"}'
                                           : '{"type":"artifact","artifact":"@"}';

    for my $slot (@slots) {
        for my $id ($image, $report) {
            for my $spelling ($id, $id =~ s/file-art-/file_art_/r) {
                my ($part) = grep { !$_->{text} } parts_of(
                    ask($uri, $request->($slot =~ s/\@/$spelling/r)));
                is($data_of->($part), $want->{$id},
                   "$name: $spelling in $slot")
                    or diag(substr encode_json_bytes($part), 0, 200);
                unlike(encode_json_bytes($part), qr/file[-_]art[-_]/,
                       "$name: no id is left");
            }
        }

        my ($part) = parts_of(ask($uri, $request->($slot =~ s/\@/$gone/r)));
        ok(!$part->{type} || $part->{type} =~ /text/,
           "$name: what is deleted is words, in $slot");
        like($part->{text} // '', qr/\Q@{[uuid_of($gone)]}\E|\Q$gone\E/,
             "$name: and which it was");
    }
}

# the same bytes as by its reference

for my $id ($image, $report) {
    my $neutral = '{"type":"artifact","artifact":"@"}';
    is(ask('/v1/chat/completions', chat($neutral =~ s/\@/$id/r))->body,
       ask('/v1/chat/completions', chat($neutral =~ s/\@/"artifact:"
           . uuid_of($id)/er))->body, "$id is a reference like any other");
}

# what is the provider's own stays

for my $id ('file-abc123', 'file-artful', 'file-art', 'file_011CNha8iCJcU1wX') {
    my $body = chat("{\"type\":\"file\",\"file\":{\"file_id\":\"$id\"}}");
    is(ask('/v1/chat/completions', $body)->body, $body, "$id stays");
    $body = chat('{"type":"document","source":{"type":"file","file_id":"'
                 . "$id\"}}");
    is(ask('/v1/messages', $body)->body, $body, "$id stays, Anthropic");
    $body = chat("{\"type\":\"container_upload\",\"file_id\":\"$id\"}");
    is(ask('/v1/messages', $body)->body, $body, "$id stays, for a container");
}

for my $id ($image, $image =~ s/file-art-/file_art_/r) {
    $res = ask('/v1/messages', chat("{\"type\":\"container_upload\","
                                    . "\"file_id\":\"$id\"}"));
    is($res->status, 400, 'a container cannot have ours');
    $data = json_of($res);
    is("$data->{type} $data->{error}{type} $data->{error}{code}",
       'error invalid_request_error invalid_artifact_id', 'it is told');
}

# prose, and slots of others, have none

for my $body (chat('{"type":"text","text":"see ' . $image . ' there"}'),
              '{"model":"all","metadata":{"f":"' . $image . '"},"messages":[]}')
{
    is(ask('/v1/chat/completions', $body)->body, $body, 'prose stays');
}


# --- nginx -t --------------------------------------------------------------------

for my $case (
    ['a location', 0, 'location /v1/files { artifact_files; }'],
    ['an argument', 1, 'location /v1/files { artifact_files on; }'],
    ['a server', 1, 'artifact_files;'],
) {
    my ($name, $fails, $server) = @$case;
    my ($code, $out) = $t->conf_test(server =>
                                     "artifact_root %%DATA%%;\n$server");
    is($code ? 1 : 0, $fails, "nginx -t: $name") or diag($out);
}

is(left_behind($t), '', 'nothing is left behind');

$t->finish;
