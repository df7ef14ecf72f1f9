/** Returns a SHA-256 in hexadecimal in groups of four digits, which two people can compare. */
export function fingerprintGroups(fingerprint: string): string {
  return fingerprint.match(/.{1,4}/g)?.join(' ') ?? ''
}
