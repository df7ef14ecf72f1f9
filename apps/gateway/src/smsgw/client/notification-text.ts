import { UsageError } from '@smsgw/daemon/start-error'

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
