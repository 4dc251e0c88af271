#!/usr/bin/perl

# How the inspector's views lie on a screen, wide and narrow, light and dark, in
# both languages: nothing overlaps or sticks out, no words are squeezed into a
# column, no row is as high as a page.
#
#   TEST_SCREENSHOTS   a folder for pictures of all of them

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactPage;
use ArtifactTest;

my $t = ArtifactTest->new;
my $root = "$FindBin::Bin/../..";

system('perl', "$root/scripts/samples.pl", $t->data) == 0
    or die "samples.pl failed\n";

$t->artifact('long', 'x', { name => 'a-name-without-any-blank-' x 6,
    type => 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
});
$t->artifact('chinese', bytes("图片给看得见的模型。\n" x 400),
             { name => '很长的中文名称' x 12, type => 'text/plain' });
$t->artifact('liar', "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1",
             { name => 'liar.txt', type => 'text/plain' });

$t->file('own.json', slurp("$root/scripts/capabilities.json"));
$t->file('dev.json', { 'a-provider-of-models' => { models => { map {
    ("a-model-with-a-long-name-$_-2026-01-01-preview" => {
        name => "A model with a long name $_", tool_call => JSON::PP::true,
        structured_output => JSON::PP::true, reasoning => JSON::PP::true,
        modalities => { input => [qw(text image audio video pdf)],
                        output => ['text'] } }) } 1 .. 9 } } });

$t->start(http => <<'HTTP', server => <<'SERVER');
    artifact_capabilities %%PREFIX%%/own.json;
    artifact_capabilities %%PREFIX%%/dev.json;
HTTP
    artifact_root %%DATA%%;
    artifact_index on;
    artifact_route on;
    artifact_format $arg_format;
    location /artifacts/ { artifact; }
    location /workspaces/ { artifact_workspace; }
    location /services/ { artifact_services; }
    location = /status { artifact_status; }
    location = /requests { artifact_requests; }
    artifact_tenant "a-tenant-with-a-long-name";
    location /inspector/ { artifact_inspector; }
SERVER

my $page = ArtifactPage->new($t->port, $t->prefix . '/tmp');

# What is wrong with the page as it stands.

my $FAULTS = <<'SCRIPT';
const faults = [];
const say = (fault, one) => faults.push(
    `${fault}: <${one.tagName.toLowerCase()}> ${one.textContent.slice(0, 40)}`);

// what is seen of a box: scrolled regions cut it

function seen(rect, element) {
    let { left, top, right, bottom } = rect;

    for (let one = element; one !== document.body; one = one.parentElement) {
        if (getComputedStyle(one).overflow !== 'visible') {
            const box = one.getBoundingClientRect();
            left = Math.max(left, box.left);
            top = Math.max(top, box.top);
            right = Math.min(right, box.right);
            bottom = Math.min(bottom, box.bottom);
        }
    }

    return { left, top, right, bottom, element };
}

const boxes = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);

while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;

    if (data.trim() && parentElement.checkVisibility()
        && !parentElement.closest('select, datalist'))
    {
        const range = document.createRange();
        range.selectNodeContents(walker.currentNode);
        boxes.push(...[...range.getClientRects()].map((rect) =>
            ({ rect, ...seen(rect, parentElement) })));

        // words are not broken, long ones and code apart

        for (const { 0: word, index } of data.matchAll(/\S+/g)) {
            if (word.length <= 20 && !parentElement.closest('pre')
                && !/[^!-~]|[\/-]/.test(word))
            {
                range.setStart(walker.currentNode, index);
                range.setEnd(walker.currentNode, index + word.length);

                if (range.getClientRects().length > 1) {
                    say(`broken ${word}`, parentElement);
                }
            }
        }
    }
}

document.querySelectorAll('input, select, button, img, video, audio, svg')
    .forEach((one) => boxes.push(seen(one.getBoundingClientRect(), one)));

const shown = boxes.filter((box) => box.right - box.left > 1
                           && box.bottom - box.top > 1);

shown.forEach((a, n) => {
    if (a.right > innerWidth + 1 || a.left < -1) {
        say('out of the page', a.element);
    }

    shown.slice(n + 1).forEach((b) => {
        if (!a.element.contains(b.element) && !b.element.contains(a.element)
            && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
            && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 5)
        {
            say('overlap', a.element);
        }
    });
});

