"""The nimber store: what goes in comes out, and nothing else does, whatever happens to the file."""

import logging
import os
import pickle
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import sgai.store
from sgai.errors import SgaiError, StoreError
from sgai.store import APPLICATION_ID, NimberStore, default_store
from sgai.store_report import StoredValue, WrongValue

CRAM = {"../..": 0, ".": 0, "..": 1, ".../.#.": 2, "ü\n\t'\";--": 3, "x" * 5000: 2**63 - 1, "": 7}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "folder" / "a store%20?#&.sqlite"


@pytest.fixture
def filled(file):
    with NimberStore(file) as store:
        store.put("cram", CRAM)
        store.put("kayles", {f"[{size}]": size % 9 for size in range(200)})
    return file


def test_nothing_is_made_until_something_is_written(file):
    with NimberStore(str(file)) as store:
        assert store.get("cram", ["."]) == {}
        assert (len(store), store.clear(), store.put("cram", {})) == (0, 0, 0)
        assert store.verify().ok
        info = store.info()
        assert (info.path, info.exists, info.bytes, info.entries) == (file, False, 0, {})
    assert not file.parent.exists()


def test_values_come_back(file):
    with NimberStore(file) as store:
        assert store.put("cram", CRAM) == len(CRAM)
        assert store.put("cram", CRAM) == 0
        assert store.put("cram", {".": 0, "....": np.uint16(2)}) == 1
        assert store.put("kayles", {".": 5}) == 1
        assert store.get("cram", [*CRAM, "nowhere", "."]) == CRAM
        assert store.get("kayles", iter([".", ".."])) == {".": 5}
        assert store.get("kayles(piles=[3])", CRAM) == {}
        assert type(store.get("cram", ["...."])["...."]) is int
    with NimberStore(file) as store:
        assert store.get("cram", CRAM) == CRAM
        assert len(store) == len(CRAM) + 2
        info = store.info()
        assert (info.exists, info.format, info.outdated) == (True, 1, 0)
        assert info.entries == {"cram": len(CRAM) + 1, "kayles": 1}
        assert info.bytes >= file.stat().st_size > 0
        report = store.verify()
        assert (report.ok, report.good, report.bad, report.integrity) == (True, len(CRAM) + 2, (), ())
        store.close()
        assert store.get("cram", ["."]) == {".": 0}  # opened again
    assert sorted(each.name for each in file.parent.iterdir()) == [file.name]


def test_an_open_store_sees_what_others_write(file):
    with NimberStore(file) as first, NimberStore(file) as second:
        first.put("cram", {".": 0})
        assert second.get("cram", ["."]) == {".": 0}
        second.put("cram", {"..": 1})
        assert first.get("cram", [".", ".."]) == {".": 0, "..": 1}
        assert first.clear() == 2
        assert len(second) == 0


def test_a_different_value_is_refused_and_the_old_one_kept(filled):
    with NimberStore(filled) as store:
        with pytest.raises(StoreError, match=r"value 1 for '\.\.' of 'cram', not 4: one of them is wrong") as error:
            store.put("cram", {"new": 1, "..": 4, "newer": 2})
        assert str(filled) in str(error.value)
        assert "\n" not in str(error.value)
        assert store.get("cram", ["new", "..", "newer"]) == {"..": 1}
        assert store.verify().ok


@pytest.mark.parametrize("value", [-1, 2**63, True, "3", 1.0, None])
def test_what_is_no_grundy_value_is_refused(filled, value):
    before = filled.read_bytes()
    with NimberStore(filled) as store, pytest.raises(SgaiError):
        store.put("cram", {"new": 1, "newer": value})
    assert filled.read_bytes() == before


def test_what_is_no_text_is_refused(filled):
    ruleset = sgai.load_ruleset("kayles")
    with NimberStore(filled) as store:
        for use in (
            lambda: store.put(ruleset, {"[1]": 1}),
            lambda: store.put("kayles", {(1,): 1}),
            lambda: store.get(ruleset, ["[1]"]),
            lambda: store.get("kayles", [1]),
        ):
            with pytest.raises(StoreError, match="is not text"):
                use()


