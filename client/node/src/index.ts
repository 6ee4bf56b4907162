/// <reference types="node" preserve="true" />
/** A typed client of keepgate. See README.md. */

export type { ClientAdapter, Draft } from "./adapters.js";
export type { ApprovalContext, Approver, Verdict } from "./approver.js";
export { Client, type ConnectOptions, type SpawnOptions } from "./client.js";
export type { Streams } from "./connection.js";
export { Disconnected, KeepgateError, type ErrorCode, type Exit } from "./errors.js";
export type { Framing } from "./framing.js";
export * from "./generated/calls.js";
export * from "./generated/codes.js";
export type * from "./generated/types.js";
export type { ClientInfo } from "./handshake.js";
export type { ProgressListener } from "./listeners.js";
export type { Command } from "./process.js";
