"""What lies in a cell beside a submission: the only part of the course that is there.

    plain      plain data as JSON, for the pipe between a cell and the checker
    runner     runs the code of a submission and answers the checker's questions
    zygote     a Python that has imported, which locks its children in and lets them run
    lock       the system calls of that: namespaces, limits, rights given up
    stub       stands for `ppdm.course`: `begin`, and checks that say nothing

`ppdm.course.cell` copies these files into the cell's folder. They import nothing of the rest.
"""
