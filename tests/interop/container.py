"""Container files without compression, read and written with nothing but the standard library: what the comparison
rests on must be neither our code nor a peer's."""

import hashlib
from dataclasses import dataclass, field

MAGIC = b"Obj\x01"
SYNC_SIZE = 16


@dataclass
class File:
    metadata: dict
    records: int = 0
    blocks: int = 0
    # Bytes of the values of all blocks, one behind the other; as stored, so compressed unless the codec is null.
    data: bytearray = field(default_factory=bytearray)

    @property
    def codec(self):
        return self.metadata.get("avro.codec", b"null").decode()

    @property
    def sha256(self):
        return hashlib.sha256(self.data).hexdigest()

    @property
    def of_the_user(self):
        return {k: v for k, v in self.metadata.items() if not k.startswith("avro.")}


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        end = self.at + size
        if size < 0 or end > len(self.data):
            raise ValueError(f"{size} bytes wanted at byte {self.at}, the file has {len(self.data)}")
        taken = self.data[self.at : end]
        self.at = end
        return taken

    def long(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return (value >> 1) ^ -(value & 1)


def read(path):
    with open(path, "rb") as f:
        bytes_ = Bytes(f.read())
    if bytes_.take(len(MAGIC)) != MAGIC:
        raise ValueError(f"{path} is no container file")
    file = File(header(bytes_))
    sync = bytes_.take(SYNC_SIZE)
    while bytes_.at < len(bytes_.data):
        file.records += bytes_.long()
        file.data += bytes_.take(bytes_.long())
        file.blocks += 1
        if bytes_.take(SYNC_SIZE) != sync:
            raise ValueError(f"{path}: no sync marker behind block {file.blocks}")
    return file


def header(bytes_):
    metadata = {}
    while (count := bytes_.long()) != 0:
        if count < 0:
            count = -count
            bytes_.long()
        for _ in range(count):
            key = bytes_.take(bytes_.long()).decode()
            metadata[key] = bytes_.take(bytes_.long())
    return metadata


def long(value):
    """The shortest zigzag varint."""
    value = (value << 1) ^ (value >> 63)
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def span(data):
    return long(len(data)) + data


def write(path, schema, blocks):
    """A file of codec null; a block is a list of encoded values."""
    sync = hashlib.md5(schema.encode()).digest()
    with open(path, "wb") as f:
        f.write(MAGIC + long(2))
        f.write(span(b"avro.schema") + span(schema.encode()) + span(b"avro.codec") + span(b"null"))
        f.write(long(0) + sync)
        for values in blocks:
            data = b"".join(values)
            f.write(long(len(values)) + span(data) + sync)
