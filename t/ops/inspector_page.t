#!/usr/bin/perl

# The inspector's page in a headless Chromium: every view, by keyboard alone, in
# the dark, in a narrow window, in both languages, over an empty store and one of
# 10,000 artifacts, over names and contents that mean harm.  After each of them
# the console has no word of a policy, and axe-core nothing serious to say.
#
#   TEST_SCREENSHOT   where the picture of the README goes: docs/inspector.png

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use File::Path qw(make_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactBrowser;
use ArtifactPage;
use ArtifactTest;
use ArtifactWrite qw(put remove until_true);

my $root = abs_path("$FindBin::Bin/../..");

my $t = ArtifactTest->new;
my $u = 'http://127.0.0.1:' . $t->port;

# --- the stores: samples, nothing, many, and what means harm

system('perl', "$root/scripts/samples.pl", $t->data) == 0
    or die "samples.pl failed\n";

my $prefix = $t->prefix;
make_path(map { ("$prefix/$_/artifacts", "$prefix/$_/workspaces") }
          qw(none many harm written));

spew("$prefix/many/artifacts/" . sprintf('a%05d.txt', $_), "$_\n")
    for 1 .. 10_000;

my $MARKUP = '"><img src=/pwned onerror=fetch("/pwned")>'
           . '<script>fetch("/pwned")</script>';
my $REVERSED = "\x{202e}gnp.exe";
my $PWN = 'fetch("/pwned");new Image().src="/pwned";window.pwned=1';

sub harm {
    my ($id, $name, $type, $content) = @_;

    spew("$prefix/harm/artifacts/" . bytes($id) . '.bin', $content);
    spew("$prefix/harm/artifacts/" . bytes($id) . '.meta', encode_json_bytes({
        id => $id, extension => '.bin', type => $type, name => $name,
        meta => { note => $MARKUP, __proto__ => { x => 1 } } }));
}

my $svg = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60" '
    . 'onload=\'fetch("/pwned")\'><script>fetch("/pwned")</script>'
    . '<rect width="90" height="60" fill="red"/>'
    . '<image href="/pwned" width="9" height="9"/></svg>';

harm('page', 'page.html', 'text/html', "<!doctype html><script>$PWN</script>"
    . '<img src=/pwned onerror=fetch("/pwned")>');
harm('drawing', 'drawing.svg', 'image/svg+xml', $svg);
harm('markup', $MARKUP, 'text/plain', "$MARKUP\n");
harm('reversed', $REVERSED, 'text/plain', "x\n");
harm(q{a'b"<i>&%2e%2e?#;$`{}}, 'odd id', 'application/json',
     encode_json_bytes({ a => $MARKUP, b => 'x' x 5000 }));
harm('long', 'n' x 250, 'text/plain', bytes('长' x 30_000));
harm('script', 'script.js', 'text/javascript', $PWN);
harm('constructor', '__proto__', 'text/plain', "x\n");

for my $ws ("<b onclick=x>", 'a#b?c%d') {
    make_path("$prefix/harm/workspaces/" . bytes("$ws/<i>dir/.."));
    spew("$prefix/harm/workspaces/" . bytes("$ws/<i>dir/%2e%2e.txt"), "in\n");
}

$t->file('own.json', slurp("$root/scripts/capabilities.json"));
$t->file('odd.json', { services => [
    { id => '模型/<b>%', name => $MARKUP, model => $MARKUP,
      capabilities => { input => ['text', 'vision', '<i>'] } },
    map { { id => "more-$_" } } 1 .. 150,
] });

# what artifact_status would never answer

spew("$prefix/odd-status", encode_json_bytes({
    artifact_requests_total => { type => 'counter', help => 'Requests.',
        samples => [
            { labels => { handler => 'artifact', status => '200' },
              value => 1234 },
            { labels => { handler => '<b>anthropic_citations', x => 'document',
                          y => 'image_url', status => 'capability' },
              value => 7 },
            { labels => { handler => 'x', status => '500' }, value => 0 } ] },
    artifact_zone_bytes => { type => 'gauge', help => $MARKUP,
        samples => [{ labels => {}, value => 4194304 }] },
}));

sub store {
    my ($name, $arguments) = @_;

    return join "\n", map { "
        location /$name/$_->[0]/ {
            $_->[1];
            artifact_root %%PREFIX%%/$name;
        }" } ['artifacts', 'artifact'], ['workspaces', 'artifact_workspace'],
             ['inspector', "artifact_inspector artifacts=/$name/artifacts/ "
                           . "workspaces=/$name/workspaces $arguments"];
}

$t->start(http => <<'HTTP', server => join '', <<'SERVER', map { store(@$_) }
    artifact_capabilities %%PREFIX%%/own.json;
    artifact_capabilities %%PREFIX%%/odd.json;
    log_format uri $request;
HTTP
    access_log %%PREFIX%%/access.log uri;
    artifact_root %%DATA%%;
    artifact_index on;
    artifact_route on;
    artifact_format $arg_format;
    artifact_language en;

    location /artifacts/ { artifact; }
    location /workspaces/ { artifact_workspace; }
    location /services/ { artifact_services; }
    location = /status {
        artifact_status;
        if (-f %%PREFIX%%/shut) {
            return 403;
        }
    }
    location = /requests { artifact_requests; }
    location = /odd-status {
        default_type application/json;
        alias %%PREFIX%%/odd-status;
    }
    location /written/ {
        artifact_workspace;
        artifact_root %%PREFIX%%/written;
        artifact_write on;
        access_log off;
    }
    location /inspector/ { artifact_inspector; }
    location /barred/ { artifact_status; deny all; }
    location /closed/ {
        artifact_inspector artifacts=/barred/ workspaces=/nowhere/
                           services=/nowhere/ status=/nowhere;
    }
    location /unlisted/artifacts/ {
        artifact;
        artifact_index off;
        artifact_route off;
    }
    location /unlisted/ {
        artifact_inspector artifacts=/unlisted/artifacts/ workspaces=/page
                           status=;
    }
    location /page {
        return 200 "<!doctype html>";
    }
    location /refused/ {
        artifact_inspector status=/barred/;
    }
SERVER
    ['none', 'status='], ['many', 'status=/nowhere'], ['harm', 'status=/odd-status']);

# --- the browser

my $b = ArtifactBrowser->new("$prefix/tmp");
$b->size(1100, 800);

# What the page says of itself when it is done.

sub settled {
    $b->until_true('document.querySelector("main").dataset.view '
                   . '=== location.hash'
                   . ' && !document.querySelector("[aria-busy]")')
        or diag($b->run('return document.body.innerText'));
}

sub go {
    my ($place) = @_;
    $b->go("$u/$place");
    settled();
}

sub text { return $b->run('return document.querySelector("main").innerText') }

sub heading {
    return $b->run('return document.querySelector("h2").textContent');
}

sub count { return $b->run('return document.querySelectorAll(arguments[0])'
                           . '.length', $_[0]) }

sub rows { return count('tbody tr') }

# An answer of 404 or 403 is in the console, too.

sub quiet {
    my ($what) = @_;
    my @said = grep { !/Failed to load resource/ } $b->console;
    is("@said", '', "$what: nothing in the console");
}

my $page = bless { browser => $b }, 'ArtifactPage';

sub accessible { $page->accessible(@_) }

# --- every view

go('inspector/');
is(heading(), 'Artifacts', 'the artifacts come first');
is(rows(), 12, 'all samples');
like(text(), qr/gradient\.png.*154\.3 KB/s, 'with sizes');
is($b->run('return [...document.querySelectorAll("nav a")]'
           . '.map((a) => a.textContent).join()'),
   'Artifacts,Workspaces,Models,Requests,Counters', 'five views');
quiet('artifacts');
accessible('artifacts');

go('inspector/#/artifact/gradient');
is(heading(), 'gradient.png', 'an artifact');
is(count('article'), 3, 'three models');
like(text(), qr/text-model\s+text\s+capability\ ·\ vision\s+\d{3}\ bytes\s+
                \[Unreadable\]\ gradient\.png/x, 'words for a model without eyes');
like(text(), qr/vision-model\s+image_url\s+[\d,]{7}\ bytes\s+
                Artifact\ content\ \(gradient\.png\):\s+image\/png,\ 154\.3/x,
     'an image for one with eyes');
ok($b->until_true('document.querySelectorAll("article img").length === 2'
                  . ' && [...document.querySelectorAll("article img")].every('
                  . '(image) => image.naturalWidth === 320)'), 'which is shown');
$b->run('document.querySelectorAll("details").forEach((d) => { d.open = true })');
ok($b->until_true('[...document.querySelectorAll("details pre")].every('
                  . '(pre) => pre.textContent)'), 'JSON is there on demand');
ok($b->until_true('document.querySelector(".preview img")?.naturalWidth === '
                  . '320'), 'its preview');
is($b->run('return document.querySelectorAll("details pre")[1].textContent'
           . '.replace(/\s+/g, " ").slice(0, 60)'),
   '{ "contentType": "image", "routing": "image_url", "content":',
   'what the model gets');
ok($b->run('return [...document.querySelectorAll("details pre")].every('
           . '(pre) => pre.textContent.length < 3000)'), 'base64 is folded');
like($b->run('return document.querySelectorAll("details pre")[1].textContent'),
     qr/iVBORw0KGgo\S+ …\(\+\d{6}\)"/, 'and says how much');
quiet('an artifact');
accessible('an artifact');

for my $format (['openai', '"image_url": {'], ['anthropic', '"source": {'],
                ['gemini', '"inlineData": {'], ['bedrock', '"bytes": "'])
{
    my ($name, $keys) = @$format;
    $b->run('const s = document.querySelector("select"); s.value = arguments[0];'
            . 's.dispatchEvent(new Event("change"))', $name);
    settled();
    $b->run('document.querySelectorAll("details")[1].open = true');
    ok($b->until_true('document.querySelectorAll("details pre")[1]?.textContent'
                      . '.includes(arguments[0])', $keys), "$name: $keys")
        or diag(text());
    like(text(), qr/vision-model\s+image_url\s+21\d,\d{3} bytes\s+image.png,/,
         "$name has its bytes");
    is($b->run('return location.hash'), "#/artifact/gradient?format=$name",
       'and an address');
}

for (['poem', '图片给看得见的模型'], ['settings', '{'],
     ['ws:agent-abc123:c3JjL21haW4uanM', 'Greets everyone'])
{
    go("inspector/#/artifact/$_->[0]");
    like($b->run('return document.querySelector(".preview pre")?.textContent'),
         qr/\Q$_->[1]\E/, "preview of $_->[0]");
}

go('inspector/#/artifact/tone');
is(count('.preview audio[controls]'), 1, 'a player');
go('inspector/#/artifact/bundle');
like(text(), qr/No preview/, 'no preview of an archive');
like(text(), qr/full-model\s+file.*application\/zip, 357 B/s,
     'which one model takes');

go('inspector/#/workspaces');
like(text(), qr/agent-abc123/, 'workspaces');
accessible('workspaces');
go('inspector/#/workspaces/agent-abc123/src/');
is(heading(), 'src', 'a folder');
like(text(), qr/main\.js/, 'and its file');

go('inspector/#/services?capability=vision');
is(rows(), 3, 'models that see');
accessible('models');
go('inspector/#/services?name=example-vision-1');
like(text(), qr/Row\s+vision-model/, 'a name, and its row');
accessible('a name');
go('inspector/#/services');
is(rows(), 100, 'a page of models');

go('inspector/#/status');
quiet('other views');

# --- the counters are those that nginx answers, and are asked for again

sub answered {
    my $json = decode_strict($t->get('/status?format=json')->body);
    my %told;

    for my $name (keys %$json) {
        my @samples = grep { $_->{value} > 0 } @{ $json->{$name}{samples} };
        $told{$name}{ join ' · ', sort values %{ $_->{labels} } } = $_->{value}
            for @samples;
        $told{$name}{''} = 0 if !@samples;
    }

    return \%told;
}

sub told {
    my $families = $b->run(<<'SCRIPT');
        return [...document.querySelectorAll('section.family')].map((family) =>
            [family.querySelector('h3').textContent,
             ...[...family.querySelectorAll('tr')].map((row) =>
                 [row.cells[0].textContent, row.cells[1].textContent])]);
SCRIPT
    my %told;

    for my $family (@$families) {
        my ($name, @rows) = @$family;
        $told{$name} = { map {
            my ($label, $value) = @$_;
            $label = '' if $label eq 'Total';
            (join(' · ', sort split / · /, $label) => $value =~ tr/,//dr);
        } @rows };
    }

    return \%told;
}

# requests of the page before this one may still be on their way to the log

$b->go('about:blank');
my $last;
until_true(sub {
    my $now = encode_json_bytes(answered()->{artifact_requests_total});
    my $still = defined $last && $last eq $now;
    $last = $now;
    return $still;
}, 20);

go('inspector/#/status?again=0');
my $told = told();
my $before = $told->{artifact_requests_total};
is_deeply($told, answered(), 'every family, and every number');
cmp_ok(scalar keys %$told, '>=', 20, 'all of them');
is_deeply($told->{artifact_writes_total}, { '' => 0 }, 'no write as yet');
is_deeply($told->{artifact_zone_size_bytes}, { '' => 4194304 }, 'a gauge');

put($t, "counted/$_", 'seven b', at => '/written/') for qw(a b a);
remove($t, 'counted/none', at => '/written/');
$t->get('/written/counted/a') for 1 .. 3;

is(count('.chart'), 0, 'no chart of a single number');
is($b->run('return [...document.querySelectorAll(".bar")].map((bar) =>'
           . 'bar.closest("section").querySelector("h3").textContent).join()'),
   'artifact_zone_used_bytes', 'a bar where there is a limit, and only there');
like($b->run('return document.querySelector(".bar").closest("section")'
             . '.innerText'), qr/of 4,194,304: [\d.]+%/, 'with what it is of');
$b->run('document.querySelector("main input[type=checkbox]").click()');

my %grown = (artifact_writes_total => { 'created · put' => 2,
                                        'changed · put' => 1,
                                        'delete · refused' => 1 },
             artifact_written_bytes_total => { '' => 21 });

ok($b->until_true('document.querySelector("main").innerText'
                  . '.includes("put · created")'), 'it is asked again');
$told = told();
is_deeply($told->{$_}, $grown{$_}, $_) for sort keys %grown;
my $requests = $told->{artifact_requests_total};
is($requests->{'201 · workspace'}, 2, 'two were made');
is($requests->{'404 · workspace'}, 1, 'one was not there');
is($requests->{'200 · workspace'} - $before->{'200 · workspace'}, 4,
   'four found what they wanted');
ok($b->until_true('document.querySelectorAll(".chart").length === 29'),
   'and again: a chart for each');

sub chart {
    return $b->run(<<'SCRIPT', $_[0]);
        return [...document.querySelectorAll('section.family')].find((family) =>
            family.querySelector('h3').textContent === arguments[0])
            .querySelector('polyline').getAttribute('points');
SCRIPT
}

like(chart('artifact_zone_size_bytes'), qr/^(?:\S+,1 ?)+$/,
     'of what a gauge is, always the same');
like(chart('artifact_written_bytes_total'), qr/^0,1(?: \S+,19)+$/,
     'of what a counter has grown by, once');
quiet('counters');
accessible('counters');

# what is refused meanwhile leaves what was seen, and is not asked for again

spew("$prefix/shut", '');
ok($b->until_true('document.querySelector("main .error")?.textContent'
                  . ' === "Not for this visitor: 403 Forbidden"'), 'refused');
ok(!$b->run('return document.querySelector("main input").checked'),
   'which is the end of asking');
is_deeply(told(), $told, 'but not of what was seen');
accessible('refused counters');

$b->go('about:blank');
go('inspector/#/status');
is(text(), "Counters\n\nNot for this visitor: 403 Forbidden", 'nothing else');
is($b->run('return document.querySelectorAll("nav a").length'), 4,
   'and no such view');
unlink "$prefix/shut" or die "unlink: $!";
$b->go('about:blank');
go('inspector/#/status');
is_deeply([told()->{artifact_writes_total}, count('.error')],
          [$told->{artifact_writes_total}, 0], 'it is open again');

# --- the picture, of what a reader of the README should see

go('inspector/#/artifact/gradient');
$b->size(1000, 900);

my $picture = $b->screenshot;
my $wanted = $ENV{TEST_SCREENSHOT} || "$root/build/inspector.png";
spew($wanted, $picture);

for my $png ($picture, slurp("$root/docs/inspector.png")) {
    like($png, qr/^\x89PNG.{8}IHDR\0\0\x03\xe8/s, 'a picture, 1000 wide');
    cmp_ok(length $png, '<', 200 * 1024, 'of less than 200 KB');
}

# --- by keyboard alone

$b->size(1100, 800);
$b->go('about:blank');
go('inspector/');

sub tab_to {
    my ($selector, $words) = @_;

    for (1 .. 60) {
        return pass("Tab reaches $selector $words")
            if $b->run('const a = document.activeElement; return '
                . 'a.matches(arguments[0]) && a.textContent.includes('
                . 'arguments[1])', $selector, $words);
        $b->press('Tab');
    }
    fail("Tab reaches $selector $words");
}

$b->press('Tab');
is($b->run('return document.activeElement.id'), 'skip', 'Tab skips');
$b->press('Enter');
is($b->run('return document.activeElement.id'), 'main', 'to the content');

tab_to('input', '');
$b->press(split(//, 'artifact:photo'), 'Enter');
ok($b->until_true('document.querySelector("h2").textContent === "photo.jpg"'),
   'a reference is typed');
is($b->run('return document.activeElement.tagName'), 'H2',
   'the focus goes with it');
settled();

tab_to('select', '');
$b->press('Down', 'Tab');
ok($b->until_true('document.querySelector("select").value !== "route"'),
   'a format is chosen');
settled();
tab_to('summary', '');
isnt($b->run('return getComputedStyle(document.activeElement).outlineStyle'),
     'none', 'the focus is seen');
$b->press('Enter');
ok($b->until_true('document.querySelector("details").open'), 'a part is opened');

go('inspector/#/services');
tab_to('input[type=checkbox]', '');
$b->press('Space');
ok($b->until_true('document.querySelectorAll(".chips li").length === 2'),
   'a model is dropped');
$b->run('localStorage.clear()');

# --- the other language

$b->go('about:blank');
go('inspector/');
tab_to('button', '中文');
$b->press('Enter');
ok($b->until_true('document.documentElement.lang === "zh"'), 'Chinese');
settled();
is(heading(), '工件', 'its words');
go('inspector/#/artifact/gradient');
$b->go('about:blank');
go('inspector/#/artifact/gradient');
like(text(), qr/模型得到的内容.*格式/s, 'which are remembered');
accessible('Chinese');
$b->run('localStorage.clear()');

my $words = slurp("$root/www/words.js");
my %used = map { $_ => 1 } map { slurp($_) =~ /\bt\('(\w+)'/g }
    glob "$root/www/*.js";
is(join(' ', grep { $words !~ /^    $_: \[/m } sort keys %used), '',
   'no word is missing');

# --- dark, and narrow

$b->cdp('Emulation.setEmulatedMedia', { features => [
    { name => 'prefers-color-scheme', value => 'dark' }] });
$b->go('about:blank');
go('inspector/#/artifact/gradient');
is($b->run('return getComputedStyle(document.body).backgroundColor'),
   'rgb(15, 20, 25)', 'dark');
accessible('dark');
$b->cdp('Emulation.setEmulatedMedia', { features => [] });

$b->size(320, 640);

for my $view ('', '#/artifact/gradient', '#/workspaces/agent-abc123/src/',
              '#/services', '#/status')
{
    go("inspector/$view");
    cmp_ok($b->run('return document.documentElement.scrollWidth'), '<=', 320,
           "narrow: $view");
}

accessible('narrow');
$b->size(1100, 800);

# --- nothing at all, and much

go('none/inspector/');
like(text(), qr/Nothing here/, 'an empty store');
is($b->run('return document.querySelectorAll("nav a").length'), 4,
   'a view without a path is none');
accessible('an empty store');
go('none/inspector/#/workspaces');
like(text(), qr/Nothing here/, 'without workspaces');
go('none/inspector/#/artifact/x');
like(text(), qr/Not found: 404 artifact_not_found/, 'nothing to open');

go('many/inspector/');
is(rows(), 100, 'a page of 10,000');
is($b->run('return document.querySelectorAll("nav a").length'), 4,
   'no counters where they are not answered');
$b->press(('Tab') x 100);
tab_to('main a', 'Next page');
$b->press('Enter');
ok($b->until_true('document.querySelector("tbody")?.innerText'
                  . '.includes("a00101")'), 'the next page');
settled();
is(rows(), 100, 'as long');
go('many/inspector/#/artifacts?after=a09950');
is(rows(), 50, 'the last page');
unlike(text(), qr/Next page/, 'is the last');

go('closed/');
like(text(), qr/Not for this visitor: 403/, 'what nginx refuses');
go('closed/#/services');
like(text(), qr{/nowhere/.* artifact_services: 404}, 'what is not there');
go('closed/#/workspaces');
like(text(), qr{/nowhere/.* artifact_workspace: 404}, 'names its directive');
go('closed/#/status');
like(text(), qr{/nowhere,.* artifact_status: 404}, 'so do the counters');
go('unlisted/');
like(text(), qr{/unlisted/artifacts/.* artifact_index on: 404},
     'and a list that is off');
go('unlisted/#/artifact/gradient');
like(text(), qr/text-model.* artifact_route on\./s, 'or what is not routed');
go('unlisted/#/workspaces');
like(text(), qr{/page/.* artifact_workspace: 200}, 'or is another page');
go('refused/#/status');
like(text(), qr/Not for this visitor: 403/, 'or are refused');
is($b->run('return document.querySelectorAll("nav a").length'), 4,
   'and then are no view');
quiet('stores');

# --- harm

go('harm/inspector/');
is(rows(), 8, 'all names that mean harm');
ok($b->run('return document.querySelector("main").innerText'
           . '.includes(arguments[0])', $MARKUP), 'markup is a text');
is($b->run('return getComputedStyle(document.querySelector("td bdi"))'
           . '.unicodeBidi'), 'isolate', 'no name turns what is around it');

my $links = $b->run('return [...document.querySelectorAll("td a")]'
                    . '.map((a) => a.href)');

for my $link (@$links) {
    $b->go($link);
    settled();
    is(count('.error'), 0, "opened: " . heading()) or diag(text());
    is(count('iframe, object, embed, frame'), 0, 'no document in the page');
    is(count('main script, main style, main link, [onerror], [onclick]'), 0,
       'no markup of anybody else');
}

go('harm/inspector/#/artifact/page');
like($b->run('return document.querySelector(".preview pre").textContent'),
     qr/^<!doctype html><script>/, 'a page is shown as text');
go('harm/inspector/#/artifact/drawing');
ok($b->until_true('document.querySelector(".preview img")?.naturalWidth === 90'),
   'a drawing is an image');
is($b->run('return document.querySelector(".error")'), undef,
   'which is what it says');
go('harm/inspector/#/artifact/long');
like(text(), qr/The first 64 KB/, 'a long text is cut');
accessible('harm');

go('harm/inspector/#/workspaces');
is(rows(), 2, 'workspaces that mean harm');

for my $n (0, 1) {
    go('harm/inspector/#/workspaces');
    $b->run('document.querySelectorAll("td a")[arguments[0]].click()', $n);

    for my $step ('<i>dir', '%2e%2e.txt') {
        ok($b->until_true('[...document.querySelectorAll("td a")].some((a) => '
                          . 'a.textContent.includes(arguments[0]))', $step),
           "workspace $n leads to $step") or diag(text());
        $b->run('document.querySelector("td a").click()');
    }

    ok($b->until_true('document.querySelector(".preview pre")?.textContent'
                      . ' === "in\n"'), 'and into the file');
}

go('harm/inspector/#/status');
like(text(), qr/<b>anthropic_citations · capability · document · image_url\s+7/,
     'counters that mean harm');
like(text(), qr/artifact · 200\s+1,234/, 'are numbers');
unlike(text(), qr/x · 500/, 'those that never counted are left out');
is(count('main script, main img, [onerror]'), 0, 'and no markup');

go('harm/inspector/#/services?capability=vision');
ok($b->run('return document.querySelector("main").innerText'
           . '.includes("模型/<b>%")'), 'a model that means harm');
go('inspector/#/services?capability=vision');
$b->run('[...document.querySelectorAll("input[type=checkbox]")].at(-1).click()');
go('inspector/#/artifact/gradient');
like(text(), qr{模型/<b>%\s+image_url}, 'is asked for by its name');

ok(!$b->run('return window.pwned'), 'no script of theirs has run');
quiet('harm');
unlike(slurp("$prefix/access.log"), qr/pwned/, 'and none has asked for more');

# --- and what is asked, is asked by GET and HEAD

my %methods = map { $_ => 1 }
    slurp("$prefix/access.log") =~ m{^(\w+) /}gm;
is("@{[ sort keys %methods ]}", 'GET HEAD', 'the page only reads');

# --- the policy holds: these are what quiet() looks for

for my $script (
    'const s = document.createElement("script"); s.text = "window.ran = 1";'
        . 'document.body.append(s)',
    'document.body.innerHTML = "<b>x</b>"',
    'fetch("http://localhost:1/").catch(() => 0)',
    'document.body.append(Object.assign(document.createElement("iframe"),'
        . '{ src: "/artifacts/poem" }))')
{
    go('inspector/');
    $b->console;
    eval { $b->run($script) };

    my @said;

    for (1 .. 600) {
        push @said, grep { /Content Security Policy|Trusted/ } $b->console;
        last if @said;
        $b->run('return new Promise((done) => setTimeout(done, 50))');
    }

    ok(scalar @said, 'the policy forbids ' . substr $script, 0, 50);
    ok(!$b->run('return window.ran'), 'and holds');
}

$b->close;
$t->finish;
