package ArtifactPage;

# The inspector's page in a browser: goes to a view, waits until it stands, and
# tells what is in it.

use strict;
use warnings;

use ArtifactBrowser;
use FindBin;
use Test::More ();


# port: where nginx listens; folder: for the browser's profile.

sub new {
    my ($class, $port, $folder) = @_;

    my $self = bless {
        browser => ArtifactBrowser->new($folder),
        base => "http://127.0.0.1:$port/inspector/",
    }, $class;

    $self->{browser}->size(1280, 800);
    return $self;
}


sub browser { return $_[0]{browser} }
sub run { my ($self, @args) = @_; return $self->{browser}->run(@args) }


# What the page says of itself when it is done.

sub settled {
    my ($self) = @_;

    return $self->{browser}->until_true(
        'document.querySelector("main")?.dataset.view === location.hash'
        . ' && !document.querySelector("[aria-busy]")')
        || Test::More::diag($self->run('return document.body.innerText'));
}


sub go {
    my ($self, $hash) = @_;

    $self->{browser}->go("$self->{base}$hash");
    $self->settled;
}


# Clicks what a selector finds, the n-th, and waits for what comes of it.

sub click {
    my ($self, $selector, $n) = @_;

    my $hash = $self->run(
        'const one = document.querySelectorAll(arguments[0])[arguments[1]];'
        . 'one.click(); return one.hash ?? location.hash',
        $selector, $n // 0);

    $self->{browser}->until_true(
        'document.querySelector("main").dataset.view === arguments[0]', $hash);
    $self->settled;
}


# Goes back, to this address.

sub back {
    my ($self, $hash) = @_;

    $self->run('history.back()');
    $self->{browser}->until_true(
        'document.querySelector("main").dataset.view === arguments[0]', $hash);
    $self->settled;
}


# Types into the n-th line of the content and sends it.

sub submit {
    my ($self, $n, $text) = @_;

    $self->run('const form = document.querySelectorAll("main form")'
               . '[arguments[0]]; form.querySelector("input").value ='
               . ' arguments[1]; form.requestSubmit()', $n, $text);
    $self->settled;
}


sub text {
    my ($self, $selector) = @_;
    return $self->run('return document.querySelector(arguments[0])?.innerText',
                      $selector // 'main');
}


# The texts of all that a selector finds.

sub texts {
    my ($self, $selector) = @_;
    return @{ $self->run('return [...document.querySelectorAll(arguments[0])]'
                         . '.map((one) => one.innerText)', $selector) };
}


# What axe-core finds that is serious, and how much it has looked at.

sub accessible {
    my ($self, $what) = @_;

    if (!$self->run('return !!window.axe')) {
        my $root = "$FindBin::Bin/../..";
        my $axe = "$root/build/axe/node_modules/axe-core/axe.min.js";
        open my $fh, '<:utf8', $axe
            or die "$axe: $! (scripts/deps.sh test)\n";
        local $/;
        my $rules = <$fh>;
        $self->{browser}->cdp('Runtime.evaluate',
                              { expression => "$rules;0" });
    }

    my $found = $self->run(<<'SCRIPT');
        return axe.run(document, { resultTypes: ['violations'] }).then(
            (result) => [result.passes.length, ...result.violations
                .filter((v) => ['serious', 'critical'].includes(v.impact))
                .map((v) => v.id + ': ' + v.nodes.map((n) => n.html)
                    .join(' ').slice(0, 200))]);
SCRIPT
    my $passes = shift @$found;
    Test::More::cmp_ok($passes, '>', 10, "$what: axe has looked");
    Test::More::is("@$found", '', "$what: nothing serious");
}


sub close { my ($self) = @_; $self->{browser}->close }


1;
