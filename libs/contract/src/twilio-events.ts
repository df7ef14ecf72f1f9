// In a file of its own, because the console uses it without zod.

/** The events that requests in Twilio's format can report. */
export const twilioEvents = ['sms:received', 'sms:sent', 'sms:delivered', 'sms:failed', 'sms:cancelled'] as const

/** Returns whether requests in Twilio's format can report all of these events. */
export function areTwilioEvents(events: readonly string[]): boolean {
  return events.every((name) => (twilioEvents as readonly string[]).includes(name))
}
