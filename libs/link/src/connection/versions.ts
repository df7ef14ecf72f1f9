import type { Versions } from '@smsgw/contract/link/frame'

/** The supported versions: the current version and the previous version. */
export const supportedVersions: Versions = { min: 1, max: 1 }

/** The highest version that both ends support. */
export function commonVersion(ours: Versions, theirs: Versions): number | undefined {
  const version = Math.min(ours.max, theirs.max)
  return version >= Math.max(ours.min, theirs.min) ? version : undefined
}

export function versionRefusal(ours: Versions): string {
  return `this side of the connection supports versions ${ours.min} to ${ours.max} of the protocol: update the older side`
}
