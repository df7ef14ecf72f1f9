/** How each setting is asked for and explained. */
export type SettingText = { readonly key: string; readonly name: string; readonly about: string } & (
  | { readonly kind: 'number'; readonly unit: string; readonly empty: string }
  | { readonly kind: 'choice'; readonly choices: readonly (readonly [value: string, words: string])[] }
  | { readonly kind: 'switch' }
  | { readonly kind: 'time' }
  | { readonly kind: 'text' }
  | { readonly kind: 'secret' }
)

export interface SectionText {
  readonly section: string
  readonly title: string
  readonly about: string
  readonly settings: readonly SettingText[]
}

export const sectionTexts: readonly SectionText[] = [
  {
    section: 'messages',
    title: 'Sending',
    about:
      'How fast, in which order and by which SIM. A message of priority 100 or more passes pauses, limits and hours.',
    settings: [
      {
        key: 'send_interval_min',
        name: 'Shortest pause',
        about: 'Between two messages of one SIM. Some networks block SIMs that send like a machine.',
        kind: 'number',
        unit: 'seconds',
        empty: 'no pause',
      },
      {
        key: 'send_interval_max',
        name: 'Longest pause',
        about: 'Each pause is random between both.',
        kind: 'number',
        unit: 'seconds',
        empty: 'no pause',
      },
      {
        key: 'limit_period',
        name: 'Limit',
        about: 'So many messages of one SIM in each period; the rest waits.',
        kind: 'choice',
        choices: [
          ['Disabled', 'No limit'],
          ['PerMinute', 'In a minute'],
          ['Per30Minutes', 'In half an hour'],
          ['PerHour', 'In an hour'],
          ['PerDay', 'In a day'],
        ],
      },
      {
        key: 'limit_value',
        name: 'Messages in that period',
        about: 'Needed when there is a limit.',
        kind: 'number',
        unit: 'messages',
        empty: 'none',
      },
      {
        key: 'sim_selection_mode',
        name: 'SIM',
        about: 'For messages that ask for no SIM.',
        kind: 'choice',
        choices: [
          ['OSDefault', 'The lowest that is ready'],
          ['RoundRobin', 'One after the other'],
          ['Random', 'Any of them'],
        ],
      },
      {
        key: 'processing_order',
        name: 'Order',
        about: 'Among messages of one priority.',
        kind: 'choice',
        choices: [
          ['FIFO', 'First come, first sent'],
          ['LIFO', 'The newest first'],
        ],
      },
      {
        key: 'work_hours_enabled',
        name: 'Send in work hours only',
        about: 'What comes at another time waits for them.',
        kind: 'switch',
      },
      {
        key: 'work_hours_start',
        name: 'From',
        about: "In the device's time zone.",
        kind: 'time',
      },
      { key: 'work_hours_end', name: 'Until', about: 'Earlier than the beginning: over midnight.', kind: 'time' },
      {
        key: 'log_lifetime_days',
        name: 'Keep messages for',
        about: 'Finished ones are deleted after that.',
        kind: 'number',
        unit: 'days',
        empty: '30',
      },
    ],
  },
  {
    section: 'webhooks',
    title: 'Webhooks',
    about: 'How often a delivery is tried again, and what it is signed with.',
    settings: [
      {
        key: 'retry_count',
        name: 'Retries',
        about: 'Ten are usual, over three days. Fewer end earlier; more repeat the last pause, a day each.',
        kind: 'number',
        unit: 'retries',
        empty: '10',
      },
      {
        key: 'signing_key',
        name: 'Signing key',
        about:
          'Signs X-Signature of all webhooks instead of the secret of each. Never shown; empty leaves it as it is.',
        kind: 'secret',
      },
      {
        key: 'internet_required',
        name: 'Receivers are on the internet',
        about: 'Kept for other clients of this API; deliveries go out either way.',
        kind: 'switch',
      },
    ],
  },
  {
    section: 'ping',
    title: 'Ping',
    about: 'Devices tell regularly that they are alive, as the event system:ping.',
    settings: [
      {
        key: 'interval_seconds',
        name: 'Every',
        about: 'Without it there is no ping.',
        kind: 'number',
        unit: 'seconds',
        empty: 'no ping',
      },
    ],
  },
  {
    section: 'logs',
    title: 'Logs',
    about: 'What happened on relay and devices of this account.',
    settings: [
      {
        key: 'lifetime_days',
        name: 'Keep logs for',
        about: 'Older ones are deleted.',
        kind: 'number',
        unit: 'days',
        empty: '30',
      },
    ],
  },
  {
    section: 'gateway',
    title: 'For other clients',
    about: 'Kept as they are set, for programs that set them. They change nothing here.',
    settings: [{ key: 'notification_channel', name: 'Notification channel', about: 'Without effect.', kind: 'text' }],
  },
  {
    section: 'receiver',
    title: 'Receiver',
    about: 'Kept as it is set. It changes nothing here.',
    settings: [{ key: 'content_provider_enabled', name: 'Content provider', about: 'Without effect.', kind: 'switch' }],
  },
]
