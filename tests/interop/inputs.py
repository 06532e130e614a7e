"""Files that the corpus may not have: every type with extreme values, values larger than any codec's window or block,
values without bytes; and pairs of files that differ in one thing, for the comparer to prove itself on."""

import random
import struct
from container import long, span, write


def generate(folder):
    """Names of files whose values must survive."""
    return [every_type(folder), large(folder), nothing(folder)]


EVERY_TYPE = """{"type":"record","name":"Every","namespace":"interop","doc":"one of each","fields":[
 {"name":"nothing","type":"null"},
 {"name":"yes","type":"boolean"},
 {"name":"i","type":"int","default":7},
 {"name":"l","type":"long"},
 {"name":"f","type":"float"},
 {"name":"d","type":"double"},
 {"name":"b","type":"bytes"},
 {"name":"s","type":"string"},
 {"name":"fixed","type":{"type":"fixed","name":"Md5","size":16}},
 {"name":"enum","type":{"type":"enum","name":"Suit","symbols":["SPADES","HEARTS","DIAMONDS","CLUBS"]}},
 {"name":"array","type":{"type":"array","items":"long"}},
 {"name":"map","type":{"type":"map","values":{"type":"array","items":["null","string"]}}},
 {"name":"union","type":["null","boolean","int","long","float","double","bytes","string","Md5","Suit",
   {"type":"array","items":"int"},{"type":"map","values":"int"},{"type":"record","name":"Small","fields":[]}]},
 {"name":"price","type":{"type":"bytes","logicalType":"decimal","precision":20,"scale":4}},
 {"name":"cents","type":{"type":"fixed","name":"Cents","size":8,"logicalType":"decimal","precision":18,"scale":2}},
 {"name":"day","type":{"type":"int","logicalType":"date"}},
 {"name":"at","type":{"type":"long","logicalType":"timestamp-micros"}},
 {"name":"list","type":["null",{"type":"record","name":"Node","aliases":["Link"],"fields":[
   {"name":"value","type":"string"},{"name":"next","type":["null","Node"]}]}]}]}"""

INTS = [0, 1, -1, 63, 64, -64, -65, 8191, 8192, 2**31 - 1, -(2**31)]
LONGS = INTS + [2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)]
# Not the NaNs that signal: Python's floats do not keep them.
FLOATS = [0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x00000001, 0x7F7FFFFF, 0x3DCCCCCD]
DOUBLES = [0, 1 << 63, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, 1, 0x7FEFFFFFFFFFFFFF, 0x3FB999999999999A]
TEXTS = ["", "a", "é", "日本", "𝄞", "\0", "x" * 63, "x" * 64, "line\nline", "\u2028", "\ufeff"]


def every_type(folder):
    rng = random.Random(1)
    values = [every_value(rng) for _ in range(700)]
    # Blocks of one value, of some, and one of most.
    blocks = [[v] for v in values[:20]] + [values[20:50], values[50:]]
    path = folder / "every-type.avro"
    write(path, EVERY_TYPE, blocks)
    return path


