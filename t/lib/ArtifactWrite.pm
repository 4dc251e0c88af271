package ArtifactWrite;

# What the tests of writes share: requests that write, the checks of their
# answers, and looks at what is on the disk afterwards.
#
# A path is "{workspace}/{path}", in bytes.

use strict;
use warnings;

use Digest::SHA qw(sha1_hex);
use Exporter 'import';
use File::Find ();
use JSON::PP ();
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

use ArtifactCheck;
use ArtifactJSON;

our @EXPORT = qw(
    $TIME answer_problems disk_entry disk_meta entry_when files_of in_parallel
    left_behind metadata_at nothing_changed post put remove stored until_true
    write_headers write_server written
);

our $TIME = qr/\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\z/;


# Locations that write, with the disk's work in threads and, at /inline/,
# in the worker itself.

sub write_server {
    my ($more) = @_;
    return <<'CONF' . ($more // '');
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_write on;
    client_max_body_size 64m;
    keepalive_requests 100000;

    location /artifacts/ {
        artifact;
        aio threads;
    }
    location /workspaces/ {
        artifact_workspace;
        aio threads;
    }
    location /inline/ {
        artifact_workspace;
    }
    location /inline-artifacts/ {
        artifact;
    }
CONF
}


# type: the Content-Type (default text/plain, undef: none); agent, message;
# headers: more of them.

sub write_headers {
    my (%opt) = @_;

    my $type = exists $opt{type} ? $opt{type} : 'text/plain';
    return (
        defined $type ? ('Content-Type' => $type) : (),
        defined $opt{agent} ? ('X-Agent-Id' => $opt{agent}) : (),
        defined $opt{message} ? ('X-Message-Id' => $opt{message}) : (),
        @{ $opt{headers} || [] },
    );
}


# at: the location; conn: a connection to keep.  The rest as above and as
# ArtifactTest's req takes.

sub _request {
    my ($t, $method, $uri, %opt) = @_;

    my @args = ($method, $uri, %opt, headers => [write_headers(%opt)]);
    return $opt{conn} ? $opt{conn}->request(@args, keep => 1)
                      : $t->req(@args);
}


sub put {
    my ($t, $path, $body, %opt) = @_;
    return _request($t, 'PUT', ($opt{at} // '/workspaces/') . uri($path),
                    %opt, body => $body);
}


sub remove {
    my ($t, $path, %opt) = @_;
    return _request($t, 'DELETE', ($opt{at} // '/workspaces/') . uri($path),
                    type => undef, %opt);
}


# args: the query string, raw.

sub post {
    my ($t, $args, $body, %opt) = @_;
    my $uri = $opt{at} // '/artifacts/';
    return _request($t, 'POST', length($args // '') ? "$uri?$args" : $uri,
                    %opt, body => $body);
}


# --- answers --------------------------------------------------------------

# What is wrong with the answer to a write of a workspace file.

sub answer_problems {
    my ($res, $status, $path) = @_;

    my ($ws, $rest) = split m{/}, $path, 2;
    my @wrong;
    push @wrong, "status $res->{status}" if $res->{status} != $status;
    push @wrong, 'type ' . ($res->header('Content-Type') // 'none')
        if ($res->header('Content-Type') // '') ne 'application/json';
    push @wrong, 'incomplete' unless $res->{complete};

    my $data = eval { decode_strict($res->{body}) };
    return join '; ', @wrong, 'no JSON object: ' . substr $res->{body}, 0, 200
        if ref $data ne 'HASH';

    push @wrong, 'keys ' . key_order($data)
        if key_order($data) ne 'ok artifactId path';
    push @wrong, 'ok is not true' if !is_bool($data->{ok}) || !$data->{ok};
    push @wrong, 'artifactId ' . ($data->{artifactId} // 'null')
        if ($data->{artifactId} // '') ne ws_id($ws, $rest);
    push @wrong, 'path ' . ($data->{path} // 'null')
        if ($data->{path} // '') ne chars($rest);

    return join '; ', @wrong;
}


# A good answer to a PUT, with its tag.

sub written {
    my ($res, $status, $path, $name) = @_;

    my $wrong = answer_problems($res, $status, $path);
    $wrong .= '; tag ' . ($res->header('ETag') // 'none')
        if ($res->header('ETag') // '') !~ /\A"[^"]+"\z/;
    is($wrong, '', $name);
}


# The content is on the disk, and read back by path and by id, with the tag
# that the write was answered with.

sub stored {
    my ($t, $path, $body, $etag, $name) = @_;

    my ($ws, $rest) = split m{/}, $path, 2;
    my $file = $t->data . "/workspaces/$path";
    my @wrong;
    push @wrong, 'not on the disk' if !-f $file || slurp($file) ne $body;

    my %uri = (path => '/workspaces/' . uri($path),
               id => '/artifacts/' . ws_id($ws, $rest));
    for my $way (sort keys %uri) {
        my $res = $t->get($uri{$way});
        push @wrong, "by $way: status $res->{status}"
            if $res->{status} != 200;
        push @wrong, "by $way: another content" if $res->body ne $body;
        push @wrong, "by $way: tag " . ($res->header('ETag') // 'none')
            . ', not ' . ($etag // 'none')
            if ($res->header('ETag') // '') ne ($etag // '');
    }
    is(join('; ', @wrong), '', $name);
}


# The metadata answer of a workspace file.

sub metadata_at {
    my ($t, $path) = @_;
    return json_of($t->get('/artifacts/' . ws_id(split m{/}, $path, 2)
                           . '/metadata'));
}


# --- the disk -------------------------------------------------------------

# The workspace's metadata as it is on the disk: undef if there is none, dies
# if it is not JSON.

sub disk_meta {
    my ($t, $ws) = @_;

    my $file = $t->data . "/workspaces/$ws.meta.json";
    return -e $file ? decode_strict(slurp($file)) : undef;
}


sub disk_entry {
    my ($t, $path) = @_;

    my ($ws, $rest) = split m{/}, $path, 2;
    my $meta = disk_meta($t, $ws) or return undef;
    return $meta->{files}{chars($rest)};
}


# Waits for an entry for which the code is true; undef after the seconds, a
# second by default: what the documentation promises.

sub entry_when {
    my ($t, $path, $code, $seconds) = @_;

    my $entry;
    until_true(sub {
        $entry = disk_entry($t, $path);
        local $_ = $entry;
        return $entry && $code->($entry);
    }, $seconds // 1) or return undef;
    return $entry;
}


sub until_true {
    my ($code, $seconds) = @_;

    my $end = time + $seconds;
    while (1) {
        my $late = time > $end;
        return 1 if $code->();
        return 0 if $late;
        sleep 0.02;
    }
}


# All files and folders below the data root: name => kind and content.  The
# module's own folders are left out, and metadata of workspaces, which is
# written later than the answer; metadata => 1 takes it in.

sub files_of {
    my ($t, %opt) = @_;

    my %files;
    my $root = $t->data;
    File::Find::find({ no_chdir => 1, wanted => sub {
        my $name = substr $_, length $root;
        if ($name =~ m{/\.artifact\z}) {
            $File::Find::prune = 1;
        } elsif (-l $_) {
            $files{$name} = 'link to ' . readlink;
        } elsif (-d _) {
            $files{$name} = 'folder';
        } elsif (!-f _) {
            $files{$name} = 'special';
        } elsif ($opt{metadata} || $name !~ m{\A/workspaces/[^/]+\.json\z}) {
            $files{$name} = 'file ' . sha1_hex(slurp($_));
        }
    } }, $root);
    return \%files;
}


# The temporary files that stay, the module's and nginx's: those of a write
# or of metadata under way go soon.

sub left_behind {
    my ($t) = @_;

    my $left;
    until_true(sub { ($left = _temporary($t)) eq '' }, 2);
    return $left;
}


sub _temporary {
    my ($t) = @_;

    my @left;
    File::Find::find({ no_chdir => 1, wanted => sub {
        my $ours = $File::Find::dir =~ m{/\.artifact\z} && m{/tmp-[^/]*\z};
        my $body = $File::Find::dir =~ m{/tmp/body\b} && -f $_;
        push @left, substr $_, length $t->prefix if $ours || $body;
    } }, $t->data, $t->prefix . '/tmp');
    return join ' ', sort @left;
}


# The files are as files_of saw them before, with the same options, and
# nothing is left on its way.

sub nothing_changed {
    my ($t, $before, $name, %opt) = @_;

    my $left = left_behind($t);
    my $now = files_of($t, %opt);
    my @wrong = map {
        !exists $before->{$_} ? "new: $_" : !exists $now->{$_} ? "gone: $_"
            : $before->{$_} ne $now->{$_} ? "changed: $_" : ()
    } sort keys %{ { %$before, %$now } };
    push @wrong, "left behind: $left" if $left ne '';

    is(join('; ', @wrong), '', "$name: nothing changed");
}


# --- processes ------------------------------------------------------------

# Runs the code in that many processes at once, with the number of each; the
# list of what they return (which must be data that JSON knows; undef for
# one that died).

sub in_parallel {
    my ($t, $count, $code) = @_;

    my @pids;
    for my $n (0 .. $count - 1) {
        my $pid = fork // die "fork: $!";
        if (!$pid) {
            my $result = eval { $code->($n) };
            warn $@ if $@;
            eval {
                spew($t->prefix . "/child-$$", encode_json_bytes([$result]));
            };
            POSIX::_exit(0);
        }
        push @pids, $pid;
    }

    return map {
        waitpid $_, 0;
        my $file = $t->prefix . "/child-$_";
        my $list = -e $file ? JSON::PP::decode_json(slurp($file)) : [];
        unlink $file;
        $list->[0];
    } @pids;
}


1;
