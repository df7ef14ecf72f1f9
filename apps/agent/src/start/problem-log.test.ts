import { expect, test } from 'vitest'
import { JournalError } from '../journal/journal.ts'
import { agentProblems } from './problem-log.ts'

test('the status shows the journal problem until all writers have repeated their failed writes', () => {
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

test('logs a full disk once although its free space changes, and shows the latest description in the status', () => {
  const { problems, lines } = logged()
  const sender = problems.journalWrites()
  sender.onProblem(new JournalError('the disk is full: 0 MB free', 'full'))
  sender.onProblem(new JournalError('the disk is full: 1 MB free', 'full'))
  expect(lines).toEqual(['error the disk is full: 0 MB free'])
  expect(problems.journal.current).toBe('the disk is full: 1 MB free')
})

test('logs a refused change without showing a problem in the status, because the change is not retried', () => {
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
