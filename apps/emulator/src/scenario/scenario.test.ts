import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readScenario } from './scenario.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'scenario-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function read(content: unknown) {
  const file = join(folder, 'scenario.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return readScenario(file)
}

const modem = { name: 'stick' }

test('fills in defaults for a scenario', () => {
  expect(read({ modems: [{}] })).toMatchObject({ modems: [{ personality: 'quectel-ec25' }], steps: [] })
})

test('reads the time and the instruction of a step', () => {
  const step = { atMs: 50, do: 'send-text', from: '+447700900999', to: 'stick', text: 'hi' }
  expect(read({ modems: [modem], steps: [step] }).steps).toEqual([step])
})

test.each([
  ['{', /scenario.json: .*JSON/],
  [{}, /scenario.json: modems: /],
  [{ modems: [] }, /modems: must name at least one modem/],
  [{ modems: [{ sim: { number: '1' } }] }, /modems\[0\].sim.number: must look like \+447700900001/],
  [{ modems: [{ personality: 'x' }] }, /modems\[0\].personality: must be one of/],
  [{ modems: [{ faults: { gremlins: {} } }] }, /modems\[0\].faults.gremlins: is not a known name/],
  [{ modems: [{ faults: { 'prompt-late': { delayMs: 'x' } } }] }, /modems\[0\].faults.prompt-late.delayMs: /],
  [{ modems: [modem], stpes: [] }, /stpes: is not a known name/],
  [{ modems: [modem], network: { latencyMs: -1 } }, /network.latencyMs/],
  [
    { modems: [modem], network: { rules: [{ prefix: '+44', policy: { outcome: 'lost' } }] } },
    /network.rules\[0\].policy.outcome/,
  ],
  [{ modems: [modem], steps: [{ atMs: 0, do: 'explode' }] }, /steps\[0\].do: /],
  [{ modems: [modem], steps: [{ do: 'plug', modem: 'stick' }] }, /steps\[0\].atMs: /],
  [
    { modems: [modem], steps: [{ atMs: 0, do: 'plug', modem: 'other' }] },
    /steps\[0\].modem: no modem has the name other; the modems are stick/,
  ],
  [
    { modems: [modem], steps: [{ atMs: 0, do: 'send-text', from: '1', to: 'other', text: '' }] },
    /steps\[0\].to: no modem has the name other/,
  ],
  [{ modems: [modem], steps: [{ atMs: 0, do: 'send-text', from: '1', to: 'stick' }] }, /steps\[0\].text: /],
  [
    { modems: [modem], steps: [{ atMs: 0, do: 'set-fault', modem: 'stick', fault: 'nitz', options: { everyMs: 0 } }] },
    /steps\[0\].options.everyMs: /,
  ],
])('refuses %j with the path', (content, message) => {
  expect(() => read(content)).toThrow(message)
  expect(() => read(content)).toThrow(/^scenario: [^\n]*$/)
})

test('refuses a scenario that is nested too deeply', () => {
  for (const depth of [100, 20_000]) {
    const menu = `${'{"text":"x","otherwise":'.repeat(depth)}{"text":"y"}${'}'.repeat(depth)}`
    expect(() => read(`{"modems":[{}],"network":{"ussd":{"*1#":${menu}}}}`)).toThrow(
      /^scenario: .* nested deeper than 64/,
    )
  }
})

test('ignores a byte order mark', () => {
  expect(read('\ufeff{"modems":[{}]}').modems).toHaveLength(1)
})

test('reads every shipped scenario', () => {
  const shipped = join(import.meta.dirname, '../../scenarios')
  const files = readdirSync(shipped)
  expect(files.length).toBeGreaterThan(2)
  for (const file of files) expect(() => readScenario(join(shipped, file))).not.toThrow()
})
