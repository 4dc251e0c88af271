#!/usr/bin/perl

# Moves the artifacts of a data root from one layout to another, while nginx
# serves and writes (docs/stores.md).
#
#     layout.pl [--no-sync] ROOT FROM TO
#
#     layout.pl /srv/platform flat 2:2
#     layout.pl /srv/platform 2:2 flat
#
# FROM and TO are the values of "artifact_layout", without "levels=".  nginx has
# to have "artifact_layout" with TO and "from=" FROM, and no worker of an earlier
# configuration may be left.  To be run by the user that the folders belong to.
#
# A batch at a time, each file gets its new name before it loses the old one,
# sidecars first, and loses it after the new folders are on the disk, sidecars
# last: whoever looks in TO, FROM and TO meets both together.  It may be ended at
# any time and run again.

use strict;
use warnings;

use Digest::MD5 qw(md5_hex);
use Errno qw(EEXIST ENOENT);
use Fcntl qw(:mode O_DIRECTORY O_RDONLY);
use IO::Handle;
use JSON::PP;

my $BATCH = 500;        # artifacts
my $YOUNG = 60;         # seconds: its sidecar may be on its way

my $sync = 1;
if (@ARGV && $ARGV[0] eq '--no-sync') {
    $sync = 0;
    shift;
}
die "usage: $0 [--no-sync] ROOT FROM TO\n" if @ARGV != 3;

my ($root, @layouts) = @ARGV;
my ($from, $to) = map { levels($_) } @layouts;
die "nothing to do: $layouts[0] is $layouts[1]\n" if "@$from" eq "@$to";

die "$root/artifacts is a symbolic link\n" if -l "$root/artifacts";
chdir "$root/artifacts" or die "$root/artifacts: $!\n";

my %count = map { $_ => 0 } qw(moved left);
my %links;
my %uses;               # of a content, if there are several

# what a relative link leads to would be elsewhere

each_folder($from, \&look_for_links);
each_folder($to, sub { });
die "symbolic links would lead elsewhere, replace them by what they lead to:\n",
    map({ "    $_\n" } sort keys %links) if %links;

each_folder($from, \&move_declared);
each_folder($from, \&move_rest);
each_folder($from, \&remove_empty);

print "moved $count{moved}, left $count{left}\n";
exit($count{left} ? 1 : 0);


sub levels {
    my ($text) = @_;
    return [] if $text eq 'flat';
    die "\"$text\" is no layout: flat, or 1 or 2 up to three times, as 2:2\n"
        if $text !~ /^[12](?::[12]){0,2}\z/;
    return [split /:/, $text];
}


# The folder of an id, empty or with a slash at its end.

sub place {
    my ($levels, $id) = @_;
    my ($place, $end, $hash) = ('', 32, @$levels ? md5_hex($id) : '');

    for my $digits (@$levels) {
        $end -= $digits;
        $place .= substr($hash, $end, $digits) . '/';
    }
    return $place;
}


# Calls a function with each folder of a layout.

