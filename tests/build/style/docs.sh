#!/bin/bash
# Markdown files are readable as they stand, and their links lead somewhere (docs.py says which rules).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/build/style/files.sh
source "$here/files.sh"
if ! command -v python3 >/dev/null; then
  echo "skipped: no python3 here"
  exit 77
fi

# The rules themselves: a page with one mistake of each kind, and a page without any.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
long=$(printf 'word %.0s' {1..30})
umlauts=$(printf 'ä%.0s' {1..120})
cat >"$folder/bad.md" <<END
# A heading
$long
| short | $long$long$long |
[no such file](missing.md), [a heading that is
not there](good.md#missing), [its own](#missing).
\`core/missing.hpp\`
END
cat >"$folder/good.md" <<END
# A \`heading\`, twice
$umlauts
| column | ${long}| \`a \\| b\` |
- [${umlauts}](bad.md#a-heading)

    [no link](missing.md) $long

\`\`\`
[no link](missing.md) $long
\`\`\`

## A heading, twice
[first](#a-heading-twice), [second](#a-heading-twice-1), [elsewhere](https://example.org/missing.md),
\`[no link](missing.md)\`, \`core/missing.hpp\` (new)
END
found=$(python3 -B "$here/docs.py" "$folder/bad.md" "$folder/good.md" || true)
expected="$folder/bad.md:2: 150 characters, at most 120
$folder/bad.md:3: a cell of 449 characters, at most 300
$folder/bad.md:4: no such file: missing.md
$folder/bad.md:5: no such heading: good.md#missing
$folder/bad.md:5: no such heading: #missing
$folder/bad.md:6: no such file: core/missing.hpp"
if [ "$found" != "$expected" ]; then
  printf 'the check itself is wrong: it finds\n%s\ninstead of\n%s\n' "$found" "$expected"
  exit 1
fi

mapfile -t files < <(project_files '*.md')
[ ${#files[@]} -gt 5 ]
python3 -B "$here/docs.py" "${files[@]}"
