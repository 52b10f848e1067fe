import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseText, parseTimings } from '../../bench/engines/whisper-cpp.ts';

const log = `whisper_print_timings:     load time =   150.00 ms
whisper_print_timings:     fallbacks =   0 p /   0 h
whisper_print_timings:      mel time =     5.00 ms
whisper_print_timings:   sample time =    12.00 ms /    30 runs (     0.40 ms per run)
whisper_print_timings:   encode time =  3000.00 ms /     2 runs (  1500.00 ms per run)
whisper_print_timings:   decode time =   500.00 ms /    25 runs (    20.00 ms per run)
whisper_print_timings:   batchd time =    40.00 ms /     4 runs (    10.00 ms per run)
whisper_print_timings:   prompt time =     0.00 ms /     1 runs (     0.00 ms per run)
whisper_print_timings:    total time =  4150.00 ms
`;

test('the time of each stage is read from the log, and loading is left out', () => {
  assert.deepEqual(parseTimings(log), {
    seconds: 4,
    stages: { encoderSeconds: 3, encodedSeconds: 60, decoderSeconds: 0.5, decoderTokens: 25 },
  });
});

test('a log without timings is refused', () => {
  assert.throws(() => parseTimings('killed'), /no encode time/);
});

test('the text is read without its times', () => {
  const output = '\n[00:00:00.000 --> 00:00:02.940]   The dose.\n[00:00:02.940 --> 00:00:04.000]  今天\n';
  assert.equal(parseText(output), 'The dose. 今天');
});
