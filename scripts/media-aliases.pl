#!/usr/bin/perl

# media-aliases.pl [--check]
#
# Writes src/core/media/art_media_aliases.c: other names of the media types that
# have a row in art_media_table.c, from the list below and from the shared MIME
# database of freedesktop.org (Debian: shared-mime-info), whose word on what is
# the same counts where the list below has none.  With --check only tells
# whether that is what stands there; the database's version may differ.

use strict;
use warnings;

use FindBin;

my $DATABASE = '/usr/share/mime/packages/freedesktop.org.xml';
my $ROOM = "$FindBin::Bin/../src/core/media";

my %row = map { $_ => 1 } rows();
my %alias;

while (my $line = <DATA>) {
    next if $line !~ /^(\S+) (\S+)$/;
    die "$2 has no row\n" if !$row{$2};
    $alias{$1} = $2;
}

for my $type (slurp($DATABASE) =~ /<mime-type (.*?)<\/mime-type>/gs) {
    my @names = ($type =~ /^type="([^"]+)"/,
                 $type =~ /<alias type="([^"]+)"/g);
    $_ = lc for @names;

    # the type of which a name is known already, the database's own first

    my ($known) = grep { defined } map { $row{$_} ? $_ : $alias{$_} } @names;
    next if !defined $known;

    for my $name (@names) {
        next if $row{$name} || is_other($name, $known);
        $alias{$name} //= $known;
    }
}

my $text = head();

for my $name (sort keys %alias) {
    my $line = qq(    { "$name", "$alias{$name}" },\n);
    $line = qq(    { "$name",\n      "$alias{$name}" },\n)
        if length $line > 81 && $alias{$name} !~ /openxml/;
    $line =~ s/"application\/vnd.openxmlformats-officedocument\./OOXML "/;
    $text .= $line;
}

$text =~ s/,\n\z/\n/;
$text .= "};\n\nconst unsigned  art_media_aliases_size ="
    . " art_nitems(art_media_aliases);\n";

my $file = "$ROOM/art_media_aliases.c";

if (@ARGV && $ARGV[0] eq '--check') {
    exit(slurp($file) eq $text ? 0 : 1);
}

open my $out, '>:raw', "$file.tmp" or die "$file.tmp: $!\n";
print $out $text or die "$file.tmp: $!\n";
close $out or die "$file.tmp: $!\n";
rename "$file.tmp", $file or die "$file: $!\n";


sub rows {
    my $table = slurp("$ROOM/art_media_table.c");
    my %macro = $table =~ /^#define (\w+)\s+"(application[^"]*)"$/gm;

    $table =~ s/^\s*\{ (\w+) "/    { "$macro{$1}/gm;

    return $table =~ /^    \{ "([^"]+)", \w/gm;
}

# audio is no other name of a video

