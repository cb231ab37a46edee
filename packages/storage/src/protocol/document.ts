export type Document = Record<string, unknown>;
export type Sort = Record<string, 1 | -1>;
