import type { RepositoryTree, Rule, Violation } from './repository-tree.ts'

const SECRETS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----/],
  ['an access key of AWS', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a token of GitHub', /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60,})\b/],
  ['a token of npm', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['a token of Slack', /\bxox[abprs]-[A-Za-z0-9-]{20,}\b/],
  ['an API key of smsgw', /\bsmsgw_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}\b/],
  ['a token of Stripe', /\b[rs]k_live_[A-Za-z0-9]{20,}\b/],
]

/**
 * The files that may contain keys: test certificates that no program trusts, and the test that checks that keys are
 * masked.
 */
const NOT_SECRET =
  /^apps\/(?:agent|relay)\/src\/testing\/certificate\/[\w-]+\.key$|^apps\/agent\/src\/doctor\/checks\.test\.ts$/

/** Refuses secrets in tracked files, because a secret that was pushed stays in the history and has to be replaced. */
export const secrets: Rule = (tree: RepositoryTree) => {
  const violations: Violation[] = []
  for (const file of tree.files.filter((name) => !NOT_SECRET.test(name) && !/\.(?:png|ico|woff2?)$/.test(name))) {
    for (const [index, line] of tree.read(file).split('\n').entries()) {
      for (const [kind, pattern] of SECRETS)
        if (pattern.test(line))
          violations.push({ file, line: index + 1, problem: `contains ${kind}: remove and replace it` })
    }
  }
  return violations
}
