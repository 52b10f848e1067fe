import type { IntegerKind } from '../integer-kind.ts';
import type { GraphBuilder, TensorName } from '../onnx/graph-builder.ts';
import type { IntegerWeight } from '../weights/channel-balance.ts';

/**
 * Matrix products in 8-bit integers for many rows at once (the encoder). Each row of the input is quantised with a scale of its own:
 * with one scale for the whole input, as in the published graphs, one loud frame would cost all others their precision.
 */
export function createRowQuantisedProduct(graph: GraphBuilder, integers: IntegerKind) {
  const quantisedRows = new Map<TensorName, { bytes: TensorName; scales: TensorName }>();

  function quantiseRows(input: TensorName): { bytes: TensorName; scales: TensorName } {
    const known = quantisedRows.get(input);
    if (known) return known;
    const highest = graph.node('ReduceMax', [input, graph.ints(1)], { keepdims: 0 });
    const lowest = graph.node('ReduceMin', [input, graph.ints(1)], { keepdims: 0 });
    const scales = scaleFor(graph, highest, lowest);
    const middle = graph.node('Expand', [graph.constant(Uint8Array.of(128)), graph.node('Shape', [scales])]);
    const bytes = graph.node('QuantizeLinear', [input, scales, middle], { axis: 0 });
    const made = { bytes, scales: graph.node('Unsqueeze', [scales, graph.ints(1)]) };
    quantisedRows.set(input, made);
    return made;
  }

  /** `input` [rows, inputs] times `weight` [inputs, outputs], without a bias. */
  return (input: TensorName, name: string, weight: IntegerWeight): TensorName => {
    const { bytes, scales } = quantiseRows(input);
    const stored = storeIntegers(graph, name, weight, integers);
    return graph.contrib('MatMulIntegerToFloat', [
      bytes,
      stored.bytes,
      scales,
      typeof weight.scale === 'number'
        ? graph.constant(Float32Array.of(weight.scale))
        : graph.weight(`${name}.scales`, weight.scale, [weight.scale.length]),
      graph.constant(Uint8Array.of(128)),
      stored.zeroPoint,
    ]);
  };
}

/** A scale with which values from `lowest` to `highest` fit into −127…127. */
export function scaleFor(graph: GraphBuilder, highest: TensorName, lowest: TensorName): TensorName {
  const span = graph.node('Max', [
    highest,
    graph.node('Neg', [lowest]),
    graph.constant(Float32Array.of(1e-6)),
  ]);
  return graph.node('Mul', [span, graph.constant(Float32Array.of(1 / 127))]);
}

function storeIntegers(graph: GraphBuilder, name: string, weight: IntegerWeight, integers: IntegerKind) {
  if (integers === 'unsigned') {
    return {
      bytes: graph.weight(name, weight.bytes, weight.shape),
      zeroPoint: graph.constant(Uint8Array.of(weight.zeroPoint)),
    };
  }
  const signed = new Int8Array(weight.bytes.length);
  for (let i = 0; i < signed.length; i++) signed[i] = weight.bytes[i]! - 128;
  return {
    bytes: graph.weight(name, signed, weight.shape),
    zeroPoint: graph.constant(Int8Array.of(weight.zeroPoint - 128)),
  };
}