def test_text_with_lone_surrogates(filled):
    with NimberStore(filled) as store:
        with pytest.raises(StoreError, match="lone surrogates"):
            store.put("cram", {"new": 1, "\ud800": 1})
        assert store.get("cram", ["new", "."]) == {".": 0}


def test_the_default_file(monkeypatch, tmp_path):
    monkeypatch.delenv("SGAI_STORE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_store().parent.name == "sgai"
    monkeypatch.setenv("SGAI_STORE", str(tmp_path / "named"))
    with NimberStore() as store:
        store.put("cram", {".": 0})
    assert (tmp_path / "named").exists()
    monkeypatch.setenv("SGAI_STORE", "~/named")
    assert default_store() == Path.home() / "named"


def test_values_of_another_version_of_the_mathematics_are_not_used(filled, monkeypatch):
    monkeypatch.setattr(sgai.store, "RULES_VERSION", "another")
    with NimberStore(filled) as store:
        assert store.get("cram", CRAM) == {}
        assert store.put("cram", {"..": 8}) == 1  # no conflict with what meant something else
        assert store.get("cram", CRAM) == {"..": 8}
        assert store.info().entries == {"cram": 1}
        assert store.info().outdated == len(CRAM) + 200
        report = store.verify(sample=1000, recompute=lambda rules, position: 8)
        assert (report.ok, report.good, report.outdated, report.recomputed) == (
            True,
            len(CRAM) + 201,
            len(CRAM) + 200,
            1,
        )
    monkeypatch.undo()
    with NimberStore(filled) as store:
        assert store.get("cram", CRAM) == CRAM
        assert store.clear("cram") == len(CRAM) + 1
        assert store.info().outdated == 0


def test_clear(filled):
    with NimberStore(filled) as store:
        size = store.info().bytes
        assert store.clear("no such rules") == 0
        assert store.clear("kayles") == 200
        assert store.info().entries == {"cram": len(CRAM)}
        assert store.get("cram", CRAM) == CRAM
        assert store.clear() == len(CRAM)
        assert (len(store), store.info().entries) == (0, {})
        assert store.info().bytes < size
        assert store.put("cram", CRAM) == len(CRAM)


def test_verify_computes_again(filled):
    asked = []

    def recompute(rules, position):
        asked.append((rules, position))
        size = int(position[1:-1])
        return None if size == 3 else 17 if size == 5 else size % 9

    with NimberStore(filled) as store:
        report = store.verify("kayles", sample=1000, recompute=recompute)
        assert sorted(asked) == sorted(("kayles", f"[{size}]") for size in range(200))
        assert (report.good, report.recomputed, report.not_recomputed) == (200, 199, 1)
        assert report.wrong == (WrongValue("kayles", "[5]", 5, 17),)
        assert not report.ok
        seen = {
            position
            for _ in range(60)
            for _, position in [asked.clear() or store.verify("kayles", sample=3, recompute=recompute), *asked][1:]
        }
        assert len(seen) > 60  # other ones each time
        assert len(asked) == 3


# Files that are damaged, or somebody else's


def alter(file, command, *values):
    connection = sqlite3.connect(file)
    connection.execute(command, values)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    ("command", "row"),
    [
        ("UPDATE nimbers SET value = 2 WHERE position = '..'", ("cram", "..", 2)),
        ("UPDATE nimbers SET value = 'one' WHERE position = '..'", ("cram", "..", "one")),
        ("UPDATE nimbers SET value = 1.5 WHERE position = '..'", ("cram", "..", 1.5)),
        ("UPDATE nimbers SET value = x'ff' WHERE position = '..'", ("cram", "..", b"\xff")),
        ("UPDATE nimbers SET checksum = x'00' WHERE position = '..'", ("cram", "..", 1)),
        ("UPDATE nimbers SET checksum = 'text' WHERE position = '..'", ("cram", "..", 1)),
    ],
)
def test_a_row_with_a_wrong_checksum_is_not_used(filled, caplog, command, row):
    alter(filled, command)
    with NimberStore(filled) as store:
        with caplog.at_level(logging.WARNING):
            found = store.get("cram", CRAM)
        assert found == {position: value for position, value in CRAM.items() if position != ".."}
        assert store.bad_rows == 1
        assert "1 values with a wrong checksum" in caplog.text
        assert str(filled) in caplog.text
        report = store.verify()
        assert (report.ok, report.good, report.bad) == (False, len(CRAM) + 199, (StoredValue(*row),))
        assert store.put("cram", CRAM) == 1  # computed again
        assert store.get("cram", CRAM) == CRAM
        assert store.verify().ok


