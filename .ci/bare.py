"""The README's commands as a newcomer types them, where there is Python, make and git, and nothing else.

    python3 .ci/bare.py            `make test`, `make quick`, a newcomer's first steps, then the wheel alone
    python3 .ci/bare.py book       instead of `make quick` the whole book, twice
    python3 .ci/bare.py shell      looks around there

As root (or with sudo) it makes a bare root of this machine's own Debian or Ubuntu: no browser, no node,
no Java, no compiler, no bubblewrap. The commands run there as a user who is not root and cannot write
to her HOME, in a folder whose name has a space and a letter that is not ASCII. Where there is no root,
they see a PATH of links to the same tools instead, and the output says so.
"""

from __future__ import annotations

import configparser
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
PACKAGES = "python3,python3-venv,make,git,ca-certificates"
FOLDER = "srv/ein Ort für Bücher/ppdm"
USER = 1000
HOME = Path(os.environ.get("HOME", "/"))

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
plain/bin/python -c 'from ppdm.cli import COMMANDS; print(*COMMANDS, sep="\n")' > commands
while read -r command; do
    plain/bin/ppdm $command --help >/dev/null || { echo "no help: ppdm $command"; exit 1; }
done < commands
sed -n '/^```python$/,/^```$/p' README.md | sed '/^```/d' > readme.py
cat >> readme.py <<'END'
import numpy as np
import pandas as pd
answers = pd.DataFrame({"smokes": ["no", "yes"] * 500, "age": ["young", "old"] * 500})
scheme.disguise(answers, np.random.default_rng(2)).to_csv("reports.csv", index=False)
END
plain/bin/python readme.py
plain/bin/ppdm estimate reports.csv --scheme scheme.json
for command in "course build" "book" "book check"; do
    plain/bin/ppdm $command 2>said && { echo "ppdm $command worked in a plain install"; exit 1; }
    grep -q 'install ppdm with its extra `' said && [ "$(wc -l <said)" = 1 ] || { cat said; exit 1; }
done
echo "the wheel alone: every command shows its help, the README's examples and ppdm estimate run"
cd /
rm -rf "$scratch"
"""

#: The first five minutes of each who comes: to read, to rerun with other parameters, to teach, to ask people.
NEWCOMER = r"""
here=$PWD
test -s _build/quick/html/book/intro.html
.venv/bin/ppdm run 01 -p profile quick -p seed 7
.venv/bin/ppdm course build --out _build/course
scratch=$(mktemp -d)
cd "$scratch"
"$here"/.venv/bin/ppdm survey new survey.yml >/dev/null
"$here"/.venv/bin/ppdm survey form survey.yml --contact "The school's office"
"$here"/.venv/bin/python - <<'END'
import numpy as np
import pandas as pd
from ppdm import Survey, chance, scheme_of
survey = Survey.load("survey.yml")
rng = np.random.default_rng(1)
people = pd.DataFrame({name: [levels[i] for i in rng.integers(len(levels), size=2000)]
                       for name, levels in survey.attributes.items()})
scheme_of(survey).disguise(people, chance.system()).to_csv("reports.csv", index=False)
END
"$here"/.venv/bin/ppdm survey estimate survey.yml reports.csv --out estimate
cd "$here"
rm -rf "$scratch"
echo "a newcomer can read, rerun, teach and ask people"
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
    return f"set -e\nmake test\n{BOOK if what == 'book' else 'make quick' + NEWCOMER}\n{CLEAN}\n{PLAIN}"


def main(what: str = "quick") -> int:
    """Run it in the barest place that can be had here; the exit code is that of the commands."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was made is removed
    with tempfile.TemporaryDirectory(prefix="ppdm-bare-", ignore_cleanup_errors=True) as folder:
        os.environ["HOME"] = folder  # git trusts this checkout, whoever owns it
        Path(folder, ".gitconfig").write_text("[safe]\n\tdirectory = *\n")
        status = ["git", "status", "--porcelain"]
        dirty = subprocess.check_output(status, cwd=HERE, text=True)
        if dirty:
            print("not committed, and so not there:", dirty, sep="\n")
        subprocess.run(["git", "clone", "--quiet", "--bare", HERE, f"{folder}/clone"], check=True)
        root_of, sources = as_root(), sources_of_packages()
        if root_of is None or not sources or not can_make_roots(root_of):
            return in_path_of_links(Path(folder), commands(what))
        root = Path(folder, "root")
        try:
            return in_bare_root(root_of, root, sources, commands(what))
        finally:
            subprocess.run([*root_of, "rm", "-rf", "--one-file-system", root], check=False)


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


def sources_of_packages() -> tuple[str, Path] | None:
    """The name of this machine's Debian or Ubuntu, and the file that says where its packages are."""
    release = dict(
        line.split("=", 1)
        for line in Path("/etc/os-release").read_text().splitlines()
        if "=" in line
    )
    release = {name: value.strip('"') for name, value in release.items()}
    names = (f"sources.list.d/{release.get('ID')}.sources", "sources.list")
    files = [path for path in (Path("/etc/apt", name) for name in names) if path.is_file()]
    return (release["VERSION_CODENAME"], files[0]) if files else None


