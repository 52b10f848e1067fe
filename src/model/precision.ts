/** In what the products with weights are computed. Floats are several times slower and larger: they show what 8 bits cost. */
export const precisions = ['int8', 'float32'] as const;
export type Precision = (typeof precisions)[number];
