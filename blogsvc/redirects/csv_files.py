"""Read and write redirects as CSV files: path, target, status."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO
from typing import BinaryIO, NamedTuple

from sqlalchemy import select

from blogsvc.errors import Fault, Invalid
from blogsvc.lib.files.csv_file import Cell, write_csv
from blogsvc.lib.sequences import batched
from blogsvc.models import Redirect, db, transaction
from blogsvc.models.redirect import known
from blogsvc.redirects import loops, manage, rules
from blogsvc.redirects.listing import Shown, shown

COLUMNS = ("path", "target", "status")
MAX_ROWS = 10_000
MAX_BYTES = 1_900_000  # forms have at most 2 MiB
MAX_FAULTS = 20
AT_ONCE = 500


class Outcome(NamedTuple):
    """How many redirects of a file are new, changed, and as they were."""

    created: int
    changed: int
    unchanged: int


class _Line(NamedTuple):
    number: int
    fields: rules.Fields


def read(file: BinaryIO, public_url: str) -> Outcome:
    """Store the redirects of a file. Those whose path has a redirect replace it; no others are removed.

    Raises Invalid, with a fault for each line that is wrong, and stores nothing then.
    """
    faults: list[Fault] = []
    lines = _checked(_rows(file), public_url, faults)
    with transaction():
        if not faults:
            outcome = _store(lines, faults)
        if faults:
            more = len(faults) - MAX_FAULTS
            rest = [Fault("#/file", "invalid", f"And {more} more lines are wrong.")] if more > 0 else []
            raise Invalid(*faults[:MAX_FAULTS], *rest)
    return outcome


def write(out: BinaryIO) -> None:
    """Write all redirects, imported ones too, each with its present target."""
    write_csv(out, COLUMNS, _written())


def _written() -> Iterator[tuple[Cell, ...]]:
    last = ""
    while True:
        query = select(Redirect).where(Redirect.id > last).order_by(Redirect.id).limit(AT_ONCE)
        if not (rows := list(db.session.scalars(query))):
            return
        last = rows[-1].id
        yield from ((one.row.path, one.address, one.row.status) for one in shown(rows))


def _rows(file: BinaryIO) -> list[tuple[int, list[str]]]:
    """Return the lines that are not empty, with their numbers, without the header. Raises Invalid."""
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Invalid(Fault("#/file", "too_long", f"The file must have at most {MAX_BYTES / 1e6} MB."))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid(Fault("#/file", "bad_encoding", "The file must be text in UTF-8. Export it as CSV.")) from error
    reader = csv.reader(StringIO(text, newline=""), delimiter=_delimiter(text))
    rows: list[tuple[int, list[str]]] = []
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells) and not (not rows and cells[0].casefold() == COLUMNS[0]):
                rows.append((reader.line_num, cells))
            if len(rows) > MAX_ROWS:
                raise Invalid(Fault("#/file", "too_many", f"The file must have at most {MAX_ROWS:,} redirects."))
    except csv.Error as error:
        detail = f"Line {reader.line_num}: This is not a line of a CSV file."
        raise Invalid(Fault("#/file", "invalid", detail)) from error
    if not rows:
        raise Invalid(Fault("#/file", "empty", "There are no redirects in this file. Each line needs path, target."))
    return rows


def _delimiter(text: str) -> str:
    """Return what separates the cells: spreadsheets of some languages write semicolons."""
    first = text.lstrip().partition("\n")[0]
    return next((one for one in (",", ";", "\t") if one in first), ",")


def _checked(rows: list[tuple[int, list[str]]], public_url: str, faults: list[Fault]) -> list[_Line]:
    lines: list[_Line] = []
    seen: dict[str, int] = {}
    for number, cells in rows:
        path, target, status, *_ = [*cells, "", ""]
        try:
            fields = rules.checked(path, target, _status(status), public_url)
        except Invalid as error:
            faults.append(_fault(number, " ".join(fault.detail for fault in error.faults)))
            continue
        if fields.path in seen:
            faults.append(_fault(number, f"{fields.path} is also in line {seen[fields.path]}."))
        seen.setdefault(fields.path, number)
        lines.append(_Line(number, fields))
    return lines


def _status(text: str) -> int:
    return 301 if not text else int(text) if text.isdecimal() and len(text) < 4 else 0


def _store(lines: list[_Line], faults: list[Fault]) -> Outcome:
    """Store the redirects, inside the caller's transaction, or add why they can't be stored."""
    there: dict[str, Shown] = {}
    for some in batched(lines, AT_ONCE):
        there |= {one.row.path: one for one in shown(list(known(line.fields.path for line in some).values()))}
    targets = rules.stored_targets(line.fields.address for line in lines)
    new = [line for line in lines if line.fields.path not in there]
    changed = [line for line in lines if _is_change(line.fields, there.get(line.fields.path))]
    leads_to = {line.fields.path: targets[line.fields.address] for line in (*new, *changed)}
    numbers = {line.fields.path: line.number for line in lines}
    for chain in manage.chains_with(leads_to, leads_to.keys()):
        number = next(numbers[path] for path in chain if path in leads_to)
        faults.append(_fault(number, loops.in_words(chain)))
    if not faults:
        for line in new:
            manage.add(line.fields, leads_to[line.fields.path])
        for line in changed:
            manage.give(there[line.fields.path].row, line.fields, leads_to[line.fields.path])
        for paths in batched(leads_to, AT_ONCE):
            manage.note_changed(paths)
    return Outcome(len(new), len(changed), len(lines) - len(new) - len(changed))


def _is_change(fields: rules.Fields, stored: Shown | None) -> bool:
    return stored is not None and (fields.address, fields.status) != (stored.address, stored.row.status)


def _fault(number: int, detail: str) -> Fault:
    return Fault("#/file", "invalid", f"Line {number}: {detail}")
