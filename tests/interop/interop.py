"""Container files of ours under the eyes of others, and theirs under ours.

For every peer, file, codec and level:
  ours    the file as the CLI rewrites it is read by the peer: the same values, bytes in its blocks, and schema
  theirs  the file as the peer rewrites it is read by the CLI: the same bytes as the peer itself sees in its blocks, and
          the same values as in the file
What the values are is told by others too: by the peer's reading of the file itself, and by the corpus. Only the
standard library is used here.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import container
import inputs

CODECS = ["null", "deflate", "snappy", "bzip2", "xz", "zstandard"]
LEVELS = {"deflate": [0, 9], "bzip2": [1, 9], "xz": [0, 9], "zstandard": [1, 22]}
TYPES = {
    "null", "boolean", "int", "long", "float", "double", "bytes", "string", "record", "enum", "array", "map", "union",
    "fixed", "decimal", "recursive",
}  # fmt: skip
# For one answer of a peer or one run of the CLI.
SECONDS = 120


class Failed(Exception):
    pass


class Tally:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, 0, 0

    def skip(self, what):
        self.skipped += 1
        print(f"skipped: {what}", file=sys.stderr)

    def check(self, what, differences):
        if not differences:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAILED: {what}: {'; '.join(differences)}", file=sys.stderr)


@dataclass
class Reading:
    """What a peer sees in a file."""

    records: int
    values: str
    stored: str
    schema: str


class Peer:
    """Another implementation at the end of a pipe; its commands stand in its own file."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.name, self.version, codecs = self.line()
        self.codecs = codecs.split(",")

    def __str__(self):
        return f"{self.name} {self.version}"

    def line(self):
        with time_limit():
            line = self.process.stdout.readline()
        if not line:
            raise Failed(f"the peer ended with {self.process.wait()}")
        return line.rstrip("\n").split("\t")

    def ask(self, *words):
        self.process.stdin.write("\t".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        verdict, *rest = self.line()
        if verdict != "ok":
            raise Failed(f"{self.name} does not {words[0]}: {' '.join(rest)}")
        return rest

    def close(self):
        self.process.stdin.close()
        self.process.kill()
        self.process.wait()

    def read(self, path):
        records, *hashes = self.ask("read", path)
        return Reading(int(records), *hashes)

    def write(self, source, target, codec, level):
        self.ask("write", source, target, codec, "" if level is None else level)


class time_limit:
    def __enter__(self):
        signal.signal(signal.SIGALRM, self.over)
        signal.alarm(SECONDS)

    def __exit__(self, *_):
        signal.alarm(0)

    def over(self, *_):
        raise Failed(f"no answer within {SECONDS} s")


class Cli:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.made = binary, folder, {}

    def rewritten(self, path, codec, level=None):
        """The file under its own schema, made once for all peers."""
        key = (path, codec, level)
        if key not in self.made:
            target = self.folder / f"ours-{len(self.made)}.avro"
            self.convert(path, path, target, codec, level)
            self.made[key] = target
        return self.made[key]

    def convert(self, source, schema, target, codec, level=None):
        command = [self.binary, "convert", source, "--to-schema", schema, "--codec", codec, "-o", target, "--quiet"]
        if level is not None:
            command += ["--level", str(level)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
        if done.returncode != 0 or done.stderr:
            raise Failed(f"reschema ends with {done.returncode}: {' '.join(done.stderr.split())}")


@dataclass
class Input:
    path: Path
    # Our own rewriting without compression.
    own: container.File
    all_levels: bool
    # Made by others, so that a peer may have reasons not to read it.
    foreign: bool

    @property
    def variants(self):
        levels = LEVELS if self.all_levels else {}
        return [(c, level) for c in CODECS for level in [None, *levels.get(c, [])]]


def take(cli, path, all_levels):
    """A file to be compared: what we make of it must be what is known of it."""
    own = container.read(cli.rewritten(path, "null"))
    known = sidecar(path)
    if known is None and own.records == 0:
        raise Failed("no records")
    if known is not None and known != (own.records, len(own.data), own.sha256):
        raise Failed(f"{own.records} records in {len(own.data)} bytes, sha256 {own.sha256}, but known are {known}")
    return Input(path, own, all_levels, foreign=known is not None)


def sidecar(path):
    try:
        lines = Path(f"{path}.sha").read_text().splitlines()
    except FileNotFoundError:
        return None
    cells = dict(line.split("\t") for line in lines)
    return int(cells["records"]), int(cells["bytes"]), cells["sha256"]


class Comparison:
    """One peer, all files."""

    def __init__(self, cli, peer, folder, tally):
        self.cli, self.peer, self.folder, self.tally = cli, peer, folder, tally
        # Its hash of values is that of their canonical encoding.
        self.canonical = peer.name == "Java Avro"
        self.files, self.records, self.guesses = 0, 0, set()
        self.before = tally.passed, tally.failed

    def file(self, input_):
        name = input_.path.name
        try:
            reference, found = self.reference(input_)
        except Failed as why:
            what = f"{name}, by {self.peer}, which does not read the file as it is: {why}"
            if input_.foreign:
                self.tally.skip(what)
            else:
                self.tally.check(what, ["it is no foreign file"])
            return
        self.files += 1
        self.records += input_.own.records
        self.tally.check(f"{name}, {self.peer}, as it is", found)
        for codec, level in input_.variants:
            if codec not in self.peer.codecs:
                continue
            what = f"{name}, {codec}{'' if level is None else f' {level}'}, {self.peer}"
            self.tally.check(f"{what}, ours", caught(self.ours, input_, reference, codec, level))
            self.tally.check(f"{what}, theirs", caught(self.theirs, input_, reference, codec, level))

    def reference(self, input_):
        """What the peer has to see in our files, and where its reading of the file itself is another than ours."""
        seen, own = self.peer.read(self.source(input_)), input_.own
        values = own.sha256 if self.canonical else seen.values
        # The blocks of the file itself may hold another encoding of the same values.
        reference = Reading(own.records, values, own.sha256, seen.schema)
        return reference, differences(reference, replace(seen, stored=own.sha256))

    def source(self, input_):
        """The file for the peer, without compression if it does not know the codec."""
        if codec_of(input_.path) in self.peer.codecs:
            return input_.path
        return self.cli.rewritten(input_.path, "null")

    def ours(self, input_, reference, codec, level):
        path = self.cli.rewritten(input_.path, codec, level)
        return unequal("codec", codec, codec_of(path)) + differences(reference, self.peer.read(path))

    def theirs(self, input_, reference, codec, level):
        theirs, back = self.folder / "theirs.avro", self.folder / "back.avro"
        self.peer.write(self.source(input_), theirs, codec, level)
        seen = self.peer.read(theirs)
        # To the schema of the file: so what the peer wrote as the schema is understood too.
        self.cli.convert(theirs, input_.path, back, "null")
        file = container.read(back)
        found = unequal("codec", codec, codec_of(theirs)) + unequal("values", reference.values, seen.values)
        found += unequal("records", reference.records, file.records)
        found += unequal("bytes that the peer sees", seen.stored, file.sha256)
        if self.canonical:
            found += unequal("bytes of the file", reference.stored, file.sha256)
        elif seen.stored != reference.stored:
            # fastavro chooses a union's branch by the value. What it wrote is compared above, as it wrote it.
            self.guesses.add(input_.path.name)
        return found

    def prove(self, paths):
        """The comparison sees each of these differences, or it is worth nothing."""
        same = take(self.cli, paths["same"], False)
        reference, _ = self.reference(same)
        for what, path in paths.items():
            for way in (self.ours, self.theirs):
                if what == "branch" and way == self.theirs and not self.canonical:
                    continue  # 4 is an int for fastavro, also where it was a long.
                found = caught(way, replace(same, path=path), reference, "deflate", None)
                sound = bool(found) == (what != "same")
                self.tally.check(f"proof, {way.__name__}, {what}, {self.peer}", [] if sound else [f"found {found}"])
        self.guesses.clear()

    def summary(self):
        passed, failed = (now - then for now, then in zip((self.tally.passed, self.tally.failed), self.before))
        codecs = [c for c in CODECS if c in self.peer.codecs]
        guesses = f"; it chose other union branches itself in {len(self.guesses)} files" if self.guesses else ""
        print(
            f"{self.peer}: {self.files} files x {len(codecs)} codecs ({', '.join(codecs)}), {self.records} records: "
            f"{passed} passed, {failed} failed{guesses}"
        )


def caught(check, *args):
    try:
        return check(*args)
    except (Failed, ValueError, OSError, subprocess.TimeoutExpired) as e:
        return [str(e)]


def unequal(what, expected, found):
    return [] if expected == found else [f"{what}: expected {expected}, found {found}"]


def differences(expected, found):
    fields = ("records", "values", "stored", "schema")
    return [d for f in fields for d in unequal(f, getattr(expected, f), getattr(found, f))]


def header_of(path):
    with open(path, "rb") as f:
        bytes_ = container.Bytes(f.read())
    bytes_.take(len(container.MAGIC))
    return container.header(bytes_)


def codec_of(path):
    return header_of(path).get("avro.codec", b"null").decode()


def types(schema, found, names):
    """The types of a schema, by what they are called in TYPES."""
    if isinstance(schema, list):
        found.add("union")
        for variant in schema:
            types(variant, found, names)
    elif isinstance(schema, str):
        found.add(schema if schema in TYPES else "recursive" if schema in names else "reference")
    elif isinstance(schema["type"], (dict, list)):
        types(schema["type"], found, names)
    else:
        found.add({"error": "record"}.get(schema["type"], schema["type"]))
        found.add(schema.get("logicalType"))
        # Only the names around: a name used inside its own type is a recursion.
        within = names | {schema.get("name"), schema.get("name", "").rpartition(".")[2]}
        for field in schema.get("fields", []):
            types(field["type"], found, within)
        for inner in ("items", "values"):
            if inner in schema and schema["type"] in ("array", "map"):
                types(schema[inner], found, names)


def corpus_files(corpus, all_files, tally):
    folder = corpus / "avro" / "ocf"
    if not folder.is_dir():
        tally.skip(f"public files: no corpus at {corpus} (set RESCHEMA_CORPUS)")
        return []
    if all_files:
        return sorted(folder.glob("*.avro"))
    lines = (Path(__file__).parent / "corpus.txt").read_text().splitlines()
    return [folder / line.split()[0] for line in lines if line and not line.startswith("#")]


def all_types(paths):
    found = set()
    for path in paths:
        types(json.loads(header_of(path)["avro.schema"]), found, frozenset())
    return found


def main():
    args = arguments()
    tally = Tally()
    for what in args.skipped:
        tally.skip(what)
    with tempfile.TemporaryDirectory(prefix="reschema-interop-") as folder:
        compare(args, Path(folder), tally)
    print(f"interop: {tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    return 0 if tally.failed == 0 else 1


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True, help="the built command")
    parser.add_argument("--root", type=Path, required=True, help="the checkout")
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--all", action="store_true", help="all files of the corpus, not the selection")
    parser.add_argument("--peer", action="append", default=[], help="command of a peer, as a JSON list")
    parser.add_argument("--skipped", action="append", default=[], help="what was left out before, and why")
    return parser.parse_args()


def compare(args, folder, tally):
    cli = Cli(args.cli, folder)
    example = args.root / "docs" / "example" / "readings-v1.avro"
    public = corpus_files(args.corpus, args.all, tally)
    if public:
        missing = sorted(TYPES - all_types(public))
        tally.check("types that the files of the corpus have", [f"none has {t}" for t in missing])
    files = []
    own = inputs.generate(folder)
    for path in [example, *own, *public]:
        try:
            taken = take(cli, path, path == example or path in own)
            files.append(taken)
            tally.check(f"{path.name}, alone", unequal("metadata", user_metadata(path), taken.own.of_the_user))
        except (Failed, ValueError, OSError, subprocess.TimeoutExpired) as e:
            tally.check(path.name, [str(e)])
    proofs = inputs.proof(folder)
    for command in args.peer:
        one_peer(cli, json.loads(command), files, proofs, folder, tally)


def one_peer(cli, command, files, proofs, folder, tally):
    try:
        peer = Peer(command)
    except (Failed, OSError, ValueError) as e:
        tally.check(f"start of {command[0]}", [str(e)])
        return
    for codec in CODECS:
        if codec not in peer.codecs:
            tally.skip(f"{codec} by {peer}: it has no such codec")
    comparison = Comparison(cli, peer, folder, tally)
    try:
        comparison.prove(proofs)
        for file in files:
            comparison.file(file)
    except (Failed, OSError) as e:
        tally.check(f"{peer}", [str(e)])
    peer.close()
    comparison.summary()


def user_metadata(path):
    return {k: v for k, v in header_of(path).items() if not k.startswith("avro.")}


if __name__ == "__main__":
    sys.exit(main())