def test_rows_do_not_count_for_other_rules_or_positions(filled):
    alter(filled, "UPDATE nimbers SET position = '[1000]' WHERE position = '[5]'")
    alter(filled, "UPDATE nimbers SET position = x'ff' WHERE position = '[6]'")
    alter(filled, "UPDATE nimbers SET ruleset = 5 WHERE position = '[7]'")
    with NimberStore(filled) as store:
        assert store.get("kayles", ["[5]", "[6]", "[7]", "[8]", "[1000]"]) == {"[8]": 8}
        assert len(store.verify().bad) == 3
    alter(filled, "UPDATE rulesets SET rules = 'nim' WHERE rules = 'kayles'")
    with NimberStore(filled) as store:
        assert store.get("nim", [f"[{size}]" for size in range(200)]) == {}
        assert len(store.verify().bad) == 200
        assert store.put("kayles", {"[5]": 5}) == 1
        assert [row.rules for row in store.verify().bad] == ["unknown rules", "kayles", "kayles"]
    alter(filled, "UPDATE rulesets SET version = x'ff00', rules = x'fe'")
    with NimberStore(filled) as store:
        assert store.get("cram", CRAM) == CRAM
        assert not store.verify().ok
        assert store.info().outdated > 0


def foreign_files(folder):
    for name, content in {"text": b"not a store at all\n", "short": b"x", "zeros": bytes(5000)}.items():
        (folder / name).write_bytes(content)
        yield folder / name
    database = folder / "database"
    alter(database, "CREATE TABLE nimbers (ruleset, position, value, checksum)")
    yield database
    other = folder / "other"
    shutil.copy(database, other)
    alter(other, "PRAGMA application_id = 12345")
    yield other
    wal = folder / "wal"
    shutil.copy(database, wal)
    alter(wal, "PRAGMA journal_mode = WAL")
    yield wal
    truncated = folder / "truncated"
    truncated.write_bytes(database.read_bytes()[:5000])
    yield truncated


def test_a_foreign_file_is_refused_and_not_touched(tmp_path, monkeypatch):
    for file in list(foreign_files(tmp_path)):
        before = (file.read_bytes(), file.stat().st_mtime_ns, sorted(tmp_path.iterdir()))
        with pytest.raises(StoreError, match="left as it is") as error:
            NimberStore(file)
        assert str(file) in str(error.value)
        assert "\n" not in str(error.value)
        # Even where it has come in between.
        absent = tmp_path / "absent"
        for use in (
            lambda store: store.put("cram", CRAM),
            lambda store: store.get("cram", CRAM),
            lambda store: store.clear(),
            lambda store: store.verify(),
            lambda store: store.info(),
        ):
            with NimberStore(absent) as store:
                store.path = file
                with pytest.raises(StoreError, match="left as it is"):
                    use(store)
        assert (file.read_bytes(), file.stat().st_mtime_ns, sorted(tmp_path.iterdir())) == before


