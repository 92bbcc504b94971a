"""The history of a subject as a picture: where its boxes lie, and that nothing in a value can break it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from datetime import UTC, datetime
from pathlib import Path

import pytest

from longmind import FrozenClock, Memory
from longmind.cli.app import run
from tests.conftest import START

_SVG = "{http://www.w3.org/2000/svg}"


def at(year: int) -> datetime:
    return datetime(year, 1, 1, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    clock = FrozenClock(START)
    opened = Memory.open(tmp_path / "store.mind", clock=clock, embedder=None)
    opened.facts.record("Ana", "lives_in", "Porto", valid_from=at(2018))
    clock.advance(days=10)
    opened.facts.replace("Ana", "lives_in", "Lisbon", valid_from=at(2022))
    opened.facts.record("Ana", "likes", "trains", valid_from=at(2020))
    return opened


def _boxes(svg: str) -> dict[str, list[dict[str, float]]]:
    boxes: dict[str, list[dict[str, float]]] = {}
    for group in ElementTree.fromstring(svg).iter(f"{_SVG}g"):
        title, rect = group.find(f"{_SVG}title"), group.find(f"{_SVG}rect")
        assert title is not None
        assert rect is not None
        name = (title.text or "").partition(":")[0]
        size = {key: float(rect.get(key) or 0) for key in ("x", "y", "width", "height")}
        size["held"] = float("stroke-dasharray" not in rect.attrib)
        boxes.setdefault(name, []).append(size)
    return boxes


def test_boxes_lie_across_by_valid_time_and_down_by_system_time(memory: Memory) -> None:
    boxes = _boxes(memory.facts.timeline("Ana", "lives_in").svg())
    believed, kept = sorted(boxes["Porto"], key=lambda box: box["y"])
    [lisbon] = boxes["Lisbon"]
    assert (believed["held"], kept["held"], lisbon["held"]) == (0, 1, 1)
    assert believed["x"] == kept["x"] < lisbon["x"]
    # Once believed to last, since then to have ended where the other begins.
    assert believed["x"] + believed["width"] == pytest.approx(lisbon["x"] + lisbon["width"], abs=0.2)
    assert kept["x"] + kept["width"] == pytest.approx(lisbon["x"], abs=0.2)
    assert believed["y"] < kept["y"] == lisbon["y"]


def test_the_picture_is_drawn_from_the_geometry_that_others_may_draw_from(memory: Memory) -> None:
    timeline = memory.facts.timeline("Ana")
    panels = timeline.panels()
    assert [panel.predicate for panel in panels] == ["likes", "lives_in"]
    drawn = [box for boxes in _boxes(timeline.svg()).values() for box in boxes]
    lie = [(box.left, box.width, box.height, box.held) for panel in panels for box in panel.boxes]
    assert sorted(lie) == sorted((box["x"], box["width"], box["height"], bool(box["held"])) for box in drawn)
    homes = panels[1]
    assert len({box.colour for box in homes.boxes if box.label == "Porto"}) == 1
    assert len({box.colour for box in homes.boxes}) == 2
    assert [band.at for band in homes.bands] == sorted(
        {hit.system_from for hit in timeline if hit.fact.predicate == "lives_in"}
    )
    # Looked at alone, a panel is as wide as its own times; and now has a place where it is asked for.
    apart = timeline.panels(apart=True, now=START)
    assert apart[1].ticks != homes.ticks
    assert apart[1].now is not None
    assert homes.now is None


def test_predicates_share_one_scale_and_can_be_chosen(memory: Memory) -> None:
    timeline = memory.facts.timeline("Ana")
    boxes = _boxes(timeline.svg())
    assert boxes["Porto"][0]["x"] < boxes["trains"][0]["x"] < boxes["Lisbon"][0]["x"]
    assert set(_boxes(memory.facts.timeline("Ana", "likes").svg())) == {"trains"}
    assert len(timeline) == 4


def test_notebooks_show_the_picture_and_print_the_text(memory: Memory) -> None:
    timeline = memory.facts.timeline("Ana")
    assert timeline._repr_svg_() == timeline.svg()
    assert timeline.svg() in timeline._repr_html_()
    lines = str(timeline).splitlines()
    assert "2018" in lines[0]
    [lisbon] = [line for line in lines if "Lisbon" in line]
    assert "▶" in lisbon
    assert "since 2023-11-24" in lisbon
    assert any("superseded" in line and "┄" in line for line in lines if "Porto" in line)
    assert max(map(len, timeline.text(width=70).splitlines())) <= 110


def test_a_subject_without_history_is_an_empty_picture(memory: Memory) -> None:
    nobody = memory.facts.timeline("Nobody")
    assert ElementTree.fromstring(nobody.svg()).tag == f"{_SVG}svg"
    assert str(nobody) == "There is no history."


def test_values_cannot_become_markup_and_all_times_can_be_drawn(memory: Memory) -> None:
    hostile = '</text><script>alert("x")</script>&\u0007\u202e\ud83d\ude00'.encode(
        "utf-16", "surrogatepass"
    ).decode("utf-16")
    memory.facts.record('"><b>Eve', "says<&>", hostile, valid_from=-(2**60))
    memory.facts.record('"><b>Eve', "born", at(1), valid_from=at(1), valid_to=at(9999))
    memory.facts.record('"><b>Eve', "score", 1.5)
    timeline = memory.facts.timeline('"><b>Eve')
    root = ElementTree.fromstring(timeline.svg())
    assert not list(root.iter(f"{_SVG}script"))
    assert "<script>" not in timeline.svg()
    assert "alert(" in timeline.svg()
    assert "\u0007" not in timeline.text()
    assert "◀" in timeline.text()


def test_the_command_draws_it(memory: Memory, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    memory.close()
    with pytest.raises(SystemExit) as ended:
        run(["facts", "history", "Ana", "--chart", "--store", str(tmp_path / "store.mind")])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert re.search(r"Lisbon +┣━*▶ +since", shown)
    assert "likes" in shown
