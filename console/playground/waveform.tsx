import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useTranslation } from '../words/translation.tsx';

type Props = { file: File; player: RefObject<HTMLAudioElement | null>; onSeek(seconds: number): void };

const bars = 300;
/** Decoding takes about ten times the size of the file in memory. Larger files are shown without a waveform. */
const maxBytes = 30e6;

/** The loudness of the recording, with the position that is being played. */
export function Waveform({ file, player, onSeek }: Props) {
  const { say } = useTranslation();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [peaks, setPeaks] = useState<number[]>([]);
  const [position, setPosition] = useState(0);
  useEffect(() => {
    let current = true;
    setPeaks([]);
    readPeaks(file).then(
      (found) => current && setPeaks(found),
      () => {},
    );
    return () => {
      current = false;
    };
  }, [file]);
  useEffect(() => {
    const audio = player.current;
    const moved = () => setPosition(audio ? audio.currentTime / (audio.duration || 1) : 0);
    audio?.addEventListener('timeupdate', moved);
    return () => audio?.removeEventListener('timeupdate', moved);
  }, [player, file]);
  useEffect(() => {
    if (canvas.current) draw(canvas.current, peaks, position);
  }, [peaks, position]);

  const seekTo = (fraction: number) => onSeek(fraction * (player.current?.duration || 0));
  return (
    <button
      type="button"
      class="waveform"
      aria-label={say('waveform')}
      onClick={(event) => {
        const { left, width } = event.currentTarget.getBoundingClientRect();
        // A press on the keyboard has no position, so it plays from the beginning.
        seekTo(event.detail === 0 ? 0 : (event.clientX - left) / width);
      }}
    >
      <canvas ref={canvas} width={bars * 4} height={120} />
    </button>
  );
}

async function readPeaks(file: File): Promise<number[]> {
  if (file.size > maxBytes) return [];
  const context = new OfflineAudioContext(1, 1, 16_000);
  const samples = (await context.decodeAudioData(await file.arrayBuffer())).getChannelData(0);
  const width = Math.max(1, Math.floor(samples.length / bars));
  return Array.from({ length: bars }, (_, bar) => {
    let peak = 0;
    for (let i = bar * width; i < (bar + 1) * width; i += 1) peak = Math.max(peak, Math.abs(samples[i] ?? 0));
    return peak;
  });
}

function draw(canvas: HTMLCanvasElement, peaks: readonly number[], position: number): void {
  const context = canvas.getContext('2d')!;
  const { width, height } = canvas;
  const style = getComputedStyle(canvas);
  const loudest = Math.max(0.05, ...peaks);
  context.clearRect(0, 0, width, height);
  for (const [bar, peak] of peaks.entries()) {
    const tall = Math.max(2, (peak / loudest) * height * 0.95);
    context.fillStyle = style.getPropertyValue(bar / bars < position ? '--accent' : '--line-strong');
    context.fillRect((bar * width) / bars, (height - tall) / 2, 2.5, tall);
  }
}
