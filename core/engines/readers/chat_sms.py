"""Text messages and calls of a telephone, as the program SMS Backup & Restore writes them in XML."""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from functools import partial
from itertools import chain
from typing import Any

from core import formats
from core.domain import LeftOut
from core.engines.readers import attachments, chat, plain_text, xml_text
from core.engines.readers.chat import Conversation, Export, Message
from core.errors import UnreadableDocument
from core.ports import Attachment

_START = re.compile(r"\ufeff?\s*(?>(?:<!--.*?-->|<\?[^>]*>)\s*)*+<(?:smses|calls)\b", re.DOTALL)
_SMS = {"2": "", "3": "draft", "4": "not sent yet", "5": "sending failed", "6": "not sent yet"}  # by those who wrote it
_CALLS = {"1": "incoming call", "2": "outgoing call", "3": "missed call", "4": "voicemail", "5": "rejected call"}
_SENDER, _RECEIVERS = "137", ("151", "130", "129")  # what an address of a message is (OMA MMS encapsulation)
_EMPTY = ("", "null")
_SHOWN = {"address", "number", "date", "type", "msg_box", "body", "duration", "contact_name", "subject", "sub"}
# How the telephone keeps a message; the readable date is the same moment once more.
_TECHNICAL = re.compile(
    r"protocol|toa|sc_toa|service_center|read|status|locked|sub_id|readable_date|presentation|seen|_id|thread_id|m_\w+"
    r"|ct_\w+|tr_id|v|pri|rr|d_rpt|retr_st\w*|resp_\w+|d_tm|exp|text_only|creator|sim_\w+|phone_id|callback_set|app_id"
    r"|subscription_\w+|spam_report|safe_message|reserved|favorite|hidden|deletable|using_mode|msg_id|rpt_a|st"
    r"|sub_cs|(?:read|resp)_status|post_dial_digits|error_code|backup_set|count"
)
_OUT = "me"
_ENTRY = ("sms", "mms", "call")
_INSIDE = (*_ENTRY, "parts", "part", "addrs", "addr")
_ENDS = (b"</smses>", b"</calls>")
_FIELDS = 500  # of one entry; the time the library takes for them grows with their square


def looks_like(head: str) -> bool:
    """Return whether an XML text begins as such a backup does."""
    return _START.match(head) is not None


def read(data: bytes) -> tuple[Export, list[Attachment]] | None:
    """Read messages, a conversation a number, and the files in them, or return None for any other XML."""
    root = xml_text.root_of(data)
    end = 0 if root is not None else max(data.rfind(b"<" + name.encode()) for name in _ENTRY)
    if end > 0 and not data.rstrip().endswith(_ENDS):  # cut off: what is before the last entry is whole
        root = xml_text.root_of(data[:end] + _ENDS[b"<smses" not in data[:end]])
    if root is None or root.tag not in ("smses", "calls") or any(len(item.attrib) > _FIELDS for item in root):
        return None
    names = {_number_of(item): name for item in root if (name := _value(item, "contact_name"))}
    conversations: dict[str, list[tuple[float, Message]]] = {}
    backup = _Backup(names)
    for item in root:
        if item.tag in _ENTRY:
            number = _number_of(item)
            conversations.setdefault(number, []).append((_seconds(item), backup.message(item, number)))
    if not conversations:
        return None
    backup.count_rest(root)
    backup.left_out += Counter({"last entry, which is cut off": 1}) if end > 0 else Counter()
    about = [f"Backup of {moment}"] if (moment := _moment(_number(root.get("backup_date")) / 1000)) else []
    result = []
    for number, by_time in conversations.items():
        by_time.sort(key=lambda pair: pair[0])
        title = backup.title(number)
        result.append(Conversation(title, [message for _, message in by_time], tuple(about)))
        about = []
    left_out = [LeftOut(what, count, "whole file") for what, count in backup.left_out.items()]
    if backup.fields:
        left_out.append(LeftOut("technical field", backup.fields.total(), ", ".join(sorted(backup.fields))))
    return Export("SMS Backup & Restore", result, tuple(left_out)), [*backup.files, *backup.children.rest()]


def _value(item: Any, name: str) -> str:
    value = str(item.get(name) or "")
    return "" if value in _EMPTY or (name == "contact_name" and value == "(Unknown)") else value


def _number_of(item: Any) -> str:
    return _value(item, "address") or _value(item, "number") or "unknown number"


def _number(value: Any) -> float:
    return float(value) if value and re.fullmatch(r"\d{1,15}", value) else 0.0


