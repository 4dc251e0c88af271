#!/usr/bin/perl

# Listings of the MCP server at places where stores and clients are not as they
# should be: folders that may not be read, names of any bytes, workspaces that
# vanish between two pages, cursors that nobody was given.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactMcp;
use ArtifactTest;
use ArtifactWrite;
use File::Path qw(make_path remove_tree);
use MIME::Base64 qw(encode_base64url);

my $t = ArtifactTest->new(user => 'nobody nogroup');
my $dir = $t->data . '/workspaces';
my $WORKSPACES = 1_150;
my $ARTIFACTS = 2_500;
my $MANY = 20_000;
my $ID = '00000000-0000-4000-8000-000000000000';

$t->artifact('odd', 'x', { type => 'text/plain',
    name => "a\n[artifact:$ID]\t[[artifact:b]\x{202e}" });
$t->artifact("n$_", 'x', { type => $_ % 500 ? 'text/plain' : 'image/png',
                           name => "Name-$_" }) for 1001 .. 1000 + $ARTIFACTS;

$t->workspace_file('0', "[artifact:$ID].txt", 'x');
$t->workspace_file('0', "b\xff\n.txt", 'x');
$t->workspace_file('0', "d[artifact:b]/f", 'x');
$t->workspace_file('0locked', 'f', 'x');
$t->workspace_file(sprintf('w%04d', $_), 'f', 'x') for 1 .. $WORKSPACES;
$t->workspace_file('z:1:2', "e$_", 'x') for 10 .. 29;
mkdir "$dir/v$_" for 1 .. 50;
spew("$dir/0file", 'x');
symlink 'w0001', "$dir/0link";
symlink 'nowhere', "$dir/0nowhere";
chmod 0, "$dir/0locked" or die "chmod: $!";

my $many = $t->prefix . '/many/artifacts';
make_path($many);
for my $n (1 .. $MANY) {
    open my $file, '>', "$many/$n" or die "open: $!";
}

$t->start(server => mcp_server(server => <<'SERVER'));
    location = /threads {
        artifact_mcp;
        aio threads;
    }
    location = /many {
        artifact_mcp;
        artifact_root %%PREFIX%%/many;
    }
    location = /rootless {
        artifact_mcp;
        artifact_root $http_x_root;
    }
    location = /off {
        artifact_mcp;
        artifact_index off;
    }
SERVER


# All pages of a tool, in a list.

sub tool_pages {
    my ($tool, $args, $step, %opt) = @_;
    my ($cursor, @pages);

    do {
        my $result = mcp_tool($t, $tool,
            { %$args, defined $cursor ? (cursor => $cursor) : () },
            label => "$tool, page " . (@pages + 1), %opt);

        push @pages, $result;
        $cursor = $result->{structuredContent}{nextCursor};
        $step->(scalar @pages) if $step && defined $cursor;
    } while (defined $cursor && @pages < 100);

    return @pages;
}


# A cursor as the server would make it; its hash is FNV-1a.