def test_what_is_no_file_is_refused(tmp_path):
    for path in (tmp_path, Path("/dev/null"), ""):
        with pytest.raises(StoreError, match="is no file"):
            NimberStore(path)
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "store", tmp_path / ("n" * 300), "a\0b"):
        with pytest.raises(StoreError, match="cannot be used"), NimberStore(path) as store:
            store.put("cram", CRAM)
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(StoreError, match="is no file"):
        NimberStore(tmp_path / "fifo")
    with NimberStore(tmp_path / "file") as store:  # an empty file holds nothing that could be lost
        assert store.get("cram", CRAM) == {}
        assert store.put("cram", CRAM) == len(CRAM)


def test_another_format_is_refused(filled):
    alter(filled, "PRAGMA user_version = 2")
    before = filled.read_bytes()
    with pytest.raises(StoreError, match="has format 2, and this version of sgai reads format 1"):
        NimberStore(filled)
    assert filled.read_bytes() == before


def outcome(file, use=None):
    """What a store of CRAM gives: "error", or the number of its values, all right; never anything else."""
    try:
        with NimberStore(file) as store:
            found = store.get("cram", CRAM)
            assert found.items() <= CRAM.items()
            if use:
                use(store)
            return len(found)
    except StoreError as error:
        message = str(error)
    assert str(file) in message
    assert "\n" not in message
    return "error"


def test_a_truncated_file_gives_no_wrong_value(filled, tmp_path):
    whole = filled.read_bytes()
    lengths = [1, 15, 16, 50, 99, 100, 101, 4095, 4096, 4097, *range(8192, len(whole), 4096)]
    for length in lengths:
        filled.write_bytes(whole[:length])
        assert outcome(filled) == "error", length
        assert outcome(filled, lambda store: store.put("cram", {".": 0})) == "error"
        assert filled.read_bytes() == whole[:length]
    filled.write_bytes(whole[:-1])
    assert outcome(filled, NimberStore.verify) in ("error", len(CRAM))  # SQLite reads a last page that is too short
    filled.write_bytes(b"")
    assert outcome(filled) == 0


@pytest.mark.parametrize("mode", ["bit", "byte", "page"])
def test_a_damaged_file_gives_no_wrong_value(filled, mode, caplog):
    caplog.set_level(logging.CRITICAL)
    whole = filled.read_bytes()
    chance = random.Random(7)
    counted = Counter()
    for place in [*range(110), *range(4096, 4120), *(chance.randrange(len(whole)) for _ in range(100))]:
        damaged = bytearray(whole)
        if mode == "bit":
            damaged[place] ^= 1 << chance.randrange(8)
        elif mode == "byte":
            damaged[place] = chance.randrange(256)
        else:
            start, other = place // 512 * 512, chance.randrange(len(whole) // 512) * 512
            damaged[start : start + 512] = whole[other : other + 512]
        filled.write_bytes(damaged)
        counted[outcome(filled)] += 1
        # Nothing else fails in any other way either, and what is stored over damage is right.
        for use in (NimberStore.verify, NimberStore.info, lambda store: store.put("cram", CRAM)):
            outcome(filled, use)
        outcome(filled)
        outcome(filled, NimberStore.clear)
    assert counted["error"] > 10
    assert counted[len(CRAM)] > 20


# Locks, full disks, read-only folders


