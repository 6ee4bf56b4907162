"""The operations: what each row of the table does, over store and gate, for any front."""
