#!/usr/bin/perl

# Results of MCP tools: markers stand for blocks and for base64 in texts, links
# where asked for; and one content is one artifact, whose id nobody can tell who
# has not the key.

use strict;
use warnings;
use utf8;

use Digest::SHA qw(hmac_sha256);
use File::Find ();
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use ArtifactTools;
use ArtifactUpstream;
use ArtifactWrite qw(in_parallel left_behind);

my $t = ArtifactTest->new(workers => 2);

my $URL = 'https://files.example.com/artifacts/';
my $png = content_of('image/png', 2000);
my $wav = content_of('audio/wav', 3000);
my $pdf = content_of('application/pdf', 900);
my $large = content_of('image/jpeg', 60_000);
my $pcm = "\x01\xff\x03\x00" x 2000;
my %mime = ($png => 'image/png', $wav => 'audio/wav', $large => 'image/jpeg',
            $pdf => 'application/pdf');


# --- answers

sub block {
    my ($type, $bytes, $mime, $more) = @_;
    return qq({"type":"$type","data":"@{[b64($bytes)]}","mimeType":"$mime")
        . ($more // '') . '}';
}

sub message { return qq({"jsonrpc":"2.0","id":1,"result":{$_[0]}}) }

sub content { return message('"content":[' . join(',', @_) . ']') }

my $EXTRA = ',"annotations":{"audience":["user"],"priority":0.5},'
    . '"_meta":{"a":{"data":"x"}}';
my $BLOB = '{"type":"resource","resource":{"uri":"file:///r.pdf","mimeType":'
    . '"application/pdf","blob":"' . b64($pdf) . '"}' . $EXTRA . '}';

my $JSON = '{"shot":"' . b64($png) . '","n":1,"list":[{"url":"data:image/png;'
    . 'base64,' . b64($png) . '"},"see ' . b64($wav) . ' and '
    . b64($png) =~ tr{+/}{-_}r . '!"],"zip":"'
    . b64(content_of('application/zip', 2000)) . '","cut":"'
    . substr(b64($png), 0, 1600) . '","deep":"{\"a\":\"'
    . b64($png) =~ s{/}{\\\\/}gr . '\"}"}';
my $COPY = escaped($JSON);
my $WRAPPED = 'a file:\n' . spelled($wav, lines => 76) =~ s/\n/\\r\\n/gr
    . '\nand more';

my @five = map { content_of('image/png', 1000 + $_) } 1 .. 5;
my $swap = content_of('image/png', 1500);
my @blocks = map { block('image', $_, 'image/png') } @five;

my %body = (
    'blocks/mcp' => content(
        block('image', $png, 'image/png', $EXTRA), '{"type":"text","text":"x"}',
        block('audio', $wav, 'audio/x-wav'), $BLOB,
        '{"annotations":{"priority":1},' . substr(block('image', $large,
            'image/png'), 1)),
    'structured/mcp' => message('"content":[{"type":"text","text":"' . $COPY
        . qq("},{"type":"text","text":"$WRAPPED"}],"structuredContent":$JSON,)
        . '"isError":false'),
    'both/mcp' => message('"content":[' . block('image', $png, 'image/png')
        . '],"structuredContent":{"a":"' . b64($png) . '"}'),
    'five/mcp' => content(@blocks),
    'batch/mcp' => '[' . content($blocks[0]) . ',' . content($blocks[1])
        . ',{"jsonrpc":"2.0","method":"x"}]',
    'read/mcp' => message('"contents":[{"uri":"file:///a.png","mimeType":'
        . '"image/png","blob":"' . b64($png) . '"}]'),
    'pcm/mcp' => content(block('audio', $pcm, 'audio/L16;rate=24000'),
                         block('audio', $pcm, 'audio/L16;rate=16000')),
    'small/mcp' => content(block('image', png(4, 4), 'image/png')),
    'images/generations' => '{"data":[{"b64_json":"' . b64($png)
        . '"},{"b64_json":"' . b64($png) . '"}]}',
    'swap/mcp' => content(block('image', $swap, 'image/png')),
    'new/mcp' => content(block('image', content_of('image/png', 5000),
                               'image/png')),
);
$body{'stream/mcp'} = ": hello\n\n" . join '', map { "event: message\ndata: "
    . content(@$_) . "\n\n" } [@blocks[0, 1]], [@blocks[2, 3]];

my $up = ArtifactUpstream->new($t->prefix . '/up', contents => {
    map { $_ => { body => $body{$_}, type => /^stream/ ? 'text/event-stream'
                                                       : 'application/json' } }
        keys %body });

my $pass = 'proxy_pass http://unix:' . $t->prefix . '/up:/;';
my $server = <<"SERVER";
    artifact_root %%DATA%%;
    artifact_offload on;
    artifact_offload_min 1k;

    location /artifacts/ {
        artifact;
    }
    location /on/ {
        $pass
    }
    location /threads/ {
        aio threads;
        proxy_buffering off;
        $pass
    }
    location /url/ {
        artifact_url $URL;
        $pass
    }
    location /link/ {
        artifact_offload link;
        artifact_url $URL;
        $pass
    }
    location /bare/ {
        artifact_offload link;
        $pass
    }
    location /few/ {
        artifact_refs_max 2;
        $pass
    }
    location /cached/ {
        proxy_cache kept;
        proxy_cache_valid 1h;
        add_header X-Cache \$upstream_cache_status;
        $pass
    }
    location /other/ {
        artifact_root %%PREFIX%%/other;
        $pass
    }
    location /fresh/ {
        artifact_root %%PREFIX%%/fresh;
        $pass
    }
SERVER
mkdir $t->prefix . "/$_" for qw(other fresh);
my @start = (server => $server,
             http => 'proxy_cache_path %%PREFIX%%/cache keys_zone=kept:1m;');
$t->start(@start);


# --- what is in a root

sub files {
    my ($root) = @_;
    my %files;
    File::Find::find({ no_chdir => 1, wanted => sub {
        $files{ substr $_, length "$root/" } = join ' ', (stat)[1, 7, 9]
            if -f && !m{/\.artifact/};
    } }, $root);
    return \%files;
}

sub key {
    my ($root) = @_;
    my @keys;
    File::Find::find({ no_chdir => 1, wanted => sub {
        push @keys, slurp($_) if -f && -s == 32 && m{/\.artifact/};
    } }, $root);
    is(scalar @keys, 1, "$root has a key of 32 bytes");
    return $keys[0] // '';
}

# As anybody would compute it who has the key.

sub id_of {
    my ($key, $bytes, $type) = @_;

    my @byte = unpack 'C16', hmac_sha256("$bytes\n$type", $key);
    $byte[6] = $byte[6] & 0x0f | 0x80;
    $byte[8] = $byte[8] & 0x3f | 0x80;
    my $hex = unpack 'H*', pack 'C*', @byte;
    return join '-', unpack 'A8 A4 A4 A4 A12', $hex;
}

sub ask {
    my ($at, $name) = @_;
    return $t->get("/$at/$name");
}

sub result { return json_of(ask(@_))->{result} }

ask('on', 'blocks/mcp');
my $key = key($t->data);
my %id = map { $_ => id_of($key, $_, $mime{$_}) } keys %mime;
my %marker = map { $_ => "[artifact:$id{$_}]" } keys %id;

sub text {
    my ($bytes) = @_;
    my $name = names_of({ mime => $mime{$bytes}, bytes => $bytes });
    return "$marker{$bytes} " . $name =~ tr/[]//dr;
}

sub is_stored {
    my ($bytes, $name) = @_;
    my $res = $t->get("/artifacts/$id{$bytes}");
    ok($res->{body} eq $bytes, "$name: the bytes");
    is($res->header('Content-Type'), $mime{$bytes}, "$name: the type");
}


# --- blocks

my $extra = { annotations => { audience => ['user'], priority => 0.5 },
              _meta => { a => { data => 'x' } } };

for my $at (qw(on threads url)) {
    my $got = result($at, 'blocks/mcp')->{content};
    my @want = ({ type => 'text', text => text($png), %$extra },
                { type => 'text', text => 'x' },
                { type => 'text', text => text($wav) },
                { type => 'text', text => text($pdf), %$extra },
                { type => 'text', text => text($large),
                  annotations => { priority => 1 } });
    is(difference($got, \@want, ''), '', "$at: blocks");
}
is_stored($_, $mime{$_}) for sort keys %mime;

for my $case (['link', $URL], ['bare', 'artifact:']) {
    my ($at, $url) = @$case;
    my $link = sub {
        my ($bytes, $ext) = @_;
        return { type => 'resource_link', uri => $url . $id{$bytes},
                 name => "$id{$bytes}.$ext", mimeType => $mime{$bytes},
                 size => length $bytes, @_[2 .. $#_] };
    };
    my $got = result($at, 'blocks/mcp')->{content};
    is(difference($got, [$link->($png, 'png', %$extra),
        { type => 'text', text => 'x' }, $link->($wav, 'wav'),
        $link->($pdf, 'pdf', %$extra),
        $link->($large, 'jpg', annotations => { priority => 1 })], ''), '',
        "$at: links");
}

is(ask('on', 'small/mcp')->{body}, $body{'small/mcp'}, 'a small one stays');
is(ask('on', 'read/mcp')->{body}, $body{'read/mcp'}, 'resources/read stays');
is(ask('link', 'read/mcp')->{body}, $body{'read/mcp'}, 'with links, too');


# --- runs in strings: their markers alone, all else byte for byte

sub marked {
    my ($text) = @_;
    for my $bytes ($png, $wav) {
        my @spelled = (b64($bytes), b64($bytes) =~ tr{+/}{-_}r,
                       b64($bytes) =~ s{/}{\\\\/}gr,
                       spelled($bytes, lines => 76) =~ s/\n/\\r\\n/gr);
        $text =~ s/(?:data:image\/png;base64,)?\Q$_\E/$marker{$bytes}/g
            for @spelled;
    }
    return $text;
}

my $marked = marked($JSON);
my @marks = $marked =~ /\[artifact:/g;
is(scalar @marks, 5, '(five runs)');
my $whole = $body{'structured/mcp'};
$whole =~ s/\Q$COPY\E/escaped($marked)/e;
$whole =~ s/\Q$JSON\E/$marked/;
$whole =~ s/\Q$WRAPPED\E/marked($WRAPPED)/e;

for my $at (qw(on threads url)) {
    for my $way ('', $at =~ /^[ot]/ ? ('?step=61', '?frame=chunked&step=1009')
                                   : ())
    {
        my $got = ask($at, "structured/mcp$way")->{body};
        ok($got eq $whole, "$at: structuredContent and texts$way")
            or diag("got $got\n\nnot $whole");
    }
}

my $both = result('on', 'both/mcp');
is($both->{structuredContent}{a}, $marker{$png}, 'a copy of a block');
like($both->{content}[0]{text}, qr/\A\Q$marker{$png}\E /, 'and the block');
$both = result('link', 'both/mcp');
is($both->{content}[0]{type}, 'resource_link', 'links change blocks');
is($both->{structuredContent}{a}, b64($png), 'and nothing else');


# --- how many; streams, batches

my @markers = map { '[artifact:' . id_of($key, $_, 'image/png') . ']' } @five;

sub starts {
    my ($content) = @_;
    return join ' ', map { $_->{type} eq 'text'
        ? $_->{text} =~ /\A(\[[^\]]+\])/ : $_->{type} } @$content;
}

is(starts(result('on', 'five/mcp')->{content}), "@markers", 'five blocks');
my $few = ask('few', 'five/mcp')->{body};
is(starts(decode_strict($few)->{result}{content}),
   "@markers[0, 1] image image image", 'two of them');
my $rest = join ',', @blocks[2 .. 4];
like($few, qr/\Q,$rest]}}\E\z/, 'the others as they came');

my @batch = map { $_->{result} ? starts($_->{result}{content}) : 'none' }
    @{ json_of(ask('on', 'batch/mcp')) };
is("@batch", "@markers[0, 1] none", 'an array of messages');

for my $at (qw(on threads few)) {
    my $res = ask($at, 'stream/mcp');
    my @events = map { starts(decode_strict($_)->{result}{content}) }
        $res->{body} =~ /^data: (.*)$/mg;
    is("@events", "@markers[0 .. 3]", "$at: two of each message");
    like($res->{body}, qr/\A: hello\n\nevent: message\ndata: \{/,
         "$at: the stream");
}


# --- one content, one artifact

like($id{$png}, qr/\A[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab]/, 'its form');
my $before = files($t->data);
my $count = () = map { m{^artifacts/\Q$id{$png}\E} ? $_ : () } keys %$before;
is($count, 2, 'a content and its metadata');
ask($_, 'blocks/mcp'), ask($_, 'structured/mcp'), ask($_, 'five/mcp')
    for qw(on threads link);
is_deeply(files($t->data), $before, 'again: no file is written');
is(left_behind($t), '', 'and none is left');

my @url = ask('url', 'images/generations')->{body} =~ /"url":"([^"]+)"/g;
is_deeply(\@url, [("$URL$id{$png}") x 2], 'of the images API, too');

my $pcm_id = sub { id_of($key, $pcm, "audio/L16;rate=$_[0]") };
is(starts(result('on', 'pcm/mcp')->{content}),
   join(' ', map { '[artifact:' . $pcm_id->($_) . ']' } 24000, 16000),
   'without a signature the declared type counts');

for my $said (qw(MISS HIT HIT)) {
    my $res = ask('cached', 'both/mcp');
    is($res->header('X-Cache'), $said, "a cached answer: $said");
    like($res->{body}, qr/"a":"\Q$marker{$png}\E"/, "$said: the same");
}

# what is not there is written again, whatever is gone

for my $gone (qr{\.png$}, qr{\.meta$}, qr{}) {
    my ($file) = $t->data . "/artifacts/$id{$png}";
    unlink grep { m{$gone} } glob "$file*";
    is(result('on', 'both/mcp')->{structuredContent}{a}, $marker{$png},
       "without $gone: the same id");
    is_stored($png, "without $gone");
}

# a stranger's content under its id

my $swapped = id_of($key, $swap, 'image/png');
my $stranger = $swap =~ tr/a-y/b-z/r;
my $meta = decode_strict(slurp(
    (glob $t->data . "/artifacts/$id{$png}*.meta")[0]));
$t->artifact($swapped, $stranger, { %$meta, id => $swapped,
             exists $meta->{size} ? (size => length $stranger) : () }, '.png');
my ($new) = ask('on', 'swap/mcp')->{body} =~ /\[artifact:([^\]]+)\]/;
isnt($new, $swapped, 'another digest: another id');
ok($t->get("/artifacts/$new")->{body} eq $swap, 'with its own bytes');
ok(slurp($t->data . "/artifacts/$swapped.png") eq $stranger, 'the other stays');


