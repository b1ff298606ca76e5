"""Embedders: text to unit vectors, behind ``muninn.ports.Embedder``."""

from __future__ import annotations

from muninn.embed.calibration import Fit, fit
from muninn.embed.local import LocalEmbedder, LocalModel
from muninn.embed.registry import LOCAL_MODELS, Embedders, EndpointFactory
from muninn.embed.text import embedded_text, prepare

__all__ = [
    "LOCAL_MODELS",
    "Embedders",
    "EndpointFactory",
    "Fit",
    "LocalEmbedder",
    "LocalModel",
    "embedded_text",
    "fit",
    "prepare",
]
