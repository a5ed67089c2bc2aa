# shellcheck shell=bash
# What the scripts share: where things are, what has to be installed, and which of two ways the program is built:
#   natively            Kokkos is installed, lies in the cache folder, or can be downloaded
#   in a build root     else: a Debian unstable in the cache folder, whose own packages have Kokkos
# Sourced, not run.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gable

# Debian packages by purpose.
library_packages=(libboost-dev libboost-program-options-dev libboost-filesystem-dev libfmt-dev nlohmann-json3-dev libhwloc-dev libhwy-dev zlib1g-dev)
build_packages=(g++ cmake ninja-build git ca-certificates pkg-config "${library_packages[@]}" libopenblas-dev libdnnl-dev libfftw3-dev
  gnuplot-nox fonts-dejavu-core)
test_packages=(libgtest-dev python3-jsonschema binutils shellcheck locales pybind11-dev python3-dev dpkg-dev file zsh groff-base)
root_only_packages=(libkokkos-dev libboost-process-dev)
root_packages=("${build_packages[@]}" "${test_packages[@]}" "${root_only_packages[@]}")
# Of the tests labelled "compile", and patchelf for gpu_kit.sh. ROCm's compiler comes in a build root alone: Debian 12 has one that is too old. Its BLAS are 5 GB, their headers 5 MB.
# shellcheck disable=SC2034 # for scripts/test
compile_packages=(g++-aarch64-linux-gnu qemu-user patchelf) arm_packages=("${library_packages[@]}" libgtest-dev libgomp1) compile_root_packages=(hipcc libamdhip64-dev libomp-21-dev)
# MPICH is tested where it is installed beside it: with both, continuous integration would take too long.
# shellcheck disable=SC2034 # for scripts/test
mpi_packages=(openmpi-bin libopenmpi-dev)
# shellcheck disable=SC2034 # for scripts/test
compile_header_packages=(libhipblas-common-dev libhipblaslt-dev librocblas-dev)
# Unpacked without what they depend on: adapters to a dozen JSON libraries, Qt among them, that are not used here.
header_packages=(libvalijson-dev)
extra_packages=() extra_root_packages=()
# For CMake: what `scripts/test --all` left in a build folder's cache is forgotten.
# shellcheck disable=SC2034 # for the scripts that build
default_targets=(-UGABLE_CPU_TARGETS -UGABLE_OTHER_TARGET_OPTIONS)
# The Kokkos package names two archives that it does not ship: empty ones will do.
# shellcheck disable=SC2016 # for the root's shell to expand
complete_kokkos='cd "$(dirname "${1:-}"/usr/lib/*/libkokkoscore.so)" &&
  for part in algorithms simd; do [ -e libkokkos$part.a ] || ar crs libkokkos$part.a; done'

say() { printf 'gable: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }
bad() { say "$@"; exit 2; }

# Prints the comment that begins a script.
help_of() { sed -n '2,/^[^#]/{/^[^#]/!s/^# \{0,1\}//p}' "$1"; }

# Runs a command as root, or says what somebody who is root has to run.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    sudo "$@"
  else
    die "this needs root, and there is no sudo here; please ask for: $*"
  fi
}

# install_packages PACKAGE…: those that are missing, said before it is done.
install_packages() {
  if ! command -v apt-get >/dev/null; then
    say "no apt-get here: using what is installed (docs/install.md lists what is needed)"
    return
  fi
  local package missing=()
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "will install these packages on this machine: ${missing[*]}"
  as_root apt-get -qq update </dev/null
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${missing[@]}" </dev/null >&2
}

# The pinned Kokkos release, as cmake/GableKokkos.cmake names it.
kokkos_url() { sed -n 's/^set(GABLE_KOKKOS_URL "\([^"]*\)".*/\1/p' "$repository/cmake/GableKokkos.cmake"; }

