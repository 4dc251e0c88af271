#!/usr/bin/perl

# Every configuration that README.md, README.Debian and the pages of docs/ print
# is one: each block passes nginx -t as it stands, without a word of it.  Around
# it is what @around tells, for what it lacks; other machines, files and ports
# are those of here().  Servers that are reached by https are verified.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactDocs;
use ArtifactModules;
use ArtifactTest;

my $root = abs_path("$FindBin::Bin/../..");
my $t = ArtifactTest->new;
my $dir = $t->prefix;

my $image_filter = other_modules('image_filter');

make_path(map { "$dir/$_" } qw(etc/artifact srv/agents srv/artifact srv/media srv/platform
                             srv/tenants/acme srv/disk1 srv/disk2 log cache logs));
spew("$dir/$_", slurp("$root/scripts/capabilities.json"))
    for 'capabilities.json', map { "etc/$_.json" } qw(
        capabilities llmservices artifact/models models-dev model_prices_and_context_window);
for my $name (qw(url.keys artifact/url.keys)) {
    spew("$dir/etc/$name", unpack 'H*', 'k' x 32);
    chmod 0600, "$dir/etc/$name" or die "chmod: $!";
}

spew("$dir/etc/artifact/tenants", "ak-of-acme acme;\n");
spew("$dir/etc/artifact/llm.conf", "set \$artifact_llm_key sk-..;\n");

# What a block does not show, because its page is about another thing: what a
# line needs that matches, if nothing in the block does.  A server that has
# artifacts is whole.

my @around = (
    [qr/\bartifact(?:_workspace|_mcp|_offload[ ]on)?;/, qr/\bartifact_root\b/,
     http => 'artifact_root %%DATA%%;'],
    [qr/\bartifact_(?:route|expand|message)\b/, qr/\bartifact_capabilities\b/,
     http => 'artifact_capabilities capabilities.json;'],
    [qr/\bartifact_(?:expand on|message);/,
     qr/\blocation \/artifacts\/|\bartifact_source\b/,
     server => 'location /artifacts/ { artifact; artifact_root %%DATA%%; }'],
    [qr/\$tenant\b/, qr/\bmap .* \$tenant\b|\bauth_request_set \$tenant\b/,
     http => 'map $http_authorization $tenant { default ""; }'],
    [qr/\bproxy_cache \w+;/, qr/\bproxy_cache_path\b/,
     http => "proxy_cache_path $dir/cache keys_zone=store:1m;"],
    [qr/\bproxy_cache artifact_derived;/, qr/\bproxy_cache_path\b/,
     http => "proxy_cache_path $dir/cache/derived keys_zone=artifact_derived:1m;"],
);

# nginx verifies no server by itself

my @verified = ('proxy_ssl_server_name on;', 'proxy_ssl_verify on;',
    'proxy_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;');

my $blocks = 0;

for my $path (map { "$root/$_" } 'README.md', 'debian/README.Debian',
              map { m{(docs/[^/]+)\z} } sort glob "$root/docs/*.md")
{
    my ($page) = $path =~ m{([^/]+)\z};
    my %seen;

    for my $section ($page =~ /\.md\z/ ? doc_sections($path)
                     : ['the whole', chars(slurp($path))])
    {
        my ($title, $text) = @$section;
        my $n = 0;

        for my $block (doc_blocks($text)) {
            my $name = "$page, $title" . ($n++ ? ", $n" : '');

            $blocks++;
            $seen{$_} = 1 for split /\n/, $block;

            SKIP: {
                skip('the image_filter module is not there', 1)
                    if $block =~ /image_filter/ && !$image_filter;

                is(said($block), '', $name) or diag(bytes($block));
            }

            is(join(' ', grep { $block !~ /^\s*\Q$_\E/m } @verified), '',
               "$name: the server is verified")
                if $block =~ m{^\s*proxy_pass https://}m;
        }
    }

    # none is passed over because of how it begins

    my @passed = grep { !$seen{$_} } chars(slurp($path))
        =~ /^ {4}(\s*artifact\w*(?:[ ][^;{}\n:]*)?;.*)$/gm;
    is(join("\n", @passed), '', "$page: all of it is looked at");
}

cmp_ok($blocks, '>', 60, 'there are blocks');

# a mistake in a block is found

isnt(said("artifact_rout on;\n"), '', 'an unknown directive');

done_testing();


# What nginx -t prints of a block but for its two last lines.

sub said {
    my ($block) = @_;
    my %part = conf_part($block);

    my $whole = $block =~ /^ *server \{\n(?:(?!\}).*\n)*? +artifact/m;

    for my $rule (@around) {
        my ($needs, $has, $where, $line) = @$rule;

        $part{$where} = "$line\n" . ($part{$where} // '')
            if !$whole && $block =~ $needs && $block !~ $has;
    }

    $part{server} .= "location /snippet/ {\n$part{location}}\n"
        if $part{location};

    my ($exit, $out) = $t->conf_test(
        first => $block =~ /image_filter/ ? $image_filter : undef,
        as_is => 1, no_server => !defined $part{server},
        map { $_ => here($part{$_} // '') } qw(main http server));

    return join "\n", grep { !/syntax is ok|test is successful/ }
        split /\n/, $out;
}


# Hosts that are not here, files that are elsewhere, modules that are loaded
# already.

sub here {
    my ($text) = @_;

    $text =~ s{\bhttps?://[\w.-]+(?::\d+)?(?=[/;])}{http://127.0.0.1:9}g;
    $text =~ s{(\bserver\s+)[\d.]+:(\d+)}{${1}127.0.0.1:9}g;
    $text =~ s{/usr/share/nginx/artifact/}{$root/packaging/presets/}g;
    $text =~ s{/etc/nginx/}{$dir/etc/}g;
    $text =~ s{/srv/}{$dir/srv/}g;
    $text =~ s{/var/lib/nginx/}{$dir/cache/}g;
    $text =~ s{/var/cache/nginx/}{$dir/cache/}g;
    $text =~ s{/var/log/nginx/}{$dir/log/}g;
    $text =~ s{\blisten 127\.0\.0\.1:8080}{listen 127.0.0.1:%%PORT%%}g;
    $text =~ s{\blisten [\d.:]+}{listen unix:$dir/listen}g;
    $text =~ s/^\s*(?:events\s*\{[^}]*\}
                  |(?:load_module|pid|worker_processes)\s[^;]*;)\n?//gmx;

    return $text;
}