def test_a_locked_store_is_a_clear_error(filled, monkeypatch):
    assert sgai.store.BUSY_SECONDS == 10
    monkeypatch.setattr(sgai.store, "BUSY_SECONDS", 0.3)
    other = sqlite3.connect(filled, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with NimberStore(filled) as store:
        assert store.get("cram", CRAM) == CRAM  # a writer does not stop readers
        started = time.perf_counter()
        with pytest.raises(StoreError, match=r"was locked by another process for 0\.3 s: try again"):
            store.put("cram", {"new": 1})
        assert 0.25 < time.perf_counter() - started < 5
        with pytest.raises(StoreError, match="locked"):
            store.clear()
        other.execute("COMMIT")
        assert store.put("cram", {"new": 1}) == 1
    other.close()


def test_a_store_that_was_locked_for_a_while(filled):
    other = sqlite3.connect(filled, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.5, lambda: other.execute("COMMIT"))
    timer.start()
    with NimberStore(filled) as store:
        assert store.put("cram", {"new": 1}) == 1
    timer.join()
    other.close()


def test_without_a_write_ahead_log(filled):
    alter(filled, "PRAGMA journal_mode = DELETE")
    with NimberStore(filled) as store:
        assert store.get("cram", CRAM) == CRAM
        assert store.put("cram", {"new": 1}) == 1
        assert store.verify().ok


def test_a_full_disk_keeps_what_was_there(filled):
    with NimberStore(filled) as store:
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="the disk is full: free some space") as error:
            store.put("cram", {f"new {i}": i for i in range(5000)})
        assert str(filled) in str(error.value)
        assert store.get("cram", [*CRAM, "new 0", "new 4999"]) == CRAM
        assert store.verify().ok
        assert store.put("cram", {f"new {i}": i for i in range(5000)}) == 5000


LIMITED = """
import resource, signal, sys
from sgai.store import NimberStore, StoreError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
with NimberStore(sys.argv[1]) as store:
    for start in range(0, 100_000, 100):
        try:
            store.put("nim", {f"[{i}]": i for i in range(start, start + 100)})
        except StoreError as error:
            assert str(error).count(chr(10)) == 0
            print(start)
            break
"""


def test_files_that_may_not_grow(file):
    done = subprocess.run([sys.executable, "-c", LIMITED, file], capture_output=True, text=True, check=True)
    kept = int(done.stdout)
    assert kept > 0
    with NimberStore(file) as store:
        assert store.get("nim", [f"[{i}]" for i in range(kept + 100)]) == {f"[{i}]": i for i in range(kept)}
        assert store.verify().ok


READ_ONLY = """
import os, sys
from sgai.store import NimberStore, StoreError
if os.getuid() == 0:
    os.setgid(65534), os.setuid(65534)
folder = sys.argv[1]
with NimberStore(folder + "/store") as store:
    print(store.get("nim", ["[1]", "[2]"]), store.info().entries, store.verify().ok)
    for use in (lambda: store.put("nim", {"[5]": 5}), lambda: store.clear()):
        try:
            use()
        except StoreError as error:
            print(error)
try:
    NimberStore(folder + "/new").put("nim", {"[5]": 5})
except StoreError as error:
    print(error)
try:
    NimberStore(folder + "/secret")
except StoreError as error:
    print(error)
"""


@pytest.mark.parametrize("file_mode", [0o644, 0o666])
@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_a_folder_that_is_read_only_can_be_read(journal, file_mode):
    folder = Path(tempfile.mkdtemp())  # pytest's own folder is closed to other users
    try:
        for name in ("store", "secret"):
            with NimberStore(folder / name) as store:
                store.put("nim", {"[1]": 1, "[2]": 2})
            alter(folder / name, f"PRAGMA journal_mode = {journal}")
        (folder / "store").chmod(file_mode)
        (folder / "secret").chmod(0)
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR | stat.S_IROTH | stat.S_IXOTH)
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, folder], capture_output=True, text=True, check=False, cwd="/"
        )
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        assert lines[0] == "{'[1]': 1, '[2]': 2} {'nim': 2} True"
        assert len(lines) == 5
        for line, name in zip(lines[1:], ("store", "store", "new", "secret"), strict=True):
            assert f"{folder}/{name}'" in line
            assert "make it and its folder writable" in line
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder)


# Processes, threads, interrupts


WRITER = """
import sys, time
from sgai.store import NimberStore
number, file, until = int(sys.argv[1]), sys.argv[2], float(sys.argv[3])
time.sleep(max(0, until - time.time()))
with NimberStore(file) as store:
    for i in range(150):
        key = f"{i}"
        store.put("shared", {f"{i} {j}": i for j in range(5)})
        assert store.put(f"own {number}", {f"{i} {j}": number for j in range(5)}) == 5
        assert len(store.get("shared", [f"{i} {j}" for j in range(5)])) == 5
"""


