"""One event on stdin → the daemon's socket → its answer on stdout.

Rules: exits 0 whatever happens, within one second, and is silent when the daemon is away, slow or confused. It imports
built-in modules only and forwards its input unread; of large input it sends the beginning, made whole, and the length of
what it left out. It never acts for muninn's own agents.
"""

from __future__ import annotations

import posix

SECONDS = 0.9
WHOLE = 256 * 1024  # bytes that are forwarded as they are
HEAD = 64 * 1024  # bytes of larger input that are forwarded
TAIL = 16 * 1024
ANSWER = 256 * 1024
SOCKET_LIMIT = 107  # bytes
LENGTHS = b'"muninn_lengths"'
WANTED = (b"session_id", b"hook_event_name", b"tool_name", b"cwd", b"agent_id", b"transcript_path")


def main() -> None:
    """Forward one event; never returns."""
    try:
        _limit()
        body, left_out, tail = _read()
        if b"MUNINN_INTERNAL" not in posix.environ and body.lstrip()[:1] == b"{":
            if left_out:
                body = shortened(body, left_out, tail)
            answer = _ask(_event(body), body)
            while answer:
                answer = answer[posix.write(1, answer) :]
    except BaseException:  # noqa: S110 - silence is the contract: a hook must never disturb the session it serves
        pass
    posix._exit(0)


def _limit() -> None:
    """End silently when the time is up."""
    import _signal  # type: ignore[import-not-found]

    _signal.signal(_signal.SIGALRM, lambda _number, _frame: posix._exit(0))
    _signal.setitimer(_signal.ITIMER_REAL, SECONDS)


def _read() -> tuple[bytes, int, bytes]:
    """stdin up to WHOLE bytes, how many more there were, and the last of them. Memory stays bounded; the writer is not cut off."""
    parts: list[bytes] = []
    size = 0
    while size < WHOLE:
        part = posix.read(0, WHOLE - size)
        if not part:
            return b"".join(parts), 0, b""
        parts.append(part)
        size += len(part)
    _widen()
    left_out, tail, buffer = 0, b"", bytearray(1024 * 1024)
    while count := posix.readv(0, [buffer]):
        left_out += count
        tail = (tail + bytes(buffer[max(0, count - TAIL) : count]))[-TAIL:]
    return b"".join(parts), left_out, tail


def _widen() -> None:
    """A larger pipe needs fewer turns between writer and reader; where that is refused, nothing is lost."""
    try:
        import fcntl

        fcntl.fcntl(0, getattr(fcntl, "F_SETPIPE_SZ", 1031), 1024 * 1024)
    except (ImportError, OSError):
        return


def shortened(body: bytes, left_out: int, tail: bytes) -> bytes:
    """The first HEAD bytes of a JSON object as a whole object; with it the length in bytes of the string that was cut (or what
    a list lost) under its JSON pointer, and the fields that a handler needs if they stand at the end."""
    head = body[:HEAD]
    # A mask of the same length in which every quote opens or closes a string.
    pieces = head.replace(b"\\\\", b"__").replace(b'\\"', b"__").split(b'"')
    if len(pieces) % 2 == 0 and not _is_value(pieces):
        head, pieces = head[: -len(pieces[-1]) - 1], pieces[:-1]
    inside = len(pieces) % 2 == 0
    if not inside:
        head, pieces = _back_to_comma(head, pieces)
    closers, keys = _nesting(pieces)
    length = len(body) + left_out - len(head) + (len(pieces[-1]) if inside else 0)
    if inside:
        head = _whole_characters(head) + b'"'
    pointer = b"/".join([b"", *(keys if inside else keys[:-1])])
    extra = b"," + LENGTHS + b':{"' + pointer + b'":%d}' % length
    for name in WANTED:
        mark = b'"' + name + b'":'
        if mark not in head and (at := tail.rfind(mark)) >= 0:
            value = tail[at + len(mark) :].lstrip()
            if value[:1] == b'"' and (end := value.find(b'"', 1)) > 0:
                extra += b"," + mark + value[: end + 1]
    return head + closers[:-1] + extra + b"}"


def _is_value(pieces: list[bytes]) -> bool:
    """Whether the string that the pieces end in is a value, not a key."""
    before = pieces[-2].rstrip()
    return before.endswith((b":", b"[")) or _nesting(pieces[:-1])[0][:1] == b"]"


