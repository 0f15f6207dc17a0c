"""Machine code on disk that is what was compiled, or is compiled again.

Numba reads its cache as it stands: a byte that was changed ends the program or gives other numbers, a writer that was killed between the
index and the code leaves an index that leads to the code of an older source. Here every file ends with the SHA-256 of what is in it,
and the code tells to which source it belongs. What does not fit is compiled and written again; where nothing can be written, kernels
are compiled for this process alone. Both are told in one line.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from pathlib import Path
from typing import Any

from numba.core.caching import IndexDataCacheFile

_SEAL = hashlib.sha256().digest_size
_told: list[str] = []


def enable(dispatcher: Any, stamp: str) -> Any:
    """Keep the code of a function on disk, under the stamp of its source; the file of its index, None where none can be written."""
    try:
        dispatcher.enable_caching()
    except (RuntimeError, OSError) as error:
        tell(f"kernels cannot be kept on disk, so they are compiled for this process alone: {_first_line(error)}")
        return None
    kept = dispatcher._cache
    plain = kept._cache_file
    file = SealedCacheFile(kept._cache_path, plain._index_name.removesuffix(".nbi"), stamp)
    kept._cache_file = file
    save = kept.save_overload

    def keep(signature: Any, code: Any) -> None:
        try:
            save(signature, code)
        except OSError as error:
            tell(f"kernels cannot be kept in {kept._cache_path}, later runs compile them again: {_first_line(error)}")

    kept.save_overload = keep
    return file


class SealedCacheFile(IndexDataCacheFile):
    """Index and code of one function, each with a seal."""

    def __init__(self, cache_path: str, filename_base: str, source_stamp: str) -> None:
        super().__init__(cache_path, filename_base, source_stamp)
        self._version += f" sealed {source_stamp}"  # read first; the rest may know types that are gone

    def _dump(self, obj: Any) -> bytes:
        data: bytes = super()._dump(obj)
        return data + hashlib.sha256(data).digest()

    def _load_index(self) -> dict[Any, str]:
        try:
            data = Path(self._index_path).read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            tell(f"kernels in {self._cache_path} cannot be read and are compiled again: {_first_line(error)}")
            return {}
        version = pickle.dumps(self._version, protocol=-1)
        if not data.startswith(version):
            return {}  # of another source or version
        found = self._opened(data[len(version) :])
        return found[1] if found is not None and found[0] == self._source_stamp else {}

    def _save_data(self, name: str, data: Any) -> None:
        super()._save_data(name, (self._version, data))

    def _load_data(self, name: str) -> Any:
        found = self._opened(Path(self._data_path(name)).read_bytes())
        if found is None or found[0] != self._version:
            raise FileNotFoundError(name)  # which Numba takes for code that is not there
        return found[1]

    def _opened(self, data: bytes) -> Any:
        """What is in a sealed file; None where it is damaged."""
        if hashlib.sha256(data[:-_SEAL]).digest() == data[-_SEAL:]:
            try:
                return pickle.loads(data)
            except (
                Exception
            ) as error:  # written by a program that had other types; there is no list of what pickle raises
                tell(f"kernels in {self._cache_path} cannot be used and are compiled again: {_first_line(error)}")
                return None
        tell(f"kernels in {self._cache_path} are damaged and are compiled again")
        return None


def tell(words: str) -> None:
    """One line about the cache; the first one only."""
    if not _told:
        print(f"isodyn: {words}", file=sys.stderr, flush=True)
    _told.append(words)


def _first_line(error: Exception) -> str:
    return str(error).split("\n")[0]
