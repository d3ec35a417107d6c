"""The functions of ``tegula.linalg`` in place of SciPy's."""

import functools
import inspect
import sys
import types

import numpy as np

#: What our functions take of arguments that SciPy's have, too.
_TAKEN = {
    ("solve", "assume_a"): ("gen", "general", "pos", "positive definite", "sym", "symmetric", "her", "hermitian"),
    ("qr", "mode"): ("full", "economic", "r"),
    ("qr", "pivoting"): (False,),
}

#: SciPy's functions by the ones that stand in their place.
_installed = {}


def install(functions):
    """Puts ``functions`` in the place of SciPy's of the same names, wherever a module holds one."""
    import scipy.linalg

    if not _installed:
        for ours in functions:
            theirs = getattr(scipy.linalg, ours.__name__)
            _installed[_in_place_of(theirs, ours)] = theirs
        _replace({theirs: new for new, theirs in _installed.items()})


def uninstall():
    """Puts SciPy's functions back."""
    _replace(_installed)
    _installed.clear()


def _replace(functions):
    """Puts the values of ``functions`` where modules hold their keys."""
    by_identity = {id(old): new for old, new in functions.items()}
    for module in list(sys.modules.values()):
        if isinstance(module, types.ModuleType) and module.__name__.partition(".")[0] != "tegula":
            for name, value in list(vars(module).items()):
                if id(value) in by_identity:
                    setattr(module, name, by_identity[id(value)])


def _in_place_of(theirs, ours):
    """``ours`` as SciPy's function is called; what it does not take is left to ``theirs``."""
    signature, own = inspect.signature(theirs), inspect.signature(ours).parameters

    def takes(given):
        said = all(name in own for name in given) and all(
            given[name] in values
            for (function, name), values in _TAKEN.items()
            if function == ours.__name__ and name in given
        )
        return said and _are_matrices(given)

    @functools.wraps(theirs)
    def call(*args, **kwargs):
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError:
            given = None
        return ours(**given) if given is not None and takes(given) else theirs(*args, **kwargs)

    return call


def _are_matrices(given):
    """Whether all arrays among the arguments are matrices, or vectors, of numbers that we compute with."""
    values = [one for value in given.values() for one in (value if isinstance(value, tuple) else (value,))]
    arrays = [value for value in values if not isinstance(value, (str, bool, int, float, type(None)))]
    return all(_is_matrix(array) for array in arrays) and bool(arrays) and arrays[0].ndim == 2


def _is_matrix(array):
    is_number = type(array) is np.ndarray and (array.dtype.char in "fdFD" or array.dtype.kind in "iub")
    return is_number and array.ndim in (1, 2)
