/** The ledger as simply as it can be said: one map of what requests hold and one of what they were charged. */
import fc from 'fast-check';

export type LedgerStep =
  | { kind: 'reserve' | 'settle'; request: number; milliseconds: number }
  | { kind: 'release'; request: number }
  | { kind: 'crash' }
  | { kind: 'silence' }
  | { kind: 'month' };

export function ledgerSteps({ maxLength }: { maxLength: number }): fc.Arbitrary<LedgerStep[]> {
  const request = fc.integer({ min: 1, max: 6 });
  const milliseconds = fc.oneof(fc.integer({ min: 0, max: 50_000 }), fc.constant(30_000));
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('reserve' as const), request, milliseconds }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('settle' as const), request, milliseconds }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('release' as const), request }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        { kind: 'crash' as const },
        { kind: 'silence' as const },
        { kind: 'month' as const },
      ),
    },
  );
  return fc.array(step, { maxLength });
}

export function createLedgerModel(quotaMs: number) {
  const months = new Map<number, string>();
  const held = new Map<number, number>();
  const charged = new Map<number, number>();
  const total = (amounts: Map<number, number>, month?: string) =>
    [...amounts].reduce((sum, [id, amount]) => (!month || months.get(id) === month ? sum + amount : sum), 0);

  return {
    perform(step: LedgerStep, currentMonth: string): boolean {
      if (step.kind === 'crash' || step.kind === 'silence') held.clear();
      if (step.kind === 'crash' || step.kind === 'silence' || step.kind === 'month') return true;
      const { request } = step;
      if (!months.has(request)) months.set(request, currentMonth);
      const month = months.get(request)!;
      const others = total(held, month) + total(charged, month) - (held.get(request) ?? 0);
      const mine = held.get(request) ?? 0;
      switch (step.kind) {
        case 'release':
          held.delete(request);
          return true;
        case 'reserve':
          if (others + mine + step.milliseconds > quotaMs) return false;
          held.set(request, mine + step.milliseconds);
          return true;
        case 'settle':
          if (charged.has(request)) return true;
          if (step.milliseconds > mine && others + step.milliseconds > quotaMs) return false;
          held.delete(request);
          charged.set(request, step.milliseconds);
          return true;
      }
    },
    totals: () => ({ usedMs: total(charged), reservedMs: total(held) }),
  };
}
