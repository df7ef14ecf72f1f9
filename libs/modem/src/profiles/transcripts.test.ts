import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Modem } from '../modem.ts'
import type { ModemEvent } from '../modem-event.ts'
import { submitPdu } from '../testing/driven-modem.ts'
import { ManualClock } from '../testing/manual-clock.ts'
import { TranscriptModem } from '../testing/transcript.ts'

// Each file names the expected profile and contains a dialogue: setup, one message sent, one received and deleted. The
// driver must write exactly the lines of the file.

const folder = new URL('./transcripts/', import.meta.url)

test.each(readdirSync(folder).map((file) => file.replace('.txt', '')))('%s', async (name) => {
  const text = readFileSync(new URL(`${name}.txt`, folder), 'utf8')
  const port = new TranscriptModem(text)
  const clock = new ManualClock()
  const events: ModemEvent[] = []
  const usb = /^# usb (\S+)$/m.exec(text)?.[1]
  const modem = new Modem({ port, clock, onEvent: (event) => events.push(event), options: usb ? { usb } : {} })

  port.begin('start')
  let started = false
  const starting = modem.start().finally(() => (started = true))
  for (let i = 0; i < 100 && !started; i += 1) await clock.advance(500)
  await starting
  await clock.advance(0)
  expect(port.deviations).toEqual([])
  expect(modem.session?.profile.name).toBe(/^# profile (\S+)$/m.exec(text)?.[1])

  port.begin('send')
  expect(await modem.submit(submitPdu, { id: 'a', beforePdu: async () => 'go' })).toMatchObject({
    kind: 'accepted',
    messageReference: 17,
  })

  port.begin('receive')
  await clock.advance(0)
  const [incoming] = events.flatMap((event) => (event.kind === 'incoming' ? [event.incoming] : []))
  if (incoming?.source.kind !== 'stored') throw new Error('nothing arrived')

  port.begin('delete')
  expect(await modem.deleteMessage(incoming.source, incoming.pdu)).toEqual({ kind: 'deleted' })
  port.end()
  expect(port.deviations).toEqual([])
})

test.each(readdirSync(folder))('%s names its source', (file) => {
  const [, , origin] = readFileSync(new URL(file, folder), 'utf8').split('\n')
  expect(origin).toMatch(
    /^# (Composed from [a-z ]+; not captured from one device|Captured from one [\w -]+|From the manual [\w .-]+)\.$/,
  )
})

test('ten transcripts are composed from public threads, and name these threads', () => {
  const texts = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'))
  const threads = texts.filter((text) =>
    /^# Composed from .*public threads( and the standard)?; not captured from one device\.$/m.test(text),
  )
  expect(threads).toHaveLength(10)
  for (const text of threads)
    expect(text).toMatch(/^# Threads: ([\w-]+\/[\w-]+ (issues?|pull request) [\d and]+(, |\.$))+/m)
})
