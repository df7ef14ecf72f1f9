import { type Outcome, statusFromOctet } from '@smsgw/sms/status'

/** What to do about a failure, by its stable code. */
const OF_FAILURES: Readonly<Record<string, string>> = {
  ttl_expired: 'Give it more time with ttl or validUntil, and see whether the device was online.',
  gave_up: 'It was tried again and again without success: see above what stood in the way.',
  refused: 'See above what the network said of the part that it refused.',
  submit_unknown: 'It may have arrived: ask the recipient before you send it again.',
  report_failed: 'The network could not deliver it: see its report above.',
  no_such_sim: 'Leave out simNumber, or take one that GET /devices shows.',
  undecryptable: 'Compare the passphrase of the agent with the one that the message was encrypted with.',
  unwritable: 'The device cannot write to its disk: run `agent doctor` there.',
  device_lost: 'The device has been silent for too long: look after it. If it comes back, what it knows corrects this.',
  device_deleted: 'Pair a device, and send the message anew.',
  too_large: 'Send it in smaller messages.',
}

export function adviceOnFailure(code: string | null): string | undefined {
  return code === null ? undefined : OF_FAILURES[code]
}

const OF_REPORTS: Readonly<Record<Outcome, string | undefined>> = {
  delivered: undefined,
  'still-trying': 'Nothing to do: the network goes on trying, and reports again.',
  'failed-permanently': 'Check the number: sending it again as it is will not help.',
  'gave-up': 'The recipient could not be reached in time: send it again later.',
}

/** TP-ST, in hexadecimal as the standard lists it. */
export function reportCode(status: number): string {
  return `TP-ST 0x${status.toString(16).padStart(2, '0')}`
}

export function adviceOnReport(status: number): string | undefined {
  return OF_REPORTS[statusFromOctet(status).outcome]
}

export const ADVICE_IN_DOUBT =
  'Nothing to do: a status report or a late answer decides. It is not sent again by itself.'
