"""Habits of notebooks that are not Python: !command, %magic, %%magic, name?.

A cell is translated only when it does not parse as it is. Each such line becomes a call of the shell object on the same line, so that tracebacks keep their line numbers.
"""
import re

COMMAND = re.compile(r"\s*(!!?|%(?!%)|\?\??)\s*(\S.*)$", re.S)
ASSIGNED = re.compile(r"(\s*[A-Za-z_][\w.\[\]'\", ]*=\s*)(!|%)\s*(\S.*)$", re.S)
QUESTION = re.compile(r"(\s*)(%{0,2}[A-Za-z_][\w.\[\]'\"]*)\s*(\?\??)\s*$")
AUTOMATIC = re.compile(r"(\s*)(pip3?\s+(?:install|uninstall|list|show|freeze|download)\b.*)$", re.S)
STRING = re.compile(r"""(?i:[rbuft]{0,2})('{3}|"{3}|'|")""")


def shell():
    from atoll_kernel import magics
    return magics.SHELL


def translated(source):
    """The cell as Python, or None when it holds nothing of this kind."""
    lines = source.splitlines()
    first = next((i for i, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return None
    if lines[first].startswith("%%"):
        name, _, rest = lines[first][2:].partition(" ")
        # The empty lines keep the numbers of the body's lines.
        body = "\n" * (first + 1) + "".join(line + "\n" for line in lines[first + 1:])
        return "\n" * first + f"get_ipython().run_cell_magic({name.strip()!r}, {rest.strip()!r}, {body!r})\n"
    found = translate_lines(lines)
    return "\n".join(found) + "\n" if found != lines else None


def translate_lines(lines):
    out = []
    place = Place()
    i = 0
    while i < len(lines):
        taken, text = 1, lines[i]
        if place.between_statements:
            while text.endswith("\\") and i + taken < len(lines) and is_command(text):
                text = text[:-1] + lines[i + taken]
                taken += 1
            python = translate(text)
            if python is not None:
                out.append(python)
                out.extend([""] * (taken - 1))
                i += taken
                continue
        out.append(lines[i])
        place.pass_over(lines[i])
        i += 1
    return out


def is_command(text):
    return COMMAND.match(text) is not None or ASSIGNED.match(text) is not None or AUTOMATIC.match(text) is not None


def translate(text):
    """One line of that kind as Python; None for any other."""
    indent = text[:len(text) - len(text.lstrip())]
    match = QUESTION.match(text)
    if match is not None:
        return f"{indent}get_ipython().explain({match[2]!r}, {match[3] == '??'})"
    match = ASSIGNED.match(text)
    if match is not None:
        return match[1] + (f"get_ipython().getoutput({match[3]!r})" if match[2] == "!" else line_magic(match[3]))
    match = AUTOMATIC.match(text)
    if match is not None:
        return indent + line_magic(match[2])
    match = COMMAND.match(text)
    if match is None:
        return None
    sign, rest = match[1], match[2].rstrip()
    if sign == "%":
        return indent + line_magic(rest)
    if sign.startswith("?"):
        return f"{indent}get_ipython().explain({rest!r}, {sign == '??'})"
    return f"{indent}get_ipython().{'system' if sign == '!' else 'getoutput'}({rest!r})"


def line_magic(text):
    name, _, rest = text.partition(" ")
    return f"get_ipython().run_line_magic({name.strip()!r}, {rest.strip()!r})"


class Place:
    """Knows, line by line, whether a statement begins or a string, a bracket or a backslash goes on from the line before."""

    def __init__(self):
        self.quotes = None
        self.depth = 0
        self.continued = False

    @property
    def between_statements(self):
        return self.quotes is None and self.depth <= 0 and not self.continued

    def pass_over(self, line):
        i = 0
        self.continued = False
        while i < len(line):
            if self.quotes is not None:
                i = self.to_end_of_string(line, i)
                continue
            match = STRING.match(line, i)
            if match is not None:
                self.quotes = match[1]
                i = match.end()
            elif line[i] == "#":
                break
            else:
                self.depth += (line[i] in "([{") - (line[i] in ")]}")
                i += 1
        if self.quotes is not None and len(self.quotes) == 1 and not line.endswith("\\"):
            self.quotes = None  # Not closed: an error that Python will tell.
        self.continued = self.quotes is None and line.endswith("\\")

    def to_end_of_string(self, line, i):
        while i < len(line):
            if line[i] == "\\":
                i += 2
            elif line.startswith(self.quotes, i):
                i += len(self.quotes)
                self.quotes = None
                return i
            else:
                i += 1
        return i
