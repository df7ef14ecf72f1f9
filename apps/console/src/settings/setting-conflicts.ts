import type { SettingValue } from '../api/settings.ts'
import { isDayTime } from '../ui/time-fields/local-time.ts'
import { t } from '../words/text.ts'
import type { SettingsSectionName } from './setting-fields.ts'

type Values = Readonly<Record<string, SettingValue | undefined>>
type Problems = Readonly<Record<string, string>>

/**
 * Returns the problems of settings that conflict with each other, by key. The relay checks the same rules, but only
 * when the settings are saved.
 */
export function settingConflicts(section: SettingsSectionName, values: Values): Problems {
  if (section === 'messages')
    return { ...pauseConflict(values), ...limitConflict(values), ...workHoursConflict(values) }
  return section === 'encryption' ? keyConflict(values) : {}
}

function pauseConflict({ send_interval_min: min, send_interval_max: max }: Values): Problems {
  if (typeof min !== 'number' || typeof max !== 'number' || min <= max) return {}
  return { send_interval_min: t('fieldProblem.pauses_reversed', { minimum: min, maximum: max }) }
}

function limitConflict({ limit_period: period, limit_value: limit }: Values): Problems {
  if (/^Disabled$/.test(String(period)) || !isAbsent(limit)) return {}
  return { limit_value: t('fieldProblem.limit_without_value') }
}

function workHoursConflict(values: Values): Problems {
  const { work_hours_enabled: areEnabled, work_hours_start: start, work_hours_end: end } = values
  if (areEnabled !== true) return {}
  const missing = ['work_hours_start', 'work_hours_end'].filter((key) => isAbsent(values[key]))
  if (missing.length > 0) return Object.fromEntries(missing.map((key) => [key, t('fieldProblem.work_hours_missing')]))
  return start === end && isDayTime(String(start)) ? { work_hours_end: t('fieldProblem.work_hours_equal') } : {}
}

function keyConflict({ inbox_public_key: key, inbox_key_version: version, ...rest }: Values): Problems {
  if (isAbsent(key) && rest['inbox_hide_sender'] === true)
    return { inbox_public_key: t('fieldProblem.hidden_sender_without_key') }
  if (isAbsent(key) && !isAbsent(version)) return { inbox_public_key: t('fieldProblem.version_without_key') }
  return isAbsent(version) && !isAbsent(key) ? { inbox_key_version: t('fieldProblem.key_without_version') } : {}
}

function isAbsent(value: SettingValue | undefined): boolean {
  return value === undefined || value === null || value === ''
}
