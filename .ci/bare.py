"""The README's commands as a newcomer types them, where there is Python, make and git, and nothing else.

    python3 .ci/bare.py            `make test`, `make quick`, then the wheel in an environment of its own
    python3 .ci/bare.py book       instead of `make quick` the whole book, twice
    python3 .ci/bare.py shell      looks around there

As root (or with sudo) it makes a bare root of this machine's own Debian or Ubuntu: no browser, no node,
no Java, no compiler, no bubblewrap. The commands run there as a user who is not root and cannot write
to her HOME, in a folder whose name has a space and a letter that is not ASCII. Where there is no root,
they see a PATH of links to the same tools instead, and the output says so.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
PACKAGES = "python3,python3-venv,make,git,ca-certificates"
FOLDER = "srv/ein Ort für Bücher/ppdm"
USER = 1000

PLAIN = r"""
set -eu
scratch=$(mktemp -d)
.venv/bin/python -m pip wheel --quiet --no-index --no-deps --no-build-isolation -w "$scratch" .
sed -E 's/ *\\$//; /^ *--hash/d' requirements.lock > "$scratch/constraints.txt"
cp README.md "$scratch"
cd "$scratch"
python3 -m venv plain
plain/bin/pip install --quiet --disable-pip-version-check -c constraints.txt ppdm-*.whl
du -sh plain | sed 's/\s.*/ is what a plain install takes/'
for command in $(plain/bin/ppdm --help | sed -nE 's/^  ([a-z]+) .*/\1/p'); do
    plain/bin/ppdm "$command" --help >/dev/null || { echo "no help: ppdm $command"; exit 1; }
done
sed -n '/^```python$/,/^```$/p' README.md | sed '/^```/d' > readme.py
cat >> readme.py <<'END'
import pandas as pd
answers = pd.DataFrame({"smokes": ["no", "yes"] * 500, "age": ["young", "old"] * 500})
scheme.disguise(answers, np.random.default_rng(2)).to_csv("reports.csv", index=False)
END
plain/bin/python readme.py
plain/bin/ppdm estimate reports.csv --scheme scheme.json
for command in "course build" "book" "check"; do
    plain/bin/ppdm $command 2>said && { echo "ppdm $command worked in a plain install"; exit 1; }
    grep -q 'install ppdm with its extra `' said && [ "$(wc -l <said)" = 1 ] || { cat said; exit 1; }
done
echo "the wheel alone: every command shows its help, the README's examples and ppdm estimate run"
cd /
rm -rf "$scratch"
"""

CLEAN = '[ -z "$(git status --porcelain)" ] || { git status --short; exit 1; }'
BOOK = """
make book
begin=$(date +%s)
make book
[ $(($(date +%s) - begin)) -lt 30 ] || { echo "the second make book took longer than 30 s"; exit 1; }
"""


def commands(what: str) -> str:
    """What a newcomer types."""
    if what == "shell":
        return "bash -i"
    return f"set -e\nmake test\n{BOOK if what == 'book' else 'make quick'}\n{CLEAN}\n{PLAIN}"


def main(what: str = "quick") -> int:
    """Run it in the barest place that can be had here; the exit code is that of the commands."""
    dirty = subprocess.check_output(["git", "status", "--porcelain"], cwd=HERE, text=True)
    if dirty:
        print("not committed, and so not there:", dirty, sep="\n")
    root_of = as_root()
    with tempfile.TemporaryDirectory(prefix="ppdm-bare-", ignore_cleanup_errors=True) as folder:
        if root_of is None or not has_mmdebstrap(root_of):
            return in_path_of_links(Path(folder), commands(what))
        try:
            return in_bare_root(root_of, Path(folder) / "root", commands(what))
        finally:
            subprocess.run(
                [*root_of, "rm", "-rf", "--one-file-system", f"{folder}/root"], check=False
            )


def as_root() -> list[str] | None:
    """What goes before a command that root must run; None where nobody may."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if (
        not sudo
        or subprocess.run([sudo, "-n", "true"], check=False, capture_output=True).returncode
    ):
        return None
    return [sudo, "-n"]


def has_mmdebstrap(root_of: list[str]) -> bool:
    """Whether bare roots can be made here; it is installed if need be."""
    if not shutil.which("mmdebstrap") and shutil.which("apt-get"):
        for job in (["update", "-qq"], ["install", "-qq", "--no-install-recommends", "mmdebstrap"]):
            subprocess.run([*root_of, "apt-get", *job], check=False, stdout=subprocess.DEVNULL)
    return bool(shutil.which("mmdebstrap"))


