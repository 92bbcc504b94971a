from longmind import Memory


def test_what_was_remembered_comes_back(memory: Memory) -> None:
    report = memory.remember("Ana moved to Lisbon.", tags=["life"], metadata={"doc": "17"})
    frame = memory.get(report.id)
    assert (frame.text, frame.tags, frame.metadata) == ("Ana moved to Lisbon.", ("life",), {"doc": "17"})
    assert memory.verify(deep=True)
