/// <reference types="node" preserve="true" />
/** A typed client of keepgate. See README.md. */

export * from "./generated/calls.js";
export * from "./generated/codes.js";
export type * from "./generated/types.js";
