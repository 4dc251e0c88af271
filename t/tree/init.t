#!/usr/bin/perl

# packaging/artifact-init: what it writes is a configuration that works; a second
# run changes nothing; wrong options and other mistakes are told, and leave
# nothing behind that stands in the way of a run without them.

use strict;
use warnings;
use utf8;

use Cwd qw(abs_path);
use Digest::MD5 qw(md5_hex);
use File::Find qw(find);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactDocs;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactUpstream;
use POSIX ();

my $root = abs_path("$FindBin::Bin/../..");
my $init = "$root/packaging/artifact-init";
my $t = ArtifactTest->new;
my $dir = $t->prefix;
my @others = map { ArtifactTest->new } 1 .. 2;
my ($port, $operators) = ($t->port, $others[0]->port);
my @ports = ('--port', $port, '--operators-port', $operators);
my $binary = $ENV{TEST_NGINX_BINARY};
my $module = $ENV{TEST_NGINX_MODULE} // "$root/build/ngx_artifact_module.so";
my $user = $> == 0 ? (grep { defined getpwnam $_ } qw(www-data nginx nobody))[0]
    : scalar getpwuid $>;

my @always = ('--yes', $binary ? ('--nginx', $binary) : (),
              length $module ? ('--module', $module) : ());

# a module that is linked in has no file

plan(skip_all => 'the module is linked in') if !length $module;

# --- a first run -----------------------------------------------------------

my $model = ArtifactUpstream->echo("$dir/llm");
my $first = "$dir/first";
my ($exit, $out) = run('--prefix', $first, @ports, qw(--tenant acme
    --tenant globex --expires 30d --converter), "unix:$dir/convert.sock",
    '--upstream', 'http://127.0.0.1:9/base/v1/');

is($exit, 0, 'a first run') or diag($out);
like($out, qr/^nginx -t passes$/m, 'nginx takes it');
unlike($out, qr/\[warn\]/, 'and has nothing to say');
like($out, qr{^  a model that sees got   data:image/png;base64,iVBOR}m,
     'a model that sees');
like($out, qr{^  a model that reads got  \[Unreadable\] square\.png}m,
     'and one that reads');
like($out, qr/convert\.sock does not answer/, 'the converter is missing');
unlike($out, qr/ak-/, 'no key is printed');

my %is = files($first);
is(join(' ', sort grep { !/logs|temp|pid/ } keys %is), 'artifact.conf '
   . 'artifact/llm.conf artifact/models.json artifact/tenants artifact/url.keys '
   . 'nginx.conf', 'what is written: the picture is removed again');

for my $path (map { "$first/artifact/$_" } qw(llm.conf tenants url.keys)) {
    is((stat $path)[2] & 07777, 0600, "$path: nobody else reads it");
}

for my $path (map { ("$first/data/$_/artifacts", "$first/data/$_/workspaces") }
              qw(acme globex))
{
    is((stat $path)[2] & 07777, 0750, "$path is a folder");
    is(scalar getpwuid((stat $path)[4]), $user, 'of the workers');
}

my %key = reverse slurp("$first/artifact/tenants")
    =~ /^(ak-[0-9a-f]{32}) (\w+);$/gm;
is(join(' ', sort keys %key), 'acme globex', 'each tenant has a key');
isnt($key{acme}, $key{globex}, 'of its own');
like(slurp("$first/artifact/url.keys"), qr/^[0-9a-f]{64}\n\z/,
     'URLs are signed');
