/** The events for which a subscription can receive notifications. */
export const pushEvents = ['message.received', 'message.failed', 'device.offline'] as const

export type PushEvent = (typeof pushEvents)[number]

/** The languages of the console, whose service worker writes the notifications. */
export const pushLanguages = ['en', 'de', 'es', 'ar'] as const

/**
 * The content of a notification, which only the browser can decrypt. `kind` and `language` are always present. Which
 * other members are present depends on `kind`. The service worker ignores unknown kinds.
 */
export interface PushContent {
  readonly kind: PushEvent | 'test'
  readonly language: (typeof pushLanguages)[number]
  /** The number of events that the notification is about. */
  readonly count: number
  /** The phone number or name of the sender or recipient, or the name of the device. */
  readonly about: string
  /** The first line of a received text. */
  readonly text?: string
  /** The id of the failed message or of the device. */
  readonly id?: string
}
