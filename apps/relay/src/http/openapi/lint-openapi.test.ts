import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testRelay } from '../../testing/test-relay.ts'

const ROOT = resolve(import.meta.dirname, '../../../../..')

test.each([
  { isLocal: false, path: '/openapi.json' },
  { isLocal: true, path: '/openapi.json' },
  { isLocal: false, path: '/mobile/openapi.json' },
])('a linter finds no problem in the description: %o', async ({ path, ...mode }) => {
  const relay = await testRelay({ ...mode, settings: { METRICS_TOKEN: 'the token of the metrics' } })
  onTestFinished(() => relay.close())
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-openapi-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'openapi.json')
  writeFileSync(file, (await relay.request('GET', path)).text)
  const redocly = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js')
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [redocly, 'lint', file, '--config', join(ROOT, '.config/redocly.yaml'), '--format=json'],
    {
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  )
  const { problems } = JSON.parse(stdout || stderr)
  expect(
    problems.map(({ ruleId, message, location }: Problem) => `${ruleId}: ${message} (${location[0]?.pointer})`),
  ).toEqual([])
})

interface Problem {
  readonly ruleId: string
  readonly message: string
  readonly location: readonly { readonly pointer: string }[]
}
