"""Questions: searches, and contexts inside a token budget, one at a time or many."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from longmind.base.caller import audited
from longmind.base.filters import SpaceLike, UserLike, View
from longmind.base.parameters import AsUser, Budget, FrameId, Limit
from longmind.base.times import AsOf
from longmind.search.engine import SearchEngine
from longmind.search.request import SearchOptions, SearchRequest, check_queries
from longmind.search.results import SearchResults, SearchResultsList, WhyNot
from longmind.store import edit
from longmind.store.store import Store

if TYPE_CHECKING:
    from longmind.context.builder import ContextBuilder
    from longmind.context.items import Context, ContextList
    from longmind.context.recipe import Recipe


@audited("")
class Questions(ABC):
    """What `Memory` answers."""

    store: Store
    _search: SearchEngine

    @property
    @abstractmethod
    def _contexts(self) -> ContextBuilder:
        """What builds contexts; the class that holds the parts of a memory makes it."""

    @abstractmethod
    def _view(self, space: SpaceLike | None, user: UserLike, as_of: AsOf) -> View:
        """What a read sees; the class that knows the default space and user makes it."""

    def search(
        self,
        query: Annotated[str, "What you want to know."],
        *,
        space: SpaceLike | None = None,
        user: AsUser = None,
        limit: Limit = 10,
        as_of: AsOf = AsOf.LATEST,
        **options: Unpack[SearchOptions],
    ) -> SearchResults:
        """The frames that answer a question, best first, with the reasons.

        Use it to look for particular notes, documents or turns; for an answer to work with, use recall.
        """
        view = self._view(space, user, as_of)
        return self._search.search(SearchRequest.of(query, view, limit=limit, **options))

    def search_many(
        self,
        queries: Annotated[Iterable[str], "The questions."],
        *,
        space: SpaceLike | None = None,
        user: AsUser = None,
        limit: Limit = 10,
        as_of: AsOf = AsOf.LATEST,
        **options: Unpack[SearchOptions],
    ) -> SearchResultsList:
        """Several searches at once: one state of the store, the questions embedded together.

        The results come in the order of the questions, each the same as that of a search of its own.
        """
        view = self._view(space, user, as_of)
        requests = [SearchRequest.of(query, view, limit=limit, **options) for query in check_queries(queries)]
        with self.store.one_state() as snapshot:
            return SearchResultsList(tuple(self._search.search_many(requests)), snapshot.revision)

    def why_not(
        self,
        query: Annotated[str, "What you want to know."],
        frame_id: FrameId,
        *,
        space: SpaceLike | None = None,
        user: AsUser = None,
        limit: Limit = 10,
        as_of: AsOf = AsOf.LATEST,
        **options: Unpack[SearchOptions],
    ) -> WhyNot:
        """Where a frame was lost in a search, or which place it has."""
        request = SearchRequest.of(query, self._view(space, user, as_of), limit=limit, **options)
        return self._search.why_not(request, edit.check_frame_id(frame_id))

    def recall(
        self,
        query: Annotated[str, "What you want to know."],
        *,
        budget: Budget = 1000,
        recipe: Annotated[
            str | Recipe | Mapping[str, Any], "default, chat, coding, facts, timeline, or one you saved."
        ] = "default",
        session: Annotated[str | None, "The conversation the question is asked in."] = None,
        space: SpaceLike | None = None,
        user: AsUser = None,
        as_of: AsOf = AsOf.LATEST,
        **options: Unpack[SearchOptions],
    ) -> Context:
        """What an agent needs to know of a question, as text inside a token budget.

        Use it before answering anything that may depend on earlier sessions, people, decisions or documents.
        """
        from longmind.context.builder import check_recall

        chosen = self._contexts.recipe(recipe)
        request = SearchRequest.of(query, self._view(space, user, as_of), limit=chosen.depth, **options)
        return self._contexts.recall(check_recall(request, recipe=chosen, budget=budget, session=session))

    def recall_many(
        self,
        queries: Annotated[Iterable[str], "The questions."],
        *,
        budget: Budget = 1000,
        recipe: Annotated[
            str | Recipe | Mapping[str, Any], "default, chat, coding, facts, timeline, or one you saved."
        ] = "default",
        session: Annotated[str | None, "The conversation the questions are asked in."] = None,
        space: SpaceLike | None = None,
        user: AsUser = None,
        as_of: AsOf = AsOf.LATEST,
        **options: Unpack[SearchOptions],
    ) -> ContextList:
        """Several contexts at once: one state of the store, the questions embedded together.

        Each has the budget for itself, and is the same as that of a recall of its own.
        """
        from longmind.context.builder import check_recall

        chosen, view = self._contexts.recipe(recipe), self._view(space, user, as_of)
        return self._contexts.recall_many(
            [
                check_recall(
                    SearchRequest.of(query, view, limit=chosen.depth, **options),
                    recipe=chosen, budget=budget, session=session)
                for query in check_queries(queries)
            ]
        )  # fmt: skip
