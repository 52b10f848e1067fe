;; matrix [inputs, outputs] += aᵀ · b, with a [rank, inputs] and b [rank, outputs], all in single precision. After a change, put its
;; bytes into low-rank-product.ts:
;;   npx wat2wasm src/model/weights/low-rank-kernel.wat --output=- | base64 -w0
;; Addresses are in bytes; `outputs` is a multiple of 16, which are worked on at once.
(module
  (import "matrices" "memory" (memory 1))
  (func (export "addProduct")
    (param $matrix i32) (param $a i32) (param $b i32) (param $inputs i32) (param $outputs i32) (param $rank i32)
    (local $row i32) (local $column i32) (local $left i32) (local $aAt i32) (local $bAt i32) (local $width i32)
    (local $0 v128) (local $1 v128) (local $2 v128) (local $3 v128) (local $factor v128)
    (local.set $width (i32.shl (local.get $outputs) (i32.const 2)))
    (loop $rows
      (local.set $column (i32.const 0))
      (loop $columns
        (local.set $0 (v128.load offset=0 (local.get $matrix)))
        (local.set $1 (v128.load offset=16 (local.get $matrix)))
        (local.set $2 (v128.load offset=32 (local.get $matrix)))
        (local.set $3 (v128.load offset=48 (local.get $matrix)))
        (local.set $aAt (i32.add (local.get $a) (i32.shl (local.get $row) (i32.const 2))))
        (local.set $bAt (i32.add (local.get $b) (local.get $column)))
        (local.set $left (local.get $rank))
        (loop $components
          (local.set $factor (v128.load32_splat (local.get $aAt)))
          (local.set $0 (f32x4.add (local.get $0) (f32x4.mul (local.get $factor) (v128.load offset=0 (local.get $bAt)))))
          (local.set $1 (f32x4.add (local.get $1) (f32x4.mul (local.get $factor) (v128.load offset=16 (local.get $bAt)))))
          (local.set $2 (f32x4.add (local.get $2) (f32x4.mul (local.get $factor) (v128.load offset=32 (local.get $bAt)))))
          (local.set $3 (f32x4.add (local.get $3) (f32x4.mul (local.get $factor) (v128.load offset=48 (local.get $bAt)))))
          (local.set $aAt (i32.add (local.get $aAt) (i32.shl (local.get $inputs) (i32.const 2))))
          (local.set $bAt (i32.add (local.get $bAt) (local.get $width)))
          (local.set $left (i32.sub (local.get $left) (i32.const 1)))
          (br_if $components (local.get $left)))
        (v128.store offset=0 (local.get $matrix) (local.get $0))
        (v128.store offset=16 (local.get $matrix) (local.get $1))
        (v128.store offset=32 (local.get $matrix) (local.get $2))
        (v128.store offset=48 (local.get $matrix) (local.get $3))
        (local.set $matrix (i32.add (local.get $matrix) (i32.const 64)))
        (local.set $column (i32.add (local.get $column) (i32.const 64)))
        (br_if $columns (i32.lt_u (local.get $column) (local.get $width))))
      (local.set $row (i32.add (local.get $row) (i32.const 1)))
      (br_if $rows (i32.lt_u (local.get $row) (local.get $inputs))))))
