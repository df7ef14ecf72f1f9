// `npm run check`: all static checks of the source.
import { spawnSync } from 'node:child_process'

const steps: readonly (readonly [name: string, command: readonly string[]])[] = [
  ['format and lint', ['biome', 'ci', '--error-on-warnings', '--colors=off', '.']],
  ['types', ['tsc', '-b', '.config/tsconfig.json']],
  ['dead code', ['knip', '--no-progress']],
  ['house rules', ['node', '--disable-warning=ExperimentalWarning', '.repo/rules/run-rules.ts']],
  ['commit subjects', ['node', '.repo/rules/commit-subjects.ts']],
  ['compose files', ['dclint', '--max-warnings', '0', 'docker-compose.yml', 'docker-compose.relay.yml']],
  ['images', ['dockerfile-utils', 'lint', '.repo/packaging/container/Dockerfile']],
]

const failed: string[] = []
for (const [name, [file = '', ...args]] of steps) {
  const startedAt = performance.now()
  const result = spawnSync(file, args, {
    encoding: 'utf8',
    env: {
      ...process.env,
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1', FORCE_COLOR: undefined }),
    },
  })
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const passed = result.status === 0
  process.stdout.write(`${passed ? 'ok  ' : 'FAIL'}  ${name} (${seconds} s)\n`)
  if (passed) continue
  failed.push(name)
  process.stdout.write(`${result.error?.message ?? ''}${result.stdout ?? ''}${result.stderr ?? ''}\n`)
}
process.stdout.write(failed.length === 0 ? 'check: all steps passed\n' : `check: failed: ${failed.join(', ')}\n`)
process.exit(failed.length === 0 ? 0 : 1)
