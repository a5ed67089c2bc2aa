#!/bin/bash
# sass.sh SCRIPTS: scripts/sass.py counts the machine instructions of ceiling kernels, and fails where a compute ceiling has not its own.
# cuobjdump is a stand-in.
set -euo pipefail
sass=$1/sass.py
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*"; cat "$folder/said"; exit 1; }

# In the form in which cuobjdump prints it: the compute ceilings of sm_90a, a stream and a kernel of an operator.
cat >"$folder/cuobjdump" <<'PROGRAM'
#!/bin/bash
# kernel TEMPLATE CLASS OPCODE COUNT
kernel() {
  printf '\tcode for sm_90a\n\t\tFunction : _ZN5gable3gpu%d%sINS0_12_GLOBAL__N_1%d%sEEEvv\n' ${#1} "$1" ${#2} "$2"
  printf '\t.headerflags\t@"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"\n'
  printf '        /*0000*/                   LDC R1, c[0x0][0x28] ;          /* 0x00000a00ff017b82 */\n'
  printf '                                                                   /* 0x000fe20000000800 */\n'
  for ((i = 1; i <= $4; i++)); do
    printf '        /*%04x*/              @!P0 %s R8, R8, R4, R6 ;   /* 0x000000040808722b */\n' $((16 * i)) "$3"
    printf '                                                                   /* 0x001fc40000000006 */\n'
  done
  printf '\t\t..........\n\n'
}
printf '\nFatbin elf code:\n================\narch = sm_90a\n\n'
kernel chain_kernel Fp64 "$INSTRUCTION" 256
kernel chain_kernel Fp32 FFMA 256
kernel chain_kernel Fp16 HFMA2.MMA 256
kernel chain_kernel Bf16 HFMA2.BF16_V2 256
kernel chain_kernel Int8 IDP.4A.S8.S8 256
kernel chain_kernel Int32 IMAD 256
kernel chain_kernel ExpFp32 MUFU.EX2 128
kernel chain_kernel ExpFp64 DFMA 40
kernel chain_kernel ConvertFp16 F2FP.F16.F32.PACK_AB 128
kernel chain_kernel ConvertBf16 F2FP.BF16.F32.PACK_AB 128
kernel warp_product_kernel Fp64 DMMA.8x8x4 16
kernel warp_product_kernel Fp64Wide DMMA.16x8x16 8
kernel warp_product_kernel Tf32 HMMA.1688.F32.TF32 16
kernel warp_product_kernel Fp16 HMMA.16816.F32 16
kernel warp_product_kernel Fp16InFp16 HMMA.16816.F16 16
kernel warp_product_kernel Bf16 HMMA.16816.F32.BF16 16
kernel warp_product_kernel Int8 IMMA.16832.S8.S8 16
for class in Fp16 Fp16InFp16; do kernel wgmma_kernel $class HGMMA.64x256x16.F32 8; done
kernel wgmma_kernel Tf32 HGMMA.64x256x8.F32.TF32 8
[ -n "$NO_WGMMA" ] || kernel wgmma_kernel Bf16 HGMMA.64x256x16.F32.BF16 8
for class in E4m3 E5m2; do kernel wgmma_kernel $class QGMMA.64x256x32.F32.E4M3.E4M3 8; done
kernel wgmma_kernel Int8 IGMMA.64x256x32.S8.S8 8
cat <<END
	code for sm_90
		Function : _ZN6Kokkos4Impl33cuda_parallel_launch_local_memoryIvEEvT_
        /*0000*/                   FADD R1, R1, R2 ;               /* 0x00000a00ff017b82 */
                                                                   /* 0x000fe20000000800 */
		..........

	code for sm_90a
		Function : _ZN5gable3gpu43_GLOBAL__N__0b75a0f9_10_stream_cpp_bab1427b11read_kernelEPK5uint4miPjPNS0_10ClockStampE
        /*0000*/                   LDG.E.128.STRONG.GPU R4, desc[UR4][R2.64] ;  /* 0x0000000402047981 */
                                                                                /* 0x000ea2000c1efd00 */
		..........
END
PROGRAM

chmod +x "$folder/cuobjdump"
export INSTRUCTION=DFMA NO_WGMMA=''
# run EXPECTED_EXIT_CODE
run() {
  local status=0
  python3 -B "$sass" "$folder/cuobjdump" "$folder/cuobjdump" 90a >"$folder/counts" 2>"$folder/said" || status=$?
  [ "$status" -eq "$1" ] || fail "exit code $status, not $1"
}
run 0
for line in 'chain_kernel<Fp64>,DFMA,256' 'chain_kernel<Fp64>,LDC,1' 'wgmma_kernel<Bf16>,HGMMA.64x256x16.F32.BF16,8' 'read_kernel,LDG.E.128.STRONG.GPU,1'; do
  grep -qxF "$line" "$folder/counts" || fail "the counts lack $line"
done
! grep -q Kokkos "$folder/counts" || fail "there are counts of kernels that are no ceilings"
INSTRUCTION=DADD run 1
grep -q 'chain_kernel<Fp64> has 0 of DFMA, not 256' "$folder/said" || fail "a kernel without its instruction: not said"
NO_WGMMA=1 run 1
grep -q 'wgmma_kernel<Bf16> is missing' "$folder/said" || fail "a kernel that is missing: not said"
