import { AuthenticationError, ConnectionError, InvalidRequestError } from '@smsgw/client/errors'
import { expect, test } from 'vitest'
import { NodeProblem } from './node-problem.ts'

test('names the wrong fields of the node', () => {
  const errors = [
    { path: 'phoneNumbers[0]', message: '"hello" is not a valid phone number' },
    { path: 'ttl', message: 'must be positive' },
  ]
  const problem = { code: 400, message: 'invalid request', errors, type: 'about:blank', requestId: 'r1' } as never
  const error = new NodeProblem(new InvalidRequestError({ status: 400, message: 'invalid request', problem }), 3)
  expect(error.message).toBe('To: "hello" is not a valid phone number; Valid For: must be positive')
  expect([error.description, error.context.itemIndex, error.httpCode]).toEqual(['Request r1', 3, '400'])
})

test('describes the solution for wrong credentials, and returns other errors unchanged', () => {
  expect(new NodeProblem(new AuthenticationError({ status: 401, message: 'wrong key' })).description).toContain(
    'Check them in the credentials',
  )
  const lost = new NodeProblem(new ConnectionError('cannot reach http://gateway.example'))
  expect([lost.message, lost.httpCode]).toEqual(['cannot reach http://gateway.example', undefined])
})
