import { randomInt } from 'node:crypto'
import type { SubmitOutcome } from '@smsgw/modem/send/submit'
import { addressFromText } from '@smsgw/sms/fields/address'
import { PduEncodeError } from '@smsgw/sms/pdu-error'
import { segment } from '@smsgw/sms/segmentation/segment'
import { encodeForModem } from '@smsgw/sms/tpdu/tpdu'
import { printLine } from '../cli/terminal.ts'
import type { ToolCommand } from './arguments.ts'
import { type Connection, ToolError } from './connection.ts'
import { messageLines } from './messages.ts'

/** Sends all parts in order; stops at the first part that is not accepted. */
export async function send(
  connection: Connection,
  { to, text, report, flash }: ToolCommand & { readonly name: 'send' },
  until: AbortSignal,
): Promise<void> {
  const pdus = pdusOfText(to, text, report, flash)
  const modem = await connection.ready('network')
  const references: number[] = []
  const reports = report ? new AwaitedReports(connection) : undefined
  for (const [at, pdu] of pdus.entries()) {
    const outcome = await modem.submit(pdu, {
      id: String(at),
      beforePdu: async () => 'go',
      moreFollow: at + 1 < pdus.length,
    })
    printLine(`part ${at + 1} of ${pdus.length}: ${outcomeText(outcome)}`)
    if (outcome.kind !== 'accepted') throw failure(outcome, at, pdus.length)
    if (outcome.messageReference !== undefined) references.push(outcome.messageReference)
  }
  await reports?.wait(references, until)
}

export function pdusOfText(to: string, text: string, statusReportRequest: boolean, flash: boolean) {
  try {
    const destination = addressFromText(to)
    const { parts, dataCodingScheme } = segment(text, { reference: randomInt(256), ...(flash && { messageClass: 0 }) })
    return parts.map((userData) =>
      encodeForModem({
        kind: 'submit',
        rejectDuplicates: false,
        replyPath: false,
        statusReportRequest,
        messageReference: 0,
        destination,
        protocolIdentifier: 0,
        dataCodingScheme,
        validityPeriod: undefined,
        userData,
      }),
    )
  } catch (error) {
    if (error instanceof PduEncodeError) throw new ToolError(`This cannot be sent: ${error.message}`)
    throw error
  }
}

export function outcomeText(outcome: SubmitOutcome): string {
  switch (outcome.kind) {
    case 'accepted':
      if (outcome.duplicate) return 'already accepted'
      return `accepted${outcome.messageReference === undefined ? '' : `, reference ${outcome.messageReference}`}`
    case 'refused':
      return `refused: ${outcome.error.text}. ${outcome.error.words} ${outcome.error.advice}`
    case 'not-sent':
      return `not sent (${outcome.why})`
    case 'unknown':
      return `unknown whether it was sent (${outcome.error?.text ?? outcome.why})`
  }
}

function failure(outcome: SubmitOutcome, at: number, parts: number): ToolError {
  const rest = at + 1 < parts ? `, and ${parts - at - 1} more parts were not tried` : ''
  if (outcome.kind === 'unknown') return new ToolError(`Part ${at + 1} may or may not have been sent${rest}.`, 3)
  return new ToolError(`Part ${at + 1} was not sent${rest}.`)
}

/** Listens before the first part is sent, because a report may arrive before the reference of its part. */
class AwaitedReports {
  readonly #arrived = new Set<number>()
  #look: () => void = () => undefined

  constructor(connection: Connection) {
    connection.onEvent((event) => {
      if (event.kind !== 'incoming' || event.incoming.kind !== 'status-report') return
      for (const line of messageLines(event.incoming)) printLine(line)
      this.#arrived.add(event.incoming.report.messageReference)
      this.#look()
    })
  }

  wait(references: readonly number[], until: AbortSignal): Promise<void> {
    printLine('waiting for delivery reports …')
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new ToolError('No delivery report arrived within two minutes.')),
        reportLimitMs,
      )
      const end = () => {
        clearTimeout(timer)
        resolve()
      }
      this.#look = () => {
        if (references.every((reference) => this.#arrived.has(reference))) end()
      }
      until.addEventListener('abort', end, { once: true })
      this.#look()
    })
  }
}

const reportLimitMs = 120_000
