#!/usr/bin/perl

# Agents of real frameworks between two locations of nginx: pictures that their
# tools return become artifacts on the way to them, and pictures again on the
# way to the model.  With TEST_CLIENTS=full ("make test-clients") more of them,
# and tools of public servers.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use ArtifactClients;
use ArtifactTest;

my $full = ($ENV{TEST_CLIENTS} // '') eq 'full';

my $t = clients_start('Agents and MCP servers');

is(clients_undocumented(), '', 'docs/clients.md has the versions that are run');

clients_run($t, '', 520, 'run.mjs', qw(agents ai plain anthropic genai));

is(scalar(my @kept = glob $t->data . '/artifacts/*.meta'), 3,
   'three pictures, three artifacts');

clients_run($t, 'more', 550, 'run.mjs', qw(
    langchain mastra claude langchain@everything mastra@filesystem
    langchain@playwright claude@playwright
)) if $full;

# media of its own that end a session

clients_run($t, 'more', 15, 'own_claude.mjs') if $full;

$t->finish;
