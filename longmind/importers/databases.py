"""Databases of other tools, read only: SQLite files, and PostgreSQL by its address."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from longmind.base.addresses import shown_location
from longmind.base.errors import InvalidInput, MissingExtra, Unavailable
from longmind.base.store_files import SQLITE_MAGIC, open_user_file
from longmind.importers.files import Files

_MOST_VALUE: Final = 64 * 2**20


class Database(Files):
    """A PostgreSQL database in place of files."""

    def __init__(self, location: str) -> None:
        if not location.startswith(("postgresql://", "postgres://")):
            raise InvalidInput(
                f"{location.partition('://')[0]}:// is not a source that can be imported from.",
                hint="Name a file or a folder, or postgresql://HOST/DATABASE.",
            )
        self.path = Path(shown_location(location))
        self.address = location
        self.is_archive = self.is_folder = False


def is_sqlite(files: Files, name: str) -> bool:
    with files.open(name) as file:
        return file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC


@contextmanager
def sqlite_rows(path: Path) -> Iterator[SqliteTables]:
    """The tables of a SQLite file, opened so that nothing in it can be changed or run."""
    import apsw

    with open_user_file(path):
        pass  # a file of one of our own stores is refused here, before SQLite opens it
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    except apsw.Error as error:
        raise InvalidInput(
            f"{path} cannot be opened as a SQLite database: {error}.",
            hint="Check that it is the exported file, and that this user may read it.",
        ) from None
    try:
        connection.limit(apsw.SQLITE_LIMIT_LENGTH, _MOST_VALUE)
        # The file is somebody else's: a view or a trigger in it must not call functions of ours.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        yield SqliteTables(connection, path)
    except apsw.Error as error:
        raise InvalidInput(
            f"{path} is damaged or not what its name says: {error}.", hint="Export it again."
        ) from None
    finally:
        connection.close()


class SqliteTables:
    """Real tables only: what a view of another program does is not known."""

    def __init__(self, connection: Any, path: Path) -> None:
        self._connection = connection
        self._path = path

    def has(self, table: str) -> bool:
        sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?"
        return next(iter(self._connection.execute(sql, (table,))), None) is not None

    def rows(self, table: str, columns: tuple[str, ...], order: str) -> Iterator[dict[str, Any]]:
        """The rows of a table; columns that it lacks are None, further ones are kept under their names."""
        present = [str(row[1]) for row in self._connection.execute(f"PRAGMA table_info({table})")]
        missing = [name for name in columns if name not in present]
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in present)
        for row in self._connection.execute(f"SELECT {quoted} FROM {table} ORDER BY {order}"):
            yield {**dict.fromkeys(missing), **dict(zip(present, row, strict=True))}


def postgres_rows(
    address: str, table: str, columns: tuple[str, ...], order: tuple[str, ...]
) -> Iterator[dict[str, Any]]:
    """The rows of a table of a PostgreSQL database, in one read-only transaction; see `SqliteTables.rows`."""
    try:
        import psycopg
        from psycopg.rows import dict_row
    except ImportError:
        raise MissingExtra("Reading PostgreSQL needs psycopg.", extra="postgres") from None
    query = psycopg.sql.SQL("SELECT * FROM {} ORDER BY {}").format(
        psycopg.sql.Identifier(table), psycopg.sql.SQL(", ").join(map(psycopg.sql.Identifier, order))
    )
    try:
        with psycopg.connect(address, row_factory=dict_row) as connection:
            connection.read_only = True
            with connection.cursor(name="longmind_import") as cursor:
                cursor.execute(query)
                for row in cursor:
                    yield {**dict.fromkeys(columns), **row}
    except psycopg.errors.UndefinedTable:
        raise InvalidInput(f"The database has no table {table!r}.", hint="Check its address.") from None
    except psycopg.errors.UndefinedColumn as error:
        raise InvalidInput(
            f"The table {table!r} belongs to something else: {error.diag.message_primary}.",
            hint="Check the address, and the search_path of its user.",
        ) from None
    except psycopg.Error as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Unavailable(f"The database could not be read: {reason}.", hint="Check its address.") from None
