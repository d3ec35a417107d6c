"""Python functions as tasks on all cores: who uses which data, and how, says what may run side by
side.

The order in which tasks are submitted is the program; results are those of running it in this
order. Tasks overlap where their data allow it, and where they release the interpreter's lock, as
NumPy does in most of its loops and products.
"""

import os

import numpy as np

from . import _call, _tegula

__all__ = ["Flow", "Task"]


class Task:
    """A submitted function; its result is data like any other.

    Attributes
    ----------
    name : str
    """

    __slots__ = ("_flow", "_value", "_is_done", "name")

    def __init__(self, flow, name):
        self._flow, self._value, self._is_done, self.name = flow, None, False, name

    def result(self):
        """What the function has returned, after all tasks of the flow have run.

        Raises
        ------
        Exception
            What the first task that failed has raised.
        """
        if not self._is_done:
            self._flow.wait()
        if not self._is_done:
            raise RuntimeError(f"the task {self.name} has no result: it failed, or what it reads did")
        return self._value

    def __repr__(self):
        return f"<Task {self.name}: {'done' if self._is_done else 'not done'}>"


class Flow:
    """A flow of tasks.

    Parameters
    ----------
    n_jobs : int, optional
        Threads that run tasks, the waiting one among them, 4096 at most; all cores by default.
    policy : str, optional
        Who runs which task: ``"lws"``, ``"eager"``, ``"prio"``, ``"dmdas"`` ...
    trace : bool, default False
        Record when each task ran, for ``trace`` and ``simulate``.

    Examples
    --------
    >>> import numpy as np, tegula
    >>> a, b = np.ones(3), np.zeros(3)
    >>> with tegula.Flow(n_jobs=2) as flow:
    ...     task = flow.submit(np.add, a, a, out=b, read=[a], write=[b])
    ...     total = flow.submit(np.sum, b, read=[b])
    >>> float(total.result())
    6.0
    """

    def __init__(self, n_jobs=None, policy=None, trace=False):
        self._flow = _tegula.Flow(_call.workers(n_jobs, least=1), policy, bool(trace))
        self._handles, self._names = {}, []
        self._is_recorded, self._records = bool(trace), None

    @property
    def n_jobs(self):
        """Threads that run tasks."""
        return self._flow.workers

    def submit(self, function, /, *args, read=(), write=(), read_write=(), priority=0, name=None, **kwargs):
        """Submits a task that calls ``function(*args, **kwargs)``.

        Parameters
        ----------
        function : callable
        args, kwargs
            Its arguments. A ``Task`` among them is replaced by its result, and waited for.
        read, write, read_write : sequences of objects
            Data that the function uses, and how: arrays, or any other objects, which are known by
            identity. Two views of one array are different data: name the array itself.
        priority : int, default 0
            Higher ones first, where the policy heeds it.
        name : str, optional
            Its name in traces; that of the function by default.

        Returns
        -------
        Task

        Raises
        ------
        ValueError
            If a task uses more than 8 data; its result is one of them.
        """
        if not callable(function):
            raise TypeError(f"a task is a function, not {type(function).__name__}")
        name = str(name or getattr(function, "__name__", type(function).__name__))
        task = Task(self, name)
        tasks = [one for one in (*args, *kwargs.values()) if isinstance(one, Task)]
        if any(one._flow is not self for one in tasks):
            raise ValueError(f"{name}: a task of another flow is no data of this one: hand over its result()")
        written = self._numbers([task, *_listed("write", write), *_listed("read_write", read_write)])
        seen = self._numbers([*_listed("read", read), *tasks])
        seen = [number for number in seen if number not in written]

        def run():
            values = [one._value if isinstance(one, Task) else one for one in args]
            named = {key: one._value if isinstance(one, Task) else one for key, one in kwargs.items()}
            task._value = function(*values, **named)
            task._is_done = True

        self._flow.submit(name, run, written, seen, int(priority))
        self._names.append(name)
        return task

    def _numbers(self, data):
        """The handles of ``data``, each once."""
        numbers = []
        for one in data:
            known = self._handles.get(id(one))
            if known is None:
                # The object is kept, so that no other gets its identity.
                known = self._handles[id(one)] = (self._flow.register(), one)
            if known[0] not in numbers:
                numbers.append(known[0])
        return numbers

    def wait(self):
        """Waits for all tasks; Ctrl-C ends them.

        Raises
        ------
        Exception
            What the first task that failed, in the order of the program, has raised. Tasks that
            read what it writes have not run.
        """
        self._flow.wait()

    def close(self):
        """Waits for all tasks, and ends the threads. ``records`` stay."""
        try:
            if self._is_recorded and self._records is None:
                self._keep_records()
        finally:
            self._flow.close()

    def _keep_records(self):
        try:
            self._flow.wait()
        finally:
            # Those of tasks that have run, if one failed.
            self._records = self._flow.records()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.close()
            return
        try:
            self.close()
        except Exception:  # the first error is the one that is raised
            pass

    def records(self):
        """When tasks ran, of a flow with ``trace=True``.

        Returns
        -------
        ndarray with fields name, worker, start and end (seconds)
        """
        records = self._flow.records() if self._records is None else self._records
        width = max([1, *(len(record[0]) for record in records)])
        return np.array(records, dtype=[("name", f"U{width}"), ("worker", int), ("start", float), ("end", float)])

    def trace(self, path):
        """Writes what ran when to ``path``: ``.html`` a report, ``.svg`` a picture, ``.csv`` a table,
        ``.json`` for Perfetto, ``.trace`` for ``tegula trace``."""
        path = _writable(path)
        self._check_open("trace")
        try:
            self._flow.write_trace(path)
        except _tegula.Failure as failure:
            kind, message = failure.args
            raise _call._KINDS[kind](message.strip()) from None

    def _check_open(self, method):
        if self._is_recorded and self._records is not None:
            raise RuntimeError(f"the flow was closed: call its {method} inside the block of 'with', or before close()")

    def simulate(self, n_jobs, seconds=None, policy=None, trace=None):
        """Runs the program so far in virtual time, on another number of cores.

        Parameters
        ----------
        n_jobs : int
            Cores of the simulated machine.
        seconds : float or dict, optional
            Time of each task, or of those of each name; by default the mean times by name that were
            recorded.
        policy : str, optional
        trace : str, optional
            Write what ran when in the simulation, as ``trace`` does.

        Returns
        -------
        float
            Seconds from the first start to the last end.
        """
        n_jobs = _call.whole("n_jobs", n_jobs)
        self._check_open("simulate")
        if seconds is None:
            records = self.records()
            seconds = {name: np.mean((records["end"] - records["start"])[records["name"] == name]) for name in set(records["name"])}
        if not isinstance(seconds, dict):
            seconds = dict.fromkeys(self._names, seconds)
        missing = sorted(set(self._names) - set(seconds))
        if missing:
            raise ValueError(f"seconds says nothing of the tasks {', '.join(missing)}")
        times = [float(seconds[name]) for name in self._names]
        path = None if trace is None else _writable(trace)
        try:
            return self._flow.simulate(times, n_jobs, policy, path)
        except _tegula.Failure as failure:
            kind, message = failure.args
            raise _call._KINDS[kind](message.strip()) from None


def _writable(path):
    """``path`` as a text, of a file in a folder that is there."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"cannot write {os.fspath(path)}: there is no folder {folder}")
    return os.fspath(path)


def _listed(what, data):
    """``data`` as a list; an array alone is most likely meant to be one."""
    if isinstance(data, (list, tuple)):
        return data
    raise TypeError(f"{what}= is a list of data, as {what}=[a]; not {type(data).__name__}")
