/** Every fault that a modem can have, with its effect, its options and their defaults. */
export const faultDescriptions = {
  // Prompt and echo
  'prompt-missing': fault('Sends no prompt, but accepts the data'),
  'prompt-late': fault('Sends the prompt late', { delayMs: 3000 }),
  'prompt-without-space': fault('Sends a bare > as the prompt'),
  'prompt-with-newline': fault('Sends a line end after the prompt'),
  'echo-stuck': fault('Keeps echoing after ATE0'),

  // Unsolicited lines and noise
  'urc-before-answer': fault(
    'Sends an unsolicited line between echo and answer; if `line` is empty, a vendor status line',
    {
      line: '',
    },
  ),
  'urc-inside-list': fault(
    'Sends an unsolicited line between two CMGL entries; if `line` is empty, a vendor status line',
    {
      line: '',
    },
  ),
  'urc-before-pdu': fault(
    'Sends an unsolicited line between prompt and PDU; if `line` is empty, a vendor status line',
    {
      line: '',
    },
  ),
  'urc-flood': fault('Sends vendor status lines without end', { perSecond: 200 }),
  nitz: fault('Sends network time lines repeatedly', { everyMs: 10_000 }),
  'bytes-one-by-one': fault('Sends every byte separately'),
  noise: fault('Sends NULs, blank lines or line noise before answers'),

  // Answers. `command` names one command (`+CMGL`) or several (`+CMEE/+CNMI?`). With a question mark, it names only the
  // read form of the command. An empty `command` means any command.
  'answer-late': fault('Answers a command late', { delayMs: 10_000, command: '' }),
  'answer-lost': fault('Does not answer a command', { command: '' }),
  'command-refused': fault('Refuses a command; if `code` is -1, with plain ERROR', { command: '+CNMI', code: -1 }),
  'at-refused': fault('Answers a bare AT with ERROR'),
  'ok-to-everything': fault('Answers every command with OK alone, like the APP port of Sierra modems'),
  'imei-answer': fault('Answers AT+CGSN and AT+GSN with `line` instead of the IMEI; if `line` is empty, with ERROR', {
    line: '',
  }),
  'modem-hang': fault('Stops answering until a reset', { command: '' }),
  'data-mode': fault('Is in a data call that a crashed program left open: sends PPP frames, and reads no commands'),
  'numeric-answers': fault('Sends numeric result codes, as after ATV0'),

  // Sending. `accepted`: whether the service centre accepts the message despite the fault.
  'submit-slow': fault('Answers a SUBMIT after a long time', { delayMs: 45_000 }),
  'submit-answer-lost': fault('Sends the message, but not the final OK; with `all`, sends no answer', { all: true }),
  'submit-hang': fault('Sends the message, then ignores the host for a while; with `answered`, answers afterwards', {
    forMs: 20_000,
    answered: false,
  }),
  'busy-while-sending': fault(
    'Refuses or ignores input from the host during a SUBMIT; if `code` is -1, with plain ERROR',
    {
      refused: true,
      code: 515,
    },
  ),
  'answers-while-sending': fault('Answers queries during a SUBMIT and refuses all other commands'),
  'abort-while-sending': fault(
    'Ends a SUBMIT with an error when the host writes; if `code` is -1, with plain ERROR; if it is 0, with OK',
    {
      code: -1,
    },
  ),
  'submit-reference-late': fault('Sends OK before +CMGS; with `never`, sends OK alone', { delayMs: 0, never: false }),
  'submit-error': fault('Answers a SUBMIT with +CMS ERROR and one of `codes`; with `accepted`, sends it anyway', {
    codes: '38,42,500,512,513',
    accepted: false,
  }),
  'submit-port-drop': fault('Loses the port after Ctrl-Z', { accepted: true, forMs: 5000 }),
  'submit-reboot': fault('Restarts after Ctrl-Z', { accepted: true }),
  'report-before-answer': fault('Delivers the status report before the answer', { withinMs: 5000 }),
  'csmp-clears-service-centre': fault('Clears the service centre on AT+CSMP='),

  // Message storage and indications
  'storage-full': fault('Reports a full storage: CMS 322, ^SMMEMFULL, no +CMTI'),
  'cmti-other-memory': fault('Stores new messages in SM although CPMS names ME'),
  'cdsi-wrong-memory': fault('Sends +CDSI: "SM",0 for a report in another storage'),
  'cds-extra-comma': fault('Sends +CDS: ,25 instead of +CDS: 25'),
  'cmt-without-alpha': fault('Sends +CMT: 24 instead of +CMT: ,24'),
  'cpms-lag': fault('Counts a new message in CPMS late', { lagMs: 500 }),
  'delete-refused': fault('Refuses CMGD', { code: 321 }),
  'cmti-twice': fault('Sends the same +CMTI twice'),
  'urc-lost': fault('Does not send +CMTI or +CDSI'),
  'list-hang': fault('Hangs during CMGL until a reset'),
  'slots-padded': fault('Writes message indexes with two digits: +CMTI: "SM",07'),
  'list-newline-missing': fault('Leaves out the line end before the next +CMGL:'),

  // Incoming messages
  'parts-out-of-order': fault('Swaps a part of a long message with the next message'),
  'part-missing': fault('Loses part `sequence` of a long message; if `sequence` is 0, any part', { sequence: 0 }),
  'part-twice': fault('Delivers a part of a long message twice'),
  redelivered: fault('Delivers a message twice, as after a lost acknowledgement'),
  'report-lost': fault('Loses status reports'),
  'same-reference': fault('Gives long messages of all senders the same reference', { reference: 7 }),
  'reference-reused': fault('Gives all long messages of a sender the same reference'),
  'mms-content-type': fault('Encodes the content type of MMS notifications as text, code or general', { form: 'text' }),

  // SIM, network and port
  'sim-busy': fault('Keeps the SIM busy after start (CME 14 or 515)', { forMs: 10_000, code: 14 }),
  'sim-toolkit': fault(
    'Lets the SIM toolkit ask the host (33 text, 34 key, 35 input, 36 menu); the SIM stays busy until a response',
    { type: 33, whileSending: false, forMs: 120_000 },
  ),
  'pin-attempts': fault('Leaves only this number of PIN attempts', { left: 1 }),
  registration: fault('Sets the registration status: 3 denied, 6 SMS only, 11 emergency only', { stat: 3 }),
  'eps-only': fault(
    'Registers for LTE only: CEREG reports that it is registered, CREG and CGREG report that it is not',
  ),
  'signal-unknown': fault('Answers AT+CSQ with +CSQ: 99,99'),
  'ussd-late': fault('Sends the USSD reply late', { delayMs: 60_000 }),
  'ussd-lost': fault('Loses the USSD reply'),
  'ussd-garbled': fault('Garbles the USSD reply: half an octet and a wrong coding'),
  'ussd-as-menu': fault('Puts a menu with one more step before a USSD reply'),
  'port-renumbered': fault('Changes the port name after a reset'),
  'port-half-open': fault('Keeps the port open without data, then loses it', { forMs: 30_000 }),

  // The web interface of a HiLink stick. `path` is the end of a path, such as `sms-list`. An empty `path` means any
  // path.
  'web-late': fault('Replies to a web request late', { delayMs: 15_000, path: '' }),
  'web-lost': fault('Executes a web request and closes the connection without a reply', { path: '' }),
  'web-cut': fault('Closes the connection in the middle of a web reply', { path: '' }),
  'web-rubbish': fault('Replies to a web request with broken HTML', { path: '' }),
  'web-huge': fault('Replies to a web request with 4 MB', { path: '' }),
  'web-redirect': fault('Redirects a web request to another address', { path: '' }),
  'web-deletes-partly': fault(
    'Deletes only the first messages of a web request that names several; with `refused`, replies with an error',
    { deletes: 1, refused: false },
  ),
  'web-unsupported': fault('Answers a web request with the error for an unsupported request', { path: 'ussd/status' }),
  'web-sessions-lost': fault('Forgets all web sessions'),
  'web-login': fault('Requires a login for each web request; with `password`, the user admin can log in', {
    password: '',
  }),
}

