"""What several screens of the window use. No screen imports another.

The contract between a screen and the frame is ``gui_app.shared.screen.Screen``:

- ``name``, ``icon`` and ``concerns`` are class attributes: the label in the rail, the name of the SVG in
  ``resources/icons`` (without suffix), and the parts of the case whose change makes the screen dirty.
- ``Screen(session, parent)`` builds the widgets and reads nothing. ``refresh()`` reloads everything from
  ``session.workbench``; it is called only while the screen is on show and dirty, and never without a case. After a case
  was closed it is called again once another one is open: forget ids of the old one there.
- ``actions()`` (Qt's own) gives the QActions shown by Ctrl+/ and Ctrl+K. Make them with
  ``Screen.command(text, keys, slot)``; their keys work while the focus is inside the screen.
- ``state()`` and ``restore(state)`` serve Alt+Left and Alt+Right. A screen emits ``moved`` after a step that a person
  would want to come back from (another page, another document), having first changed what ``state()`` returns.
- Signals: ``show_source(document, page, start, end)`` opens the page in the viewer (start == end: no quote);
  ``selected(object)`` is shown in the detail panel (Document, Passage, Proposal, Evidence, Hypothesis or None);
  ``go(name)`` changes to another screen.
- The viewer screen also has ``open_source(document: str, page: int, start: int, end: int)``.
- Changes go through the session: ``session.do(verb)`` for quick verbs, ``session.run(title, verb)`` for long ones,
  ``session.read(verb, done)`` for slow reads; ``session.tell(text, undo=True)`` shows a toast. A screen never catches
  an AppError: the session does.
- Colours, fonts and icons come from ``gui_app.shared.theme`` (``theme.tokens()``, ``theme.icon(name)``,
  ``theme.serif(size)``); a widget that paints itself calls ``theme.tokens()`` in ``paintEvent``, so that a change of
  theme needs no signal.
"""
