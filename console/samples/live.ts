import type { Samples } from '../parts/samples.tsx';
import type { TranscriptionChoice } from './transcription.ts';

export function liveSamples(base: string, { language, speakers }: TranscriptionChoice): Samples {
  const query = new URLSearchParams({
    language,
    sample_rate: '16000',
    ...(speakers && { speaker_diarization: 'true' }),
  });
  const address = `${base.replace(/^http/, 'ws')}/speech/realtime?${query}`;
  return {
    curl: `# A page gets a token that is good for one connection, and connects with ?token=…
curl -X POST ${base}/speech/realtime/tokens \\
  -H "Authorization: Bearer $SIANN_KEY"

# Live captions of a recording in the terminal
SIANN_API_KEY=$SIANN_KEY npx siann listen talk.mp3 --language ${language}${speakers ? ' --diarize' : ''}`,
    TypeScript: `import { Siann } from 'siann/client';

const siann = new Siann({ apiKey: process.env.SIANN_KEY!, baseUrl: '${base}' });
const stream = siann.listen({ language: '${language}'${speakers ? ', speakerDiarization: true' : ''} });
process.stdin.on('data', (chunk) => void stream.write(chunk));
process.stdin.on('end', () => stream.close());
for await (const event of stream) {
  if (event.type === 'transcript' && event.is_final) console.log(${speakers ? 'event.speaker, ' : ''}event.text);
}`,
    Python: `# pip install websockets
import asyncio, json, os, sys, websockets

async def main():
    headers = {"Authorization": f"Bearer {os.environ['SIANN_KEY']}"}
    async with websockets.connect("${address}", additional_headers=headers) as socket:
        async def send():
            while chunk := await asyncio.to_thread(sys.stdin.buffer.read, 3200):
                await socket.send(chunk)
            await socket.send(json.dumps({"type": "close"}))
        sending = asyncio.create_task(send())
        async for message in socket:
            event = json.loads(message)
            if event["type"] == "transcript" and event["is_final"]:
                print(${speakers ? 'event.get("speaker"), ' : ''}event["text"], flush=True)
        await sending

asyncio.run(main())`,
  };
}