def test_several_processes_lose_nothing(file):
    start = str(time.time() + 1.5)  # all at once, so that they race to make the file
    running = [subprocess.Popen([sys.executable, "-c", WRITER, str(i), str(file), start]) for i in range(6)]
    assert [each.wait(timeout=120) for each in running] == [0] * 6
    with NimberStore(file) as store:
        assert store.info().entries == {"shared": 750, **{f"own {i}": 750 for i in range(6)}}
        for number in range(6):
            own = store.get(f"own {number}", [f"{i} {j}" for i in range(150) for j in range(5)])
            assert set(own.values()) == {number}
        assert store.verify().ok
    assert list(file.parent.iterdir()) == [file]


ENDLESS = """
import itertools, sys
from sgai.store import NimberStore
with NimberStore(sys.argv[1]) as store:
    for i in itertools.count():
        store.put("nim", {f"{i} {j}": j for j in range(50)})
        print(i, flush=True)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_process_that_is_stopped_loses_at_most_one_transaction(file, how):
    for wait in (0.0, 0.013, 0.04, 0.11):
        file.unlink(missing_ok=True)
        process = subprocess.Popen(
            [sys.executable, "-c", ENDLESS, file], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        process.stdout.readline()
        time.sleep(wait)
        process.send_signal(how)
        done = [0, *map(int, process.stdout.read().split())][-1] + 1
        process.wait(timeout=30)
        with NimberStore(file) as store:
            assert store.verify().ok
            assert len(store) in (50 * done, 50 * done + 50)
            assert store.put("nim", {f"{done + 5} {j}": j for j in range(50)}) == 50


def test_an_interrupt_at_any_line(file, interrupt_after):
    def put():
        store.put("nim", {f"{lines} {j}": j for j in range(3)})
        store.close()

    store = NimberStore(file)
    lines = 1
    while interrupt_after(lines, put, ("store.py", "contextlib.py")):
        found = store.get("nim", [f"{lines} {j}" for j in range(3)])
        assert found in ({}, {f"{lines} {j}": j for j in range(3)})
        assert store.put("cram", {f"{lines}": 1}) == 1
        if lines % 7 == 0:
            store.close()
        if lines % 50 == 0:
            store.close()
            file.unlink()
        lines += 1
    assert lines > 60
    with NimberStore(file) as other:
        assert other.verify().ok
    store.close()


def test_threads(file):
    failures = []

    def work(number):
        try:
            for i in range(100):
                store.put(f"own {number}", {f"{i}": i})
                assert store.get(f"own {number}", [f"{i}"]) == {f"{i}": i}
        except Exception as error:
            failures.append(error)

    with NimberStore(file) as store:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert failures == []
        assert len(store) == 400


def test_a_fork_opens_the_file_for_itself(filled):
    with NimberStore(filled) as store:
        store.put("nim", {"parent": 1})
        child = os.fork()
        if child == 0:
            right = store.get("cram", CRAM) == CRAM and store.put("nim", {"child": 2}) == 1
            store.close()
            os._exit(0 if right else 1)
        store.put("nim", {"meanwhile": 3})
        assert os.waitpid(child, 0)[1] == 0
        assert store.get("nim", ["parent", "child", "meanwhile"]) == {"parent": 1, "child": 2, "meanwhile": 3}


def test_a_pickle_opens_the_same_file(filled):
    with NimberStore(filled) as store, pickle.loads(pickle.dumps(store)) as copy:
        assert copy.path == store.path
        assert copy.get("cram", CRAM) == CRAM
        assert repr(copy) == f"NimberStore({str(filled)!r})"


def test_the_file_says_what_it_is(filled):
    header = filled.read_bytes()[:100]
    assert int.from_bytes(header[68:72], "big") == APPLICATION_ID
    assert header[68:72] == b"sgai"
    assert header[60:64] == bytes([0, 0, 0, sgai.store.FORMAT])
