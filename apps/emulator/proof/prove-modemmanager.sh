# ModemManager on its own D-Bus: identify, enable, send, delivery report, receive, read, delete.
. "$(dirname "$0")/proof.sh"
program=modemmanager
needs ModemManager modemmanager
needs mmcli modemmanager
needs dbus-daemon dbus-daemon
needs gdbus libglib2.0-bin
needs curl curl
cd "$1" || exit 1
# ModemManager drops a +CMTI that arrives while it reads the previous message, so parts need a realistic latency.
start_emulator --tcp 127.0.0.1:0 --latency 700
# Without udev, ModemManager opens a socket in the abstract namespace if the name of the port starts with `abstract:`.
socket="abstract:smsgw-emulator-$$"
node "$(dirname "${BASH_SOURCE[0]}")/bridge.mjs" "$socket" "$(address ports)" 2>>proof.log &
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

prove 'detects the modem' eval 'within 10 announce && within 30 eval "modem | grep -q disabled"'
modem >identity.txt
cat identity.txt >>proof.log
prove 'identifies the modem: manufacturer, model, IMEI, number' \
  eval 'grep -q Quectel identity.txt && grep -q EC25 identity.txt && grep -q 356938035648097 identity.txt && grep -q +447700900001 identity.txt'
prove 'reads the SIM: IMSI, ICCID' eval 'manager --sim 0 | tee sim.txt && grep -q 001017700900001 sim.txt && grep -q "iccid: 89" sim.txt'
prove 'enables the modem' manager --modem 0 --enable
prove 'shows the modem as registered' within 20 eval 'modem | grep -q "state: .*registered" && modem | grep -q "Virtual Mobile"'

prove 'sends a text with a report request' eval \
  'manager --modem 0 --messaging-create-sms="text='"'From ModemManager'"',number=+447700900123,delivery-report-request=yes" && manager --sms 0 --send'
prove 'the network accepted the text unchanged' in_ledger +447700900123 'From ModemManager'
any_sms() { # any_sms <pattern>: some message of the list shows it; its path is in $sms
  for sms in $(manager --modem 0 --messaging-list-sms | grep -o '/org[^ ]*'); do
    manager --sms "$sms" | tee -a proof.log | grep -qF "$1" && return
  done
  return 1
}
prove 'gets the delivery report' within 15 any_sms 'delivery state: completed-received'

send_text 'Grüße an alle ☺' >>proof.log
prove 'receives and reads a text' within 15 any_sms 'Grüße an alle ☺'
prove 'deletes the message' manager --modem 0 --messaging-delete-sms="$sms"
send_text "$long_text" >>proof.log
prove 'receives a long text, joined' within 15 any_sms "$(printf '%s' "$long_text" | tail -c 40)"
prove 'deletes its parts' manager --modem 0 --messaging-delete-sms="$sms"
prove 'leaves the memories of the modem empty' within 5 memories_are_empty
prove 'requests the balance by USSD' eval 'manager --modem 0 --3gpp-ussd-initiate="*100#" | grep "Your balance is 12.34 EUR"'
