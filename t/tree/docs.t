#!/usr/bin/perl

# Code, documentation and example name the same directives and variables.

use strict;
use warnings;

use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck;
use Test::More;

my $root = abs_path("$FindBin::Bin/../..");
chdir $root or die "$root: $!\n";

my $code = join '', map { slurp($_) } sort glob 'src/http/*/*.c';
my $example = slurp('conf.example');
my $directives = slurp('docs/directives.md');
my $variables = slurp('docs/variables.md');


# an ngx_command_t goes on with the contexts of the directive, anything else
# that is so named is a variable

my (%directive, %variable);

while ($code =~ /\{\s*ngx_string\("(artifact\w*)"\),\s*(\w+)/g) {
    my ($name, $next) = ($1, $2);

    if ($next =~ /^NGX_\w+_CONF$/) {
        $directive{$name} = 1;

    } else {
        $variable{$name} = 1;
    }
}

cmp_ok(scalar keys %directive, '>', 1, 'directives are found in the code');
cmp_ok(scalar keys %variable, '>', 1, 'variables are found in the code');


# docs/directives.md: a heading each, with the three lines below it

my %section;

while ($directives =~ /^\#+[ ]+`?(artifact\w*)`?[ ]*$
                       (.*?)
                       (?=^\#+[ ]|\z)/gmsx)
{
    $section{$1} = $2;
}

for my $name (sort keys %directive) {
    my @missing = grep { ($section{$name} // '') !~ /\b$_\b/ }
        qw(Syntax Default Context);

    is("@missing", '', "$name is documented");

    like($section{$name} // '', qr/Syntax\W+$name\b/,
        "$name stands in its syntax");

    like($example, qr/^\s*#?\s*$name\b[^;{}\n]*;/m, "$name is in conf.example");
}

is(join(' ', grep { !$directive{$_} } sort keys %section), '',
    'no other directive is documented');


# the index above the first of them, and the formats

my ($index) = $directives =~ /\A(.*?)^## /ms;
is(join(' ', grep { $index !~ /\[$_\]\(#$_\)/ } sort keys %directive), '',
    'all are in the index');

my @formats = slurp('docs/formats.md')
    =~ /^\| \[(\w+)\]\(#\1\) \|/gm;
cmp_ok(scalar @formats, '>=', 14, 'there are formats');
is(join(' ', grep { $section{artifact_format} !~ /^\| `$_` \|/m } @formats), '',
    'artifact_format has all of them');


# conf.example: a commented line counts if it is a directive to the end

my %used = map { $_ => 1 } $example =~ /^\s*#?\s*(artifact\w*)\b[^;{}\n]*;/gm;

is(join(' ', grep { !$directive{$_} } sort keys %used), '',
    'no other directive is in conf.example');


# docs/variables.md, and every other page

for my $name (sort keys %variable) {
    like($variables, qr/\$$name\b/, "\$$name is documented");
}

# those of packaging/presets as well, which are documented there

my %preset = map { $_ => 1 } grep { defined }
    map { slurp($_) =~ /^map\s[^{]*?\$(artifact_\w+)\s*\{
                                                |\bset\ \$(artifact_\w+)/gmx }
             glob 'packaging/presets/*.conf';

is(join(' ', grep { $variable{$_} } sort keys %preset), '',
    'the presets define none of ours');

for my $page ('conf.example', grep { -f } 'README.md', sort glob 'docs/*.md') {
    my %named = map { $_ => 1 } slurp($page) =~ /\$\{?(artifact_\w+)/g;

    is(join(' ', grep { !$variable{$_} && !$preset{$_} } sort keys %named), '',
        "no other variable is in $page");
}

# what the MCP server calls itself is what the topmost changes are of

my ($version) = slurp('CHANGES') =~ /^Changes with \w+ ([\d.]+)/m;

like(slurp('src/core/mcp/art_mcp_answer.c'),
     qr/\\"version\\":\\"\Q$version\E\\"/,
     'the MCP server has the version of CHANGES');

done_testing();