def can_make_roots(root_of: list[str]) -> bool:
    """Whether bare roots can be made and entered here; mmdebstrap is installed if need be."""
    enter = [*root_of, "unshare", "--mount", "--pid", "--fork", "true"]
    if subprocess.run(enter, check=False, capture_output=True).returncode:
        return False  # root of a container that may not mount
    if not shutil.which("mmdebstrap") and shutil.which("apt-get"):
        for job in (["update", "-qq"], ["install", "-qq", "--no-install-recommends", "mmdebstrap"]):
            subprocess.run([*root_of, "apt-get", *job], check=False, stdout=subprocess.DEVNULL)
    return bool(shutil.which("mmdebstrap"))


def in_bare_root(root_of: list[str], root: Path, sources: tuple[str, Path], script: str) -> int:
    """Make a root with Python, make and git; clone the project into it; run the script there."""
    release, packages = sources
    print(f"a bare root of {release} with {PACKAGES}", flush=True)
    bootstrap = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={PACKAGES}"]
    subprocess.run([*root_of, *bootstrap, release, root, packages], check=True)
    settings, places = of_pip()
    folder = shlex.quote(f"{root}/{FOLDER}")
    setup = f"""
set -e
mount --make-rprivate /
mkdir -p {folder} {root}/var/newcomer
git clone --quiet --no-hardlinks {root.parent}/clone {folder}
chown -R {USER}:{USER} {root}/srv
echo 'newcomer:x:{USER}:{USER}::/var/newcomer:/bin/bash' >> {root}/etc/passwd
cat /etc/resolv.conf > {root}/etc/resolv.conf
mount -t proc proc {root}/proc
mount --rbind /dev {root}/dev
{chr(10).join(mounted(place, root) for place in places)}
chroot --userspec={USER}:{USER} {root} env -i "$@" || exit
"""
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/var/newcomer", **settings}
    words = [f"{name}={value}" for name, value in environment.items()]
    begin = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", setup, "bare"]
    inner = ["bash", "-c", f"cd {shlex.quote('/' + FOLDER)}\n{script}"]
    job = subprocess.Popen([*root_of, *begin, *words, *inner])
    try:
        return job.wait()
    finally:
        end(job, root_of, root)


def end(job: subprocess.Popen, root_of: list[str], root: Path) -> None:
    """End what runs in the root, if it still does. Unshare heeds no gentler signal; with it dies its
    bash, the first process there (root's own: who changes her user outlives unshare), and so all."""
    if job.poll() is None:
        if root_of:  # sudo's children are not ours to end; their command names the root
            subprocess.run([*root_of, "pkill", "-KILL", "-f", str(root)], check=False)
        else:
            job.kill()
        job.wait()


def mounted(place: Path, root: Path) -> str:
    """The command that shows a file or folder of this machine at the same place in the root."""
    target = shlex.quote(f"{root}{place}")
    if place.is_dir():
        make = f"mkdir -p {target}"
    else:
        make = f"mkdir -p {shlex.quote(f'{root}{place.parent}')} && touch {target}"
    return f"{make} && mount -o bind,ro {shlex.quote(str(place.resolve()))} {target}"


def of_pip() -> tuple[dict[str, str], list[Path]]:
    """How pip reaches its index on this machine, as environment, and the files that it reads there."""
    known = configparser.ConfigParser(interpolation=None)
    known.read(
        [
            "/etc/xdg/pip/pip.conf",
            "/etc/pip.conf",
            HOME / ".pip" / "pip.conf",
            HOME / ".config" / "pip" / "pip.conf",
            os.environ.get("PIP_CONFIG_FILE", os.devnull),
        ]
    )
    settings = {
        f"PIP_{name.upper().replace('-', '_')}": " ".join(value.split())
        for section in ("global", "download", "install")
        if known.has_section(section)
        for name, value in known.items(section)
    }
    wanted = re.compile(r"PIP_\w+|SSL_CERT_\w+|REQUESTS_CA_BUNDLE|(?i:https?|no)_proxy")
    settings |= {name: value for name, value in os.environ.items() if wanted.fullmatch(name)}
    settings.pop("PIP_CONFIG_FILE", None)
    words = " ".join(settings.values()).split()
    named = [
        Path(word.removeprefix("file://")) for word in words if word.startswith(("/", "file:///"))
    ]
    # an index points to files beside it
    named = [path.parent if path.name == "simple" else path for path in named]
    return settings, sorted({path for path in named if path.exists()})


def in_path_of_links(folder: Path, script: str) -> int:
    """Second best: the commands see links to Python, make, git and what every Debian has, by their names."""
    print(
        "NO BARE ROOT HERE; the second best: links to Python, make, git and what every Debian has"
    )
    if os.geteuid() == 0:
        print("As root, who can write everywhere: a HOME that cannot be written is not tried.")
    sys.stdout.flush()
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
    subprocess.run(
        ["git", "clone", "--quiet", "--no-hardlinks", folder / "clone", clone], check=True
    )
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
