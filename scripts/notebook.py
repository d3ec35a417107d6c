"""Notebooks as pages of Markdown, with what their cells have shown."""

import base64
import json
import re

#: Forms of what a cell shows, the best first.
_FORMS = ("image/svg+xml", "image/png", "text/html", "text/plain")
_PICTURES = {"image/svg+xml": "svg", "image/png": "png"}


def title(path):
    """The heading of the notebook at ``path``."""
    cells = json.loads(path.read_text())["cells"]
    first = next(line for cell in cells for line in _text(cell["source"]).splitlines() if line.startswith("# "))
    return first[2:].strip().replace("`", "")


def page(path, to):
    """Writes the notebook at ``path`` as the page ``to``, and its pictures beside it."""
    parts, pictures = [], 0
    for cell in json.loads(path.read_text())["cells"]:
        source = _text(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            shown = {"text/plain": output["text"]} if "text" in output else output.get("data", {})
            kind = next((kind for kind in _FORMS if kind in shown), None)
            if kind is None:
                continue
            content = _text(shown[kind])
            if kind in _PICTURES:
                pictures += 1
                file = to.with_name(f"{to.stem}-{pictures}.{_PICTURES[kind]}")
                file.write_bytes(base64.b64decode(content) if _PICTURES[kind] == "png" else content.encode())
                parts.append(f"![]({file.name})")
            elif kind == "text/html":
                # A blank line would end it.
                parts.append('<div style="overflow-x:auto">' + re.sub(r"\n\s*\n", "\n", content) + "</div>")
            else:
                parts.append(f"```text\n{content.rstrip()}\n```")
    to.write_text("\n\n".join(parts) + "\n")


def _text(lines):
    return lines if isinstance(lines, str) else "".join(lines)
