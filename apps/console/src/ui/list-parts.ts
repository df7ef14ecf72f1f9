/** Divides the items of a long list into parts that are drawn or removed together. */
export function partsOf<Item>(items: readonly Item[], size: number): { start: number; some: readonly Item[] }[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, part) => ({
    start: part * size,
    some: items.slice(part * size, (part + 1) * size),
  }))
}
