"""Recipes: how a recall shares its budget out, kept in the store under a name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from longmind.base.caller import audited
from longmind.base.results import Names
from longmind.store.store import Store

if TYPE_CHECKING:
    from longmind.context.builder import ContextBuilder
    from longmind.context.recipe import Recipe


@audited("")
class Recipes(ABC):
    """What `Memory` does with the recipes of contexts."""

    store: Store

    @property
    @abstractmethod
    def _contexts(self) -> ContextBuilder:
        """What builds contexts; the class that holds the parts of a memory makes it."""

    def save_recipe(
        self,
        recipe: Annotated[Recipe | Mapping[str, Any], "The recipe: its name, lanes and shares."],
    ) -> Recipe:
        """Keep a recipe in the store, under its name."""
        from longmind.context.recipe import Recipe

        chosen = self._contexts.recipe(recipe) if isinstance(recipe, Recipe) else Recipe.from_json(recipe)
        with self.store.write() as tx:
            self._contexts.save_recipe(tx, chosen)
        return chosen

    def recipes(self) -> Names:
        """The recipes that recall knows."""
        return Names(self._contexts.recipes())
