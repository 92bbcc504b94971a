from __future__ import annotations

import pytest

from longmind.ingest.readers.code import CodeReader
from longmind.ingest.source import Document, Source


def read(text: str, name: str) -> Document:
    data = text.encode()
    return CodeReader().read(data, Source.from_bytes(data, uri=name))


def sections(document: Document) -> dict[str, str]:
    data = document.text.encode()
    return {section.title: data[section.start : section.end].decode() for section in document.sections}


PYTHON = '''"""Módule."""
import os

# About first.
@decorated
def first(x):
    return "\\d" + f"\\N{BULLET}{x}" + r"\\{"


class Outer(Base):
    """Doc."""

    size = 1

    def method(self):
        def inner():
            pass

    class Nested:
        async def deep(self): ...

    last = 2

if __name__ == "__main__":
    first(1)
'''


def test_python_definitions_become_sections_with_qualified_names() -> None:
    document = read(PYTHON, "a.py")
    found = sections(document)
    assert list(found) == ["first", "Outer", "Outer.method", "Outer.Nested", "Outer.Nested.deep"]
    assert found["first"].startswith("# About first.\n@decorated\ndef first")
    assert found["first"].endswith('r"\\{"\n')
    assert found["Outer"].endswith("size = 1\n\n")
    assert "inner" in found["Outer.method"]
    assert found["Outer.Nested.deep"].endswith("last = 2\n")
    assert document.title == "a.py"
    assert document.text == PYTHON
    assert not document.warnings
    assert all(section.kind == "definition" for section in document.sections)


def test_python_that_does_not_parse_is_read_by_its_definition_lines() -> None:
    document = read("class A:\n    def b(self):\n        print 1\n\ndef c(:\n    pass\n", "a.py")
    assert list(sections(document)) == ["A", "A.b", "c"]
    assert document.warnings


OTHERS: dict[str, tuple[list[str], str]] = {
    "a.js": (
        ["Cart", "Cart.constructor", "Cart.total", "gen", "add"],
        """\
import x from 'x'

/** Doc. */
export default class Cart {
  constructor() {
    if (x) {
    }
  }
  async total(a, b) {
    return 1
  }
}

function* gen() {}
export const add = (a, b) => {
  return 1
}
""",
    ),
    "a.ts": (
        ["Shape", "A", "A.go"],
        """\
export interface Shape { x: number }
export abstract class A<T> {
  go(): void {
  }
}
""",
    ),
    "a.go": (
        ["T", "T.Get", "main"],
        """\
package m

type T struct {
\tx int
}

// Get gets.
func (t *T) Get() int {
\treturn 1
}

func main() {
}
""",
    ),
    "a.rs": (
        ["S", "S", "S.fmt", "go"],
        """\
pub struct S;

impl<T> Display for S {
    fn fmt(&self) -> R {
        1
    }
}

pub(crate) fn go() {}
""",
    ),
    "a.java": (
        ["A", "A.names"],
        """\
package p;

@Note
public final class A extends B {
    @Override
    public List<String> names(int x) {
        return null;
    }
}
""",
    ),
    "a.c": (
        ["add", "main"],
        """\
#include <x.h>

static int
add(int a, int b)
{
    return a + b;
}

int main(void) {
    add(1, 2);
}
""",
    ),
    "a.rb": (
        ["M", "M.A", "M.A.go!"],
        """\
module M
  class A
    def go!
      1
    end
  end
end
""",
    ),
    "a.sh": (
        ["help", "go"],
        """\
set -e
help() {
  echo
}
function go {
  echo
}
""",
    ),
    "a.sql": (
        ["users", "v"],
        """\
CREATE TABLE IF NOT EXISTS users (
  id int
);
create or replace view v as select 1;
""",
    ),
    "a.kt": (
        ["P", "main"],
        """\
data class P(val x: Int)

fun main() {
}
""",
    ),
    "a.ex": (
        ["A", "A.go"],
        """\
defmodule A do
  def go do
    1
  end
end
""",
    ),
    "a.php": (
        ["A", "A.go"],
        """\
<?php
class A {
    public function go() {
    }
}
""",
    ),
    "a.lua": (
        ["go", "M.x"],
        """\
local function go()
end
function M.x()
end
""",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_definitions_of_other_languages_are_found_by_their_lines(name: str) -> None:
    expected, text = OTHERS[name]
    document = read(text, name)
    assert document.text == text
    assert [section.title for section in document.sections] == expected


def test_comments_above_a_definition_belong_to_it() -> None:
    found = sections(
        read("package m\n\nvar x = 1\n\n// Get gets.\nfunc Get() int {\n\treturn 1\n}\n", "a.go")
    )
    assert found["Get"].startswith("// Get gets.\nfunc Get")


def test_text_after_a_definition_is_not_part_of_it() -> None:
    found = sections(read("function a() {\n  b()\n}\n\nstart()\n", "a.js"))
    assert "start" not in found["a"]


def test_parsing_code_with_odd_escapes_warns_of_nothing(recwarn: pytest.WarningsRecorder) -> None:
    document = read("def f():\n    return '\\d \\{' \"\\\n\"\n", "a.py")
    assert list(sections(document)) == ["f"]
    assert not recwarn.list
