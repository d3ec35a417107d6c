class Summary:
    head: list[tuple[str, str]]
    coefficients: list[list[str]]
    parameters: list[list[str]]
    remarks: list[str]
    def _repr_html_(self) -> str: ...
