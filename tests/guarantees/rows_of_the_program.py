"""What is promised of reports, of the network, of the window and of the set-up."""

from __future__ import annotations

from tests.guarantees.row import Row, checks

_STORE, _WORKERS, _READERS, _WRITERS, _REVIEW, _CLI = (
    f"core/{folder}/" for folder in ("store", "workers", "engines/readers", "engines/report_writers", "review", "cli")
)
_SANDBOX, _PROCESS, _SERVER = (f"{_WORKERS}test_{name}.py::test_" for name in ("sandbox", "process", "server"))
_REPORT, _FORMS = (f"core/report/test_{name}.py::test_" for name in ("service", "forms"))
_BAD_INPUT = "flows/test_bad_input.py::test_"
_OPENED = "guarantees/attacks/test_exports.py::test_"
_EXPORTS = f"{_OPENED}no_hostile_text_"

EXPORTS = (
    Row(
        "F1",
        "A report as a web page contains nothing active, whatever the case contains",
        "{n} checks with 100 texts in every field: 0 active",
        checks(
            "core/report/test_report.py::test_a_hundred_hostile_texts_in_every_field_stay_text",
            "core/report/test_evidence_pack.py::test_a_hundred_hostile_texts_stay_text_in_a_pack",
            f"{_FORMS}markdown_of_hostile_text_holds_no_markup_of_the_case",
            f"{_EXPORTS}becomes_anything_but_text",
            (f"{_EXPORTS}of_all_becomes_anything_but_text", 1, 1),
            (f"{_EXPORTS}runs_or_asks_for_anything_in_chromium", 1, 1),
            (f"{_OPENED}the_browser_tells_what_runs_and_what_is_asked_for", 1, 1),
        ),
    ),
    Row(
        "F2",
        "Every text cell of a table is text, and no cell is a formula",
        "{n} checks: 0 formulas",
        checks(
            f"{_FORMS}no_cell_of_a_csv_can_be_taken_for_a_formula",
            f"{_WRITERS}test_xlsx.py::test_no_cell_of_a_workbook_is_a_formula_or_a_link",
            f"{_WRITERS}test_xlsx.py::test_a_text_that_begins_like_a_formula_keeps_its_words_and_its_mark",
            (f"{_EXPORTS}of_all_becomes_anything_but_text", 1, 1),
            (f"{_OPENED}every_text_of_a_workbook_is_that_text_in_libreoffice", 1, 1),
            (f"{_OPENED}no_cell_of_a_table_becomes_a_formula_in_libreoffice", 1, 1),
            (f"{_OPENED}a_formula_in_a_table_is_noticed_in_libreoffice", 1, 1),
        ),
    ),
    Row(
        "F3",
        "A report as a document, workbook or PDF has no outside link and no field, macro, script or attached file",
        "{n} checks: 0",
        checks(
            f"{_WRITERS}test_docx.py::test_docx_leads_nowhere_outside_and_says_nothing_of_the_computer",
            f"{_WRITERS}test_docx.py::test_docx_of_hostile_text_is_well_formed_and_keeps_every_word",
            f"{_WRITERS}test_pdf.py::test_pdf_is_tagged_and_carries_nothing_active",
            f"{_WRITERS}test_pdf.py::test_pdf_takes_any_text_as_text",
            f"{_WRITERS}test_xlsx.py::test_xlsx_leads_nowhere_outside",
            "core/report/test_wording.py::test_unseen_characters_are_written_out",
            (f"{_EXPORTS}of_all_becomes_anything_but_text", 1, 1),
            (f"{_OPENED}no_document_runs_or_leads_outside_in_libreoffice", 1, 1),
            (f"{_OPENED}a_pdf_keeps_its_words_and_does_nothing_in_poppler", 1, 1),
        ),
    ),
    Row(
        "F4",
        "The same case gives the same bytes in each format, in any time zone, language and process",
        "{n} checks: identical",
        checks(
            f"{_REPORT}two_processes_write_the_same_bytes_of_every_form",
            f"{_REPORT}the_same_moment_gives_the_same_bytes_whatever_came_later",
            f"{_WRITERS}test_dispatch.py::test_the_bytes_depend_on_nothing_but_the_report",
        ),
        elsewhere="fonts come with the program; nothing was compared across systems",
    ),
    Row(
        "F5",
        "A kill while a report is written leaves the old file or the new one",
        "{n} checks: 0 partial files",
        checks(
            f"{_REPORT}a_kill_leaves_the_old_report_or_the_new_one",
            f"{_REPORT}an_older_file_survives_whatever_fails",
            "core/test_files.py::test_what_fails_half_way_leaves_the_older_file_and_nothing_else",
        ),
        elsewhere="replacing a file that another program has open",
    ),
    Row(
        "F6",
        "No report reveals a path, user, computer or rejected proposal",
        "{n} checks: 0",
        checks(
            f"{_REPORT}no_form_tells_where_or_by_which_computer_it_was_written",
            f"{_FORMS}no_path_of_the_writer_gets_out_of_any_form",
            "core/report/test_report.py::test_no_path_of_the_writer_gets_out",
        ),
    ),
)

