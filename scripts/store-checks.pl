# store-checks.pl: what store-test.pl asks the edges of an object store.

use strict;
use warnings;
use utf8;

use MIME::Base64 qw(encode_base64url);
use Test::More;
use Time::HiRes qw(sleep time);

our ($repo, $state, $base, $gateway, %object);

my @MODELS = qw(text-model vision-model full-model);
my @EDGES = (0, 1);
my %got;


# --- the run ------------------------------------------------------------------

sub object_store {
    my ($store, @objects) = @_;

    ($gateway) = gateways($store);
    make_bucket($store, 'platform');
    upload($store, @objects);

    for my $edge (@EDGES) {
        start_edge($edge, edge_conf($store, $edge));
    }

    %got = ();
    everything($store, @objects);
    one_request($store, @objects);
    conditional($store);
    ranges($store);
    refusals($store);
    credentials_kept($store);
    other_bucket($store);
    slices($store);
    nodes($store);
    revalidation($store);
}


sub everything {
    my ($store, @objects) = @_;

    for my $edge (@EDGES) {
        for my $model (@MODELS) {
            all_right("$store, edge $edge, $model", map {
                my $res = ask($edge, ref_uri($_), model => $model);

                $got{$edge}{$model}{$_->{key}} = $res;
                [$_, wrong($res, $_, $model)];
            } @objects);
        }

        all_right("$store, edge $edge, raw", map {
            my $res = ask($edge, ref_uri($_));

            $got{$edge}{raw}{$_->{key}} = $res;
            [$_, wrong_raw($res, $_)];
        } @objects);

        all_right("$store, edge $edge, HEAD as GET", map {
            my $o = $_;

            map {
                my $get = $got{$edge}{$_}{$o->{key}};
                my $head = ask($edge, ref_uri($o), method => 'HEAD',
                               $_ eq 'raw' ? () : (model => $_));

                [$o, same_headers($get, $head)];
            } @MODELS, 'raw';
        } @objects);
    }

    all_right("$store, the same tags on both edges", map {
        my $o = $_;

        map {
            my ($a, $b) = map { $got{$_->[0]}{$_->[1]}{$o->{key}}
                                    ->header('ETag') // '' }
                          [0, $_], [1, $_];

            [$o, $a ne '' && $a eq $b ? undef : "$_: \"$a\", \"$b\""];
        } @MODELS, 'raw';
    } @objects);
}


sub same_headers {
    my ($get, $head) = @_;

    for my $name (qw(ETag Content-Type Content-Length Vary)) {
        my ($a, $b) = map { $_->header($name) // '' } $get, $head;

        return "$name: GET \"$a\", HEAD \"$b\"" if $a ne $b;
    }

    return $head->{status} == 200 ? undef : "status $head->{status}";
}


sub one_request {
    my ($store, @objects) = @_;

    sleep 0.5;

    my $sent = sent($store);

    all_right("$store, each object was sent once to each edge", map {
        my $n = $sent->{$_->{key}} // 0;

        [$_, $n == 2 ? undef : "$n times"];
    } @objects);

    all_right("$store, from the cache the second time", map {
        my $o = $_;

        map {
            my $is = ask($_, ref_uri($o), model => 'full-model')
                ->header('X-Cache') // '';

            [$o, $is eq 'HIT' ? undef : "edge $_: $is"];
        } @EDGES;
    } @objects);

    my $o = $object{'workspaces/agent-abc123/README.md'};
    my $pad = '=' x (-length($o->{ref} =~ s/.*://r) % 4);

    for my $ref ("artifact:$o->{ref}", "$o->{ref}$pad") {
        my $res = ask(0, "/artifacts/$ref", model => 'text-model');

        ok(!defined wrong($res, $o, 'text-model')
           && $res->header('X-Cache') eq 'HIT',
           "$store, $ref is the same object in the cache");
    }
}


sub conditional {
    my ($store) = @_;

    my @list;
    my @cases = map { $object{"artifacts/$_"} } qw(gradient poem report);

    for my $o (@cases) {
        for my $model (@MODELS, 'raw') {
            my @who = $model eq 'raw' ? () : (model => $model);
            my $tag = $got{0}{$model}{$o->{key}}->header('ETag');

            for my $edge (@EDGES) {
                my $same = ask($edge, ref_uri($o), @who,
                               headers => ['If-None-Match', $tag]);
                my $other = ask($edge, ref_uri($o), @who,
                                headers => ['If-None-Match', '"other"']);
                my $match = ask($edge, ref_uri($o), @who,
                                headers => ['If-Match', '"other"']);

                my $is = "$same->{status} $other->{status} $match->{status}";

                push @list, [$o, $is eq '304 200 412' ? undef
                                 : "$model, edge $edge: $is"];
            }
        }

        my $tag = $got{0}{'text-model'}{$o->{key}}->header('ETag');
        my $res = ask(0, ref_uri($o), model => 'full-model',
                      headers => ['If-None-Match', $tag]);

        push @list, [$o, $o->{kind} eq 'text' || $res->{status} == 200
                         ? undef : "another model's tag: $res->{status}"];
    }

    all_right("$store, 304, 200 and 412 by our own tags, on either edge",
              @list);

    my $new = ws_object('conditional', 'new.txt', 'text/plain', "new\n");

    upload($store, $new);

    my $tag = ask(0, ref_uri($new), model => 'text-model')->header('ETag');
    my $res = ask(1, ref_uri($new), model => 'text-model',
                  headers => ['If-None-Match', $tag]);

    is($res->{status}, 304, "$store, 304 from an edge that had to fetch it");
    is(sent_of($store, $new->{key}), 2, "$store, and it has fetched it");
}


sub ranges {
    my ($store) = @_;

    my $o = $object{'artifacts/large'};
    my $new = ws_object('ranges', 'new.bin', 'application/x-new',
                        noise(300000, 77));
    my @list;

    upload($store, $new);

    for my $case ([$o, 5000000, 5999999], [$new, 1000, 1999],
                  [$new, 299990, 299999])
    {
        my ($what, $first, $last) = @$case;
        my $res = ask(0, ref_uri($what),
                      headers => ['Range', "bytes=$first-$last"]);

        push @list, [$what, $res->{status} == 206 && $res->{complete}
            && $res->{body} eq substr($what->{content}, $first,
                                      $last - $first + 1)
            ? undef : "status $res->{status}"];
    }

    all_right("$store, raw ranges, cached or not", @list);
    is(sent_of($store, $new->{key}), 1,
       "$store, the store was asked for the whole");

    my $other = ws_object('ranges', 'other.bin', 'application/x-new',
                          noise(300000, 78));

    upload($store, $other);

    my $res = ask(0, ref_uri($other), model => 'full-model',
                  headers => ['Range', 'bytes=1000-1999']);

    is(wrong($res, $other, 'full-model'), undef,
       "$store, a range of a routed object is the whole object");
}


sub refusals {
    my ($store) = @_;

    json_error(ask(0, '/artifacts/missing'), 404, 'artifact_not_found',
               "$store, missing, raw");
    json_error(ask(1, '/artifacts/missing', model => 'full-model'), 404,
               'artifact_not_found', "$store, missing, routed");
    json_error(ask(1, '/artifacts/ws:none:' . encode_base64url('a/b'),
                   model => 'text-model'),
               404, 'artifact_not_found', "$store, missing in a workspace");
    json_error(ask(0, '/large/missing', model => 'full-model'), 404,
               'artifact_not_found', "$store, missing, in slices");
    json_error(ask(0, '/artifacts/ws:a:' . encode_base64url('../b')), 403,
               'path_traversal_blocked', "$store, above the workspace");
    json_error(ask(0, '/artifacts/ws:a:!!'), 400, 'invalid_artifact_id',
               "$store, no base64");

    is(ask(0, '/artifacts/poem', method => 'DELETE')->{status}, 403,
       "$store, DELETE does not reach the store");
}


# what the client says to the edge is none of the store's business

sub credentials_kept {
    my ($store) = @_;

    my $o = ws_object('credentials', 'a.txt', 'text/plain', "open\n" x 1000);

    upload($store, $o);

    my @headers = ('Authorization', 'Bearer abc', 'Cookie', 'a=b',
                   'Accept-Encoding', 'gzip');
    my $res = ask(0, ref_uri($o), model => 'text-model',
                  headers => \@headers);

    is(wrong($res, $o, 'text-model'), undef,
       "$store, Authorization and Accept-Encoding do not reach the store");

    $res = ask(1, ref_uri($o), model => 'text-model', headers => [
        @headers, 'If-Modified-Since', $res->header('Last-Modified'),
    ]);

    is($res->{status}, 304, "$store, If-Modified-Since is the edge's");
    is(sent_of($store, $o->{key}), 2, "$store, and the store has sent it");
}


# A bucket that is not public, and a container whose tags have no quotes.

sub other_bucket {
    my ($store) = @_;

    my $o = add(key => 'artifacts/other', ref => 'other', name => 'other',
                type => 'text/plain', content => "other\n",
                bucket => 'other');

    make_bucket($store, 'other');
    upload($store, $o);

    my $res = ask(0, '/other/other', model => 'text-model');

    is(wrong($res, $o, 'text-model'), undef, "$store, another bucket");

    if ($store eq 'ceph') {
        is(ask(0, '/other/missing')->{status}, 403,
           'ceph, missing in a bucket that is not public: 403');
        return;
    }

    my $raw = ask(0, '/other/other')->header('ETag');

    unlike($raw, qr/"/, 'swift, without etag-quoter a tag has no quotes');
    is(ask(0, '/other/other',
           headers => ['If-None-Match', "\"$raw\""])->{status},
       200, 'swift, and does not match one that has');
    is(ask(0, '/other/other', model => 'text-model', headers =>
               ['If-None-Match', $res->header('ETag')])->{status},
       304, 'swift, that of a routed answer does');
}


sub slices {
    my ($store) = @_;

    my $bin = $object{'artifacts/large'};
    my $text = $object{'artifacts/long'};
    my $before = sent_of($store, $bin->{key});
    my $uri = ref_uri($bin, '/large');

    is(wrong(ask(0, $uri, model => 'text-model'), $bin, 'text-model'), undef,
       "$store, slices: a description");

    my $taken = sent_of($store, $bin->{key}) - $before;

    ok($taken == 1 || $taken == 2,
       "$store, slices: a description takes one or two, here $taken");
    is(wrong(ask(0, $uri, model => 'full-model'), $bin, 'full-model'), undef,
       "$store, slices: base64");
    is(sent_of($store, $bin->{key}) - $before, 8, "$store, slices: all of them");
    is(wrong(ask(0, ref_uri($text, '/large'), model => 'text-model'), $text,
             'text-model'), undef, "$store, slices: text");
    is(wrong_raw(ask(0, $uri), $bin), undef, "$store, slices: raw");

    my $res = ask(1, $uri, headers => ['Range', 'bytes=3000000-3999999']);

    ok($res->{status} == 206
       && $res->{body} eq substr($bin->{content}, 3000000, 1000000),
       "$store, slices: a raw range");

    for my $range ('bytes=500-600', 'bytes=2000000-', 'bytes=-5') {
        for my $o ($bin, $text) {
            $res = ask(1, ref_uri($o, '/large'), model => 'full-model',
                       headers => ['Range', $range]);

            is(wrong($res, $o, 'full-model'), undef,
               "$store, slices: $range of $o->{name}, routed: the whole");
        }
    }

    # another object under the same key, while its slices are cached

    my @two = map { ws_object('slices', 'a.bin', 'application/x-a',
                              noise(3 << 20, $_)) } 5, 6;

    upload($store, $two[0]);
    ask(0, ref_uri($two[0], '/large'), headers => ['Range', 'bytes=0-9']);
    upload($store, $two[1]);

    $res = ask(0, ref_uri($two[1], '/large'), model => 'full-model');
    ok(!$res->{complete}, "$store, slices of two versions are not one answer");
}


1;
