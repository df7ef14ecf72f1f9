import { expect, test } from 'vitest'
import { subjectProblem } from './commit-subjects.ts'

test.each([
  'fix(console): keep the draft when the page reloads',
  'feat: add smsgw completion for fish',
  'refactor(agent,gateway): share the start sequence',
  'release: v1.2.0',
  "Merge branch 'main'",
])('accepts "%s"', (subject) => expect(subjectProblem(subject)).toBeUndefined())

test.each([
  ['keep the draft', 'must have the form "type(scope): description"'],
  ['fix(console) keep the draft', 'must have the form "type(scope): description"'],
  [`fix: ${'x'.repeat(70)}`, 'has 75 characters; 72 at most'],
  ['fix: what was accepted is not sent twice', 'imperative verb'],
  ['fix: the relay keeps its lease', 'imperative verb'],
  ['fix: added a test', 'imperative verb'],
  ['fix: adding a test', 'imperative verb'],
  ['fix: add a test.', 'full stop'],
])('refuses "%s"', (subject, problem) => expect(subjectProblem(subject)).toContain(problem))
