"""A hook of the site builder: adds the pages that lie beside `docs/`, and mends the links to them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
PAGES: Final = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security-policy.md",
    "CHANGELOG.md": "changelog.md",
}
_LINK: Final = re.compile(r"(\]\()([^)\s:#]+)((?:#[^)\s]*)?\))")


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File  # type: ignore[import-not-found,unused-ignore]

    for name, page in PAGES.items():
        text = _LINK.sub(_from_root, (ROOT / name).read_text(encoding="utf-8"))
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    return _LINK.sub(_from_docs, markdown)


def _from_root(found: re.Match[str]) -> str:
    target = PAGES.get(found[2], found[2].removeprefix("docs/"))
    return f"{found[1]}{target}{found[3]}"


def _from_docs(found: re.Match[str]) -> str:
    name = found[2].removeprefix("../")
    return f"{found[1]}{PAGES[name]}{found[3]}" if name in PAGES and name != found[2] else found[0]
