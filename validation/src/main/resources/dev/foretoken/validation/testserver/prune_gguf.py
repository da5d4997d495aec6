#!/usr/bin/env python3
"""Writes a GGUF with the first layers of another one: a drafter that shares the target's vocabulary.

usage: prune_gguf.py SOURCE TARGET LAYERS
"""
import os
import re
import sys

from gguf import GGUFReader, GGUFValueType, GGUFWriter


def add_field(writer, field, value):
    kind = field.types[0]
    if kind == GGUFValueType.ARRAY:
        writer.add_key_value(field.name, value, kind, sub_type=field.types[-1])
    else:
        writer.add_key_value(field.name, value, kind)


def main():
    source, target, layers = sys.argv[1], sys.argv[2], int(sys.argv[3])
    reader = GGUFReader(source)
    arch = reader.get_field("general.architecture").contents()
    part = target + ".part"
    writer = GGUFWriter(part, arch)
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name == "general.architecture":
            continue
        value = layers if field.name == arch + ".block_count" else field.contents()
        add_field(writer, field, value)
    for tensor in reader.tensors:
        block = re.match(r"blk\.(\d+)\.", tensor.name)
        if block and int(block.group(1)) >= layers:
            continue
        writer.add_tensor(tensor.name, tensor.data, raw_shape=tensor.data.shape, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    os.replace(part, target)


if __name__ == "__main__":
    main()
