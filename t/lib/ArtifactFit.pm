package ArtifactFit;

# What tests of derived forms need: a converter that does as a test tells it and
# notes what it was asked; small images of any size; and requests of all APIs,
# with what they have in them.

use strict;
use warnings;

use Compress::Zlib qw(compress crc32);
use Digest::SHA qw(sha256_hex);
use Exporter 'import';
use Fcntl qw(:flock);
use JSON::PP ();
use MIME::Base64 qw(decode_base64 encode_base64);
use Time::HiRes qw(sleep time);

use ArtifactFixtures;
use ArtifactUpstream qw(read_request send_answer);

our @EXPORT = qw(
    apis avif body_of converted converter echoed fit_map fit_server heic
    inline_part jpeg_of media_in neutral_part parts_in png_of slot
    some_scans tiff_of uri_of
);


# --- images

sub _chunk {
    return pack('N', length $_[1]) . $_[0] . $_[1]
        . pack('N', crc32("$_[0]$_[1]"));
}


# A PNG of that size, as far as its head tells; text is a note within.

sub png_of {
    my ($width, $height, $text) = @_;
    return "\x89PNG\r\n\x1a\n"
        . _chunk('IHDR', pack('NNCCCCC', $width, $height, 8, 2, 0, 0, 0))
        . _chunk('tEXt', "Comment\0" . ($text // ''))
        . _chunk('IDAT', compress("\0" x 64)) . _chunk('IEND', '');
}


# A JPEG likewise.  before: bytes of segments that stand before the size.

sub jpeg_of {
    my ($width, $height, $text, $before) = @_;

    my $note = $text // '';
    my $image = "\xff\xd8\xff\xe0" . pack('n', 16)
        . "JFIF\0\x01\x01\0\0\x01\0\x01\0\0" . ($before // '');
    while (length $note) {
        my $piece = substr $note, 0, 60000, '';
        $image .= "\xff\xfe" . pack('n', 2 + length $piece) . $piece;
    }

    return $image . "\xff\xdb" . pack('n C C64', 67, 0, (16) x 64)
        . "\xff\xc0" . pack('n C n n C C3', 11, 8, $height, $width, 1,
                             1, 0x11, 0)
        . "\xff\xc4" . pack('n C C16 C', 20, 0, 1, (0) x 15, 0)
        . "\xff\xda" . pack('n C C2 C3', 8, 1, 1, 0, 0, 63, 0)
        . "\x3f\x7f\x1e\xa5\xff\xd9";
}


sub tiff_of {
    my ($width, $height, $text) = @_;
    my @tags = ([256, 4, 1, $width], [257, 4, 1, $height], [258, 3, 1, 8],
                [259, 3, 1, 1], [262, 3, 1, 1], [273, 4, 1, 8], [277, 3, 1, 1],
                [278, 4, 1, $height], [279, 4, 1, 64]);
    my $data = ($text // '') . "\0" x 64;
    $data .= "\0" if length($data) % 2;
    return "II*\0" . pack('V', 8 + length $data) . $data
        . pack('v', scalar @tags) . join('', map { pack 'v v V V', @$_ } @tags)
        . pack('V', 0);
}


sub _box { return pack('N', 8 + length $_[1]) . $_[0] . $_[1] }

sub _full { return _box($_[0], "\0\0\0\0$_[1]") }


# A HEIF of one item.  before: bytes between the first box and "meta".

sub _heif {
    my ($brand, $coder, $width, $height, $text, $before) = @_;

    my $meta = _full('hdlr', "\0\0\0\0pict" . "\0" x 13)
        . _full('pitm', pack 'n', 1)
        . _full('iinf', pack('n', 1) . _box('infe', pack('N n n', 2 << 24, 1, 0)
                                            . "$coder\0"))
        . _box('iprp', _box('ipco', _full('ispe', pack 'N N', $width, $height))
               . _full('ipma', pack 'N n C C', 1, 1, 1, 0x81));
    return _box('ftyp', "$brand\0\0\0\0mif1$brand") . ($before // '')
        . _full('meta', $meta) . _box('mdat', ($text // '') . "\0" x 32);
}


sub heic {
    my ($width, $height, $text, $before) = @_;
    return _heif('heic', 'hvc1', $width || 64, $height || 48, $text, $before);
}


sub avif {
    my ($width, $height, $text, $before) = @_;
    return _heif('avif', 'av01', $width || 64, $height || 48, $text, $before);
}


# --- the converter

# The first word of the path names what is done:
#
#   jpeg, png, mp3, pdf     a medium that tells what it was made of
#   text, markdown          words that do
#
# and what else a test has in contents: name => { body, type, status, headers,
# frame, cut, ..}, or code that gets the request and returns that.
#
#   body      bytes; code that gets the request and returns them
#   frame     "length" (default), "chunked" (without a last chunk where "cut"
#             is) or "close"
#   cut       the connection ends after that many bytes of the body
#   pause     seconds before the answer
#   meet      no answer before that many with the same X-Request-ID have begun
#             (10 seconds at most)
#   hang      no answer, until the other side goes away
#   endless   the body is sent again and again until nobody takes it

sub converter {
    my ($path, %contents) = @_;

    my $self = bless { log => "$path.asked" }, 'ArtifactFit::Converter';
    open my $log, '>', $self->{log} or die "$self->{log}: $!";
    close $log;

    $self->{upstream} = ArtifactUpstream->new($path, serve => sub {
        my ($sock) = @_;
        my ($head, $body) = read_request($sock) or return;
        my ($line, @headers) = split /\r\n/, $head;
        my ($method, $uri) = $line =~ /^(\S+) (\S+)/ or return;
        my ($name) = $uri =~ m{^/*([^/?]*)};

        my ($of) = $head =~ /^X-Request-ID: (.*?)\r?$/mi;
        my $asked = { method => $method, uri => $uri, name => $name,
                      of => $of // '',
                      headers => [@headers], length => length $body,
                      sha => sha256_hex($body), pid => $$, at => time };
        $self->_note('begin', $asked);

        my $content = $contents{$name} || _usual($name);
        $content = $content->($asked, $body) if ref $content eq 'CODE';
        $self->_answer($sock, $asked, $content);
    });

    return $self;
}


# What the converter makes of bytes, or of "=" and what a GET asks for.

sub converted {
    my ($name, $of) = @_;
    return _made($name, $of =~ /\A=(.*)/s ? $1 : sha256_hex($of));
}


sub _made {
    my ($name, $tag) = @_;
    return $name eq 'jpeg' ? jpeg_of(8, 8, "of $tag")
        : $name eq 'png' ? png_of(8, 8, "of $tag")
        : $name eq 'mp3' ? mp3() . "of $tag"
        : $name eq 'pdf' ? pdf() =~ s/%%EOF/%of $tag\n%%EOF/r
        : $name eq 'markdown' ? "# of $tag\n\n* \"words\"\n"
        : "$name of $tag\nand more\n";
}


my %TYPE = (jpeg => 'image/jpeg', png => 'image/png', mp3 => 'audio/mpeg',
            pdf => 'application/pdf', markdown => 'text/markdown');

sub _usual {
    my ($name) = @_;

    return sub {
        my ($asked) = @_;
        my $tag = $asked->{sha};
        ($tag = $asked->{uri}) =~ s{^/*[^/]*/*}{} if $asked->{method} eq 'GET';
        return { body => _made($name, $tag),
                 type => $TYPE{$name} // 'text/plain' };
    };
}


package ArtifactFit::Converter;

use Fcntl qw(:flock);
use Time::HiRes qw(sleep time);

use ArtifactUpstream qw(send_answer);


sub _note {
    my ($self, $event, $asked) = @_;
    open my $log, '>>', $self->{log} or die "$self->{log}: $!";
    syswrite $log, JSON::PP->new->canonical->encode(
        { %$asked, event => $event }) . "\n";
}


# The last line may still be written.

sub _events {
    my ($self, $from) = @_;
    open my $log, '<', $self->{log} or die "$self->{log}: $!";
    seek $log, $from || 0, 0;
    return grep { /\n\z/ } <$log>;
}


sub _answer {
    my ($self, $sock, $asked, $content) = @_;

    if ($content->{meet}) {
        for (1 .. 200) {
            open my $log, '<', $self->{log} or die "$self->{log}: $!";
            last if $content->{meet}
                    <= grep { /"event":"begin".*"of":"\Q$asked->{of}\E"/ }
                       <$log>;
            sleep 0.05;
        }
    }
    sleep $content->{pause} if $content->{pause};

    if ($content->{hang}) {
        1 while sysread $sock, my $buf, 65536;
        return $self->_note('end', $asked);
    }

    my $body = $content->{body} // '';
    $body = $body->($asked) if ref $body;
    my $frame = $content->{frame} // 'length';
    my $status = $content->{status} || 200;

    my $head = "HTTP/1.1 $status X\r\nConnection: close\r\n";
    $head .= "Content-Type: $content->{type}\r\n"
        if length($content->{type} // '');
    $head .= "$_\r\n" for @{ $content->{headers} || [] };
    $head .= "Transfer-Encoding: chunked\r\n" if $frame eq 'chunked';
    $head .= 'Content-Length: ' . length($body) . "\r\n"
        if $frame eq 'length' && $status !~ /^(?:204|304)$/;
    $head .= "\r\n";

    if ($content->{endless}) {
        my ($sent, $max) = (0, 400_000_000);
        send_answer($sock, $head);
        $body = sprintf "%x\r\n%s\r\n", length $body, $body
            if $frame eq 'chunked';
        while ($sent < $max) {
            my $n = syswrite $sock, $body or last;
            $n == length $body or last;
            $sent += $n;
        }
        return $self->_note('end', { %$asked, sent => $sent });
    }

    # noted before the other side can know: never too many at once by mistake

    $self->_note('end', $asked);

    my $cut = $content->{cut};
    $body = substr $body, 0, $cut if defined $cut;
    $body = sprintf("%x\r\n%s\r\n", length $body, $body)
        . (defined $cut ? '' : "0\r\n\r\n") if $frame eq 'chunked';
    send_answer($sock, $head . ($asked->{method} eq 'HEAD' ? '' : $body));
}


# The requests since the last call, in their order.

sub asked {
    my ($self) = @_;
    my @lines = $self->_events($self->{seen});
    $self->{seen} += length for @lines;
    return map { JSON::PP->new->decode($_) }
           grep { /"event":"begin"/ } @lines;
}


# Their names, as one string.

sub names {
    my ($self) = @_;
    return join ' ', map { $_->{name} } $self->asked;
}


# All that has ended, with what there is to be said.

sub ended {
    my ($self) = @_;
    open my $log, '<', $self->{log} or die "$self->{log}: $!";
    return map { JSON::PP->new->decode($_) } grep { /"event":"end"/ } <$log>;
}


# How many there were at once, at most, since the first one or a number of
# events; and how many events there are.

sub at_once {
    my ($self, $from) = @_;
    my @events = $self->_events;
    my ($now, $most) = (0, 0);
    for (@events[($from || 0) .. $#events]) {
        $now += /"event":"begin"/ ? 1 : -1;
        $most = $now if $now > $most;
    }
    return $most;
}


sub events { return scalar(my @events = $_[0]->_events) }


sub stop { $_[0]{upstream}->stop }


package ArtifactFit;


# --- requests

# Images that no model takes, as ArtifactTest::artifacts() stores them.

sub some_scans {
    return (tiff => [tiff_of(9, 9, 'one'), 'image/tiff', 'scan.tiff'],
            tif2 => [tiff_of(9, 9, 'two'), 'image/tiff', 'page.tif'],
            odd => [tiff_of(9, 9, 'three'), 'image/tiff', 'without extension'],
            other => [tiff_of(9, 9, 'four'), 'image/tiff', 'page.unknown']);
}


# A server whose locations pass to models' APIs, to an upstream that answers
# with what it gets; rules, and further locations.

sub fit_server {
    my ($rules, $more) = @_;

    my $pass = 'artifact_expand on; proxy_pass http://unix:%%PREFIX%%/echo:;';
    return <<"SERVER" . ($more // '');
    artifact_root %%DATA%%;
    artifact_language en;
    $rules
    location /artifacts/ { internal; artifact; }
    location /c/ {
        internal;
        proxy_set_header X-Version \$artifact_version;
        proxy_pass http://unix:%%PREFIX%%/convert:/;
        proxy_ignore_headers X-Accel-Redirect;
    }
    location /v1 { $pass }
    location /model/ { $pass }
    location /mistral/ { artifact_format mistral; $pass }
    location /openrouter/ { artifact_format openrouter; $pass }
SERVER
}


# Models: one reads text, one sees, one takes all.

sub fit_map {
    return { services => [
        map { { id => $_->[0], model => $_->[0],
                capabilities => { input => ['text', @{ $_->[1] }] } } }
        ['reads', []], ['sees', ['vision']],
        ['all', [qw(vision audio video file pdf)]], @_ ] };
}


sub apis {
    return qw(openai openai_responses anthropic gemini bedrock mistral
              openrouter invoke);
}


my %URI = (
    openai => '/v1/chat/completions', openai_responses => '/v1/responses',
    anthropic => '/v1/messages',
    gemini => '/v1beta/models/%s:generateContent',
    bedrock => '/model/%s/converse', invoke => '/model/%s/invoke',
    mistral => '/mistral/chat/completions',
    openrouter => '/openrouter/chat/completions',
);

sub uri_of {
    my ($api, $model) = @_;
    return $URI{$api} =~ s{%s}{$model}r;
}


# A body with one user's turn, or several: each a list of parts in JSON.

sub body_of {
    my ($api, $model, @turns) = @_;
    @turns = [@turns] unless ref $turns[0];

    my $word = $api eq 'gemini' ? 'parts' : 'content';
    my $said = $api =~ /gemini|bedrock/ ? '[{"text":"fine"}]' : '"fine"';
    my $messages = join ',', map {
        qq({"role":"user","$word":[) . join(',', @$_) . ']}' } @turns;
    my $role = $api eq 'gemini' ? 'model' : 'assistant';
    $messages =~ s/\]\},\{"role"/]},{"role":"$role","$word":$said},{"role"/g;

    my $list = $api eq 'openai_responses' ? 'input'
        : $api eq 'gemini' ? 'contents' : 'messages';
    my $name = $api =~ /gemini|bedrock|invoke/ ? '' : qq("model":"$model",);
    $name = '"anthropic_version":"bedrock-2023-05-31",' if $api eq 'invoke';
    return qq({$name"$list":[$messages]});
}


# The part of an API that has a reference: of an "image", "document" or "audio".

sub slot {
    my ($api, $kind, $ref) = @_;

    return qq({"fileData":{"fileUri":"$ref"}}) if $api eq 'gemini';
    return _bedrock($kind, qq({"s3Location":{"uri":"$ref"}}), 'png')
        if $api eq 'bedrock';
    return qq({"type":"$kind","source":{"type":"url","url":"$ref"}})
        if $api =~ /anthropic|invoke/;

    if ($api eq 'openai_responses') {
        return qq({"type":"input_image","image_url":"$ref"})
            if $kind eq 'image';
        return qq({"type":"input_file","file_url":"$ref"});
    }
    if ($api eq 'mistral') {
        return qq({"type":"image_url","image_url":"$ref"}) if $kind eq 'image';
        return qq({"type":"document_url","document_url":"$ref"})
            if $kind eq 'document';
        return qq({"type":"input_audio","input_audio":"$ref"});
    }

    return qq({"type":"image_url","image_url":{"url":"$ref"}})
        if $kind eq 'image';
    return qq({"type":"file","file":{"file_id":"$ref"}}) if $kind eq 'document';
    return qq({"type":"input_audio","input_audio":{"data":"$ref","format":)
        . '"wav"}}';
}


sub neutral_part {
    my ($api, $ref) = @_;
    return qq({"artifact":"$ref"}) if $api =~ /gemini|bedrock/;
    return qq({"type":"artifact","artifact":"$ref"});
}


# ... and the one that has the client's own bytes.

sub inline_part {
    my ($api, $kind, $mime, $bytes, $name) = @_;

    my $b64 = encode_base64($bytes, '');
    my $url = "data:$mime;base64,$b64";
    $name = defined $name ? qq("filename":"$name",) : '';

    return qq({"inlineData":{"mimeType":"$mime","data":"$b64"}})
        if $api eq 'gemini';
    return _bedrock($kind, qq({"bytes":"$b64"}), $mime =~ m{(\w+)\z})
        if $api eq 'bedrock';
    return qq({"type":"$kind","source":{"type":"base64","media_type":"$mime",)
        . qq("data":"$b64"}}) if $api =~ /anthropic|invoke/;

    if ($api eq 'openai_responses') {
        return qq({"type":"input_image","image_url":"$url"})
            if $kind eq 'image';
        return qq({"type":"input_file",$name"file_data":"$url"});
    }

    return slot($api, $kind, $url) if $api eq 'mistral' || $kind eq 'image';
    return qq({"type":"file","file":{$name"file_data":"$url"}})
        if $kind eq 'document';
    return qq({"type":"input_audio","input_audio":{"data":"$b64","format":")
        . ($mime =~ m{(\w+)\z})[0] . '"}}';
}


sub _bedrock {
    my ($kind, $source, $format) = @_;
    my $name = $kind eq 'document' ? '"name":"d",' : '';
    return qq({"$kind":{"format":"$format",$name"source":$source}});
}


# The parts of a request as they arrived, in their order: texts as strings,
# media as { mime, bytes, name }.

sub parts_in {
    my ($data) = @_;

    return map { parts_in($_) } @$data if ref $data eq 'ARRAY';
    return $data if defined $data && !ref $data;
    return () if ref $data ne 'HASH';

    if (defined $data->{text} && !ref $data->{text}) {
        return $data->{text};
    }
    for my $word (qw(image_url document_url video_url file_data input_audio)) {
        my $value = $data->{$word} // next;
        if (ref $value eq 'HASH' && defined $value->{format}) {
            return { mime => "audio/$value->{format}",
                     bytes => decode_base64($value->{data}) };
        }
        $value = $value->{url} if ref $value;
        return _of_url($value, $data->{filename} // $data->{document_name});
    }
    if (my $inline = $data->{inlineData}) {
        return { mime => $inline->{mimeType}, name => undef,
                 bytes => decode_base64($inline->{data}) };
    }
    if (my $source = $data->{source}) {
        return $source->{content} ? parts_in($source->{content})
            : defined $source->{url} ? _of_url($source->{url})
            : $source->{type} eq 'text' ? $source->{data}
            : { mime => $source->{media_type}, name => $data->{title},
                bytes => decode_base64($source->{data}) };
    }
    for my $kind (qw(image document audio video)) {
        my $part = $data->{$kind};
        next if ref $part ne 'HASH' || !$part->{source};
        return { mime => "$kind/$part->{format}", name => $part->{name},
                 bytes => decode_base64($part->{source}{bytes} // '') };
    }

    return map { parts_in($data->{$_}) } grep { exists $data->{$_} }
        qw(messages input contents content parts file output response
           toolResult functionResponse artifacts);
}


sub _of_url {
    my ($url, $name) = @_;
    return { mime => $1, bytes => decode_base64($2), name => $name }
        if $url =~ m{\Adata:([^;,]+);base64,(.*)\z}s;
    return { mime => 'url', bytes => $url, name => $name };
}


# The media of them only.

sub media_in { return grep { ref } parts_in(@_) }


# An upstream that answers with what it gets.

sub echoed {
    my ($t) = @_;
    return ArtifactUpstream->echo($t->prefix . '/echo');
}


1;