# --- the key

isnt($key, "\0" x 32, 'the key is no zeros');
my $kept = result('on', 'both/mcp')->{structuredContent}{a};
$t->stop;
$t->start(@start);
is(result('on', 'both/mcp')->{structuredContent}{a}, $kept,
   'a restart: the same key');

my @first = in_parallel($t, 8, sub {
    return result('fresh', 'new/mcp')->{content}[0]{text};
});
is_deeply(\@first, [($first[0]) x 8], 'eight at once in a new root');
my $fresh = key($t->prefix . '/fresh');
isnt($fresh, $key, 'its own key');

my $other = result('other', 'both/mcp')->{structuredContent}{a};
is($other, '[artifact:' . id_of(key($t->prefix . '/other'), $png, 'image/png')
   . ']', 'in another root by another key');
isnt($other, $marker{$png}, 'another id');

my @names;
File::Find::find({ no_chdir => 1, wanted => sub {
    push @names, m{/artifacts/(.*)} if -f && m{/\.artifact/};
} }, $t->data);
for my $name (@names, '.artifact', '.artifact/') {
    my $res = $t->get("/artifacts/$name");
    like($res->{status}, qr/\A40[034]\z/, "/artifacts/$name is not served");
}

is(left_behind($t), '', 'nothing is left');
$up->stop;
$t->finish;
