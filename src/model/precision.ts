/** In what the products with weights are computed. Floats are several times slower and larger: they show what 8 bits cost. */
export type Precision = 'int8' | 'float32';