sub forged {
    my ($kind, $scope, $part, $workspace, $after) = @_;

    my $head = pack 'CCv', 1, $part, length $workspace;
    my $text = pack 'Q<', $kind;
    $text .= pack('Q<', length) . $_ for map { $scope->[$_] // '' } 0 .. 2;
    $text .= $head . $workspace . $after;

    my $hash = 0xcbf29ce4 << 32 | 0x84222325;
    for my $byte (unpack 'C*', $text) {
        $hash ^= $byte;

        # times 0x100000001b3, without a sum that would become a float

        my ($low, $high) = ($hash & 0xffffffff, $hash >> 32);
        my $first = $low * 0x1b3;
        my $second = ($high * 0x1b3 + ($low << 8 & 0xffffffff)
                      + ($first >> 32)) & 0xffffffff;
        $hash = $second << 32 | $first & 0xffffffff;
    }

    return encode_base64url(pack('Q<', $hash) . $head . $workspace . $after);
}


# --- all that can be read ----------------------------------------------------

my %every = map { $_ => 1 } map { "artifact:$_" }
    'odd', (map { "n$_" } 1001 .. 1000 + $ARTIFACTS),
    ws_id('0', "[artifact:$ID].txt"), ws_id('0', 'd[artifact:b]/f'),
    (map { ws_id(sprintf('w%04d', $_), 'f') } 1 .. $WORKSPACES),
    map { ws_id('z:1:2', "e$_") } 10 .. 29;

for my $at ('/mcp', '/threads') {
    my @pages = mcp_pages($t, 'resources/list', 'resources', at => $at);
    my %seen;
    $seen{ $_->{uri} =~ s/%5B/[/gr =~ s/%5D/]/gr }++ for map { @$_ } @pages;

    is(join(' ', grep { !$seen{$_} } sort keys %every), '',
       "$at: all are seen");
    is(join(' ', grep { $seen{$_} > 1 || !$every{$_} } sort keys %seen), '',
       'once, and nothing else');
    is(scalar(grep { @$_ > 1000 } @pages), 0, 'at most 1000 a page');
}

$t->allow(qr/workspaces\/0locked\/" failed \(13:/);


# --- a workspace is deleted between two pages --------------------------------

my (%seen, @left);

my @pages = mcp_pages($t, 'resources/list', 'resources', step => sub {
    my ($page) = @_;
    return if $page != 3;

    # the one in which the page ended, and those after it

    remove_tree(map { sprintf "$dir/w%04d", $_ } 400 .. 600);
});

$seen{ $_->{uri} }++ for map { @$_ } @pages;
@left = map { 'artifact:' . ws_id(sprintf('w%04d', $_), 'f') }
    1 .. 399, 601 .. $WORKSPACES;
is(join(' ', grep { ($seen{$_} // 0) != 1 } @left), '',
   'workspaces that stay are seen');


# --- what the tools list, while others write ---------------------------------

for my $older (undef, $OLDER[0]) {
    my @older = $older ? (older => $older) : ();
    my $label = $older // $MODERN;
    my (%times, @wrong);

    @pages = tool_pages('list_artifacts', { limit => 400 }, sub {
        my ($page) = @_;

        for my $n (map { $page * 400 + 1000 + $_ } 3, 7) {
            unlink map { $t->data . "/artifacts/n$n$_" } '', '.meta';
        }
        $t->artifact("n1$page-$label", 'new',
                     { type => 'text/plain', name => 'new' });
    }, @older);

    for my $page (@pages) {
        my $data = $page->{structuredContent};
        my @listed = @{ $data->{artifacts} };
        my @lines = split /\n/, mcp_words($page);

        push @wrong, 'a count' if $data->{count} != @listed;
        pop @lines if defined $data->{nextCursor}
            && $lines[-1] =~ /\Q$data->{nextCursor}\E\z/;
        push @wrong, 'a line too many or too few' if @lines != @listed;

        for my $n (0 .. $#listed) {
            my $id = $listed[$n]{id};
            my @fields = split /\t/, $lines[$n] // '', -1;

            $times{$id}++;
            push @wrong, "the line of $id"
                if @fields != 5 || $fields[0] ne "artifact:$id";
            push @wrong, "the members of $id"
                if $listed[$n]{artifactRef} ne "artifact:$id"
                   || !defined $listed[$n]{mimeType};
        }
    }

    is(join(', ', @wrong), '', "$label: lines and structures are the same");
    is(join(' ', grep { ($times{"n$_"} // 0) != 1
                        && -e $t->data . "/artifacts/n$_" }
                 1001 .. 1000 + $ARTIFACTS), '',
       "$label: those that stay are seen once");
    is(join(' ', grep { $times{$_} > 1 } sort keys %times), '',
       "$label: none is seen twice");
}


# --- what is chosen ----------------------------------------------------------

sub ids {
    return join ' ', map { $_->{path} // $_->{id} }
        map { @{ $_->{structuredContent}{artifacts}
                 // $_->{structuredContent}{entries} } } @_;
}


is(ids(tool_pages('list_artifacts', { type => 'image/*' })),
   'n1500 n2000 n2500 n3000 n3500', 'by type');
is(ids(tool_pages('list_artifacts', { type => 'image/*', limit => 1 })),
   'n1500 n2000 n2500 n3000 n3500', 'one a page');
is(ids(tool_pages('list_artifacts', { name => 'nAmE-349' })),
   'n3490 n3491 n3492 n3493 n3494 n3495 n3496 n3497 n3498 n3499', 'by name');
is(ids(tool_pages('list_artifacts', { type => 'image/png',
                                      name => '35' })), 'n3500', 'by both');
is(ids(tool_pages('list_artifacts', { type => 'words' })), '',
   'a type that is none');

@pages = tool_pages('list_artifacts', { name => 'no such name' }, undef,
                    at => '/many');
is(ids(@pages), '', 'none of many');
is(scalar @pages, 2, 'with a page that says so before the end');
like(mcp_words($pages[0]), qr/\AThere are more: call again with the cursor /,
     'where to go on');
is(mcp_words($pages[1]), 'Nothing found.', 'and that this was all');
is(scalar @{ mcp_result(mcp_ask($t, 'resources/list', {}, at => '/many'),
                        'many resources')->{resources} }, 1000,
   'there are many');


# --- names -------------------------------------------------------------------

my $odd = mcp_words(mcp_tool($t, 'list_artifacts', { name => 'artifact:b' }));
like($odd, qr/\Aartifact:odd\t[^\t\n]+\ttext\/plain\t1 B\t[^\t\n]+\n\z/,
     'one line of an odd name');
unlike($odd, qr/\[artifact:/, 'without a marker');

my $folder = mcp_tool($t, 'list_workspace', { workspace => '0' });
unlike(mcp_words($folder), qr/\[artifact:/, 'nor one of files');
like(mcp_words($folder), qr/^d\(artifact:b\]\/\tfolder\t/m, 'a folder');
is_deeply([map { "$_->{kind} $_->{path}" }
               @{ $folder->{structuredContent}{entries} }],
          ["file [artifact:$ID].txt", 'folder d[artifact:b]'],
          'what is no text is not listed');

is(ids(tool_pages('list_workspace', { workspace => 'z:1:2', limit => 7 })),
   join(' ', map { "e$_" } 10 .. 29), 'a workspace with colons');
mcp_tool($t, 'list_workspace', { workspace => $_ }, fails => 1)
    for '0locked', '0file', '0link', '0nowhere', '.artifact', '..', '', "0\n";


# --- cursors -----------------------------------------------------------------

is(ids(mcp_tool($t, 'list_workspace', { workspace => 'z:1:2',
    cursor => forged(2, ['z:1:2'], 1, 'z:1:2', 'e27') })), 'e28 e29',
   'a cursor that is made as the server does');

my %listing = (list_artifacts => [{}, 1, []],
               list_workspace => [{ workspace => 'z:1:2' }, 2, ['z:1:2']]);

for my $case (['list_workspace', 0, '', ''], ['list_workspace', 0, 'z:1:2', ''],
              ['list_workspace', 1, 'w0001', ''], ['list_workspace', 1, '', ''],
              ['list_workspace', 2, 'z:1:2', ''],
              ['list_workspace', 1, 'z:1:2', "a\0b"],
              ['list_workspace', 1, 'z:1:2', 'a' x 4096],
              ['list_artifacts', 1, 'w0001', ''], ['list_artifacts', 1, '', ''],
              ['list_artifacts', 0, 'w0001', ''], ['list_artifacts', 3, '', ''],
              ['list_artifacts', 0, '', "n1001\0"])
{
    my ($tool, $part, $workspace, $after) = @$case;
    my ($args, $kind, $scope) = @{ $listing{$tool} };

    my $result = mcp_tool($t, $tool, { %$args,
        cursor => forged($kind, $scope, $part, $workspace, $after) },
        fails => 1, label => "$tool, part $part of \"$workspace\"");
    like(mcp_words($result), qr/cursor/, 'words about the cursor');
}

for my $after ('', '/', '..', "\xff", "\n", 'n', 'zzz', 'a/' x 2000) {
    mcp_tool($t, 'list_artifacts',
             { cursor => forged(1, [], 0, '', $after), limit => 1 },
             label => 'after ' . length($after) . ' bytes');
    mcp_result(mcp_ask($t, 'resources/list', { cursor => forged(0, [], $_,
                       $_ ? 'w0001' : '', $after) }),
               "part $_, after " . length($after) . ' bytes') for 0, 1;
}

for my $workspace ('..', 'a/b', "a\0", '.') {
    mcp_error(mcp_ask($t, 'resources/list',
                      { cursor => forged(0, [], 1, $workspace, '') }, id => 1),
              200, -32602, 1, 'a cursor of what is no workspace');
}


# --- stores that are not there -----------------------------------------------

mcp_error(mcp_ask($t, 'resources/list', {}, at => '/rootless', id => 1), 200,
          -32603, 1, 'no root');
mcp_tool($t, 'list_artifacts', {}, at => '/rootless', fails => 1);
mcp_tool($t, $_->[0], $_->[1], at => '/off', fails => 1)
    for ['list_artifacts', {}], ['list_workspace', { workspace => '0' }];
$t->allow(qr/"artifact_root" of location "\/rootless" is empty/);


# --- clients that leave ------------------------------------------------------

for my $at ('/mcp', '/threads', '/many') {
    for my $n (1 .. 20) {
        my @args = ('POST', $at, body => mcp_message('resources/list', {}),
                    headers => [mcp_headers('resources/list', {})]);
        my $conn = $t->connect;

        $conn->send(ArtifactHTTP::format_request(@args));
        select undef, undef, undef, 0.002 * $n;
        $conn->close;
    }
    mcp_result(mcp_ask($t, 'ping', {}, at => $at, older => $OLDER[0]),
               "$at: others are answered", older => $OLDER[0]);
}

$t->finish;
