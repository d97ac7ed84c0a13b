"""Trees side by side."""

from ppdm.learn import ID3


def draw_trees(models: dict[str, ID3], max_depth: int = 3):
    """Trees one below the other, each with its name."""
    import matplotlib

    from ppdm import plot

    with matplotlib.rc_context(plot.STYLE):
        figure = plot.Figure(figsize=(6.4, 3.4 * len(models)), layout="constrained")
        axes = figure.subplots(len(models), squeeze=False)[:, 0]
        for ax, (name, model) in zip(axes, models.items(), strict=True):
            model.plot(ax, max_depth)
            ax.set_title(name)
    leaves = ", ".join(f"{name} {model.tree_.n_leaves}" for name, model in models.items())
    roots = {name: m.domain_.names[m.tree_.attribute[0]] for name, m in models.items()}
    figure.caption = (
        f"Trees grown on the same records: {', '.join(models)}. A box shows the attribute that is "
        "asked and the (estimated) number of records; a leaf shows the class.")  # fmt: skip
    figure.alt = f"Decision trees. Leaves: {leaves}. First question: " + ", ".join(
        f"{root} ({name})" for name, root in roots.items()) + "."  # fmt: skip
    return figure
