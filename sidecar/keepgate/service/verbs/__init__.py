"""The seven verbs of MEMORY_VERBS v1, a module a family (docs/architecture.md)."""
