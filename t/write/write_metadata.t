#!/usr/bin/perl

# The metadata of a workspace that others write, too: nothing of theirs is
# lost, neither what is corrupt nor what comes between two of our writes.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactTest;
use ArtifactWrite;
use Time::HiRes qw(sleep);

my $t = ArtifactTest->new(workers => 2);
my $dir = $t->data . '/workspaces';
$t->start(server => write_server());

# corrupt metadata is set aside

my %corrupt = (
    'not JSON' => 'no json', 'cut short' => '{"workspaceId":"x","files":{"a',
    'binary' => "\0\1\2\xff" x 50, 'an array' => '[{"files":{}}]',
    'a string' => '"files"', 'two objects' => '{"files":{}}{"files":{}}',
    'a stray byte behind' => '{"files":{}} x',
    'not UTF-8' => qq({"a":"\xff"}),
    'a bad escape' => '{"a":"\\x","files":{}}', 'no value' => '{"files":}',
    'nested without end' => '{"x":' . '[' x 5000,
    'an entry that breaks off' => '{"files":{"b.txt":{"mimeType":"a/b"',
);
my $n = 0;
my %ws;
for my $what (sort keys %corrupt) {
    my $ws = $ws{$what} = 'corrupt' . ++$n;
    $t->workspace_file($ws, 'b.txt', 'b');
    $t->workspace_meta($ws, $corrupt{$what});

    written(put($t, "$ws/a.txt", 'a', agent => 'me', type => 'text/x-a'),
            201, "$ws/a.txt", "metadata is $what: a write");
    is(metadata_at($t, "$ws/a.txt")->{mimeType}, 'text/x-a',
       "metadata is $what: its metadata, at once");
}
for my $what (sort keys %corrupt) {
    my $ws = $ws{$what};
    ok(until_true(sub {
        my $entry = eval { disk_entry($t, "$ws/a.txt") };
        return $entry && $entry->{mimeType} eq 'text/x-a';
    }, 4), "metadata is $what: sound after it");
    my @aside = glob "$dir/$ws.meta.json.corrupt-*";
    is(join(' ', map { slurp($_) eq $corrupt{$what} ? 'as it was' : 'changed' }
            @aside), 'as it was', "metadata is $what: set aside");
    like($t->log, qr/\[(?:warn|error)\][^\n]*corrupt[^\n]*\Q$ws\E
                     |\[(?:warn|error)\][^\n]*\Q$ws\E[^\n]*corrupt/x,
         "metadata is $what: and told of");
}

for my $text ('no json either', '{"again":') {
    $t->workspace_meta('corrupt1', $text);
    put($t, 'corrupt1/a.txt', 'again', agent => 'me');
    ok(until_true(sub { eval { disk_entry($t, 'corrupt1/a.txt') } }, 4),
       'corrupt once more: sound again');
}
is(scalar(my @aside = glob "$dir/corrupt1.meta.json.corrupt-*"), 3,
   'nothing set aside is overwritten');

# what is half written, in place, is waited for

for my $half (0, 500) {
    my $ws = "half$half";
    $t->workspace_meta($ws, { map { ("f$_" => { mimeType => "x/y$_" }) }
                              1 .. 50 });
    my $file = "$dir/$ws.meta.json";
    my $whole = slurp($file);

    open my $fh, '>', $file or die "$file: $!";
    syswrite $fh, substr($whole, 0, $half);
    put($t, "$ws/new", 'x', agent => 'me');
    sleep 0.6;
    is(-s $file, $half, "half written, $half bytes: waited for");
    syswrite $fh, substr($whole, $half);
    close $fh;

    ok(until_true(sub { eval { disk_entry($t, "$ws/new") } }, 4),
       "half written, $half bytes: then written to");
    is(scalar keys %{ disk_meta($t, $ws)->{files} }, 51,
       "half written, $half bytes: nothing is lost");
    is(scalar(() = glob "$file.corrupt-*"), 0,
       "half written, $half bytes: or set aside");
}

# sound JSON, of another shape than expected: what is not ours stays

