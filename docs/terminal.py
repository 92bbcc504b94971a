"""Draws a short session in a terminal, by running it: python docs/terminal.py"""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

PICTURE: Final = Path(__file__).resolve().parent / "pictures" / "terminal.svg"
WIDTH: Final = 100
SESSION: Final = (
    'longmind remember "Ana lives in Porto." --occurred-at 2025-01-10',
    'longmind remember "Ana moved from Porto to Lisbon." --occurred-at 2025-05-20',
    'longmind search "Has Ana relocated?"',
    "longmind facts about Ana",
    "longmind facts about Ana --valid-at 2025-03-01",
    'longmind recall "Where does Ana live?" --budget 120',
)
# The picture that rich draws by itself loads a font from the network.
_FORM: Final = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, monospace; font-size: {char_height}px;
  line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-family: ui-sans-serif, system-ui, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def main() -> int:
    console = Console(record=True, width=WIDTH, file=io.StringIO())
    bin_folder = Path(sys.executable).parent
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LONGMIND_")}
    environment |= {"PATH": f"{bin_folder}:{os.environ['PATH']}", "COLUMNS": str(WIDTH), "FORCE_COLOR": "1"}
    with tempfile.TemporaryDirectory() as folder:
        for line in SESSION:
            console.print(Text.assemble(("$ ", "bold green"), (line, "bold")))
            done = subprocess.run(
                shlex.split(line), cwd=folder, env=environment, capture_output=True, text=True, check=True
            )
            console.print(Text.from_ansi(done.stdout.strip() or done.stderr.strip()))
            console.print()
    svg = console.export_svg(title="longmind", theme=MONOKAI, code_format=_FORM, unique_id="terminal")
    PICTURE.write_text(svg, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
