/** The body of every error answer. */
export type ErrorBody = { error: { message: string; type: string; param?: string; code: string } };
