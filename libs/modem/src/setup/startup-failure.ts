import { pinAdvice } from '../dialogue/errors/error-meaning.ts'

/** The reason why a modem cannot be used, and what to do. */
export interface StartupFailure {
  readonly reason: StartupFailureReason
  readonly words: string
  readonly advice: string
  /** The answer or error of the modem, if any. */
  readonly evidence: string | undefined
  /** The number of PIN attempts left, if relevant and reported. */
  readonly triesLeft?: number
}

export type StartupFailureReason =
  | 'no-answer'
  | 'garbled'
  | 'port-lost'
  | 'fell-silent'
  | 'not-a-modem'
  | 'no-sim'
  | 'sim-failure'
  | 'sim-busy'
  | 'sim-state-unknown'
  | 'pin-required'
  | 'pin-malformed'
  | 'pin-tries-unknown'
  | 'pin-last-try'
  | 'pin-wrong'
  | 'pin-not-taken'
  | 'pin-not-kept'
  | 'puk-required'
  | 'modem-locked'
  | 'pdu-mode-refused'
  | 'login-required'
  | 'login-refused'

export function startupFailure(reason: StartupFailureReason, evidence?: string, triesLeft?: number): StartupFailure {
  return { reason, ...descriptions[reason], evidence, ...(triesLeft === undefined ? {} : { triesLeft }) }
}

const descriptions: Readonly<Record<StartupFailureReason, { readonly words: string; readonly advice: string }>> = {
  'no-answer': {
    words: 'No modem answers on this port.',
    advice: 'Check that the modem has power and that this port is its command port; then replug the modem.',
  },
  garbled: {
    words: 'The port sends data, but no answers to modem commands.',
    advice:
      'Check that no other program uses the port, that the port is the command port of the modem, and that a serial line has the right baud rate.',
  },
  'port-lost': {
    words: 'The port closed during setup.',
    advice: 'Check the cable and the power supply: a modem without enough power disconnects.',
  },
  'fell-silent': {
    words: 'The modem stopped answering during setup.',
    advice: 'Check its power supply; if the problem persists, unplug the modem for ten seconds.',
  },
  'not-a-modem': {
    words: 'This port answers OK to everything and returns no data, so it is not the command port of a modem.',
    advice: 'Use another port of the same device.',
  },
  'no-sim': {
    words: 'There is no SIM in the modem.',
    advice: 'Insert the SIM, contacts towards the modem, and push it until it locks.',
  },
  'sim-failure': {
    words: 'The modem cannot read the SIM.',
    advice:
      'Clean the metal contacts of the SIM, insert it again, and try it in a phone; if the SIM fails there too, replace it.',
  },
  'sim-busy': {
    words: 'The SIM did not become ready.',
    advice: 'If the problem persists, unplug the modem for ten seconds and try the SIM in a phone.',
  },
  'sim-state-unknown': {
    words: 'The modem reports no IMSI, no registration and no state of its SIM.',
    advice:
      'Check that the SIM is inserted in the modem. Then put the SIM into a phone, check that it works there, and disable the PIN of the SIM.',
  },
  'pin-required': {
    words: 'The SIM requires its PIN.',
    advice: `${pinAdvice} Or put the SIM into a phone and disable its PIN.`,
  },
  'pin-malformed': {
    words: 'The PIN does not have four to eight digits.',
    advice: 'The PIN was not entered. Correct it.',
  },
  'pin-tries-unknown': {
    words: 'The SIM requires a PIN and the modem does not report how many attempts are left.',
    advice: 'The PIN was not entered, because a wrong PIN could lock the SIM. Disable the PIN in a phone.',
  },
  'pin-last-try': {
    words: 'The SIM requires a PIN and at most one attempt is left.',
    advice:
      'Put the SIM into a phone and enter the correct PIN there. The last attempt is never used. If SIM_1_PIN (for SIM 2: SIM_2_PIN) is set, correct it.',
  },
  'pin-wrong': {
    words: 'The SIM refused the PIN.',
    advice:
      'Enter the correct PIN in the console or with the command setup, or correct SIM_1_PIN (for SIM 2: SIM_2_PIN). The wrong PIN is not entered again.',
  },
  'pin-not-taken': {
    words: 'The PIN was entered, but the SIM still requires a PIN.',
    advice: 'Put the SIM into a phone and check its PIN there. The agent does not enter the same PIN again.',
  },
  'pin-not-kept': {
    words: 'The SIM requires a PIN, and the attempt could not be saved to disk.',
    advice:
      'The agent did not enter the PIN. It saves each attempt to disk first, because too many attempts with a wrong PIN lock the SIM. Check whether the disk is full or not writable.',
  },
  'puk-required': {
    words: 'The SIM is locked and requires its PUK.',
    advice: 'Put the SIM into a phone and enter the PUK that came with the SIM. The gateway never enters a PUK.',
  },
  'modem-locked': {
    words: 'The modem is locked to a network, a provider or another SIM.',
    advice: 'Use a SIM of that network, or have the seller unlock the modem.',
  },
  'pdu-mode-refused': {
    words: 'The modem refuses PDU mode, which sending and receiving require.',
    advice: 'Wait and try again; if the problem persists, this modem cannot be used. Report the problem with a trace.',
  },
  'login-required': {
    words: 'The web interface of the stick requires a login.',
    advice:
      'Set HILINK_PASSWORD, or open the address of the stick in a browser, log in, and switch the login off in the settings.',
  },
  'login-refused': {
    words: 'The web interface of the stick refuses the username or the password.',
    advice:
      'Correct HILINK_USER and HILINK_PASSWORD, then restart the agent. The agent does not retry by itself, because repeated failures would lock the login of the stick.',
  },
}

/** The modem sent nothing, or nothing readable. */
export const silentFailures: ReadonlySet<StartupFailureReason> = new Set(['no-answer', 'garbled', 'fell-silent'])
