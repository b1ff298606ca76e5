"""The table of verbs. Adding a verb is a row here and a file of that name; nothing is imported until it is asked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verb:
    """``module`` is the file in this folder that holds a function of its own name, or a Typer called ``app``."""

    section: str
    name: str
    help: str
    example: str
    module: str = ""

    @property
    def file(self) -> str:
        return self.module or self.name


DAEMON, MEMORY, DREAM, VAULT, CARE, SETUP = "Sleep and wake", "Memories", "Dreams", "Vaults and files", "Care", "Set-up"

VERBS = (
    Verb(DAEMON, "start", "Wake muninn: start the daemon, dreaming first when a dream is due.", "muninn start"),
    Verb(DAEMON, "stop", "Let muninn fall asleep; the next start may dream.", "muninn stop"),
    Verb(DAEMON, "restart", "Stop, then start.", "muninn restart --no-dream"),
    Verb(DAEMON, "status", "How muninn is, in any state.", "muninn status --json"),
    Verb(DAEMON, "logs", "What the daemon wrote down about itself.", "muninn logs -f"),
    Verb(MEMORY, "remember", "Store a memory; say what is similar or in conflict.", 'muninn remember "The API listens on port 8443 since May" --vault work'),
    Verb(MEMORY, "recall", "Find memories that answer a question.", 'muninn recall "which port does the API use?" --vault work'),
    Verb(MEMORY, "show", "One memory, whole: text, stability, links, lineage, provenance.", "muninn show 01JQ4W5Z9V8M3T2R7K6H5G4F3D"),
    Verb(MEMORY, "edit", "Change a memory.", 'muninn edit 01JQ4W5Z9V8M3T2R7K6H5G4F3D --tag dns --title "DNS timeouts"'),
    Verb(MEMORY, "forget", "Put a memory out of sight, or with --purge erase it for good.", "muninn forget 01JQ4W5Z9V8M3T2R7K6H5G4F3D"),
    Verb(MEMORY, "restore", "Take back a forget.", "muninn restore 01JQ4W5Z9V8M3T2R7K6H5G4F3D"),
    Verb(MEMORY, "link", "Relate one memory to another.", "muninn link 01JQ4W5Z9V8M3T2R7K6H5G4F3D 01JQ4X0A1B2C3D4E5F6G7H8J9K --relation causes"),
    Verb(MEMORY, "links", "The neighbours of a memory, or the memories that have none.", "muninn links --orphans"),
    Verb(MEMORY, "graph", "Export the web of memories, or link what came before.", "muninn graph export --vault work --format graphml"),
    Verb(DREAM, "dream", "Dream now: merge, strengthen, infer, and write the journal.", "muninn dream --dry-run"),
    Verb(DREAM, "undo", "Take a whole dream back, row for row.", "muninn undo"),
    Verb(DREAM, "journal", "Read the dream journal.", "muninn journal --last 3"),
    Verb(DREAM, "dreams", "List the dreams that ran, with their phases and durations.", "muninn dreams --last 10"),
    Verb(DREAM, "suggestions", "Cross-vault connections that wait for you.", "muninn suggestions list"),
    Verb(VAULT, "vault", "Create, list, change or remove vaults and their trust tiers.", "muninn vault create clients --tier legal"),
    Verb(VAULT, "import", "Bring memories in from files and other stores.", "muninn import notes/ --vault work", "importer"),
    Verb(VAULT, "export", "Write every memory out as JSONL, lossless.", "muninn export --output memories.jsonl", "exporter"),
    Verb(VAULT, "backup", "Copy the store safely while it runs; put a copy back.", "muninn backup"),
    Verb(CARE, "help", "Read about a topic: tiers, dreaming, recall, hooks, tuning, files.", "muninn help dreaming"),
    Verb(CARE, "egress", "What left this process, when, to whom, for which vault.", "muninn egress --last 20"),
    Verb(CARE, "doctor", "Check that everything is as it should be; --prove dreams on planted cases.", "muninn doctor --prove"),
    Verb(CARE, "calibrate", "Fit or verify the similarity bands for the embedder in use.", "muninn calibrate"),
    Verb(CARE, "reembed", "Embed everything again, after changing the embedder.", "muninn reembed"),
    Verb(CARE, "stats", "The shape of the store: strength, growth, dreams.", "muninn stats --output stats.svg"),
    Verb(SETUP, "init", "Set muninn up for Claude Code and other agents on this machine.", "muninn init"),
    Verb(SETUP, "hook", "Install, remove or check the Claude Code hooks.", "muninn hook install --project"),
    Verb(SETUP, "learnings", "The rules that proprioception has learned.", "muninn learnings list"),
    Verb(SETUP, "mcp", "Serve MCP on stdio, for any agent that speaks it.", "muninn mcp"),
    Verb(SETUP, "service", "Install, remove or check the systemd user unit.", "muninn service install"),
)  # fmt: skip

BY_NAME = {verb.name: verb for verb in VERBS}
