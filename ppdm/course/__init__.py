"""The course: six assignments that grade themselves.

    assignments  which there are
    personal     what the assignments begin with: a student's own data, drawn from her id
    cell         where a submission runs, sealed with bubblewrap
    guard        keeps what would answer a task from being imported, there and at home
    tell         what the checks share: calling an answer safely, naming a classic mistake
    primer, surveys, groups, distortion, matrices, guesses
                 one assignment each: its personal data, and the checks of its tasks
    build        student versions, made from the notebooks with the solutions
    grade        a folder of submissions to points
    mark         one submission to points
    handin       what was handed in, looked at before it is opened
    inside       what lies in a cell
    examine      one submission: its code in a cell, the tests outside
    pool         several checkers at work
    account      the points: who got what, for which version of an answer
    tables       CSV files as spreadsheets write them, and safe for those to open
    feedback     one page a student
    attack       a class of hostile submissions, to see what holds
    slides       the figures of the book, one a screen
    cli          `ppdm course`

The notebooks with the solutions are in `notebooks/assignments`, in nbgrader's format. The checks
bring their own reference arithmetic, inside the functions, so that no answer can be imported.
"""

from ppdm.course.personal import begin

__all__ = ["begin"]