def _back_to_comma(head: bytes, pieces: list[bytes]) -> tuple[bytes, list[bytes]]:
    """The head up to its last structural comma, so that no pair is cut in two."""
    size = len(head)
    for i in range(len(pieces) - 1, -1, -1):
        size -= len(pieces[i])
        if i % 2 == 0 and (comma := pieces[i].rfind(b",")) >= 0:
            return head[: size + comma], [*pieces[:i], pieces[i][:comma]]
        size -= 1
    raise ValueError("no complete pair")


def _nesting(pieces: list[bytes]) -> tuple[bytes, list[bytes]]:
    """What closes every open bracket, innermost first, and the keys and indexes that lead to the place."""
    opened: list[int] = []
    keys: list[bytes] = []
    for i in range(0, len(pieces), 2):
        for character in pieces[i]:
            if character in b"{[":
                opened.append(character)
                keys.append(b"0")
            elif character in b"}]":
                opened.pop()
                keys.pop()
            elif character == 58:  # a colon: the string before it is a key
                keys[-1] = pieces[i - 1]
            elif character == 44 and opened[-1] == 91:  # a comma in an array
                keys[-1] = b"%d" % (int(keys[-1]) + 1)
    return b"".join(b"}" if character == 123 else b"]" for character in reversed(opened)), keys


def _whole_characters(head: bytes) -> bytes:
    """The head without a character or an escape that the cut went through."""
    for _ in range(3):
        if head[-1] & 0xC0 == 0x80:
            head = head[:-1]
    if head[-1] >= 0x80:
        head = head[:-1]
    escape = head.rfind(b"\\", len(head) - 6)
    if escape >= 0:
        head = head[:escape]
        while head.endswith(b"\\"):
            head = head[:-1]
    return head


def _event(body: bytes) -> bytes:
    """The name of the event, for the address; the daemon reads the body itself."""
    at = body.find(b'"hook_event_name"')
    name = body[at + 17 : at + 80].lstrip(b" \t\r\n:").split(b'"')[1:2] if at >= 0 else []
    return name[0] if name and name[0].isalpha() else b"unknown"


def _ask(event: bytes, body: bytes) -> bytes:
    """One POST on one connection; the JSON object it answered, or nothing."""
    import _socket

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(_address())
    head = b"POST /v1/hooks/%b HTTP/1.1\r\nHost: muninn\r\nContent-Type: application/json\r\nConnection: close\r\n"
    connection.sendall(head % event + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    answer = b""
    while len(answer) < ANSWER:
        part = connection.recv(65536)
        if not part:
            break
        answer += part
        if _complete(answer):
            break
    status, _, rest = answer.partition(b"\r\n\r\n")
    rest = rest.strip()
    good = status[:12] == b"HTTP/1.1 200" and rest[:1] == b"{" and rest[-1:] == b"}" and len(rest) > 2
    return rest + b"\n" if good and _complete(answer) else b""


def _complete(answer: bytes) -> bool:
    """Whether all of a response is there; one that does not say how long it is never is."""
    head, gap, body = answer.partition(b"\r\n\r\n")
    if not gap:
        return False
    at = head.lower().find(b"\r\ncontent-length:")
    return at >= 0 and len(body) >= int(head[at + 17 :].split(b"\r\n")[0])


def _address() -> bytes:
    """Where the daemon listens: the rule of ``muninn.paths`` once more, for this file stands alone."""
    environ = posix.environ
    user = environ.get(b"HOME", b"/")
    home = environ.get(b"MUNINN_HOME", b"") or user + b"/.muninn"
    if home == b"~" or home.startswith(b"~/"):
        home = user + home[1:]
    if not home.startswith(b"/"):
        home = posix.getcwdb() + b"/" + home
    root = b"//" if home.startswith(b"//") and not home.startswith(b"///") else b"/"
    home = root + b"/".join(part for part in home.split(b"/") if part not in (b"", b"."))
    inside = home + b"/muninn.sock"
    if len(inside) <= SOCKET_LIMIT:
        return inside
    from _blake2 import blake2b

    runtime = environ.get(b"XDG_RUNTIME_DIR") or b"/tmp/muninn-%d" % posix.getuid()
    return runtime + b"/muninn/" + blake2b(home, digest_size=8).hexdigest().encode() + b".sock"
