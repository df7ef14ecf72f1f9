import type { SettingValue } from '../api/settings.ts'
import type { TextKey } from '../words/text.ts'
import type { Edits } from './unsaved-edits.ts'

/**
 * How each setting is edited. Its name and help are `setting.<section>.<key>` and `settingHelp.<section>.<key>`.
 * A setting with `ofSwitch` has an effect only while the setting of that name is on.
 */
export type FieldEditor =
  | {
      readonly kind: 'number'
      readonly unit?: 'seconds' | 'messages' | 'retries' | 'days'
      readonly empty: EmptyText
      readonly ofSwitch?: string
    }
  | { readonly kind: 'choice'; readonly choices: readonly TextKey[] }
  | { readonly kind: 'time'; readonly ofSwitch: string; readonly proposed: string }
  | { readonly kind: 'switch' | 'text' | 'secret' }

/** The placeholder of an empty number field: the default, or the meaning of an absent value. */
type EmptyText = number | 'noPause' | 'noLimit' | 'noPing' | 'noKey'

/** The sections in the order of the page, with their settings. Settings that never take effect are left out. */
export const settingFields = {
  messages: {
    send_interval_min: { kind: 'number', unit: 'seconds', empty: 'noPause' },
    send_interval_max: { kind: 'number', unit: 'seconds', empty: 'noPause' },
    limit_period: {
      kind: 'choice',
      choices: [
        'settingChoice.Disabled',
        'settingChoice.PerMinute',
        'settingChoice.Per30Minutes',
        'settingChoice.PerHour',
        'settingChoice.PerDay',
      ],
    },
    limit_value: { kind: 'number', unit: 'messages', empty: 'noLimit', ofSwitch: 'limit_period' },
    sim_selection_mode: {
      kind: 'choice',
      choices: ['settingChoice.OSDefault', 'settingChoice.RoundRobin', 'settingChoice.Random'],
    },
    processing_order: { kind: 'choice', choices: ['settingChoice.FIFO', 'settingChoice.LIFO'] },
    work_hours_enabled: { kind: 'switch' },
    work_hours_start: { kind: 'time', ofSwitch: 'work_hours_enabled', proposed: '08:00' },
    work_hours_end: { kind: 'time', ofSwitch: 'work_hours_enabled', proposed: '20:00' },
    log_lifetime_days: { kind: 'number', unit: 'days', empty: 30 },
  },
  webhooks: {
    retry_count: { kind: 'number', unit: 'retries', empty: 10 },
    signing_key: { kind: 'secret' },
  },
  encryption: {
    inbox_public_key: { kind: 'text' },
    inbox_key_version: { kind: 'number', empty: 'noKey' },
    inbox_hide_sender: { kind: 'switch' },
  },
  ping: { interval_seconds: { kind: 'number', unit: 'seconds', empty: 'noPing' } },
  logs: { lifetime_days: { kind: 'number', unit: 'days', empty: 30 } },
} as const satisfies Readonly<Record<string, Readonly<Record<string, FieldEditor>>>>

export type SettingsSectionName = keyof typeof settingFields

/** True if a setting has no effect, because the setting that it depends on is off. */
export function isOff(field: FieldEditor, currentValue: (key: string) => unknown): boolean {
  return 'ofSwitch' in field && field.ofSwitch !== undefined && isOffValue(currentValue(field.ofSwitch))
}

function isOffValue(value: unknown): boolean {
  return value === undefined || value === null || value === false || value === 'Disabled'
}

/**
 * Returns the unsaved edits of a section after one more edit. The value undefined discards the edit of its key.
 * Switching on proposes times where none are stored. Switching off discards edits of the settings that depend on it,
 * because they cannot be corrected any more.
 */
export function editsWith(
  section: SettingsSectionName,
  stored: Readonly<Record<string, unknown>>,
  edits: Edits,
  [key, value]: readonly [key: string, value: SettingValue | undefined],
): Edits {
  const dependent = Object.entries<FieldEditor>(settingFields[section]).filter(
    ([, field]) => 'ofSwitch' in field && field.ofSwitch === key,
  )
  const discarded = new Set(isOffValue(value) ? dependent.map(([name]) => name) : [])
  const kept = Object.entries(edits).filter(([name]) => !discarded.has(name))
  const proposed = dependent.flatMap(([name, field]) =>
    field.kind === 'time' && value === true && (stored[name] ?? '') === '' ? [[name, field.proposed] as const] : [],
  )
  const others = Object.fromEntries(kept.filter(([name]) => name !== key))
  return { ...others, ...Object.fromEntries(proposed), ...(value !== undefined && { [key]: value }) }
}
