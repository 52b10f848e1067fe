/** The body of every error, as the contract spells it. */
export type ErrorBody = { error: { message: string; type: string; param?: string; code: string } };
