# ModemManager on the first port of a modem, the driver of the agent on its second port: both work at the same time.
. "$(dirname "$0")/proof.sh"
program=modemmanager-shared
needs ModemManager modemmanager
needs mmcli modemmanager
needs dbus-daemon dbus-daemon
needs gdbus libglib2.0-bin
needs curl curl
here=$(cd "$(dirname "$0")" && pwd)
cd "$1" || exit 1
start_emulator --modem tcp=127.0.0.1:0,secondTcp=127.0.0.1:0
socket="abstract:smsgw-shared-$$"
node "$here/bridge.mjs" "$socket" "$(address ports)" 2>>proof.log &
export DBUS_SESSION_BUS_ADDRESS="unix:path=$PWD/bus"
dbus-daemon --session --nofork --address="$DBUS_SESSION_BUS_ADDRESS" 2>>proof.log &
within 10 test -S bus
ModemManager --test-session --test-enable --test-no-udev --test-no-suspend-resume --test-no-qrtr \
  --no-auto-scan --debug >modemmanager.log 2>&1 &

manager() { timeout --foreground 30 mmcli --test-session "$@"; }
announce() {
  gdbus call --session --dest org.freedesktop.ModemManager1 --object-path /org/freedesktop/ModemManager1 \
    --method org.freedesktop.ModemManager1.Test.SetProfile emulated generic "['$socket']"
}
modem() { manager --modem 0; }
is_registered() { modem | tee -a proof.log | grep -q "state: .*registered"; }
# Prints the number of commands that ModemManager has written to its port since the count in $1.
polls_since() { [ "$(grep -c "] --> 'AT" modemmanager.log)" -gt "$1" ]; }

prove 'ModemManager detects the modem' eval 'within 10 announce && within 30 eval "modem | grep -q disabled"'
prove 'ModemManager enables the modem' manager --modem 0 --enable
prove 'ModemManager shows the modem as registered' within 20 is_registered
manager --modem 0 --signal-setup=1 >>proof.log 2>&1
polled=$(grep -c "] --> 'AT" modemmanager.log)
prove "the agent's driver sends and receives ${COUNT:-200} messages on the second port, none lost" \
  node "$here/../../agent/bench/exchange-messages.ts" "$(address second)" "$control" "${COUNT:-200}"
prove 'ModemManager polls its port meanwhile' polls_since "$polled"
prove 'ModemManager still shows the modem as registered' is_registered
sms=$(manager --modem 0 --messaging-create-sms="text='From ModemManager',number=+447700900123" | grep -o '/org[^ ]*')
prove 'ModemManager still sends' manager --sms "$sms" --send
prove 'the network accepted the text of ModemManager' in_ledger +447700900123 'From ModemManager'
prove 'leaves the memories of the modem empty' within 5 memories_are_empty
