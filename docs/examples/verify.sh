#!/bin/sh
# Verifies X-Signature of a webhook request:     verify.sh <key> <X-Timestamp> <X-Signature> < body
# The key is visible in the process list while this runs, so use it for tests on a machine of your own.
case ${2:-} in '' | *[!0-9]* | ?????????????*) echo "X-Timestamp is not a number" && exit 1 ;; esac
age=$(($(date +%s) - ${2#"${2%%[!0]*}"}))
[ "$age" -ge -300 ] && [ "$age" -le 300 ] || { echo "X-Timestamp is older than five minutes" && exit 1; }

hmac() { openssl dgst -sha256 -hmac "$1" | sed 's/^.* //'; }
expected=$({ cat && printf %s "$2"; } | hmac "$1")

# Comparing keyed hashes of both takes the same time wherever they differ.
nonce=$(openssl rand -hex 16)
[ "$(printf %s "$expected" | hmac "$nonce")" = "$(printf %s "$3" | hmac "$nonce")" ] || { echo "wrong signature" && exit 1; }
