"""From a prompt to a checked answer: the protocol, adapters, budgets; never needed, never trusted."""

from recollect.llm.contract import ModelItem, memory_prompt, parse_memories
from recollect.llm.endpoint import HttpModel, ModelEndpoint
from recollect.llm.guard import Breaker, Budget, CallRecord, GuardedModel, SpendingLedger, Spent
from recollect.llm.protocol import LanguageModel, ModelFailed, Prompt, Reply
from recollect.llm.scripted import ScriptedModel

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
    "ScriptedModel",
    "SpendingLedger",
    "Spent",
    "memory_prompt",
    "parse_memories",
]
