#!/usr/bin/env bash
# `npm run proof -- compositions`: runs docker-compose.yml and docker-compose.relay.yml with Docker and Compose. In each
# of them, the first message goes to a virtual modem. Then a second modem, which is not marked as virtual, is added
# on a serial port, and all later messages go to that modem.
#
#   prove-compositions.sh [--optional] [--built] --built tests the images that `npm run images` has already built
#
# Needs root. The proof starts a separate Docker engine with its own data and its own network namespace. So the
# containers cannot reach other machines, and can use ports that the machine uses. If the registry of PostgreSQL cannot
# be reached, the PostgreSQL in the image of the gateway replaces it. Prints `N passed, N failed, N skipped` at the end.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
version=$(node -p "require('$root/package.json').version")
port=/dev/smsgw-proof # a folder in /dev, because the compose files show the containers nothing else of the machine
passed=0 failed=0
optional=false built=false inside=false work=

main() {
  local arguments=("$@")
  while [ $# -gt 0 ]; do
    case $1 in
      --optional) optional=true ;;
      --built) built=true ;;
      --inside) inside=true work=$2; shift ;;
      *) echo "prove-compositions.sh: $1 is neither --optional nor --built" >&2; exit 2 ;;
    esac
    shift
  done
  if $inside; then prove_all; exit; fi
  needs_programs
  work=$(mktemp -d)
  trap 'rm -rf "$port" "$work"' EXIT
  trap 'exit 130' INT TERM
  if ! $built && ! node "$root/.repo/build-images.ts" >"$work/output" 2>&1; then
    tail -n 15 "$work/output"
    echo 'FAIL  the images are built'
    echo '0 passed, 1 failed, 0 skipped'
    exit 1
  fi
  # When the first process in the namespace ends, the engine and all containers end, too.
  unshare --net --mount --pid --fork --kill-child --mount-proc bash "$0" --inside "$work" "${arguments[@]}"
}

prove_all() {
  cd "$root" || exit 1
  unset MODEMS SIM_1_PIN SMSGW_REGISTRY
  export DOCKER_HOST=unix://$work/docker.sock DOCKER_CONFIG=$work/client
  start_engine || { echo "skip  the compositions: Docker does not start here: $(tail -n 1 "$work/engine.log")"; end 1; }
  prove 'the images are loaded' load_images && prove_gateway && prove_relay
  end 0
}

prove_gateway() {
  local url=http://127.0.0.1:3000 file=docker-compose.yml
  account='docker compose exec -T gateway smsgw password'
  prove "$file starts with the commands of the README, which show the device" pasted 'gateway smsgw password' || return
  export COMPOSE_FILE=$file
  prove "$file is healthy then" healthy gateway || return
  prove "$file: the first message is delivered by the virtual modem" delivers 1 || return
  start_modem || return
  export MODEMS=$port/modem
  prove "$file: a modem on a serial port replaces the virtual one" eval 'docker compose up --detach && within 90 healthy gateway' || return
  prove "$file: all further messages go to that modem" eval 'delivers 6 && ledger_has 6' || return
  prove "$file: a modem that comes back as another device node sends again" eval 'reconnect_modem && delivers 1 && ledger_has 1' || return
  prove "$file: down keeps the messages" eval 'docker compose down && docker compose up --detach && within 90 healthy gateway && keeps 8'
  prove "$file: down --volumes removes everything" eval 'docker compose down --volumes && no_volumes'
  stop_modem
  unset MODEMS
}