reachable() {
  if command -v curl >/dev/null; then
    curl --silent --fail --location --head --max-time 5 --output /dev/null "$1"
  elif command -v wget >/dev/null; then
    wget --quiet --spider --tries=1 --timeout=5 "$1"
  else
    local host=${1#*://}
    timeout 5 bash -c ": </dev/tcp/${host%%/*}/443" 2>/dev/null
  fi
}

# Is a Kokkos of 4.6 or newer installed where find_package will look?
kokkos_installed() {
  local prefix file version prefixes
  IFS=: read -r -a prefixes <<<"${Kokkos_DIR:-}:${Kokkos_ROOT:-}:${CMAKE_PREFIX_PATH:-}:/usr/local:/usr:$(compgen -G '/opt/[kK]okkos*' | paste -sd :)"
  for prefix in "${prefixes[@]}"; do
    [ -n "$prefix" ] || continue
    for file in "$prefix"/{,lib/cmake/Kokkos/,lib64/cmake/Kokkos/,lib/*/cmake/Kokkos/}KokkosConfigVersion.cmake; do
      [ -e "$file" ] || continue
      version=$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' "$file")
      if printf '4.6\n%s\n' "$version" | sort --version-sort --check=quiet; then return 0; fi
    done
  done
  return 1
}

root_folder() {
  local hash
  hash=$(printf '%s\n' "${root_packages[@]}" "${header_packages[@]}" "$complete_kokkos" | sha256sum | cut -c 1-12)
  echo "$cache/root-sid-$hash"
}

# The Debian mirror that this machine uses; nothing if it has none (mmdebstrap then takes its default).
debian_mirror() {
  # shellcheck disable=SC2016 # for apt to expand
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 2>/dev/null | sed -n 1p
}

# unpack_debian FOLDER SUITE OPTION…: a Debian out of packages, in the machine's mirror; the options are mmdebstrap's.
unpack_debian() {
  local folder=$1 suite=$2 mirror proxy='' tools=(mmdebstrap debian-archive-keyring) options=("${@:3}")
  [ "$(id -u)" -eq 0 ] || tools+=(uidmap)
  install_packages "${tools[@]}"
  mirror=$(debian_mirror)
  say "its release file may be older than it says it should be (a lagging mirror): its expiry date is not checked"
  options+=(--aptopt='Acquire::Check-Valid-Until "false"')
  eval "$(apt-config shell proxy Acquire::http::Proxy)"
  [ -z "$proxy" ] || options+=(--aptopt="Acquire::http::Proxy \"$proxy\"")
  rm -rf "$folder"
  if [ "$(id -u)" -eq 0 ]; then
    mmdebstrap --quiet "${options[@]}" "$suite" "$folder" ${mirror:+"$mirror"} </dev/null >&2
  else  # through an archive, so that every file belongs to the user
    mkdir "$folder"
    mmdebstrap --quiet --mode=unshare --format=tar "${options[@]}" "$suite" - ${mirror:+"$mirror"} </dev/null |
      tar --extract --directory="$folder" --no-same-owner --exclude='./dev/*'
  fi
}

# make_root FOLDER: a Debian unstable with all packages; complete or not there at all.
make_root() {
  local root=$1 hooks=()
  [ ! -d "$root" ] || return 0
  mkdir -p "$cache"
  exec 9>"$cache/root.lock"
  flock 9  # a second run waits for the first and then finds its root
  if [ ! -d "$root" ]; then
    say "will unpack Debian unstable (1.3 GB; nothing of it is installed on this machine) into $root"
    say "with these packages: ${root_packages[*]} ${header_packages[*]}"
    hooks=("chroot \"\$1\" sh -ec 'cd /tmp; apt-get -qq download ${header_packages[*]}; for file in *.deb; do dpkg --extract \$file /; rm \$file; done'"
      "chroot \"\$1\" sh -c '$complete_kokkos'")
    unpack_debian "$root.partial" sid --variant=minbase --include="$(IFS=,; echo "${root_packages[*]}")" \
      --customize-hook="${hooks[0]}" --customize-hook="${hooks[1]}"
    printf '%s\n%s\n' "$root" "$(date --utc +%s.%N)" >"$root.partial/etc/gable-root"
    mv -T "$root.partial" "$root"
  fi
  exec 9>&-
}

# Prints a folder with the libraries of 64-bit Arm, unpacked and never run, out of the Debian that the program is built in (choose_way first):
# a cross compiler links with them. Where they cannot be had it says so and prints nothing.
arm_libraries() {
  local suite folder packages=("${arm_packages[@]}") hooks=()
  # shellcheck disable=SC2016 # for the hook's shell to expand; what "extract" unpacks has no links of a merged /usr
  hooks=('[ -e "$1/lib" ] || ln -s usr/lib "$1/lib"'
    'cd "$1" && APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get -qq -o APT::Sandbox::User=root download libvalijson-dev &&
      dpkg --extract libvalijson-dev*.deb . && rm libvalijson-dev*.deb')
  if [ ${#inside[@]} -gt 0 ]; then
    suite=sid folder=$(root_folder)-arm64
    packages+=("${root_only_packages[@]}")
    hooks+=("$complete_kokkos")
  else
    suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    folder=$cache/$suite-arm64-$(printf '%s\n' "${packages[@]}" "${hooks[@]}" | sha256sum | cut -c 1-12)
  fi
  mkdir -p "$cache"
  exec 9>"$cache/root.lock"
  flock 9
  if [ ! -d "$folder" ]; then
    say "will unpack libraries for 64-bit Arm (0.5 GB; nothing of it is installed or run on this machine) into $folder"
    if ! unpack_debian "$folder.partial" "$suite" --variant=extract --architectures=arm64 --include="$(IFS=,; echo "${packages[*]}")" \
      "${hooks[@]/#/--extract-hook=}"; then
      say "the libraries for 64-bit Arm cannot be had here: what is built for it is left out"
      return
    fi
    mv -T "$folder.partial" "$folder"
  fi
  exec 9>&-
  echo "$folder"
}

# Prints the folder of the Kokkos headers in a build root; nothing where none was made.
root_kokkos_headers() {
  local folder found=''
  for folder in "$cache"/root-*/usr/include/kokkos; do
    [[ $folder == *-arm64/* || ! -d $folder ]] || found=$folder
  done
  echo "$found"
}

# build_emulated FOLDER OPTION…: builds tests/gpu/emulated, which needs nvcc and the Kokkos headers of a build root; options are cmake's.
build_emulated() {
  local folder=$1 kokkos nvcc
  nvcc=$(command -v nvcc || compgen -G /usr/local/cuda/bin/nvcc) ||
    die "running GPU kernels under emulation needs nvcc; there is none in PATH or /usr/local/cuda/bin"
  kokkos=$(root_kokkos_headers)
  [ -n "$kokkos" ] || die "running GPU kernels under emulation needs the Kokkos headers of a build root in $cache"
  install_packages g++ cmake ninja-build "${library_packages[@]}" libgtest-dev &&
    cmake -G Ninja -S "$repository/tests/gpu/emulated" -B "$folder" -D "CMAKE_CUDA_COMPILER=$nvcc" -D "GABLE_KOKKOS_HEADERS=$kokkos" \
      "${@:2}" >&2 &&
    cmake --build "$folder" --parallel "$(nproc)" >&2
}

# Sets $build, the build folder, and $inside, the words to put in front of a command that runs where the program is built.
# Arguments: the packages a native build needs; those in $extra_packages go into a build root too, those in $extra_root_packages only there.
choose_way() {
  if kokkos_installed || [ -e "$cache/kokkos/CMakeLists.txt" ] || reachable "$(kokkos_url)"; then
    install_packages "$@" "${extra_packages[@]}"
    build=$repository/build/openmp
    inside=()
    return
  fi
  say "no Kokkos installed, none in $cache/kokkos, and its release cannot be downloaded: taking the one of Debian unstable"
  local root
  root_packages+=("${extra_packages[@]}" "${extra_root_packages[@]}")
  root=$(root_folder)
  "$repository/scripts/in_root.sh" --possible ||
    die "this machine does not let us enter a build root (mount namespaces are denied); docs/install.md has other ways"
  make_root "$root"
  build=$repository/build/openmp-root
  inside=("$repository/scripts/in_root.sh" "$root")
  if ! cmp -s "$root/etc/gable-root" "$build/gable-root"; then  # built with another root
    rm -rf "$build"
    mkdir -p "$build"
    cp "$root/etc/gable-root" "$build/"
  fi
}

# Prints cmake's option for the bundle of the page where the program is built in a build root, which has no npm: this machine makes it.
# Nothing without npm here; natively CMake makes it.
page_option() {
  [ ${#inside[@]} -gt 0 ] && [ -z "${GABLE_PAGE_BUNDLE:-}" ] || return 0
  if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
    say "no Node.js with npm here: the page of gable report is left out (docs/install.md)"
  elif "$repository/scripts/page_bundle" "$build/page-bundle.html" "$build/page-npm"; then
    echo "-DGABLE_PAGE_BUNDLE=$build/page-bundle.html"
  else
    say "npm cannot make the page of gable report: it is left out (docs/install.md)"
    echo "-UGABLE_PAGE_BUNDLE"  # one of an earlier build may be of other sources
  fi
}

# build_gable OPTION…: configures and builds with the openmp preset; options are cmake's.
build_gable() {
  local page
  say "building in $build"
  cd "$repository"
  mkdir -p "$build"
  page=$(page_option)
  "${inside[@]}" cmake --preset openmp -B "$build" ${page:+"$page"} "$@" >&2
  "${inside[@]}" cmake --build "$build" >&2
}
