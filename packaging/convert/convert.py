#!/usr/bin/python3 -I
"""A converter for artifact_derive: POST of a file, its other form comes back.

    /convert/jpeg       image, SVG         -> JPEG, longest side 2000
    /convert/fit        image              -> PNG or JPEG, longest side 2000
    /convert/text       PDF, scan, image   -> text
    /convert/markdown   DOCX, XLSX, PPTX.. -> Markdown
    /convert/mp3        audio, video       -> MP3
    /convert/frames     video              -> JPEG of nine frames and their times
    /convert/transcript audio, video       -> text, by a server (--transcribe)
    /convert/caption    image, SVG         -> text, by a server (--caption)

The work is done by Debian's imagemagick, librsvg2-bin, poppler-utils,
tesseract-ocr, pandoc, ffmpeg, python3-openpyxl and python3-xlrd, each run as a
process of its own: without a shell, a name of the user's, or a network (where the
kernel allows that), with limits on time, memory and files, in a folder that is
removed afterwards.  The same bytes give the same bytes.

200   the other form          411 413  no length, too large
204   nothing is in it        415      a type that is not converted here
422   it cannot be converted  501      the program is not installed
503   no slot is free         504      it takes too long

A 503 and a 504 may pass, all others stay for the same bytes.
"""

import argparse
import base64
import http.client
import http.server
import importlib.util
import json
import os
import select
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

ENV = {'PATH': '/usr/bin:/bin', 'LANG': 'C.UTF-8', 'TZ': 'UTC',
       'OMP_THREAD_LIMIT': '1', 'MAGICK_THREAD_LIMIT': '1'}

# Media types, and what the program that reads them calls their format: it is
# told, or it would guess from the bytes, and some formats read other files.

IMAGES = {'image/avif': 'avif', 'image/bmp': 'bmp', 'image/gif': 'gif',
          'image/heic': 'heic', 'image/heif': 'heic', 'image/jp2': 'jp2',
          'image/jpeg': 'jpeg', 'image/png': 'png', 'image/tiff': 'tiff',
          'image/vnd.adobe.photoshop': 'psd', 'image/webp': 'webp',
          'image/x-icon': 'ico'}

SVG = 'image/svg+xml'
PDF = 'application/pdf'
OFFICE = 'application/vnd.openxmlformats-officedocument.'

DOCUMENTS = {OFFICE + 'wordprocessingml.document': 'docx',
             'application/epub+zip': 'epub', 'application/rtf': 'rtf',
             'application/vnd.oasis.opendocument.text': 'odt',
             'text/html': 'html'}

# Tables and slides, read by a process of Python, and the library it needs.

SHEETS = {OFFICE + 'spreadsheetml.sheet': 'openpyxl',
          OFFICE + 'presentationml.presentation': 'zipfile',
          'application/vnd.ms-excel': 'xlrd'}

SOUNDS = {'audio/3gpp': 'mov', 'audio/aac': 'aac', 'audio/aiff': 'aiff',
          'audio/amr': 'amr', 'audio/basic': 'au', 'audio/flac': 'flac',
          'audio/mp4': 'mov', 'audio/mpeg': 'mp3', 'audio/ogg': 'ogg',
          'audio/wav': 'wav', 'audio/webm': 'matroska',
          'audio/x-matroska': 'matroska', 'audio/x-ms-wma': 'asf',
          'video/3gpp': 'mov', 'video/mp4': 'mov', 'video/mpeg': 'mpeg',
          'video/ogg': 'ogg', 'video/quicktime': 'mov',
          'video/webm': 'matroska', 'video/x-flv': 'flv',
          'video/x-matroska': 'matroska', 'video/x-ms-asf': 'asf',
          'video/x-ms-wmv': 'asf', 'video/x-msvideo': 'avi'}

VIDEOS = {kind: name for kind, name in SOUNDS.items() if kind[:6] == 'video/'}

TEXT = 'text/plain; charset=utf-8'
MARKDOWN = 'text/markdown; charset=utf-8'
PNG_MAX = 3 << 20           # a larger PNG becomes a JPEG: APIs count bytes, too

