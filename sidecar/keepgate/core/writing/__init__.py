"""The road of a write, in this order: change, match, budget, plan, ask, approval, ledger."""
