"""`longmind experience`, readable and as JSON, through the command's own parser."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from longmind import Memory
from longmind.base.errors import InvalidInput, NotFound
from longmind.cli.app import build


@dataclass(frozen=True)
class Outcome:
    out: str
    error: BaseException | None

    @property
    def json(self) -> Any:
        assert self.error is None, self.error
        return json.loads(self.out)


Run = Callable[..., Outcome]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LONGMIND_STORE", "agent.mind")
    with Memory.open("agent.mind", embedder="hash"):
        pass  # the store remembers its embedder, so that the commands need no model

    def call(*given: str, stdin: str | None = None) -> Outcome:
        done = CliRunner().invoke(build("experience"), ["experience", *given], input=stdin)
        error = None if isinstance(done.exception, SystemExit) and done.exit_code == 0 else done.exception
        return Outcome(done.stdout, error)

    return call


def test_a_whole_story_can_be_told_at_the_command_line(run: Run):
    assert run("record", "problem", "The suite hangs.", "--evidence", "file:ci.yml#L3").out == (
        "Recorded exp_1 (problem, frame 1).\n"
    )
    failed = run("record", "failed_tactic", "Wait.", "--why", "a lock", "--problem", "exp_1", "--no-evidence")
    assert failed.out == "Recorded exp_2 (failed tactic, frame 2).\nLinked to exp_1 as failed tactic.\n"
    run("record", "solution", "Close the pool.", "--evidence", "commit:1a2b3c4", "--evidence", "test:t")
    assert run("link-attempt", "exp_1", "exp_3").out == "exp_3 is linked to exp_1 as solution.\n"
    run("record", "fact", "Workers are forked.", "--no-evidence")
    run("record", "fact", "Workers are spawned.", "--no-evidence")
    run("record", "change", "The library moved on.", "--no-evidence", "--occurred-at", "2024-05-01")
    assert run("update-fact", "exp_4", "exp_6", "exp_5").out == (
        "exp_5 holds in place of exp_4, by exp_6 (upd_1).\n"
    )
    run("record", "preference", "No sleeps.", "--no-evidence", "--scope", "global")
    assert run("vote", "exp_3", "exp_1", "1", "--rationale", "it ran").out == (
        "exp_3 got +1 for exp_1 (vote_1).\n"
    )
    assert run("vote", "exp_2", "exp_1", "-0.5").error is None
    assert "issue:7" in run("attach-evidence", "exp_3", "issue:7").out
    assert "archived" in run("archive", "exp_7", "--reason", "nobody cares").out

    assert "Workers are spawned." in run("current-facts").out
    assert "Workers are forked." not in run("current-facts").out
    assert "exp_5 by exp_6" in run("fact-chain", "exp_4").out
    assert "failed" in run("attempts", "exp_1").out
    assert run("utility", "exp_3").out == "exp_3: 1 vote, mean +1.00, counts +0.20.\n"
    assert "exp_3 got +1 for exp_1: it ran" in run("history", "exp_3").out
    assert "exp_3" in run("find", "pool", "--kind", "solution").out
    assert "[archived]" in run("list", "--archived", "--kind", "preference").out
    assert "Close the pool." in run("get", "exp_3").out
    assert "Recorded exp_8" in run("revise", "exp_3", "Close the pool first.").out
    brief = run("brief", "the suite hangs", "--explain").out
    assert "Worked\n- exp_8 [frame 8]" in brief
    assert "left out" in brief


def test_everything_is_json_for_programs(run: Run):
    made = run("record", "problem", "The suite hangs.", "--evidence", "file:ci.yml", "--json").json
    assert (made["record"]["id"], made["created"], made["planned"]) == ("exp_1", True, False)
    run("record", "solution", "Wait.", "--no-evidence", "--problem", "exp_1")
    assert run("attempts", "exp_1", "--json").json["tried"][0]["record"]["text"] == "Wait."
    assert run("vote", "exp_2", "exp_1", "0.5", "--json").json["vote"] == 0.5
    assert run("utility", "exp_2", "--json").json["observations"] == 1
    assert run("list", "--json").json["truncated"] is False
    assert run("find", "hangs", "--json").json["hits"][0]["record"]["id"] == "exp_1"
    events = run("history", "exp_1", "--json").json["events"]
    assert [event["what"] for event in events][:2] == ["recorded", "evidence"]
    brief = run("brief", "suite hangs", "--budget", "300", "--json").json
    assert brief["total_tokens"] <= 300
    assert brief["receipt"]["items"]
    assert [item["role"] for item in brief["items"]][:2] == ["problem", "solution"]


def test_a_dry_run_writes_nothing_and_begins_no_store(run: Run, tmp_path: Path):
    said = run("record", "problem", "The suite hangs.", "--no-evidence", "--dry-run")
    assert said.out == "Would record exp_1 (problem, frame 1).\n"
    assert run("list").out == "Nothing is recorded here.\n"

    run("record", "problem", "x", "--no-evidence", "--dry-run", "--store", "new.mind")
    assert not (tmp_path / "new.mind").exists()


def test_text_can_come_from_standard_input(run: Run):
    assert (
        run("record", "problem", "-", "--no-evidence", "--json", stdin="It hangs.\n").json["record"]["text"]
        == "It hangs."
    )


def test_what_is_wrong_is_said(run: Run):
    assert isinstance(run("record", "problem", "x").error, InvalidInput)
    both = run("record", "problem", "x", "--no-evidence", "--evidence", "file:a")
    assert isinstance(both.error, InvalidInput)
    assert isinstance(run("get", "exp_1").error, NotFound)
    wrong = run("record", "fact", " ", "--evidence", "hearsay", "--confidence", "7").error
    assert isinstance(wrong, InvalidInput)


def test_repositories_are_kept_apart(run: Run):
    run("record", "fact", "Here it rains.", "--no-evidence", "--repo", "here")

    assert "rains" in run("current-facts", "--repo", "here").out
    assert run("current-facts", "--repo", "there").out == "Nothing is recorded here.\n"


def test_votes_and_receipts_can_be_looked_at(run: Run):
    run("record", "problem", "The suite hangs.", "--no-evidence")
    run("record", "solution", "Close the pool.", "--no-evidence", "--problem", "exp_1")
    run("vote", "exp_2", "exp_1", "1", "--rationale", "it ran")

    assert "it ran" in run("votes", "exp_2").out
    receipt = json.dumps(run("brief", "the suite hangs", "--json").json["receipt"])
    assert run("replay", receipt).out == "The brief is the same.\n"


def test_several_records_are_written_at_once(run: Run):
    items = [{"kind": "fact", "text": "It rains."}, {"kind": "change", "text": "It stopped."}]
    refused = run("record-many", json.dumps(items))
    written = run("record-many", json.dumps([{**item, "no_evidence": True} for item in items]))

    assert isinstance(refused.error, InvalidInput)
    assert written.out == "Recorded exp_1 (fact, frame 1).\nRecorded exp_2 (change, frame 2).\n"
