"""What is promised of case files: durability, hostile files, the record."""

from __future__ import annotations

from tests.guarantees.row import Row, checks

_STORE, _WORKERS, _READERS, _WRITERS, _REVIEW, _CLI = (
    f"core/{folder}/" for folder in ("store", "workers", "engines/readers", "engines/report_writers", "review", "cli")
)
_LOCK, _OPENING, _BACKUPS, _TYPED = (
    f"{_STORE}test_{name}.py::test_" for name in ("lock", "opening", "backups", "typed_text")
)
_REPORT, _FORMS = (f"core/report/test_{name}.py::test_" for name in ("service", "forms"))
_INTEGRITY = f"{_STORE}test_integrity.py::test_"
_BAD_INPUT = "flows/test_bad_input.py::test_"
_VALUES = "guarantees/attacks/test_values.py::test_"

DURABILITY = (
    Row(
        "A1",
        "A kill at any moment loses nothing that was acknowledged and leaves nothing half done",
        "{n} kills: 0 lost, 0 half done",
        checks(
            (f"{_STORE}test_kill.py::test_a_few_kills", 8),
            (f"{_STORE}test_kill.py::test_two_hundred_kills", 50, 1),
            (f"{_STORE}test_kill.py::test_eight_hundred_kills", 200, 2),
        ),
        elsewhere="how a process ends; the order in which a file system keeps what was written",
    ),
    Row(
        "A2",
        "A kill at any write of any operation or format change leaves it done or not done, never half done",
        "{n} states after a kill or power cut: all open and pass the check, each done or not done",
        checks(
            *(
                (f"guarantees/test_crash.py::test_a2_{name}", 1, tier)
                for name, tier in (
                    ("a_kill_at_any_write_leaves_a_verb_done_or_not_done", 0),
                    ("a_kill_or_power_cut_amid_a_migration_leaves_one_format_or_the_other", 0),
                    ("a_kill_at_every_write_of_every_verb", 1),
                    ("a_kill_or_power_cut_at_many_steps_of_every_migration", 1),
                )
            )
        ),
        elsewhere="the order in which a file system keeps what was written",
    ),
    Row(
        "A3",
        "A power cut loses nothing that was acknowledged, whatever part of the unflushed writes reached the disk",
        "{n} states of the disk: 0 acknowledged decisions lost",
        checks(
            "guarantees/test_crash.py::test_a3_a_power_cut_loses_nothing_that_was_acknowledged",
            ("guarantees/test_crash.py::test_a3_many_power_cuts", 1, 1),
        ),
        elsewhere="whether the disk flushes when asked to: F_FULLFSYNC on macOS",
    ),
    Row(
        "A4",
        "A disk that fails at any write, once or for good, is reported and leaves each operation done or not done",
        "{n} failing steps: all reported, 0 half done",
        checks(
            "guarantees/test_crash.py::test_a4_a_write_that_fails_leaves_a_verb_done_or_not_done",
            ("guarantees/test_crash.py::test_a4_some_writes_of_every_verb_fail_once_and_forever", 1, 1),
            ("guarantees/test_crash.py::test_a4_every_write_of_every_verb_fails_once_and_forever", 1, 2),
        ),
    ),
    Row(
        "A5",
        "A full disk is reported and costs nothing that was saved; work goes on once there is room",
        "{n} ways of filling it: all reported, 0 lost",
        checks(
            f"{_OPENING}a_full_disk_loses_nothing_and_the_case_stays_usable",
            f"{_OPENING}a_case_on_a_full_disk_says_that_and_opens_when_there_is_room",
            f"{_BACKUPS}a_full_disk_costs_the_backup_alone",
            f"{_BACKUPS}no_room_for_the_restored_case_leaves_the_present_one",
            f"{_BAD_INPUT}a_disk_that_is_full_in_the_middle_of_an_import_keeps_what_was_done",
            f"{_REPORT}an_older_file_survives_whatever_fails",
        ),
        elsewhere="the error codes for a full disk",
    ),
    Row(
        "A6",
        "The program refuses to start on a database engine that can lose data or lacks a required part",
        "SQLite 3.51.3 or newer, vec0 and FTS5, or no start",
        checks(
            f"{_STORE}test_connection.py::test_the_engine_is_new_enough_and_complete",
            f"{_STORE}test_connection.py::test_an_old_engine_is_refused",
            f"{_STORE}test_connection.py::test_every_setting_is_in_force",
        ),
    ),
    Row(
        "A7",
        "At most two seconds of typing are lost if the program dies in the middle of it",
        "{n} checks passed; a kill in the middle of typing loses one second at most",
        checks(
            *(
                f"gui_app/shared/test_field_draft.py::test_{name}"
                for name in (
                    "a_kill_in_mid_typing_loses_the_last_moment_at_most",
                    "what_is_typed_is_kept_until_it_is_saved",
                    "text_that_was_lost_is_offered_where_it_was_typed",
                    "a_hypothesis_that_is_edited_in_its_row_is_offered_again",
                    "a_case_that_can_only_be_read_keeps_what_is_typed",
                    "text_that_was_lost_survives_what_is_typed_beside_the_offer",
                    "the_note_of_a_cell_and_a_question_are_kept",
                    "a_person_is_told_once_of_text_that_was_not_saved",
                )
            ),
            *(
                f"{_TYPED}{name}"
                for name in (
                    "what_was_typed_is_there_when_the_case_is_opened_again",
                    "a_kill_at_any_write_leaves_the_text_before_or_after",
                    "a_journal_that_another_window_writes_is_left_alone",
                    "a_damaged_file_costs_what_was_in_it_alone",
                    "without_the_lock_of_the_case_only_what_is_typed_there_changes",
                    "without_the_lock_of_the_case_an_empty_file_stays_for_the_other",
                    "without_the_lock_of_the_case_a_file_of_another_key_stays",
                    "what_is_typed_in_an_encrypted_case_is_encrypted",
                )
            ),
        ),
    ),
    Row(
        "A8",
        "A backup is made before every format change and on every day of work; each is opened and checked, and a "
        "restored one is the case as it was",
        "{n} checks passed",
        checks(
            *(
                f"{_BACKUPS}{name}"
                for name in (
                    "a_backup_is_the_case_in_one_file",
                    "the_days_backup_is_made_before_the_first_write",
                    "a_backup_during_an_import_is_one_moment_of_the_case",
                    "a_damaged_case_makes_none_and_pushes_none_out",
                    "a_kill_in_the_middle_leaves_the_older_ones",
                    "rolling_on_for_a_year_never_loses_a_week_of_the_last_month",
                    "restoring_moves_the_present_file_aside",
                    "a_damaged_backup_is_not_restored",
                )
            ),
            f"{_OPENING}a_migration_backs_up_first_and_marks_the_file",
            f"{_OPENING}no_migration_without_its_backup",
        ),
        elsewhere="replacing a file that a virus scanner or indexer has open",
    ),
    Row(
        "A9",
        "Undo and redo restore every state of any sequence of decisions, even after closing and reopening",
        "{n} sequences: every state came back and is in the log",
        checks(
            (f"{_STORE}test_decisions.py::test_any_sequence_of_decisions", 20),
            f"{_STORE}test_undo.py::test_undo_survives_reopening",
            (f"{_STORE}test_decisions.py::test_any_long_sequence_of_decisions", 300, 1),
            ("guarantees/test_a_durability.py::test_a9_two_thousand_sequences", 2_000, 2),
        ),
    ),
)

