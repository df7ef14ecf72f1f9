#!/usr/bin/env bash
# `npm run proof -- image`: builds the image of the gateway and starts it as docker-compose.yml does: not as root,
# without rights, read-only and with the seccomp profile. Sends a message through the virtual modem, and stops within
# the time of the compose file. Then builds the Home Assistant add-on from the image, and starts it as Home Assistant
# does: as root, with a data folder that belongs to root.
#
#   prove-images.sh [--optional] [--image <name>] --image tests an image that is already built
#
# On a machine that cannot reach a registry, NODE_IMAGE names a local image with Node and npm. Prints `N passed, N
# failed, N skipped` at the end.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
version=$(node -p "require('$root/package.json').version")
container=smsgw-proof-$$
port=3997
stop_limit=30 # stop_grace_period of docker-compose.yml
passed=0 failed=0
optional=false image= id= password=

main() {
  while [ $# -gt 0 ]; do
    case $1 in
      --optional) optional=true ;;
      --image) image=$2; shift ;;
      *) echo "prove-images.sh: $1 is neither --optional nor --image" >&2; exit 2 ;;
    esac
    shift
  done
  needs podman
  needs catatonit # for --init
  needs buildah
  work=$(mktemp -d)
  trap 'podman rm --force --time 0 "$container" >/dev/null 2>&1; podman volume rm --force "$container" >/dev/null 2>&1; rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
  if [ -z "$image" ]; then
    prove 'is built' node "$root/.repo/build-images.ts" --target gateway
    image=localhost/smsgw-gateway:$version
  fi
  [ "$failed" -gt 0 ] || run_image
  [ "$failed" -gt 0 ] || run_add_on
  echo "$passed passed, $failed failed, 0 skipped"
  [ "$failed" -eq 0 ]
}

run_image() {
  prove 'names its version, source and licence' labels
  prove 'runs the command smsgw' eval 'podman run --rm --network none --no-healthcheck "$image" --version | grep -qxF "$version"'
  prove 'starts as docker-compose.yml starts it' start || return
  prove 'becomes ready within a minute' within 60 ready
  prove 'passes its own health check' podman healthcheck run "$container"
  prove 'does not run as root' eval 'podman exec "$container" id -u | grep -qx 10001'
  prove 'cannot write to its own files' refuses 'Read-only file system' touch /app/written
  prove 'has no rights and gains none' eval 'podman exec "$container" grep -qx "CapEff:.*0000000000000000" /proc/1/status &&
    podman exec "$container" grep -qx "NoNewPrivs:.*1" /proc/1/status'
  prove 'is restricted by the seccomp profile' eval 'podman exec "$container" grep -qx "Seccomp:.*2" /proc/1/status &&
    refuses "Operation not permitted" unshare --user true'
  prove 'delivers the first message through the virtual modem' delivers
  prove "stops within $stop_limit seconds with exit code 0" stops
  prove 'starts again with its message' eval 'podman start "$container" && within 60 ready && api "messages/$id" | grep -q "\"state\":\"Delivered\""'
}

run_add_on() {
  local add_on=localhost/smsgw-add-on:$version
  podman rm --force --time 0 "$container" >/dev/null 2>&1
  password=
  mkdir "$work/data"
  echo '{ "modems": "virtual", "ssl": false, "log_level": "info", "settings": [{ "name": "DEFAULT_REGION", "value": "GB" }] }' >"$work/data/options.json"
  prove 'becomes the Home Assistant add-on' buildah build --build-arg "GATEWAY_IMAGE=$image" --tag "$add_on" "$root/deploy/home-assistant/smsgw" || return
  prove 'starts as Home Assistant starts it' podman run --detach --name "$container" --publish "127.0.0.1:$port:3000" --init \
    --health-interval disable --tmpfs /tmp --volume "$work/data:/data" "$add_on" || return
  prove 'becomes ready in the add-on' within 60 ready
  prove 'does not run as root in the add-on, and has no rights' eval 'podman top "$container" user capeff args | tee "$work/processes" &&
    grep -q "gateway/main.js" "$work/processes" && ! grep -vE "^USER|podman-init" "$work/processes" | grep -vE "^(10001|smsgw) +none"'
  prove 'takes a setting from the options of the add-on' eval 'country_of_number | grep -q "+447400123456"'
  prove 'stops with exit code 0 in the add-on' stops
}

# The option makes a number without + a British one.
country_of_number() {
  api messages --header 'Content-Type: application/json' \
    --data '{ "phoneNumbers": ["07400123456"], "textMessage": { "text": "From the add-on" } }'
}

labels() {
  podman inspect --format '{{ index .Config.Labels "org.opencontainers.image.version" }} {{ index .Config.Labels "org.opencontainers.image.licenses" }} {{ index .Config.Labels "org.opencontainers.image.revision" }}' "$image" |
    grep -E "^$version Apache-2.0 [0-9a-f]{40}$"
}

start() {
  podman run --detach --name "$container" --publish "127.0.0.1:$port:3000" --env MODEMS=virtual \
    --health-interval disable --read-only --tmpfs /tmp --cap-drop all --init --stop-timeout "$stop_limit" \
    --security-opt no-new-privileges --security-opt "seccomp=$here/seccomp.json" --volume "$container:/data" "$image"
}

ready() {
  curl --silent --fail --output "$work/ready" "http://127.0.0.1:$port/health/ready"
}

delivers() {
  id=$(api messages --header 'Content-Type: application/json' \
    --data '{ "phoneNumbers": ["+447400123456"], "textMessage": { "text": "From a container" } }' |
    node -p 'JSON.parse(require("node:fs").readFileSync(0, "utf8")).id')
  within 30 eval "api messages/$id | grep -q '\"state\":\"Delivered\"'"
}

api() { # api <path> <options of curl…>
  local path=$1
  shift
  [ -n "$password" ] || password=$(podman exec "$container" sh -c "cat /data/credentials.json /data/gateway/credentials.json 2>/dev/null" | sed -n 's/.*"password": "\(.*\)".*/\1/p')
  curl --silent --show-error --fail --user "sms:$password" "$@" "http://127.0.0.1:$port/3rdparty/v1/$path"
}

stops() {
  local started=$SECONDS
  podman stop "$container" || return 1
  echo "stopped after $((SECONDS - started)) s"
  [ $((SECONDS - started)) -lt "$stop_limit" ] && [ "$(podman inspect --format '{{ .State.ExitCode }}' "$container")" = 0 ]
}

refuses() { # refuses <reason> <command…>
  local reason=$1
  shift
  ! podman exec "$container" "$@" >"$work/refusal" 2>&1 && grep -q "$reason" "$work/refusal"
}

prove() { # prove <what> <command…>
  local what=$1
  shift
  if "$@" >"$work/output" 2>&1; then
    passed=$((passed + 1))
    echo "ok    the image $what"
  else
    failed=$((failed + 1))
    echo "FAIL  the image $what"
    tail -n 15 "$work/output"
    return 1
  fi
}

within() { # within <seconds> <command…>
  local limit=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $limit ] || { podman logs --tail 20 "$container"; return 1; }
    sleep 0.3
  done
}

needs() {
  command -v "$1" >/dev/null && return
  echo "skip  the image: $1 is not installed"
  echo '0 passed, 0 failed, 1 skipped'
  $optional && exit 0
  exit 1
}

main "$@"
