/** Why a modem cannot be used: what was found, and what somebody can do about it. */
export interface StartupFailure {
  readonly reason: StartupFailureReason
  readonly words: string
  readonly advice: string
  /** The answer or the error behind it, where there was one. */
  readonly evidence: string | undefined
  /** How many tries of the PIN are left, when it is about the PIN and the modem tells. */
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

export function startupFailure(reason: StartupFailureReason, evidence?: string, triesLeft?: number): StartupFailure {
  return { reason, ...sayings[reason], evidence, ...(triesLeft === undefined ? {} : { triesLeft }) }
}

const sayings: Readonly<Record<StartupFailureReason, { readonly words: string; readonly advice: string }>> = {
  'no-answer': {
    words: 'Nothing answers on this port.',
    advice: 'Check that the modem has power and that this is its command port; then plug it in anew.',
  },
  garbled: {
    words: 'Something speaks on this port, but not as a modem that takes commands.',
    advice:
      'Check the speed of a serial line, that no other program uses the port, and that it is the command port of the modem.',
  },
  'port-lost': {
    words: 'The port was lost while the modem was being set up.',
    advice: 'Check cable and power supply: a modem that browns out disappears from the bus.',
  },
  'fell-silent': {
    words: 'The modem answered at first and then fell silent.',
    advice: 'Check its power supply; if it stays so, unplug it for ten seconds.',
  },
  'not-a-modem': {
    words: 'What answers here tells no IMEI, so it is not the command port of a modem.',
    advice: 'Use another port of the same device; some of them answer OK to everything.',
  },
  'no-sim': {
    words: 'There is no SIM in the modem.',
    advice: 'Insert the SIM, contacts towards the modem, and push it until it locks.',
  },
  'sim-failure': {
    words: 'The modem cannot read the SIM.',
    advice: 'Clean the contacts, insert it again, and try it in a phone; if it fails there too, ask for a new one.',
  },
  'sim-busy': {
    words: 'The SIM did not get ready.',
    advice: 'If it stays so, unplug the modem for ten seconds and try the SIM in a phone.',
  },
  'pin-required': {
    words: 'The SIM wants its PIN and none is configured.',
    advice: 'Configure the PIN of this SIM slot, or switch the PIN off in a phone.',
  },
  'pin-malformed': {
    words: 'The configured PIN is not four to eight digits.',
    advice: 'Correct it. It has not been entered.',
  },
  'pin-tries-unknown': {
    words: 'The SIM wants its PIN and the modem does not tell how many tries are left.',
    advice:
      'The PIN has not been entered, for a wrong one could be the last. Switch the PIN off in a phone, or allow entering it unseen.',
  },
  'pin-last-try': {
    words: 'The SIM wants its PIN and one try is left at most.',
    advice:
      'The PIN has not been entered. Put the SIM into a phone, enter the right PIN there, then correct the configuration; if the modem does not tell how many tries are left, switch the PIN off instead.',
  },
  'pin-wrong': {
    words: 'The SIM refused the configured PIN.',
    advice: 'Correct the PIN in the configuration. The wrong one is not entered again.',
  },
  'pin-not-taken': {
    words: 'The PIN was entered and the SIM still asks for it.',
    advice: 'Check the PIN in a phone. The same one is not entered again.',
  },
  'pin-not-kept': {
    words: 'The SIM wants its PIN, and that it is entered could not be written down.',
    advice: 'The PIN has not been entered, for nobody would know of it later. Check the disk: full, or not writable.',
  },
  'puk-required': {
    words: 'The SIM is blocked and wants its PUK.',
    advice: 'Put the SIM into a phone and enter the PUK from the papers of the SIM. It is never entered from here.',
  },
  'modem-locked': {
    words: 'The modem is locked to a network, a provider or another SIM.',
    advice: 'Use a SIM of that network, or have the modem unlocked by who sold it.',
  },
  'pdu-mode-refused': {
    words: 'The modem refuses PDU mode, which all messages are sent and read in.',
    advice: 'Wait and try again; if it stays so this modem cannot be used. Report it with a trace.',
  },
}
