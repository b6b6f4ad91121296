"""What is finished of a long evaluation, kept in a folder: after a stop, it is not done again."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from aspectrum.errors import InputError, OutputError
from aspectrum.io.files import printed
from aspectrum.io.pieces import START, Position
from aspectrum.output_files import write_text
from aspectrum.partial import Partial, check_identity

_FORMAT = 1
_ENDS = 1 << 16  # bytes at the beginning and the end of a file that tell it from another


class Finished:
    """A folder of parts of one evaluation, each with the position at which the next begins.

    Args:
        folder: The folder, which is made if it is not there.
        identity: That of the plan.
        paths: The files of lists.
        reading: How they are read.
        grouped: Whether their rows are grouped by user, as far as is known.
    """

    def __init__(
        self, folder: Path, identity: Mapping[str, Any], paths: tuple[str, ...], reading: Mapping[str, Any], grouped: bool
    ) -> None:
        self._folder, self._n, self._last = folder, 0, START
        self._about: dict[str, Any] = {"format": _FORMAT, "aspectrum": version("aspectrum"), "grouped": grouped, "parts": None}
        self._about |= {"plan": json.loads(json.dumps(identity)), "files": [_stamp(path) for path in paths], "reading": dict(reading)}
        about, lock = folder / "evaluation.json", folder / "lock"
        if folder.is_dir() and not about.exists() and any(not _is_own(path.name) for path in folder.iterdir()):
            raise InputError(f"{self}: is not empty, and not the folder of an evaluation that was stopped")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = open(lock, "wb")  # noqa: SIM115 - held until the evaluation ends, however it does
        except OSError as error:
            raise OutputError(f"{self}: cannot be written: {(error.strerror or str(error)).lower()}") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if about.exists():
                self._check(about)
            else:
                self._write_about()
        except BlockingIOError:
            self._lock.close()
            raise InputError(f"{self}: another evaluation is using this folder") from None
        except BaseException:
            self._lock.close()
            raise

    def __enter__(self) -> Finished:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def __str__(self) -> str:
        return printed(str(self._folder))

    @property
    def grouped(self) -> bool:
        return bool(self._about["grouped"])

    def is_whole(self) -> bool:
        """Whether nothing is left to do, once all parts were read."""
        n = self._about["parts"]
        if n is not None and n > self._n:
            raise InputError(f"{self}: part {self._n:06} is missing or damaged; {self._anew}")
        return n is not None

    @property
    def _anew(self) -> str:
        return f"remove {self} or name another folder to start over"

    def _write_about(self) -> None:
        write_text(self._folder / "evaluation.json", json.dumps(self._about, indent=1))

    def _check(self, path: Path) -> None:
        """That this is the evaluation that was stopped."""
        anew = self._anew
        try:
            before = json.loads(path.read_text())
            known = before["format"] == _FORMAT
            if known and not self._about.keys() <= before.keys():
                raise ValueError
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError(f"{self}: {path.name} is damaged; {anew}") from None
        if not known or before.get("aspectrum") != self._about["aspectrum"]:
            raise InputError(f"{self}: was begun by another version of aspectrum ({before.get('aspectrum')}); {anew}")
        if (changed := _changed(before["files"], self._about["files"])) is not None:
            raise InputError(f"{self}: {changed}; {anew}")
        for name in self._about["reading"]:
            one, two = before["reading"].get(name), self._about["reading"][name]
            if one != two:
                raise InputError(f"{self}: the lists were read in another way: {name} was {one!r}, and is {two!r}; {anew}")
        try:
            check_identity(self._about["plan"], before["plan"], f"{self}: ")
        except InputError as error:
            raise InputError(*error.args, f"; {anew}") from None
        self._about["grouped"], self._about["parts"] = before["grouped"], before["parts"]

    def parts(self, read: Any) -> Iterator[tuple[Partial, Position]]:
        """The parts that are there, in their order, with where what follows them begins."""
        while (end := self._end()) is not None:
            part = read(self._path("part"))
            self._n, self._last = self._n + 1, end
            yield part, end
        if self._about["parts"] is None:
            for path in self._folder.glob("[0-9]*.*"):  # what comes after a gap does not follow what will fill it
                if path.name >= f"{self._n:06}":
                    path.unlink()

    def _path(self, kind: str) -> Path:
        return self._folder / f"{self._n:06}.{kind}"

    def _end(self) -> Position | None:
        """Where the next part ends, if it is there; what a kill left unfinished is not."""
        with suppress(OSError, ValueError, TypeError):
            start, end, digest = json.loads(self._path("json").read_text())
            if digest == _digest(start, end) and Position(*start) == self._last:
                return Position(*end)
        return None

    def keep(self, part: Partial, end: Position) -> None:
        """Keep a part. It is there once its position is, which comes last."""
        part.write(self._path("part"))
        write_text(self._path("json"), json.dumps([self._last, end, _digest(self._last, end)]))
        self._n, self._last = self._n + 1, end

    def begin_anew(self, *, grouped: bool) -> None:
        """Forget all parts: rows turned out not to be grouped."""
        for path in self._folder.glob("[0-9]*.*"):
            path.unlink()
        self._n, self._last, self._about["grouped"] = 0, START, grouped
        self._write_about()

    def close(self) -> None:
        """All is done: the parts and the ids stay, the rows that they were made from go."""
        self._about["parts"] = self._n
        self._write_about()
        for path in self._folder.glob("rows/*.rows"):
            path.unlink()


def _is_own(name: str) -> bool:
    """Whether a file is one that a kill may leave before the first part: the lock, or what was about to take a name."""
    return name == "lock" or re.fullmatch(r"\.[0-9a-f]+\.part", name) is not None


def _digest(*positions: Sequence[int]) -> str:
    """What tells positions from those that were damaged: lists would be left out, or come twice."""
    return hashlib.blake2b(json.dumps(positions).encode(), digest_size=16).hexdigest()


def _stamp(path: str) -> dict[str, Any]:
    """What tells whether a file was changed."""
    about = os.stat(path)
    with open(path, "rb") as file:
        ends = file.read(_ENDS)
        file.seek(max(0, about.st_size - _ENDS))
        ends += file.read(_ENDS)
    digest = hashlib.blake2b(ends, digest_size=16).hexdigest()
    return {"path": path, "size": about.st_size, "modified": about.st_mtime_ns, "ends": digest}


def _changed(before: list[dict[str, Any]], now: list[dict[str, Any]]) -> str | None:
    """What changed of some files, in words; None if nothing did."""
    earlier, later = ({os.path.abspath(one["path"]): one for one in several} for several in (before, now))
    for path, one in later.items():
        if path not in earlier:
            return f"{printed(one['path'])} was not among the lists when this evaluation began"
        told = earlier[path]
        if one["size"] != told["size"]:
            return f"{printed(one['path'])} changed since: it had {told['size']:,} bytes, and has {one['size']:,}"
        if (one["modified"], one["ends"]) != (told["modified"], told["ends"]):
            return f"{printed(one['path'])} was written to since"
    gone = [one["path"] for path, one in earlier.items() if path not in later]
    return f"{printed(gone[0])} was among the lists when this evaluation began" if gone else None
