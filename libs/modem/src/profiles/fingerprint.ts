import type { Fingerprint, FingerprintFacts, Profile } from './profile.ts'
import { fitsUsbId } from './usb-port.ts'

/**
 * Returns the profile with the best score, with its variants applied. A model counts more than a manufacturer, and a
 * manufacturer more than a USB vendor, because sticks of other vendors contain the ids and names of the makers of their
 * modules.
 */
export function chooseProfile(catalogue: readonly Profile[], fallback: Profile, facts: FingerprintFacts): Profile {
  let best = { profile: fallback, score: 0 }
  for (const profile of catalogue) {
    const score = scoreOf(profile, facts)
    if (score > best.score) best = { profile, score }
  }
  const variants = best.profile.variants.filter((variant) => scoreOfFingerprint(variant.fits, facts) > 0)
  return Object.assign({ ...best.profile }, ...variants.map((variant) => variant.changes))
}

function scoreOf(profile: Profile, facts: FingerprintFacts): number {
  return Math.max(0, ...profile.fingerprints.map((fingerprint) => scoreOfFingerprint(fingerprint, facts)))
}

const points = { model: 40, manufacturer: 20, usbProduct: 18, usbVendor: 10, firmware: 8 }

/** Returns 0 if a condition fails, or if no condition could be checked. */
function scoreOfFingerprint(fingerprint: Fingerprint, facts: FingerprintFacts): number {
  let score = 0
  for (const property of ['model', 'manufacturer', 'firmware'] as const) {
    const wanted = fingerprint[property]
    const fact = facts[property]
    if (wanted === undefined || fact === undefined) continue
    if (!wanted.test(fact)) return 0
    score += points[property]
  }
  if (fingerprint.usb !== undefined && facts.usb !== undefined) {
    const usb = facts.usb.toLowerCase()
    const fits = fingerprint.usb.filter((pattern) => fitsUsbId(pattern, usb))
    if (fits.length === 0) return 0
    score += fits.includes(usb) ? points.usbProduct : points.usbVendor
  }
  return score
}
