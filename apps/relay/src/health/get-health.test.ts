import { type Health, health } from '@smsgw/contract/relay/health'
import { expect, test, vi } from 'vitest'
import { everywhereRoute } from '../http/route.ts'
import { testServer } from '../http/testing/test-server.ts'
import { getHealth } from './get-health.ts'
import { drainHealth, type HealthSource, type Probe, processHealth } from './health-sources.ts'

function source(name: string, status: 'pass' | 'warn' | 'fail', probes: Probe[]): HealthSource {
  return { name, probes, check: () => ({ status, description: 'd', observedValue: 1, observedUnit: 'ms' }) }
}

async function ask(sources: readonly HealthSource[], probe?: Probe) {
  const deps = { health: sources, version: '1.2.3' }
  const routes = [everywhereRoute('GET', '/health', 'public', 'Get the health', getHealth(deps, probe))]
  await using server = await testServer({ routes })
  const answers = await Promise.all(
    ['/health', '/3rdparty/v1/health/', '/api/3rdparty/v1/health'].map(async (path) => {
      const response = await server.send('GET', path)
      return { status: response.status, body: health.parse(await response.json()) }
    }),
  )
  expect(answers[1]).toEqual(answers[0])
  expect(answers[2]).toEqual(answers[0])
  return answers[0] as { status: number; body: Health }
}

test('the worst check determines the status, and only a failed check results in 503', async () => {
  const [good, slow, bad] = (['pass', 'warn', 'fail'] as const).map((status) =>
    source(`x:${status}`, status, ['ready']),
  )
  expect(await ask([good!])).toMatchObject({
    status: 200,
    body: { status: 'pass', version: '1.2.3', releaseId: 1002003 },
  })
  expect(await ask([good!, slow!])).toMatchObject({ status: 200, body: { status: 'warn' } })
  const { status, body } = await ask([good!, slow!, bad!])
  expect([status, body.status, Object.keys(body.checks)]).toEqual([503, 'fail', ['x:pass', 'x:warn', 'x:fail']])
})

test('a probe runs only its own checks, so /health/live passes while the database is unavailable', async () => {
  const sources = [...processHealth(), source('database:ping', 'fail', ['ready', 'startup'])]
  expect((await ask(sources, 'live')).status).toBe(200)
  expect((await ask(sources, 'ready')).status).toBe(503)
  expect((await ask(sources, 'startup')).status).toBe(503)
  expect((await ask(sources)).status).toBe(503)
})

test.each([
  ['fails when the event loop computed for 12 s', { blockedMs: 12_000, cpuMs: 12_500, status: 503 }],
  ['passes after the process was stopped for an hour', { blockedMs: 3_600_000, cpuMs: 800, status: 200 }],
])('/health/live %s', async (_, { blockedMs, cpuMs, status }) => {
  let usedMs = 40_000
  const delay = { max: blockedMs * 1e6, reset: () => undefined }
  const sources = processHealth({ delay, cpuUsage: () => ({ user: usedMs * 1e3, system: 0 }) })
  usedMs += cpuMs
  expect((await ask(sources, 'live')).status).toBe(status)
})

test('/health/ready fails when the process is about to stop', async () => {
  let isDraining = false
  const sources = [drainHealth(() => isDraining)]
  expect((await ask(sources, 'ready')).status).toBe(200)
  isDraining = true
  expect((await ask(sources, 'ready')).status).toBe(503)
})

test('a check that throws fails without showing its reason', async () => {
  const broken: HealthSource = {
    name: 'x:y',
    probes: ['ready'],
    check() {
      throw new Error('password is hunter2')
    },
  }
  const { status, body } = await ask([broken])
  expect(status).toBe(503)
  expect(JSON.stringify(body)).not.toContain('hunter2')
})

test('concurrent requests share one check', async () => {
  const one = source('x:y', 'pass', ['ready'])
  const check = vi.spyOn(one, 'check')
  await ask([one])
  expect(check).toHaveBeenCalledTimes(1)
})
