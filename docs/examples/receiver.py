# A webhook receiver for Python 3.9 or newer:     WEBHOOK_SECRET=whsec_… PORT=8080 python3 receiver.py
import base64
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
MAX_BODY_BYTES = 10_000_000


def is_genuine(headers, body):
    sent_at = headers.get("webhook-timestamp", "")
    if not re.fullmatch(r"[0-9]{1,12}", sent_at) or abs(time.time() - int(sent_at)) > 300:
        return False
    signed = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(KEY, signed, "sha256"))
    given = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(expected, one.encode()) for one in given)


def parse(body):
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("id"), str) else None


def handle(event):
    """Remember event["id"]: the same event may arrive again."""
    print(event["id"], event.get("event"), event.get("payload"), flush=True)


class Receiver(BaseHTTPRequestHandler):
    timeout = 15  # seconds for a caller that sends nothing

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not re.fullmatch(r"[0-9]{1,12}", length):
            return self.answer(400)
        if int(length) > MAX_BODY_BYTES:
            return self.answer(413)
        body = self.rfile.read(int(length))
        if not is_genuine(self.headers, body):
            return self.answer(401)
        event = parse(body)
        if event is None:
            return self.answer(400)
        self.answer(204)
        handle(event)  # after the answer

    def answer(self, status):
        self.close_connection = True
        self.send_response(status)
        self.end_headers()
        self.wfile.flush()


ThreadingHTTPServer(("", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()
