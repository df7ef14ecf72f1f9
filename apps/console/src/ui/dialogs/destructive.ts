/** The look of each button that deletes, removes, revokes or cancels something, and of the button that confirms it. */
export const destructive = { color: 'red', variant: 'light' } as const
