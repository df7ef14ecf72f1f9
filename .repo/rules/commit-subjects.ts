// `node .repo/rules/commit-subjects.ts`: checks the subjects of all commits since the last tag. Without a tag, checks
// those since this rule was added.
import { spawnSync } from 'node:child_process'

/** The last commit that is not checked, because it is older than this rule. */
const LAST_EXEMPT_COMMIT = 'c473d0002601'
const LONGEST = 72
const TYPES = ['feat', 'fix', 'perf', 'refactor', 'docs', 'test', 'style', 'build', 'ci', 'chore', 'bench', 'revert']
const FORM = new RegExp(`^(?:${TYPES.join('|')})(?:\\([a-z0-9-]+(?:,[a-z0-9-]+)*\\))?!?: (.+)$`)
/** Words that begin a statement. A subject must begin with an instruction. */
const NOT_A_VERB =
  /^(?:an?|the|it|its|this|that|these|those|what|who(?:ever)?|when|where|how|no|not|all|each|every|some|one|there|is|are|was|were|today|now|also|more|new)\b/i
const NOT_IMPERATIVE =
  /^(?!(?:embed|feed|need|shed|speed|proceed|bring|ping|string|seed|breed|exceed|succeed)\b)[a-z]+(?:ed|ing)\b/i

/**
 * Returns the problem of a commit subject; undefined if there is none. Merge commits and release commits are not
 * checked.
 */
export function subjectProblem(subject: string): string | undefined {
  if (/^(?:Merge |release: v\d)/.test(subject)) return undefined
  if (subject.length > LONGEST) return `has ${subject.length} characters; ${LONGEST} at most`
  const description = FORM.exec(subject)?.[1]
  if (!description) return `must have the form "type(scope): description"; the type must be one of ${TYPES.join(', ')}`
  if (NOT_A_VERB.test(description) || NOT_IMPERATIVE.test(description))
    return `does not begin with an imperative verb ("add", "keep", "refuse"): "${description.split(' ')[0]}"`
  if (description.endsWith('.')) return 'ends with a full stop'
  return undefined
}

function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8', maxBuffer: 64 << 20 })
  return status === 0 ? stdout.trim() : undefined
}

function main(): number {
  const base =
    git('describe', '--tags', '--abbrev=0') ?? git('rev-parse', '--verify', '--quiet', `${LAST_EXEMPT_COMMIT}^{commit}`)
  if (!base) {
    process.stdout.write(
      'commit subjects not checked: this checkout does not contain the last release or the first commit to check\n',
    )
    return 0
  }
  const commits = (git('log', '--format=%h %s', `${base}..HEAD`) ?? '').split('\n').filter(Boolean)
  let problems = 0
  for (const commit of commits) {
    const [id, subject] = [commit.slice(0, commit.indexOf(' ')), commit.slice(commit.indexOf(' ') + 1)]
    const problem = subjectProblem(subject)
    if (!problem) continue
    problems += 1
    process.stdout.write(`${id} "${subject}" ${problem}\n`)
  }
  process.stdout.write(`${commits.length} commit subjects since ${base.slice(0, 12)}, ${problems} with a problem\n`)
  return problems === 0 ? 0 : 1
}

if (import.meta.main) process.exit(main())
