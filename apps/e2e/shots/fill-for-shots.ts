import type { ApiClient } from '../src/house/api-client.ts'
import { type DialogData, fillForDialogs } from '../src/house/browser/console-dialogs.ts'

interface ShotData extends DialogData {
  readonly failedId: string
  readonly manyId: string
}

/** Creates messages in every state, a conversation with labels, and messages that wait for approval. */
export async function fillForShots(api: ApiClient): Promise<ShotData> {
  const data = await fillForDialogs(api)
  const send = (phoneNumbers: readonly string[], text: string) => api.send({ phoneNumbers, textMessage: { text } })
  const failedId = await send(['+12025550110'], 'Your table is ready')
  for (const last of [11, 12, 13, 15, 16, 17, 19, 21, 22]) await send([`+120255501${last}`], `Test to ${last}`)
  const manyId = await send(
    [data.number, '+12025550116', '+447400123457'],
    'We are closed on Monday. See you on Tuesday!',
  )
  for (const text of [
    'Hello, do you have a table for two tonight?',
    'Your code is 493 201. More at https://example.com/tables',
    'مرحبا، هل لديكم طاولة الليلة؟',
  ])
    await api.ask('POST', '/virtual-phone', { from: data.number, text })
  const label = await api.ask('POST', '/labels', { name: 'Reservation', color: 'teal' })
  const change = { addLabels: [label.json.id], assignee: 'Maria' }
  await api.ask('PATCH', `/conversations/${encodeURIComponent(data.number)}`, change)
  const assistant = { name: 'assistant', scopes: ['messages:send'], limits: { approval: 'required' } }
  const key = (await api.ask('POST', '/keys', assistant)).json.key
  const held = { phoneNumbers: ['+447400123459'], textMessage: { text: 'Shall I book a table?' } }
  await api.ask('POST', '/messages', held, { authorization: `Bearer ${key}` })
  await api.until(failedId, ({ state }) => state === 'Failed')
  return { ...data, failedId, manyId }
}
