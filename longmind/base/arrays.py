"""numpy, imported at the first use of one of its names, and the array types that annotations use.

`import numpy` takes longer than everything else that `import longmind` does, and most commands never need it.
Modules write `from longmind.base.arrays import np` at the top and use `np` as if it were numpy itself.
"""

from __future__ import annotations

import threading
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

__all__ = [
    "AnyArray",
    "AnyFloatArray",
    "BoolArray",
    "Float16Array",
    "Float32Array",
    "Float64Array",
    "Int32Array",
    "Int64Array",
    "UInt8Array",
    "UInt64Array",
    "load_numpy",
    "np",
]

_lock = threading.Lock()


def load_numpy() -> None:
    """Import numpy now; for code that starts threads, or that needs numpy's libraries in the process."""
    # Under a lock of our own: where two threads import numpy for the first time at once, the import system
    # breaks the resulting deadlock by giving one of them a half-initialised module.
    with _lock:
        import numpy

        # From here on the stand-in's namespace is numpy's, so that a name costs the same as on the real
        # module. It includes numpy's own `__getattr__`, which takes the place of ours.
        vars(np).update(vars(numpy))


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    AnyArray: TypeAlias = NDArray[Any]
    AnyFloatArray: TypeAlias = NDArray[np.floating[Any]]
    BoolArray: TypeAlias = NDArray[np.bool_]
    Float16Array: TypeAlias = NDArray[np.float16]
    Float32Array: TypeAlias = NDArray[np.float32]
    Float64Array: TypeAlias = NDArray[np.float64]
    Int32Array: TypeAlias = NDArray[np.int32]
    Int64Array: TypeAlias = NDArray[np.int64]
    UInt8Array: TypeAlias = NDArray[np.uint8]
    UInt64Array: TypeAlias = NDArray[np.uint64]
else:
    # Annotations are never evaluated here, so at run time the aliases only have to exist.
    AnyArray = AnyFloatArray = BoolArray = Float16Array = Float32Array = Float64Array = Any
    Int32Array = Int64Array = UInt8Array = UInt64Array = Any

    def _first_use(name: str) -> Any:
        if name.startswith("__"):  # inspection (doctest, pytest, copy) must not import numpy
            raise AttributeError(name)
        load_numpy()
        return getattr(np, name)

    np = ModuleType("numpy")
    np.__getattr__ = _first_use
