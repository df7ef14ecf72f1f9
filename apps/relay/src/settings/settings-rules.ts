import type { Settings } from '@smsgw/contract/settings'
import type { FieldError } from '../http/api-error.ts'

/** What keys must be to each other. A change of one may break a rule with another that was set long before. */
export function brokenRules({ messages }: Settings): FieldError[] {
  const broken: FieldError[] = []
  const { send_interval_min: min, send_interval_max: max } = messages
  if (min !== undefined && max !== undefined && min > max)
    broken.push({
      path: 'messages.send_interval_min',
      message: `${min} is more than messages.send_interval_max, ${max}: lower it, or raise the other`,
    })
  if (messages.limit_period !== 'Disabled' && messages.limit_value === undefined)
    broken.push({
      path: 'messages.limit_value',
      message: `is needed with messages.limit_period ${messages.limit_period}: how many messages in that time`,
    })
  if (messages.work_hours_enabled) broken.push(...brokenWorkHours(messages))
  return broken
}

function brokenWorkHours({ work_hours_start: start, work_hours_end: end }: Settings['messages']): FieldError[] {
  const missing = [
    ...(start === undefined ? ['work_hours_start'] : []),
    ...(end === undefined ? ['work_hours_end'] : []),
  ]
  if (missing.length === 0 && start === end)
    return [
      {
        path: 'messages.work_hours_end',
        message: `is the same as messages.work_hours_start, ${start}: for the whole day disable work hours`,
      },
    ]
  return missing.map((key) => ({
    path: `messages.${key}`,
    message: 'is needed while messages.work_hours_enabled is true, as HH:mm',
  }))
}
