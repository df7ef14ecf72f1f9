# Every proof sources this file: result lines, an emulator, and waiting with a limit.

program=
emulator_pid=

needs() { # needs <command> <Debian package>
  command -v "$1" >/dev/null && return
  echo "skip  $program: $2 is not installed"
  exit 0
}

# prove <what> <command…>: prints one line, ok or FAIL by exit status. The output goes to proof.log.
prove() {
  local what=$1
  shift
  if "$@" >>proof.log 2>&1; then echo "ok    $program: $what"; else echo "FAIL  $program: $what"; fi
}

# within <seconds> <command…>: repeats the command until it succeeds.
within() {
  local limit=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $limit ] || return 1
    sleep 0.2
  done
}

# start_emulator <options…>: sets $control; the ledger is ledger.jsonl.
start_emulator() {
  node "$(dirname "${BASH_SOURCE[0]}")/../src/main.ts" --json --seed 1 \
    --control 127.0.0.1:0 --ledger ledger.jsonl "$@" >addresses.json 2>emulator.errors &
  emulator_pid=$!
  within 20 test -s addresses.json || { cat emulator.errors >&2; exit 1; }
  control=$(address control)
}

# address control | address ports | address second
address() {
  node -e 'const a = JSON.parse(require("node:fs").readFileSync("addresses.json", "utf8"))
    console.log(process.argv[1] === "control" ? a.control : a.modems[0].ports[process.argv[1] === "second" ? 1 : 0])' "$1"
}

act() { # act <instruction> <JSON>
  curl --silent --show-error --fail --data "$2" "$control/do/$1"
}

send_text() { # send_text <text>: from an outside phone to the modem
  act send-text "$(node -e 'console.log(JSON.stringify({ from: "+447700900222", to: "modem0", text: process.argv[1] }))' "$1")"
}

memories_are_empty() {
  curl --silent "$control/modems/modem0" | node -e '
    const { memories } = JSON.parse(require("node:fs").readFileSync(0, "utf8"))
    process.exit(memories.every(({ used }) => used === 0) ? 0 : 1)'
}

# Returns true if the network accepted exactly this text to this number exactly once. The parts of a long text are
# joined.
in_ledger() { # in_ledger <number> <text>
  node -e '
    const lines = require("node:fs").readFileSync("ledger.jsonl", "utf8").split("\n").filter(Boolean)
    const entries = lines.map((line) => JSON.parse(line)).filter((entry) => entry.destination === process.argv[1])
    const text = entries.sort((a, b) => (a.part?.sequence ?? 0) - (b.part?.sequence ?? 0)).map((entry) => entry.text).join("")
    process.exit(text === process.argv[2] ? 0 : 1)' "$1" "$2"
}

long_text=$(printf 'A long message has more than one part. %.0s' 1 2 3 4 5 6)
long_text=${long_text% }