sub is_other {
    my ($major, $known) = map { s/\/.*//sr } @_;
    my $media = qr/^(audio|image|video)$/;
    return $major =~ $media && $known =~ $media && $major ne $known;
}

sub slurp {
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!\n";
    return do { local $/; <$in> };
}

sub head {
    return <<'C';

/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Other names of the types in art_media_table.c, sorted by the first column.
 * Made by scripts/media-aliases.pl from its own list and from the shared MIME
 * database of freedesktop.org (shared-mime-info 2.2).
 */


#include "core/media/art_media_table.h"


#define OOXML  "application/vnd.openxmlformats-officedocument."


const art_media_alias_t  art_media_aliases[] = {
C
}

__DATA__
binary/octet-stream application/octet-stream
application/octetstream application/octet-stream
application/binary application/octet-stream
application/unknown application/octet-stream
application/x-unknown application/octet-stream
application/download application/octet-stream
application/force-download application/octet-stream
application/x-download application/octet-stream
application/x-empty application/octet-stream
inode/x-empty application/octet-stream
unknown/unknown application/octet-stream
application/vnd.ms-visio.drawing application/vnd.ms-visio.drawing.main+xml
application/7z application/x-7z-compressed
application/acrobat application/pdf
application/asx audio/x-ms-asx
application/bzip2 application/x-bzip2
application/csv text/csv
application/doc application/msword
application/docx application/vnd.openxmlformats-officedocument.wordprocessingml.document
application/dps application/vnd.ms-powerpoint
application/ecmascript text/javascript
application/eps application/postscript
application/epub application/epub+zip
application/et application/vnd.ms-excel
application/excel application/vnd.ms-excel
application/gzip-compressed application/gzip
application/gzipped application/gzip
application/jar application/java-archive
application/java application/java-vm
application/javascript text/javascript
application/ksdps application/vnd.ms-powerpoint
application/kset application/vnd.ms-excel
application/kswps application/msword
application/markdown text/markdown
application/ms-doc application/msword
application/ms-excel application/vnd.ms-excel
application/ms-powerpoint application/vnd.ms-powerpoint
application/ms-word application/msword
application/msexcel application/vnd.ms-excel
application/mspowerpoint application/vnd.ms-powerpoint
application/ndjson application/jsonl
application/parquet application/vnd.apache.parquet
application/photoshop image/vnd.adobe.photoshop
application/powerpoint application/vnd.ms-powerpoint
application/ppt application/vnd.ms-powerpoint
application/pptx application/vnd.openxmlformats-officedocument.presentationml.presentation
application/rar application/vnd.rar
application/tar application/x-tar
application/vnd.apple.mpegurl audio/x-mpegurl
application/vnd.ms-asf video/x-ms-asf
application/vnd.ms-visio application/vnd.visio
application/vnd.ms-word application/msword
application/vnd.msexcel application/vnd.ms-excel
application/vnd.mspowerpoint application/vnd.ms-powerpoint
application/vnd.msword application/msword
application/vnd.pdf application/pdf
application/winword application/msword
application/word application/msword
application/wps application/msword
application/wps-office.doc application/msword
application/wps-office.docx application/vnd.openxmlformats-officedocument.wordprocessingml.document
application/wps-office.dot application/msword
application/wps-office.dotx application/vnd.openxmlformats-officedocument.wordprocessingml.document
application/wps-office.dps application/vnd.ms-powerpoint
application/wps-office.dpt application/vnd.ms-powerpoint
application/wps-office.et application/vnd.ms-excel
application/wps-office.ett application/vnd.ms-excel
application/wps-office.pdf application/pdf
application/wps-office.pot application/vnd.ms-powerpoint
application/wps-office.potx application/vnd.openxmlformats-officedocument.presentationml.presentation
application/wps-office.pps application/vnd.ms-powerpoint
application/wps-office.ppsx application/vnd.openxmlformats-officedocument.presentationml.presentation
application/wps-office.ppt application/vnd.ms-powerpoint
application/wps-office.pptx application/vnd.openxmlformats-officedocument.presentationml.presentation
application/wps-office.wps application/msword
application/wps-office.wpt application/msword
application/wps-office.xls application/vnd.ms-excel
application/wps-office.xlsx application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
application/wps-office.xlt application/vnd.ms-excel
application/wps-office.xltx application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
application/x-7zip application/x-7z-compressed
application/x-bzip application/x-bzip2
application/x-cdf application/x-ole-storage
application/x-compressed-tar application/gzip
application/x-csv text/csv
application/x-doc application/msword
application/x-docx application/vnd.openxmlformats-officedocument.wordprocessingml.document
application/x-dos_ms_excel application/vnd.ms-excel
application/x-dosexec application/x-executable
application/x-elf application/x-executable
application/x-eps application/postscript
application/x-epub+zip application/epub+zip
application/x-et application/vnd.ms-excel
application/x-excel application/vnd.ms-excel
application/x-gtar application/x-tar
application/x-gzip application/gzip
application/x-java-applet application/java-vm
application/x-javascript text/javascript
application/x-json application/json
application/x-mach-binary application/x-executable
application/x-markdown text/markdown
application/x-mpegurl audio/x-mpegurl
application/x-mplayer2 video/x-ms-asf
application/x-ms-dos-executable application/x-executable
application/x-ms-excel application/vnd.ms-excel
application/x-msdownload application/x-executable
application/x-msexcel application/vnd.ms-excel
application/x-mspowerpoint application/vnd.ms-powerpoint
application/x-msword application/msword
application/x-ndjson application/jsonl
application/x-parquet application/vnd.apache.parquet
application/x-pdf application/pdf
application/x-php application/x-httpd-php
application/x-pie-executable application/x-executable
application/x-powerpoint application/vnd.ms-powerpoint
application/x-ppt application/vnd.ms-powerpoint
application/x-pptx application/vnd.openxmlformats-officedocument.presentationml.presentation
application/x-ps application/postscript
application/x-python text/x-python
application/x-python-code text/x-python
application/x-rar application/vnd.rar
application/x-rar-compressed application/vnd.rar
application/x-sharedlib application/x-executable
application/x-shellscript application/x-sh
application/x-sql application/sql
application/x-sqlite3 application/vnd.sqlite3
application/x-tgz application/gzip
application/x-toml application/toml
application/x-typescript text/x-typescript
application/x-visio application/vnd.visio
application/x-wasm application/wasm
application/x-word application/msword
application/x-wps application/msword
application/x-xls application/vnd.ms-excel
application/x-xlsx application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
application/x-yaml application/yaml
application/x-zip application/zip
application/x-zip-compressed application/zip
application/x-zstd application/zstd
application/xls application/vnd.ms-excel
application/xlsx application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
audio/aacp audio/aac
audio/m4a audio/mp4
audio/matroska audio/x-matroska
audio/mp3 audio/mpeg
audio/mp4a-latm audio/mp4
audio/mpeg3 audio/mpeg
audio/mpg audio/mpeg
audio/opus audio/ogg
audio/vnd.audible audio/vnd.audible.aax
audio/vnd.audible.aaxc audio/vnd.audible.aax
audio/vnd.wave audio/wav
audio/vorbis audio/ogg
audio/wave audio/wav
audio/wma audio/x-ms-wma
audio/x-aac audio/aac
audio/x-aacp audio/aac
audio/x-aiff audio/aiff
audio/x-flac audio/flac
audio/x-hx-aac-adts audio/aac
audio/x-m4a audio/mp4
audio/x-midi audio/midi
audio/x-mka audio/x-matroska
audio/x-mp3 audio/mpeg
audio/x-mp4 audio/mp4
audio/x-mpeg audio/mpeg
audio/x-mpeg-3 audio/mpeg
audio/x-mpg audio/mpeg
audio/x-ms-wax audio/x-ms-asx
audio/x-ogg audio/ogg
audio/x-opus+ogg audio/ogg
audio/x-pn-aax audio/vnd.audible.aax
audio/x-pn-wav audio/wav
audio/x-wav audio/wav
font/sfnt font/ttf
image/eps application/postscript
image/ico image/x-icon
image/icon image/x-icon
image/j2c image/jp2
image/jpe image/jpeg
image/jpeg2000 image/jp2
image/jpeg2000-image image/jp2
image/jpg image/jpeg
image/pjpeg image/jpeg
image/psd image/vnd.adobe.photoshop
image/svg image/svg+xml
image/svg-xml image/svg+xml
image/tif image/tiff
image/vnd.microsoft.icon image/x-icon
image/x-avif image/avif
image/x-bmp image/bmp
image/x-canon-crx image/x-canon-cr3
image/x-citrix-jpeg image/jpeg
image/x-eps application/postscript
image/x-gif image/gif
image/x-heic image/heic
image/x-jp2-codestream image/jp2
image/x-jpeg image/jpeg
image/x-jpeg2000-image image/jp2
image/x-jpg image/jpeg
image/x-jxl image/jxl
image/x-ms-bmp image/bmp
image/x-png image/png
image/x-psd image/vnd.adobe.photoshop
image/x-svg image/svg+xml
image/x-tif image/tiff
image/x-tiff image/tiff
image/x-webp image/webp
model/gltf model/gltf+json
model/x-obj model/obj
text/ecmascript text/javascript
text/htm text/html
text/ico image/x-icon
text/json application/json
text/jsx text/javascript
text/log text/plain
text/md text/markdown
text/pdf application/pdf
text/rtf application/rtf
text/svg image/svg+xml
text/txt text/plain
text/typescript text/x-typescript
text/x-csv text/csv
text/x-html text/html
text/x-java-source text/x-java
text/x-javascript text/javascript
text/x-json application/json
text/x-log text/plain
text/x-markdown text/markdown
text/x-pdf application/pdf
text/x-sh application/x-sh
text/x-shellscript application/x-sh
text/x-sql application/sql
text/x-txt text/plain
text/x-typescript-source text/x-typescript
text/x-yaml application/yaml
text/yaml application/yaml
video/3gp video/3gpp
video/avi video/x-msvideo
video/flv video/x-flv
video/matroska video/x-matroska
video/mkv video/x-matroska
video/mov video/quicktime
video/mpeg4 video/mp4
video/mpg video/mpeg
video/msvideo video/x-msvideo
video/mts video/mp2t
video/vnd.dlna.mpeg-tts video/mp2t
video/wmv video/x-ms-wmv
video/x-3gpp video/3gpp
video/x-m4v video/mp4
video/x-mp4 video/mp4
video/x-mpeg video/mpeg
video/x-mpegts video/mp2t
video/x-ms-asx audio/x-ms-asx
video/x-ms-wax audio/x-ms-asx
video/x-ms-wvx audio/x-ms-asx
video/x-quicktime video/quicktime
