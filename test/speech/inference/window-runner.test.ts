import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WindowRunner } from '../../../src/speech/inference/window-runner.ts';
import type { WindowJob, WindowResult } from '../../../src/speech/windows/window-messages.ts';
import { end, letters, time } from '../small-vocabulary.ts';
import { createFakeNetwork, type FakeNetworkOptions, type FakeWindow } from './fake-network.ts';

const audioSeconds = 2;
const texts = ['thequick', 'brownfoxjumps', 'over', 'thelittledog', 'packthebox', 'withfivemore'];

describe('windows side by side', () => {
  it('get each its own text, whichever leaves first', async () => {
    const { runner } = open(texts.map((text, mark) => says(mark, text)));
    const results = await Promise.all(texts.map((_, mark) => run(runner, mark)));
    assert.deepEqual(results.map(textOf), texts);
  });

  it('join while others are being decoded', async () => {
    let late: Promise<WindowResult> | undefined;
    const { runner, network } = open([says(0, 'brownfoxjumps'), says(1, 'over')], {
      onRun: (name) => {
        if (name === 'step 0') late ??= run(runner, 1);
      },
    });
    assert.equal(textOf(await run(runner, 0)), 'brownfoxjumps');
    assert.equal(textOf(await late!), 'over');
    assert(network.runs.includes('step 0 1'), 'they made a step together');
  });

  it('never take more rows than the decoder has', async () => {
    const { runner, network } = open(
      texts.map((text, mark) => says(mark, text)),
      { capacity: 2 },
    );
    const results = await Promise.all(texts.map((_, mark) => run(runner, mark)));
    assert.deepEqual(results.map(textOf), texts); // the decoder itself refuses a third row
    assert(network.runs.includes('step 0 1'));
  });

  it('are all failed when the decoder moves another row than its last into a freed one', async () => {
    const { runner, network } = open([says(0, 'brownfoxjumps'), says(1, 'over'), says(2, 'thelittledog')], {
      removeRow: (rows, row) => {
        rows.splice(row, 1); // the rows behind it all move up
        return row;
      },
    });
    const results = await Promise.allSettled([0, 1, 2].map((mark) => run(runner, mark)));
    for (const result of results) {
      assert(result.status === 'rejected');
      assert.match(result.reason.message, /another row than its last/);
    }
    assert.equal(network.decoder.count, 0);
  });
});

describe('a window in which several languages are spoken', () => {
  it('is handed back to be cut, and leaves its row', async () => {
    const { runner, network } = open([{ ...says(0, 'never'), languages: ['zh', 'zh', 'en'] }]);
    const speech = [
      { startSeconds: 0, endSeconds: 1 },
      { startSeconds: 1, endSeconds: 2 },
    ];
    const result = await run(runner, 0, { language: 'mixed', speech });
    assert('languages' in result);
    assert.deepEqual(
      result.languages.map(({ language }) => language),
      ['zh', 'en'],
    );
    assert.deepEqual([network.decoder.count, network.runs.includes('open 0')], [0, false]);
  });
});

describe('a more urgent window', () => {
  it('comes in between the parts of another encoding, and is done before that goes on', async () => {
    let urgent: Promise<WindowResult> | undefined;
    const { runner, network } = open([says(0, 'file'), says(1, 'final')], {
      onRun: (name) => {
        if (name === 'encode 0 part 0') urgent = run(runner, 1, { urgency: 'final' });
      },
    });
    await run(runner, 0, { urgency: 'file' });
    assert.equal(textOf(await urgent!), 'final');
    const others = network.runs.slice(1, network.runs.indexOf('encode 0 part 1'));
    assert.equal(others[0], 'encode 1 part 0');
    assert(others.every((name) => / 1( |$)/.test(name)) && others.includes('step 1'), others.join(', '));
    const steps = 'final'.length + 2; // with both timestamps; the first token comes with the opening
    assert.equal(others.filter((name) => name === 'step 1').length, steps);
  });

  it('does not come in when it is only as urgent', async () => {
    let other: Promise<WindowResult> | undefined;
    const { runner, network } = open([says(0, 'first'), says(1, 'second')], {
      onRun: (name) => {
        if (name === 'encode 0 part 0') other = run(runner, 1, { urgency: 'file' });
      },
    });
    await run(runner, 0, { urgency: 'file' });
    await other!;
    assert.deepEqual(network.runs.slice(0, 5), [
      ...['encode 0 part 0', 'encode 0 part 1', 'encode 0 part 2'],
      ...['detect 0', 'open 0'],
    ]);
  });

  it('is decoded alone, while others wait in their rows and before them', async () => {
    const done: number[] = [];
    const later: Promise<unknown>[] = [];
    const start = (mark: number, urgency: WindowJob['urgency']) =>
      later.push(run(runner, mark, { urgency }).then(() => done.push(mark)));
    const { runner, network } = open([says(0, 'brownfoxjumps'), says(1, 'partial'), says(2, 'over')], {
      onRun: (name) => {
        if (name !== 'step 0' || later.length > 0) return;
        start(1, 'partial');
        start(2, 'file');
      },
    });
    await run(runner, 0, { urgency: 'file' }).then(() => done.push(0));
    await Promise.all(later);
    assert.equal(done[0], 1);
    const from = network.runs.indexOf('open 1') + 1;
    const alone = network.runs.slice(from, from + 'partial'.length + 2);
    assert.deepEqual(new Set(alone), new Set(['prompt 1']));
    assert.equal(network.runs[from + alone.length], 'encode 2 part 0');
  });

  it('goes in the order file, interactive, partial, final', async () => {
    const order = ['final', 'partial', 'interactive', 'file'] as const;
    const { runner } = open(order.map((text, mark) => says(mark, text)));
    const done: string[] = [];
    // Each begins while nothing else is there to be compared with but those that wait.
    await Promise.all(
      order.toReversed().map(async (urgency) => {
        await run(runner, order.indexOf(urgency), { urgency });
        done.push(urgency);
      }),
    );
    assert.deepEqual(done, order);
  });

  it('waits when no row is left for it, instead of holding up the window that will free one', async () => {
    let urgent: Promise<WindowResult> | undefined;
    const { runner } = open([says(0, 'file'), says(1, 'final')], {
      capacity: 1,
      onRun: (name) => {
        if (name === 'encode 0 part 0') urgent = run(runner, 1, { urgency: 'final' });
      },
    });
    assert.equal(textOf(await run(runner, 0, { urgency: 'file' })), 'file');
    assert.equal(textOf(await urgent!), 'final');
  });
});

