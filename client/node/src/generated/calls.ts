// Written by `python -m keepgate.derive`; edit the table instead.

import type * as wire from "./types.js";

/** What may accompany a call. */
export interface CallOptions {
  /** Gives the call up: the sidecar is told, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Whatever sends a request and brings its result. */
export interface Requester {
  request(method: string, params: unknown, options?: CallOptions): Promise<unknown>;
}

/** Every operation as a method. */
export class Calls {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /** Any operation by its method. */
  call<M extends keyof wire.Operations>(
    method: M,
    params: wire.Operations[M]["params"],
    options?: CallOptions,
  ): Promise<wire.Operations[M]["result"]> {
    return this.#requester.request(method, params, options);
  }

  /**
   * Add one memory.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `BUDGET_EXCEEDED`,
   * `WRITE_DENIED`, `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`.
   */
  add(params: wire.AddParams, options?: CallOptions): Promise<wire.AddResult> {
    return this.call("memory/add", params, options);
  }

  /**
   * Rewrite the one memory that matches; its id stays, its version goes up.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `BUDGET_EXCEEDED`,
   * `WRITE_DENIED`, `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`, `ENTRY_NOT_FOUND`, `AMBIGUOUS_MATCH`.
   */
  replace(params: wire.ReplaceParams, options?: CallOptions): Promise<wire.ReplaceResult> {
    return this.call("memory/replace", params, options);
  }

  /**
   * Remove the one memory that matches.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `BUDGET_EXCEEDED`,
   * `WRITE_DENIED`, `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`, `ENTRY_NOT_FOUND`, `AMBIGUOUS_MATCH`.
   */
  remove(params: wire.RemoveParams, options?: CallOptions): Promise<wire.RemoveResult> {
    return this.call("memory/remove", params, options);
  }

  /**
   * Put one memory in the place of several, in one question and one transaction.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `BUDGET_EXCEEDED`,
   * `WRITE_DENIED`, `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`, `ENTRY_NOT_FOUND`, `AMBIGUOUS_MATCH`.
   */
  consolidate(params: wire.ConsolidateParams, options?: CallOptions): Promise<wire.ConsolidateResult> {
    return this.call("memory/consolidate", params, options);
  }

  /**
   * Add many memories with one question: all of them or none.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `BUDGET_EXCEEDED`,
   * `WRITE_DENIED`, `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`.
   */
  seed(params: wire.SeedParams, options?: CallOptions): Promise<wire.SeedResult> {
    return this.call("memory/seed", params, options);
  }

  /**
   * Find memories by substring, most recalled first.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  query(params: wire.QueryParams = {}, options?: CallOptions): Promise<wire.QueryResult> {
    return this.call("memory/query", params, options);
  }

  /**
   * One memory by id.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `ENTRY_NOT_FOUND`.
   */
  get(params: wire.GetParams, options?: CallOptions): Promise<wire.GetResult> {
    return this.call("memory/get", params, options);
  }

  /**
   * Every state a memory had, from the ledger.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `ENTRY_NOT_FOUND`.
   */
  history(params: wire.HistoryParams, options?: CallOptions): Promise<wire.HistoryResult> {
    return this.call("memory/history", params, options);
  }

  /**
   * Memories in creation order, page by page.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  list(params: wire.ListParams = {}, options?: CallOptions): Promise<wire.ListResult> {
    return this.call("memory/list", params, options);
  }

  /**
   * How full each layer is.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  budgets(params: wire.BudgetsParams = {}, options?: CallOptions): Promise<wire.BudgetsResult> {
    return this.call("memory/budgets", params, options);
  }

  /**
   * The block of memories a session is given, frozen at its first request.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  snapshot(params: wire.SnapshotParams = {}, options?: CallOptions): Promise<wire.SnapshotResult> {
    return this.call("memory/snapshot", params, options);
  }

  /**
   * The ledger, newest first.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  audit(params: wire.AuditParams = {}, options?: CallOptions): Promise<wire.AuditResult> {
    return this.call("memory/audit", params, options);
  }

  /**
   * Check the ledger's chain and that its replay equals the store.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  verify(params: wire.VerifyParams = {}, options?: CallOptions): Promise<wire.VerifyResult> {
    return this.call("memory/verify", params, options);
  }

  /**
   * Take a change back, as a new change that is asked about like any other.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `BUDGET_EXCEEDED`,
   * `WRITE_DENIED`, `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`, `ENTRY_NOT_FOUND`.
   */
  undo(params: wire.UndoParams = {}, options?: CallOptions): Promise<wire.UndoResult> {
    return this.call("memory/undo", params, options);
  }

