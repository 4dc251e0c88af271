#!/usr/bin/perl

# artifact_layout: where artifacts stand by the hash of their id, what is found
# there by each kind of request, and the order of listings.

use strict;
use warnings;
use utf8;

use Digest::MD5 qw(md5_hex);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFail;
use ArtifactFixtures;
use ArtifactTest;
use ArtifactWrite qw(until_true);
use File::Path qw(make_path);
use File::Temp qw(tempdir);

my $png = png(8, 8);

# --- the place of an id ----------------------------------------------------

sub place {
    my ($levels, $id) = @_;
    my ($place, $end) = ('', 32);
    for my $digits (split /:/, $levels) {
        $end -= $digits;
        $place .= substr(md5_hex($id), $end, $digits) . '/';
    }
    return $place;
}


sub put {
    my ($t, $place, $id, $content, $meta, $ext) = @_;
    my $dir = $t->data . "/artifacts/$place";
    make_path($dir);
    spew("$dir$id$ext", $content) if defined $content;
    spew("$dir$id.meta", encode_json_bytes({ id => chars($id),
        extension => chars($ext), %$meta })) if $meta;
}


sub conf {
    my ($layout, $more) = @_;
    return "artifact_root %%DATA%%; artifact_index on; artifact_write on;\n"
        . "artifact_layout $layout;\n" . ($more // '')
        . "location /artifacts/ { artifact; }\n"
        . "location /threads/ { artifact; "
        . (ArtifactTest::version() =~ /--with-threads/ ? 'aio threads;' : '')
        . " }\n"
        . "location /routed/ { artifact; artifact_route always; }\n"
        . "location /flat/ { artifact; artifact_layout flat; }\n";
}


sub listed {
    my ($t, $limit, $location) = @_;
    $location //= '/artifacts/';
    my (@ids, $next);
    for (1 .. 1000) {
        my $page = json_of($t->get("$location?limit=$limit"
            . (defined $next ? '&after=' . uri($next) : '')));
        push @ids, map { bytes($_->{id}) } @{ $page->{artifacts} };
        $next = defined $page->{next} ? bytes($page->{next}) : last;
    }
    return @ids;
}


# --- what is refused -------------------------------------------------------

{
    my $t = ArtifactTest->new;

    for my $case (['levels=3', 'invalid layout "levels=3"'],
                  ['levels=', 'invalid layout "levels="'],
                  ['levels=2:2:2:2', 'invalid layout "levels=2:2:2:2"'],
                  ['levels=2:', 'invalid layout "levels=2:"'],
                  ['2:2', 'invalid layout "2:2"'],
                  ['flat:1', 'invalid layout "flat:1"'],
                  ['levels=flat2', 'invalid layout "levels=flat2"'],
                  ['levels=2 from=3', 'invalid parameter "from=3"'],
                  ['levels=2 flat', 'invalid parameter "flat"'],
                  ['levels=2 from=', 'invalid parameter "from="'],
                  ['flat from=2; artifact_layout flat', 'is duplicate'],
                  ['', 'invalid number of arguments'])
    {
        my ($layout, $want) = @$case;
        my ($code, $out) = $t->conf_test(server => conf($layout));
        isnt($code, 0, "refused: $layout");
        like($out, qr/\Q$want\E/, 'with the reason');
    }

    for my $layout ('flat', 'flat from=1:2', 'levels=1', 'levels=2:1:2',
                    'levels=2 from=none', 'levels=2 from=flat',
                    'levels=2:2 from=2', 'flat from=none')
    {
        my ($code) = $t->conf_test(server => conf($layout));
        is($code, 0, "taken: $layout");
    }
}

# --- everything that can be asked, in each layout --------------------------

for my $levels ('1', '2', '1:2', '2:2', '1:1:1', '2:2:2') {
    my $t = ArtifactTest->new;
    my $dir = $t->data . '/artifacts';

    put($t, place($levels, 'shot'), 'shot', $png, { type => 'image/png',
        name => 'shot.png' }, '.png');
    put($t, place($levels, 'bare'), 'bare', "text\n", undef, '.txt');
    put($t, place($levels, 'none'), 'none', "text\n", undef, '');
    put($t, place($levels, 'orphan'), 'orphan', undef, {}, '.txt');
    put($t, place($levels, 'tar'), 'tar', 'x', {}, '.tar.gz');
    put($t, place($levels, bytes('图')), bytes('图'), $png,
        { type => 'image/png' }, '.png');
    spew("$dir/" . place($levels, 'bad') . 'bad.meta', '{')
        if make_path("$dir/" . place($levels, 'bad')) || 1;
    spew("$dir/" . place($levels, 'bad') . 'bad.pdf', pdf());

    # where no request would look

    put($t, place($levels, 'elsewhere'), 'astray', $png, {}, '.png')
        if place($levels, 'elsewhere') ne place($levels, 'astray');
    put($t, 'zz/', 'zz', $png, {}, '.png');

    $t->start(server => conf("levels=$levels"));

    my $res = $t->get('/artifacts/shot');
    is($res->{status}, 200, "$levels: an artifact");
    is($res->body, $png, 'its content');
    header_is($res, 'Content-Type', 'image/png');
    like($res->header('Content-Disposition'), qr/shot\.png/, 'its name');
    is($t->req('HEAD', '/artifacts/artifact:shot')->{status}, 200, 'HEAD');
    is(json_of($t->get('/artifacts/shot/metadata'))->{size}, length $png,
       'metadata');
    like($t->get('/routed/shot')->body, qr/"routing":"text"/, 'routed');
    is($t->get('/flat/shot')->{status}, 404, 'not in the flat folder');

    is($t->get('/artifacts/bare')->{status}, 200, 'no sidecar');
    is($t->get('/artifacts/none')->{status}, 200, 'no extension either');
    is($t->get('/artifacts/bad')->header('Content-Type'), 'application/pdf',
       'a corrupt sidecar');
    is($t->get('/artifacts/' . uri(bytes('图')))->body, $png, 'UTF-8');
    error_is($t->get("/artifacts/$_"), 404, 'artifact_not_found', $_)
        for 'orphan', 'missing', 'astray', 'zz', substr place($levels, 'shot'),
            0, 1;   # of its folder
    error_is($t->get("/artifacts/$_"), 400, 'invalid_artifact_id', $_)
        for 'a/b', place($levels, 'shot') . 'shot', '.artifact';

    for my $location ('/artifacts/', '/threads/') {
        my $post = $t->req('POST', "$location?name=new.png",
            body => $png, headers => ['Content-Type' => 'image/png']);
        is($post->{status}, 201, "$levels: POST $location");
        my $id = json_of($post, 201)->{metadata}{id};
        my $file = "$dir/" . place($levels, $id) . $id;
        ok(-f "$file.png" && -f "$file.meta", 'both files are in the place');
        is($t->get("$location$id")->body, $png, 'and are found');
        put($t, '', "$id-", undef, {}, '');
    }
    my @posted = map { m{([^/]+)-\.meta$} } glob "$dir/*-.meta";
    unlink map { "$dir/$_-.meta" } @posted;

    # in the order of the places, then of the ids

    my @want = sort { place($levels, $a) . $a cmp place($levels, $b) . $b }
        'shot', 'bare', 'none', 'tar', 'bad', bytes('图'), @posted;
    for my $limit (1, 3, 1000) {
        is(join(' ', listed($t, $limit)), "@want", "$levels: by $limit");
    }
    is(join(' ', listed($t, 2, '/threads/')), "@want", 'in a thread');
    is(join(' ', listed($t, 2, '/flat/')), '', 'the flat folder has none');

    my ($page) = grep { $_->{id} eq 'shot' }
        @{ json_of($t->get('/artifacts/'))->{artifacts} };
    is(join(' ', @$page{qw(name type size)}),
       'shot.png image/png ' . length $png, 'with their metadata');
    ($page) = grep { $_->{id} eq 'bare' }
        @{ json_of($t->get('/artifacts/'))->{artifacts} };
    is($page->{name}, 'bare.txt', 'a content alone goes by its name');

    # behind an id that is not there

    my $key = place($levels, 'missing') . 'missing';
    is(join(' ', map { bytes($_->{id}) } @{ json_of($t->get(
        '/artifacts/?after=missing'))->{artifacts} }),
       join(' ', grep { place($levels, $_) . $_ gt $key } @want),
       'a page begins behind the place of any id');
    is($t->get('/artifacts/?after=' . 'x' x 4095)->{status}, 200, 'the longest');
    is($t->get('/artifacts/?after=a/../b')->{status}, 200, 'or none at all');

    ok(!grep({ /\.artifact/ } listed($t, 1)), 'nor the control folder');
    $t->stop;
    $t->check_log;
}

# --- what is in the earlier layout -----------------------------------------

{
    my $t = ArtifactTest->new;
    my @new = map { "new-$_" } 1 .. 40;
    my @old = map { "old-$_" } 1 .. 40;
    my @bare = map { "bare-$_" } 1 .. 10;

    put($t, place('2', $_), $_, $png, { type => 'image/png' }, '.png')
        for @new;
    put($t, '', $_, $png, { type => 'image/png' }, '.png') for @old;
    put($t, '', $_, "text\n", undef, '.txt') for @bare;
    put($t, place('2', 'both'), 'both', 'new', {}, '');
    put($t, '', 'both', 'old', {}, '');
    put($t, place('2', 'half'), 'half', undef, {}, '.txt');  # moved by halves
    put($t, '', 'half', 'half', {}, '.txt');
    put($t, place('2', 'other'), 'other', undef, { type => 'text/x-new' },
        '.txt');
    put($t, '', 'other', 'other', undef, '.txt');

    # one cache of open files for all

    $t->start(server => conf('levels=2', 'open_file_cache max=1000;')
        . 'location /none/ { artifact; artifact_layout levels=2 from=none; }'
        . 'location /back/ { artifact; artifact_layout flat from=2; }'
        . 'location /unkept/ { artifact; open_file_cache off; }');

    for my $id ('new-1', 'old-1', 'bare-1', 'half', 'other') {
        is($t->get("/artifacts/$id")->{status}, 200, "$id is found");
        is($t->get("/unkept/$id")->{status}, 200, 'kept open or not');
    }
    is($t->get('/artifacts/both')->body, 'new', 'the new one first');
    is($t->get('/back/both')->body, 'old', 'or the flat one');
    is($t->get('/flat/old-1')->{status}, 200, 'flat: flat ones');
    is($t->get('/none/new-1')->{status}, 200, 'from=none: new ones');
    is($t->get("/none/$_")->{status}, 404, "but not $_") for 'old-1', 'bare-1',
        'half';
    error_is($t->get('/artifacts/missing'), 404, 'artifact_not_found');

    my $key = sub { place('2', $_[0]) . $_[0] };
    my @want = sort { $key->($a) cmp $key->($b) } @new, @old, @bare,
        qw(both half other);
    for my $limit (1, 7, 1000) {
        is(join(' ', listed($t, $limit)), "@want", "each id once, by $limit");
    }
    is(join(' ', listed($t, 7, '/none/')),
       join(' ', sort { $key->($a) cmp $key->($b) } @new, 'both'),
       'from=none: without the flat ones');
    is(join(' ', listed($t, 7, '/back/')), join(' ', sort @want),
       'flat from=2: in the order of ids');
    is(join(' ', listed($t, 7, '/flat/')),
       join(' ', sort @old, @bare, qw(both half other)), 'flat alone');

    my ($one) = grep { $_->{id} eq 'old-1' }
        @{ json_of($t->get('/artifacts/?limit=1000'))->{artifacts} };
    is($one->{mimeType}, 'image/png', 'with metadata');

    # a layout is changed with a reload

    ok($t->reload(server => conf('flat')), 'flat again');
    is($t->get('/artifacts/old-1')->{status}, 200, 'flat ones');
    is($t->get('/artifacts/new-1')->{status}, 404, 'not the others');
    ok($t->reload(server => conf('levels=2:2 from=2')), 'another layout');
    is($t->get('/artifacts/new-1')->{status}, 200, 'from another one');
    is(join(' ', sort(listed($t, 9))), join(' ', sort @new, 'both'),
       'all of that');
    $t->stop;
    $t->check_log;
}

# --- names that are too long, and links that lead out, end no look --------

{
    my $t = ArtifactTest->new;
    my $dir = $t->data . '/artifacts';
    my ($bare, $whole) = map { 'l' x $_ } 252, 255;

    # so many names that the flat folder is not known at once

    spew("$dir/" . 'f' x 200 . $_, 'x') for 1 .. 600;
    put($t, place('2', $whole), $whole, $png, undef, '');
    put($t, '', $bare, 'text', undef, '.md');
    put($t, '', 'out', 'text', undef, '.txt');
    symlink '/etc/passwd', "$dir/out.png" or die $!;
    put($t, '', 'told', undef, {}, '.txt');
    put($t, place('2', 'told'), 'told', 'text', {}, '.txt');

    $t->start(server => conf('flat from=2'));
    is($t->get("/artifacts/$bare")->body, 'text', 'behind longer extensions');
    is($t->get('/artifacts/out')->body, 'text', 'behind a link that leads out');
    is($t->get("/artifacts/$whole")->body, $png, 'in the earlier layout');
    is($t->get('/artifacts/told')->body, 'text', 'a sidecar without a content');
    my %listed = map { ($_ => 1) } listed($t, 100);
    ok($listed{$_}, 'as listed') for $bare, $whole, 'out', 'told';
    $t->stop;
    $t->check_log;
}

# --- a file system whose names may be longer than 255 bytes ---------------

{
    my $build = tempdir(CLEANUP => 1);
    is(system($ENV{CC} || 'cc', '-O1', '-Wall', '-shared', '-fPIC', '-o',
              "$build/long-name.so", "$FindBin::Bin/../tools/long-name.c",
              '-ldl'), 0, 'the library compiles');
    local $ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (),
        'detect_odr_violation=0', 'verify_asan_link_order=0';

    my $t = ArtifactTest->new(launcher => ['env',
                                           "LD_PRELOAD=$build/long-name.so"]);
    put($t, place('2', 'bare'), 'bare', $png, undef, '.png');
    $t->start(server => conf('levels=2'));
    is(join(' ', listed($t, 10)), 'bare', 'they are not listed');
    $t->stop;
    $t->check_log;
}

# --- on the disk before it is acknowledged --------------------------------

{
    my $fail = ArtifactFail->new;
    my $t = ArtifactTest->new(launcher => $fail->launcher);
    my $dir = $t->data . '/artifacts';

    $t->start(server => conf('levels=1:2'));

    my $id;
    my @calls = map { "$_->[0] $_->[1]" } $fail->calls(sub {
        $id = json_of($t->req('POST', '/artifacts/', body => $png,
            headers => ['Content-Type' => 'image/png']), 201)->{metadata}{id};
    });
    my ($one, $two) = split m{/}, place('1:2', $id);
    my $at = sub {
        my ($what) = @_;
        my ($n) = reverse grep { $calls[$_] =~ /^$what$/ } 0 .. $#calls;
        return $n // -1;
    };

    cmp_ok($at->("mkdir \\S*/$one"), '>=', 0, 'a folder is made');
    cmp_ok($at->("sync \Q$dir\E"), '>', $at->("mkdir \\S*/$one"),
           'and its name is synced');
    cmp_ok($at->("sync \Q$dir/$one\E"), '>', $at->("mkdir \\S*/$two"),
           'that of the next one, too');
    cmp_ok($at->("sync \Q$dir/$one/$two\E"), '>',
           $at->("rename \\S*$id.png"), 'and those of the files')
        or diag(join "\n", @calls);
    $t->stop;
    $t->check_log;
}

# --- what a crash leaves ---------------------------------------------------

for my $levels ('', qw(1 2 1:1 2:1 1:2 2:2:2)) {
    my $t = ArtifactTest->new;
    my $dir = $t->data . '/artifacts';
    my ($begun, $done) = map { sprintf '01a20108-0e02-769f-82ab-%012x', $_ } 1, 2;

    put($t, place($levels, $_), $_, undef, { type => 'image/png' }, '.png')
        for $begun, $done;
    spew("$dir/" . place($levels, $done) . "$done.png", $png);
    make_path("$dir/.artifact");
    spew("$dir/.artifact/tmp-$begun", 'half of it');

    my $layout = $levels eq '' ? 'flat' : "levels=$levels";
    $t->start(server => conf($layout));
    my @left;
    ok(until_true(sub {
        @left = grep { -e } "$dir/.artifact/tmp-$begun",
            "$dir/" . place($levels, $begun) . "$begun.meta";
        return !@left;
    }, 10), "$layout: a sidecar whose content never came goes")
        or diag("@left");
    is($t->get("/artifacts/$done")->header('Content-Type'), 'image/png',
       "$layout: one whose content came stays");
    $t->stop;
    $t->check_log;
}


# --- links, and files in the place of folders ------------------------------

sub links {
    my ($how, @launcher) = @_;

    my $t = ArtifactTest->new(launcher => [@launcher]);
    my $dir = $t->data . '/artifacts';
    my $place = sub { substr place('2', $_[0]), 0, 2 };
    my %seen = map { ($place->($_) => 1) } qw(in);
    my ($out, $file, $back) = grep { !$seen{ $place->($_) }++ }
        map { "id-$_" } 1 .. 50;

    # the folder of an id is a link that leads out, one inside, and a file

    make_path($t->prefix . '/outside');
    spew($t->prefix . "/outside/$out.png", $png);
    spew($t->prefix . "/outside/$out.meta", '{"extension":".png"}');
    symlink $t->prefix . '/outside', "$dir/" . $place->($out) or die $!;
    make_path("$dir/real");
    spew("$dir/real/$back.png", $png);
    symlink 'real', "$dir/" . $place->($back) or die $!;
    spew("$dir/" . $place->($file), 'x');

    put($t, place('2', 'in'), 'in', undef, {}, '.png');
    symlink "../real/$back.png", "$dir/" . place('2', 'in') . 'in.png'
        or die $!;

    $t->start(server => conf('levels=2')
        . 'location /strict/ { artifact; disable_symlinks on; }');

    error_is($t->get("/artifacts/$out"), 404, 'artifact_not_found');
    error_is($t->get("/artifacts/$out/metadata"), 404, 'artifact_not_found');
    error_is($t->get("/artifacts/$file"), 404, 'artifact_not_found');
    is($t->get("/artifacts/$back")->body, $png, "$how: a link inside");
    is($t->get('/artifacts/in')->body, $png, "$how: of a content, too");
    error_is($t->get("/strict/$back"), 404, 'artifact_not_found');
    error_is($t->get('/strict/in'), 404, 'artifact_not_found');
    is(join(' ', sort(listed($t, 1))), join(' ', sort 'in', $back,
                                            $place->($file)),
       "$how: what is listed");
    is(join(' ', listed($t, 1, '/strict/')), $place->($file),
       "$how: without links");

    # nothing is written through a link

    my ($done, $refused) = (0, 0);
    symlink $t->prefix . '/outside', "$dir/$_"
        for map { sprintf '%02x', $_ } 0 .. 127;
    my $before = join ' ', sort glob $t->prefix . '/outside/*';
    for (1 .. 60) {
        my $res = $t->req('POST', '/artifacts/', body => $png,
                              headers => ['Content-Type' => 'image/png']);
        $done++ if $res->{status} == 201;
        $refused++ if $res->{status} == 500;
    }
    is($done + $refused, 60, "$how: each is written or refused");
    cmp_ok($refused, '>', 0, "$how: some are refused");
    cmp_ok($done, '>', 0, "$how: some are written");
    is(join(' ', sort glob $t->prefix . '/outside/*'), $before,
       "$how: nothing comes outside");
    is(join(' ', glob "$dir/.artifact/tmp-*"), '', "$how: nothing is left");
    $t->stop;
    push @{ $t->{allow} }, qr/\[crit\].*not written: open .*(?:Not a directory|symbolic links)/;
    $t->check_log;
}

links('openat2');

{
    my $build = tempdir(CLEANUP => 1);
    is(system($ENV{CC} || 'cc', '-O1', '-Wall', '-o', "$build/no-openat2",
              "$FindBin::Bin/../tools/no-openat2.c"), 0, 'the launcher compiles');
    links('without openat2', "$build/no-openat2", 'ENOSYS');
}

done_testing();
