# shellcheck shell=bash
# Sourced with $launcher and $folder set: goes to the folder, which is empty then, under the settings with which more ranks than processors
# run; and over which way messages go. Exit code 77 without the launcher.
: "${launcher:?}" "${folder:?}"
command -v "$launcher" >/dev/null || { echo "skipped: no $launcher"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_orte_base_help_aggregate=0
export OMPI_MCA_mpi_yield_when_idle=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
case $("$launcher" --version 2>&1) in
  *'Open MPI'* | *OpenRTE* | *PRRTE*) flavour=openmpi ;;
  *HYDRA* | *mpich*) flavour=mpich ;;
  *) echo "skipped: $launcher is neither Open MPI's nor MPICH's"; exit 77 ;;
esac
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit

fail() { echo "$*"; exit 1; }

# held_back FILE: whether gable-mpi says on standard error that ranks did not run all the time, as here where ranks share cores. It then ends
# with exit code 1.
held_back() { grep -q '^gable-mpi: .*held back' "$1"; }

# fitting FILE COMMAND…: runs the COMMAND that writes FILE, up to three times while a row of FILE had no time for one block: more ranks than
# cores may need more than its limit, and no test here asks how long something takes.
fitting() {
  local file=$1 attempt code=0
  shift
  for attempt in 1 2 3; do
    rm -f "$file"
    code=0
    "$@" || code=$?
    grep -q 'no block fitted into the time limit' "$file" 2>/dev/null || break
    echo "$file: attempt $attempt was too slow" >&2
  done
  return $code
}

# through TRANSPORT COMMAND…: shared is what the library takes by itself on one machine; tcp: loopback alone.
through() {
  local transport=$1
  shift
  if [ "$transport" = shared ]; then
    "$@"
  elif [ "$flavour" = openmpi ]; then
    OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=lo "$@"
  else  # of MPICH's devices ucx and ofi each takes what is meant for it
    MPIR_CVAR_NOLOCAL=1 UCX_TLS=tcp,self UCX_NET_DEVICES=lo FI_PROVIDER=tcp FI_TCP_IFACE=lo "$@"
  fi
}
