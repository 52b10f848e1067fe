import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { GraphBuilder } from '../../../src/model/onnx/graph-builder.ts';
import { readOnnx } from '../../../src/model/onnx/onnx-reader.ts';

test('weights of a written graph are read back with their type, shape and bytes', () => {
  const graph = new GraphBuilder();
  const weights = {
    floats: { data: Float32Array.of(1.5, -2, 3, 0, 5, 6), shape: [2, 3], elementType: 'float32' },
    unsigned: { data: Uint8Array.of(0, 128, 255), shape: [3], elementType: 'uint8' },
    signed: { data: Int8Array.of(-128, 0, 127), shape: [3, 1], elementType: 'int8' },
    long: { data: BigInt64Array.of(-1n, 2n ** 40n), shape: [2], elementType: 'int64' },
    scalar: { data: Float32Array.of(0.25), shape: [], elementType: 'float32' },
  };
  for (const [name, { data, shape }] of Object.entries(weights)) graph.weight(name, data, shape);
  const { tensors } = readOnnx(Buffer.concat(graph.model('weights')));
  assert.deepEqual([...tensors.keys()], Object.keys(weights));
  for (const [name, { data, shape, elementType }] of Object.entries(weights)) {
    const read = tensors.get(name)!;
    assert.deepEqual(read.shape, shape);
    assert.equal(read.elementType, elementType);
    assert.deepEqual(Buffer.from(read.bytes), Buffer.from(data.buffer));
  }
});

test('quantised products are found by name, in the graph and in the branches of an If', () => {
  const branch = new GraphBuilder('inner_');
  branch.node('ConvInteger', ['x', branch.weight('kernel', Int8Array.of(1), [1, 1, 1])]);
  const graph = new GraphBuilder();
  graph.node('MatMulInteger', ['x', graph.weight('matrix', Uint8Array.of(1), [1, 1])]);
  graph.node('MatMul', ['x', graph.weight('plain', Float32Array.of(1), [1, 1])]);
  graph.node('If', ['condition'], { then_branch: branch });
  const { products, tensors } = readOnnx(Buffer.concat(graph.model('nested')));
  assert.deepEqual(products, [
    { name: 'MatMulInteger_0', weight: 'matrix' },
    { name: 'inner_ConvInteger_0', weight: 'kernel' },
  ]);
  assert.deepEqual([...tensors.keys()], ['matrix', 'plain', 'kernel']);
});

test('a written graph with every kind of attribute runs in onnxruntime', async () => {
  const graph = new GraphBuilder();
  const x = graph.input('x', 'float32', ['rows', 3]);
  const condition = graph.input('condition', 'bool', []);
  const turned = graph.node('Transpose', [x], { perm: [1, 0] });
  const scaled = graph.contrib('FusedMatMul', [turned, x], { alpha: 0.5, transA: 0 });
  const branches = [graph, graph].map((_, index) => {
    const branch = new GraphBuilder(`branch${index}_`);
    branch.nodeTo([`given${index}`], 'Add', [scaled, branch.constant(Float32Array.of(100 * index))]);
    branch.output(`given${index}`, 'float32', [3, 3]);
    return branch;
  });
  graph.nodeTo(['y'], 'If', [condition], { then_branch: branches[1]!, else_branch: branches[0]! });
  graph.output('y', 'float32', [3, 3]);

  const session = await InferenceSession.create(Buffer.concat(graph.model('attributes')));
  for (const [value, added] of [
    [false, 0],
    [true, 100],
  ] as const) {
    const { y } = await session.run({
      x: new Tensor('float32', Float32Array.of(1, 2, 3, 4, 5, 6), [2, 3]),
      condition: new Tensor('bool', [value], []),
    });
    const expected = [17, 22, 27, 22, 29, 36, 27, 36, 45].map((sum) => 0.5 * sum + added);
    assert.deepEqual([...(y!.data as Float32Array)], expected);
  }
  await session.release();
});

test('equal constants are stored once', () => {
  const graph = new GraphBuilder();
  assert.equal(graph.ints(1, 2), graph.ints(1, 2));
  assert.notEqual(graph.ints(1), graph.constant(Float32Array.of(1)));
  assert.notEqual(graph.constant(Float32Array.of(1)), graph.constant(Float32Array.of(1), [1]));
  assert.equal(readOnnx(Buffer.concat(graph.model('constants'))).tensors.size, 4);
});
