"""What goes wrong."""


class Error(RuntimeError):
    """weft refused or failed; the text is weft's own line.

    ``exit_code`` is that of weft: 2 wrong input, 3 the model cannot make progress, 1 an internal error or a comparison
    that failed.
    """

    def __init__(self, line: str, exit_code: int = 2) -> None:
        super().__init__(line)
        self.exit_code = exit_code
