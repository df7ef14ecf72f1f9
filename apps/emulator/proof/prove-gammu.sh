# gammu: identify, send, list, read, delete, and read the stored delivery report.
. "$(dirname "$0")/proof.sh"
program=gammu
needs gammu gammu
needs curl curl
cd "$1" || exit 1
start_emulator --modem pty=./modem0 --modem personality=huawei-e3372,pty=./modem1
for name in modem0 modem1; do
  printf '[gammu]\ndevice = %s\nconnection = at115200\nsynchronizetime = no\nlogfile = %s\nlogformat = textalldate\n' \
    "$PWD/$name" "$PWD/$name.log" >"$name.rc"
done
phone() { timeout --foreground 20 gammu -c modem0.rc "$@"; }

phone identify >identity.txt
cat identity.txt >>proof.log
prove 'identifies the modem: manufacturer, model, IMEI, IMSI' \
  eval 'grep -q Quectel identity.txt && grep -q EC25 identity.txt && grep -q 356938035648097 identity.txt && grep -q 001017700900001 identity.txt'

prove 'sends a text with a report request' eval 'phone sendsms TEXT +447700900123 -report -text "From gammu: 1 €" | grep "OK, message reference"'
prove 'the network accepted the text unchanged' in_ledger +447700900123 'From gammu: 1 €'
prove 'sends a long text in parts' phone sendsms TEXT +447700900124 -len 400 -text "$long_text"
prove 'the network accepted all parts of the long text' in_ledger +447700900124 "$long_text"

send_text 'Grüße an alle ☺' >>proof.log
send_text "$long_text" >>proof.log
list() { phone geteachsms >list.txt && grep -q 'Grüße an alle ☺' list.txt && grep -qF 'A long message has more than one part. A long' list.txt; }
prove 'lists messages with parts joined' list
location=$(grep --before-context=20 'Grüße' list.txt | sed -n 's/^Location \([0-9]*\),.*/\1/p' | tail -n 1)
prove 'reads one message' eval 'phone getsms 0 "$location" | grep "Grüße an alle ☺"'
prove 'deletes the message' phone deletesms 0 "$location"
prove 'no longer lists the deleted message' eval 'phone getallsms >after.txt; ! grep "Grüße" after.txt && grep "A long message" after.txt'
prove 'deletes all' phone deleteallsms 3
prove 'leaves the memories of the modem empty' within 5 memories_are_empty

# gammu does not configure report storage, and an EC25 loses stored reports, so this uses a Huawei stick.
stick() { timeout --foreground 20 gammu -c modem1.rc "$@"; }
printf 'AT+CNMI=2,1,0,2,0\r' >modem1
prove 'requests a report on a Huawei stick' stick sendsms TEXT +447700900125 -report -text 'Tell me'
prove 'reads the delivery report' eval 'stick getallsms | tee -a proof.log | grep -A8 "SMS status report" | grep "Delivery status *: Delivered"'
