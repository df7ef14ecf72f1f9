import { usePathname } from 'wouter/use-browser-location'

/**
 * What stands behind the folder in the address: an id, or what somebody calls themselves. The router's own parameters are
 * decoded in part, and would be decoded twice.
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
    // Mistyped: it stays as it is, and is not found.
    return part
  }
}
