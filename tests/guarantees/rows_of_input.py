"""What is promised of documents, models and text that is aimed at the analysis."""

from __future__ import annotations

from tests.guarantees.row import Row, checks

_STORE, _WORKERS, _READERS, _WRITERS, _REVIEW, _CLI = (
    f"core/{folder}/" for folder in ("store", "workers", "engines/readers", "engines/report_writers", "review", "cli")
)
_SANDBOX, _PROCESS, _SERVER = (f"{_WORKERS}test_{name}.py::test_" for name in ("sandbox", "process", "server"))
_GGUF, _REGISTRY = (f"core/model_files/test_{name}.py::test_" for name in ("gguf", "registry"))
_JUDGE, _KILLED = (f"{_REVIEW}test_{name}.py::test_" for name in ("hostile_judge", "judge_killed"))
_CHAT, _LLAMA = (f"core/engines/llm/test_{name}.py::test_" for name in ("chat_models", "llama"))
_INJECTION = "core/verdicts/test_prompt_injection.py::test_"
_BAD_INPUT = "flows/test_bad_input.py::test_"
_PLANS = "core/plans/test_separating_passages.py::test_"
_BENCH = "core/test_workbench.py::test_"
_ATTACKS = "guarantees/attacks/"

DOCUMENTS = (
    Row(
        "C1",
        "No file crashes the program or hangs an import",
        "{n} hostile or damaged files: all read or refused with a reason",
        checks(
            (f"{_READERS}test_torture.py::test_damaged_copies_end_as_pages_or_a_reason", 30),
            (f"{_READERS}test_hostile_formats.py::test_damaged_copies_end_as_pages_or_a_problem", 10),
            (f"{_READERS}test_dispatch.py::test_damaged_files_end_as_pages_or_a_problem", 15),
            (f"{_READERS}test_torture.py::test_three_hundred_damaged_copies_end_as_pages_or_a_reason", 300, 1),
            (f"{_READERS}test_dispatch.py::test_damaged_files_end_as_pages_or_a_problem", 50, 1),
            (f"{_ATTACKS}test_documents.py::test_every_hostile_document_is_added_or_listed_with_a_reason", 60, 1),
        ),
        elsewhere="ending a process and what it started",
    ),
    Row(
        "C2",
        "Every child process has limits on time, memory and size, and is ended with everything it started",
        "{n} misbehaving children: all ended",
        checks(
            *(
                f"{_PROCESS}{name}"
                for name in (
                    "a_child_that_hangs_is_ended_at_its_limit",
                    "what_a_child_started_dies_with_it_at_once",
                    "noise_instead_of_answers_ends_the_child",
                    "a_child_that_closes_its_pipes_and_stays_is_ended",
                )
            ),
            f"{_SERVER}memory_is_bounded",
            f"{_SERVER}a_child_cannot_write_large_files",
            f"{_SERVER}processor_time_is_bounded_even_when_nobody_waits",
            f"{_SERVER}no_orphan_stays_when_the_program_is_killed",
            "guarantees/test_children.py::test_a_child_that_is_killed_at_some_turns_costs_one_call",
            ("guarantees/test_children.py::test_a_child_that_is_killed_at_any_turn_costs_one_call", 1, 1),
            f"{_WORKERS}test_system.py::test_on_windows_a_child_is_asked_what_lies_in_its_pipe",
            f"{_WORKERS}test_system.py::test_on_windows_a_child_that_dies_is_told_and_replaced",
        ),
        elsewhere="limits on memory (none on Windows) and processor time, process groups, orphans: "
        "core/workers/system.py, tested with stand-ins",
    ),
    Row(
        "C3",
        "A child cannot reach a network, write, start programs or read the person's files",
        "{n} attempts by a hostile child: all refused",
        checks(
            *(
                f"{_SANDBOX}{name}"
                for name in (
                    "calls_are_refused",
                    "a_listening_neighbour_hears_nothing",
                    "no_program_is_started_through_a_shell",
                    "a_file_of_the_person_is_out_of_reach",
                    "what_a_file_is_cannot_be_changed",
                    "nothing_is_made",
                    "the_rest_of_the_computer_cannot_be_read",
                    "folders_cannot_be_listed",
                    "the_program_itself_cannot_be_looked_into",
                )
            )
        ),
        elsewhere="all of it: there is no confinement on Windows and macOS, and the Offline page says so",
    ),
    Row(
        "C4",
        "Every answer of a child is checked: bounded lengths, known fields, no pickles",
        "{n} damaged answers: nothing worse than a refusal, little memory",
        checks(
            (f"{_WORKERS}test_wire.py::test_five_thousand_damaged_frames_of_every_kind_take_little_memory", 5_000),
            (f"{_WORKERS}test_wire.py::test_random_bytes_are_only_a_protocol_error", 100),
            f"{_WORKERS}test_frames.py::test_oversized_lengths_are_refused_before_memory_is_taken",
        ),
    ),
    Row(
        "C5",
        "Every file given is added, listed as failed with a reason, or named as a duplicate",
        "{n} imports: nothing unaccounted for",
        checks(
            f"{_BAD_INPUT}submitted_is_added_and_duplicate_and_failed",
            f"{_BENCH}every_submitted_file_is_accounted_for",
            "core/documents/test_importing.py::test_every_file_inside_is_accounted_for",
            "core/documents/test_importing.py::test_an_archive_of_every_kind_of_file_is_accounted_for",
            "core/documents/test_service.py::test_a_failed_file_is_kept_with_its_bytes_and_reason_and_is_no_document",
        ),
    ),
    Row(
        "C6",
        "Archives and documents built to fill memory or disk are refused early",
        "{n} bombs: all refused, little memory",
        checks(
            f"{_WORKERS}test_bombs.py::test_a_bomb_does_no_harm",
            f"{_READERS}test_ooxml_package.py::test_bombs_are_refused",
            f"{_READERS}test_zip_archive.py::test_bombs_are_refused_before_they_are_unpacked",
            "core/engines/matrix_import/test_dispatch.py::test_bombs_are_refused_in_little_memory",
        ),
    ),
    Row(
        "C7",
        "Nothing that a page or an email refers to is fetched or read, when parsed or when shown",
        "0 requests for an internet socket; none of it shown",
        checks(
            f"{_READERS}test_html.py::test_what_is_no_text_of_the_page_is_left_out",
            "test_offline.py::test_no_process_asked_for_an_internet_socket",
            "test_offline.py::test_the_watch_would_notice_an_attempt",
        ),
        elsewhere="watched on Linux only",
    ),
    Row(
        "C8",
        "Text that a reader of the page could not see is marked, shown as hidden, and not judged",
        "{n} ways of hiding and showing text: all hidden text marked, no visible text marked",
        checks(
            f"{_READERS}test_pdf_hidden_text.py::test_every_way_of_hiding_is_found_and_named",
            f"{_READERS}test_pdf_hidden_text.py::test_nothing_is_flagged_where_everything_can_be_read",
            f"{_READERS}test_html.py::test_what_a_person_would_not_see_is_kept_and_flagged",
            f"{_READERS}test_docx.py::test_hidden_runs_are_flagged",
            f"{_READERS}test_spreadsheet.py::test_hidden_sheets_rows_and_columns_are_read_and_flagged",
            "core/documents/test_chunking.py::test_hidden_text_is_in_no_passage",
        ),
    ),
)

