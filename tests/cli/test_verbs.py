"""Every verb against a daemon: what it asks, what it prints, how it ends."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from muninn import errors
from muninn_cmd.verbs import VERBS, Verb

ID, OTHER = "01JQ4W5Z9V8M3T2R7K6H5G4F3D", "01JQ4X0A1B2C3D4E5F6G7H8J9K"
MEMORY = {"id": ID, "vault": "trabajo", "title": "El puerto", "content": "La API escucha en el 8443.", "kind": "fact", "state": "active",
          "created_at": "2026-03-28T06:00:00Z", "links": [], "tags": ["api"], "provenance": {"client": "cli", "run_id": "r7"}}  # fmt: skip
LINK = {"source": ID, "target": OTHER, "relation": "causes", "weight": 0.8, "origin": "manual"}
DREAM = {"dream_id": "01D", "dry_run": False, "verdict": {"run": True, "why": "14 h and 9 writes"}, "vaults": ["trabajo"],
         "phases": [{"name": "dedup", "seconds": 0.25, "operations": 2}], "operations": [{"op": "merge", "applied": True},
         {"op": "merge", "applied": False}], "journal": "---\n## 2026-03-28 -- Dream 01D", "status": "completed"}  # fmt: skip

# the words, the request they become, its body (None: none), the answer, and something a person must read
TABLE: list[tuple[str, str, Any, Any, str]] = [
    ('remember "La API" "escucha" --vault trabajo --tag a --tag b', "POST /v1/memories",
     {"content": "La API escucha", "vault": "trabajo", "tags": ["a", "b"]}, {**MEMORY, "created": True}, f"Remembered {ID} in trabajo"),
    ("remember hola", "POST /v1/memories", {"content": "hola"}, {**MEMORY, "created": False}, "Already known"),
    ("remember hola", "POST /v1/memories", {"content": "hola"},
     {**MEMORY, "created": True, "similar": [{"id": OTHER, "similarity": 0.91, "relation": "possible_conflict", "title": "8080"}]},
     f"may contradict {OTHER} (0.91)  8080"),
    (f"remember x --supersedes {ID}", "POST /v1/memories", {"content": "x", "supersedes": ID}, {**MEMORY, "created": True}, "Remembered"),
    ('recall "¿qué puerto?" -n 3 --vault a --vault b', "POST /v1/recall", {"query": "¿qué puerto?", "limit": 3, "vault": ["a", "b"]},
     {"results": [{**MEMORY, "score": 0.876, "superseded_by": OTHER}]}, f"0.88  El puerto\n      {ID} · trabajo · 2026-03-28 06:00"),
    ("recall zzz", "POST /v1/recall", {"query": "zzz", "limit": 10}, {"results": [], "abstained": True}, "Nothing comes to mind."),
    ("recall a b --as-of 2026-01-01 --explain", "POST /v1/recall", {"query": "a b", "limit": 10, "as_of": "2026-01-01", "explain": True},
     {"results": [{**MEMORY, "score": 0.5, "why": "words and meaning", "components": {"cosine": 0.4}}]}, "cosine: 0.4"),
    (f"edit {ID} --title T --pin --no-tags", f"PATCH /v1/memories/{ID}", {"title": "T", "pinned": True, "tags": []}, MEMORY, "Changed pinned, tags, title"),
    (f'edit {ID} --title ""', f"PATCH /v1/memories/{ID}", {"title": None}, MEMORY, "Changed title"),
    (f"forget {ID}", f"DELETE /v1/memories/{ID}", None, MEMORY, f"take it back with: muninn restore {ID}"),
    (f"forget {ID[:10]} --purge --yes", f"DELETE /v1/memories/{ID[:10]}?purge=true", None, {"id": ID}, f"Erased {ID}"),
    (f"forget {ID} --purge --yes", f"DELETE /v1/memories/{ID}?purge=true", None, {"id": ID, "backups": ["/b/1"]}, "a copy may still hold it: /b/1"),
    (f"restore {ID}", f"POST /v1/memories/{ID}/restore", {}, MEMORY, "Restored"),
    (f"link {ID} {OTHER} --relation causes --weight 0.8", "POST /v1/links", {"source": ID, "target": OTHER, "relation": "causes", "weight": 0.8},
     LINK, f"→ causes 0.80 {OTHER}"),
    (f"link {ID[:10]} {OTHER[:10]}", "POST /v1/links", {"source": ID[:10], "target": OTHER[:10], "relation": "relates_to"},
     {"links": [LINK]}, f"{ID} → causes 0.80 {OTHER}  (manual)"),
    (f"link {ID} {OTHER} --remove", "DELETE /v1/links", {"source": ID, "target": OTHER, "relation": "relates_to"}, LINK, "Unlinked"),
    (f"links {OTHER}", f"GET /v1/memories/{OTHER}/links", None, {"id": OTHER, "links": [LINK], "memories": {ID: {"title": "Causa"}}},
     f"← causes 0.80 {ID}  Causa  (manual)"),
    ("links --orphans", "GET /v1/links?orphans=1", None, {"orphans": [{"id": ID, "vault": "v", "born_by": "cli/muninn", "title": "Solo"}]}, "cli/muninn"),
    ("graph backfill --dry-run", "POST /v1/graph/backfill", {"dry_run": True}, {"links": [LINK]}, "Would make 1 link"),
    ("dream --force --no-llm --timeout 5 --vault trabajo", "POST /v1/dreams",
     {"dry_run": False, "force": True, "no_llm": True, "timeout": 5.0, "vault": "trabajo"}, DREAM, "completed: 1 operation done, 1 left undone"),
    ("dream --dry-run", "POST /v1/dreams", {"dry_run": True, "force": False, "no_llm": False}, {**DREAM, "dry_run": True}, "Nothing was changed."),
    ("undo", "POST /v1/dreams/last/undo", {}, {"dream_id": "01D", "restored": [ID], "left_alone": [{"id": OTHER, "why": "edited"}]},
     f"Undid 01D: 1 memory as before\n  left alone: {OTHER} (edited)"),
    ("journal --last 2", "GET /v1/journal?last=2", None, {"entries": [{"text": "## uno"}, {"text": "## dos"}]}, "## uno\n\n## dos"),
    ("journal --since 2026-03-01", "GET /v1/journal?last=10000&since=2026-03-01", None, {"entries": []}, "No entry since 2026-03-01."),
    ("dreams --phases", "GET /v1/dreams", None, {"dreams": [{**DREAM, "kind": "dream", "started_at": "2026-03-28T06:00:00Z", "operations": 2}]}, "dedup 0.2 s"),
    ("dreams --last 1", "GET /v1/dreams", None, {"dreams": [{"dream_id": "01D", "kind": "dream", "status": "completed", "damaged": True}]},
     "completed (its record cannot be read: muninn doctor)"),
    ("suggestions list", "GET /v1/suggestions?status=pending", None,
     {"suggestions": [{"id": "s3", "source": ID, "source_vault": "a", "target": OTHER, "target_vault": "b", "relation": "causes", "reason": "same root"}]}, "same root"),
    ("suggestions accept s3", "POST /v1/suggestions/s3/accept", {}, {"id": "s3", "source": ID, "target": OTHER}, f"Linked {ID} ↔ {OTHER}"),
    ("suggestions reject s3", "POST /v1/suggestions/s3/reject", {}, {"id": "s3"}, "Rejected"),
    ("vault create clientes --tier legal", "POST /v1/vaults", {"name": "clientes", "tier": "legal"}, {"name": "clientes", "tier": "legal"}, "tier legal"),
    ("vault list", "GET /v1/vaults", None, {"vaults": [{"name": "v", "tier": "work", "memories": 2, "providers": ["ollama"]}]}, "v  work  2 memories  ollama"),
    ("vault set v --tier work --yes", "PATCH /v1/vaults", {"name": "v", "tier": "work", "confirm": True}, {"name": "v", "tier": "work"}, "tier work"),
    ("vault remove legal/2026", "DELETE /v1/vaults/legal%2F2026", None, {"name": "v"}, "Removed vault legal/2026"),
    ("egress", "GET /v1/egress?limit=50", None, {"entries": [{"at": "2026-03-28T06:00:00Z", "vault": "v", "tier": "work", "provider": "ollama", "model": "m",
     "address": "127.0.0.1:11434", "allowed": True, "bytes_out": 12, "bytes_in": 3}], "totals": {"allowed": 1, "refused": 2, "bytes_out_by_provider": {"ollama": 12}}},
     "1 request allowed, 2 refused"),
    ("egress --last 3", "GET /v1/egress?limit=3", None, {"entries": [{"at": "2026-03-28T06:00:00Z", "vault": "v", "tier": "work", "provider": "ollama",
     "model": "m", "address": "127.0.0.1:9", "allowed": True, "reason": "ollama at 127.0.0.1:9 is not reachable", "bytes_out": 0, "bytes_in": 0}]},
     "failed  v (work)  ollama m  0 B out, 0 B in  ollama at 127.0.0.1:9 is not reachable"),
    ("egress --last 4", "GET /v1/egress?limit=4", None, {"entries": [{"at": "2026-03-28T06:00:00Z", "vault": "v", "tier": "work", "provider": "ollama",
     "model": "m", "address": "127.0.0.1:9", "allowed": True, "sent": True, "reason": "listo", "bytes_out": 0, "bytes_in": 0}]},
     "sent  v (work)  ollama m  0 B out, 0 B in  127.0.0.1:9"),
    ("doctor", "GET /v1/doctor", None, {"checks": [{"name": "disk", "ok": True, "detail": "3 GiB"}]}, "✔ disk: 3 GiB"),
    ("reembed", "POST /v1/reembed", {}, {"renewed": 3, "pending": 3}, "Every memory is embedded."),
    ("stats", "GET /v1/stats", None, {"strength": [0.1, 0.95, 1.0], "born": {"2026-03-01": 3}, "kinds": {"fact": 3}}, "Strength of active memories"),
    ("backup", "POST /v1/backup", {}, {"folder": "/b/1", "bytes": 10, "verified": True}, "Backed up and verified: /b/1"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "request_line", "body", "answer", "shown"), TABLE, ids=[row[0][:40] for row in TABLE]
)
def test_a_verb_asks_once_and_tells(
    daemon: Any, muninn: Any, words: str, request_line: str, body: Any, answer: Any, shown: str
) -> None:
    daemon.on(request_line.partition("?")[0], answer)
    done = muninn(*shlex.split(words))
    assert (done.code, done.err) == (0, "")
    assert shown in done.out
    asked = daemon.last
    assert f"{asked.method} {asked.path}" == request_line
    assert asked.body == body


@pytest.mark.parametrize(
    ("words", "request_line", "body", "answer", "shown"), TABLE, ids=[row[0][:40] for row in TABLE]
)
def test_json_is_one_document_and_nothing_else(
    daemon: Any, muninn: Any, words: str, request_line: str, body: Any, answer: Any, shown: str
) -> None:
    daemon.on(request_line.partition("?")[0], answer)
    done = muninn(*shlex.split(words), "--json")
    assert (done.code, done.err) == (0, "")
    document = json.loads(done.out)
    assert {key for key in answer if key not in ("pending", "dreams")} <= document.keys()


def test_show_brings_the_neighbours(daemon: Any, muninn: Any) -> None:
    daemon.on(f"GET /v1/memories/{ID}", MEMORY)
    daemon.on(f"GET /v1/memories/{ID}/links", {"id": ID, "links": [LINK], "memories": {OTHER: {"title": "Efecto"}}})
    done = muninn("show", ID)
    assert "La API escucha en el 8443." in done.out
    assert "client cli · run id r7" in done.out
    assert f"→ causes 0.80 {OTHER}  Efecto  (manual)" in done.out
    assert muninn("show", ID, "--json").json["links"] == [LINK]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.UsageError, 2), (errors.NotFoundError, 1), (errors.ConflictError, 1), (errors.TooLargeError, 2), (errors.GateClosedError, 4),
        (errors.LockedError, 5), (errors.ProviderError, 6), (errors.EgressRefusedError, 6), (errors.StoreFullError, 1), (errors.MuninnError, 1),
    ],
)  # fmt: skip
def test_a_problem_is_one_line_and_its_exit_code(
    daemon: Any, muninn: Any, error: type[errors.MuninnError], code: int
) -> None:
    problem = {
        "type": f"urn:muninn:{error.__name__}",
        "title": "it\nbroke \x1b[31m",
        "hint": "mend it",
        "exit_code": code,
    }
    daemon.on("POST /v1/dreams", problem, error.status)
    done = muninn("dream")
    assert (done.code, done.out) == (code, "")
    assert done.err == "muninn: it broke \u241b[31m (mend it)\n"


@pytest.mark.parametrize(
    "words",
    [
        ["recal", "x"], ["recall"], ["recall", "x", "--nope"], ["recall", "x", "--limit", "many"], ["recall", "x", "--limit", "0"],
        ["remember"], ["remember", "x", "--stdin"], ["edit", ID], ["edit", ID, "--relevance", "2"], ["links"], ["links", ID, "--orphans"],
        ["dream", "--output", "p"], ["dream", "--apply", "/nowhere/plan.json"], ["graph", "export", "--format", "pdf"], ["vault", "create"],
        ["vault", "nope"], ["forget", ID, "--purge"], ["logs", "-f", "--json"], ["status", "extra"], ["start", "--wait", "-1"],
        ["dream", "--timeout", "inf"], ["dream", "--timeout", "0"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_wrong_command_line_is_one_line_and_code_2(daemon: Any, muninn: Any, words: list[str]) -> None:
    done = muninn(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("muninn: ")
    assert done.err.count("\n") == 1
    assert [asked for asked in daemon.asked if asked.path != "/v1/status"] == []


def test_no_verb_at_all_is_helped(muninn: Any) -> None:
    done = muninn()
    assert (done.code, done.err) == (0, "")
    assert done.out == muninn("--help").out


def test_a_missing_verb_names_the_nearest(muninn: Any) -> None:
    assert "did you mean recall" in muninn("recal", "x").err


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_every_verb_helps_with_an_example_and_takes_json(muninn: Any, verb: Verb) -> None:
    done = muninn(verb.name, "--help")
    assert done.code == 0
    assert verb.help.split(";")[0].split(":")[0] in " ".join(done.out.split())
    if "Commands:" not in done.out:
        assert "Example:" in done.out
        assert "--json" in done.out
        assert "--verbose" in done.out


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_no_help_is_cut_short(muninn: Any, verb: Verb) -> None:
    _, _, below_usage = muninn(verb.name, "--help").out.partition("\n")
    assert "..." not in below_usage


def test_help_lists_every_verb_in_its_section(muninn: Any) -> None:
    shown = muninn("--help").out
    assert all(f"  {verb.name} " in shown and f"{verb.section}:" in shown for verb in VERBS)
    assert "4 gate closed" in shown


def test_a_fault_of_ours_has_no_traceback_unless_asked_for(daemon: Any, muninn: Any) -> None:
    daemon.on("GET /v1/vaults", {"vaults": [{"memories": "many"}]})
    done = muninn("vault", "list")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "unexpected ValueError" in done.err
    assert "Traceback" in muninn("-v", "vault", "list").err
    assert "Traceback" in muninn("vault", "list", "-v").err


def test_provenance_comes_from_the_environment(daemon: Any, muninn: Any) -> None:
    daemon.on("POST /v1/memories", MEMORY)
    muninn("remember", "x")
    assert daemon.last.headers["x-muninn-client"] == "cli"
    muninn("remember", "x", MUNINN_CLIENT="codex", MUNINN_SESSION_ID="s1", MUNINN_AGENT_ROLE="revisión", MUNINN_RUN_ID="r7",
           MUNINN_RUN_TRIGGER="cron", MUNINN_ITERATION="3")  # fmt: skip
    sent = {name: value for name, value in daemon.last.headers.items() if name.startswith("x-muninn")}
    assert sent == {"x-muninn-client": "codex", "x-muninn-session": "s1", "x-muninn-agent-role": "revisión", "x-muninn-run": "r7",
                    "x-muninn-trigger": "cron", "x-muninn-iteration": "3", "x-muninn-tool": "muninn"}  # fmt: skip


def test_doctor_fails_when_a_check_fails(daemon: Any, muninn: Any) -> None:
    checks = [
        {"name": "disk", "ok": False, "detail": "full (free space)"},
        {"name": "model", "ok": True, "degraded": True, "detail": "away"},
    ]
    daemon.on("GET /v1/doctor", {"checks": checks})
    done = muninn("doctor")
    assert done.code == 1
    assert done.out.splitlines() == ["✘ disk: full (free space)", "! model: away"]


def test_a_plan_is_kept_and_applied(daemon: Any, muninn: Any, tmp_path: Path) -> None:
    plan = {"operations": [{"op": "merge"}], "seen": "abc"}
    daemon.on("POST /v1/dreams", {**DREAM, "dry_run": True, "plan": plan})
    file = tmp_path / "plan.json"
    assert muninn("dream", "--dry-run", "--output", str(file)).code == 0
    assert json.loads(file.read_text()) == plan
    assert file.stat().st_mode & 0o777 == 0o600
    assert muninn("dream", "--apply", str(file)).code == 0
    assert daemon.last.body["plan"] == plan


def test_a_broken_plan_is_refused_by_name(daemon: Any, muninn: Any, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text("{")
    done = muninn("dream", "--apply", str(file))
    assert done.code == 2
    assert f"{file} is not a plan" in done.err


def test_export_goes_out_as_it_came(daemon: Any, muninn: Any, tmp_path: Path) -> None:
    lines = b'{"vaults": []}\n{"content": "l\\u00ednea \\n 1"}\n'
    daemon.on("GET /v1/export", lines)
    assert muninn("export").out.encode() == lines
    file = tmp_path / "out.jsonl"
    done = muninn("export", "--output", str(file), "--vault", "a b", "--json")
    assert file.read_bytes() == lines
    assert done.json["memories"] == 1
    assert daemon.last.path == "/v1/export?vault=a+b"
    assert muninn("export", "--json").json["memories"] == [{"content": "línea \n 1"}]


def test_a_dash_is_standard_output_and_no_file_of_that_name(
    daemon: Any, muninn: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    daemon.on("GET /v1/export", b'{"vaults": []}\n')
    assert muninn("export", "-o", "-").out == '{"vaults": []}\n'
    daemon.on("GET /v1/graph", b'{"nodes": []}')
    assert muninn("graph", "export", "-o", "-").out == muninn("graph", "export").out
    assert list(tmp_path.glob("-")) == []


def test_a_picture_of_the_graph(daemon: Any, muninn: Any, tmp_path: Path) -> None:
    daemon.on("GET /v1/graph", b"<svg>\xc3\xb1</svg>")
    file = tmp_path / "g.svg"
    assert muninn("graph", "export", "-o", str(file)).code == 0
    assert daemon.last.path == "/v1/graph?format=svg"
    assert file.read_text("utf-8") == "<svg>ñ</svg>"


def test_topics_and_the_manual(muninn: Any) -> None:
    assert "dreaming" in muninn("help").out
    assert muninn("help", "tiers").out.startswith("Tiers: who may read what\n")
    assert "Usage: muninn undo" in muninn("help", "undo").out
    assert muninn("help", "nonsense").code == 1
    page = muninn("help", "--man").out
    assert all(f".B muninn {verb.name}\n" in page for verb in VERBS)
    assert not [
        line for line in page.splitlines() if line.startswith("'") or re.search(r"(?<!\\)-", line.removeprefix(".TH"))
    ]


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_the_manual_page_formats_without_a_complaint(muninn: Any) -> None:
    page = muninn("help", "--man").out
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_colour_is_for_terminals(daemon: Any, muninn: Any) -> None:
    daemon.on("POST /v1/memories", {**MEMORY, "created": True})
    assert "\x1b" not in muninn("remember", "x").out


@pytest.mark.parametrize("way", ["--stdin", "-"])
def test_text_from_standard_input_is_verbatim(
    daemon: Any, muninn: Any, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    import io
    import sys

    daemon.on("POST /v1/memories", MEMORY)
    text = "  línea\r\n\tdos\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert muninn("remember", way).code == 0
    assert daemon.last.body == {"content": text}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9")))
    done = muninn("remember", "--stdin")
    assert (done.code, "not UTF-8 (byte 3)" in done.err) == (2, True)


def test_calibrate_behind_an_endpoint_measures_and_says_so(muninn: Any, daemon: Any) -> None:
    fit = {"calibration": {"a": 2.0, "b": -1.0}, "unrelated": 0.55, "unrelated_p99": 0.7, "same": 0.975}
    daemon.on("GET /v1/calibrate", {"model": "ollama/x", "calibration": {"a": 2.0, "b": -1.0}, "fit": fit})
    done = muninn("calibrate", "--json", MUNINN_EMBED__MODEL="ollama/x")
    assert (done.code, [check["ok"] for check in done.json["checks"]]) == (0, [True, True])
    daemon.on("GET /v1/calibrate", {"model": "ollama/x", "calibration": {"a": 1.0, "b": 0.0}, "fit": fit})
    assert muninn("calibrate", MUNINN_EMBED__MODEL="ollama/x").code == 1
