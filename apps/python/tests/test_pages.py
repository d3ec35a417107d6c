"""The blocks of Python on pages run, in order, and raise what the pages say."""

import re

import pytest

from conftest import ROOT

PAGES = ["apps/python/README.md", "docs/mistakes.md"]


def blocks(page):
    """Languages and texts of what stands between fences."""
    return [(words.split()[0] if words else "", text) for words, text in re.findall(r"^```(.*)\n((?s:.*?))^```$", page, re.M)]


def plain(text):
    """One line; sizes of memory depend on the machine."""
    return re.sub(r"[\d.]+ [KMG]iB", "SIZE", " ".join(text.split()))


@pytest.mark.parametrize("path", PAGES)
def test_blocks_do_what_the_page_says(path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(ROOT)
    found = blocks((ROOT / path).read_text())
    names, ran = {}, 0
    for (language, code), (after, quoted) in zip(found, [*found[1:], ("", "")]):
        if language != "python":
            continue
        ran += 1
        program = compile(code, path, "exec")
        if after != "text":
            exec(program, names)
            continue
        with pytest.raises(Exception) as raised:
            exec(program, names)
        assert plain(quoted) == plain(f"{raised.type.__name__}: {raised.value}")
    assert ran
