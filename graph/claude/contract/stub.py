"""A Messages API on loopback that says what a test scripted, so that the real `claude` runs without network and login.

    with StubServer() as stub:
        stub.script("mine", [{"tool_use": [["Read", {"file_path": "/etc/hostname"}]]}, {"structured": None}])
        ...                          # run the command with ANTHROPIC_BASE_URL = stub.url("mine")
        stub.messages("mine")        # bodies that came over the wire
        stub.tool_results("mine")    # what the command answered to each tool call

A script is a list of replies. The n-th POST /v1/messages of one session (header X-Claude-Code-Session-Id) to one
scenario gets the n-th reply; the last one repeats. A reply is an object with one of these keys:

    structured    input of the StructuredOutput call; None = the smallest value that fits the schema sent;
                  a function gets the request's body and returns the input
    text          prose
    tool_use      [[name, input], ...]: tool calls in one turn; an input that is a string is sent as the JSON it is
    status        HTTP error; optional error (type), message, headers
    hang          "headers": never answer; "stream": begin, then silence; "ping": begin, then pings for ever
    drop          True: close without an answer; "stream": close in mid-stream
    stream_error  API error type, sent as an event in mid-stream

and optionally `delay` (seconds before answering), `stop_reason` and `headers`. Instead of a reply may stand a function
that gets the request's body and returns one.
"""

from __future__ import annotations

import json
import re
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import urlsplit

from graph.claude.contract.scenarios import Reply, scenarios

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}
STRUCTURED_TOOL = "StructuredOutput"
_DEEP = re.compile(rb"\[{99,}|\]{99,}")


def smallest_instance(schema: Any, root: Any = None) -> Any:
    """Return a small value that fits a JSON Schema (common keywords only)."""
    root = root or schema
    if "$ref" in schema:
        node = root
        for part in schema["$ref"].lstrip("#/").split("/"):
            node = node.get(part, {})
        return smallest_instance(node, root)
    fixed = [schema[key] for key in ("const", "default") if key in schema] + schema.get("enum", [])[:1]
    if fixed:
        return fixed[0]
    if schema.get("anyOf"):
        return smallest_instance(schema["anyOf"][0], root)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if kind == "object":
        props = schema.get("properties", {})
        names = schema.get("required", props)
        return {name: smallest_instance(props.get(name, {"type": "string"}), root) for name in names}
    if kind == "array":
        return [smallest_instance(schema.get("items", {}), root) for _ in range(schema.get("minItems", 0))]
    return {"integer": 1, "number": 1, "boolean": False, "null": None}.get(kind, "stub")


def text_of(content: Any) -> str:
    """Return the text of a message's content."""
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text", f"[{block.get('type')}]") for block in content or [])


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients are killed in mid-request by design."""


class StubServer:
    """The server; it listens while it is entered, on loopback only."""

    def __init__(self) -> None:
        self.scenarios = scenarios()
        self.stopping = threading.Event()
        self._log: list[dict[str, Any]] = []
        self._hits: dict[tuple[str, str], int] = {}
        self._lock = threading.Lock()
        self._http = _Server(("127.0.0.1", 0), type("Talk", (_Talk,), {"stub": self}))

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()

    def url(self, scenario: str) -> str:
        """Return the base address under which a scenario answers."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/{scenario}"

    def script(self, name: str, replies: list[Reply]) -> None:
        """Write, or write anew, what a scenario says."""
        self.scenarios[name] = replies

    def requests(self, scenario: str) -> list[dict[str, Any]]:
        """Return all that was asked of a scenario, in order."""
        with self._lock:
            return [r for r in self._log if r["scenario"] == scenario]

    def messages(self, scenario: str) -> list[dict[str, Any]]:
        """Return the bodies of the POST /v1/messages requests, in order."""
        return [r["body"] for r in self.requests(scenario) if r["path"] == "/v1/messages"]

    def tool_results(self, scenario: str) -> list[tuple[str, dict[str, Any], bool, str]]:
        """Return (tool, input, is_error, text) of each tool result in the longest conversation seen."""
        calls: dict[str, tuple[str, dict[str, Any]]] = {}
        results = []
        talks = [body["messages"] for body in self.messages(scenario)]
        longest: list[dict[str, Any]] = max(talks, key=len, default=[])
        blocks = [b for m in longest if isinstance(m["content"], list) for b in m["content"]]
        for block in blocks:
            if block["type"] == "tool_use":
                calls[block["id"]] = (block["name"], block["input"])
            elif block["type"] == "tool_result":
                tool, args = calls.get(block["tool_use_id"], ("?", {}))
                results.append((tool, args, bool(block.get("is_error")), text_of(block.get("content"))))
        return results

    def record(self, entry: dict[str, Any]) -> None:
        """Keep a request."""
        with self._lock:
            self._log.append(entry)

    def next_reply(self, scenario: str, session: str) -> Reply:
        """Return the reply that is due to this session, and count on."""
        replies = self.scenarios[scenario]
        with self._lock:
            n = self._hits.get((scenario, session), 0)
            self._hits[(scenario, session)] = n + 1
        return replies[min(n, len(replies) - 1)]