  /**
   * Take a text out of every table, index, ledger payload and backup, and prove it.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `BUDGET_EXCEEDED`,
   * `WRITE_DENIED`, `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`.
   */
  purge(params: wire.PurgeParams, options?: CallOptions): Promise<wire.PurgeResult> {
    return this.call("memory/purge", params, options);
  }

  /**
   * Who wanted a memory, who allowed it, and what they saw.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `ENTRY_NOT_FOUND`.
   */
  why(params: wire.WhyParams, options?: CallOptions): Promise<wire.WhyResult> {
    return this.call("memory/why", params, options);
  }

  /**
   * Every memory in view as a portable envelope or in an adapter's format.
   *
   * What it resolves to depends on the parameters.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `ADAPTER_NOT_FOUND`, `ADAPTER_PAYLOAD`.
   */
  export(params: wire.ExportParams = {}, options?: CallOptions): Promise<unknown> {
    return this.call("memory/export", params, options);
  }

  /**
   * Bring memories in with one question; a dry run only reports.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `BUDGET_EXCEEDED`,
   * `WRITE_DENIED`, `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`, `ADAPTER_NOT_FOUND`, `ADAPTER_PAYLOAD`.
   */
  import(params: wire.ImportParams = {}, options?: CallOptions): Promise<wire.ImportResult> {
    return this.call("memory/import", params, options);
  }

  /** Health: a write transaction round-trips, counts, paths and versions. */
  status(params: wire.StatusParams = {}, options?: CallOptions): Promise<wire.StatusResult> {
    return this.call("memory/status", params, options);
  }

  /**
   * Store a wish without asking anybody now.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `BUDGET_EXCEEDED`,
   * `WRITE_DENIED`, `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`, `ENTRY_NOT_FOUND`, `AMBIGUOUS_MATCH`.
   */
  proposalsCreate(
    params: wire.ProposalsCreateParams,
    options?: CallOptions,
  ): Promise<wire.ProposalsCreateResult> {
    return this.call("proposals/create", params, options);
  }

  /**
   * The proposals of the connection's workspaces, oldest first.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  proposalsList(
    params: wire.ProposalsListParams = {},
    options?: CallOptions,
  ): Promise<wire.ProposalsListResult> {
    return this.call("proposals/list", params, options);
  }

  /**
   * One proposal with the full question.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `PROPOSAL_NOT_FOUND`.
   */
  proposalsGet(params: wire.ProposalsGetParams, options?: CallOptions): Promise<wire.ProposalsGetResult> {
    return this.call("proposals/get", params, options);
  }

  /**
   * Allow a pending proposal, as the question with this hash showed it.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `BUDGET_EXCEEDED`,
   * `WRITE_DENIED`, `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`, `ENTRY_NOT_FOUND`, `AMBIGUOUS_MATCH`,
   * `PROPOSAL_NOT_FOUND`.
   */
  proposalsApprove(
    params: wire.ProposalsApproveParams = {},
    options?: CallOptions,
  ): Promise<wire.ProposalsApproveResult> {
    return this.call("proposals/approve", params, options);
  }

  /**
   * Close a pending proposal without storing it.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_DENIED`, `PROPOSAL_NOT_FOUND`,
   * `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`.
   */
  proposalsDismiss(
    params: wire.ProposalsDismissParams = {},
    options?: CallOptions,
  ): Promise<wire.ProposalsDismissResult> {
    return this.call("proposals/dismiss", params, options);
  }

  /** The adapters that import and export accept. */
  adaptersList(
    params: wire.AdaptersListParams = {},
    options?: CallOptions,
  ): Promise<wire.AdaptersListResult> {
    return this.call("adapters/list", params, options);
  }

  /**
   * Offer an adapter that this client will run.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  adaptersRegister(
    params: wire.AdaptersRegisterParams,
    options?: CallOptions,
  ): Promise<wire.AdaptersRegisterResult> {
    return this.call("adapters/register", params, options);
  }

  /**
   * Withdraw an adapter of this client.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `ADAPTER_NOT_FOUND`.
   */
  adaptersUnregister(
    params: wire.AdaptersUnregisterParams,
    options?: CallOptions,
  ): Promise<wire.AdaptersUnregisterResult> {
    return this.call("adapters/unregister", params, options);
  }

