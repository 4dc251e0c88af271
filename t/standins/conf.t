#!/usr/bin/perl

# What nginx -t refuses, and of what it warns, where media leave requests and come
# back.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;

my $t = ArtifactTest->new;
my $root = 'artifact_root ' . $t->data . ';';
my $pass = 'proxy_pass http://127.0.0.1:9;';


sub tried {
    my ($conf) = @_;
    return $t->conf_test(server => "artifact_accept text; $conf",
                         as_is => 1);
}

sub good {
    my ($name, $conf) = @_;
    my ($status, $text) = tried($conf);
    is($status, 0, "$name: good") or diag($text);
    unlike($text, qr/\[warn\]/, "$name: without a warning");
}

sub warns {
    my ($name, $re, $conf) = @_;
    my ($status, $text) = tried($conf);
    is($status, 0, "$name: good") or diag($text);
    like($text, qr/\[warn\][^\n]*$re/, "$name: with a warning");
}

sub refused {
    my ($name, $re, $conf) = @_;
    my ($status, $text) = tried($conf);
    isnt($status, 0, "$name: refused");
    like($text, qr/\[emerg\][^\n]*$re/, "$name: for what reason");
}

my $behind = "location /artifacts/ { internal; artifact; $root }";
my $body = 'client_max_body_size 64m;';


# --- in front

good('in front', "$body location / { artifact_offload_request on; $root $pass }");
good('off', 'location / { artifact_offload_request off; }');
good('a variable', "$body location / { artifact_offload_request \$arg_on; $root "
     . "$pass }");
good('with a scope', "$body location / { artifact_offload_request on "
     . "scope=\$http_x_tenant; $root $pass }");
good('of the server', "$body artifact_offload_request on; $root location / { $pass }");
good('longer than an hour', "$body location / { artifact_offload_request on; "
     . "artifact_expires 2h; $root $pass }");
good('for an hour', "$body location / { artifact_offload_request on; "
     . "artifact_expires 1h; $root $pass }");
warns('for less than an hour', qr/artifact_expires/,
      "$body location / { artifact_offload_request on; artifact_expires 59m; "
      . "$root $pass }");
refused('without a root', qr/artifact_offload_request.*artifact_root/,
        "location / { artifact_offload_request on; $pass }");
refused('without a root, a variable', qr/artifact_offload_request.*artifact_root/,
        "location / { artifact_offload_request \$arg_on; $pass }");
refused($_, qr/artifact_offload_request|invalid/,
        "location / { artifact_offload_request $_; $root $pass }")
    for 'maybe', 'on scope', 'on size=1', 'on on', '', 'off scope=a b';
refused('twice', qr/duplicate/, "location / { artifact_offload_request on; "
        . "artifact_offload_request on; $root $pass }");
refused('in http of a location only', qr/not allowed/,
        "location / { if (\$arg_x) { artifact_offload_request on; } $root }");


# --- behind

good('behind', "$body $behind location / { artifact_expand standins; $pass }");
good('behind, with a source', "$body location /kept/ { internal; artifact; $root } "
     . "location / { artifact_expand standins; artifact_source /kept/; $pass }");
warns('a source that clients reach', qr/artifact_source|internal/,
      "$body location /artifacts/ { artifact; $root } location / { "
      . "artifact_expand standins; $pass }");
warns('a source elsewhere', qr/artifact_source|source/,
      "$body location /artifacts/ { internal; proxy_pass http://127.0.0.1:9/; } "
      . "location / { artifact_expand standins; $pass }");
warns('no source', qr/source/,
      "$body location /x/ { artifact_expand standins; $pass }");
refused('no such word', qr/artifact_expand|invalid/,
        "location / { artifact_expand standin; $pass }");

done_testing();
