#!/usr/bin/perl

# Files as people have them, by reference in a request to a model: in any place
# of each API they become the part that it takes, under their own type, or words;
# texts are whole.  So from the store and from servers that tell their length, or
# do not, or tell a coding that is none.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFit;
use ArtifactKinds;
use ArtifactTest;
use ArtifactUpstream;

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my %kind = kinds($dir);
my @all = qw(text vision audio video file);

$t->artifact($_, $kind{$_}{body}, kind_meta($kind{$_})) for keys %kind;
$t->file('map.json', { services => [
    { id => 'all', capabilities => { input => \@all } },
    { id => 'reads', capabilities => { input => ['text'] } },
] });

my $upstream = ArtifactUpstream->new("$dir/up", contents => \%kind);
my $echo = echoed($t);
my $pass = "artifact_expand on; artifact_source \$store;
            client_max_body_size 64m; proxy_pass http://unix:$dir/echo:;";

$t->start(http => <<'HTTP', server => <<"SERVER");
    artifact_capabilities %%PREFIX%%/map.json;
    map $http_x_store $store {
        default /$http_x_store/;
    }
HTTP
    artifact_root %%DATA%%;
    artifact_language en;

    location /           { $pass }
    location /mistral/   { artifact_format mistral; $pass }
    location /openrouter/ { artifact_format openrouter; $pass }

    location /local/     { artifact; }
    location /length/    { proxy_pass http://unix:$dir/up:/; }
    location /chunked/   { rewrite ^/chunked(/.*) \$1?frame=chunked break;
                           proxy_pass http://unix:$dir/up:; }
    location /coded/     { rewrite ^/coded(/.*)
                               \$1?header=Content-Encoding:aws-chunked break;
                           proxy_pass http://unix:$dir/up:; }
SERVER

my @stores = qw(local length local chunked local coded);
my @slots = qw(neutral image document audio);
my $k = 0;

for my $id (sort keys %kind) {
    my @wrong;
    my $check = sub {
        my ($api, $model, $store, $slot, @turns) = @_;

        my $res = $t->req('POST', uri_of($api, $model),
            headers => ['Content-Type' => 'application/json',
                        'X-Store' => $store],
            body => body_of($api, $model, @turns));
        my $wrong = kind_wrong($kind{$id}, $api, $res, filled => 1,
            bare => $store ne 'local', reads => $model eq 'reads',
            any => $model eq 'new');
        push @wrong, "$api, $slot, $store, $model: $wrong" if $wrong ne '';
    };
    my $i = 0;

    for my $api (grep { $_ ne 'invoke' } apis()) {
        for my $model (qw(all reads new)) {
            my $store = $stores[($k + $i) % @stores];
            my $slot = $slots[(int($k / @stores) + $i) % @slots];
            $slot = 'image' if $slot eq 'audio' && $api eq 'anthropic';
            my $part = $slot eq 'neutral' ? neutral_part($api, "artifact:$id")
                : slot($api, $slot, "artifact:$id");

            $check->($api, $model, $store, $slot, $part);
            $i++;
        }
    }
    $k++;

    is(join("\n", @wrong), '', $id);
}

$_->stop for $upstream, $echo;
$t->finish;
