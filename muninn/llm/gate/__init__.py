"""The one egress gate: the only package that opens a connection to a model, and the only one that may import a socket or an HTTP library.

``egress`` decides and records, ``wire`` speaks HTTP/1.1 under a deadline and a byte cap, ``endpoint`` reads addresses,
``transport`` lends the gate to the official clients.
"""

from muninn.llm.gate.egress import Answer, Gate, Post
from muninn.llm.gate.endpoint import Endpoint
from muninn.llm.gate.transport import PLACEHOLDER, gate_transport, http_client, http_library
from muninn.llm.gate.wire import ExchangeError

__all__ = [
    "PLACEHOLDER",
    "Answer",
    "Endpoint",
    "ExchangeError",
    "Gate",
    "Post",
    "gate_transport",
    "http_client",
    "http_library",
]
