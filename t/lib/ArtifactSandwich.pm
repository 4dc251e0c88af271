package ArtifactSandwich;

# Stand-ins as their contract has them, without a look into the module: their bytes
# from t/data/standins.hex, ids made of what they stand for, and requests of each
# API with media in their slots.

use strict;
use warnings;

use Compress::Zlib qw(crc32);
use Cwd qw(abs_path);
use Digest::SHA qw(hmac_sha256_hex);
use Exporter 'import';
use File::Basename qw(dirname);
use MIME::Base64 qw(decode_base64);
use Test::More;

use ArtifactCheck;
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactJSON;
use ArtifactTools;

our @EXPORT = qw(
    @STANDIN_APIS @STANDIN_KINDS standin_b64 standin_body standin_bytes
    standin_content standin_counts standin_digest standin_echo standin_files
    standin_id standin_map standin_mime standin_part standin_post standin_read
    standin_same standin_server standin_slots standin_stored standin_uri
);

my $REPO = abs_path(dirname(__FILE__) . '/../..');

our @STANDIN_KINDS = qw(png jpeg gif webp pdf wav mp3 mp4);
our @STANDIN_APIS = qw(openai openai_responses anthropic gemini bedrock mistral
                       openrouter);

my %MIME = (
    png => 'image/png', jpeg => 'image/jpeg', gif => 'image/gif',
    webp => 'image/webp', pdf => 'application/pdf', wav => 'audio/wav',
    mp3 => 'audio/mpeg', mp4 => 'video/mp4',
);

# where the id begins

my %ID_AT = (png => 60, jpeg => 33, gif => 39, webp => 231, pdf => 21,
             wav => 873, mp3 => 33, mp4 => 900);

my %TEMPLATE;


sub _templates {
    my ($kind, %hex);
    for my $line (split /\n/, slurp("$REPO/t/data/standins.hex")) {
        if ($line =~ /^## (\w+)/) {
            $kind = $1;
        } elsif (defined $kind) {
            $hex{$kind} .= $line;
        }
    }
    return map { $_ => pack 'H*', $hex{$_} } keys %hex;
}


# --- stand-ins ------------------------------------------------------------

sub standin_mime { return $MIME{ $_[0] } }


sub standin_bytes {
    my ($kind, $id) = @_;

    %TEMPLATE = _templates() if !%TEMPLATE;
    my $bytes = $TEMPLATE{$kind} // die "no kind $kind\n";
    substr $bytes, $ID_AT{$kind}, 36, $id;

    # the chunk that has the id: its name is at 37, its CRC at 96

    substr $bytes, 96, 4, pack 'N', crc32(substr $bytes, 37, 59)
        if $kind eq 'png';
    return $bytes;
}


sub standin_b64 { return b64(standin_bytes(@_)) }


# Kind and id of what is a stand-in to the byte, else nothing.

