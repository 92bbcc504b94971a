"""People: whose data is in a memory, taking in a chat of one of them, and removing all of theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated, Any

from longmind.base.caller import audited
from longmind.base.errors import NotFound
from longmind.base.expiry import ExpiresAt, Ttl, expiry
from longmind.base.filters import SpaceLike
from longmind.base.names import ALL
from longmind.base.parameters import Mark, SessionName, User, WriteSpace
from longmind.base.partitions import check_user, split_partition
from longmind.base.results import Listing
from longmind.store.engine import Connection
from longmind.store.partition_rows import all_users, count_rows, users_parts
from longmind.store.store import Store

if TYPE_CHECKING:
    from longmind.conversation.chats import ChatReport
    from longmind.conversation.memories import Memories
    from longmind.store.erasure import ErasureCertificate


@dataclass(frozen=True, slots=True)
class UserSummary:
    """One user, and how much is kept of them."""

    user: str
    spaces: tuple[str, ...]
    frames: int
    """Frames in use; chunks count with their documents."""
    facts: int
    memories: int


@dataclass(frozen=True, slots=True, eq=False)
class UserList(Listing[UserSummary]):
    """Users by name."""

    users: tuple[UserSummary, ...]


@audited("")
class People:
    """What `Memory` does with people."""

    store: Store

    if TYPE_CHECKING:

        @cached_property
        def memories(self) -> Memories: ...

    def users(
        self, *, space: Annotated[SpaceLike | None, "Only of these spaces; of all, if not given."] = None
    ) -> UserList:
        """Whose data is here, and how much: for those who look after the memory."""
        with self.store.read() as snapshot:
            listed = all_users(snapshot.db, ALL if space is None else space)
            summaries = [_summary(snapshot.db, user, parts) for user, parts in listed.items()]
        return UserList(tuple(summaries))

    def add(
        self,
        messages: Annotated[
            Iterable[Mapping[str, Any]], "A chat's messages, as OpenAI or Anthropic write them.", Mark.TEXT
        ],
        *,
        session: SessionName = "chat",
        extract: Annotated[bool, "Read what the user's messages tell into memories."] = True,
        expires_at: ExpiresAt = None,
        ttl: Ttl = None,
        space: WriteSpace = None,
        user: User = None,
    ) -> ChatReport:
        """Take in a chat's messages as turns, and what the user tells into the memories.

        Send the whole list again when it has grown: what is there already is not written twice.
        """
        from longmind.conversation.chats import add_messages

        return add_messages(
            self.memories.conversation(session, space=space, user=user), messages, extract=extract,
            expires_at=expiry(expires_at, ttl, now=self.store.now()),
        )  # fmt: skip


def erase_person(store: Store, user: str, spaces: SpaceLike | None) -> ErasureCertificate:
    """Remove every row that is kept of a person, in all spaces or in some, with one certificate."""
    from longmind.store import erasure

    name = check_user(user)
    return erasure.erase_parts(store, partial(_parts_to_erase, user=name, spaces=spaces), user=name)


def _parts_to_erase(db: Connection, *, user: str, spaces: SpaceLike | None) -> list[str]:
    parts = users_parts(db, user, ALL if spaces is None else spaces)
    if not parts:
        raise NotFound(f"Nothing is kept of user {user!r}.", hint="users() lists the users with stored data.")
    return list(parts)


def _summary(db: Connection, user: str, parts: list[Any]) -> UserSummary:
    live = "retired_at IS NULL AND start_byte IS NULL"
    return UserSummary(
        user=user,
        spaces=tuple(split_partition(part)[0] for part in parts),
        frames=count_rows(db, "frame", parts, live),
        facts=count_rows(db, "fact", parts),
        memories=count_rows(db, "conversation_memory", parts),
    )