my %odd = (
    'an empty object' => ['{}', {}],
    'no files' => ['{"a":1}', { a => 1 }],
    'files are null' => ['{"a":1,"files":null,"b":2}', { a => 1, b => 2 }],
    'files are empty' => ['{"a":1,"files":{} , "b":2}', { a => 1, b => 2 }],
    'files come last' => ['{"a":{"files":{"a.txt":{"x":1}}},"files":{"z":{}}}',
                          { a => { files => { 'a.txt' => { x => 1 } } } }],
    'white space all over' => ["\n { \"a\" : 1 ,\r\n\t\"files\" : { } }\n ",
                               { a => 1 }],
    'the entry is null' => ['{"a":1,"files":{"a.txt":null}}', { a => 1 }],
    'the entry is a string' => ['{"a":1,"files":{"a.txt":"x"}}',
                                { a => 1 }],
    'modifiedBy is an object' =>
        ['{"a":1,"files":{"a.txt":{"modifiedBy":{}}}}', { a => 1 }],
    'escaped names' => ['{"\\u0061":1,"files":{"\\u0061.txt":{"k":"v"}}}',
                        { a => 1 }],
);
for my $what (sort keys %odd) {
    my $ws = $ws{$what} = 'odd' . ++$n;
    $t->workspace_meta($ws, $odd{$what}[0]);
    mkdir "$dir/$ws" or die "mkdir: $!";
    written(put($t, "$ws/a.txt", 'a', agent => 'me', type => 'text/x-a'),
            201, "$ws/a.txt", "$what: a write");
}
for my $what (sort keys %odd) {
    my $ws = $ws{$what};
    my $keys = $odd{$what}[1];
    my $entry = entry_when($t, "$ws/a.txt",
                           sub { ref $_ && ($_->{mimeType} // '')
                                           eq 'text/x-a' }, 2);
    is($entry && $entry->{modifiedBy}[-1]{agentId}, 'me', "$what: recorded");
    my $all = disk_meta($t, $ws);
    is_deeply({ map { $_ => $all->{$_} } keys %$keys }, $keys,
              "$what: the rest stays");
    is($entry->{k}, 'v', "$what: are the same name")
        if $what eq 'escaped names';
}

# another writer, between our writes

my (%theirs, %ours);
for my $round (1 .. 12) {
    my $meta = disk_meta($t, 'shared')
        || { workspaceId => 'shared', files => {} };
    $meta->{"round$round"} = $round;
    $meta->{files}{"theirs$round"} = { mimeType => 'text/x-theirs',
                                       n => $round };
    $meta->{files}{"ours"}{"mark$round"} = $round if $round > 1;
    $theirs{$round} = 1;

    # some replace the file, as one should, others write into it

    if ($round % 3) {
        spew("$dir/shared.new", encode_json_bytes($meta));
        rename "$dir/shared.new", "$dir/shared.meta.json" or die $!;
    } else {
        spew("$dir/shared.meta.json", encode_json_bytes($meta));
    }
    $t->workspace_file('shared', "theirs$round", 'x');
    is(metadata_at($t, "shared/theirs$round")->{mimeType}, 'text/x-theirs',
       "round $round: their entry is read");

    $ours{$_} = put($t, $_, "round $round", agent => "a$round")->{status}
        for "shared/ours$round", 'shared/ours';
    ok(entry_when($t, 'shared/ours', sub { @{ $_->{modifiedBy} || [] }
                                           == $round }, 2)
       && entry_when($t, "shared/ours$round", sub { 1 }),
       "round $round: ours are on the disk");
}
my $all = disk_meta($t, 'shared');
is(scalar(grep { $all->{"round$_"} && $all->{files}{"theirs$_"}{n} == $_
                 && $all->{files}{"ours$_"} } 1 .. 12), 12,
   'nobody lost anything');
is(join(' ', map { $all->{files}{ours}{"mark$_"} // 'lost' } 2 .. 12),
   join(' ', 2 .. 12), 'nor did the entry that both write');

# metadata removed by somebody: begun anew

unlink "$dir/shared.meta.json" or die "unlink: $!";
put($t, 'shared/ours', 'after', agent => 'again');
is(entry_when($t, 'shared/ours', sub { 1 }, 2)->{modifiedBy}[-1]{agentId},
   'again', 'removed metadata begins anew');

# metadata that cannot be replaced: the write counts, the log tells, once in
# a while

mkdir "$dir/stuck.meta.json" or die "mkdir: $!";
spew("$dir/stuck.meta.json/inside", 'x');
my $size = length $t->log;
my $res = put($t, 'stuck/a.txt', 'written', agent => 'a');
is($res->{status}, 201, 'metadata is a folder: the write counts');
is(json_of($res)->{ok}, JSON::PP::true(), 'metadata is a folder: ok');
is($t->get('/workspaces/stuck/a.txt')->body, 'written',
   'metadata is a folder: the content is there');
ok(until_true(sub {
    substr($t->log, $size) =~ /\[(?:warn|error|crit)\][^\n]*stuck/
}, 3), 'metadata is a folder: the log tells');
sleep 0.7;
my @lines = substr($t->log, $size) =~ /\[(?:warn|error|crit)\]/g;
cmp_ok(scalar @lines, '<', 15, 'metadata is a folder: not all the time');
is(join(' ', map { slurp($_) } glob "$dir/stuck.meta.json*/inside"), 'x',
   'metadata is a folder: which is kept, maybe under another name');
unlink "$dir/stuck.meta.json/inside";
rmdir "$dir/stuck.meta.json";
put($t, 'stuck/b.txt', 'x', agent => 'b');
ok(entry_when($t, 'stuck/b.txt', sub { 1 }, 3), 'metadata works again');
$t->allow(qr/stuck/);

symlink '../outside.json', "$dir/link.meta.json" or die "symlink: $!";
spew($t->data . '/outside.json', '{"files":{}}');
put($t, 'link/a.txt', 'x', agent => 'a');
sleep 0.8;
is(slurp($t->data . '/outside.json'), '{"files":{}}',
   'metadata is a link: what it names is untouched');
is($t->get('/workspaces/link/a.txt')->body, 'x',
   'metadata is a link: the write counts');

# two nginx with the same root

my $second = ArtifactTest->new(workers => 2);
$second->start(server => write_server() =~ s/%%DATA%%/$t->data/er);
my @both = ($t, $second);
my @unseen;
for my $n (1 .. 60) {
    my ($writer, $reader) = @both[$n % 2, 1 - $n % 2];
    my $path = 'both/' . ($n % 5 ? 'same' : "f$n");
    put($writer, $path, "content $n", agent => "a$n", type => "text/x-$n");
    push @unseen, "content $n"
        if $reader->get("/workspaces/$path")->body ne "content $n";
    my $meta = metadata_at($reader, $path);
    push @unseen, "metadata $n"
        if $meta->{mimeType} ne "text/x-$n"
           || $meta->{meta}{modifiedBy}[-1]{agentId} ne "a$n";
    sleep 0.15 if $n % 20 == 0;
}
is("@unseen", '', 'each sees at once what the other wrote');
my $entry = entry_when($t, 'both/same', sub { @{ $_->{modifiedBy} } >= 48 },
                       2);
is(join(' ', map { $_->{agentId} } @{ $entry->{modifiedBy} }),
   join(' ', map { "a$_" } grep { $_ % 5 } 1 .. 60),
   'one history, in order, of both');

my @lists = in_parallel($t, 4, sub {
    my ($k) = @_;
    my $conn = $both[$k % 2]->connect;
    return scalar grep {
        put($both[$k % 2], "crowd/f" . $_ % 3, "$k-$_", conn => $conn,
            agent => "a$k", message => "m$k-$_")->{status} =~ /^20[01]$/
    } 1 .. 25;
});
is("@lists", '25 25 25 25', 'both at once');
my %seen;
until_true(sub {
    %seen = ();
    my $meta = disk_meta($t, 'crowd');
    $seen{ $_->{messageId} }++
        for map { @{ $_->{modifiedBy} } } values %{ $meta->{files} };
    return keys %seen == 100;
}, 2);
is(scalar keys %seen, 100, 'no write of either is lost');
is(scalar(grep { $_ != 1 } values %seen), 0, 'or recorded twice');

$second->stop;
$second->check_log;

# a long history is shown as long as it is kept

my @old = map { { agentId => "a$_", timestamp => '2024-01-01T00:00:00.000Z',
                  messageId => "m$_" } } 1 .. 9000;
$t->workspace_file('long', 'f.txt', 'x');
$t->workspace_meta('long', { 'f.txt' => {
    mimeType => 'text/x-old', note => 'kept', modifiedBy => \@old,
    messageId => 'its-message',
} });
my $length = -s $t->data . '/workspaces/long.meta.json';
ok($length > 500_000 && $length < 1 << 20, 'a long history');
my $long = metadata_at($t, 'long/f.txt');
is(scalar @{ $long->{meta}{modifiedBy} }, 9000, 'is shown');
is($long->{note}, 'kept', 'with a key not known');
is(json_of($t->accept('text', '/workspaces/long/f.txt'))
       ->{metadata}{messageId}, 'its-message', 'and a field, for a content');
put($t, 'long/f.txt', 'y', agent => 'new', type => 'text/x-new');
$long = metadata_at($t, 'long/f.txt');
is($long->{meta}{modifiedBy}[-1]{agentId}, 'new', 'with a write');
$entry = entry_when($t, 'long/f.txt', sub { $_->{mimeType} eq 'text/x-new' },
                    5);
$long = metadata_at($t, 'long/f.txt');
cmp_ok(scalar @{ $entry->{modifiedBy} }, '>', 5000, 'kept, but for the oldest');
is(scalar @{ $long->{meta}{modifiedBy} }, scalar @{ $entry->{modifiedBy} },
   'and as long as that on the disk');
is($long->{meta}{modifiedBy}[-1]{agentId}, 'new', 'with the write');

# a restart between a write and its metadata

put($t, 'restart/a.txt', 'x', agent => 'a', type => 'text/x-r');
$t->stop;
$t->start(server => write_server());
is(metadata_at($t, 'restart/a.txt')->{mimeType}, 'text/x-r',
   'after a restart: the metadata, at once');
ok(entry_when($t, 'restart/a.txt', sub { 1 }, 2),
   'after a restart: on the disk');
is(left_behind($t), '', 'nothing is left on its way');

# a reader that has read the journal is overtaken by two folds: the journal
# that is being folded then is the newer one

my %journal;
for my $n (1, 2) {
    put($t, 'overtaken/f', "write $n", type => "text/x-$n");
    $journal{$n} = slurp("$dir/.artifact/overtaken.journal");
    entry_when($t, 'overtaken/f', sub { $_->{mimeType} eq "text/x-$n" }, 2);
}
$t->stop;
spew("$dir/.artifact/overtaken.journal", $journal{1});
spew("$dir/.artifact/overtaken.folding", $journal{2});
$t->start;
is(metadata_at($t, 'overtaken/f')->{mimeType}, 'text/x-2',
   'an overtaken journal is not applied');

$t->finish;
