import { z } from 'zod'

/** Labels or annotations. Programs in Go send null for an empty map. */
const texts = z
  .record(z.string().max(256), z.string())
  .nullish()
  .transform((given) => given ?? {})

const alert = z.object({
  status: z.enum(['firing', 'resolved']),
  labels: texts,
  annotations: texts,
  startsAt: z.iso.datetime({ offset: true }),
})

/**
 * The payload that Alertmanager (version 4) and Grafana (version 1) send to a webhook for a group of alerts. Only the
 * members that the relay uses are described.
 */
const notification = z.object({
  status: z.enum(['firing', 'resolved']).meta({ description: '`resolved` when no alert of the group fires any more' }),
  groupKey: z.string().min(1).max(10_000),
  truncatedAlerts: z.int().min(0).default(0),
  groupLabels: texts,
  commonLabels: texts,
  commonAnnotations: texts,
  externalURL: z.string().default(''),
  alerts: z.array(alert).min(1),
})

export type AlertNotification = z.output<typeof notification>
export type Alert = AlertNotification['alerts'][number]

export const alertmanagerNotification = notification
  .extend({
    version: z.literal('4', 'must be "4", because other versions of the Alertmanager payload are not supported'),
  })
  .meta({ id: 'AlertmanagerNotification' })

export const grafanaNotification = notification
  .extend({ version: z.literal('1', 'must be "1", because other versions of the Grafana payload are not supported') })
  .meta({ id: 'GrafanaNotification' })