sub standin_read {
    my ($bytes) = @_;

    for my $kind (@STANDIN_KINDS) {
        my $id = length $bytes >= $ID_AT{$kind} + 36
            ? substr $bytes, $ID_AT{$kind}, 36 : '';
        return ($kind, $id) if $id =~ /\A[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-
                                       [0-9a-f]{12}\z/x
                               && $bytes eq standin_bytes($kind, $id);
    }
    return;
}


# The digest that a root's key gives a content, and the id that begins it.

sub standin_digest {
    my ($root, $bytes, $kind, $scope) = @_;
    $scope //= '';
    return hmac_sha256_hex("artifact-standin-v1\n$scope\n$bytes\n$MIME{$kind}",
                           slurp("$root/artifacts/.artifact/key"));
}


sub standin_id {
    my $hex = substr standin_digest(@_), 0, 32;
    substr $hex, 12, 1, '8';
    substr $hex, 16, 1, sprintf '%x', hex(substr $hex, 16, 1) & 3 | 8;
    return join '-', unpack 'A8A4A4A4A12', $hex;
}


# --- contents ---------------------------------------------------------------

# A file of a kind, whole, with about so many bytes more than it needs.

sub standin_content {
    my ($kind, $more) = @_;

    return mp3() . ("\xff\xfb\x90\0" . rand_bytes(413)) x (1 + $more / 417)
        if $kind eq 'mp3';
    return mp4() . pack('N', $more + 8) . 'free' . rand_bytes($more)
        if $kind eq 'mp4';
    return content_of($MIME{$kind}, $more);
}


# --- requests ---------------------------------------------------------------

# The slots of an API that take a kind: name => code that makes a part of a
# media type and a base64 text.  Parts are JSON texts.

sub standin_slots {
    my ($api, $kind) = @_;

    my $image = $MIME{$kind} =~ m{^image/};
    my $sound = $MIME{$kind} =~ m{^audio/};
    my $format = $kind;

    return _chat_slots($api, $kind) if $api =~ /^(?:openai|openrouter)\z/;

    if ($api eq 'openai_responses') {
        return $image ? (image => sub {
            qq({"type":"input_image","detail":"low",)
            . qq("image_url":"data:$_[0];base64,$_[1]"}) })
            : $kind eq 'pdf' ? (file => sub {
            qq({"type":"input_file","filename":"a.pdf",)
            . qq("file_data":"data:$_[0];base64,$_[1]"}) }) : ();
    }
    if ($api eq 'anthropic') {
        my $type = $image ? 'image' : $kind eq 'pdf' ? 'document' : return;
        return ($type => sub {
            qq({"cache_control":{"type":"ephemeral"},"type":"$type","source":)
            . qq({"type":"base64","media_type":"$_[0]","data":"$_[1]"}}) });
    }
    if ($api eq 'gemini') {
        return (inline => sub {
            qq({"inlineData":{"mimeType":"$_[0]","data":"$_[1]"}}) },
            snake => sub {
            qq({"inline_data":{"data":"$_[1]","mime_type":"$_[0]"}}) });
    }
    if ($api eq 'bedrock') {
        my $type = $image ? 'image' : $sound ? 'audio'
            : $kind eq 'pdf' ? 'document' : 'video';
        my $name = $type eq 'document' ? '"name":"a b",' : '';
        return ($type => sub {
            qq({"$type":{$name"format":"$format","source":)
            . qq({"bytes":"$_[1]"}}}) });
    }
    return $image ? (image => sub {
            qq({"type":"image_url","image_url":"data:$_[0];base64,$_[1]"}) })
        : $kind eq 'pdf' ? (document => sub {
            qq({"type":"document_url","document_name":"a.pdf",)
            . qq("document_url":"data:$_[0];base64,$_[1]"}) })
        : $sound ? (audio => sub {
            qq({"type":"input_audio","input_audio":"$_[1]"}) }) : ();
}


sub _chat_slots {
    my ($api, $kind) = @_;

    my $url = sub { "data:$_[0];base64,$_[1]" };
    return (image => sub {
        qq({"type":"image_url","image_url":{"detail":"high","url":")
        . $url->(@_) . '"}}' }) if $MIME{$kind} =~ m{^image/};
    return (file => sub {
        qq({"type":"file","file":{"filename":"a.pdf","file_data":")
        . $url->(@_) . '"}}' }) if $kind eq 'pdf';
    return (audio => sub {
        qq({"type":"input_audio","input_audio":{"data":"$_[1]",)
        . qq("format":"$kind"}}) }) if $MIME{$kind} =~ m{^audio/};
    return $api eq 'openrouter' ? (video => sub {
        qq({"type":"video_url","video_url":{"url":") . $url->(@_)
        . '"}}' }) : ();
}


# A part of OpenAI's chat in the slot for a kind, with a medium of its type.

sub standin_part {
    my ($kind, $b64, $mime) = @_;
    my ($slot) = values %{ { _chat_slots('openai', $kind) } };
    return $slot->($mime // $MIME{$kind}, $b64);
}


# Where a request goes to, below a location, and one with these parts of a user.

sub standin_uri {
    my ($api, $model) = @_;
    $model //= '';
    return {
        openai => '/v1/chat/completions', openai_responses => '/v1/responses',
        anthropic => '/v1/messages', bedrock => "/model/$model/converse",
        gemini => "/v1beta/models/$model:generateContent",
        mistral => '/mistral/v1/chat/completions',
        openrouter => '/openrouter/v1/chat/completions',
    }->{$api};
}


sub standin_body {
    my ($api, $model, @parts) = @_;

    my $parts = join ', ', @parts;
    return qq({"contents":[{"role":"user","parts":[$parts]}],)
        . '"generationConfig":{"temperature":1.0e0}}' if $api eq 'gemini';
    return qq({ "messages":[{"role":"user","content":[$parts]}] })
        if $api eq 'bedrock';
    return qq({"input":[{"role":"user","content":[$parts]}],"model":"$model"})
        if $api eq 'openai_responses';
    return qq({"model" : "$model","messages":[{"role":"user","content":[$parts]}],)
        . '"user":"caf\u00e9","max_tokens":9}';
}


sub standin_post {
    my ($t, $uri, $body, @headers) = @_;
    return $t->req('POST', $uri, body => $body,
                   headers => ['Content-Type' => 'application/json', @headers]);
}


# --- servers ----------------------------------------------------------------

sub standin_map {
    my @all = qw(text vision audio video file pdf);
    return { services => [
        { id => 'sees', model => 'sees', capabilities => { input => \@all } },
        { id => 'reads', model => 'reads',
          capabilities => { input => ['text'] } },
    ] };
}


sub standin_echo { return echo($_[0]->prefix . '/echo') }


# An nginx with the locations
#
#   /front/    takes media out, /behind/ puts them in, each before an echo
#   /all/      both, one behind the other
#   /direct/   artifact_expand before the echo, without stand-ins
#   /plain/    the echo
#   /files/    what a client may fetch of the store
#
# and below each /mistral/ and /openrouter/ with that format.  front, behind,
# server, http: more for these; start => 0: only the configuration comes back.

sub standin_server {
    my ($t, %more) = @_;

    $more{$_} //= '' for qw(main front behind http server min);
    $t->file('map.json', standin_map());

    my %part = (
        main => $more{main},
        http => "artifact_capabilities %%PREFIX%%/map.json;\n"
            . "artifact_language en;\n$more{http}",
        server => "artifact_offload_min " . ($more{min} || '1k') . ";\n"
            . _locations(\%more) . $more{server},
    );

    my $at = $t->prefix;
    $part{$_} =~ s/%%ECHO%%/http:\/\/unix:$at\/echo:\//g for keys %part;
    return %part if exists $more{start} && !$more{start};
    $t->start(%part);
    return;
}


sub _locations {
    my ($more) = @_;

    my %conf = (
        front => "artifact_offload_request on;\n$more->{front}",
        behind => "artifact_expand standins;\n$more->{behind}",
        direct => 'artifact_expand on;',
        plain => '',
    );
    my $text = <<'CONF';
    artifact_root %%DATA%%;
    client_max_body_size 64m;

    location /artifacts/ {
        internal;
        artifact;
    }
    location /files/ {
        artifact;
        artifact_index on;
    }
CONF

    for my $name (sort keys %conf) {
        for my $format ('', 'mistral', 'openrouter') {
            my $uri = $format ? "/$name/$format/" : "/$name/";
            my $is = $format ? "artifact_format $format;" : '';
            $text .= "location $uri { $conf{$name} $is "
                . "proxy_pass %%ECHO%%; }\n";
            $text .= "location " . ($uri =~ s/front/all/r) . " { $conf{front} "
                . "$is proxy_pass http://127.0.0.1:%%PORT%%"
                . ($uri =~ s/front/behind/r) . "; }\n" if $name eq 'front';
        }
    }
    return $text;
}


# --- what is stored -------------------------------------------------------

# The files of a root, without its control folder: id => { path, meta }.

sub standin_files {
    my ($root) = @_;

    my %found;
    for my $meta (glob "$root/artifacts/*.meta") {
        my ($id) = $meta =~ m{([^/]+)\.meta\z};
        $found{$id} = { meta => decode_strict(slurp($meta)),
                        path => grep({ !/\.meta\z/ }
                                     glob "$root/artifacts/$id*") };
    }
    return \%found;
}


# What is wrong with what is stored of a content, as one string.

sub standin_stored {
    my ($root, $id, $bytes, $kind, $scope) = @_;

    my $files = standin_files($root)->{$id} // return "$id is not stored";
    my $meta = $files->{meta};
    my @wrong;

    push @wrong, 'no content' if !defined $files->{path};
    push @wrong, 'other bytes' if defined $files->{path}
        && slurp($files->{path}) ne $bytes;
    push @wrong, 'not marked'
        if !is_bool($meta->{standin}) || !$meta->{standin};
    push @wrong, 'digest ' . ($meta->{digest} // 'none')
        if ($meta->{digest} // '') ne 'hmac-sha256:'
           . standin_digest($root, $bytes, $kind, $scope);
    push @wrong, 'type ' . ($meta->{type} // 'none')
        if ($meta->{type} // '') ne $MIME{$kind};

    return join ', ', @wrong;
}


# A test that two texts are the same; the first difference is shown shortly.

sub standin_same {
    my ($got, $want, $name) = @_;

    return pass($name) if $got eq $want;
    my $at = 0;
    $at++ while $at < length $got && $at < length $want
        && substr($got, $at, 1) eq substr $want, $at, 1;
    my $from = $at < 60 ? 0 : $at - 60;
    fail($name);
    diag("lengths ", length $got, ' and ', length $want, ", differ at $at: ",
         substr($got, $from, 200), "\n  wanted: ", substr $want, $from, 200);
    return 0;
}


# artifact_standins_total of a status page: "side kind outcome" => number, those
# that are not 0.

sub standin_counts {
    my ($text) = @_;

    my %count;
    while ($text =~ /^artifact_standins_total\{([^}]*)\} (\d+)/mg) {
        my ($labels, $n) = ($1, $2);
        my %label = $labels =~ /(\w+)="([^"]*)"/g;
        $count{"$label{side} $label{kind} $label{outcome}"} += $n if $n;
    }
    return \%count;
}


1;
