#!/usr/bin/env bash
# Runs programs written for real modems against the emulator.
#   apps/emulator/proof/run.sh [--optional] [gammu gammu-smsd smstools modemmanager modemmanager-shared]
#   apps/emulator/proof/run.sh deployments the files in deploy/ instead
#   apps/emulator/proof/run.sh image …     the container image instead; options: .repo/packaging/container/prove-images.sh
#   apps/emulator/proof/run.sh compositions …     the compose files instead; options: .repo/packaging/container/prove-compositions.sh
#   apps/emulator/proof/run.sh bridges [--optional] …     programs that send through the gateway: apps/e2e/bridges/run-bridges.ts
#   apps/emulator/proof/run.sh ha [--optional]     a database cluster that loses machines: apps/e2e/ha/run-ha.ts
#   apps/emulator/proof/run.sh upgrade|packages …     this release and the previous one instead: .repo/prove-releases.ts
# Prints one line per proof and `N passed, N failed, N skipped` at the end. A program that is not installed fails the run
# unless --optional is given.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
for own in "$root"/node_modules/node-linux-*/bin; do [ -x "$own/node" ] && PATH=$own:$PATH; done
export PATH=$PATH:/usr/sbin
# gammu and mmcli use the locale's encoding for texts, and the C locale cannot represent all of them.
export LC_ALL=C.UTF-8
[ "${1:-}" = deployments ] && exec bash "$root/.repo/packaging/prove-deployments.sh"

case ${1:-} in
  image) shift; exec bash "$root/.repo/packaging/container/prove-images.sh" "$@" ;;
  compositions) shift; exec bash "$root/.repo/packaging/container/prove-compositions.sh" "$@" ;;
esac
case ${1:-} in
  bridges) exec node "$root/apps/e2e/bridges/run-bridges.ts" "$@" ;;
  ha) exec node "$root/apps/e2e/ha/run-ha.ts" "$@" ;;
  upgrade | packages) exec node "$root/.repo/prove-releases.ts" "$@" ;;
esac

optional=false
chosen=()
for argument in "$@"; do
  case $argument in
    --optional) optional=true ;;
    gammu | gammu-smsd | smstools | modemmanager | modemmanager-shared) chosen+=("$argument") ;;
    *) echo "run.sh: $argument is neither --optional nor one of gammu, gammu-smsd, smstools, modemmanager, modemmanager-shared" >&2; exit 2 ;;
  esac
done
[ ${#chosen[@]} -gt 0 ] || chosen=(gammu gammu-smsd smstools modemmanager modemmanager-shared)

work=$(mktemp -d "${TMPDIR:-/tmp}/emulator-proof.XXXXXX")
groups=()
# Each proof runs in its own process group, so that all its processes can be ended.
end_all() {
  for group in "${groups[@]}"; do kill -KILL -- "-$group" 2>/dev/null; done
  if [ -n "${KEEP:-}" ]; then echo "kept $work"; else rm -rf "$work"; fi
}
trap end_all EXIT
trap 'exit 130' INT TERM

set -m
for program in "${chosen[@]}"; do
  mkdir "$work/$program"
  # Each proof takes 20 to 40 seconds. All proofs run at the same time.
  timeout --kill-after=5 85 bash "$here/prove-$program.sh" "$work/$program" >"$work/$program.lines" 2>"$work/$program.errors" &
  groups+=($!)
done
for index in "${!chosen[@]}"; do
  program=${chosen[$index]}
  wait "${groups[$index]}"
  status=$?
  kill -KILL -- "-${groups[$index]}" 2>/dev/null
  [ $status -eq 0 ] || echo "FAIL  $program: the proof script ended with status $status: $(tail -n 1 "$work/$program.errors")" >>"$work/$program.lines"
  cat "$work/$program.lines"
done 2>/dev/null

count() { cat "$work"/*.lines | grep -c "^$1  "; }
passed=$(count 'ok  ') failed=$(count FAIL) skipped=$(count skip)
[ "$failed" -eq 0 ] || KEEP=1
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && { [ "$skipped" -eq 0 ] || $optional; }
