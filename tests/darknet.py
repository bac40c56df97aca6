"""Turns a Darknet model (a ``.cfg`` and a ``.weights`` file) into ONNX, for tests on real weights.

Source of the layout of the weights: Darknet, ``parser.c``: a header of three int32 and a count, then for each
convolution its biases, with batch normalisation scales, means and variances, and the kernels.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.onnx_writer import Graph

EPSILON = 1e-6
"""Source: Darknet, ``batchnorm_layer.c``, added to the root of the variance."""


def sections_of(text: str) -> list[tuple[str, dict[str, str]]]:
    """Return the sections of a cfg file in order: their names with their settings."""
    found: list[tuple[str, dict[str, str]]] = []
    for raw in text.splitlines():
        line = raw.split("#")[0].strip()
        if line.startswith("["):
            found.append((line.strip("[]"), {}))
        elif line:
            name, _, value = line.partition("=")
            found[-1][1][name.strip()] = value.strip()
    return found


def to_onnx(cfg: Path, *, weights: Path, names: Path, out: Path) -> Path:
    """Convert a model; its outputs are the raw heads."""
    sections = sections_of(cfg.read_text())
    net = sections[0][1]
    blob = np.fromfile(weights, np.float32, offset=20)
    builder = _Builder(blob, channels=int(net["channels"]))
    builder.graph.input("images", shape=("n", 3, int(net["height"]), int(net["width"])))
    for kind, settings in sections[1:]:
        getattr(builder, kind)(settings)
    assert builder.place == len(blob), "the weights do not fit the cfg"
    categories = [line for line in names.read_text().splitlines() if line]
    return builder.graph.save(out, metadata={"names": repr(categories), "version": "yolov3-tiny"}, opset=13)


class _Builder:
    """Adds a node after the other; one method per kind of section."""

    def __init__(self, blob: np.ndarray, *, channels: int) -> None:
        self.graph, self.blob, self.place = Graph(), blob, 0
        self.values, self.sizes, self.begin = [], [], channels

    def _last(self) -> tuple[str, int]:
        return (self.values[-1], self.sizes[-1]) if self.values else ("images", self.begin)

    def _keep(self, value: str, size: int) -> None:
        self.values.append(value)
        self.sizes.append(size)

    def _take(self, *shape: int) -> np.ndarray:
        count = int(np.prod(shape))
        self.place += count
        return self.blob[self.place - count : self.place].reshape(shape)

    def convolutional(self, settings: dict[str, str]) -> None:
        name, (before, channels) = f"conv{len(self.values)}", self._last()
        filters, size = int(settings["filters"]), int(settings["size"])
        bias = self._take(filters)
        has_norm = settings.get("batch_normalize") == "1"
        scale, mean, variance = (self._take(filters) for _ in range(3)) if has_norm else (None, None, None)
        kernels = self._take(filters, channels, size, size)
        if has_norm:
            factor = scale / (np.sqrt(variance) + EPSILON)
            kernels, bias = kernels * factor[:, None, None, None], bias - mean * factor
        inputs = [before, self.graph.constant(f"{name}_w", kernels), self.graph.constant(f"{name}_b", bias)]
        pad = size // 2 if settings.get("pad") == "1" else 0
        stride = int(settings["stride"])
        value = self.graph.node("Conv", inputs, name=name, pads=[pad] * 4, strides=[stride] * 2)
        if settings["activation"] == "leaky":
            value = self.graph.node("LeakyRelu", [value], name=f"{name}_a", alpha=0.1)
        self._keep(value, filters)

    def maxpool(self, settings: dict[str, str]) -> None:
        before, channels = self._last()
        size, stride = int(settings["size"]), int(settings["stride"])
        pads = [0, 0, size - 1, size - 1] if stride == 1 else [0] * 4
        value = self.graph.node(
            "MaxPool",
            [before],
            name=f"pool{len(self.values)}",
            kernel_shape=[size] * 2,
            strides=[stride] * 2,
            pads=pads,
        )
        self._keep(value, channels)

    def upsample(self, settings: dict[str, str]) -> None:
        before, channels = self._last()
        name, factor = f"up{len(self.values)}", float(settings["stride"])
        scales = self.graph.constant(f"{name}_s", np.array([1, 1, factor, factor], np.float32))
        value = self.graph.node(
            "Resize",
            [before, "", scales],
            name=name,
            mode="nearest",
            nearest_mode="floor",
            coordinate_transformation_mode="asymmetric",
        )
        self._keep(value, channels)

    def route(self, settings: dict[str, str]) -> None:
        places = [int(part) for part in settings["layers"].split(",")]
        places = [place if place >= 0 else len(self.values) + place for place in places]
        values, size = [self.values[place] for place in places], sum(self.sizes[place] for place in places)
        name = f"route{len(self.values)}"
        self._keep(
            values[0] if len(values) == 1 else self.graph.node("Concat", values, name=name, axis=1), size
        )

    def yolo(self, settings: dict[str, str]) -> None:
        before, channels = self._last()
        self.graph.node("Identity", [before], name=f"head{len(self.values)}")
        self.graph.output(f"head{len(self.values)}", rank=4)
        self._keep(before, channels)
