#!/usr/bin/perl

# Behind a gateway a stand-in whose medium is not there, or is not the one that
# the id is made of, is an error, and no words for the model.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactJSON;
use ArtifactSandwich;
use ArtifactTest;

my $t = ArtifactTest->new;
my $echo = standin_echo($t);

standin_server($t, server => <<'SERVER');
    location /status {
        artifact_status;
    }
SERVER

my $png = standin_content('png', 3000);
my ($slot) = values %{ { standin_slots('openai', 'png') } };
my $uri = '/v1/chat/completions';
my $data = $t->data;

sub request { return standin_body('openai', $_[1] // 'sees',
                                  $slot->('image/png', $_[0])) }

standin_post($t, "/front$uri", request(b64($png)));

my $id = standin_id($data, $png, 'png');
my $file = standin_files($data)->{$id} or die "nothing is stored\n";
my $meta = "$data/artifacts/$id.meta";
my ($content, $sidecar) = (slurp($file->{path}), slurp($meta));

sub restore {
    spew($file->{path}, $content);
    spew($meta, $sidecar);
}


# A stand-in behind: the answer is a 502 and the log has a line; with the id
# nowhere but below warn.

sub refused {
    my ($name, $b64, $model) = @_;

    my $size = length $t->log;
    my $res = standin_post($t, "/behind$uri", request($b64, $model));
    is($res->status, 502, "$name: refused");
    my $error = json_of($res)->{error};
    is($error->{code}, 'source_failed', "$name: with a code");
    unlike($res->body, qr/[0-9a-f]{8}-[0-9a-f]{4}-/, "$name: without the id");
    unlike($res->body, qr/\Q$data\E/, "$name: without a path");
    like(substr($t->log, $size), qr/\[(?:warn|error)\]/,
         "$name: the log has a line");
    my $low = join "\n", grep { !/\[(?:warn|error)\]/ }
                         split /\n/, substr $t->log, $size;
    unlike($low, qr/$id/, "$name: nothing below has the id");
}


my $whole = standin_post($t, "/behind$uri", request(standin_b64('png', $id)));
standin_same($whole->body, request(b64($png)), 'it is there');

for my $model (qw(sees reads new-model)) {
    refused("missing, $model",
            standin_b64('png', '01234567-89ab-8def-8123-456789abcdef'), $model);
}

unlink $file->{path};
refused('without its content', standin_b64('png', $id));
restore();

unlink $meta;
refused('without its metadata', standin_b64('png', $id));
restore();

spew($file->{path}, substr $content, 0, -1);
refused('shorter', standin_b64('png', $id));
restore();

spew($file->{path}, "${content}x");
refused('longer', standin_b64('png', $id));
restore();

spew($meta, $sidecar =~ s/hmac-sha256:(..)/hmac-sha256:ff/r);
refused('of another digest', standin_b64('png', $id));

spew($meta, $sidecar =~ s/,?\s*"digest": ?"[^"]*"//r =~ s/\{,/{/r);
refused('of none', standin_b64('png', $id));

for my $mark ('false', 'null', '"true"', '1', '"yes"') {
    spew($meta, $sidecar =~ s/"standin": ?true/"standin":$mark/r);
    refused("marked $mark", standin_b64('png', $id));
}

spew($meta, $sidecar =~ s/,?"standin": ?true//r =~ s/\{,/{/r);
refused('not marked', standin_b64('png', $id));
restore();

# of another type: a stand-in of another kind with this id

for my $kind (qw(gif jpeg webp pdf mp4)) {
    refused("in a $kind", standin_b64($kind, $id));
}

# an artifact of anybody's

$t->artifact('01234567-89ab-8def-8123-456789abcde0', $png,
             { mimeType => 'image/png', digest => 'hmac-sha256:0123456789ab0def'
               . '8123456789abcde0' . '0' x 32 });
refused('an artifact that is none of these',
        standin_b64('png', '01234567-89ab-8def-8123-456789abcde0'));

# an expired one

my $expired = $sidecar;
$expired =~ s/,?\s*"expiresAt": ?"[^"]*"//;
$expired =~ s/\}\s*\z/,"expiresAt":"2020-01-01T00:00:00.000Z"}/;
spew($meta, $expired);
refused('expired', standin_b64('png', $id));
restore();

$whole = standin_post($t, "/behind$uri", request(standin_b64('png', $id)));
standin_same($whole->body, request(b64($png)), 'and there again');

my $counts = standin_counts($t->get('/status')->body);
cmp_ok($counts->{'behind png missing'} // 0, '>=', 3, 'counted as missing');
cmp_ok($counts->{'behind png mismatch'} // 0, '>=', 2, 'and as another');

$echo->stop;
$t->finish;
