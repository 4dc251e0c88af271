#!/usr/bin/perl

# MCP's tools that write, on a disk that is full, read-only, closed or broken:
# words, a line of the log, the old content, and nothing left behind.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactMcpWrite;
use ArtifactTest;
use ArtifactWrite;
use POSIX qw(EACCES EDQUOT EIO EMFILE ENOSPC EROFS EXDEV);

my $fail = ArtifactFail->new;
my $t = ArtifactTest->new(launcher => $fail->launcher);

sub rules { $fail->rules(@_) }

$t->allow(qr/\[crit\].* is not written: (?:write|open|fsync|rename|unlink)/);
$t->start(server => mcp_server(<<'SERVER'));
    location = /rootless {
        artifact_mcp;
        artifact_root $arg_root;
    }
    location = /no-such-root {
        artifact_mcp;
        artifact_root %%DATA%%/none;
    }
SERVER

my $large = 'new content ' x 20_000;
my %content = (small => [content => 'new'], large => [content => $large],
               base64 => [base64 => b64($large)]);
my $words = qr/writing failed/;
my $denied = qr/permission denied/;
my $full = qr/storage is full/;
my $any = qr/./;

tool($t, 'write_file', [workspace => 'w', path => 'file', content => 'old']);
tool($t, 'save_artifact', [content => 'warm']);
entry_when($t, 'w/file', sub { 1 }, 3);
my $before = files_of($t);

