#!/usr/bin/env bash
# Makes test/fixtures/audio: one spoken sentence in every container, and two sentences with a known pause.
# Needs flite, espeak-ng, sox and ffmpeg (Debian: apt-get install flite espeak-ng sox ffmpeg).
set -euo pipefail
out="$(cd "$(dirname "$0")/.." && pwd)/test/fixtures/audio"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
convert() { ffmpeg -nostdin -loglevel error -y -fflags +bitexact "$@"; }

text="The meeting starts at nine o'clock on Monday morning in the large room."
flite -voice slt -t "$text" -o "$out/speech-16k.wav"
printf '{ "text": "%s", "voice": "flite slt" }\n' "$text" > "$out/speech.json"
speech="$out/speech-16k.wav"

# Those whose names say "start" hold the first two seconds only, to keep the repository small.

convert -i "$speech" -ar 44100 -ac 2 -c:a pcm_s24le -t 2 "$out/speech-start-44k-stereo-s24.wav"
convert -i "$speech" -ar 8000 -c:a pcm_mulaw "$out/speech-8k-mulaw.wav"
convert -i "$speech" -ar 8000 -c:a pcm_alaw "$out/speech-8k-alaw.wav"
convert -i "$speech" -c:a pcm_f32le -t 2 "$out/speech-start-f32.wav"
convert -f lavfi -i testsrc=size=320x320:rate=1 -frames:v 1 "$work/cover.png"
convert -i "$speech" -i "$work/cover.png" -map 0 -map 1 -c:v copy -ar 44100 -ac 2 -b:a 128k -id3v2_version 3 \
  -metadata title=speech -metadata:s:v comment="Cover (front)" "$out/speech-44k-stereo-cbr.mp3"
convert -i "$speech" -ar 22050 -ac 1 -q:a 6 -id3v2_version 0 -write_id3v1 1 -metadata title=speech "$out/speech-22k-vbr.mp3"
cp "$out/speech-22k-vbr.mp3" "$out/../../../samples/talk.mp3" # what `npm start` tells people to try
convert -i "$speech" -c:a libopus -b:a 24k "$out/speech-opus.webm"
convert -i "$speech" -ar 44100 -c:a libvorbis -q:a 2 "$out/speech-vorbis.webm"
# As MediaRecorder writes it: clusters of unknown size, no duration, no cues.
convert -i "$speech" -c:a libopus -b:a 24k -f webm -live 1 -cluster_time_limit 1000 pipe:1 > "$out/speech-opus-live.webm"
convert -i "$speech" -c:a flac "$out/speech-flac.mkv"
convert -i "$speech" -c:a libopus -b:a 24k "$out/speech-opus.ogg"
convert -i "$speech" -ar 44100 -c:a libvorbis -q:a 2 "$out/speech-vorbis.ogg"
convert -i "$speech" -c:a flac -f ogg "$out/speech-flac.ogg"
convert -i "$speech" -c:a flac "$out/speech.flac"

# Two voices, two seconds of silence between them, one second around.
first="Please bring the blue folder to the office."
second="The train to the city leaves in twenty minutes."
flite -voice slt -t "$first" -o "$work/first.wav"
flite -voice rms -t "$second" -o "$work/second.wav"
sox -n -r 16000 -c 1 -b 16 "$work/pause.wav" trim 0 2
sox -n -r 16000 -c 1 -b 16 "$work/edge.wav" trim 0 1
sox "$work/edge.wav" "$work/first.wav" "$work/pause.wav" "$work/second.wav" "$work/edge.wav" -b 16 "$work/two.wav"
convert -i "$work/two.wav" -c:a flac "$out/two-sentences.flac"
convert -i "$work/two.wav" -c:a libopus -b:a 24k "$out/two-sentences.ogg"
length1="$(soxi -D "$work/first.wav")"
length2="$(soxi -D "$work/second.wav")"
awk -v a="$length1" -v b="$length2" -v s="$first" -v t="$second" 'BEGIN {
  printf "{\n  \"sentences\": [\n"
  printf "    { \"text\": \"%s\", \"startSeconds\": 1, \"endSeconds\": %.3f, \"voice\": \"flite slt\" },\n", s, 1 + a
  printf "    { \"text\": \"%s\", \"startSeconds\": %.3f, \"endSeconds\": %.3f, \"voice\": \"flite rms\" }\n", t, 3 + a, 3 + a + b
  printf "  ],\n  \"durationSeconds\": %.3f\n}\n", 4 + a + b }' > "$out/two-sentences.json"

# Mandarin, from a formant synthesiser: intelligible, not natural.
mandarin="今天天氣很好，我們一起去公園散步。"
espeak-ng -v cmn -s 140 -w "$work/mandarin.wav" "$mandarin"
convert -i "$work/mandarin.wav" -ar 16000 -c:a flac "$out/mandarin.flac"
printf '{ "text": "%s", "voice": "espeak-ng cmn" }\n' "$mandarin" > "$out/mandarin.json"
du -sh "$out"
