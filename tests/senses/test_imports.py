"""Imports are statements, in a dozen languages; words in comments are not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.senses.imports import SUFFIXES, imported_stems, stems_of

IMPORTS = [
    ("src/page.ts", "import { a, b as c } from './router'", "src/router.ts"),
    ("src/page.ts", "import {\n  a,\n  type B,\n} from '../src/router.js'", "src/router.ts"),
    ("src/page.ts", "export * from './router'", "src/router/index.ts"),
    ("src/page.ts", "const r = await import('./router')", "src/router.tsx"),
    ("src/a/page.js", "const r = require('../router')", "src/router.js"),
    ("src/a/page.vue", "<script>import r from '@/router'</script>", "src/router.ts"),
    ("src/page.ts", "import './styles.css'", "src/styles.css"),
    ("pkg/use.py", "from .router import route", "pkg/router.py"),
    ("pkg/use.py", "from . import router", "pkg/router.py"),
    ("pkg/sub/use.py", "from ..router import (\n    a,  # why\n    b,\n)", "pkg/router.py"),
    ("tests/test_x.py", "import pkg.router as r, os", "pkg/router.py"),
    ("tests/test_x.py", "from pkg import router", "src/pkg/router.py"),
    ("pkg/use.py", "import router", "pkg/router.py"),
    ("app/use.py", "from pkg import thing", "pkg/__init__.py"),
    ("packages/foo/tests/t.py", "import foo.bar", "packages/foo/src/foo/bar.py"),
    ("src/main.rs", "mod router;", "src/router.rs"),
    ("src/a/mod.rs", "use crate::net::{router::Route, tls};", "src/net/router.rs"),
    ("src/a/b.rs", "use super::router::Route;", "src/a/router.rs"),
    ("src/net.rs", "mod router;", "src/net/router.rs"),
    ("app/Main.java", "import com.acme.net.Router;", "src/main/java/com/acme/net/Router.java"),
    ("app/Main.kt", "import com.acme.net.Router", "src/main/kotlin/com/acme/net/Router.kt"),
    ("app/Main.java", "import static com.acme.net.Router.route;", "src/com/acme/net/Router.java"),
    ("src/main.c", '#include "router.h"', "src/router.h"),
    ("src/main.cpp", "#  include <net/router.hpp>", "include/net/router.hpp"),
    ("lib/use.rb", "require_relative 'router'", "lib/router.rb"),
    ("bin/use.rb", "require 'router'", "lib/router.rb"),
    ("src/use.php", "use App\\Net\\Router;", "app/Net/Router.php"),
    ("a/use.scss", "@use './router';", "a/_router.scss"),
    ("lib/use.dart", "import 'package:acme/router.dart';", "lib/router.dart"),
    ("bin/run.sh", ". ./router.sh", "bin/router.sh"),
]

NOT_IMPORTS = [
    ("src/n.py", "# import router\n# the router was rebooted\nX = 'import router'", "src/router.py"),
    ("src/n.py", '"""\nimport router\n"""', "src/router.py"),
    ("src/n.ts", "// import { r } from './router'\n/* require('./router') */\nconst a = 'router'", "src/router.ts"),
    ("src/n.ts", "import { r } from './other/router'", "src/router.ts"),
    ("src/n.py", "import routers", "src/router.py"),
    ("src/n.py", "from elsewhere.router import x", "src/router.py"),
    ("src/n.go", "// the router", "src/router.go"),
    ("src/n.c", '// #include "router.h"', "src/router.h"),
    ("src/n.rs", "// mod router;", "src/router.rs"),
    ("src/n.txt", "import router", "src/router.py"),
]


@pytest.mark.parametrize(("importer", "text", "imported"), IMPORTS)
def test_an_import_leads_to_its_file(importer: str, text: str, imported: str) -> None:
    assert imported_stems(importer, text) & stems_of(imported)


@pytest.mark.parametrize(("importer", "text", "imported"), NOT_IMPORTS)
def test_what_is_no_import_of_the_file_leads_nowhere(importer: str, text: str, imported: str) -> None:
    assert not imported_stems(importer, text) & stems_of(imported)


def test_a_go_package_is_imported_by_its_path_in_the_module() -> None:
    text = 'package main\nimport (\n\t"fmt"\n\tr "acme.io/shop/net/router"\n)'
    assert imported_stems("main.go", text, module="acme.io/shop") & stems_of("net/router/tls.go")
    assert not imported_stems("main.go", text, module="acme.io/other") & stems_of("net/router/tls.go")
    assert imported_stems("main.go", text) & stems_of("net/router/tls.go")
    assert not imported_stems("main.go", text) & stems_of("fmt/tls.go")


@given(st.sampled_from(sorted(SUFFIXES)), st.text(max_size=300))
def test_any_text_can_be_read(suffix: str, text: str) -> None:
    assert all(not stem.startswith("..") for stem in imported_stems(f"a/b{suffix}", text, module="m"))


@pytest.mark.parametrize("piece", ["import ", "import {", "/*", '"""', "from . ", "\n", "use a::{", "require('", "x"])
@pytest.mark.parametrize("suffix", [".py", ".ts", ".go", ".rs", ".c"])
def test_hostile_text_takes_no_time(piece: str, suffix: str) -> None:
    start = time.process_time()
    imported_stems(f"a/b{suffix}", piece * 5_000, module="m")
    assert time.process_time() - start < 1.0
