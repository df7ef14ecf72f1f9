import type { Settings } from '@smsgw/contract/settings'
import type { FieldError } from '../http/api-error.ts'

/** Returns the errors of settings that conflict with each other. A change may conflict with an earlier change. */
export function brokenRules({ messages }: Settings): FieldError[] {
  const broken: FieldError[] = []
  const { send_interval_min: min, send_interval_max: max } = messages
  if (min !== undefined && max !== undefined && min > max)
    broken.push({
      path: 'messages.send_interval_min',
      message: `${min} is more than messages.send_interval_max (${max}): lower it, or raise messages.send_interval_max`,
    })
  if (messages.limit_period !== 'Disabled' && messages.limit_value === undefined)
    broken.push({
      path: 'messages.limit_value',
      message: `is required with messages.limit_period ${messages.limit_period}: set the number of messages in that period`,
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
        message: `must differ from messages.work_hours_start (${start}): for the whole day set messages.work_hours_enabled to false`,
      },
    ]
  return missing.map((key) => ({
    path: `messages.${key}`,
    message: 'is required while messages.work_hours_enabled is true: set it as HH:mm',
  }))
}
