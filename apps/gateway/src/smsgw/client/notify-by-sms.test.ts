import { expect, test } from 'vitest'
import { notificationText } from './notify-by-sms.ts'

const service = {
  NAGIOS_NOTIFICATIONTYPE: 'PROBLEM',
  NAGIOS_HOSTNAME: 'web1',
  NAGIOS_HOSTSTATE: 'UP',
  NAGIOS_HOSTOUTPUT: 'PING OK',
  NAGIOS_SERVICEDESC: 'disk',
  NAGIOS_SERVICESTATE: 'CRITICAL',
  NAGIOS_SERVICEOUTPUT: 'DISK CRITICAL - free space: / 3% `id` $(id)',
}

test('a notification about a service names host, service, state and output', () => {
  expect(notificationText(service)).toBe('PROBLEM web1/disk CRITICAL\nDISK CRITICAL - free space: / 3% `id` $(id)')
})

test('a notification about a host names host, state and output', () => {
  const host = { ...service, NAGIOS_SERVICEDESC: '', NAGIOS_HOSTSTATE: 'DOWN', NAGIOS_HOSTOUTPUT: 'timeout' }
  expect(notificationText({ ...host, NAGIOS_SERVICEOUTPUT: '' })).toBe('PROBLEM web1 DOWN\ntimeout')
})

test('an acknowledgement contains author and comment', () => {
  const more = {
    NAGIOS_NOTIFICATIONTYPE: 'ACKNOWLEDGEMENT',
    NAGIOS_NOTIFICATIONAUTHOR: 'Ada',
    NAGIOS_NOTIFICATIONCOMMENT: 'on it',
    NAGIOS_HOSTALIAS: 'Web server',
    NAGIOS_SERVICEOUTPUT: '',
  }
  expect(notificationText({ ...service, ...more })).toBe('ACKNOWLEDGEMENT Web server/disk CRITICAL\n(Ada: on it)')
})

test('without the macros of Nagios, the error explains how to enable them', () => {
  expect(() => notificationText({ PATH: '/bin' })).toThrow('set enable_environment_macros=1 in nagios.cfg')
})
