/** Replies that the driver need not understand, with the reason. `pattern` matches corpus, name and text. */
export const decidedReplies: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  {
    pattern: /^gammu at-sms-failing\/(13|17|25)\.dump /,
    reason: 'the PDU has digits that are not hexadecimal, or an invalid address; gammu refuses it too',
  },
  { pattern: /^gammu at-sms-failing\/33\.dump /, reason: 'a slot filled with FF is empty' },
  { pattern: /^ModemManager \S+ \d+ \+CMGR: \S+ [0-9A-F]/, reason: 'the test writes a blank instead of the line end' },
  { pattern: /^ModemManager \S+ \d+ \+CCLK: *"?(1\d|XX)\//, reason: 'before 2024 the clock of the modem was not set' },
  {
    pattern: /^python-gsmmodem \S+ \d+ AT\+CFUN\? \+CFUN: \(/,
    reason:
      'the modem lists the settings that it offers, and not its setting; the driver continues without the setting',
  },
]
