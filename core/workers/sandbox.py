"""Takes from the calling process what an engine does not need: the network, the person's files, other programs.

``enter_sandbox`` is called in a child before a library of an engine is loaded and before it sees a document; it cannot
be taken back. On Linux two parts of the kernel do the work, through system calls that need no rights and no program:

- Landlock, for files: what is not named cannot be opened, and nothing can be written, made, renamed or deleted;
- a seccomp filter, for everything else: no sockets, no new processes, no tracing, no mounts, no changes of modes and
  owners. It is a list of what is refused, so that a library that is newer than this list goes on working.

Nothing here raises: what is not in force is said in the Sandbox that comes back. Reading, not failing, comes first;
limits of time and memory, and a process of its own, hold everywhere.

Numbers of system calls and structures: Linux, include/uapi/linux/{landlock,seccomp,filter,audit}.h and the tables
of x86-64 and asm-generic (AArch64).
"""

from __future__ import annotations

import contextlib
import os
import platform
import struct
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The limits set to a child.

    That is: reach a network; open files that it does not need, or write any; start or touch other programs; take more
    memory than it was given. ``detail`` says by what means, and what is missing and why.
    """

    network: bool = False
    files: bool = False
    programs: bool = False
    memory: bool = False
    detail: str = ""

    @property
    def cannot(self) -> tuple[str, ...]:
        """Return what it cannot do, in words."""
        parts = (
            (self.network, "reach a network"),
            (self.files, "open your files, or write any"),
            (self.programs, "start or touch programs"),
            (self.memory, "take more memory than its limit"),
        )
        return tuple(words for holds, words in parts if holds)


def enter_sandbox(readable: Iterable[str] = (), *, files: bool = True, memory: int = 0) -> Sandbox:
    """Confine this process for good. ``readable``: files and folders it needs besides libraries and fonts.

    ``memory`` is the limit that was set before, in bytes of address space; 0 for none. Call it while there is one
    thread only: Landlock holds for the thread that asks and for those it starts.
    """
    limit = f"{memory / (1 << 30):.0f} GB of memory at most" if memory else "no limit of memory"
    if sys.platform != "linux":
        where = {"win32": "Windows", "darwin": "macOS"}.get(sys.platform, sys.platform)
        return Sandbox(
            memory=bool(memory) and os.name == "posix",
            detail=f"not confined beyond limits: on {where} the program does not use what the system offers for it",
        )
    parts = [limit]
    try:
        import ctypes

        kernel = _Kernel(ctypes)
        kernel.no_new_rights()
        landlock = _no_files(kernel, readable) if files else "files are not isolated: libraries did not load that way"
        seccomp = _no_calls(kernel)
    except Exception as error:  # nothing here may keep a document from being read
        return Sandbox(memory=bool(memory), detail=f"not confined beyond limits: {type(error).__name__}")
    parts.append(landlock or f"files by Landlock {kernel.abi}")
    parts.append(seccomp or "network and programs by seccomp")
    if not landlock:
        tempfile.tempdir = "/nowhere"  # torch asks for the folder, and fails where none is found
    return Sandbox(
        network=not seccomp, files=not landlock, programs=not seccomp, memory=bool(memory), detail="; ".join(parts)
    )


def available() -> tuple[bool, bool]:
    """Return whether this system can keep a child from files, and from the network and programs. Nothing is changed."""
    if sys.platform != "linux" or not _knows_calls():
        return False, False
    import ctypes

    kernel = _Kernel(ctypes)

    def answers(*call: int | bytes | None) -> bool:
        try:
            return kernel.call(*call) >= 0  # type: ignore[arg-type]
        except OSError:
            return False

    refusal = struct.pack("I", _ERRNO)
    filters = answers(_ARCHITECTURES[platform.machine()].seccomp, _SECCOMP_GET_ACTION_AVAIL, 0, refusal)
    return answers(_CREATE_RULESET, None, 0, 1), filters


class _Kernel:
    """System calls by number."""

    def __init__(self, ctypes: Any) -> None:
        self._ctypes = ctypes
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.syscall.restype = ctypes.c_long
        self.abi = 0

    def call(self, number: int, *arguments: int | bytes | None) -> int:
        """Return the result of a system call; OSError where the kernel refuses."""
        c = self._ctypes
        values = [c.c_char_p(a) if isinstance(a, bytes) else c.c_void_p(a) for a in arguments]
        result = int(self._libc.syscall(c.c_long(number), *values))
        if result < 0:
            error = c.get_errno()
            raise OSError(error, os.strerror(error))
        return result

    def no_new_rights(self) -> None:
        """Renounce new rights for good, which a filter requires."""
        if self._libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
            raise OSError(self._ctypes.get_errno(), "prctl")

    def install(self, program: bytes) -> None:
        """Install a seccomp filter for all threads of this process."""
        c = self._ctypes
        buffer = c.create_string_buffer(program, len(program))
        head = struct.pack("HxxxxxxP", len(program) // 8, c.addressof(buffer))
        self.call(_ARCHITECTURES[platform.machine()].seccomp, _SECCOMP_SET_MODE_FILTER, _TSYNC, head)


# --- files -----------------------------------------------------------------------------------------------------------

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
# How many of the rights to files each version of Landlock knows, from the first on.
_RIGHTS_BY_VERSION = (13, 14, 15, 15, 16)
_NET = 0b11  # to bind and to connect TCP, since version 4
_SCOPES = 0b11  # abstract Unix sockets and signals, since version 6

# Where libraries, fonts and what the system tells of itself lie. None of it is the person's.
_SYSTEM = (
    "/usr", "/lib", "/lib32", "/lib64", "/nix/store",
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/fonts", "/etc/localtime", "/etc/timezone",
    "/var/cache/fontconfig", "/usr/local/share/fonts",
    "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/filesystems", "/proc/version",
    "/proc/sys/kernel", "/proc/sys/vm", "/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm",
    "/dev/zero", "/dev/random", "/dev/urandom",
)  # fmt: skip
_FONTS = (".fonts", ".local/share/fonts")


def _no_files(kernel: _Kernel, readable: Iterable[str]) -> str:
    """'' when from now on only what is readable can be opened, and nothing written; else why not."""
    try:
        kernel.abi = kernel.call(_CREATE_RULESET, None, 0, 1)
    except OSError as error:
        return f"files are not isolated: no Landlock in this kernel ({error.strerror})"
    rights = (1 << _RIGHTS_BY_VERSION[min(kernel.abi, len(_RIGHTS_BY_VERSION)) - 1]) - 1
    attributes = struct.pack("QQQ", rights, _NET, _SCOPES)[: 8 if kernel.abi < 4 else 16 if kernel.abi < 6 else 24]
    try:
        rules = kernel.call(_CREATE_RULESET, attributes, len(attributes), 0)
        try:
            for path, path_rights in _readable_paths(readable):
                _allow(kernel, rules, path, path_rights & rights)
            kernel.call(_RESTRICT_SELF, rules, 0)
        finally:
            os.close(rules)
    except OSError as error:
        return f"files are not isolated: Landlock refused ({error.strerror})"
    return ""


def _readable_paths(readable: Iterable[str]) -> Iterator[tuple[str, int]]:
    reading = _READ_FILE | _READ_DIR
    yield os.devnull, _READ_FILE | _WRITE_FILE
    home = Path(os.environ.get("HOME") or "/").resolve()
    places = {"", "/", str(home)}  # never as a whole
    if getattr(sys, "frozen", False):
        # The modules are in the executable, the rest in one folder beside it. The folder that holds both may hold
        # cases too, where the program is carried on a stick.
        places.add(os.path.realpath(Path(sys.executable).parent))
        own_paths = [sys.executable, sys._MEIPASS]  # type: ignore[attr-defined]
    else:
        places.add(str(_ROOT))
        yield str(_ROOT), _READ_DIR  # Python looks for modules there
        own_paths = [str(_ROOT / part) for part in ("core", "resources", "tests")]
        own_paths += [sys.prefix, sys.base_prefix, sys.exec_prefix, str(Path(sys.executable).parent)]
    libraries = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    fonts = [str(home / folder) for folder in _FONTS]
    for path in (*_SYSTEM, *own_paths, *sys.path, *libraries, *fonts, *_with_targets(readable)):
        real = os.path.realpath(path) if path else ""
        if real not in places:
            places.add(real)
            yield real, reading


def _with_targets(paths: Iterable[str]) -> Iterator[str]:
    """Also what links in a folder point to: models are often kept apart and linked to."""
    for path in paths:
        yield path
        with contextlib.suppress(OSError), os.scandir(path) as entries:
            yield from (entry.path for entry in entries if entry.is_symlink())


def _allow(kernel: _Kernel, rules: int, path: str, rights: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # not on this computer
    try:
        if not Path(path).is_dir():
            rights &= ~_READ_DIR
        kernel.call(_ADD_RULE, rules, 1, struct.pack("=Qi", rights, handle), 0)
    finally:
        os.close(handle)


# --- everything else -------------------------------------------------------------------------------------------------

_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_SET_MODE_FILTER, _SECCOMP_GET_ACTION_AVAIL, _TSYNC = 1, 2, 1
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_LOAD, _IS, _AT_LEAST, _HAS_ANY, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # instructions of the filter
_NUMBER, _ARCHITECTURE, _ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
_CLONE_THREAD = 0x00010000
_X32 = 0x40000000


@dataclass(frozen=True, slots=True)
class _Calls:
    """An architecture: its name in the kernel's audit numbers, and its numbers of system calls."""

    audit: int
    seccomp: int
    clone: int
    clone3: int
    kill: int
    tgkill: int
    prlimit: int
    forbidden: Mapping[str, int]


