/**
 * Returns a name from a modem as people read it in logs, on terminals and in the API: without control characters, which
 * line noise and some firmware contain, and not longer than a line.
 */
export function displayName(text: string): string {
  return text
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, longestName)
}

const longestName = 100
