"""The book's configuration with the repository's address filled in, where there is one.

One setting names the repository: `GITHUB_REPOSITORY` (a workflow sets it), else the remote of the
git checkout when that is on GitHub, else nothing. Every link that needs it follows from it.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import yaml


def repository(root: Path) -> str | None:
    """The repository as `owner/name`, or None when nothing says where it is."""
    named = os.environ.get("GITHUB_REPOSITORY", "").strip()
    if named:
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", named):
            raise ValueError(f"GITHUB_REPOSITORY must read owner/name, not {named!r}.")
        return named
    try:
        git = ["git", "-C", str(root), "remote", "get-url", "origin"]
        done = subprocess.run(git, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return github_name(done.stdout)


def github_name(address: str) -> str | None:
    """The `owner/name` in the address of a GitHub remote.

    >>> github_name("git@github.com:ada/survey.git"), github_name("https://github.com/ada/survey")
    ('ada/survey', 'ada/survey')
    >>> github_name("https://example.org/ada/survey.git")
    """
    pattern = (
        r"(?:https://(?:[^@/]+@)?|ssh://git@|git@)github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?"
    )
    found = re.fullmatch(pattern, address.strip())
    return found[1] if found else None


def pages_address(name: str) -> str:
    """Where GitHub Pages shows a repository; it ends in a slash.

    >>> pages_address("ada/survey"), pages_address("ada/ada.github.io")
    ('https://ada.github.io/survey/', 'https://ada.github.io/')
    """
    owner, _, project = name.partition("/")
    host = f"https://{owner.lower()}.github.io/"
    return host if project.lower() == f"{owner.lower()}.github.io" else f"{host}{project}/"


def staged_config(root: Path) -> dict:
    """`_config.yml` for the staged tree: the notebooks have been executed, the links are known."""
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    config["execute"] = {"execute_notebooks": "off"}
    sphinx = config["sphinx"]["config"]
    # Sphinx takes this for the place of the pages; the extension refuses a build without it.
    sphinx["ppdm_staged"] = True
    name = repository(root)
    sphinx["ppdm_repository"] = name or ""
    html = config.setdefault("html", {})
    if name is None:
        config["repository"] = {"url": ""}
        return config
    config["repository"] = {"url": f"https://github.com/{name}", "branch": "main"}
    html["baseurl"] = pages_address(name)
    for button in ("use_repository_button", "use_edit_page_button", "use_issues_button"):
        html[button] = True
    config["launch_buttons"] = {
        "notebook_interface": "jupyterlab",
        "binderhub_url": "https://mybinder.org",
        "colab_url": "https://colab.research.google.com",
    }
    return config
