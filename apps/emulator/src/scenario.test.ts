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

test('what a scenario leaves open gets a default', () => {
  expect(read({ modems: [{}] })).toMatchObject({ modems: [{ personality: 'quectel-ec25' }], steps: [] })
})

test('a step carries its time and its instruction', () => {
  const step = { atMs: 50, do: 'send-text', from: '+447700900999', to: 'stick', text: 'hi' }
  expect(read({ modems: [modem], steps: [step] }).steps).toEqual([step])
})

test.each([
  ['{', /scenario.json: .*JSON/],
  [{}, /scenario.json: modems: /],
  [{ modems: [] }, /modems: must name at least one modem/],
  [{ modems: [{ sim: { number: '1' } }] }, /modems\[0\].sim.number: must look like \+447700900001/],
  [{ modems: [{ personality: 'x' }] }, /modems\[0\].personality: must be one of/],
  [{ modems: [{ faults: { gremlins: {} } }] }, /modems\[0\].faults.gremlins: is not known here/],
  [{ modems: [{ faults: { 'prompt-late': { delayMs: 'x' } } }] }, /modems\[0\].faults.prompt-late.delayMs: /],
  [{ modems: [modem], stpes: [] }, /stpes: is not known here/],
  [{ modems: [modem], network: { latencyMs: -1 } }, /network.latencyMs/],
  [
    { modems: [modem], network: { rules: [{ prefix: '+44', policy: { outcome: 'lost' } }] } },
    /network.rules\[0\].policy.outcome/,
  ],
  [{ modems: [modem], steps: [{ atMs: 0, do: 'explode' }] }, /steps\[0\].do: /],
  [{ modems: [modem], steps: [{ do: 'plug', modem: 'stick' }] }, /steps\[0\].atMs: /],
  [
    { modems: [modem], steps: [{ atMs: 0, do: 'plug', modem: 'other' }] },
    /steps\[0\].modem: no modem is called other; there are stick/,
  ],
  [
    { modems: [modem], steps: [{ atMs: 0, do: 'send-text', from: '1', to: 'other', text: '' }] },
    /steps\[0\].to: no modem is called other/,
  ],
  [{ modems: [modem], steps: [{ atMs: 0, do: 'send-text', from: '1', to: 'stick' }] }, /steps\[0\].text: /],
  [
    { modems: [modem], steps: [{ atMs: 0, do: 'set-fault', modem: 'stick', fault: 'nitz', options: { everyMs: 0 } }] },
    /steps\[0\].options.everyMs: /,
  ],
])('%j is refused with the place', (content, message) => {
  expect(() => read(content)).toThrow(message)
  expect(() => read(content)).toThrow(/^scenario: [^\n]*$/)
})

test('one that is nested too deeply to be walked is refused, however deep', () => {
  for (const depth of [100, 20_000]) {
    const menu = `${'{"text":"x","otherwise":'.repeat(depth)}{"text":"y"}${'}'.repeat(depth)}`
    expect(() => read(`{"modems":[{}],"network":{"ussd":{"*1#":${menu}}}}`)).toThrow(
      /^scenario: .* nested deeper than 64/,
    )
  }
})

test('a mark of the byte order in front is no part of it', () => {
  expect(read('\ufeff{"modems":[{}]}').modems).toHaveLength(1)
})

test('every scenario that is shipped can be read', () => {
  const shipped = join(import.meta.dirname, '../scenarios')
  const files = readdirSync(shipped)
  expect(files.length).toBeGreaterThan(2)
  for (const file of files) expect(() => readScenario(join(shipped, file))).not.toThrow()
})
