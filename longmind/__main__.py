"""`python -m longmind`: the command line."""

from __future__ import annotations

from longmind.cli.entry import run

if __name__ == "__main__":
    run()
