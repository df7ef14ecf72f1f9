import { readdirSync, readFileSync } from 'node:fs'
import { type Recording, readRecording } from '@smsgw/virtual-modem/replay/recording'
import { ReplayModem } from '@smsgw/virtual-modem/replay/replay-modem'
import { expect, test } from 'vitest'
import { Modem } from '../modem.ts'
import type { ModemEvent } from '../modem-event.ts'
import { submitPdu } from '../testing/driven-modem.ts'
import { ManualClock } from '../testing/manual-clock.ts'
import { DialogueRecorder } from './dialogue-recorder.ts'
import { formatRecording } from './format-recording.ts'
import { redact } from './redact.ts'

const folder = new URL('../profiles/transcripts/', import.meta.url)
const composed = readdirSync(folder).map(
  (file) => [file.replace('.txt', ''), readFileSync(new URL(file, folder), 'utf8')] as const,
)

/** Sets up the replayed modem, sends a message and receives one. Records this dialogue. */
async function drive(recording: Recording) {
  const clock = new ManualClock()
  const events: ModemEvent[] = []
  const recorder = new DialogueRecorder()
  let onBytes: (bytes: Uint8Array) => void = () => undefined
  const replay = new ReplayModem(recording, (bytes) => onBytes(bytes))
  const port = {
    write: (bytes: Uint8Array) => replay.receive(bytes),
    onBytes: (listener: typeof onBytes) => {
      onBytes = listener
    },
    onClosed: () => undefined,
  }
  const { usb } = recording
  const modem = new Modem({
    port,
    clock,
    trace: recorder,
    onEvent: (event) => events.push(event),
    options: usb ? { usb } : {},
  })
  recorder.begin('start')
  replay.open()
  let isStarted = false
  const starting = modem.start().finally(() => (isStarted = true))
  for (let i = 0; i < 200 && !isStarted; i += 1) await clock.advance(500)
  expect((await starting).kind).toBe('started')
  await clock.advance(500)
  recorder.begin('send')
  const sent = await modem.submit(submitPdu, { id: 'a', beforePdu: async () => 'go' })
  recorder.begin('receive')
  await clock.advance(60_000)
  const received = events.flatMap((event) => (event.kind === 'incoming' ? [event.incoming] : []))
  return { profile: modem.session?.profile.name, sent, received, sections: recorder.sections }
}

test('at least ten recordings are composed', () => {
  expect(composed.length).toBeGreaterThanOrEqual(10)
  for (const [, text] of composed) expect(readRecording(text).kind).toBe('composed')
})

test.each(composed)('%s: the driver sets the replayed modem up, sends and receives', async (_, text) => {
  const recording = readRecording(text)
  const { profile, sent, received } = await drive(recording)
  expect(profile).toBe(recording.profile)
  expect(sent).toMatchObject({ kind: 'accepted', messageReference: 17 })
  expect(received.map(({ kind }) => kind)).toContain('message')
})

test.each(composed)('%s: a redacted recording of the replay works as well', async (_, text) => {
  const { usb, profile } = readRecording(text)
  const { sections } = await drive(readRecording(text))
  const remarks = ['Captured from one replay.', ...(usb ? [`usb ${usb}`] : []), `profile ${profile}`]
  const again = readRecording(formatRecording(remarks, redact(sections)))
  expect(again.kind).toBe('captured')
  const driven = await drive(again)
  expect(driven.profile).toBe(profile)
  expect(driven.sent).toMatchObject({ kind: 'accepted', messageReference: 17 })
  expect(driven.received[0]).toMatchObject({
    kind: 'message',
    deliver: { originator: { value: expect.stringMatching(/^999/) } },
  })
})
