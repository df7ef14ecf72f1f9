import type { FailureCode } from '@smsgw/contract/messages/failure-code'
import type { AdviceCode } from '@smsgw/contract/messages/timeline'
import { mayArriveLater, statusFromOctet } from '@smsgw/sms/fields/status'

/** The advice about failures, by their stable code. */
const OF_FAILURES: Readonly<Record<FailureCode, string>> = {
  ttl_expired:
    'The message was not sent before its deadline. Check whether the device was online and its SIM had a network, or use a longer ttl or a later validUntil.',
  gave_up:
    'The device retried until its time limit. Fix the problem that the error names, then send the message again.',
  refused: 'The network or the modem permanently refused a part: see the refused part above for the cause.',
  submit_unknown: 'The message may have arrived. Ask the recipient before you send it again.',
  report_failed: 'The network accepted the message but could not deliver it: see its delivery report above.',
  no_such_sim: 'Leave out simNumber, or use a number that GET /devices lists for this device.',
  undecryptable:
    'Encrypt the message as documented, with the publicKey that GET /devices shows for this device, or with the ENCRYPTION_PASSPHRASE of its agent.',
  unwritable:
    'The text, data or number cannot be encoded as an SMS. Correct what the error names and send the message again.',
  agent_failed: 'This is an error of the agent, not of the message. Read the log of the agent and report the error.',
  unsupported: 'The agent is older than this relay and does not support this message: update the agent.',
  device_lost:
    'The device has been offline for too long. When it reconnects, it cancels what it has not sent and reports what it has sent.',
  device_deleted: 'Pair a device, then send the message again.',
  emulated_modem:
    'Send the message again: it is then sent with the real modem. To send with virtual modems too, set MIX_EMULATED_MODEMS=1 on the relay.',
  too_large: 'Split the text into smaller messages.',
  approval_refused: 'A person rejected this message: ask that person before you send it again.',
  approval_expired:
    'Nobody approved the message in time. If you still want to send it, send it again and ask a person to approve it in the console.',
  phone_failed: 'The phone reported this failure. Correct what the error names, then send the message again.',
}

/** Returns the advice about a failure, or undefined for a code that only a newer agent uses. */
export function adviceOnFailure(code: string | null): Advice | undefined {
  if (code === null || !Object.hasOwn(OF_FAILURES, code)) return undefined
  const adviceCode = code as FailureCode
  return { advice: OF_FAILURES[adviceCode], adviceCode }
}

/** Advice with its stable code. A program can use the code to show its own text. */
interface Advice {
  readonly advice: string
  readonly adviceCode: AdviceCode
}

export function adviceOnReport(status: number): Advice | undefined {
  const { outcome } = statusFromOctet(status)
  if (outcome === 'delivered') return undefined
  if (outcome === 'still-trying') return REPORT_PENDING
  return mayArriveLater(status) ? REPORT_GAVE_UP : REPORT_FAILED_PERMANENTLY
}

const REPORT_PENDING: Advice = {
  advice: 'Nothing to do: the network continues to try and will report again.',
  adviceCode: 'report_pending',
}
const REPORT_FAILED_PERMANENTLY: Advice = {
  advice: 'Check the number. Sending the same message again will not help.',
  adviceCode: 'report_failed_permanently',
}
const REPORT_GAVE_UP: Advice = {
  advice: 'The recipient could not be reached in time: send the message again later.',
  adviceCode: 'report_gave_up',
}

export const ADVICE_IN_DOUBT: Advice = {
  advice:
    'Nothing to do: a delivery report or a late answer will show whether it was sent. The message is not sent again automatically.',
  adviceCode: 'outcome_unknown',
}
