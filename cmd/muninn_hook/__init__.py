"""The `muninn-hook` command, also as a file by absolute path: `python -I -S …/muninn_hook/__init__.py`.

It runs on every tool call, so this file does nothing but load its neighbour, whose compiled form Python keeps; compiling
it anew each time would cost more than the rest of the work.
"""

import sys


def main() -> None:
    """Forward one event from stdin to the daemon; exits 0 whatever happens."""
    try:
        if not __package__:
            sys.path.insert(0, __file__.rpartition("/")[0] or ".")
            from forward import main as forward  # type: ignore[import-not-found]
        else:
            from muninn_hook.forward import main as forward
        forward()
    except BaseException:  # noqa: S110 - silence is the contract: a hook must never disturb the session it serves
        pass


if __name__ == "__main__":
    main()
