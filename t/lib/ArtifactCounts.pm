package ArtifactCounts;

# The counters of a location with artifact_status, and what requests add to
# them.

use strict;
use warnings;

use Exporter 'import';
use Test::More;
use Time::HiRes qw(sleep);

use ArtifactJSON;

our @EXPORT = qw(attached counts grow of_handlers part requests routed writes);


# The samples of /status, each by its family and its labels, which are sorted by
# their names: "artifact_folds_total outcome=done".

sub counts {
    my ($t) = @_;

    my $json = decode_strict($t->get('/status?format=json')->body);
    my %counts;

    for my $name (keys %$json) {
        for my $sample (@{ $json->{$name}{samples} }) {
            my $labels = $sample->{labels};
            my $text = join ',', map { "$_=$labels->{$_}" }
                       sort keys %$labels;
            $counts{length $text ? "$name $text" : $name} = $sample->{value};
        }
    }

    return \%counts;
}


# The samples of families in the text form whose labels are a handler and, in
# buckets, an upper bound: "first_byte_seconds_bucket api 0.25".

sub of_handlers {
    my ($t, $families) = @_;

    my %samples;
    my $text = $t->get('/status')->body;

    $samples{join ' ', grep { defined } $1, $2, $3} = $4
        while $text =~ /^artifact_($families)\{handler="(\w+)"
                         (?:,le="([^"]+)")?\}\ ([0-9.]+)$/gmx;

    return \%samples;
}


# That many more than there were: a request is counted after its answer.

sub grow {
    my ($t, $name, $do, %more) = @_;
    my $before = counts($t);
    my $now;

    $do->();

    for (1 .. 200) {
        $now = counts($t);
        last unless grep { ($now->{$_} // 0) - ($before->{$_} // 0)
                           != $more{$_} } keys %more;
        sleep 0.05;
    }

    is_deeply({ map { $_ => ($now->{$_} // 0) - ($before->{$_} // 0) }
                    keys %more }, \%more, $name);
}


# Names of counters, by the values of their labels.

sub requests { return "artifact_requests_total handler=$_[0],status=$_[1]" }


sub routed {
    return "artifact_routed_total format=$_[0],kind=$_[1],reason=$_[3],"
        . "routing=$_[2]";
}


sub writes {
    return "artifact_writes_total operation=$_[0],outcome=$_[1]";
}


sub part {
    return "artifact_parts_total api=$_[0],kind=$_[1],outcome=$_[2]";
}


sub attached { return "artifact_attachments_total outcome=$_[0]" }


1;
