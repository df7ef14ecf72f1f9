import { expect, test } from 'vitest'
import { JournalError } from '../journal/journal.ts'
import { agentProblems } from './problem-log.ts'

test('the journal problem is in the status until all parts have written what failed', () => {
  const { problems, lines } = logged()
  const [sender, receiver] = [problems.journalWrites(), problems.journalWrites()]
  sender.onProblem(full)
  receiver.onProblem(full)
  sender.onRecovered?.()
  expect(problems.journal.current).toBe('the disk is full')
  receiver.onRecovered?.()
  expect(problems.journal.current).toBeUndefined()
  expect(lines).toEqual([
    'error the disk is full',
    'info journal is working again, all changes are on disk: /no/such/folder',
  ])
})

test('a full disk is logged once while its free space changes, and the status has the latest description', () => {
  const { problems, lines } = logged()
  const sender = problems.journalWrites()
  sender.onProblem(new JournalError('the disk is full: 0 MB free', 'full'))
  sender.onProblem(new JournalError('the disk is full: 1 MB free', 'full'))
  expect(lines).toEqual(['error the disk is full: 0 MB free'])
  expect(problems.journal.current).toBe('the disk is full: 1 MB free')
})

test('a refused change is logged and leaves no problem in the status, because it is not retried', () => {
  const { problems, lines } = logged()
  problems.journalWrites().onProblem(new JournalError('refused', 'refused'))
  expect(problems.journal.current).toBeUndefined()
  expect(lines).toEqual(['error refused'])
})

const full = new JournalError('the disk is full', 'full')

function logged() {
  const lines: string[] = []
  const add = (priority: string) => (line: string) => void lines.push(`${priority} ${line}`)
  const problems = agentProblems({ info: add('info'), warn: add('warn'), error: add('error') }, '/no/such/folder')
  return { problems, lines }
}
