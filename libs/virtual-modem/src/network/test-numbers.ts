import type { DeliveryPolicy } from './delivery-policy.ts'

/** A number with a fixed behaviour in every virtual modem, for testing programs. */
export interface TestNumber {
  readonly number: string
  /** The effect on a message, and its final state in the API. */
  readonly effect: string
  readonly policy: DeliveryPolicy
}

/**
 * The numbers are from the range 202-555-0100 to 202-555-0199, which the North American plan reserves for fiction.
 * libphonenumber accepts these numbers as valid, unlike the reserved numbers of Ofcom (+44 7700 900xxx).
 */
export const testNumbers: readonly TestNumber[] = [
  {
    number: '+12025550110',
    effect: 'Refused by the network as a number that does not exist (CMS 1). Ends as Failed.',
    policy: { outcome: 'rejected', cause: 1 },
  },
  {
    number: '+12025550111',
    effect: 'Permanently refused by the network (CMS 21). Ends as Failed.',
    policy: { outcome: 'rejected', cause: 21 },
  },
  {
    number: '+12025550112',
    effect:
      'Refused once because of congestion (CMS 42). The retry half a minute later is accepted. Ends as Delivered.',
    policy: { outcome: 'rejected', cause: 42, times: 1 },
  },
  {
    number: '+12025550113',
    effect: 'Accepted after 10 seconds. Ends as Delivered.',
    policy: { outcome: 'delivered', acceptAfterMs: 10_000 },
  },
  {
    number: '+12025550114',
    effect: 'Sent at once. The delivery report arrives after 15 seconds. Ends as Delivered.',
    policy: { outcome: 'delivered', afterMs: 15_000 },
  },
  {
    number: '+12025550115',
    effect: 'Sent, but no delivery report arrives. Stays Sent.',
    policy: { outcome: 'silent' },
  },
  {
    number: '+12025550116',
    effect: 'Sent. The delivery report then states that delivery failed (status 0x43). Ends as Failed.',
    policy: { outcome: 'fails', status: 0x43 },
  },
  {
    number: '+12025550117',
    effect: 'Sent. The delivery report then states that the message expired (status 0x46). Ends as Failed.',
    policy: { outcome: 'expires', afterMs: 0 },
  },
  {
    number: '+12025550118',
    effect:
      'Sent. A first report states that the phone is busy (status 0x21); the message is delivered 5 seconds later. Ends as Delivered.',
    policy: { outcome: 'delivered-late', finallyAfterMs: 5_000 },
  },
  {
    number: '+12025550119',
    effect:
      'Sent, but the answer is lost (CMS 500) and no delivery report arrives, so the message is in doubt. Ends as Failed: submit_unknown.',
    policy: { outcome: 'answer-lost' },
  },
  {
    number: '+12025550120',
    effect:
      'Sent, but the answer is lost (CMS 500), so the message is in doubt until the delivery report arrives. Ends as Delivered.',
    policy: { outcome: 'answer-lost', reportAfterMs: 2_000 },
  },
  {
    number: '+12025550121',
    effect: 'Delivered. The number then replies by SMS with the same text.',
    policy: { outcome: 'delivered', reply: 'echo' },
  },
  {
    number: '+12025550122',
    effect: 'Delivered. The number then replies by SMS with STOP.',
    policy: { outcome: 'delivered', reply: { text: 'STOP' } },
  },
]
