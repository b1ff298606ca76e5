"""Names of files: one spelling everywhere, and a socket that fits."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from muninn import config, paths

segments = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=12)


@given(segments, st.booleans())
def test_the_home_is_spelled_as_the_configuration_spells_it(given_home: str, absolute: bool) -> None:
    if given_home.startswith("~") and not given_home.startswith("~/"):
        return  # other people's homes
    environ = {"MUNINN_HOME": ("/" if absolute else "") + given_home, "HOME": "/home/ana"}
    assert paths.home_name(environ) == os.fspath(config.home_of(environ))


def test_the_default_home() -> None:
    assert paths.home_name({"HOME": "/home/ana"}) == "/home/ana/.muninn"
    assert paths.home_name({"HOME": "/home/ana", "MUNINN_HOME": ""}) == "/home/ana/.muninn"


def test_a_short_home_holds_its_socket() -> None:
    assert paths.socket_path(Path("/home/ana/.muninn"), {}) == Path("/home/ana/.muninn/muninn.sock")


@given(st.text(st.sampled_from("abcñ端/"), min_size=1, max_size=150))
def test_a_socket_path_always_fits_and_depends_on_nothing_but_the_home(name: str) -> None:
    home = f"/{name}"
    found = paths.socket_name(home, {"XDG_RUNTIME_DIR": "/run/user/1000"})
    assert len(os.fsencode(found)) <= paths.SOCKET_LIMIT
    assert found == paths.socket_name(home, {"XDG_RUNTIME_DIR": "/run/user/1000"})
    assert (found == f"{home}/muninn.sock") == (len(os.fsencode(f"{home}/muninn.sock")) <= 107)


def test_the_limit_is_the_kernels(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * (paths.SOCKET_LIMIT - len(os.fsencode(tmp_path)) - len("//muninn.sock")))
    if len(os.fsencode(tmp_path)) > 90:
        return
    folder.mkdir()
    path = paths.socket_name(str(folder), {})
    assert len(os.fsencode(path)) == paths.SOCKET_LIMIT
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)


def test_long_homes_do_not_share_a_socket() -> None:
    environ = {"XDG_RUNTIME_DIR": "/run/user/1000"}
    one, other = (paths.socket_name(f"/{'x' * 120}/{name}", environ) for name in "ab")
    assert one != other
    assert one.startswith("/run/user/1000/muninn/")
    assert paths.socket_name(f"/{'x' * 120}", {}).startswith(f"/tmp/muninn-{os.getuid()}/muninn/")
