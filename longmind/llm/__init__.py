"""From a prompt to a checked answer: the protocol, adapters, prices, budgets; never needed, never trusted."""

from longmind.llm.endpoint import HttpModel, ModelEndpoint
from longmind.llm.guard import Answer, Breaker, ModelGuard
from longmind.llm.ledger import Cap, Reservation, SpendingLedger
from longmind.llm.models import Models
from longmind.llm.prices import Price
from longmind.llm.protocol import LanguageModel, ModelFailed, Prompt, Reply

__all__ = [
    "Answer",
    "Breaker",
    "Cap",
    "HttpModel",
    "LanguageModel",
    "ModelEndpoint",
    "ModelFailed",
    "ModelGuard",
    "Models",
    "Price",
    "Prompt",
    "Reply",
    "Reservation",
    "SpendingLedger",
]
