import { expect, test } from 'vitest'
import { readAccount } from './account.ts'

test.each([
  ['sms.example.org', '"sms.example.org" is not an address: use a URL such as https://sms.example.org'],
  ['ftp://sms.example.org', '"ftp://sms.example.org" is not an address: use a URL such as https://sms.example.org'],
  ...['sms:secret', 'sms', ':secret'].map((login) => [
    `https://${login}@sms.example.org`,
    'the address must not contain a username or a password: set SMSGW_USERNAME and SMSGW_PASSWORD',
  ]),
])('refuses the address %s', async (url = '', message = '') => {
  const environment = { SMSGW_PASSWORD: 'secret', XDG_CONFIG_HOME: '/nonexistent' }
  await expect(readAccount({ url }, environment)).rejects.toThrow(message)
})