OFFLINE = (
    Row(
        "G1",
        "The whole workflow runs where no network exists",
        "{n} checks in a namespace without interfaces",
        checks(
            "test_offline.py::test_the_work_is_done_without_a_network",
            "test_offline.py::test_the_report_of_it_asks_for_nothing_from_outside",
        ),
        elsewhere="run on Linux only",
    ),
    Row(
        "G2",
        "No process asks the system for an internet socket",
        "{n} checks under strace: 0 requests",
        checks(
            "test_offline.py::test_no_process_asked_for_an_internet_socket",
            "test_offline.py::test_the_watch_would_notice_an_attempt",
            "test_calls_home.py::test_an_engine_that_nothing_holds_back_calls_nobody",
            "test_calls_home.py::test_a_library_that_calls_home_is_noticed",
            ("test_calls_home.py::test_an_engine_that_nothing_holds_back_calls_nobody", 1, 1),
        ),
        elsewhere="watched on Linux only, with the libraries built for it",
    ),
    Row(
        "G3",
        "A test that opens a connection fails; the program's Python code is refused one, and a child is by the system",
        "every test of the suite; {n} checks",
        checks(
            "guarantees/test_g_offline.py::test_g3_every_test_is_kept_from_the_network",
            "guarantees/test_g_offline.py::test_python_code_of_the_program_is_refused_a_connection",
            "guarantees/test_g_offline.py::test_a_way_in_that_refuses_nothing_is_noticed",
            f"{_SANDBOX}calls_are_refused",
        ),
        elsewhere="the system's refusal",
    ),
    Row(
        "G4",
        "The program contains no network code, and libraries that do are set to stay offline",
        "{n} checks: 0 imports",
        checks(
            "guarantees/test_g_offline.py::test_g4_no_network_code_is_shipped",
            "test_calls_home.py::test_every_way_in_tells_the_libraries_to_stay_offline",
            "test_calls_home.py::test_the_onnxruntime_that_is_asked_for_has_nothing_to_report_with",
        ),
    ),
    Row(
        "G5",
        "A missing model is reported at once, without waiting for a network",
        "{n} checks: reported, nothing requested",
        checks(
            "test_offline.py::test_a_missing_model_is_told",
            f"{_BAD_INPUT}a_missing_search_model_is_named_and_words_still_find",
        ),
    ),
)

WINDOW = (
    Row(
        "I1",
        "The window stays responsive while it adds and judges: gaps in its event loop within 100 ms (99 of 100) "
        "and 500 ms (all)",
        "gaps as measured",
        checks(("guarantees/test_i_window.py::test_i1_gaps_of_the_event_loop_are_measured", 1, 1)),
    ),
    Row(
        "I2",
        "Closing the window at any moment of work ends every process and leaves the case whole",
        "{n} closings at random moments: exit code 0, no process left, case whole",
        checks(
            "gui_app/test_start_up.py::test_closing_at_work_ends_everything",
            ("guarantees/test_i_window.py::test_i2_fifty_closes_at_any_moment", 50, 1),
        ),
        elsewhere="ending a process and what it started; a folder that a virus scanner has open",
    ),
    Row(
        "I3",
        "No error is swallowed: a bug in the window or in a job is shown, and a Qt warning fails a test",
        "{n} checks passed",
        checks(
            "gui_app/shell/test_bug_report.py::test_excepthook_opens_one_dialog_and_the_program_goes_on",
            "gui_app/test_tasks.py::test_a_bug_in_a_job_reaches_the_excepthook",
        ),
    ),
    Row(
        "I4",
        "Days of work leave memory, open files and threads as they were",
        "{n} rounds of work: flat",
        checks(
            ("guarantees/test_i_window.py::test_i4_a_short_soak_leaves_handles_and_threads_as_they_were", 1, 1),
            ("guarantees/test_i_window.py::test_i4_a_long_soak_leaves_memory_handles_and_threads_as_they_were", 1, 2),
        ),
    ),
    Row(
        "I5",
        "The tables of the window obey Qt's rules while they change",
        "Qt's own model tester: 0 violations",
        checks("gui_app/test_screens.py::test_models_keep_their_word"),
    ),
)

