"""The store's schema, one file of SQL per version."""
