#!/usr/bin/env bash
# `npm run proof -- deployments`: checks the files in deploy/ with the programs that read them. Skips programs that are
# not installed: helm, kubernetes-validate (from PyPI), ansible-lint, cloud-init, apparmor_parser.
set -u
deploy=$(cd "$(dirname "$0")/../../deploy" && pwd)
passed=0 failed=0 skipped=0
output=$(mktemp)
trap 'rm -f "$output" "$output".*' EXIT

main() {
  write_values >"$output.values"
  with helm 'the chart has no mistakes' helm lint --strict "$deploy/helm/smsgw"
  # The oldest release of Kubernetes that the chart supports, and the newest one that the program knows.
  for kubernetes in 1.27 1.37; do
    with 'helm kubernetes-validate' "the chart's defaults are valid in Kubernetes $kubernetes" chart_is_valid
    with 'helm kubernetes-validate' "the chart's options are valid in Kubernetes $kubernetes" chart_is_valid --values "$output.values"
    with 'helm kubernetes-validate' "the chart with everything switched off is valid in Kubernetes $kubernetes" chart_is_valid \
      --set migration.enabled=false,podDisruptionBudget.enabled=false,networkPolicy.enabled=false,metrics.enabled=false
  done
  with ansible-lint 'the role keeps the production rules' in_folder "$deploy/ansible" ansible-lint --offline --profile production site.yml roles
  with cloud-init 'the user-data file is valid' cloud-init schema --config-file "$deploy/raspberry-pi/user-data"
  with apparmor_parser 'the AppArmor profile compiles' \
    apparmor_parser --skip-kernel-load --skip-cache "$deploy/home-assistant/smsgw/apparmor.txt"
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}

with() { # with <programs> <what> <command…>
  local program programs=$1 what=$2
  shift 2
  for program in $programs; do
    command -v "$program" >/dev/null && continue
    skipped=$((skipped + 1))
    echo "skip  $what: $program is not installed"
    return
  done
  if "$@" >"$output" 2>&1; then
    passed=$((passed + 1))
    echo "ok    $what"
  else
    failed=$((failed + 1))
    echo "FAIL  $what"
    tail -n 20 "$output"
  fi
}

chart_is_valid() { # chart_is_valid <option of helm…>
  helm template sms "$deploy/helm/smsgw" --kube-version "$kubernetes.0" "$@" >"$output.yaml" &&
    kubernetes-validate --strict --kubernetes-version "$kubernetes" "$output.yaml"
}

write_values() {
  cat <<'VALUES'
publicUrl: https://sms.example.org
trustedProxies: 10.0.0.0/8,192.168.0.0/16
image: { digest: "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" }
imagePullSecrets: [{ name: registry }]
database: { directKey: direct-url, replicaKey: replica-url }
env: { HASH_AFTER_SECONDS: 2592000, DEFAULT_REGION: GB }
ingress: { enabled: true, tlsSecretName: sms-tls }
service: { type: LoadBalancer, port: 8080 }
autoscaling: { enabled: true, minReplicas: 3, dispatchLag: { enabled: true, secondsPerRelay: 60 } }
podDisruptionBudget: { maxUnavailable: 50% }
networkPolicy: { databaseCidrs: [10.1.2.0/24, "fd00::/8"], databaseDirectPort: 6432 }
metrics: { port: 9465 }
drainSeconds: 0
resources: { limits: { cpu: 2 } }
nodeSelector: { disk: ssd }
tolerations: [{ key: sms, operator: Exists }]
affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: In, values: [a] }] }] } } }
VALUES
}

in_folder() {
  cd "$1" && shift && "$@"
}

main