def _table(text: str) -> dict[str, int]:
    return {name: int(number) for name, number in (pair.split("=") for pair in text.split())}


# Calls that are the same everywhere: they are newer than the split of the tables.
_NEWER = """
    pidfd_send_signal=424 io_uring_setup=425 io_uring_enter=426 io_uring_register=427 open_tree=428 move_mount=429
    fsopen=430 fsconfig=431 fsmount=432 fspick=433 pidfd_open=434 pidfd_getfd=438 process_madvise=440
    mount_setattr=442 fchmodat2=452 setxattrat=463 removexattrat=466
"""

_ARCHITECTURES: Mapping[str, _Calls] = {
    "x86_64": _Calls(
        audit=0xC000003E,
        seccomp=317,
        clone=56,
        clone3=435,
        kill=62,
        tgkill=234,
        prlimit=302,
        forbidden=_table(
            """
            socket=41 connect=42 accept=43 sendto=44 sendmsg=46 bind=49 listen=50 accept4=288 sendmmsg=307
            fork=57 vfork=58 execve=59 execveat=322 tkill=200 rt_sigqueueinfo=129 rt_tgsigqueueinfo=297
            ptrace=101 process_vm_readv=310 process_vm_writev=311 kcmp=312
            shmget=29 shmat=30 semget=64 msgget=68
            chmod=90 fchmod=91 chown=92 fchown=93 lchown=94 fchownat=260 fchmodat=268 truncate=76
            utime=132 utimes=235 futimesat=261 utimensat=280 mknod=133 mknodat=259
            setxattr=188 lsetxattr=189 fsetxattr=190 removexattr=197 lremovexattr=198 fremovexattr=199
            mount=165 umount2=166 pivot_root=155 chroot=161 unshare=272 setns=308
            bpf=321 perf_event_open=298 userfaultfd=323 add_key=248 request_key=249 keyctl=250
            init_module=175 delete_module=176 finit_module=313 kexec_load=246 kexec_file_load=320 reboot=169
            swapon=167 swapoff=168 syslog=103 acct=163 quotactl=179 settimeofday=164 clock_settime=227
            clock_adjtime=305 adjtimex=159 sethostname=170 setdomainname=171 iopl=172 ioperm=173
            name_to_handle_at=303 open_by_handle_at=304 fanotify_init=300
            """
            + _NEWER
        ),
    ),
    "aarch64": _Calls(
        audit=0xC00000B7,
        seccomp=277,
        clone=220,
        clone3=435,
        kill=129,
        tgkill=131,
        prlimit=261,
        forbidden=_table(
            """
            socket=198 connect=203 accept=202 sendto=206 sendmsg=211 bind=200 listen=201 accept4=242 sendmmsg=269
            execve=221 execveat=281 tkill=130 rt_sigqueueinfo=138 rt_tgsigqueueinfo=240
            ptrace=117 process_vm_readv=270 process_vm_writev=271 kcmp=272
            shmget=194 shmat=196 semget=190 msgget=186
            fchmod=52 fchmodat=53 fchownat=54 fchown=55 truncate=45 utimensat=88 mknodat=33
            setxattr=5 lsetxattr=6 fsetxattr=7 removexattr=14 lremovexattr=15 fremovexattr=16
            mount=40 umount2=39 pivot_root=41 chroot=51 unshare=97 setns=268
            bpf=280 perf_event_open=241 userfaultfd=282 add_key=217 request_key=218 keyctl=219
            init_module=105 delete_module=106 finit_module=273 kexec_load=104 kexec_file_load=294 reboot=142
            swapon=224 swapoff=225 syslog=116 acct=89 quotactl=60 settimeofday=170 clock_settime=112
            clock_adjtime=266 adjtimex=171 sethostname=161 setdomainname=162
            name_to_handle_at=264 open_by_handle_at=265 fanotify_init=262
            """
            + _NEWER
        ),
    ),
}


