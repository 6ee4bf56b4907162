// Written by `python -m keepgate.derive`; edit the table instead.

import type { FaultCode, RpcErrorCode, VerbErrorCode } from "./types.js";

export const FAULT_NUMBERS: Readonly<Record<FaultCode, number>> = {
  INVALID_INPUT: -32050,
  WRITE_REQUIRES_AGENT: -32051,
  BUDGET_EXCEEDED: -32052,
  ENTRY_NOT_FOUND: -32053,
  AMBIGUOUS_MATCH: -32054,
  WRITE_DENIED: -32055,
  PROPOSAL_NOT_FOUND: -32056,
  STORE_CORRUPT: -32057,
  STORE_UNSUPPORTED_VERSION: -32058,
  ADAPTER_NOT_FOUND: -32059,
  ADAPTER_PAYLOAD: -32060,
  STORE_BUSY: -32061,
  STORE_FULL: -32062,
  STORE_READ_ONLY: -32063,
  PAGE_NOT_FOUND: -32065,
};

export const RPC_NUMBERS: Readonly<Record<RpcErrorCode, number>> = {
  PARSE_ERROR: -32700,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
  INTERNAL_ERROR: -32603,
  SERVER_NOT_INITIALIZED: -32002,
  REQUEST_CANCELLED: -32800,
};

export const VERB_NUMBERS: Readonly<Record<VerbErrorCode, number>> = {
  invalid_params: -32064,
  provenance_required: -32064,
  not_found: -32064,
  scope_denied: -32064,
  unavailable: -32064,
  budget_unsatisfiable: -32064,
  internal: -32064,
};

export const FRAME_BYTES_MAX = 16777216;

export const PROTOCOL_VERSION = 1;
