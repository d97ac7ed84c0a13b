"""The course: five assignments that grade themselves.

    assignments  which there are
    personal     what the assignments begin with: a student's own data, drawn from her id
    tell         what the checks share: calling an answer safely, naming a classic mistake
    primer, surveys, groups, distortion, matrices
                 one assignment each: its personal data, and the checks of its tasks
    guard        keeps what would answer a task from being imported
    build        student versions, made from the notebooks with the solutions
    grade        a folder of submissions to points
    feedback     one page a student
    slides       the figures of the book, one a screen
    run          one submission in a kernel of its own
    cli          `ppdm course`

The notebooks with the solutions are in `notebooks/assignments`, in nbgrader's format. The checks
bring their own reference arithmetic, inside the functions, so that no answer can be imported.
"""

from ppdm.course.personal import begin

__all__ = ["begin"]