CASE_FILES = (
    Row(
        "B1",
        "Only one process can have a case open; a second is shown who has it; a killed one locks nobody out",
        "{n} attempts: 0 let in, 0 writes",
        checks(
            *(
                f"{_LOCK}{name}"
                for name in (
                    "a_look_at_the_file_does_not_let_others_in",
                    "the_lock_is_on_the_file_itself_too",
                    "the_lock_is_the_same_through_a_link_to_the_case",
                    "a_note_that_a_kill_left_stops_nobody",
                    "a_thing_in_the_place_of_the_lock_is_named_and_left_alone",
                )
            ),
            f"{_OPENING}a_second_process_is_told_who_has_it_and_a_kill_frees_it",
            (f"{_LOCK}what_two_processes_were_told_is_saved_is_there", 25),
            (f"{_LOCK}what_two_processes_were_told_is_saved_is_there", 200, 1),
        ),
        elsewhere="the locks: a byte on Windows, flock alone on macOS (core/store/lock.py, tested with stand-ins)",
    ),
    Row(
        "B2",
        "A case on a read-only medium opens with its last changes, and its bytes stay as they are",
        "{n} checks: complete, 0 bytes changed",
        checks(
            *(
                f"{_OPENING}{name}"
                for name in (
                    "a_read_only_case_can_be_read_and_searched",
                    "viewing_loses_nothing_that_only_the_journal_holds",
                    "a_read_only_medium",
                )
            )
        ),
        elsewhere="how a folder shows that it is read-only",
    ),
    Row(
        "B3",
        "A case from a newer version is refused with that reason and not touched",
        "refused before the engine opens it, 0 bytes changed",
        checks(f"{_OPENING}a_newer_case_is_refused_with_nothing_written"),
    ),
    Row(
        "B4",
        "Every older format opens; a migration that fails or is killed leaves the old case and its backup",
        "{n} checks over formats 1 to 9",
        checks(
            *(
                f"{_OPENING}{name}"
                for name in (
                    "the_kept_case_of_format_1_opens",
                    "the_kept_case_of_format_5_opens",
                    "the_kept_case_of_format_6_opens",
                    "the_kept_case_of_format_7_opens_and_says_since_when_its_pages_are_proven",
                    "the_kept_case_of_format_8_gives_the_hits_it_gave",
                    "the_kept_case_of_format_9_opens_and_keeps_results",
                    "a_migration_that_fails_leaves_the_old_format",
                    "the_backup_opens_as_the_case_it_was",
                )
            )
        ),
    ),
    Row(
        "B5",
        "A damaged case never crashes the program and never shows altered text",
        "{n} damaged cases: 0 crashes, 0 silently altered texts",
        checks(
            (f"{_OPENING}damaged_cases_never_crash_and_never_lie", 60),
            f"{_OPENING}a_truncated_case_is_refused",
            f"{_OPENING}a_changed_text_is_never_shown",
            f"{_OPENING}a_damaged_case_that_is_refused_is_left_as_it_is",
            (f"{_OPENING}many_damaged_cases", 600, 1),
            f"{_VALUES}a_few_wild_values_give_sentences",
            (f"{_VALUES}wild_values_in_every_column_give_sentences", 1, 1),
        ),
    ),
    Row(
        "B6",
        "Tables, triggers, views and columns that the program did not create are refused before anything is read",
        "{n} crafted files: all refused",
        checks(
            f"{_OPENING}a_schema_that_is_not_ours_is_refused",
            f"{_OPENING}rewritten_definitions_are_refused",
            f"{_INTEGRITY}a_foreign_table_is_refused_whatever_its_name_begins_with",
            f"{_OPENING}what_is_planted_beside_the_second_vectors_of_an_older_case_is_refused",
        ),
    ),
    Row(
        "B7",
        "A damaged search index is noticed and rebuilt; the nearest passages are exact",
        "{n} checks: search restored; same neighbours as by comparing all",
        checks(
            f"{_STORE}test_word_index.py::test_a_broken_index_is_found_and_made_again",
            f"{_STORE}test_bm25.py::test_an_index_that_disagrees_with_the_passages_is_found_and_made_again",
            f"{_STORE}test_vector_index.py::test_nearest_is_exact_in_every_scope",
            f"{_STORE}test_vector_matrix.py::test_vectors_that_cannot_be_searched_are_found_and_dropped",
            f"{_INTEGRITY}a_search_index_without_its_settings_is_told_and_repaired",
            "core/search/test_service.py::test_a_damaged_index_is_made_again_by_the_search_that_finds_it",
        ),
    ),
    Row(
        "B8",
        "Nothing inside an archive is written to disk, whatever its name",
        "{n} checks: names made safe, 0 files created",
        checks(
            f"{_READERS}test_attachments.py::test_names_are_made_safe_and_told_apart",
            f"{_READERS}test_docx.py::test_names_of_parts_open_nothing",
            f"{_READERS}test_zip_archive.py::test_a_locked_file_and_a_link_are_named_with_the_reason_and_the_others_are_read",
            "core/documents/test_importing.py::test_a_name_from_the_child_is_cleaned",
        ),
    ),
)

