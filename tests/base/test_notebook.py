from __future__ import annotations

from datetime import date

from longmind import Memory


def test_results_are_short_in_a_shell_and_tables_in_a_notebook() -> None:
    with Memory.open(":memory:", embedder=None) as memory:
        memory.remember("<b>Ana</b> lives in Porto. " + "And more. " * 20, occurred_at=date(2024, 5, 1))
        memory.remember("The tide comes in.", occurred_at="2024-05-02")
        results = memory.search("Ana")
        frame = results[0].frame
        assert repr(frame).startswith("<Frame 1 text in default, 2024-05-01: '<b>Ana</b> lives in Porto. And")
        assert len(repr(frame)) < 140
        assert len(repr(results)) < 260
        for listing in (results, memory.timeline(), memory.list()):
            table = listing._repr_html_()
            assert table.startswith("<table>")
            assert "&lt;b&gt;Ana&lt;/b&gt; lives in Porto." in table, "text of a memory is never markup"
