#!/bin/bash
# Health check of a container: exits with 0 when the service reports that it is ready. The check does not start Node,
# because each start takes a second on a Raspberry Pi. Only the check of an API with TLS_CERT starts Node, because bash
# has no TLS.
#
#   check-health.sh the API in this container
#   check-health.sh http://host:port/… that address
#   check-health.sh agent the agent with DATA_DIR
set -u
limit_seconds=4

main() {
  case "${1:-}" in
    agent) check_agent ;;
    http://*) check_http "$1" ;;
    *)
      [ -z "${TLS_CERT:-}" ] || exec node "$(dirname "$0")/check-health.ts"
      check_http "http://127.0.0.1:${PORT:-3000}/health/ready"
      ;;
  esac
}

check_http() {
  local rest=${1#http://} status=
  local place=${rest%%/*}
  exec 3<>"/dev/tcp/${place%:*}/${place##*:}" || fail "no answer from $place"
  printf 'GET /%s HTTP/1.0\r\nHost: %s\r\n\r\n' "${rest#*/}" "$place" >&3
  read -r -t "$limit_seconds" _ status _ <&3 || fail "no answer from $place within $limit_seconds seconds"
  [[ $status == 2* ]] || fail "$place answered $status"
}

# The agent answers on a Unix socket, which bash cannot open.
check_agent() {
  perl -MIO::Socket::UNIX -e '
    alarm shift;
    my $agent = IO::Socket::UNIX->new(Peer => shift) or exit 1;
    print $agent qq({"ask":"status"}\n);
    $agent->flush;
    exit(<$agent> =~ /^\{"ok":/ ? 0 : 1);
  ' "$limit_seconds" "$DATA_DIR/agent.sock" || fail "no answer from the agent in $DATA_DIR"
}

fail() {
  echo "$1"
  exit 1
}

main "$@"