  /**
   * Register a session; optionally as the connection's default.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  sessionOpen(params: wire.SessionOpenParams, options?: CallOptions): Promise<wire.SessionOpenResult> {
    return this.call("session/open", params, options);
  }

  /**
   * Forget a session; what it wrote stays.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  sessionClose(params: wire.SessionCloseParams, options?: CallOptions): Promise<wire.SessionCloseResult> {
    return this.call("session/close", params, options);
  }

  /**
   * Say that this session has read untrusted material: from now on a person is asked each time.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `STORE_BUSY`,
   * `STORE_FULL`, `STORE_READ_ONLY`.
   */
  sessionTaint(params: wire.SessionTaintParams, options?: CallOptions): Promise<wire.SessionTaintResult> {
    return this.call("session/taint", params, options);
  }

  /**
   * Memories and facts as they were after a ledger row, or at a moment.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  asOf(params: wire.AsOfParams = {}, options?: CallOptions): Promise<wire.AsOfResult> {
    return this.call("memory/asOf", params, options);
  }

  /**
   * Put what a session wrote out of every read, until it is released. Always asked about.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `WRITE_DENIED`,
   * `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`.
   */
  quarantine(params: wire.QuarantineParams, options?: CallOptions): Promise<wire.QuarantineResult> {
    return this.call("memory/quarantine", params, options);
  }

  /**
   * Bring back what is in quarantine of a session. Always asked about.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `WRITE_DENIED`,
   * `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`.
   */
  release(params: wire.ReleaseParams, options?: CallOptions): Promise<wire.QuarantineResult> {
    return this.call("memory/release", params, options);
  }

  /**
   * The sessions of which something is in quarantine.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  quarantined(params: wire.QuarantinedParams = {}, options?: CallOptions): Promise<wire.QuarantinedResult> {
    return this.call("memory/quarantined", params, options);
  }

  /**
   * What was allowed for the rest of sessions, in every process.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  grantsList(params: wire.GrantsListParams = {}, options?: CallOptions): Promise<wire.GrantsListResult> {
    return this.call("grants/list", params, options);
  }

  /**
   * End what was allowed for the rest of a session: its next write is asked about again.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`.
   */
  grantsRevoke(params: wire.GrantsRevokeParams, options?: CallOptions): Promise<wire.GrantsRevokeResult> {
    return this.call("grants/revoke", params, options);
  }

  /**
   * The person is at this client now: other processes' questions come here first.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  sessionActive(
    params: wire.SessionActiveParams = {},
    options?: CallOptions,
  ): Promise<wire.SessionActiveResult> {
    return this.call("session/active", params, options);
  }

  /**
   * A question is on the screen of this client.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  approvalShown(params: wire.ApprovalShownParams, options?: CallOptions): Promise<wire.ApprovalShownResult> {
    return this.call("approval/shown", params, options);
  }

  /**
   * Retrieve saved facts and, with a query, budget-packed snippets of pages.
   *
   * Rejects with a `KeepgateError` of code `invalid_params`, `internal`.
   */
  recall(params: wire.RecallParams = {}, options?: CallOptions): Promise<wire.RecallResult> {
    return this.call("verbs/recall", params, options);
  }

  /**
   * Save one fact with mandatory attribution.
   *
   * With `dry_run` it resolves to what would be done.
   *
   * Rejects with a `KeepgateError` of code `provenance_required`, `invalid_params`, `not_found`,
   * `scope_denied`, `unavailable`, `internal`.
   */
  remember(
    params: wire.RememberParams & { readonly dry_run: true },
    options?: CallOptions,
  ): Promise<wire.DryRun>;
  remember(
    params: wire.RememberParams & { readonly dry_run?: false | null | undefined },
    options?: CallOptions,
  ): Promise<wire.RememberResult>;
  remember(params: wire.RememberParams, options?: CallOptions): Promise<wire.RememberResult | wire.DryRun> {
    return this.call("verbs/remember", params, options);
  }

  /**
   * The card of one known person, company or project; a miss is no error.
   *
   * Rejects with a `KeepgateError` of code `invalid_params`, `internal`.
   */
  entity(params: wire.EntityParams, options?: CallOptions): Promise<wire.EntityResult> {
    return this.call("verbs/entity", params, options);
  }

  /**
   * [EXPENSIVE / SLOW] Answer a question from several pages with a language model's help.
   *
   * Rejects with a `KeepgateError` of code `invalid_params`, `unavailable`, `internal`.
   */
  synthesize(params: wire.SynthesizeParams, options?: CallOptions): Promise<wire.SynthesizeResult> {
    return this.call("verbs/synthesize", params, options);
  }