export type FaultName = keyof typeof faultDescriptions
export type FaultOptions<N extends FaultName> = (typeof faultDescriptions)[N]['options']

/** The faults as a list, for help texts and the control interface. */
export const faultCatalogue: readonly FaultCatalogueEntry[] = (Object.keys(faultDescriptions) as FaultName[]).map(
  (name) => ({ name, ...faultDescriptions[name] }),
)

export interface FaultCatalogueEntry {
  readonly name: FaultName
  readonly about: string
  readonly options: Readonly<Record<string, number | string | boolean>>
}

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(faultDescriptions, name)
}

/** The options that every fault has. */
export type StrikeOptions = {
  /** The probability of the fault at each opportunity. */
  readonly chance: number
  /** The largest number of times that the fault occurs; 0: no limit. */
  readonly times: number
  /** The number of opportunities that are skipped first. */
  readonly skip: number
}

interface FaultDescription<Options> {
  readonly about: string
  /** The options of the fault with their defaults. */
  readonly options: StrikeOptions & Options
}

function fault<const Options extends object = Record<never, never>>(
  about: string,
  options?: Options,
): FaultDescription<Widened<Options>> {
  return { about, options: { chance: 1, times: 0, skip: 0, ...(options as Widened<Options>) } }
}

/** Widens the type of a default value, so that an option with the default 3000 accepts any number. */
type Widened<T> = {
  readonly [K in keyof T]: T[K] extends number ? number : T[K] extends boolean ? boolean : string
}
