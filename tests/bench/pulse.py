"""The pulse of the window's thread, and what that thread does while a beat is late."""

from __future__ import annotations

import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from PySide6.QtCore import QTimer

ROOT = Path(__file__).resolve().parents[2]
BEAT_MS = 10
LATE_S = 0.05  # from which what the thread does is sampled


@dataclass(slots=True)
class Gap:
    """The time between two beats in seconds, the processor time of the thread in it, and where it was, by samples."""

    seconds: float
    busy: float
    places: Counter[str] = field(default_factory=Counter)


class Pulse:
    """A timer of 10 ms in the window's thread, which is the main one; an alarm samples where it is when a beat is late.

    A gap in which the thread was hardly busy is one in which it waited: for a lock, a disk, or a processor that others
    had. The alarm comes between two steps of Python code: what takes long in a library is seen where that was called.
    """

    def __init__(self) -> None:
        self.gaps: list[Gap] = []
        self._last = (time.perf_counter(), time.thread_time())
        self._places: Counter[str] = Counter()
        self._timer = QTimer()
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._timer.start()
        signal.signal(signal.SIGALRM, self._sample)
        signal.siginterrupt(signal.SIGALRM, False)
        signal.setitimer(signal.ITIMER_REAL, BEAT_MS / 1000, BEAT_MS / 1000)

    def _beat(self) -> None:
        now = (time.perf_counter(), time.thread_time())
        self.gaps.append(Gap(now[0] - self._last[0], now[1] - self._last[1], self._places))
        self._places = Counter()
        self._last = now

    def _sample(self, _number: int, frame: FrameType | None) -> None:
        if frame is not None and time.perf_counter() - self._last[0] > LATE_S:
            self._places[_place(frame)] += 1

    def reset(self) -> None:
        """Begin anew."""
        self.gaps.clear()
        self._places = Counter()
        self._last = (time.perf_counter(), time.thread_time())

    def summary(self) -> str:
        """Word the worst gap, the 99th percentile, how many were longer than 100 ms, and the busiest."""
        gaps = sorted(gap.seconds for gap in self.gaps) or [0.0]
        p99 = gaps[int(len(gaps) * 0.99)]
        count = sum(seconds > 0.1 for seconds in gaps)
        busiest = max((gap.busy for gap in self.gaps), default=0.0)
        return (
            f"gap p99 {1000 * p99:.0f} ms, worst {1000 * gaps[-1]:.0f} ms, {count} above 100 ms, "
            f"processor time {1000 * busiest:.0f} ms at most"
        )

    def places(self, limit: int = 5) -> list[str]:
        """List the longest gaps above 100 ms with the places that the thread was in."""
        worst = sorted((gap for gap in self.gaps if gap.seconds > 0.1), key=lambda gap: -gap.seconds)[:limit]
        return [
            f"{1000 * gap.seconds:.0f} ms, {1000 * gap.busy:.0f} busy: "
            + "; ".join(f"{count}x {place}" for place, count in gap.places.most_common(3))
            for gap in worst
        ]


def _place(frame: FrameType) -> str:
    """Name the functions of the project on a stack, the innermost first."""
    names: list[str] = []
    place: FrameType | None = frame
    while place is not None and len(names) < 7:
        file = Path(place.f_code.co_filename)
        if file.is_relative_to(ROOT) and ".venv" not in file.parts and "bench" not in file.parts:
            names.append(f"{'/'.join(file.parts[-2:])}:{place.f_lineno} {place.f_code.co_name}")
        place = place.f_back
    return " < ".join(names) or "Qt"
