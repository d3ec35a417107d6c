"""The table of a fit, as statsmodels prints its own: as text, and as HTML for notebooks."""

from html import escape

from ._call import hint


def _number(value, digits=5):
    """A number in ``digits`` digits; a bar where there is none."""
    return "-" if value is None else f"{value:.{digits}g}"


def _method(method):
    """How the likelihood was computed, and by how much it is off, as far as that is known."""
    words = [value if isinstance(value, str) else _number(value) for key, value in method.items() if not key.startswith("error_")]
    error = method.get("error_estimate")
    return " ".join(words) + ("" if error is None else f", error {_number(error, 2)}")


class Summary:
    """What ``GaussianField.summary`` gives; prints as text.

    Attributes
    ----------
    head : list of (str, str)
        Facts of the fit.
    coefficients, parameters : list of list
        Rows of the tables: names, estimates, standard errors and what goes with them.
    remarks : list of str
    """

    def __init__(self, field):
        result = field.result_
        self.head = [
            ("Covariance", result["covariance"]),
            ("Observations", str(result["data"]["n"])),
            ("Mean", result["mean"]["formula"]),
            ("Log-likelihood", _number(field.loglik_, 8)),
            ("Method", _method(result["method"])),
            ("AIC", _number(field.aic_, 8)),
            ("Criterion", result["criterion"].upper()),
            ("BIC", _number(field.bic_, 8)),
            ("Transformation", result["transform"]["name"]),
            ("Converged", f"{'yes' if field.converged_ else 'no'}, {result['evaluations']} evaluations"),
        ]
        self.coefficients = [
            [one["name"], *(_number(one[key]) for key in ("estimate", "std_error")), _number(one["t"], 4), _number(one["p"], 3)]
            for one in result["coefficients"]
        ]
        self.parameters = []
        for name, value in field.params_.items():
            low, high = field.intervals_.get(name) or (None, None)
            known = name not in result["estimated"]
            error = "known" if known else _number(field.std_errors_.get(name))
            self.parameters.append([name, _number(value), error, _number(low), _number(high)])
        self.remarks = [remark + hint(remark) for remark in result["remarks"]]

    _TABLES = (
        ("coefficients", "Mean", ["", "estimate", "std err", "t", "P>|t|"]),
        ("parameters", "Covariance", ["", "estimate", "std err", "[0.025", "0.975]"]),
    )

    def __str__(self):
        width = 78
        lines = ["Gaussian random field".center(width), "=" * width]
        for left, right in zip(self.head[::2], self.head[1::2]):
            # What is long, as a formula of the mean, has a line of its own.
            fits = len(left[1]) < 24
            lines += [] if fits else [f"{left[0] + ':':<16}{left[1]}"]
            first = f"{left[0] + ':':<16}{left[1]:<24}" if fits else " " * 40
            lines.append(f"{first}{right[0] + ':':<16}{right[1]:>22}")
        for attribute, title, names in self._TABLES:
            rows = getattr(self, attribute)
            if not rows:
                continue
            first = max(22, *(len(row[0]) + 1 for row in rows))
            rest = (width - 22) // 4
            line = lambda row: row[0].ljust(first) + "".join(cell.rjust(rest) for cell in row[1:])  # noqa: E731
            lines += ["=" * width, line([title, *names[1:]]), "-" * width, *map(line, rows)]
        lines.append("=" * width)
        for remark in self.remarks:
            lines += _folded(remark, width)
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self):
        cell = lambda tag, text: f"<{tag}>{escape(text)}</{tag}>"  # noqa: E731
        row = lambda tag, cells: "<tr>" + "".join(cell(tag, text) for text in cells) + "</tr>"  # noqa: E731
        parts = [_STYLE, "<div class=tegula><table><caption>Gaussian random field</caption>"]
        for left, right in zip(self.head[::2], self.head[1::2]):
            parts.append(f"<tr>{cell('th', left[0])}{cell('td', left[1])}{cell('th', right[0])}{cell('td', right[1])}</tr>")
        parts.append("</table>")
        for attribute, title, names in self._TABLES:
            rows = getattr(self, attribute)
            if rows:
                parts.append(f"<table><caption>{title}</caption>" + row("th", names))
                parts += [row("td", one) for one in rows] + ["</table>"]
        parts += [f"<p>{escape(remark)}</p>" for remark in self.remarks]
        return "".join([*parts, "</div>"])


#: Numbers to the right, and room between columns.
_STYLE = (
    "<style>.tegula{overflow-x:auto} .tegula table{border-collapse:collapse;margin:0 0 .8em} "
    ".tegula caption{text-align:left;font-weight:bold}"
    ".tegula th{text-align:left;padding:.1em 1em .1em 0} .tegula td{text-align:right;padding:.1em 1em .1em 0}"
    ".tegula td:first-child{text-align:left} .tegula p{max-width:60em}</style>"
)


def _folded(text, width):
    """``text`` in lines of so many characters, after a star."""
    import textwrap

    return textwrap.wrap(text, width, initial_indent="* ", subsequent_indent="  ")
