"""The peer fastavro: commands on standard input, one a line, in words parted by tabs; an answer a line.

    read FILE                       ok, records, SHA-256 of the values, of the blocks' decompressed bytes, of the schema
    write IN OUT CODEC LEVEL        ok; LEVEL may be empty
"""

import hashlib
import json
import struct
import sys

import fastavro
import fastavro.read
import fastavro.write

# Values as they are stored: a date that Python cannot hold is no difference.
fastavro.read.LOGICAL_READERS.clear()
fastavro.write.LOGICAL_WRITERS.clear()


def form(value, put):
    """A value with its types, floats by their bits, maps in their order; nothing else may come."""
    kind = type(value)
    if value is None:
        put(b"n")
    elif kind is bool:
        put(b"t" if value else b"f")
    elif kind is int:
        put(b"i%d;" % value)
    elif kind is float:
        put(b"d" + struct.pack("<d", value))
    elif kind is str or kind is bytes:
        data = value.encode() if kind is str else value
        put(b"%s%d:" % (b"s" if kind is str else b"b", len(data)) + data)
    elif kind is list or kind is tuple:
        put(b"%s%d:" % (b"l" if kind is list else b"u", len(value)))
        for item in value:
            form(item, put)
    elif kind is dict:
        put(b"m%d:" % len(value))
        for key, item in value.items():
            form(key, put)
            form(item, put)
    else:
        raise TypeError(f"a value of {kind}")


def values(f):
    # Named types in unions come as pairs of name and value; so they find their branch again when they are written.
    return fastavro.reader(f, return_named_type=True)


def schema_of(reader):
    """All of it, attributes too, names in full."""
    schema = fastavro.parse_schema(json.loads(reader.metadata["avro.schema"]))
    return json.dumps(plain(schema), sort_keys=True)


def plain(schema):
    """Without fastavro's notes, and `{"type": "int"}` as `"int"`."""
    if isinstance(schema, list):
        return [plain(s) for s in schema]
    if isinstance(schema, dict):
        if schema.keys() == {"type"}:
            return plain(schema["type"])
        return {k: plain(v) for k, v in schema.items() if not k.startswith("__")}
    return schema


def read(path):
    seen, stored, records, in_blocks = hashlib.sha256(), hashlib.sha256(), 0, 0
    with open(path, "rb") as f:
        reader = values(f)
        for value in reader:
            form(value, seen.update)
            records += 1
        schema = schema_of(reader)
    with open(path, "rb") as f:
        for block in fastavro.block_reader(f):
            stored.update(block.bytes_.getvalue())
            in_blocks += block.num_records
    if in_blocks != records:
        raise ValueError(f"{records} records, {in_blocks} in blocks")
    return ["ok", str(records), seen.hexdigest(), stored.hexdigest(), hashlib.sha256(schema.encode()).hexdigest()]


def write(source, target, codec, level):
    with open(source, "rb") as f, open(target, "wb") as out:
        reader = values(f)
        options = {"codec_compression_level": int(level)} if level else {}
        fastavro.writer(out, reader.writer_schema, reader, codec=codec, **options)
    return ["ok"]


def main():
    print("fastavro", fastavro.__version__, "null,deflate,snappy,bzip2,xz,zstandard", sep="\t", flush=True)
    commands = {"read": read, "write": write}
    for line in sys.stdin:
        name, *words = line.rstrip("\n").split("\t")
        try:
            answer = commands[name](*words)
        except Exception as e:
            answer = ["error", " ".join(f"{type(e).__name__}: {e}".split())]
        print("\t".join(answer), flush=True)


main()
