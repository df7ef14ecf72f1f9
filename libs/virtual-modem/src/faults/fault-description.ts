/** What every fault can be told. */
export type StrikeOptions = {
  /** Probability each time it could strike. */
  readonly chance: number
  /** No more than so many times; 0: no limit. */
  readonly times: number
  /** Let the first so many chances go by. */
  readonly skip: number
}

export interface FaultDescription<Options> {
  readonly about: string
  /** With their defaults. */
  readonly options: StrikeOptions & Options
}

export function fault<const Options extends object = Record<never, never>>(
  about: string,
  options?: Options,
): FaultDescription<Widened<Options>> {
  return { about, options: { chance: 1, times: 0, skip: 0, ...(options as Widened<Options>) } }
}

/** A default of 3000 stands for any number. */
type Widened<T> = {
  readonly [K in keyof T]: T[K] extends number ? number : T[K] extends boolean ? boolean : string
}
