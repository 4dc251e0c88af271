#!/usr/bin/perl

# Limits that docs/errors.md names are those of the code.

use strict;
use warnings;

use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactCheck qw(slurp);
use Test::More;

my $root = abs_path("$FindBin::Bin/../..");
my $page = slurp("$root/docs/errors.md");
my $code = join '', map { slurp($_) } sort glob "$root/src/*/*/*.[ch]";

my %unit = ('' => 1, k => 1024, m => 1048576);

# how a row begins, and the constant or the default in the code

my @rows = (
    ['[artifact_body_max]', merged('body_max')],
    ['[artifact_refs_max]', merged('refs_max')],
    ['[artifact_inline_max]', merged('inline_max')],
    ['[artifact_text_max]', merged('text_max')],
    ['[artifact_offload_min]', merged('offload_min')],
    ['[artifact_derive_parallel]', merged('parallel')],
    ['[artifact_zone]', number($code =~ /value\(amcf->zone_size, (.*?)\);/)],
    ['references, and the client', defined_as('ART_MESSAGE_SLOTS_MAX')],
    ['places with media', defined_as('ART_MESSAGE_MEDIA_MAX')],
    ['markers and pasted', defined_as('ART_SEARCH_FINDS')],
    ['the same, of a request', defined_as('ART_MESSAGE_FINDS_MAX')],
    ['nesting of the JSON', defined_as('ART_LEX_DEPTH')],
    ['the name of a model', defined_as('ART_SCAN_MODEL_MAX')],
    ['models of one request', defined_as('ART_MESSAGE_MODELS_MAX')],
    ['a block `<artifacts>`', defined_as('ART_BLOCK_MAX')],
    ['URLs of images', defined_as('ART_URLS_MAX')],
    ['events that are held', defined_as('ART_EXTRACT_HELD')],
    ['the `result` of an agent', defined_as('ART_EXTRACT_RESULT')],
    ['what surrounds base64', defined_as('ART_OFFLOAD_HELD')],
    ['a page of a listing', defined_as('ART_PAGE_LIMIT_MAX')],
    ['the body', defined_as('NGX_HTTP_ARTIFACT_MESSAGE_MAX')],
    ['an id, a workspace id', defined_as('ART_ID_NAME_MAX')],
    ['the path in a workspace', defined_as('ART_ID_PATH_MAX')],
    ['`{id}.meta`', defined_as('NGX_ARTIFACT_META_MAX')],
    ['`{workspaceId}.meta.json`', defined_as('NGX_ARTIFACT_METADATA_MAX')],
    ['one entry in it', defined_as('ART_META_ENTRY_MAX')],
    ['`agentId`, `messageId`', defined_as('ART_META_ID_MAX')],
    ['a capability map', defined_as('NGX_HTTP_ARTIFACT_MAP_MAX')],
    ['an id in a map', defined_as('ART_CAPMAP_ID_MAX')],
    ['a JSON value that', defined_as('ART_RENDER_JSON_MAX')],
    ['what is read to find', defined_as('ART_SNIFF_MAX')],
    ['Anthropic', request_limit('anthropic')],
    ['Gemini', request_limit('gemini')],
    ['OpenAI (both)', request_limit('openai')],
);

for my $row (@rows) {
    my ($begins, $want) = @$row;
    my ($n, $unit) = $page
        =~ /^\| \Q$begins\E[^|]*\| (\d+)([km]?)\b/m;

    is(defined $n ? $n * $unit{$unit} : 'no such row', $want, $begins);
}

# every directive that sets a size or a number is there

for my $name ($code
    =~ /ngx_string\("(artifact_\w+_(?:max|min)|artifact_zone)"\)/g)
{
    like($page, qr/^\| \[$name\]\(directives\.md#$name\)/m, $name);
}

done_testing();


sub defined_as {
    my ($name) = @_;
    return number($code =~ /^#define\s+$name\s+(\(.*?\)|\w+)/m);
}


# The default that a merged value gets.

sub merged {
    my ($name) = @_;
    return number($code =~ /prev->$name,\s*([^;]*)\);/);
}


sub request_limit {
    my ($api) = @_;
    my ($mb) = slurp("$root/src/core/api/art_api_$api.c")
        =~ /\.request = \{.*?\.max = MB\((\d+)\)/s;
    return ($mb // 0) * $unit{m};
}


sub number {
    my ($text) = @_;
    return 'not found' if ($text // '') !~ /\A[\d\s*()]+\z/;
    return eval $text;
}
