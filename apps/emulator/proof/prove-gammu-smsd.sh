# gammu-smsd: sends from a queue of files, receives into files, gets delivery reports.
. "$(dirname "$0")/proof.sh"
program=gammu-smsd
needs gammu-smsd gammu-smsd
needs curl curl
cd "$1" || exit 1
start_emulator --personality huawei-e3372 --pty ./modem0
mkdir inbox outbox sent error
cat >smsdrc <<END
[gammu]
device = $(address ports)
connection = at115200
synchronizetime = no
[smsd]
service = files
logfile = $PWD/smsd.log
debuglevel = 255
inboxpath = $PWD/inbox/
outboxpath = $PWD/outbox/
sentsmspath = $PWD/sent/
errorsmspath = $PWD/error/
commtimeout = 1
receivefrequency = 1
statusfrequency = 0
checksecurity = 0
deliveryreport = sms
END
identified() { gammu-smsd-monitor -c smsdrc -n 1 -d 0 2>/dev/null | grep "IMEI: 356938035648097"; }
queue() { gammu-smsd-inject -c smsdrc TEXT "$@"; }

queue +447700900123 -report -text 'From the queue of gammu-smsd' >>proof.log 2>&1
queue +447700900124 -len 400 -text "$long_text" >>proof.log 2>&1
gammu-smsd -c smsdrc >>proof.log 2>&1 &
prove 'identifies the modem' within 30 identified
prove 'sends queued messages' within 40 eval '[ "$(ls sent | wc -l)" -eq 2 ] && [ "$(ls error | wc -l)" -eq 0 ]'
prove 'the network accepted the text unchanged' in_ledger +447700900123 'From the queue of gammu-smsd'
prove 'the network accepted all parts of the long text' in_ledger +447700900124 "$long_text"
prove 'gets the delivery report' within 30 grep -q 'Delivered' inbox/IN*_+447700900123_00.txt
send_text 'Grüße an alle ☺' >>proof.log
send_text "$long_text" >>proof.log
prove 'receives a text' within 30 grep -rq 'Grüße an alle ☺' inbox
long_text_arrived() { cat inbox/IN*_+447700900222_*.txt | tr -d '\n' | grep -qF "$long_text"; }
prove 'receives a long text, all parts' within 30 long_text_arrived
prove 'deletes messages after reading' within 20 memories_are_empty
