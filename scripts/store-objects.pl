# store-objects.pl: what store-test.pl puts into the stores, and whether an
# answer is right.

use strict;
use warnings;
use utf8;

use JSON::PP ();
use MIME::Base64 qw(decode_base64 encode_base64url);
use Test::More;

our %object;


# --- the objects --------------------------------------------------------------

# An object: key, ref, type, name (characters), content, and kind, which is
# text, image or file.

sub add {
    my (%o) = @_;

    $o{kind} = $o{type} =~ m{^image/} ? 'image'
        : $o{type} =~ m{^(text/|application/json)} ? 'text' : 'file';

    return $object{$o{key}} = \%o;
}


sub ws_object {
    my ($ws, $path, $type, $content) = @_;

    my $name = $path =~ s{.*/}{}sr;
    utf8::decode($name);

    return add(key => "workspaces/$ws/$path", name => $name, type => $type,
        ref => "ws:$ws:" . encode_base64url($path), content => $content);
}


# samples.pl's data root, with the claims of its sidecars

sub read_samples {
    my ($root) = @_;

    for my $meta (map { JSON::PP::decode_json(slurp($_)) }
                  glob "$root/artifacts/*.meta")
    {
        add(key => "artifacts/$meta->{id}", ref => $meta->{id},
            type => $meta->{type} // $meta->{mimeType}, disposition => 1,
            name => $meta->{name} // $meta->{filename},
            content => slurp("$root/artifacts/$meta->{id}$meta->{extension}"));
    }

    for my $path (glob "$root/workspaces/*.meta.json") {
        my $meta = JSON::PP::decode_json(slurp($path));
        my $ws = bytes($meta->{workspaceId});

        for my $file (sort keys %{ $meta->{files} }) {
            my $bytes = bytes($file);

            ws_object($ws, $bytes, $meta->{files}{$file}{mimeType},
                      slurp("$root/workspaces/$ws/$bytes"));
        }
    }
}


sub make_objects {
    add(key => 'artifacts/large', ref => 'large', name => 'large.bin',
        disposition => 1, type => 'application/octet-stream',
        content => noise(8 << 20, 1));

    my $text = join '', map { "第 $_ 行, line $_: \"quoted\\\"\t\n" } 1 .. 60000;
    add(key => 'artifacts/long', ref => 'long', name => 'long.txt',
        disposition => 1, type => 'text/plain; charset=utf-8',
        content => bytes($text));

    my $path = '目录/a b#c%d?e+f&g;h=i@j,$k~l\'(m)!*.txt';
    ws_object('agent-x.y_z', bytes($path), 'text/plain', "odd name\n");
}


# bytes that no compressor or signature knows, the same each time

sub noise {
    my ($size, $seed) = @_;

    my $x = $seed * 2654435761 % 4294967296 || 1;
    my $words = '';

    for (1 .. 4096) {
        $x ^= $x << 13 & 0xffffffff;
        $x ^= $x >> 17;
        $x ^= $x << 5 & 0xffffffff;
        $words .= pack 'V', $x;
    }

    my $bytes = '';
    my $n = 0;

    $bytes .= pack('V', $n++) . $words while length $bytes < $size;

    return substr $bytes, 0, $size;
}


# the objects of a loop in which something is killed, sizes and kinds mixed

sub loop_objects {
    my ($name, $n) = @_;

    my @list;

    for my $i (1 .. $n) {
        my $size = 1000 + $i * 7919 % 250000;

        push @list, $i % 2
            ? ws_object($name, "$i.dat", 'application/x-loop',
                        noise($size, $i))
            : ws_object($name, "$i.txt", 'text/plain',
                        "$name $i\n" . unpack('H*', noise($size / 2, $i)));
    }

    return @list;
}


sub bytes {
    my ($text) = @_;

    utf8::encode($text);

    return $text;
}


sub percent {
    my ($bytes) = @_;

    return $bytes =~ s/([^A-Za-z0-9\-._~\/])/sprintf '%%%02X', ord $1/ger;
}


# --- what is right ------------------------------------------------------------

# undef if the answer is the routed object for that model, else what is wrong

sub wrong {
    my ($res, $o, $model) = @_;

    return "status $res->{status}" if $res->{status} != 200;
    return 'incomplete' unless $res->{complete};
    return 'not JSON' if ($res->header('Content-Type') // '')
        ne 'application/json';

    my $body = $res->{body};
    my $data;

    # base64 is cut out, JSON::PP takes its time

    if ($body =~ /"(?:data|url)":"(?:data:([^;,"]+);base64,)?([A-Za-z0-9+\/=]*)"/)
    {
        my ($at, $len) = ($-[2], $+[2] - $-[2]);

        $data = { type => $1, bytes => decode_base64(substr $body, $at, $len) };
        substr $body, $at, $len, '';
    }

    my $json = eval { JSON::PP::decode_json($body) }
        or return "not JSON: $@";

    my ($routing, $reason) = expected($o, $model);
    my $is = $json->{routing} // '';

    return "routing $is" if $is ne ($routing eq 'none' ? 'text' : $routing);
    return 'wrong name' if $json->{metadata}{filename} ne $o->{name};
    return 'wrong size'
        if $json->{metadata}{size} != length $o->{content};
    return 'wrong reason'
        if ($json->{metadata}{reason} // '') ne ($reason // '');

    if ($routing eq 'text') {
        return defined $data ? 'base64 in a text'
            : bytes($json->{content}) eq $o->{content} ? undef : 'wrong text';
    }

    if ($routing eq 'none') {
        return defined $data || $json->{imageUrl} || $json->{file}
            ? 'bytes in a description'
            : index($json->{content}, $o->{name}) < 0
            ? 'a description without the name' : undef;
    }

    return 'no base64' unless defined $data;
    return 'wrong bytes' if $data->{bytes} ne $o->{content};

    return $routing eq 'image_url'
           && $data->{type} ne ($o->{type} =~ s/jpg/jpeg/r)
        ? 'wrong type' : undef;
}


# How the model gets the object, or "none" and why not.

sub expected {
    my ($o, $model) = @_;
    my $kind = $o->{kind};

    return 'text' if $kind eq 'text';
    return ('none', 'capability')
        if $model ne 'full-model'
           && ($model eq 'text-model' || $kind ne 'image');
    return ('none', 'pixels')
        if $o->{ref} eq 'panorama' && $model eq 'vision-model';
    return $kind eq 'image' ? 'image_url' : 'file';
}


sub wrong_raw {
    my ($res, $o) = @_;

    return "status $res->{status}" if $res->{status} != 200;
    return 'incomplete' unless $res->{complete};
    return 'wrong bytes' if $res->{body} ne $o->{content};

    return undef;
}


# one line of TAP for many answers; list: [object, what is wrong]

sub all_right {
    my ($name, @list) = @_;

    my @bad = grep { defined $_->[1] } @list;

    ok(@list && !@bad, "$name: " . @list . ' answers')
        or diag(join "\n", map { printable("$_->[0]{key}: $_->[1]") } @bad);
}


sub printable {
    my ($text) = @_;

    utf8::decode($text);

    return $text;
}


sub json_error {
    my ($res, $status, $code, $name) = @_;

    my $json = eval { JSON::PP::decode_json($res->{body}) } || {};

    ok($res->{status} == $status && ($json->{error} // '') eq $code, $name)
        or diag("$res->{status} $res->{body}");
}


1;
