import type { Alert, AlertNotification } from './alert-notification.ts'

/** The text of an SMS without `template` in the address. */
export const DEFAULT_TEMPLATE = '[{status}:{count}] {label.alertname}: {alerts}'

/**
 * Replaces the placeholders in a template. Unknown placeholders stay unchanged, because an alert should arrive even if
 * its template has a mistake.
 */
export function renderTemplate(template: string, notification: AlertNotification): string {
  const render = (text: string) =>
    text.replace(/\{([^{}]*)\}/g, (placeholder, name) => placeholderValue(name, notification) ?? placeholder).trim()
  return render(template) || render(DEFAULT_TEMPLATE)
}

function placeholderValue(name: string, notification: AlertNotification): string | undefined {
  const { status, externalURL, commonLabels, groupLabels, commonAnnotations } = notification
  const shown = shownAlerts(notification)
  if (name === 'status') return status.toUpperCase()
  if (name === 'count') return String(shown.length + notification.truncatedAlerts)
  if (name === 'url') return externalURL
  if (name === 'alerts') return distinct(shown.map(summaryOf)).join('; ')
  const [, kind, key = ''] = /^(label|annotation)\.(.+)$/s.exec(name) ?? []
  if (kind === 'label')
    return (
      own(commonLabels, key) ??
      own(groupLabels, key) ??
      distinct(shown.map(({ labels }) => own(labels, key))).join(', ')
    )
  if (kind === 'annotation')
    return own(commonAnnotations, key) ?? distinct(shown.map(({ annotations }) => own(annotations, key))).join(', ')
  return undefined
}

/** Returns the alerts with the status of the group. A firing group may also contain resolved alerts. */
function shownAlerts({ alerts, status }: AlertNotification): readonly Alert[] {
  return alerts.filter((alert) => alert.status === status)
}

/** Returns the description of an alert, or otherwise its name and instance. */
function summaryOf({ labels, annotations }: Alert): string {
  const said = own(annotations, 'summary') || own(annotations, 'description')
  return said || [own(labels, 'alertname'), own(labels, 'instance')].filter(Boolean).join(' ')
}

function own(texts: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(texts, key) ? texts[key] : undefined
}

function distinct(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts.filter((text): text is string => text !== undefined && text !== ''))]
}
