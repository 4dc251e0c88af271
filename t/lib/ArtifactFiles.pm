package ArtifactFiles;

# Requests to the Files APIs, as bytes.

use strict;
use warnings;

use Exporter 'import';

use ArtifactCheck;

our @EXPORT = qw(files_server form form_head upload uploaded listed markers
                 contents);

my $BOUNDARY = 'boundary-7MA4YWxk';


# The same API inline, in threads, and with buffers of the least size.

sub files_server {
    my ($more) = @_;

    return <<"SERVER" . ($more // '');
    client_max_body_size 64m;
    artifact_root %%DATA%%;
    location /inline/files {
        artifact_files;
    }
    location /threads/files {
        artifact_files;
        aio threads;
    }
    location /small/files {
        artifact_files;
        aio threads;
        client_body_buffer_size 64;
    }
    location /artifacts/ {
        artifact;
        artifact_write on;
    }
SERVER
}


# The body of an upload: parts of [name, content, filename, type].

sub form {
    my (@parts) = @_;

    my $body = '';
    for my $part (@parts) {
        my ($name, $content, $filename, $type) = @$part;
        $body .= "--$BOUNDARY\r\nContent-Disposition: form-data; name=\"$name\""
            . (defined $filename ? "; filename=\"$filename\"" : '') . "\r\n"
            . (defined $type ? "Content-Type: $type\r\n" : '')
            . "\r\n$content\r\n";
    }
    return "$body--$BOUNDARY--\r\n";
}


sub form_head {
    my ($at, $length, @more) = @_;

    my $head = "POST $at HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        . "Content-Type: multipart/form-data; boundary=$BOUNDARY\r\n"
        . (defined $length ? "Content-Length: $length\r\n"
                           : "Transfer-Encoding: chunked\r\n");
    while (my ($name, $value) = splice @more, 0, 2) {
        $head .= "$name: $value\r\n";
    }
    return "$head\r\n";
}


# One upload in a piece, the answer.

sub upload {
    my ($t, $at, $body, @headers) = @_;

    my $conn = $t->connect;
    $conn->send(form_head($at, length $body, @headers) . $body);
    return $conn->response('POST');
}


# The id of a file that was uploaded.

sub uploaded {
    my ($t, $at, $content, $filename, @fields) = @_;

    my $res = upload($t, $at, form(@fields, ['file', $content, $filename]));
    return $res->{status} == 200 ? json_of($res)->{id} : "status $res->{status}";
}


# A page: the ids, and whether there are more.

sub listed {
    my ($t, $uri, @headers) = @_;

    my $page = json_of($t->get($uri, @headers));
    return (join(' ', map { $_->{id} } @{ $page->{data} || [] }),
            $page->{has_more} ? 1 : 0, $page);
}


sub markers {
    my ($t) = @_;
    my @files = glob $t->data . '/artifacts/.artifact/files/*/*/*';
    return @files;
}


# The contents and sidecars of all artifacts.

sub contents {
    my ($t) = @_;
    my @files = grep { -f } glob $t->data . '/artifacts/*';
    return @files;
}


1;
