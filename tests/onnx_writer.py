"""Writes ONNX files byte by byte, so that tests need no package for it.

Source of the field numbers: onnx.proto of ONNX 1.16.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

FLOAT, UINT8, INT64, BOOL, FLOAT16 = 1, 2, 7, 9, 10
TYPES = {"f4": FLOAT, "u1": UINT8, "i8": INT64, "b1": BOOL, "f2": FLOAT16}
Attribute = int | float | str | Sequence[int] | Sequence[float]


@dataclass
class Graph:
    """A model in the making; names of values are what nodes read and write."""

    nodes: list[bytes] = field(default_factory=list)
    constants: list[bytes] = field(default_factory=list)
    inputs: list[bytes] = field(default_factory=list)
    outputs: list[bytes] = field(default_factory=list)

    def input(self, name: str, *, shape: Sequence[int | str], kind: int = FLOAT) -> str:
        self.inputs.append(_value(name, shape=shape, kind=kind))
        return name

    def output(self, name: str, *, rank: int, kind: int = FLOAT) -> str:
        self.outputs.append(_value(name, shape=[f"{name}_{n}" for n in range(rank)], kind=kind))
        return name

    def constant(self, name: str, values: object) -> str:
        array = np.ascontiguousarray(values)
        tensor = b"".join(_number(1, size) for size in array.shape)
        tensor += _number(2, TYPES[array.dtype.str[1:]]) + _text(8, name) + _bytes(9, array.tobytes())
        self.constants.append(tensor)
        return name

    def node(self, kind: str, inputs: Sequence[str], *, name: str, **attributes: Attribute) -> str:
        content = b"".join(_text(1, one) for one in inputs) + _text(2, name) + _text(3, f"{kind}_{name}")
        content += _text(4, kind) + b"".join(_bytes(5, _attribute(k, v)) for k, v in attributes.items())
        self.nodes.append(content)
        return name

    def save(self, path: Path, *, metadata: Mapping[str, str] | None = None, opset: int = 13) -> Path:
        graph = b"".join(_bytes(1, node) for node in self.nodes) + _text(2, "graph")
        graph += b"".join(_bytes(5, one) for one in self.constants)
        graph += b"".join(_bytes(11, one) for one in self.inputs)
        graph += b"".join(_bytes(12, one) for one in self.outputs)
        model = (
            _number(1, 8) + _text(2, "tests") + _bytes(7, graph) + _bytes(8, _text(1, "") + _number(2, opset))
        )
        model += b"".join(_bytes(14, _text(1, k) + _text(2, v)) for k, v in (metadata or {}).items())
        path.write_bytes(model)
        return path


def _value(name: str, *, shape: Sequence[int | str], kind: int) -> bytes:
    sides = (_number(1, size) if isinstance(size, int) else _text(2, size) for size in shape)
    tensor = _number(1, kind) + _bytes(2, b"".join(_bytes(1, side) for side in sides))
    return _text(1, name) + _bytes(2, _bytes(1, tensor))


def _attribute(name: str, value: Attribute) -> bytes:
    head = _text(1, name)
    if isinstance(value, str):
        return head + _text(4, value) + _number(20, 3)
    if isinstance(value, int):
        return head + _number(3, value) + _number(20, 2)
    if isinstance(value, float):
        return head + _fixed(2, value) + _number(20, 1)
    if all(isinstance(one, int) for one in value):
        return head + b"".join(_number(8, int(one)) for one in value) + _number(20, 7)
    return head + b"".join(_fixed(7, one) for one in value) + _number(20, 6)


def _number(index: int, value: int) -> bytes:
    return _varint(index << 3) + _varint(value & 0xFFFF_FFFF_FFFF_FFFF)


def _fixed(index: int, value: float) -> bytes:
    return _varint(index << 3 | 5) + struct.pack("<f", value)


def _bytes(index: int, value: bytes) -> bytes:
    return _varint(index << 3 | 2) + _varint(len(value)) + value


def _text(index: int, value: str) -> bytes:
    return _bytes(index, value.encode())


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def fixed_outputs(
    path: Path, outputs: Sequence[np.ndarray], *, size_px: int, batch: int | str = 1, **metadata: str
) -> Path:
    """Save a model that writes the same whatever it is given."""
    graph = Graph()
    graph.input("images", shape=(batch, 3, size_px, size_px))
    for index, values in enumerate(outputs):
        graph.constant(f"c{index}", values)
        graph.node("Identity", [f"c{index}"], name=f"out{index}")
        graph.output(f"out{index}", rank=values.ndim, kind=TYPES[values.dtype.str[1:]])
    return graph.save(path, metadata=metadata)


def red_finder(path: Path, *, size_px: int, batch: int | str = "n", **metadata: str) -> Path:
    """Save a model that finds the smallest box around what is red: one finished row a picture.

    Its score is how red the reddest pixel is, 0 where nothing is red.
    """
    graph = Graph()
    graph.input("images", shape=(batch, 3, size_px, size_px))
    for name, channel in (("red", 0), ("green", 1)):
        graph.constant(f"{name}_at", np.array([channel], np.int64))
        graph.node("Gather", ["images", f"{name}_at"], name=name, axis=1)
    graph.node("Sub", ["red", "green"], name="difference")
    graph.constant("half", np.array(0.5, np.float32))
    graph.node("Greater", ["difference", "half"], name="is_red")
    graph.node("Cast", ["is_red"], name="mask", to=FLOAT)
    parts = []
    count = np.arange(1, size_px + 1, dtype=np.float32)
    for side, axis in (("x", 2), ("y", 3)):
        graph.node("ReduceMax", ["mask"], name=f"line_{side}", axes=[axis], keepdims=0)
        for end, ramp in (("high", count), ("low", size_px + 1 - count)):
            graph.constant(f"ramp_{side}_{end}", ramp)
            graph.node("Mul", [f"line_{side}", f"ramp_{side}_{end}"], name=f"at_{side}_{end}")
            graph.node("ReduceMax", [f"at_{side}_{end}"], name=f"{side}_{end}", axes=[2], keepdims=1)
        graph.constant(f"size_{side}", np.array(size_px, np.float32))
        graph.node("Sub", [f"size_{side}", f"{side}_low"], name=f"{side}_first")
    graph.node("ReduceMax", ["difference"], name="reddest", axes=[2, 3], keepdims=0)
    graph.constant("one_axis", np.array([2], np.int64))
    graph.node("Unsqueeze", ["reddest", "one_axis"], name="unclipped")
    graph.node("Relu", ["unclipped"], name="score")
    graph.constant("none", np.array(0, np.float32))
    graph.node("Mul", ["score", "none"], name="category")
    parts = ["x_first", "y_first", "x_high", "y_high", "score", "category"]
    graph.node("Concat", parts, name="found", axis=2)
    graph.output("found", rank=3)
    return graph.save(path, metadata=metadata)


def colour_segmenter(folder: Path, *, style: str = "sam", side_px: int = 256) -> tuple[Path, Path]:
    """Save an encoder and a decoder that find what has the colour of a point, and return their files.

    The embedding is the image at a quarter of its size. A positive point takes its colour, a negative one
    leaves it out, and a box takes the colour in its middle.

    Args:
        folder: Where they are saved.
        style: Names and shapes as exported from ``sam``, ``edge`` (EdgeSAM) or ``sam2``.
        side_px: Side of the encoder's input.
    """
    folder.mkdir(parents=True, exist_ok=True)
    feature = {"sam": "image_embeddings", "edge": "features", "sam2": "high_res_feats_0"}[style]
    encoder = Graph()
    encoder.input("image", shape=(1, 3, side_px, side_px))
    encoder.node("AveragePool", ["image"], name=feature, kernel_shape=[4, 4], strides=[4, 4])
    encoder.output(feature, rank=4)
    if style == "sam2":
        encoder.node("Identity", ["image"], name="image_embed")
        encoder.output("image_embed", rank=4)
    decoder = Graph()
    low = side_px // 4
    decoder.input("image_embeddings" if style == "edge" else feature, shape=(1, 3, low, low))
    decoder.input("point_coords", shape=(1, "n", 2))
    decoder.input("point_labels", shape=(1, "n"))
    if style == "sam2":
        decoder.input("image_embed", shape=(1, 3, side_px, side_px))
    if style != "edge":
        decoder.input("mask_input", shape=(1, 1, low, low))
        decoder.input("has_mask_input", shape=(1,))
    if style == "sam":
        decoder.input("orig_im_size", shape=(2,))
    _decode_colour(decoder, "image_embeddings" if style == "edge" else feature, low=low)
    masks, scores = {
        "sam": ("low_res_masks", "iou_predictions"),
        "edge": ("masks", "scores"),
        "sam2": ("masks", "iou_predictions"),
    }[style]
    # A second mask with a lower score, which nobody wants.
    decoder.constant("minus", np.array(-1, np.float32))
    decoder.node("Mul", ["mask", "minus"], name="worse")
    decoder.node("Concat", ["worse", "mask"], name=masks, axis=1)
    decoder.constant("two_scores", np.array([[0.25, 0.75]], np.float32))
    decoder.node("Identity", ["two_scores"], name=scores)
    if style == "sam":
        # As in the published export: the masks at the size of the image come first.
        decoder.node("Identity", [masks], name="masks")
        decoder.output("masks", rank=4)
    decoder.output(masks, rank=4)
    decoder.output(scores, rank=2)
    return encoder.save(folder / "tiny.encoder.onnx"), decoder.save(folder / "tiny.decoder.onnx")


def _decode_colour(graph: Graph, feature: str, *, low: int) -> None:
    """Add the nodes that give ``mask``, (1, 1, low, low): above 0 where the colour is that of the prompt."""
    for name, value in (("zero", 0.0), ("one", 1.0), ("half", 0.5), ("stride", 4.0), ("near", 0.75)):
        graph.constant(name, np.array(value, np.float32))
    for name, indices in (("axis_0", [0]), ("axis_1", [1]), ("axis_2", [2])):
        graph.constant(name, np.array(indices, np.int64))
    # The middle of a box is one more point, with the label 1 where there is a box, else -1.
    graph.constant("corner_label", np.array(1.5, np.float32))
    graph.node("Greater", ["point_labels", "corner_label"], name="is_corner_bool")
    graph.node("Cast", ["is_corner_bool"], name="is_corner", to=FLOAT)
    graph.node("Unsqueeze", ["is_corner", "axis_2"], name="corner_column")
    graph.node("Mul", ["point_coords", "corner_column"], name="corners")
    graph.node("ReduceSum", ["corners", "axis_1"], name="corner_sum", keepdims=1)
    graph.node("Mul", ["corner_sum", "half"], name="middle")
    graph.node("Concat", ["point_coords", "middle"], name="all_points", axis=1)
    graph.node("ReduceMax", ["is_corner"], name="has_box", axes=[1], keepdims=1)
    graph.node("Add", ["has_box", "has_box"], name="twice_box")
    graph.node("Sub", ["twice_box", "one"], name="middle_label")
    graph.node("Concat", ["point_labels", "middle_label"], name="all_labels", axis=1)
    # The colour at each point: (1, n, 3).
    graph.node("Div", ["all_points", "stride"], name="fine_places")
    graph.constant("last", np.array(low - 1, np.float32))
    graph.node("Min", ["fine_places", "last"], name="held_places")
    graph.node("Cast", ["held_places"], name="places_xy", to=7)
    graph.constant("y_then_x", np.array([1, 0], np.int64))
    graph.node("Gather", ["places_xy", "y_then_x"], name="places", axis=2)
    graph.node("Transpose", [feature], name="channels_last", perm=[0, 2, 3, 1])
    graph.node("GatherND", ["channels_last", "places"], name="colours", batch_dims=1)
    # Likeness of each pixel with each point: (1, n, low, low).
    graph.node("Unsqueeze", ["channels_last", "axis_1"], name="pixels")
    graph.constant("axes_2_3", np.array([2, 3], np.int64))
    graph.node("Unsqueeze", ["colours", "axes_2_3"], name="point_colours")
    graph.node("Sub", ["pixels", "point_colours"], name="differences")
    graph.node("Abs", ["differences"], name="sizes")
    graph.node("ReduceMax", ["sizes"], name="distance", axes=[4], keepdims=0)
    graph.node("Sub", ["near", "distance"], name="likeness")
    for name, label in (("wanted", 1.0), ("refused", 0.0)):
        graph.constant(f"{name}_label", np.array(label, np.float32))
        graph.node("Sub", ["all_labels", f"{name}_label"], name=f"{name}_off")
        graph.node("Abs", [f"{name}_off"], name=f"{name}_far")
        graph.node("Less", [f"{name}_far", "half"], name=f"{name}_flat")
        graph.node("Unsqueeze", [f"{name}_flat", "axes_2_3"], name=f"is_{name}")
        graph.constant(f"{name}_none", np.array(-9, np.float32))
        graph.node("Where", [f"is_{name}", "likeness", f"{name}_none"], name=f"{name}_only")
        graph.node("ReduceMax", [f"{name}_only"], name=f"{name}_likeness", axes=[1], keepdims=1)
    graph.node("Neg", ["refused_likeness"], name="not_refused")
    graph.node("Min", ["wanted_likeness", "not_refused"], name="mask")