PACKAGING = (
    Row(
        "J1",
        "What is installed is what was locked",
        "{n} checks: every package with its hash",
        checks(
            "test_bootstrap.py::test_every_locked_package_has_a_hash_and_none_is_an_address",
            "test_bootstrap.py::test_the_lock_and_the_project_agree",
            "test_bootstrap.py::test_a_file_with_another_hash_is_refused_and_the_old_one_stays",
        ),
        fault="a set-up from source installs torch by version, because its hash depends on the build that pip is "
        "configured for, and the tools that build llama-cpp-python (scikit-build-core, cmake, ninja) as pip finds "
        "them: neither is checked against a hash (see “The set-up”)",
        elsewhere="the set-up was never run there",
    ),
    Row(
        "J2",
        "Nothing is loaded from the current folder or from the folder of a case",
        "{n} checks: 0 loaded",
        checks(
            f"{_PROCESS}nothing_is_loaded_from_the_current_folder",
            f"{_PROCESS}the_environment_of_a_child_is_offline_and_its_own",
        ),
        elsewhere="the order in which Windows looks for libraries",
    ),
    Row(
        "J3",
        "Logs and crash reports contain no text of a document, and a killed child leaves no file behind",
        "{n} checks: 0 words of a document, 0 files",
        checks(
            "core/test_errors.py::test_a_bug_report_has_the_place_in_the_code_and_not_the_message",
            f"{_CLI}test_hostile.py::test_a_fault_of_the_program_has_a_code_and_a_report_without_words_of_the_case",
            f"{_SERVER}any_other_error_crosses_by_type_only",
            "guarantees/test_j_packaging.py::test_j3_work_leaves_no_text_in_the_folders_of_the_program",
        ),
        elsewhere="who may read the program's files: they have the permissions of their folder there",
    ),
    Row(
        "J4",
        "The package contains all it needs, nothing that reaches a network, and a list of its parts and licences",
        "{n} checks of what is shipped",
        checks(
            *(
                f"packaging/test_{name}"
                for name in (
                    "contents.py::test_no_client_of_a_network_is_shipped",
                    "contents.py::test_nothing_that_is_left_out_is_imported_but_by_the_engines_for_added_models",
                    "contents.py::test_all_resources_are_shipped_but_the_pictures_of_the_readme",
                    "linux.py::test_the_package_asks_for_nothing_that_it_brings_along",
                    "parts.py::test_every_text_that_is_named_is_there",
                    "parts.py::test_the_list_is_of_the_form_and_the_same_every_time",
                    "entry.py::test_a_child_may_read_the_program_but_not_the_folder_that_it_stands_in",
                )
            )
        ),
        elsewhere="the packages for Windows and macOS were never built",
    ),
)

COMMAND_LINE = (
    Row(
        "K1",
        "Any command line, on any case, ends with a sentence and a documented exit code",
        "{n} odd calls and calls on altered cases: 0 internal errors",
        checks(
            f"{_CLI}test_hostile.py::test_odd_arguments_end_with_a_sentence",
            f"{_CLI}test_hostile.py::test_what_a_person_can_type_ends_with_a_sentence",
            (f"{_CLI}test_hostile.py::test_an_altered_case_gives_sentences_and_verify_tells_of_it", 9),
            f"{_CLI}test_hostile.py::test_no_name_or_text_of_a_case_reaches_the_terminal_as_it_is",
            (f"{_CLI}test_hostile.py::test_many_odd_arguments_end_with_a_sentence", 30, 1),
            (f"{_CLI}test_hostile.py::test_every_command_on_every_altered_case", 42, 1),
        ),
    ),
)
