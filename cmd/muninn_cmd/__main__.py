"""``python -m muninn_cmd``: the same command without its script."""

from __future__ import annotations

import sys

from muninn_cmd import main

sys.exit(main())
