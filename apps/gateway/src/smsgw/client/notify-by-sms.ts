import { printLine } from '@smsgw/agent/cli/terminal'
import type { SmsGateway } from '@smsgw/client'
import type { CommandLine } from '@smsgw/daemon/command-line'
import { UsageError } from '@smsgw/daemon/start-error'
import { shortenText } from '@smsgw/relay/hooks/shorten-text'

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
  const { id } = await sms.messages.send({ to, text }, { allowShortCodes: true, signal: AbortSignal.timeout(MOST_MS) })
  printLine(id)
  return 0
}

/**
 * Returns the text for a notification of Nagios, whose macros are environment variables. Icinga is configured to set
 * the same variables. A macro without a value is empty or missing.
 */
export function notificationText(environment: NodeJS.ProcessEnv): string {
  const macro = (name: string) => (environment[`NAGIOS_${name}`] ?? '').trim()
  const host = macro('HOSTALIAS') || macro('HOSTNAME')
  if (host === '')
    throw new UsageError(
      'no notification: NAGIOS_HOSTNAME is not set; set enable_environment_macros=1 in nagios.cfg, or env in the NotificationCommand of Icinga',
    )
  const service = macro('SERVICEDISPLAYNAME') || macro('SERVICEDESC')
  const [state, output] =
    service === '' ? [macro('HOSTSTATE'), macro('HOSTOUTPUT')] : [macro('SERVICESTATE'), macro('SERVICEOUTPUT')]
  const subject = [macro('NOTIFICATIONTYPE') || 'NOTIFICATION', [host, service].filter(Boolean).join('/'), state]
  const comment = [macro('NOTIFICATIONAUTHOR'), macro('NOTIFICATIONCOMMENT')].filter(Boolean).join(': ')
  return [subject.filter(Boolean).join(' '), output, comment && `(${comment})`].filter(Boolean).join('\n')
}