def every_value(rng):
    def text():
        return span(rng.choice(TEXTS).encode())

    def number(some):
        return long(rng.choice(some) if rng.random() < 0.5 else rng.randrange(-1000, 1000))

    def bits(some, form):
        return struct.pack(form, rng.choice(some))

    def blob():
        return span(rng.randbytes(rng.choice([0, 1, 2, 7, 8, 16, 200])))

    def sequence(item, most):
        """In one block, or in some, with their sizes or without."""
        out = b""
        for _ in range(rng.randrange(3)):
            items = [item() for _ in range(rng.randrange(1, most))]
            body = b"".join(items)
            sized = rng.random() < 0.5
            out += long(-len(items)) + long(len(body)) + body if sized else long(len(items)) + body
        return out + long(0)

    def map_of(item, most):
        keys = iter(rng.sample(range(1000), 100))
        return sequence(lambda: span(f"key {next(keys)}".encode()) + item(), most)

    def nullable_text():
        return long(0) if rng.random() < 0.3 else long(1) + text()

    def node(depth):
        if depth == 0 or rng.random() < 0.2:
            return long(0)
        return long(1) + text() + node(depth - 1)

    variants = [
        lambda: b"", lambda: bytes([rng.randrange(2)]), lambda: number(INTS), lambda: number(LONGS),
        lambda: bits(FLOATS, "<I"), lambda: bits(DOUBLES, "<Q"), blob, text, lambda: rng.randbytes(16),
        lambda: long(rng.randrange(4)), lambda: sequence(lambda: number(INTS), 4),
        lambda: map_of(lambda: number(INTS), 4), lambda: b"",
    ]  # fmt: skip

    def union():
        i = rng.randrange(len(variants))
        return long(i) + variants[i]()

    parts = [
        bytes([rng.randrange(2)]), number(INTS), number(LONGS), bits(FLOATS, "<I"), bits(DOUBLES, "<Q"), blob(), text(),
        rng.randbytes(16), long(rng.randrange(4)), sequence(lambda: number(LONGS), 8),
        map_of(lambda: sequence(nullable_text, 4), 5), union(), span(rng.randbytes(rng.randrange(1, 8))),
        rng.randbytes(8), number(INTS), number(LONGS), node(rng.choice([0, 3, 40])),
    ]  # fmt: skip
    return b"".join(parts)


LARGE = """{"type":"record","name":"Large","namespace":"interop","fields":[
 {"name":"what","type":"string"},{"name":"data","type":"bytes"}]}"""


def large(folder):
    """Larger than what snappy and bzip2 take at a time and than deflate's window; what compresses well, what does not,
    and what repeats at a distance that only a large dictionary reaches."""
    rng = random.Random(2)
    noise = rng.randbytes(950_000)
    words = [rng.randbytes(rng.randrange(2, 9)).hex().encode() for _ in range(5000)]
    text = b" ".join(rng.choice(words) for _ in range(40_000))
    data = {"zeros": bytes(2_000_000), "noise": noise, "text": text, "noise, twice": noise + noise, "one": b"1"}
    sizes = {f"{n} bytes": noise[:n] for n in (32_767, 65_535, 65_536, 65_537)}
    values = [span(what.encode()) + span(blob) for what, blob in (data | sizes).items()]
    path = folder / "large.avro"
    write(path, LARGE, [values[:2], values[2:]])
    return path


def nothing(folder):
    """Blocks whose values take no bytes: every codec compresses the empty string in a way of its own."""
    path = folder / "nothing.avro"
    write(path, '{"type":"record","name":"Nothing","namespace":"interop","fields":[]}', [[b""] * 5, [b""]])
    return path


PROOF = """{"type":"record","name":"Proof","fields":[
 {"name":"id","type":["int","long"]},{"name":"map","type":{"type":"map","values":"double"}}]}"""


def proof(folder):
    """A file, and files that differ from it in what their names say."""

    def value(branch, number, keys, real=0.5):
        entries = b"".join(span(k) + struct.pack("<d", real) for k in keys)
        return long(branch) + long(number) + long(len(keys)) + entries + long(0)

    usual = [value(0, n, [b"a", b"b"]) for n in range(9)]
    files = {
        "same": usual,
        "value": usual[:4] + [value(0, 40, [b"a", b"b"])] + usual[5:],
        "branch": usual[:4] + [value(1, 4, [b"a", b"b"])] + usual[5:],
        "order": usual[:4] + [value(0, 4, [b"b", b"a"])] + usual[5:],
        "last bit": usual[:4] + [value(0, 4, [b"a", b"b"], 0.5000000000000001)] + usual[5:],
        "count": usual[:8],
    }
    paths = {what: folder / f"proof-{what}.avro" for what in files}
    for what, values in files.items():
        write(paths[what], PROOF, [values])
    return paths
