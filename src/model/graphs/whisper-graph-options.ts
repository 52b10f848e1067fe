import type { IntegerKind } from '../integer-kind.ts';
import type { OutsideWeights } from '../onnx/graph-builder.ts';
import type { Precision } from '../precision.ts';
import type { PublishedWeights } from '../weights/published-weights.ts';
import type { WhisperShape } from '../whisper-shape.ts';

/** What every graph of Whisper is built from. */
export type WhisperGraphOptions = {
  weights: PublishedWeights;
  shape: WhisperShape;
  integers: IntegerKind;
  /** Where large weights go; without it they stay inside the graph. */
  outside?: OutsideWeights;
  /** `int8` unless told otherwise. */
  precision?: Precision;
};