// words that are broken into lines have room for some

for (const one of document.querySelectorAll(
    'td, th, dd, dt, li, p, h1, h2, h3, h4, a, label, button, figcaption, pre'))
{
    let lines = 0, end = -Infinity;

    for (const { rect } of boxes.filter(({ rect, element }) => rect
        && one.contains(element)).sort((a, b) => a.rect.top - b.rect.top))
    {
        lines += rect.top > end - 5;
        end = Math.max(end, rect.bottom);
    }

    const style = getComputedStyle(one);
    const room = one.getBoundingClientRect().width
        - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);

    if (lines > 1 && room < 80) {
        say(`lines of ${room} pixels`, one);
    }
}

for (const row of document.querySelectorAll('tr')) {
    if (row.offsetHeight > 250) {
        say(`${row.offsetHeight} high`, row);
    }
}

const lines = new Set([...document.querySelectorAll('nav a')].map((one) =>
    one.getBoundingClientRect().top));

const narrow = innerWidth < 390;

if (lines.size > (narrow ? 2 : 1)) {
    faults.push(`navigation in ${lines.size} lines`);
}

if (document.querySelector('header').offsetHeight > (narrow ? 130 : 100)) {
    faults.push('a high header');
}

const live = document.getElementById('live').getBoundingClientRect();

if (live.width > 1 || live.height > 1) {
    faults.push('what is said to screen readers is seen');
}

if (document.documentElement.scrollWidth > innerWidth) {
    faults.push(`${document.documentElement.scrollWidth} pixels wide`);
}

return [shown.length, ...faults];
SCRIPT

my @views = ('#/artifacts', '#/artifacts?sort=-size&type=image',
    '#/artifact/gradient', '#/artifact/chinese', '#/artifact/long',
    '#/artifact/liar?format=anthropic', '#/artifact/tone',
    '#/artifact/nothing', '#/workspaces', '#/workspaces/agent-abc123/',
    '#/services', '#/services?name=a-model-with-a-long-name-3-2026-01-01-'
    . 'preview', '#/services?name=nobody', '#/requests',
    '#/requests?ref=nothing&reason=capability&age=60', '#/status');

for ([1280, 'light', 'en'], [1280, 'dark', 'zh'], [1000, 'light', 'en'],
     [390, 'light', 'zh'], [390, 'dark', 'en'], [320, 'light', 'en'])
{
    my ($width, $scheme, $language) = @$_;

    $page->browser->size($width, 844);
    $page->browser->cdp('Emulation.setEmulatedMedia', { features => [
        { name => 'prefers-color-scheme', value => $scheme }] });
    $page->go('');
    $page->run('localStorage.setItem("artifact-inspector-language",'
               . 'arguments[0])', $language);
    $page->browser->go('about:blank');

    for my $view (@views) {
        $page->go($view);
        $page->run('document.querySelectorAll("details")[1]?.toggleAttribute('
                   . '"open")');

        my $found = $page->run($FAULTS);
        my $seen = shift @$found;
        my $name = "$width, $scheme, $language: $view";

        cmp_ok($seen, '>', 6, $name);
        is(join("\n", splice @$found, 0, 5), '', 'lies well');
        shoot("$width-$scheme-$language-$view") if $ENV{TEST_SCREENSHOTS};
    }
}

sub shoot {
    my ($name) = @_;

    my $height = $page->run('return document.documentElement.scrollHeight');
    my ($width) = $name =~ /^(\d+)/;

    $page->browser->size($width + 0, $height < 844 ? 844 : $height);
    spew("$ENV{TEST_SCREENSHOTS}/" . $name =~ s/[^\w-]+/_/gr . '.png',
         $page->browser->screenshot);
    $page->browser->size($width + 0, 844);
}

# with a font that has them: two characters do not look the same

ok($page->run(<<'SCRIPT'), 'Chinese is in Chinese letters');
    const drawn = (text) => {
        const canvas = document.createElement('canvas');
        const context = canvas.getContext('2d');
        context.font = '20px sans-serif';
        context.fillText(text, 0, 30);
        return context.getImageData(0, 0, 60, 40).data.join();
    };
    return drawn('工') !== drawn('图');
SCRIPT

$page->close;
$t->finish;
