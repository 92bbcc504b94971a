"""The extension points: what you may implement yourself, with the values that pass in and out.

| protocol | does | given to |
| --- | --- | --- |
| `Embedder` | text to vectors | `Memory.open(embedder=...)` |
| `Reranker` | how well a text answers a query | `Memory.open(reranker=...)` |
| `Extractor` | text to facts | `Memory.open(extractor=...)` |
| `LanguageModel` | a prompt to a reply | `Memory.open(llm=...)` |
| `Reader` | the bytes of a file to text | `memory.readers.register(...)` |
| `Ordering` | scores the objects of a project space | `register_ordering(...)` |
| `Renderer` | the items of a context to text | `register_renderer(...)` |
| `Tokenizer` | counts and cuts text in tokens | `register_tokenizer(...)` |
| `Clock` | the present | `Memory.open(clock=...)` |

Storage engines, parts of the store and lanes of a context are internal: they work inside the store's
transactions and change with its format. `docs/extending.md` has an example of each protocol.
"""

from longmind.base.times import Clock
from longmind.base.tokens import Tokenizer, register_tokenizer
from longmind.context.items import Card, Item, Piece
from longmind.context.render import Renderer, register_renderer
from longmind.embed.protocol import Embedder, EmbedderIdentity, Encoding, TokenStates
from longmind.facts.extraction import Extraction, Extractor, FoundEntity, FoundFact
from longmind.facts.extraction import Source as Passage
from longmind.ingest.source import Document, Reader, Section, Source, Unreadable
from longmind.llm.protocol import LanguageModel, ModelFailed, Prompt, Reply
from longmind.rerank import Reranker
from longmind.spaces.ordering import Ordering, Question, Scores, register_ordering
from longmind.spaces.space_index import SpaceIndex

__all__ = [
    "Card",
    "Clock",
    "Document",
    "Embedder",
    "EmbedderIdentity",
    "Encoding",
    "Extraction",
    "Extractor",
    "FoundEntity",
    "FoundFact",
    "Item",
    "LanguageModel",
    "ModelFailed",
    "Ordering",
    "Passage",
    "Piece",
    "Prompt",
    "Question",
    "Reader",
    "Renderer",
    "Reply",
    "Reranker",
    "Scores",
    "Section",
    "Source",
    "SpaceIndex",
    "TokenStates",
    "Tokenizer",
    "Unreadable",
    "register_ordering",
    "register_renderer",
    "register_tokenizer",
]
