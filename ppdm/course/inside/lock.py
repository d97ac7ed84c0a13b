"""How a process locks itself in: namespaces, limits, an unprivileged user, forbidden calls.

Linux only, and nothing here is imported but by the zygote of a sealed cell.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct

NEWNS, NEWUTS, NEWIPC, NEWPID, NEWNET = 0x20000, 0x4000000, 0x8000000, 0x20000000, 0x40000000
ALL_NEW = 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000
READ_ONLY, NO_SETUID, NO_DEVICES, BIND = 1, 2, 4, 4096
NO_NEW_PRIVILEGES, SECCOMP, BOUNDING_DROP, AMBIENT = 38, 22, 24, 47
SUBREAPER, DEATH_SIGNAL = 36, 1

#: System calls a submission has no use for, by their numbers on x86-64 and on ARM64. They make
#: rooms within the room, look into other processes, or take memory that no limit counts.
FORBIDDEN = {
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "shmget": (29, 194), "msgget": (68, 186), "mq_open": (240, 180),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "open_by_handle_at": (304, 265),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsmount": (432, 432), "mount_setattr": (442, 442), "quotactl": (179, 60),
    "swapon": (167, 224), "reboot": (169, 142), "kexec_load": (246, 104),
    "init_module": (175, 105), "finit_module": (313, 273), "syslog": (103, 116),
}  # fmt: skip
MACHINES = {"x86_64": (0, 0xC000003E, 56), "aarch64": (1, 0xC00000B7, 220)}
CLONE3 = 435


def call(name: str, *args) -> int:
    """A function of the C library; an OSError where it fails."""
    result = getattr(ctypes.CDLL(None, use_errno=True), name)(*args)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def prctl(what: int, *args: int) -> None:
    """prctl(2)."""
    filled = [ctypes.c_ulong(value) for value in (*args, 0, 0, 0, 0)[:4]]
    call("prctl", ctypes.c_int(what), *filled)


def mount(kind: str, target: str, flags: int, options: str = "", source: str = "none") -> None:
    """mount(2)."""
    texts = [text.encode() for text in (source, target, kind)]
    call("mount", *texts, ctypes.c_ulong(flags), options.encode())


def own_rooms() -> None:
    """Process numbers, mounts, network, messages and host name of one's own."""
    call("unshare", NEWNS | NEWPID | NEWIPC | NEWNET | NEWUTS)


def furnish(user: int, size: int) -> None:
    """A scratch folder of `size` bytes, and no /proc: it tells of the machine."""
    flags = NO_SETUID | NO_DEVICES
    mount("tmpfs", "/tmp", flags, f"size={size},nr_inodes=5000,mode=0700,uid={user},gid={user}")
    os.mkdir("/tmp/shm")
    os.mkdir("/tmp/home")
    for name in ("/tmp/shm", "/tmp/home"):
        os.chown(name, user, user)
    mount("none", "/dev/shm", BIND, source="/tmp/shm")
    mount("tmpfs", "/proc", flags | READ_ONLY, "size=4096")
    os.chdir("/tmp/home")


def limit(limits: dict) -> None:
    """Memory, processes, sizes of files and their number: for this process and its children."""
    import resource  # which Windows has not

    wanted = {
        resource.RLIMIT_DATA: limits["memory"], resource.RLIMIT_NPROC: limits["threads"],
        resource.RLIMIT_FSIZE: limits["scratch"], resource.RLIMIT_NOFILE: 256,
        resource.RLIMIT_CORE: 0, resource.RLIMIT_MSGQUEUE: 0, resource.RLIMIT_MEMLOCK: 1 << 20,
    }  # fmt: skip
    for what, most in wanted.items():
        resource.setrlimit(what, (most, most))


def give_up_rights(user: int) -> None:
    """Be `user`, without a capability, now and whatever is executed."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(user, user, user)
        for capability in range(64):
            try:
                prctl(BOUNDING_DROP, capability)
            except OSError:
                break
        os.setresuid(user, user, user)
    else:
        for capability in range(64):
            try:
                prctl(BOUNDING_DROP, capability)
            except OSError:
                break
    prctl(AMBIENT, 4)
    header = ctypes.create_string_buffer(struct.pack("Ii", 0x20080522, 0))
    call("capset", header, ctypes.create_string_buffer(24))
    prctl(NO_NEW_PRIVILEGES, 1)


def forbid() -> bool:
    """Refuse the calls in FORBIDDEN from now on; False on a machine whose numbers are unknown."""
    if platform.machine() not in MACHINES:
        return False
    column, architecture, clone = MACHINES[platform.machine()]
    program = _program([numbers[column] for numbers in FORBIDDEN.values()], architecture, clone)
    text = ctypes.create_string_buffer(program)
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(text))
    buffer = ctypes.create_string_buffer(header)
    prctl(SECCOMP, 2, ctypes.addressof(buffer))
    return True


def _program(numbers: list[int], architecture: int, clone: int) -> bytes:
    """A filter for seccomp: jump to `refuse` for a forbidden number, else allow."""
    load, equal, at_least, some, answer = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, refuse, not_there = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38
    steps: list[tuple[int, int, tuple[str | None, str | None] | None]]
    steps = [(load, 4, None), (equal, architecture, (None, "refuse")), (load, 0, None),
             (at_least, 0x40000000, ("refuse", None))]  # fmt: skip
    steps += [(equal, number, ("refuse", None)) for number in numbers]
    steps += [(equal, CLONE3, ("not there", None)), (equal, clone, (None, "allow")),
              (load, 16, None), (some, ALL_NEW, ("refuse", "allow"))]  # fmt: skip
    places = {"allow": len(steps), "refuse": len(steps) + 1, "not there": len(steps) + 2}
    code = []
    for here, (what, value, jumps) in enumerate(steps):
        yes, no = (0 if name is None else places[name] - here - 1 for name in jumps or (None, None))
        code.append(struct.pack("HBBI", what, yes, no, value))
    code += [struct.pack("HBBI", answer, 0, 0, value) for value in (allow, refuse, not_there)]
    return b"".join(code)