# A page with fewer characters is a picture, if an image covers so much of it:
# scanners print a line of their own.

FEW_CHARACTERS = 200
COVERED = 0.5

FRAMES = 3                  # in a row, and rows
REPLY_MAX = 1 << 20         # bytes of another server's answer


class Refused(Exception):
    """The answer instead of a content: a status and words."""


class Gone(Exception):
    """The client does not wait any longer."""


# --- the conversions: from the file "in" to the name and type of another -----

def raster(job, *how):
    """Any image, upright, in the first of its frames."""
    name = IMAGES.get(job.type, 'png')
    source = f'{name}:in[{largest(job) if name == "ico" else 0}]'

    if job.type == SVG:
        # read from a pipe it has no folder to load other files from
        job.run('rsvg-convert', '-w', job.side, '-h', job.side, '-a',
                '-b', 'white', '-f', 'png', '-o', 'drawn', stdin='in')
        source = 'png:drawn'

    job.run('convert', source, '-auto-orient', *how)


def largest(job):
    """The number of an icon's largest picture."""
    sizes = job.lines('identify', '-format', '%[scene] %w %h\n', 'ico:in')
    return max((line.split() for line in sizes),
               key=lambda it: int(it[1]) * int(it[2]))[0]


def sized(job):
    return '-resize', f'{job.side}x{job.side}>', '-depth', '8', '-strip'


def jpeg(job):
    raster(job, *sized(job), '-background', 'white', '-alpha', 'remove',
           '-colorspace', 'sRGB', '-quality', '85', 'jpeg:out')
    return 'out', 'image/jpeg'


def fit(job):
    if job.type in ('image/png', 'image/gif', 'image/x-icon', SVG):
        raster(job, *sized(job), '-define', 'png:exclude-chunks=date,time',
               'png:out')

        if os.path.getsize(job.path('out')) <= PNG_MAX:
            return 'out', 'image/png'

    return jpeg(job)


def text(job):
    if job.type == PDF:
        return pdf(job)

    # a fax has several pages

    last = job.pages - 1 if job.type == 'image/tiff' else 0
    ways = ('-background', 'white', '-alpha', 'remove', '-colorspace', 'gray',
            '-resize', '4000x4000>', '-strip')

    if job.type == 'image/tiff':
        job.run('convert', f'tiff:in[0-{last}]', '-auto-orient', *ways,
                'png:page-%03d')
        count = len(job.lines('identify', '-ping', '-format', '%p\n',
                              'tiff:in'))
    else:
        raster(job, *ways, 'png:page-000')
        count = 1

    for page in job.names('page-'):
        read(job, page)

    left_out(job, range(job.pages + 1, count + 1), count)
    return 'out', TEXT


def pdf(job):
    """The text of each page, or what is read of its picture."""
    job.run('pdftotext', '-q', '-enc', 'UTF-8', 'in', 'words')

    with open(job.path('words'), encoding='utf-8', errors='replace') as file:
        pages = file.read().split('\f')[:-1]

    pictures = [n for n, words in enumerate(pages, 1)
                if len(''.join(words.split())) < FEW_CHARACTERS]
    covered = covers(job, pictures) if pictures else {}
    pictures = [n for n in pictures
                if not pages[n - 1].strip() or covered.get(n, 0) >= COVERED]

    for n, words in enumerate(pages, 1):

        if n in pictures[:job.pages]:
            job.run('pdftoppm', '-q', '-png', '-gray', '-scale-to', '2400',
                    '-f', n, '-l', n, '-singlefile', 'in', 'page')
            before = os.path.getsize(job.path('out')) if n > 1 else 0
            read(job, 'page.png')

            if os.path.getsize(job.path('out')) > before:
                continue

        with open(job.path('out'), 'a', encoding='utf-8') as out:
            out.write(words)

    left_out(job, pictures[job.pages:], len(pages))
    return 'out', TEXT