MODELS = (
    Row(
        "D1",
        "A bad model file never crashes the program",
        "{n} checks with truncated files, garbled headers and absurd numbers: all refused before the native loader",
        checks(
            *(
                f"{_GGUF}{name}"
                for name in (
                    "a_file_cut_anywhere_is_refused_before_the_native_loader",
                    "wild_numbers_in_the_head_are_refused_before_the_native_loader",
                    "a_garbled_head_is_refused_or_still_sound",
                    "what_ends_a_loader_is_refused_before_it",
                    "a_garbled_head_that_is_let_through_never_ends_the_loader",
                )
            )
        ),
    ),
    Row(
        "D2",
        "A model is identified by its bytes; another file in its place is noticed and gives no verdict in its name",
        "{n} swaps: all noticed",
        checks(
            f"{_REGISTRY}the_programs_own_judge_swapped_on_disk_is_noticed_and_may_not_judge",
            f"{_REGISTRY}a_file_swapped_after_it_got_its_role_is_not_asked",
            f"{_REGISTRY}a_verdict_of_another_model_is_marked",
            f"{_JUDGE}a_model_that_was_swapped_during_a_run_gives_no_verdict_in_the_name_of_the_first",
        ),
    ),
    Row(
        "D3",
        "The template inside a model file is never run",
        "a template written to create a file created none",
        checks(f"{_CHAT}the_template_in_a_file_is_never_run"),
    ),
    Row(
        "D4",
        "The text of a document never becomes a control token of a model",
        "{n} checks over every token of the vocabularies: none",
        checks(
            f"{_CHAT}a_document_cannot_write_control_words",
            f"{_CHAT}no_word_of_a_whole_vocabulary_becomes_a_control_word",
            f"{_LLAMA}no_text_changes_the_words_at_the_seam_or_becomes_control_words",
            f"{_LLAMA}no_control_word_of_the_vocabulary_can_come_from_a_text",
            "core/engines/cross_encoder/test_judge.py::test_no_text_at_all_writes_a_mark",
        ),
    ),
    Row(
        "D5",
        "Too little memory is reported before a model is loaded; a model that crashes harms neither program nor case",
        "50 kills during runs: 0 partial verdicts; {n} checks",
        checks(
            f"{_KILLED}fifty_kills_in_the_midst_of_runs_lose_nothing",
            f"{_KILLED}a_judge_that_may_take_too_little_memory_says_so_before_it_loads",
            f"{_KILLED}whatever_a_judge_is_granted_it_answers_as_ever_or_says_why_not",
            f"{_LLAMA}too_little_memory_is_said_before_the_model_is_loaded",
        ),
        elsewhere="how free memory is measured, and limits on memory",
    ),
    Row(
        "D6",
        "A model that does not stop is stopped; cancelling takes effect at once",
        "{n} checks: stopped at the limit, cancelled",
        checks(
            f"{_PROCESS}a_child_that_hangs_is_ended_at_its_limit",
            f"{_WORKERS}test_client.py::test_interrupt_from_another_thread",
            f"{_CHAT}a_draft_is_the_same_each_time_and_ends",
            "core/review/test_service.py::test_a_cancelled_run_keeps_what_was_read_and_goes_on",
        ),
    ),
    Row(
        "D7",
        "Only a well-formed answer is stored: one of four labels with probabilities",
        "{n} garbled answers: 0 stored",
        checks(
            (f"{_JUDGE}five_hundred_hostile_answers_change_nothing_that_a_person_decides", 500),
            f"{_JUDGE}a_child_that_answers_out_of_form_is_not_believed",
            f"{_CHAT}numbers_that_are_none_are_no_verdict",
            f"{_WORKERS}test_engines.py::test_too_few_verdicts_are_refused",
        ),
    ),
    Row(
        "D8",
        "The same model gives the same verdicts on a passage and its rival hypotheses whenever it is asked",
        "{n} checks: identical to the last byte",
        checks(
            f"{_LLAMA}results_are_equal_byte_for_byte_again",
            f"{_CHAT}many_hypotheses_on_one_passage_are_read_in_groups_of_rivals",
            f"{_CHAT}answers_are_the_same_again",
            "flows/test_same_report.py::test_three_processes_with_the_judge_give_the_same_bytes",
        ),
        elsewhere="other processors round differently: nothing is promised across computers",
    ),
)