for my $case (
    ['no space', 'write', ENOSPC, 0, $full, 'write'],
    ['no more space', 'write', ENOSPC, 100_000, $full, 'write', 'large'],
    ['a quota', 'write', EDQUOT, 0, $full, 'write'],
    ['a bad disk', 'write', EIO, 70_000, $any, 'write', 'large'],
    ['no space on closing', 'sync', ENOSPC, 0, $full, 'fsync'],
    ['no descriptor', 'open', EMFILE, 0, $words, 'open'],
    ['read-only', 'open', EROFS, 0, $denied, 'open'],
    ['closed', 'open', EACCES, 0, $denied, 'open'],
) {
    my ($name, $call, $error, $offset, $re, $action, $only) = @$case;
    for my $kind (sort keys %content) {
        next if $only && $kind eq 'small';
        for my $at (qw(/mcp /mcp-inline)) {
            for my $tool (qw(write_file save_artifact)) {
                my $area = $tool eq 'write_file' ? 'workspaces' : 'artifacts';
                my @args = $tool eq 'write_file'
                    ? (workspace => 'w', path => 'file') : (name => 'n.txt');
                my $size = length $t->log;
                rules("$call $error $offset /$area/.artifact/tmp-");
                my $got = tool($t, $tool, [@{ $content{$kind} }, @args],
                               at => $at);
                rules();
                my $what = "$name, $tool, $kind, $at";
                refused($got, $re, $what);
                like(substr($t->log, $size),
                     qr{artifact ".*/$area/.*" is not written: $action \(},
                     "$what: call and path in the log");
                nothing_changed($t, $before, $what);
            }
        }
    }
}

for my $case (['a closed folder', 'rename', EACCES, $denied],
              ['another disk', 'rename', EXDEV, $words],
              ['read-only', 'mkdir', EROFS, $denied])
{
    my ($name, $call, $error, $re) = @$case;
    for my $at (qw(/mcp /mcp-inline)) {
        rules("$call $error 0 /workspaces/fresh");
        refused(tool($t, 'write_file', [base64 => b64($large), path => 'a/b',
                                        workspace => 'fresh'], at => $at),
                $re, "$name, $at");
        rules();
        nothing_changed($t, $before, "$name, $at");
    }
}

for my $case (['closed', EACCES, $denied], ['a bad disk', EIO, $any]) {
    my ($name, $error, $re) = @$case;
    rules("unlink $error 0 /workspaces/w/");
    refused(tool($t, 'delete_file', [workspace => 'w', path => 'file']), $re,
            "delete_file, $name");
    rules();
    nothing_changed($t, $before, "delete_file, $name");
}

# metadata that cannot be written: the write counts, and the answer tells

rules('write ' . ENOSPC . ' 0 w.journal');
my $got = tool($t, 'write_file', [workspace => 'w', path => 'file',
                                  content => 'in spite of it']);
rules();
is($got->{structured}{metadata}, 'failed', 'no metadata: it is told');
is(slurp($t->data . '/workspaces/w/file'), 'in spite of it',
   'no metadata: written');
tool($t, 'write_file', [workspace => 'w', path => 'file', content => 'old']);

# no root

for my $at (qw(/rootless /no-such-root)) {
    for my $case (['write_file', workspace => 'w', path => 'file',
                   content => $large],
                  ['save_artifact', content => 'x'],
                  ['delete_file', workspace => 'w', path => 'file'])
    {
        my ($tool, @args) = @$case;
        my $size = length $t->log;
        refused(tool($t, $tool, \@args, at => $at), $words, "$at: $tool");
        like(substr($t->log, $size), qr/\[error\].* is not written: /,
             "$at: $tool: a line of the log");
    }
}
ok(!-e $t->data . '/none', 'no root: it is not made');

# --- the other area -------------------------------------------------------

# a content that is expected to be a file, and becomes an artifact

sub late {
    my ($tool, @args) = @_;
    return '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{'
        . '"arguments":' . members(@args) . ",\"name\":\"$tool\"}}";
}


$before = files_of($t);
for my $at (qw(/mcp /mcp-inline)) {
    for my $content (sort keys %content) {
        my $bytes = $content eq 'small' ? 'new' : $large;
        my $text = late('save_artifact', @{ $content{$content} },
                        mime_type => 'a/b');
        my @moved = $fail->calls(sub {
            saved($t, call_text($t, $text, at => $at), $bytes, undef, 'a/b',
                  "$at: $content: an artifact after all");
        });
        my $moves = grep { $_->[0] eq 'rename'
            && $_->[1] =~ m{/artifacts/\.artifact/tmp-} } @moved;
        is($moves, $content eq 'small' ? 0 : 1,
           "$at: $content: its file is renamed if there is one");

        rules('rename ' . EXDEV . ' 0 /artifacts/.artifact/tmp-');
        saved($t, call_text($t, $text, at => $at), $bytes, undef, 'a/b',
              "$at: $content: of another file system");
        rules();
        is(left_behind($t), '', "$at: $content: nothing is left behind");
    }

    $before = files_of($t);
    my $text = late('save_artifact', base64 => b64($large));
    for my $case (['rename', EXDEV, 'write', ENOSPC, $full],
                  ['rename', EXDEV, 'open', EACCES, $denied],
                  ['rename', EIO, 'open', EIO, $any])
    {
        my ($call, $error, $then, $last, $re) = @$case;
        rules("$call $error 0 /artifacts/.artifact/tmp-",
              "$then $last 0 /artifacts/.artifact/tmp-");
        refused(call_text($t, $text, at => $at), $re,
                "$at: $error, then $then $last");
        rules();
        nothing_changed($t, $before, "$at: $error, then $then $last");
    }
}

# --- syncs --------------------------------------------------------------

# what would be refused is not synced before, and what keeps its permissions is
# not synced again; a fold syncs its files as well, so all of them are over

{
    my $file = $t->data . '/workspaces/w/file';
    chmod 0640, $file or die "chmod: $!";
    my @args = (base64 => b64($large), workspace => 'w', path => 'file');
    my $syncs = sub {
        my ($path, @more) = @_;
        my @calls = $fail->calls(sub {
            tool($t, 'write_file', [@args, @more], at => '/mcp-inline');
        });
        return scalar grep { $_->[0] eq 'sync' && $_->[1] =~ $path } @calls;
    };
    ok(until_true(sub {
        my $control = $t->data . '/workspaces/.artifact';
        !grep { !/\.journal\z/ || -s $_ > 80 }
            glob "$control/*.journal $control/*.folding* $control/tmp-*";
    }, 20), 'no fold is under way');
    is($syncs->(qr/tmp-/, if_match => 'old'), 0,
       'refused: no content is synced');
    is($syncs->(qr{/w/file\z}), 0, 'written: no content is synced again');
    is((stat $file)[2] & 07777, 0640, 'a file keeps its permissions');
}

# --- rights ---------------------------------------------------------------

SKIP: {
    skip 'only root can be somebody else', 1 if $> != 0;

    my $c = ArtifactTest->new(user => 'nobody nogroup');
    chmod 0755, $c->data, $c->data . '/artifacts', $c->data . '/workspaces';
    $c->workspace_file('w', 'file', 'old');
    $c->start(server => mcp_server());
    for my $at (qw(/mcp /mcp-inline)) {
        for my $case (['write_file', workspace => 'w', path => 'file',
                       content => 'x'],
                      ['write_file', workspace => 'w', path => 'file',
                       content => 'x' x 100_000],
                      ['save_artifact', content => 'x' x 100_000],
                      ['delete_file', workspace => 'w', path => 'file'])
        {
            my ($tool, @args) = @$case;
            my $size = length $c->log;
            refused(tool($c, $tool, \@args, at => $at), $denied,
                    "nobody, $tool, $at");
            like(substr($c->log, $size), qr/\[error\].* is not written: \w+ \(/,
                 "nobody, $tool, $at: a line of the log");
        }
    }
    is(slurp($c->data . '/workspaces/w/file'), 'old', 'nobody: nothing');
    is(left_behind($c), '', 'nobody: nothing is left behind');
    $c->stop;
    $c->check_log;
}

$t->finish;
