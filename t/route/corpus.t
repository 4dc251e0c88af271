#!/usr/bin/perl

# The contents of t/data/corpus.json (scripts/corpus.pl), each looked at in three
# ways: by its content alone, by its name alone, and declared as something else.

use strict;
use warnings;
use utf8;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactFixtures;
use ArtifactTest;
use JSON::PP;
use MIME::Base64 qw(decode_base64);

my $cases = JSON::PP->new->utf8->decode(slurp("$FindBin::Bin/../data/corpus.json"));

my $t = ArtifactTest->new;

$t->start(server => <<'SERVER', http => 'types { }');
    artifact_root %%DATA%%;
    artifact_route on;

    location /artifacts/ {
        artifact;
    }
    location /named/ {
        artifact;
        artifact_verify off;
    }
SERVER

cmp_ok(scalar @$cases, '>=', 400, 'at least 400 contents');

my $n = 0;
my %wrong;

sub seen {
    my ($location, $content, $meta) = @_;
    my $id = 'k' . ++$n;
    $t->artifact($id, $content, $meta);
    my $res = $t->accept('text, vision, audio, video, file', "$location$id");
    my $problems = route_problems($res);
    return ("malformed: $problems", '', '') if $problems;
    my $data = json_of($res);
    my $kind = $data->{metadata}{binaryType} // $data->{contentType};
    return ($data->{metadata}{mimeType}, $kind, $data->{content});
}

sub check {
    my ($way, $case, $want, $kind, @got) = @_;
    return if $got[0] eq $want && $got[1] eq $kind
              && (!defined $case->{text} || $got[2] eq $case->{text});
    push @{ $wrong{$way} }, "$case->{name}: $got[0] ($got[1]), not $want"
        . ($got[0] eq $want && $got[1] eq $kind ? ': another text' : '');
}

my %kind = ('application/zip' => 'other');

for my $case (@$cases) {
    my $content = decode_base64($case->{data});
    my $alone = $case->{alone} // $case->{type};
    my $kind = $kind{$alone} // $case->{kind};

    check('content', $case, $alone, $kind,
          seen('/artifacts/', $content, undef));

    my ($type, $seen) = seen('/named/', $content, { name => $case->{name} })
        if $case->{kind} ne 'text' && !$case->{named};
    check('name', { %$case, text => undef }, $case->{type}, $case->{kind},
          $type, $seen, '') if defined $type;

    my $lie = $case->{kind} eq 'text' ? 'image/png'
            : $case->{kind} eq 'image' ? 'application/pdf' : 'image/png';
    my $want = $case->{wrong}
        // ($case->{kind} eq 'text' ? $case->{type} : $alone);
    my @seen = seen('/artifacts/', $content,
                    { type => $lie, name => $case->{name} });

    # a charset that can only be guessed makes no text of a binary type

    if ($case->{name} =~ /-(?:cp|iso-8859|shiftjis|euc|koi8|big5|gbk)[\w-]*\./) {
        check('wrong declaration', { name => $case->{name} }, $lie, 'image',
              @seen);
        next;
    }

    check('wrong declaration', $case, $want,
          $case->{wrong} ? $case->{kind} : $kind, @seen);
}

for my $way ('content', 'name', 'wrong declaration') {
    my @wrong = @{ $wrong{$way} || [] };
    is(scalar @wrong, 0, "by $way: all of them");
    diag(map { "$_\n" } @wrong);
}

$t->finish;