RECORD = (
    Row(
        "H1",
        "Checking a case reveals every change to a stored file, text or decision",
        "{n} changes: all noticed",
        checks(
            f"{_INTEGRITY}a_change_of_any_column_is_found",
            f"{_INTEGRITY}a_row_that_nobody_wrote_is_found",
            f"{_INTEGRITY}a_row_that_is_gone_is_found",
            f"{_OPENING}verify_names_what_was_changed",
            (f"{_VALUES}a_check_notices_every_change_but_those_that_are_told", 1, 1),
        ),
    ),
    Row(
        "H2",
        "What a report says can be checked without this program",
        "every report lists the SHA-256 of each file it cites; sha256sum -c checks exported originals: {n} hashes",
        checks(
            "guarantees/test_h_record.py::test_h2_a_report_names_the_hash_of_every_original",
            "guarantees/test_h_record.py::test_originals_are_compared_with_what_the_case_recorded",
        ),
    ),
    Row(
        "H3",
        "A log entry that was changed, removed, added or moved is noticed",
        "{n} tamperings: all noticed",
        checks(
            f"{_STORE}test_decision_log.py::test_every_single_field_of_every_entry_is_covered_by_the_chain",
            f"{_STORE}test_log.py::test_tampering_with_the_log_or_the_tables_is_found",
            f"{_INTEGRITY}a_verb_writes_its_own_tables_only",
            f"{_INTEGRITY}a_check_compares_the_log_with_the_hash_of_an_earlier_report",
        ),
    ),
    Row(
        "H4",
        "Replaying the log of decisions gives the tables",
        "{n} sequences: equal after every step",
        checks(
            (f"{_STORE}test_decisions.py::test_any_sequence_of_decisions", 20),
            f"{_STORE}test_history.py::test_what_was_decided_by_then_is_what_the_log_replays",
            (f"{_STORE}test_decisions.py::test_any_long_sequence_of_decisions", 300, 1),
            ("guarantees/test_a_durability.py::test_a9_two_thousand_sequences", 2_000, 2),
        ),
    ),
    Row(
        "H5",
        "Every proposal records document, page, place, models, parameters, time and who decided",
        "{n} proposals: all complete",
        checks("guarantees/test_h_record.py::test_h5_every_proposal_says_where_it_comes_from"),
    ),
    Row(
        "H6",
        "Setting the clock back changes no order",
        "by number, never by time",
        checks(f"{_STORE}test_log.py::test_a_clock_set_back_changes_no_order"),
    ),
)

