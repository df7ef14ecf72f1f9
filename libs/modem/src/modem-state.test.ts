import { expect, test } from 'vitest'
import { deriveState, type ModemFacts } from './modem-state.ts'
import { startupFailure } from './setup/startup-failure.ts'

const up: ModemFacts = {
  absent: undefined,
  setUp: 'done',
  registered: true,
  wasRegistered: true,
  answering: true,
  storageFull: false,
}

test.each([
  ['a lost port outweighs all', { absent: 'unplugged', answering: false }, { name: 'absent', why: 'unplugged' }],
  ['being set up', { setUp: 'identifying' as const, registered: false }, { name: 'identifying' }],
  ['not set up', { setUp: startupFailure('no-sim') }, { name: 'blocked', failure: startupFailure('no-sim') }],
  ['set up and not registered yet', { registered: false, wasRegistered: false }, { name: 'registering' }],
  ['registered', {}, { name: 'ready' }],
  ['not registered any more', { registered: false }, { name: 'degraded', reasons: ['not-registered'] }],
  ['out of step', { answering: false }, { name: 'degraded', reasons: ['not-answering'] }],
  ['full', { storageFull: true }, { name: 'degraded', reasons: ['storage-full'] }],
  [
    'everything at once',
    { answering: false, registered: false, storageFull: true },
    { name: 'degraded', reasons: ['not-answering', 'not-registered', 'storage-full'] },
  ],
])('%s', (_case, facts, state) => expect(deriveState({ ...up, ...facts })).toEqual(state))