describe('a draft', () => {
  const sentence = [time(0), ...letters('thequickbrownfox')];

  it('is kept in one run as far as the window still says it', async () => {
    const { runner, network } = open([says(0, 'thequickbrownfox')]);
    const result = await run(runner, 0, { draft: sentence.slice(0, 10) });
    assert.equal(textOf(result), 'thequickbrownfox');
    assert.equal(network.runs.filter((name) => name === 'step 0').length, stepsFor('thequickbrownfox') - 10);
  });

  it('is cut where the window now says something else', async () => {
    const { runner, network } = open([says(0, 'thequickbrownfox')]);
    const draft = [...sentence.slice(0, 6), ...letters('xvw')];
    const result = await run(runner, 0, { draft });
    assert.equal(textOf(result), 'thequickbrownfox'); // the network notices when what was cut is still there
    assert.equal(network.runs.filter((name) => name === 'step 0').length, stepsFor('thequickbrownfox') - 6);
  });

  it('that is all of the text ends the window in its first run', async () => {
    const { runner, network } = open([says(0, 'thequickbrownfox')]);
    const draft = [...sentence, time(1.5)];
    assert.equal(textOf(await run(runner, 0, { draft })), 'thequickbrownfox');
    assert.deepEqual(network.runs.slice(-2), ['detect 0', 'open 0']);
  });
});

describe('a try that went wrong', () => {
  const bad = { tokens: tokensOf('unsure'), probability: 0.2 };

  it('is made again with the full context first, and only then at a higher temperature', async () => {
    const tries = [bad, bad, { tokens: tokensOf('better') }];
    const { runner, network } = open([{ mark: 0, tries }], { adapted: true });
    const result = await run(runner, 0);
    assert('recognised' in result);
    assert.deepEqual([textOf(result), result.recognised.temperature], ['better', 0.2]);
    assert.deepEqual(
      network.runs.filter((name) => !name.startsWith('step')),
      [
        ...['encode 0 short part 0', 'encode 0 short part 1', 'encode 0 short part 2', 'detect 0', 'open 0'],
        ...['encode 0 part 0', 'encode 0 part 1', 'encode 0 part 2', 'detect 0', 'open 0', 'open 0'],
      ],
    );
  });

  it('is not made again where the window may not be', async () => {
    const { runner, network } = open([{ mark: 0, tries: [bad] }], { adapted: true });
    assert.equal(textOf(await run(runner, 0, { mayRetry: false })), 'unsure');
    assert.equal(network.runs.filter((name) => name === 'open 0').length, 1);
  });

  it('has the full context at once for a model that was not trained for a short one', async () => {
    const { runner, network } = open([{ mark: 0, tries: [bad, { tokens: tokensOf('better') }] }]);
    const result = await run(runner, 0);
    assert('recognised' in result);
    assert.equal(result.recognised.temperature, 0.2);
    assert.equal(network.runs.filter((name) => name.startsWith('encode')).length, 3);
  });

  it('does not have to wait for every window that comes after it', async () => {
    const long = 'abcdefghijklmnopqrstuvwxabdcegfhjilk';
    const later: Promise<unknown>[] = [];
    const { runner, network } = open(
      [{ mark: 0, tries: [bad, { tokens: tokensOf(long) }] }, says(1, 'next'), says(2, 'afterthat')],
      {
        onRun: () => {
          const opened = network.runs.filter((name) => name === 'open 0').length;
          if (opened === 2 && later.length === 0) later.push(run(runner, 1), run(runner, 2));
        },
      },
    );
    assert.equal(textOf(await run(runner, 0)), long);
    await Promise.all(later);
    const begins = [network.runs.indexOf('encode 1 part 0'), network.runs.indexOf('encode 2 part 0')];
    const steps = (from: number, to: number) =>
      network.runs.slice(from, to).filter((name) => name.startsWith('step')).length;
    assert(begins[0]! < begins[1]!);
    assert.equal(steps(begins[0]!, begins[1]!), 20);
  });
});

