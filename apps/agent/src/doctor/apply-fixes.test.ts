import { expect, test } from 'vitest'
import { applyFixes } from './apply-fixes.ts'
import { type Finding, failFinding, okFinding } from './finding.ts'

const broken: Finding = {
  ...failFinding('stick', 'is a disk', 'switch it'),
  fix: {
    about: 'switch the stick',
    commands: [
      ['true', 'first'],
      ['true', 'second'],
    ],
  },
}
const sudo = process.getuid?.() === 0 ? '' : 'sudo '

async function fixing(findings: readonly Finding[], agreed: boolean | undefined, failing = '') {
  const lines: string[] = []
  const run: string[] = []
  const hasFixed = await applyFixes(findings, {
    print: (line) => void lines.push(line.trim()),
    confirm: agreed === undefined ? undefined : async () => agreed,
    run: (command) => {
      run.push(command.join(' '))
      return command.at(-1) !== failing
    },
  })
  return { lines, run, hasFixed }
}

test('runs the commands of a fix in order after confirmation', async () => {
  const { lines, run, hasFixed } = await fixing([okFinding('clock', 'fine'), broken], true)
  expect(hasFixed).toBe(true)
  expect(run).toEqual([`${sudo}true first`, `${sudo}true second`])
  expect(lines).toEqual(['fix: switch the stick', ...run, 'done'])
})

test('offers a fix of several findings only once, and runs a line for the shell without adding sudo', async () => {
  const fix = { about: 'share the modem', commands: ['sudo smsgw modem adopt --yes'] }
  const { lines, run } = await fixing(
    [
      { ...broken, fix },
      { ...failFinding('port', 'in use', 'share it'), fix },
    ],
    true,
  )
  expect(run).toEqual(['sh -c sudo smsgw modem adopt --yes'])
  expect(lines).toEqual(['fix: share the modem', 'sudo smsgw modem adopt --yes', 'done'])
})

test.each([
  [true, 'done'],
  [false, 'failed: store the rate'],
])(
  'runs a step of this process after confirmation, and reports whether the step succeeded: %s',
  async (succeeds, last) => {
    const fix = { about: 'store the rate', commands: [{ line: 'store the rate', run: async () => succeeds }] }
    const { lines, run, hasFixed } = await fixing([{ ...broken, fix }], true)
    expect([run, lines.at(-1), hasFixed]).toEqual([[], last, succeeds])
  },
)

test.each([
  [false, 'not run'],
  [undefined, 'not run: confirmation needs a terminal'],
])('changes nothing without confirmation (%s)', async (agreed, last) => {
  const { lines, run, hasFixed } = await fixing([broken], agreed)
  expect(hasFixed).toBe(false)
  expect(run).toEqual([])
  expect(lines.at(-1)).toBe(last)
})

test('stops at a command that fails, and names the command', async () => {
  const { lines, run, hasFixed } = await fixing([broken], true, 'first')
  expect(hasFixed).toBe(false)
  expect(run).toEqual([`${sudo}true first`])
  expect(lines.at(-1)).toBe(`failed: ${sudo}true first`)
})

test('reports that there is nothing to fix if every check is fine', async () => {
  expect((await fixing([okFinding('clock', 'fine')], true)).lines).toEqual(['nothing to fix'])
})

test('reports that nothing can be fixed automatically', async () => {
  expect((await fixing([failFinding('power', 'low', 'use another supply')], true)).lines).toEqual([
    'no problem can be fixed automatically',
  ])
})