def covers(job, pages):
    """How much of each page the largest of its images covers."""
    sizes, covered = {}, {}

    for line in job.lines('pdfinfo', '-f', pages[0], '-l', pages[-1], 'in'):
        words = line.split()
        if words[:1] == ['Page'] and words[2:3] == ['size:']:
            sizes[int(words[1])] = float(words[3]) * float(words[5])

    # page num type width height color comp bpc enc interp object ID x-ppi y-ppi

    for line in job.lines('pdfimages', '-list', '-f', pages[0], '-l',
                          pages[-1], 'in')[2:]:
        words = line.split()
        page, width, height = int(words[0]), int(words[3]), int(words[4])
        area = (width * 72 / max(float(words[12]), 1)
                * height * 72 / max(float(words[13]), 1))
        share = area / max(sizes.get(page, 1), 1)
        covered[page] = max(covered.get(page, 0), share)

    return covered


def left_out(job, pages, count):
    if pages:
        with open(job.path('out'), 'a', encoding='utf-8') as out:
            out.write(f'[pages 1 to {pages[0] - 1} of {count} have been read: '
                      'those behind them are pictures]\n')


def read(job, page):
    job.run('tesseract', '-l', job.languages, '-c', 'page_separator=', page,
            'stdout', stdout='out')


def markdown(job):
    if job.type in SHEETS:
        return sheets(job)

    with open(job.path('words.lua'), 'w', encoding='ascii') as script:
        script.write('function Image (i) return i.caption end\n')

    job.run('pandoc', '--sandbox', '-f', DOCUMENTS[job.type], '-t',
            'gfm-raw_html', '--wrap=none', '--lua-filter', 'words.lua',
            '-o', 'out', 'in')
    return 'out', MARKDOWN


def mp3(job):
    job.run('ffmpeg', '-nostdin', '-v', 'error', '-threads', '1',
            '-protocol_whitelist', 'file', '-f', SOUNDS[job.type], '-i',
            'file:in', '-map', '0:a:0', '-map_metadata', '-1', '-fflags',
            '+bitexact', '-flags:a', '+bitexact', '-ac', '1', '-b:a', '64k',
            '-id3v2_version', '0', '-f', 'mp3', 'file:out')
    return 'out', 'audio/mpeg'


def sheets(job):
    if not importlib.util.find_spec(SHEETS[job.type]):
        raise Refused(501, f'{SHEETS[job.type]} is not installed')

    job.run('python3', '-I', '-c', READ_SHEETS, SHEETS[job.type], stdout='out')
    return 'out', MARKDOWN


# What that process of Python does.  Bounds are those of a context, not of Excel.

