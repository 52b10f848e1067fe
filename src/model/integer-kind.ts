import { readFileSync } from 'node:fs';
import { arch, platform } from 'node:os';

/** Whether 8-bit weights are stored signed or unsigned. */
export type IntegerKind = 'signed' | 'unsigned';

/**
 * Signed weights are fast where the processor multiplies unsigned by signed bytes without overflow: Arm, and x64 with VNNI.
 * Older x64 saturates at 16 bits in that product, which garbles text, so there the weights stay unsigned.
 */
export function integerKind(): IntegerKind {
  if (arch() !== 'x64') return 'signed';
  if (platform() !== 'linux') return 'unsigned';
  return /^flags\s*:.*\b(avx512_vnni|avx_vnni)\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'))
    ? 'signed'
    : 'unsigned';
}
