#!/usr/bin/perl

# Agents of real frameworks read what a tool returns, 3 MB of log, on demand: it
# is shortened on its way to them, or on the way to their model.  And they bring
# a file of a sandbox into the store, with curl.  With TEST_CLIENTS=full
# ("make test-clients") more of them, and Claude Code with its own shell.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactClients;
use ArtifactTest;

my $full = ($ENV{TEST_CLIENTS} // '') eq 'full';

my $t = clients_start('Long texts and files');

clients_run($t, '', 150, 'texts.mjs', qw(ai genai));

if ($full) {
    clients_run($t, '', 200, 'texts.mjs', qw(agents plain anthropic));
    clients_run($t, 'more', 280, 'texts.mjs', qw(langchain mastra claude));
}

$t->finish;
