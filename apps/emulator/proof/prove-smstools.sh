# smstools (smsd): sends a file, receives a file, gets the delivery report as a file.
. "$(dirname "$0")/proof.sh"
program=smstools
needs smsd smstools
needs curl curl
cd "$1" || exit 1
start_emulator --personality simcom-sim7600 --pty ./modem0
mkdir outgoing checked incoming report failed sent
cat >smsd.conf <<END
devices = GSM1
outgoing = $PWD/outgoing
checked = $PWD/checked
incoming = $PWD/incoming
report = $PWD/report
failed = $PWD/failed
sent = $PWD/sent
logfile = $PWD/smsd.log
loglevel = 7
infofile = $PWD/smsd.info
pidfile = $PWD/smsd.pid
receive_before_send = no
delaytime = 1
checkhandler =
incoming_utf8 = yes
decode_unicode_text = yes
[GSM1]
device = $(address ports)
baudrate = 115200
rtscts = no
incoming = yes
report = yes
check_memory_method = 1
memory_start = 0
init = AT+CNMI=1,1,0,1,0
END
printf 'To: 447700900123\nReport: yes\n\nFrom smstools' >outgoing/one
printf 'To: 447700900124\n\n%s' "$long_text" >outgoing/two
smsd -c smsd.conf -t >>proof.log 2>&1 &
prove 'identifies the modem' within 30 grep -q 'IMSI: 001017700900001' smsd.log
prove 'sends files' within 40 test -e sent/one -a -e sent/two
prove 'the network accepted the text unchanged' in_ledger +447700900123 'From smstools'
prove 'the network accepted all parts of the long text' in_ledger +447700900124 "$long_text"
report_of_one() { grep -lx 'From: 447700900123' report/* | xargs grep -h '^Status: 0,Ok'; }
prove 'gets the delivery report' within 30 report_of_one
send_text 'Grüße an alle ☺' >>proof.log
send_text "$long_text" >>proof.log
prove 'receives a text as a file' within 30 grep -rq 'Grüße an alle ☺' incoming
prove 'receives a long text, joined' within 30 grep -rqF "$long_text" incoming
prove 'deletes messages after reading' within 20 memories_are_empty
