"""A typed client for keepgate over stdio."""
