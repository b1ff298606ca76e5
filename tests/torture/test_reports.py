"""What went wrong elsewhere (issues of other memory stores and servers), and the tests that hold it here: one table.

Every test named fails when what keeps the report from happening here is taken out of the source.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tests.torture.home import ROOT


class Report(NamedTuple):
    """``tests`` are below ``tests/``, as pytest names them."""

    number: str
    told: str
    tests: tuple[str, ...]


def report(number: str, told: str, *tests: str) -> Report:
    return Report(number, told, tests)


AWAKE, WITHIN = "torture/test_reports_awake.py::test_", "torture/test_reports_within.py::test_"
DREAM, MODEL, VERDICT, BAD = "dream/test_dreams.py::test_", "dream/test_model_phase.py::test_", "llm/test_verdict_validation.py::test_", "llm/test_bad_answers.py::test_"  # fmt: skip

REPORTS = (
    report("A1", "a nightly run removed a quarter of everything", DREAM + "no_more_than_the_survival_budget_is_archived_in_a_day"),
    report("A2", "merges of merges, the same sets proposed every night", DREAM + "a_second_dream_does_nothing"),
    report("A3", "faded entries were removed", WITHIN + "a03_what_nobody_uses_fades_and_stays"),
    report("A4", "a background pass merged without a trace, pins included", WITHIN + "a04_what_is_merged_by_day_is_told_and_can_be_undone_and_pins_hold", DREAM + "pinned_and_other_kinds_are_never_merged"),
    report("A5", "two values of one pattern were merged", WITHIN + "a05_a06_a07_one_pattern_with_two_values_is_two_memories", DREAM + "another_value_is_never_merged_however_alike_the_vectors"),
    report("A6", "two numbers were merged", WITHIN + "a05_a06_a07_one_pattern_with_two_values_is_two_memories"),
    report("A7", "two decisions of one sentence pattern overwrote each other", WITHIN + "a05_a06_a07_one_pattern_with_two_values_is_two_memories"),
    report("A8", "a marker came back after a crash and the run with it", WITHIN + "a08_a_marker_that_a_crash_brought_back_costs_no_second_dream"),
    report("A9", "another embedder stepped in silently", WITHIN + "a09_an_embedder_that_is_away_is_said_and_not_replaced", "recall/test_recall_answers.py::test_without_the_embedder_recall_is_lexical_and_says_so"),
    report("A10", "archived rows were still returned", WITHIN + "a10_what_was_archived_stays_away_on_every_path", "recall/test_recall_answers.py::test_forgotten_never_and_archived_only_on_request"),
    report("A11", "nothing to do was asked again and again", MODEL + "what_was_judged_is_not_asked_again", MODEL + "a_set_the_model_passes_over_is_not_asked_again_either"),
    report("A12", "a body was read before its sender was known", AWAKE + "a12_a55_strangers_and_giants_are_turned_away"),
    report("A13", "any time of creation was taken", WITHIN + "a13_a_time_of_birth_is_a_time_and_not_in_the_future"),
    report("A14", "a malformed id was a fault", WITHIN + "a14_a_malformed_id_is_not_found"),
    report("A15", "a stop returned too early", AWAKE + "a15_a_stop_returns_when_the_lock_is_free_and_a_start_meanwhile_loses"),
    report("A16", "workers used what was closed already", AWAKE + "a16_a_stop_during_a_dream_leaves_no_trace_of_a_fault"),
    report("A17", "an id that was not shown was acted upon", VERDICT + "unsound_merges_fall_alone"),
    report("A18", "one operation without its kind failed all", VERDICT + "no_other_operation_exists"),
    report("A19", "an index out of range lost everything", VERDICT + "unsound_supersessions_fall"),
    report("A20", "an id from the second list was dropped", BAD + "what_can_be_read_is_read"),
    report("A21", "a bad text was dropped, its removals were not", VERDICT + "a_lost_text_archives_nothing"),
    report("A22", "three writes of one change, some of them made", "store/test_wal.py::test_any_cut_leaves_a_prefix_of_whole_records", "store/test_recovery.py::test_a_kill_anywhere_in_a_checkpoint_loses_nothing"),
    report("A23", "a fenced answer was lost", BAD + "what_can_be_read_is_read"),
    report("A24", "thoughts stood before the answer", BAD + "what_can_be_read_is_read"),
    report("A25", "white space without end", BAD + "endless_white_space_is_given_up_long_before_the_deadline"),
    report("A26", "one call hung for hours", BAD + "no_server_outlasts_the_deadline"),
    report("A27", "every command waited for a model that was away", BAD + "status_asks_nobody_unless_told_to"),
    report("A28", "an all-local set-up called a cloud", "llm/test_policy_matrix.py::test_no_text_reaches_a_host_that_is_not_allowed", "llm/test_policy_matrix.py::test_a_key_in_the_environment_is_not_consent"),
    report("A29", "a local server passed prompts on to the internet", "llm/test_gate.py::test_a_cloud_model_is_refused_where_only_loopback_is_allowed"),
    report("A30", "a client refused a long answer without a time-out", BAD + "a_long_answer_may_be_asked_of_anthropic"),
    report("A31", "the first block was not text", BAD + "the_first_block_of_an_answer_need_not_be_its_text"),
    report("A32", "the socket was writable for everyone", AWAKE + "a32_the_socket_is_ours_alone_whatever_the_umask"),
    report("A33", "a symbolic link was removed for a socket", "daemon/test_loop.py::test_a_symlink_at_the_socket_is_refused_and_left"),
    report("A34", "a stranger with the old process id kept it from starting", AWAKE + "a34_a35_a60_the_pid_in_the_lock_file_is_only_for_people"),
    report("A35", "stop could not stop the real one", AWAKE + "a34_a35_a60_the_pid_in_the_lock_file_is_only_for_people"),
    report("A36", "a hook blocked every prompt", "hooks/test_hook_process.py::test_a_slow_daemon_is_left_within_a_second", "hooks/test_hook_process.py::test_without_a_daemon_there_is_silence"),
    report("A37", "hooks woke agents that woke hooks", "hooks/test_hook_process.py::test_muninn_s_own_agents_are_not_watched"),
    report("A38", "two processes wrote one store", WITHIN + "a38_a_second_opener_of_the_store_is_refused"),
    report("A39", "one key became several rows", AWAKE + "a39_what_two_clients_send_at_once_is_one_row"),
    report("A40", "acknowledged writes were not on disk", AWAKE + "a40_what_two_clients_wrote_is_all_there_after_a_restart"),
    report("A41", "a passing error was taken for damage", WITHIN + "a41_a_passing_error_is_not_taken_for_damage"),
    report("A42", "one damaged side file crashed every start", AWAKE + "a42_a_damaged_side_file_does_not_keep_the_daemon_from_serving"),
    report("A43", "a fork after the import hung", AWAKE + "a43_nothing_forks_after_the_tables_are_open"),
    report("A44", "a read inside a write locked up", AWAKE + "a44_an_export_streams_while_others_write"),
    report("A45", "old versions filled the disk", WITHIN + "a45_many_single_writes_stay_small_on_disk"),
    report("A46", "a crash while compacting", WITHIN + "a46_killed_while_compacting_the_store_is_whole"),
    report("A47", "a damaged table was called missing", "store/test_recovery.py::test_damage_to_what_was_synced_is_explained_not_repaired"),
    report("A48", "another embedder, and all rows were gone", WITHIN + "a48_another_embedder_loses_no_row"),
    report("A49", "a quote in a name widened a filter", WITHIN + "a49_quotes_in_names_and_ids_touch_only_themselves"),
    report("A50", "a vector of another width was taken", WITHIN + "a50_a_vector_of_another_width_is_refused"),
    report("A51", "a clock set back stopped the schedule", "daemon/test_schedule.py::test_a_clock_set_back_a_year_puts_nothing_off_for_a_year"),
    report("A52", "the supervisor killed a long start", "daemon/test_supervised.py::test_a_long_dream_at_start_keeps_asking_for_time"),
    report("A53", "a print broke the wire; the server outlived its client", "mcp/test_mcp_process.py::test_stdout_carries_the_protocol_only_and_eof_ends_it"),
    report("A54", "a signal at the wrong moment was fatal", "torture/test_torture.py::test_many_starts_and_stops"),
    report("A55", "a body without a limit", AWAKE + "a12_a55_strangers_and_giants_are_turned_away"),
    report("A56", "stored escapes reached the terminal", "cli/test_display.py::test_a_hostile_memory_is_shown_harmless_by_every_reader"),
    report("A57", "recalled text became instructions", "mcp/test_mcp_tools.py::test_recall_read_edit_forget", "mcp/test_mcp_tools.py::test_answers_are_bounded_and_say_what_was_cut"),
    report("A58", "half a surrogate was an unnamed fault", WITHIN + "a58_half_a_surrogate_is_refused_by_the_name_of_its_field", AWAKE + "a58_half_a_surrogate_is_no_fault"),
    report("A59", "a write replaced what had its id", WITHIN + "a59_an_id_that_is_taken_is_not_written_over"),
    report("A60", "the lock of a killed process blocked for ever", AWAKE + "a34_a35_a60_the_pid_in_the_lock_file_is_only_for_people"),
    report("A61", "work that was slept through was lost", WITHIN + "a61_work_by_the_clock_that_was_slept_through_is_done_soon"),
    report("A62", "related was taken for equal", "domain/test_separation_verdict.py::test_thresholds"),
)  # fmt: skip


def test_every_report_has_one_row() -> None:
    assert [one.number for one in REPORTS] == [f"A{number}" for number in range(1, 63)]
    assert all(one.tests and one.told for one in REPORTS)


def test_every_test_that_a_row_names_exists() -> None:
    named = {test for one in REPORTS for test in one.tests}
    missing = []
    for test in sorted(named):
        file, _, name = test.partition("::")
        path = ROOT / "tests" / file
        if not path.is_file() or f"def {name}(" not in path.read_text("utf-8"):
            missing.append(test)
    assert missing == []


def test_every_test_of_a_report_is_in_its_row() -> None:
    rows = {one.number: one.tests for one in REPORTS}
    for file in ("torture/test_reports_awake.py", "torture/test_reports_within.py"):
        for name in re.findall(r"^def (test_a\d\w+)", (ROOT / "tests" / file).read_text("utf-8"), re.MULTILINE):
            for number in re.findall(r"(?<=_)a(\d\d)(?=_)", name):
                assert f"{file}::{name}" in rows[f"A{int(number)}"], name
