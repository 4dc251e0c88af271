#!/usr/bin/perl

# Directives that have no effect anywhere are warned about, once, at their line;
# one location of those that they apply to is enough.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactLint;
use ArtifactTest;

my $t = ArtifactTest->new;
my $root = 'artifact_root %%DATA%%; artifact_accept text;';
my $pass = 'proxy_pass http://127.0.0.1:9; client_max_body_size 8m; '
    . 'proxy_ignore_headers X-Accel-Redirect;';
my $artifacts = 'location /artifacts/ { artifact; }';
my $mcp = 'location = /mcp { artifact_mcp; }';

my @requests = ('artifact_expand on', 'artifact_argument data',
                'artifact_offload_request on');
my @answers = ('artifact_offload on', 'artifact_offload_text 16k',
               'artifact_extract on');

for my $directive (@requests, @answers) {
    my ($name) = split ' ', $directive;
    my $text = "\"$name\" has no effect: no location that it applies to";

    warns($t, "$directive: inherited", $text,
          "$root\n$directive; #\n$artifacts $mcp");
    warns($t, "$directive: its own", $text,
          "$root\nlocation = /mcp {\nartifact_mcp;\n$directive; #\n}\n"
          . $artifacts);
    silent($t, "$directive: one location passes", "$root $directive; "
           . "$artifacts $mcp location /v1/ { $pass }");
    silent($t, "$directive: off where it would have none",
           "$root location /v1/ { $pass $directive; } $artifacts "
           . "location = /mcp { artifact_mcp; $name off; }");
}

# answers of files and of other modules have media, too

silent($t, "$_: in a location without a handler",
       "$root location /v1/ { $_; } $artifacts") for @answers;

warns($t, "$_: in a location without a handler", 'has no effect',
      "$root\nlocation /v1/ {\n$_; #\n}\n$artifacts") for @requests;

done_testing();
