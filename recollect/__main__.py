"""`python -m recollect`: the command line."""

from __future__ import annotations

from recollect.cli.entry import run

if __name__ == "__main__":
    run()