HOSTILE_TEXT = (
    Row(
        "E1",
        "Whatever a model answers, nothing enters the matrix without a person, and every quote is verbatim",
        "{n} hostile answers: 0 changes, 0 false quotes",
        checks(
            (f"{_JUDGE}five_hundred_hostile_answers_change_nothing_that_a_person_decides", 500),
            "core/review/test_service.py::test_a_hostile_second_reader_leaves_nothing_behind",
            f"{_STORE}test_evidence.py::test_an_invented_quote_is_refused_everywhere",
        ),
    ),
    Row(
        "E2",
        "How often planted instructions change a verdict is measured and shown, and may not rise",
        "at most 10% of the judge's verdicts; the exam gives the figure",
        checks(
            "core/verdicts/test_exam_results.py::test_planted_instructions_turn_hardly_more_verdicts_than_before",
            "core/verdicts/test_exam_results.py::test_the_measurements_tell_the_result_as_it_is",
            "core/verdicts/test_exam.py::test_attacks_are_many_of_many_kinds_and_want_every_label",
            f"{_ATTACKS}test_injection.py::test_the_search_finds_what_works_and_is_the_same_again",
            (f"{_ATTACKS}test_injection.py::test_a_search_against_the_judge_of_the_program_is_measured", 1, 2),
        ),
    ),
    Row(
        "E3",
        "A hostile passage changes no verdict on another passage",
        "50 verdicts: the same with and without it",
        checks((f"{_PLANS}fifty_verdicts_are_the_same_with_a_hostile_passage_among_them_and_without", 50)),
    ),
    Row(
        "E4",
        "Text that addresses a model is flagged beside the verdict and in the report",
        "{n} checks: nine in ten unknown attacks flagged, hardly any real text",
        checks(
            *(
                f"{_INJECTION}{name}"
                for name in (
                    "text_that_speaks_to_a_model_is_found_alone_and_within_a_passage",
                    "nine_in_ten_of_what_the_rules_were_not_written_for_are_found",
                    "what_analysts_read_is_not_flagged",
                    "hardly_any_real_text_is_flagged",
                )
            ),
            f"{_JUDGE}words_that_speak_to_a_model_are_told_beside_the_verdict_and_in_the_report",
        ),
    ),
    Row(
        "E5",
        "A document or a run with an implausible share of one label is reported",
        "{n} checks passed",
        checks(
            "core/verdicts/test_label_imbalance.py::test_a_document_on_one_side_is_told_where_the_others_are_not",
            "core/verdicts/test_label_imbalance.py::test_whatever_is_told_is_so_and_the_order_does_not_matter",
            f"{_JUDGE}a_one_sided_run_is_told_at_once_and_in_the_report",
        ),
    ),
)