READ_SHEETS = r"""
import itertools, sys, zipfile
from xml.etree import ElementTree

sys.excepthook = lambda kind, why, _: sys.stderr.write(f'{kind.__name__}: {why}')

ROWS, COLUMNS, SHEETS = 2000, 100, 50

def cell(value):
    value = '' if value is None else str(value)
    if value.endswith('.0') and value[:-2].lstrip('-').isdigit():
        value = value[:-2]
    return ' '.join(value.replace('|', '\\|').split())

def table(name, rows, count):
    rows = [[cell(v) for v in row[:COLUMNS]]
            for row in itertools.islice(rows, ROWS)]
    while rows and not any(rows[-1]):
        rows.pop()
    if not rows:
        return
    width = max(n + 1 for row in rows for n, v in enumerate(row) if v)
    print('## ' + cell(name) + '\n')
    for n, row in enumerate(rows):
        row = (row + [''] * width)[:width]
        print('| ' + ' | '.join(row) + ' |')
        if n == 0:
            print('|' + ' --- |' * width)
    print()
    if count and count > ROWS:
        print(f'[rows 1 to {ROWS} of {count}]\n')

if sys.argv[1] == 'openpyxl':
    import openpyxl
    book = openpyxl.load_workbook(open('in', 'rb'), read_only=True, data_only=True)
    for sheet in book.worksheets[:SHEETS]:
        table(sheet.title, sheet.iter_rows(values_only=True, max_col=COLUMNS),
              sheet.max_row)

elif sys.argv[1] == 'xlrd':
    import xlrd
    book = xlrd.open_workbook('in', logfile=sys.stderr)
    def value(sheet, r, c):
        kind, v = sheet.cell_type(r, c), sheet.cell_value(r, c)
        if kind == xlrd.XL_CELL_DATE:
            try:
                return xlrd.xldate_as_datetime(v, book.datemode)
            except Exception:
                return v
        return v
    for sheet in book.sheets()[:SHEETS]:
        table(sheet.name, ([value(sheet, r, c) for c in range(sheet.ncols)]
                           for r in range(sheet.nrows)), sheet.nrows)

else:
    A = '{http://schemas.openxmlformats.org/drawingml/2006/main}'
    with zipfile.ZipFile('in') as file:
        names = [n for n in file.namelist()
                 if n.startswith('ppt/slides/slide') and n.endswith('.xml')]
        if not names:
            sys.exit('there are no slides')
        names.sort(key=lambda n: int('0' + ''.join(filter(str.isdigit, n[16:]))))
        for number, name in enumerate(names[:500], 1):
            print(f'## Slide {number}\n')
            with file.open(name) as slide:
                for _, node in ElementTree.iterparse(slide):
                    if node.tag == A + 'p':
                        words = ''.join(t.text or '' for t in node.iter(A + 't'))
                        if words.strip():
                            print(words.strip() + '\n')
                        node.clear()
        if len(names) > 500:
            print(f'[slides 1 to 500 of {len(names)}]')
"""


def frames(job):
    """A sheet of frames, each with its time."""
    source = ('-protocol_whitelist', 'file', '-f', VIDEOS[job.type])
    told = job.lines('ffprobe', '-v', 'error', *source, '-show_entries',
                     'format=duration', '-of', 'csv=p=0', 'file:in')

    try:
        length = max(float(told[0]), 0.1)
    except (IndexError, ValueError):
        length = FRAMES * FRAMES

    job.run('ffmpeg', '-nostdin', '-v', 'error', '-threads', '1', *source,
            '-i', 'file:in', '-map', '0:v:0', '-frames:v', '1', '-vf',
            f"fps={FRAMES * FRAMES / length:.6f}:round=up,"
            f'scale={job.side // FRAMES}:-2,'
            "drawtext=text='%{pts\\:hms}':x=8:y=8:fontsize=24:"
            'fontcolor=white:box=1:boxcolor=black@0.6:boxborderw=6,'
            f'tile={FRAMES}x{FRAMES}', '-q:v', '4', '-fflags', '+bitexact',
            '-flags:v', '+bitexact', '-f', 'image2', 'file:out')
    return 'out', 'image/jpeg'


def transcript(job):
    """What is said, by a server that speaks OpenAI's API."""
    where, model = served(job.options.transcribe, 'transcribed')
    mp3(job)

    with open(job.path('out'), 'rb') as file:
        sound = file.read()

    edge = 'convert-5f0f1c3a'
    body = b''.join(
        f'--{edge}\r\nContent-Disposition: form-data; name="{name}"'
        f'{more}\r\n\r\n'.encode() + value + b'\r\n'
        for name, more, value in (
            ('model', '', model.encode()), ('response_format', '', b'json'),
            ('file', '; filename="sound.mp3"\r\nContent-Type: audio/mpeg',
             sound))) + f'--{edge}--\r\n'.encode()

    reply = job.ask(where, f'multipart/form-data; boundary={edge}', body)
    return written(job, reply.get('text'))


def caption(job):
    """What is seen, by a model of a server that speaks OpenAI's API."""
    where, model = served(job.options.caption, 'described')
    name, kind = fit(job)

    with open(job.path(name), 'rb') as file:
        data = base64.b64encode(file.read()).decode()

    reply = job.ask(where, 'application/json', json.dumps({
        'model': model, 'messages': [{'role': 'user', 'content': [
            {'type': 'text', 'text': job.options.caption_prompt},
            {'type': 'image_url',
             'image_url': {'url': f'data:{kind};base64,{data}'}}]}],
    }).encode())

    try:
        return written(job, reply['choices'][0]['message']['content'])
    except (KeyError, IndexError, TypeError):
        return written(job, None)


