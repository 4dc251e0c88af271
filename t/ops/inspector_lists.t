#!/usr/bin/perl

# The lists of the inspector: sorted, filtered, counted, by address; the way
# back; which view is marked; a type that the content contradicts, a file that
# cannot be read.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactPage;
use ArtifactTest;

my $t = ArtifactTest->new;
my $PNG = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1";

for my $n (1 .. 250) {
    my $type = $n % 50 == 0 ? 'image/png' : 'text/plain';
    my $content = $type eq 'image/png' ? $PNG : 'x' x (1000 - $n);

    $t->artifact("a$n", $content, { type => $type, name => "file $n",
        updatedAt => sprintf '2026-01-01T%02d:%02d:00Z', $n / 60, $n % 60 });
}

$t->artifact('liar', $PNG, { type => 'text/plain; charset=utf-8',
    name => 'liar.txt', updatedAt => '2025-01-01T00:00:00Z' });
$t->artifact('locked', 'x', { type => 'text/plain', name => 'locked.txt',
                              updatedAt => '2025-01-01T00:00:00Z' });

$t->workspace_file('w', "deep/er/$_.txt", 'x' x $_) for 1 .. 12;
$t->workspace_file('w', sprintf('many/%03d', $_), '') for 1 .. 102;
make_many($t->prefix . '/many/artifacts', 2300);

sub make_many {
    my ($folder, $n) = @_;

    require File::Path;
    File::Path::make_path($folder);
    spew(sprintf('%s/m%05d.%s', $folder, $_, $_ == $n ? 'png' : 'txt'), 'x')
        for 1 .. $n;
}

$t->start(server => <<'SERVER');
    artifact_root %%DATA%%;
    artifact_index on;
    artifact_route on;
    artifact_language en;
    location /artifacts/ { artifact; }
    location /artifacts/barred { deny all; }

    # what a file that nginx may not open gives; root may open any

    location /artifacts/locked {
        default_type application/json;
        return 403 '{"error":"permission_denied","ref":"locked","message":"permission denied"}';
    }
    location /many/artifacts/ { artifact; artifact_root %%PREFIX%%/many; }
    location /workspaces/ { artifact_workspace; }
    location /services/ { artifact_services; }
    location /inspector/ { artifact_inspector status=; }
    location /inspector/many/ {
        artifact_inspector artifacts=/many/artifacts/ workspaces= services=
                           status=;
    }
SERVER

my $page = ArtifactPage->new($t->port, $t->prefix . '/tmp');

sub first { return ($page->texts('td a'))[0] }
sub current { return join ',', $page->texts('nav a[aria-current=page]') }

# all of it is counted and ordered by the server, in pages of a hundred

$page->go('');
like($page->text, qr/Total: 252 · 209\.5 KB/, 'the total');
is(scalar($page->texts('td a')), 100, 'the first of them');
is(current(), 'Artifacts', 'the view is marked');

# sorted by what is clicked, over all pages

$page->click('th a', 2);
like(first(), qr/^(?:file 50|locked\.txt)$/, 'by size');
is($page->run('return document.querySelector("th[aria-sort]").ariaSort'),
   'ascending', 'which is told');
$page->click('th a', 2);
is(first(), 'file 1', 'and the other way');
is($page->run('return location.hash'), '#/artifacts?sort=-size',
   'which is an address');
$page->click('th a', 3);
like(first(), qr/^l/, 'by time');
$page->click('th a', 0);
is(first(), 'file 1', 'by name');
is(($page->texts('td a'))[1], 'file 2', 'numbers as such');
$page->click('main p:last-child a');
is(first(), 'file 101', 'the next page of it');
$page->click('main p:last-child a', 1);
is(($page->texts('td a'))[-1], 'locked.txt', 'and the last');
is(scalar($page->texts('main p:last-child a')), 1, 'has none after it');

# by type

$page->go('#/artifacts?sort=-name');
$page->submit(2, 'image');
is(join(',', $page->texts('td a')), join(',', map { "file $_" }
   250, 200, 150, 100, 50), 'filtered by type, still sorted');
like($page->text, qr/Total: 5 · 100 B/, 'and counted');
is($page->run('return location.hash'), '#/artifacts?sort=-name&type=image',
   'as its address says');

# the way there and back

$page->click('td a', 1);
is($page->text('h2'), 'file 200', 'an artifact');
is(current(), 'Artifacts', 'is one of the artifacts');
$page->click('main a', 0);
is($page->run('return location.hash'), '#/artifacts?sort=-name&type=image',
   'the way back leads where one was');

$page->go('#/artifacts?sort=name');
$page->run('scrollTo(0, 900)');
$page->click('td a', 30);
is($page->run('return scrollY'), 0, 'an artifact begins at its top');
$page->back('#/artifacts?sort=name');
is($page->run('return scrollY'), 900, 'its list where it was left');

$page->go('#/workspaces/w/deep/er/?sort=-size');
is(first(), '12.txt', 'folders are sorted, too');
like($page->text, qr/Total: 12 · 78 B/, 'and counted');
$page->click('td a', 3);
is(current(), 'Workspaces', 'a file is in its workspace');
$page->click('main a', 0);
is($page->run('return location.hash'), '#/workspaces/w/deep/er/?sort=-size',
   'and leads back there');
$page->browser->go('about:blank');
$page->go('#/artifact/ws:w:ZGVlcC9lci8xLnR4dA');
$page->click('main a', 0);
is($page->run('return location.hash'), '#/workspaces/w/deep/er/',
   'to the folder of one opened by its reference');

$page->go('#/workspaces/w/many/');
$page->click('main p:last-child a');
is(join(',', $page->texts('td a')), '101,102', 'the next page of a folder');
$page->click('main p:last-child a');
is(first(), '001', 'and the first');

# more than is read unasked

$page->go('many/');
like($page->text, qr/At least 1,000/, 'a total that is not known');
$page->click('main p a', 0);
like($page->text, qr/Total: 2,300/, 'until it is asked for');
$page->click('main p:last-child a');
is(first(), 'm00101.txt', 'in pages');
$page->go('many/#/artifacts?type=png');
is(join(',', $page->texts('td a')), 'm02300.png', 'a filter looks at all');
$page->go('many/#/artifacts?after=m02250');
is(scalar($page->texts('td a')), 50, 'a page by the server');

# contents

$page->go('#/artifact/liar');
is($page->text('main .error'),
   'Declared as text/plain, but the content is image/png.', 'a contradiction');
$page->go('#/artifact/a50');
is($page->text('main .error'), undef, 'is none where there is none');

$page->go('#/artifact/locked');
is($page->text('main .error'), 'Unreadable: locked: '
   . '403 permission_denied permission denied', 'what cannot be read');
is($page->text('h2'), 'locked', 'has its name');
$page->go('#/artifact/barred');
is($page->text('main .error'), 'Not for this visitor: 403 Forbidden',
   'what nginx refuses has not');

$page->close;
$t->finish;
