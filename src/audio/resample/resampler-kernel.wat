;; The inner loop of resampler.ts: about ten times as fast as the same loop in JavaScript. After a change, put its bytes into
;; resampler-kernel.ts:
;;   npx wat2wasm src/audio/resample/resampler-kernel.wat --output=- | base64 -w0
(module
  (import "resampler" "memory" (memory 1))
  ;; Writes $count outputs. $taps is a multiple of 8; all addresses are in bytes. $phase counts in units of 1/$up of an input.
  (func (export "resample")
    (param $input i32) (param $kernels i32) (param $output i32) (param $count i32) (param $taps i32)
    (param $phase i32) (param $up i32) (param $stepInputs i32) (param $stepPhase i32) (param $phases i32)
    (local $x i32) (local $h i32) (local $end i32) (local $a v128) (local $b v128)
    (block $done
      (loop $outputs
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $x (local.get $input))
        ;; The nearest of the $phases + 1 kernels.
        (local.set $h (i32.add (local.get $kernels) (i32.mul (i32.shl (local.get $taps) (i32.const 2))
          (i32.div_u (i32.add (i32.mul (local.get $phase) (local.get $phases)) (i32.shr_u (local.get $up) (i32.const 1)))
            (local.get $up)))))
        (local.set $end (i32.add (local.get $h) (i32.shl (local.get $taps) (i32.const 2))))
        (local.set $a (v128.const f32x4 0 0 0 0))
        (local.set $b (v128.const f32x4 0 0 0 0))
        (loop $tapsLoop
          (local.set $a (f32x4.add (local.get $a) (f32x4.mul (v128.load (local.get $x)) (v128.load (local.get $h)))))
          (local.set $b (f32x4.add (local.get $b)
            (f32x4.mul (v128.load offset=16 (local.get $x)) (v128.load offset=16 (local.get $h)))))
          (local.set $x (i32.add (local.get $x) (i32.const 32)))
          (local.set $h (i32.add (local.get $h) (i32.const 32)))
          (br_if $tapsLoop (i32.lt_u (local.get $h) (local.get $end))))
        (local.set $a (f32x4.add (local.get $a) (local.get $b)))
        (f32.store (local.get $output)
          (f32.add
            (f32.add (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a)))
            (f32.add (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a)))))
        (local.set $output (i32.add (local.get $output) (i32.const 4)))
        (local.set $input (i32.add (local.get $input) (i32.shl (local.get $stepInputs) (i32.const 2))))
        (local.set $phase (i32.add (local.get $phase) (local.get $stepPhase)))
        (if (i32.ge_u (local.get $phase) (local.get $up))
          (then
            (local.set $phase (i32.sub (local.get $phase) (local.get $up)))
            (local.set $input (i32.add (local.get $input) (i32.const 4)))))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $outputs)))))
