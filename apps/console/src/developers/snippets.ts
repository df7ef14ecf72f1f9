export interface SnippetHost {
  readonly origin: string
  readonly username: string
  /** True if programs use a token, false if they use username and password. */
  readonly hasTokens: boolean
}

export type SnippetLanguage = 'curl' | 'JavaScript' | 'Python'

export const snippetLanguages: readonly SnippetLanguage[] = ['curl', 'JavaScript', 'Python']

/** Sends one message. The secret comes from an environment variable. */
export function sendSnippet(language: SnippetLanguage, host: SnippetHost): string {
  const url = `${host.origin}/3rdparty/v1/messages`
  switch (language) {
    case 'curl':
      return [
        `curl ${curlCredentials(host)} \\`,
        "  -H 'Content-Type: application/json' \\",
        `  -d '{ "phoneNumbers": ["+447400123456"], "textMessage": { "text": "Hello" } }' \\`,
        `  ${url}`,
      ].join('\n')
    case 'JavaScript':
      return [
        `const response = await fetch('${url}', {`,
        "  method: 'POST',",
        '  headers: {',
        `    authorization: ${javascriptCredentials(host)},`,
        "    'content-type': 'application/json',",
        '  },',
        '  body: JSON.stringify({',
        "    phoneNumbers: ['+447400123456'],",
        "    textMessage: { text: 'Hello' },",
        '  }),',
        '})',
        'console.log(response.status, await response.json())',
      ].join('\n')
    case 'Python':
      return [
        'import os, requests',
        '',
        'response = requests.post(',
        `    "${url}",`,
        `    ${pythonCredentials(host)},`,
        '    json={"phoneNumbers": ["+447400123456"], "textMessage": {"text": "Hello"}},',
        ')',
        'print(response.status_code, response.json())',
      ].join('\n')
  }
}

/** Reads the event stream. */
export function listenSnippet(host: SnippetHost): string {
  return `curl -N ${curlCredentials(host)} \\\n  '${host.origin}/3rdparty/v1/events?kinds=inbox.received,message.changed'`
}

export function tokenSnippet({ origin, username }: SnippetHost): string {
  return [
    `curl -u "${username}:$SMSGW_PASSWORD" \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '{ "ttl": 3600, "scopes": ["messages:send"] }' \\`,
    `  ${origin}/3rdparty/v1/auth/token`,
  ].join('\n')
}

function curlCredentials({ username, hasTokens }: SnippetHost): string {
  return hasTokens ? '-H "Authorization: Bearer $SMSGW_TOKEN"' : `-u "${username}:$SMSGW_PASSWORD"`
}

function javascriptCredentials({ username, hasTokens }: SnippetHost): string {
  return hasTokens
    ? `\`Bearer \${process.env.SMSGW_TOKEN}\``
    : `\`Basic \${btoa(\`${username}:\${process.env.SMSGW_PASSWORD}\`)}\``
}

function pythonCredentials({ username, hasTokens }: SnippetHost): string {
  return hasTokens
    ? `headers={"Authorization": "Bearer " + os.environ["SMSGW_TOKEN"]}`
    : `auth=("${username}", os.environ["SMSGW_PASSWORD"])`
}