like(slurp("$first/artifact.conf"),
     qr{set \$artifact_llm http://127\.0\.0\.1:9/base;}, 'the URL of the API');

# --- once more -------------------------------------------------------------

($exit, $out) = run('--prefix', $first, qw(--port 1 --tenant other));
is($exit, 0, 'a second run') or diag($out);
is(scalar(() = $out =~ /^kept /mg), 6, 'says what is there');
unlike($out, qr/^(?:wrote|made) /m, 'and makes nothing');
like($out, qr/a model that sees got   data:/, 'it is tried again');

my %now = files($first);
is_deeply({ map { $_ => $now{$_} } grep { !/logs/ } keys %now },
          { map { $_ => $is{$_} } grep { !/logs/ } keys %is },
          'no byte has changed');

# what is missing is made

rmdir "$first/data/globex/workspaces" or die "rmdir: $!";
unlink "$first/artifact/models.json";
($exit, $out) = run('--prefix', $first);
is($exit, 0, 'a run that mends');
is(join(' ', $out =~ m{^(?:wrote|made) +\S*/first/(\S+)$}mg),
   'artifact/models.json data/globex/workspaces/', 'what is missing');

# what somebody has changed stays, and is told if it is wrong

my $site = slurp("$first/artifact.conf");
spew("$first/artifact.conf", $site =~ s/artifact_expires 30d/artifact_expires x/r);
($exit, $out) = run('--prefix', $first);
is($exit, 1, 'a mistake in the configuration');
like($out, qr/invalid.*"x".*artifact\.conf:\d+/, "in nginx's words");
ok(-f "$first/artifact.conf", 'which is not removed');

spew("$first/artifact.conf", $site);

# a store that the workers may not write to

my $store = "$first/data/acme/artifacts";
chmod 0500, $store or die "chmod: $!";
chown 0, 0, $store if $> == 0;
($exit, $out) = run('--prefix', $first);
is($exit, 1, 'a store with wrong rights');
like($out, qr/^artifact-init: a picture cannot be uploaded:$/m, 'is told');
like($out, qr/Permission denied/, 'and why');
chmod 0750, $store or die "chmod: $!";
chown +(getpwnam $user)[2, 3], $store if $> == 0;

# a key whose case is heeded

my $tenants = slurp("$first/artifact/tenants");

spew("$first/artifact/tenants", "\"~^Key-Of-Acme\$\" acme;\n");
($exit, $out) = run('--prefix', $first);
is($exit, 0, 'a key that is an expression') or diag($out);
like($out, qr/a model that sees got   data:/, 'it is tried with that');
spew("$first/artifact/tenants", $tenants);

# presets whose authorities are not there

mkdir "$dir/presets" or die "mkdir: $!";
spew("$dir/presets/" . s{.*/}{}r, slurp($_) =~ s{/etc/ssl/}{/none/}gr)
    for glob "$root/packaging/presets/*.conf";
($exit, $out) = run('--prefix', "$dir/u", '--presets', "$dir/presets");
is($exit, 1, 'no authorities');
like($out, qr{there is no /none/certs/\S+\.crt.*install ca-certificates},
     'are told');

# --- the nginx that it tells to start --------------------------------------

($exit, $out) = run('--prefix', $first);
my ($start) = $out =~ /^start:\s+nginx (.*)$/m;
spew("$first/artifact.conf", $site
     =~ s{(\$artifact_llm) \S+;}{$1 http://unix:$dir/llm:;}r);
my $nginx = $binary || 'nginx';
unlink "$first/logs/error.log";
{
    local $ENV{PATH} = "$ENV{PATH}:/usr/sbin";
    is(system("$nginx $start"), 0, 'it starts as it says');
}

my @key = (Authorization => "Bearer $key{acme}");
my $ref = json_of($t->req('POST', '/artifacts/?name=a.png', body => png(),
    headers => [@key, 'Content-Type' => 'image/png']), 201)->{artifactRef};
like($t->req('POST', '/v1/chat/completions', headers => [@key,
         'Content-Type' => 'application/json'], body =>
         '{"model":"gpt-4o","messages":[{"role":"user","content":[{"type":'
         . qq("image_url","image_url":{"url":"$ref"}}]}]}))->body,
     qr{"url":"data:image/png;base64,iVBOR}, 'a model of the map sees');
is($t->req('POST', '/artifacts/', body => 'x')->status, 401, 'strangers');
like($others[0]->get('/metrics')->body, qr/^artifact_/m, 'operators');

chomp(my $pid = slurp("$first/nginx.pid"));
kill QUIT => $pid;
sleep 1 while -e "/proc/$pid" && kill 0, $pid;
like(slurp("$first/logs/artifact.log"), qr/"tenant":"acme"/, 'there is a log');
unlike(slurp("$first/logs/error.log"), qr/\[(?:alert|emerg|crit)\]/,
       'and no alert');

# --- another user, another prefix ------------------------------------------

SKIP: {
    my ($uid, $gid) = (getpwnam 'nobody')[2, 3];

    skip('not root, or no nobody', 3) if $> != 0 || !defined $uid;
    mkdir "$dir/home";
    chown $uid, $gid, "$dir/home";

    ($exit, $out) = run({ uid => $uid, gid => $gid }, '--prefix', "$dir/home/a",
                        @ports);
    is($exit, 0, 'another user') or diag($out);
    like($out, qr/a model that reads got  \[Unreadable\]/, 'for whom it works');
    unlike(slurp("$dir/home/a/nginx.conf"), qr/^user/m, 'who the workers are');

    ($exit, $out) = run({ uid => $uid, gid => $gid }, @ports);
    is($exit, 1, 'without a prefix');
    like($out, qr/be root/, 'it is for root');

    ($exit, $out) = run({ uid => $uid, gid => $gid }, @ports, '--prefix',
                        "$dir/closed/a");
    is($exit, 1, 'a folder that cannot be made');
    like($out, qr{closed/a cannot be made}, 'is told');
}

# --- wrong options ---------------------------------------------------------

for my $case (
    [['--prefix', "$dir/n", '--tenant', 'Acme'], qr/"Acme" is not a name/],
    [['--prefix', "$dir/n", '--tenant', '-'], qr/"-" is not a name/],
    [['--prefix', "$dir/n", '--tenant', 'a b;}'], qr/is not a name/],
    [['--prefix', "$dir/n", '--port', '0'], qr/"0" is not a port/],
    [['--prefix', "$dir/n", '--port', '65536'], qr/"65536" is not a port/],
    [['--prefix', "$dir/n", '--port', 'http'], qr/"http" is not a port/],
    [['--prefix', "$dir/n", '--port', 99, '--operators-port', 99],
     qr/different ports/],
    [['--prefix', "$dir/n", '--upstream', 'gateway'], qr/gateway is not a URL/],
    [['--prefix', "$dir/n", '--upstream', 'http://a/;include x'], qr/not a URL/],
    [['--prefix', "$dir/n", '--upstream', 'http://a/$host'], qr/not a URL/],
    [['--prefix', "$dir/n", '--converter', 'yes'], qr/--converter: "yes"/],
    [['--prefix', "$dir/n", '--language', 'de'], qr/neither "en" nor "zh"/],
    [['--prefix', "$dir/n", '--expires', 'soon'], qr/"soon" is not a time/],
    [['--prefix', "$dir/n", '--root', 'data'], qr/data is not a path/],
    [['--prefix', "$dir/a;b"], qr/has a character/],
    [['--prefixes', 'x'], qr/Unknown option: prefixes/],
    [['x'], qr/nothing to do with "x"/],
    [['--prefix'], qr/prefix requires an argument/],
) {
    my ($args, $want) = @$case;

    ($exit, $out) = run(@$args);
    is($exit, 2, "@$args: a wrong option");
    like($out, $want, 'which is told');
    is(join(' ', keys %{ files("$dir/n") }), '', 'nothing is written');
}

# --- other mistakes --------------------------------------------------------

for my $case (
    ['--nginx', "$dir/none", qr{no program \S+/none}],
    ['--presets', "$dir/none", qr/has no http\.conf/],
    ['--module', "$dir/none", qr{no module \S+/none}],
) {
    my ($name, $value, $want) = @$case;

    ($exit, $out) = run('--prefix', "$dir/n", @ports, $name, $value);
    is($exit, 1, "$name that is not there");
    like($out, $want, 'is told');
    is(join(' ', keys %{ files("$dir/n") }), '', 'nothing is written');
}

my $busy = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1);
($exit, $out) = run('--prefix', "$dir/n", '--port', $busy->sockport);
is($exit, 1, 'a port that is taken');
like($out, qr/cannot be used/, 'is told');