def in_bare_root(root_of: list[str], root: Path, script: str) -> int:
    """Make a root with Python, make and git; clone the project into it; run the script there."""
    release = dict(
        re.findall(r'^(\w+)="?([^"\n]*)', Path("/etc/os-release").read_text(), re.MULTILINE)
    )
    names = (f"sources.list.d/{release['ID']}.sources", "sources.list")
    sources = next(path for path in (Path("/etc/apt", name) for name in names) if path.is_file())
    print(f"a bare {release['PRETTY_NAME']} with {PACKAGES}", flush=True)
    bootstrap = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={PACKAGES}"]
    subprocess.run([*root_of, *bootstrap, release["VERSION_CODENAME"], root, sources], check=True)
    settings, folders = of_pip()
    mounts = [
        f"mount --bind {shlex.quote(folder)} {shlex.quote(f'{root}{folder}')}" for folder in folders
    ]
    inside = shlex.quote(f"{root}/{FOLDER}")
    setup = f"""
set -e
mount --make-rprivate /
mkdir -p {shlex.quote(f"{root}/{Path(FOLDER).parent}")} {root}/var/newcomer
git -c safe.directory='*' clone --quiet --no-hardlinks {shlex.quote(str(HERE))} {inside}
chown -R {USER}:{USER} {root}/srv
echo 'newcomer:x:{USER}:{USER}::/var/newcomer:/bin/bash' >> {root}/etc/passwd
cat /etc/resolv.conf > {root}/etc/resolv.conf
mount -t proc proc {root}/proc
mount --rbind /dev {root}/dev
mkdir -p {" ".join(shlex.quote(f"{root}{folder}") for folder in folders)}
{chr(10).join(mounts)}
exec chroot --userspec={USER}:{USER} {root} env -i "$@"
"""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/var/newcomer",
        **settings,
    }
    words = [f"{name}={value}" for name, value in environment.items()]
    begin = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", setup, "bare"]
    inner = ["bash", "-c", f"cd {shlex.quote('/' + FOLDER)}\n{script}"]
    return subprocess.run([*root_of, *begin, *words, *inner], check=False).returncode


def of_pip() -> tuple[dict[str, str], list[str]]:
    """How pip reaches its index on this machine, as environment, and the folders that it names."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False
    ).stdout
    settings = {
        f"PIP_{name.upper().replace('-', '_')}": value
        for section, name, value in re.findall(r"^(\S+?)\.([\w-]+)='(.*)'$", listed, re.MULTILINE)
        if section in ("global", "install", "download")
    }
    wanted = re.compile(r"PIP_\w+|SSL_CERT_\w+|REQUESTS_CA_BUNDLE|(?i:https?|no)_proxy")
    settings |= {name: value for name, value in os.environ.items() if wanted.fullmatch(name)}
    settings.pop("PIP_CONFIG_FILE", None)
    named = {
        Path(word.removeprefix("file://")).resolve()
        for value in settings.values()
        for word in value.split()
        if word.startswith(("/", "file:///"))
    }
    folders = {path if path.is_dir() else path.parent for path in named if path.exists()}
    # an index points to files beside it
    folders = {str(path.parent if path.name == "simple" else path) for path in folders}
    return settings, sorted(folders)


def in_path_of_links(folder: Path, script: str) -> int:
    """Second best: the commands see links to Python, make, git and what every Debian has, by their names."""
    print(
        "NO BARE ROOT HERE (no root, or no mmdebstrap): a PATH of links to Python, make and git",
        flush=True,
    )
    tools = folder / "bin"
    tools.mkdir()
    (tools / "python3").symlink_to(os.path.realpath(sys._base_executable))
    for program in sorted({*essential(), "make", "git"} - {"python3"}):
        place = shutil.which(program)
        if place:
            (tools / program).symlink_to(os.path.realpath(place))
    home = folder / "home"
    home.mkdir(mode=0o555)
    clone = folder / FOLDER
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", HERE, clone], check=True)
    settings, _ = of_pip()
    environment = {**settings, "PATH": str(tools), "HOME": str(home)}
    return subprocess.run(
        ["bash", "-c", script], cwd=clone, env=environment, check=False
    ).returncode


def essential() -> list[str]:
    """The programs of the packages without which no Debian or Ubuntu is."""
    query = ["dpkg-query", "-Wf", "${Essential} ${Package}\n"]
    listed = subprocess.run(query, capture_output=True, text=True, check=True).stdout
    packages = re.findall(r"^yes (\S+)", listed, re.MULTILINE)
    files = subprocess.run(["dpkg", "-L", *packages], capture_output=True, text=True, check=False)
    return re.findall(r"/s?bin/([^/\s]+)$", files.stdout, re.MULTILINE)


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["book"], ["shell"]):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
