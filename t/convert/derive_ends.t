#!/usr/bin/perl

# With open_file_cache, head and tail of a conversion are kept with its open
# original: the answers are those without, whatever a converter makes of it.

use strict;
use warnings;
use utf8;

use Encode qw(encode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactModules;
use ArtifactTest;
use ArtifactUpstream;
use Time::HiRes qw(sleep);

my $lua = other_modules('ndk', 'lua');
my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $words = '这是一段被识别出来的文字。' x 40;

my %form = (
    text => ['text/plain', 'some words ' x 100],
    other => ['text/plain', 'other word ' x 100],       # as long
    short => ['text/plain', 'few'],
    'short-words' => ['text/plain', 'some words ' x 20],
    lines => ['text/plain', "some words\n" x 3000],
    long => ['text/plain', 'w' x 200_000],
    gbk => ['text/plain; charset=gbk', encode('gbk', $words)],
    same => ['text/plain', substr encode('gbk', $words) . 'x' x 999, 0, 1100],
    json => ['application/json', '{"a": [1,2]}'],       # as long as "coded"
    bad => ['application/json', '{"a": [1,2}}'],
    coded => ['application/json; charset=utf-16le',
              encode('UTF-16LE', '{"a":1')],
    markdown => ['text/markdown', '# words ' x 100],
    html => ['text/html', '<p>words</p>' x 100],
    jpeg => ['image/jpeg', jpeg() . 'x' x 3000],
    larger => ['image/jpeg', jpeg() . 'x' x 90_000],
    png => ['image/png', png(20, 20) . 'x' x (length(jpeg()) + 3000
                                              - length png(20, 20))],
    blank => ['text/plain', "  \n"],
    broken => ['image/jpeg', 'no jpeg'],
);

my $up = ArtifactUpstream->new("$dir/up", contents => { map {
    $_ => { type => $form{$_}[0], body => $form{$_}[1] }
} keys %form });

sub put {
    my ($name) = @_;
    $t->artifact('shot', pdf(), { type => 'application/pdf', name => $name });
}

# Until it is seen: open_file_cache_valid.

sub renew {
    my ($name) = @_;
    put($name);
    sleep 1.2;
}

put('scan "1".pdf');

my $rules = join "\n", map { "artifact_derive application/pdf $_ "
                             . '/convert/$arg_form body words;' }
    qw(text/plain text/markdown application/json text/html image/jpeg
       image/png);

# converters whose length is not what they say: a module changed the body

my $more = !$lua ? '' : <<'SERVER';
    location /lies/ {
        artifact;
        open_file_cache max=10;
        artifact_text_max $arg_none;
        artifact_derive application/pdf text/plain /$arg_form body words;
    }
    location /lies-cut/ {
        artifact;
        open_file_cache max=10;
        artifact_text_max 1000;
        artifact_derive application/pdf text/plain /$arg_form body words;
    }
    location = /longer {
        internal;
        content_by_lua_block {
            ngx.header["Content-Type"] = "text/plain"
            ngx.header["Content-Length"] = 10
            ngx.print(("words "):rep(1000))
        }
    }
    location = /filtered {
        internal;
        body_filter_by_lua_block {
            if ngx.arg[1] then
                ngx.arg[1] = ngx.arg[1]:gsub("words", ("said"):rep(100))
            end
        }
        proxy_pass http://unix:%%UP%%/up:/short-words;
    }
SERVER
$more =~ s/%%UP%%/$dir/;
$more =~ s/^\s+artifact_text_max \$arg_none;\n//m;

$t->start(first => $lua // '', http => ($lua ? lua_path() : '')
              . "proxy_cache_path $dir/cache keys_zone=cache:1m;\n",
          server => <<"SERVER");
    $more
    artifact_root %%DATA%%;
    artifact_route on;
    artifact_language en;
    artifact_format \$arg_format;
    $rules

    location /kept/ {
        artifact;
        open_file_cache max=10;
        open_file_cache_valid 1s;
    }
    location /plain/ {
        artifact;
    }
    location /cut/ {
        artifact;
        artifact_text_max 500;
        open_file_cache max=10;
        open_file_cache_valid 1s;
    }
    location /cut-plain/ {
        artifact;
        artifact_text_max 500;
    }
    location /convert/ {
        internal;
        proxy_pass http://unix:$dir/up:/;
        proxy_cache cache;
        proxy_cache_methods POST;
        proxy_cache_key \$artifact_version\$uri;
        proxy_cache_valid 200 1h;
    }
SERVER

sub answer {
    my ($where, $form, $caps, $format) = @_;

    my $r = $t->accept($caps, "/$where/shot?form=$form"
                              . ($format ? "&format=$format" : ''));

    return join "\n", $r->status, map({ $r->header($_) // '' }
        qw(ETag Content-Type Content-Length Vary)), $r->body;
}

sub differs {
    my ($forms, $caps, $format) = @_;
    my @bad;

    # what is being converted has another framing

    answer('plain', $_, $caps) for @$forms;

    for my $where ('', 'cut') {
        my ($kept, $plain) = $where ? ($where, "$where-plain")
                                    : qw(kept plain);

        for my $round (1 .. 2) {
            for (@$forms) {
                push @bad, "$kept $_ $round"
                    if answer($kept, $_, $caps, $format)
                       ne answer($plain, $_, $caps, $format);
            }
        }
    }

    return join ', ', @bad;
}

# one reader: each form after all others, more of them than there are places

my @forms = sort keys %form;

is(differs(\@forms, 'text'), '', 'forms for one that reads');
is(differs([reverse @forms], 'vision'), '', 'and for one that sees');

for my $format ('', qw(object openai anthropic gemini
                      openai_responses mcp mcp_contents)) {
    renew("$format.pdf");
    is(differs([qw(coded json jpeg png larger)], 'text, vision', $format),
       '', "kinds in the format \"$format\"");

    renew("$format.pdf");
    is(differs([qw(text other short gbk text)], 'text', $format), '',
       'and texts');
}

like(answer('kept', 'text', 'text'), qr/converted from application\/pdf/,
     'they are conversions');

# one that sends more than it said

SKIP: {
    skip 'no lua', 1 if !$lua;

    for my $where ('lies', 'lies-cut') {
        for my $format ('', 'tool_message', 'mistral') {
            for my $form ('longer', 'filtered') {
                my @got = map { answer($where, $form, 'text', $format) } 1 .. 3;
                is($got[1], $got[0], "$where, \"$format\", $form: again");
                is($got[2], $got[0], "$where, \"$format\", $form: once more");
                like($got[0], qr/\A200\n.*(?:words|said)/s,
                     "$where, \"$format\", $form: is an answer");
            }
        }
    }
}

# others have the places now, and a new version has none of theirs

renew('new.pdf');

is(differs([qw(text other text jpeg)], 'text'), '', 'a new name');
like(answer('kept', 'text', 'text'), qr/new\.pdf, converted/, 'is told');

$t->reload;
is(differs([qw(other text)], 'text'), '', 'after a reload');

$up->stop;
$t->finish;
