;; Converts samples between 32-bit floats and 16-bit integers, for packed-audio.ts. After a change, put its bytes into sample-kernel.ts:
;;   npx wat2wasm src/audio/samples/sample-kernel.wat --output=- | base64 -w0
(module
  (import "samples" "memory" (memory 1))
  ;; $count is a multiple of 8; addresses are in bytes. Gives the largest amplitude of the input.
  (func (export "pack") (param $input i32) (param $output i32) (param $count i32) (param $factor f32) (result f32)
    (local $a v128) (local $b v128) (local $f v128) (local $peak v128)
    (local.set $f (f32x4.splat (local.get $factor)))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $a (v128.load (local.get $input)))
        (local.set $b (v128.load offset=16 (local.get $input)))
        (local.set $peak (f32x4.pmax (local.get $peak)
          (f32x4.pmax (f32x4.abs (local.get $a)) (f32x4.abs (local.get $b)))))
        (v128.store (local.get $output) (i16x8.narrow_i32x4_s
          (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.mul (local.get $a) (local.get $f))))
          (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.mul (local.get $b) (local.get $f))))))
        (local.set $input (i32.add (local.get $input) (i32.const 32)))
        (local.set $output (i32.add (local.get $output) (i32.const 16)))
        (local.set $count (i32.sub (local.get $count) (i32.const 8)))
        (br $next)))
    (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $peak)) (f32x4.extract_lane 1 (local.get $peak)))
      (f32.max (f32x4.extract_lane 2 (local.get $peak)) (f32x4.extract_lane 3 (local.get $peak)))))
  (func (export "unpack") (param $input i32) (param $output i32) (param $count i32) (param $factor f32)
    (local $a v128) (local $f v128)
    (local.set $f (f32x4.splat (local.get $factor)))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $a (v128.load (local.get $input)))
        (v128.store (local.get $output)
          (f32x4.mul (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $a))) (local.get $f)))
        (v128.store offset=16 (local.get $output)
          (f32x4.mul (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $a))) (local.get $f)))
        (local.set $input (i32.add (local.get $input) (i32.const 16)))
        (local.set $output (i32.add (local.get $output) (i32.const 32)))
        (local.set $count (i32.sub (local.get $count) (i32.const 8)))
        (br $next)))))
