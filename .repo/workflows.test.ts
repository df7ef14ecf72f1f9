import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

const root = resolve(import.meta.dirname, '..')
const github = join(root, '.github')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
const workflows = readdirSync(join(github, 'workflows')).map((file) => [file, read(`workflows/${file}`)] as const)

interface Workflow {
  readonly name: string
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

interface Job {
  readonly 'runs-on': string
  readonly 'timeout-minutes': number
  readonly needs?: string | readonly string[]
  readonly permissions?: Readonly<Record<string, string>>
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> }
  readonly steps: readonly Step[]
}

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

function read<T = Workflow>(file: string): T {
  return parse(readFileSync(join(github, file), 'utf8'), { version: '1.2' }) as T
}

/** The commands of a job, with each value of its matrix. */
function commandsOf({ steps, strategy }: Job): string[] {
  return steps.flatMap(({ run = '' }) => {
    const variable = /^\$\{\{ matrix\.(\w+) \}\}$/.exec(run)?.[1]
    const commands = variable === undefined ? [run] : (strategy?.matrix[variable] ?? ['(missing in the matrix)'])
    return commands.flatMap((command) => command.split('\n')).filter((line) => line.trim() !== '')
  })
}

test('there are workflows for each push, each night and each release', () => {
  expect(workflows.map(([file]) => file)).toEqual(expect.arrayContaining(['check.yml', 'nightly.yml', 'release.yml']))
})

describe.each(workflows)('%s', (_, { on, permissions, jobs }) => {
  const all = Object.entries(jobs)

  test('each step calls a command that a person can also call', () => {
    const unknown = all
      .flatMap(([, job]) => commandsOf(job))
      .map((command) => command.replace(/^sudo /, ''))
      .filter((command) => {
        if (command.startsWith('apt-get install ')) return false
        const script = /^npm (?:run )?([\w-]+)(?= |$)/.exec(command)?.[1]
        if (script !== undefined) return script !== 'ci' && scripts[script] === undefined
        return !isProgram(command.split(' ')[0] ?? '')
      })
    expect(unknown).toEqual([])
  })

  test('each action is pinned to a commit, because a tag can be moved', () => {
    const actions = all.flatMap(([, { steps }]) => steps.flatMap(({ uses }) => uses ?? []))
    expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(action))).toEqual([])
  })

  test('a job has read access only, gives no credentials to its steps, and has a time limit', () => {
    expect(permissions).toEqual({ contents: 'read' })
    for (const [name, { steps, 'timeout-minutes': limit }] of all) {
      expect(limit, name).toBeLessThanOrEqual(360)
      const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
      expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual([false])
    }
  })

  test('no text of a pull request becomes part of a command', () => {
    const commands = all.flatMap(([, { steps }]) => steps.flatMap(({ run }) => run ?? []))
    expect(commands.filter((command) => /\$\{\{(?! matrix\.command \}\})/.test(command))).toEqual([])
  })

  test('each workflow is started by an event of GitHub, and each job waits only for jobs that exist', () => {
    const events = ['push', 'pull_request', 'schedule', 'workflow_dispatch']
    expect(Object.keys(on).filter((event) => !events.includes(event))).toEqual([])
    const needed = all.flatMap(([, { needs = [] }]) => needs)
    expect(needed.filter((name) => jobs[name] === undefined)).toEqual([])
  })
})

test('dependency updates include every manifest that is installed, the workflows and the images', () => {
  interface Updates {
    readonly updates: readonly {
      readonly 'package-ecosystem': string
      readonly directory?: string
      readonly directories?: readonly string[]
    }[]
  }
  const covered = read<Updates>('dependabot.yml').updates.flatMap((update) =>
    [update.directory ?? [], update.directories ?? []]
      .flat()
      .map((folder) => `${update['package-ecosystem']} ${folder}`),
  )
  expect(covered).toEqual(['npm /', 'npm /docs/.vitepress', 'github-actions /', 'docker /.repo/packaging/container'])
  for (const folder of ['', 'docs/.vitepress']) expect(readdirSync(join(root, folder))).toContain('package-lock.json')
  expect(readdirSync(join(root, '.repo/packaging/container'))).toContain('Dockerfile')
})

test('a step of .ci/run that was killed in the background is named', () => {
  const [functions = ''] = readFileSync(join(root, '.ci/run'), 'utf8').split('\nmain\n')
  const commands = "proofs() { step true; step bash -c 'kill -9 0'; }\nin_background proofs\nfinish_background"
  const { stdout } = spawnSync('bash', ['-c', `${functions}\n${commands}`, '.ci/run'], { cwd: root, encoding: 'utf8' })
  expect(stdout.trim().split('\n').at(-1)).toBe('FAILED: bash -c kill -9 0 in the background, code 137')
})

interface Form {
  readonly name: string
  readonly description: string
  readonly body: readonly {
    readonly type: string
    readonly id?: string
    readonly attributes: Record<string, unknown>
  }[]
}

const forms = readdirSync(join(github, 'ISSUE_TEMPLATE'))
  .filter((file) => file !== 'config.yml')
  .map((file) => [file, read<Form>(`ISSUE_TEMPLATE/${file}`)] as const)

test.each(forms)('the issue form %s is valid', (_, { name, description, body }) => {
  expect(name).toBeTruthy()
  expect(description).toBeTruthy()
  const types = ['markdown', 'textarea', 'input', 'dropdown', 'checkboxes']
  expect(body.filter(({ type }) => !types.includes(type))).toEqual([])
  const questions = body.filter(({ type }) => type !== 'markdown')
  expect(questions.filter(({ id, attributes }) => !id || !attributes['label'])).toEqual([])
  expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length)
})

function isProgram(path: string): boolean {
  const stats = statSync(join(root, path), { throwIfNoEntry: false })
  return stats?.isFile() === true && (stats.mode & 0o111) !== 0
}
