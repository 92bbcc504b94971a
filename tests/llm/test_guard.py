"""The breaker."""

from __future__ import annotations

import pytest

from longmind.llm import Breaker, ModelFailed


def test_the_breaker_opens_rests_and_tries_once() -> None:
    now = [0.0]
    breaker = Breaker(failures=2, seconds=10, monotonic=lambda: now[0])
    breaker.check()
    breaker.failed()
    breaker.check()
    breaker.failed()
    with pytest.raises(ModelFailed, match="2 times"):
        breaker.check()
    now[0] = 10.0
    breaker.check()  # one may try
    with pytest.raises(ModelFailed):
        breaker.check()
    breaker.succeeded()
    breaker.check()
