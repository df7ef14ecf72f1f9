import { expect, test } from 'vitest'
import { callUrl } from '../../testing/call-url.ts'
import { useTwoRelays } from '../../testing/two-relays.ts'

const MESSAGES = 40
const relays = useTwoRelays()

const ask = (relay: number, method: string, path: string, options: { auth?: string; body?: unknown } = {}) =>
  callUrl(method, relays.urlOf(relay, path), { auth: relays.auth, ...options })

test('when an approval, a refusal and a cancel arrive at two relays at the same time, exactly one of them decides each message', async () => {
  const limits = { approval: 'required' }
  const { json: key } = await ask(0, 'POST', '/keys', { body: { name: 'bot', scopes: ['messages:send'], limits } })
  const ids = await Promise.all(
    Array.from({ length: MESSAGES }, async (_, index) => {
      const body = { phoneNumbers: ['+4915112345678', '+4915112345679'], textMessage: { text: `${index}` } }
      return (await ask(index, 'POST', '/messages', { auth: `Bearer ${key.key}`, body })).json.id as string
    }),
  )
  const outcomes = new Set<string>()
  const decide = async (id: string, index: number) => {
    const race = [
      ['approved', 'POST', `/messages/${id}/approve`],
      ['refused', 'POST', `/messages/${id}/refuse`],
      ['approved', 'POST', `/messages/${id}/approve`],
      ['refused', 'POST', `/messages/${id}/refuse`],
      ...(index % 2 ? [['cancelled', 'DELETE', `/messages/${id}`] as const] : []),
    ] as const
    // The order of the requests differs for each message, and each relay gets each request.
    const order = race.map((_, at) => race[(at + index) % race.length] ?? race[0])
    const answers = await Promise.all(
      order.map(async ([name, method, path], at) => [name, (await ask(at + index, method, path)).status] as const),
    )
    const won = new Set(answers.flatMap(([name, status]) => (status === 200 ? [name] : [])))
    const { state, approval } = await relays.database.message.findFirstOrThrow({ where: { id } })
    // An approved message can still be cancelled.
    if (state === 'Cancelled') expect(won).toContain('cancelled')
    else expect([...won]).toEqual([approval])
    expect(won.has('approved') && won.has('refused')).toBe(false)
    const states = { approved: 'Pending', refused: 'Failed', pending: 'Cancelled' }
    if (state !== 'Cancelled') expect(state).toBe(states[approval as keyof typeof states])
    const recipients = await relays.database.recipient.findMany({ where: { message: { id } } })
    expect(recipients.map((recipient) => recipient.state)).toEqual([state, state])
    for (const { notBefore } of recipients)
      expect((notBefore?.getUTCFullYear() ?? 0) === 9999).toBe(approval !== 'approved')
    outcomes.add(`${approval} ${state}`)
  }
  // Only a few messages at the same time, because a relay answers 503 when no connection is free for five seconds.
  for (let first = 0; first < MESSAGES; first += 5)
    await Promise.all(ids.slice(first, first + 5).map((id, at) => decide(id, first + at)))
  // The test is only meaningful if each kind of request wins sometimes.
  expect(outcomes.size).toBeGreaterThan(1)
})
