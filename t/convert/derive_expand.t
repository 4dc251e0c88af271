#!/usr/bin/perl

# What a model does not take is converted: artifact_derive in requests, for
# references, for media of the client's own and for what tools have pasted.

use strict;
use warnings;

use Digest::MD5 qw(md5_hex);
use FindBin;
use IO::Socket::INET;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);
use Time::HiRes qw(sleep time);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $heic = "\0\0\0\x18ftypheic\0\0\0\0mif1heic" . 'h' x 3000;
my $large = "\0\0\0\x18ftypheic\0\0\0\0mif1heic" . 'l' x 3_000_000;
my $png = png(20, 20);
my $pdf = pdf();
my $svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';

$t->artifact('heic', $heic, { mimeType => 'image/heic', name => 'Photo 1.HEIC' });
$t->artifact('large', $large, { mimeType => 'image/heic', name => 'large.heic' });
$t->artifact('nameless', $heic, { mimeType => 'image/heic' });
$t->artifact('png', $png, { mimeType => 'image/png', name => 'shot.png' });
$t->artifact('pdf', $pdf, { mimeType => 'application/pdf', name => 'a.pdf' });
$t->artifact('svg', $svg, { mimeType => 'image/svg+xml', name => 'a.svg' });
$t->artifact("many$_", $heic . $_, { mimeType => 'image/heic',
                                     name => "many$_.heic" }) for 1 .. 20;

# A converter: the last part of the path says how.  It notes each request with
# what it got, and how many it had at the same time.

my $notes = "$dir/notes";
spew($notes, '');

sub note_line {
    open my $out, '>>', $notes or die "$notes: $!";
    syswrite $out, "$_[0]\n";
}

sub made { return jpeg(8, 8) . md5_hex($_[0]) }

