package ArtifactCurl;

# curl as a client: HTTP/2 and TLS, several transfers at once.

use strict;
use warnings;

use Exporter 'import';

use ArtifactCheck;
use ArtifactHTTP;

our @EXPORT = qw(curl curl_all curl_features certificate);

my $COUNT = 0;


# Whether curl and openssl are there, and curl knows a feature.

sub curl_features {
    my ($feature) = @_;
    return `curl --version 2>/dev/null` =~ /^Features:.*\b\Q$feature\E\b/m;
}


# One request; options are curl's.  Returns what ArtifactHTTP returns, with
# "exit", curl's own verdict, in complete's place.

sub curl {
    my ($dir, @args) = @_;
    return (curl_all($dir, [@args]))[0];
}


# Several requests at once, each a list of curl's arguments.  Over TLS they are
# streams of one connection; in the clear each has its own, as curl 7.88 fails
# there with several streams (of any server).

sub curl_all {
    my ($dir, @transfers) = @_;

    my (@command, @files);
    for my $transfer (@transfers) {
        my $file = "$dir/curl-$$-" . ++$COUNT;
        push @files, $file;
        unlink "$file.head", "$file.body";
        push @command, '--next' if @command;
        push @command, '-s', '-m', 20, '-D', "$file.head", '-o',
            "$file.body", @$transfer;
    }
    if (@transfers > 1) {
        unshift @command, '--parallel-immediate'
            unless grep { /^https:/ } map { @$_ } @transfers;
        unshift @command, '-Z', '--no-progress-meter', '--stderr',
            "$dir/curl.err";
    }

    system 'curl', @command;
    my $exit = $? >> 8;

    return map { _result($_, $exit) } @files;
}


sub _result {
    my ($file, $exit) = @_;

    my $head = -e "$file.head" ? slurp("$file.head") : '';
    my $body = -e "$file.body" ? slurp("$file.body") : '';

    # with several header blocks (100, an upgrade) the last one counts

    my ($last) = $head =~ /.*(HTTP\/.*?\r\n)\r\n/s;
    my $res = bless {
        status => 0, headers => {}, body => $body, head => $last // '',
        complete => $exit == 0, exit => $exit, trailing => 0,
    }, 'ArtifactHTTP::Response';

    for (split /\r\n/, $res->{head}) {
        if (m{^HTTP/(\S+) (\d{3})}) {
            @$res{qw(version status)} = ($1, $2);
        } elsif (/^([^:\s]+):[ \t]*(.*?)[ \t]*$/) {
            push @{ $res->{headers}{lc $1} }, $2;
        }
    }
    return $res;
}


# Makes a key and a certificate for localhost: the paths of both.

sub certificate {
    my ($dir) = @_;

    my ($key, $cert) = ("$dir/tls.key", "$dir/tls.crt");
    system("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1"
           . " -nodes -days 2 -subj /CN=localhost -keyout $key -out $cert"
           . " 2>$dir/openssl.log") == 0
        or die "openssl: " . slurp("$dir/openssl.log");
    return ($key, $cert);
}


1;
