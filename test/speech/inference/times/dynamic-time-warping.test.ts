import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { warp } from '../../../../src/speech/inference/times/dynamic-time-warping.ts';

const matrices = fc
  .record({ rows: fc.integer({ min: 1, max: 5 }), columns: fc.integer({ min: 1, max: 5 }) })
  .chain(({ rows, columns }) =>
    fc.record({
      rows: fc.constant(rows),
      columns: fc.constant(columns),
      cost: fc.array(fc.integer({ min: -9, max: 9 }), {
        minLength: rows * columns,
        maxLength: rows * columns,
      }),
    }),
  );

test('no path is cheaper, tried one by one on small matrices', () => {
  fc.assert(
    fc.property(matrices, ({ rows, columns, cost }) => {
      const path = warp(Float32Array.from(cost), rows, columns);
      const total = path.rows.reduce((sum, row, step) => sum + cost[row * columns + path.columns[step]!]!, 0);
      assert.equal(total, cheapest(rows - 1, columns - 1));

      function cheapest(row: number, column: number): number {
        if (row < 0 || column < 0) return Number.POSITIVE_INFINITY;
        const here = cost[row * columns + column]!;
        if (row === 0 && column === 0) return here;
        return (
          here + Math.min(cheapest(row - 1, column - 1), cheapest(row - 1, column), cheapest(row, column - 1))
        );
      }
    }),
  );
});

test('a path goes from corner to corner in steps of at most one row and one column', () => {
  fc.assert(
    fc.property(matrices, ({ rows, columns, cost }) => {
      const path = warp(Float32Array.from(cost), rows, columns);
      const steps = path.rows.map((row, step) => [row, path.columns[step]!] as const);
      assert.deepEqual(steps[0], [0, 0]);
      assert.deepEqual(steps.at(-1), [rows - 1, columns - 1]);
      for (const [index, [row, column]] of steps.entries()) {
        if (index === 0) continue;
        const [down, along] = [row - steps[index - 1]![0], column - steps[index - 1]![1]];
        assert([0, 1].includes(down) && [0, 1].includes(along) && down + along > 0);
      }
    }),
  );
});
