"""How the families of chat models want to be asked: a frame of control words around what is said.

A frame is ours, from what each family's makers publish, and built from control words by their numbers in the
vocabulary; the template in a model file is a program that its maker wrote, and is never run. Which family a model is of
shows in its control words. A model without any of them is asked in plain words.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """A control word, that is put in by its number and never read out of text."""

    text: str


Part = Mark | str


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """The text before and after what a person says to a model of a family; the model answers after ``closing``."""

    name: str
    opening: tuple[Part, ...] = ()
    closing: tuple[Part, ...] = ()

    @property
    def marks(self) -> frozenset[str]:
        """The control words of the frame."""
        return frozenset(part.text for part in (*self.opening, *self.closing) if isinstance(part, Mark))


PLAIN = ChatTemplate("plain")

# Those whose marks hold another's come first.
FAMILIES = (
    ChatTemplate(
        "Phi 4",
        (Mark("<|im_start|>"), "user", Mark("<|im_sep|>")),
        (Mark("<|im_end|>"), Mark("<|im_start|>"), "assistant", Mark("<|im_sep|>")),
    ),
    ChatTemplate(
        "ChatML", (Mark("<|im_start|>"), "user\n"), (Mark("<|im_end|>"), "\n", Mark("<|im_start|>"), "assistant\n")
    ),
    ChatTemplate(
        "Llama 3",
        (Mark("<|start_header_id|>"), "user", Mark("<|end_header_id|>"), "\n\n"),
        (Mark("<|eot_id|>"), Mark("<|start_header_id|>"), "assistant", Mark("<|end_header_id|>"), "\n\n"),
    ),
    ChatTemplate(
        "Gemma", (Mark("<start_of_turn>"), "user\n"), (Mark("<end_of_turn>"), "\n", Mark("<start_of_turn>"), "model\n")
    ),
    ChatTemplate("Mistral", (Mark("[INST]"),), (Mark("[/INST]"),)),
    ChatTemplate("Phi", (Mark("<|user|>"), "\n"), (Mark("<|end|>"), "\n", Mark("<|assistant|>"), "\n")),
)

# Models that think before they answer take an empty thought as one that is over.
EMPTY_THINKING = (Mark("<think>"), "\n\n", Mark("</think>"), "\n\n")


def of(control: Collection[str]) -> ChatTemplate:
    """Return the frame for a model whose vocabulary has these control words; PLAIN where it is of no known family."""
    for template in FAMILIES:
        if all(mark in control for mark in template.marks):
            thinks = all(part in control for part in ("<think>", "</think>"))
            return (
                ChatTemplate(f"{template.name} without thinking", template.opening, template.closing + EMPTY_THINKING)
                if thinks
                else template
            )
    return PLAIN


def is_mark(text: str) -> bool:
    """Return whether a word that its maker added to a vocabulary looks like a control word.

    Some vocabularies have runs of blanks, line breaks and plain words among these, which do nothing.
    """
    return len(text) > 1 and ("<|" in text or "|>" in text or (text[0] in "<[{" and text[-1] in ">]}"))
