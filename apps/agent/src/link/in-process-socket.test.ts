import { expect, test } from 'vitest'
import { socketInProcess } from './in-process-socket.ts'
import type { LinkSocket } from './link-socket.ts'

/** Returns both ends of a link and what each has received, in order. */
function pair() {
  const agentHeard: string[] = []
  const relayHeard: string[] = []
  let relayEnd: LinkSocket | undefined
  const open = socketInProcess((socket) => {
    relayEnd = socket
    socket.send('challenge')
    return { step: (input) => void relayHeard.push(input.kind === 'received' ? input.text : `closed ${input.code}`) }
  })
  const agentEnd = open({
    onOpened: () => void agentHeard.push('opened'),
    onText: (text) => void agentHeard.push(text),
    onClosed: (code, reason) => void agentHeard.push(`closed ${code} ${reason}`),
    onUnreachable: ({ reason }) => void agentHeard.push(`unreachable ${reason}`),
  })
  return { agentHeard, relayHeard, agentEnd, relayEnd: () => relayEnd as LinkSocket }
}

const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 0)).then(() => new Promise(setImmediate))

test('opens after the call has returned and before the relay can send', async () => {
  const { agentHeard } = pair()
  expect(agentHeard).toEqual([])
  await expect.poll(() => agentHeard).toEqual(['opened', 'challenge'])
})

test('both ends receive data in order, and never while they are making a call themselves', async () => {
  const { agentHeard, relayHeard, agentEnd, relayEnd } = pair()
  await expect.poll(() => agentHeard).toHaveLength(2)
  agentEnd.send('1')
  relayEnd().send('a')
  agentEnd.send('2')
  relayEnd().send('b')
  expect([relayHeard, agentHeard]).toEqual([[], ['opened', 'challenge']])
  await expect.poll(() => agentHeard).toEqual(['opened', 'challenge', 'a', 'b'])
  expect(relayHeard).toEqual(['1', '2'])
})

test.each(['agent', 'relay'] as const)('delivers what the %s sent before its close, and nothing later', async (who) => {
  const { agentHeard, relayHeard, agentEnd, relayEnd } = pair()
  await expect.poll(() => agentHeard).toHaveLength(2)
  const [own, heardByOther] = who === 'agent' ? [agentEnd, relayHeard] : [relayEnd(), agentHeard]
  own.send('last words')
  own.close(4000, 'bye')
  own.send('too late')
  await expect.poll(() => relayHeard.at(-1)).toBe('closed 4000')
  expect(agentHeard.at(-1)).toBe('closed 4000 bye')
  expect(heardByOther).toContain('last words')
  agentEnd.send('too late')
  relayEnd().close(4000, 'again')
  await settled()
  expect([...agentHeard, ...relayHeard]).not.toContain('too late')
  expect(relayHeard.filter((heard) => heard.startsWith('closed'))).toHaveLength(1)
})

test('a socket that is closed before it opens never reaches the relay', async () => {
  const { agentHeard, relayHeard, agentEnd } = pair()
  agentEnd.close(4000, 'changed my mind')
  await expect.poll(() => agentHeard.at(-1)).toBe('closed 4000 changed my mind')
  expect(relayHeard).toEqual([])
})

const ignore = () => undefined

test('passes on a frame with its text', async () => {
  const frame = { type: 'events', from: 1, events: [{ kind: 'processed' }], tag: 't' } as const
  const heard: unknown[] = []
  const open = socketInProcess(() => ({ step: (input) => void heard.push(input) }))
  const agentEnd = open({ onOpened: ignore, onText: ignore, onClosed: ignore, onUnreachable: ignore })
  agentEnd.send('its text', { ...frame, events: [...frame.events] })
  agentEnd.send('only text')
  await expect
    .poll(() => heard)
    .toEqual([
      { kind: 'received', text: 'its text', frame },
      { kind: 'received', text: 'only text' },
    ])
})
