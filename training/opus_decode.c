// opus_decode OUT-FOLDER FILE.opus…: each Ogg Opus file becomes OUT-FOLDER/FILE.s16, 16 kHz mono, 16-bit little-endian.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As opus.h declares them; spelt out so that an installed library without its headers will do.
typedef struct OpusDecoder OpusDecoder;
OpusDecoder *opus_decoder_create(int32_t sample_rate, int channels, int *error);
int opus_decode(OpusDecoder *, const unsigned char *packet, int32_t length, int16_t *samples, int size, int repair);
void opus_decoder_destroy(OpusDecoder *);

enum { sample_rate = 16000, longest_packet = 65536, longest_frame = sample_rate * 120 / 1000 };

typedef struct {
  OpusDecoder *decoder;
  FILE *out;
  int packets;
  int skip; // samples still to leave out at the start
} Stream;

static void take_packet(Stream *stream, const unsigned char *packet, int length) {
  static int16_t samples[longest_frame];
  if (stream->packets++ == 0) { // OpusHead: the encoder's delay, in samples at 48 kHz
    if (length >= 12 && memcmp(packet, "OpusHead", 8) == 0) stream->skip = (packet[10] | packet[11] << 8) / 3;
    return;
  }
  if (stream->packets == 2) return; // OpusTags
  int count = opus_decode(stream->decoder, packet, length, samples, longest_frame, 0);
  if (count < 0) return; // a damaged packet is left out, as players do
  int skipped = count < stream->skip ? count : stream->skip;
  stream->skip -= skipped;
  fwrite(samples + skipped, sizeof *samples, count - skipped, stream->out);
}

static void read_pages(Stream *stream, const unsigned char *bytes, long size) {
  static unsigned char packet[longest_packet];
  int length = 0;
  long page = 0;
  while (page + 27 <= size && memcmp(bytes + page, "OggS", 4) == 0) {
    int segments = bytes[page + 26];
    long body = page + 27 + segments;
    for (int i = 0; i < segments && body <= size; i++) {
      int lace = bytes[page + 27 + i];
      if (body + lace > size || length + lace > longest_packet) return;
      memcpy(packet + length, bytes + body, lace);
      length += lace;
      body += lace;
      if (lace == 255) continue; // the packet goes on
      take_packet(stream, packet, length);
      length = 0;
    }
    page = body;
  }
}

static int decode(const char *path, const char *folder) {
  char target[4096];
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  snprintf(target, sizeof target, "%s/%.*s.s16", folder, dot ? (int)(dot - name) : (int)strlen(name), name);
  FILE *in = fopen(path, "rb");
  if (!in) return perror(path), 1;
  fseek(in, 0, SEEK_END);
  long size = ftell(in);
  rewind(in);
  unsigned char *bytes = malloc(size);
  if (!bytes || fread(bytes, 1, size, in) != (size_t)size) return perror(path), 1;
  fclose(in);
  int error;
  Stream stream = {opus_decoder_create(sample_rate, 1, &error), fopen(target, "wb"), 0, 0};
  if (error != 0 || !stream.out) return fprintf(stderr, "%s cannot be decoded to %s\n", path, target), 1;
  read_pages(&stream, bytes, size);
  opus_decoder_destroy(stream.decoder);
  free(bytes);
  return fclose(stream.out) != 0 || stream.packets < 3;
}

int main(int count, char **arguments) {
  int failed = 0;
  for (int i = 2; i < count; i++) failed += decode(arguments[i], arguments[1]);
  return failed > 0;
}