def _knows_calls() -> bool:
    """Return whether there is a list of system calls for this machine."""
    return platform.machine() in _ARCHITECTURES and sys.byteorder == "little" and sys.maxsize > 1 << 32


def _no_calls(kernel: _Kernel) -> str:
    """'' when the calls of the table are refused from now on; else why they are not."""
    machine = platform.machine()
    if not _knows_calls():
        return f"network and programs are not isolated: no list of system calls for {machine or 'this machine'}"
    try:
        kernel.install(_filter(_ARCHITECTURES[machine], os.getpid()))
    except OSError as error:
        return f"network and programs are not isolated: seccomp refused ({error.strerror})"
    return ""


def _filter(calls: _Calls, own_process: int) -> bytes:
    """Return the filter as a program of the kernel's small machine, for a process whose number is ``own_process``."""
    refuse = (_RETURN, 0, 0, _ERRNO | _EPERM)
    unknown = (_RETURN, 0, 0, _ERRNO | _ENOSYS)
    allow = (_RETURN, 0, 0, _ALLOW)
    steps: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IS, 1, 0, calls.audit),
        refuse,  # calls of another architecture have other numbers
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        unknown,
    ]
    for number in sorted(calls.forbidden.values()):
        steps += [(_IS, 0, 1, number), refuse]
    # Its arguments lie in memory that another thread could change: libraries take clone where this is not there.
    steps += [(_IS, 0, 1, calls.clone3), unknown]
    # Threads, but no processes.
    steps += [(_IS, 0, 4, calls.clone), (_LOAD, 0, 0, _ARGUMENT), (_HAS_ANY, 1, 0, _CLONE_THREAD), refuse, allow]
    # Signals to itself alone (the lower half of a number is all there is to it), and limits of its own alone.
    for number in (calls.kill, calls.tgkill):
        steps += [(_IS, 0, 4, number), (_LOAD, 0, 0, _ARGUMENT), (_IS, 1, 0, own_process), refuse, allow]
    steps += [(_IS, 0, 4, calls.prlimit), (_LOAD, 0, 0, _ARGUMENT), (_IS, 1, 0, 0), refuse, allow]
    steps.append(allow)
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
