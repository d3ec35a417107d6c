import os
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

__all__ = ["Flow", "Task"]

_T = TypeVar("_T")

class Task(Generic[_T]):
    name: str
    def __init__(self, flow: Flow, name: str) -> None: ...
    def result(self) -> _T: ...

class Flow:
    def __init__(self, n_jobs: int | None = None, policy: str | None = None, trace: bool = False) -> None: ...
    @property
    def n_jobs(self) -> int: ...
    def submit(
        self,
        function: Callable[..., _T],
        /,
        *args: Any,
        read: Sequence[object] = (),
        write: Sequence[object] = (),
        read_write: Sequence[object] = (),
        priority: int = 0,
        name: str | None = None,
        **kwargs: Any,
    ) -> Task[_T]: ...
    def wait(self) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def records(self) -> NDArray[np.void]: ...
    def trace(self, path: str | os.PathLike[str]) -> None: ...
    def simulate(
        self,
        n_jobs: int,
        seconds: float | Mapping[str, float] | None = None,
        policy: str | None = None,
        trace: str | os.PathLike[str] | None = None,
    ) -> float: ...
