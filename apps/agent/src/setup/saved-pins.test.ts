import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readSavedPins, savePin, trySavePin } from './saved-pins.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-pins-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('keeps a PIN for each SIM, and replaces one that has changed', () => {
  expect(readSavedPins(folder)).toEqual({})
  savePin(folder, 1, '1234')
  savePin(folder, 2, '5678')
  savePin(folder, 1, '4321')
  expect(readSavedPins(folder)).toEqual({ 1: '4321', 2: '5678' })
  expect(statSync(join(folder, 'sim-pins.json')).mode & 0o777).toBe(0o600)
})

test('reports why a PIN cannot be saved', () => {
  const entered = { simNumber: 1, pin: '1234' }
  expect(trySavePin(folder, {}, entered)).toEqual({ saved: true })
  expect(trySavePin(join(folder, 'missing'), {}, entered)).toEqual({
    ...{ saved: false, code: 'pin.not-written' },
    reason: 'The PIN could not be saved (ENOENT). Set SIM_1_PIN on the machine with the modem.',
  })
})

test('does not save a PIN if SIM_<n>_PIN is set, and returns the reason', () => {
  const isPinSet = (simNumber: number) => simNumber === 1
  expect(trySavePin(folder, { isPinSet }, { simNumber: 1, pin: '1234' })).toEqual({
    ...{ saved: false, code: 'pin.set-on-machine' },
    reason: expect.stringContaining('SIM_1_PIN is set on the machine with the modem and takes precedence'),
  })
  expect(trySavePin(folder, { isPinSet }, { simNumber: 2, pin: '5678' })).toEqual({ saved: true })
  expect(readSavedPins(folder)).toEqual({ 2: '5678' })
})

test.each(['', '[]', '{"1":"12"}', '{"1":1234}', '{"office":"1234"}', '{"1":"1234"'])(
  'refuses a damaged file %j without quoting it',
  (content) => {
    writeFileSync(join(folder, 'sim-pins.json'), content)
    // Checks only the text after the path, because the random name of the folder may contain 12.
    expect(() => readSavedPins(folder)).toThrow(/sim-pins\.json cannot be used: (?!.*12).* run setup again/s)
  },
)
