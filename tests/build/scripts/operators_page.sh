#!/bin/bash
# operators_page.sh SCRIPTS: docs/operators.md is what the operators' headers say; an operator whose comment lacks its flop or bytes is named.
set -euo pipefail
script=$1/operators_page.py
python3 -B "$script" --check

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
cat >"$scratch/CMakeLists.txt" <<'END'
gable_add_operator(scale)
gable_add_operator(bias_add HEADER sums.hpp SOURCE sums.cpp)
END
printf '%s\n' '/// y[i] = a x[i]' '///   - 1; x, y: [n]. flop 2n; bytes: read ns, write ns.' 'struct Scale {' >"$scratch/scale.hpp"
printf '%s\n' '/// Of others.' 'struct Sums {' '' '/// y = x + b. flop n;' '/// bytes: 3ns.' 'struct BiasAdd : Sums {' >"$scratch/sums.hpp"
page=$scratch/page.md begin='<!-- begin operators: made by scripts/operators_page.py -->' end='<!-- end operators -->'
printf '%s\n' '# Page' "$begin" old "$end" 'by hand' >"$page"
python3 -B "$script" --operators "$scratch" --page "$page"
diff "$page" - <<END
# Page
$begin

**bias_add**: y = x + b. flop n; bytes: 3ns.

**scale**: y[i] = a x[i] - 1; x, y: [n]. flop 2n; bytes: read ns, write ns.

$end
by hand
END
python3 -B "$script" --operators "$scratch" --page "$page" --check
if python3 -B "$script" --page "$page" --check >/dev/null; then echo "a list of other operators is not found"; exit 1; fi

sed -i 's/flop 2n; //' "$scratch/scale.hpp"
code=0
said=$(python3 -B "$script" --operators "$scratch" --page "$page" 2>&1) || code=$?
if [ $code -ne 2 ] || [ "$said" != "operators_page.py: $scratch/scale.hpp: the comment of scale does not give its flop" ]; then
  echo "ends with $code: $said"
  exit 1
fi