def served(option, verb):
    if not option:
        raise Refused(501, f'nothing is {verb} here')
    return option


def written(job, words):
    if not isinstance(words, str):
        raise Refused(503, 'the other server answers otherwise')

    with open(job.path('said.txt'), 'w', encoding='utf-8') as out:
        out.write(words.strip() + '\n')

    return 'said.txt', TEXT


CONVERSIONS = {
    '/convert/jpeg':     (jpeg, {*IMAGES, SVG}),
    '/convert/fit':      (fit, {*IMAGES, SVG}),
    '/convert/text':     (text, {*IMAGES, SVG, PDF}),
    '/convert/markdown': (markdown, {**DOCUMENTS, **SHEETS}),
    '/convert/mp3':      (mp3, SOUNDS),
    '/convert/frames':   (frames, VIDEOS),
    '/convert/transcript': (transcript, SOUNDS),
    '/convert/caption':  (caption, {*IMAGES, SVG}),
}


# --- one conversion: its folder, its programs --------------------------------

class Job:
    lock = threading.Lock()
    running = set()         # programs; None: the server is about to end

    def __init__(self, options, kind, sock, folder):
        self.options = options
        self.type = kind
        self.side = options.side
        self.pages = options.pages
        self.languages = options.languages
        self.folder = folder
        self.sock = sock
        self.jail = options.jail
        self.deadline = time.monotonic() + options.time

    def path(self, name):
        return os.path.join(self.folder, name)

    def blank(self, name):
        with open(self.path(name), 'rb') as file:
            return not any(part.strip() for part in iter(
                lambda: file.read(65536), b''))

    def run(self, program, *args, stdin=os.devnull, stdout='said'):
        if not shutil.which(program, path=ENV['PATH']):
            raise Refused(501, f'{program} is not installed')

        with open(self.path(stdin), 'rb') as source, \
             open(self.path(stdout), 'ab') as out, \
             open(self.path('errors'), 'wb') as errors:
            child = self.start([*self.jail, program, *map(str, args)],
                               source, out, errors)

        try:
            self.wait(child.pid)
        finally:
            with Job.lock:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                Job.running = Job.running and Job.running - {child.pid}

        if child.returncode:
            with open(self.path('errors'), 'rb') as errors:
                said = errors.read(2000).decode('utf-8', 'replace').strip()

            print(f'{program} of {self.type}: {child.returncode}: {said!r}',
                  file=sys.stderr)
            raise Refused(422, f'{program} cannot convert this {self.type}')

    def lines(self, program, *args):
        """What a program prints."""
        self.run(program, *args, stdout='lines')

        with open(self.path('lines'), encoding='utf-8', errors='replace') as it:
            lines = it.read().splitlines()

        os.unlink(self.path('lines'))
        return lines

    def names(self, prefix):
        return sorted(name for name in os.listdir(self.folder)
                      if name.startswith(prefix))

    def ask(self, where, kind, body):
        """JSON of a server that was named when this one was started."""
        headers = {'Content-Type': kind}
        key = os.environ.get('ARTIFACT_CONVERT_KEY')

        if key:
            headers['Authorization'] = f'Bearer {key}'

        left = max(1, self.deadline - time.monotonic())

        try:
            request = urllib.request.Request(where, body, headers)
            with urllib.request.urlopen(request, timeout=left) as reply:
                return json.loads(reply.read(REPLY_MAX))

        except urllib.error.HTTPError as error:
            print(f'{where}: {error.code}', file=sys.stderr)
            status = 422 if error.code in (400, 413, 415, 422) else 503
            raise Refused(status, 'the other server refuses it') from None

        except (OSError, ValueError, http.client.HTTPException) as error:
            print(f'{where}: {error!r}', file=sys.stderr)
            raise Refused(503, 'the other server does not answer') from None

    def start(self, command, *files):
        with Job.lock:
            if Job.running is None:
                raise Gone('the server ends')

            child = subprocess.Popen(
                command, stdin=files[0], stdout=files[1], stderr=files[2],
                env={**ENV, 'HOME': self.folder, 'TMPDIR': self.folder,
                     'MAGICK_CONFIGURE_PATH': os.path.dirname(self.folder)},
                cwd=self.folder, start_new_session=True)
            Job.running = Job.running | {child.pid}

        return child

    @classmethod
    def stop_all(cls):
        with cls.lock:
            for pid in cls.running:
                os.killpg(pid, signal.SIGKILL)
            cls.running = None

    def wait(self, pid):
        """Until the program ends, the client goes away, or time is over."""
        ended = os.pidfd_open(pid)

        try:
            poll = select.poll()
            poll.register(ended, select.POLLIN)
            poll.register(self.sock, select.POLLRDHUP)

            left = max(0, self.deadline - time.monotonic())
            ready = dict(poll.poll(left * 1000))
        finally:
            os.close(ended)

        if not ready:
            raise Refused(504, 'the conversion takes too long')

        if ended not in ready:
            raise Gone('the client does not wait')


