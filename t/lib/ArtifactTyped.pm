package ArtifactTyped;

# The commands of README.md and the pages of docs/, "$ .." in indented blocks: they
# are typed in their order as in one terminal, in the folder of the test, and print
# what stands below them.

use strict;
use warnings;

use Exporter 'import';

use ArtifactCheck;

our @EXPORT = qw(typed_commands);

my $UUID = qr/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/;


# The commands of a text, each as it is typed, and what it prints.

sub typed_commands {
    my ($text) = @_;
    my @found;

    while ($text =~ /^ {4}\$ ((?:.*\\\n)*.*)\n((?: {4}(?!\$ ).*\n)*)/gm) {
        my ($line, $printed) = ($1, $2);

        s/^ {4}//gm for $line, $printed;
        push @found, [$line, $printed =~ s/\n\z//r];
    }

    return @found;
}


# A terminal in a folder.  here: a function that puts this machine's ports and
# paths into a command.

sub new {
    my ($class, $dir, $here) = @_;

    spew("$dir/typed.vars", '');
    return bless { dir => $dir, here => $here, id => {} }, $class;
}


# What a command prints here.  An id that the page prints stands for the one that
# was made instead, in later commands as well.  Variables stay.

sub type {
    my ($self, $line, $printed) = @_;
    my $typed = $self->{here}->($line);

    $typed =~ s{($UUID)}{$self->{id}{$1} // $1}ge;
    $typed .= "\ndeclare -p $1 >> typed.vars" if $line =~ /^(\w+)=/;
    spew("$self->{dir}/typed", bytes("cd $self->{dir}\n. ./typed.vars\n$typed\n"));

    my $got = chars(scalar `bash $self->{dir}/typed 2>&1`) =~ s/\n\z//r;
    my ($theirs) = $printed =~ /($UUID)/;
    my ($ours) = $got =~ /($UUID)/;

    if (defined $theirs && defined $ours) {
        $self->{id}{$theirs} = $ours;
        $got =~ s/\Q$ours\E/$theirs/g;
    }

    return $got;
}


1;
