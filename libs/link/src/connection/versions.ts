import type { Versions } from '@smsgw/contract/link/frame'

/** What this code speaks: the present version and, once there is one, the one before. */
export const spokenVersions: Versions = { min: 1, max: 1 }

/** The highest version that both speak. */
export function commonVersion(ours: Versions, theirs: Versions): number | undefined {
  const version = Math.min(ours.max, theirs.max)
  return version >= Math.max(ours.min, theirs.min) ? version : undefined
}

export function versionRefusal(ours: Versions): string {
  return `this end speaks smsgw versions ${ours.min} to ${ours.max}: update the older end`
}
