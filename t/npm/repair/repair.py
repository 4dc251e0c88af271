"""repair.py SOCKET PORT

A gateway that parses what comes to SOCKET, whatever its type (UTF-16, too), makes
proper base64 of each string as Python reads it, and sends that on to PORT.
"""

import base64
import http.client
import http.server
import json
import re
import socketserver
import sys
import urllib.parse


def repaired(text):
    head, rest = re.match(r"(data:[^,]*,)?(.*)", text, re.S).groups()
    if len(rest) < 300:
        return text
    rest = urllib.parse.unquote(rest)
    try:
        data = base64.b64decode(rest)
    except ValueError:
        try:
            data = base64.b64decode(rest.translate({45: 43, 95: 47}) + "==")
        except ValueError:
            return text
    return ("data:image/png;base64," if head else "") + base64.b64encode(
        data).decode()


def walk(value):
    if isinstance(value, str):
        return repaired(value)
    if isinstance(value, list):
        return [walk(inner) for inner in value]
    if isinstance(value, dict):
        return {name: walk(inner) for name, inner in value.items()}
    return value


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            body = json.dumps(walk(json.loads(body))).encode()
        except ValueError:
            pass
        onward = http.client.HTTPConnection("127.0.0.1", int(sys.argv[2]))
        onward.request("POST", self.path, body,
                       {"Content-Type": "application/json"})
        answer = onward.getresponse()
        data = answer.read()
        self.send_response(answer.status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def address_string(self):
        return "nginx"

    def log_message(self, *args):
        pass


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    request_queue_size = 128


Server(sys.argv[1], Handler).serve_forever()
