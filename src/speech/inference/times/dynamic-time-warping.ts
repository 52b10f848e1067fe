/** A path through a cost matrix [rows, columns] from corner to corner: the row and column of each of its steps. */
export type WarpingPath = { rows: number[]; columns: number[] };

/** The cheapest path that never goes back (Sakoe & Chiba 1978), moving by one row, one column, or both. */
export function warp(cost: Float32Array, rows: number, columns: number): WarpingPath {
  const stride = columns + 1;
  const total = new Float64Array((rows + 1) * stride).fill(Number.POSITIVE_INFINITY);
  const cameFrom = new Uint8Array((rows + 1) * stride);
  total[0] = 0;
  for (let row = 1; row <= rows; row++) {
    for (let column = 1; column <= columns; column++) {
      const at = row * stride + column;
      const [both, down, along] = [total[at - stride - 1]!, total[at - stride]!, total[at - 1]!];
      const best = Math.min(both, down, along);
      cameFrom[at] = best === both ? 0 : best === down ? 1 : 2;
      total[at] = best + cost[(row - 1) * columns + column - 1]!;
    }
  }
  const path: WarpingPath = { rows: [], columns: [] };
  for (let row = rows, column = columns; row > 0 || column > 0; ) {
    path.rows.push(row - 1);
    path.columns.push(column - 1);
    const from = row === 0 ? 2 : column === 0 ? 1 : cameFrom[row * stride + column]!;
    if (from !== 2) row--;
    if (from !== 1) column--;
  }
  path.rows.reverse();
  path.columns.reverse();
  return path;
}
