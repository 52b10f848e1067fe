import { atMost, type Figure } from '../figures/figure.ts';
import type { Footprint } from './served-process.ts';

/** The memory of the service, which may have grown by what V8 lets lie before it collects it. */
export function noMoreMemory(
  check: string,
  during: string,
  before: Pick<Footprint, 'residentBytes'>,
  after: Pick<Footprint, 'residentBytes'>,
  allowedBytes: number,
): Figure {
  return {
    id: `${check}/memory`,
    what: `${during}: memory of the service afterwards`,
    ...atMost(megabytes(before.residentBytes + allowedBytes), megabytes(after.residentBytes)),
    unit: 'MB',
    note: `${megabytes(before.residentBytes)} before`,
    minor: true,
  };
}

export function noMoreFiles(
  check: string,
  during: string,
  before: Pick<Footprint, 'openFiles'>,
  after: Pick<Footprint, 'openFiles'>,
): Figure {
  return {
    id: `${check}/files`,
    what: `${during}: open files afterwards`,
    ...atMost(before.openFiles, after.openFiles),
    minor: true,
  };
}

export function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
