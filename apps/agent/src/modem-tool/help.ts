import { asTyped } from '@smsgw/daemon/as-typed'

export const helpText = `Talks to a GSM modem: identifies it, shows how it is, sends and receives messages.

${asTyped('modem', '<port> [command] [options]')}

Port:
  /dev/ttyUSB2             a serial port, or the pseudo-terminal of the emulator
  tcp://127.0.0.1:7001     ser2net in raw mode, or the emulator

Commands:
  watch                    who it is, then its state as it changes, until Ctrl-C; the default
  identify                 who it is, and its state now
  send <number> <text>     --report asks for a delivery report and waits two minutes for it; --flash shows it at once
  receive                  messages as they come, until Ctrl-C; --delete removes each from the modem once it is shown
  list                     all messages in SIM and modem; removes nothing
  delete <memory> <index>  one of those that list shows, such as: delete SM 3
  delete all               all of them
  ussd <code> [reply …]    asks the network, such as: ussd *100#; replies answer its menus

Options:
  --pin <digits>           PIN of the SIM; it is entered once, and never as the last try
  --trace                  every byte to and from the modem, on standard error; numbers and texts hidden
  --unmasked               the same with nothing hidden
  --help

Leaves with 0 when all went well, 1 when it did not, 2 when the arguments are wrong, 3 when nobody knows whether a
message was sent.
`
