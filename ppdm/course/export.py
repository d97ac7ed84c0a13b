"""Points as learning platforms read them: `nbgrader export` with this plugin writes a row a student."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from nbgrader.plugins import ExportPlugin

from ppdm.files import replace_file
from ppdm.survey.sheets import harmless

#: The columns that Canvas asks for; the rest are assignments.
COLUMNS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]


class OneRowAStudent(ExportPlugin):
    """grades.csv: a row a student, a column an assignment."""

    def export(self, gradebook) -> None:
        """Write it to `--to`; students who handed nothing in have an empty place."""
        table = pd.DataFrame(columns=COLUMNS)
        table.loc["", "Student"] = "    Points Possible"  # sorts before every student
        for assignment in gradebook.assignments:
            if self.assignment and assignment.name not in self.assignment:
                continue
            table.loc["", assignment.name] = f"{assignment.max_score:g}"
            for done in gradebook.assignment_submissions(assignment.name):
                student, points = done.student.id, done.score - done.late_submission_penalty
                if not self.student or student in self.student:
                    table.loc[student, ["Student", "SIS Login ID"]] = student
                    table.loc[student, assignment.name] = f"{max(0.0, points)}"
        replace_file(Path(self.to or "grades.csv"), harmless(table.sort_index()))