# --- HTTP ---------------------------------------------------------------------

class Handler(http.server.BaseHTTPRequestHandler):
    server_version = 'convert'
    sys_version = ''

    def do_POST(self):
        options = self.server.options
        self.left = 0
        self.until = time.monotonic() + options.time

        with tempfile.TemporaryDirectory(prefix='convert-') as folder:
            try:
                self.convert(options, folder)
            except Refused as refused:
                self.refuse(*refused.args)
            except (Gone, OSError) as error:
                self.log_message('%s: %r', self.path, error)

    def convert(self, options, folder):
        conversion, types = CONVERSIONS.get(self.path, (None, ()))
        kind = self.headers.get('Content-Type', '').partition(';')[0]
        kind = kind.strip().lower()

        try:
            self.left = int(self.headers['Content-Length'])
        except (TypeError, ValueError):
            raise Refused(411, 'Content-Length is missing') from None

        if not conversion:
            raise Refused(404, 'there is no such conversion')

        if kind not in types:
            raise Refused(415, f'{self.path} takes no {kind or "unknown type"}')

        if self.left > options.body:
            raise Refused(413, f'it has more than {options.body} bytes')

        with open(os.path.join(folder, 'in'), 'wb') as file:
            self.receive(file.write)

        if not self.server.slots.acquire(timeout=options.wait):
            raise Refused(503, 'all slots are busy')

        try:
            job = Job(options, kind, self.connection, folder)
            name, kind = conversion(job)
        finally:
            self.server.slots.release()

        if job.blank(name):
            raise Refused(204, 'nothing is in it')

        self.answer(job.path(name), kind)

    def receive(self, to):
        """What is left of the body, in time."""
        while self.left > 0:
            if time.monotonic() > self.until:
                raise Gone('the body comes too slowly')

            part = self.rfile.read1(min(self.left, 65536))
            if not part:
                raise Gone('the body is cut short')

            self.left -= len(part)
            to(part)

    def answer(self, path, kind):
        with open(path, 'rb') as file:
            self.send_response(200)
            self.send_header('Content-Type', kind)
            self.send_header('Content-Length', os.fstat(file.fileno()).st_size)
            self.end_headers()
            shutil.copyfileobj(file, self.wfile)

    def refuse(self, status, words):
        body = b'' if status == 204 else words.encode() + b'\n'

        self.send_response(status)
        if body:
            self.send_header('Content-Type', TEXT)
            self.send_header('Content-Length', len(body))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

        # to close now would reset the connection, and lose the answer
        try:
            self.connection.shutdown(socket.SHUT_WR)
            self.receive(len)
        except (Gone, OSError):
            pass

    def address_string(self):
        return 'client'     # on a unix socket there is no address


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, options):
        self.options = options
        Handler.timeout = min(options.time, 30)
        self.slots = threading.Semaphore(options.slots)
        self.connections = threading.Semaphore(options.connections)
        address = options.listen

        if address.startswith('unix:'):
            address = address[5:]
            self.address_family = socket.AF_UNIX
            if os.path.exists(address):
                os.unlink(address)
        else:
            host, _, port = address.rpartition(':')
            address = host, int(port)

        super().__init__(address, Handler)

    def server_bind(self):
        socketserver.TCPServer.server_bind(self)    # without a look at DNS

        if self.address_family == socket.AF_UNIX:
            os.chmod(self.server_address, 0o666)    # its folder has the rights

    def process_request(self, request, client_address):
        if self.connections.acquire(blocking=False):
            super().process_request(request, client_address)
            return

        request.sendall(b'HTTP/1.0 503 Full\r\nContent-Length: 0\r\n\r\n')
        self.shutdown_request(request)

    def process_request_thread(self, request, client_address):
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.connections.release()


