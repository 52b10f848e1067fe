"""Writes a trained network as ONNX: normalisations folded into convolutions, weights in half precision, directions of length one."""
from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

EPSILON = 1e-5


class Graph:
    """Nodes in the order of execution; a weight is kept in half precision and widened when the graph is opened."""

    def __init__(self, weights: dict[str, np.ndarray]):
        self.weights, self.nodes, self.tensors = weights, [], []

    def add(self, operator: str, *inputs: str, **attributes) -> str:
        output = f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    def tensor(self, values: np.ndarray) -> str:
        name = f"tensor_{len(self.tensors)}"
        large = values.dtype == np.float32 and values.size > 1024
        self.tensors.append(numpy_helper.from_array(values.astype(np.float16) if large else values, name))
        return self.add("Cast", name, to=TensorProto.FLOAT) if large else name

    def ints(self, *values: int) -> str:
        return self.tensor(np.array(values, dtype=np.int64))

    def norm(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """A normalisation as a factor and an offset for each channel."""
        w = self.weights
        factor = w[f"{name}.weight"] / np.sqrt(w[f"{name}.running_var"] + EPSILON)
        return factor, w[f"{name}.bias"] - w[f"{name}.running_mean"] * factor

    def conv(self, x: str, name: str, **attributes) -> str:
        """A convolution and the normalisation behind it."""
        factor, offset = self.norm(f"{name}.1")
        weight = self.weights[f"{name}.0.weight"]
        folded = weight * factor.reshape(-1, *[1] * (weight.ndim - 1))
        return self.add("Conv", x, self.tensor(folded.astype(np.float32)), self.tensor(offset.astype(np.float32)), **attributes)

    def plain_conv(self, x: str, name: str) -> str:
        return self.add("Conv", x, self.tensor(self.weights[f"{name}.weight"]), self.tensor(self.weights[f"{name}.bias"]))

    def scaled(self, x: str, name: str, shape: tuple[int, ...]) -> str:
        factor, offset = (each.astype(np.float32).reshape(shape) for each in self.norm(name))
        return self.add("Add", self.add("Mul", x, self.tensor(factor)), self.tensor(offset))

    def relu(self, x: str) -> str:
        return self.add("Relu", x)


def write_network(kind: str, weights: dict[str, np.ndarray], path: Path) -> None:
    graph = Graph(weights)
    if kind in ("tdnn", "resnet"):
        inputs = helper.make_tensor_value_info("features", TensorProto.FLOAT, ["pieces", 80, "frames"])
        x = graph.add("Sub", "features", graph.add("ReduceMean", "features", axes=[2], keepdims=1))
    else:
        width = len(weights["norm.weight"])
        inputs = helper.make_tensor_value_info("states", TensorProto.FLOAT, ["pieces", "frames", width])
        x = graph.add("Transpose", "states", perm=[0, 2, 1])
    x = graph.scaled(x, "norm", (1, -1, 1))
    x = pool(graph, resnet(graph, x) if kind == "resnet" else tdnn(graph, x))
    graph.nodes.append(helper.make_node("LpNormalization", [x], ["directions"], axis=1, p=2))
    outputs = helper.make_tensor_value_info("directions", TensorProto.FLOAT, ["pieces", 128])
    model = helper.make_model(
        helper.make_graph(graph.nodes, f"speakers-{kind}", [inputs], [outputs], graph.tensors),
        opset_imports=[helper.make_opsetid("", 13)],
        producer_name="siann",
        ir_version=8,
    )
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def tdnn(graph: Graph, x: str) -> str:
    x = graph.relu(graph.conv(x, "stem", pads=[2, 2]))
    depths = []
    for index, dilation in enumerate((1, 2, 3, 4)):
        name = f"blocks.{index}"
        y = graph.relu(graph.conv(x, f"{name}.enter"))
        y = graph.relu(graph.conv(y, f"{name}.spread", pads=[dilation, dilation], dilations=[dilation], group=4))
        y = graph.conv(y, f"{name}.leave")
        mean = graph.add("ReduceMean", y, axes=[2], keepdims=1)
        inner = graph.relu(graph.plain_conv(mean, f"{name}.squeeze"))
        weight = graph.add("Sigmoid", graph.plain_conv(inner, f"{name}.excite"))
        x = graph.relu(graph.add("Add", x, graph.add("Mul", y, weight)))
        depths.append(x)
    return graph.relu(graph.conv(graph.add("Concat", *depths, axis=1), "join"))


def resnet(graph: Graph, x: str) -> str:
    x = graph.add("Unsqueeze", x, graph.ints(1))
    x = graph.relu(graph.conv(x, "stem", pads=[1, 1, 1, 1], strides=[2, 1]))
    count = 1 + max(int(name.split(".")[1]) for name in graph.weights if name.startswith("blocks."))
    for name in (f"blocks.{index}" for index in range(count)):
        outputs, inputs = graph.weights[f"{name}.enter.0.weight"].shape[:2]
        strides = [1, 1] if outputs == inputs else [2, 2]
        if f"{name}.skip.0.weight" not in graph.weights:
            strides = [1, 1]
        y = graph.relu(graph.conv(x, f"{name}.enter", pads=[1, 1, 1, 1], strides=strides))
        y = graph.conv(y, f"{name}.leave", pads=[1, 1, 1, 1])
        skip = graph.conv(x, f"{name}.skip", strides=strides) if f"{name}.skip.0.weight" in graph.weights else x
        x = graph.relu(graph.add("Add", y, skip))
    channels = graph.weights["pool.attend.weight"].shape[1]
    return graph.add("Reshape", x, graph.ints(0, channels, -1))


def pool(graph: Graph, x: str) -> str:
    inner = graph.add("Tanh", graph.plain_conv(x, "pool.attend"))
    weight = graph.add("Softmax", graph.plain_conv(inner, "pool.score"), axis=2)
    total = lambda tensor: graph.add("ReduceSum", tensor, graph.ints(2), keepdims=0)
    weighted = graph.add("Mul", weight, x)
    mean = total(weighted)
    variance = graph.add("Sub", total(graph.add("Mul", weighted, x)), graph.add("Mul", mean, mean))
    spread = graph.add("Sqrt", graph.add("Max", variance, graph.tensor(np.array(1e-5, dtype=np.float32))))
    joined = graph.scaled(graph.add("Concat", mean, spread, axis=1), "pool.norm", (1, -1))
    weights = graph.weights
    factor, offset = graph.norm("pool.last")
    matrix = (weights["pool.out.weight"] * factor[:, None]).T.astype(np.float32)
    bias = (weights["pool.out.bias"] * factor + offset).astype(np.float32)
    return graph.add("Add", graph.add("MatMul", joined, graph.tensor(matrix)), graph.tensor(bias))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--weights", type=Path, required=True, help="speakers-NETWORK.npz, as train.py wrote it")
    options.add_argument("--target", type=Path, required=True)
    given = options.parse_args()
    kind = given.weights.stem.split("-", 1)[1]
    write_network(kind, dict(np.load(given.weights)), given.target)
    print(f"{given.target}: {given.target.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