class _Talk(BaseHTTPRequestHandler):
    stub: StubServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it
        """Keep quiet."""

    def handle_one(self) -> None:
        """Keep the request and answer it."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        scenario, _, rest = urlsplit(self.path).path.lstrip("/").partition("/")
        try:
            body = json.loads(raw) if raw else {}
        except RecursionError:  # what a hostile model called a tool with comes back with the next request
            body = json.loads(_DEEP.sub(lambda deep: deep[0][:1], raw))
        session = self.headers.get("X-Claude-Code-Session-Id", "")
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.stub.record(
            {"scenario": scenario, "path": "/" + rest, "session": session, "headers": headers, "body": body}
        )
        if self.command == "POST" and rest == "v1/messages" and scenario in self.stub.scenarios:
            reply = self.stub.next_reply(scenario, session)
            self._reply(reply(body) if callable(reply) else reply, body)
        else:
            self._json(200, {})  # connectivity probes and the like

    do_GET = do_POST = do_HEAD = handle_one  # noqa: N815 - the base class looks for these names

    def _reply(self, reply: Reply, body: dict[str, Any]) -> None:
        self.stub.stopping.wait(reply.get("delay", 0))
        model = body.get("model", "stub")
        if "status" in reply:
            kind = reply.get("error", ERROR_TYPES.get(reply["status"], "api_error"))
            error = {"type": kind, "message": reply.get("message", "stub")}
            self._json(reply["status"], {"type": "error", "error": error}, reply.get("headers"))
        elif reply.get("hang") == "headers" or reply.get("drop") is True:
            if "hang" in reply:
                self.stub.stopping.wait()
            self.close_connection = True
        elif body.get("stream"):
            self._start_stream(model, reply.get("headers"))
            self._stream(reply, body)
        else:
            self._whole(reply, body)

    def _stream(self, reply: Reply, body: dict[str, Any]) -> None:
        if "stream_error" in reply:
            self._event("error", error={"type": reply["stream_error"], "message": "Overloaded"})
            self._end_stream()
        elif "hang" in reply or "drop" in reply:
            while "hang" in reply and not self.stub.stopping.wait(1):
                if reply["hang"] == "ping":
                    self._event("ping")
            self.close_connection = True
        else:
            blocks = _blocks(reply, body)
            for index, block in enumerate(blocks):
                self._block(index, block)
            stop = "tool_use" if any(b["type"] == "tool_use" for b in blocks) else "end_turn"
            delta = {"stop_reason": reply.get("stop_reason", stop), "stop_sequence": None}
            self._event("message_delta", delta=delta, usage={"output_tokens": 5})
            self._event("message_stop")
            self._end_stream()

    def _whole(self, reply: Reply, body: dict[str, Any]) -> None:
        """Answer in one piece, as the command asks for after streams that broke."""
        if "stream_error" in reply:
            error = {"type": reply["stream_error"], "message": "Overloaded"}
            self._json(529, {"type": "error", "error": error})
        elif "hang" in reply or "drop" in reply:
            if "hang" in reply:
                self.stub.stopping.wait()
            self.close_connection = True
        else:
            blocks = [b | ({"id": _id("toolu")} if "input" in b else {}) for b in _blocks(reply, body)]
            message = {"id": _id("msg"), "type": "message", "role": "assistant", "content": blocks}
            stop = "tool_use" if any("input" in b for b in blocks) else "end_turn"
            ending = {"stop_reason": reply.get("stop_reason", stop), "stop_sequence": None}
            usage = {"usage": {"input_tokens": 10, "output_tokens": 5}}
            self._json(200, message | {"model": body.get("model", "stub")} | ending | usage)

    def _block(self, index: int, block: dict[str, Any]) -> None:
        if block["type"] == "text":
            start: dict[str, Any] = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            start = {"type": "tool_use", "id": _id("toolu"), "name": block["name"], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": _written(block["input"])}
        self._event("content_block_start", index=index, content_block=start)
        self._event("content_block_delta", index=index, delta=delta)
        self._event("content_block_stop", index=index)

    def _json(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
        payload = json.dumps(value).encode()
        self.send_response(status)
        for name, text in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, text)
        self.send_header("content-length", str(len(payload)))
        self.send_header("request-id", _id("req"))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(payload)

    def _event(self, kind: str, **data: Any) -> None:
        raw = f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))
        self.wfile.flush()

    def _start_stream(self, model: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(200)
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("transfer-encoding", "chunked")
        self.send_header("request-id", _id("req"))
        self.end_headers()
        usage = {"input_tokens": 10, "output_tokens": 1}
        usage |= {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        message: dict[str, Any] = {"id": _id("msg"), "type": "message", "role": "assistant", "model": model}
        nothing: dict[str, Any] = {"content": [], "stop_reason": None, "stop_sequence": None}
        self._event("message_start", message=message | nothing | {"usage": usage})

    def _end_stream(self) -> None:
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()


def _blocks(reply: Reply, body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the content blocks of an answer."""
    blocks: list[dict[str, Any]] = []
    if "text" in reply:
        blocks.append({"type": "text", "text": reply["text"]})
    for name, args in reply.get("tool_use", []):
        blocks.append({"type": "tool_use", "name": name, "input": args})
    if "structured" in reply:
        schema: Any = next(
            (t["input_schema"] for t in body.get("tools", []) if t["name"] == STRUCTURED_TOOL), {}
        )
        value = reply["structured"]
        value = smallest_instance(schema) if value is None else value(body) if callable(value) else value
        blocks.append({"type": "tool_use", "name": STRUCTURED_TOOL, "input": value})
    return blocks


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _id(kind: str) -> str:
    return f"{kind}_stub_{uuid.uuid4().hex[:16]}"