prove_relay() {
  local url=http://127.0.0.1:3000 file=docker-compose.relay.yml
  account='echo "sms:$(docker compose exec -T relay cat /secrets/admin-password)"'
  prove "$file starts with the commands of the README, which show the device" pasted 'COMPOSE_FILE=' || return
  export COMPOSE_FILE=$file
  prove "$file is healthy then" eval 'healthy relay && healthy agent' || return
  prove "$file builds each tag once" tags_are_unique
  prove "$file: the first message is delivered by the virtual modem" eval 'delivers 1 && emulated_has 1' || return
  start_modem || return
  export MODEMS=$port/modem
  prove "$file: the profile modem adds a modem on a serial port" eval 'docker compose --profile modem up --detach && within 60 healthy agent-modem' || return
  prove "$file: all further messages go to that modem, and none to the virtual one" eval 'delivers 6 && ledger_has 6 && emulated_has 1'
  prove "$file: messages wait for that modem while it is unplugged" eval 'stop_modem && send 1 && sleep 5 && emulated_has 1 && start_modem && within 90 delivered && ledger_has 1'
  prove "$file: services see only their own secrets" secrets_are_apart
  prove "$file: down keeps the messages" eval 'docker compose --profile "*" down && docker compose up --detach && within 120 healthy relay && keeps 8'
  prove "$file: down --volumes removes everything" eval 'docker compose --profile "*" down --volumes && no_volumes'
  stop_modem
  unset MODEMS
}

start_engine() {
  ip link set lo up
  mkdir "$work/client"
  # Hides the containerd of the machine. Otherwise Docker would use it, although it runs outside this namespace.
  [ ! -d /run/containerd ] || mount -t tmpfs tmpfs /run/containerd
  dockerd --host "$DOCKER_HOST" --data-root "$work/data" --exec-root "$work/run" --pidfile "$work/docker.pid" \
    --exec-opt native.cgroupdriver=cgroupfs >"$work/engine.log" 2>&1 &
  within 60 docker info >"$work/info" 2>&1 || return 1
  echo "Docker $(docker version --format '{{ .Server.Version }}'), Compose $(docker compose version --short)"
}

load_images() {
  local names=(gateway relay agent emulator) name
  podman save --quiet --multi-image-archive $(printf "localhost/smsgw-%s:$version " "${names[@]}") >"$work/images.tar" || return
  docker load --input "$work/images.tar" && rm "$work/images.tar" || return
  for name in "${names[@]}"; do
    docker tag "localhost/smsgw-$name:$version" "ghcr.io/smsgw/$name:$version" || return
  done
  load_postgres
}

load_postgres() {
  local image
  image=$(docker compose --file docker-compose.relay.yml config --images | grep '^postgres:') || return
  if podman image exists "docker.io/library/$image"; then
    podman save --quiet "docker.io/library/$image" | docker load && docker tag "docker.io/library/$image" "$image"
  else
    echo "      with the PostgreSQL in the image of the gateway instead of the image $image, which podman does not have" >&3
    DOCKER_BUILDKIT=0 docker build --build-arg "GATEWAY_IMAGE=localhost/smsgw-gateway:$version" --network none --tag "$image" "$here/postgres-stand-in"
  fi
}

# Runs the block of the README that contains a text, like a person who pastes the block. Leaves out --build, because the
# images are already built.
pasted() { # pasted <text>
  awk -v text="$1" '
    /^```sh$/ { inside = 1; block = ""; next }
    /^```$/ { if (inside && index(block, text)) printf "%s", block; inside = 0 }
    inside { block = block $0 "\n" }' README.md | sed 's/ --build//' >"$work/block"
  [ -s "$work/block" ] || { echo "the README has no block with $1"; return 1; }
  env --unset COMPOSE_FILE timeout 300 script --quiet --return --command "bash -e $work/block" /dev/null >"$work/pasted"
  local status=$?
  cat "$work/pasted"
  [ $status -eq 0 ] && grep -q '"id":' "$work/pasted"
}

healthy() { # healthy <service>
  [ "$(docker inspect --format '{{ .State.Health.Status }}' "$(docker compose ps --quiet "$1")")" = healthy ]
}

delivers() { # delivers <number>
  send "$1" && within 60 delivered
}