# ImageMagick keeps pixels in memory or not at all, and reads and writes nothing
# but images: no program, no URL, no "@file".

POLICY = """<policymap>
<policy domain="resource" name="memory" value="{memory}B"/>
<policy domain="resource" name="map" value="{memory}B"/>
<policy domain="resource" name="area" value="{memory}B"/>
<policy domain="resource" name="disk" value="0B"/>
<policy domain="delegate" rights="none" pattern="*"/>
<policy domain="path" rights="none" pattern="@*"/>
<policy domain="coder" rights="none" pattern="*"/>
<policy domain="coder" rights="read|write" pattern="{{{coders}}}"/>
</policymap>
"""


def jail_of(options):
    """What stands before each program: its limits."""
    limits = ['setpriv', '--pdeathsig', 'KILL', '--no-new-privs', '--',
              'prlimit', f'--as={options.memory}', f'--cpu={options.cpu}',
              f'--fsize={options.file}', '--core=0', '--']
    alone = ['unshare', '--map-root-user', '--net', '--']

    if subprocess.run([*alone, 'true'], env=ENV, check=False,
                      stderr=subprocess.DEVNULL).returncode == 0:
        return alone + limits

    print('programs have a network: unshare is not allowed', file=sys.stderr)
    return limits


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    option = parser.add_argument
    cores = os.cpu_count() or 1

    option('--listen', default='127.0.0.1:8090', help='or unix:PATH')
    option('--slots', type=int, default=cores, help='conversions at once')
    option('--connections', type=int, default=64)
    option('--wait', type=float, default=30, help='seconds for a slot')
    option('--time', type=float, default=45, help='seconds for a conversion')
    option('--cpu', type=int, default=20, help='seconds for a program')
    option('--memory', type=int, default=2 << 30, help='bytes for a program')
    option('--body', type=int, default=100 << 20, help='bytes of a request')
    option('--file', type=int, default=256 << 20, help='bytes of a new file')
    option('--side', type=int, default=2000, help='pixels')
    option('--pages', type=int, default=20, help='of a scanned PDF')
    option('--languages', default='eng', help="tesseract's")
    option('--transcribe', nargs=2, metavar=('URL', 'MODEL'),
           help='as http://127.0.0.1:9000/v1/audio/transcriptions whisper-1')
    option('--caption', nargs=2, metavar=('URL', 'MODEL'),
           help='as http://127.0.0.1:9000/v1/chat/completions qwen2-vl')
    option('--caption-prompt', default='Describe this image for someone who '
           'cannot see it: what it shows, and all text in it.')
    options = parser.parse_args()

    options.jail = jail_of(options)
    os.umask(0o077)

    # no folder stays when the server is told to end
    tempfile.tempdir = folder = tempfile.mkdtemp(prefix='artifact-convert-')
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())

    with open(folder + '/policy.xml', 'w', encoding='ascii') as file:
        file.write(POLICY.format(memory=options.memory // 2, coders=','.join(
            sorted({name.upper() for name in IMAGES.values()}))))

    try:
        with Server(options) as server:
            server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        Job.stop_all()
        if options.listen.startswith('unix:'):
            os.unlink(options.listen[5:])
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    main()
