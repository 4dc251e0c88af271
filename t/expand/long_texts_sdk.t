#!/usr/bin/perl

# Long texts in requests as real clients write them: the SDKs of providers, "ai"
# and LangChain send histories in which a tool has returned half a megabyte.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactSdk;
use ArtifactTest;

my $t = ArtifactTest->new;

$t->start(http => <<'HTTP', server => <<'SERVER');
    map $uri $format {
        ~^/mistral/  mistral;
        default      "";
    }
HTTP
    artifact_root %%DATA%%;
    artifact_language en;

    location / {
        artifact_expand on;
        artifact_format $format;
        artifact_offload_text 16k;
        proxy_pass http://unix:%%PREFIX%%/api:;
    }
SERVER

my $folder = sdk_folder() // do { $t->finish; exit };

sdk_run(43, $folder, 'texts.mjs', 'http://127.0.0.1:' . $t->port,
        $t->prefix . '/api');

$t->finish;