  /**
   * Expire a fact by its id; what is expired already is no error.
   *
   * With `dry_run` it resolves to what would be done.
   *
   * Rejects with a `KeepgateError` of code `invalid_params`, `not_found`, `scope_denied`, `unavailable`,
   * `internal`.
   */
  forget(
    params: wire.ForgetParams & { readonly dry_run: true },
    options?: CallOptions,
  ): Promise<wire.DryRun>;
  forget(
    params: wire.ForgetParams & { readonly dry_run?: false | null | undefined },
    options?: CallOptions,
  ): Promise<wire.ForgetResult>;
  forget(params: wire.ForgetParams, options?: CallOptions): Promise<wire.ForgetResult | wire.DryRun> {
    return this.call("verbs/forget", params, options);
  }

  /**
   * One budget-packed block for standing entities: cards, open threads, facts.
   *
   * Rejects with a `KeepgateError` of code `invalid_params`, `internal`.
   */
  contextPack(params: wire.ContextPackParams, options?: CallOptions): Promise<wire.ContextPackResult> {
    return this.call("verbs/context_pack", params, options);
  }

  /**
   * What changed since an instant, or since this session asked last.
   *
   * Rejects with a `KeepgateError` of code `invalid_params`, `internal`.
   */
  delta(params: wire.DeltaParams = {}, options?: CallOptions): Promise<wire.DeltaResult> {
    return this.call("verbs/delta", params, options);
  }

  /**
   * One page, whole.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `PAGE_NOT_FOUND`.
   */
  pagesGet(params: wire.PageGetParams, options?: CallOptions): Promise<wire.PageResult> {
    return this.call("pages/get", params, options);
  }

  /**
   * Pages in slug order.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  pagesList(params: wire.PagesListParams = {}, options?: CallOptions): Promise<wire.PagesListResult> {
    return this.call("pages/list", params, options);
  }

  /**
   * Pages that match words, best first.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  pagesSearch(params: wire.PagesSearchParams, options?: CallOptions): Promise<wire.PagesSearchResult> {
    return this.call("pages/search", params, options);
  }

  /**
   * Links that lead to a page.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  pagesBacklinks(params: wire.BacklinksParams, options?: CallOptions): Promise<wire.BacklinksResult> {
    return this.call("pages/backlinks", params, options);
  }

  /**
   * The slugs that names stand for.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`.
   */
  pagesResolve(params: wire.ResolveParams, options?: CallOptions): Promise<wire.ResolveResult> {
    return this.call("pages/resolve", params, options);
  }

  /**
   * Write a page's file; the person sees the difference.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `WRITE_DENIED`,
   * `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`, `PAGE_NOT_FOUND`.
   */
  pagesPut(params: wire.PagePutParams, options?: CallOptions): Promise<wire.PageWriteResult> {
    return this.call("pages/put", params, options);
  }

  /**
   * Delete a page's file.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `WRITE_DENIED`,
   * `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`, `PAGE_NOT_FOUND`.
   */
  pagesRemove(params: wire.PageRemoveParams, options?: CallOptions): Promise<wire.PageWriteResult> {
    return this.call("pages/remove", params, options);
  }

  /**
   * Add a typed link to a page.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `WRITE_DENIED`,
   * `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`, `PAGE_NOT_FOUND`.
   */
  pagesLink(params: wire.PageLinkParams, options?: CallOptions): Promise<wire.PageWriteResult> {
    return this.call("pages/link", params, options);
  }

  /**
   * Add a dated line to a page's timeline.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `WRITE_DENIED`,
   * `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`, `PAGE_NOT_FOUND`.
   */
  pagesTimeline(params: wire.PageTimelineParams, options?: CallOptions): Promise<wire.PageWriteResult> {
    return this.call("pages/timeline", params, options);
  }

  /**
   * Put a dated note into the inbox page of the month.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `WRITE_DENIED`,
   * `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`, `PAGE_NOT_FOUND`.
   */
  pagesCapture(params: wire.CaptureParams, options?: CallOptions): Promise<wire.PageWriteResult> {
    return this.call("pages/capture", params, options);
  }

  /**
   * Have a person trust the pages of a folder, so that session starts carry them.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `WRITE_REQUIRES_AGENT`, `WRITE_DENIED`,
   * `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`.
   */
  pagesTrust(params: wire.PagesTrustParams = {}, options?: CallOptions): Promise<wire.PagesTrustResult> {
    return this.call("pages/trust", params, options);
  }

  /**
   * Read every page file anew and bring the index up to date.
   *
   * Rejects with a `KeepgateError` of code `INVALID_INPUT`, `STORE_BUSY`, `STORE_FULL`, `STORE_READ_ONLY`.
   */
  pagesReindex(params: wire.ReindexParams = {}, options?: CallOptions): Promise<wire.ReindexResult> {
    return this.call("pages/reindex", params, options);
  }
}
