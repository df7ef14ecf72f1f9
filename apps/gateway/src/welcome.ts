import type { Gateway } from './gateway.ts'
import type { Secrets } from './secrets.ts'

/** What somebody who has just started it needs: where it is, who may use it, which modem there is, and a first message. */
export function welcome(
  { url, isVirtual, modems }: Gateway,
  { username, password, areNew, credentialsFile }: Secrets,
): string {
  const shown = areNew ? password : `$(node -p "require('${credentialsFile}').password")`
  const modem = isVirtual
    ? 'A VIRTUAL ONE: no modem was found. Messages reach virtual phones alone; plug one in, or set MODEMS=/dev/…'
    : modems().join(', ') || 'being set up'
  return `${[
    '',
    `  smsgw is running at  ${url}   (${url}/docs describes the API)`,
    `  account              ${username}, password ${areNew ? `${password}   (shown this once)` : 'as before'}; it is in ${credentialsFile}`,
    `  modem                ${modem}`,
    '',
    '  Send a message:',
    `    curl -u "${username}:${shown}" -H 'Content-Type: application/json' \\`,
    `      -d '{ "phoneNumbers": ["+447400123456"], "textMessage": { "text": "Hello" } }' \\`,
    `      ${url}/3rdparty/v1/messages`,
    '',
    '  Ctrl-C ends it; everything is found again at the next start.',
    '',
  ].join('\n')}\n`
}
