import { print } from '@smsgw/agent/cli/terminal'
import type { SmsGateway } from '@smsgw/client'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { UsageError } from '@smsgw/daemon/start-error'
import { shortenText } from '@smsgw/relay/hooks/shorten-text'
import { notificationText } from './notification-text.ts'

/** The time limit. By default, Nagios and Icinga end a notification command after 30 seconds. */
const MOST_MS = 25_000
const MOST_PARTS = 3

/** Sends the notification in the environment. Returns 0 when the gateway has accepted the message. */
export async function notifyBySms(
  sms: SmsGateway,
  { values }: CommandLine,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const to = String(values['to'] ?? environment['NAGIOS_CONTACTPAGER'] ?? '')
    .split(',')
    .map((number) => number.trim())
    .filter((number) => number !== '')
  if (to.length === 0)
    throw new UsageError(
      'no recipient: set --to, or set the pager number of the contact, which Nagios passes as NAGIOS_CONTACTPAGER',
    )
  const text = shortenText(notificationText(environment), MOST_PARTS)
  const { id } = await sms.messages.send({ to, text }, { signal: AbortSignal.timeout(MOST_MS) })
  print(id)
  return 0
}
