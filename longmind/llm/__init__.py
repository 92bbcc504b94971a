"""From a prompt to a checked answer: the protocol, adapters, budgets; never needed, never trusted."""

from longmind.llm.contract import ModelItem, memory_prompt, parse_memories
from longmind.llm.endpoint import HttpModel, ModelEndpoint
from longmind.llm.guard import Breaker, Budget, CallRecord, GuardedModel, SpendingLedger, Spent
from longmind.llm.protocol import LanguageModel, ModelFailed, Prompt, Reply

__all__ = [
    "Breaker",
    "Budget",
    "CallRecord",
    "GuardedModel",
    "HttpModel",
    "LanguageModel",
    "ModelEndpoint",
    "ModelFailed",
    "ModelItem",
    "Prompt",
    "Reply",
    "SpendingLedger",
    "Spent",
    "memory_prompt",
    "parse_memories",
]
