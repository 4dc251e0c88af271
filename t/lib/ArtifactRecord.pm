package ArtifactRecord;

# Keeps each answer that a test reads, if TEST_RECORD names a directory: a line
# each, in a file of the test's name.  What differs from run to run (places,
# times, ids) has a name in its stead, so that two versions can be compared:
# scripts/outside.pl.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use File::Basename qw(basename);
use File::Path qw(make_path);

my $MAX = 1000;
my $FILE;


# What was sent on a connection, and the answer to it.

sub answer {
    my ($sent, $res, $body) = @_;

    open_file() unless $FILE;

    my ($line) = $sent =~ /\A([^\r\n]{0,500})/;
    my $headers = join '', map {
        my $name = $_;
        map { " | $name: $_" } @{ $res->{headers}{$name} };
    } sort keys %{ $res->{headers} };

    $body = plain($body);
    my $text = plain("$line -> $res->{status}$headers | ")
        . ($res->{complete} ? 'whole ' : 'cut ') . length($body) . ' '
        . substr(sha256_hex($body), 0, 16) . ' ' . substr $body, 0, $MAX;
    $text =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ge;

    syswrite $FILE, "$text\n";
}


# Processes of a test write to the same file, a line at once.

sub open_file {
    make_path($ENV{TEST_RECORD});
    my $name = basename($0, '.t');
    open $FILE, '>>', "$ENV{TEST_RECORD}/$name"
        or die "$ENV{TEST_RECORD}/$name: $!\n";
}


sub plain {
    my ($text) = @_;

    for ($text) {
        s{/tmp/artifact-test-\w+}{PREFIX}g;
        s{(127\.0\.0\.1|localhost)(:|%3A)\d+}{$1$2PORT}g;
        s{\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b}{UUID}gi;
        s{\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?}{TIME}g;
        s{\w{3}, \d\d[- ]\w{3}[- ]\d{2,4} \d\d:\d\d:\d\d GMT}{DATE}g;
        s{\b[0-9a-f]{13,}\b}{HEX}g;
        s{\b1[78]\d{8}\b}{SECONDS}g;
        s{\bsig=[\w-]{43}}{sig=SIG}g;
        s{\bmax-age=\d+}{max-age=N}g;
        s{"[0-9a-f]+(?:[-.][0-9a-f]+)+(-\w+)?"}{"ETAG"}g;
    }

    return $text;
}


1;