sub each_folder {
    my ($levels, $run, $place, $depth) = @_;
    ($place, $depth) = ($place // '', $depth // 0);

    return $run->($place) if $depth == @$levels;

    for my $n (0 .. 16 ** $levels->[$depth] - 1) {
        my $name = sprintf '%0*x', $levels->[$depth], $n;

        if (-l "$place$name") {
            $links{"$place$name"} = 1;
            next;
        }
        next if !-d "$place$name";
        each_folder($levels, $run, "$place$name/", $depth + 1);
    }
}


# Calls a function with each name in a folder, but for the module's own.

sub each_name {
    my ($place, $run) = @_;

    opendir my $dir, $place eq '' ? '.' : $place or die "$place: $!\n";
    while (defined(my $name = readdir $dir)) {
        $run->($name) if $name !~ /^\./;
    }
}


sub look_for_links {
    my ($place) = @_;
    each_name($place, sub { $links{"$place$_[0]"} = 1 if -l "$place$_[0]" });
}


# Artifacts whose sidecar tells where their content is.

sub move_declared {
    my ($place) = @_;
    my @batch;

    each_name($place, sub {
        my ($id) = $_[0] =~ /^(.+)\.meta\z/s or return;
        my $content = declared($place, $id) // return;

        return if place($from, $id) ne $place || !-f "$place$content"
            || others($place, $id, $content);

        push @batch, { sidecar => [$place, "$id.meta", place($to, $id)],
                       contents => [[$place, $content, place($to, $id)]] };
        move(splice @batch) if @batch == $BATCH;
    });
    move(@batch);
}


# Whether there is a sidecar of another id that the content may be of.

sub others {
    my ($place, $id, $content) = @_;

    for (my $i = length $content; $i > 0; $i = rindex $content, '.', $i - 1) {
        my $other = substr $content, 0, $i;
        return 1 if $other ne $id && -e "$place$other.meta";
    }
    return 0;
}


# The name of the content as the sidecar tells it; undef if it does not.

sub declared {
    my ($place, $id) = @_;

    open my $fh, '<:raw', "$place$id.meta" or return;
    my $extension = eval { JSON::PP->new->utf8->decode(join '', <$fh>)
                           ->{extension} };
    return if !defined $extension || ref $extension || $extension =~ m{[/\0]};

    utf8::encode($extension);
    $extension = ".$extension" if $extension =~ /^[^.]/;

    return "$id$extension";
}


# Others: all contents that a sidecar may be of, and contents without any, which
# answer to their whole name and to that without the extension.  What is a content
# of several goes with the last of them.

sub move_rest {
    my ($place) = @_;
    my (%names, %of, %goes, %taken, @batch);

    each_name($place, sub { $names{$_[0]} = 1 if -f $place . $_[0] });

    for my $name (grep { !reserved($_) } keys %names) {
        push @{ $of{$_} }, $name for sidecars(\%names, $name);
    }

    for my $sidecar (grep { /\.meta\z/ } sort keys %names) {
        my $id = substr $sidecar, 0, -5;
        my $declared = declared($place, $id);
        my @contents = grep { !defined $declared || $_ eq $declared }
            @{ $of{$id} // [] };

        # without a content it goes only if it has got its new name before

        if (place($from, $id) ne $place
            || (!@contents && !same("$place$sidecar",
                                    place($to, $id) . $sidecar)))
        {
            $count{left}++;
            next;
        }

        # one that the id does not find may be asked for by its own name

        for my $name (@contents) {
            $goes{$name} = 1;
            $taken{$name} = 1 if defined $declared
                || $name =~ /^\Q$id\E(?:\.[^.]+)?\z/;
        }
        push @batch, { sidecar => [$place, $sidecar, place($to, $id)],
            contents => [map { [$place, $_, place($to, $id)] } @contents] };
    }

    for my $name (grep { !$taken{$_} } sort keys %names) {
        next if $name =~ /\.meta\z/;

        my @ids = ($name, $name =~ /^(.+)\.[^.]+\z/s ? $1 : ());
        @ids = grep { place($from, $_) eq $place } @ids;

        next if !@ids && $goes{$name};

        if (reserved($name) || !@ids
            || time - (lstat "$place$name")[9] < $YOUNG)
        {
            $uses{"$place$name"} = 1;
            $count{left}++;
            next;
        }
        push @batch, { contents => [map { [$place, $name, place($to, $_)] }
                                    @ids] };
    }

    for my $file (map { @{ $_->{contents} } } @batch) {
        $uses{"$file->[0]$file->[1]"}++;
    }
    move(splice @batch, 0, $BATCH) while @batch;
    %uses = ();
}


sub reserved { my ($name) = @_; return $name =~ /\.meta(?:\.json)?\z/i }


# The ids with a sidecar that a name begins with.

sub sidecars {
    my ($names, $name) = @_;
    my @ids;

    for (my $i = length $name; $i > 0; $i = rindex $name, '.', $i - 1) {
        my $id = substr $name, 0, $i;
        push @ids, $id if $names->{"$id.meta"};
    }
    return @ids;
}


# Each file is [folder, name, new folder].

sub move {
    my @batch = @_;
    my %folders;

    for my $one (@batch) {
        my @files = (grep({ defined } $one->{sidecar}), @{ $one->{contents} });
        $one->{moved} = !grep { !give_name($_, \%folders) } @files;
    }

    for my $folder ($sync ? sort keys %folders : ()) {
        sysopen my $fh, $folder eq '' ? '.' : $folder, O_RDONLY|O_DIRECTORY
            or die "$folder: $!\n";
        $fh->sync or die "fsync $folder: $!\n";
    }

    for my $one (@batch) {
        if (!$one->{moved}) {
            $count{left}++;
            next;
        }
        for my $file (@{ $one->{contents} },
                      grep { defined } $one->{sidecar})
        {
            my $name = "$file->[0]$file->[1]";
            next if $uses{$name} && --$uses{$name};

            unlink $name or $! == ENOENT or die "$name: $!\n";
        }
        $count{moved}++;
    }
}


# A second name for a file; true if it has it.

sub give_name {
    my ($file, $folders) = @_;
    my ($old, $name, $new) = @$file;

    if ($new ne '' && !-d $new) {
        my $path = '';
        for my $level (split m{/}, $new) {

            # a file in its place may be moved itself

            mkdir "$path$level" or $! == EEXIST or die "$path$level: $!\n";
            last if !-d "$path$level";

            $folders->{$path} = 1;
            $path .= "$level/";
        }
    }

    if (link("$old$name", "$new$name")
        || ($! == EEXIST && same("$old$name", "$new$name")))
    {
        $folders->{$new} = 1;
        return 1;
    }

    warn "$old$name stays: $new$name: $!\n";
    return 0;
}


sub same {
    my ($one, $two) = map { [lstat $_] } @_;
    return @$one && @$two && $one->[0] == $two->[0] && $one->[1] == $two->[1];
}


# A folder that nobody makes files in any more, and those around it; but for
# those of both layouts.

sub remove_empty {
    my ($place) = @_;

    for my $depth (reverse 1 .. @$from) {
        return if $depth <= @$to
            && "@$from[0 .. $depth - 1]" eq "@$to[0 .. $depth - 1]";

        rmdir $place or return;
        $place =~ s{[^/]+/\z}{};
    }
}
