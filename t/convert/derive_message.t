#!/usr/bin/perl

# Attachments that a model does not take are converted: artifact_derive with
# artifact_message.

use strict;
use warnings;

use Digest::MD5 qw(md5_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream qw(read_request send_answer);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $heic = "\0\0\0\x18ftypheic\0\0\0\0mif1heic" . 'h' x 3000;
my $png = png(20, 20);
my $svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';

$t->artifact('heic', $heic, { mimeType => 'image/heic', name => 'a.heic' });
$t->artifact('png', $png, { mimeType => 'image/png', name => 'b.png' });
$t->artifact('svg', $svg, { mimeType => 'image/svg+xml', name => 'c.svg' });

sub made { return jpeg(8, 8) . md5_hex($_[0]) }

my $converter = ArtifactUpstream->new("$dir/converter", serve => sub {
    my ($sock) = @_;
    my ($head, $body) = read_request($sock) or return;
    my ($how) = $head =~ m{^\w+ /([^ ?]*)};
    my ($status) = $how =~ /^status-(\d+)/;
    my ($type, $content) =
        $how eq 'jpeg' ? ('image/jpeg', made($body))
        : $how eq 'large' ? ('image/jpeg', made($body) . 'x' x 500_000)
        : $how eq 'text' ? ('text/plain', 'words of ' . md5_hex($body))
        : $how eq 'blank' ? ('text/plain', " \n" x 5000)
        : ('text/html', '<p>an error</p>');
    return sleep 60 if $how eq 'dead';
    my $length = length $content;
    $length += 1000 if $how eq 'half';
    $status //= 200;
    send_answer($sock, "HTTP/1.1 $status Made\r\nContent-Type: $type\r\n"
        . "Content-Length: $length\r\nConnection: close\r\n\r\n$content");
});
my $store = ArtifactUpstream->new("$dir/store", contents => {
    heic => { body => $heic, type => 'image/heic' },
});

my %rules = (
    none => '',
    jpeg => 'artifact_derive image image/jpeg /c/jpeg body;',
    large => 'artifact_derive image image/jpeg /c/large body;',
    two => 'artifact_derive image image/jpeg /c/status-415 body;
            artifact_derive image text/plain /c/text body;',
    text => 'artifact_derive image text/plain /c/text body;',
    page => 'artifact_derive image/svg+xml image/jpeg /c/jpeg body;',
    page_no => 'artifact_derive image/svg+xml image/jpeg /c/status-204 body;',
    slow => 'artifact_derive image image/jpeg /c/dead body;
             artifact_derive_timeout 500ms;',
    map { $_ => "artifact_derive image image/jpeg /c/$_ body;" }
        qw(blank html half status-204 status-500),
);

$t->start(server => <<"SERVER" . join '', map { <<"CONF" } sort keys %rules);
    artifact_root %%DATA%%;
    artifact_language en;
    artifact_accept \$http_x_llm_capabilities;
    artifact_inline_max 1m;

    location /artifacts/ { internal; artifact; }
    location /store/ { internal; proxy_pass http://unix:$dir/store:/; }
    location /c/ {
        internal;
        client_max_body_size 1k;
        proxy_pass http://unix:$dir/converter:/;
    }
SERVER
    location = /$_ { artifact_message; $rules{$_} }
    location = /$_/store { artifact_message; artifact_source /store/;
                           $rules{$_} }
CONF

sub message {
    my ($at, $ids, %opt) = @_;
    my $r = $t->req('POST', "/$at?format=" . ($opt{format} // 'openai'),
        headers => ['Content-Type' => 'application/json',
                    'X-LLM-Capabilities' => $opt{caps} // 'text, vision'],
        body => encode_json_bytes({ text => 'see', attachments =>
                                    [ map { "artifact:$_" } @$ids ] }));
    is($r->{status}, 200, "$at: answered");
    my $json = json_of($r);
    return ($json, @{ ref $json->{processedContent} eq 'HASH'
                      ? $json->{processedContent}{content} : [] });
}

sub image {
    return { type => 'image_url', image_url =>
             { url => "data:image/jpeg;base64," . b64(made($_[0])) } };
}

my ($json, @parts) = message('jpeg', ['heic', 'png', 'heic']);
is_deeply($parts[1], image($heic), 'a conversion');
like($parts[2]{image_url}{url}, qr{^data:image/png}, 'what is taken stays');
is_deeply($parts[3], image($heic), 'in their order');
ok($json->{canProcess}, 'it can be processed');
is_deeply($json->{unsupportedAttachments}, [], 'nothing is unsupported');

($json, @parts) = message('jpeg/store', ['heic']);
is_deeply($parts[1], image($heic), 'of a proxied source');

($json, @parts) = message('large', ['heic', 'png']);
is(length $parts[1]{image_url}{url},
   length('data:image/jpeg;base64,') + 4 * int((500_000 + 2
   + length made($heic)) / 3), 'one that is spooled in a file');
like($parts[2]{image_url}{url}, qr{^data:image/png}, 'and what follows it');

($json, @parts) = message('two', ['heic'], caps => 'text');
is_deeply($parts[-1], { type => 'text', text => 'Content of a.heic, converted '
          . "from image/heic:\nwords of " . md5_hex($heic) }, 'a text');

($json, @parts) = message('two', ['heic']);
is_deeply($parts[-1], { type => 'text', text => 'Content of a.heic, converted '
          . "from image/heic:\nwords of " . md5_hex($heic) }, 'the next rule');

($json, @parts) = message('page', ['svg']);
is_deeply($parts[1], image($svg), 'a page');

($json, @parts) = message('page_no', ['svg']);
is_deeply($parts[1], { type => 'text', text => $svg },
          'a page that cannot be converted is read');

my ($none) = message('none', ['heic', 'png']);

for my $how (qw(blank html status-204)) {
    ($json) = message($how, ['heic', 'png']);
    is_deeply($json, $none, 'words');
}

$t->allow(qr/conversion "[^"]*" of an artifact failed: /);
$t->allow(qr/upstream timed out|prematurely closed|than the 500 ms/);

for my $how (qw(half status-500 slow)) {
    ($json, @parts) = message($how, ['heic', 'png']);
    is($json->{unsupportedAttachments}[0]{artifactRef}, 'artifact:heic',
       'a failure: described');
    like($parts[-1]{image_url}{url} // '', qr{^data:image/png},
         'what follows is there');
}

$t->finish;
