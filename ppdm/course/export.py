"""Points as learning platforms read them: `nbgrader export` with this plugin writes a row a student."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from nbgrader.plugins import ExportPlugin

from ppdm.files import replace_file


class OneRowAStudent(ExportPlugin):
    """grades.csv: the columns that Canvas asks for, then one for each assignment."""

    def export(self, gradebook) -> None:
        """Write it to `--to`; students who handed nothing in have an empty place."""
        names = [
            a.name
            for a in gradebook.assignments
            if not self.assignment or a.name in self.assignment
        ]
        points = {(s.student.id, s.assignment.name): max(0.0, s.score - s.late_submission_penalty)
                  for name in names for s in gradebook.assignment_submissions(name)}  # fmt: skip
        most = {a.name: a.max_score for a in gradebook.assignments}
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *names])
        table.writerow(
            ["    Points Possible", "", "", "", "", *(f"{most[name]:g}" for name in names)]
        )
        for student in sorted({student for student, _ in points}):
            if self.student and student not in self.student:
                continue
            own = [points.get((student, name), "") for name in names]
            table.writerow([harmless(student), "", "", harmless(student), "", *own])
        replace_file(Path(self.to or "grades.csv"), text.getvalue().encode())


def harmless(text: str) -> str:
    """Text that no spreadsheet takes for a formula.

    >>> harmless("=1+1"), harmless("ada")
    ("'=1+1", 'ada')
    """
    return f"'{text}" if text[:1] in tuple("=+-@＝＋－＠\t") else text
