/**
 * Takes out what may be a telephone number, an identity of a card or a modem, a PDU or a key, who is named in an address
 * with a password, and all that is set as a secret. What is left of a number is its end, so that two can still be told apart.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) clean = clean.replaceAll(whole(secret), '[secret]')
  return clean
    .replace(/-----BEGIN [^-]*-----[^-]*-----END [^-]*-----/g, '[key]')
    .replace(/(?<=:\/\/)[^\s/@"]+@/g, '[secret]@')
    .replace(/(?<![0-9a-z])[0-9a-f]{24,}(?![0-9a-z])/gi, '[hex]')
    .replace(/\+?\d[\d \u00a0()/.-]{4,}\d/g, (run) => (digits(run) < shortestNumber || isDate(run) ? run : cut(run)))
}

/** As a word of its own: a PIN of four digits may stand within anything. */
function whole(secret: string): RegExp {
  const escaped = secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![0-9A-Za-z])${escaped}(?![0-9A-Za-z])`, 'g')
}

const shortestNumber = 7

function digits(run: string): number {
  return run.replace(/\D/g, '').length
}

/** `2026-11-21` and what stands before its `T`. */
function isDate(run: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(run)
}

function cut(run: string): string {
  return `…${run.replace(/\D/g, '').slice(-3)}`
}