_ENCRYPTION, _ERASURE = (f"{_STORE}test_{name}.py::test_" for name in ("encryption", "erasure"))

SECRECY = (
    Row(
        "L1",
        "Nothing of an encrypted case can be read on disk: not in its file, log or backups, nor in what a kill leaves",
        "{n} searches for words, names and the key: 0 found",
        checks(
            *(
                f"{_ENCRYPTION}{name}"
                for name in (
                    "the_canaries_sing_in_a_case_without_a_passphrase",
                    "nothing_of_an_open_case_can_be_read_on_the_disk",
                    "nothing_can_be_read_in_what_a_killed_program_leaves",
                    "the_key_is_in_no_file_and_no_repr",
                    "backups_are_encrypted_and_need_the_passphrase",
                    "the_old_file_is_overwritten_even_where_it_has_another_handle",
                    "without_hard_links_the_old_file_is_overwritten_too",
                    "one_whose_file_was_removed_leaves_an_encrypted_copy",
                    "an_error_of_the_database_tells_nothing_of_the_key",
                )
            ),
            f"{_TYPED}what_is_typed_in_an_encrypted_case_is_encrypted",
            f"{_TYPED}a_case_that_gets_a_passphrase_leaves_nothing_in_clear",
            f"{_TYPED}text_that_was_typed_in_clear_is_overwritten_once_the_case_has_a_key",
            f"{_CLI}test_passphrase.py::test_what_is_typed_at_a_real_terminal_is_not_echoed",
            f"{_CLI}test_passphrase.py::test_it_is_in_no_argument_of_a_process_and_no_crash_report",
        ),
        elsewhere="overwriting the old file; what the system writes to swap",
    ),
    Row(
        "L2",
        "A wrong passphrase is reported at once and changes nothing; any altered page of an encrypted case is noticed",
        "{n} checks: reported, 0 bytes changed, every change noticed",
        checks(
            *(
                f"{_ENCRYPTION}{name}"
                for name in (
                    "a_wrong_passphrase_is_told_and_touches_nothing",
                    "without_its_key_it_is_not_opened_and_not_touched",
                    "a_changed_page_is_noticed_wherever_it_is",
                    "pages_put_elsewhere_zeroed_or_cut_off_are_noticed",
                    "pages_from_another_time_are_noticed",
                )
            )
        ),
    ),
    Row(
        "L3",
        "Setting, changing or removing a passphrase leaves one whole case, wherever it is interrupted",
        "{n} interruptions and kills: one whole case each time",
        checks(
            f"{_ENCRYPTION}a_process_that_ends_at_any_step_of_a_change_leaves_one_whole_case",
            f"{_ENCRYPTION}a_few_kills",
            f"{_ENCRYPTION}a_change_that_cannot_be_written_leaves_all_as_it_was",
            (f"{_ENCRYPTION}two_hundred_kills", 200, 1),
        ),
        elsewhere="replacing a file",
    ),
    Row(
        "L4",
        "Nothing erased is left in the file, the log still proves itself, and a kill leaves it done or not begun",
        "{n} checks and states after a kill: 0 words found",
        checks(
            *(
                f"{_ERASURE}{name}"
                for name in (
                    "before_it_is_erased_the_search_finds_it",
                    "nothing_of_it_is_left_in_the_file",
                    "killed_at_any_statement_it_is_done_or_not_begun",
                    "passwords_are_forgotten_and_the_rest_stays",
                    "the_log_names_what_was_blanked_and_a_changed_blank_is_noticed",
                    "all_else_is_as_it_was",
                    "text_that_was_typed_and_not_saved_loses_its_words_too",
                    "nothing_is_erased_while_its_words_stay_in_text_that_was_not_saved",
                    "what_was_found_in_it_goes_with_it_also_where_that_was_removed_before",
                    "what_the_entry_of_an_erasure_holds_of_another_document_goes_with_that",
                    "an_entry_that_only_claims_an_erasure_does_not_hide_a_changed_rating",
                    "no_backup_is_made_of_what_is_about_to_be_erased",
                    "a_merge_brings_nothing_back_that_was_erased_here",
                    "an_encrypted_case_forgets_likewise_and_stays_encrypted",
                )
            ),
            f"{_BACKUPS}an_erased_backup_is_overwritten_with_what_a_kill_left_beside_it",
            f"{_TYPED}nothing_is_left_of_what_was_saved",
            f"{_TYPED}no_room_is_given_back_to_the_disk_before_what_was_typed_in_it_is_overwritten",
            f"{_TYPED}words_that_a_kill_left_in_the_journal_are_overwritten_at_the_next_start",
            (f"{_ERASURE}killed_at_every_statement_it_is_done_or_not_begun", 1, 1),
        ),
        elsewhere="what a drive keeps of overwritten data",
    ),
    Row(
        "L5",
        "Whatever is readable in a damaged case becomes a new case, checked row by row, with a list of what was lost",
        "{n} kinds and places of damage: new case sound, old one untouched",
        checks(
            *(
                f"{_STORE}test_recovery.py::test_{name}"
                for name in (
                    "of_a_sound_case_nothing_is_lost",
                    "the_new_case_is_sound_wherever_the_old_one_was_damaged",
                    "a_text_that_was_lost_leaves_an_empty_page_and_the_quote_its_words",
                    "a_log_that_is_cut_ends_there_and_the_tables_go_on",
                    "a_decision_that_was_altered_is_as_the_log_says",
                    "what_was_erased_stays_erased_and_its_log_proves_itself",
                    "what_cannot_be_recovered_says_so_and_leaves_nothing",
                    "an_encrypted_case_is_recovered_with_its_key_and_stays_encrypted",
                )
            ),
            f"{_CLI}test_recovery.py::test_a_damaged_case_becomes_a_new_one_with_a_list_of_what_was_lost",
            (f"{_STORE}test_recovery.py::test_every_place_and_every_kind_of_damage", 1, 1),
        ),
    ),
)
