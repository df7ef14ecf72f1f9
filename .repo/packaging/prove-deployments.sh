#!/usr/bin/env bash
# `npm run proof -- deployments`: checks the files in deploy/ with the programs that read them. Skips programs that are not
# installed: helm, ansible-lint, cloud-init, apparmor_parser.
set -u
deploy=$(cd "$(dirname "$0")/../../deploy" && pwd)
passed=0 failed=0 skipped=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT

main() {
  with helm 'the chart has no mistakes' helm lint --strict "$deploy/helm/smsgw"
  with helm 'the chart renders with everything switched on' helm template sms "$deploy/helm/smsgw" --kube-version 1.31.0 \
    --set ingress.enabled=true,publicUrl=https://sms.example.org,autoscaling.enabled=true
  with ansible-lint 'the role keeps the production rules' in_folder "$deploy/ansible" ansible-lint --offline --profile production site.yml roles
  with cloud-init 'the user-data file is valid' cloud-init schema --config-file "$deploy/raspberry-pi/user-data"
  with apparmor_parser 'the AppArmor profile compiles' \
    apparmor_parser --skip-kernel-load --skip-cache "$deploy/home-assistant/smsgw/apparmor.txt"
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}

with() { # with <program> <what> <command…>
  local program=$1 what=$2
  shift 2
  if ! command -v "$program" >/dev/null; then
    skipped=$((skipped + 1))
    echo "skip  $what: $program is not installed"
  elif "$@" >"$output" 2>&1; then
    passed=$((passed + 1))
    echo "ok    $what"
  else
    failed=$((failed + 1))
    echo "FAIL  $what"
    tail -n 20 "$output"
  fi
}

in_folder() {
  cd "$1" && shift && "$@"
}

main