send() { # send <number>
  local number
  sent=()
  for number in $(seq "$1"); do
    sent+=("$(api messages --header 'Content-Type: application/json' \
      --data "{ \"phoneNumbers\": [\"+44740012345$number\"], \"textMessage\": { \"text\": \"Message $number\" } }" |
      node -p 'JSON.parse(require("node:fs").readFileSync(0, "utf8")).id')")
  done
  [ "${#sent[@]}" -eq "$1" ]
}

delivered() {
  local id
  for id in "${sent[@]}"; do
    api "messages/$id" | tee "$work/state" | grep -q '"state":"Delivered"' || { cat "$work/state"; return 1; }
  done
}

keeps() { # keeps <number>
  api 'messages?limit=100' | node -p 'JSON.parse(require("node:fs").readFileSync(0, "utf8")).length' | grep -qx "$1"
}

api() { # api <path> <options of curl…>
  local path=$1
  shift
  curl --silent --show-error --fail --max-time 20 --user "$(eval "$account")" "$@" "$url/3rdparty/v1/$path"
}

# A virtual modem whose SIM belongs to a real network, so that nothing marks it as virtual. Each start has its own
# ledger.
start_modem() {
  mkdir -p "$port"
  rm -f "$work/ledger.jsonl"
  node "$root/apps/emulator/src/main.ts" --modem "number=+447700900002,imei=356938035648999,imsi=234150000000001,pty=$port/modem" \
    --ledger "$work/ledger.jsonl" --control none --output quiet >"$work/modem.log" 2>&1 &
  modem=$!
  within 20 test -e "$port/modem" || { cat "$work/modem.log"; return 1; }
  # Gives the port to the group, as udev does for a serial port.
  chgrp 20 "$(readlink -f "$port/modem")" && chmod 660 "$(readlink -f "$port/modem")"
}

stop_modem() {
  kill "$modem" && wait "$modem"
  rm -f "$port/modem"
}

reconnect_modem() {
  local before
  before=$(readlink -f "$port/modem")
  stop_modem
  # This terminal takes the number of the former pseudo-terminal.
  script --quiet --command 'sleep infinity' /dev/null >/dev/null </dev/null &
  sleep 1
  start_modem
  [ "$(readlink -f "$port/modem")" != "$before" ] || { echo "the modem came back as $before again"; return 1; }
}

ledger_has() { # ledger_has <number>
  [ "$(wc -l <"$work/ledger.jsonl")" -eq "$1" ] || { cat "$work/ledger.jsonl"; return 1; }
}

emulated_has() { # emulated_has <number>
  docker compose exec -T emulator cat /data/ledger.jsonl >"$work/emulated.jsonl"
  [ "$(wc -l <"$work/emulated.jsonl")" -eq "$1" ] || { cat "$work/emulated.jsonl"; return 1; }
}

# The replacement for PostgreSQL has a volume without a name.
no_volumes() {
  ! docker volume ls --quiet --filter name=smsgw | grep .
}

tags_are_unique() {
  docker compose --profile '*' config --format json | node -e '
    const { services } = JSON.parse(require("node:fs").readFileSync(0, "utf8"))
    const tags = Object.values(services).filter(({ build }) => build).map(({ image }) => image)
    console.log(tags)
    process.exit(tags.length > 2 && new Set(tags).size === tags.length ? 0 : 1)'
}

secrets_are_apart() {
  ! docker compose exec -T agent ls /secrets/server-secret && ! docker compose exec -T postgres ls /secrets/server-secret &&
    docker compose exec -T agent ls /secrets/enrolment-token
}

prove() { # prove <what> <command…>
  local what=$1
  shift
  if "$@" 3>&1 >"$work/output" 2>&1; then
    passed=$((passed + 1))
    echo "ok    $what"
  else
    failed=$((failed + 1))
    echo "FAIL  $what"
    tail -n 25 "$work/output"
    return 1
  fi
}

within() { # within <seconds> <command…>
  local limit=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $limit ] || return 1
    sleep 0.5
  done
}

needs_programs() {
  local program
  [ "$(id -u)" -eq 0 ] || skip 'it needs root'
  for program in dockerd docker podman buildah unshare ip iptables; do
    command -v "$program" >/dev/null || skip "$program is not installed"
  done
  docker compose version >/dev/null 2>&1 || skip 'the plugin compose of docker is not installed'
}

skip() { # skip <reason>
  echo "skip  the compositions: $1"
  end 1
}

end() { # end <number of skipped proofs>
  echo "$passed passed, $failed failed, $1 skipped"
  [ "$failed" -eq 0 ] && { [ "$1" -eq 0 ] || $optional; }
  exit
}

main "$@"
