#!/usr/bin/perl

# The id of a stand-in is in no answer, no access log, no variable, no header
# that a converter gets, and in no line of the error log below "warn"; where
# something is wrong with it, the operator is told it.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactEcho;
use ArtifactFixtures;
use ArtifactStandins;
use ArtifactTest;
use ArtifactWrite qw(until_true);

my $t = ArtifactTest->new;
my $dir = $t->prefix;
my $past = '2020-01-01T00:00:00.000Z';
my %content = (png => png(300, 200), pdf => pdf(), wav => wav());
my (%of, %id);

for my $kind (sort keys %content) {
    ($of{$kind}, $id{$kind}) = standin($t, $kind, $content{$kind});
}

($of{old}, $id{old}) = standin($t, png => png(8, 8), expiresAt => $past);
$id{none} = '01234567-89ab-8cde-8123-456789abcdef';
$of{none} = standin_of(png => $id{none});
$id{plain} = '01234567-89ab-8cde-8123-456789abcde0';
$of{plain} = standin_of(png => $id{plain});
$t->artifact($id{plain}, $content{png}, { type => 'image/png' });

# a digest that the id is not of

(my $other = $id{png}) =~ tr/0-9a-f/1-9a-f0/;
substr $other, 14, 1, '8';
substr $other, 19, 1, '8';
$id{digest} = $other;
$of{digest} = standin_of(png => $other);
$t->artifact($other, $content{png}, { type => 'image/png', standin => \1,
    size => length $content{png}, digest => 'hmac-sha256:' . '0' x 64 });

# no content, and another one's length

($of{empty}, $id{empty}) = standin($t, gif => gif());
unlink grep { !/meta\z/ } glob $t->data . "/artifacts/$id{empty}*" or die "unlink: $!";
($of{size}, $id{size}) = standin($t, webp => webp(), size => 99);

$t->file('map.json', { services => [
    { id => 'sees', model => 'sees', capabilities =>
        { input => [qw(text vision audio file)] } },
    { id => 'reads', model => 'reads', capabilities => { input => ['text'] } },
] });

my @variables = grep { !/^artifact_(?:request_tool|text)/ } do {
    my $all = slurp("$FindBin::Bin/../../docs/variables.md");
    $all =~ /`\$(artifact_\w+)`/g;
};
my %seen;
@variables = grep { !$seen{$_}++ } @variables;

my $debug = $t->version =~ /--with-debug/ ? 'debug' : 'info';
my $echo = echo("$dir/echo");
my $format = join ' ', map { "\$$_" } qw(uri request_uri document_uri
    request_filename status), @variables;

sub server {
    my ($layout) = @_;
    return <<"SERVER";
    artifact_root %%DATA%%;
    artifact_language en;
    $layout
    error_log %%PREFIX%%/debug.log $debug;
    access_log %%PREFIX%%/all.log all;
    log_subrequest on;
    location /artifacts/ { internal; artifact; log_not_found off; }
    location /behind/ {
        artifact_expand standins;
        artifact_description "no \$artifact_name, \$artifact_id, \$artifact_key";
        add_header X-All "\$artifact_id \$artifact_reasons \$artifact_ref \$artifact_name";
        proxy_pass http://unix:$dir/echo:/v1/;
    }
    location = /requests { artifact_requests; access_log off; }
SERVER
}

$t->allow(qr/stand-in/);
$t->start(http => <<"HTTP", server => server(''));
    artifact_capabilities %%PREFIX%%/map.json;
    log_format all '$format';
HTTP

sub ask {
    my ($model, @kinds) = @_;
    my @parts;

    for (@kinds) {
        my $data = b64($of{$_});
        push @parts,
            /pdf/ ? { type => 'file', file => {
                filename => 'a.pdf', file_data => "data:application/pdf;base64,$data" } }
            : /wav/ ? { type => 'input_audio',
                        input_audio => { data => $data, format => 'wav' } }
            : { type => 'image_url',
                image_url => { url => "data:image/png;base64,$data" } };
    }

    return $t->req('POST', '/behind/chat/completions',
        headers => ['Content-Type' => 'application/json'],
        body => encode_json_bytes({ model => $model, messages => [
            { role => 'user', content => \@parts },
            { role => 'tool', tool_call_id => 'c',
              content => join ' ', map { b64($of{$_}) } @kinds } ] }));
}

sub answer { return join "\n", $_[0]{head}, $_[0]{body} }

for my $model (qw(sees reads who)) {
    my $res = ask($model, qw(png pdf wav));
    is($res->{status}, 200, "$model: expanded");
    unlike(answer($res), qr/$_/, "$model: no id") for values %id;
    unlike(answer($res), qr/standin|artifact:/, "$model: no other name");
    like($res->body, qr/\[Unreadable\] Image\\n.*\] a\.pdf\\n.*\] Audio\\n/,
         "$model: names") if $model eq 'reads';
}

my %why = (old => 'is missing', none => 'is missing', plain => 'is missing',
    digest => 'is another one', empty => 'is missing', size => 'is another one');

for my $kind (sort keys %why) {
    my $res = ask('sees', $kind);
    is($res->{status}, 502, "$kind: refused");
    like($res->body, qr/"code":"source_failed"/, "$kind: its code");
    unlike(answer($res), qr/$_/, "$kind: no id") for values %id;
    ok($t->wait_for(qr/\[error\].*"$id{$kind}", which a stand-in of .* $why{$kind}/,
                    'debug.log'),
       "$kind: the operator knows");
}

until_true(sub { () = slurp("$dir/all.log") =~ /\n/g > 8 }, 20);

my $requests = $t->get('/requests?limit=100')->body;
my $access = slurp("$dir/all.log");
my @below = grep { /^\S+ \S+ \[(?:notice|info|debug)\]/ }
    split /\n/, slurp("$dir/debug.log");

ok(@below > 9, 'lines of the log') if $debug eq 'debug';
like($access, qr{/artifacts/standin}, 'the access log has the subrequests');

for my $kind (sort keys %id) {
    my $one = qr/$id{$kind}|@{[$id{$kind} =~ tr|-||dr]}/;
    unlike($requests, $one, "$kind: not in the last requests");
    unlike($access, $one, "$kind: not in the access log");
    is((grep { $_ =~ $one } @below)[0], undef, "$kind: not below warn");
}

$t->finish;
