/** Removes undefined members, because the libs do not accept undefined for optional members. */
export function present<T extends object>(options: T): Present<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Present<T>
}

export type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> }
