import type { TextKey } from '../words/text.ts'

/** How each setting is edited. Its name and help are `setting.<section>.<key>` and `settingHelp.<section>.<key>`. */
export type FieldEditor =
  | { readonly kind: 'number'; readonly unit?: 'seconds' | 'messages' | 'retries' | 'days'; readonly empty: EmptyText }
  | { readonly kind: 'choice'; readonly choices: readonly TextKey[] }
  | { readonly kind: 'switch' | 'time' | 'text' | 'secret' }

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
    limit_value: { kind: 'number', unit: 'messages', empty: 'noLimit' },
    sim_selection_mode: {
      kind: 'choice',
      choices: ['settingChoice.OSDefault', 'settingChoice.RoundRobin', 'settingChoice.Random'],
    },
    processing_order: { kind: 'choice', choices: ['settingChoice.FIFO', 'settingChoice.LIFO'] },
    work_hours_enabled: { kind: 'switch' },
    work_hours_start: { kind: 'time' },
    work_hours_end: { kind: 'time' },
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