def _seconds(item: Any, name: str = "date") -> float:
    moment = _number(item.get(name))
    return moment / 1000 if moment > 1e11 else moment  # some telephones write the seconds of a picture message


def _moment(seconds: float) -> str:
    return chat.utc(seconds) if seconds else ""


class _Backup:
    """The names, files and omissions of a backup that is being read."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names
        self.left_out: Counter[str] = Counter()
        self.fields: Counter[str] = Counter()  # that say how the telephone keeps a message
        self.files: list[Attachment] = []
        self.children = attachments.Children()

    def count_rest(self, root: Any) -> None:
        """Count what is in the file and in no message."""
        for node in chain(root.itersiblings(preceding=True), root.itersiblings(), root.iterdescendants()):
            if not isinstance(node.tag, str):
                self.left_out["comment"] += 1
            elif node.tag not in _INSIDE or (node.tag in _ENTRY and node.getparent() is not root):
                self.left_out[f"entry of the kind {node.tag}"] += 1
        texts = (text for text in root.itertext() if text.strip())
        self.left_out += Counter({"text between the entries": sum(1 for _ in texts)})

    def title(self, number: str) -> str:
        """Return the name of a conversation with its number, or its numbers."""
        name = self._names.get(number, "")
        numbers = number.replace("~", ", ")
        return f"{name} ({numbers})" if name and name != numbers else numbers

    def message(self, item: Any, number: str) -> Message:
        """Return a message or a call."""
        kind = _value(item, "type") or _value(item, "msg_box")
        sender, text = self._name(number), _value(item, "body")
        notes: list[str] = []
        if item.tag == "call":
            sender = _OUT if kind == "2" else sender
            text = f"{_CALLS.get(kind, 'call')}, {_value(item, 'duration') or 0} s"
        elif kind in _SMS:
            sender = _OUT
            notes += filter(None, [_SMS[kind]])
        subject = _value(item, "subject") or _value(item, "sub")
        notes += [f"subject: {subject}"] if subject else []
        if not _moment(_seconds(item)) and (date := _value(item, "date")):
            notes.append(f"date: {date}")
        sent = _seconds(item, "date_sent")
        if int(sent) != int(_seconds(item)) and (moment := _moment(sent)):
            notes.append(f"sent {moment}")
        for name, value in item.items():
            if name not in _SHOWN and name != "date_sent" and value not in _EMPTY:
                if _TECHNICAL.fullmatch(name):
                    self.fields[name] += 1
                else:
                    notes.append(f"{name}: {value}")
        if item.tag == "mms":
            lines, more, writer = self._parts(item)
            text = "\n".join(filter(None, [text, *lines]))
            notes += more
            sender = sender if sender == _OUT or not writer else writer
        return Message(sender, _moment(_seconds(item)), text, tuple(notes))

    def _name(self, number: str) -> str:
        return self._names.get(number) or number.replace("~", ", ")

    def _parts(self, item: Any) -> tuple[list[str], list[str], str]:
        """Return the texts of a picture message, notes of its files and receivers, and who sent it."""
        lines: list[str] = []
        notes: list[str] = []
        writer = ""
        receivers = []
        for part in item.iter("part", "addr"):
            if part.tag == "addr":
                number, role = _value(part, "address"), _value(part, "type")
                if role == _SENDER and number != "insert-address-token":
                    writer = self._name(number)
                elif role in _RECEIVERS and number:
                    receivers.append(self._name(number))
                continue
            kind = _value(part, "ct").lower()
            if kind == "application/smil":
                self.left_out["layout of a picture message"] += 1
            elif kind.startswith("text/") and _value(part, "text"):
                lines.append(_value(part, "text"))
            else:
                notes.append(self._file(part, kind))
        notes += [f"to {', '.join(receivers)}"] if len(receivers) > 1 else []
        return lines, notes, writer

    def _file(self, part: Any, kind: str) -> str:
        name = _value(part, "cl") or _value(part, "fn") or _value(part, "name")
        name = name or f"part{formats.TYPES.get(kind, '.' + kind.rpartition('/')[2] if kind else '')}"
        data = _value(part, "data")
        if not data:
            self.left_out["file of a picture message that is not in the backup"] += 1
            return f"attachment, not in the backup: {name}"
        self.files += self.children.take(name, partial(_decoded, data, name), size=len(data) * 3 // 4)
        return f"attachment: {name}"


def _decoded(data: str, name: str) -> bytes:
    try:
        return base64.b64decode(data, validate=False)
    except (ValueError, binascii.Error) as error:
        raise UnreadableDocument(
            reason=f"{plain_text.clean(name)} is damaged in the backup.", remedy="Copy it from the telephone."
        ) from error
