import { text as textOf } from 'node:stream/consumers'
import { printLine } from '@smsgw/agent/cli/terminal'
import type { SmsGateway } from '@smsgw/client'
import type { MessageState } from '@smsgw/client/openapi'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { UsageError } from '@smsgw/daemon/start-error'
import { printableJson } from '@smsgw/daemon/terminal/printable'

/**
 * Sends one text. Returns 0 if the network has accepted it. With --no-wait, returns 0 if the gateway has accepted it.
 */
export async function sendFromCommandLine(sms: SmsGateway, { positionals, values }: CommandLine): Promise<number> {
  const [to = '', argument = ''] = positionals
  const text = argument === '-' ? (await textOf(process.stdin)).replace(/\n$/, '') : argument
  const { sim, device, key } = values
  const accepted = await sms.messages.send(
    {
      to,
      text,
      ...(sim !== undefined && { simNumber: simNumberOf(String(sim)) }),
      ...(device !== undefined && { deviceId: String(device) }),
    },
    {
      ...(key !== undefined && { idempotencyKey: String(key) }),
      allowShortCodes: true,
      ...(values['short-code'] === true && { skipPhoneValidation: true }),
    },
  )
  const isDone = values['no-wait'] === true
  const message = isDone ? accepted : await sms.messages.waitFor(accepted.id, { until: 'sent' })
  if (values['json'] === true) printLine(printableJson(message))
  else if (isDone) printLine(message.id)
  else printStates(message)
  return message.recipients.some(({ state }) => state === 'Failed' || state === 'Cancelled') ? 1 : 0
}

function printStates({ id, recipients }: MessageState): void {
  for (const { phoneNumber, state, error } of recipients)
    printLine(`${id}  ${phoneNumber}  ${state}${error === undefined ? '' : `: ${error}`}`)
}

function simNumberOf(given: string): number {
  if (/^[1-9]\d?$/.test(given)) return Number(given)
  throw new UsageError(`--sim ${JSON.stringify(given)} must be a number from 1 to 64`)
}
