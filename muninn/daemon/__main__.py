"""``python -m muninn.daemon``: the daemon in this process. A composition root, like the commands."""

from __future__ import annotations

import os
import sys

_TURN = 0.00005  # seconds: a recall beside a dream waits this long, not Python's 5 ms, each time it wants the interpreter back


def main() -> int:
    sys.setswitchinterval(_TURN)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two threads make a small scan several times slower
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("LANCE_LOG", "error")
    from muninn.config import load
    from muninn.daemon.run import serve
    from muninn.errors import MuninnError

    try:
        config = load(os.environ)

        def imports() -> None:
            import muninn.app  # noqa: F401

        def build(lock):  # type: ignore[no-untyped-def]
            from muninn.app import build as compose

            return compose(config, lock=lock)

        return serve(config, os.environ, imports, build, no_dream="--no-dream" in sys.argv[1:])
    except MuninnError as error:
        sys.stderr.write(f"muninn: {error}\n")
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
