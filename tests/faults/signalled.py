"""`python -m tests.faults.signalled LOCATION SECONDS`: writes and reads while a handler of signals raises."""

from __future__ import annotations

import json
import random
import signal
import sys
import time
from types import FrameType
from typing import Any

import apsw

from tests.faults.interrupting import Interrupt
from tests.store.opening import open_memory


def main(location: str, seconds: float) -> None:
    rng = random.Random(14)
    acknowledged: list[int] = []
    signals = 0
    armed = False

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal armed
        if armed:
            armed = False
            raise Interrupt

    def quiet(event: Any) -> None:
        if not isinstance(event.exc_value, Interrupt):
            sys.__unraisablehook__(event)

    signal.signal(signal.SIGALRM, handle)
    sys.unraisablehook = quiet
    with open_memory(location, busy_timeout=5) as memory:
        memory.remember("The first.")
        memory.search("first")  # numpy cannot be imported again when its import is interrupted
        number = 0
        deadline = time.process_time() + seconds  # of work: a busy machine is no reason to see less
        while time.process_time() < deadline:
            number += 1
            try:
                armed = True
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(0.0002, 0.008))
                while armed:  # what is raised while an object is destroyed is lost
                    acknowledged += memory.remember(f"Number {number} of {len(acknowledged)}").ids
                    memory.get(acknowledged[-1])
                    memory.search("number")
            except Interrupt:
                signals += 1
        armed = False
        left = sum(connection.in_transaction for connection in apsw.connections())
    print(json.dumps({"signals": signals, "acknowledged": acknowledged, "in_transaction": left}))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
