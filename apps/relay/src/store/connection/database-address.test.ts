import { expect, test } from 'vitest'
import { databaseHosts, describeDatabase, readDatabaseAddress } from './database-address.ts'

const one = 'postgresql://sms:p%40ss@db.example:5433/smsgw'

test.each([
  [one, [one], false],
  ['postgres://db.example/smsgw?sslmode=require', ['postgres://db.example/smsgw?sslmode=require'], false],
  ['postgresql://sms@localhost/smsgw?host=%2Frun', ['postgresql://sms@localhost/smsgw?host=%2Frun'], false],
  ['postgresql://sms@localhost/smsgw?host=/run/pg', ['postgresql://sms@localhost/smsgw?host=/run/pg'], false],
  [
    'postgresql://s:p@a:1,b,[::1]:3/d',
    ['postgresql://s:p@a:1/d', 'postgresql://s:p@b/d', 'postgresql://s:p@[::1]:3/d'],
    true,
  ],
  ['postgresql://s:p@q,r@a,b/d', ['postgresql://s:p@q,r@a/d', 'postgresql://s:p@q,r@b/d'], true],
  ['postgresql://a,b/d?target_session_attrs=any', ['postgresql://a/d', 'postgresql://b/d'], false],
  ['postgresql://a/d?sslmode=require&target_session_attrs=primary', ['postgresql://a/d?sslmode=require'], true],
])('reads %s', (url, urls, needsWrites) => {
  expect(readDatabaseAddress(url)).toEqual({ urls, needsWrites })
})

test.each([
  ['postgresql://a,,b/d', 'has an invalid server (2 of 3)'],
  ['postgresql://a:1:2,b/d', 'has an invalid server (1 of 2)'],
  [
    'postgresql://a,b/d?target_session_attrs=standby',
    'has target_session_attrs=standby: use read-write, primary or any',
  ],
  ['postgresql://a:99999/d', 'is not a valid address'],
])('refuses %s', (url, problem) => {
  expect(() => readDatabaseAddress(url)).toThrow(problem)
})

test('describes servers without the password', () => {
  expect(describeDatabase('postgresql://sms:hunter2@a,b:1/d')).toBe('PostgreSQL at a:5432 or b:1/d (user sms)')
  expect(databaseHosts('postgresql://sms:hunter2@a,b:1/d')).toBe('a or b')
})

test.each([
  ['postgresql://sms:hunter2/x@a/d', 'has an invalid server (1 of 1)'],
  ['postgresql://sms:99/hunter2@a/d', 'is not a valid address'],
  ['postgresql://sms:99?hunter2@a/d', 'is not a valid address'],
  ['postgresql://sms:99?target_session_attrs=hunter2@a/d', 'is not a valid address'],
  ['postgresql://sms:99#hunter2@a/d', 'is not a valid address'],
  ['postgresql://sms:99/hunter2%40a/d', 'is not a valid address'],
])('refuses %s without showing the password', (url, problem) => {
  const read = () => readDatabaseAddress(url)
  expect(read).toThrow(problem)
  expect(read).toThrow(/^(?!.*(?:hunter2|99))/)
})
