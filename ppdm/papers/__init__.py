"""The papers' experiments, as functions of one grid point: what `ppdm.study.run` calls."""