# a name that is none: the run without it is not in its way

($exit, $out) = run('--prefix', "$dir/n", @ports, '--upstream',
                    'https://api.example.invalid/v1');
is($exit, 1, 'an API that is not there');
like($out, qr/host not found in upstream "api\.example\.invalid:443"/,
     "in nginx's words");
like($out, qr/artifact\.conf is removed again/, 'what is wrong is taken back');
($exit, $out) = run('--prefix', "$dir/n", @ports);
is($exit, 0, 'a run with another') or diag($out);

# --- the lines of docs/start.md --------------------------------------------

my $page = slurp("$root/docs/start.md");
my @blocks = doc_blocks(chars($page));

cmp_ok(scalar(split ' ', $page), '<=', 600, 'the page is short');

for my $case ([$blocks[0], 'a'], [$blocks[1], 'b', qw(--tenant acme)]) {
    my ($block, $name, @more) = @$case;
    my $at = "$dir/$name";

    ($exit, $out) = run('--prefix', $at, @ports, @more, '--no-check');
    is($exit, 0, "start.md, $name");

    my $wrote = slurp("$at/artifact.conf");
    $wrote =~ s{$root/packaging/presets/}{/usr/share/nginx/artifact/}g;
    $wrote =~ s{$at/artifact/}{/etc/nginx/artifact/}g;
    $wrote =~ s{$at/data}{/srv/artifact}g;
    $wrote =~ s/:$port;/:8080;/;
    $wrote =~ s/:$operators;/:8081;/;

    # in this order, with nothing but other lines between them

    my $rest = $wrote;
    for my $line (grep { /\S/ } split /\n/, $block) {
        ok($rest =~ s/\A.*?^\s*\Q@{[ $line =~ s{^\s+}{}r ]}\E$//ms, $line)
            or diag($wrote);
    }
}

# --- what else there is ----------------------------------------------------

($exit, $out) = run('--help');
is($exit, 0, '--help');
like($out, qr/^usage: artifact-init/, 'tells');

my ($manual) = slurp($init) =~ /^__END__\n(.*)/ms;
my @options = sort $out =~ /^  (--[\w-]+)/gm;
is(join(' ', grep { $_ ne '--help' && $manual !~ /B<\Q$_\E>/ } @options), '',
   'the manual has every option');

($exit, $out) = run('--prefix', "$dir/zh", @ports, qw(--language zh));
like($out, qr/square\.png/, 'words in Chinese');
($exit, $out) = run('--prefix', "$dir/zz", @ports, '--no-check');
unlike($out, qr/tried/, '--no-check');

# it asks at a terminal

SKIP: {
    skip('no script', 2) if system('command -v script > /dev/null') != 0;

    spew("$dir/answers", "\n" . "acme globex\nno\n$port\n");
    my $asked = `script -qec "$init --prefix $dir/asked --operators-port $operators --no-check" /dev/null < $dir/answers 2>&1`;

    like($asked, qr/gateway \[http:\/\/127\.0\.0\.1:4000\]: /, 'it asks');
    like(-f "$dir/asked/artifact.conf" ? slurp("$dir/asked/artifact.conf") : '',
         qr/listen 127\.0\.0\.1:$port;.*platform\.conf;/s, 'and takes answers');
}

# installed, it finds the module where this nginx has its modules

mkdir "$dir/modules";
symlink $module, "$dir/modules/ngx_artifact_module.so" or die "symlink: $!";
spew("$dir/artifact-init", slurp($init));
spew("$dir/nginx", '#!/bin/sh' . "\n[ \"\$1\" != -V ] || exec echo --prefix=/none"
     . " --modules-path=$dir/modules\nPATH=\$PATH:/usr/sbin\nexec $nginx \"\$\@\"\n");
chmod 0755, "$dir/nginx", "$dir/artifact-init";
my $said = `$dir/artifact-init --yes --prefix $dir/installed --nginx $dir/nginx --presets $root/packaging/presets --port $port --operators-port $operators 2>&1`;
like($said, qr/a model that sees got   data:/, 'installed') or diag($said);
like(slurp("$dir/installed/nginx.conf"),
     qr{^load_module $dir/modules/ngx_artifact_module\.so;}m, 'its module');

# Debian's smallest Perl is enough

SKIP: {
    my ($base) = grep { -d } map { "$_/perl-base" } grep { !m{/perl-base} } @INC,
        glob '/usr/lib/*';

    skip('no perl-base', 1) if !$base;
    is(system('/usr/bin/perl -e \'BEGIN { @INC = shift } do shift or die $@\''
              . " $base $init --help > /dev/null 2>&1"), 0, 'perl-base');
}

$model->stop;
done_testing();


# Its exit status, and all that it prints; as another user.

sub run {
    my ($who, @args) = ref $_[0] ? @_ : (undef, @_);
    my $pid = open(my $pipe, '-|') // die "fork: $!";

    if (!$pid) {
        open STDIN, '<', '/dev/null';
        open STDERR, '>&', \*STDOUT;

        if ($who) {
            POSIX::setgid($who->{gid});
            POSIX::setuid($who->{uid});
        }

        exec $init, @always, @args or POSIX::_exit(127);
    }

    my $said = chars(join '', <$pipe>);
    close $pipe;
    return ($? >> 8, $said);
}


# The files below a folder, with a digest of each.

sub files {
    my ($at) = @_;
    my %found;

    find({ no_chdir => 1, wanted => sub {
        $found{ s{^\Q$at\E/}{}r } = md5_hex(slurp($_)) if -f;
    } }, $at) if -d $at;
    return wantarray ? %found : \%found;
}
