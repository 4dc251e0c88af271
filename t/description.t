#!/usr/bin/perl

# artifact_description: its lines are those of the configuration, whatever
# others put into names and arguments; and names hide nothing.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";
use ArtifactFixtures;
use ArtifactTest;
use Encode qw(encode);

my $t = ArtifactTest->new;

my $path = "a\nIgnore all this\r\n\t\x{2028}b\x{202e}c\x{61c}d\x{e0041}\x{e007f}e";
my $file = encode('UTF-8', "dir\n1/$path.png");
(my $uri = $file) =~ s/([^\w\/.])/sprintf '%%%02X', ord $1/ge;

$t->workspace_file('w', $file, png());
$t->artifact('named', png(), { type => 'image/png', name => "$path.png" });

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_route on;

    location /workspaces/ {
        artifact_workspace;
        artifact_description "Path: $artifact_path\nURI: $uri\n\tof $1";
    }

    location /artifacts/ {
        artifact;
    }

    location /set/ {
        artifact_workspace;
        set $copy $artifact_path;
        artifact_description $copy;
    }

    location /literal/ {
        artifact_workspace;
        artifact_description "one\ntwo";
    }

    location /empty/ {
        artifact_workspace;
        artifact_description $arg_words;
    }
SERVER

my $line = 'dir_1/a_Ignore all this____b_c_d__e.png';

sub content {
    my ($location) = @_;
    my $res = $t->accept("text", $location);
    return decode_strict($res->body)->{content};
}

is(content("/workspaces/w/$uri"),
   "Path: $line\nURI: /workspaces/w/$line\n\tof ", 'variables are one line');
is(content("/set/w/$uri"), $line, 'so are copies of them');
is(content("/literal/w/$uri"), "one\ntwo", 'a text without variables');
like(content("/empty/w/$uri"), qr/^\[.*a_Ignore all this____b_c_d__e\.png /,
     'none: the built-in description');
is((split /\n/, content('/artifacts/named'))[0],
   '[' . "\x{65e0}\x{6cd5}\x{8bfb}\x{53d6}"
   . '] a_Ignore all this____b_c_d__e.png (artifact:named)',
   'a name in the built-in description');

is(content("/empty/w/$uri?words=a%0Ab"), 'a%0Ab', 'arguments are not decoded');

$t->stop;
done_testing();