describe('a window that is cancelled', () => {
  const gone = new Error('nobody wants it');

  it('is never begun when it still waits', async () => {
    const { runner, network } = open([says(0, 'first'), says(1, 'second')], { capacity: 1 });
    const cancel = new AbortController();
    const first = run(runner, 0);
    const second = assert.rejects(run(runner, 1, {}, cancel.signal), gone);
    cancel.abort(gone);
    await second;
    assert.equal(textOf(await first), 'first');
    assert(!network.runs.some((name) => name.includes('1 part')));
  });

  it('is abandoned between the parts of its encoding', async () => {
    const cancel = new AbortController();
    const { runner, network } = open([says(0, 'first')], {
      onRun: (name) => {
        if (name === 'encode 0 part 1') cancel.abort(gone);
      },
    });
    await assert.rejects(run(runner, 0, {}, cancel.signal), gone);
    assert.deepEqual(network.runs, ['encode 0 part 0', 'encode 0 part 1']);
  });

  it('leaves its row to the last window, and the others keep their texts', async () => {
    const cancel = new AbortController();
    const { runner, network } = open(
      texts.slice(0, 4).map((text, mark) => says(mark, text)),
      {
        onRun: (name) => {
          if (name === 'step 0 1 2 3') cancel.abort(gone);
        },
      },
    );
    const results = await Promise.allSettled([
      run(runner, 0),
      run(runner, 1, {}, cancel.signal),
      run(runner, 2),
      run(runner, 3),
    ]);
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? textOf(result.value) : result.reason)),
      ['thequick', gone, 'over', 'thelittledog'],
    );
    assert(network.runs.includes('step 0 3 2'));
  });
});

describe('a graph that fails', () => {
  const fault = new Error('out of memory');

  it('fails every window in the decoder, and those that come later are recognised', async () => {
    let faults = 1;
    const { runner, network } = open([says(0, 'first'), says(1, 'second'), says(2, 'third')], {
      capacity: 2,
      onRun: (name) => {
        if (name === 'step 0 1' && faults-- > 0) throw fault;
      },
    });
    const results = await Promise.allSettled([run(runner, 0), run(runner, 1), run(runner, 2)]);
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? textOf(result.value) : result.reason)),
      [fault, fault, 'third'],
    );
    assert.equal(network.decoder.count, 0);
  });

  it('in the encoder fails the window that is being encoded', async () => {
    let faults = 1;
    const { runner } = open([says(0, 'first'), says(1, 'second')], {
      onRun: (name) => {
        if (name === 'encode 0 part 1' && faults-- > 0) throw fault;
      },
    });
    await assert.rejects(run(runner, 0), fault);
    assert.equal(textOf(await run(runner, 1)), 'second');
  });

  it('while languages are detected leaves no row behind', async () => {
    const { runner, network } = open([says(0, 'first')], {
      onRun: (name) => {
        if (name === 'detect 0') throw fault;
      },
    });
    await assert.rejects(run(runner, 0), fault);
    assert.equal(network.decoder.count, 0);
  });
});

function open(windows: FakeWindow[], options: Omit<FakeNetworkOptions, 'windows'> = {}) {
  const network = createFakeNetwork({ windows, ...options });
  return { network, runner: new WindowRunner(network) };
}

function says(mark: number, text: string): FakeWindow {
  return { mark, tries: [{ tokens: tokensOf(text) }] };
}

function tokensOf(text: string): number[] {
  return [time(0), ...letters(text), time(1.5), end];
}

/** Runs of a graph after the opening, which gives the first token. */
function stepsFor(text: string): number {
  return tokensOf(text).length - 1;
}

function run(
  runner: WindowRunner,
  mark: number,
  options: Partial<WindowJob> = {},
  signal = new AbortController().signal,
): Promise<WindowResult> {
  const job: WindowJob = {
    audio: new Float32Array(audioSeconds * 16_000).fill(mark),
    speech: [{ startSeconds: 0, endSeconds: audioSeconds }],
    language: 'en-US',
    promptTokens: [],
    temperature: 0,
    words: false,
    context: 'short',
    urgency: 'file',
    mayRetry: true,
    draft: [],
    ...options,
  };
  return runner.run(job, signal);
}

function textOf(result: WindowResult): string {
  assert('recognised' in result);
  return result.recognised.segments.map(({ text }) => text).join('');
}
