import { usePathname } from 'wouter/use-browser-location'

/**
 * Returns the part of the address after the folder: an id or a sender name. The parameters of the router are not used,
 * because they are partly decoded and would be decoded twice.
 */
export function usePathPart(folder: string): string | undefined {
  return pathPart(folder, usePathname())
}

export function pathPart(folder: string, path: string): string | undefined {
  const part = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : ''
  if (part === '') return undefined
  try {
    return decodeURIComponent(part)
  } catch {
    // The encoding of the part is invalid. Returns the part as it is; nothing will be found for it.
    return part
  }
}