sub convert {
    my ($sock) = @_;

    my ($head, $body) = read_request($sock) or return;
    my ($method, $how, $args) = $head =~ m{^(\w+) /([^ ?]*)\??(\S*)};
    my ($type) = $head =~ /^Content-Type: *(\S*)/mi;

    note_line(join ' ', "begin $method $how", $type // '-',
              length $body, md5_hex($body), $args,
              join ',', map { lc } $head =~ /^([\w-]+):/mg);

    my %answer = (
        jpeg => ['image/jpeg', made($body)],
        text => ['text/plain; charset=utf-8', "words of " . md5_hex($body)],
        png => ['image/png', $png],
        empty => ['image/jpeg', ''],
        blank => ['text/plain', " \n\t\f" x 3000],
        html => ['text/html', '<html><body>Log in</body></html>'],
        heic => ['image/heic', $heic],
    );
    sleep 0.3 if $how =~ s/^slow-//;
    my ($status) = $how =~ /^status-(\d+)/;
    my ($mime, $content) = @{ $answer{$how} // ['text/plain', 'an error'] };

    if ($how eq 'dead') {
        sysread $sock, my $end, 1;

    } elsif ($how eq 'half') {
        send_answer($sock, "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n"
            . "Content-Length: 100000\r\n\r\n" . made($body));

    } elsif ($how eq 'endless') {
        send_answer($sock, "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n"
            . "Connection: close\r\n\r\n" . made($body));
        my $n = 0;
        while ($n < 200_000_000) {
            $n += syswrite($sock, 'x' x 65536) // last;
        }
        note_line("endless $n");

    } else {
        $status //= 200;
        note_line("end $how");
        send_answer($sock, "HTTP/1.1 $status Made\r\nContent-Type: $mime\r\n"
            . 'Content-Length: ' . length($content) . "\r\n"
            . "Connection: close\r\n\r\n" . ($method eq 'HEAD' ? '' : $content));
    }
}

my $converter = ArtifactUpstream->new("$dir/converter", serve => \&convert);
my $store = ArtifactUpstream->new("$dir/store", contents => {
    map { ("heic$_" => { body => $heic . 'x' x $_, type => 'image/heic' }) }
        0 .. 2
});
my $echo = echo("$dir/echo");

my %rules = (
    none => '',
    jpeg => 'artifact_derive image/heic image/jpeg /c/jpeg body;',
    get => 'artifact_derive image/heic image/jpeg /get/ ;',
    two => 'artifact_derive image/heic image/jpeg /c/status-415 body;
            artifact_derive image image/jpeg /c/jpeg body;',
    text => 'artifact_derive application/pdf,image text/plain /c/text body;',
    both => 'artifact_derive image/heic image/jpeg /c/jpeg body;
             artifact_derive image text/plain /c/text body;',
    page => 'artifact_derive image/svg+xml image/png /c/png body;',
    pages => 'artifact_derive image image/png /c/png body;',
    slow => 'artifact_derive image image/jpeg /c/slow-jpeg body;',
    one => 'artifact_derive image image/jpeg /c/slow-jpeg body;
            artifact_derive_parallel 1;',
    late => 'artifact_derive image image/jpeg /c/dead body;
             artifact_derive_timeout 700ms;',
    gone => 'artifact_derive image image/jpeg /gone/x body;',
    words => 'artifact_derive image image/jpeg /recipe/x body;',
    loop => 'artifact_derive image image/jpeg /loop/;',
    empty_uri => 'artifact_derive image image/jpeg /c/$arg_how/x body;',
    args => 'artifact_derive image image/jpeg /c/jpeg?w=9&id=$arg_id body;',
    var => 'artifact_derive image image/jpeg /var/jpeg body;',
    map { $_ => "artifact_derive image image/jpeg /c/$_ body;" }
        qw(empty blank html heic dead half endless),
        map { "status-$_" } qw(201 204 206 301 400 401 403 404 406 410 413 415
                               422 429 500 501 502 503),
);

my $locations = join '', map { <<"CONF" } sort keys %rules;
    location /$_/v1/ {
        artifact_expand on;
        $rules{$_}
        proxy_pass http://unix:$dir/echo:/v1/;
    }
    location /$_/store/ {
        artifact_expand on;
        artifact_source /store/;
        $rules{$_}
        proxy_pass http://unix:$dir/echo:/v1/;
    }
CONF

my $conf = <<"SERVER";
    artifact_root %%DATA%%;
    artifact_accept \$http_x_llm_capabilities;
    artifact_language en;
    artifact_inline_max 2m;
    client_max_body_size 40m;

    location /artifacts/ { internal; artifact; }
    location /store/ { internal; proxy_pass http://unix:$dir/store:/; }
    location /c/ {
        internal;
        client_max_body_size 1k;
        proxy_pass http://unix:$dir/converter:/;
    }
    location /get/ { internal; proxy_pass http://unix:$dir/converter:/jpeg?; }
    location /gone/ { internal; proxy_pass http://unix:$dir/nobody:/; }
    location /var/ {
        internal;
        proxy_pass http://unix:$dir/converter:/jpeg?l=\$content_length&t=\$content_type;
    }
    location /recipe/ {
        internal;
        proxy_pass http://unix:$dir/nobody:/;
        error_page 500 502 503 504 = \@words;
    }
    location \@words { return 204; }
    location /loop/ {
        internal;
        artifact_expand on;
        artifact_route always;
        artifact_derive image image/jpeg /loop/ body;
        artifact;
    }
    $locations
SERVER

$t->start(server => $conf);

sub notes {
    my $text = slurp($notes);
    spew($notes, '');
    return split /\n/, $text;
}

# Asks a location with the content of one user message; the body that the model
# gets, or the answer if that is an error.

sub ask {
    my ($rules, $content, %opt) = @_;

    notes();
    my $r = $t->req('POST', "/$rules/" . ($opt{at} // 'v1/chat/completions'),
        timeout => 30,
        headers => ['Content-Type' => 'application/json',
                    'X-LLM-Capabilities' => $opt{caps} // 'text, vision',
                    'Authorization' => 'Bearer secret', 'X-Api-Key' => 'secret',
                    'Cookie' => 'secret', 'If-None-Match' => '"x"',
                    'X-Request-Id' => 'r1'],
        body => encode_json_bytes($opt{body} // { model => 'm', messages =>
            [ { role => $opt{role} // 'user', content => $content } ] }));
    return ($r->{status}, json_of($r), $r->{body});
}

sub json_text { return decode_strict($_[0]) }
sub ref_to { return { type => 'artifact', artifact => "artifact:$_[0]" } }
sub image_at { return { type => 'image_url', image_url => { url => $_[0] } } }
sub data_url { return "data:$_[0];base64," . b64($_[1]) }
sub content { return $_[0]{messages}[-1]{content} }
sub begun { return grep { /^begin/ } @_ }

# --- a reference -----------------------------------------------------------

my ($status, $json) = ask('jpeg', [ ref_to('heic') ]);
my @begun = begun(notes());

is($status, 200, 'a reference');
is_deeply(content($json), [ image_at(data_url('image/jpeg', made($heic))) ],
          'the model gets what the converter made');
is(scalar @begun, 1, 'which was asked once');
like($begun[0], qr{^begin POST jpeg image/heic 3024 @{[ md5_hex($heic) ]} },
     'with the bytes, their type and their length');
unlike($begun[0], qr/authorization|api-key|cookie|if-none/,
       'without keys, cookies and conditions');
like($begun[0], qr/user-agent|x-request-id|host/, 'with others');

($status, $json) = ask('jpeg', [ image_at('artifact:heic') ]);
is_deeply(content($json), [ image_at(data_url('image/jpeg', made($heic))) ],
          'in the slot of an image');

($status, $json) = ask('jpeg', [ ref_to('large') ]);
is_deeply(content($json), [ image_at(data_url('image/jpeg', made($large))) ],
          'a file that the location would refuse by its size');

($status, $json) = ask('none', [ ref_to('heic') ]);
like(content($json)->[0]{text}, qr/Photo 1\.HEIC/, 'without a rule: words');
is(scalar begun(notes()), 0, 'nobody is asked');

($status, $json) = ask('jpeg', [ ref_to('png') ]);
is_deeply(content($json), [ image_at(data_url('image/png', $png)) ],
          'what the model takes stays as it is');
is(scalar begun(notes()), 0, 'nobody is asked');

($status, $json) = ask('get', [ ref_to('heic') ]);
is_deeply(content($json), [ image_at(data_url('image/jpeg', made(''))) ],
          'a rule without a body');
like((begun(notes()))[0], qr{^begin GET jpeg - 0 }, 'is asked by GET');

($status, $json) = ask('args', [ ref_to('heic') ],
                       at => 'v1/chat/completions?id=x');
like((begun(notes()))[0], qr{ w=9&id=x }, 'variables are those of the request');

($status, $json) = ask('var', [ ref_to('heic'), ref_to('large') ]);
is(join(' ', sort map { (split)[6] } begun(notes())),
   'l=3000024&t=image/heic l=3024&t=image/heic',
   'each conversion has variables of its own');

# --- the client's own ------------------------------------------------------

($status, $json) = ask('jpeg', [ image_at(data_url('image/heic', $heic)) ]);
is_deeply(content($json), [ image_at(data_url('image/jpeg', made($heic))) ],
          'media of the client\'s own');
is(scalar(@begun = begun(notes())), 1, 'asked once');
like($begun[0], qr{^begin POST jpeg image/heic 3024 @{[ md5_hex($heic) ]} },
     'with the bytes');

($status, $json) = ask('jpeg', [ image_at(data_url('image/heic', $large)) ]);
is_deeply(content($json), [ image_at(data_url('image/jpeg', made($large))) ],
          'large ones');

($status, $json) = ask('get', [ image_at(data_url('image/heic', $heic)) ]);
is(scalar begun(notes()), 0, 'without an id no GET');
is($status, 200, 'but words');

($status, $json) = ask('jpeg', [ map { image_at(data_url('image/heic', $heic)) }
                                 1 .. 3 ]);
is(scalar begun(notes()), 1, 'the same bytes are converted once');
is_deeply(content($json), [ map { image_at(data_url('image/jpeg', made($heic))) }
                            1 .. 3 ], 'and used each time');

($status, $json) = ask('jpeg', [ ref_to('heic'), ref_to('heic') ]);
is(scalar begun(notes()), 1, 'so is the same artifact');
is_deeply(content($json), [ map { image_at(data_url('image/jpeg', made($heic))) }
                            1, 2 ], 'in both places');

# --- rules -----------------------------------------------------------------

($status, $json) = ask('two', [ ref_to('heic') ]);
is_deeply(content($json), [ image_at(data_url('image/jpeg', made($heic))) ],
          'the next rule');
is(join(' ', map { (split)[2] } begun(notes())), 'status-415 jpeg',
   'after the first');

($status, $json) = ask('two', [ ref_to('heic') ], caps => 'text');
is(scalar begun(notes()), 0, 'no rule makes what the model takes');

($status, $json) = ask('both', [ ref_to('heic') ], caps => 'text');
is_deeply(content($json), [ { type => 'text', text =>
          "Content of Photo 1.HEIC, converted from image/heic:\nwords of "
          . md5_hex($heic) } ], 'a text, with the line that says so')
    or diag explain $json;

($status, $json) = ask('both', [ image_at(data_url('image/heic', $heic)) ],
                       caps => 'text');
is_deeply(content($json), [ { type => 'text', text =>
          "Content converted from image/heic:\nwords of " . md5_hex($heic) } ],
          'without a name');

($status, $json) = ask('page', [ ref_to('svg') ]);
is_deeply(content($json), [ image_at(data_url('image/png', $png)) ],
          'a page that a rule names, for who sees');

($status, $json) = ask('pages', [ ref_to('svg') ]);
is_deeply(content($json), [ { type => 'text', text => $svg } ],
          'a rule that does not name it') or diag explain $json;
is(scalar begun(notes()), 0, 'is not asked');

($status, $json) = ask('page', [ ref_to('svg') ], caps => 'text');
is_deeply(content($json), [ { type => 'text', text => $svg } ],
          'who does not see reads it');

for my $role ('system', 'assistant') {
    ($status, $json) = ask('both', [ ref_to('heic') ], role => $role);
    is(scalar begun(notes()), 0, "$role: nothing is converted");
}

# --- sources elsewhere -----------------------------------------------------

for my $n (0 .. 2) {
    my $sum = md5_hex($heic . 'x' x $n);
    ($status, $json) = ask('jpeg', [ ref_to("heic$n") ],
                           at => 'store/chat/completions');
    is_deeply(content($json),
              [ image_at(data_url('image/jpeg', made($heic . 'x' x $n))) ],
              'the content of a proxied source');
    like((begun(notes()))[0], qr{^begin POST jpeg image/heic \d+ $sum },
         'is sent on');
}

# --- what the location answers ---------------------------------------------

my $words = (ask('none', [ ref_to('heic') ]))[2];

for my $how (qw(empty blank html heic endless words),
             map { "status-$_" } qw(204 400 404 406 410 413 415 422 501))
{
    ($status, $json, my $body) = ask($how, [ ref_to('heic') ]);
    is($status, 200, "$how: passed on");
    is($body, $words, 'with words');
}

my ($sent) = map { /^endless (\d+)/ ? $1 : () } (ask('endless', [ ref_to('heic') ]),
                                                 sleep(0.3), notes());
cmp_ok($sent // 0, '<', 20_000_000, 'an endless answer is not read to its end');

$t->allow(qr/conversion "[^"]*" of an artifact failed: /);
$t->allow(qr/upstream timed out|prematurely closed|connect\(\) to unix:\S+ failed/);

for my $how (qw(half gone),
             map { "status-$_" } qw(201 206 301 401 403 429 500 502 503))
{
    ($status, $json) = ask($how, [ ref_to('heic') ]);
    is($status, 502, "$how: a failure");
    is($json->{error}{code}, 'source_failed', 'says so');
    is($json->{error}{param}, 'artifact:heic', 'and of which reference');
}

($status, $json) = ask('half', [ image_at(data_url('image/heic', $heic)) ]);
is($status, 502, 'of the client\'s own');
is($json->{error}{param}, undef, 'which has no reference');

$t->allow(qr/conversions took longer than the 700 ms/);
my $from = time;
($status, $json) = ask('late', [ map { ref_to("many$_") } 1 .. 6 ]);
is($status, 502, 'too slow: a failure');
cmp_ok(time - $from, '<', 10, 'in time');

$t->allow(qr/component of the path is empty|empty variable|lacks/);
($status, $json) = ask('empty_uri', [ ref_to('heic') ]);
is($status, 502, 'a URI that has lost a component is not asked for');

($status, $json) = ask('loop', [ ref_to('heic') ]);
is($status, 200, 'a location that would convert by itself');
is_deeply(content($json), content(json_text($words)), 'does not');

# --- many ------------------------------------------------------------------

my @many = map { image_at(data_url('image/jpeg', made($heic . $_))) } 1 .. 20;

for my $rules ('slow', 'one') {
    ($status, $json) = ask($rules, [ map { ref_to("many$_") } 1 .. 20 ]);
    is($status, 200, "20 images, $rules");
    is_deeply(content($json), \@many, 'all in order');

    my ($now, $most) = (0, 0);
    for (notes()) {
        $now += /^begin/ ? 1 : -1;
        $most = $now if $now > $most;
    }
    is($most, $rules eq 'one' ? 1 : 4, 'as many at a time as may be');
}

my @bodies = map { (ask('slow', [ map { ref_to("many$_") } 1 .. 9 ]))[2] } 1, 2;
is($bodies[0], $bodies[1], 'the same request, the same bytes');

# --- a client that leaves ----------------------------------------------------

my $sock = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $t->port)
    or die "connect: $!";
my $request = encode_json_bytes({ model => 'm', messages => [ { role => 'user',
    content => [ map { ref_to("many$_") } 1 .. 9 ] } ] });
print $sock "POST /dead/v1/chat/completions HTTP/1.1\r\nHost: a\r\n"
    . "Content-Type: application/json\r\nX-LLM-Capabilities: text, vision\r\n"
    . 'Content-Length: ' . length($request) . "\r\n\r\n$request";
sleep 0.5;
close $sock;
sleep 0.3;

($status, $json) = ask('jpeg', [ ref_to('heic') ]);
is($status, 200, 'after a client that left');

$t->finish;
