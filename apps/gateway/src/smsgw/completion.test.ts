import { expect, test } from 'vitest'
import { completionScript } from './completion.ts'

test('a command of two words is offered after its first word only', () => {
  const script = completionScript('bash', [], [{ word: 'modem adopt', about: 'share the modems' }])
  expect(script).toContain("'/modem') words='adopt' ;;")
  expect(script).not.toContain('modem adopt')
})
