"""The course: six assignments that grade themselves.

    assignments  which there are
    personal     what the assignments begin with: a student's own data, drawn from her id
    guard        keeps what would answer a task from being imported
    tell         what the checks share: calling an answer safely, naming a classic mistake
    primer, surveys, groups, distortion, matrices, guesses
                 one assignment each: its personal data, and the checks of its tasks
    build        student versions, made from the notebooks with the solutions; a folder for nbgrader
    submissions  what was handed in, looked at before it is opened
    wall         a sandbox for the code of one submission, and questions to it
    inside       what lies behind the wall in this package's place
    checker      one submission to a graded notebook, in a process with bounds
    grade        a class to nbgrader's gradebook
    export       points as learning platforms read them
    slides       the figures of the book, one a screen
    cli          `ppdm course`

The notebooks with the solutions are in `notebooks/assignments`, in nbgrader's format. The checks
bring their own reference arithmetic; behind the wall, where answers are graded, they cannot be imported.
"""

from ppdm.course.personal import begin

__all__ = ["begin"]
