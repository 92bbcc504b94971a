"""What is typed in each walk, in order; a walk goes on with the memory that the ones before it left.

`{name}` is filled in with what an earlier command of the same walk wrote to that file.
"""

from __future__ import annotations

from typing import Final

WALKS: Final = {
    "everyday": """
        longmind --help
        longmind init --no-model
        longmind remember "Ana lives in Porto."
        longmind remember "Ana lives in Porto."
        longmind remember "Ana moved from Porto to Lisbon." --tag home
        longmind search "where does Ana live?"
        longmind recall "Where does Ana live?" --budget 120
        longmind timeline
        longmind list
        longmind get 1
        longmind stats
        longmind forget 1
        longmind get 99
        longmind search
        longmind serach Ana
        longmind stats --store nowhere/typo.mind
    """,
    "parts": """
        longmind facts --help
        longmind facts about Ana
        longmind turns --help
        longmind turns add user "My name is Ana, and I like tea." --session monday
        longmind memories --help
        longmind memories list
        longmind experience --help
        longmind space --help
        longmind media --help
        longmind golden --help
        longmind snapshot --help
        longmind audit --help
        longmind keys --help
        longmind models list
        longmind users
        longmind spaces
    """,
    "agents": """
        longmind install claude-code --dry-run
        longmind install nobody
        longmind install vscode --hooks
        longmind uninstall codex
        longmind hook --help
        longmind stats --all
    """,
    "more": """
        longmind version
        longmind remember-many texts.jsonl
        longmind add chat.json --session tuesday
        longmind ingest notes
        longmind ingest notes
        longmind photos empty
        longmind videos empty
        longmind audio empty
        longmind search-many '["cello", "Braga"]'
        longmind recall-many '["Who plays the cello?"]' --budget 80
        longmind search "who plays the cello?" --explain
        longmind why-not "Braga" 3
        longmind recipes
        longmind save-recipe '{"name": "short", "lanes": [{"kind": "snippets", "items": 2}]}'
        longmind replay '{}'
        longmind update 3 --tag music
        longmind supersede 3 4
        longmind erase 4
        longmind erase --user nobody --yes
        longmind verify-erasure '{}'
        longmind unfinished-erasures
    """,
    "upkeep": """
        longmind verify
        longmind verify --deep
        longmind maintain
        longmind reindex
        longmind compact
        longmind backup saved.mind
        longmind backup saved.mind
        longmind restore saved.mind .longmind/memory.mind
        longmind restore saved.mind restored.mind
        longmind recover restored.mind
        longmind export all.jsonl
        longmind import all.jsonl --store imported.mind
        longmind import texts.jsonl --from jsonl --dry-run
        longmind import-from jsonl texts.jsonl --dry-run
        longmind export vault --to vault
        longmind export-to mem0 mem0.json
        longmind copy saved.mind copied.mind
        longmind snapshot create before
        longmind snapshot list
        longmind remember "Said after the snapshot."
        longmind snapshot create after
        longmind snapshot diff before after
        longmind snapshot restore before
        longmind snapshot delete after
        longmind golden add "who plays the cello?" --text cello
        longmind golden add "where does Ana live?" --name home --text Lisbon
        longmind golden list
        longmind golden run
        longmind golden history
        longmind golden compare 1 1
        longmind golden remove home
        longmind audit list --limit 3
        longmind audit head
        longmind audit check absent.json
        longmind keys create reader --space default
        longmind keys list
        longmind keys revoke nobody
        longmind models verify
        longmind media parts 3
        longmind media similar notes/a.md
        longmind media search "a boat"
        longmind media thumbnail 3
        longmind media refresh empty
        longmind media duplicates
    """,
    "facts": """
        longmind facts record Bruno works_at Acme --valid-from 2020-01-01
        longmind facts record Bruno works_at Initech --valid-from 2023-01-01
        longmind facts record-many '[{"subject": "Bruno", "predicate": "plays", "value": "cello"}]'
        longmind facts about Bruno
        longmind facts about-many '["Bruno", "Ana"]'
        longmind facts history Bruno
        longmind facts history Bruno --predicate works_at --chart
        longmind facts replace Bruno works_at Globex
        longmind facts correct Bruno works_at Hooli
        longmind facts end Bruno plays cello
        longmind facts retract Bruno works_at Acme
        longmind facts assertions Bruno
        longmind facts get 1
        longmind facts evidence 1
        longmind facts add-evidence 1 2
        longmind facts diff 2024-01-01 2024-12-31
        longmind facts entity Bruno --kind person
        longmind facts alias Bruno "Bruno Reis"
        longmind facts resolve "Bruno Reis"
        longmind facts remove-alias Bruno "Bruno Reis"
        longmind facts entity Bruno2
        longmind facts merge Bruno Bruno2
        longmind facts split Bruno2
        longmind facts ambiguous
        longmind facts quarantine
        longmind facts confirm 999
        longmind facts reject 999
        longmind facts predicate works_at
        longmind facts neighbors Bruno
        longmind facts erase Bruno works_at Initech
    """,
    "conversations": """
        longmind turns add monday user "I prefer tea over coffee."
        longmind turns add-many monday '[{"role": "assistant", "text": "Noted: tea."}]'
        longmind turns window monday
        longmind turns context monday
        longmind memories remember "Carla is allergic to nuts."
        longmind memories list
        longmind memories get 3
        longmind memories search nuts
        longmind memories like "Carla cannot eat nuts."
        longmind memories why 3
        longmind memories update 3 --content "Carla is allergic to peanuts."
        longmind memories gc --dry-run
        longmind memories stats
        longmind memories config
        longmind memories configure mid.capacity=100
        longmind memories forget 3
        longmind memories erase 3
    """,
    "experience": """
        longmind experience record problem "The tests hang on macOS." --evidence none
        longmind experience record solution "Set the start method to spawn." --evidence none
        longmind experience record-many '[{"kind": "fact", "text": "The port is 80.", "evidence": "none"}]'
        longmind experience list
        longmind experience get exp_1
        longmind experience link-attempt exp_1 exp_2
        longmind experience attempts exp_1
        longmind experience vote exp_2 exp_1 1
        longmind experience votes exp_2
        longmind experience utility exp_2
        longmind experience attach-evidence exp_1 issue:42
        longmind experience revise exp_1 "The tests hang on macOS 14."
        longmind experience history exp_1
        longmind experience current-facts
        longmind experience update-fact exp_3 exp_3 exp_3
        longmind experience fact-chain exp_3
        longmind experience find "tests hang"
        longmind experience brief "The tests hang on a Mac."
        longmind experience replay '{}'
        longmind experience archive exp_2
    """,
    "spaces": """
        longmind space create shop
        longmind space list
        longmind space remember shop '{"kind": "decision", "path": "rules/tests.md", "raw": "Run in CI."}'
        longmind space remember-raw shop decision "Deploys happen on Mondays."
        longmind space objects shop
        longmind space get shop rules/tests.md
        longmind space pin shop rules/tests.md
        longmind space unpin shop rules/tests.md
        longmind space link shop rules/tests.md rules/tests.md
        longmind space links shop rules/tests.md
        longmind space unlink shop rules/tests.md rules/tests.md
        longmind space recall shop "when do tests run?"
        longmind space recall-kind shop decision
        longmind space use-context shop "tests"
        longmind space policy shop
        longmind space set-policy shop '{"allow_delete": true}'
        longmind space spent shop
        longmind space audit shop
        longmind space backend
        longmind space set-backend basic
        longmind space sync shop notes
        longmind space export shop
        longmind space export-text shop
        longmind space import absent.json
        longmind space import-text '{}'
        longmind space gc shop
        longmind space forget shop rules/tests.md
        longmind space erase shop rules/tests.md
        longmind space delete shop --yes
    """,
    "waiting": """
        longmind serve --help
        longmind mcp --help
        longmind proxy --help
        longmind inspect --help
        longmind space watch --help
        longmind space browse --help
        longmind models install --help
        longmind doctor --help
        longmind encrypt --help
        longmind decrypt --help
        longmind rekey --help
        sm serve --help
    """,
    "sm": """
        sm --help
        sm list
        sm add-turn --session s1 --role user --text "My name is Alex, and I like JRPGs."
        sm list
        sm get-context --session s1
        sm search Alex
        sm remember --text "Alex plays the drums."
        sm explain --id 1
        sm stats
        sm config
        sm config gc.max_memories 50
        sm gc --dry-run
        sm forget --id 1
    """,
}


def commands(name: str) -> list[str]:
    return [line.strip() for line in WALKS[name].splitlines() if line.strip()]
