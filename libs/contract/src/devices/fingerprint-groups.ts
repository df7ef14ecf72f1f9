/**
 * Returns a SHA-256 in hexadecimal in groups of four digits, which two people can compare. The app *SMS Gateway for
 * Android* shows the fingerprint of its key in the same form.
 */
export function fingerprintGroups(fingerprint: string): string {
  return (
    fingerprint
      .toUpperCase()
      .match(/.{1,4}/g)
      ?.join(':') ?? ''
  )
}
