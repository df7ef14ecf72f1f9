import type { OperatorSelection } from '@smsgw/modem/commands/network/operator-selection'
import type { AlarmCause, RecoveryEffect } from '@smsgw/modem/recovery/state'
import type { Shortcoming } from '@smsgw/modem/setup/startup'

export type RecoveryReport = Extract<RecoveryEffect, { kind: 'raise-alarm' | 'clear-alarm' | 'healed' }>

/** Describes that a modem works again, and which measure succeeded. */
export function recoveredText({
  by,
  tookMs,
}: Pick<Extract<RecoveryReport, { kind: 'healed' }>, 'by' | 'tookMs'>): string {
  return `works again${by === undefined ? '' : ` after ${remedies[by]}`} (${Math.round(tookMs / 1000)} s)`
}

/** Describes why a modem cannot be used, and what to do. */
export function alarmText(cause: AlarmCause): string {
  switch (cause.kind) {
    case 'needs-hands':
      return `${cause.failure.words} ${cause.failure.advice}`
    case 'port-refused':
      return cause.words
    case 'gone':
      return `${cause.words}. The modem is used again when it reconnects`
    case 'no-remedy':
      return `${cause.words} Check the power supply and the cable of the modem, then plug the modem in again`
  }
}

const remedies = {
  resynchronise: 'resynchronising the AT dialogue',
  reopen: 'reopening its port',
  're-initialise': 'initialising it again',
  'restart-radio': 'restarting its radio',
  reset: 'a reset',
  'power-cycle': 'switching it off and on',
} as const

/** The limitations of modems, and their consequences. Shown in the log, the status and the doctor. */
export const shortcomingTexts: Readonly<Record<Shortcoming, string>> = {
  'no-indications': 'does not announce incoming messages: the agent checks for messages every few seconds',
  'no-delivery-reports': 'does not support delivery reports: messages stay Sent',
  'no-readable-memory': 'can send, but cannot receive: its message memory is not readable',
  'memory-not-selectable':
    'cannot select a message memory (AT+CPMS refused): only messages in its current memory are received',
  'sim-state-unreadable':
    'does not report whether its SIM needs a PIN (AT+CPIN? refused): no effect while the SIM works',
  'registration-unreadable':
    'does not report its registration (refuses AT+CREG? and similar commands): the agent assumes that the modem is registered, unless it reports that it has no operator',
  'no-service-centre': 'the SIM has no service centre number: nothing can be sent until one is set',
  'no-imei':
    'does not report an IMEI: it is recognised by its USB socket or address, so it gets another SIM number when you plug it into another socket',
  'imei-malformed': 'its IMEI is not 14 to 16 digits: the reported value is used as a serial number',
  'at-refused': 'answers ERROR to a bare AT: no effect on operation',
  'no-error-codes': 'does not report error codes (AT+CMEE=1 refused): the reason for a refused message may be unknown',
  'echo-stays-on': 'echoes each command, even after ATE0: no effect on operation',
  'web-interface':
    'has only a web interface (HiLink) without delivery reports: messages stay Sent. If the answer to a sent message is lost, the message is in doubt for IN_DOUBT_SECONDS',
  'indications-unverified':
    'does not confirm that it announces messages (no answer to AT+CNMI?): the agent also checks for messages regularly',
}

export const heldBackText =
  'is virtual, and this device has a real modem: the virtual modem receives but does not send. Set MIX_EMULATED_MODEMS=1 to send with both'

export const operatorFixedText =
  'cannot select an operator, because it has only a web interface: SIM_<n>_OPERATOR has no effect'

export function operatorRefusedText(
  simNumber: number | undefined,
  selection: Extract<OperatorSelection, { kind: 'refused' | 'no-answer' }>,
): string {
  const why = selection.kind === 'refused' ? selection.error.words : 'The modem did not answer.'
  return `cannot select the operator of SIM_${simNumber}_OPERATOR: ${why} The agent tries again every ten minutes`
}

export const roamingUnknownText =
  'does not report whether it is roaming: the modem receives but does not send. Set SEND_WHILE_ROAMING=1 to send with this modem'

export const withoutReferenceText =
  'a message was accepted without a reference (OK without +CMGS): the message is in doubt until the reference or a delivery report arrives'

/** Removes the address of a port, because status and log show it beside the text. */
export function withoutAddress(words: string, address: string): string {
  return words.startsWith(`${address}: `) ? words.slice(address.length + 2) : words
}
