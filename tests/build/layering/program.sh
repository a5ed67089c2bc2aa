#!/bin/bash
# program.sh GABLE: the built parent needs no Kokkos and no vendor library to start.
set -euo pipefail
if ! command -v readelf >/dev/null; then
  echo "skipped: no readelf here"
  exit 77
fi
needed=$(readelf --dynamic --wide "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
grep -q '^libc\.so' <<<"$needed"  # we do read the right thing
if grep -E 'kokkos|cuda|cublas|nvidia|hip|roc|blas|dnnl|gomp|libomp|hwloc' <<<"$needed"; then
  echo "$1 needs the libraries above"
  exit 1
fi
if nm --demangle "$1" | grep -m 3 'Kokkos::'; then
  echo "$1 contains Kokkos"
  exit 1
fi
