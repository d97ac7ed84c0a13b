"""[Huang & Du] The best randomizing matrix for a prior: objectives, search, descent, frontier."""
